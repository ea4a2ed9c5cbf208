/* SPDX-License-Identifier: ISC */
/*
 * A database connection with its prepared statements. Used by one thread at a
 * time: the one that opens it, then the store thread.
 */
#ifndef RS_SQL_H
#define RS_SQL_H

#include <sqlite3.h>
#include <stdbool.h>

#include "lock.h"
#include "rs.h"
#include "vfs.h"

#define RS_SQL_SERIES_LABELS "metric, mode, direction, cpu, device, queue, irq, kind, scale"

/* Every statement that runs more than once. */
#define RS_SQL_STATEMENTS(X)                                                                       \
	X(BEGIN, "BEGIN IMMEDIATE")                                                                \
	X(BEGIN_READ, "BEGIN")                                                                     \
	X(COMMIT, "COMMIT")                                                                        \
	X(ROLLBACK, "ROLLBACK")                                                                    \
	X(BOOT_FIND, "SELECT id FROM boots WHERE boot_id = ?")                                     \
	X(BOOT_ADD, "INSERT INTO boots (boot_id, wall_offset_ms, clock_ok) VALUES (?, ?, ?)")      \
	X(BOOT_SET, "UPDATE boots SET wall_offset_ms = ?2, clock_ok = ?3 WHERE id = ?1 "           \
		    "AND (wall_offset_ms <> ?2 OR clock_ok <> ?3)")                                \
	X(BOOT_LIST, "SELECT id, wall_offset_ms, minute_until, hour_until FROM boots ORDER BY id") \
	X(BOOT_OFFSET, "SELECT wall_offset_ms FROM boots WHERE id = ?")                            \
	X(BOOT_NEXT, "SELECT id, minute_until, hour_until, wall_offset_ms, clock_ok FROM boots "   \
		     "WHERE id >= ? ORDER BY id LIMIT 1")                                          \
	X(BOOT_KNEW, "SELECT wall_offset_ms FROM boots WHERE id > ? AND clock_ok "                 \
		     "AND wall_offset_ms <= ? ORDER BY id LIMIT 1")                                \
	X(BOOT_UNTIL, "UPDATE boots SET minute_until = max(minute_until, ?2), "                    \
		      "hour_until = max(hour_until, ?3) WHERE id = ?1")                            \
	X(BOOT_REOPEN, "UPDATE boots SET minute_until = min(minute_until, ?2), "                   \
		       "hour_until = min(hour_until, ?3) "                                         \
		       "WHERE id = ?1 AND (minute_until > ?2 OR hour_until > ?3)")                 \
	X(BOOT_CUT, "DELETE FROM boots WHERE id < ? "                                              \
		    "AND id NOT IN (SELECT first_boot FROM series) "                               \
		    "AND id NOT IN (SELECT last_boot FROM series WHERE last_boot IS NOT NULL) "    \
		    "AND id NOT IN (SELECT boot FROM findings WHERE boot IS NOT NULL) "            \
		    "AND id NOT IN (SELECT boot FROM changes WHERE boot IS NOT NULL)")             \
	X(EVENT_OFFSET, "SELECT event_offset_ms FROM boots WHERE id = ?")                          \
	X(EVENT_SET, "UPDATE boots SET event_offset_ms = ?2 WHERE id = ?1")                        \
	X(SERIES_FIND, "SELECT id, last_boot IS NULL FROM series WHERE metric = ? AND mode = ? "   \
		       "AND direction = ? AND cpu = ? AND device = ? AND queue = ? AND irq = ? "   \
		       "AND kind = ? AND scale = ?")                                               \
	X(SERIES_ADD, "INSERT INTO series (" RS_SQL_SERIES_LABELS ", unit, first_boot, first_ms, " \
		      "id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")                        \
	X(SERIES_GAP, "SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM series WHERE id = ?1) "           \
		      "UNION ALL SELECT * FROM (SELECT id + 1 FROM series AS s WHERE id >= ?1 "    \
		      "AND NOT EXISTS (SELECT 1 FROM series WHERE id = s.id + 1) "                 \
		      "ORDER BY id LIMIT 1) LIMIT 1")                                              \
	X(SERIES_KINDS, "SELECT id, kind FROM series WHERE id BETWEEN ? AND ?")                    \
	X(SERIES_CUT, "DELETE FROM series WHERE id IN (SELECT id FROM series "                     \
		      "WHERE (last_boot, last_ms) < (?1, ?2) LIMIT ?3)")                           \
	X(SERIES_REOPEN, "UPDATE series SET last_boot = NULL, last_ms = NULL WHERE id = ?")        \
	X(SERIES_CLOSE, "UPDATE series SET last_boot = ?2, last_ms = ?3 WHERE id = ?1")            \
	X(SERIES_SINCE, "UPDATE series SET first_boot = ?2, first_ms = ?3 "                        \
			"WHERE id = ?1 AND (first_boot, first_ms) > (?2, ?3)")                     \
	X(SERIES_UNTIL, "UPDATE series SET last_boot = ?2, last_ms = ?3 "                          \
			"WHERE id = ?1 AND (last_boot, last_ms) < (?2, ?3)")                       \
	X(SERIES_CLOSE_ALL, "UPDATE series SET last_boot = ?1, last_ms = ?2 "                      \
			    "WHERE last_boot IS NULL")                                             \
	X(SERIES_OF_METRIC, "SELECT " RS_SQL_SERIES_LABELS ", id FROM series WHERE metric = ?1 "   \
			    "AND (?2 IS NULL OR cpu = ?2) AND (?3 IS NULL OR device = ?3) "        \
			    "AND (?4 IS NULL OR queue = ?4) AND (?5 IS NULL OR direction = ?5) "   \
			    "AND (?6 IS NULL OR irq = ?6) AND (?7 IS NULL OR mode = ?7)")          \
	X(SERIES_LIST, "SELECT " RS_SQL_SERIES_LABELS ", first_boot, first_ms, last_boot, "        \
		       "last_ms FROM series")                                                      \
	X(SERIES_PRUNE, "DELETE FROM series WHERE last_boot = ?1 AND last_ms < ?2")                \
	X(RAW_ADD, "INSERT INTO raw (id, data) VALUES (?, ?)")                                     \
	X(RAW_FIRST, "SELECT id FROM raw WHERE id BETWEEN ? AND ? ORDER BY id LIMIT 1")            \
	X(RAW_LAST, "SELECT id FROM raw WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1")        \
	X(RAW_SCAN, "SELECT id, data FROM raw WHERE id BETWEEN ? AND ? ORDER BY id")               \
	X(RAW_PRUNE, "DELETE FROM raw WHERE id < ?")                                               \
	X(RAW_COUNT, "SELECT count(*) FROM raw WHERE id BETWEEN ? AND ?")                          \
	X(MINUTE_FIRST, "SELECT id FROM minute WHERE id BETWEEN ? AND ? ORDER BY id LIMIT 1")      \
	X(MINUTE_LAST, "SELECT id FROM minute WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1")  \
	X(MINUTE_GET, "SELECT data FROM minute WHERE id = ?")                                      \
	X(HOUR_FIRST, "SELECT id FROM hour WHERE id BETWEEN ? AND ? ORDER BY id LIMIT 1")          \
	X(HOUR_LAST, "SELECT id FROM hour WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1")      \
	X(HOUR_GET, "SELECT data FROM hour WHERE id = ?")                                          \
	X(MINUTE_PUT, "INSERT OR REPLACE INTO minute (id, data) VALUES (?, ?)")                    \
	X(HOUR_PUT, "INSERT OR REPLACE INTO hour (id, data) VALUES (?, ?)")                        \
	X(RAW_SIZES, "SELECT id, length(data) FROM raw WHERE id BETWEEN ? AND ? ORDER BY id")      \
	X(RAW_CUT, "DELETE FROM raw WHERE id BETWEEN ? AND ?")                                     \
	X(MINUTE_SIZES,                                                                            \
	    "SELECT id, length(data) FROM minute WHERE id BETWEEN ? AND ? ORDER BY id")            \
	X(MINUTE_CUT, "DELETE FROM minute WHERE id BETWEEN ? AND ?")                               \
	X(HOUR_SIZES, "SELECT id, length(data) FROM hour WHERE id BETWEEN ? AND ? ORDER BY id")    \
	X(HOUR_CUT, "DELETE FROM hour WHERE id BETWEEN ? AND ?")                                   \
	X(PAGE_COUNT, "PRAGMA page_count")                                                         \
	X(PAGE_FREE, "PRAGMA freelist_count")                                                      \
	X(FINDING_PUT,                                                                             \
	    "INSERT INTO findings (id, code, title, severity, confidence, subject, core, device, " \
	    "queue, direction, irq, raised_ms, cleared_ms, episodes, message, boot) "              \
	    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "                             \
	    "ON CONFLICT (id) DO UPDATE SET code = excluded.code, title = excluded.title, "        \
	    "severity = excluded.severity, confidence = excluded.confidence, "                     \
	    "subject = excluded.subject, core = excluded.core, device = excluded.device, "         \
	    "queue = excluded.queue, direction = excluded.direction, irq = excluded.irq, "         \
	    "raised_ms = excluded.raised_ms, cleared_ms = excluded.cleared_ms, "                   \
	    "episodes = excluded.episodes, message = excluded.message, boot = excluded.boot")      \
	X(FINDING_LIST,                                                                            \
	    "SELECT id, code, title, severity, confidence, subject, core, device, queue, "         \
	    "direction, irq, raised_ms, cleared_ms, episodes, message, boot FROM findings "        \
	    "ORDER BY id DESC LIMIT ?")                                                            \
	X(FINDING_MOVE, "UPDATE findings SET raised_ms = raised_ms + ?2, "                         \
			"cleared_ms = cleared_ms + ?2 WHERE boot = ?1")                            \
	X(FINDING_MAX, "SELECT max(id) FROM findings")                                             \
	X(FINDING_END_ALL, "UPDATE findings SET cleared_ms = max(raised_ms, ?) "                   \
			   "WHERE cleared_ms IS NULL")                                             \
	X(FINDING_PRUNE, "DELETE FROM findings WHERE id <= ?")                                     \
	X(EVIDENCE_CLEAR, "DELETE FROM finding_evidence WHERE finding = ?")                        \
	X(EVIDENCE_ADD, "INSERT INTO finding_evidence VALUES (?, ?, ?, ?, ?, ?)")                  \
	X(EVIDENCE_LIST, "SELECT label, value, unit, text FROM finding_evidence "                  \
			 "WHERE finding = ? ORDER BY n")                                           \
	X(EVIDENCE_PRUNE, "DELETE FROM finding_evidence WHERE finding <= ?")                       \
	X(CAUSES_CLEAR, "DELETE FROM finding_causes WHERE finding = ?")                            \
	X(CAUSES_ADD, "INSERT INTO finding_causes VALUES (?, ?, ?)")                               \
	X(CAUSES_LIST, "SELECT text FROM finding_causes WHERE finding = ? ORDER BY n")             \
	X(CAUSES_PRUNE, "DELETE FROM finding_causes WHERE finding <= ?")                           \
	X(ADVICE_CLEAR, "DELETE FROM finding_advice WHERE finding = ?")                            \
	X(ADVICE_ADD, "INSERT INTO finding_advice VALUES (?, ?, ?, ?, ?, ?, ?)")                   \
	X(ADVICE_LIST, "SELECT command, expect, undo, persistent, disruptive "                     \
		       "FROM finding_advice WHERE finding = ? ORDER BY n")                         \
	X(ADVICE_PRUNE, "DELETE FROM finding_advice WHERE finding <= ?")                           \
	X(CHANGE_ADD,                                                                              \
	    "INSERT INTO changes (id, at_ms, kind, subject, core, device, queue, "                 \
	    "direction, irq, old, new, boot) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")         \
	X(CHANGE_LIST, "SELECT id, at_ms + ?7 * ifnull(boot = ?6, 0) AS now_ms, kind, core, "      \
		       "device, queue, irq, old, new FROM changes "                                \
		       "WHERE now_ms > ?1 AND now_ms <= ?2 AND (?3 IS NULL OR kind = ?3) "         \
		       "AND (?4 IS NULL OR device = ?4) ORDER BY id DESC LIMIT ?5")                \
	X(CHANGE_MOVE, "UPDATE changes SET at_ms = at_ms + ?2 WHERE boot = ?1")                    \
	X(CHANGE_MAX, "SELECT max(id) FROM changes")                                               \
	X(CHANGE_PRUNE, "DELETE FROM changes WHERE id <= ?")

enum rs_sql_id {
#define RS_SQL_ENUM(id, text) RS_SQL_##id,
	RS_SQL_STATEMENTS(RS_SQL_ENUM)
#undef RS_SQL_ENUM
	    RS_SQL_COUNT
};

struct rs_db {
	sqlite3 *handle;
	struct rs_vfs *vfs; /* owned; NULL in memory */
	char *path;	    /* owned; NULL in memory */
	struct rs_lock lock;
	sqlite3_stmt *statements[RS_SQL_COUNT];
	char error[160]; /* of the last transaction that was rolled back */
};

/* The statement, prepared on first use, rewound and without bindings; NULL:
 * ask rs_sql_errno. Valid until the next call for the same id. */
sqlite3_stmt *rs_sql(struct rs_db *db, enum rs_sql_id id);
/* The next row: 1, none: 0, or negative errno. A statement that ended or
 * failed is rewound. NULL is passed through as the error of rs_sql. */
int rs_sql_step(struct rs_db *db, sqlite3_stmt *st);
/* A statement whose rows do not matter: 0 or negative errno. */
int rs_sql_run(struct rs_db *db, sqlite3_stmt *st);
/* Both of them together. */
int rs_sql_exec(struct rs_db *db, enum rs_sql_id id);
/* The single integer of the first row; *ret keeps its value without a row or
 * for NULL. 0 or negative errno. */
int rs_sql_int(struct rs_db *db, sqlite3_stmt *st, int64_t *ret);
/* Ends a transaction that failed with `code`, after noting why. */
void rs_sql_rollback(struct rs_db *db, int code);
void rs_sql_finalize(struct rs_db *db); /* all statements, before closing */

/* Borrowed until the statement is run; NULL or "" as told by the caller. */
void rs_sql_bind_text(sqlite3_stmt *st, int i, const char *s);
/* Text that is NULL when empty; a number that is NULL when negative. */
void rs_sql_bind_known_text(sqlite3_stmt *st, int i, const char *s);
void rs_sql_bind_known_int(sqlite3_stmt *st, int i, int32_t v);
int32_t rs_sql_known_int(sqlite3_stmt *st, int column);
/* Copies a text column, cut to cap - 1 bytes; NULL is "". */
void rs_sql_text(sqlite3_stmt *st, int column, char *dst, size_t cap);

/* What the last failure on this connection means. */
int rs_sql_errno(const struct rs_db *db);
const char *rs_sql_message(const struct rs_db *db);

#endif
