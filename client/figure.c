/* SPDX-License-Identifier: ISC */
/*
 * Figures. The program never sets a locale: the decimal point is a point.
 */
#include "figure.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Beyond it nothing is meant seriously, and nothing would fit. */
#define FIGURE_MAX 1e18
/* The last second of the year 9999. */
#define TIME_MAX_MS 253402300799999.0

enum { BAR = 10 };

static void
unknown(char *dst)
{
	memcpy(dst, "-", 2);
}

/* Divides by 1000 until fewer than four digits stand before the point. */
static double
scale(double x, const char **ret_prefix)
{
	static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
	size_t i = 0;

	while (fabs(x) >= 999.5 && i + 1 < RS_ARRAY_LEN(prefixes)) {
		x /= 1000.0;
		i++;
	}
	*ret_prefix = prefixes[i];
	return x;
}

/* Three digits; whole numbers below 1000 stay whole, and what is small but not
 * nothing does not become 0. */
static unsigned
decimals(double scaled, bool has_prefix)
{
	const double x = fabs(scaled);

	if (has_prefix)
		return x < 9.995 ? 2 : x < 99.95 ? 1 : 0;
	return x < 9.95 && fabs(x - round(x)) >= 0.05 ? 1 : 0;
}

/* Below 1e6, with at most two digits behind the point. */
static void
put_number(double x, unsigned digits, char dst[static 24])
{
	static const unsigned scales[] = {1, 10, 100};
	const unsigned n = (unsigned)lround(fabs(x) * scales[digits]);
	const char *const sign = x < 0 && n > 0 ? "-" : "";

	if (digits == 0)
		(void)snprintf(dst, 24, "%s%u", sign, n);
	else if (digits == 1)
		(void)snprintf(dst, 24, "%s%u.%u", sign, n / 10, n % 10);
	else
		(void)snprintf(dst, 24, "%s%u.%u%u", sign, n / 100, n / 10 % 10, n % 10);
}

static void
put_unit(const char *prefix, const char *unit, char dst[static 24])
{
	const size_t len = strlen(dst);

	const bool is_bare = prefix[0] == '\0' && (unit[0] == '\0' || unit[0] == '/');

	(void)snprintf(dst + len, 24 - len, "%s%s%s", is_bare ? "" : " ", prefix, unit);
}

void
rs_figure(double value, const char *unit, char dst[static 24])
{
	const char *prefix;

	if (!(fabs(value) <= FIGURE_MAX)) {
		unknown(dst);
		return;
	}
	if (value > 0 && value < 0.05) {
		memcpy(dst, "<0.1", 5);
		put_unit("", unit, dst);
		return;
	}
	const double x = scale(value, &prefix);

	put_number(x, decimals(x, prefix[0] != '\0'), dst);
	put_unit(prefix, unit, dst);
}

void
rs_figure_speed(double bps, char dst[static 24])
{
	const char *prefix;

	if (!(bps > 0 && bps <= FIGURE_MAX)) {
		unknown(dst);
		return;
	}
	const double x = scale(bps, &prefix);

	(void)snprintf(dst, 24, "%.4g", x);
	put_unit(prefix, "bit/s", dst);
}

void
rs_figure_percent(double ratio, char dst[static 24])
{
	if (!(fabs(ratio) <= 1e6))
		unknown(dst);
	else if (ratio > 0 && ratio < 0.005)
		memcpy(dst, "<1 %", 5);
	else
		(void)snprintf(dst, 24, "%ld %%", lround(ratio * 100.0));
}

void
rs_figure_index(double value, char dst[static 24])
{
	if (value >= 0 && value <= UINT32_MAX && value == floor(value))
		(void)snprintf(dst, 24, "%" PRIu32, (uint32_t)value);
	else
		unknown(dst);
}

void
rs_figure_quantity(double value, const char *unit, char dst[static 48])
{
	static const struct {
		const char *name, *shown;
	} scaled[] = {
	    {"bit/s", "bit/s"},
	    {"packets/s", "pps"},
	    {"1/s", "/s"},
	    {"bytes", "B"},
	    {"packets", "packets"},
	    {"interrupts", "interrupts"},
	    {"events", "events"},
	    {"Hz", "Hz"},
	};

	if (!(fabs(value) <= FIGURE_MAX)) {
		unknown(dst);
		return;
	}
	if (strcmp(unit, "ratio") == 0) {
		rs_figure_percent(value, dst);
		return;
	}
	for (size_t i = 0; i < RS_ARRAY_LEN(scaled); i++) {
		if (strcmp(unit, scaled[i].name) == 0) {
			rs_figure(value, scaled[i].shown, dst);
			return;
		}
	}
	if (value == 1 && strcmp(unit, "cores") == 0)
		unit = "core";
	(void)snprintf(dst, 48, "%.6g%s%.24s", value, unit[0] != '\0' ? " " : "", unit);
}

void
rs_figure_time(double ms, char dst[static 24])
{
	struct tm tm;

	if (!(ms >= 1 && ms <= TIME_MAX_MS)) {
		unknown(dst);
		return;
	}
	const time_t t = (time_t)(ms / 1000.0);

	if (localtime_r(&t, &tm) == NULL || strftime(dst, 24, "%Y-%m-%d %H:%M:%S", &tm) == 0)
		unknown(dst);
}

void
rs_figure_bar(double ratio, char dst[static 12])
{
	const double bounded = ratio >= 0 ? fmin(ratio, 1.0) : 0.0;
	const size_t n = (size_t)lround(bounded * BAR);

	memset(dst, '.', BAR);
	memset(dst, '#', n);
	dst[BAR] = '\0';
	if (!(ratio >= 0))
		unknown(dst);
}
