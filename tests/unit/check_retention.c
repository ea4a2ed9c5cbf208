/* SPDX-License-Identifier: ISC */
/*
 * What goes and what stays: by time, whatever the clocks said, and by size,
 * without ever being larger than told.
 */
#include "rs_check.h"

#include <errno.h>

#include "blocks.h"
#include "dbdir.h"
#include "tierdb.h"

#define MINUTE INT64_C(60000)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)
#define YEAR (365 * DAY)
/* Wall clock minus boot clock of the first boot. */
#define START INT64_C(1700000000000)

static struct test_dir dir;
static struct tier_db t;
static const struct rs_store_limits days = {7 * DAY, 90 * DAY, 3 * YEAR, 0};

static void
set_up(void)
{
	test_dir_make(&dir);
	tier_db_open(&t, dir.db, "boot-0", &days);
}

static void
tear_down(void)
{
	tier_db_close(&t);
	test_dir_remove(&dir);
}

static void
reopen(const char *boot_id, const struct rs_store_limits *limits)
{
	tier_db_close(&t);
	tier_db_open(&t, dir.db, boot_id, limits);
}

/* A sample of one series in a minute. */
static void
put(int64_t ms, int64_t offset_ms, bool is_clock_ok, int32_t cpu)
{
	struct rs_block *const b = test_block(4, 60 * RS_NS_PER_S, ms / MINUTE, offset_ms);

	b->is_clock_ok = is_clock_ok;
	test_ticks(b, 0, 1);
	test_fill(b, test_series(b, (uint32_t)cpu + 1, RS_M_CORE_INTERRUPTS, test_cpu(cpu)), 60);
	ck_assert_msg(tier_db_append(&t, b) == 0, "%s", t.db->error);
	rs_block_free(b);
}

/* A minute each hour in [from, to), and the upkeep that goes with it. */
static void
run(int64_t from, int64_t to, int64_t offset_ms)
{
	for (int64_t ms = from; ms < to; ms += HOUR) {
		put(ms, offset_ms, true, 0);
		(void)tier_db_upkeep(&t, ms, offset_ms);
	}
}

static int64_t
count(const char *tables)
{
	char sql[200];

	(void)snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s", tables);
	return tier_db_int(&t, sql);
}

/* Rows of a table, of one boot. */
static int64_t
rows(const char *table, int64_t boot)
{
	char sql[100];

	(void)snprintf(sql, sizeof(sql), "%s WHERE id >> 40 = %lld", table, (long long)boot);
	return count(sql);
}

/* --- by time --------------------------------------------------------------- */

START_TEST(each_tier_is_kept_as_long_as_told)
{
	const struct rs_store_limits limits = {2 * DAY, 4 * DAY, 8 * DAY, 0};

	reopen("boot-0", &limits);
	run(0, 20 * DAY, START);
	/* The newest sample is of hour 479; a row of the hour tier is a day. */
	ck_assert_int_eq(count("raw"), 2 * 24 + 1);
	ck_assert_int_eq(count("minute"), 4 * 24);
	ck_assert_int_eq(count("hour"), 8);
	ck_assert_int_eq(
	    tier_db_int(&t, "SELECT min(id) >> 12 & 0xfffffff FROM raw"), (479 - 48) * 60);
}
END_TEST

START_TEST(without_limits_all_stays)
{
	static const struct rs_store_limits none;

	reopen("boot-0", &none);
	run(0, 20 * DAY, START);
	ck_assert_int_eq(count("raw"), 480);
	ck_assert_int_eq(count("minute"), 479);
	ck_assert_int_eq(count("hour"), 19);
}
END_TEST

