/* SPDX-License-Identifier: ISC */
/*
 * The table of settings. Constant data, any thread.
 */
#include "fact.h"

#include <stdlib.h>
#include <string.h>

#include "finding.h"

#define RS_FACT_ROW(id, ...) [RS_F_##id] = {__VA_ARGS__},
const struct rs_fact_kind rs_facts[RS_F_COUNT] = {RS_FACTS(RS_FACT_ROW)};
#undef RS_FACT_ROW

enum rs_fact_id
rs_fact_find(struct rs_text name)
{
	unsigned i = 0;
	while (i < RS_F_COUNT && !rs_text_eq(name, rs_facts[i].name))
		i++;
	return (enum rs_fact_id)i;
}

size_t
rs_fact_shown(unsigned id)
{
	return id == RS_F_RSS_KEY ? 8 : SIZE_MAX;
}

bool
rs_change_follow(struct rs_change *c, int64_t offset_ms)
{
	const int64_t by_ms = c->at_boot_ms + offset_ms - c->at_ms;

	if (c->at_boot_ms == 0 || llabs(by_ms) <= RS_CLOCK_NOISE_MS)
		return false;
	c->at_ms += by_ms;
	return true;
}

void
rs_change_subject(const struct rs_change *c, struct rs_subject *ret)
{
	static const enum rs_subject_kind kinds[] = {
	    [RS_ON_HOST] = RS_SUBJECT_HOST,
	    [RS_ON_CPU] = RS_SUBJECT_CORE,
	    [RS_ON_NIC] = RS_SUBJECT_INTERFACE,
	    [RS_ON_IRQ] = RS_SUBJECT_IRQ,
	    [RS_ON_QUEUE] = RS_SUBJECT_QUEUE,
	};
	const struct rs_fact_kind *const f = &rs_facts[c->fact];
	*ret = rs_subject_host;
	ret->kind = kinds[f->on];
	ret->core = c->labels.cpu;
	ret->queue = c->labels.queue;
	memcpy(ret->device, c->labels.device, sizeof(ret->device));
	memcpy(ret->irq, c->labels.irq, sizeof(ret->irq));
	if (f->direction)
		(void)rs_text_copy(
		    rs_text_of(f->direction), ret->direction, sizeof(ret->direction));
}
