/* SPDX-License-Identifier: ISC */
/*
 * The file: a page of header, the latest changes, the blocks one after the
 * other. Which bytes mean what is this program's business alone: the header has a
 * fingerprint of all shapes and tables, and a file with another one is refused.
 */
#include "head.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "hash.h"

enum { FORMAT = 1, HEADER_BYTES = 4096, BLOCKS_MAX = 64, COLUMNS_MAX = 2000000 };

static const char magic[16] = "ringside head\n";

struct header {
	char magic[16];
	uint32_t byte_order, format;
	uint64_t program; /* shapes and tables */
	char boot_id[40];
	char owner[256];
	int64_t interval_ns;
	uint32_t max_series, n_blocks;
	uint64_t check; /* of all before it */
};

enum {
	CHANGES_BYTES = (RS_HEAD_CHANGES * sizeof(struct rs_change_slot) + 4095) / 4096 * 4096,
	BLOCKS_AT = HEADER_BYTES + CHANGES_BYTES
};

struct rs_head {
	char *path;	/* owned */
	int fd;		/* locked; -1: none yet, or not usable */
	bool is_usable; /* the file is ours or not there yet */
	struct header own, found;
	bool has_found;			/* found is believed */
	struct rs_change_slot *changes; /* mapped; NULL before rs_head_begin */
	char *map;
	size_t bytes;
	struct rs_head_stats stats;
};

/* --- identity ---------------------------------------------------------- */

static uint64_t
hash_text(uint64_t h, const char *s)
{
	return s ? rs_hash_bytes(h, s, strlen(s)) : rs_hash_word(h, 1);
}

/* All that a later process must agree on to read the bytes as they were meant. */
static uint64_t
fingerprint(void)
{
	static const size_t shapes[] = {sizeof(struct header), sizeof(struct rs_change_slot),
	    sizeof(struct rs_block_series), sizeof(struct rs_block_seal),
	    sizeof(struct rs_block_top), sizeof(struct rs_labels), sizeof(bool), RS_HEAD_CHANGES};
	uint64_t h = RS_HASH_START;

	for (size_t i = 0; i < RS_ARRAY_LEN(shapes); i++)
		h = rs_hash_word(h, shapes[i]);
	for (size_t i = 0; i < RS_M_COUNT; i++) {
		const struct rs_metric *const m = &rs_metrics[i];

		h = hash_text(hash_text(hash_text(h, m->name), m->mode), m->direction);
		h = rs_hash_word(h, (uint64_t)m->kind << 32 | m->scale);
	}
	for (size_t i = 0; i < RS_F_COUNT; i++)
		h = hash_text(h, rs_facts[i].name);
	return h;
}

static uint64_t
header_check(const struct header *h)
{
	return rs_hash_bytes(RS_HASH_START, h, offsetof(struct header, check));
}

static void
refuse(struct rs_head *h, const char *why)
{
	(void)snprintf(h->stats.refused, sizeof(h->stats.refused), "%s", why);
}

static int
fail(struct rs_head *h, int rc, const char *what)
{
	(void)snprintf(h->stats.error, sizeof(h->stats.error), "%s: %s", what, strerror(-rc));
	return rc;
}

/* --- opening ----------------------------------------------------------- */

/* Whether the name still means this file: a daemon that ends removes it. */
static bool
is_at_path(const struct rs_head *h, int fd)
{
	struct stat mine, there;

	return fstat(fd, &mine) == 0 && lstat(h->path, &there) == 0 &&
	       mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
}

/* The locked file, -ENOENT: there is none, other: it cannot be used. */
static int
open_locked(struct rs_head *h, int flags)
{
	for (unsigned i = 0; i < 8; i++) {
		const int fd = open(
		    h->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | flags, 0600);

		if (fd < 0)
			return -errno;
		if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
			const int error = errno;

			(void)close(fd);
			return -error;
		}
		if (is_at_path(h, fd))
			return fd;
		(void)close(fd);
	}
	return -EBUSY;
}

/* What is wrong with the header, or NULL. */
static const char *
find_fault(const struct rs_head *h, const struct header *f, uint64_t file_bytes)
{
	struct rs_block *b;
	uint64_t bytes = 0;

	if (f->byte_order != h->own.byte_order || f->format != h->own.format ||
	    f->program != h->own.program)
		return "written by another version of the program";
	if (f->check != header_check(f))
		return "damaged header";
	if (h->own.boot_id[0] == '\0' ||
	    memcmp(f->boot_id, h->own.boot_id, sizeof(f->boot_id)) != 0)
		return "of another boot";
	if (memcmp(f->owner, h->own.owner, sizeof(f->owner)) != 0)
		return "of another database";
	if (f->n_blocks > BLOCKS_MAX || f->max_series > COLUMNS_MAX)
		return "damaged header";
	const int rc = rs_block_new(f->max_series, f->interval_ns, &b);
	if (rc < 0)
		return rc == -ENOMEM ? "out of memory" : "damaged header";
	bytes = BLOCKS_AT + (uint64_t)f->n_blocks * rs_block_bytes(b);
	rs_block_free(b);
	return file_bytes == bytes ? NULL : "its size does not fit";
}

/* A file that is not ours is left as it is. */
static int
look_at(struct rs_head *h)
{
	struct stat st;

	if (fstat(h->fd, &st) < 0)
		return fail(h, -errno, h->path);
	if (!S_ISREG(st.st_mode))
		return fail(h, -EEXIST, "not a regular file");
	if (st.st_size == 0)
		return 0;
	memset(&h->found, 0, sizeof(h->found));
	const ssize_t n = pread(h->fd, &h->found, sizeof(h->found), 0);
	if (n < (ssize_t)sizeof(magic) || memcmp(h->found.magic, magic, sizeof(magic)) != 0) {
		(void)snprintf(h->stats.error, sizeof(h->stats.error),
		    "there is a file that is not a head file of Ringside; it stays as it is");
		return -EEXIST;
	}
	if (h->found.check == 0)
		return 0; /* killed before it was laid out: there is nothing in it */
	const char *const fault = find_fault(h, &h->found, (uint64_t)st.st_size);
	if (fault)
		refuse(h, fault);
	h->has_found = !fault;
	return 0;
}

