/* SPDX-License-Identifier: ISC */
/*
 * The minute and hour tiers are what a plain sum over all samples says, in
 * whatever order samples, late ones and bites come, and whatever fails between.
 */
#include "rs_check.h"

#include <errno.h>

#include "blocks.h"
#include "dbdir.h"
#include "tierdb.h"

#define MINUTE_MS INT64_C(60000)
#define HOUR_MINUTES 60
#define DAY_MINUTES 1440
#define OFFSET INT64_C(1700000000000)

static struct test_dir dir;
static struct tier_db t;
static const struct rs_store_limits no_limits;

static void
set_up(void)
{
	test_dir_make(&dir);
	tier_db_open(&t, dir.db, "boot-0", &no_limits);
}

static void
tear_down(void)
{
	tier_db_close(&t);
	test_dir_remove(&dir);
}

static void
reopen(const char *boot_id)
{
	tier_db_close(&t);
	tier_db_open(&t, dir.db, boot_id, &no_limits);
	/* The power does not fail here. */
	tier_db_exec(&t, "PRAGMA synchronous = OFF");
}

static void
bites(void)
{
	(void)tier_db_upkeep(&t, t.appender.newest.ms, OFFSET);
}

/* --- the plain sum --------------------------------------------------------- */

enum { N_BOOTS = 3, N_SERIES = 24, MINUTES_MAX = 3 * DAY_MINUTES };

/* Of all samples that are stored, by boot of the test, series and minute. */
static struct rs_bucket (*truth)[N_SERIES][MINUTES_MAX];
static int64_t rows_of_boots[N_BOOTS]; /* of the table */
static uint32_t ids[N_SERIES];	       /* 0: not stored yet */

static bool
is_counter(uint32_t series)
{
	return series % 3 != 0;
}

/* As documented, by other arithmetic than the program's; for small values. */
static int64_t
rate_of(int64_t value, int64_t length_us)
{
	const int64_t twice = value * 2 * 240 * 1000000;
	const int64_t r = ((twice < 0 ? -twice : twice) + length_us) / (2 * length_us);

	return value < 0 ? -r : r;
}

static void
take(struct rs_bucket *b, const struct rs_bucket *one)
{
	if (one->count == 0)
		return;
	b->min = b->count == 0 || one->min < b->min ? one->min : b->min;
	b->max = b->count == 0 || one->max > b->max ? one->max : b->max;
	b->sum += one->sum;
	b->length_us += one->length_us;
	b->count += one->count;
}

static void
take_sample(int boot, uint32_t series, int64_t minute, int64_t value, int64_t length_us)
{
	int64_t level = value;

	if (is_counter(series) && length_us == 0)
		return;
	if (is_counter(series))
		level = rate_of(value, length_us);
	take(&truth[boot][series][minute],
	    &(struct rs_bucket){
		.min = level, .max = level, .sum = value, .length_us = length_us, .count = 1});
}

/* --- random blocks --------------------------------------------------------- */

static uint64_t state;

static uint32_t
pick(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 33) % below;
}

struct held {
	struct rs_block *block;
	int boot;
};

/* Which of a minute's ticks a block has; 20 s each, so three. */
static struct rs_block *
random_block(int64_t minute, uint32_t first_tick, uint32_t end_tick)
{
	struct rs_block *const b = test_block(N_SERIES, 20 * RS_NS_PER_S, minute, OFFSET);

	for (uint32_t tick = first_tick; tick < end_tick; tick++) {
		b->has_tick[tick] = pick(8) > 0;
		b->length_us[tick] = pick(30) == 0 ? 0 : 19000000 + pick(2000000);
	}
	for (uint32_t i = 0; i < N_SERIES; i++) {
		struct rs_labels labels = rs_labels_none;

		labels.cpu = (int32_t)i;
		const uint32_t slot = test_series(
		    b, i + 1, is_counter(i) ? RS_M_CORE_INTERRUPTS : RS_M_TEMPERATURE, labels);
		if (pick(4) == 0)
			continue;
		for (uint32_t tick = 0; tick < b->ticks; tick++) {
			if (b->has_tick[tick] && pick(6) > 0)
				rs_block_put(b, slot, tick,
				    pick(3) == 0 ? 0
						 : (int64_t)pick(1000000) - (i % 3 ? 0 : 500000));
		}
	}
	return b;
}

