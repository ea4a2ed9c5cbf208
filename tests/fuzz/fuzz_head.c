/* SPDX-License-Identifier: ISC */
/*
 * A head file as a process before might have left it. An input whose first byte is
 * 0 is the whole file; otherwise it is written over a good one: two bytes of where
 * behind the changes, and what. A tick of the good file that is believed
 * afterwards must be what it was.
 */
#include "fuzz.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "head.h"

enum { SLOTS = 5, BLOCKS = 2, MINUTE = 77 };

static char path[32];
static unsigned char *good; /* the bytes of a good file */
static size_t good_len;

static void
remove_file(void)
{
	(void)unlink(path);
	free(good);
}

static struct rs_head *
open_head(void)
{
	const struct rs_head_conf c = {.path = path, .owner = "db", .boot_id = "boot"};
	struct rs_head *h = NULL;
	if (rs_head_open(&c, &h) < 0)
		abort();
	return h;
}

static void
write_file(const void *data, size_t len)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		abort();
	(void)close(fd);
}

static void
keep_good(void)
{
	struct stat st;
	const int fd = open(path, O_RDONLY);
	if (fd < 0 || fstat(fd, &st) < 0)
		abort();
	good_len = (size_t)st.st_size;
	good = malloc(good_len);
	if (good == NULL || read(fd, good, good_len) != st.st_size)
		abort();
	(void)close(fd);
}

static int64_t
value_of(uint32_t slot, uint32_t tick)
{
	return INT64_C(1000003) * slot + tick;
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct rs_block *blocks[BLOCKS];
	(void)argc;
	(void)argv;
	(void)strcpy(path,
	    access("/dev/shm", W_OK) == 0 ? "/dev/shm/rs-fuzz-XXXXXX" : "/tmp/rs-fuzz-XXXXXX");
	const int fd = mkstemp(path);
	if (fd < 0)
		abort();
	(void)close(fd);
	(void)atexit(remove_file);
	struct rs_head *const h = open_head();
	for (unsigned i = 0; i < BLOCKS; i++) {
		if (rs_block_new(64, 15 * RS_NS_PER_S, &blocks[i]) < 0)
			abort();
	}
	if (rs_head_begin(h, blocks, BLOCKS) < 0)
		abort();
	rs_block_reset(blocks[0], MINUTE);
	for (uint32_t i = 0; i < SLOTS; i++) {
		struct rs_block_series s = {.uid = i + 1, .metric = RS_M_CORE_INTERRUPTS};
		s.labels = rs_labels_none;
		s.labels.cpu = (int32_t)i;
		rs_block_name(blocks[0], i, &s);
	}
	for (uint32_t t = 0; t < 3; t++) {
		blocks[0]->has_tick[t] = true;
		blocks[0]->length_us[t] = 15000000;
		for (uint32_t i = 0; i < SLOTS; i++)
			rs_block_put(blocks[0], i, t, value_of(i, t));
		rs_block_seal(blocks[0], t);
	}
	for (unsigned i = 0; i < BLOCKS; i++)
		rs_block_free(blocks[i]);
	rs_head_close(h, false);
	keep_good();
	return 0;
}

static void
check_block(const struct rs_block *b)
{
	int64_t v;
	for (uint32_t t = 0; t < b->ticks; t++) {
		for (uint32_t i = 0; i < b->n_series; i++) {
			if (!rs_block_get(b, i, t, &v))
				continue;
			if (b->minute != MINUTE || t >= 3 || v != value_of(i, t) ||
			    b->series[i].labels.cpu != (int32_t)i)
				abort();
		}
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rs_leftover l;
	if (size == 0)
		return 0;
	const bool is_whole = data[0] == 0;
	if (is_whole) {
		write_file(data + 1, size - 1);
	} else if (size > 3) {
		const size_t blocks_at = good_len - BLOCKS * (size_t)3 * 4096;
		const size_t at = blocks_at + (size_t)data[1] * 256 + data[2];
		unsigned char *const bytes = malloc(good_len);
		if (bytes == NULL)
			return 0;
		memcpy(bytes, good, good_len);
		if (at < good_len)
			memcpy(bytes + at, data + 3, RS_MIN(size - 3, good_len - at));
		write_file(bytes, good_len);
		free(bytes);
	}
	struct rs_head *const h = open_head();
	if (rs_head_read(h, &l) == 0) {
		for (const struct rs_block *b = l.blocks; b != NULL; b = b->next)
			check_block(b);
		rs_leftover_fini(&l);
	}
	rs_head_close(h, false);
	return 0;
}
