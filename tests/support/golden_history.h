/* SPDX-License-Identifier: ISC */
/*
 * The history of golden/history.db, written to dir.db of the rig: two boots and a
 * restart, gaps, series that came and went, a clock that was set late, findings and
 * changes of all kinds. The same on every machine.
 */
#ifndef RS_TEST_GOLDEN_HISTORY_H
#define RS_TEST_GOLDEN_HISTORY_H

#include <stdio.h>

#include "append.h"
#include "migrate.h"
#include "storerig.h"
#include "upkeep.h"

/* --- what was sampled ---------------------------------------------------- */

/* xorshift64*: the same numbers on every machine. */
static inline uint64_t
draw(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(0x2545f4914f6cdd1d);
}

/* A series: values are base + (draw >> shift), 0 for a shift of 64, from one minute
 * to another; `every`: it has a value at every so many ticks. */
static const struct source {
	enum rs_metric_id metric;
	int32_t cpu, queue;
	const char *device, *irq;
	int64_t base;
	unsigned shift, every;
	int64_t from, to;
} sources[] = {
    {RS_M_CORE_INTERRUPTS, 0, -1, "", "", 1000, 55, 1, 0, INT64_MAX},
    {RS_M_CORE_INTERRUPTS, 1, -1, "", "", 0, 64, 1, 0, INT64_MAX},
    {RS_M_CPU_SOFTIRQ, 0, -1, "", "", 0, 58, 1, 0, INT64_MAX},
    {RS_M_SOFTIRQ_NET_RX, 1, -1, "", "", 0, 62, 1, 0, INT64_MAX},
    {RS_M_CORE_BUSY, 0, -1, "", "", 2500, 52, 1, 0, INT64_MAX},
    {RS_M_NIC_RX_BYTES, -1, -1, "eth0", "", INT64_C(40000000000), 30, 1, 0, INT64_MAX},
    /* came in the middle of an hour and went again */
    {RS_M_NIC_TX_PACKETS, -1, -1, "wan.100", "", 0, 45, 1, 1433, 1483},
    {RS_M_QUEUE_RX_PACKETS, -1, 0, "eth0", "", 100, 50, 1, 0, INT64_MAX},
    {RS_M_QUEUE_TX_DROPS, -1, 3, "eth0", "", 0, 63, 5, 0, INT64_MAX},
    {RS_M_IRQ_INTERRUPTS, -1, -1, "eth0", "31", 0, 40, 1, 0, 1490},
    {RS_M_TEMPERATURE, -1, -1, "", "", -12500, 53, 4, 0, INT64_MAX},
    /* all that fits */
    {RS_M_CORE_FREQ, 1, -1, "", "", INT64_MIN, 0, 1, 1475, INT64_MAX},
};

static inline struct rs_labels
labels_of(const struct source *s)
{
	struct rs_labels l = rs_labels_none;

	l.cpu = s->cpu;
	l.queue = s->queue;
	(void)snprintf(l.device, sizeof(l.device), "%s", s->device);
	(void)snprintf(l.irq, sizeof(l.irq), "%s", s->irq);
	return l;
}

/* Ticks [from, to) of a minute, but for one that was missed now and then. */
static inline struct rs_block *
minute_block(rs_ns interval_ns, int64_t minute, uint32_t from, uint32_t to, int64_t offset_ms)
{
	struct rs_block *const b = test_block(32, interval_ns, minute, offset_ms);
	uint64_t state = (uint64_t)(minute * 1000 + from + 1);

	for (uint32_t t = from; t < to; t++) {
		b->has_tick[t] = t == from || draw(&state) % 20 != 0;
		b->length_us[t] = (uint32_t)(interval_ns / 1000) + (uint32_t)(draw(&state) % 200);
	}
	for (uint32_t i = 0; i < RS_ARRAY_LEN(sources); i++) {
		const struct source *const s = &sources[i];

		if (minute < s->from || minute >= s->to)
			continue;
		const uint32_t slot = test_series(b, i + 1, s->metric, labels_of(s));
		for (uint32_t t = from; t < to; t++) {
			const uint64_t above = s->shift == 64 ? 0 : draw(&state) >> s->shift;

			if (b->has_tick[t] && t % s->every == 0)
				rs_block_put(b, slot, t, (int64_t)((uint64_t)s->base + above));
		}
	}
	return b;
}

static inline void
append_ticks(rs_ns interval_ns, int64_t minute, uint32_t from, uint32_t to, int64_t offset_ms)
{
	struct rs_block *const b = minute_block(interval_ns, minute, from, to, offset_ms);

	append(b);
	rs_block_free(b);
}

/* --- what was found and changed ------------------------------------------ */

static const struct rs_subject subjects[] = {
    {.kind = RS_SUBJECT_HOST, .core = -1, .queue = -1},
    {.kind = RS_SUBJECT_CORE, .core = 3, .queue = -1},
    {.kind = RS_SUBJECT_INTERFACE, .core = -1, .queue = -1, .device = "wan.100"},
    {.kind = RS_SUBJECT_QUEUE, .core = 1, .queue = 0, .device = "eth0", .direction = "tx"},
    {.kind = RS_SUBJECT_IRQ, .core = -1, .queue = -1, .irq = "31"},
};

static int64_t next_finding, next_change;

/* until 0: still active. */
static inline void
add_finding(unsigned subject, int64_t offset_ms, int64_t minute, int64_t until)
{
	struct rs_finding f = full_finding(next_finding++);

	f.subject = subjects[subject];
	f.severity = (enum rs_severity)(subject % 3);
	f.confidence = (enum rs_confidence)(2 - subject % 3);
	f.raised_boot_ms = minute * MINUTE;
	f.raised_ms = offset_ms + f.raised_boot_ms;
	f.cleared_ms = until == 0 ? 0 : offset_ms + until * MINUTE;
	f.evidence[0].value = -12345.0625 / (double)(1 << subject);
	f.n_causes = subject % 3;
	f.n_advice = subject % 2;
	ck_assert_int_eq(rs_store_finding(store, &f), 0);
}

