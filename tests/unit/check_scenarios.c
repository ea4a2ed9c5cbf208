/* SPDX-License-Identifier: ISC */
/*
 * Plays tests/scenarios/\*.txt through the rules, the engine and the verdict.
 * The format is described in tests/scenarios/README.md. One test a file.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "buf.h"
#include "engine.h"
#include "num.h"
#include "recent.h"
#include "rs_check.h"
#include "verdict.h"
#include "view_builder.h"

#define FILES_MAX 512
#define LINES_MAX 256
#define WORDS_MAX 16
#define EVENTS_MAX 128

struct line {
	unsigned number;
	size_t n;
	char *word[WORDS_MAX];	     /* into the file's text */
	const char *tail[WORDS_MAX]; /* the line as written from this word on */
};

struct event {
	rs_ns at_ns;
	enum rs_finding_event kind;
	char code[40];
};

static char files[FILES_MAX][64];
static int n_files;

static struct {
	const char *file;
	char text[16384], copy[16384];
	struct line lines[LINES_MAX];
	size_t n_lines;
	size_t next; /* the first line of the timeline not yet played */
	struct rs_vb *b;
	struct rs_engine *engine;
	struct rs_rule_conf confs[64];
	struct rs_verdict verdict;
	rs_ns now_ns, end_ns;
	bool is_skipping, is_unread;
	int64_t last_cleared_ms;
	struct event events[EVENTS_MAX];
	size_t n_events;
} s;

static void wrong(const struct line *l, const char *format, ...) RS_PRINTF(2, 3);

static void
wrong(const struct line *l, const char *format, ...)
{
	char text[8192];
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	ck_abort_msg("%s:%u: %s", s.file, l ? l->number : 0, text);
}

/* Words. */

static bool
is(const struct line *l, size_t i, const char *word)
{
	return i < l->n && strcmp(l->word[i], word) == 0;
}

static double
number(const struct line *l, size_t i)
{
	double x = 0.0;

	if (is(l, i, "-"))
		return NAN;
	if (i >= l->n || rs_num_double(rs_text_of(l->word[i]), &x) < 0)
		wrong(l, "expected a number as word %zu", i + 1);
	return x;
}

static rs_ns
duration(const struct line *l, size_t i)
{
	rs_ns ns = 0;

	if (i < l->n && strcmp(l->word[i], "0s") == 0)
		return 0;
	if (i >= l->n || rs_num_duration(rs_text_of(l->word[i]), &ns) < 0)
		wrong(l, "expected a time as word %zu", i + 1);
	return ns;
}

static struct rs_cpuset
cpus(const struct line *l, size_t i)
{
	struct rs_cpuset set;

	rs_cpuset_zero(&set);
	if (i >= l->n || rs_cpuset_parse_list(rs_text_of(l->word[i]), &set) < 0)
		wrong(l, "expected CPUs as word %zu", i + 1);
	for (unsigned cpu = rs_cpuset_next(&set, 0); cpu < RS_CPU_MAX;
	     cpu = rs_cpuset_next(&set, cpu + 1)) {
		if (cpu >= s.b->n_cores)
			wrong(l, "no CPU %u", cpu);
	}
	return set;
}

/* "key value" pairs from word `from` on; 0 when the key is not there. */
static double
value_of(const struct line *l, size_t from, const char *key, double otherwise)
{
	for (size_t i = from; i + 1 < l->n; i += 2) {
		if (is(l, i, key))
			return number(l, i + 1);
	}
	return otherwise;
}

static void
only_keys(const struct line *l, size_t from, const char *const *keys)
{
	for (size_t i = from; i < l->n; i += 2) {
		size_t k = 0;
		while (keys[k] && !is(l, i, keys[k]))
			k++;
		if (!keys[k] || i + 1 == l->n)
			wrong(l, "'%s' is no key here", l->word[i]);
	}
}

static size_t
rule_index(const struct line *l, size_t i)
{
	for (size_t k = 0; rs_rules[k]; k++) {
		if (is(l, i, rs_rules[k]->code))
			return k;
	}
	wrong(l, "no such rule");
	return 0;
}

static struct rs_nic_view *
nic_named(const struct line *l, size_t i)
{
	for (size_t k = 0; k < s.b->v.n_nics; k++) {
		if (is(l, i, s.b->nics[k].info.name))
			return &s.b->nics[k];
	}
	wrong(l, "no such interface");
	return NULL;
}

