/* SPDX-License-Identifier: ISC */
/*
 * Screens: shares of a moment, and threads that do packets.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/court.h"
#include "linux/thread_names.h"

/* Cores of all screens together. */
enum { CORES_JUDGED = 1 << 18 };

bool
rs_thread_is_kernel(const char *name, bool *ret_does_packets)
{
	static const char *const begins[] = {"[", "intr{", "idle", "kernel{", "swi", "irq",
	    "ksoftirqd/", "kworker/", "migration/", "rcu_", "napi/", "system idle"};
	struct rs_text t = rs_text_of(name);
	struct rs_thread thread = {0};

	(void)rs_text_skip(&t, "[");
	if (t.p < t.end && t.end[-1] == ']')
		t.end--;
	/* iflib's threads poll NICs and are booked as system (sys/net/iflib.c). */
	*ret_does_packets = rs_text_starts(t, "kernel{if_io_tqg") ||
			    (rs_thread_classify(t, &thread) &&
				(thread.class == RS_THREAD_NAPI || thread.class == RS_THREAD_IRQ ||
				    thread.class == RS_THREAD_VPN));
	for (size_t i = 0; i < RS_ARRAY_LEN(begins); i++) {
		if (strncmp(name, begins[i], strlen(begins[i])) == 0)
			return true;
	}
	return *ret_does_packets;
}

/* Threads that do packets, on the core; NAN: none is listed there. */
static double
packet_threads_on(const struct rs_screen *s, int32_t cpu)
{
	double sum = NAN;

	for (size_t i = 0; i < s->n_threads; i++) {
		const struct rs_screen_thread *const t = &s->threads[i];
		bool does_packets;
		(void)rs_thread_is_kernel(t->name, &does_packets);
		if (does_packets && t->cpu == cpu)
			sum = (isnan(sum) ? 0.0 : sum) + t->load;
	}
	return sum;
}

static size_t
shares_of_screen(const struct rs_screen *s, struct rs_shares *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_cores; i++) {
		const struct rs_screen_core *const c = &s->cores[i];
		/* Without interrupts and idle time it says nothing of load. */
		if (isnan(c->idle) || (isnan(c->softirq) && isnan(c->irq)))
			continue;
		ret[n++] = (struct rs_shares){
		    .cpu = (unsigned)c->cpu,
		    .user = c->user,
		    .nice = c->nice,
		    .system = c->system,
		    .idle = c->idle,
		    .iowait = c->iowait,
		    .irq = c->irq,
		    /* FreeBSD has interrupts alone. */
		    .softirq = isnan(c->softirq) ? 0.0 : c->softirq,
		    .steal = c->steal,
		    .nic_interrupts_ps = NAN,
		    .processed_pps = NAN,
		    .packet_threads = packet_threads_on(s, c->cpu),
		};
	}
	return n;
}

/* The first of the screens that are judged: as many as the rules have time for. */
static size_t
find_first(const struct rs_screens *s, size_t *ret_loaded)
{
	size_t i = s->n, cores = 0;

	*ret_loaded = 0;
	while (i > 0 && cores + s->at[i - 1].n_cores <= CORES_JUDGED) {
		cores += s->at[--i].n_cores;
		*ret_loaded += s->at[i].n_cores > 0;
	}
	return i;
}

int
rs_judged_screens(
    const struct rs_screens *screens, const struct rs_cpu_info *cpus, struct rs_judged *ret)
{
	size_t loaded;
	const size_t first = find_first(screens, &loaded);
	struct rs_shares *const cores = calloc(RS_CPU_MAX, sizeof(*cores));
	struct rs_court c;
	int rc = cores != NULL ? 0 : -ENOMEM;

	memset(ret, 0, sizeof(*ret));
	if (rc < 0 || loaded == 0) {
		free(cores);
		return rc;
	}
	/* A screen is a second, and five make a judgement. */
	const unsigned votes = (unsigned)((RS_VOTES_MIN + loaded - 1) / loaded);
	rc = rs_court_open(&c, RS_NS_PER_S, ret);
	if (rc == 0) {
		for (size_t i = first; rc == 0 && i < screens->n; i++) {
			const size_t n = shares_of_screen(&screens->at[i], cores);
			if (n > 0)
				rc = rs_court_moment(&c, cores, n, cpus, votes);
		}
		rs_court_conclude(&c, RS_MEDIUM);
		rs_court_close(&c);
	}
	free(cores);
	return rc;
}