/* The block was stored. */
static void
note_block(int boot, const struct rs_block *b)
{
	for (uint32_t i = 0; i < N_SERIES; i++) {
		for (uint32_t tick = 0; tick < b->ticks; tick++) {
			int64_t value;

			if (b->has_tick[tick] && rs_block_get(b, i, tick, &value))
				take_sample(boot, i, b->minute, value, b->length_us[tick]);
		}
	}
	rows_of_boots[boot] = t.appender.boot;
}

static void
learn_ids(void)
{
	sqlite3_stmt *st = NULL;

	memset(ids, 0, sizeof(ids));
	ck_assert_int_eq(sqlite3_prepare_v2(t.db->handle,
			     "SELECT cpu, id FROM series WHERE device = ''", -1, &st, NULL),
	    SQLITE_OK);
	while (sqlite3_step(st) == SQLITE_ROW)
		ids[sqlite3_column_int(st, 0)] = (uint32_t)sqlite3_column_int(st, 1);
	(void)sqlite3_finalize(st);
}

/* --- comparing ------------------------------------------------------------- */

struct expected {
	int boot;
	int64_t until_slot, slot_minutes;
	uint64_t seen; /* buckets below until_slot */
};

static void
sum_truth(int boot, uint32_t series, int64_t slot, int64_t slot_minutes, struct rs_bucket *ret)
{
	*ret = (struct rs_bucket){0};
	for (int64_t m = slot * slot_minutes; m < (slot + 1) * slot_minutes && m < MINUTES_MAX; m++)
		take(ret, &truth[boot][series][m]);
}

static void
compare(void *arg, uint32_t id, int64_t slot, const struct rs_bucket *b)
{
	struct expected *const x = arg;
	struct rs_bucket sum;
	uint32_t i = 0;

	while (i < N_SERIES && ids[i] != id)
		i++;
	ck_assert_uint_lt(i, N_SERIES);
	if (slot >= x->until_slot)
		return; /* not finished: nobody reads it */
	sum_truth(x->boot, i, slot, x->slot_minutes, &sum);
	ck_assert_int_eq(b->count, sum.count);
	ck_assert_int_eq(b->min, sum.min);
	ck_assert_int_eq(b->max, sum.max);
	ck_assert_int_eq(b->sum, sum.sum);
	ck_assert_int_eq(b->length_us, sum.length_us);
	x->seen++;
}

static uint64_t
count_truth(const struct expected *x)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < N_SERIES; i++) {
		for (int64_t s = 0; s < x->until_slot && s * x->slot_minutes < MINUTES_MAX; s++) {
			struct rs_bucket sum;

			sum_truth(x->boot, i, s, x->slot_minutes, &sum);
			n += sum.count > 0;
		}
	}
	return n;
}

/* What is said to be made is made of all that is stored, no more, no less. */
static void
check_tiers(void)
{
	learn_ids();
	for (int boot = 0; boot < N_BOOTS; boot++) {
		struct rs_rows_boot row;

		if (rows_of_boots[boot] == 0)
			continue;
		ck_assert_int_eq(rs_rows_boot(t.db, rows_of_boots[boot], &row), 1);
		ck_assert_int_eq(row.id, rows_of_boots[boot]);
		struct expected x[2] = {
		    {.boot = boot,
			.until_slot = row.minute_until * HOUR_MINUTES,
			.slot_minutes = 1},
		    {.boot = boot, .until_slot = row.hour_until * 24, .slot_minutes = HOUR_MINUTES},
		};
		ck_assert_int_le(row.hour_until * 24, row.minute_until);
		for (int i = 0; i < 2; i++) {
			tier_db_each(&t, i == 0 ? RS_TIER_MINUTE : RS_TIER_HOUR,
			    rows_of_boots[boot], compare, &x[i]);
			ck_assert_uint_eq(x[i].seen, count_truth(&x[i]));
		}
	}
}

