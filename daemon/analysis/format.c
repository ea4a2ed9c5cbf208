/* SPDX-License-Identifier: ISC */
/*
 * Numbers as people read them. The decimal point does not depend on the
 * locale: at most one digit stands behind it and is printed by itself.
 */
#include <math.h>
#include <stdio.h>

#include "verdict.h"

/* "1.2 G" + suffix: one decimal below ten, none above, thousands by prefix. */
static void
format_si(double x, const char *suffix, char dst[static 24])
{
	static const char *const prefixes[] = {"", "k", "M", "G", "T"};
	size_t prefix = 0;

	if (!(x >= 0.0) || x > 1e18) {
		(void)snprintf(dst, 24, "unknown");
		return;
	}
	while (x >= 999.5 && prefix + 1 < RS_ARRAY_LEN(prefixes)) {
		x /= 1000.0;
		prefix++;
	}
	const unsigned long tenths = (unsigned long)(x * 10.0 + 0.5);
	if (prefix > 0 && tenths < 100 && tenths % 10 != 0)
		(void)snprintf(
		    dst, 24, "%lu.%lu %s%s", tenths / 10, tenths % 10, prefixes[prefix], suffix);
	else
		(void)snprintf(
		    dst, 24, "%lu %s%s", (unsigned long)(x + 0.5), prefixes[prefix], suffix);
}

void
rs_format_bps(double bps, char dst[static 24])
{
	format_si(bps, "bit/s", dst);
}

void
rs_format_pps(double pps, char dst[static 24])
{
	format_si(pps, "pps", dst);
}
