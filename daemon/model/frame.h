/* SPDX-License-Identifier: ISC */
/*
 * One reading of one source: what a collector's parser fills and the model
 * takes over. Values that are not put have no value; zero is a value.
 * Text slices point into the reader's buffer and are valid until its next read.
 */
#ifndef RS_FRAME_H
#define RS_FRAME_H

#include <stdbool.h>

#include "cpuset.h"
#include "metric.h"

/* A number of a metric on a thing. key: CPU number, ifindex, 0 for the host. */
struct rs_reading {
	uint16_t metric; /* enum rs_metric_id */
	uint32_t key;
	uint64_t value; /* raw: counter as read, gauge x scale */
};

/* A row of /proc/interrupts. */
struct rs_irq_row {
	struct rs_text name; /* "31", "LOC", "IPI0" */
	struct rs_text rest; /* everything behind the counts, trimmed: chip, trigger, actions */
	uint32_t first_cell; /* index into cells */
	uint32_t cells;	     /* counts in this row: number of columns, or fewer (ERR: 1, FIQ: 0) */
	bool is_numbered;    /* the name is a decimal number */
};

/* The interrupts x cores matrix. Column c is CPU cpu[c]. */
struct rs_irq_matrix {
	bool is_present; /* the source was parsed */
	uint32_t columns;
	uint16_t *cpu;
	struct rs_irq_row *rows;
	uint32_t n_rows;
	uint32_t *cells; /* counts are 32-bit in the kernel's print format */
	uint32_t n_cells;
	/* capacities, kept between reads */
	uint32_t cap_columns, cap_rows, cap_cells;
};

/* What is known of a network interface beside its counters. */
struct rs_nic_info {
	uint32_t ifindex;
	char name[16];
	char driver[32]; /* "": unknown */
	char kind[16]; /* "physical", "vlan", "bridge", "bond", "veth", "loopback", ...; "": unknown
			*/
	char device[64];     /* basename of the device link: "0000:01:00.0", "virtio2"; "": none */
	char bus_parent[64]; /* basename of the device's parent, for virtio the PCI address; "":
				none */
	int64_t speed_bps;   /* -1: unknown */
	int8_t duplex;	     /* 1 full, 0 half, -1 unknown */
	int8_t is_up;	     /* 1 lower layer up, 0 down, -1 unknown */
	int32_t mtu;	     /* -1: unknown */
	int64_t carrier_changes;      /* -1: unknown */
	int32_t rx_queues, tx_queues; /* -1: unknown */
	bool is_loopback, is_physical;
	bool is_master_or_stacked; /* bridge, bond, VLAN: its packets count on another interface too
				    */
	uint16_t n_irqs;	   /* MSI vectors of the device, ascending; 0: unknown */
	uint32_t irqs[128];
};

/* Cores as the system describes them; has_* false: the file was not there. */
struct rs_cpu_info {
	bool is_present;
	bool has_online, has_possible, has_isolated, has_nohz_full, has_groups;
	struct rs_cpuset online, possible, isolated, nohz_full;
	uint16_t group[RS_CPU_MAX]; /* lowest CPU number among the thread siblings */
	int8_t precise_irq_time;    /* CONFIG_IRQ_TIME_ACCOUNTING: 1 yes, 0 no, -1 not told */
};

struct rs_frame {
	rs_ns at_ns; /* CLOCK_MONOTONIC when the source was read */
	struct rs_reading *readings;
	size_t n_readings, cap_readings;
	struct rs_cpuset cpus_seen; /* CPUs /proc/stat has a row for */
	bool has_cpus_seen;
	struct rs_irq_matrix irqs;
	bool has_nics; /* nics is the complete list of interfaces */
	struct rs_nic_info *nics;
	size_t n_nics, cap_nics;
	struct rs_cpu_info cpus;
	unsigned skipped_rows; /* rows that could not be used */
	bool is_out_of_memory; /* sticky until reset: the frame is incomplete */
	size_t max_readings;   /* growth limit */
};

int rs_frame_new(size_t max_readings, struct rs_frame **ret);
void rs_frame_free(struct rs_frame *f); /* NULL-safe */
/* Empties it for the next source, keeps the memory. */
void rs_frame_reset(struct rs_frame *f, rs_ns at_ns);

void rs_put(struct rs_frame *f, enum rs_metric_id metric, uint32_t key, uint64_t value);
/* Appends an interface with everything unknown; NULL when out of memory. */
struct rs_nic_info *rs_frame_nic(struct rs_frame *f);
/* Make room; false when out of memory or past the limit (the frame says so). */
bool rs_frame_irq_columns(struct rs_frame *f, uint32_t columns);
struct rs_irq_row *rs_frame_irq_row(struct rs_frame *f); /* with room for `columns` cells */

/* For sources that name interfaces but have no ifindex (/proc/net/dev): a
 * stable key made from the name, above every real ifindex. The frame lists the
 * interface in nics. 0 when out of memory. */
uint32_t rs_frame_named_nic(struct rs_frame *f, struct rs_text name);

#endif
