/* SPDX-License-Identifier: ISC */
/*
 * A database with its appender and its upkeep, as the store thread has them, and
 * rows of the tiers read back.
 */
#ifndef RS_TEST_TIERDB_H
#define RS_TEST_TIERDB_H

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "append.h"
#include "bucket.h"
#include "migrate.h"
#include "upkeep.h"

struct tier_db {
	struct rs_db *db;
	struct rs_appender appender;
	struct rs_upkeep upkeep;
	char boot_id[40];
};

static inline void
tier_db_open(
    struct tier_db *t, const char *path, const char *boot_id, const struct rs_store_limits *limits)
{
	struct rs_error e = {0};

	(void)snprintf(t->boot_id, sizeof(t->boot_id), "%s", boot_id);
	ck_assert_msg(rs_db_open(path, &e, &t->db) == 0, "%s", e.text);
	ck_assert_int_eq(rs_appender_init(&t->appender, t->db, t->boot_id), 0);
	ck_assert_int_eq(rs_upkeep_init(&t->upkeep, t->db, limits), 0);
}

static inline void
tier_db_close(struct tier_db *t)
{
	rs_upkeep_fini(&t->upkeep);
	rs_appender_fini(&t->appender);
	rs_db_close(t->db);
}

/* One transaction. */
static inline int
tier_db_append(struct tier_db *t, const struct rs_block *b)
{
	rs_ns commit_ns;

	return rs_append_blocks(&t->appender, t->db, b, b->wall_offset_ms, &commit_ns);
}

/* Bites until nothing is left to do; how many they were. */
static inline unsigned
tier_db_upkeep(struct tier_db *t, int64_t now_ms, int64_t offset_ms)
{
	unsigned n = 0;
	int r;

	while ((r = rs_upkeep_bite(&t->upkeep, t->db, &t->appender, now_ms, offset_ms)) > 0)
		ck_assert_uint_lt(n++, 100000);
	ck_assert_msg(r == 0, "%s: %s", t->db->error, strerror(-r));
	return n;
}

/* The first column of the first row. */
static inline int64_t
tier_db_int(struct tier_db *t, const char *sql)
{
	sqlite3_stmt *st = NULL;

	ck_assert_msg(
	    sqlite3_prepare_v2(t->db->handle, sql, -1, &st, NULL) == SQLITE_OK, "%s", sql);
	ck_assert_int_eq(sqlite3_step(st), SQLITE_ROW);
	const int64_t v = sqlite3_column_int64(st, 0);
	(void)sqlite3_finalize(st);
	return v;
}

static inline void
tier_db_exec(struct tier_db *t, const char *sql)
{
	ck_assert_msg(sqlite3_exec(t->db->handle, sql, NULL, NULL, NULL) == SQLITE_OK, "%s: %s",
	    sql, sqlite3_errmsg(t->db->handle));
}

/* Calls fn for each bucket that is stored of a boot: slot counts minutes or hours
 * of its clock. */
static inline void
tier_db_each(struct tier_db *t, enum rs_tier tier, int64_t boot,
    void (*fn)(void *arg, uint32_t id, int64_t slot, const struct rs_bucket *b), void *arg)
{
	const struct rs_tier_shape *const shape = &rs_tiers[tier];
	struct rs_bucket buckets[RS_TIER_SLOTS_MAX];
	sqlite3_stmt *st = NULL;
	char sql[96];

	(void)snprintf(sql, sizeof(sql), "SELECT id, data FROM %s WHERE id >> 40 = %lld",
	    shape->name, (long long)boot);
	ck_assert_int_eq(sqlite3_prepare_v2(t->db->handle, sql, -1, &st, NULL), SQLITE_OK);
	while (sqlite3_step(st) == SQLITE_ROW) {
		const int64_t key = sqlite3_column_int64(st, 0);
		const int64_t first = rs_tier_key_period(tier, key) * shape->slots;
		struct rs_tier_row row;
		uint32_t id;
		int r;

		ck_assert_int_eq(rs_tier_open(&row, sqlite3_column_blob(st, 1),
				     (size_t)sqlite3_column_bytes(st, 1)),
		    0);
		while ((r = rs_tier_next(&row, &id, buckets)) > 0) {
			ck_assert_uint_eq(id >> shape->group_shift, rs_tier_key_group(tier, key));
			for (uint32_t s = 0; s < shape->slots; s++) {
				if (buckets[s].count > 0)
					fn(arg, id, first + s, &buckets[s]);
			}
		}
		ck_assert_int_eq(r, 0);
	}
	(void)sqlite3_finalize(st);
}

#endif
