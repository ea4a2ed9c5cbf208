/* SPDX-License-Identifier: ISC */
/*
 * ringside export: history of one metric. What the daemon does not answer at
 * once is asked for in slices of time. Each slice is held until it is complete:
 * a reader that takes its time, a pager for example, never makes the daemon wait
 * and close the connection.
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "args.h"
#include "clock.h"
#include "cmd.h"
#include "doc.h"
#include "fetch.h"
#include "lines.h"
#include "pick.h"
#include "slice.h"
#include "timeparse.h"

enum { INTERVAL_DEFAULT_MS = 1000, TRIES_MAX = 5, PAUSE_MS = 200 };
#define HOUR_MS INT64_C(3600000)
/* Later times are taken for milliseconds by the daemon, earlier ones for times
 * relative to now. */
#define BEFORE_MAX_MS INT64_C(99999999999000)
/* Of one answer, when there are several. */
#define PIECE_BYTES_MAX ((size_t)4 << 20)

static const char tier_finest[] = "finest";

struct exporter {
	struct rs_session *s;
	struct rs_slice slice;
	struct rs_lines lines;
	struct rs_buf path, out;
	char tier[24];	  /* asked for */
	int64_t half_ms;  /* of the interval */
	bool is_aligned;  /* slices of minutes or hours */
	unsigned n_tries; /* of this slice, without an answer */
	bool is_pipe_closed;
};

/* --- what is asked ----------------------------------------------------- */

/* The daemon's clock counts: the moment between its newest tick and the next. */
static int
ask_clock(struct rs_session *s, int64_t *ret_now_ms, int64_t *ret_interval_ms, struct rs_error *e)
{
	struct rs_text body;
	json_t *summary;
	const int rc = rs_session_read(s, "summary", RS_DOC_OBJECT, &summary, &body, e);

	if (rc < 0)
		return rc;
	const double sampled_ms = rs_doc_number(summary, "sampled_at_ms");
	const double interval_ms = rs_doc_number(summary, "interval_ms");

	*ret_interval_ms = interval_ms >= 1 && interval_ms < (double)HOUR_MS ? (int64_t)interval_ms
									     : INTERVAL_DEFAULT_MS;
	*ret_now_ms = sampled_ms > 0 && sampled_ms < 1e15 ? (int64_t)sampled_ms
							  : rs_clock_wall() / RS_NS_PER_MS;
	*ret_now_ms += *ret_interval_ms / 2;
	json_decref(summary);
	return 0;
}

static int
read_time(const char *option, const char *text, int64_t now_ms, int64_t *ret, struct rs_error *e)
{
	struct rs_error why = {0};

	if (text == NULL || rs_time_parse(rs_text_of(text), now_ms, ret, &why) == 0)
		return 0;
	return rs_error_set(e, -EINVAL, "%s: %s", option, why.text);
}

static int
read_range(struct exporter *x, struct rs_error *e)
{
	const struct rs_args *const a = x->s->args;
	int64_t now_ms, interval_ms;
	int rc = ask_clock(x->s, &now_ms, &interval_ms, e);

	if (rc < 0)
		return rc;
	int64_t after_ms = now_ms - HOUR_MS, before_ms = now_ms;

	rc = read_time("--after", a->after, now_ms, &after_ms, e);
	if (rc == 0)
		rc = read_time("--before", a->before, now_ms, &before_ms, e);
	if (rc < 0)
		return rc;
	after_ms = RS_MAX(after_ms, 0);
	before_ms = RS_MIN(before_ms, BEFORE_MAX_MS);
	if (after_ms >= before_ms)
		return rs_error_set(e, -EINVAL, "--after: not before the end of the range");
	rs_slice_init(&x->slice, after_ms, before_ms, now_ms, interval_ms);
	x->half_ms = interval_ms / 2;
	return 0;
}

/* What is stored could not be read: what memory has is not all of it. */
static int
check_whole(const struct rs_session *s, struct rs_error *e)
{
	const char *const why = rs_fetch_header(s->fetch, "Ringside-Incomplete");

	return why == NULL ? 0 : rs_error_set(e, -EIO, "the history cannot be read: %s", why);
}

