/* SPDX-License-Identifier: ISC */
/*
 * Chunks are counted by decoding them, pages by SQLite's dbstat.
 */
#include "rawsize.h"

#include <sqlite3.h>

#include "codec.h"

static uint64_t
count_bits(uint64_t word)
{
	uint64_t n = 0;

	for (; word != 0; word &= word - 1)
		n++;
	return n;
}

static bool
count_samples(const void *data, size_t len, uint64_t *n)
{
	int64_t values[RS_BLOCK_TICKS_MAX];
	uint64_t present[RS_CHUNK_WORDS];
	struct rs_chunk_entry e;
	struct rs_chunk c;

	if (data == NULL || rs_chunk_open(&c, data, len) < 0)
		return false;
	while (rs_chunk_next(&c, &e)) {
		if (rs_chunk_values(&c, &e, values, present) < 0)
			return false;
		for (size_t i = 0; i < RS_CHUNK_WORDS; i++)
			*n += count_bits(present[i]);
	}
	return true;
}

static const char *
read_chunks(sqlite3 *db, struct raw_size *ret)
{
	sqlite3_stmt *st = NULL;

	if (sqlite3_prepare_v2(db, "SELECT data FROM raw", -1, &st, NULL) != SQLITE_OK)
		return sqlite3_errmsg(db);
	while (sqlite3_step(st) == SQLITE_ROW) {
		const void *const data = sqlite3_column_blob(st, 0);
		const size_t len = (size_t)sqlite3_column_bytes(st, 0);

		ret->rows++;
		ret->blob_bytes += len;
		ret->damaged += !count_samples(data, len, &ret->samples);
	}
	return sqlite3_finalize(st) == SQLITE_OK ? NULL : sqlite3_errmsg(db);
}

static const char *
read_pages(sqlite3 *db, struct raw_size *ret)
{
	sqlite3_stmt *st = NULL;

	if (sqlite3_prepare_v2(db, "SELECT sum(pgsize) FROM dbstat WHERE name = 'raw'", -1, &st,
		NULL) != SQLITE_OK)
		return sqlite3_errmsg(db);
	if (sqlite3_step(st) == SQLITE_ROW)
		ret->page_bytes = (uint64_t)sqlite3_column_int64(st, 0);
	return sqlite3_finalize(st) == SQLITE_OK ? NULL : sqlite3_errmsg(db);
}

const char *
raw_size_read(const char *path, struct raw_size *ret)
{
	static char why[200];
	sqlite3 *db = NULL;
	const char *error = NULL;

	*ret = (struct raw_size){.rows = 0};
	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
		error = sqlite3_errmsg(db);
	if (error == NULL)
		error = read_chunks(db, ret);
	if (error == NULL)
		error = read_pages(db, ret);
	if (error != NULL)
		(void)sqlite3_snprintf(sizeof(why), why, "%s", error);
	(void)sqlite3_close(db);
	return error != NULL ? why : NULL;
}
