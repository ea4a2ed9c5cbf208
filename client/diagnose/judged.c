/* SPDX-License-Identifier: ISC */
/*
 * Two samples without a time are shares of a moment; samples with times are ticks of
 * a model.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/court.h"
#include "ethtool_settings.h"
#include "linux/drivers.h"

void
rs_judged_free(struct rs_judged *j)
{
	free(j->findings);
	free(j->ended);
	free(j->loads);
	memset(j, 0, sizeof(*j));
}

/* --- CPU time ------------------------------------------------------------- */

static double
ticks_of(
    const struct rs_core_counts *now, const struct rs_core_counts *old, enum rs_core_count which)
{
	if (now->at[which] == RS_COUNT_NONE || old->at[which] == RS_COUNT_NONE)
		return NAN;
	/* The kernel's books step back now and then (kernel/sched/cputime.c). */
	return now->at[which] > old->at[which] ? (double)(now->at[which] - old->at[which]) : 0.0;
}

static bool
share_of(const struct rs_core_counts *now, const struct rs_core_counts *old, unsigned cpu,
    struct rs_shares *ret)
{
	double *const to[] = {&ret->user, &ret->nice, &ret->system, &ret->idle, &ret->iowait,
	    &ret->irq, &ret->softirq, &ret->steal};
	double sum = 0.0;

	*ret = (struct rs_shares){
	    .cpu = cpu, .nic_interrupts_ps = NAN, .processed_pps = NAN, .packet_threads = NAN};
	for (size_t i = 0; i < RS_ARRAY_LEN(to); i++) {
		*to[i] = ticks_of(now, old, (enum rs_core_count)(RS_COUNT_USER + i));
		sum += isnan(*to[i]) ? 0.0 : *to[i];
	}
	for (size_t i = 0; sum > 0.0 && i < RS_ARRAY_LEN(to); i++)
		*to[i] /= sum;
	return sum > 0.0;
}

int
rs_judged_shares(const struct rs_counted *counted, const struct rs_sample *first,
    const struct rs_sample *last, struct rs_judged *ret)
{
	struct rs_shares *const cores = calloc(RS_MAX(counted->n_cores, (size_t)1), sizeof(*cores));
	struct rs_court c;
	size_t n = 0;

	memset(ret, 0, sizeof(*ret));
	if (cores == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < counted->n_cores; i++) {
		const unsigned cpu = counted->cores[i].cpu;
		if (cpu < first->n_cores && cpu < last->n_cores &&
		    share_of(&last->cores[cpu], &first->cores[cpu], cpu, &cores[n]))
			n++;
	}
	int rc = n > 0 ? rs_court_open(&c, RS_NS_PER_S, ret) : 0;
	if (n > 0 && rc == 0) {
		rc = rs_court_moment(&c, cores, n, &last->cpus, RS_VOTES_MIN);
		rs_court_conclude(&c, RS_MEDIUM);
		rs_court_close(&c);
	}
	free(cores);
	return rc;
}

/* --- samples with times --------------------------------------------------- */

static void
apply(void *arg, const struct rs_frame *f)
{
	rs_model_apply(arg, f);
}

/* What outputs tell of interfaces, as the collectors of the live machine would:
 * counters of queues, what the ring lost, settings. */
static uint32_t
key_of(const struct rs_model *m, const char *name)
{
	const struct rs_view *const v = rs_model_view(m);

	for (size_t i = 0; i < v->n_nics; i++) {
		if (strcmp(v->nics[i].info.name, name) == 0)
			return v->nics[i].info.ifindex;
	}
	return 0;
}