/* The sentence of an error quotes the catalog: it is made before that goes. */
static int
check_series(struct rs_session *s, struct rs_error *e)
{
	struct rs_text body;
	json_t *catalog;
	size_t n = 0;
	int rc = rs_session_read(s, "catalog", RS_DOC_ARRAY, &catalog, &body, e);

	if (rc < 0)
		return rc;
	rc = check_whole(s, e);
	if (rc == 0)
		rc = rs_pick_count(catalog, s->args, &n, e);
	if (rc == 0 && n > 1 && s->args->format == RS_EXPORT_MINISTAT)
		rc = rs_pick_refuse(catalog, s->args, n, e);
	json_decref(catalog);
	return rc;
}

/* Seconds with milliseconds, as the API takes them. */
static void
put_time(struct rs_buf *b, int64_t ms)
{
	rs_buf_printf(b, "%" PRId64 ".%03d", ms / 1000, (int)(ms % 1000));
}

static void
put_label(struct rs_buf *path, const struct rs_args_label *label)
{
	char name[64], value[64];

	/* A label of the catalog is shorter, else it was refused. */
	(void)rs_text_copy(label->name, name, sizeof(name));
	(void)rs_text_copy(label->value, value, sizeof(value));
	rs_fetch_parameter(path, name, value);
}

static int
make_path(struct exporter *x, int64_t end_ms, struct rs_error *e)
{
	const struct rs_args *const a = x->s->args;
	const bool is_json = a->format == RS_EXPORT_JSON;
	struct rs_buf *const path = &x->path;

	rs_buf_reset(path);
	rs_buf_puts(path, "series");
	rs_fetch_parameter(path, "metric", a->metric);
	for (size_t i = 0; i < a->n_labels; i++)
		put_label(path, &a->labels[i]);
	rs_buf_puts(path, "&after=");
	put_time(path, x->slice.after_ms);
	rs_buf_puts(path, "&before=");
	put_time(path, end_ms);
	if (x->tier[0] != '\0')
		rs_fetch_parameter(path, "tier", x->tier);
	if (a->points != NULL)
		rs_fetch_parameter(path, "points", a->points);
	if (a->aggregate != NULL)
		rs_fetch_parameter(path, "aggregate", a->aggregate);
	rs_fetch_parameter(path, "format", is_json ? "json" : "csv");
	rs_fetch_parameter(path, "layout", is_json ? "columns" : "rows");
	return path->failed ? rs_error_set(e, -EINVAL, "the question is too long") : 0;
}

/* --- slices ------------------------------------------------------------ */

/* Steps of a down-sampled answer belong together: it is asked for in one. */
static bool
is_one_piece(const struct exporter *x)
{
	return x->s->args->points != NULL;
}

static void
wait_ms(long ms)
{
	const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * RS_NS_PER_MS};

	(void)nanosleep(&t, NULL);
}

/* The tier of the oldest values is that of all: a table has one distance between
 * its rows. Where somebody asked for samples, he should know. */
static void
keep_tier(struct exporter *x, const char *tier)
{
	if (strcmp(x->tier, tier_finest) != 0)
		return;
	(void)rs_text_copy(rs_text_of(tier), x->tier, sizeof(x->tier));
	rs_text_defuse(x->tier);
	if (strcmp(x->tier, "raw") != 0)
		(void)fprintf(stderr,
		    "ringside: samples do not reach back so far: one value for each %s "
		    "(--tier raw: what there is of samples)\n",
		    x->tier);
}

/* Slices of minutes and hours end where one of those does: then no row is told to
 * end earlier. Where that is, the first answer tells; true: it is to be asked for
 * again. */
static bool
has_better_end(struct exporter *x, int64_t end_ms, struct rs_text body)
{
	static const struct {
		const char *tier;
		int64_t unit_ms;
	} coarse[] = {{"minute", 60000}, {"hour", HOUR_MS}};
	const char *const tier = rs_fetch_header(x->s->fetch, "Ringside-Tier");
	const bool was_aligned = x->is_aligned;
	int64_t first_ms;

	if (tier == NULL || is_one_piece(x))
		return false;
	keep_tier(x, tier);
	for (size_t i = 0; i < RS_ARRAY_LEN(coarse); i++) {
		if (strcmp(tier, coarse[i].tier) != 0 || !rs_lines_first_ms(body, &first_ms) ||
		    first_ms <= x->slice.after_ms || first_ms > end_ms)
			continue;
		rs_slice_align(&x->slice, first_ms + x->half_ms, coarse[i].unit_ms);
		x->is_aligned = true;
	}
	return x->is_aligned && !was_aligned && rs_slice_end(&x->slice) != end_ms;
}

