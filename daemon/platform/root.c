/* SPDX-License-Identifier: ISC */
/*
 * Everything that is opened below "/proc" and "/sys" is opened here. On the
 * live machine a path is just opened. A captured tree may come from anybody:
 * there links are followed inside the tree only, and nothing but regular files
 * and directories is opened, because opening a device or a FIFO acts.
 */
#define _GNU_SOURCE /* O_PATH, syscall() */
#include "root.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct rs_root {
	int fd;
	bool is_live;
	bool can_resolve; /* the kernel has openat2 (5.6) and lets us use it */
};

/* What a path may be in a captured tree. */
enum kind { ANY, FILE_ONLY, DIRECTORY_ONLY };

static int
sys_openat2(int dir, const char *path, int flags)
{
	const struct open_how how = {
	    .flags = (uint64_t)(unsigned)(flags | O_CLOEXEC),
	    .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	long fd;
	/* EAGAIN: something was renamed while ".." was walked (openat2(2)). */
	unsigned tries = 8;
	do
		fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));
	while (fd < 0 && errno == EAGAIN && --tries);
	return fd < 0 ? -errno : (int)fd;
}

/* Without openat2: one component at a time, links and ".." refused. */
static int
walk(int top, const char *path, int flags)
{
	int dir = top, fd = -ENOENT;
	for (const char *p = path; *p;) {
		char name[256];
		const size_t len = strcspn(p, "/");
		if (len >= sizeof(name)) {
			fd = -ENAMETOOLONG;
			break;
		}
		memcpy(name, p, len);
		name[len] = '\0';
		p += len + strspn(p + len, "/");
		if (strcmp(name, "..") == 0) {
			fd = -ELOOP;
			break;
		}
		const int how = *p ? O_PATH | O_DIRECTORY : flags;
		fd = openat(dir, name, how | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			fd = -errno;
		if (dir != top)
			(void)close(dir);
		dir = fd;
		if (fd < 0)
			break;
	}
	if (fd < 0 && dir != top && dir >= 0)
		(void)close(dir);
	return fd;
}

/* Opens below a captured tree without acting on what is there. */
static int
look(const struct rs_root *r, const char *path, int flags)
{
	return r->can_resolve ? sys_openat2(r->fd, path, flags) : walk(r->fd, path, flags);
}

static int
check_kind(int fd, enum kind kind)
{
	struct stat st;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (S_ISLNK(st.st_mode))
		return -ELOOP;
	if (kind == FILE_ONLY && !S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -ENOTSUP;
	if (kind == DIRECTORY_ONLY && !S_ISDIR(st.st_mode))
		return -ENOTDIR;
	return 0;
}

static int
open_captured(const struct rs_root *r, const char *path, int flags, enum kind kind)
{
	/* First a look that opens nothing, then the file, then a look whether it
	 * is still the same sort of thing. */
	int fd = look(r, path, O_PATH);
	if (fd < 0)
		return fd;
	int error = check_kind(fd, kind);
	if (!error && (flags & O_PATH))
		return fd;
	(void)close(fd);
	if (error)
		return error;
	fd = look(r, path, flags | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return fd;
	error = check_kind(fd, kind);
	if (!error)
		return fd;
	(void)close(fd);
	return error;
}

static int
open_below(const struct rs_root *r, const char *path, int flags, enum kind kind)
{
	if (*path == '/' || *path == '\0')
		return -EINVAL;
	if (!r->is_live)
		return open_captured(r, path, flags, kind);
	const int fd = openat(r->fd, path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static bool
is_slash(int fd)
{
	struct stat here, top;
	return fstat(fd, &here) == 0 && stat("/", &top) == 0 && here.st_dev == top.st_dev &&
	       here.st_ino == top.st_ino;
}

int
rs_root_open(const char *dir, struct rs_root **ret)
{
	struct rs_root *const r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (r->fd < 0) {
		const int error = -errno;
		free(r);
		return error;
	}
	r->is_live = is_slash(r->fd);
	if (!r->is_live) {
		/* ENOSYS: an old kernel; EPERM: a sandbox that does not know it. */
		const int fd = sys_openat2(r->fd, ".", O_PATH);
		r->can_resolve = fd >= 0;
		if (fd >= 0)
			(void)close(fd);
	}
	*ret = r;
	return 0;
}

void
rs_root_close(struct rs_root *r)
{
	if (!r)
		return;
	(void)close(r->fd);
	free(r);
}

bool
rs_root_is_live(const struct rs_root *r)
{
	return r->is_live;
}

int
rs_root_openat(const struct rs_root *r, const char *path, int flags)
{
	return open_below(r, path, flags, flags & O_DIRECTORY ? DIRECTORY_ONLY : FILE_ONLY);
}

int
rs_root_read(const struct rs_root *r, const char *path, char *dst, size_t cap)
{
	const int fd = rs_root_openat(r, path, O_RDONLY);
	if (fd < 0)
		return fd;
	size_t len = 0;
	ssize_t n = 1;
	while (len < cap && n > 0) {
		n = read(fd, dst + len, cap - len);
		if (n > 0)
			len += (size_t)n;
		else if (n < 0 && errno == EINTR)
			n = 1;
	}
	const int error = n < 0 ? -errno : 0;
	(void)close(fd);
	if (error)
		return error;
	if (len == cap)
		return -EFBIG;
	if (len && dst[len - 1] == '\n')
		len--;
	dst[len] = '\0';
	return (int)len;
}

/* readlink(2); links before the last component stay inside the tree. */
static ssize_t
read_link(const struct rs_root *r, const char *path, char *target, size_t cap)
{
	const char *const slash = strrchr(path, '/');
	if (r->is_live || !slash) {
		const ssize_t n = readlinkat(r->fd, path, target, cap);
		return n < 0 ? -errno : n;
	}
	char parent[512];
	const size_t len = (size_t)(slash - path);
	if (len >= sizeof(parent))
		return -ENAMETOOLONG;
	memcpy(parent, path, len);
	parent[len] = '\0';
	const int dir = open_captured(r, parent, O_PATH, DIRECTORY_ONLY);
	if (dir < 0)
		return dir;
	const ssize_t n = readlinkat(dir, slash + 1, target, cap);
	const int error = -errno;
	(void)close(dir);
	return n < 0 ? error : n;
}

int
rs_root_readlink(const struct rs_root *r, const char *path, char *dst, size_t cap)
{
	if (*path == '/' || *path == '\0')
		return -EINVAL;
	const ssize_t n = read_link(r, path, dst, cap);
	if (n >= 0 && (size_t)n >= cap)
		return -EFBIG;
	if (n >= 0)
		dst[n] = '\0';
	return (int)n;
}

int
rs_root_readlink_base(const struct rs_root *r, const char *path, char *dst, size_t cap)
{
	char target[1024];
	const int n = rs_root_readlink(r, path, target, sizeof(target));
	if (n < 0)
		return n;
	const char *const slash = strrchr(target, '/');
	const char *const base = slash ? slash + 1 : target;
	const size_t len = strlen(base);
	if (len >= cap)
		return -EFBIG;
	memcpy(dst, base, len + 1);
	return (int)len;
}

bool
rs_root_exists(const struct rs_root *r, const char *path)
{
	if (r->is_live)
		return *path != '/' && faccessat(r->fd, path, F_OK, 0) == 0;
	const int fd = open_below(r, path, O_PATH, ANY);
	if (fd < 0)
		return false;
	(void)close(fd);
	return true;
}

/* The kernel's record (getdents64(2)). readdir(3) allocates 32 kB each time,
 * which the steady state must not. */
enum { DIRENT_RECLEN_AT = 16, DIRENT_NAME_AT = 19 };

static bool
each_name(const char *records, size_t len, bool (*fn)(void *arg, const char *name), void *arg)
{
	for (size_t at = 0; at + DIRENT_NAME_AT < len;) {
		uint16_t size;
		memcpy(&size, records + at + DIRENT_RECLEN_AT, sizeof(size));
		const char *const name = records + at + DIRENT_NAME_AT;
		at += size;
		if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && !fn(arg, name))
			return false;
	}
	return true;
}

int
rs_root_list(
    const struct rs_root *r, const char *path, bool (*fn)(void *arg, const char *name), void *arg)
{
	const int fd = open_below(r, path, O_RDONLY | O_DIRECTORY, DIRECTORY_ONLY);
	if (fd < 0)
		return fd;
	char records[4096];
	long n;
	do
		n = syscall(SYS_getdents64, fd, records, sizeof(records));
	while (n > 0 && each_name(records, (size_t)n, fn, arg));
	const int error = n < 0 ? -errno : 0;
	(void)close(fd);
	return error;
}

int
rs_root_links(const struct rs_root *r, const char *path)
{
	struct stat st;
	if (!r->is_live)
		return -ENOTSUP;
	if (fstatat(r->fd, path, &st, 0) < 0)
		return -errno;
	return (int)RS_MIN(st.st_nlink, (nlink_t)INT32_MAX);
}