static size_t
irq_named(const struct line *l, size_t i)
{
	for (size_t k = 0; k < s.b->v.n_irqs; k++) {
		if (is(l, i, s.b->irqs[k].name))
			return k;
	}
	wrong(l, "no such interrupt");
	return 0;
}

/* Setting up. */

/* As the model does (daemon/model/view.c). */
static void
settle_sums(void)
{
	bool has_physical = false;

	for (size_t k = 0; k < s.b->v.n_nics; k++)
		has_physical |= s.b->nics[k].info.is_physical;
	for (size_t k = 0; k < s.b->v.n_nics; k++)
		s.b->nics[k].counts_in_sums = s.b->nics[k].info.is_physical || !has_physical;
}

static bool
set_up(const struct line *l)
{
	if (is(l, 0, "cores")) {
		s.b = rs_vb_new((size_t)number(l, 1));
		return true;
	}
	if (!s.b)
		wrong(l, "'cores' comes first");
	if (is(l, 0, "interval")) {
		s.b->v.interval_ns = duration(l, 1);
	} else if (is(l, 0, "accounting")) {
		s.b->v.accounting = is(l, 1, "tick")	  ? RS_ACCOUNTING_TICK
				    : is(l, 1, "unknown") ? RS_ACCOUNTING_UNKNOWN
							  : RS_ACCOUNTING_PRECISE;
	} else if (is(l, 0, "group")) {
		s.b->cores[(size_t)number(l, 2)].group = (unsigned)number(l, 1);
	} else if (is(l, 0, "isolated")) {
		s.b->cpus.has_isolated = true;
		s.b->cpus.isolated = cpus(l, 1);
	} else if (is(l, 0, "nohz_full")) {
		s.b->cpus.has_nohz_full = true;
		s.b->cpus.nohz_full = cpus(l, 1);
	} else if (is(l, 0, "reserved")) {
		s.b->reserved = cpus(l, 1);
	} else if (is(l, 0, "nic") && l->n == 3) {
		(void)rs_vb_nic(
		    s.b, l->word[1], is(l, 2, "-") ? -1 : (int64_t)(number(l, 2) * 1e6));
	} else if (is(l, 0, "irq")) {
		const enum rs_irq_role role = is(l, 4, "control") ? RS_IRQ_CONTROL
					      : is(l, 4, "other") ? RS_IRQ_OTHER
								  : RS_IRQ_QUEUE;
		const bool has_queue = role == RS_IRQ_QUEUE && !is(l, 4, "-");
		(void)rs_vb_irq(s.b, l->word[1], l->word[2], l->word[3],
		    has_queue ? (int32_t)number(l, 4) : -1, role);
	} else if (is(l, 0, "share")) {
		rs_vb_share(
		    s.b, irq_named(l, 1), l->word[2], is(l, 3, "-") ? -1 : (int32_t)number(l, 3));
	} else if (is(l, 0, "chip")) {
		const size_t irq = irq_named(l, 1);
		(void)snprintf(
		    s.b->lines[irq].chip, sizeof(s.b->lines[irq].chip), "%s", l->tail[2]);
	} else if (is(l, 0, "actions")) {
		const size_t irq = irq_named(l, 1);
		(void)snprintf(
		    s.b->lines[irq].actions, sizeof(s.b->lines[irq].actions), "%s", l->tail[2]);
	} else if (is(l, 0, "driver")) {
		struct rs_nic_info *const info = &nic_named(l, 1)->info;
		(void)snprintf(info->driver, sizeof(info->driver), "%s", l->word[2]);
	} else if (is(l, 0, "queues")) {
		struct rs_nic_info *const info = &nic_named(l, 1)->info;
		info->rx_queues = (int32_t)number(l, 2);
		info->tx_queues = (int32_t)number(l, 3);
	} else if (is(l, 0, "kind")) {
		struct rs_nic_info *const info = &nic_named(l, 1)->info;
		(void)snprintf(info->kind, sizeof(info->kind), "%s", l->word[2]);
		info->is_physical = is(l, 2, "physical");
		settle_sums();
	} else if (is(l, 0, "set")) {
		const size_t rule = rule_index(l, 1);
		size_t k = 0;
		while (rs_rules[rule]->thresholds[k].key &&
		       !is(l, 2, rs_rules[rule]->thresholds[k].key))
			k++;
		if (!rs_rules[rule]->thresholds[k].key)
			wrong(l, "no such threshold");
		s.confs[rule].thresholds[k] = number(l, 3);
	} else if (is(l, 0, "disable") || is(l, 0, "enable")) {
		s.confs[rule_index(l, 1)].is_enabled = is(l, 0, "enable");
	} else {
		return false;
	}
	return true;
}

