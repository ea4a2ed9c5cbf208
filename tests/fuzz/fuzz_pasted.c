/* SPDX-License-Identifier: ISC */
/*
 * A file of anything from anybody, through all of `ringside diagnose`.
 */
#define _GNU_SOURCE /* memfd_create() */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "diagnose/diagnosis.h"
#include "fuzz.h"

static void
answer(const char *path)
{
	struct rs_diagnosis *const d = malloc(sizeof(*d));
	struct rs_error e;

	if (d == NULL)
		return;
	if (rs_diagnose(path, d, &e) == 0) {
		json_t *const doc = rs_diagnosis_document(d);
		char *const text = doc != NULL ? json_dumps(doc, JSON_COMPACT) : NULL;
		/* An answer can always be printed, and says something. */
		if (text == NULL || d->verdict[0] == '\0')
			abort();
		free(text);
		json_decref(doc);
	}
	rs_diagnosis_free(d);
	free(d);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	const int fd = memfd_create("pasted", MFD_CLOEXEC);

	if (fd < 0)
		return 0;
	if (write(fd, data, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0) {
		(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		answer(path);
	}
	(void)close(fd);
	return 0;
}
