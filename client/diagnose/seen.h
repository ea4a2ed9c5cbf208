/* SPDX-License-Identifier: ISC */
/*
 * Rules for a moment (glimpse.h) over what pasted screens and rates show. Pure.
 */
#ifndef RS_SEEN_H
#define RS_SEEN_H

#include "finding.h"
#include "import/sar.h"
#include "import/screen.h"

/* As rs_glimpse_judge. n_cores: of the machine, 0: not known. */
int rs_seen_judge(const struct rs_screens *screens, const struct rs_sar *sar, unsigned n_cores,
    struct rs_finding *ret, size_t cap, size_t *ret_n);

#endif
