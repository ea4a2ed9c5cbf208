/* SPDX-License-Identifier: ISC */
/*
 * Settings of the machine and of its cores' clocks: sysctls of the receive path,
 * kernel and firmware, boost, frequency policies, irqbalance. All in one go: of what
 * is read once in a while the first step costs most. Allocates only when frequency
 * policies appear. Loop thread.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector.h"
#include "irqbalance.h"
#include "kept.h"
#include "machine.h"
#include "num.h"
#include "settings.h"

#define CPU "sys/devices/system/cpu/"
#define CORE "proc/sys/net/core/"
#define CONNTRACK "proc/sys/net/netfilter/nf_conntrack_"
#define DMI "sys/class/dmi/id/"

enum { POLICIES_MAX = 2048, FILES_KEPT = 96 };

/* "#1 SMP PREEMPT_RT Debian 6.1.90-1 (2024-05-03)": kernels of 6.12 and newer need no
 * other name for it (scripts/mkcompile_h, init/Makefile). */
static bool
form_realtime(struct rs_text t, char ret[static RS_SETTING_BYTES])
{
	struct rs_text word;
	bool is_rt = false;

	while (rs_text_word(&t, &word))
		is_rt |= rs_text_eq(word, "PREEMPT_RT") || rs_text_eq(word, "PREEMPT-RT");
	return rs_setting_word(rs_text_of(is_rt ? "on" : "off"), ret);
}

/* One file each; `other` where a different driver has its own. The sysctls exist
 * in the first network namespace only (net/core/sysctl_net_core.c). */
static const struct {
	enum rs_fact_id id;
	const char *path;
	rs_setting_form form;
	const char *other;
	rs_setting_form other_form;
} singles[] = {
    {RS_F_KERNEL, "proc/sys/kernel/osrelease", rs_setting_word, NULL, NULL},
    {RS_F_REALTIME, "proc/sys/kernel/version", form_realtime, NULL, NULL},
    {RS_F_NETDEV_BUDGET, CORE "netdev_budget", rs_setting_number, NULL, NULL},
    {RS_F_NETDEV_BUDGET_USECS, CORE "netdev_budget_usecs", rs_setting_number, NULL, NULL},
    {RS_F_NETDEV_MAX_BACKLOG, CORE "netdev_max_backlog", rs_setting_number, NULL, NULL},
    {RS_F_DEV_WEIGHT, CORE "dev_weight", rs_setting_number, NULL, NULL},
    {RS_F_RPS_SOCK_FLOWS, CORE "rps_sock_flow_entries", rs_setting_number, NULL, NULL},
    {RS_F_CPU_BOOST, CPU "intel_pstate/no_turbo", rs_setting_inverse, CPU "cpufreq/boost",
	rs_setting_switch},
    {RS_F_IP_FORWARD, "proc/sys/net/ipv4/ip_forward", rs_setting_switch, NULL, NULL},
    {RS_F_CONNTRACK_MAX, CONNTRACK "max", rs_setting_number, NULL, NULL},
    {RS_F_CONNTRACK_BUCKETS, CONNTRACK "buckets", rs_setting_number, NULL, NULL},
    {RS_F_CONNTRACK_ESTABLISHED, CONNTRACK "tcp_timeout_established", rs_setting_number, NULL,
	NULL},
};

/* Of a frequency policy, which several cores may share. */
static const struct {
	enum rs_fact_id id;
	const char *file;
	rs_setting_form form;
} of_policies[] = {
    {RS_F_GOVERNOR, "scaling_governor", rs_setting_word},
    {RS_F_FREQ_MIN, "scaling_min_freq", rs_setting_number},
    {RS_F_FREQ_MAX, "scaling_max_freq", rs_setting_number},
    {RS_F_GOVERNORS, "scaling_available_governors", rs_setting_word},
};

enum { SINGLES = RS_ARRAY_LEN(singles), OF_POLICY = RS_ARRAY_LEN(of_policies) };