static void
put_stats(const struct rs_device_file *d, uint32_t key, struct rs_frame *f)
{
	static const enum rs_metric_id metrics[][2] = {
	    [RS_STAT_PACKETS] = {RS_M_QUEUE_RX_PACKETS, RS_M_QUEUE_TX_PACKETS},
	    [RS_STAT_BYTES] = {RS_M_QUEUE_RX_BYTES, RS_M_QUEUE_TX_BYTES},
	    [RS_STAT_DROPS] = {RS_M_QUEUE_RX_DROPS, RS_M_QUEUE_TX_DROPS},
	};
	struct rs_stat_plan plan = {0};
	struct rs_stat_use use;
	uint64_t sum;
	uint32_t at = 0;
	struct rs_queue_origin *const origin = rs_frame_origin(f);

	if (origin != NULL) {
		origin->ifindex = key;
		origin->source = RS_QUEUES_ETHTOOL;
	}
	if (rs_stat_plan_make(&plan, &d->stats, rs_driver_find(d->driver.driver), d->rx_queues,
		d->tx_queues) == 0) {
		while (rs_stat_next(&plan, d->stats.values, d->stats.n_values, &at, &use, &sum)) {
			if (use.kind < RS_ARRAY_LEN(metrics))
				rs_put_queue(
				    f, metrics[use.kind][use.is_tx], key, use.queue, sum, 0);
		}
		if (rs_stat_ring(&plan, d->stats.values, d->stats.n_values, &sum))
			rs_put(f, RS_M_NIC_RX_RING, key, sum);
	}
	rs_stat_plan_free(&plan);
}

static void
put_devices(const struct rs_sample *s, const struct rs_model *m, struct rs_frame *f)
{
	for (size_t i = 0; i < s->n_devices; i++) {
		const struct rs_device_file *const d = &s->devices[i];
		const uint32_t key = key_of(m, d->name);
		if (key == 0)
			continue;
		if (d->has_stats)
			put_stats(d, key, f);
	}
}

static void
put_table(const struct rs_import_table *t, uint32_t key, struct rs_frame *f)
{
	struct rs_buf text;

	rs_buf_init(&text, 1u << 16);
	rs_rss_table_format(t->queue, t->n_entries, &text);
	if (!text.failed && text.len > 0)
		rs_put_fact(f, RS_F_RSS_TABLE, key, RS_NO_QUEUE,
		    (struct rs_text){text.data, text.data + text.len});
	rs_buf_fini(&text);
}

/* Settings stand beside the samples, or in the last of them. */
static void
put_settings(const struct rs_sample *last, const struct rs_model *m, struct rs_frame *f)
{
	for (size_t i = 0; i < last->n_devices; i++) {
		const struct rs_device_file *const d = &last->devices[i];
		const uint32_t key = key_of(m, d->name);
		for (unsigned k = 0; key != 0 && k < d->settings.n; k++)
			rs_put_fact(f, d->settings.at[k].id, key, RS_NO_QUEUE,
			    rs_text_of(d->settings.at[k].value));
		if (key != 0 && d->table != NULL && d->table->n_entries > 0)
			put_table(d->table, key, f);
	}
}

struct replay {
	struct rs_court court;
	const struct rs_capture *capture;
	const struct rs_counted *counted;
	const struct rs_sample *first, *last;
	struct rs_buf text;
};

/* One sample as one tick of the model. */
static int
tick(struct replay *replay, size_t i)
{
	struct rs_court *const c = &replay->court;
	const struct rs_capture_sample *const at = &replay->capture->samples[i];
	const double since_s = at->at_s - replay->capture->samples[0].at_s;
	const rs_ns now = (rs_ns)(since_s * 1e9) + RS_NS_PER_S;
	const struct rs_model_time t = {.mono_ns = now, .due_ns = now, .boot_ns = now};
	struct rs_problems unheard = {0}; /* all of it was told at the first reading */
	struct rs_sample s;
	const struct rs_sample_reading r = {
	    .root = at->root,
	    .frame = c->frame,
	    .text = &replay->text,
	    .at_ns = now,
	    .fn = apply,
	    .arg = c->model,
	    .problems = &unheard,
	};

	rs_sample_init(&s);
	rs_model_begin(c->model, &t);
	rs_frame_reset(c->frame, now);
	rs_interfaces_put(&replay->counted->interfaces, c->frame);
	if (c->frame->has_nics)
		rs_model_apply(c->model, c->frame);
	rs_sample_take_root(&s, &r);
	rs_sample_take_files(&s, &r);
	rs_model_build_view(c->model);
	rs_frame_reset(c->frame, now);
	put_devices(&s, c->model, c->frame);
	put_settings(replay->last, c->model, c->frame);
	rs_model_apply(c->model, c->frame);
	rs_model_build_view(c->model);
	const int rc = c->frame->is_out_of_memory ? -ENOMEM : 0;
	rs_problems_free(&unheard);
	rs_sample_free(&s);
	return rc;
}