/* The timeline. */

/* A key of a line of the timeline and the field it sets; what is not given is 0
 * where the field counts something, and as before elsewhere. */
struct field {
	const char *key;
	size_t at;
	double scale;
	bool stays; /* when it is not given */
};

static void
set_fields(const struct line *l, size_t from, const struct field *fields, size_t n, void *on)
{
	for (size_t i = 0; i < n; i++) {
		double *const field = (double *)(void *)((char *)on + fields[i].at);
		bool is_given = false;
		for (size_t k = from; k + 1 < l->n; k += 2)
			is_given |= is(l, k, fields[i].key);
		if (is_given || !fields[i].stays)
			*field = value_of(l, from, fields[i].key, 0) * fields[i].scale;
	}
}

static bool
is_field(const struct line *l, size_t i, const struct field *fields, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		if (is(l, i, fields[k].key))
			return true;
	}
	return false;
}

/* Of "key value" pairs. */
static void
only_fields(const struct line *l, size_t from, const struct field *fields, size_t n,
    const char *const *more)
{
	for (size_t i = from; i < l->n; i += 2) {
		size_t k = 0;
		while (more[k] && !is(l, i, more[k]))
			k++;
		if ((!more[k] && !is_field(l, i, fields, n)) || i + 1 == l->n)
			wrong(l, "'%s' is no key here", l->word[i]);
	}
}

#define CORE(key, field, scale, stays)                                                             \
	{                                                                                          \
		key, offsetof(struct rs_core_view, field), scale, stays                            \
	}
static const struct field core_fields[] = {
    CORE("dropped", dropped_pps, 1, false),
    CORE("rps", rps_ps, 1, false),
    CORE("squeezed", squeezed_ps, 1, false),
    CORE("flow_limit", flow_limit_ps, 1, false),
    CORE("backlog", backlog, 1, false),
    CORE("pps", processed_pps, 1, true),
    CORE("net_rx", net_rx_ps, 1, true),
    CORE("freq", freq_hz, 1e6, true),
    CORE("freq_max", freq_max_hz, 1e6, true),
    CORE("throttled", throttled_ps, 1, true),
    CORE("throttled_time", throttled, 0.01, true),
};

static void
change_core(const struct line *l, unsigned cpu)
{
	static const char *const more[] = {"load", "busy", "user", "steal", NULL};
	struct rs_core_view *c = &s.b->cores[cpu];

	c->is_online = !is(l, 2, "offline");
	if (is(l, 2, "unknown") || is(l, 2, "offline")) {
		rs_vb_core_unknown(s.b, cpu);
		return;
	}
	only_fields(l, 2, core_fields, RS_ARRAY_LEN(core_fields), more);
	const double load = value_of(l, 2, "load", 0) / 100.0;
	rs_vb_core(s.b, cpu, load, value_of(l, 2, "busy", load * 100.0) / 100.0);
	c->user = value_of(l, 2, "user", 0) / 100.0;
	c->system = fmax(0.0, c->system - c->user);
	c->steal = value_of(l, 2, "steal", 0) / 100.0;
	set_fields(l, 2, core_fields, RS_ARRAY_LEN(core_fields), c);
	/* Given are shares of available time, the view has those of elapsed. */
	c->softirq *= 1.0 - c->steal;
	c->system *= 1.0 - c->steal;
	c->idle *= 1.0 - c->steal;
}

#define NIC(key, field, stays)                                                                     \
	{                                                                                          \
		key, offsetof(struct rs_nic_view, field), 1, stays                                 \
	}
static const struct field nic_fields[] = {
    NIC("wire", lost_wire_pps, false),
    NIC("qdisc", lost_qdisc_pps, false),
    NIC("txlost", lost_tx_pps, false),
    NIC("unattributed", lost_unattributed_pps, false),
    NIC("dropped", rx_dropped_pps, false),
    NIC("crc", rx_crc_pps, false),
    NIC("requeues", requeues_ps, false),
    NIC("rx_pause", rx_pause_ps, true),
    NIC("tx_pause", tx_pause_ps, true),
    NIC("stops", tx_stops_ps, true),
    NIC("timeouts", tx_timeouts_ps, true),
    NIC("allowance", allowance_pps, true),
};

