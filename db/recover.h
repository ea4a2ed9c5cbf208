/* SPDX-License-Identifier: ISC */
/*
 * What a process before this one, killed, left in the head file goes to the
 * database before anything of this one. Store thread.
 */
#ifndef RS_RECOVER_H
#define RS_RECOVER_H

#include "append.h"
#include "head.h"

/* Writes the samples in one transaction, without ticks that this boot has stored
 * already, then the changes that are not stored yet. What is written is freed.
 * *ret_ticks grows by the ticks written. After an error it may be called again. */
int rs_recover(struct rs_appender *a, struct rs_db *db, struct rs_leftover *l, uint64_t *ret_ticks);

#endif