START_TEST(what_no_coarser_tier_has_is_kept)
{
	const struct rs_store_limits limits = {HOUR, HOUR, HOUR, 0};

	reopen("boot-0", &limits);
	for (int64_t ms = 0; ms < 5 * HOUR; ms += 10 * MINUTE)
		put(ms, START, true, 0);
	/* A tier that cannot be made. */
	tier_db_exec(&t, "UPDATE boots SET minute_until = 0");
	struct rs_retention r;
	rs_retention_init(&r, &limits);
	const struct rs_retention_now now = {.boot = 1, .ms = 3 * DAY, .offset_ms = START};
	ck_assert_int_eq(rs_retention_bite(&r, t.db, &now), 0);
	ck_assert_int_eq(count("raw"), 30);
	tier_db_exec(&t, "UPDATE boots SET minute_until = 3");
	r.done_hour = -1;
	ck_assert_int_eq(rs_retention_bite(&r, t.db, &now), 0);
	ck_assert_int_eq(count("raw"), 12);
}
END_TEST

/* Deleting is not done in one go. */
START_TEST(a_transaction_deletes_few_rows)
{
	static const struct rs_store_limits none;

	reopen("boot-0", &none);
	for (int64_t ms = 0; ms < DAY; ms += 5 * MINUTE)
		put(ms, START, true, 0);
	(void)tier_db_upkeep(&t, DAY, START);
	ck_assert_int_eq(count("raw"), 288);
	reopen("boot-0", &days);
	int64_t left = 288;
	int r = 1;
	while (r > 0) {
		r = rs_upkeep_bite(&t.upkeep, t.db, &t.appender, 9 * DAY, START);
		const int64_t n = count("raw");
		ck_assert_int_le(left - n, 64);
		left = n;
	}
	/* The last hour is not over. */
	ck_assert_int_eq(left, 12);
}
END_TEST

/* --- clocks ---------------------------------------------------------------- */

/* Hours of the history, and then of a second boot whose clock says now. */
static void
next_boot(const char *boot_id, int64_t hours, int64_t offset_ms, bool is_clock_ok)
{
	reopen(boot_id, &days);
	for (int64_t h = 0; h < hours; h++) {
		put(h * HOUR, offset_ms, is_clock_ok, 0);
		(void)tier_db_upkeep(&t, h * HOUR, offset_ms);
	}
}

START_TEST(a_clock_that_jumps_years_costs_nothing)
{
	/* Wall clock minus boot clock, hour by hour: forward, back, right again. */
	static const int64_t jumps[] = {
	    0, 14 * YEAR, 14 * YEAR, 14 * YEAR, -50 * YEAR, -50 * YEAR, 0, 3 * YEAR, 0};

	next_boot("boot-0", 30, START, true);
	reopen("boot-1", &days);
	for (size_t i = 0; i < RS_ARRAY_LEN(jumps); i++) {
		const int64_t ms = (int64_t)i * 2 * HOUR;
		const int64_t offset = START + 40 * HOUR + jumps[i];

		put(ms, offset, offset > 0, 0);
		(void)tier_db_upkeep(&t, ms, offset);
		(void)tier_db_upkeep(&t, ms + HOUR, offset);
		ck_assert_int_eq(rows("raw", 1), 30);
		ck_assert_int_eq(rows("raw", 2), (int64_t)i + 1);
	}
	/* All of it lies where the clock says now. */
	ck_assert_int_eq(
	    tier_db_int(&t, "SELECT wall_offset_ms FROM boots WHERE id = 2"), START + 40 * HOUR);
}
END_TEST

START_TEST(an_old_boot_goes_when_the_clock_has_kept_its_course)
{
	next_boot("boot-0", 30, START, true);
	next_boot("boot-1", 6, START + 30 * DAY, true);
	ck_assert_int_eq(rows("raw", 1), 30);
	put(6 * HOUR, START + 30 * DAY, true, 0);
	(void)tier_db_upkeep(&t, 6 * HOUR, START + 30 * DAY);
	ck_assert_int_eq(rows("raw", 1), 0);
	ck_assert_int_eq(rows("minute", 1), 30);
	ck_assert_int_eq(rows("raw", 2), 7);
}
END_TEST

START_TEST(only_what_is_older_than_the_limit_goes)
{
	next_boot("boot-0", 48, START, true);
	/* Begins when the first day of the other one is seven days old, less the 7
	 * hours it runs. */
	next_boot("boot-1", 8, START + 8 * DAY - 7 * HOUR, true);
	ck_assert_int_eq(rows("raw", 1), 24);
}
END_TEST

