/* SPDX-License-Identifier: ISC */
/*
 * Which series the words of a command mean, by the daemon's catalog. Pure.
 */
#ifndef RS_PICK_H
#define RS_PICK_H

#include "args.h"

struct json_t;

/* How many series of a->metric have the labels: those of different names all, of
 * one name either. -EINVAL when there are none; the sentence says which word is
 * to blame and what could stand there. */
int rs_pick_count(
    const struct json_t *catalog, const struct rs_args *a, size_t *ret, struct rs_error *e);
/* -EINVAL with a sentence that says which labels would make one series of n. */
int rs_pick_refuse(
    const struct json_t *catalog, const struct rs_args *a, size_t n, struct rs_error *e);

#endif
