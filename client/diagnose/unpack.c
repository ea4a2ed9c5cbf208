/* SPDX-License-Identifier: ISC */
/*
 * libarchive reads; folders, files and links are made here, one component at a
 * time, never through a link.
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

/* A capture of a large machine has some ten thousand small files. */
enum { ENTRIES_MAX = 100000, LINKS_MAX = 20000, DEPTH_MAX = 32, PATH_BYTES = 1024 };
enum { BLOCK_BYTES = 65536 };
#define TOTAL_MAX (UINT64_C(512) << 20)

/* What walking a tree may keep open at once. */
enum { WALK_DESCRIPTORS = 16 };

struct link {
	char *path, *target; /* owned */
};

struct unpacking {
	struct archive *archive;
	struct rs_problems *problems;
	const char *name;
	int top; /* the new folder */
	uint64_t total;
	unsigned entries;
	struct link *links; /* to be made last; owned */
	size_t n_links, cap_links;
};

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
		char probe;
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

/* A path without "." and empty parts; false: it leads out, or is too long. */
static bool
clean_path(const char *path, char ret[static PATH_BYTES])
{
	size_t len = 0;
	unsigned depth = 0;

	for (const char *p = path; *p != '\0';) {
		const size_t part = strcspn(p, "/");
		const bool is_dot = part == 1 && p[0] == '.';

		if (part == 2 && p[0] == '.' && p[1] == '.')
			return false;
		if (part > 0 && !is_dot) {
			if (len + part + 2 > PATH_BYTES || part > NAME_MAX || ++depth > DEPTH_MAX)
				return false;
			if (len > 0)
				ret[len++] = '/';
			memcpy(ret + len, p, part);
			len += part;
		}
		p += part;
		p += strspn(p, "/");
	}
	ret[len] = '\0';
	return *path != '/';
}

/* The folder of a path, made where it is not there; *ret_last is its last part.
 * A descriptor or negative errno. */
