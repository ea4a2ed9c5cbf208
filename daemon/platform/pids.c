/* SPDX-License-Identifier: ISC */
/*
 * The kernel lists processes in the order of their numbers, and the position in
 * the directory is the number plus a constant (TGID_OFFSET in fs/proc/base.c):
 * a listing can begin anywhere. A captured tree is listed whole each time.
 */
#define _GNU_SOURCE /* syscall() */
#include "pids.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "text.h"

/* FIRST_PROCESS_ENTRY in fs/proc/internal.h; "self" and "thread-self" follow, so
 * that a listing from here begins two numbers early rather than late. */
#define FIRST_PROCESS 256

/* The kernel's record (getdents64(2)). */
enum { DIRENT_RECLEN_AT = 16, DIRENT_NAME_AT = 19 };

struct rs_pids {
	const struct rs_root *root;
	int fd; /* of /proc; -1: a captured tree */
};

int
rs_pids_open(const struct rs_root *root, struct rs_pids **ret)
{
	int fd = -1;
	if (rs_root_is_live(root)) {
		fd = rs_root_openat(root, "proc", O_RDONLY | O_DIRECTORY);
		if (fd < 0)
			return fd;
	}
	struct rs_pids *const p = malloc(sizeof(*p));
	if (!p) {
		if (fd >= 0)
			(void)close(fd);
		return -ENOMEM;
	}
	*p = (struct rs_pids){root, fd};
	*ret = p;
	return 0;
}

void
rs_pids_close(struct rs_pids *p)
{
	if (p && p->fd >= 0)
		(void)close(p->fd);
	free(p);
}

/* The number a name is; 0: it is no process. */
static int32_t
pid_of(const char *name)
{
	struct rs_text t = rs_text_of(name);
	uint64_t pid;
	if (*name < '1' || *name > '9' || !rs_text_u64(&t, &pid) || t.p != t.end ||
	    pid > RS_PID_LIMIT)
		return 0;
	return (int32_t)pid;
}

/* Takes the numbers of a buffer of records; false when ret is full. */
static bool
take_records(const char *records, size_t len, int32_t from, int32_t *ret, size_t cap, size_t *n)
{
	for (size_t at = 0; at + DIRENT_NAME_AT < len;) {
		uint16_t size;
		memcpy(&size, records + at + DIRENT_RECLEN_AT, sizeof(size));
		const int32_t pid = pid_of(records + at + DIRENT_NAME_AT);
		at += size;
		if (pid < from || pid == 0)
			continue;
		if (*n == cap)
			return false;
		ret[(*n)++] = pid;
	}
	return *n < cap;
}

static int
list_live(struct rs_pids *p, int32_t from, int32_t *ret, size_t cap)
{
	char records[1024];
	size_t n = 0;
	if (lseek(p->fd, (off_t)FIRST_PROCESS + from, SEEK_SET) < 0)
		return -errno;
	for (;;) {
		const long len = syscall(SYS_getdents64, p->fd, records, sizeof(records));
		if (len < 0)
			return -errno;
		if (len == 0 || !take_records(records, (size_t)len, from, ret, cap, &n))
			return (int)n;
	}
}

struct sorted {
	int32_t from;
	int32_t *pids;
	size_t n, cap;
};

static bool
insert(void *arg, const char *name)
{
	struct sorted *const s = arg;
	const int32_t pid = pid_of(name);
	if (pid < s->from || pid == 0 || (s->n == s->cap && pid >= s->pids[s->n - 1]))
		return true;
	size_t at = s->n < s->cap ? s->n++ : s->n - 1;
	for (; at > 0 && s->pids[at - 1] > pid; at--)
		s->pids[at] = s->pids[at - 1];
	s->pids[at] = pid;
	return true;
}

int
rs_pids_from(struct rs_pids *p, int32_t from, int32_t *ret, size_t cap)
{
	if (cap == 0)
		return 0;
	if (p->fd >= 0)
		return list_live(p, from, ret, cap);
	struct sorted s = {.from = from, .pids = ret, .cap = cap};
	const int rc = rs_root_list(p->root, "proc", insert, &s);
	return rc < 0 ? rc : (int)s.n;
}
