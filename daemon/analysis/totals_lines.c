/* SPDX-License-Identifier: ISC */
/*
 * Every NIC interrupt on one core, by counts: all of them or those of the device
 * that has most, several queues on one core while another has none, two devices
 * on one line.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cpuset.h"
#include "totals_case.h"

#define MANY_LONE 1e8	 /* of a line that is the only one: it fires on some core anyway */
#define MANY_OVERLAP 1e6 /* from which an overlap of several queues matters */
#define MANY_SHARED 5e5	 /* of a line that two devices share */
#define OVERLAP (1.0 / 3.0)
#define ACTIVE 0.001
#define UNUSED 0.01
#define DEVICE_WEIGHT 0.50
#define PLACED 0.50 /* a queue is a core's when that took half of it */
/* Packets spread over cores outrank interrupts that are not. */
#define SPREAD 0.42
#define EVEN 1.3
#define MANY_SPREAD 1e6
/* A core that polls at its limit runs out of budget now and then. */
#define PRESSURE 1e-6
/* Of a core's time since boot in softirq: more than timers and the like need. */
#define TIME_MUCH 0.05

static const struct packets {
	enum rs_total_count count;
	const char *words;
} packets[] = {
    {RS_TOTAL_NET_RX, "receive softirqs (NET_RX)"},
    {RS_TOTAL_PROCESSED, "packets that the stack took (softnet_stat)"},
    {RS_TOTAL_SOFTIRQ_TIME, "seconds in softirq"},
};

struct all_on_one {
	enum rs_total_which which;
	uint32_t device;
	struct rs_pile pile;
	enum { BY_NONE, BY_PILE, BY_OVERLAP, BY_SHARED, BY_PACKETS } by;
	const struct packets *what; /* by packets */
	size_t unused;		    /* of an overlap: a core nobody uses */
	uint32_t line;		    /* that is shared */
};

static bool
find_pile(const struct rs_total_case *s, struct all_on_one *ret)
{
	const struct rs_pile all = rs_pile_of(s->t, RS_LINES_ALL, 0);
	const struct rs_pile wired = rs_pile_of(s->t, RS_LINES_WIRED, 0);

	ret->by = BY_PILE;
	ret->which = RS_LINES_ALL;
	ret->pile = all;
	if (all.all * s->weight < (s->t->n_lines == 1 ? MANY_LONE : RS_TOTAL_MANY))
		return false;
	if (all.share >= RS_TOTAL_PILE)
		return true;
	for (uint32_t i = 0; i < s->t->n_devices; i++) {
		const struct rs_pile p = rs_pile_of(s->t, RS_LINES_DEVICE, i);
		if (p.all < DEVICE_WEIGHT * all.all || !(p.share >= RS_TOTAL_PILE))
			continue;
		ret->which = RS_LINES_DEVICE;
		ret->device = i;
		ret->pile = p;
		return true;
	}
	/* Wi-Fi interrupts with no traffic at all: the wired ones count alone, too. */
	ret->which = RS_LINES_WIRED;
	ret->pile = wired;
	return wired.all * s->weight >= RS_TOTAL_MANY && wired.n_active >= 2 &&
	       wired.share >= RS_TOTAL_PILE && wired.core == all.core;
}