static double
longest_s(const struct rs_capture *c)
{
	double longest = 0.0;

	for (size_t i = 1; i < c->n_samples; i++)
		longest = fmax(longest, c->samples[i].at_s - c->samples[i - 1].at_s);
	return longest;
}

/* As many as the interval has seconds, so that all together are five at least. */
static unsigned
votes_of(const struct rs_capture *c, size_t i)
{
	const double s = c->samples[i].at_s - c->samples[i - 1].at_s;
	const double span = rs_capture_span_s(c);
	const double votes = span >= RS_VOTES_MIN ? round(s) : ceil(RS_VOTES_MIN * s / span);

	return (unsigned)fmin(fmax(votes, 1.0), RS_VOTES_MAX);
}

/* CPU time between the first and the last sample, with the rates that tell whether
 * it was the network's. */
static int
whole_loads(struct replay *replay, double span_s)
{
	const struct rs_counted *const counted = replay->counted;
	const struct rs_sample *const first = replay->first, *const last = replay->last;
	struct rs_judged *const judged = replay->court.judged;
	struct rs_shares *const cores = calloc(RS_MAX(counted->n_cores, (size_t)1), sizeof(*cores));
	struct rs_judged scratch;
	struct rs_court whole;
	size_t n = 0;

	if (cores == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < counted->n_cores; i++) {
		const struct rs_total_core *const k = &counted->cores[i];
		if (k->cpu >= first->n_cores || k->cpu >= last->n_cores ||
		    !share_of(&last->cores[k->cpu], &first->cores[k->cpu], k->cpu, &cores[n]))
			continue;
		cores[n].nic_interrupts_ps = k->nic_interrupts / span_s;
		cores[n].processed_pps = k->processed / span_s;
		n++;
	}
	int rc = rs_court_open(&whole, RS_NS_PER_S, &scratch);
	if (rc == 0) {
		rc = rs_court_moment(&whole, cores, n, &last->cpus, 1);
		judged->loads = scratch.loads;
		judged->n_loads = scratch.n_loads;
		scratch.loads = NULL;
		rs_judged_free(&scratch);
		rs_court_close(&whole);
	}
	free(cores);
	return rc;
}

int
rs_judged_replay(const struct rs_capture *c, const struct rs_counted *counted,
    const struct rs_sample *first, const struct rs_sample *last, struct rs_judged *ret)
{
	const double span = rs_capture_span_s(c);
	struct replay replay = {.capture = c, .counted = counted, .first = first, .last = last};
	struct rs_court *const court = &replay.court;
	int rc = rs_court_open(court, (rs_ns)(longest_s(c) * 1e9), ret);

	if (rc < 0)
		return rc;
	rs_buf_init(&replay.text, RS_UNPACK_FILE_MAX);
	for (size_t i = 0; rc == 0 && i < c->n_samples; i++) {
		rc = tick(&replay, i);
		if (rc == 0 && i > 0) {
			rs_court_loads(court, rs_model_cpus(court->model));
			rs_court_vote(court, votes_of(c, i));
		}
	}
	if (rc == 0) {
		rs_court_conclude(court, span < RS_VOTES_MIN ? RS_LOW : RS_HIGH);
		rc = whole_loads(&replay, span);
	}
	rs_buf_fini(&replay.text);
	rs_court_close(court);
	return rc;
}
