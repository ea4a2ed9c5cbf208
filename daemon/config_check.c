/* SPDX-License-Identifier: ISC */
/*
 * What is wrong with a configuration although each of its values is valid, told
 * with the line that set it.
 */
#include "alerts.h"
#include "config.h"
#include "config_keys.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The key of the section that the text is about: the one it begins with, one it
 * names, or the only one of them that the file sets; -1: cannot be told. */
static int
key_meant(const struct rs_config *c, const char *section, const char *text)
{
	int set = -1, n_set = 0, named = -1;
	for (size_t i = 0; i < rs_config_n_keys; i++) {
		const struct rs_key *const k = &rs_config_keys[i];
		if (strcmp(section, k->section) != 0)
			continue;
		const char *const at = strstr(text, k->name);
		if (at == text)
			return (int)i;
		if (at && named < 0)
			named = (int)i;
		if (c->line[i] > 0) {
			set = (int)i;
			n_set++;
		}
	}
	return named >= 0 ? named : n_set == 1 ? set : -1;
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

/* A threshold NAME_clear must not lie beyond NAME, or raise and clear could both
 * hold. Which way is beyond the defaults tell: some things are raised by little. */
static int
check_thresholds(const struct rs_config *c, const struct rs_rule *r,
    const struct rs_rule_conf *conf, struct rs_error *e)
{
	char name[64];
	for (size_t i = 0; r->thresholds && r->thresholds[i].key; i++) {
		(void)snprintf(name, sizeof(name), "%s_clear", r->thresholds[i].key);
		for (size_t j = 0; r->thresholds[j].key; j++) {
			const bool is_rising = r->thresholds[j].value <= r->thresholds[i].value;
			const double beyond = conf->thresholds[j] - conf->thresholds[i];
			if (strcmp(name, r->thresholds[j].key) == 0 &&
			    (is_rising ? beyond > 0 : beyond < 0))
				return rs_error_set(e, -EINVAL,
				    "%s%s[rules] %s.%s: %g is %s %s.%s, which is %g", c->file,
				    *c->file ? ": " : "", r->code, name, conf->thresholds[j],
				    is_rising ? "above" : "below", r->code, r->thresholds[i].key,
				    conf->thresholds[i]);
		}
	}
	return 0;
}

bool
rs_config_is_set(const struct rs_config *c, const char *section, const char *name)
{
	for (size_t i = 0; i < rs_config_n_keys; i++) {
		if (strcmp(section, rs_config_keys[i].section) == 0 &&
		    strcmp(name, rs_config_keys[i].name) == 0)
			return c->line[i] > 0;
	}
	return false;
}

/* A question over a long time is answered from coarse values alone. */
static int
check_retention(const struct rs_config *c, struct rs_error *e)
{
	const struct {
		const char *fine, *coarse;
		bool is_good;
	} pairs[] = {
	    {"retention_raw", "retention_minute", c->retention_raw_ns <= c->retention_minute_ns},
	    {"retention_minute", "retention_hour", c->retention_minute_ns <= c->retention_hour_ns},
	};
	char text[128];
	for (size_t i = 0; i < RS_ARRAY_LEN(pairs); i++) {
		if (pairs[i].is_good)
			continue;
		if (rs_config_is_set(c, "store", pairs[i].coarse))
			(void)snprintf(text, sizeof(text), "%s: must not be shorter than %s",
			    pairs[i].coarse, pairs[i].fine);
		else
			(void)snprintf(text, sizeof(text), "%s: must not be longer than %s",
			    pairs[i].fine, pairs[i].coarse);
		return rs_config_blame(c, "store", -EINVAL, text, e);
	}
	return 0;
}

/* A value that was forgotten is no wish. */
static int
check_paths(const struct rs_config *c, struct rs_error *e)
{
	if (c->path[0] == '\0')
		return rs_config_blame(c, "store", -EINVAL,
		    "path: a file is needed; none: the last hour in memory only", e);
	if (c->head_path[0] == '\0')
		return rs_config_blame(
		    c, "store", -EINVAL, "head_path: a file is needed; none: in memory only", e);
	return 0;
}

static int
check_webhook(const struct rs_config *c, struct rs_error *e)
{
	const char *why;
	char text[128];
	if (c->alert_webhook[0] == '\0' || rs_alerts_is_webhook(c->alert_webhook, &why))
		return 0;
	(void)snprintf(text, sizeof(text), "webhook: %s", why);
	return rs_config_blame(c, "alerts", -EINVAL, text, e);
}

int
rs_config_check(const struct rs_config *c, struct rs_error *e)
{
	int rc = check_paths(c, e);
	if (rc == 0)
		rc = check_retention(c, e);
	if (rc == 0)
		rc = check_webhook(c, e);
	if (rc < 0)
		return rc;
	if ((60 * RS_NS_PER_S) % c->interval_ns != 0)
		return rs_config_blame(c, "sampling", -EINVAL,
		    "interval: a minute must be a whole number of them "
		    "(200ms, 250ms, 500ms, 1s, 2s, 5s, 10s, ...)",
		    e);
	if (!c->listen.item[0])
		return rs_config_blame(
		    c, "web", -EINVAL, "listen: at least one address is needed", e);
	for (size_t i = 0; rs_rules[i]; i++) {
		rc = check_thresholds(c, rs_rules[i], &c->rules[i], e);
		if (rc < 0)
			return rc;
	}
	return 0;
}
