/* SPDX-License-Identifier: ISC */
/*
 * The indirection table gives the queue of the core that leads more than its
 * part, and what the queue receives is what the table gives it. An odd number of
 * queues in a small table is no such case: a part more or less is the device's.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cause.h"
#include "rss.h"

enum { UNEVEN, TOLERANCE };

static const struct rs_threshold thresholds[] = {
    [UNEVEN] = {"uneven", 1.5, 1.0, 100.0, RS_UNIT_NONE,
	"A queue has so many times the entries of another: the table is uneven"},
    [TOLERANCE] = {"tolerance", 0.15, 0.0, 1.0, RS_UNIT_RATIO,
	"How far the share of the queue may be above what the table gives it"},
    {0},
};

/* The queue that leads: the busiest, or the only one the table selects; -1: not
 * known. */
static int
leading_queue(const struct rs_lead *l, const struct rs_lead_table *table)
{
	if (l->busiest)
		return (int)l->busiest->queue;
	return table->selected == 1 ? (int)table->first : -1;
}

/* What the table gives to the queue. */
static double
part_of(const struct rs_lead_table *table, int queue)
{
	return (double)rs_rss_table_count(table->text, (uint32_t)queue) / (double)table->entries;
}

static bool
explains(const struct rs_lead *l, const double *t, struct rs_cause *ret)
{
	struct rs_lead_table table;

	if (!rs_lead_is_fed_by_nic(l))
		return rs_not_by_interrupts(l, ret);
	if (l->n_rx > 1 && !rs_lead_fact(l, RS_F_RSS_TABLE))
		return rs_not_known(ret, "the indirection table of the interface (ethtool -x)");
	/* No device with one queue has a table; one that makes no sense tells nothing. */
	if (!rs_lead_table(l, &table))
		return false;
	if (!(table.most > t[UNEVEN] * table.least))
		return rs_not(ret,
		    "the table of %s gives each of %u queues %u of %u entries or more",
		    l->nic->info.name, table.n, table.least, table.entries);
	const int queue = leading_queue(l, &table);
	if (queue < 0)
		return rs_not_known(ret, "packets of each receive queue");
	/* More than an even part, and no more than the table gives it. */
	if (part_of(&table, queue) * table.n <= 1.0 ||
	    l->share > part_of(&table, queue) + t[TOLERANCE])
		return rs_not(ret, "the table gives queue %d %ld %%, it has %ld %% of the packets",
		    queue, lround(part_of(&table, queue) * 100.0), lround(l->share * 100.0));
	ret->confidence = l->busiest ? RS_HIGH : RS_MEDIUM;
	if (table.selected < table.n)
		(void)snprintf(ret->phrase, sizeof(ret->phrase),
		    "the indirection table of %s leaves out %u of its %u queues", l->nic->info.name,
		    table.n - table.selected, table.n);
	else
		(void)snprintf(ret->phrase, sizeof(ret->phrase),
		    "the indirection table of %s gives queue %d %ld %% of the flows",
		    l->nic->info.name, queue, lround(part_of(&table, queue) * 100.0));
	return true;
}

/* Entries of each queue: "64 64 0 0". False: there is no room for all. */
static bool
list_counts(const struct rs_lead_table *table, char *dst, size_t cap)
{
	size_t len = 0;

	dst[0] = '\0';
	for (unsigned q = 0; q < table->n; q++) {
		const int n = snprintf(dst + len, cap - len, "%s%u", q > 0 ? " " : "",
		    rs_rss_table_count(table->text, q));
		if (n < 0 || (size_t)n >= cap - len)
			return false;
		len += (size_t)n;
	}
	return true;
}

static void
advise(const struct rs_lead *l, const struct rs_lead_table *table, struct rs_says *out)
{
	struct rs_advice a = {.is_disruptive = true};
	const char *const device = l->nic->info.name;
	char counts[128];

	(void)snprintf(a.command, sizeof(a.command), "ethtool -X %s equal %u", device, table->n);
	(void)snprintf(a.expect, sizeof(a.expect),
	    "all %u queues count packets; flows may change their queue once. Not where somebody "
	    "keeps queues free on purpose",
	    table->n);
	/* As weights the counts make the same shares, not the same places. */
	if (list_counts(table, counts, sizeof(counts)))
		(void)snprintf(a.undo, sizeof(a.undo), "ethtool -X %s weight %s", device, counts);
	else
		(void)snprintf(a.undo, sizeof(a.undo), "ethtool -X %s default", device);
	rs_advise(out, &a);
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	const struct rs_lead *const l = rs_cause_only_turn(out);
	struct rs_lead_table table;

	(void)v;
	(void)t;
	if (!l || !rs_lead_table(l, &table))
		return;
	const struct rs_subject subject = rs_nic_subject(l->nic);
	char counts[128]; /* more than evidence has room for, which ends between two */
	rs_cause_say(out, l, &subject);
	rs_cause(out, "an indirection table that was set by hand, or for other queues");
	(void)list_counts(&table, counts, sizeof(counts));
	rs_evidence_text(out, "entries of the table, queue by queue", "%s", counts);
	rs_evidence(out, "part the table gives to the queue",
	    part_of(&table, leading_queue(l, &table)), RS_UNIT_RATIO);
	rs_cause_figures(out, l);
	if (rs_cause_can_spread(out, l))
		advise(l, &table, out);
}

RS_RULE(rss_table_uneven) = {
    .code = "rss.table_uneven",
    .title = "The indirection table does not spread over all queues",
    .help = "The table decides which queue a flow gets. This one leaves queues out, or prefers the "
	    "one whose core leads.",
    .info_window_s = RS_CAUSE_INFO_WINDOW_S,
    .has_one_subject = true,
    .thresholds = thresholds,
    .evaluate = evaluate,
    .cause_order = 80,
    .explains = explains,
};