START_TEST(a_clock_that_is_not_believed_costs_nothing)
{
	next_boot("boot-0", 30, START, true);
	next_boot("boot-1", 30, START + 30 * DAY, false);
	ck_assert_int_eq(rows("raw", 1), 30);
}
END_TEST

START_TEST(what_was_before_a_long_uptime_is_old_without_a_clock)
{
	next_boot("boot-0", 30, 0, false);
	reopen("boot-1", &days);
	put(0, 0, false, 0);
	(void)tier_db_upkeep(&t, 7 * DAY - HOUR, 0);
	ck_assert_int_eq(rows("raw", 1), 30);
	(void)tier_db_upkeep(&t, 7 * DAY, 0);
	ck_assert_int_eq(rows("raw", 1), 0);
}
END_TEST

START_TEST(without_a_boot_id_uptime_tells_nothing)
{
	reopen("", &days);
	put(20 * DAY, START, true, 0);
	reopen("", &days);
	ck_assert_int_eq(t.appender.boot, 0);
	put(20 * DAY + MINUTE, START, true, 0);
	ck_assert_int_eq(count("boots"), 2);
	for (int64_t ms = 20 * DAY; ms < 21 * DAY; ms += HOUR)
		(void)tier_db_upkeep(&t, ms, START);
	ck_assert_int_eq(rows("raw", 1), 1);
}
END_TEST

/* A boot that never knew the time, or believed to be in the future, lies where it
 * was: between its neighbours. */
static const struct lost_case {
	int64_t offset_ms;
	bool is_clock_ok;
} lost_cases[] = {{0, false}, {START + 20 * YEAR, true}};

START_TEST(a_boot_without_a_time_goes_with_its_neighbours)
{
	const struct lost_case *const c = &lost_cases[_i];

	next_boot("boot-0", 30, START, true);
	next_boot("boot-1", 3, c->offset_ms, c->is_clock_ok);
	next_boot("boot-2", 30, START + 2 * DAY, true);
	next_boot("boot-3", 8, START + 8 * DAY - 6 * HOUR, true);
	/* The first is partly too old, so what is behind it is not. */
	ck_assert_int_eq(rows("raw", 2), 3);
	ck_assert_int_gt(rows("raw", 1), 0);
	next_boot("boot-4", 8, START + 9 * DAY + HOUR, true);
	ck_assert_int_eq(rows("raw", 1), 0);
	ck_assert_int_eq(rows("raw", 2), 0);
	ck_assert_int_gt(rows("raw", 3), 0);
}
END_TEST

/* An RTC that forgets: wrong, but not impossible. */
START_TEST(a_boot_that_believed_to_be_in_the_past_is_not_older_than_what_was_before)
{
	next_boot("boot-0", 30, START, true);
	next_boot("boot-1", 3, START - 2 * YEAR, true);
	next_boot("boot-2", 30, START + 2 * DAY, true);
	ck_assert_int_eq(rows("raw", 1), 30);
	ck_assert_int_eq(rows("raw", 2), 3);
	ck_assert_int_eq(rows("minute", 2), 3);
}
END_TEST

/* --- series and boots ------------------------------------------------------ */

START_TEST(a_series_goes_with_its_last_sample)
{
	const struct rs_store_limits limits = {DAY, 2 * DAY, 4 * DAY, 0};

	reopen("boot-0", &limits);
	put(0, START, true, 5);
	put(HOUR, START, true, 6);
	ck_assert_int_eq(count("series"), 2);
	run(2 * HOUR, 5 * DAY, START);
	/* The day of its last hour is still there. */
	ck_assert_int_eq(count("series WHERE cpu = 5"), 1);
	run(5 * DAY, 5 * DAY + 2 * HOUR, START);
	ck_assert_int_eq(count("series WHERE cpu IN (5, 6)"), 0);
	ck_assert_int_eq(count("series WHERE cpu = 0"), 1);
	ck_assert_int_eq(count("minute, series WHERE series.id = 0"), 0);
}
END_TEST

