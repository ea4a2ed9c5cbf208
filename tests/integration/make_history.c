/* SPDX-License-Identifier: ISC */
/*
 * make_history DB HOURS CORES: a database with samples of another boot, one a
 * second, that end about now. Core c counted (n * 7919) % (1000 + c) interrupts in
 * second n of that boot, and its packet load was 0.9 in one second of 1000, else
 * 0.1. Minutes 7, 17, 27, ... have no samples. Prints the wall time of second 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "append.h"
#include "clock.h"
#include "migrate.h"
#include "num.h"

static void
die(const char *why)
{
	fprintf(stderr, "make_history: %s\n", why);
	exit(EXIT_FAILURE);
}

static void
fill(struct rs_block *b, int64_t minute, uint32_t cores, int64_t offset_ms)
{
	rs_block_reset(b, minute);
	b->wall_offset_ms = offset_ms;
	b->is_clock_ok = true;
	b->n_series = 2 * cores;
	for (uint32_t t = 0; t < b->ticks; t++) {
		b->has_tick[t] = true;
		b->length_us[t] = 1000000;
	}
	for (uint32_t i = 0; i < b->n_series; i++) {
		struct rs_block_series s = {.uid = i + 1, .labels = rs_labels_none};
		const int64_t core = i / 2;

		s.metric = i % 2 == 0 ? RS_M_CORE_INTERRUPTS : RS_M_CORE_PACKET_LOAD;
		s.labels.cpu = (int32_t)core;
		rs_block_name(b, i, &s);
		for (uint32_t t = 0; t < b->ticks; t++) {
			const int64_t n = minute * 60 + t;
			const int64_t load = n % 1000 == 500 ? 9000 : 1000;
			rs_block_put(b, i, t, i % 2 == 0 ? n * 7919 % (1000 + core) : load);
		}
	}
}

static void
write_all(struct rs_db *db, int64_t minutes, uint32_t cores, int64_t offset_ms)
{
	struct rs_appender a;
	struct rs_block *b = NULL;
	rs_ns ns;

	/* It may be lost with the power: it is a test. */
	(void)sqlite3_exec(db->handle, "PRAGMA synchronous = OFF", NULL, NULL, NULL);
	if (rs_appender_init(&a, db, "another boot") < 0 ||
	    rs_block_new(2 * cores, RS_NS_PER_S, &b) < 0)
		die("cannot begin");
	for (int64_t m = 0; m < minutes; m++) {
		if (m % 10 == 7)
			continue;
		fill(b, m, cores, offset_ms);
		if (rs_append_blocks(&a, db, b, offset_ms, &ns) < 0)
			die(db->error);
	}
	rs_block_free(b);
	rs_appender_fini(&a);
}

int
main(int argc, char **argv)
{
	const int64_t now_ms = rs_clock_wall() / RS_NS_PER_MS;
	struct rs_error e = {0};
	struct rs_db *db = NULL;
	int64_t hours = 0, cores = 0;

	if (argc != 4 || rs_num_i64(rs_text_of(argv[2]), &hours) < 0 || hours < 1 ||
	    hours > 10000 || rs_num_i64(rs_text_of(argv[3]), &cores) < 0 || cores < 1 ||
	    cores > 1000)
		die("usage: make_history DB HOURS CORES");
	if (rs_db_open(argv[1], &e, &db) < 0)
		die(e.text);
	const int64_t offset_ms = (now_ms / 1000 - hours * 3600) * 1000;
	write_all(db, hours * 60, (uint32_t)cores, offset_ms);
	rs_db_close(db);
	printf("%lld\n", (long long)offset_ms);
	return EXIT_SUCCESS;
}
