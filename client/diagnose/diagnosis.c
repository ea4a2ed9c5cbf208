/* SPDX-License-Identifier: ISC */
/*
 * Reading the samples, asking the rules, one line for all of it.
 */
#include "diagnose/diagnosis.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/seen.h"
#include "rule.h"

enum { READINGS_MAX = 1 << 20, FINDINGS_MAX = 128, JUDGED_MAX = 32 };

bool
rs_append(char *dst, size_t cap, const char *format, ...)
{
	const size_t len = strlen(dst);
	va_list ap;

	va_start(ap, format);
	const int n = vsnprintf(dst + len, cap - len, format, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= cap - len)
		dst[len] = '\0';
	return n >= 0 && (size_t)n < cap - len;
}

void
rs_note(struct rs_diagnosis *d, const char *format, ...)
{
	va_list ap;

	if (d->n_notes == RS_NOTES_MAX)
		return;
	va_start(ap, format);
	rs_cut(d->notes[d->n_notes], RS_NOTE_BYTES,
	    vsnprintf(d->notes[d->n_notes], RS_NOTE_BYTES, format, ap));
	va_end(ap);
	rs_text_defuse(d->notes[d->n_notes++]);
}

/* --- reading -------------------------------------------------------------- */

struct reading {
	struct rs_frame *frame;
	struct rs_buf text;
};

static void
read_sample(struct rs_diagnosis *d, size_t i, struct reading *scratch, struct rs_sample *ret)
{
	const struct rs_capture_sample *const s = &d->capture.samples[i];
	const struct rs_sample_reading r = {
	    .root = s->root,
	    .frame = scratch->frame,
	    .text = &scratch->text,
	    .problems = &d->problems,
	};

	if (s->dir[0] != '\0')
		(void)snprintf(ret->prefix, sizeof(ret->prefix), "%s/", s->dir);
	rs_sample_take_root(ret, &r);
	rs_sample_take_files(ret, &r);
}

/* Outputs beside the samples belong to the last one. */
static void
read_top(struct rs_diagnosis *d, struct reading *scratch)
{
	char prefix[sizeof(d->last.prefix)];
	const struct rs_sample_reading r = {
	    .root = d->capture.top,
	    .frame = scratch->frame,
	    .text = &scratch->text,
	    .problems = &d->problems,
	};

	if (d->capture.top == NULL)
		return;
	memcpy(prefix, d->last.prefix, sizeof(prefix));
	d->last.prefix[0] = '\0';
	rs_sample_take_files(&d->last, &r);
	memcpy(d->last.prefix, prefix, sizeof(prefix));
}

static void
read_pasted(struct rs_diagnosis *d, struct reading *scratch)
{
	const struct rs_sample_reading r = {
	    .frame = scratch->frame,
	    .text = &scratch->text,
	    .problems = &d->problems,
	};
	const struct rs_text t = {
	    d->capture.pasted.data, d->capture.pasted.data + d->capture.pasted.len};

	if (!rs_sample_take_pasted(&d->last, d->capture.name, t, &r))
		rs_problem(&d->problems, d->capture.name, 0,
		    "no output this program knows, by its name or by its look");
}

/* Screens of one sample go behind those there are. */
static void
move_screens(struct rs_diagnosis *d, struct rs_sample *s)
{
	for (size_t i = 0; i < s->screens.n; i++) {
		struct rs_screen *const to = rs_screens_add(&d->screens);
		if (to == NULL)
			return;
		*to = s->screens.at[i];
		s->screens.at[i] = (struct rs_screen){0};
	}
}

/* Of the samples in between only what is no difference of two. */
static void
read_between(struct rs_diagnosis *d, struct reading *scratch)
{
	for (size_t i = 1; i + 1 < d->capture.n_samples; i++) {
		const struct rs_capture_sample *const at = &d->capture.samples[i];
		const struct rs_sample_reading r = {.root = at->root,
		    .frame = scratch->frame,
		    .text = &scratch->text,
		    .problems = &d->problems};
		struct rs_sample s;
		rs_sample_init(&s);
		(void)snprintf(s.prefix, sizeof(s.prefix), "%s/", at->dir);
		rs_sample_take_files(&s, &r);
		move_screens(d, &s);
		rs_sample_free(&s);
	}
}

static int
read_all(struct rs_diagnosis *d)
{
	struct reading scratch;
	const size_t n = d->capture.n_samples;
	const int rc = rs_frame_new(READINGS_MAX, &scratch.frame);

	if (rc < 0)
		return rc;
	rs_buf_init(&scratch.text, RS_UNPACK_FILE_MAX);
	if (d->capture.is_pasted) {
		read_pasted(d, &scratch);
	} else {
		if (n > 1) {
			read_sample(d, 0, &scratch, &d->first);
			move_screens(d, &d->first);
			read_between(d, &scratch);
		}
		read_sample(d, n - 1, &scratch, &d->last);
		read_top(d, &scratch);
		rs_sample_inherit(&d->last, &d->first);
	}
	move_screens(d, &d->last);
	d->is_usable = d->last.n_read + d->first.n_read > 0;
	rs_buf_fini(&scratch.text);
	rs_frame_free(scratch.frame);
	return 0;
}

/* --- judging -------------------------------------------------------------- */