START_TEST(an_id_is_given_again_only_when_nothing_names_it)
{
	const struct rs_store_limits limits = {HOUR, HOUR, DAY, 0};

	reopen("boot-0", &limits);
	put(0, START, true, 5);
	put(MINUTE, START, true, 6);
	put(HOUR, START, true, 0);
	(void)tier_db_upkeep(&t, HOUR, START);
	/* Raw and minute are gone, the hour tier is not made yet. */
	put(6 * HOUR, START, true, 7);
	(void)tier_db_upkeep(&t, 6 * HOUR, START);
	ck_assert_int_eq(tier_db_int(&t, "SELECT id FROM series WHERE cpu = 5"), 1);
	ck_assert_int_eq(tier_db_int(&t, "SELECT id FROM series WHERE cpu = 7"), 4);
	run(DAY, 4 * DAY, START);
	ck_assert_int_eq(count("series"), 1);
	reopen("boot-0", &limits);
	put(4 * DAY, START, true, 8);
	/* 3 is the series that is always there. */
	ck_assert_int_eq(tier_db_int(&t, "SELECT id FROM series WHERE cpu = 8"), 1);
	put(4 * DAY + MINUTE, START, true, 9);
	ck_assert_int_eq(tier_db_int(&t, "SELECT id FROM series WHERE cpu = 9"), 2);
	put(4 * DAY + 2 * MINUTE, START, true, 10);
	ck_assert_int_eq(tier_db_int(&t, "SELECT id FROM series WHERE cpu = 10"), 4);
}
END_TEST

START_TEST(ids_begin_again_when_the_keys_have_no_more_room)
{
	put(0, START, true, 5);
	tier_db_exec(&t, "UPDATE series SET id = 4194302");
	reopen("boot-0", &days);
	t.appender.known.last_id = 4194302;
	put(MINUTE, START, true, 6);
	put(2 * MINUTE, START, true, 7);
	put(3 * MINUTE, START, true, 8);
	ck_assert_int_eq(tier_db_int(&t, "SELECT id FROM series WHERE cpu = 6"), 4194303);
	ck_assert_int_eq(tier_db_int(&t, "SELECT id FROM series WHERE cpu = 7"), 1);
	ck_assert_int_eq(tier_db_int(&t, "SELECT id FROM series WHERE cpu = 8"), 2);
}
END_TEST

START_TEST(boots_that_nothing_refers_to_go)
{
	char boot_id[24];

	for (int i = 0; i < 20; i++) {
		(void)snprintf(boot_id, sizeof(boot_id), "b%d", i);
		reopen(boot_id, &days);
		put(0, START + i * HOUR, true, i % 3);
	}
	tier_db_exec(&t, "INSERT INTO findings (id, code, title, severity, confidence, subject, "
			 "raised_ms, episodes, message, boot) "
			 "VALUES (1, '', '', '', '', '', 0, 1, '', 7)");
	const struct rs_store_limits limits = {HOUR, HOUR, HOUR, 0};
	reopen("boot-new", &limits);
	put(0, START + DAY, true, 0);
	(void)tier_db_upkeep(&t, 3 * HOUR, START + DAY);
	ck_assert_int_eq(count("raw"), 1);
	/* The new one, the first of the series that is left, and the finding's. */
	ck_assert_int_eq(count("boots"), 3);
	ck_assert_int_eq(count("boots WHERE id IN (1, 7, 21)"), 3);
	ck_assert_int_eq(count("series"), 1);
}
END_TEST

/* --- by size --------------------------------------------------------------- */

static int64_t
files(void)
{
	char name[120];
	struct stat st;
	int64_t n = 0;

	if (stat(dir.db, &st) == 0)
		n += st.st_size;
	(void)snprintf(name, sizeof(name), "%s-wal", dir.db);
	if (stat(name, &st) == 0)
		n += st.st_size;
	return n;
}

static int64_t
pages(void)
{
	return tier_db_int(&t, "PRAGMA page_count");
}

static uint64_t state = UINT64_C(0x9e3779b97f4a7c15);

static uint32_t
random_number(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 33);
}

