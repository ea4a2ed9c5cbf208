/* SPDX-License-Identifier: ISC */
/*
 * Spelling and pace of settings. Pure.
 */
#include "settings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What was refused is named for so long at least: twice as long as it takes until
 * what is read in few rounds is asked for again. */
#define REFUSED_NS ((rs_ns)2 * RS_ROUND_SLOW * RS_ROUND_NS)

size_t
rs_rounds_due(struct rs_rounds *r, size_t n, rs_ns now_ns)
{
	const rs_ns since = now_ns - r->at_ns;
	r->at_ns = now_ns;
	if (!r->has_begun) {
		r->has_begun = true;
		return RS_MIN(n, RS_ROUND_FIRST);
	}
	if (n == 0)
		return 0;
	const size_t passed_ms =
	    (size_t)(RS_MIN(RS_MAX(since, RS_NS_PER_MS), RS_ROUND_NS) / RS_NS_PER_MS);
	const size_t round_ms = RS_ROUND_NS / RS_NS_PER_MS;
	const size_t due = (n * passed_ms + round_ms - 1) / round_ms;
	const size_t most = passed_ms * RS_ROUND_MOST / 1000;
	return RS_MAX(RS_MIN(due, most), 1);
}

void
rs_rounds_refuse(struct rs_rounds *r, enum rs_fact_id id)
{
	r->refused[id] = r->has_refused = true;
}

void
rs_rounds_end(struct rs_rounds *r)
{
	if (r->at_ns - r->forgot_ns < REFUSED_NS)
		return;
	r->forgot_ns = r->at_ns;
	if (!r->has_refused)
		return;
	r->has_refused = false;
	for (size_t i = 0; i < RS_F_COUNT; i++)
		r->has_refused |= r->refused[i];
	memcpy(r->were_refused, r->refused, sizeof(r->were_refused));
	memset(r->refused, 0, sizeof(r->refused));
}

/* Appends a word to the note; false when there is no room for it. */
static bool
add_word(struct rs_frame *f, size_t *len, const char *word)
{
	const size_t n = strlen(word);
	if (*len + n >= sizeof(f->note))
		return false;
	memcpy(f->note + *len, word, n + 1);
	*len += n;
	return true;
}

void
rs_rounds_note(const struct rs_rounds *r, struct rs_frame *f)
{
	size_t len = 0;
	for (unsigned i = 0; r->has_refused && i < RS_F_COUNT; i++) {
		if (!r->refused[i] && !r->were_refused[i])
			continue;
		if (!add_word(f, &len, len ? ", " : "not permitted: ") ||
		    !add_word(f, &len, rs_facts[i].name))
			return;
	}
}

static bool
write_set(const struct rs_cpuset *set, char ret[static RS_SETTING_BYTES])
{
	rs_cpuset_format(set, ret, RS_SETTING_BYTES);
	if (*ret == '\0')
		memcpy(ret, "none", sizeof("none"));
	return true;
}

bool
rs_setting_mask(struct rs_text t, char ret[static RS_SETTING_BYTES])
{
	struct rs_cpuset set;
	return rs_cpuset_parse_mask(t, &set) == 0 && write_set(&set, ret);
}

bool
rs_setting_list(struct rs_text t, char ret[static RS_SETTING_BYTES])
{
	struct rs_cpuset set;
	return rs_cpuset_parse_list(t, &set) == 0 && write_set(&set, ret);
}

static bool
take_number(struct rs_text t, uint64_t *ret)
{
	t = rs_text_trim(t);
	return rs_text_u64(&t, ret) && t.p == t.end;
}

static bool
write_number(uint64_t number, char ret[static RS_SETTING_BYTES])
{
	(void)snprintf(ret, RS_SETTING_BYTES, "%" PRIu64, number);
	return true;
}

bool
rs_setting_number(struct rs_text t, char ret[static RS_SETTING_BYTES])
{
	uint64_t number;
	return take_number(t, &number) && write_number(number, ret);
}

static bool
write_switch(struct rs_text t, const char *const words[static 2], char ret[static RS_SETTING_BYTES])
{
	uint64_t number;
	if (!take_number(t, &number))
		return false;
	if (number > 1)
		return write_number(number, ret);
	memcpy(ret, words[number], strlen(words[number]) + 1);
	return true;
}

bool
rs_setting_switch(struct rs_text t, char ret[static RS_SETTING_BYTES])
{
	static const char *const words[] = {"off", "on"};
	return write_switch(t, words, ret);
}

bool
rs_setting_inverse(struct rs_text t, char ret[static RS_SETTING_BYTES])
{
	static const char *const words[] = {"on", "off"};
	return write_switch(t, words, ret);
}

bool
rs_setting_word(struct rs_text t, char ret[static RS_SETTING_BYTES])
{
	t = rs_text_trim(t);
	const size_t len = RS_MIN(rs_text_len(t), (size_t)RS_SETTING_BYTES - 1);
	for (size_t i = 0; i < len; i++)
		ret[i] = (char)(t.p[i] < ' ' || t.p[i] > '~' ? '?' : t.p[i]);
	ret[len] = '\0';
	return *ret != '\0';
}

void
rs_setting_told(struct rs_rounds *r, struct rs_frame *f, const struct rs_setting *what, int error,
    struct rs_text t)
{
	char text[RS_SETTING_BYTES];
	if (error == 0 && what->form(t, text))
		rs_put_fact(f, what->id, what->key, what->queue, rs_text_of(text));
	else if (error == 0)
		f->skipped_rows++;
	else if (error == -ENOENT)
		rs_put_fact_gone(f, what->id, what->key, what->queue);
	else if (error == -EACCES || error == -EPERM)
		rs_rounds_refuse(r, what->id);
}
