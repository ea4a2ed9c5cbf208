/* SPDX-License-Identifier: ISC */
/* Datagrams of the rtnetlink dumps; those asked for have number 1. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "rtnl.h"

static void
check_stats(void *arg, const struct rs_link_stats *s)
{
	(void)arg;
	if (s->n > RS_LINK_STATS)
		abort();
}

static void
check_kind(void *arg, uint32_t ifindex, const char *kind)
{
	size_t *longest = arg;

	(void)ifindex;
	if (strlen(kind) > *longest)
		*longest = strlen(kind);
}

static void
check_qdisc(void *arg, const struct rs_qdisc *q)
{
	(void)arg;
	if (q->ifindex == 0 || strlen(q->kind) >= sizeof(q->kind))
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t longest = 0;
	bool is_done = false;

	(void)rs_rtnl_parse_stats(data, size, 1, check_stats, NULL, &is_done);
	(void)rs_rtnl_parse_kinds(data, size, 1, check_kind, &longest, &is_done);
	(void)rs_rtnl_parse_qdiscs(data, size, 1, check_qdisc, NULL, &is_done);
	if (longest > size)
		abort();
	return 0;
}