static int64_t
newest_minute(int boot)
{
	for (int64_t m = MINUTES_MAX; m-- > 0;) {
		for (uint32_t i = 0; i < N_SERIES; i++) {
			if (truth[boot][i][m].count > 0)
				return m;
		}
	}
	return -1;
}

/* Everything that is over is made. */
static void
check_complete(int running)
{
	for (int boot = 0; boot < N_BOOTS; boot++) {
		struct rs_rows_boot row;

		if (rows_of_boots[boot] == 0)
			continue;
		ck_assert_int_eq(rs_rows_boot(t.db, rows_of_boots[boot], &row), 1);
		const int64_t newest = newest_minute(boot);
		const int64_t is_over = boot != running;
		/* An hour or day without samples need not be named. */
		ck_assert_int_ge(row.minute_until + (is_over ? 0 : 1), newest / HOUR_MINUTES);
		if (is_over) {
			ck_assert_int_gt(row.minute_until, newest / HOUR_MINUTES);
			ck_assert_int_gt(row.hour_until, newest / DAY_MINUTES);
		} else {
			ck_assert_int_le(row.minute_until, newest / HOUR_MINUTES);
			ck_assert_int_le(row.hour_until, newest / DAY_MINUTES);
		}
	}
}

/* --- failing commits ------------------------------------------------------- */

static unsigned fail_in; /* the n-th commit from now on fails; 0: none */

static int
on_commit(void *arg)
{
	(void)arg;
	return fail_in > 0 && --fail_in == 0;
}

/* --- the property ---------------------------------------------------------- */

/* Ids apart from each other, so that an hour has several windows and a day
 * several groups. */
static void
spread_ids(void)
{
	tier_db_exec(&t,
	    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
	    "WHERE i < 2400) "
	    "INSERT INTO series SELECT i, 'x', '', '', i, 'eth', -1, '', 'gauge', 1, '', 1, 0, "
	    "NULL, NULL FROM n WHERE i % 97 <> 5");
}

static void
some_bites(unsigned n)
{
	while (n-- > 0) {
		const int r =
		    rs_upkeep_bite(&t.upkeep, t.db, &t.appender, t.appender.newest.ms, OFFSET);

		if (r == 0)
			break;
	}
}

static void
store(const struct held *h)
{
	int r = tier_db_append(&t, h->block);

	/* A commit may be made to fail; the model would hand it over again. */
	if (r < 0)
		r = tier_db_append(&t, h->block);
	ck_assert_msg(r == 0, "%s", t.db->error);
	note_block(h->boot, h->block);
	rs_block_free(h->block);
}

static void
maybe_restart(const char *boot_id)
{
	if (pick(12) > 0)
		return;
	reopen(boot_id);
	(void)sqlite3_commit_hook(t.db->handle, on_commit, NULL);
	t.upkeep.rollup.bite_samples = pick(3) == 0 ? 1000000 : 1 + pick(400);
	t.upkeep.rollup.bite_bytes = pick(3) == 0 ? 1000000 : 1 + pick(400);
}

/* For want of room: the oldest sample that is in the minute tier. */
static void
maybe_give_up(void)
{
	if (pick(4) == 0 && tier_db_int(&t, "SELECT count(*) FROM raw JOIN boots "
					    "ON boots.id = raw.id >> 40 AND (raw.id >> 12 & "
					    "0xfffffff) < minute_until * 60") > 0)
		(void)rs_retention_free(&t.upkeep.retention, t.db, 1 + pick(2000));
}