static void
change_nic(const struct line *l)
{
	static const char *const more[] = {
	    "rx", "tx", "pps", "missed", "speed", "up", "carrier", NULL};
	struct rs_nic_view *const n = nic_named(l, 1);

	only_fields(l, 2, nic_fields, RS_ARRAY_LEN(nic_fields), more);
	n->info.is_up = (int8_t)value_of(l, 2, "up", 1);
	n->info.carrier_changes =
	    (int64_t)value_of(l, 2, "carrier", (double)n->info.carrier_changes);
	n->info.speed_bps =
	    (int64_t)(value_of(l, 2, "speed", (double)n->info.speed_bps / 1e6) * 1e6);
	rs_vb_traffic(n, value_of(l, 2, "rx", 0) * 1e6, value_of(l, 2, "tx", 0) * 1e6,
	    value_of(l, 2, "pps", 0));
	n->rx_missed_pps = n->lost_ring_pps = value_of(l, 2, "missed", 0);
	set_fields(l, 2, nic_fields, RS_ARRAY_LEN(nic_fields), n);
}

static void
change_queue(const struct line *l)
{
	static const char *const keys[] = {"pps", "drops", "napi", NULL};
	const struct rs_nic_view *const n = nic_named(l, 1);

	if (!is(l, 2, "rx") && !is(l, 2, "tx"))
		wrong(l, "expected interface, rx or tx, and queue");
	only_keys(l, 4, keys);
	struct rs_queue_view *const q = rs_vb_queue(s.b, n->info.ifindex, is(l, 2, "tx"),
	    (uint16_t)number(l, 3), value_of(l, 4, "pps", 0), value_of(l, 4, "drops", 0));
	q->napi = (uint32_t)value_of(l, 4, "napi", q->napi);
}

#define HOST(key, field)                                                                           \
	{                                                                                          \
		key, offsetof(struct rs_view, field), 1, false                                     \
	}
static const struct field conntrack_fields[] = {
    HOST("dropped", conntrack_dropped_pps),
    HOST("early", conntrack_early_drops_ps),
    HOST("insert_failed", conntrack_insert_failed_ps),
};

static void
change_conntrack(const struct line *l)
{
	static const char *const more[] = {NULL};

	s.b->v.conntrack_entries = number(l, 1);
	only_fields(l, 2, conntrack_fields, RS_ARRAY_LEN(conntrack_fields), more);
	set_fields(l, 2, conntrack_fields, RS_ARRAY_LEN(conntrack_fields), &s.b->v);
}

static void
make_blind(const struct line *l)
{
	const bool is_all = l->n == 1;

	if (!is_all && !is(l, 1, "interrupts") && !is(l, 1, "packets"))
		wrong(l, "blind to what?");
	s.b->lacks_interrupts = is_all || is(l, 1, "interrupts");
	for (size_t i = 0; (is_all || is(l, 1, "packets")) && i < s.b->n_cores; i++) {
		struct rs_core_view *c = &s.b->cores[i];
		c->processed_pps = c->dropped_pps = c->rps_ps = NAN;
	}
}

static void
change_thread(const struct line *l)
{
	static const char *const classes[] = {
	    [RS_THREAD_NAPI] = "napi",
	    [RS_THREAD_IRQ] = "irq",
	    [RS_THREAD_VPN] = "vpn",
	    [RS_THREAD_KSOFTIRQD] = "ksoftirqd",
	    [RS_THREAD_USER] = "user",
	};
	size_t class = 0;

	while (class < RS_ARRAY_LEN(classes) && !is(l, 1, classes[class]))
		class ++;
	static const char *const keys[] = {"pid", "of", NULL};
	if (class == RS_ARRAY_LEN(classes) || l->n < 5)
		wrong(l, "expected class, name, core and load");
	only_keys(l, 5, keys);
	struct rs_thread *const t = &rs_vb_thread(s.b, (enum rs_thread_class) class, l->word[2],
	    (unsigned)number(l, 3), number(l, 4) / 100.0)
					 ->thread;
	t->pid = (int32_t)value_of(l, 5, "pid", t->pid);
	t->threads = (uint32_t)value_of(l, 5, "of", t->threads);
}

/* What a setting is of: a number, an interface, or one of its queues ("eth0:1"). */
static uint32_t
setting_key(const struct line *l, uint16_t *ret_queue)
{
	char *const colon = strchr(l->word[2], ':');
	double n = 0.0;

	*ret_queue = RS_NO_QUEUE;
	if (rs_num_double(rs_text_of(l->word[2]), &n) == 0)
		return (uint32_t)n;
	if (colon) {
		if (rs_num_double(rs_text_of(colon + 1), &n) < 0)
			wrong(l, "expected a queue behind the colon");
		*ret_queue = (uint16_t)n;
		*colon = '\0';
	}
	const uint32_t ifindex = nic_named(l, 2)->info.ifindex;
	if (colon)
		*colon = ':';
	return ifindex;
}

