/* SPDX-License-Identifier: ISC */
/*
 * Numbers the series of an answer: (metric, labels) to a small dense index, in
 * order of first appearance. Any thread, each with its own object.
 */
#ifndef RS_KEYMAP_H
#define RS_KEYMAP_H

#include "metric.h"

struct rs_key {
	uint16_t metric;
	struct rs_labels labels;
};

struct rs_keymap {
	struct rs_key *keys; /* n */
	uint32_t n, cap;
	uint32_t *slots;  /* index + 1, or 0 */
	uint32_t n_slots; /* a power of two, or 0 */
};

#define RS_KEY_NONE UINT32_MAX

void rs_keymap_fini(struct rs_keymap *m);
/* RS_KEY_NONE when it is not there. */
uint32_t rs_keymap_find(const struct rs_keymap *m, uint16_t metric, const struct rs_labels *labels);
/* The index of the key, new or old. -ENOMEM. */
int rs_keymap_put(
    struct rs_keymap *m, uint16_t metric, const struct rs_labels *labels, uint32_t *ret);

/* The order of answers: by metric, then cpu, queue, device, irq. As strcmp. */
int rs_key_compare(const struct rs_key *a, const struct rs_key *b);

#endif
