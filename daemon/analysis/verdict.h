/* SPDX-License-Identifier: ISC */
/*
 * The one line that sums up view and findings, and the state word. Pure.
 */
#ifndef RS_VERDICT_H
#define RS_VERDICT_H

#include "finding.h"
#include "view.h"

enum rs_state { RS_STATE_OK, RS_STATE_INFO, RS_STATE_WARN, RS_STATE_CRIT, RS_STATE_UNKNOWN };
const char *rs_state_name(enum rs_state s); /* "ok", "info", "warn", "crit", "unknown" */

struct rs_verdict {
	enum rs_state state;
	char line[640]; /* of a finding that limits all parts have room */
};

/* The state alone: what a tick needs when nobody asks for the line. */
enum rs_state rs_verdict_state(
    const struct rs_view *v, const struct rs_finding *const *active, size_t n_active);

/* active: the engine's active findings. line: of the last hour (recent.h), NULL: none.
 * last_cleared_ms: end of the last episode, 0 for none. */
struct rs_line;
void rs_verdict_make(const struct rs_view *v, const struct rs_finding *const *active,
    size_t n_active, const struct rs_line *line, int64_t last_cleared_ms, struct rs_verdict *ret);

/* "944 Mbit/s", "12 kbit/s", "1.2 Gbit/s" into dst; "unknown" for NAN. */
void rs_format_bps(double bps, char dst[static 24]);
/* "149 kpps", "80 pps". */
void rs_format_pps(double pps, char dst[static 24]);
/* "830 ns", "26 us", "1.5 h"; "unknown" for NAN. */
void rs_format_time(double seconds, char dst[static 24]);
/* Whole and to three digits: no rate in a text is known better. */
double rs_round_3(double x);

#endif
