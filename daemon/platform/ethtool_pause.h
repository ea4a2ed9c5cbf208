/* SPDX-License-Identifier: ISC */
/*
 * How many pause frames an interface received and sent, as `ethtool -I -a` shows:
 * by the generic netlink family "ethtool", which needs no privilege for it. It
 * wakes a device that sleeps, as all of ethtool does. Called by the collectors on
 * the loop thread.
 */
#ifndef RS_ETHTOOL_PAUSE_H
#define RS_ETHTOOL_PAUSE_H

#include "netlink.h"

struct rs_ethtool_pause;

struct rs_pause_frames {
	bool has_rx, has_tx; /* the driver counts them */
	uint64_t rx, tx;
};

/* -ENOENT: the kernel (before 5.6) has no such family. */
int rs_ethtool_pause_open(struct rs_ethtool_pause **ret);
void rs_ethtool_pause_close(struct rs_ethtool_pause *p); /* NULL-safe */
/* -EOPNOTSUPP: the driver does not tell; -ENODEV: gone, or being reset. */
int rs_ethtool_pause_get(struct rs_ethtool_pause *p, uint32_t ifindex, struct rs_pause_frames *ret);

/* The pure part of the above: the answer without its netlink header. 0, also when
 * it is another message, or -EINVAL. */
int rs_ethtool_parse_pause(struct rs_nl_span payload, struct rs_pause_frames *ret);

#endif
