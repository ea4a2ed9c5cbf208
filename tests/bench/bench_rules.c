/* SPDX-License-Identifier: ISC */
/*
 * What all rules together cost in a tick of a large machine: 64 cores, 10
 * interfaces, 1000 queues, windows full. Told is the worst of three situations:
 * all is well; one core leads, fed by its queues; one core leads, fed by RPS.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "engine.h"
#include "irqname.h"
#include "load.h"

enum { CORES = 64, NICS = 10, PAIRS = 50, LINES = NICS * PAIRS, QUEUES = 2 * LINES, FACTS = 8192 };
enum { WARM_TICKS = 200, TICKS = 400 };
enum situation { QUIET, BY_QUEUES, BY_RPS, N_SITUATIONS };

static struct rs_core_view cores[CORES];
static struct rs_nic_view nics[NICS];
static struct rs_irq_view lines[LINES];
static struct rs_irq_cell cells[LINES][2];
static struct rs_irq_feed feeds[LINES];
static struct rs_queue_view queues[QUEUES];
static struct rs_fact facts[FACTS];
static struct rs_group groups[RS_GROUPS_MAX];
static struct rs_view view;

static void
add_fact(enum rs_fact_id id, uint32_t key, uint16_t queue, const char *value)
{
	if (view.n_facts == FACTS)
		abort();
	facts[view.n_facts++] =
	    (struct rs_fact){.id = (uint16_t)id, .key = key, .queue = queue, .value = value};
}

static int
by_key(const void *a, const void *b)
{
	const struct rs_fact *const x = a, *const y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->queue < y->queue ? -1 : x->queue > y->queue;
}

static void
make_cores(enum situation s)
{
	for (unsigned i = 0; i < CORES; i++) {
		const double load = i == 0 && s != QUIET ? 0.97 : 0.2;

		cores[i] = (struct rs_core_view){
		    .cpu = i,
		    .group = i,
		    .is_online = true,
		    .softirq = load,
		    .idle = 1.0 - load,
		    .processed_pps = 1e5 * load,
		    .net_rx_ps = 1e4 * load,
		    .interrupts_ps = 5000,
		    .nic_interrupts_ps = 5000,
		    .rps_ps = s == BY_RPS ? (i == 0 ? 20000 : 500) : 0,
		};
	}
}

static void
make_queue(unsigned nic, unsigned pair, enum situation s)
{
	const unsigned n = nic * PAIRS + pair;
	const uint32_t ifindex = nic + 2;
	struct rs_irq_view *const l = &lines[n];

	cells[n][0] = (struct rs_irq_cell){(uint16_t)(n % CORES), 1990};
	cells[n][1] = (struct rs_irq_cell){(uint16_t)((n + 1) % CORES), 10};
	feeds[n] = (struct rs_irq_feed){.ifindex = ifindex,
	    .queue = (int32_t)pair,
	    .is_rx = 1,
	    .is_tx = 1,
	    .role = RS_IRQ_QUEUE};
	*l = (struct rs_irq_view){.chip = "PCI-MSIX-0000:01:00.0 1-edge",
	    .actions = "i40e-eth0-TxRx-0",
	    .rate_ps = 2000,
	    .cells = cells[n],
	    .n_cells = 2,
	    .feeds = &feeds[n],
	    .n_feeds = 1,
	    .is_nic_queue = true,
	    .unhandled_ps = NAN};
	(void)snprintf(l->name, sizeof(l->name), "%u", 100 + n);
	for (unsigned tx = 0; tx < 2; tx++)
		queues[(2 * nic + tx) * PAIRS + pair] = (struct rs_queue_view){.ifindex = ifindex,
		    .queue = (uint16_t)pair,
		    .is_tx = tx,
		    .pps = 10000,
		    .bps = 1e7,
		    .share = 1.0 / PAIRS,
		    .line = l,
		    .source = RS_QUEUES_ETHTOOL};
	add_fact(RS_F_RPS_CPUS, ifindex, (uint16_t)pair, s == BY_RPS ? "0" : "none");
	add_fact(RS_F_RPS_FLOWS, ifindex, (uint16_t)pair, "0");
	add_fact(RS_F_XPS_CPUS, ifindex, (uint16_t)pair, "none");
	add_fact(RS_F_IRQ_AFFINITY, 100 + n, RS_NO_QUEUE, "0-63");
	add_fact(RS_F_IRQ_EFFECTIVE, 100 + n, RS_NO_QUEUE, "3");
}

static void
make_nic(unsigned nic, enum situation s)
{
	struct rs_nic_view *const v = &nics[nic];
	const uint32_t ifindex = nic + 2;

	*v = (struct rs_nic_view){
	    .info = {.ifindex = ifindex,
		.driver = "i40e",
		.kind = "physical",
		.is_physical = true,
		.is_up = 1,
		.duplex = 1,
		.mtu = 1500,
		.speed_bps = INT64_C(100000000000),
		.rx_queues = PAIRS,
		.tx_queues = PAIRS},
	    .counts_in_sums = true,
	    .has_counters = true,
	    .rx_pps = 500000,
	    .tx_pps = 500000,
	    .rx_bps = 2e9,
	    .tx_bps = 2e9,
	    .rx_utilization = 0.02,
	    .tx_utilization = 0.02,
	    .first_queue = nic * 2 * PAIRS,
	    .n_queues = 2 * PAIRS,
	};
	(void)snprintf(v->info.name, sizeof(v->info.name), "eth%u", nic);
	for (unsigned i = 0; i < PAIRS; i++)
		make_queue(nic, i, s);
	add_fact(RS_F_CHANNELS_COMBINED, ifindex, RS_NO_QUEUE, "50");
	add_fact(RS_F_CHANNELS_COMBINED_MAX, ifindex, RS_NO_QUEUE, "50");
	add_fact(RS_F_RSS_TABLE, ifindex, RS_NO_QUEUE, "0-49 x10+12");
	add_fact(RS_F_QDISC, ifindex, RS_NO_QUEUE, "mq");
	add_fact(RS_F_OFFLOADS, ifindex, RS_NO_QUEUE, "rx tx sg tso gso gro rxhash");
}

static void
make_view(enum situation s)
{
	memset(&view, 0, sizeof(view));
	make_cores(s);
	for (unsigned i = 0; i < NICS; i++)
		make_nic(i, s);
	qsort(facts, view.n_facts, sizeof(facts[0]), by_key);
	view.interval_ns = RS_NS_PER_S;
	view.accounting = RS_ACCOUNTING_PRECISE;
	view.is_clock_ok = view.has_rates = view.has_threads = true;
	view.cores = cores;
	view.n_cores = CORES;
	view.nics = nics;
	view.n_nics = NICS;
	view.irqs = lines;
	view.n_irqs = LINES;
	view.queues = queues;
	view.n_queues = QUEUES;
	view.facts = facts;
	view.rx_bps = view.tx_bps = 2e10;
	view.rx_pps = view.tx_pps = 5e6;
}

static int
compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* The median tick: single ones are disturbed. */
static double
measure(enum situation s)
{
	static double us[TICKS];
	struct rs_engine *e;

	make_view(s);
	if (rs_engine_new(rs_rules, NULL, 1, &e) < 0)
		abort();
	for (unsigned i = 0; i < WARM_TICKS + TICKS; i++) {
		view.tick++;
		view.due_ns += view.interval_ns;
		view.mono_ns = view.due_ns;
		view.wall_ms += 1000;
		rs_load_fill(&view, cores, CORES, NULL, NULL, groups);
		const rs_ns start = rs_clock_thread_cpu();
		rs_engine_run(e, &view, NULL, NULL);
		if (i >= WARM_TICKS)
			us[i - WARM_TICKS] = (double)(rs_clock_thread_cpu() - start) / 1e3;
	}
	rs_engine_free(e);
	qsort(us, TICKS, sizeof(us[0]), compare);
	return us[TICKS / 2];
}

int
main(void)
{
	static const char *const names[N_SITUATIONS] = {"quiet", "by_queues", "by_rps"};
	double worst = 0.0;

	for (int s = 0; s < N_SITUATIONS; s++) {
		const double us = measure((enum situation)s);

		printf("bench rules_%s_us %.1f us\n", names[s], us);
		worst = fmax(worst, us);
	}
	printf("bench rules_us %.1f us\n", worst);
	return 0;
}