/* Several queues on one core while another has none. */
static bool
find_overlap(const struct rs_total_case *s, struct all_on_one *ret)
{
	unsigned on[RS_CPU_MAX] = {0};
	double taken[RS_CPU_MAX] = {0.0};
	const size_t n_cores = RS_MIN(s->t->n_cores, RS_CPU_MAX);
	const struct rs_pile all = rs_pile_of(s->t, RS_LINES_ALL, 0);
	size_t most = 0, unused = SIZE_MAX, active = 0;

	for (size_t i = 0; i < s->n_units; i++) {
		if (s->units[i].total < ACTIVE * all.all || !(s->units[i].share >= PLACED))
			continue;
		active++;
		on[s->units[i].core]++;
	}
	for (size_t c = 0; c < n_cores; c++)
		taken[c] = s->t->cores[c].nic_interrupts;
	for (size_t c = 0; c < n_cores; c++) {
		if (on[c] >= 2 && (on[most] < 2 || taken[c] > taken[most]))
			most = c;
		if (on[c] == 0 && taken[c] < UNUSED * all.all && unused == SIZE_MAX)
			unused = c;
	}
	ret->by = BY_OVERLAP;
	ret->which = RS_LINES_ALL;
	ret->pile = all;
	ret->pile.core = most;
	ret->pile.share = taken[most] / all.all;
	ret->unused = unused;
	return all.all * s->weight >= MANY_OVERLAP && active >= 3 && on[most] >= 2 &&
	       ret->pile.share >= OVERLAP && unused != SIZE_MAX;
}

static bool
find_shared(const struct rs_total_case *s, struct all_on_one *ret)
{
	uint32_t devices[2];

	ret->by = BY_SHARED;
	ret->which = RS_LINES_ALL;
	ret->pile = rs_pile_of(s->t, RS_LINES_ALL, 0);
	for (uint32_t i = 0; i < s->t->n_lines; i++) {
		if (rs_line_devices(s->t, i, devices) < 2)
			continue;
		ret->line = i;
		return ret->pile.all * s->weight >= MANY_SHARED;
	}
	return false;
}

/* The same by packets, of which an interrupt may bring many: what the softirqs count,
 * what the stack took, the time it needed, whichever was read first. */
static bool
find_packets(const struct rs_total_case *s, struct all_on_one *ret)
{
	const bool is_lone = s->t->n_lines == 1;
	const double enough = (is_lone ? MANY_LONE : RS_TOTAL_MANY) / s->weight;

	for (unsigned i = 0; i < RS_ARRAY_LEN(packets); i++) {
		ret->by = BY_PACKETS;
		ret->what = &packets[i];
		ret->pile = (struct rs_pile){.n_active = 0};
		ret->pile.share =
		    rs_total_top(s->t, packets[i].count, &ret->pile.core, &ret->pile.all);
		if (isnan(ret->pile.share))
			continue;
		const struct rs_total_core *const c = &s->t->cores[ret->pile.core];
		const bool is_much = packets[i].count == RS_TOTAL_SOFTIRQ_TIME
					 ? c->softirq_s >= TIME_MUCH * c->booked_s
					 : ret->pile.all >= enough;
		return is_much && ret->pile.share >= RS_TOTAL_PILE;
	}
	return false;
}

/* Why the packets themselves say that it does not matter; NULL: they do not. */
static const char *
why_no_matter(const struct rs_total_case *s, const struct all_on_one *a)
{
	const struct rs_total_core *const c = &s->t->cores[a->pile.core];
	size_t core;
	double all;

	if (s->t->has_softnet && c->processed > 0.0 &&
	    c->squeezed + c->dropped < PRESSURE * c->processed)
		return "the core never ran out of its poll budget: it was under no pressure";
	if (a->by == BY_PACKETS || !s->t->has_softirqs)
		return NULL;
	const double share = rs_total_top(s->t, RS_TOTAL_NET_RX, &core, &all);
	return all * s->weight >= MANY_SPREAD && share < fmax(SPREAD, EVEN / (double)s->t->n_cores)
		   ? "the packets are spread over the cores all the same (NET_RX): RPS at work"
		   : NULL;
}

/* How many queues of the device have interrupts, and of them on the core. */
static size_t
count_units(const struct rs_total_case *s, uint32_t device, size_t core, size_t *ret_on_core)
{
	size_t active = 0;

	*ret_on_core = 0;
	for (size_t i = 0; i < s->n_units; i++) {
		if (s->units[i].device != device || !(s->units[i].total > 0.0))
			continue;
		active++;
		*ret_on_core += s->units[i].core == core && s->units[i].share >= PLACED;
	}
	return active;
}