/* A minute of n series with 12 ticks, about 1.3 bytes a value. */
static void
fill(struct rs_block *b, uint32_t n, int64_t minute)
{
	rs_block_reset(b, minute);
	b->wall_offset_ms = START;
	b->is_clock_ok = true;
	b->n_series = 0;
	test_ticks(b, 0, 12);
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t slot =
		    test_series(b, i + 1, RS_M_CORE_INTERRUPTS, test_cpu((int32_t)i));

		for (uint32_t tick = 0; tick < 12; tick++)
			rs_block_put(b, slot, tick, random_number() % 500);
	}
}

/* As the store thread does it. */
static int
try_minute(struct rs_block *b)
{
	int r = rs_upkeep_make_room(&t.upkeep, t.db, rs_upkeep_estimate(b), false);

	if (r == 0)
		r = tier_db_append(&t, b);
	return r;
}

/* Series, limit; what the tiers of the whole run take is below that. */
static const struct size_case {
	uint32_t series;
	int64_t max_bytes;
	int minutes;
} size_cases[] = {{60, 2 << 20, 2000}, {20, 1 << 20, 2400}, {600, 4 << 20, 500}};

START_TEST(the_files_are_never_larger_than_told)
{
	const struct size_case *const c = &size_cases[_i];
	const struct rs_store_limits limits = {7 * DAY, 90 * DAY, 3 * YEAR, c->max_bytes};
	struct rs_block *const b = test_block(c->series, 5 * RS_NS_PER_S, 0, START);
	int64_t largest = 0, half_pages = 0;
	struct rs_vfs_stats at_half = {0};
	const int half = c->minutes / 2;

	reopen("boot-0", &limits);
	for (int64_t m = 0; m < c->minutes; m++) {
		fill(b, c->series, m);
		ck_assert_msg(try_minute(b) == 0, "%s", t.db->error);
		largest = RS_MAX(largest, files());
		(void)tier_db_upkeep(&t, (m + 1) * MINUTE, START);
		largest = RS_MAX(largest, files());
		if (m == half) {
			half_pages = pages();
			at_half = rs_vfs_stats(t.db->vfs);
		}
	}
	ck_assert_int_le(largest, c->max_bytes);
	/* Samples went, oldest first, and there was room for no more. */
	ck_assert_uint_gt(t.upkeep.retention.given_up[RS_TIER_RAW], 0);
	ck_assert_uint_eq(t.upkeep.retention.given_up[RS_TIER_MINUTE], 0);
	ck_assert_uint_eq(t.upkeep.retention.given_up[RS_TIER_HOUR], 0);
	ck_assert_int_gt(largest, c->max_bytes / 10 * 7);
	/* Every minute is there, in one tier or the other. */
	const int64_t hours = (c->minutes - 1) / 60;
	ck_assert_int_eq(tier_db_int(&t, "SELECT minute_until FROM boots"), hours);
	ck_assert_int_eq(count("(SELECT DISTINCT id >> 17 FROM minute)"), hours);
	ck_assert_int_ge(count("raw"), c->minutes - hours * 60);
	const int64_t first = tier_db_int(&t, "SELECT min(id) >> 12 & 0xfffffff FROM raw");
	const int64_t parts = (c->series + 511) / 512;
	ck_assert_int_ge(count("raw"), (c->minutes - first - 1) * parts);
	/* Pages are used again, and writing costs no more than before: samples twice,
	 * to the log and to the database, and a few pages around them; a transaction a
	 * minute, and few for all else. */
	ck_assert_int_le(pages(), half_pages + half_pages / 50);
	const struct rs_vfs_stats at_end = rs_vfs_stats(t.db->vfs);
	const uint64_t minutes = (uint64_t)(c->minutes - half);
	const uint64_t minute_bytes =
	    (uint64_t)tier_db_int(&t, "SELECT avg(length(data)) FROM raw") * (uint64_t)parts;
	ck_assert_uint_le(
	    (at_end.bytes_written - at_half.bytes_written) / minutes, 2 * minute_bytes + 12 * 4096);
	ck_assert_uint_le(at_end.syncs - at_half.syncs, minutes + minutes / 2);
	rs_block_free(b);
}
END_TEST

