/* SPDX-License-Identifier: ISC */
/*
 * One pass over the collectors a tick. A source that fails is asked again
 * after 1, 2, 4 ... 60 periods; a change of its state is one log line.
 */
#include "sampler.h"

#include "buf.h"
#include "clock.h"
#include "collector.h"
#include "log.h"
#include "reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* /proc/interrupts of 1152 CPUs is 13 MB of text. */
#define SOURCE_MAX_BYTES (64u << 20)
/* 20 000 series is the default limit of the model; softirqs of 8192 CPUs are
 * 82 000 readings. */
#define READINGS_MAX (1u << 20)
#define BACKOFF_MAX_PERIODS 60
/* Sources that look closer while some core is hot do so from this busy share on:
 * below it no thread can saturate a core. */
#define HOT_BUSY 0.5
/* A line that fires more often is looked at closely. */
#define LOUD_PS 1000.0

struct source {
	const struct rs_collector *collector;
	struct rs_reader *reader; /* text kind */
	void *state;		  /* active kind, once open */
	bool is_open;
	rs_ns next_ns;	       /* not before, on the monotonic clock */
	unsigned wait_periods; /* current back-off, 0 while all is well */
};

struct rs_sampler {
	const struct rs_root *root;
	struct rs_frame *frame;
	/* Texts are parsed as soon as they are read: one buffer serves all, and stays
	 * in the cache. */
	struct rs_buf text;
	struct source *sources;
	struct rs_source_health *health; /* same index */
	size_t n;
	rs_ns (*now)(void);
	struct rs_cpuset online; /* as /proc/stat named them */
	bool has_online;
	/* As of the last tick: some core was busy; a device got other channels; other
	 * cores were online; lines that fire often. */
	bool is_hot, has_new_channels, has_new_cores;
	uint32_t loud_irqs[RS_LOUD_IRQS_MAX];
	unsigned n_loud_irqs;
};

static size_t
count_collectors(unsigned where)
{
	size_t n = 0;
	for (size_t i = 0; rs_collectors[i]; i++)
		n += (rs_collectors[i]->where & where) != 0;
	return n;
}

static int
open_source(struct rs_sampler *s, size_t i, const struct rs_collector *c)
{
	s->sources[i].collector = c;
	s->health[i].id = c->id;
	s->health[i].path = c->paths[0] ? c->paths[0] : "";
	s->health[i].state = "ok";
	if (!c->parse)
		return 0;
	const int rc =
	    rs_reader_open(s->root, c->paths[0], SOURCE_MAX_BYTES, &s->sources[i].reader);
	if (rc == 0)
		rs_reader_share(s->sources[i].reader, &s->text);
	return rc;
}

int
rs_sampler_open(const struct rs_root *root, struct rs_sampler **ret)
{
	const unsigned where = rs_root_is_live(root) ? RS_WHERE_LIVE : RS_WHERE_CAPTURE;
	struct rs_sampler *const s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->root = root;
	s->now = rs_clock_mono;
	rs_buf_init(&s->text, SOURCE_MAX_BYTES + 1);
	s->n = count_collectors(where);
	s->sources = calloc(RS_MAX(s->n, 1), sizeof(*s->sources));
	s->health = calloc(RS_MAX(s->n, 1), sizeof(*s->health));
	int rc = s->sources && s->health ? rs_frame_new(READINGS_MAX, &s->frame) : -ENOMEM;
	size_t at = 0;
	for (size_t i = 0; rc == 0 && rs_collectors[i]; i++) {
		if (rs_collectors[i]->where & where)
			rc = open_source(s, at++, rs_collectors[i]);
	}
	if (rc < 0) {
		rs_sampler_close(s);
		return rc;
	}
	*ret = s;
	return 0;
}

/* Of the active kind; it is opened again when it is asked next. */
static void
close_source(struct source *source)
{
	if (source->is_open)
		source->collector->close(source->state);
	source->is_open = false;
}

