/* SPDX-License-Identifier: ISC */
/*
 * The words of findings: what enums are called outside, and when two subjects
 * are one; and their times.
 */
#include "finding.h"

#include <stdlib.h>
#include <string.h>

const struct rs_subject rs_subject_host = {.kind = RS_SUBJECT_HOST, .core = -1, .queue = -1};

const char *
rs_severity_name(enum rs_severity s)
{
	static const char *const names[] = {
	    [RS_INFO] = "info",
	    [RS_WARN] = "warn",
	    [RS_CRIT] = "crit",
	};
	return names[s];
}

const char *
rs_confidence_name(enum rs_confidence c)
{
	static const char *const names[] = {
	    [RS_LOW] = "low",
	    [RS_MEDIUM] = "medium",
	    [RS_HIGH] = "high",
	};
	return names[c];
}

const char *
rs_subject_kind_name(enum rs_subject_kind k)
{
	static const char *const names[] = {
	    [RS_SUBJECT_HOST] = "host",
	    [RS_SUBJECT_CORE] = "core",
	    [RS_SUBJECT_INTERFACE] = "interface",
	    [RS_SUBJECT_QUEUE] = "queue",
	    [RS_SUBJECT_IRQ] = "irq",
	};
	return names[k];
}

bool
rs_subject_same(const struct rs_subject *a, const struct rs_subject *b)
{
	return a->kind == b->kind && a->core == b->core && a->queue == b->queue &&
	       strcmp(a->device, b->device) == 0 && strcmp(a->direction, b->direction) == 0 &&
	       strcmp(a->irq, b->irq) == 0;
}

bool
rs_finding_follow(struct rs_finding *f, int64_t offset_ms)
{
	const int64_t by_ms = f->raised_boot_ms + offset_ms - f->raised_ms;

	if (f->raised_boot_ms == 0 || llabs(by_ms) <= RS_CLOCK_NOISE_MS)
		return false;
	f->raised_ms += by_ms;
	if (f->cleared_ms != 0)
		f->cleared_ms += by_ms;
	return true;
}
