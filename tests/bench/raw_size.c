/* SPDX-License-Identifier: ISC */
/*
 * raw_size DATABASE: what a raw sample takes in a database that a daemon wrote,
 * wherever that was; the daemon may be running.
 */
#include <stdio.h>

#include "rawsize.h"

int
main(int argc, char *argv[])
{
	struct raw_size s;

	if (argc != 2) {
		fprintf(stderr, "usage: raw_size DATABASE\n");
		return 2;
	}
	const char *const why = raw_size_read(argv[1], &s);

	if (why != NULL || s.samples == 0) {
		fprintf(stderr, "raw_size: %s: %s\n", argv[1], why != NULL ? why : "no samples");
		return 1;
	}
	const double n = (double)s.samples;

	printf("%.0f samples in %.0f rows, %.0f of them damaged\n", n, (double)s.rows,
	    (double)s.damaged);
	printf("%.0f bytes of chunks, %.0f bytes of pages\n", (double)s.blob_bytes,
	    (double)s.page_bytes);
	printf("bench recorded_chunk_bytes_per_sample %.4f bytes\n", (double)s.blob_bytes / n);
	printf("bench recorded_bytes_per_sample %.4f bytes\n", (double)s.page_bytes / n);
	return 0;
}
