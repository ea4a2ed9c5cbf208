/* SPDX-License-Identifier: ISC */
/*
 * The heaviest flows, by what each tracked connection carried between two looks at
 * all of them. Only while some core is busy, and a part of the list each tick: it
 * may be long. The kernel tells it to who has CAP_NET_ADMIN alone. Live machine
 * only; loop thread. Memory is taken when a look begins, and given back when no
 * core was busy for a while.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector.h"
#include "ctnl.h"
#include "flowtable.h"
#include "num.h"
#include "rtnl.h"

#define NETFILTER "proc/sys/net/netfilter/nf_conntrack_"

#define PERIOD_NS (5 * RS_NS_PER_S)
#define COOL_NS (60 * RS_NS_PER_S)
/* After a refusal, or a list that is too long. */
#define LATER_NS (600 * RS_NS_PER_S)
/* Of a look a tick, about a hundred connections each: so many that it ends in some
 * ten seconds, but for the longest lists, and a tick takes no longer than it must. */
enum { DATAGRAMS_MIN = 1, DATAGRAMS_MAX = 8, A_DATAGRAM = 1500 };

struct state {
	const struct rs_root *root;
	struct rs_ctnl *ctnl; /* NULL until the first look */
	struct rs_rtnl *rtnl;
	struct rs_flow_table *table; /* NULL while no core is busy */
	bool is_looking;
	rs_ns hot_ns; /* when a core was busy last */
	rs_ns next_ns;
	rs_ns at_ns;	    /* of this tick */
	unsigned datagrams; /* of this look a tick */
	size_t seen;	    /* connections in this look */
	int error;	    /* of the last look: told until the next */
	const char *why;
	struct rs_heavy_flow last[RS_HEAVY_FLOWS_MAX]; /* with their interfaces */
	size_t n_last;
};

/* -1: not known. */
static int64_t
read_sysctl(const struct rs_root *root, const char *path)
{
	char text[32];
	uint64_t n;
	const int len = rs_root_read(root, path, text, sizeof(text));

	if (len < 0 || rs_num_u64((struct rs_text){text, text + len}, &n) < 0 || n > INT64_MAX)
		return -1;
	return (int64_t)n;
}

static void
wait_for(struct state *s, rs_ns ns, int error, const char *why)
{
	s->is_looking = false;
	s->next_ns = s->at_ns + ns;
	s->error = error;
	s->why = why;
}

static int
open_sockets(struct state *s)
{
	int error = 0;

	if (!s->ctnl)
		error = rs_ctnl_open(&s->ctnl);
	if (!error && !s->rtnl)
		error = rs_rtnl_open(&s->rtnl);
	if (!error && !s->table)
		error = rs_flow_table_new(&s->table);
	return error;
}

static void
begin(struct state *s)
{
	const int64_t count = read_sysctl(s->root, NETFILTER "count");

	if (count < 0) {
		wait_for(s, LATER_NS, -ENOENT, "connections are not tracked");
		return;
	}
	if (read_sysctl(s->root, NETFILTER "acct") == 0) {
		wait_for(s, PERIOD_NS, 0,
		    "flows: bytes are not counted (net.netfilter.nf_conntrack_acct=0)");
		return;
	}
	if (count > RS_CONNECTIONS_MAX) {
		wait_for(s, LATER_NS, 0, "flows: more than 50000 connections are not looked at");
		return;
	}
	int error = open_sockets(s);
	if (!error)
		error = rs_flow_table_begin(s->table, (size_t)count, s->at_ns);
	if (!error)
		error = rs_ctnl_begin(s->ctnl);
	if (error) {
		wait_for(s, LATER_NS, error, "");
		return;
	}
	const unsigned datagrams = (unsigned)(count / A_DATAGRAM);
	s->datagrams = RS_MIN(RS_MAX(datagrams, (unsigned)DATAGRAMS_MIN), (unsigned)DATAGRAMS_MAX);
	s->seen = 0;
	s->error = 0;
	s->why = "";
	s->is_looking = true;
}

static void
take(void *arg, const struct rs_connection *c)
{
	struct state *const s = arg;

	s->seen++;
	rs_flow_table_add(s->table, c, s->at_ns);
}