/* A boot of one to three days; some minutes are missing, some come late. */
static void
run_boot(int boot, bool is_short_of_room)
{
	struct held late[3] = {{NULL, 0}};
	char boot_id[24];
	int64_t minute = pick(200);
	const int64_t end = 300 + pick(MINUTES_MAX - 400);

	(void)snprintf(boot_id, sizeof(boot_id), "boot-%d", boot);
	reopen(boot_id);
	(void)sqlite3_commit_hook(t.db->handle, on_commit, NULL);
	for (; minute < end; minute += 1 + pick(pick(5) == 0 ? 90 : 8)) {
		/* A restart within the minute makes two blocks of it. */
		const uint32_t cut = pick(6) == 0 ? 1 + pick(2) : 3;
		struct held now = {random_block(minute, 0, cut), boot};
		struct held *const place = &late[pick(RS_ARRAY_LEN(late))];

		if (pick(10) == 0)
			fail_in = 1 + pick(4);
		/* The rest of a minute is of no use when its beginning is gone. */
		const bool may_wait = cut == 3 || !is_short_of_room;

		if (may_wait && pick(7) == 0 && place->block == NULL) {
			*place = now;
		} else {
			store(&now);
			if (pick(3) == 0 && place->block != NULL) {
				some_bites(pick(4));
				store(place);
				place->block = NULL;
			}
		}
		if (cut < 3) {
			now.block = random_block(minute, cut, 3);
			store(&now);
		}
		some_bites(pick(5));
		if (is_short_of_room)
			maybe_give_up();
		if (pick(60) == 0)
			check_tiers();
		maybe_restart(boot_id);
	}
	fail_in = 0;
	for (size_t i = 0; i < RS_ARRAY_LEN(late); i++) {
		if (late[i].block != NULL)
			store(&late[i]);
	}
	check_tiers();
}

START_TEST(tiers_equal_the_plain_sum)
{
	state = UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(_i + 1);
	truth = calloc(N_BOOTS, sizeof(*truth));
	ck_assert_ptr_nonnull(truth);
	memset(rows_of_boots, 0, sizeof(rows_of_boots));
	fail_in = 0;
	spread_ids();
	for (int boot = 0; boot < N_BOOTS; boot++)
		run_boot(boot, _i % 2 == 1);
	bites();
	check_tiers();
	check_complete(N_BOOTS - 1);
	ck_assert_uint_eq(t.upkeep.rollup.cells.damaged, 0);
	/* The next boot has not stored anything yet: all are over. */
	reopen("boot-new");
	ck_assert_int_eq(t.appender.boot, 0);
	bites();
	check_tiers();
	check_complete(-1);
	free(truth);
}
END_TEST

/* --- single cases ---------------------------------------------------------- */

/* One series of a counter, the same increment at each of a minute's ticks. */
static struct rs_block *
plain_block(int64_t minute, uint32_t ticks, int64_t value)
{
	struct rs_block *const b = test_block(4, 60 * RS_NS_PER_S / ticks, minute, OFFSET);

	test_ticks(b, 0, ticks);
	test_fill(b, test_series(b, 1, RS_M_CORE_INTERRUPTS, test_cpu(0)), value);
	return b;
}

static void
append(struct rs_block *b)
{
	ck_assert_msg(tier_db_append(&t, b) == 0, "%s", t.db->error);
	rs_block_free(b);
}

struct wanted {
	uint32_t id;
	int64_t slot;
	struct rs_bucket bucket;
	unsigned n; /* buckets at all */
};

static void
note_bucket(void *arg, uint32_t id, int64_t slot, const struct rs_bucket *b)
{
	struct wanted *const w = arg;

	w->n++;
	if (id == w->id && slot == w->slot)
		w->bucket = *b;
}

/* count 0: it is not there. */
static struct rs_bucket
bucket_at(enum rs_tier tier, uint32_t id, int64_t slot)
{
	struct wanted w = {.id = id, .slot = slot};

	tier_db_each(&t, tier, t.appender.boot, note_bucket, &w);
	return w.bucket;
}

static unsigned
count_buckets(enum rs_tier tier)
{
	struct wanted w = {0};

	tier_db_each(&t, tier, t.appender.boot, note_bucket, &w);
	return w.n;
}

static int64_t
minute_until(void)
{
	return tier_db_int(&t, "SELECT max(minute_until) FROM boots");
}