void
rs_sampler_close(struct rs_sampler *s)
{
	if (!s)
		return;
	for (size_t i = 0; s->sources && i < s->n; i++) {
		struct source *const source = &s->sources[i];
		rs_reader_close(source->reader);
		close_source(source);
	}
	rs_frame_free(s->frame);
	rs_buf_fini(&s->text);
	free(s->sources);
	free(s->health);
	free(s);
}

void
rs_sampler_set_clock(struct rs_sampler *s, rs_ns (*now)(void))
{
	s->now = now;
}

static int
read_text(struct rs_sampler *s, struct source *source)
{
	struct rs_text text;
	const int rc = rs_reader_read(source->reader, &text);
	if (rc < 0)
		return rc;
	const struct rs_sys sys = {
	    .online = s->has_online ? &s->online : NULL,
	};
	return source->collector->parse(text, &sys, s->frame);
}

static int
ask(struct rs_sampler *s, struct source *source)
{
	if (!source->is_open) {
		const int rc = source->collector->open(s->root, &source->state);
		if (rc < 0)
			return rc;
		source->is_open = true;
	}
	return source->collector->collect(source->state, s->frame);
}

static const char *
state_of(int rc)
{
	if (rc == 0)
		return "ok";
	if (rc == -ENOENT)
		return "missing";
	return rc == -EACCES || rc == -EPERM ? "forbidden" : "failing";
}

/* A source that works but for what was not permitted says so. */
static void
note_refusals(struct rs_source_health *h, const char *refusals)
{
	if (*refusals && strcmp(refusals, h->reason) != 0)
		rs_log_notice("source '%s' (%s): %s", h->id, h->path, refusals);
	(void)snprintf(h->reason, sizeof(h->reason), "%s", refusals);
}

/* That a source is not there at all is how the machine is; that it goes, or may
 * not be read, is worth a warning. */
static void
log_state(const struct source *source, const struct rs_source_health *h, int rc)
{
	const char *const colon = *h->path ? ", " : "";
	if (rc == 0)
		rs_log_notice("source '%s'%s%s: readable again", h->id, colon, h->path);
	else if (rc == -ENOENT && h->reads == 1 && !source->collector->is_essential)
		rs_log_info("source '%s'%s%s: not on this system", h->id, colon, h->path);
	else
		rs_log_warn("source '%s'%s%s: %s", h->id, colon, h->path, strerror(-rc));
}

static void
note(const struct source *source, struct rs_source_health *h, int rc, const struct rs_frame *f)
{
	const char *const state = state_of(rc);
	h->reads++;
	h->failures += rc < 0;
	h->skipped_rows = f->skipped_rows;
	if (strcmp(state, h->state) != 0) {
		log_state(source, h, rc);
		h->state = state;
	}
	if (rc == 0)
		note_refusals(h, f->note);
	else if (*f->note)
		(void)snprintf(h->reason, sizeof(h->reason), "%s", f->note);
	else
		(void)snprintf(h->reason, sizeof(h->reason), "%s",
		    rc == -EINVAL ? "nothing in it could be used" : strerror(-rc));
}

/* When to ask next: in a period while it works, later the longer it does not. */
static void
reschedule(struct source *source, int rc, rs_ns now_ns, rs_ns tick_ns)
{
	const rs_ns own = (rs_ns)source->collector->period_ms * RS_NS_PER_MS;
	const rs_ns period = RS_MAX(own, tick_ns);
	if (rc == 0)
		source->wait_periods = 0;
	else if (source->wait_periods == 0)
		source->wait_periods = 1;
	else
		source->wait_periods = RS_MIN(source->wait_periods * 2, BACKOFF_MAX_PERIODS);
	const rs_ns wait = period * RS_MAX(source->wait_periods, 1);
	/* Ticks come late, never early: half a tick of slack keeps the pace. */
	source->next_ns = now_ns + wait - tick_ns / 2;
}

