/* SPDX-License-Identifier: ISC */
/*
 * ringside capture: what the collectors would read, as files, for `ringside diagnose`
 * here or elsewhere. No daemon, no privilege; reads only.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "args.h"
#include "clock.h"
#include "cmd.h"
#include "diagnose/unpack.h"
#include "import/import.h"
#include "take/nic_text.h"
#include "take/tree.h"

enum { COUNT_DEFAULT = 2, COUNT_MAX = 1000, NICS_MAX = 4096, TEXT_MAX = 8 << 20 };
enum { LEFT_AT = 10 };
#define INTERVAL_DEFAULT 1.0
#define INTERVAL_MIN 0.1
#define INTERVAL_MAX 3600.0

struct plan {
	double interval_s;
	unsigned count;
};

struct taking {
	struct plan plan;
	struct rs_root *root;
	struct rs_out *out;
	struct rs_ethtool *stats;	      /* NULL: not to be had */
	struct rs_ethtool_settings *settings; /* NULL: not to be had */
	struct rs_buf text;
	char (*nics)[16]; /* owned */
	size_t n_nics, cap_nics;
	size_t n_files;
	struct rs_left left;
	bool has_flows;
	sigset_t stops;	 /* what ends it early; blocked meanwhile */
	json_t *samples; /* of meta.json */
};

static int
make_plan(const struct rs_args *a, struct plan *ret, struct rs_error *e)
{
	uint64_t count = COUNT_DEFAULT;

	ret->interval_s = INTERVAL_DEFAULT;
	if (a->interval != NULL &&
	    (!rs_import_is_number(rs_text_of(a->interval), &ret->interval_s) ||
		!(ret->interval_s >= INTERVAL_MIN) || !(ret->interval_s <= INTERVAL_MAX)))
		return rs_error_set(e, -EINVAL, "-i %.40s: expected seconds, from %g to %g",
		    a->interval, INTERVAL_MIN, INTERVAL_MAX);
	if (a->count != NULL &&
	    (!rs_import_is_u64(rs_text_of(a->count), &count) || count == 0 || count > COUNT_MAX))
		return rs_error_set(e, -EINVAL, "-n %.40s: expected how many samples, 1 to %d",
		    a->count, COUNT_MAX);
	ret->count = (unsigned)count;
	return 0;
}

static bool
note_nic(void *arg, const char *name)
{
	struct taking *const t = arg;

	if (strcmp(name, "lo") == 0 || strlen(name) >= sizeof(*t->nics))
		return true;
	char(*const one)[16] =
	    rs_list_add(&t->nics, &t->n_nics, &t->cap_nics, sizeof(*t->nics), NICS_MAX);
	if (one != NULL)
		memcpy(*one, name, strlen(name) + 1);
	return one != NULL;
}

static int
put_text(struct taking *t, const char *dir, const char *what, const char *nic)
{
	char path[80];

	(void)snprintf(path, sizeof(path), "%s/ethtool-%s.%s.txt", dir, what, nic);
	t->n_files++;
	return rs_out_file(
	    t->out, path, (struct rs_text){t->text.data, t->text.data + t->text.len});
}

static int
take_stats(struct taking *t, const char *dir)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && t->stats != NULL && i < t->n_nics; i++) {
		rs_buf_reset(&t->text);
		if (rs_nic_text_stats(t->stats, t->nics[i], &t->text) && !t->text.failed)
			rc = put_text(t, dir, "S", t->nics[i]);
	}
	return rc;
}

static int
take_settings(struct taking *t, const char *dir)
{
	static const struct {
		enum rs_ethtool_group group;
		const char *what;
	} groups[] = {{RS_ETHTOOL_CHANNELS, "l"}, {RS_ETHTOOL_RINGS, "g"},
	    {RS_ETHTOOL_COALESCE, "c"}, {RS_ETHTOOL_RSS, "x"}};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < t->n_nics; i++) {
		rs_buf_reset(&t->text);
		if (rs_nic_text_driver(t->root, t->nics[i], &t->text))
			rc = put_text(t, dir, "i", t->nics[i]);
		for (size_t k = 0; rc == 0 && t->settings != NULL && k < RS_ARRAY_LEN(groups);
		     k++) {
			rs_buf_reset(&t->text);
			if (rs_nic_text_settings(
				t->settings, t->nics[i], groups[k].group, &t->text) &&
			    !t->text.failed)
				rc = put_text(t, dir, groups[k].what, t->nics[i]);
		}
	}
	return rc;
}

