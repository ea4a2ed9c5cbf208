/* SPDX-License-Identifier: ISC */
/*
 * Temperature of the hottest sensor of the processor: thermal zones where they
 * name it, else the sensor chips of processors, else the firmware's zone; and from
 * which the zone slows the processor down. Loop thread.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector.h"
#include "kept.h"
#include "num.h"

#define ZONES "sys/class/thermal"
#define CHIPS "sys/class/hwmon"

enum { PERIOD_S = 5, SENSORS_MAX = 16, TRIPS_MAX = 12, TRIP_MIN = 40000, ABSURD = 150000 };

struct sensor {
	char path[96];
	int32_t file;
};

struct state {
	const struct rs_root *root;
	struct rs_kept *kept;
	struct sensor sensors[SENSORS_MAX];
	size_t n;
	const char *const *wanted; /* of the listing under way */
	char chip[64];
	bool wants_whole;
};

/* Beginnings of what thermal zones call themselves, and of names of chips: Intel
 * (x86_pkg_temp_thermal.c, coretemp.c), AMD (k10temp.c), ARM's device trees. */
static const char *const zone_types[] = {"x86_pkg_temp", "cpu", "soc", "cluster", "package", NULL};
static const char *const chip_names[] = {
    "coretemp", "k10temp", "zenpower", "via_cputemp", "cpu_thermal", "cpu-thermal", NULL};
static const char *const firmware_types[] = {"acpitz", NULL};
/* Labels of the sensor that stands for the whole: the others of its chip are one
 * a core, each a call to that core, or, as AMD's Tctl, no temperature. */
static const char *const whole_labels[] = {"Package id", "Tdie", NULL};

static bool
begins_with_any(const struct rs_root *root, const char *path, const char *const *beginnings)
{
	char text[64];
	if (rs_root_read(root, path, text, sizeof(text)) < 0)
		return false;
	for (; *beginnings; beginnings++) {
		if (strncmp(text, *beginnings, strlen(*beginnings)) == 0)
			return true;
	}
	return false;
}

static void
add_sensor(struct state *s, const char *dir, const char *name, const char *file)
{
	struct sensor *const sensor = &s->sensors[s->n];
	const int len = snprintf(sensor->path, sizeof(sensor->path), "%s/%s%s", dir, name, file);
	sensor->file = RS_KEPT_NEW;
	if (len > 0 && (size_t)len < sizeof(sensor->path))
		s->n++;
}

static bool
look_at_zone(void *arg, const char *name)
{
	struct state *const s = arg;
	char path[96];
	if (strncmp(name, "thermal_zone", 12) != 0)
		return true;
	const int len = snprintf(path, sizeof(path), ZONES "/%s/type", name);
	if (len > 0 && (size_t)len < sizeof(path) && begins_with_any(s->root, path, s->wanted))
		add_sensor(s, ZONES, name, "/temp");
	return s->n < SENSORS_MAX;
}

/* "temp12_input" */
static bool
look_at_input(void *arg, const char *name)
{
	struct state *const s = arg;
	char path[128];
	uint64_t number;
	struct rs_text t = rs_text_of(name);
	if (!rs_text_skip(&t, "temp") || !rs_text_u64(&t, &number) || !rs_text_eq(t, "_input"))
		return true;
	(void)snprintf(path, sizeof(path), "%s/temp%u_label", s->chip, (unsigned)number);
	if (!s->wants_whole || begins_with_any(s->root, path, whole_labels))
		add_sensor(s, s->chip, name, "");
	return s->n < SENSORS_MAX;
}

static bool
look_at_chip(void *arg, const char *name)
{
	struct state *const s = arg;
	char path[96];
	const int len = snprintf(s->chip, sizeof(s->chip), CHIPS "/%s", name);
	if (len < 0 || (size_t)len >= sizeof(s->chip))
		return true;
	(void)snprintf(path, sizeof(path), "%s/name", s->chip);
	if (!begins_with_any(s->root, path, chip_names))
		return true;
	const size_t before = s->n;
	s->wants_whole = true;
	(void)rs_root_list(s->root, s->chip, look_at_input, s);
	s->wants_whole = false;
	if (s->n == before)
		(void)rs_root_list(s->root, s->chip, look_at_input, s);
	return s->n < SENSORS_MAX;
}

static void
forget(struct state *s)
{
	for (size_t i = 0; i < s->n; i++)
		rs_kept_drop(s->kept, &s->sensors[i].file);
	s->n = 0;
}

