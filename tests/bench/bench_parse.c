/* SPDX-License-Identifier: ISC */
/*
 * How long a number of /proc/interrupts takes, storing included: 128 CPUs x 600
 * lines in the kernel's own layout, random values of 1 to 10 digits. Prints the
 * median of many passes; process CPU time, so that other programs disturb less.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "collector.h"

enum { CPUS = 128, ROWS = 600, NUMBERS = CPUS * ROWS, PASSES = 101, LINE_BYTES = 96 };

static uint64_t
next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static size_t
make_text(char *text, size_t cap, uint32_t *values)
{
	uint64_t state = 88172645463325252u;
	size_t len = (size_t)snprintf(text, cap, "%5s", "");
	for (unsigned c = 0; c < CPUS; c++)
		len += (size_t)snprintf(text + len, cap - len, "CPU%-8u", c);
	text[len++] = '\n';
	for (unsigned r = 0; r < ROWS; r++) {
		len += (size_t)snprintf(text + len, cap - len, "%4u:", r);
		for (unsigned c = 0; c < CPUS; c++) {
			const uint64_t x = next_random(&state);
			const uint32_t v = (uint32_t)x >> (x >> 60);
			*values++ = v;
			len += (size_t)snprintf(text + len, cap - len, " %10" PRIu32, v);
		}
		len += (size_t)snprintf(text + len, cap - len,
		    "  IR-PCI-MSIX-0000:%02x:00.0 %4u-edge      eth%u-TxRx-%u\n", r & 255, r,
		    r / 64, r % 64);
	}
	return len;
}

static int
compare(const void *a, const void *b)
{
	const rs_ns x = *(const rs_ns *)a, y = *(const rs_ns *)b;
	return (x > y) - (x < y);
}

static const struct rs_collector *
find_parser(void)
{
	for (const struct rs_collector *const *c = rs_collectors; *c; c++) {
		if (strcmp((*c)->id, "interrupts") == 0)
			return *c;
	}
	return NULL;
}

/* Nanoseconds of the middle pass, or 0 when the numbers are not those put in. */
static rs_ns
measure(struct rs_text t, const uint32_t *values, struct rs_frame *f)
{
	static rs_ns took[PASSES];
	const struct rs_collector *const parser = find_parser();
	const struct rs_sys sys = {0};
	for (unsigned i = 0; i < PASSES; i++) {
		rs_frame_reset(f, 0);
		const rs_ns start = rs_clock_thread_cpu();
		if (!parser || parser->parse(t, &sys, f) != 0)
			return 0;
		took[i] = rs_clock_thread_cpu() - start;
	}
	if (f->irqs.n_cells != NUMBERS ||
	    memcmp(values, f->irqs.cells, NUMBERS * sizeof(*values)) != 0)
		return 0;
	qsort(took, PASSES, sizeof(took[0]), compare);
	return took[PASSES / 2];
}

int
main(void)
{
	static char text[ROWS * (CPUS * 11 + LINE_BYTES) + CPUS * 16];
	static uint32_t values[NUMBERS];
	struct rs_frame *f;
	if (rs_frame_new(1024, &f) != 0)
		return 1;
	const struct rs_text t = {text, text + make_text(text, sizeof(text), values)};
	const rs_ns middle = measure(t, values, f);
	if (middle)
		(void)printf("bench parse_interrupts_ns_per_number %.2f ns\n",
		    (double)middle / (double)NUMBERS);
	else
		(void)fprintf(stderr, "bench_parse: the numbers are wrong\n");
	rs_frame_free(f);
	return middle ? 0 : 1;
}
