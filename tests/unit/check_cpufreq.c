/* SPDX-License-Identifier: ISC */
/*
 * Clock, throttling and heat, over trees made up here, and the processor's own
 * counters where the machine has them.
 */
#define _GNU_SOURCE /* nftw(), mkdtemp() */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "aperf.h"
#include "collector.h"
#include "faketree.h"
#include "rs_check.h"

static struct rs_faketree tree;
static struct rs_root *root;
static struct rs_frame *frame;
static const struct rs_collector *collector;
static void *state;

static void
setup(void)
{
	rs_faketree_make(&tree);
	ck_assert_int_eq(rs_frame_new(10000, &frame), 0);
	ck_assert_int_eq(rs_root_open(tree.dir, &root), 0);
}

static void
teardown(void)
{
	if (state)
		collector->close(state);
	state = NULL;
	rs_root_close(root);
	rs_frame_free(frame);
	rs_faketree_remove(&tree, NULL);
}

static void
open_collector(const char *id)
{
	for (const struct rs_collector *const *c = rs_collectors; *c; c++) {
		if (strcmp((*c)->id, id) == 0)
			collector = *c;
	}
	ck_assert_ptr_nonnull(collector);
	ck_assert_int_eq(collector->open(root, &state), 0);
}

static int
collect(void)
{
	rs_frame_reset(frame, 1);
	return collector->collect(state, frame);
}

/* UINT64_MAX: not there. */
static uint64_t
reading(enum rs_metric_id metric, uint32_t key)
{
	for (size_t i = 0; i < frame->n_readings; i++) {
		const struct rs_reading *const r = &frame->readings[i];
		if (r->metric == metric && r->key == key) {
			ck_assert_uint_eq(r->pace_s, 5);
			return r->value;
		}
	}
	return UINT64_MAX;
}

#define CPU "sys/devices/system/cpu/"

/* Cores 0 and 1 share a policy, 3 has its own, 2 has none. */
static void
put_policies(void)
{
	rs_faketree_put(&tree, "0-3\n", CPU "present");
	rs_faketree_put(&tree, "0-1,3\n", CPU "online");
	rs_faketree_link(&tree, "../cpufreq/policy0", CPU "cpu0/cpufreq");
	rs_faketree_link(&tree, "../cpufreq/policy0", CPU "cpu1/cpufreq");
	rs_faketree_link(&tree, "../cpufreq/policy3", CPU "cpu3/cpufreq");
	rs_faketree_put(&tree, "1000", CPU "cpu2/x");
	rs_faketree_put(&tree, "1400000\n", CPU "cpufreq/policy0/cpuinfo_max_freq");
	rs_faketree_put(&tree, "998123\n", CPU "cpufreq/policy0/scaling_cur_freq");
	rs_faketree_put(&tree, "3700000\n", CPU "cpufreq/policy3/cpuinfo_max_freq");
	rs_faketree_put(&tree, "3699000\n", CPU "cpufreq/policy3/scaling_cur_freq");
}

START_TEST(clock_is_told_of_each_core_of_a_policy)
{
	put_policies();
	open_collector("cpufreq");
	ck_assert_int_eq(collect(), 0);
	ck_assert_uint_eq(reading(RS_M_CORE_FREQ, 0), 998123000);
	ck_assert_uint_eq(reading(RS_M_CORE_FREQ, 1), 998123000);
	ck_assert_uint_eq(reading(RS_M_CORE_FREQ, 2), UINT64_MAX);
	ck_assert_uint_eq(reading(RS_M_CORE_FREQ, 3), 3699000000);
	ck_assert_uint_eq(reading(RS_M_CORE_FREQ_MAX, 1), 1400000000);
	ck_assert_uint_eq(reading(RS_M_CORE_FREQ_MAX, 3), 3700000000);
	ck_assert_uint_eq(reading(RS_M_CORE_THROTTLED, 0), UINT64_MAX);
	ck_assert(!frame->is_freq_measured);
	rs_faketree_put(&tree, "1400000\n", CPU "cpufreq/policy0/scaling_cur_freq");
	ck_assert_int_eq(collect(), 0);
	ck_assert_uint_eq(reading(RS_M_CORE_FREQ, 1), 1400000000);
}
END_TEST