static bool
is_same(const struct rs_heavy_flow *a, const struct rs_heavy_flow *b)
{
	const struct rs_flow_ends *const x = &a->ends, *const y = &b->ends;

	return a->protocol == b->protocol && x->is_ipv6 == y->is_ipv6 &&
	       x->source_port == y->source_port && x->destination_port == y->destination_port &&
	       memcmp(x->source, y->source, sizeof(x->source)) == 0 &&
	       memcmp(x->destination, y->destination, sizeof(x->destination)) == 0;
}

/* Routes are asked for once for each flow that is heavy. */
static void
find_interface(struct state *s, struct rs_heavy_flow *f)
{
	for (size_t i = 0; i < s->n_last; i++) {
		if (is_same(&s->last[i], f)) {
			f->ifindex = s->last[i].ifindex;
			return;
		}
	}
	if (rs_rtnl_route(s->rtnl, f->ends.is_ipv6, f->ends.source, &f->ifindex) < 0)
		f->ifindex = 0;
}

static void
end(struct state *s, struct rs_frame *f)
{
	struct rs_heavy_flow flows[RS_HEAVY_FLOWS_MAX];
	size_t n;
	const bool has_flows = rs_flow_table_end(s->table, flows, &n);

	wait_for(s, PERIOD_NS, 0, "");
	if (!has_flows)
		return;
	for (size_t i = 0; i < n; i++) {
		find_interface(s, &flows[i]);
		struct rs_heavy_flow *const to = rs_frame_flow(f);
		if (to)
			*to = flows[i];
	}
	memcpy(s->last, flows, n * sizeof(flows[0]));
	s->n_last = n;
	f->has_flows = true;
}

static void
step(struct state *s, struct rs_frame *f)
{
	bool is_done = false;
	const int error = rs_ctnl_step(s->ctnl, s->datagrams, take, s, &is_done);

	if (error == -EAGAIN) {
		wait_for(s, PERIOD_NS, 0, "");
	} else if (error == -EINVAL && s->seen == 0) {
		/* net/netfilter/nfnetlink.c: no such subsystem. */
		wait_for(s, LATER_NS, -ENOENT, "the kernel does not list connections (ctnetlink)");
	} else if (error) {
		wait_for(s, LATER_NS, error, error == -EPERM ? "needs CAP_NET_ADMIN" : "");
	} else if (s->seen > RS_CONNECTIONS_MAX) {
		rs_ctnl_give_up(s->ctnl);
		wait_for(s, LATER_NS, 0, "flows: more than 50000 connections are not looked at");
	} else if (is_done) {
		end(s, f);
	}
}

/* What was known of them is of no use any more. */
static void
cool_down(struct state *s)
{
	if (s->is_looking)
		rs_ctnl_give_up(s->ctnl);
	s->is_looking = false;
	rs_flow_table_free(s->table);
	s->table = NULL;
	s->n_last = 0;
}

static int
collect(void *state, struct rs_frame *f)
{
	struct state *const s = state;

	s->at_ns = f->at_ns;
	if (f->is_hot)
		s->hot_ns = f->at_ns;
	const bool is_wanted = s->hot_ns != 0 && f->at_ns - s->hot_ns < COOL_NS;
	if (!is_wanted && s->table)
		cool_down(s);
	/* A look that has begun is ended. Half a second of slack keeps the pace. */
	if (!s->is_looking && f->is_hot && f->at_ns >= s->next_ns - RS_NS_PER_S / 2)
		begin(s);
	if (s->is_looking)
		step(s, f);
	(void)snprintf(f->note, sizeof(f->note), "%s", s->why);
	return s->error;
}

static void
close_flows(void *state)
{
	struct state *const s = state;

	rs_ctnl_close(s->ctnl);
	rs_rtnl_close(s->rtnl);
	rs_flow_table_free(s->table);
	free(s);
}

static int
open_flows(const struct rs_root *root, void **ret_state)
{
	struct state *const s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->root = root;
	s->why = "";
	*ret_state = s;
	return 0;
}

static const char *const paths[] = {NULL};

RS_COLLECTOR(conntrack_flows) = {
    .id = "flows",
    .summary = "the heaviest flows, of tracked connections, while a core is busy",
    .paths = paths,
    .where = RS_WHERE_LIVE,
    .open = open_flows,
    .collect = collect,
    .close = close_flows,
};
