/* SPDX-License-Identifier: ISC */
/*
 * One database on every machine: golden/history.db says what history.txt has,
 * through the store's own code, and the samples, findings and changes it was made
 * of make each of its rows anew, byte for byte. RS_GOLDEN_WRITE=1 writes both files:
 * then read the difference.
 */
#include "rs_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bucket.h"
#include "golden_history.h"
#include "raw.h"
#include "tier.h"

#define GOLDEN RS_TEST_DIR "/golden/history"

/* --- as text ------------------------------------------------------------- */

static void
put_labels(struct rs_buf *out, uint16_t metric, const struct rs_labels *labels)
{
	rs_buf_puts(out, rs_metrics[metric].name);
	for (size_t i = 0; rs_label_names[i] != NULL; i++) {
		char value[24];

		if (rs_label_value(&rs_metrics[metric], labels, rs_label_names[i], value))
			rs_buf_printf(out, " %s=%s", rs_label_names[i], value);
	}
	rs_buf_putc(out, '\n');
}

static void
put_catalog(struct rs_buf *out)
{
	struct rs_catalog *const c = catalog(no_head);

	rs_buf_puts(out, "= series\n");
	for (size_t i = 0; i < c->n; i++) {
		rs_buf_printf(
		    out, "%" PRId64 " %" PRId64 " ", c->entries[i].first_ms, c->entries[i].last_ms);
		put_labels(out, c->entries[i].metric, &c->entries[i].labels);
	}
	rs_catalog_free(c);
}

static void
put_finding(struct rs_buf *out, const struct rs_finding *f)
{
	rs_buf_printf(out,
	    "%" PRId64
	    " %s, %s, %s, %s: %s core %d, queue %d, device '%s', direction '%s', irq '%s'\n",
	    f->id, f->code, f->title, rs_severity_name(f->severity),
	    rs_confidence_name(f->confidence), rs_subject_kind_name(f->subject.kind),
	    f->subject.core, f->subject.queue, f->subject.device, f->subject.direction,
	    f->subject.irq);
	rs_buf_printf(out, "  %" PRId64 " (%" PRId64 ") to %" PRId64 ", %" PRIu32 " times: %s\n",
	    f->raised_ms, f->raised_boot_ms, f->cleared_ms, f->episodes, f->message);
	for (uint32_t i = 0; i < f->n_evidence; i++)
		rs_buf_printf(out, "  %s: %.9g %s, '%s'\n", f->evidence[i].label,
		    f->evidence[i].value, rs_unit_name(f->evidence[i].unit), f->evidence[i].text);
	for (uint32_t i = 0; i < f->n_causes; i++)
		rs_buf_printf(out, "  cause: %s\n", f->causes[i]);
	for (uint32_t i = 0; i < f->n_advice; i++)
		rs_buf_printf(out, "  %s; %s; undo: %s; persistent %d, disruptive %d\n",
		    f->advice[i].command, f->advice[i].expect, f->advice[i].undo,
		    f->advice[i].is_persistent, f->advice[i].is_disruptive);
}

static void
put_events(struct rs_buf *out)
{
	struct rs_finding_list *const l = findings();
	struct rs_change_list *c = NULL;
	const unsigned n = answers + 1;

	rs_buf_puts(out, "= findings\n");
	for (size_t i = 0; i < l->n; i++)
		put_finding(out, &l->findings[i]);
	rs_finding_list_free(l);

	rs_buf_puts(out, "= changes\n");
	ck_assert_int_eq(rs_store_changes(store, &all_changes, on_changes, &c), 0);
	wait_for(&answers, n);
	for (size_t i = 0; i < c->n; i++) {
		const struct rs_change *const change = &c->changes[i];

		rs_buf_printf(out,
		    "%" PRId64 " %" PRId64
		    " %s cpu %d, queue %d, device '%s', irq '%s': '%s' to '%s'\n",
		    change->id, change->at_ms, rs_facts[change->fact].name, change->labels.cpu,
		    change->labels.queue, change->labels.device, change->labels.irq, change->old,
		    change->new);
	}
	rs_change_list_free(c);
}

