/* SPDX-License-Identifier: ISC */
/*
 * The configuration as text: its description, and what a reload cannot change.
 */
#include "config.h"
#include "config_keys.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void
describe_key(const struct rs_key *k, struct rs_buf *out)
{
	rs_buf_printf(out, "# %s", k->help);
	if (k->min)
		rs_buf_printf(out, " (%s to %s)", k->min, k->max);
	if (k->words)
		rs_buf_printf(out, " (%s)", k->words);
	rs_buf_printf(out, "%s\n", k->use == RS_KEY_RESTART ? "; needs a restart" : "");
	rs_buf_printf(out, "#%s = %s\n\n", k->name, k->def);
}

/* As the file takes numbers: plain decimals, never an exponent. */
enum { PLAIN_MAX = 330 }; /* the greatest double has 309 digits */

static const char *
plain(double v, char dst[static PLAIN_MAX])
{
	(void)snprintf(dst, PLAIN_MAX, "%.9f", v);
	char *end = dst + strlen(dst);
	while (end[-1] == '0')
		*--end = '\0';
	if (end[-1] == '.')
		end[-1] = '\0';
	return dst;
}

static void
describe_threshold(const struct rs_rule *r, const struct rs_threshold *t, struct rs_buf *out)
{
	const char *const unit = rs_unit_name(t->unit);
	char least[PLAIN_MAX], most[PLAIN_MAX], value[PLAIN_MAX];
	rs_buf_printf(out, "# %s (%s to %s%s%s)\n#%s.%s = %s\n\n", t->help, plain(t->min, least),
	    plain(t->max, most), *unit ? " " : "", unit, r->code, t->key, plain(t->value, value));
}

void
rs_config_describe(struct rs_buf *out)
{
	const char *section = "";
	for (size_t i = 0; i < rs_config_n_keys; i++) {
		const struct rs_key *const k = &rs_config_keys[i];
		if (strcmp(section, k->section) != 0)
			rs_buf_printf(out, "[%s]\n\n", k->section);
		section = k->section;
		describe_key(k, out);
	}
	rs_buf_puts(out, "[rules]\n\n");
	for (size_t i = 0; rs_rules[i]; i++) {
		const struct rs_rule *const r = rs_rules[i];
		rs_buf_printf(out, "# %s\n#%s.enabled = yes\n\n", r->title, r->code);
		for (const struct rs_threshold *t = r->thresholds; t && t->key; t++)
			describe_threshold(r, t, out);
	}
}

static bool
lists_differ(const struct rs_list *a, const struct rs_list *b)
{
	for (size_t i = 0; i < RS_LIST_MAX; i++) {
		if (!a->item[i] || !b->item[i])
			return a->item[i] != b->item[i];
		if (strcmp(a->item[i], b->item[i]) != 0)
			return true;
	}
	return false;
}

static bool
fields_differ(const struct rs_key *k, const void *a, const void *b)
{
	if (k->type == RS_KEY_LIST)
		return lists_differ(a, b);
	if (k->type == RS_KEY_TEXT || k->type == RS_KEY_WORD)
		return strcmp(a, b) != 0;
	return memcmp(a, b, k->size) != 0;
}

void
rs_config_needs_restart(const struct rs_config *a, const struct rs_config *b, char *dst, size_t cap)
{
	size_t len = 0;
	dst[0] = '\0';
	for (size_t i = 0; i < rs_config_n_keys; i++) {
		const struct rs_key *const k = &rs_config_keys[i];
		const void *const fa = (const char *)a + k->offset;
		const void *const fb = (const char *)b + k->offset;
		if (k->use != RS_KEY_RESTART || !fields_differ(k, fa, fb))
			continue;
		const int n =
		    snprintf(dst + len, cap - len, "%s%s.%s", len ? ", " : "", k->section, k->name);
		if (n < 0 || (size_t)n >= cap - len)
			return;
		len += (size_t)n;
	}
}
