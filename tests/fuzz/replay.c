/* SPDX-License-Identifier: ISC */
/*
 * The main of a fuzz target that is built without libFuzzer: feeds each file
 * of the folders given, whole, at its first bytes one by one, and cut at some
 * hundred more places.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { MAX_FILE_BYTES = 8 << 20, FIRST_CUTS = 64, CUTS = 100 };

/* Only targets with a path define it. */
#pragma weak LLVMFuzzerInitialize

/* The whole file in memory of its own; NULL when it cannot be read. */
static uint8_t *
read_file(const char *path, size_t *ret_size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = malloc(MAX_FILE_BYTES);

	if (f == NULL || data == NULL) {
		perror(path);
		free(data);
		data = NULL;
	} else {
		*ret_size = fread(data, 1, MAX_FILE_BYTES, f);
	}
	if (f != NULL)
		(void)fclose(f);
	return data;
}

/* As libFuzzer does: memory of exactly that size, so that the sanitizer sees
 * one byte too far. */
static void
feed_exactly(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size);

	if (copy == NULL && size > 0)
		abort();
	if (size > 0)
		memcpy(copy, data, size);
	(void)LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void
feed(const uint8_t *data, size_t size)
{
	const size_t step = size / CUTS + 1;

	for (size_t cut = 0; cut < size; cut += cut < FIRST_CUTS ? 1 : step)
		feed_exactly(data, cut);
	feed_exactly(data, size);
}

/* The number of files fed, or -1. */
static int
feed_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	char path[4096];
	int files = 0;

	if (dir == NULL) {
		perror(folder);
		return -1;
	}
	while (files >= 0 && (entry = readdir(dir)) != NULL) {
		size_t size = 0;

		if (entry->d_name[0] == '.')
			continue;
		(void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		uint8_t *data = read_file(path, &size);

		files = data != NULL ? files + 1 : -1;
		if (data != NULL)
			feed(data, size);
		free(data);
	}
	(void)closedir(dir);
	return files;
}

int
main(int argc, char **argv)
{
	int files = 0;

	if (LLVMFuzzerInitialize != NULL)
		(void)LLVMFuzzerInitialize(&argc, &argv);
	feed_exactly(NULL, 0);
	for (int i = 1; i < argc; i++) {
		const int n = feed_folder(argv[i]);

		if (n < 0)
			return EXIT_FAILURE;
		files += n;
	}
	(void)printf("%d files replayed\n", files);
	return EXIT_SUCCESS;
}
