/* SPDX-License-Identifier: ISC */
/*
 * libarchive reads; folders, files and links are made here, one component at a
 * time, never through a link.
 */
#include "diagnose/extract.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diagnose/unpack.h"

/* A capture of a large machine has some ten thousand small files. */
enum { ENTRIES_MAX = 100000, LINKS_MAX = 20000, DEPTH_MAX = 32, PATH_BYTES = 1024 };
enum { BLOCK_BYTES = 65536 };
#define TOTAL_MAX (UINT64_C(512) << 20)

struct link {
	char *path, *target; /* owned */
};

struct unpacking {
	const struct rs_extract *x;
	uint64_t total;
	unsigned entries;
	struct link *links; /* to be made last; owned */
	size_t n_links, cap_links;
};

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
		const la_ssize_t n = archive_read_data(u->x->archive, block, sizeof(block));
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
	const int dir = open_parent(u->x->top, path, &last);

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
	const int dir = open_parent(u->x->top, path, &last);

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

static int
make_link(const struct unpacking *u, const struct link *l)
{
	char path[PATH_BYTES], *last;

	if (l->path == NULL || l->target == NULL)
		return -ENOMEM;
	(void)snprintf(path, sizeof(path), "%s", l->path);
	const int dir = open_parent(u->x->top, path, &last);
	if (dir < 0)
		return dir;
	const int rc = symlinkat(l->target, dir, last) < 0 ? -errno : 0;
	(void)close(dir);
	return rc;
}

static void
make_links(struct unpacking *u)
{
	for (size_t i = 0; i < u->n_links; i++) {
		struct link *const l = &u->links[i];
		const int rc = make_link(u, l);
		if (rc < 0)
			rs_problem(u->x->problems, l->path != NULL ? l->path : "?", 0, "%s",
			    reason_of(rc));
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

static void
note_entry(struct unpacking *u, struct archive_entry *e, int rc)
{
	const char *const path = archive_entry_pathname(e);

	if (rc < 0)
		rs_problem(u->x->problems, path != NULL ? path : "?", 0, "%s", reason_of(rc));
}

/* Goes on until the end, the limits or a damage of the archive itself. */
static void
unpack_all(struct unpacking *u, struct archive_entry *e)
{
	int status = ARCHIVE_OK;

	while (status == ARCHIVE_OK || status == ARCHIVE_WARN) {
		if (++u->entries > ENTRIES_MAX || u->total > TOTAL_MAX) {
			rs_problem(u->x->problems, u->x->name, 0,
			    "too large: what follows %u entries is not read", u->entries - 1);
			return;
		}
		note_entry(u, e, unpack_entry(u, e));
		status = archive_read_next_header(u->x->archive, &e);
	}
	if (status != ARCHIVE_EOF)
		rs_problem(u->x->problems, u->x->name, 0,
		    "damaged or cut behind %u entries; what is before is used", u->entries);
}

void
rs_extract(const struct rs_extract *x, struct archive_entry *first)
{
	struct unpacking u = {.x = x};

	unpack_all(&u, first);
	make_links(&u);
}