/* The steps of a round; kernel, firmware and what the machine is are read in some
 * only. */
enum {
	STEP_KERNEL = 0,
	STEP_REALTIME,
	STEP_FIRMWARE = SINGLES,
	STEP_MACHINE,
	FIRST_POLICY = STEP_MACHINE + RS_MACHINE_STEPS
};

struct policy {
	uint32_t number;
	int32_t file[OF_POLICY];
	bool is_listed;
	struct rs_cpuset cpus;
};

struct state {
	const struct rs_root *root;
	struct rs_kept *kept;
	struct rs_irqbalance *irqbalance; /* NULL: a captured tree */
	int32_t file[SINGLES], other[SINGLES];
	int32_t bios_version, bios_date;
	struct policy *policies;
	size_t n, cap;
	size_t at;
	unsigned round;
	bool is_slow; /* kernel, firmware and the list of policies in this round too */
	struct rs_rounds rounds;
};

static size_t
steps_of(const struct state *s)
{
	return FIRST_POLICY + s->n * OF_POLICY;
}

/* --- frequency policies --- */

static struct policy *
find_policy(const struct state *s, uint64_t number)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->policies[i].number == number)
			return &s->policies[i];
	}
	return NULL;
}

static struct policy *
add_policy(struct state *s, uint32_t number)
{
	if (s->n == s->cap) {
		const size_t cap = RS_MIN(s->cap * 2 + 4, (size_t)POLICIES_MAX);
		struct policy *const p = s->n < cap ? realloc(s->policies, cap * sizeof(*p)) : NULL;
		if (!p)
			return NULL;
		s->policies = p;
		s->cap = cap;
	}
	struct policy *const p = &s->policies[s->n];
	memset(p, 0, sizeof(*p));
	p->number = number;
	for (size_t k = 0; k < OF_POLICY; k++)
		p->file[k] = RS_KEPT_NEW;
	/* Its cores, online or not, with blanks between. */
	int32_t file = RS_KEPT_NEW;
	struct rs_text t;
	uint64_t cpu;
	if (rs_kept_read(s->kept, &file, &t, CPU "cpufreq/policy%u/related_cpus", number) != 0)
		return NULL;
	while (rs_text_u64(&t, &cpu)) {
		if (cpu < RS_CPU_MAX)
			rs_cpuset_add(&p->cpus, (unsigned)cpu);
	}
	rs_kept_drop(s->kept, &file);
	s->n++;
	return p;
}

static bool
note_name(void *arg, const char *name)
{
	struct state *const s = arg;
	struct rs_text t = rs_text_of(name);
	uint64_t number;
	if (!rs_text_skip(&t, "policy") || rs_num_u64(t, &number) != 0 || number >= RS_CPU_MAX)
		return true;
	struct policy *p = find_policy(s, number);
	if (!p)
		p = add_policy(s, (uint32_t)number);
	if (p)
		p->is_listed = true;
	return true;
}

static void
drop_policy(struct state *s, struct rs_frame *f, struct policy *p)
{
	for (size_t k = 0; k < OF_POLICY; k++) {
		rs_kept_drop(s->kept, &p->file[k]);
		for (unsigned cpu = rs_cpuset_next(&p->cpus, 0); cpu < RS_CPU_MAX;
		     cpu = rs_cpuset_next(&p->cpus, cpu + 1))
			rs_put_fact_gone(f, of_policies[k].id, cpu, RS_NO_QUEUE);
	}
}

static void
list_policies(struct state *s, struct rs_frame *f)
{
	for (size_t i = 0; i < s->n; i++)
		s->policies[i].is_listed = false;
	(void)rs_root_list(s->root, CPU "cpufreq", note_name, s);
	size_t kept = 0;
	for (size_t i = 0; i < s->n; i++) {
		struct policy *const p = &s->policies[i];
		if (!p->is_listed)
			drop_policy(s, f, p);
		else if (kept++ != i)
			s->policies[kept - 1] = *p;
	}
	s->n = kept;
}