static const char *const unknown[] = {"<unknown>\n", "0\n", "", "\n", "x", "-5\n",
    "99999999999999999999\n", "18446744073709551615\n", "1400000 2\n"};

START_TEST(clock_that_is_no_number_is_not_known)
{
	put_policies();
	rs_faketree_put(&tree, unknown[_i], CPU "cpufreq/policy0/scaling_cur_freq");
	open_collector("cpufreq");
	ck_assert_int_eq(collect(), 0);
	ck_assert_uint_eq(reading(RS_M_CORE_FREQ, 0), UINT64_MAX);
	ck_assert_uint_eq(reading(RS_M_CORE_FREQ_MAX, 0), 1400000000);
	ck_assert_uint_eq(reading(RS_M_CORE_FREQ, 3), 3699000000);
}
END_TEST

START_TEST(throttling_is_counted_without_a_policy_too)
{
	rs_faketree_put(&tree, "0-1\n", CPU "present");
	rs_faketree_put(&tree, "17\n", CPU "cpu0/thermal_throttle/core_throttle_count");
	rs_faketree_put(&tree, "0\n", CPU "cpu1/thermal_throttle/core_throttle_count");
	open_collector("cpufreq");
	ck_assert_int_eq(collect(), 0);
	ck_assert_uint_eq(reading(RS_M_CORE_THROTTLED, 0), 17);
	ck_assert_uint_eq(reading(RS_M_CORE_THROTTLED, 1), 0);
	ck_assert_uint_eq(reading(RS_M_CORE_FREQ, 0), UINT64_MAX);
	/* A driver that comes later is found. */
	rs_faketree_put(&tree, "2000000", CPU "cpufreq/policy1/scaling_cur_freq");
	rs_faketree_link(&tree, "../cpufreq/policy1", CPU "cpu1/cpufreq");
	ck_assert_int_eq(collect(), 0);
	ck_assert_uint_eq(reading(RS_M_CORE_FREQ, 1), 2000000000);
	ck_assert_uint_eq(reading(RS_M_CORE_THROTTLED, 0), 17);
}
END_TEST

START_TEST(throttled_time_is_told_from_the_first_time_on)
{
	rs_faketree_put(&tree, "0-1\n", CPU "present");
	rs_faketree_put(&tree, "17\n", CPU "cpu0/thermal_throttle/core_throttle_count");
	rs_faketree_put(&tree, "2300\n", CPU "cpu0/thermal_throttle/core_throttle_total_time_ms");
	rs_faketree_put(&tree, "0\n", CPU "cpu1/thermal_throttle/core_throttle_count");
	rs_faketree_put(&tree, "0\n", CPU "cpu1/thermal_throttle/core_throttle_total_time_ms");
	rs_faketree_put(&tree, "9000\n", CPU "cpu1/thermal_throttle/package_throttle_count");
	open_collector("cpufreq");
	ck_assert_int_eq(collect(), 0);
	ck_assert_uint_eq(reading(RS_M_CORE_THROTTLED_TIME, 0), 2300);
	ck_assert_uint_eq(reading(RS_M_CORE_THROTTLED, 1), 0);
	ck_assert_uint_eq(reading(RS_M_CORE_THROTTLED_TIME, 1), UINT64_MAX);
	rs_faketree_put(&tree, "1\n", CPU "cpu1/thermal_throttle/core_throttle_count");
	ck_assert_int_eq(collect(), 0);
	ck_assert_uint_eq(reading(RS_M_CORE_THROTTLED_TIME, 1), 0);
	/* Kernels before 5.6 do not tell it. */
	rs_faketree_put(&tree, "x\n", CPU "cpu0/thermal_throttle/core_throttle_total_time_ms");
	ck_assert_int_eq(collect(), 0);
	ck_assert_uint_eq(reading(RS_M_CORE_THROTTLED, 0), 17);
	ck_assert_uint_eq(reading(RS_M_CORE_THROTTLED_TIME, 0), UINT64_MAX);
}
END_TEST