static void
change_setting(const struct line *l)
{
	const enum rs_fact_id id = rs_fact_find(rs_text_of(l->word[1]));
	uint16_t queue;

	if (l->n < 4 || id == RS_F_COUNT)
		wrong(l, "expected the name of a setting, what it is of, and a value");
	const uint32_t key = setting_key(l, &queue);
	rs_vb_fact(s.b, id, key, queue, rs_text_of(l->tail[3]));
}

/* "10.0.0.2:5201", "[2001:db8::1]:53", without port where the protocol has none. */
static uint16_t
flow_end(const struct line *l, size_t i, bool *ret_is_ipv6, uint8_t address[static 16])
{
	char text[64];
	double port = 0.0;

	(void)snprintf(text, sizeof(text), "%s", i < l->n ? l->word[i] : "");
	*ret_is_ipv6 = text[0] == '[';
	char *const end = strchr(text, *ret_is_ipv6 ? ']' : ':');
	const char *const digits = end ? end + (*ret_is_ipv6 ? 2 : 1) : NULL;
	if (end)
		*end = '\0';
	if (inet_pton(*ret_is_ipv6 ? AF_INET6 : AF_INET, text + *ret_is_ipv6, address) != 1 ||
	    (digits && rs_num_double(rs_text_of(digits), &port) < 0))
		wrong(l, "expected address and port as word %zu", i + 1);
	return (uint16_t)port;
}

static void
change_flow(const struct line *l)
{
	static const struct {
		const char *name;
		uint8_t protocol;
	} protocols[] = {{"tcp", 6}, {"udp", 17}, {"gre", 47}, {"esp", 50}};
	struct rs_heavy_flow f = {.bps = number(l, 5) * 1e6};
	bool is_ipv6;

	if (l->n != 6)
		wrong(l, "expected interface, source, destination, protocol, Mbit/s");
	f.ifindex = is(l, 1, "-") ? 0 : nic_named(l, 1)->info.ifindex;
	f.ends.source_port = flow_end(l, 2, &f.ends.is_ipv6, f.ends.source);
	f.ends.destination_port = flow_end(l, 3, &is_ipv6, f.ends.destination);
	for (size_t i = 0; i < RS_ARRAY_LEN(protocols); i++) {
		if (is(l, 4, protocols[i].name))
			f.protocol = protocols[i].protocol;
	}
	if (f.protocol == 0 || is_ipv6 != f.ends.is_ipv6)
		wrong(l, "no such protocol, or addresses of two kinds");
	rs_vb_flow(s.b, &f);
}

static bool
change(const struct line *l)
{
	if (is(l, 0, "core")) {
		const struct rs_cpuset set = cpus(l, 1);
		for (unsigned cpu = rs_cpuset_next(&set, 0); cpu < RS_CPU_MAX;
		     cpu = rs_cpuset_next(&set, cpu + 1))
			change_core(l, cpu);
	} else if (is(l, 0, "nic")) {
		change_nic(l);
	} else if (is(l, 0, "queue")) {
		change_queue(l);
	} else if (is(l, 0, "conntrack")) {
		change_conntrack(l);
	} else if (is(l, 0, "flow")) {
		change_flow(l);
	} else if (is(l, 0, "temperature")) {
		s.b->v.temperature_celsius = number(l, 1);
	} else if (is(l, 0, "fire") || is(l, 0, "also")) {
		const size_t irq = irq_named(l, 1);
		if (is(l, 0, "fire"))
			rs_vb_silence(s.b, irq);
		rs_vb_fire(s.b, irq, (unsigned)number(l, 2), number(l, 3));
	} else if (is(l, 0, "unhandled")) {
		s.b->irqs[irq_named(l, 1)].unhandled_ps = number(l, 2);
	} else if (is(l, 0, "setting")) {
		change_setting(l);
	} else if (is(l, 0, "thread")) {
		change_thread(l);
	} else if (is(l, 0, "unread") || is(l, 0, "read")) {
		s.is_unread = is(l, 0, "unread");
	} else if (is(l, 0, "blind")) {
		make_blind(l);
	} else if (is(l, 0, "skip") || is(l, 0, "tick")) {
		s.is_skipping = is(l, 0, "skip");
	} else {
		return false;
	}
	return true;
}

