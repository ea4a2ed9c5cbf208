/* SPDX-License-Identifier: ISC */
/*
 * The table of the rules over counts, and their words. Thresholds are those of the
 * reference for captures without rates: enough of it to matter, and a share that
 * no even spread gives.
 */
#include "totals.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "says.h"
#include "totals_case.h"

/* --- words ---------------------------------------------------------------- */

struct rs_subject
rs_total_core_subject(unsigned cpu)
{
	struct rs_subject s = rs_subject_host;

	s.kind = RS_SUBJECT_CORE;
	s.core = (int32_t)cpu;
	return s;
}

struct rs_subject
rs_total_device_subject(const struct rs_total_device *d)
{
	struct rs_subject s = rs_subject_host;

	s.kind = RS_SUBJECT_INTERFACE;
	(void)snprintf(s.device, sizeof(s.device), "%.15s", d->name);
	return s;
}

long
rs_total_percent(double ratio)
{
	return lround(ratio * 100.0);
}

const char *
rs_total_span(const struct rs_totals *t)
{
	return t->basis == RS_TOTAL_DIFFERENCE ? "between the samples" : "since boot";
}

/* "3.5 G", "11854". */
const char *
rs_total_format(double count, char dst[static 24])
{
	static const char *const prefixes[] = {"", " k", " M", " G", " T"};
	unsigned i = 0;

	if (count < 100000.0) {
		(void)snprintf(dst, 24, "%ld", lround(count));
		return dst;
	}
	for (; count >= 999.5 && i + 1 < RS_ARRAY_LEN(prefixes); i++)
		count /= 1000.0;
	(void)snprintf(dst, 24, "%.3g%s", count, prefixes[i]);
	return dst;
}

/* What counts cannot tell, told with each finding. */
void
rs_total_tell_basis(const struct rs_totals *t, struct rs_says *out)
{
	if (t->basis == RS_TOTAL_DIFFERENCE && isnan(t->span_s))
		rs_evidence_text(
		    out, "basis", "differences of two samples; the time between them is not known");
	else if (t->basis == RS_TOTAL_DIFFERENCE)
		rs_evidence_text(
		    out, "basis", "differences of two samples, %.6g s apart", t->span_s);
	else
		rs_evidence_text(out, "basis",
		    "totals since boot: they do not tell when, nor how busy a core was");
}

/* So much a count weighs when any is enough. */
#define ANY_COUNT 1e9

/* --- the table ------------------------------------------------------------ */

static const struct {
	const char *code, *title;
	void (*judge)(const struct rs_total_case *s, struct rs_says *out);
} rules[] = {
    {"irq.all_on_one", "Every NIC interrupt fires on the same core", rs_total_judge_lines},
    {"rss.not_hashing", "The NIC does not spread this traffic", rs_total_judge_hashing},
    {"softnet.dropped", "Packets were dropped in front of the network stack",
	rs_total_judge_netisr},
    {"ring.overflow", "The NIC lost packets for want of a buffer", rs_total_judge_ring},
    {"cpu.steal", "The hypervisor takes time, or the cloud caps the port", rs_total_judge_limit},
};

static void
insert(struct rs_finding *list, size_t *n, size_t cap, const struct rs_finding *f)
{
	size_t at = *n;

	if (*n == cap)
		return;
	for (; at > 0 && list[at - 1].severity < f->severity; at--)
		list[at] = list[at - 1];
	list[at] = *f;
	++*n;
}

static size_t
judge_all(const struct rs_total_case *s, struct rs_says *says, struct rs_finding *ret, size_t cap)
{
	size_t n = 0;

	for (size_t i = 0; i < RS_ARRAY_LEN(rules); i++) {
		rs_says_begin(says, i);
		rules[i].judge(s, says);
		for (unsigned k = 0; k < says->n; k++) {
			struct rs_finding *const f = &says->said[k].words;
			(void)snprintf(f->code, sizeof(f->code), "%s", rules[i].code);
			(void)snprintf(f->title, sizeof(f->title), "%s", rules[i].title);
			f->episodes = 1;
			insert(ret, &n, cap, f);
		}
	}
	return n;
}

int
rs_totals_judge(const struct rs_totals *t, struct rs_finding *ret, size_t cap, size_t *ret_n)
{
	struct rs_queue_unit *const units = calloc(RS_QUEUE_UNITS_MAX, sizeof(*units));
	struct rs_said *const said = calloc(RS_SAYS_MAX, sizeof(*said));
	struct rs_says says = {.said = said};

	*ret_n = 0;
	if (units && said) {
		const struct rs_total_case s = {
		    .t = t,
		    .weight = t->wants_cause			? ANY_COUNT
			      : t->basis == RS_TOTAL_DIFFERENCE ? 1000.0
								: 1.0,
		    .units = units,
		    .n_units = rs_queue_units_of(t, units, RS_QUEUE_UNITS_MAX),
		};
		*ret_n = judge_all(&s, &says, ret, cap);
	}
	const int rc = units && said ? 0 : -ENOMEM;
	free(units);
	free(said);
	return rc;
}

bool
rs_totals_decide(const struct rs_totals *t)
{
	bool has_queues = false;

	for (size_t i = 0; i < t->n_devices; i++)
		has_queues |= t->devices[i].n_queues > 1;
	return t->n_lines > 0 || has_queues || t->has_softirqs || t->has_softnet;
}