static void
keep(struct rs_diagnosis *d, const struct rs_finding *f)
{
	size_t at = d->n_findings;

	/* What the daemon's own rule says comes first, and once. */
	for (size_t i = 0; i < d->n_findings; i++) {
		if (strcmp(d->findings[i].code, f->code) == 0 &&
		    rs_subject_same(&d->findings[i].subject, &f->subject))
			return;
	}
	if (rs_list_add(&d->findings, &d->n_findings, &d->cap_findings, sizeof(*f), FINDINGS_MAX) ==
	    NULL)
		return;
	for (; at > 0 && d->findings[at - 1].severity < f->severity; at--)
		d->findings[at] = d->findings[at - 1];
	d->findings[at] = *f;
	d->findings[at].id = 0;
}

/* The loads of cores, by the best of what there is. */
static int
judge_loads(struct rs_diagnosis *d)
{
	const bool has_two = d->first.has_stat && d->last.has_stat;
	int rc = 0;

	if (has_two && !isnan(rs_capture_span_s(&d->capture)))
		rc = rs_judged_replay(&d->capture, &d->counted, &d->first, &d->last, &d->judged);
	else if (has_two)
		rc = rs_judged_shares(&d->counted, &d->first, &d->last, &d->judged);
	if (rc == 0 && !d->judged.has_loads && d->screens.n > 0) {
		rs_judged_free(&d->judged);
		rc = rs_judged_screens(&d->screens, &d->last.cpus, &d->judged);
	}
	for (size_t i = 0; i < d->judged.n_findings; i++)
		keep(d, &d->judged.findings[i]);
	return rc;
}

/* Whether a rule over rates says the same, or the same more exactly:
 * "ring.overflow_idle" of "ring.overflow". */
static bool
is_told(const struct rs_diagnosis *d, const struct rs_finding *f)
{
	for (size_t i = 0; i < d->judged.n_findings; i++) {
		const struct rs_finding *const live = &d->judged.findings[i];
		if (strncmp(live->code, f->code, strlen(f->code)) == 0 &&
		    strcmp(live->subject.device, f->subject.device) == 0)
			return true;
	}
	return false;
}

/* Without rates, the counts tell what loads the core that stands out. */
static bool
wants_cause(const struct rs_diagnosis *d)
{
	return isnan(rs_capture_span_s(&d->capture)) && d->judged.n_findings > 0 &&
	       d->judged.findings[0].severity >= RS_WARN;
}

/* Whether it is about a core that stands out, or about no core. */
static bool
is_of_core(const struct rs_diagnosis *d, const struct rs_finding *f)
{
	bool is_so = f->subject.core < 0;

	for (size_t i = 0; i < d->judged.n_findings; i++)
		is_so |= d->judged.findings[i].subject.core == f->subject.core;
	return is_so;
}

static int
judge_totals(struct rs_diagnosis *d)
{
	struct rs_finding *const found = calloc(JUDGED_MAX, sizeof(*found));
	size_t n = 0;
	int rc = found != NULL ? 0 : -ENOMEM;

	d->counted.totals.has_loads = d->judged.has_loads && !wants_cause(d);
	d->counted.totals.wants_cause = wants_cause(d);
	d->counted.totals.span_s = rs_capture_span_s(&d->capture);
	if (rc == 0)
		rc = rs_totals_judge(&d->counted.totals, found, JUDGED_MAX, &n);
	for (size_t i = 0; i < n; i++) {
		if (!is_told(d, &found[i]) && (!wants_cause(d) || is_of_core(d, &found[i])))
			keep(d, &found[i]);
	}
	free(found);
	return rc;
}

static int
judge_seen(struct rs_diagnosis *d)
{
	struct rs_finding *const found = calloc(JUDGED_MAX, sizeof(*found));
	size_t n = 0;
	int rc = found != NULL ? 0 : -ENOMEM;

	if (rc == 0)
		rc = rs_seen_judge(
		    &d->screens, &d->last.sar, (unsigned)d->counted.n_cores, found, JUDGED_MAX, &n);
	for (size_t i = 0; i < n; i++)
		keep(d, &found[i]);
	free(found);
	return rc;
}

int
rs_diagnose(const char *path, struct rs_diagnosis *ret, struct rs_error *e)
{
	memset(ret, 0, sizeof(*ret));
	rs_sample_init(&ret->first);
	rs_sample_init(&ret->last);
	int rc = rs_capture_open(path, &ret->problems, &ret->capture, e);
	if (rc < 0)
		return rc;
	rc = read_all(ret);
	const bool has_two = ret->capture.n_samples > 1;
	if (rc == 0)
		rc = rs_counted_make(
		    has_two ? &ret->first : &ret->last, &ret->last, &ret->screens, &ret->counted);
	if (rc == 0)
		rc = judge_loads(ret);
	if (rc == 0)
		rc = judge_totals(ret);
	if (rc == 0)
		rc = judge_seen(ret);
	if (rc < 0)
		return rs_error_set(e, rc, "%s: %s", path, strerror(-rc));
	rs_diagnosis_answer(ret);
	rs_notes_make(ret);
	return 0;
}

void
rs_diagnosis_free(struct rs_diagnosis *d)
{
	rs_judged_free(&d->judged);
	rs_counted_free(&d->counted);
	rs_screens_free(&d->screens);
	rs_sample_free(&d->first);
	rs_sample_free(&d->last);
	rs_problems_free(&d->problems);
	rs_capture_close(&d->capture);
	free(d->findings);
	memset(d, 0, sizeof(*d));
}
