/* SPDX-License-Identifier: ISC */
/*
 * Tells which interfaces came, went or changed, so that nobody has to look for
 * it: the kernel's link notices over a netlink socket. Loop thread.
 */
#ifndef RS_LINKWATCH_H
#define RS_LINKWATCH_H

#include <stdbool.h>

#include "rs.h"

struct rs_linkwatch;

int rs_linkwatch_open(struct rs_linkwatch **ret);
void rs_linkwatch_close(struct rs_linkwatch *w); /* NULL-safe */
/* Never waits. fn once per notice since the last call; ifindex 0: notices were
 * lost, anything may have changed. */
void rs_linkwatch_take(struct rs_linkwatch *w, void (*fn)(void *arg, uint32_t ifindex), void *arg);

#endif