/* A tree that is "/" counts as the live machine, where what is missing is not
 * looked for each time. 0, or the number of what failed. */
static int
see_a_core_come_back(void)
{
	if (chroot(tree.dir) != 0 || chdir("/") != 0)
		return RS_CHECK_SKIP;
	*tree.dir = '\0';
	rs_root_close(root);
	if (rs_root_open("/", &root) != 0 || !rs_root_is_live(root))
		return 1;
	open_collector("cpufreq");
	if (collect() != 0 || reading(RS_M_CORE_THROTTLED, 3) != UINT64_MAX)
		return 2;
	rs_faketree_put(&tree, "17\n", CPU "cpu3/thermal_throttle/core_throttle_count");
	for (unsigned i = 0; i < 12; i++) {
		if (collect() != 0)
			return 3;
	}
	return reading(RS_M_CORE_THROTTLED, 3) == 17 ? 0 : 4;
}

START_TEST(throttling_of_a_core_that_was_offline_is_counted)
{
	put_policies();
	const pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0)
		_exit(see_a_core_come_back());
	int status;
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	if (WEXITSTATUS(status) == RS_CHECK_SKIP)
		(void)printf("# SKIP not permitted to change the root\n");
	else
		ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

START_TEST(a_machine_without_all_that_says_missing)
{
	open_collector("cpufreq");
	ck_assert_int_eq(collect(), -ENOENT);
	rs_faketree_put(&tree, "nonsense\n", CPU "present");
	ck_assert_int_eq(collect(), -EINVAL);
	rs_faketree_put(&tree, "0-1\n", CPU "present");
	ck_assert_int_eq(collect(), -ENOENT);
	/* Links that name no policy. */
	rs_faketree_link(&tree, "../cpufreq/policy", CPU "cpu0/cpufreq");
	rs_faketree_link(&tree, "policy99999999999", CPU "cpu1/cpufreq");
	ck_assert_int_eq(collect(), -ENOENT);
	ck_assert_uint_eq(frame->n_readings, 0);
}
END_TEST

/* --- heat --- */

#define ZONE "sys/class/thermal/thermal_zone%d/"
#define CHIP "sys/class/hwmon/hwmon%d/"

static void
put_zone(int n, const char *type, const char *temp)
{
	rs_faketree_put(&tree, type, ZONE "type", n);
	rs_faketree_put(&tree, temp, ZONE "temp", n);
}

START_TEST(heat_is_that_of_the_hottest_zone_of_a_processor)
{
	put_zone(0, "acpitz\n", "99000\n");
	put_zone(1, "x86_pkg_temp\n", "61000\n");
	put_zone(2, "x86_pkg_temp\n", "64500\n");
	put_zone(3, "iwlwifi_1\n", "88000\n");
	put_zone(4, "cpu-thermal\n", "-273000\n");
	rs_faketree_put(&tree, "x", "sys/class/thermal/cooling_device0/type");
	open_collector("thermal");
	ck_assert_int_eq(collect(), 0);
	ck_assert_uint_eq(reading(RS_M_TEMPERATURE, 0), 64500);
	put_zone(1, "x86_pkg_temp\n", "70000\n");
	ck_assert_int_eq(collect(), 0);
	ck_assert_uint_eq(reading(RS_M_TEMPERATURE, 0), 70000);
	put_zone(1, "x86_pkg_temp\n", "0\n");
	put_zone(2, "x86_pkg_temp\n", "2147483647\n");
	ck_assert_int_eq(collect(), -ENODATA);
	ck_assert_uint_eq(frame->n_readings, 0);
}
END_TEST

/* As told in the last frame; "gone": told to be none, "": not told. */
static const char *
fact(enum rs_fact_id id, uint32_t key)
{
	for (size_t i = 0; i < frame->n_facts; i++) {
		const struct rs_fact_reading *const r = &frame->facts[i];
		static char text[16];
		if (r->id != id || r->key != key)
			continue;
		if (r->len == UINT32_MAX)
			return "gone";
		ck_assert_uint_lt(r->len, sizeof(text));
		memcpy(text, frame->words + r->at, r->len);
		text[r->len] = '\0';
		return text;
	}
	return "";
}