/* After no answer: true when the question should be asked again. */
static bool
try_again(struct exporter *x, int status)
{
	if (status == -EAGAIN) {
		/* Others ask too, or it takes too long. */
		wait_ms((long)PAUSE_MS << x->n_tries);
		if (!is_one_piece(x))
			(void)rs_slice_halve(&x->slice);
		return ++x->n_tries < TRIES_MAX;
	}
	return (status == -E2BIG || status == -EFBIG) && !is_one_piece(x) &&
	       rs_slice_halve(&x->slice);
}

/* Nobody must take what is printed for all of it. */
static int
cut_short(const struct exporter *x, const struct rs_error *why, struct rs_error *e)
{
	struct rs_buf rest;

	if (x->lines.n == 0)
		return rs_error_set(e, why->code, "%s", why->text);
	rs_buf_init(&rest, 64);
	put_time(&rest, x->slice.after_ms);
	const int rc = rs_error_set(
	    e, -EIO, "%.400s; not complete: the rest is --after %s", why->text, rs_buf_cstr(&rest));

	rs_buf_fini(&rest);
	return rc;
}

static int
print(struct exporter *x, struct rs_text body, struct rs_error *e)
{
	int (*const put[])(struct rs_lines *, struct rs_text, struct rs_buf *,
	    struct rs_error *) = {[RS_EXPORT_CSV] = rs_lines_csv,
	    [RS_EXPORT_JSON] = rs_lines_json,
	    [RS_EXPORT_MINISTAT] = rs_lines_ministat};
	struct rs_buf *const out = &x->out;

	rs_buf_reset(out);
	const int rc = put[x->s->args->format](&x->lines, body, out, e);

	if (rc < 0)
		return rc;
	if (out->failed)
		return rs_error_set(e, -ENOMEM, "out of memory");
	errno = 0;
	if (fwrite(out->data, 1, out->len, stdout) == out->len && fflush(stdout) == 0)
		return 0;
	x->is_pipe_closed = errno == EPIPE;
	return rs_error_set(e, -EIO, "cannot print: %s", strerror(errno));
}

static int
ask(struct exporter *x, int64_t end_ms, struct rs_text *ret_body, struct rs_error *e)
{
	const bool is_json = x->s->args->format == RS_EXPORT_JSON;
	const size_t max_bytes = is_one_piece(x) ? RS_FETCH_BYTES_MAX : PIECE_BYTES_MAX;
	int rc = make_path(x, end_ms, e);

	if (rc == 0)
		rc = rs_fetch_piece(x->s->fetch, rs_buf_cstr(&x->path),
		    is_json ? "application/json" : "text/csv", max_bytes, ret_body, e);
	return rc == 0 ? check_whole(x->s, e) : rc;
}

static int
export_slice(struct exporter *x, struct rs_error *e)
{
	const int64_t end_ms = rs_slice_end(&x->slice);
	struct rs_error why = {0};
	struct rs_text body = rs_text_of("");
	int rc = ask(x, end_ms, &body, &why);

	if (rc < 0 && try_again(x, rc))
		return 0;
	if (rc == 0 && has_better_end(x, end_ms, body))
		return 0;
	x->lines.is_last = end_ms == x->slice.before_ms;
	if (rc == 0)
		rc = print(x, body, &why);
	if (rc < 0)
		return cut_short(x, &why, e);
	x->n_tries = 0;
	rs_slice_next(&x->slice, end_ms, rs_text_len(body) < PIECE_BYTES_MAX / 4);
	return 0;
}

int
rs_cmd_export(struct rs_session *s, struct rs_error *e)
{
	struct exporter x = {.s = s};
	const char *const tier = s->args->tier != NULL	   ? s->args->tier
				 : s->args->points == NULL ? tier_finest
							   : "";
	int rc = read_range(&x, e);

	if (rc == 0)
		rc = check_series(s, e);
	(void)rs_text_copy(rs_text_of(tier), x.tier, sizeof(x.tier));
	rs_buf_init(&x.path, 2048);
	rs_buf_init(&x.out, 4 * RS_FETCH_BYTES_MAX);
	while (rc == 0 && !rs_slice_is_over(&x.slice))
		rc = export_slice(&x, e);
	rs_buf_fini(&x.path);
	rs_buf_fini(&x.out);
	if (x.is_pipe_closed)
		return RS_EXIT_FAILED; /* the reader has had enough */
	if (rc == 0 && x.lines.n == 0)
		(void)fputs("ringside: no samples in this range\n", stderr);
	return rc;
}