/* Plays the lines of spans that began before now. */
static void
play(void)
{
	for (; s.next < s.n_lines; s.next++) {
		const struct line *l = &s.lines[s.next];
		if (is(l, 0, "from")) {
			if (duration(l, 1) >= s.now_ns)
				return;
		} else if (!is(l, 0, "expect") && !is(l, 0, "at") && !is(l, 0, "end") &&
			   !change(l) && !set_up(l)) {
			wrong(l, "'%s' is not understood", l->word[0]);
		}
	}
}

static void
note(void *arg, enum rs_finding_event kind, const struct rs_finding *f)
{
	(void)arg;
	if (s.n_events == EVENTS_MAX)
		wrong(NULL, "too many events");
	struct event *ev = &s.events[s.n_events++];
	ev->at_ns = s.now_ns;
	ev->kind = kind;
	memcpy(ev->code, f->code, sizeof(ev->code));
	if (kind == RS_FINDING_CLEARED)
		s.last_cleared_ms = f->cleared_ms;
}

/* As the model does when /proc/stat cannot be read: no core has a value. */
static const struct rs_view *
next_view(void)
{
	if (!s.is_unread)
		return rs_vb_tick(s.b);
	const size_t size = s.b->n_cores * sizeof(*s.b->cores);
	struct rs_core_view *kept = malloc(size);
	if (!kept)
		abort();
	memcpy(kept, s.b->cores, size);
	for (unsigned cpu = 0; cpu < s.b->n_cores; cpu++)
		rs_vb_core_unknown(s.b, cpu);
	rs_vb_tick(s.b);
	memcpy(s.b->cores, kept, size);
	free(kept);
	return &s.b->v;
}

/* Claims. */

static const struct rs_finding *
finding(const char *code)
{
	const struct rs_finding *f[RS_FINDINGS_MAX];
	const size_t n = rs_engine_active(s.engine, f, RS_FINDINGS_MAX);

	for (size_t i = 0; i < n; i++) {
		if (strcmp(f[i]->code, code) == 0)
			return f[i];
	}
	return NULL;
}

/* Everything a finding says, a line each. */
static void
describe(const struct rs_finding *f, struct rs_buf *out)
{
	rs_buf_printf(out, "%s\n", f->message);
	for (uint32_t i = 0; i < f->n_causes; i++)
		rs_buf_printf(out, "cause: %s\n", f->causes[i]);
	for (uint32_t i = 0; i < f->n_evidence; i++) {
		const struct rs_evidence *ev = &f->evidence[i];
		/* What was measured is no part of a label: that stays the same. */
		ck_assert_msg(!strchr(ev->label, '%'), "%s: label %s", s.file, ev->label);
		rs_buf_printf(out, "%s: ", ev->label);
		if (!isnan(ev->value))
			rs_buf_printf(out, "%g %s", ev->value, rs_unit_name(ev->unit));
		rs_buf_printf(out, isnan(ev->value) || !ev->text[0] ? "%s\n" : " (%s)\n", ev->text);
	}
	for (uint32_t i = 0; i < f->n_advice; i++)
		rs_buf_printf(out, "do: %s\nexpect: %s\nundo: %s\n", f->advice[i].command,
		    f->advice[i].expect, f->advice[i].undo);
}

/* The causes that it is not, a line each. */
static void
describe_others(const struct rs_finding *f, struct rs_buf *out)
{
	for (uint32_t i = 0; i < f->n_ruled_out; i++)
		rs_buf_printf(out, "%s: %s\n", f->ruled_out[i].code, f->ruled_out[i].reason);
}

static void
check_words(const struct line *l, const struct rs_finding *f)
{
	if (l->n > 4 && !is(l, 4, rs_severity_name(f->severity)))
		wrong(l, "severity is %s", rs_severity_name(f->severity));
	if (l->n > 5 && !is(l, 5, rs_confidence_name(f->confidence)))
		wrong(l, "confidence is %s", rs_confidence_name(f->confidence));
	if (l->n > 6 && !is(l, 6, rs_subject_kind_name(f->subject.kind)))
		wrong(l, "subject is a %s", rs_subject_kind_name(f->subject.kind));
	if (l->n > 7 && f->subject.core != (int32_t)number(l, 7))
		wrong(l, "core is %d", (int)f->subject.core);
	if (l->n > 8 && !is(l, 8, f->subject.device))
		wrong(l, "device is '%s'", f->subject.device);
}

