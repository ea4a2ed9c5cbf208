/* SPDX-License-Identifier: ISC */
/*
 * A write to a file of sysfs or proc is told like any other (fs/read_write.c,
 * fsnotify_modify), to those who watch the folder through the same superblock:
 * all mounts of one network namespace have one sysfs. An inode of proc may be
 * dropped and made anew while nobody has the file open, the watch is then lost
 * (fs/proc/inode.c, proc_get_inode); those of sysfs stay.
 */
#include "filewatch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

enum { PATH_BYTES = 256, READS_MAX = 16 };

struct rs_filewatch {
	int fd;
};

int
rs_filewatch_open(struct rs_filewatch **ret)
{
	struct rs_filewatch *const w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (w->fd < 0) {
		const int error = -errno;
		free(w);
		return error;
	}
	*ret = w;
	return 0;
}

void
rs_filewatch_close(struct rs_filewatch *w)
{
	if (!w)
		return;
	(void)close(w->fd);
	free(w);
}

/* The number of a watch, or an error. */
static int
add(const struct rs_filewatch *w, const char *folder)
{
	char path[PATH_BYTES];
	const int n = snprintf(path, sizeof(path), "/%s", folder);
	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	const int watch = inotify_add_watch(w->fd, path, IN_MODIFY | IN_ONLYDIR);
	return watch < 0 ? -errno : watch;
}

int
rs_filewatch_set(struct rs_filewatch *w, int *watch, const char *folder)
{
	const int now = add(w, folder);
	/* The same folder has the same number. */
	if (now != *watch)
		rs_filewatch_drop(w, watch);
	if (now < 0)
		return now;
	*watch = now;
	return 0;
}

void
rs_filewatch_drop(struct rs_filewatch *w, int *watch)
{
	if (*watch != RS_FILEWATCH_NONE)
		(void)inotify_rm_watch(w->fd, *watch);
	*watch = RS_FILEWATCH_NONE;
}

/* One read; false when there was nothing. */
static bool
take_some(struct rs_filewatch *w, void (*fn)(void *arg, int watch), void *arg)
{
	char events[4096];
	const ssize_t n = read(w->fd, events, sizeof(events));
	if (n <= 0)
		return n < 0 && errno == EINTR;
	struct inotify_event e;
	for (size_t at = 0; at + sizeof(e) <= (size_t)n; at += sizeof(e) + e.len) {
		memcpy(&e, events + at, sizeof(e));
		if (e.mask & IN_Q_OVERFLOW)
			fn(arg, RS_FILEWATCH_NONE);
		else if (e.mask & IN_MODIFY)
			fn(arg, e.wd);
	}
	return true;
}

void
rs_filewatch_take(struct rs_filewatch *w, void (*fn)(void *arg, int watch), void *arg)
{
	/* The rest of a storm waits for the next call. */
	for (unsigned i = 0; i < READS_MAX && take_some(w, fn, arg); i++)
		;
}
