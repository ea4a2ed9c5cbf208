/* SPDX-License-Identifier: ISC */
/*
 * Interface counters over netlink: exact, 64 bits wide, and cheaper than the
 * text of /proc/net/dev. Live machine only; loop thread.
 */
#include "rtnl.h"

#include <errno.h>

#include "collector.h"

static const struct {
	unsigned field;
	enum rs_metric_id metric;
} fields[] = {
    {RS_LINK_RX_BYTES, RS_M_NIC_RX_BYTES},
    {RS_LINK_TX_BYTES, RS_M_NIC_TX_BYTES},
    {RS_LINK_RX_PACKETS, RS_M_NIC_RX_PACKETS},
    {RS_LINK_TX_PACKETS, RS_M_NIC_TX_PACKETS},
    {RS_LINK_RX_ERRORS, RS_M_NIC_RX_ERRORS},
    {RS_LINK_TX_ERRORS, RS_M_NIC_TX_ERRORS},
    {RS_LINK_RX_DROPPED, RS_M_NIC_RX_DROPPED},
    {RS_LINK_TX_DROPPED, RS_M_NIC_TX_DROPPED},
    {RS_LINK_RX_MISSED_ERRORS, RS_M_NIC_RX_MISSED},
    {RS_LINK_RX_FIFO_ERRORS, RS_M_NIC_RX_FIFO},
    {RS_LINK_RX_OVER_ERRORS, RS_M_NIC_RX_OVER},
    {RS_LINK_RX_CRC_ERRORS, RS_M_NIC_RX_CRC},
    {RS_LINK_RX_NOHANDLER, RS_M_NIC_RX_NOHANDLER},
    {RS_LINK_MULTICAST, RS_M_NIC_MULTICAST},
    {RS_LINK_COLLISIONS, RS_M_NIC_COLLISIONS},
};

static void
put_link(void *arg, const struct rs_link_stats *s)
{
	struct rs_frame *const f = arg;
	for (size_t i = 0; i < RS_ARRAY_LEN(fields); i++) {
		if (fields[i].field < s->n)
			rs_put(f, fields[i].metric, s->ifindex, s->field[fields[i].field]);
	}
}

static int
open_stats(const struct rs_root *root, void **ret_state)
{
	(void)root;
	struct rs_rtnl *r;
	const int error = rs_rtnl_open(&r);
	if (!error)
		*ret_state = r;
	return error;
}

static int
collect(void *state, struct rs_frame *f)
{
	int error = -EAGAIN;
	/* An interface that comes or goes in the middle of a dump spoils it. */
	for (unsigned tries = 0; tries < 3 && error == -EAGAIN; tries++) {
		f->n_readings = 0;
		error = rs_rtnl_stats(state, put_link, f);
	}
	return error;
}

static void
close_stats(void *state)
{
	rs_rtnl_close(state);
}

static const char *const paths[] = {NULL};

RS_COLLECTOR(rtnl_stats) = {
    .id = "rtnl_stats",
    .summary = "interface counters by netlink",
    .paths = paths,
    .where = RS_WHERE_LIVE,
    .open = open_stats,
    .collect = collect,
    .close = close_stats,
};