START_TEST(what_is_not_over_is_not_made)
{
	append(plain_block(59, 6, 10));
	bites();
	ck_assert_uint_eq(count_buckets(RS_TIER_MINUTE), 0);
	append(plain_block(60, 6, 10));
	bites();
	ck_assert_uint_eq(count_buckets(RS_TIER_MINUTE), 1);
	const struct rs_bucket b = bucket_at(RS_TIER_MINUTE, 1, 59);
	/* 10 in 10 s. */
	ck_assert_int_eq(b.min, RS_BUCKET_RATE_SCALE);
	ck_assert_int_eq(b.sum, 60);
	ck_assert_uint_eq(b.count, 6);
	append(plain_block(DAY_MINUTES - 1, 6, 10));
	bites();
	ck_assert_uint_eq(count_buckets(RS_TIER_HOUR), 0);
	append(plain_block(DAY_MINUTES, 6, 20));
	bites();
	ck_assert_uint_eq(count_buckets(RS_TIER_MINUTE), 3);
	ck_assert_uint_eq(count_buckets(RS_TIER_HOUR), 3);
	ck_assert_int_eq(bucket_at(RS_TIER_HOUR, 1, 23).sum, 60);
	ck_assert_int_eq(bucket_at(RS_TIER_HOUR, 1, 24).count, 0);
}
END_TEST

START_TEST(another_boot_is_over)
{
	append(plain_block(3, 6, 10));
	reopen("boot-1");
	append(plain_block(1, 6, 10));
	bites();
	ck_assert_int_eq(tier_db_int(&t, "SELECT count(*) FROM minute WHERE id >> 40 = 1"), 1);
	ck_assert_int_eq(tier_db_int(&t, "SELECT count(*) FROM hour WHERE id >> 40 = 1"), 1);
	ck_assert_int_eq(tier_db_int(&t, "SELECT count(*) FROM minute"), 1);
}
END_TEST

START_TEST(a_minute_that_was_written_twice_counts_once)
{
	append(plain_block(5, 6, 10));
	/* The commit came through although it was said to have failed. */
	append(plain_block(5, 6, 10));
	/* Other ticks of the same minute are others. */
	struct rs_block *const b = test_block(4, 10 * RS_NS_PER_S, 6, OFFSET);
	test_ticks(b, 0, 2);
	test_fill(b, test_series(b, 1, RS_M_CORE_INTERRUPTS, test_cpu(0)), 7);
	append(b);
	struct rs_block *const rest = test_block(4, 10 * RS_NS_PER_S, 6, OFFSET);
	test_ticks(rest, 1, 6);
	test_fill(rest, test_series(rest, 1, RS_M_CORE_INTERRUPTS, test_cpu(0)), 7);
	append(rest);
	append(plain_block(60, 6, 10));
	bites();
	ck_assert_uint_eq(bucket_at(RS_TIER_MINUTE, 1, 5).count, 6);
	ck_assert_int_eq(bucket_at(RS_TIER_MINUTE, 1, 5).sum, 60);
	ck_assert_uint_eq(bucket_at(RS_TIER_MINUTE, 1, 6).count, 6);
	ck_assert_int_eq(bucket_at(RS_TIER_MINUTE, 1, 6).sum, 42);
}
END_TEST

START_TEST(another_interval_in_the_same_minute_counts_too)
{
	append(plain_block(5, 6, 10));
	append(plain_block(5, 3, 10));
	append(plain_block(60, 6, 10));
	bites();
	ck_assert_uint_eq(bucket_at(RS_TIER_MINUTE, 1, 5).count, 9);
}
END_TEST

/* Which bytes of which row. */
static const char *const damages[] = {
    "UPDATE raw SET data = x'00' WHERE id >> 12 & 0xfffffff = 5",
    "UPDATE raw SET data = zeroblob(length(data)) WHERE id >> 12 & 0xfffffff = 5",
    "UPDATE raw SET data = x'' WHERE id >> 12 & 0xfffffff = 5",
};

