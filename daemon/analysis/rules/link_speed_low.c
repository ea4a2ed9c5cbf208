/* SPDX-License-Identifier: ISC */
/*
 * A link that negotiates came up slower than both sides can, or half duplex. Where
 * somebody fixed the speed, or offers less on purpose, it is as it should be. A
 * driver that does not tell what the other side offers leaves open whether that
 * side can do more: a fast port on a gigabit switch is no fault.
 */
#include <stdio.h>
#include <string.h>

#include "cause.h"
#include "loss.h"
#include "umbrella.h"
#include "verdict.h"

/* Below this a port that can do more is a fault more often than a wish. */
#define GIGABIT 1000

struct mode {
	uint64_t mbit;
	bool is_half;
};

/* "1000/full" */
static bool
next_mode(struct rs_text *list, struct mode *ret)
{
	struct rs_text word;

	while (rs_text_word(list, &word)) {
		if (!rs_text_u64(&word, &ret->mbit))
			continue;
		ret->is_half = rs_text_eq(word, "/half");
		return true;
	}
	return false;
}

static bool
has_mode(const char *list, const struct mode *m)
{
	struct rs_text t = rs_text_of(list);
	struct mode at;

	while (next_mode(&t, &at)) {
		if (at.mbit == m->mbit && at.is_half == m->is_half)
			return true;
	}
	return false;
}

/* The fastest, Mbit/s, of those that the other list has too where there is one. */
static int64_t
best_of(const char *own, const char *partner)
{
	struct rs_text t = rs_text_of(own);
	struct mode at;
	uint64_t best = 0;

	while (next_mode(&t, &at)) {
		if (at.mbit > best && (!partner || has_mode(partner, &at)))
			best = at.mbit;
	}
	return best > 0 && best <= INT32_MAX ? (int64_t)best : -1;
}

struct link {
	const struct rs_nic_view *nic;
	const char *own, *partner; /* NULL: not known */
	int64_t mbit, best;	   /* Mbit/s; -1: not known */
	bool is_half;
};

static const char *
fact_of(const struct rs_view *v, const struct rs_nic_view *nic, enum rs_fact_id id)
{
	return rs_view_fact(v, id, nic->info.ifindex, RS_NO_QUEUE);
}

/* False: it is fixed, or nothing is known. */
static bool
look(const struct rs_view *v, const struct rs_nic_view *nic, struct link *ret)
{
	const char *const offered = fact_of(v, nic, RS_F_LINK_ADVERTISED);
	const bool negotiates = rs_nic_is(v, nic, RS_F_AUTONEG, "on");

	*ret = (struct link){.nic = nic, .mbit = -1, .best = -1};
	if (rs_nic_is(v, nic, RS_F_AUTONEG, "off"))
		return false;
	ret->is_half = rs_nic_is(v, nic, RS_F_DUPLEX, "half");
	ret->own = offered ? offered : fact_of(v, nic, RS_F_LINK_SUPPORTED);
	ret->partner = fact_of(v, nic, RS_F_LINK_PARTNER);
	if (negotiates && ret->own && nic->info.speed_bps > 0) {
		ret->mbit = nic->info.speed_bps / 1000000;
		ret->best = best_of(ret->own, ret->partner);
	}
	return ret->best > 0 || fact_of(v, nic, RS_F_DUPLEX);
}

static void
say_slow(const struct link *l, const struct rs_subject *subject, struct rs_says *out)
{
	const bool is_doubtful = !l->partner && l->mbit >= GIGABIT;
	char now[24], best[24];

	rs_say(out, subject, RS_COND_RAISE, is_doubtful ? RS_INFO : RS_WARN,
	    l->partner	  ? RS_HIGH
	    : is_doubtful ? RS_LOW
			  : RS_MEDIUM);
	rs_format_bps((double)l->mbit * 1e6, now);
	rs_format_bps((double)l->best * 1e6, best);
	if (l->partner)
		rs_message(
		    out, "link %s runs at %s, both sides can do %s", l->nic->info.name, now, best);
	else
		rs_message(
		    out, "link %s runs at %s, this side can do %s", l->nic->info.name, now, best);
	rs_cause(out, "a cable with a broken pair, a bad plug or a worn port");
	if (!l->partner)
		rs_cause(out, "the other side cannot do more: then nothing is wrong");
}

static void
say_half(const struct link *l, const struct rs_subject *subject, struct rs_says *out)
{
	rs_say(out, subject, RS_COND_RAISE, RS_WARN, RS_HIGH);
	rs_message(
	    out, "link %s is half duplex: it sends or receives, never both", l->nic->info.name);
	rs_cause(out, "the other side is set to a fixed speed and does not negotiate");
}

static void
tell(const struct link *l, struct rs_says *out)
{
	struct rs_advice a = {
	    .undo = "nothing to undo: it negotiates as before", .is_disruptive = true};

	rs_evidence(out, "negotiated speed", (double)l->nic->info.speed_bps, RS_UNIT_BPS);
	rs_evidence_text(out, "duplex", "%s", l->is_half ? "half" : "full");
	rs_evidence_text(out, "offered by this side", "%s", l->own ? l->own : "not known");
	rs_evidence_text(
	    out, "offered by the other side", "%s", l->partner ? l->partner : "not known");
	rs_evidence(out, "times the link came or went since boot",
	    (double)l->nic->info.carrier_changes, RS_UNIT_NONE);
	(void)snprintf(a.command, sizeof(a.command), "ethtool -r %s", l->nic->info.name);
	(void)snprintf(a.expect, sizeof(a.expect),
	    "negotiates anew: with another cable or port it comes up as fast as both can; the "
	    "other side must negotiate too");
	rs_advise(out, &a);
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	unsigned n_up = 0, n_known = 0;

	(void)t;
	for (size_t i = 0; i < v->n_nics; i++) {
		const struct rs_nic_view *const nic = &v->nics[i];
		struct link l;
		if (!nic->info.is_physical || nic->info.is_up != 1)
			continue;
		n_up++;
		n_known += fact_of(v, nic, RS_F_DUPLEX) || fact_of(v, nic, RS_F_LINK_SUPPORTED);
		if (!look(v, nic, &l) || (!l.is_half && l.best <= l.mbit))
			continue;
		const struct rs_subject subject = rs_nic_subject(nic);
		if (l.is_half)
			say_half(&l, &subject, out);
		else
			say_slow(&l, &subject, out);
		tell(&l, out);
	}
	if (n_up > 0 && n_known == 0)
		rs_needs(out, "duplex and link modes of an interface (ethtool)");
}

RS_RULE(link_speed_low) = {
    .code = "link.speed_low",
    .title = "A link runs slower than both sides can, or half duplex",
    .help = "The two ends agreed on less than they offer each other, which a bad cable or port "
	    "brings about, or a side that does not negotiate.",
    .window_s = 12, /* 80 % of it: a link that came up ten seconds ago */
    .evaluate = evaluate,
};