static const char *
trip(void)
{
	return fact(RS_F_PASSIVE_TRIP, 0);
}

static void
put_trip(int zone, unsigned n, const char *type, const char *temp)
{
	rs_faketree_put(&tree, type, ZONE "trip_point_%u_type", zone, n);
	rs_faketree_put(&tree, temp, ZONE "trip_point_%u_temp", zone, n);
}

START_TEST(the_lowest_passive_trip_of_the_zones_is_told_once)
{
	put_zone(0, "acpitz\n", "40000\n");
	put_trip(0, 0, "passive\n", "50000\n");
	put_zone(1, "cpu-thermal\n", "61000\n");
	put_trip(1, 0, "active\n", "55000\n");
	put_trip(1, 1, "passive\n", "85000\n");
	put_trip(1, 2, "passive\n", "75000\n");
	put_trip(1, 3, "critical\n", "110000\n");
	put_zone(2, "cpu-thermal\n", "61000\n");
	put_trip(2, 0, "passive\n", "-274000\n");
	put_trip(2, 1, "passive\n", "0\n");
	put_trip(2, 2, "passive\n", "99999999999999999999\n");
	open_collector("thermal");
	ck_assert_int_eq(collect(), 0);
	ck_assert_str_eq(trip(), "75");
	ck_assert_int_eq(collect(), 0);
	ck_assert_str_eq(trip(), "");
}
END_TEST

START_TEST(a_zone_without_a_passive_trip_tells_none)
{
	put_zone(1, "cpu-thermal\n", "61000\n");
	put_trip(1, 0, "critical\n", "110000\n");
	open_collector("thermal");
	ck_assert_int_eq(collect(), 0);
	ck_assert_str_eq(trip(), "gone");
}
END_TEST

START_TEST(capacity_is_told_where_cores_are_told_apart)
{
	rs_faketree_put(&tree, "0-2\n", CPU "online");
	open_collector("cpu");
	ck_assert_int_eq(collect(), 0);
	ck_assert_str_eq(fact(RS_F_CAPACITY, 0), "");
	rs_faketree_put(&tree, "446\n", CPU "cpu0/cpu_capacity");
	rs_faketree_put(&tree, "1024\n", CPU "cpu1/cpu_capacity");
	rs_faketree_put(&tree, "large\n", CPU "cpu2/cpu_capacity");
	rs_faketree_put(&tree, "0-3\n", CPU "online"); /* what changed is read anew */
	ck_assert_int_eq(collect(), 0);
	ck_assert_str_eq(fact(RS_F_CAPACITY, 0), "446");
	ck_assert_str_eq(fact(RS_F_CAPACITY, 1), "1024");
	ck_assert_str_eq(fact(RS_F_CAPACITY, 2), "");
}
END_TEST

START_TEST(heat_of_a_chip_is_that_of_its_whole)
{
	rs_faketree_put(&tree, "nvme\n", CHIP "name", 0);
	rs_faketree_put(&tree, "90000\n", CHIP "temp1_input", 0);
	rs_faketree_put(&tree, "coretemp\n", CHIP "name", 1);
	rs_faketree_put(&tree, "55000\n", CHIP "temp1_input", 1);
	rs_faketree_put(&tree, "Package id 0\n", CHIP "temp1_label", 1);
	rs_faketree_put(&tree, "56000\n", CHIP "temp2_input", 1);
	rs_faketree_put(&tree, "Core 0\n", CHIP "temp2_label", 1);
	rs_faketree_put(&tree, "k10temp\n", CHIP "name", 2);
	rs_faketree_put(&tree, "82000\n", CHIP "temp1_input", 2);
	rs_faketree_put(&tree, "Tctl\n", CHIP "temp1_label", 2);
	rs_faketree_put(&tree, "55125\n", CHIP "temp2_input", 2);
	rs_faketree_put(&tree, "Tdie\n", CHIP "temp2_label", 2);
	open_collector("thermal");
	ck_assert_int_eq(collect(), 0);
	ck_assert_uint_eq(reading(RS_M_TEMPERATURE, 0), 55125);
}
END_TEST

