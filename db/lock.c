/* SPDX-License-Identifier: ISC */
/*
 * flock, not a POSIX record lock: that would not hold within one process, and
 * would go with any other descriptor of the file. Store thread.
 */
#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { FILE_MODE = 0640 };

static int
name_of(const char *path, char name[static PATH_MAX])
{
	return (size_t)snprintf(name, PATH_MAX, "%s-lock", path) < PATH_MAX ? 0 : -ENAMETOOLONG;
}

bool
rs_lock_is_there(const char *path)
{
	char name[PATH_MAX];

	return name_of(path, name) == 0 && access(name, F_OK) == 0;
}

static int
refuse_second(const char *path, int fd, struct rs_error *e)
{
	char pid[16] = "";
	const ssize_t n = pread(fd, pid, sizeof(pid) - 1, 0);

	pid[n > 0 ? strcspn(pid, "\n") : 0] = '\0';
	return rs_error_set(e, -EALREADY,
	    "database '%s' is in use by another ringsided (process %s)", path,
	    pid[0] != '\0' ? pid : "unknown");
}

static int
fill(const struct rs_lock *l, const char *path, const char *name, struct rs_error *e)
{
	char pid[16];

	if (flock(l->fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno == EWOULDBLOCK)
			return refuse_second(path, l->fd, e);
		return rs_error_set(e, -errno, "cannot lock '%s': %s", name, strerror(errno));
	}
	/* For people only: a full disk is no reason to do without history. */
	const int len = snprintf(pid, sizeof(pid), "%ld\n", (long)getpid());
	if (ftruncate(l->fd, 0) == 0)
		(void)!pwrite(l->fd, pid, (size_t)len, 0);
	return 0;
}

int
rs_lock_take(const char *path, struct rs_lock *l, struct rs_error *e)
{
	char name[PATH_MAX];

	*l = (struct rs_lock){.fd = -1};
	if (name_of(path, name) < 0)
		return rs_error_set(e, -ENAMETOOLONG, "database path is too long");
	l->fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
	l->is_new = l->fd >= 0;
	if (l->fd < 0 && errno == EEXIST)
		l->fd = open(name, O_RDWR | O_CLOEXEC);
	if (l->fd < 0)
		return rs_error_set(e, -errno, "cannot open '%s': %s", name, strerror(errno));
	const int r = fill(l, path, name, e);
	/* Even if we made the file, by now it may be somebody else's. */
	if (r < 0)
		rs_lock_drop(l);
	return r;
}

void
rs_lock_drop(struct rs_lock *l)
{
	if (l->fd >= 0)
		(void)close(l->fd);
	l->fd = -1;
}

void
rs_lock_remove(const char *path, const struct rs_lock *l)
{
	char name[PATH_MAX];

	if (l->fd >= 0 && l->is_new && name_of(path, name) == 0)
		(void)unlink(name);
}
