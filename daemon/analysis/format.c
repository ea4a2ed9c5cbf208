/* SPDX-License-Identifier: ISC */
/*
 * Numbers as people read them. The decimal point does not depend on the
 * locale: at most one digit stands behind it and is printed by itself.
 */
#include <math.h>
#include <stdio.h>

#include "verdict.h"

/* One decimal below ten where there can be any, none above. */
static void
put(double x, bool is_whole, const char *unit, char dst[static 24])
{
	const unsigned long tenths = (unsigned long)(x * 10.0 + 0.5);

	if (!is_whole && tenths < 100 && tenths % 10 != 0)
		(void)snprintf(dst, 24, "%lu.%lu %s", tenths / 10, tenths % 10, unit);
	else
		(void)snprintf(dst, 24, "%lu %s", (unsigned long)(x + 0.5), unit);
}

/* "1.2 G" + suffix: thousands by prefix. */
static void
format_si(double x, const char *suffix, char dst[static 24])
{
	static const char *const prefixes[] = {"", "k", "M", "G", "T"};
	size_t prefix = 0;
	char unit[16];

	if (!(x >= 0.0) || x > 1e18) {
		(void)snprintf(dst, 24, "unknown");
		return;
	}
	while (x >= 999.5 && prefix + 1 < RS_ARRAY_LEN(prefixes)) {
		x /= 1000.0;
		prefix++;
	}
	(void)snprintf(unit, sizeof(unit), "%s%s", prefixes[prefix], suffix);
	put(x, prefix == 0, unit, dst);
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

void
rs_format_time(double seconds, char dst[static 24])
{
	static const struct {
		double seconds;
		const char *name;
	} units[] = {
	    {1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"}, {1.0, "s"}, {60.0, "min"}, {3600.0, "h"}};
	size_t i = 0;

	if (!(seconds >= 0.0) || seconds > 1e9) {
		(void)snprintf(dst, 24, "unknown");
		return;
	}
	/* What would be printed as one of the next unit is. */
	while (
	    i + 1 < RS_ARRAY_LEN(units) && seconds >= units[i + 1].seconds - 0.5 * units[i].seconds)
		i++;
	put(seconds / units[i].seconds, i == 0, units[i].name, dst);
}

double
rs_round_3(double x)
{
	if (!(x >= 1000.0) || isinf(x))
		return round(x);
	const double unit = pow(10.0, floor(log10(x)) - 2.0);

	return round(x / unit) * unit;
}