static void
discover(struct state *s)
{
	s->wanted = zone_types;
	(void)rs_root_list(s->root, ZONES, look_at_zone, s);
	if (s->n == 0)
		(void)rs_root_list(s->root, CHIPS, look_at_chip, s);
	s->wanted = firmware_types;
	if (s->n == 0)
		(void)rs_root_list(s->root, ZONES, look_at_zone, s);
}

/* Thousandths of a degree. Sensors that are off tell absurd figures, also below
 * zero, where no processor at work is. */
static bool
read_sensor(struct state *s, struct sensor *sensor, uint64_t *ret)
{
	struct rs_text t;
	return rs_kept_read(s->kept, &sensor->file, &t, "%s", sensor->path) == 0 &&
	       rs_num_u64(t, ret) == 0 && *ret > 0 && *ret < ABSURD;
}

/* The lowest temperature from which a zone slows the processor down; 0: it tells
 * none. Those of Intel's packages are switched off by a figure out of this range. */
static uint64_t
passive_trip(const struct rs_root *root, const char *sensor)
{
	char zone[96];
	uint64_t lowest = 0;
	(void)rs_text_copy((struct rs_text){sensor, sensor + strlen(sensor) - strlen("/temp")},
	    zone, sizeof(zone));
	for (unsigned i = 0; i < TRIPS_MAX; i++) {
		char path[128], text[32];
		uint64_t value;
		(void)snprintf(path, sizeof(path), "%s/trip_point_%u_type", zone, i);
		if (rs_root_read(root, path, text, sizeof(text)) < 0)
			break;
		if (strcmp(text, "passive") != 0)
			continue;
		(void)snprintf(path, sizeof(path), "%s/trip_point_%u_temp", zone, i);
		const int n = rs_root_read(root, path, text, sizeof(text));
		if (n > 0 && rs_num_u64(rs_text_of(text), &value) == 0 && value >= TRIP_MIN &&
		    value < ABSURD && (lowest == 0 || value < lowest))
			lowest = value;
	}
	return lowest;
}

/* Of zones only: chips have no such thing. */
static void
put_trip(const struct state *s, struct rs_frame *f)
{
	uint64_t lowest = 0;
	char text[24];
	for (size_t i = 0; i < s->n; i++) {
		if (strncmp(s->sensors[i].path, ZONES, strlen(ZONES)) != 0)
			continue;
		const uint64_t trip = passive_trip(s->root, s->sensors[i].path);
		if (trip && (lowest == 0 || trip < lowest))
			lowest = trip;
	}
	(void)snprintf(text, sizeof(text), "%u", (unsigned)(lowest / 1000));
	if (lowest)
		rs_put_fact(f, RS_F_PASSIVE_TRIP, 0, RS_NO_QUEUE, rs_text_of(text));
	else
		rs_put_fact_gone(f, RS_F_PASSIVE_TRIP, 0, RS_NO_QUEUE);
}

static int
collect(void *state, struct rs_frame *f)
{
	struct state *const s = state;
	uint64_t hottest = 0, value;
	if (s->n == 0) {
		discover(s);
		put_trip(s, f);
	}
	for (size_t i = 0; i < s->n; i++) {
		if (read_sensor(s, &s->sensors[i], &value))
			hottest = RS_MAX(hottest, value);
	}
	if (hottest == 0) {
		/* A chip whose driver was loaded anew may have another number. */
		const int error = s->n == 0 ? -ENOENT : -ENODATA;
		forget(s);
		return error;
	}
	rs_put_paced(f, RS_M_TEMPERATURE, 0, hottest, PERIOD_S);
	return 0;
}

static void
close_thermal(void *state)
{
	struct state *const s = state;
	forget(s);
	rs_kept_close(s->kept);
	free(s);
}

static int
open_thermal(const struct rs_root *root, void **ret_state)
{
	struct state *const s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->root = root;
	const int error = rs_kept_open(root, SENSORS_MAX, &s->kept);
	if (error) {
		free(s);
		return error;
	}
	*ret_state = s;
	return 0;
}

static const char *const paths[] = {ZONES "/thermal_zone*/temp", ZONES "/thermal_zone*/type",
    ZONES "/thermal_zone*/trip_point_*_type", ZONES "/thermal_zone*/trip_point_*_temp",
    CHIPS "/hwmon*/name", CHIPS "/hwmon*/temp*_input", CHIPS "/hwmon*/temp*_label", NULL};

RS_COLLECTOR(sys_thermal) = {
    .id = "thermal",
    .summary = "temperature of the processor",
    .paths = paths,
    .period_ms = PERIOD_S * 1000,
    .where = RS_WHERE_LIVE | RS_WHERE_CAPTURE,
    .open = open_thermal,
    .collect = collect,
    .close = close_thermal,
};