START_TEST(samples_go_first_then_minutes_then_hours)
{
	const struct rs_store_limits limits = {0, 0, 0, 1 << 20};
	struct rs_block *const b = test_block(60, 5 * RS_NS_PER_S, 0, START);
	uint64_t first[RS_TIER_COUNT] = {0};

	reopen("boot-0", &limits);
	/* Hours of two minutes each: much for the tiers, little for raw. */
	for (int64_t m = 0; m < 24 * 60 * 40; m += 30) {
		fill(b, 60, m);
		ck_assert_msg(try_minute(b) == 0, "%s", t.db->error);
		(void)tier_db_upkeep(&t, (m + 1) * MINUTE, START);
		ck_assert_int_le(files(), limits.max_bytes);
		for (int i = 0; i < RS_TIER_COUNT; i++) {
			if (first[i] == 0 && t.upkeep.retention.given_up[i] > 0)
				first[i] = (uint64_t)m;
		}
	}
	ck_assert_uint_gt(first[RS_TIER_RAW], 0);
	ck_assert_uint_gt(first[RS_TIER_MINUTE], first[RS_TIER_RAW]);
	/* Samples that no tier has, and hours that no day has, are the last to go. */
	ck_assert_int_gt(count("raw"), 0);
	ck_assert_int_eq(tier_db_int(&t, "SELECT count(DISTINCT minute.id >> 17) - minute_until + "
					 "hour_until * 24 FROM minute, boots "
					 "WHERE (minute.id >> 17 & 0x7fffff) >= hour_until * 24"),
	    0);
	rs_block_free(b);
}
END_TEST

START_TEST(the_unfinished_hour_goes_when_nothing_else_is_left)
{
	const struct rs_store_limits limits = {0, 0, 0, 1 << 20};
	struct rs_block *const b = test_block(1500, 5 * RS_NS_PER_S, 0, START);

	reopen("boot-0", &limits);
	for (int64_t m = 0; m < 59; m++) {
		fill(b, 1500, m);
		ck_assert_msg(try_minute(b) == 0, "%s", t.db->error);
		ck_assert_int_le(files(), limits.max_bytes);
	}
	ck_assert_uint_gt(t.upkeep.retention.given_up[RS_TIER_RAW], 0);
	/* The newest are there. */
	ck_assert_int_eq(tier_db_int(&t, "SELECT max(id) >> 12 & 0xfffffff FROM raw"), 58);
	rs_block_free(b);
}
END_TEST

START_TEST(a_block_that_cannot_fit_costs_nothing)
{
	const struct rs_store_limits limits = {0, 0, 0, 1 << 20};

	reopen("boot-0", &limits);
	run(0, 10 * HOUR, START);
	ck_assert_int_eq(rs_upkeep_make_room(&t.upkeep, t.db, 2 << 20, false), -ENOSPC);
	ck_assert_str_eq(t.db->error, "max_size leaves no room");
	ck_assert_int_eq(count("raw"), 10);
}
END_TEST

START_TEST(a_limit_that_was_lowered_is_reached_in_bites)
{
	const struct rs_store_limits limits = {0, 0, 0, 2 << 20};
	struct rs_block *const b = test_block(100, 5 * RS_NS_PER_S, 0, START);

	for (int64_t m = 0; m < 1500; m++) {
		fill(b, 100, m);
		ck_assert_msg(try_minute(b) == 0, "%s", t.db->error);
	}
	/* As a version without tiers left it. */
	ck_assert_int_eq(count("minute"), 0);
	reopen("boot-0", &limits);
	const int64_t before = pages();
	ck_assert_int_gt(before * 4096, 2 << 20);
	unsigned n = 0;
	for (int64_t m = 1500; m < 1800; m++) {
		fill(b, 100, m);
		ck_assert_msg(try_minute(b) == 0, "%s", t.db->error);
		n += tier_db_upkeep(&t, (m + 1) * MINUTE, START);
	}
	ck_assert_uint_gt(n, 20);
	/* The file stays; what is in it is what it may be. */
	ck_assert_int_le(pages(), before + 128);
	ck_assert_int_le(4096 * (pages() - tier_db_int(&t, "PRAGMA freelist_count")), 3 << 19);
	ck_assert_uint_eq(t.upkeep.retention.given_up[RS_TIER_MINUTE], 0);
	ck_assert_int_eq(count("(SELECT DISTINCT id >> 17 FROM minute)"), 1799 / 60);
	rs_block_free(b);
}
END_TEST