static void
tell_devices(const struct rs_total_case *s, size_t core, struct rs_says *out)
{
	for (uint32_t i = 0; i < RS_MIN(s->t->n_devices, 12u); i++) {
		const struct rs_pile p = rs_pile_of(s->t, RS_LINES_DEVICE, i);
		size_t here;
		const size_t active = count_units(s, i, core, &here);
		const size_t queues = rs_queue_units_count(s, i);
		char count[24];

		if (!(p.all > 0.0))
			continue;
		(void)rs_total_format(p.all, count);
		if (queues == 1)
			rs_evidence_text(out, s->t->devices[i].name,
			    "single interrupt line %s, %ld %% on core %u, %s in all",
			    s->t->lines[p.one_active].irq, rs_total_percent(p.share),
			    s->t->cores[p.core].cpu, count);
		else if (here == active && active == queues)
			rs_evidence_text(out, s->t->devices[i].name,
			    "%zu queues, every one on core %u, %s interrupts", queues,
			    s->t->cores[core].cpu, count);
		else
			rs_evidence_text(out, s->t->devices[i].name,
			    "%zu of %zu queues active, %zu of them on core %u, %s interrupts",
			    active, queues, here, s->t->cores[core].cpu, count);
	}
}

static void append(char *dst, size_t cap, const char *format, ...) RS_PRINTF(3, 4);

static void
append(char *dst, size_t cap, const char *format, ...)
{
	const size_t len = strlen(dst);
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(dst + len, cap - len, format, ap);
	va_end(ap);
}

/* "eth0, eth1 and 2 more": the devices of the pile that had interrupts. */
static void
name_devices(const struct rs_total_case *s, const struct all_on_one *a, char *dst, size_t cap)
{
	size_t n = 0;

	dst[0] = '\0';
	for (uint32_t i = 0; i < s->t->n_devices; i++) {
		const struct rs_pile p = rs_pile_of(s->t, RS_LINES_DEVICE, i);
		const bool is_meant = a->which == RS_LINES_DEVICE  ? i == a->device
				      : a->which == RS_LINES_WIRED ? !s->t->devices[i].is_wireless
								   : true;
		if (!is_meant || !(p.all > 0.0))
			continue;
		if (++n <= 4)
			append(dst, cap, "%s%s", n > 1 ? ", " : "", s->t->devices[i].name);
	}
	if (n > 4)
		append(dst, cap, " and %zu more", n - 4);
}

/* The queues that meet on a core: "eth3 queue 0 (eth3-fp-0)". */
static void
tell_overlap(const struct rs_total_case *s, const struct all_on_one *a, struct rs_says *out)
{
	unsigned told = 0;

	for (size_t i = 0; i < s->n_units && told < 8; i++) {
		if (s->units[i].core != a->pile.core || !(s->units[i].share >= PLACED) ||
		    s->units[i].total < ACTIVE * a->pile.all)
			continue;
		const struct rs_total_line *const l = &s->t->lines[s->units[i].line];
		char label[160], count[24];
		(void)snprintf(
		    label, sizeof(label), "irq %s %s", l->irq, l->actions ? l->actions : "");
		rs_evidence_text(out, label, "%s interrupts on core %u",
		    rs_total_format(l->total, count), s->t->cores[a->pile.core].cpu);
		told++;
	}
}

static void
tell_unused(const struct rs_total_case *s, double all, struct rs_says *out)
{
	struct rs_cpuset none;
	char list[64];
	unsigned n = 0;

	rs_cpuset_zero(&none);
	for (size_t i = 0; i < s->t->n_cores; i++) {
		if (s->t->cores[i].nic_interrupts >= UNUSED * all / (double)s->t->n_cores)
			continue;
		rs_cpuset_add(&none, s->t->cores[i].cpu);
		n++;
	}
	rs_cpuset_format(&none, list, sizeof(list));
	if (n > 0)
		rs_evidence_text(
		    out, "cores without NIC interrupts", "%u of %zu: %s", n, s->t->n_cores, list);
}