static int
open_parent(int top, char path[static PATH_BYTES], char **ret_last)
{
	int dir = dup(top);
	char *p = path;

	for (char *slash = strchr(p, '/'); dir >= 0 && slash != NULL; slash = strchr(p, '/')) {
		*slash = '\0';
		(void)mkdirat(dir, p, S_IRWXU);
		const int next = openat(dir, p, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		const int error = errno;
		*slash = '/';
		(void)close(dir);
		errno = error;
		dir = next;
		p = slash + 1;
	}
	*ret_last = p;
	return dir < 0 ? -errno : dir;
}

static int
copy_data(struct unpacking *u, int fd)
{
	char block[BLOCK_BYTES];
	uint64_t size = 0;

	for (;;) {
		const la_ssize_t n = archive_read_data(u->archive, block, sizeof(block));
		if (n < 0)
			return -EBADMSG;
		if (n == 0)
			return 0;
		size += (uint64_t)n;
		u->total += (uint64_t)n;
		if (size > RS_UNPACK_FILE_MAX || u->total > TOTAL_MAX)
			return -EFBIG;
		for (la_ssize_t done = 0; done < n;) {
			const ssize_t w = write(fd, block + done, (size_t)(n - done));
			if (w < 0 && errno != EINTR)
				return -errno;
			done += w > 0 ? w : 0;
		}
	}
}

static int
unpack_file(struct unpacking *u, char path[static PATH_BYTES])
{
	char *last;
	const int dir = open_parent(u->top, path, &last);

	if (dir < 0)
		return dir;
	const int fd = openat(
	    dir, last, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
	int rc = fd < 0 ? -errno : 0;

	(void)close(dir);
	if (fd < 0)
		return rc;
	rc = copy_data(u, fd);
	if (close(fd) < 0 && rc == 0)
		rc = -errno;
	return rc;
}

static int
unpack_folder(const struct unpacking *u, char path[static PATH_BYTES])
{
	char *last;
	const int dir = open_parent(u->top, path, &last);

	if (dir < 0)
		return dir;
	const int rc =
	    *last == '\0' || mkdirat(dir, last, S_IRWXU) == 0 || errno == EEXIST ? 0 : -errno;
	(void)close(dir);
	return rc;
}

/* Reading follows links within the capture only, wherever they point to. */
static int
note_link(struct unpacking *u, const char *path, const char *target)
{
	struct link *const l =
	    rs_list_add(&u->links, &u->n_links, &u->cap_links, sizeof(*l), LINKS_MAX);

	if (l == NULL)
		return -E2BIG;
	l->path = strdup(path);
	l->target = strdup(target);
	return l->path != NULL && l->target != NULL ? 0 : -ENOMEM;
}

static void
make_links(struct unpacking *u)
{
	for (size_t i = 0; i < u->n_links; i++) {
		struct link *const l = &u->links[i];
		char path[PATH_BYTES], *last;

		if (l->path != NULL && l->target != NULL) {
			(void)snprintf(path, sizeof(path), "%s", l->path);
			const int dir = open_parent(u->top, path, &last);
			/* Where something is already, or nothing can be, it stays out. */
			if (dir >= 0) {
				(void)symlinkat(l->target, dir, last);
				(void)close(dir);
			}
		}
		free(l->path);
		free(l->target);
	}
	free(u->links);
	u->links = NULL;
	u->n_links = u->cap_links = 0;
}

static int
unpack_entry(struct unpacking *u, struct archive_entry *e)
{
	const char *const path = archive_entry_pathname(e);
	const char *const link = archive_entry_symlink(e);
	char clean[PATH_BYTES];

	if (path == NULL || !clean_path(path, clean))
		return -EXDEV;
	if (archive_entry_hardlink(e) != NULL)
		return -ENOTSUP;
	switch (archive_entry_filetype(e)) {
	case AE_IFREG:
		return clean[0] == '\0' ? -EINVAL : unpack_file(u, clean);
	case AE_IFDIR:
		return unpack_folder(u, clean);
	case AE_IFLNK:
		return link != NULL && clean[0] != '\0' ? note_link(u, clean, link) : -EINVAL;
	default:
		return -ENOTSUP;
	}
}

static const char *
reason_of(int rc)
{
	switch (-rc) {
	case EXDEV:
		return "a path that leads out of the capture, or is too long";
	case ENOTSUP:
		return "neither a file, a folder nor a link";
	case EFBIG:
		return "too large";
	case EBADMSG:
		return "damaged";
	case E2BIG:
		return "too many links";
	case EEXIST:
		return "there twice";
	default:
		return strerror(-rc);
	}
}

static void
note_entry(struct unpacking *u, struct archive_entry *e, int rc)
{
	const char *const path = archive_entry_pathname(e);

	if (rc < 0)
		rs_problem(u->problems, path != NULL ? path : "?", 0, "%s", reason_of(rc));
}

/* Goes on until the end, the limits or a damage of the archive itself. */
static void
unpack_all(struct unpacking *u, struct archive_entry *e)
{
	int status = ARCHIVE_OK;

	while (status == ARCHIVE_OK || status == ARCHIVE_WARN) {
		if (++u->entries > ENTRIES_MAX || u->total > TOTAL_MAX) {
			rs_problem(u->problems, u->name, 0,
			    "too large: what follows %u entries is not read", u->entries - 1);
			return;
		}
		note_entry(u, e, unpack_entry(u, e));
		status = archive_read_next_header(u->archive, &e);
	}
	if (status != ARCHIVE_EOF)
		rs_problem(u->problems, u->name, 0,
		    "damaged or cut behind %u entries; what is before is used", u->entries);
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
unpack_archive(struct unpacking *u, struct archive_entry *first, char *ret_dir, size_t cap)
{
	u->top = make_folder(ret_dir, cap);
	if (u->top < 0) {
		const int rc = u->top;
		*ret_dir = '\0';
		return rc;
	}
	unpack_all(u, first);
	make_links(u);
	(void)close(u->top);
	return 0;
}

int
/* NOLINTNEXTLINE(readability-function-size): what a file is decides where it goes */
rs_unpack(int fd, const char *name, struct rs_buf *ret_bytes, char *ret_dir, size_t cap,
    struct rs_problems *problems, enum rs_packed *ret)
{
	struct unpacking u = {.problems = problems, .name = name};
	struct archive_entry *e;
	int rc = 0;

	*ret_dir = '\0';
	u.archive = open_archive(fd);
	if (u.archive == NULL)
		return -EBADMSG;
	const int status = archive_read_next_header(u.archive, &e);

	*ret = RS_PACKED_ONE;
	if (status == ARCHIVE_EOF) {
		rc = -ENODATA;
	} else if (status != ARCHIVE_OK && status != ARCHIVE_WARN) {
		rc = -EBADMSG;
	} else if (archive_format(u.archive) == ARCHIVE_FORMAT_RAW) {
		rc = read_entry(u.archive, ret_bytes);
		if (rc == -EBADMSG && ret_bytes->len > 0) {
			rs_problem(problems, name, 0, "damaged or cut; what is before is used");
			rc = 0;
		}
	} else {
		*ret = RS_PACKED_ARCHIVE;
		rc = unpack_archive(&u, e, ret_dir, cap);
	}
	(void)archive_read_free(u.archive);
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