START_TEST(damaged_samples_are_left_out_and_counted)
{
	for (int64_t minute = 4; minute < 7; minute++)
		append(plain_block(minute, 6, 10));
	append(plain_block(60, 6, 10));
	tier_db_exec(&t, damages[_i]);
	bites();
	ck_assert_uint_eq(t.upkeep.rollup.cells.damaged, 1);
	ck_assert_uint_eq(count_buckets(RS_TIER_MINUTE), 2);
	ck_assert_int_eq(minute_until(), 1);
	bites();
	ck_assert_uint_eq(t.upkeep.rollup.cells.damaged, 1);
}
END_TEST

START_TEST(a_damaged_row_of_a_tier_is_made_again)
{
	append(plain_block(5, 6, 10));
	append(plain_block(60, 6, 10));
	bites();
	tier_db_exec(&t, "UPDATE minute SET data = x'0102'");
	append(plain_block(7, 6, 10)); /* late */
	bites();
	ck_assert_uint_eq(t.upkeep.rollup.cells.damaged, 1);
	ck_assert_uint_eq(count_buckets(RS_TIER_MINUTE), 2);
}
END_TEST

START_TEST(a_damaged_hour_is_a_gap_in_the_day)
{
	for (int64_t hour = 0; hour < 3; hour++)
		append(plain_block(hour * HOUR_MINUTES, 6, 10));
	append(plain_block(DAY_MINUTES, 6, 10));
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(
		    rs_upkeep_bite(&t.upkeep, t.db, &t.appender, t.appender.newest.ms, OFFSET), 1);
	ck_assert_int_eq(minute_until(), 3);
	tier_db_exec(&t, "UPDATE minute SET data = x'0102' WHERE id >> 17 & 0x7fffff = 1");
	bites();
	ck_assert_uint_eq(count_buckets(RS_TIER_HOUR), 2);
	ck_assert_uint_eq(t.upkeep.rollup.cells.damaged, 1);
}
END_TEST

START_TEST(a_late_minute_does_not_cost_what_is_only_in_the_tier)
{
	append(plain_block(5, 6, 10));
	append(plain_block(6, 6, 10));
	append(plain_block(60, 6, 10));
	append(plain_block(DAY_MINUTES, 6, 10));
	bites();
	ck_assert_int_eq(bucket_at(RS_TIER_HOUR, 1, 0).sum, 120);
	/* For want of room. */
	tier_db_exec(&t, "DELETE FROM raw WHERE id >> 12 & 0xfffffff < 60");
	append(plain_block(58, 6, 10));
	ck_assert_int_eq(minute_until(), 0);
	bites();
	ck_assert_int_eq(bucket_at(RS_TIER_MINUTE, 1, 5).sum, 60);
	ck_assert_int_eq(bucket_at(RS_TIER_MINUTE, 1, 6).sum, 60);
	ck_assert_int_eq(bucket_at(RS_TIER_MINUTE, 1, 58).sum, 60);
	ck_assert_int_eq(bucket_at(RS_TIER_HOUR, 1, 0).sum, 180);
	ck_assert_int_eq(bucket_at(RS_TIER_HOUR, 1, 1).sum, 60);
}
END_TEST

/* More rows of raw than one bite looks up, and one that comes in between. */
START_TEST(rows_that_come_while_an_hour_is_looked_up_count)
{
	for (int64_t minute = 0; minute < HOUR_MINUTES; minute++) {
		for (uint32_t part = 0; part < 10; part++) {
			struct rs_block *const b = test_block(4, 5 * RS_NS_PER_S, minute, OFFSET);

			test_ticks(b, part, part + 1);
			test_fill(b, test_series(b, 1, RS_M_CORE_INTERRUPTS, test_cpu(0)), 5);
			append(b);
		}
	}
	append(plain_block(60, 6, 10));
	ck_assert_int_eq(
	    rs_upkeep_bite(&t.upkeep, t.db, &t.appender, t.appender.newest.ms, OFFSET), 1);
	ck_assert_int_eq(tier_db_int(&t, "SELECT count(*) FROM minute"), 0);
	struct rs_block *const b = test_block(4, 5 * RS_NS_PER_S, 3, OFFSET);
	test_ticks(b, 11, 12);
	test_fill(b, test_series(b, 1, RS_M_CORE_INTERRUPTS, test_cpu(0)), 5);
	append(b);
	bites();
	ck_assert_uint_eq(bucket_at(RS_TIER_MINUTE, 1, 3).count, 11);
	ck_assert_uint_eq(bucket_at(RS_TIER_MINUTE, 1, 4).count, 10);
}
END_TEST

