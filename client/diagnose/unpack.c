/* SPDX-License-Identifier: ISC */
/*
 * What a file is, and where it goes.
 */
/* nftw() is of the X/Open part of POSIX. */
#define _XOPEN_SOURCE 700
#include "diagnose/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diagnose/extract.h"

enum { BLOCK_BYTES = 65536 };

/* What walking a tree may keep open at once. */
enum { WALK_DESCRIPTORS = 16 };

static struct archive *
open_archive(int fd)
{
	struct archive *const a = archive_read_new();

	if (a == NULL)
		return NULL;
	/* Those that are libraries: others run a program. */
	(void)archive_read_support_filter_gzip(a);
	(void)archive_read_support_filter_bzip2(a);
	(void)archive_read_support_filter_xz(a);
	(void)archive_read_support_filter_zstd(a);
	(void)archive_read_support_format_tar(a);
	(void)archive_read_support_format_raw(a);
	(void)archive_read_support_format_empty(a);
	if (archive_read_open_fd(a, fd, BLOCK_BYTES) != ARCHIVE_OK) {
		(void)archive_read_free(a);
		return NULL;
	}
	return a;
}

/* Up to the limit of the buffer, which keeps one byte for a NUL. */
static int
read_entry(struct archive *a, struct rs_buf *b)
{
	for (;;) {
		char probe = '\0';
		const size_t left = b->max_bytes - b->len;
		const size_t room = left > 1 ? RS_MIN(left - 1, (size_t)BLOCK_BYTES) : 0;
		char *const at = room > 0 ? rs_buf_reserve(b, room) : &probe;

		if (at == NULL)
			return -ENOMEM;
		const la_ssize_t n = archive_read_data(a, at, RS_MAX(room, (size_t)1));
		if (n <= 0)
			return n < 0 ? -EBADMSG : 0;
		if (room == 0)
			return -EFBIG;
		b->len += (size_t)n;
	}
}

static int
make_folder(char *ret_dir, size_t cap)
{
	const char *const set = getenv("TMPDIR");
	const int n =
	    snprintf(ret_dir, cap, "%s/ringside-XXXXXX", set != NULL && *set == '/' ? set : "/tmp");

	if (n < 0 || (size_t)n >= cap)
		return -ENAMETOOLONG;
	if (mkdtemp(ret_dir) == NULL)
		return -errno;
	const int fd = open(ret_dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int
unpack_archive(struct rs_extract *x, struct archive_entry *first, char *ret_dir, size_t cap)
{
	x->top = make_folder(ret_dir, cap);
	if (x->top < 0) {
		*ret_dir = '\0';
		return x->top;
	}
	rs_extract(x, first);
	(void)close(x->top);
	return 0;
}

int
/* NOLINTNEXTLINE(readability-function-size): what a file is decides where it goes */
rs_unpack(int fd, const char *name, struct rs_buf *ret_bytes, char *ret_dir, size_t cap,
    struct rs_problems *problems, enum rs_packed *ret)
{
	struct rs_extract x = {.problems = problems, .name = name};
	struct archive_entry *e;
	int rc = 0;

	*ret_dir = '\0';
	x.archive = open_archive(fd);
	if (x.archive == NULL)
		return -EBADMSG;
	const int status = archive_read_next_header(x.archive, &e);

	*ret = RS_PACKED_ONE;
	if (status == ARCHIVE_EOF) {
		rc = -ENODATA;
	} else if (status != ARCHIVE_OK && status != ARCHIVE_WARN) {
		rc = -EBADMSG;
	} else if (archive_format(x.archive) == ARCHIVE_FORMAT_RAW) {
		rc = read_entry(x.archive, ret_bytes);
		if (rc == -EBADMSG && ret_bytes->len > 0) {
			rs_problem(problems, name, 0, "damaged or cut; what is before is used");
			rc = 0;
		}
	} else {
		*ret = RS_PACKED_ARCHIVE;
		rc = unpack_archive(&x, e, ret_dir, cap);
	}
	(void)archive_read_free(x.archive);
	return rc;
}

int
rs_unpack_file(int fd, struct rs_buf *ret)
{
	struct archive *const a = open_archive(fd);
	struct archive_entry *e;

	if (a == NULL)
		return -EBADMSG;
	const int status = archive_read_next_header(a, &e);
	int rc = -EBADMSG;

	if (status == ARCHIVE_EOF)
		rc = 0; /* empty */
	else if (status == ARCHIVE_OK && archive_format(a) == ARCHIVE_FORMAT_RAW)
		rc = read_entry(a, ret);
	(void)archive_read_free(a);
	return rc;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)ftw;
	if (type == FTW_DP)
		(void)rmdir(path);
	else
		(void)unlink(path);
	return 0;
}

void
rs_unpack_remove(const char *dir)
{
	(void)nftw(dir, remove_one, WALK_DESCRIPTORS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}