static void
check_finding(const struct line *l)
{
	struct rs_buf text;
	const struct rs_finding *f = finding(l->word[3]);

	if (!f)
		wrong(l, "%s does not stand; the line is: %s", l->word[3], s.verdict.line);
	rs_buf_init(&text, 65536);
	if (is(l, 2, "excludes") || is(l, 2, "spares"))
		describe_others(f, &text);
	else
		describe(f, &text);
	const bool wants = is(l, 2, "has") || is(l, 2, "excludes");
	if (is(l, 2, "is"))
		check_words(l, f);
	else if (l->n < 5)
		wrong(l, "which text?");
	else if ((strstr(rs_buf_cstr(&text), l->tail[4]) != NULL) != wants)
		wrong(l, "it says:\n%s", rs_buf_cstr(&text));
	rs_buf_fini(&text);
}

static void
check_claim(const struct line *l)
{
	if (l->n < 4)
		wrong(l, "which claim?");
	if (is(l, 2, "state")) {
		if (!is(l, 3, rs_state_name(s.verdict.state)))
			wrong(l, "state is %s: %s", rs_state_name(s.verdict.state), s.verdict.line);
	} else if (is(l, 2, "line")) {
		if (!strstr(s.verdict.line, l->tail[3]))
			wrong(l, "the line is: %s", s.verdict.line);
	} else if (is(l, 2, "not")) {
		if (strstr(s.verdict.line, l->tail[3]))
			wrong(l, "the line is: %s", s.verdict.line);
	} else if (is(l, 2, "waits")) {
		const char *why = rs_engine_not_evaluated(s.engine, rule_index(l, 3));
		if (!why || (l->n > 4 && !strstr(why, l->tail[4])))
			wrong(l, "the reason is: %s", why ? why : "none, it was evaluated");
	} else if (is(l, 2, "has") || is(l, 2, "is") || is(l, 2, "lacks") || is(l, 2, "excludes") ||
		   is(l, 2, "spares")) {
		check_finding(l);
	} else {
		wrong(l, "'%s' is no claim", l->word[2]);
	}
}

static void
check_claims(void)
{
	for (size_t i = 0; i < s.n_lines; i++) {
		if (is(&s.lines[i], 0, "at") && duration(&s.lines[i], 1) == s.now_ns)
			check_claim(&s.lines[i]);
	}
}

static void
check_events(void)
{
	static const char *const kinds[] = {"raised", "changed", "cleared"};
	size_t next = 0;

	for (size_t i = 0; i < s.n_lines; i++) {
		const struct line *l = &s.lines[i];
		if (!is(l, 0, "expect"))
			continue;
		if (next == s.n_events)
			wrong(l, "this event did not come");
		const struct event *ev = &s.events[next++];
		if (duration(l, 1) != ev->at_ns || !is(l, 2, kinds[ev->kind]) ||
		    !is(l, 3, ev->code))
			wrong(l, "instead at %.1f s: %s %s", (double)ev->at_ns / 1e9,
			    kinds[ev->kind], ev->code);
	}
	if (next < s.n_events)
		wrong(NULL, "not expected at %.1f s: %s %s", (double)s.events[next].at_ns / 1e9,
		    kinds[s.events[next].kind], s.events[next].code);
}

/* Files. */

static void
split_line(char *text, const char *copy, unsigned number_)
{
	struct line *l = &s.lines[s.n_lines];

	memset(l, 0, sizeof(*l));
	l->number = number_;
	for (char *p = text; *p && *p != '#'; p++) {
		if (*p == ' ' || *p == '\t')
			continue;
		if (l->n == WORDS_MAX)
			break;
		l->tail[l->n] = copy + (p - text);
		l->word[l->n++] = p;
		while (*p && *p != ' ' && *p != '\t')
			p++;
		if (!*p)
			break;
		*p = '\0';
	}
	if (l->n > 0)
		s.n_lines++;
}

/* The rest of a line is a claim's text: without its comment. */
static void
cut_comment(char *line)
{
	char *const end = line + strcspn(line, "#");

	*end = '\0';
	for (char *p = end; p > line && (p[-1] == ' ' || p[-1] == '\t');)
		*--p = '\0';
}