/* Every label, every tier, every aggregate. */
static const struct question {
	struct rs_query q;
	const char *tier;
} questions[] = {
    {{.metric = "core_interrupts",
	 .after_ms = OFFSET_A + 1438 * MINUTE,
	 .before_ms = OFFSET_A + 1441 * MINUTE},
	"raw"},
    {{.metric = "queue_dropped_packets",
	 .filters = {{"queue", "3"}, {"direction", "tx"}},
	 .n_filters = 2,
	 .after_ms = OFFSET_A + 1479 * MINUTE,
	 .before_ms = OFFSET_A + 1482 * MINUTE},
	"raw"},
    {{.metric = "core_cpu_seconds",
	 .filters = {{"mode", "softirq"}, {"cpu", "0"}},
	 .n_filters = 2,
	 .after_ms = OFFSET_A + 1440 * MINUTE - 10000,
	 .before_ms = OFFSET_A + 1505 * MINUTE - 10000,
	 .points = 65,
	 .aggregate = RS_SUM},
	"minute"},
    {{.metric = "interface_packets",
	 .filters = {{"device", "wan.100"}},
	 .n_filters = 1,
	 .after_ms = OFFSET_A + 1425 * MINUTE - 10000,
	 .before_ms = OFFSET_A + 1505 * MINUTE - 10000,
	 .points = 40,
	 .aggregate = RS_MAX_OF},
	"minute"},
    {{.metric = "temperature_celsius",
	 .after_ms = OFFSET_B + 10 * MINUTE - 10000,
	 .before_ms = OFFSET_B + 75 * MINUTE - 10000,
	 .points = 65,
	 .aggregate = RS_MIN},
	"minute"},
    {{.metric = "interface_bytes",
	 .after_ms = OFFSET_A,
	 .before_ms = OFFSET_B + 2400 * MINUTE,
	 .points = 40},
	"hour"},
    {{.metric = "irq_interrupts",
	 .filters = {{"irq", "31"}},
	 .n_filters = 1,
	 .after_ms = OFFSET_A,
	 .before_ms = OFFSET_B + 2400 * MINUTE,
	 .points = 40,
	 .aggregate = RS_MAX_OF},
	"hour"},
    {{.metric = "core_frequency_hertz",
	 .after_ms = OFFSET_A,
	 .before_ms = OFFSET_B + 2400 * MINUTE,
	 .points = 40,
	 .aggregate = RS_MIN},
	"hour"},
};

static void
put_answer(struct rs_buf *out, const struct question *question)
{
	struct rs_history *const h = query(&question->q, no_head);

	ck_assert_int_eq(h->status, 0);
	ck_assert_str_eq(h->tier, question->tier);
	ck_assert_uint_gt(h->n_series, 0);
	rs_buf_printf(out, "= %s, %s, steps of %" PRId64 " ms from %" PRId64 "\n",
	    question->q.metric, h->tier, h->resolution_ms, h->time_ms[0]);
	for (size_t s = 0; s < h->n_series; s++) {
		rs_buf_puts(out, "  ");
		put_labels(out, h->series[s].metric, &h->series[s].labels);
		for (size_t i = 0; i < h->n_times; i++) {
			const double v = h->series[s].values[i];

			rs_buf_puts(out, i == 0 ? "   " : "");
			if (isnan(v))
				rs_buf_puts(out, " -");
			else
				rs_buf_printf(out, " %.9g", v);
		}
		rs_buf_putc(out, '\n');
	}
	rs_history_free(h);
}

static void
put_chunk(struct rs_buf *out, const void *data, size_t len)
{
	int64_t values[RS_BLOCK_TICKS_MAX];
	uint64_t present[RS_CHUNK_WORDS];
	struct rs_chunk_entry e;
	struct rs_chunk c;

	ck_assert_int_eq(rs_chunk_open(&c, data, len), 0);
	rs_buf_printf(out, "%" PRIu32 " ticks of %" PRIu32 " ms\n  length_us", c.axis.ticks,
	    c.axis.interval_ms);
	for (uint32_t t = 0; t < c.axis.ticks; t++) {
		if (rs_chunk_bit(c.axis.present, t))
			rs_buf_printf(out, " %" PRId64, c.axis.length_us[t]);
		else
			rs_buf_puts(out, " -");
	}
	while (rs_chunk_next(&c, &e)) {
		ck_assert_int_eq(rs_chunk_values(&c, &e, values, present), 0);
		rs_buf_printf(out, "\n  %" PRIu32, e.id);
		for (uint32_t t = 0; t < c.axis.ticks; t++) {
			if (rs_chunk_bit(present, t))
				rs_buf_printf(out, " %" PRId64, values[t]);
			else
				rs_buf_puts(out, " -");
		}
	}
	rs_buf_putc(out, '\n');
}

