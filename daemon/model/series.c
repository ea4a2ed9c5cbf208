/* SPDX-License-Identifier: ISC */
/*
 * Series: slots with the last reading and this tick's value, and their way
 * into the head block. The live value of everything is kept; history has room
 * for max_series of them, and when it is short what matters most gets it. A
 * column freed in a minute is used again in the next one, since the block of
 * the minute still names its owner.
 */
#include "rate.h"
#include "state.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int
rs_series_init(struct rs_model *m)
{
	for (unsigned i = 0; i < RS_M_COUNT; i++)
		m->local_index[i] = m->n_local[rs_metrics[i].on]++;
	const size_t n = m->conf.max_series;
	m->free_now = calloc(n, sizeof(*m->free_now));
	m->free_next = calloc(n, sizeof(*m->free_next));
	m->host_slot = rs_slots_new(m, RS_ON_HOST);
	m->next_uid = 1;
	return m->free_now && m->free_next && m->host_slot ? 0 : -ENOMEM;
}

void
rs_series_fini(struct rs_model *m)
{
	free(m->series);
	free(m->labels);
	free(m->free_slots);
	free(m->free_now);
	free(m->free_next);
	free(m->host_slot);
}

static int64_t
clamp_i64(uint64_t v)
{
	return v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

/* One tick's share of what a slow source counted, or the level it showed. */
static void
give_held(struct rs_series *s)
{
	uint64_t part = s->held;
	if (rs_metrics[s->metric].kind == RS_COUNTER) {
		part /= s->held_ticks;
		s->held -= part;
	}
	s->held_ticks--;
	s->now = s->held_now;
	s->stored = clamp_i64(part);
	s->has_stored = true;
}

void
rs_series_begin(struct rs_model *m)
{
	for (uint32_t i = 0; i < m->n_series; i++) {
		m->series[i].has_stored = false;
		m->series[i].now = NAN;
		if (m->series[i].held_ticks > 0)
			give_held(&m->series[i]);
	}
}

uint32_t *
rs_slots_new(const struct rs_model *m, enum rs_on on)
{
	const size_t n = RS_MAX(m->n_local[on], 1);
	uint32_t *const slots = calloc(n, sizeof(*slots));
	if (slots) {
		for (size_t i = 0; i < n; i++)
			slots[i] = RS_NO_SLOT;
	}
	return slots;
}

static void
announce(struct rs_model *m, uint32_t slot)
{
	struct rs_block *const b = m->block;
	const struct rs_series *const s = &m->series[slot];
	if (!b || s->column == RS_NO_SLOT)
		return;
	const struct rs_block_series named = {
	    .uid = s->uid, .metric = s->metric, .labels = m->labels[slot]};
	rs_block_name(b, s->column, &named);
}

/* Names all living series in a block that has just been taken. */
void
rs_series_announce(struct rs_model *m)
{
	for (uint32_t i = 0; i < m->n_series; i++) {
		if (m->series[i].uid)
			announce(m, i);
	}
	/* Columns freed during the last block are owned by nobody in this one. */
	while (m->n_free_next > 0)
		m->free_now[m->n_free_now++] = m->free_next[--m->n_free_next];
}

/* How much of history's room a metric may take: the loads and throughput that
 * tell the story all of it, the softirqs that have nothing to do with the
 * network hardly more than half. */
static uint32_t
room_for(const struct rs_model *m, enum rs_metric_id metric)
{
	const uint64_t all = m->conf.max_series;
	const struct rs_metric *const d = &rs_metrics[metric];
	const bool is_throughput = d->on == RS_ON_NIC && metric <= RS_M_NIC_TX_PACKETS;
	if (d->kind == RS_GAUGE || is_throughput)
		return (uint32_t)all;
	const bool is_softirq = metric >= RS_M_SOFTIRQ_HI && metric <= RS_M_SOFTIRQ_RCU;
	if (is_softirq && metric != RS_M_SOFTIRQ_NET_RX && metric != RS_M_SOFTIRQ_NET_TX)
		return (uint32_t)(all * 55 / 100);
	return (uint32_t)(all * 85 / 100);
}

static uint32_t
take_column(struct rs_model *m, enum rs_metric_id metric)
{
	const bool has_room = m->n_kept < room_for(m, metric) &&
			      (m->n_free_now > 0 || m->n_columns_used < m->conf.max_series);
	if (!has_room) {
		m->stats.series_refused++;
		return RS_NO_SLOT;
	}
	m->n_kept++;
	return m->n_free_now > 0 ? m->free_now[--m->n_free_now] : m->n_columns_used++;
}

/* A free slot, the array being longer where it must. */
static uint32_t
take_slot(struct rs_model *m)
{
	if (m->n_free_slots > 0)
		return m->free_slots[--m->n_free_slots];
	const size_t n = (size_t)m->n_series + 1;
	/* The stack has room for all, so that an end never allocates. */
	if (rs_model_grow((void **)&m->series, &m->cap_series, n, sizeof(*m->series)) < 0 ||
	    rs_model_grow((void **)&m->labels, &m->cap_labels, n, sizeof(*m->labels)) < 0 ||
	    rs_model_grow((void **)&m->free_slots, &m->cap_free_slots, n, sizeof(*m->free_slots)) <
		0)
		return RS_NO_SLOT;
	return m->n_series++;
}

uint32_t
rs_series_new(struct rs_model *m, enum rs_metric_id metric, const struct rs_labels *labels)
{
	const uint32_t slot = take_slot(m);
	if (slot == RS_NO_SLOT)
		return RS_NO_SLOT;
	struct rs_series *const s = &m->series[slot];
	memset(s, 0, sizeof(*s));
	s->uid = m->next_uid++;
	s->metric = (uint16_t)metric;
	s->column = take_column(m, metric);
	m->labels[slot] = *labels;
	s->now = NAN;
	m->n_live++;
	announce(m, slot);
	return slot;
}

uint32_t
rs_series_slot(
    struct rs_model *m, uint32_t *slots, enum rs_metric_id metric, const struct rs_labels *labels)
{
	uint32_t *const slot = &slots[m->local_index[metric]];
	if (*slot == RS_NO_SLOT)
		*slot = rs_series_new(m, metric, labels);
	return *slot;
}

void
rs_series_end(struct rs_model *m, uint32_t slot)
{
	if (slot == RS_NO_SLOT)
		return;
	struct rs_series *const s = &m->series[slot];
	if (s->column != RS_NO_SLOT) {
		m->free_next[m->n_free_next++] = s->column;
		m->n_kept--;
	}
	s->uid = 0;
	s->has_stored = false;
	s->now = NAN;
	m->n_live--;
	m->free_slots[m->n_free_slots++] = slot;
}

void
rs_slots_end(struct rs_model *m, uint32_t *slots, enum rs_on on)
{
	for (unsigned i = 0; slots && i < m->n_local[on]; i++) {
		rs_series_end(m, slots[i]);
		slots[i] = RS_NO_SLOT;
	}
}

void
rs_slots_forget(struct rs_model *m, const uint32_t *slots, enum rs_on on)
{
	for (unsigned i = 0; slots && i < m->n_local[on]; i++) {
		if (slots[i] == RS_NO_SLOT)
			continue;
		m->series[slots[i]].has_prev = false;
		m->series[slots[i]].held_ticks = 0;
		m->series[slots[i]].held = 0;
	}
}

static void
set_increment(struct rs_series *s, uint64_t increment, rs_ns dt_ns)
{
	const struct rs_metric *const d = &rs_metrics[s->metric];
	const double raw_ps = (double)increment * (double)RS_NS_PER_S / (double)dt_ns;
	s->last_rate_raw_ps = raw_ps;
	s->now = raw_ps / (double)d->scale;
	s->stored = clamp_i64(increment);
	s->has_stored = true;
}

/* Whether the reading continues the last one. */
static bool
continues(const struct rs_model *m, const struct rs_series *s, rs_ns dt, uint8_t pace_s)
{
	if (!s->has_prev)
		return false;
	if (pace_s > 0)
		return !rs_rate_is_gap(dt, RS_MAX(pace_s * RS_NS_PER_S, m->conf.interval_ns));
	/* A source that missed a tick counted through two: its increment fits
	 * neither of their lengths. */
	return s->prev_tick + 1 == m->tick && !rs_rate_is_gap(dt, m->conf.interval_ns);
}

/* Spreads the increment over as many ticks as it was counted in: the sum stays
 * true and the rate level, both late by a period of the source. What is left of
 * the increment before, and what this tick was given of it, go with it: a
 * reading may come early. */
static void
hold(struct rs_model *m, struct rs_series *s, uint64_t given)
{
	s->held += given + (uint64_t)s->stored;
	s->held_ticks = (uint32_t)RS_MAX(m->tick - s->prev_tick, 1u);
	s->held_now = s->now;
	give_held(s);
}

static void
read_counter(struct rs_model *m, struct rs_series *s, uint64_t raw, rs_ns at_ns, uint8_t pace_s)
{
	const rs_ns dt = at_ns - s->prev_ns;
	if (!continues(m, s, dt, pace_s))
		return;
	const uint64_t given = s->has_stored ? (uint64_t)s->stored : 0;
	uint64_t increment = 0;
	switch (rs_rate_step(
	    &rs_metrics[s->metric], s->prev_raw, raw, dt, s->last_rate_raw_ps, &increment)) {
	case RS_STEP_WRAP:
		m->stats.counter_wraps++;
		break;
	case RS_STEP_RESET:
		m->stats.counter_resets++;
		s->last_rate_raw_ps = 0;
		return;
	case RS_STEP_OK:
		break;
	}
	set_increment(s, increment, dt);
	if (pace_s > 0)
		hold(m, s, given);
}

/* The level of a slow source stands until it is late: 2.5 of its periods. */
static void
read_level(const struct rs_model *m, struct rs_series *s, uint64_t raw, uint8_t pace_s)
{
	s->now = (double)raw / (double)rs_metrics[s->metric].scale;
	s->stored = clamp_i64(raw);
	s->has_stored = true;
	s->held = raw;
	s->held_now = s->now;
	s->held_ticks = (uint32_t)(pace_s * RS_NS_PER_S * 5 / 2 / m->conf.interval_ns);
}

static void
note_reading(const struct rs_model *m, struct rs_series *s, uint64_t raw, rs_ns at_ns)
{
	s->prev_raw = raw;
	s->prev_ns = at_ns;
	s->prev_tick = m->tick;
	s->has_prev = true;
}

void
rs_series_read_paced(struct rs_model *m, uint32_t slot, uint64_t raw, rs_ns at_ns, uint8_t pace_s)
{
	if (slot == RS_NO_SLOT)
		return;
	struct rs_series *const s = &m->series[slot];
	if (rs_metrics[s->metric].kind == RS_GAUGE)
		read_level(m, s, raw, pace_s);
	else
		read_counter(m, s, raw, at_ns, pace_s);
	s->pace_s = pace_s;
	note_reading(m, s, raw, at_ns);
}

void
rs_series_add(struct rs_model *m, uint32_t slot, uint64_t increment, rs_ns dt_ns)
{
	if (slot == RS_NO_SLOT || dt_ns <= 0)
		return;
	struct rs_series *const s = &m->series[slot];
	set_increment(s, increment, dt_ns);
	note_reading(m, s, s->prev_raw + increment, m->now.mono_ns);
}

void
rs_series_level(struct rs_model *m, uint32_t slot, double value)
{
	if (slot == RS_NO_SLOT || !isfinite(value))
		return;
	struct rs_series *const s = &m->series[slot];
	s->now = value;
	s->stored = (int64_t)llround(value * (double)rs_metrics[s->metric].scale);
	s->has_stored = true;
	note_reading(m, s, 0, m->now.mono_ns);
}

double
rs_series_now(const struct rs_model *m, const uint32_t *slots, enum rs_metric_id metric)
{
	const uint32_t slot = slots ? slots[m->local_index[metric]] : RS_NO_SLOT;
	return slot == RS_NO_SLOT ? (double)NAN : m->series[slot].now;
}

/* Whether a process before this one has stored a tick in this slot: this one
 * began within it. */
static bool
is_stored(const struct rs_model *m, const struct rs_block *b, uint32_t t)
{
	return !m->has_before && rs_block_tick_ms(b, t) <= m->stored_until_ms;
}

void
rs_series_store(struct rs_model *m)
{
	struct rs_block *const b = m->block;
	const rs_ns into = rs_model_due_boot(m) - b->minute * RS_BLOCK_NS;
	const uint32_t t = (uint32_t)(into / m->conf.interval_ns);
	if (t >= b->ticks || is_stored(m, b, t))
		return;
	/* A suspend can shift the boot clock so that two ticks fall into one slot: the
	 * later one takes it. */
	if (b->has_tick[t])
		rs_block_drop_tick(b, t);
	const rs_ns length = m->has_before ? m->now.mono_ns - m->before.mono_ns : 0;
	b->has_tick[t] = true;
	b->length_us[t] = length / 1000 > UINT32_MAX ? UINT32_MAX : (uint32_t)(length / 1000);
	b->wall_offset_ms = m->now.wall_ms - m->now.boot_ns / RS_NS_PER_MS;
	b->is_clock_ok = m->now.is_clock_ok;
	for (uint32_t i = 0; i < m->n_series; i++) {
		const struct rs_series *const s = &m->series[i];
		if (s->has_stored && s->uid && s->column != RS_NO_SLOT)
			rs_block_put(b, s->column, t, s->stored);
	}
	rs_block_seal(b, t);
}