START_TEST(a_disk_that_is_full_needs_pages_within_the_file)
{
	struct rs_block *const b = test_block(150, 5 * RS_NS_PER_S, 0, START);

	for (int64_t m = 0; m < 300; m++) {
		fill(b, 150, m);
		ck_assert_msg(try_minute(b) == 0, "%s", t.db->error);
		(void)tier_db_upkeep(&t, (m + 1) * MINUTE, START);
	}
	/* The file cannot grow. */
	char sql[64];
	(void)snprintf(sql, sizeof(sql), "PRAGMA max_page_count = %lld", (long long)pages());
	tier_db_exec(&t, sql);
	int r = 0;
	for (int64_t m = 300; r == 0; m++) {
		fill(b, 150, m);
		r = try_minute(b);
	}
	ck_assert_int_eq(r, -ENOSPC);
	const int64_t rows_before = count("raw");
	ck_assert_int_eq(rs_upkeep_make_room(&t.upkeep, t.db, rs_upkeep_estimate(b), true), 0);
	ck_assert_int_lt(count("raw"), rows_before);
	ck_assert_int_eq(tier_db_append(&t, b), 0);
	/* It is enough for a while. */
	const int64_t rows_after = count("raw");
	ck_assert_int_eq(rs_upkeep_make_room(&t.upkeep, t.db, rs_upkeep_estimate(b), true), 0);
	ck_assert_int_eq(count("raw"), rows_after);
	rs_block_free(b);
}
END_TEST

/* Eight bytes a value, where two are expected. */
START_TEST(samples_that_do_not_pack_find_room)
{
	const struct rs_store_limits limits = {0, 0, 0, 4 << 20};
	const int64_t minute_bytes = 5000 * (12 * 8 + 8);
	unsigned failures = 0;
	struct rs_block *const b = test_block(5000, 5 * RS_NS_PER_S, 0, START);

	reopen("boot-0", &limits);
	for (int64_t m = 0; m < 30; m++) {
		fill(b, 5000, m);
		for (uint32_t i = 0; i < 5000; i++) {
			for (uint32_t tick = 0; tick < 12; tick++)
				rs_block_put(b, i, tick,
				    (int64_t)((uint64_t)random_number() << 33 ^ random_number()));
		}
		int r = try_minute(b);
		if (r == -ENOSPC &&
		    rs_upkeep_make_room(&t.upkeep, t.db, rs_upkeep_estimate(b), true) == 0)
			r = tier_db_append(&t, b);
		/* It would come again with the next minute. */
		ck_assert_msg(r == 0 || r == -ENOSPC, "%s", t.db->error);
		failures += r < 0;
		ck_assert_int_le(files(), limits.max_bytes + minute_bytes);
	}
	ck_assert_uint_le(failures, 3);
	ck_assert_int_eq(tier_db_int(&t, "SELECT max(id) >> 12 & 0xfffffff FROM raw"), 29);
	rs_block_free(b);
}
END_TEST

START_TEST(a_reader_from_outside_does_not_make_the_log_grow_beyond_the_limit)
{
	const struct rs_store_limits limits = {0, 0, 0, 4 << 20};
	struct rs_block *const b = test_block(150, 5 * RS_NS_PER_S, 0, START);
	int64_t m = 0;
	int r = 0;

	reopen("boot-0", &limits);
	for (; m < 700; m++) {
		fill(b, 150, m);
		ck_assert_int_eq(try_minute(b), 0);
		(void)tier_db_upkeep(&t, (m + 1) * MINUTE, START);
	}
	/* A query that is never finished. */
	sqlite3 *const reader = test_shell_open(dir.db, "BEGIN; SELECT count(*) FROM raw");
	for (; r == 0 && m < 3000; m++) {
		fill(b, 150, m);
		r = try_minute(b);
		for (int i = 0; r == 0 && i < 100; i++) {
			const int bite =
			    rs_upkeep_bite(&t.upkeep, t.db, &t.appender, (m + 1) * MINUTE, START);

			if (bite <= 0)
				break;
		}
		ck_assert_int_le(files(), limits.max_bytes);
	}
	ck_assert_int_eq(r, -ENOSPC);
	ck_assert_ptr_nonnull(strstr(t.db->error, "another program"));
	ck_assert_int_eq(sqlite3_close(reader), SQLITE_OK);
	ck_assert_msg(try_minute(b) == 0, "%s", t.db->error);
	(void)tier_db_upkeep(&t, (m + 1) * MINUTE, START);
	ck_assert_int_le(files(), limits.max_bytes);
	rs_block_free(b);
}
END_TEST

