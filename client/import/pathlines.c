/* SPDX-License-Identifier: ISC */
/*
 * A path begins with a slash and ends before " = ", or before the last colon.
 */
#include "import/pathlines.h"

#include <string.h>

static bool
take_number(struct rs_text *t, uint64_t max, uint64_t *ret)
{
	return t->p < t->end && *t->p >= '0' && *t->p <= '9' && rs_text_u64(t, ret) && *ret <= max;
}

/* "sys/class/net/eth0/queues/rx-0/rps_cpus" */
static bool
is_queue_file(struct rs_text t, const char *way, const char *file, struct rs_path_row *r)
{
	struct rs_text device;
	uint64_t queue;

	if (!rs_text_skip(&t, "sys/class/net/") || !rs_text_until(&t, '/', &device) ||
	    !rs_text_skip(&t, "queues/") || !rs_text_skip(&t, way) ||
	    !take_number(&t, UINT16_MAX - 1, &queue) || !rs_text_skip(&t, "/") ||
	    !rs_text_eq(t, file) || !rs_text_copy(device, r->device, sizeof(r->device)))
		return false;
	r->queue = (uint16_t)queue;
	return true;
}

static bool
is_irq_file(struct rs_text t, const char *file, struct rs_path_row *r)
{
	uint64_t irq;

	if (!rs_text_skip(&t, "proc/irq/") || !take_number(&t, INT32_MAX, &irq) ||
	    !rs_text_skip(&t, "/") || !rs_text_eq(t, file))
		return false;
	r->irq = (uint32_t)irq;
	return true;
}

static enum rs_path_kind
kind_of(struct rs_path_row *r)
{
	if (is_queue_file(r->path, "rx-", "rps_cpus", r))
		return RS_PATH_RPS;
	if (is_queue_file(r->path, "tx-", "xps_cpus", r))
		return RS_PATH_XPS;
	if (is_irq_file(r->path, "smp_affinity", r))
		return RS_PATH_AFFINITY;
	if (is_irq_file(r->path, "smp_affinity_list", r))
		return RS_PATH_AFFINITY_LIST;
	if (is_irq_file(r->path, "effective_affinity_list", r))
		return RS_PATH_EFFECTIVE_LIST;
	return RS_PATH_OTHER;
}

/* Where the text is; NULL: nowhere. */
static const char *
find(struct rs_text t, const char *what)
{
	const size_t len = strlen(what);

	for (const char *p = t.p; (size_t)(t.end - p) >= len; p++) {
		if (memcmp(p, what, len) == 0)
			return p;
	}
	return NULL;
}

static bool
says_missing(struct rs_text value)
{
	return find(value, "No such file") != NULL;
}

/* "Interrupt 85 is allowed on CPUs 19" */
static bool
take_sentence(struct rs_text line, struct rs_path_row *r)
{
	uint64_t irq;

	if (!rs_text_skip(&line, "Interrupt ") || !take_number(&line, INT32_MAX, &irq) ||
	    !rs_text_skip(&line, " is allowed on CPUs "))
		return false;
	r->irq = (uint32_t)irq;
	r->kind = RS_PATH_AFFINITY_LIST;
	r->value = rs_text_trim(line);
	r->is_missing = says_missing(r->value);
	return true;
}

static bool
take_path(struct rs_text line, struct rs_path_row *r)
{
	const char *const equals = find(line, " = ");
	const char *colon = line.end;

	if (!rs_text_skip(&line, "/"))
		return false;
	if (equals != NULL) {
		r->path = rs_text_trim((struct rs_text){line.p, equals});
		r->value = rs_text_trim((struct rs_text){equals + 3, line.end});
		return true;
	}
	while (colon > line.p && colon[-1] != ':')
		colon--;
	if (colon == line.p)
		return false;
	r->path = rs_text_trim((struct rs_text){line.p, colon - 1});
	r->value = rs_text_trim((struct rs_text){colon, line.end});
	return true;
}

bool
rs_import_path_next(struct rs_lines *l, struct rs_path_row *ret, struct rs_skips *skips)
{
	struct rs_text line;

	while (rs_lines_next(l, &line)) {
		struct rs_path_row r = {0};
		struct rs_text rest = line;

		r.path = (struct rs_text){line.end, line.end};
		/* "cat: /proc/irq/86/smp_affinity: No such file or directory" */
		(void)rs_text_skip(&rest, "cat: ");
		(void)rs_text_skip(&rest, "grep: ");
		if (take_sentence(line, &r)) {
			*ret = r;
			return true;
		}
		if (!take_path(rest, &r)) {
			rs_skip(skips, l->number, "not a path with a value");
			continue;
		}
		r.is_missing = says_missing(r.value);
		r.kind = kind_of(&r);
		*ret = r;
		return true;
	}
	return false;
}
