/* SPDX-License-Identifier: ISC */
/* Datagrams of the dump of tracked connections; those asked for have number 1. */
#include "fuzz.h"

#include <stdlib.h>

#include "ctnl.h"

static void
check(void *arg, const struct rs_connection *c)
{
	size_t *n = arg;

	(*n)++;
	if (c->ends[0].is_ipv6 != c->ends[1].is_ipv6)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n = 0;
	bool is_done = false;

	(void)rs_ctnl_parse(data, size, 1, check, &n, &is_done);
	/* Each has a header of 16 bytes. */
	if (n > size / 16)
		abort();
	return 0;
}
