/* SPDX-License-Identifier: ISC */
/*
 * Logging to standard error (with <N> priorities when the journal reads it)
 * or syslog. Safe from both threads: each line is one write. Only those log that
 * decide what an error means: the daemon's own files, the store and its thread,
 * the web's sockets.
 */
#ifndef RS_LOG_H
#define RS_LOG_H

#include <stdbool.h>

#include "rs.h"

enum rs_log_level {
	RS_LOG_ERR,    /* needs a person */
	RS_LOG_WARN,   /* degraded, going on */
	RS_LOG_NOTICE, /* state changes */
	RS_LOG_INFO,   /* start-up facts */
	RS_LOG_DEBUG
};

enum rs_log_target { RS_LOG_STDERR, RS_LOG_SYSLOG };

/* Sets target and the least urgent level shown. Default: stderr, INFO. */
void rs_log_setup(enum rs_log_target target, enum rs_log_level level);

/* Of one call site at most this many lines are shown in any 60 s; the next
 * line let through says how many were held back. */
#define RS_LOG_BURST 10

struct rs_log_site {
	rs_ns shown_ns[RS_LOG_BURST]; /* when the last ones were shown; a ring */
	unsigned next;		      /* the oldest of them */
	unsigned held;		      /* since the last one shown */
};

/* Pure: whether a line of this site may be shown at now_ns (CLOCK_MONOTONIC);
 * if so, *ret_held is how many were held back before it. */
bool rs_log_passes(struct rs_log_site *site, rs_ns now_ns, unsigned *ret_held);

/* One line without newline. */
void rs_log_at(struct rs_log_site *site, enum rs_log_level level, const char *format, ...)
    RS_PRINTF(3, 4);

#define RS_LOG(level, ...)                                                                         \
	do {                                                                                       \
		static struct rs_log_site rs_log_site_;                                            \
		rs_log_at(&rs_log_site_, level, __VA_ARGS__);                                      \
	} while (0)
#define rs_log_err(...) RS_LOG(RS_LOG_ERR, __VA_ARGS__)
#define rs_log_warn(...) RS_LOG(RS_LOG_WARN, __VA_ARGS__)
#define rs_log_notice(...) RS_LOG(RS_LOG_NOTICE, __VA_ARGS__)
#define rs_log_info(...) RS_LOG(RS_LOG_INFO, __VA_ARGS__)
#define rs_log_debug(...) RS_LOG(RS_LOG_DEBUG, __VA_ARGS__)

#endif