static void
read_policy(struct state *s, struct rs_frame *f, struct policy *p, size_t k)
{
	struct rs_setting what = {of_policies[k].id, 0, RS_NO_QUEUE, of_policies[k].form};
	struct rs_text t = {NULL, NULL};
	const int error = rs_kept_read(
	    s->kept, &p->file[k], &t, CPU "cpufreq/policy%u/%s", p->number, of_policies[k].file);
	for (unsigned cpu = rs_cpuset_next(&p->cpus, 0); cpu < RS_CPU_MAX;
	     cpu = rs_cpuset_next(&p->cpus, cpu + 1)) {
		what.key = cpu;
		rs_setting_told(&s->rounds, f, &what, error, t);
	}
}

/* --- the rest --- */

static void
read_single(struct state *s, struct rs_frame *f, size_t i)
{
	struct rs_setting what = {singles[i].id, 0, RS_NO_QUEUE, singles[i].form};
	struct rs_text t = {NULL, NULL};
	int error = rs_kept_read(s->kept, &s->file[i], &t, "%s", singles[i].path);
	if (error == -ENOENT && singles[i].other) {
		what.form = singles[i].other_form;
		error = rs_kept_read(s->kept, &s->other[i], &t, "%s", singles[i].other);
	}
	rs_setting_told(&s->rounds, f, &what, error, t);
}

/* "v4.11.0.6 04/26/2020"; machines with a device tree have none. */
static void
read_firmware(struct state *s, struct rs_frame *f)
{
	const struct rs_setting what = {RS_F_FIRMWARE, 0, RS_NO_QUEUE, rs_setting_word};
	char text[256];
	struct rs_text t = {NULL, NULL};
	const int error = rs_kept_read(s->kept, &s->bios_version, &t, DMI "bios_version");
	if (error) {
		rs_setting_told(&s->rounds, f, &what, error, t);
		return;
	}
	t = rs_text_trim(t);
	if (t.p == t.end)
		return;
	(void)rs_text_copy(t, text, sizeof(text) / 2);
	if (rs_kept_read(s->kept, &s->bios_date, &t, DMI "bios_date") == 0) {
		const size_t len = strlen(text);
		text[len] = ' ';
		(void)rs_text_copy(rs_text_trim(t), text + len + 1, sizeof(text) - len - 1);
	}
	rs_setting_told(&s->rounds, f, &what, 0, rs_text_of(text));
}

static void
read_irqbalance(struct state *s, struct rs_frame *f)
{
	if (!s->irqbalance)
		return;
	const int answer = rs_irqbalance_look(s->irqbalance, f->at_ns);
	if (answer < 0)
		return;
	rs_put_fact(
	    f, RS_F_IRQBALANCE, 0, RS_NO_QUEUE, rs_text_of(answer ? "running" : "not running"));
}

/* Which governors there are changes only with modules. */
static bool
is_due(const struct state *s, size_t of_policy)
{
	return of_policies[of_policy].id != RS_F_GOVERNORS || s->is_slow;
}

static void
step(struct state *s, struct rs_frame *f, size_t at)
{
	if (at == STEP_FIRMWARE && s->is_slow)
		read_firmware(s, f);
	else if (at >= STEP_MACHINE && at < FIRST_POLICY && s->is_slow)
		rs_machine_read(s->root, (unsigned)(at - STEP_MACHINE), f);
	else if (at < SINGLES && (at > STEP_REALTIME || s->is_slow))
		read_single(s, f, at);
	else if (at >= FIRST_POLICY && is_due(s, (at - FIRST_POLICY) % OF_POLICY))
		read_policy(s, f, &s->policies[(at - FIRST_POLICY) / OF_POLICY],
		    (at - FIRST_POLICY) % OF_POLICY);
}