START_TEST(heat_of_a_chip_without_labels_is_that_of_its_hottest)
{
	put_zone(0, "acpitz\n", "99000\n");
	rs_faketree_put(&tree, "k10temp\n", CHIP "name", 0);
	rs_faketree_put(&tree, "48000\n", CHIP "temp1_input", 0);
	rs_faketree_put(&tree, "49000\n", CHIP "temp12_input", 0);
	rs_faketree_put(&tree, "95000\n", CHIP "temp1_max", 0);
	rs_faketree_put(&tree, "95000\n", CHIP "tempx_input", 0);
	open_collector("thermal");
	ck_assert_int_eq(collect(), 0);
	ck_assert_uint_eq(reading(RS_M_TEMPERATURE, 0), 49000);
}
END_TEST

START_TEST(heat_is_the_firmwares_where_nothing_else_tells)
{
	open_collector("thermal");
	ck_assert_int_eq(collect(), -ENOENT);
	put_zone(0, "acpitz\n", "45000\n");
	ck_assert_int_eq(collect(), 0);
	ck_assert_uint_eq(reading(RS_M_TEMPERATURE, 0), 45000);
}
END_TEST

START_TEST(heat_is_found_again_when_a_chip_has_another_number)
{
	rs_faketree_put(&tree, "coretemp\n", CHIP "name", 0);
	rs_faketree_put(&tree, "48000\n", CHIP "temp1_input", 0);
	open_collector("thermal");
	ck_assert_int_eq(collect(), 0);
	rs_faketree_remove(&tree, "sys/class/hwmon/hwmon0");
	rs_faketree_put(&tree, "coretemp\n", CHIP "name", 3);
	rs_faketree_put(&tree, "49000\n", CHIP "temp1_input", 3);
	ck_assert_int_eq(collect(), -ENODATA);
	ck_assert_int_eq(collect(), 0);
	ck_assert_uint_eq(reading(RS_M_TEMPERATURE, 0), 49000);
}
END_TEST

START_TEST(heat_of_very_many_sensors_is_that_of_some)
{
	for (int i = 0; i < 40; i++)
		put_zone(i, "cpu-thermal\n", "50000\n");
	open_collector("thermal");
	ck_assert_int_eq(collect(), 0);
	ck_assert_uint_eq(reading(RS_M_TEMPERATURE, 0), 50000);
}
END_TEST

/* --- the processor's own counters --- */

#define MSR "sys/bus/event_source/devices/msr/"

/* Of this machine's unit, with events of our choice in the places of the two. */
static bool
put_counters(const char *aperf, const char *mperf)
{
	char type[16], tsc[32];
	struct rs_root *live;
	ck_assert_int_eq(rs_root_open("/", &live), 0);
	const bool has_unit = rs_root_read(live, MSR "type", type, sizeof(type)) >= 0 &&
			      rs_root_read(live, MSR "events/tsc", tsc, sizeof(tsc)) >= 0;
	rs_root_close(live);
	if (!has_unit)
		return false;
	rs_faketree_put(&tree, type, MSR "type");
	rs_faketree_put(&tree, tsc, MSR "events/tsc");
	rs_faketree_put(&tree, aperf ? aperf : tsc, MSR "events/aperf");
	rs_faketree_put(&tree, mperf ? mperf : tsc, MSR "events/mperf");
	return true;
}

/* Until the counters have a rate: as long as they say "not yet". */
static int
wait_for_hz(struct rs_aperf *a, double *ret)
{
	int rc = -EAGAIN;
	for (unsigned i = 0; i < 1000 && rc == -EAGAIN; i++) {
		(void)nanosleep(&(struct timespec){0, 5000000}, NULL);
		rc = rs_aperf_hz(a, 0, ret);
	}
	return rc;
}