/* Counters first, at one time as far as that goes. */
static int
take_sample(struct taking *t, unsigned i)
{
	char dir[16];
	const double at_s = (double)rs_clock_mono() / (double)RS_NS_PER_S;
	struct rs_tree tree = {.root = t->root,
	    .out = t->out,
	    .dir = dir,
	    .has_flows = t->has_flows,
	    .left = &t->left};

	(void)snprintf(dir, sizeof(dir), "t%u", i);
	rs_buf_init(&tree.text, RS_UNPACK_FILE_MAX);
	t->n_nics = 0;
	(void)rs_root_list(t->root, "sys/class/net", note_nic, t);
	int rc = rs_tree_counters(&tree);
	if (rc == 0)
		rc = take_stats(t, dir);
	if (rc == 0)
		rc = rs_tree_rest(&tree);
	if (rc == 0)
		rc = take_settings(t, dir);
	t->n_files += tree.n_files;
	(void)json_array_append_new(t->samples,
	    json_pack("{s:s, s:f}", "dir", dir, "monotonic_s", round(at_s * 1e6) / 1e6));
	rs_tree_free(&tree);
	rs_buf_fini(&tree.text);
	return rc;
}

/* Signals that end it wait until nothing is left lying around; those that are ignored
 * (nohup) stay so. */
static void
hold_stops(sigset_t *ret_stops, sigset_t *ret_before)
{
	static const int stops[] = {SIGHUP, SIGINT, SIGTERM};

	(void)sigemptyset(ret_stops);
	for (size_t i = 0; i < RS_ARRAY_LEN(stops); i++) {
		struct sigaction now;
		if (sigaction(stops[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			(void)sigaddset(ret_stops, stops[i]);
	}
	(void)sigprocmask(SIG_BLOCK, ret_stops, ret_before);
}

/* -EINTR when one of the signals came; it goes on when it is let through. */
static int
wait_until(const sigset_t *stops, rs_ns at)
{
	for (;;) {
		const rs_ns left = RS_MAX(at - rs_clock_mono(), 0);
		const struct timespec time = {
		    .tv_sec = (time_t)(left / RS_NS_PER_S), .tv_nsec = (long)(left % RS_NS_PER_S)};
		const int number = sigtimedwait(stops, NULL, &time);
		if (number > 0) {
			(void)raise(number);
			return -EINTR;
		}
		if (left == 0)
			return 0;
	}
}

static int
put_meta(struct taking *t)
{
	json_t *const meta = json_pack("{s:O}", "samples", t->samples);
	char *const text = meta != NULL ? json_dumps(meta, JSON_COMPACT) : NULL;
	const int rc = text != NULL ? rs_out_file(t->out, "meta.json", rs_text_of(text)) : -ENOMEM;

	free(text);
	json_decref(meta);
	return rc;
}

static int
take_all(struct taking *t)
{
	const rs_ns start = rs_clock_mono();
	int rc = t->samples != NULL ? 0 : -ENOMEM;

	for (unsigned i = 0; rc == 0 && i < t->plan.count; i++) {
		rc = wait_until(&t->stops, start + (rs_ns)(t->plan.interval_s * i * 1e9));
		if (rc == 0)
			rc = take_sample(t, i);
	}
	return rc == 0 ? put_meta(t) : rc;
}

static void
show(struct rs_session *s, const struct taking *t)
{
	rs_page_printf(&s->page, "%s: %u sample%s, %zu files", s->args->path, t->plan.count,
	    t->plan.count == 1 ? "" : "s", t->n_files);
	rs_page_end(&s->page);
	for (size_t i = 0; i < t->left.n; i++)
		rs_page_prose(&s->page, LEFT_AT, "left out: %s: %s (%zu)", t->left.at[i].pattern,
		    strerror(-t->left.at[i].error), t->left.at[i].n_files);
}

int
rs_cmd_capture(struct rs_session *s, struct rs_error *e)
{
	struct taking t = {.samples = json_array(), .has_flows = s->args->has_flows};
	sigset_t before;
	int rc = make_plan(s->args, &t.plan, e);

	hold_stops(&t.stops, &before);
	rs_buf_init(&t.text, TEXT_MAX);
	if (rc == 0 && (rc = rs_root_open("/", &t.root)) < 0)
		(void)rs_error_set(e, rc, "/: %s", strerror(-rc));
	if (rc == 0)
		rc = rs_out_open(s->args->path, &t.out, e);
	if (rc == 0) {
		if (rs_ethtool_open(&t.stats) < 0)
			t.stats = NULL;
		if (rs_ethtool_settings_open(&t.settings) < 0)
			t.settings = NULL;
		rc = take_all(&t);
		if (rc == 0)
			rc = rs_out_close(t.out);
		if (rc < 0) {
			rs_out_discard(t.out);
			(void)rs_error_set(e, rc, "%s: %s", s->args->path, strerror(-rc));
		} else
			show(s, &t);
		rs_ethtool_close(t.stats);
		rs_ethtool_settings_close(t.settings);
	}
	json_decref(t.samples);
	free(t.nics);
	rs_buf_fini(&t.text);
	rs_root_close(t.root);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return rc < 0 ? rc : RS_EXIT_OK;
}
