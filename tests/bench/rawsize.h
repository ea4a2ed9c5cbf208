/* SPDX-License-Identifier: ISC */
/*
 * How much the raw tier of a database takes.
 */
#ifndef RAWSIZE_H
#define RAWSIZE_H

#include "rs.h"

struct raw_size {
	uint64_t rows, samples;
	uint64_t blob_bytes; /* of chunks alone */
	uint64_t page_bytes; /* of the table */
	uint64_t damaged;    /* chunks that cannot be read */
};

/* Reads all of it, and changes nothing. NULL, or what went wrong. */
const char *raw_size_read(const char *path, struct raw_size *ret);

#endif
