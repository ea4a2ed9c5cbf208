/* SPDX-License-Identifier: ISC */
/*
 * The first rule in the order that explains the core is the cause. The others are
 * asked all the same, for what they have read against themselves; one that would
 * explain it as well is neither the cause nor ruled out.
 */
#include "causes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int
rs_causes_init(struct rs_causes *c, const struct rs_rule *const *rules, size_t n_rules)
{
	c->rules = rules;
	c->order = calloc(n_rules + 1, sizeof(*c->order));
	c->said = calloc(n_rules + 1, sizeof(*c->said));
	if (!c->order || !c->said)
		return -ENOMEM;
	for (size_t i = 0; i < n_rules; i++) {
		const unsigned order = rules[i]->cause_order;
		size_t at = c->n;
		if (order == 0)
			continue;
		for (; at > 0 && rules[c->order[at - 1]]->cause_order > order; at--)
			c->order[at] = c->order[at - 1];
		c->order[at] = i;
		c->n++;
	}
	c->found = c->n;
	return 0;
}

void
rs_causes_fini(struct rs_causes *c)
{
	free(c->order);
	free(c->said);
}

void
rs_causes_ask(struct rs_causes *c, const struct rs_view *v, const struct rs_rule_conf *confs)
{
	c->found = c->n;
	c->has_lead = rs_lead_of(v, &c->lead);
	for (size_t i = 0; c->has_lead && i < c->n; i++) {
		const struct rs_rule_conf *const conf = &confs[c->order[i]];
		struct rs_cause *const said = &c->said[i];

		*said = (struct rs_cause){.confidence = RS_MEDIUM};
		if (!conf->is_enabled ||
		    !c->rules[c->order[i]]->explains(&c->lead, conf->thresholds, said))
			continue;
		if (c->found == c->n)
			c->found = i;
		else
			said->phrase[0] = '\0';
	}
}

const struct rs_cause *
rs_causes_found(const struct rs_causes *c, size_t *ret_rule)
{
	if (c->found == c->n)
		return NULL;
	*ret_rule = c->order[c->found];
	return &c->said[c->found];
}

const char *
rs_causes_lacking(const struct rs_causes *c, size_t rule)
{
	for (size_t i = 0; c->has_lead && i < c->n; i++) {
		if (c->order[i] == rule)
			return c->said[i].is_unknown ? c->said[i].phrase : NULL;
	}
	return NULL;
}

uint32_t
rs_causes_ruled_out(const struct rs_causes *c, struct rs_ruled_out ret[static RS_RULED_OUT_MAX])
{
	uint32_t n = 0;

	for (size_t i = 0; c->has_lead && i < c->n && n < RS_RULED_OUT_MAX; i++) {
		const struct rs_rule *const rule = c->rules[c->order[i]];
		if (i == c->found || c->said[i].phrase[0] == '\0')
			continue;
		struct rs_ruled_out *const one = &ret[n++];
		one->code = rule->code;
		one->title = rule->title;
		const char *const phrase = c->said[i].phrase;
		char text[sizeof(c->said[i].phrase) + 24];
		(void)snprintf(text, sizeof(text), "%s%s",
		    c->said[i].is_unknown ? "not known: needs " : "", phrase);
		rs_copy_cut(one->reason, sizeof(one->reason), text);
	}
	return n;
}