START_TEST(counters_that_run_alike_tell_the_rate_of_the_time_stamp_counter)
{
	struct rs_aperf *a = NULL;
	double hz = 0.0, again = 0.0;
	const int rc = put_counters(NULL, NULL) ? rs_aperf_open(root, &a) : -ENOENT;
	if (rc < 0) {
		(void)fprintf(stderr, "SKIP: counters: %s\n", strerror(-rc));
		return;
	}
	ck_assert_int_eq(rs_aperf_hz(a, 0, &hz), -EAGAIN); /* the first time */
	ck_assert_int_eq(wait_for_hz(a, &hz), 0);
	ck_assert_int_eq(wait_for_hz(a, &again), 0);
	/* Two counters are not read in one instant: a rate of that order
	 * is all that is certain. */
	ck_assert_double_gt(fmin(hz, again), 1e8);
	ck_assert_double_lt(fmax(hz, again), 1e10);
	/* There is no such core. */
	ck_assert_int_lt(rs_aperf_hz(a, 8191, &hz), 0);
	ck_assert_int_eq(rs_aperf_hz(a, 8192, &hz), -EINVAL);
	ck_assert_int_eq(wait_for_hz(a, &hz), 0);
	rs_aperf_close(a);
}
END_TEST

START_TEST(counters_that_stand_still_tell_nothing)
{
	struct rs_aperf *a = NULL;
	double hz = 7.0;
	/* Interrupts of system management: none while we look, or few. */
	const int rc = put_counters(NULL, "event=0x04") ? rs_aperf_open(root, &a) : -ENOENT;
	if (rc < 0 || rs_aperf_hz(a, 0, &hz) != -EAGAIN) {
		(void)fprintf(stderr, "SKIP: counters: %s\n", strerror(-rc));
		return;
	}
	(void)nanosleep(&(struct timespec){0, 150000000}, NULL);
	ck_assert_int_eq(rs_aperf_hz(a, 0, &hz), -EAGAIN);
	ck_assert_double_eq(hz, 7.0);
	rs_aperf_close(a);
}
END_TEST

static const char *const no_events[] = {"event=0x", "event=0xzz", "", "event=0x1g", "nonsense"};

START_TEST(counters_that_are_not_named_are_not_there)
{
	struct rs_aperf *a = NULL;
	ck_assert_int_eq(rs_aperf_open(root, &a), -ENOENT);
	rs_faketree_put(&tree, "9\n", MSR "type");
	rs_faketree_put(&tree, "event=0x00\n", MSR "events/tsc");
	rs_faketree_put(&tree, no_events[_i], MSR "events/aperf");
	rs_faketree_put(&tree, "event=0x00\n", MSR "events/mperf");
	ck_assert_int_eq(rs_aperf_open(root, &a), -ENOENT);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("cpufreq");
	TCase *tc = tcase_create("cpufreq");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, clock_is_told_of_each_core_of_a_policy);
	tcase_add_loop_test(
	    tc, clock_that_is_no_number_is_not_known, 0, (int)RS_ARRAY_LEN(unknown));
	tcase_add_test(tc, throttling_is_counted_without_a_policy_too);
	tcase_add_test(tc, throttled_time_is_told_from_the_first_time_on);
	tcase_add_test(tc, throttling_of_a_core_that_was_offline_is_counted);
	tcase_add_test(tc, a_machine_without_all_that_says_missing);
	tcase_add_test(tc, heat_is_that_of_the_hottest_zone_of_a_processor);
	tcase_add_test(tc, the_lowest_passive_trip_of_the_zones_is_told_once);
	tcase_add_test(tc, a_zone_without_a_passive_trip_tells_none);
	tcase_add_test(tc, capacity_is_told_where_cores_are_told_apart);
	tcase_add_test(tc, heat_of_a_chip_is_that_of_its_whole);
	tcase_add_test(tc, heat_of_a_chip_without_labels_is_that_of_its_hottest);
	tcase_add_test(tc, heat_is_the_firmwares_where_nothing_else_tells);
	tcase_add_test(tc, heat_is_found_again_when_a_chip_has_another_number);
	tcase_add_test(tc, heat_of_very_many_sensors_is_that_of_some);
	tcase_add_test(tc, counters_that_run_alike_tell_the_rate_of_the_time_stamp_counter);
	tcase_add_test(tc, counters_that_stand_still_tell_nothing);
	tcase_add_loop_test(
	    tc, counters_that_are_not_named_are_not_there, 0, (int)RS_ARRAY_LEN(no_events));
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())
