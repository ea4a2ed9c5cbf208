/* SPDX-License-Identifier: ISC */
/*
 * Setting one key: the table says its type, range and words; an unknown one is
 * answered with the nearest that exists.
 */
#include "config.h"

#include "config_keys.h"
#include "nearest.h"
#include "num.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void
rs_list_clear(struct rs_list *l)
{
	for (size_t i = 0; i < RS_LIST_MAX; i++) {
		free(l->item[i]);
		l->item[i] = NULL;
	}
}

int
rs_list_add(struct rs_list *l, struct rs_text word)
{
	const size_t len = rs_text_len(word);
	for (size_t i = 0; i < RS_LIST_MAX; i++) {
		if (l->item[i])
			continue;
		l->item[i] = malloc(len + 1);
		if (!l->item[i])
			return -ENOMEM;
		(void)rs_text_copy(word, l->item[i], len + 1);
		return 0;
	}
	return -E2BIG;
}

static int
add_words(struct rs_list *l, struct rs_text t)
{
	while (t.p < t.end) {
		struct rs_text word = {t.p, t.p};
		while (word.end < t.end && !strchr(" \t,\r\n", *word.end))
			word.end++;
		t.p = word.end < t.end ? word.end + 1 : t.end;
		if (word.p == word.end)
			continue;
		const int rc = rs_list_add(l, word);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static bool
is_word_of(const char *words, struct rs_text t)
{
	struct rs_text all = rs_text_of(words), word;
	while (rs_text_until(&all, '|', &word)) {
		if (rs_text_same(word, t))
			return true;
	}
	return rs_text_same(all, t);
}

static int
parse_number(struct rs_text t, uint32_t *ret)
{
	uint64_t wide;
	const int rc = rs_num_u64(t, &wide);
	if (rc < 0 || wide > UINT32_MAX)
		return rc < 0 ? rc : -ERANGE;
	*ret = (uint32_t)wide;
	return 0;
}

/* A value of an ordered type as a number that can be compared. */
static int
to_order(enum rs_key_type type, struct rs_text t, uint64_t *ret)
{
	rs_ns ns;
	uint32_t number;
	int rc;
	if (type == RS_KEY_DURATION) {
		rc = rs_num_duration(t, &ns);
		*ret = rc < 0 ? 0 : (uint64_t)ns;
		return rc;
	}
	if (type == RS_KEY_SIZE)
		return rs_num_size(t, ret);
	rc = parse_number(t, &number);
	*ret = rc < 0 ? 0 : number;
	return rc;
}

static int
set_ordered(const struct rs_key *k, struct rs_text t, uint64_t *ret)
{
	uint64_t value, bound;
	const int rc = to_order(k->type, t, &value);
	if (rc < 0)
		return rc;
	if (k->min && to_order(k->type, rs_text_of(k->min), &bound) == 0 && value < bound)
		return -ERANGE;
	if (k->max && to_order(k->type, rs_text_of(k->max), &bound) == 0 && value > bound)
		return -ERANGE;
	*ret = value;
	return 0;
}

static int
set_value(const struct rs_key *k, void *to, struct rs_text t)
{
	uint64_t value = 0;
	int rc;
	switch (k->type) {
	case RS_KEY_DURATION:
		rc = set_ordered(k, t, &value);
		if (rc == 0)
			*(rs_ns *)to = (rs_ns)value;
		return rc;
	case RS_KEY_SIZE:
		rc = set_ordered(k, t, &value);
		if (rc == 0)
			*(uint64_t *)to = value;
		return rc;
	case RS_KEY_NUMBER:
		rc = set_ordered(k, t, &value);
		if (rc == 0)
			*(uint32_t *)to = (uint32_t)value;
		return rc;
	case RS_KEY_BOOL:
		return rs_num_bool(t, to);
	case RS_KEY_TEXT:
		return rs_text_copy(t, to, k->size) ? 0 : -ERANGE;
	case RS_KEY_WORD:
		return is_word_of(k->words, t) && rs_text_copy(t, to, k->size) ? 0 : -EINVAL;
	case RS_KEY_LIST:
		return add_words(to, t);
	case RS_KEY_CPUS:
		return rs_cpuset_parse_list(t, to);
	}
	return -EINVAL;
}

/* A rule's key: CODE.enabled or CODE.THRESHOLD. */
static void
rule_key(char dst[static 96], const struct rs_rule *r, const char *what)
{
	struct rs_buf b;
	rs_buf_init(&b, 96);
	rs_buf_printf(&b, "%s.%s", r->code, what);
	(void)rs_text_copy(rs_text_of(rs_buf_cstr(&b)), dst, 96);
	rs_buf_fini(&b);
}

/* Tries a name made here; the best one is kept. */
static void
try_made(struct rs_nearest *n, const char *name, char keep[static 96])
{
	rs_nearest_try(n, name);
	if (n->best != name)
		return;
	(void)rs_text_copy(rs_text_of(name), keep, 96);
	n->best = keep;
}

static void
try_rules(struct rs_nearest *n, char keep[static 96])
{
	char name[96];
	for (size_t i = 0; rs_rules[i]; i++) {
		rule_key(name, rs_rules[i], "enabled");
		try_made(n, name, keep);
		for (const struct rs_threshold *t = rs_rules[i]->thresholds; t && t->key; t++) {
			rule_key(name, rs_rules[i], t->key);
			try_made(n, name, keep);
		}
	}
}

static int
unknown_section(struct rs_text section, struct rs_error *e)
{
	struct rs_nearest n;
	rs_nearest_begin(&n, section);
	for (size_t i = 0; i < rs_config_n_keys; i++)
		rs_nearest_try(&n, rs_config_keys[i].section);
	rs_nearest_try(&n, "rules");
	return rs_error_set(e, -ENOENT, "unknown section [%.*s]; nearest is [%s]",
	    (int)RS_MIN(rs_text_len(section), 64), section.p, n.best ? n.best : "sampling");
}

static int
unknown_key(struct rs_text section, struct rs_text key, struct rs_error *e)
{
	struct rs_nearest n;
	char keep[96];
	bool has_section = rs_text_eq(section, "rules");
	rs_nearest_begin(&n, key);
	for (size_t i = 0; i < rs_config_n_keys; i++) {
		if (!rs_text_eq(section, rs_config_keys[i].section))
			continue;
		has_section = true;
		rs_nearest_try(&n, rs_config_keys[i].name);
	}
	if (!has_section)
		return unknown_section(section, e);
	if (rs_text_eq(section, "rules"))
		try_rules(&n, keep);
	return rs_error_set(e, -ENOENT, "unknown key '%.*s' in [%.*s]%s%s%s",
	    (int)RS_MIN(rs_text_len(key), 64), key.p, (int)rs_text_len(section), section.p,
	    n.best ? "; nearest is '" : "", n.best ? n.best : "", n.best ? "'" : "");
}

static int
bad_value(const char *name, struct rs_text value, int rc, const char *wanted, struct rs_error *e)
{
	return rs_error_set(e, rc, "%s: '%.*s' is %s; expected %s", name,
	    (int)RS_MIN(rs_text_len(value), 80), value.p,
	    rc == -ERANGE  ? "out of range"
	    : rc == -E2BIG ? "one too many"
			   : "not valid",
	    wanted);
}

static void
describe_range(const struct rs_key *k, struct rs_buf *out)
{
	static const char *const what[] = {
	    [RS_KEY_DURATION] = "a time such as 500ms, 1s, 7d",
	    [RS_KEY_SIZE] = "a size such as 512kB, 256MB",
	    [RS_KEY_NUMBER] = "a whole number",
	    [RS_KEY_BOOL] = "yes or no",
	    [RS_KEY_TEXT] = "text",
	    [RS_KEY_WORD] = "one of ",
	    [RS_KEY_LIST] = "a list of at most 16 words",
	    [RS_KEY_CPUS] = "a CPU list such as 0-3,8",
	};
	rs_buf_puts(out, what[k->type]);
	if (k->type == RS_KEY_WORD)
		rs_buf_puts(out, k->words);
	if (k->min)
		rs_buf_printf(out, ", %s to %s", k->min, k->max);
}

static int
set_threshold(const char *name, const struct rs_threshold *t, struct rs_text value, double *ret,
    struct rs_error *e)
{
	double v;
	int rc = rs_num_double(value, &v);
	if (rc == 0 && !(v >= t->min && v <= t->max))
		rc = -ERANGE;
	if (rc < 0)
		return rs_error_set(e, rc, "%s: '%.*s' is %s; expected a number from %g to %g",
		    name, (int)RS_MIN(rs_text_len(value), 80), value.p,
		    rc == -ERANGE ? "out of range" : "not valid", t->min, t->max);
	*ret = v;
	return 0;
}

static int
set_rule(struct rs_config *c, struct rs_text section, struct rs_text key, struct rs_text value,
    struct rs_error *e)
{
	char name[96];
	for (size_t i = 0; rs_rules[i]; i++) {
		rule_key(name, rs_rules[i], "enabled");
		if (rs_text_eq(key, name)) {
			const int rc = rs_num_bool(value, &c->rules[i].is_enabled);
			return rc < 0 ? bad_value(name, value, rc, "yes or no", e) : 0;
		}
		const struct rs_threshold *const t = rs_rules[i]->thresholds;
		for (size_t j = 0; t && t[j].key; j++) {
			rule_key(name, rs_rules[i], t[j].key);
			if (rs_text_eq(key, name))
				return set_threshold(
				    name, &t[j], value, &c->rules[i].thresholds[j], e);
		}
	}
	return unknown_key(section, key, e);
}

int
rs_config_set(struct rs_config *c, struct rs_text section, struct rs_text key, struct rs_text value,
    struct rs_error *e)
{
	if (rs_text_eq(section, "rules"))
		return set_rule(c, section, key, value, e);
	for (size_t i = 0; i < rs_config_n_keys; i++) {
		const struct rs_key *const k = &rs_config_keys[i];
		if (!rs_text_eq(section, k->section) || !rs_text_eq(key, k->name))
			continue;
		const int rc = set_value(k, (char *)c + k->offset, value);
		if (rc == 0)
			return 0;
		struct rs_buf range;
		rs_buf_init(&range, 512);
		describe_range(k, &range);
		(void)bad_value(k->name, value, rc, rs_buf_cstr(&range), e);
		rs_buf_fini(&range);
		return rc;
	}
	return unknown_key(section, key, e);
}

void
rs_config_unplace(struct rs_config *c, const char *section, const char *key)
{
	for (size_t i = 0; i < rs_config_n_keys; i++) {
		if (strcmp(section, rs_config_keys[i].section) == 0 &&
		    strcmp(key, rs_config_keys[i].name) == 0)
			c->line[i] = 0;
	}
}