START_TEST(limits_are_set_again_after_a_restart)
{
	const struct rs_store_limits limits = {0, 0, 0, 1 << 20};

	for (int i = 0; i < 3; i++) {
		reopen("boot-0", &limits);
		ck_assert_int_eq(tier_db_int(&t, "PRAGMA max_page_count"), 192);
		ck_assert_int_le(tier_db_int(&t, "PRAGMA wal_autocheckpoint"), 32);
		ck_assert_int_eq(tier_db_int(&t, "PRAGMA journal_size_limit"), 1 << 18);
		ck_assert_int_eq(tier_db_int(&t, "PRAGMA secure_delete"), 0);
	}
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("retention");
	TCase *const time = tcase_create("time");
	TCase *const names = tcase_create("names");
	TCase *const size = tcase_create("size");

	tcase_add_checked_fixture(time, set_up, tear_down);
	tcase_set_timeout(time, 60);
	tcase_add_test(time, each_tier_is_kept_as_long_as_told);
	tcase_add_test(time, without_limits_all_stays);
	tcase_add_test(time, what_no_coarser_tier_has_is_kept);
	tcase_add_test(time, a_transaction_deletes_few_rows);
	tcase_add_test(time, a_clock_that_jumps_years_costs_nothing);
	tcase_add_test(time, an_old_boot_goes_when_the_clock_has_kept_its_course);
	tcase_add_test(time, only_what_is_older_than_the_limit_goes);
	tcase_add_test(time, a_clock_that_is_not_believed_costs_nothing);
	tcase_add_test(time, what_was_before_a_long_uptime_is_old_without_a_clock);
	tcase_add_test(time, without_a_boot_id_uptime_tells_nothing);
	tcase_add_loop_test(
	    time, a_boot_without_a_time_goes_with_its_neighbours, 0, RS_ARRAY_LEN(lost_cases));
	tcase_add_test(
	    time, a_boot_that_believed_to_be_in_the_past_is_not_older_than_what_was_before);
	suite_add_tcase(s, time);

	tcase_add_checked_fixture(names, set_up, tear_down);
	tcase_add_test(names, a_series_goes_with_its_last_sample);
	tcase_add_test(names, an_id_is_given_again_only_when_nothing_names_it);
	tcase_add_test(names, ids_begin_again_when_the_keys_have_no_more_room);
	tcase_add_test(names, boots_that_nothing_refers_to_go);
	suite_add_tcase(s, names);

	tcase_add_checked_fixture(size, set_up, tear_down);
	tcase_set_timeout(size, 120);
	tcase_add_loop_test(
	    size, the_files_are_never_larger_than_told, 0, RS_ARRAY_LEN(size_cases));
	tcase_add_test(size, samples_go_first_then_minutes_then_hours);
	tcase_add_test(size, the_unfinished_hour_goes_when_nothing_else_is_left);
	tcase_add_test(size, a_block_that_cannot_fit_costs_nothing);
	tcase_add_test(size, a_limit_that_was_lowered_is_reached_in_bites);
	tcase_add_test(size, a_disk_that_is_full_needs_pages_within_the_file);
	tcase_add_test(size, samples_that_do_not_pack_find_room);
	tcase_add_test(size, a_reader_from_outside_does_not_make_the_log_grow_beyond_the_limit);
	tcase_add_test(size, limits_are_set_again_after_a_restart);
	suite_add_tcase(s, size);
	return s;
}

RS_CHECK_MAIN(suite())
