/* SPDX-License-Identifier: ISC */
/*
 * On the live machine the descriptor is kept: reading a kept one costs a third
 * less than opening again. The files of a captured tree may be replaced by new
 * ones between two reads, so there each read opens.
 */
#include "reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"

enum { FIRST_BYTES = 4096 };

struct rs_reader {
	const struct rs_root *root;
	int fd; /* -1: not open */
	size_t max_bytes;
	struct rs_buf own;
	struct rs_buf *buf; /* &own, or one shared with other readers */
	char path[];	    /* NUL-terminated */
};

int
rs_reader_open(
    const struct rs_root *root, const char *path, size_t max_bytes, struct rs_reader **ret)
{
	const size_t len = strlen(path) + 1;
	struct rs_reader *const r = calloc(1, sizeof(*r) + len);
	if (!r)
		return -ENOMEM;
	r->root = root;
	r->fd = -1;
	r->max_bytes = max_bytes;
	/* One byte more than allowed, to tell "exactly full" from "too much". */
	rs_buf_init(&r->own, max_bytes + 1);
	r->buf = &r->own;
	memcpy(r->path, path, len);
	*ret = r;
	return 0;
}

void
rs_reader_share(struct rs_reader *r, struct rs_buf *buf)
{
	r->buf = buf;
}

static void
drop_descriptor(struct rs_reader *r)
{
	if (r->fd >= 0)
		(void)close(r->fd);
	r->fd = -1;
}

static int
read_whole(struct rs_reader *r)
{
	struct rs_buf *const b = r->buf;
	rs_buf_reset(b);
	for (;;) {
		/* All that is allocated (a buffer keeps one byte for a NUL), or as
		 * much again. */
		const size_t left =
		    b->cap > b->len + 1 ? b->cap - b->len - 1 : RS_MAX(b->len, (size_t)FIRST_BYTES);
		const size_t room = RS_MIN(left, r->max_bytes + 1 - b->len);
		char *const at = rs_buf_reserve(b, room);
		if (!at)
			return -ENOMEM;
		const ssize_t n = pread(r->fd, at, room, (off_t)b->len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return 0;
		b->len += (size_t)n;
		if (b->len > r->max_bytes)
			return -EFBIG;
	}
}

int
rs_reader_read(struct rs_reader *r, struct rs_text *ret)
{
	int error = -EBADF;
	if (r->fd >= 0)
		error = read_whole(r);
	/* A kept descriptor fails for good once its device or process is gone,
	 * while the path may be there again. */
	if (error && error != -EFBIG && error != -ENOMEM) {
		drop_descriptor(r);
		const int fd = rs_root_openat(r->root, r->path, O_RDONLY);
		if (fd < 0)
			return fd;
		r->fd = fd;
		error = read_whole(r);
	}
	if (error || !rs_root_is_live(r->root))
		drop_descriptor(r);
	if (error)
		return error;
	*ret = (struct rs_text){r->buf->data, r->buf->data + r->buf->len};
	return 0;
}

void
rs_reader_close(struct rs_reader *r)
{
	if (!r)
		return;
	drop_descriptor(r);
	rs_buf_fini(&r->own);
	free(r);
}