static inline void
add_change(enum rs_fact_id fact, int64_t offset_ms, int64_t minute, const char *was, const char *is)
{
	struct rs_change c = {.id = next_change++,
	    .at_ms = offset_ms + minute * MINUTE,
	    .at_boot_ms = minute * MINUTE,
	    .fact = (uint16_t)fact};
	const enum rs_on on = rs_facts[fact].on;

	c.labels = rs_labels_none;
	if (on == RS_ON_CPU)
		c.labels.cpu = 1;
	if (on == RS_ON_QUEUE)
		c.labels.queue = 2;
	if (on == RS_ON_QUEUE || on == RS_ON_NIC)
		(void)snprintf(c.labels.device, sizeof(c.labels.device), "eth0");
	if (on == RS_ON_IRQ)
		(void)snprintf(c.labels.irq, sizeof(c.labels.irq), "31");
	(void)snprintf(c.old, sizeof(c.old), "%s", was);
	(void)snprintf(c.new, sizeof(c.new), "%s", is);
	rs_store_change(store, &c, 1);
}

/* --- the whole history --------------------------------------------------- */

/* Wall clock minus boot clock: of the first boot before and after its clock was
 * set, which is when the machine had run for nearly a day, and of the second. */
#define OFFSET_UNSET INT64_C(3000)
#define OFFSET_A INT64_C(1700000000500)
#define OFFSET_B (OFFSET_A + 2000 * MINUTE)
#define QUARTER (15 * RS_NS_PER_S)

static inline void
open_history(const char *boot_id, rs_ns interval_ns)
{
	struct rs_store_conf c = {.path = dir.db, .interval_ns = interval_ns};
	struct rs_error e = {0};

	(void)snprintf(c.boot_id, sizeof(c.boot_id), "%s", boot_id);
	ck_assert_msg(rs_store_open(&c, loop, on_block, NULL, &e, &store) == 0, "%s", e.text);
	next_finding = rs_store_next_finding_id(store);
	next_change = rs_store_next_change_id(store);
}

static inline void
close_history(void)
{
	rs_store_close(store);
	store = NULL;
}

static inline void
append_minutes(rs_ns interval_ns, int64_t first, int64_t last, int64_t offset_ms)
{
	for (int64_t minute = first; minute <= last; minute++)
		append_ticks(
		    interval_ns, minute, 0, (uint32_t)(RS_BLOCK_NS / interval_ns), offset_ms);
}

/* Two boot days and three boot hours have something of it. */
static inline void
write_first_boot(void)
{
	open_history(boot_a, QUARTER);
	append_minutes(QUARTER, 1425, 1436, OFFSET_UNSET);
	add_finding(0, OFFSET_UNSET, 1427, 1430);
	add_finding(1, OFFSET_UNSET, 1431, 0);
	add_change(RS_F_GOVERNOR, OFFSET_UNSET, 1428, "powersave", "performance");
	append_minutes(QUARTER, 1437, 1446, OFFSET_A);
	add_finding(2, OFFSET_A, 1440, 1441);
	add_change(RS_F_IRQ_AFFINITY, OFFSET_A, 1440, "0-3", "2");
	append_minutes(QUARTER, 1475, 1479, OFFSET_A);
	/* restarted within a minute */
	append_ticks(QUARTER, 1480, 0, 2, OFFSET_A);
	close_history();
	open_history(boot_a, QUARTER);
	append_ticks(QUARTER, 1480, 3, 4, OFFSET_A);
	append_minutes(QUARTER, 1481, 1502, OFFSET_A);
	/* late: could not be written when it was its turn */
	append_minutes(QUARTER, 1460, 1460, OFFSET_A);
	add_change(RS_F_RPS_CPUS, OFFSET_A, 1502, "none", "0,2-3");
	close_history();
}

/* The first hour is over, the second is not. */
static inline void
write_second_boot(void)
{
	open_history(boot_b, 2 * QUARTER);
	append_minutes(2 * QUARTER, 50, 63, OFFSET_B);
	add_finding(3, OFFSET_B, 52, 60);
	add_finding(4, OFFSET_B, 62, 0);
	add_change(RS_F_SPEED, OFFSET_B, 55, "1000", "100");
	add_change(RS_F_KERNEL, OFFSET_B, 56, "6.1.0-1", "6.1.0-2 \xc3\xa4");
	close_history();
}

/* What the store's thread has not come to. */
static inline void
finish_tiers(void)
{
	const struct rs_store_limits for_ever = {0};
	struct rs_appender appender;
	struct rs_upkeep upkeep;
	struct rs_error e = {0};
	struct rs_db *db = NULL;
	int r;

	ck_assert_msg(rs_db_open(dir.db, &e, &db) == 0, "%s", e.text);
	ck_assert_int_eq(rs_appender_init(&appender, db, boot_b), 0);
	ck_assert_int_eq(rs_upkeep_init(&upkeep, db, &for_ever), 0);
	while ((r = rs_upkeep_bite(&upkeep, db, &appender, 64 * MINUTE, OFFSET_B)) > 0)
		;
	ck_assert_int_eq(r, 0);
	rs_upkeep_fini(&upkeep);
	rs_appender_fini(&appender);
	rs_db_close(db);
}

static inline void
write_history(void)
{
	write_first_boot();
	write_second_boot();
	finish_tiers();
}

#endif
