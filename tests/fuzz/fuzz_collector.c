/* SPDX-License-Identifier: ISC */
/*
 * The fuzz target of every collector that parses a text; RS_FUZZ_COLLECTOR is
 * its table. The input is parsed twice into the same frame: once knowing
 * nothing, once knowing which cores are online.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector.h"

enum { MAX_READINGS = 100000 };

extern const struct rs_collector RS_FUZZ_COLLECTOR;

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	if (*argc == 2 && strcmp((*argv)[1], "--path") == 0) {
		(void)puts(RS_FUZZ_COLLECTOR.paths[0]);
		exit(EXIT_SUCCESS);
	}
	return 0;
}

/* What the next layer relies on; an abort is a finding. */
static void
check_frame(const struct rs_frame *f)
{
	const struct rs_irq_matrix *m = &f->irqs;

	if (f->n_readings > MAX_READINGS)
		abort();
	for (size_t i = 0; i < f->n_readings; i++) {
		if (f->readings[i].metric >= RS_M_COUNT)
			abort();
	}
	for (uint32_t c = 0; c < m->columns; c++) {
		if (m->cpu[c] >= RS_CPU_MAX)
			abort();
	}
	for (uint32_t r = 0; r < m->n_rows; r++) {
		const struct rs_irq_row *row = &m->rows[r];

		if (row->cells > m->columns || row->first_cell > m->n_cells ||
		    row->cells > m->n_cells - row->first_cell)
			abort();
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct rs_frame *frame;
	struct rs_cpuset online;
	const struct rs_sys nothing = {.online = NULL};
	const struct rs_sys known = {.online = &online};
	const struct rs_text text = {(const char *)data, (const char *)data + size};

	if (frame == NULL && rs_frame_new(MAX_READINGS, &frame) < 0)
		abort();
	rs_cpuset_zero(&online);
	rs_cpuset_add(&online, 0);
	rs_cpuset_add(&online, 2);
	rs_frame_reset(frame, 1);
	(void)RS_FUZZ_COLLECTOR.parse(text, &nothing, frame);
	check_frame(frame);
	rs_frame_reset(frame, 2);
	(void)RS_FUZZ_COLLECTOR.parse(text, &known, frame);
	check_frame(frame);
	return 0;
}