/* What seldom changes, and what was missing, is looked for in some rounds only. */
static void
begin_round(struct state *s, struct rs_frame *f)
{
	rs_rounds_end(&s->rounds);
	s->at = 0;
	s->is_slow = !rs_root_is_live(s->root) || s->round++ % RS_ROUND_SLOW == 0;
	if (!s->is_slow)
		return;
	list_policies(s, f);
	for (size_t i = 0; i < SINGLES; i++) {
		rs_kept_retry(&s->file[i]);
		rs_kept_retry(&s->other[i]);
	}
	rs_kept_retry(&s->bios_version);
	rs_kept_retry(&s->bios_date);
	for (size_t i = 0; i < s->n * OF_POLICY; i++)
		rs_kept_retry(&s->policies[i / OF_POLICY].file[i % OF_POLICY]);
}

static int
collect(void *state, struct rs_frame *f)
{
	struct state *const s = state;
	const bool is_first = !s->rounds.has_begun, is_live = rs_root_is_live(s->root);
	if (is_first || !is_live || s->at >= steps_of(s))
		begin_round(s, f);
	size_t due = rs_rounds_due(&s->rounds, steps_of(s), f->at_ns);
	if (!is_live)
		due = steps_of(s);
	for (; due > 0 && s->at < steps_of(s); due--)
		step(s, f, s->at++);
	read_irqbalance(s, f);
	rs_rounds_note(&s->rounds, f);
	return 0;
}

static void
close_host(void *state)
{
	struct state *const s = state;
	rs_irqbalance_close(s->irqbalance);
	for (size_t i = 0; i < SINGLES; i++) {
		rs_kept_drop(s->kept, &s->file[i]);
		rs_kept_drop(s->kept, &s->other[i]);
	}
	rs_kept_drop(s->kept, &s->bios_version);
	rs_kept_drop(s->kept, &s->bios_date);
	for (size_t i = 0; i < s->n * OF_POLICY; i++)
		rs_kept_drop(s->kept, &s->policies[i / OF_POLICY].file[i % OF_POLICY]);
	rs_kept_close(s->kept);
	free(s->policies);
	free(s);
}

static int
open_host(const struct rs_root *root, void **ret_state)
{
	struct state *const s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->root = root;
	for (size_t i = 0; i < SINGLES; i++)
		s->file[i] = s->other[i] = RS_KEPT_NEW;
	s->bios_version = s->bios_date = RS_KEPT_NEW;
	const int error = rs_kept_open(root, FILES_KEPT, &s->kept);
	if (error) {
		free(s);
		return error;
	}
	/* Without it that one setting is not known. */
	if (rs_root_is_live(root) && rs_irqbalance_open(root, s->kept, &s->irqbalance) != 0)
		s->irqbalance = NULL;
	*ret_state = s;
	return 0;
}

static const char *const paths[] = {"proc/sys/kernel/osrelease", CORE "netdev_budget",
    CORE "netdev_budget_usecs", CORE "netdev_max_backlog", CORE "dev_weight",
    CORE "rps_sock_flow_entries", "proc/sys/net/ipv4/ip_forward", CONNTRACK "max",
    CONNTRACK "buckets", CONNTRACK "tcp_timeout_established", CPU "intel_pstate/no_turbo",
    CPU "cpufreq/boost", CPU "cpufreq/policy*", DMI "bios_version", DMI "bios_date", "proc/*/comm",
    "proc/sys/kernel/version", "proc/cpuinfo", "etc/os-release",
    "sys/devices/system/node/node*/cpulist", NULL};

RS_COLLECTOR(settings_host) = {
    .id = "host_settings",
    .summary = "sysctls, kernel, firmware, frequency policies, irqbalance",
    .paths = paths,
    .period_ms = RS_ROUND_NS / RS_NS_PER_MS,
    .where = RS_WHERE_LIVE | RS_WHERE_CAPTURE,
    .open = open_host,
    .collect = collect,
    .close = close_host,
};