/* A block of n series at n places of the sorted list of all ids. */
static struct rs_block *
wide_block(int64_t minute, uint32_t n, uint32_t ticks)
{
	struct rs_block *const b = test_block(n, 60 * RS_NS_PER_S / ticks, minute, OFFSET);

	test_ticks(b, 0, ticks);
	for (uint32_t i = 0; i < n; i++)
		test_fill(b, test_series(b, i + 1, RS_M_CORE_INTERRUPTS, test_cpu((int32_t)i)),
		    (int64_t)i);
	return b;
}

/* Series and ticks a minute; transactions that an hour may take. */
static const struct size_case {
	uint32_t series, ticks;
	unsigned transactions;
} size_cases[] = {{300, 60, 1}, {1, 300, 1}, {3000, 6, 3}, {700, 300, 24}};

static unsigned commits;

static int
count_commit(void *arg)
{
	(void)arg;
	commits++;
	return 0;
}

START_TEST(an_hour_of_many_series_is_made_in_few_transactions)
{
	const struct size_case *const c = &size_cases[_i];
	struct rs_block *b = wide_block(0, c->series, c->ticks);

	for (b->minute = 0; b->minute <= HOUR_MINUTES; b->minute += 20)
		ck_assert_int_eq(tier_db_append(&t, b), 0);
	/* As much work as a full hour. */
	t.upkeep.rollup.bite_samples /= 20;
	(void)sqlite3_commit_hook(t.db->handle, count_commit, NULL);
	commits = 0;
	while (rs_rollup_bite(&t.upkeep.rollup, t.db, t.appender.boot) > 0)
		;
	ck_assert_uint_le(commits, c->transactions);
	ck_assert_uint_eq(count_buckets(RS_TIER_MINUTE), 3 * c->series);
	struct wanted w = {.slot = 20, .id = c->series};
	tier_db_each(&t, RS_TIER_MINUTE, 1, note_bucket, &w);
	ck_assert_int_eq(w.bucket.sum, (int64_t)(c->series - 1) * c->ticks);
	rs_block_free(b);
}
END_TEST

START_TEST(minutes_without_work_write_nothing)
{
	for (int64_t minute = 0; minute < 61; minute++)
		append(plain_block(minute, 6, 10));
	bites();
	for (int64_t minute = 61; minute < 119; minute++) {
		append(plain_block(minute, 6, 10));
		const uint64_t before = rs_vfs_stats(t.db->vfs).bytes_written;
		bites();
		ck_assert_uint_eq(rs_vfs_stats(t.db->vfs).bytes_written, before);
	}
}
END_TEST

START_TEST(an_empty_database_needs_nothing)
{
	ck_assert_int_eq(rs_upkeep_bite(&t.upkeep, t.db, &t.appender, 0, OFFSET), 0);
}
END_TEST

START_TEST(in_memory_nothing_is_made)
{
	struct tier_db m;

	tier_db_open(&m, NULL, "boot-0", &no_limits);
	struct rs_block *const b = plain_block(0, 6, 10);
	for (b->minute = 0; b->minute < 100; b->minute++) {
		ck_assert_int_eq(rs_upkeep_make_room(&m.upkeep, m.db, 1000, false), 0);
		ck_assert_int_eq(tier_db_append(&m, b), 0);
		ck_assert_uint_eq(tier_db_upkeep(&m, m.appender.newest.ms, OFFSET), 0);
	}
	ck_assert_int_eq(tier_db_int(&m, "SELECT count(*) FROM minute"), 0);
	rs_block_free(b);
	tier_db_close(&m);
}
END_TEST

/* Ids that the keys have no place for, boots and hours that cannot be: rows as
 * only somebody else could have written them. */
