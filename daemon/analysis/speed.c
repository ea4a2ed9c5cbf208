/* SPDX-License-Identifier: ISC */
/*
 * A clock beyond the maximum is legal: acpi-cpufreq does not count boost into it.
 */
#include "speed.h"

#include <math.h>
#include <string.h>

#include "loss.h"

#define NEAR_KELVIN 5.0

double
rs_clock_share(const struct rs_core_view *c)
{
	return c->freq_hz > 0.0 && c->freq_max_hz > 0.0 ? c->freq_hz / c->freq_max_hz : (double)NAN;
}

double
rs_passive_trip(const struct rs_view *v)
{
	const int64_t trip = rs_host_number(v, RS_F_PASSIVE_TRIP);

	return trip > 0 ? (double)trip : (double)NAN;
}

bool
rs_is_near_trip(const struct rs_view *v)
{
	return v->temperature_celsius >= rs_passive_trip(v) - NEAR_KELVIN;
}

bool
rs_is_slowed_by_heat(const struct rs_view *v)
{
	for (size_t i = 0; i < v->n_cores; i++) {
		if (v->cores[i].throttled_ps > 0.0)
			return true;
	}
	return rs_is_near_trip(v);
}

bool
rs_is_bare(const struct rs_view *v)
{
	return rs_host_is(v, RS_F_HYPERVISOR, "none");
}

bool
rs_is_guest(const struct rs_view *v)
{
	return rs_host_is(v, RS_F_HYPERVISOR, "present");
}

const char *
rs_core_setting(const struct rs_view *v, enum rs_fact_id id)
{
	const char *all = NULL;

	for (size_t i = 0; i < v->n_cores; i++) {
		if (!v->cores[i].is_online)
			continue;
		const char *const one = rs_view_fact(v, id, v->cores[i].cpu, RS_NO_QUEUE);
		if (!one || (all && strcmp(all, one) != 0))
			return NULL;
		all = one;
	}
	return all;
}
