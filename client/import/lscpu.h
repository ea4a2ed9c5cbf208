/* SPDX-License-Identifier: ISC */
/*
 * lscpu, as a table of words and as `lscpu -p`: which cores there are and which of
 * them are one physical core. Pure.
 */
#ifndef RS_IMPORT_LSCPU_H
#define RS_IMPORT_LSCPU_H

#include "frame.h"
#include "import/import.h"

/* Fills in has_online and online, has_groups and group; what is there already
 * stays. 0 or -ENODATA. */
int rs_import_lscpu(struct rs_text t, struct rs_cpu_info *ret, struct rs_skips *skips);

#endif