static const char *const oddities[] = {
    "INSERT INTO boots VALUES (8388608, 'x', 0, 1, 0, 0, NULL)",
    "INSERT INTO boots VALUES (-5, 'x', 0, 1, 0, 0, NULL)",
    "INSERT INTO boots VALUES (8388607, 'x', 0, 1, 0, 0, NULL);"
    "INSERT INTO raw VALUES (9223372036854775807, x'00');"
    "INSERT INTO minute VALUES (9223372036854775807, x'00');"
    "INSERT INTO hour VALUES (9223372036854775807, x'00')",
    "UPDATE boots SET minute_until = 9223372036854775807, hour_until = 9223372036854775807",
    "UPDATE boots SET minute_until = -9223372036854775807, hour_until = -1",
    "UPDATE boots SET wall_offset_ms = 9223372036854775807",
    "UPDATE boots SET wall_offset_ms = -9223372036854775807",
    "INSERT INTO raw SELECT -id, data FROM raw",
    "INSERT INTO raw SELECT 77 << 40, data FROM raw LIMIT 1",
    "DELETE FROM series",
    "DELETE FROM boots",
    "UPDATE series SET kind = 7, id = id + 4194304",
    "INSERT INTO minute SELECT (1 << 40) + (8388607 << 17) + 131071, x'0101' FROM raw LIMIT 1",
    "INSERT INTO raw VALUES (0, NULL)",
};

START_TEST(odd_rows_do_no_harm)
{
	const struct rs_store_limits limits = {1, 1, 1, 4 << 20};

	for (int64_t minute = 0; minute < 130; minute += 30)
		append(plain_block(minute, 6, 10));
	(void)sqlite3_exec(t.db->handle, oddities[_i], NULL, NULL, NULL);
	tier_db_close(&t);
	tier_db_open(&t, dir.db, "boot-1", &limits);
	struct rs_block *const b = plain_block(1000, 6, 10);
	/* There may be no number left for this boot. */
	(void)tier_db_append(&t, b);
	rs_block_free(b);
	for (int64_t hour = 0; hour < 10; hour++)
		(void)tier_db_upkeep(&t, (1000 + hour * 60) * MINUTE_MS, OFFSET);
	ck_assert_int_eq(rs_upkeep_make_room(&t.upkeep, t.db, (int64_t)2 << 20, false), 0);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("rollup");
	TCase *const property = tcase_create("property");
	TCase *const cases = tcase_create("cases");

	tcase_set_timeout(property, 60);
	tcase_add_checked_fixture(property, set_up, tear_down);
	tcase_add_loop_test(property, tiers_equal_the_plain_sum, 0, 8);
	suite_add_tcase(s, property);

	tcase_set_timeout(cases, 60);
	tcase_add_checked_fixture(cases, set_up, tear_down);
	tcase_add_test(cases, what_is_not_over_is_not_made);
	tcase_add_test(cases, another_boot_is_over);
	tcase_add_test(cases, a_minute_that_was_written_twice_counts_once);
	tcase_add_test(cases, another_interval_in_the_same_minute_counts_too);
	tcase_add_loop_test(
	    cases, damaged_samples_are_left_out_and_counted, 0, RS_ARRAY_LEN(damages));
	tcase_add_test(cases, a_damaged_row_of_a_tier_is_made_again);
	tcase_add_test(cases, a_damaged_hour_is_a_gap_in_the_day);
	tcase_add_test(cases, a_late_minute_does_not_cost_what_is_only_in_the_tier);
	tcase_add_test(cases, rows_that_come_while_an_hour_is_looked_up_count);
	tcase_add_loop_test(
	    cases, an_hour_of_many_series_is_made_in_few_transactions, 0, RS_ARRAY_LEN(size_cases));
	tcase_add_test(cases, minutes_without_work_write_nothing);
	tcase_add_test(cases, an_empty_database_needs_nothing);
	tcase_add_test(cases, in_memory_nothing_is_made);
	tcase_add_loop_test(cases, odd_rows_do_no_harm, 0, RS_ARRAY_LEN(oddities));
	suite_add_tcase(s, cases);
	return s;
}

RS_CHECK_MAIN(suite())
