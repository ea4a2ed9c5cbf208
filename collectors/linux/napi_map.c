/* SPDX-License-Identifier: ISC */
/*
 * Which NAPI instance serves which queue, on which interrupt line and, where it
 * is threaded, in which thread: two dumps of the netdev family. The map changes
 * seldom, so it is read slowly, and soon after the kernel's notice of a change.
 * Loop thread.
 */
#include <errno.h>
#include <stdlib.h>

#include "collector.h"
#include "genl.h"
#include "linkwatch.h"

#define PERIOD_NS (4 * RS_NS_PER_S)

/* A notice may come before what it tells of is done (the queues of a device that
 * is set up): the map is read in so many turns after it. */
enum { TURNS = 2, TRIES = 3 };

struct state {
	struct rs_linkwatch *watch; /* NULL: no notices */
	struct rs_genl *genl;
	unsigned turns; /* how many of the next turns read it for a notice */
	rs_ns next_ns;
};

static void
note_change(void *arg, uint32_t ifindex)
{
	struct state *const s = arg;
	(void)ifindex;
	s->turns = TURNS;
}

static void
put_napi(void *arg, const struct rs_genl_napi *n)
{
	struct rs_napi *const napi = rs_frame_napi(arg);
	if (napi)
		*napi = (struct rs_napi){
		    .ifindex = n->ifindex, .id = n->id, .irq = n->irq, .pid = n->pid};
}

static void
put_queue(void *arg, const struct rs_genl_queue *q)
{
	struct rs_queue_napi *const queue = q->napi_id ? rs_frame_queue_napi(arg) : NULL;
	if (queue)
		*queue = (struct rs_queue_napi){.ifindex = q->ifindex,
		    .napi_id = q->napi_id,
		    .queue = q->queue,
		    .is_tx = q->is_tx};
}

static int
read_map(struct state *s, struct rs_frame *f)
{
	int error = -EAGAIN;
	for (unsigned tries = 0; tries < TRIES && error == -EAGAIN; tries++) {
		f->n_napis = f->n_queue_napis = 0;
		error = rs_genl_napis(s->genl, put_napi, f);
		if (!error)
			error = rs_genl_queues(s->genl, put_queue, f);
	}
	/* A kernel that has the family and not these requests (before 6.8). */
	return error == -EOPNOTSUPP ? -ENOENT : error;
}

static int
collect(void *state, struct rs_frame *f)
{
	struct state *const s = state;
	if (s->watch)
		rs_linkwatch_take(s->watch, note_change, s);
	if (f->has_new_channels)
		note_change(s, 0);
	/* What has not changed is not told again. */
	if (s->turns == 0 && f->at_ns < s->next_ns)
		return 0;
	const int error = read_map(s, f);
	if (error)
		return error;
	if (s->turns > 0)
		s->turns--;
	s->next_ns = f->at_ns + PERIOD_NS;
	f->has_napis = true;
	return 0;
}

static void
close_map(void *state)
{
	struct state *const s = state;
	rs_genl_close(s->genl);
	rs_linkwatch_close(s->watch);
	free(s);
}

static int
open_map(const struct rs_root *root, void **ret_state)
{
	(void)root;
	struct state *const s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	const int error = rs_genl_open(&s->genl);
	if (error) {
		free(s);
		return error;
	}
	s->turns = 1;
	if (rs_linkwatch_open(&s->watch) != 0)
		s->watch = NULL;
	*ret_state = s;
	return 0;
}

static const char *const paths[] = {NULL};

RS_COLLECTOR(napi_map) = {
    .id = "napi",
    .summary = "which NAPI instance, line and thread serve a queue",
    .paths = paths,
    .period_ms = 1000,
    .where = RS_WHERE_LIVE,
    .open = open_map,
    .collect = collect,
    .close = close_map,
};