int
rs_head_open(const struct rs_head_conf *c, struct rs_head **ret)
{
	struct rs_head *const h = calloc(1, sizeof(*h));

	if (!h)
		return -ENOMEM;
	h->path = strdup(c->path);
	if (!h->path) {
		free(h);
		return -ENOMEM;
	}
	memcpy(h->own.magic, magic, sizeof(magic));
	h->own.byte_order = 0x01020304;
	h->own.format = FORMAT;
	h->own.program = fingerprint();
	(void)snprintf(h->own.boot_id, sizeof(h->own.boot_id), "%s", c->boot_id);
	(void)snprintf(h->own.owner, sizeof(h->own.owner), "%s", c->owner);
	h->fd = open_locked(h, 0);
	if (h->fd >= 0) {
		h->is_usable = look_at(h) == 0;
	} else if (h->fd == -ENOENT) {
		h->is_usable = true; /* or the folder is missing: rs_head_begin tells */
	} else if (h->fd == -EWOULDBLOCK) {
		(void)snprintf(h->stats.error, sizeof(h->stats.error), "in use by another daemon");
	} else {
		(void)fail(h, h->fd, "cannot be opened");
	}
	*ret = h;
	return 0;
}

/* Whether all that is in the file is this process's. */
static bool
is_own(const struct rs_head *h)
{
	struct stat st;

	return h->map || (h->is_usable && h->fd >= 0 && fstat(h->fd, &st) == 0 && st.st_size == 0);
}

void
rs_head_close(struct rs_head *h, bool is_clean)
{
	if (!h)
		return;
	/* Where the name cannot be removed, as in a folder of root's, it is emptied. */
	if (is_clean && is_own(h) && unlink(h->path) < 0)
		(void)!ftruncate(h->fd, 0);
	if (h->map)
		(void)munmap(h->map, h->bytes);
	if (h->fd >= 0)
		(void)close(h->fd);
	free(h->path);
	free(h);
}

int
rs_head_read(struct rs_head *h, struct rs_leftover *ret)
{
	const struct rs_leftover_place at = {.fd = h->fd,
	    .changes_at = HEADER_BYTES,
	    .blocks_at = BLOCKS_AT,
	    .n_blocks = h->found.n_blocks,
	    .max_series = h->found.max_series,
	    .interval_ns = h->found.interval_ns};

	*ret = (struct rs_leftover){0};
	if (!h->has_found)
		return 0;
	h->has_found = false;
	return rs_leftover_read(&at, ret);
}

/* --- the new file ------------------------------------------------------ */

/* As long as it will be, and with room for what is not of a block. Until the
 * header is whole the file is ours, but not believed. */
static int
lay_out(struct rs_head *h)
{
	if (ftruncate(h->fd, 0) < 0)
		return -errno;
	h->own.check = 0;
	if (pwrite(h->fd, &h->own, sizeof(h->own), 0) != (ssize_t)sizeof(h->own))
		return errno != 0 ? -errno : -ENOSPC;
	if (ftruncate(h->fd, (off_t)h->bytes) < 0)
		return -errno;
	const int rc = posix_fallocate(h->fd, 0, BLOCKS_AT);
	if (rc != 0)
		return -rc;
	void *const map = mmap(NULL, h->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, h->fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	h->map = map;
	h->changes = (void *)(h->map + HEADER_BYTES);
	h->own.check = header_check(&h->own);
	memcpy(h->map, &h->own, sizeof(h->own));
	return 0;
}

int
rs_head_begin(struct rs_head *h, struct rs_block *const *blocks, unsigned n)
{
	if (!h->is_usable || h->map || n == 0 || n > BLOCKS_MAX)
		return -EINVAL;
	if (h->fd < 0) {
		h->fd = open_locked(h, O_CREAT | O_EXCL);
		if (h->fd < 0)
			return fail(h, h->fd, "cannot be made");
	}
	const size_t block_bytes = rs_block_bytes(blocks[0]);
	h->own.interval_ns = blocks[0]->interval_ns;
	h->own.max_series = blocks[0]->max_series;
	h->own.n_blocks = n;
	h->bytes = BLOCKS_AT + n * block_bytes;
	const int rc = lay_out(h);
	if (rc < 0) {
		(void)!ftruncate(h->fd, 0);
		return fail(h, rc, "cannot be made");
	}
	for (unsigned i = 0; i < n; i++) {
		const size_t at = BLOCKS_AT + i * block_bytes;

		rs_block_settle(blocks[i], h->fd, (off_t)at, h->map + at);
	}
	h->stats.is_begun = true;
	h->stats.error[0] = '\0';
	return 0;
}

void
rs_head_note_changes(struct rs_head *h, const struct rs_change *c, size_t n)
{
	for (size_t i = n > RS_HEAD_CHANGES ? n - RS_HEAD_CHANGES : 0; h->changes && i < n; i++) {
		struct rs_change_slot *const s = &h->changes[(uint64_t)c[i].id % RS_HEAD_CHANGES];

		s->check = 0;
		memcpy(&s->change, &c[i], sizeof(c[i]));
		s->check = rs_change_slot_check(s);
	}
}

void
rs_head_get_stats(const struct rs_head *h, struct rs_head_stats *ret)
{
	*ret = h->stats;
}
