/* SPDX-License-Identifier: ISC */
/*
 * Whole-string numbers as people and files write them; locale-free.
 * All return 0, -EINVAL (not a number of this form) or -ERANGE.
 */
#ifndef RS_NUM_H
#define RS_NUM_H

#include <stdbool.h>

#include "text.h"

int rs_num_u64(struct rs_text t, uint64_t *ret);
int rs_num_i64(struct rs_text t, int64_t *ret);
/* Plain decimal with optional sign and fraction; no exponent, no nan or inf. */
int rs_num_double(struct rs_text t, double *ret);
/* "200ms", "1s", "5m", "2h", "7d", "3y" (365 days); a bare number is an error. */
int rs_num_duration(struct rs_text t, rs_ns *ret);
/* "4096", "512kB", "256MB", "2GB": factors of 1000; KiB, MiB, GiB of 1024. */
int rs_num_size(struct rs_text t, uint64_t *ret_bytes);
/* "yes|no|true|false|on|off|1|0" */
int rs_num_bool(struct rs_text t, bool *ret);

#endif
