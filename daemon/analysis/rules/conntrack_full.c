/* SPDX-License-Identifier: ISC */
/*
 * The table of tracked connections is near or at its limit: then new connections
 * are refused. Entries that could not be made while there was room are two packets
 * of one connection at once (net/netfilter/nf_conntrack_core.c,
 * nf_ct_resolve_clash), and no sign of it.
 */
#include <math.h>
#include <stdio.h>

#include "loss.h"
#include "umbrella.h"
#include "verdict.h"

enum { FILL, FILL_CLEAR, CRITICAL };

static const struct rs_threshold thresholds[] = {
    [FILL] = {"fill", 0.85, 0.0, 1.0, RS_UNIT_RATIO, "Part of the table that is in use"},
    [FILL_CLEAR] = {"fill_clear", 0.80, 0.0, 1.0, RS_UNIT_RATIO, "The part below which it clears"},
    [CRITICAL] = {"critical", 0.95, 0.0, 1.0, RS_UNIT_RATIO, "The part from which it is critical"},
    {0},
};

/* An entry with its extensions takes about so much. */
#define ENTRY_BYTES 384
/* What RFC 5382 asks of a NAT at least, in place of five days. */
#define ESTABLISHED_ADVISED_S 7440
/* Entries in a chain of the hash table, with what is advised. */
#define CHAIN 4

struct table {
	double entries, max, fill;
	double refused_ps; /* what found no room, 0 while there is room */
};

static struct table
table_of(const struct rs_view *v, double max, const double *t)
{
	struct table c = {.entries = v->conntrack_entries, .max = max};
	const double early = fmax(0.0, v->conntrack_early_drops_ps);
	const double dropped = fmax(0.0, v->conntrack_dropped_pps);

	c.fill = c.entries / c.max;
	/* Old ones are only given up in a full table. */
	c.refused_ps = early + (c.fill >= t[FILL_CLEAR] ? dropped : 0.0);
	return c;
}

static void
tell_message(const struct table *c, double critical, struct rs_says *out)
{
	if (c->refused_ps > 0.0 && !(c->fill >= critical))
		rs_message(out,
		    "connection table was full a moment ago (now %.0f of %.0f): %.0f "
		    "connections a second found no room",
		    c->entries, c->max, rs_round_3(c->refused_ps));
	else if (c->refused_ps > 0.0)
		rs_message(out,
		    "connection table is full (%.0f of %.0f): %.0f new ones a second "
		    "find no room",
		    c->entries, c->max, rs_round_3(c->refused_ps));
	else
		rs_message(out, "connection table %ld %% full: %.0f of %.0f connections",
		    lround(c->fill * 100.0), c->entries, c->max);
}

static void
tell_growth(const struct table *c, struct rs_says *out)
{
	double growth;
	char time[24];

	if (!rs_recent_conntrack(rs_recent_of(out), &growth)) {
		rs_evidence(out, "growth", NAN, RS_UNIT_PER_SECOND);
		return;
	}
	rs_evidence(out, "growth", growth, RS_UNIT_PER_SECOND);
	if (growth >= 1.0 && c->entries < c->max) {
		rs_format_time((c->max - c->entries) / growth, time);
		rs_evidence_text(out, "full at this pace in", "%s", time);
	}
}

/* Twice the room, and a hash table that goes with it. */
static void
advise_room(const struct rs_view *v, const struct table *c, struct rs_says *out)
{
	static const char set_max[] = "sysctl -w net.netfilter.nf_conntrack_max=%lld",
			  set_both[] = "sysctl -w net.netfilter.nf_conntrack_max=%lld; echo %lld > "
				       "/sys/module/nf_conntrack/parameters/hashsize";
	const long long buckets = rs_host_number(v, RS_F_CONNTRACK_BUCKETS);
	const long long max = (long long)c->max, wanted = 2 * max / CHAIN;
	struct rs_advice a = {.is_persistent = false};

	if (max > INT32_MAX / 2)
		return; /* nf_conntrack_max is an int */
	if (buckets > 0 && buckets < wanted) {
		(void)snprintf(a.command, sizeof(a.command), set_both, 2 * max, wanted);
		(void)snprintf(a.undo, sizeof(a.undo), set_both, max, buckets);
	} else {
		(void)snprintf(a.command, sizeof(a.command), set_max, 2 * max);
		(void)snprintf(a.undo, sizeof(a.undo), set_max, max);
	}
	(void)snprintf(a.expect, sizeof(a.expect),
	    "new connections are made again; a full table then takes some %lld MB more",
	    max * ENTRY_BYTES / 1000000 + 1);
	rs_advise(out, &a);
}

static void
advise_timeout(const struct rs_view *v, struct rs_says *out)
{
	static const char set[] =
	    "sysctl -w net.netfilter.nf_conntrack_tcp_timeout_established=%lld";
	const long long now = rs_host_number(v, RS_F_CONNTRACK_ESTABLISHED);
	struct rs_advice a = {.is_persistent = false};

	if (now <= ESTABLISHED_ADVISED_S)
		return;
	(void)snprintf(a.command, sizeof(a.command), set, (long long)ESTABLISHED_ADVISED_S);
	(void)snprintf(a.expect, sizeof(a.expect),
	    "connections that ended without a word leave after two hours, not %lld days",
	    RS_MAX(now / 86400, 1LL));
	(void)snprintf(a.undo, sizeof(a.undo), set, now);
	rs_advise(out, &a);
}

static void
tell(const struct rs_view *v, const struct table *c, double critical, struct rs_says *out)
{
	tell_message(c, critical, out);
	rs_cause(out, "more connections at once than the table was made for");
	rs_cause(out, "a flood or a scan, or connections that ended without a word");
	rs_evidence(out, "part of the table in use", c->fill, RS_UNIT_RATIO);
	rs_evidence(out, "connections", c->entries, RS_UNIT_NONE);
	rs_evidence(out, "net.netfilter.nf_conntrack_max", c->max, RS_UNIT_NONE);
	tell_growth(c, out);
	rs_evidence(
	    out, "packets dropped for want of a connection", v->conntrack_dropped_pps, RS_UNIT_PPS);
	rs_evidence(
	    out, "connections given up early", v->conntrack_early_drops_ps, RS_UNIT_PER_SECOND);
	rs_evidence(out, "could not be entered", v->conntrack_insert_failed_ps, RS_UNIT_PER_SECOND);
	advise_room(v, c, out);
	advise_timeout(v, out);
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	const int64_t max = rs_host_number(v, RS_F_CONNTRACK_MAX);

	if (isnan(v->conntrack_entries) || max < 0) {
		rs_needs(out, "connection tracking (nf_conntrack is not loaded, or not readable)");
		return;
	}
	if (max == 0)
		return; /* no limit */
	const struct table c = table_of(v, (double)max, t);
	const bool raises = c.fill >= t[FILL] || c.refused_ps > 0.0;
	if (!raises && !(c.fill >= t[FILL_CLEAR]))
		return;
	const bool is_crit = c.fill >= t[CRITICAL] || c.refused_ps > 0.0;
	rs_say(out, &rs_subject_host, rs_condition_of(raises, true), is_crit ? RS_CRIT : RS_WARN,
	    RS_HIGH);
	tell(v, &c, t[CRITICAL], out);
}

RS_RULE(conntrack_full) = {
    .code = "conntrack.full",
    .title = "The table of tracked connections is near or at its limit",
    .help = "Each connection through the firewall has an entry; when there is no room for another, "
	    "new connections are refused.",
    .voting = RS_VOTING_COUNTER,
    .has_one_subject = true,
    .thresholds = thresholds,
    .evaluate = evaluate,
};
