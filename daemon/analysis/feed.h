/* SPDX-License-Identifier: ISC */
/*
 * Which network devices interrupt which core: from the interrupts x cores
 * matrix of the view. Pure.
 */
#ifndef RS_FEED_H
#define RS_FEED_H

#include "irqname.h"
#include "view.h"

#define RS_FEEDS_MAX 8u

/* All NIC interrupts are on one core: lines that busy, and its share of them. */
#define RS_PILE_LINE_PS 100.0
#define RS_PILE_SHARE 0.95

/* One device's interrupts on one core. */
struct rs_core_feed {
	double rate_ps;
	uint32_t ifindex;
	int32_t queue; /* that of the line with nearly all of it; -1: several or unknown */
	char device[16];
};

/* The devices whose queue lines fire on the core, busiest first; at most cap.
 * A shared line counts for each of its devices. */
size_t rs_feeds_of_core(
    const struct rs_view *v, unsigned cpu, struct rs_core_feed *ret, size_t cap);

/* Whether all was read that tells packets without NIC interrupts from others. */
bool rs_feed_is_read(const struct rs_core_view *c);

/* Who sends packets to the core, for a sentence: "eth0 queue 2", "thread
 * napi/eth0-8193", "packets handed over by other cores (RPS)". */
void rs_feed_phrase(const struct rs_view *v, unsigned cpu, char *dst, size_t cap);

/* Cores that take at least RS_NETWORK_WORK_PS NIC interrupts; NAN: not read. */
double rs_feed_count_cores(const struct rs_view *v);

/* All busy queue lines of NICs together. */
struct rs_irq_pile {
	unsigned lines;	  /* queue lines of NICs with at least the rate asked for */
	double rate_ps;	  /* of those lines */
	unsigned cpu;	  /* the core that takes more than half of it, if one does */
	double share;	  /* its share; NAN: no line is busy */
	uint32_t ifindex; /* the one device of all those lines; 0: several */
};
void rs_irq_pile_of(const struct rs_view *v, double min_rate_ps, struct rs_irq_pile *ret);

/* The devices with a busy line, in the order of their lines; a shared line is
 * each one's. Returns how many there are, which may be more than cap. */
size_t rs_busy_devices(const struct rs_view *v, double min_rate_ps, uint32_t *ret, size_t cap);

/* "eth0, eth1 and eth2"; RS_NIC_NAMES_BYTES hold RS_NIC_NAMES_MAX of them. */
#define RS_NIC_NAMES_MAX 4u
#define RS_NIC_NAMES_BYTES 96
void rs_nic_names(
    const struct rs_nic_view *const *nics, size_t n, char dst[static RS_NIC_NAMES_BYTES]);

/* "every interrupt of eth0 and eth1 fires on core 3": the devices with a busy
 * line, four at most. */
void rs_irq_pile_phrase(const struct rs_view *v, unsigned cpu, char *dst, size_t cap);

/* True for a line that counts in a pile. */
bool rs_irq_is_busy(const struct rs_irq_view *q, double min_rate_ps);
/* Interrupts per second of the line on the core. */
double rs_irq_rate_on(const struct rs_irq_view *q, unsigned cpu);
/* The core that takes most of the line's interrupts; -1: none does. */
int rs_irq_busiest_core(const struct rs_irq_view *q);
/* The first queue of the interface (0: of any) that the line serves; NULL: none. */
const struct rs_irq_feed *rs_irq_feed_of(const struct rs_irq_view *q, uint32_t ifindex);

#endif