static void
put_tier_row(struct rs_buf *out, const void *data, size_t len)
{
	struct rs_bucket buckets[RS_TIER_SLOTS_MAX];
	struct rs_tier_row row;
	uint32_t id;
	int r;

	ck_assert_int_eq(rs_tier_open(&row, data, len), 0);
	rs_buf_printf(out, "%" PRIu32 " slots of %" PRIu32 " ms\n", row.slots, row.slot_ms);
	while ((r = rs_tier_next(&row, &id, buckets)) > 0) {
		for (uint32_t t = 0; t < row.slots; t++) {
			const struct rs_bucket *const b = &buckets[t];

			if (b->count == 0)
				continue;
			rs_buf_printf(out,
			    "  %" PRIu32 " [%" PRIu32 "] %" PRId64 " %" PRId64 " %" PRId64
			    " %" PRIu32 " %" PRId64 "\n",
			    id, t, b->min, b->max, b->sum, b->count, b->length_us);
		}
	}
	ck_assert_int_eq(r, 0);
}

static void
put_rows_of(struct rs_buf *out, sqlite3 *db, enum rs_tier tier)
{
	sqlite3_stmt *st = NULL;
	char sql[80];

	(void)snprintf(
	    sql, sizeof(sql), "SELECT id, data FROM %s ORDER BY id", rs_tiers[tier].name);
	ck_assert_int_eq(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
	while (sqlite3_step(st) == SQLITE_ROW) {
		const int64_t key = sqlite3_column_int64(st, 0);
		const void *const data = sqlite3_column_blob(st, 1);
		const size_t len = (size_t)sqlite3_column_bytes(st, 1);

		rs_buf_printf(out, "%s: boot %" PRId64 ", ", rs_tiers[tier].name, key >> 40);
		if (tier == RS_TIER_RAW) {
			rs_buf_printf(out, "minute %" PRId64 ", part %" PRId64 ": ",
			    rs_raw_minute(key), key % RS_RAW_PARTS);
			put_chunk(out, data, len);
		} else {
			rs_buf_printf(out, "%s %" PRId64 ", group %" PRId64 ": ",
			    tier == RS_TIER_MINUTE ? "hour" : "day", rs_tier_key_period(tier, key),
			    key & ((INT64_C(1) << rs_tiers[tier].period_shift) - 1));
			put_tier_row(out, data, len);
		}
	}
	ck_assert_int_eq(sqlite3_finalize(st), SQLITE_OK);
}

static void
put_rows(struct rs_buf *out)
{
	sqlite3 *const db = test_shell_open(dir.db, "");

	rs_buf_puts(out, "= rows\n");
	for (unsigned tier = 0; tier < RS_TIER_COUNT; tier++)
		put_rows_of(out, db, (enum rs_tier)tier);
	ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
}

/* All that dir.db says, to a daemon that starts again in the second boot. */
static void
put_history(struct rs_buf *out)
{
	struct rs_buf rows;

	rs_buf_init(&rows, 1 << 20);
	put_rows(&rows);
	open_history(boot_b, 2 * QUARTER);
	put_catalog(out);
	put_events(out);
	for (size_t i = 0; i < RS_ARRAY_LEN(questions); i++)
		put_answer(out, &questions[i]);
	close_history();
	rs_buf_put(out, rows.data, rows.len);
	rs_buf_fini(&rows);
	ck_assert(!out->failed);
}

/* --- against the files --------------------------------------------------- */

static void
copy_golden(void)
{
	struct test_bytes b = test_read_file(GOLDEN ".db");

	ck_assert_msg(b.len > 0, GOLDEN ".db is missing");
	test_write_file(dir.db, b.data, b.len);
	free(b.data);
}

START_TEST(the_database_reads_as_the_text)
{
	struct rs_buf got;

	copy_golden();
	rs_buf_init(&got, 1 << 20);
	put_history(&got);
	if (getenv("RS_GOLDEN_WRITE") != NULL)
		test_write_file(GOLDEN ".txt", got.data, got.len);
	struct test_bytes wanted = test_read_file(GOLDEN ".txt");
	size_t at = 0, line = 1;
	while (at < RS_MIN(got.len, wanted.len) && (unsigned char)got.data[at] == wanted.data[at])
		line += got.data[at++] == '\n';
	ck_assert_msg(at == got.len && at == wanted.len, "line %zu of " GOLDEN ".txt: %.60s", line,
	    at < got.len ? rs_buf_cstr(&got) + at : "the end");
	free(wanted.data);
	rs_buf_fini(&got);
}
END_TEST

static sqlite3_stmt *
prepared(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *st = NULL;

	ck_assert_msg(sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK, "%s: %s", sql,
	    sqlite3_errmsg(db));
	return st;
}

/* The rows of two answers, types and bytes. */
static void
check_same(sqlite3 *a, sqlite3 *b, const char *sql)
{
	sqlite3_stmt *const sa = prepared(a, sql), *const sb = prepared(b, sql);
	unsigned row = 0;
	int r;

	while ((r = sqlite3_step(sa)) == SQLITE_ROW) {
		row++;
		ck_assert_msg(sqlite3_step(sb) == SQLITE_ROW, "%s: only %u rows", sql, row - 1);
		ck_assert_int_eq(sqlite3_column_count(sa), sqlite3_column_count(sb));
		for (int i = 0; i < sqlite3_column_count(sa); i++) {
			const char *const name = sqlite3_column_name(sa, i);

			ck_assert_msg(sqlite3_column_type(sa, i) == sqlite3_column_type(sb, i),
			    "%s: row %u, %s", sql, row, name);
			const void *const va = sqlite3_column_blob(sa, i);
			const void *const vb = sqlite3_column_blob(sb, i);
			const int len = sqlite3_column_bytes(sa, i);
			ck_assert_msg(len == sqlite3_column_bytes(sb, i) &&
					  (len == 0 || memcmp(va, vb, (size_t)len) == 0),
			    "%s: row %u, %s", sql, row, name);
		}
	}
	ck_assert_int_eq(r, SQLITE_DONE);
	ck_assert_msg(sqlite3_step(sb) == SQLITE_DONE, "%s: more than %u rows", sql, row);
	(void)sqlite3_finalize(sa);
	(void)sqlite3_finalize(sb);
}

START_TEST(the_same_rows_are_written_everywhere)
{
	static const char all_tables[] =
	    "SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name";
	char sql[120];

	write_history();
	if (getenv("RS_GOLDEN_WRITE") != NULL) {
		(void)unlink(GOLDEN ".db");
		test_shell(dir.db, "PRAGMA page_size = 1024; VACUUM INTO '" GOLDEN ".db'");
	}
	sqlite3 *const made = test_shell_open(dir.db, "");
	sqlite3 *const golden = test_shell_open("file:" GOLDEN ".db?mode=ro&immutable=1", "");
	check_same(golden, made, "PRAGMA user_version");
	check_same(golden, made, all_tables);
	sqlite3_stmt *const tables = prepared(golden, all_tables);
	unsigned n = 0;
	while (sqlite3_step(tables) == SQLITE_ROW) {
		(void)snprintf(sql, sizeof(sql), "SELECT * FROM %s",
		    (const char *)sqlite3_column_text(tables, 0));
		check_same(golden, made, sql);
		n++;
	}
	ck_assert_uint_gt(n, 10);
	(void)sqlite3_finalize(tables);
	ck_assert_int_eq(sqlite3_close(golden), SQLITE_OK);
	ck_assert_int_eq(sqlite3_close(made), SQLITE_OK);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("golden database");
	TCase *const t = tcase_create("golden database");

	(void)sqlite3_config(SQLITE_CONFIG_URI, 1);
	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, the_same_rows_are_written_everywhere);
	tcase_add_test(t, the_database_reads_as_the_text);
	suite_add_tcase(s, t);
	return s;
}

RS_CHECK_MAIN(suite())