static void
load(const char *file)
{
	char path[512];
	unsigned number_ = 0;

	memset(&s, 0, sizeof(s));
	s.file = file;
	(void)snprintf(path, sizeof(path), "%s/scenarios/%s", RS_TEST_DIR, file);
	FILE *f = fopen(path, "r");
	ck_assert_msg(f != NULL, "%s: cannot open", path);
	const size_t len = fread(s.text, 1, sizeof(s.text) - 1, f);
	ck_assert_msg(len + 1 < sizeof(s.text), "%s: too long", path);
	(void)fclose(f);
	memcpy(s.copy, s.text, sizeof(s.copy));
	for (char *p = s.text, *end; *p; p = end + 1) {
		end = p + strcspn(p, "\n");
		const bool is_last = !*end;
		*end = s.copy[end - s.text] = '\0';
		cut_comment(s.copy + (p - s.text));
		ck_assert_msg(s.n_lines < LINES_MAX, "%s: too many lines", file);
		split_line(p, s.copy + (p - s.text), ++number_);
		if (is_last)
			break;
	}
	for (size_t i = 0; rs_rules[i]; i++) {
		rs_rule_conf_default(rs_rules[i], &s.confs[i]);
		/* The traffic of scenarios stands still as no real one does. */
		s.confs[i].is_enabled = strcmp(rs_rules[i]->code, "rate.external") != 0;
	}
	for (size_t i = 0; i < s.n_lines; i++) {
		if (is(&s.lines[i], 0, "end"))
			s.end_ns = duration(&s.lines[i], 1);
	}
	ck_assert_msg(s.end_ns > 0, "%s: no 'end'", file);
}

START_TEST(scenario)
{
	const struct rs_finding *active[RS_FINDINGS_MAX];

	load(files[_i]);
	while (s.next < s.n_lines && !is(&s.lines[s.next], 0, "from")) {
		if (!set_up(&s.lines[s.next]))
			wrong(&s.lines[s.next], "'%s' is not understood", s.lines[s.next].word[0]);
		s.next++;
	}
	ck_assert_int_eq(rs_engine_new(rs_rules, s.confs, 1, &s.engine), 0);
	while (s.now_ns < s.end_ns) {
		s.now_ns += s.b->v.interval_ns;
		play();
		if (s.is_skipping) {
			rs_vb_skip(s.b, 1);
			continue;
		}
		s.b->v.missing = s.is_unread ? "/proc/stat" : NULL;
		const struct rs_view *v = next_view();
		rs_engine_run(s.engine, v, note, NULL);
		const size_t n = rs_engine_active(s.engine, active, RS_FINDINGS_MAX);
		rs_verdict_make(v, active, n, rs_recent_line(rs_engine_recent(s.engine)),
		    s.last_cleared_ms, &s.verdict);
		if (getenv("RS_SCENARIO_LINES"))
			(void)fprintf(stderr, "%s %4.1f %-7s %s\n", s.file, (double)s.now_ns / 1e9,
			    rs_state_name(s.verdict.state), s.verdict.line);
		check_claims();
	}
	check_events();
	rs_engine_free(s.engine);
	rs_vb_free(s.b);
}
END_TEST

static int
by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void
list_files(void)
{
	DIR *dir = opendir(RS_TEST_DIR "/scenarios");
	const char *only = getenv("RS_SCENARIO");

	for (const struct dirent *d; dir && (d = readdir(dir)) != NULL;) {
		const size_t len = strlen(d->d_name);
		if (len < 5 || len >= sizeof(files[0]) || n_files == FILES_MAX ||
		    strcmp(d->d_name + len - 4, ".txt") != 0 || (only && !strstr(d->d_name, only)))
			continue;
		memcpy(files[n_files++], d->d_name, len + 1);
	}
	if (dir)
		(void)closedir(dir);
	qsort(files, (size_t)n_files, sizeof(files[0]), by_name);
}

/* Each rule has at least one scenario in which it is raised and cleared. */
START_TEST(scenarios_cover_every_rule)
{
	for (size_t r = 0; rs_rules[r]; r++) {
		bool is_raised = false, is_cleared = false;
		for (int i = 0; i < n_files; i++) {
			load(files[i]);
			for (size_t k = 0; k < s.n_lines; k++) {
				const struct line *l = &s.lines[k];
				if (!is(l, 0, "expect") || !is(l, 3, rs_rules[r]->code))
					continue;
				is_raised |= is(l, 2, "raised");
				is_cleared |= is(l, 2, "cleared");
			}
		}
		ck_assert_msg(is_raised && is_cleared, "%s", rs_rules[r]->code);
	}
}
END_TEST

static Suite *
suite(void)
{
	Suite *suite = suite_create("scenarios");
	TCase *tc = tcase_create("scenarios");

	list_files();
	tcase_add_loop_test(tc, scenario, 0, n_files);
	if (!getenv("RS_SCENARIO"))
		tcase_add_test(tc, scenarios_cover_every_rule);
	suite_add_tcase(suite, tc);
	return suite;
}

RS_CHECK_MAIN(suite())
