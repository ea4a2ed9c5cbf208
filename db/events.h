/* SPDX-License-Identifier: ISC */
/*
 * Findings and changes tell wall times, in plain tables for people. On a machine
 * that learns the time late these were wrong when they were written: the events of
 * a boot move when its clock is set. boots.event_offset_ms is what they are told by
 * now: wall clock minus boot clock. Store thread.
 */
#ifndef RS_EVENTS_H
#define RS_EVENTS_H

#include "append.h"

/* Moves the events of a boot when its clock was set, which is offset_ms ahead of the
 * boot clock now. Within the caller's transaction. 0 or negative errno. */
int rs_events_follow(struct rs_db *db, int64_t boot, int64_t offset_ms);

/* What the events of the boot are told by: 1, not known: 0, or negative errno. */
int rs_events_offset(struct rs_db *db, int64_t boot, int64_t *ret_ms);

/* The same before an event of the running boot is written that was told by
 * offset_ms: it counts when it is the first. Within the caller's transaction, at
 * whose failure a->boot is to be what it was. */
int rs_events_begin(struct rs_db *db, struct rs_appender *a, int64_t offset_ms, int64_t *ret_ms);

#endif
