/* SPDX-License-Identifier: ISC */
/*
 * What is wrong with a configuration although each of its values is valid, told
 * with the line that set it.
 */
#include "config.h"
#include "config_keys.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The key of the section that the text is about: the one it names, or the only
 * one of them that the file sets; -1: cannot be told. */
static int
key_meant(const struct rs_config *c, const char *section, const char *text)
{
	int set = -1, n_set = 0;
	for (size_t i = 0; i < rs_config_n_keys; i++) {
		const struct rs_key *const k = &rs_config_keys[i];
		if (strcmp(section, k->section) != 0)
			continue;
		if (strstr(text, k->name))
			return (int)i;
		if (c->line[i] > 0) {
			set = (int)i;
			n_set++;
		}
	}
	return n_set == 1 ? set : -1;
}

int
rs_config_blame(
    const struct rs_config *c, const char *section, int rc, const char *text, struct rs_error *e)
{
	const int i = key_meant(c, section, text);
	const char *const key = i >= 0 ? rs_config_keys[i].name : section;
	const bool names_key = i >= 0 && strstr(text, key) != NULL;
	if (i < 0 || c->line[i] == 0)
		return rs_error_set(
		    e, rc, "%s%s%s", names_key ? "" : key, names_key ? "" : ": ", text);
	return rs_error_set(e, rc, "%s:%u: %s%s%s", c->file, c->line[i], names_key ? "" : key,
	    names_key ? "" : ": ", text);
}

/* A threshold NAME_clear must not lie beyond NAME, or raise and clear could
 * both hold. */
static int
check_thresholds(const struct rs_config *c, const struct rs_rule *r,
    const struct rs_rule_conf *conf, struct rs_error *e)
{
	char name[64];
	for (size_t i = 0; r->thresholds && r->thresholds[i].key; i++) {
		(void)snprintf(name, sizeof(name), "%s_clear", r->thresholds[i].key);
		for (size_t j = 0; r->thresholds[j].key; j++) {
			if (strcmp(name, r->thresholds[j].key) == 0 &&
			    conf->thresholds[j] > conf->thresholds[i])
				return rs_error_set(e, -EINVAL,
				    "%s%s[rules] %s.%s: %g is above %s.%s, which is %g", c->file,
				    *c->file ? ": " : "", r->code, name, conf->thresholds[j],
				    r->code, r->thresholds[i].key, conf->thresholds[i]);
		}
	}
	return 0;
}

int
rs_config_check(const struct rs_config *c, struct rs_error *e)
{
	if ((60 * RS_NS_PER_S) % c->interval_ns != 0)
		return rs_config_blame(c, "sampling", -EINVAL,
		    "interval: a minute must be a whole number of them "
		    "(200ms, 250ms, 500ms, 1s, 2s, 5s, 10s, ...)",
		    e);
	if (!c->listen.item[0])
		return rs_config_blame(
		    c, "web", -EINVAL, "listen: at least one address is needed", e);
	for (size_t i = 0; rs_rules[i]; i++) {
		const int rc = check_thresholds(c, rs_rules[i], &c->rules[i], e);
		if (rc < 0)
			return rc;
	}
	return 0;
}

void
rs_config_unused(const struct rs_config *c, char *dst, size_t cap)
{
	size_t len = 0;
	dst[0] = '\0';
	for (size_t i = 0; i < rs_config_n_keys; i++) {
		const struct rs_key *const k = &rs_config_keys[i];
		if (k->use != RS_KEY_UNUSED || c->line[i] == 0)
			continue;
		const int n =
		    snprintf(dst + len, cap - len, "%s%s.%s", len ? ", " : "", k->section, k->name);
		if (n < 0 || (size_t)n >= cap - len)
			return;
		len += (size_t)n;
	}
}
