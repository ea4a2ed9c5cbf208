/* SPDX-License-Identifier: ISC */
/*
 * Files beside the kernel's: which of them are read, and what could not be used.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/kinds.h"

enum { FILES_MAX = 4096 };

static const char *
reason_of(int rc)
{
	switch (-rc) {
	case EOPNOTSUPP:
		return "the driver does not tell this";
	case ENOSYS:
		return "known, but nothing in it is looked at";
	case ENODATA:
		return "nothing in it could be used";
	default:
		return strerror(-rc);
	}
}

/* Without the last line when that has no end. */
static struct rs_text
whole_lines(struct rs_text t, struct rs_skips *skips)
{
	struct rs_lines lines = rs_lines_of(t);
	struct rs_text line;
	const char *end = t.end;

	while (end > t.p && end[-1] != '\n')
		end--;
	if (end == t.end)
		return t;
	while (rs_lines_next(&lines, &line))
		continue;
	rs_skip(skips, lines.number, "cut off at the end of the file");
	return (struct rs_text){t.p, end};
}

/* An output as a kind of which it may be. */
static int
take(struct rs_sample *s, const struct rs_output_kind *kind, const struct rs_output *o, bool is_cut)
{
	struct rs_output whole = *o;

	if (kind->take == NULL)
		return -ENOSYS;
	*o->skips = (struct rs_skips){.n = 0};
	if (is_cut || kind->is_counts)
		whole.text = whole_lines(o->text, o->skips);
	return kind->take(s, &whole);
}

static bool
notes_itself(const struct rs_output_kind *kind)
{
	return kind->take == rs_output_interrupts || kind->take == rs_output_softirqs ||
	       kind->take == rs_output_stat || kind->take == rs_output_softnet ||
	       kind->take == rs_output_net_dev;
}

/* By its name, and where that promised too much, by its look. False: it is nothing
 * known. */
static bool
take_output(struct rs_sample *s, const char *name, const struct rs_text t, bool is_cut,
    const struct rs_sample_reading *r)
{
	struct rs_skips skips = {.n = 0};
	struct rs_output o = {.text = t, .name = name, .reading = r, .skips = &skips};
	const struct rs_output_kind *kind = rs_output_kind_by_name(name, &o.device);
	const struct rs_output_kind *const look = rs_output_kind_by_look(t);
	char file[RS_CAPTURE_NAME + sizeof(s->prefix)];
	int rc = -ENODATA;

	if (kind == NULL && look == NULL)
		return false;
	if (kind != NULL)
		rc = take(s, kind, &o, is_cut);
	if (rc == -ENODATA && look != NULL && (kind == NULL || look->take != kind->take)) {
		kind = look;
		if (rs_text_len(o.device) == 0)
			o.device = rs_output_kind_device(kind, t);
		rc = take(s, kind, &o, is_cut);
	}
	(void)snprintf(file, sizeof(file), "%s%s", s->prefix, name);
	rs_problem_skips(r->problems, file, &skips);
	if (rc < 0)
		rs_problem(r->problems, file, 0, "%s", reason_of(rc));
	else if (!notes_itself(kind))
		rs_sample_note_read(s, name);
	return true;
}

bool
rs_sample_take_pasted(
    struct rs_sample *s, const char *name, struct rs_text t, const struct rs_sample_reading *r)
{
	return take_output(s, name, t, false, r);
}

struct names {
	char (*at)[RS_CAPTURE_NAME]; /* owned */
	size_t n, cap;
	size_t n_more;
};

static bool
note_name(void *arg, const char *name)
{
	struct names *const all = arg;

	if (strlen(name) >= RS_CAPTURE_NAME) {
		all->n_more++;
		return true;
	}
	char(*const one)[RS_CAPTURE_NAME] =
	    rs_list_add(&all->at, &all->n, &all->cap, sizeof(*all->at), FILES_MAX);
	if (one != NULL)
		memcpy(*one, name, strlen(name) + 1);
	else
		all->n_more++;
	return one != NULL;
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* What is looked at elsewhere. */
static bool
is_known_other(const char *name)
{
	return strcmp(name, "meta.json") == 0 || strcmp(name, "proc") == 0 ||
	       strcmp(name, "sys") == 0 || (name[0] == 't' && name[1] >= '0' && name[1] <= '9');
}

static void
take_named(struct rs_sample *s, const char *name, const struct rs_sample_reading *r)
{
	char file[RS_CAPTURE_NAME + sizeof(s->prefix)];

	if (is_known_other(name))
		return;
	const int rc = rs_capture_read_one(r->root, name, r->text);
	if (rc == -EISDIR)
		return;
	(void)snprintf(file, sizeof(file), "%s%s", s->prefix, name);
	if (rc < 0)
		rs_problem(r->problems, file, 0, "%s", rs_capture_reason(rc));
	if (rc < 0 && r->text->len == 0)
		return;
	const struct rs_text t = {r->text->data, r->text->data + r->text->len};
	if (!take_output(s, name, t, rc < 0, r))
		rs_problem(r->problems, file, 0, "not an output this program knows");
}

void
rs_sample_take_files(struct rs_sample *s, const struct rs_sample_reading *r)
{
	struct names all = {.n = 0};

	(void)rs_root_list(r->root, ".", note_name, &all);
	if (all.n > 0)
		qsort(all.at, all.n, sizeof(*all.at), compare_names);
	for (size_t i = 0; i < all.n; i++)
		take_named(s, all.at[i], r);
	if (all.n_more > 0)
		rs_problem(r->problems, s->prefix[0] != '\0' ? s->prefix : ".", 0,
		    "more files than %d, or names too long: not all are read", FILES_MAX);
	free(all.at);
}