static void
say_message(const struct rs_total_case *s, const struct all_on_one *a, struct rs_says *out)
{
	const unsigned cpu = s->t->cores[a->pile.core].cpu;
	char names[120], count[24];

	(void)rs_total_format(a->pile.all, count);
	name_devices(s, a, names, sizeof(names));
	switch (a->by) {
	case BY_NONE:
		return;
	case BY_PILE:
		rs_message(out, "core %u takes %ld %% of the %s interrupts of %s %s", cpu,
		    rs_total_percent(a->pile.share), count, names, rs_total_span(s->t));
		return;
	case BY_OVERLAP:
		rs_message(out,
		    "several queues fire on core %u, which takes %ld %% of all NIC interrupts, "
		    "while "
		    "core %u gets none",
		    cpu, rs_total_percent(a->pile.share), s->t->cores[a->unused].cpu);
		return;
	case BY_SHARED:
		rs_message(out, "%s share IRQ %s, and %ld %% of its %s interrupts hit core %u",
		    names, s->t->lines[a->line].irq, rs_total_percent(a->pile.share), count, cpu);
		return;
	case BY_PACKETS:
		rs_message(out, "core %u has %ld %% of the %s %s %s", cpu,
		    rs_total_percent(a->pile.share), count, a->what->words, rs_total_span(s->t));
		return;
	}
}

static void
say_causes(const struct all_on_one *a, struct rs_says *out)
{
	if (a->by == BY_SHARED) {
		rs_cause(out, "legacy interrupts (no MSI): each one runs the handlers of both");
		return;
	}
	if (a->by == BY_PACKETS) {
		rs_cause(out, "one queue or one interrupt line, or masks that name one core");
		rs_cause(out, "nearly all of the traffic is one flow");
		return;
	}
	if (a->pile.n_active == 1)
		rs_cause(out, "one interrupt line does all the work: it fires on one core wherever "
			      "irqbalance "
			      "puts it; only RPS spreads its packets");
	else
		rs_cause(out,
		    "affinity masks that name one core, or the default and no irqbalance at work");
	if (a->pile.n_active != 1)
		rs_cause(out, "an interrupt controller that serves one core only");
}

static void
advise_spread(const struct rs_total_case *s, const struct all_on_one *a, struct rs_says *out)
{
	if (a->by == BY_PACKETS || a->by == BY_SHARED)
		return;
	const struct rs_total_line *const l = &s->t->lines[a->pile.one_active];
	if (a->pile.n_active > 1)
		rs_total_advise_affinity(s, out);
	else if (l->n_feeds > 0)
		rs_total_advise_rps(s, s->t->feeds[l->first_feed].device, a->pile.core, out);
}

void
rs_total_judge_lines(const struct rs_total_case *s, struct rs_says *out)
{
	struct all_on_one a = {.by = BY_NONE};
	char count[24];

	if (s->t->n_cores < 2 || s->t->has_loads)
		return;
	if (!find_pile(s, &a) && !find_overlap(s, &a) && !find_shared(s, &a) &&
	    !find_packets(s, &a))
		return;
	const char *const why = why_no_matter(s, &a);
	const struct rs_subject subject = rs_total_core_subject(s->t->cores[a.pile.core].cpu);

	rs_say(out, &subject, RS_COND_RAISE, why ? RS_INFO : RS_WARN, why ? RS_LOW : RS_MEDIUM);
	say_message(s, &a, out);
	say_causes(&a, out);
	rs_evidence(out, "share of the busiest core", a.pile.share, RS_UNIT_RATIO);
	rs_evidence_text(out, "counted", "%s %s", rs_total_format(a.pile.all, count),
	    a.by == BY_PACKETS ? a.what->words : "interrupts");
	if (a.by == BY_OVERLAP)
		tell_overlap(s, &a, out);
	tell_devices(s, a.pile.core, out);
	tell_unused(s, a.pile.all, out);
	if (why)
		rs_evidence_text(out, "against it", "%s", why);
	rs_total_tell_basis(s->t, out);
	advise_spread(s, &a, out);
}