static int
run_source(struct rs_sampler *s, size_t i, struct rs_model *m)
{
	struct source *const source = &s->sources[i];
	struct rs_source_health *const h = &s->health[i];
	const rs_ns start = s->now();
	rs_frame_reset(s->frame, start);
	s->frame->is_hot = s->is_hot;
	s->frame->has_new_channels = s->has_new_channels;
	s->frame->has_new_cores = s->has_new_cores;
	memcpy(s->frame->loud_irqs, s->loud_irqs, sizeof(s->loud_irqs));
	s->frame->n_loud_irqs = s->n_loud_irqs;
	int rc = source->collector->parse ? read_text(s, source) : ask(s, source);
	if (rc == 0 && s->frame->is_out_of_memory)
		rc = -ENOMEM;
	if (rc == 0) {
		if (s->frame->has_cpus_seen) {
			s->has_new_cores =
			    memcmp(&s->online, &s->frame->cpus_seen, sizeof(s->online)) != 0;
			s->online = s->frame->cpus_seen;
			s->has_online = true;
		}
		rs_model_apply(m, s->frame);
	}
	h->last_cost_ns = s->now() - start;
	note(source, h, rc, s->frame);
	return rc;
}

/* As of the tick before. */
static bool
has_hot_core(const struct rs_view *v)
{
	for (size_t i = 0; i < v->n_cores; i++) {
		if (v->cores[i].busy >= HOT_BUSY)
			return true;
	}
	return false;
}

static bool
has_new_channels(const struct rs_view *v)
{
	for (size_t i = 0; i < v->n_changes; i++) {
		const unsigned fact = v->changes[i].fact;
		if (fact == RS_F_CHANNELS_COMBINED || fact == RS_F_CHANNELS_RX ||
		    fact == RS_F_CHANNELS_TX)
			return true;
	}
	return false;
}

/* Message-signalled interrupts have one device each; on a wire, of which there
 * are few, one may fire for nobody. */
static void
find_loud_irqs(struct rs_sampler *s, const struct rs_view *v)
{
	s->n_loud_irqs = 0;
	for (size_t i = 0; i < v->n_irqs && s->n_loud_irqs < RS_LOUD_IRQS_MAX; i++) {
		const struct rs_irq_view *const q = &v->irqs[i];
		struct rs_text name = rs_text_of(q->name);
		uint64_t irq;
		if (q->rate_ps >= LOUD_PS && !strstr(q->chip, "MSI") && rs_text_u64(&name, &irq) &&
		    irq <= UINT32_MAX)
			s->loud_irqs[s->n_loud_irqs++] = (uint32_t)irq;
	}
}

void
rs_sampler_run(struct rs_sampler *s, struct rs_model *m, rs_ns now_ns, rs_ns period_ns)
{
	s->is_hot = has_hot_core(rs_model_view(m));
	s->has_new_channels = has_new_channels(rs_model_view(m));
	find_loud_irqs(s, rs_model_view(m));
	for (size_t i = 0; i < s->n; i++) {
		struct source *const source = &s->sources[i];
		const bool is_wanted = rs_model_wants_interfaces(m) && source->wait_periods == 0 &&
				       strcmp(source->collector->id, "interfaces") == 0;
		if (now_ns >= source->next_ns || is_wanted) {
			int rc = run_source(s, i, m);
			if (rc == 0 && is_wanted && rs_model_wants_interfaces(m)) {
				/* It told nothing new: from the beginning next time. */
				close_source(source);
				rc = -EAGAIN;
			}
			reschedule(source, rc, now_ns, period_ns);
		}
		if (source->collector->is_essential && strcmp(s->health[i].state, "ok") != 0)
			rs_model_missing(m, source->collector->paths[0]);
	}
}

const struct rs_source_health *
rs_sampler_health(const struct rs_sampler *s, size_t *ret_n)
{
	*ret_n = s->n;
	return s->health;
}
