/* SPDX-License-Identifier: ISC */
/*
 * The service manager's protocols and giving up root.
 */
/* setgroups is not in POSIX; glibc shows it with _DEFAULT_SOURCE. */
#define _DEFAULT_SOURCE
#include "service.h"

#include "num.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/magic.h>
#include <sys/vfs.h>
#endif

#define FILES_WANTED 8192

#define FIRST_FD 3

void
rs_service_notify(const char *state)
{
	const char *const path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	if (!path || (path[0] != '/' && path[0] != '@') || strlen(path) >= sizeof(a.sun_path))
		return;
	memcpy(a.sun_path, path, strlen(path));
	if (a.sun_path[0] == '@')
		a.sun_path[0] = '\0';
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	const socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
	(void)sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&a, len);
	(void)close(fd);
}

static bool
is_for_us(const char *variable)
{
	const char *const pid = getenv(variable);
	uint64_t n;
	return pid && rs_num_u64(rs_text_of(pid), &n) == 0 && n == (uint64_t)getpid();
}

rs_ns
rs_service_watchdog_ns(void)
{
	const char *const text = getenv("WATCHDOG_USEC");
	uint64_t us;
	if (!text || (getenv("WATCHDOG_PID") && !is_for_us("WATCHDOG_PID")) ||
	    rs_num_u64(rs_text_of(text), &us) < 0 || us > INT64_MAX / 1000)
		return 0;
	return (rs_ns)us * 1000 / 2;
}

size_t
rs_service_sockets(int *ret_fds, size_t cap)
{
	const char *const text = getenv("LISTEN_FDS");
	uint64_t n = 0;
	size_t taken = 0;
	if (text && is_for_us("LISTEN_PID") && rs_num_u64(rs_text_of(text), &n) == 0) {
		for (; taken < n && taken < cap; taken++) {
			ret_fds[taken] = FIRST_FD + (int)taken;
			(void)fcntl(ret_fds[taken], F_SETFD, FD_CLOEXEC);
		}
	}
	(void)unsetenv("LISTEN_PID");
	(void)unsetenv("LISTEN_FDS");
	(void)unsetenv("LISTEN_FDNAMES");
	return taken;
}

void
rs_service_use_small_pages(void)
{
#ifdef PR_SET_THP_DISABLE
	(void)prctl(PR_SET_THP_DISABLE, 1L, 0L, 0L, 0L);
#endif
}

/* The kernel's files are kept open, on a large machine some hundreds; the usual
 * soft limit of 1024 is for programs with select(2). */
void
rs_service_allow_files(void)
{
	struct rlimit l;
	if (getrlimit(RLIMIT_NOFILE, &l) < 0)
		return;
	const rlim_t wanted = RS_MIN(l.rlim_max, (rlim_t)FILES_WANTED);
	if (l.rlim_cur >= wanted)
		return;
	l.rlim_cur = wanted;
	(void)setrlimit(RLIMIT_NOFILE, &l);
}

/* NULL and the error in *ret_rc when there is no such user, or it is root. */
static const struct passwd *
find_user(const char *user, int *ret_rc, struct rs_error *e)
{
	errno = 0;
	const struct passwd *const p = getpwnam(user);
	if (!p)
		*ret_rc =
		    rs_error_set(e, -ENOENT, "service.user: no user '%s' on this system", user);
	else if (p->pw_uid == 0)
		*ret_rc = rs_error_set(e, -EINVAL, "service.user: '%s' is root", user);
	return p && p->pw_uid != 0 ? p : NULL;
}

/* Only a directory made here changes hands: whatever stood there before is not
 * ours to give away, and may be a link that somebody laid. */
int
rs_service_prepare_folder(const char *path, const char *user, struct rs_error *e)
{
	char name[300];
	int rc = 0;
	if (geteuid() != 0)
		return 0;
	const struct passwd *const p = find_user(user, &rc, e);
	if (!p)
		return rc;
	const char *const slash = strrchr(path, '/');
	if (!slash || slash == path)
		return 0;
	(void)rs_text_copy((struct rs_text){path, slash}, name, sizeof(name));
	if (mkdir(name, 0750) < 0)
		return errno == EEXIST ? 0
				       : rs_error_set(e, -errno, "%s: %s", name, strerror(errno));
	const int fd = open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	const bool is_given = fd >= 0 && fchown(fd, p->pw_uid, p->pw_gid) == 0;
	const int error = errno;
	if (fd >= 0)
		(void)close(fd);
	return is_given ? 0
			: rs_error_set(e, -error, "%s: cannot give it to user '%s': %s", name, user,
			      strerror(error));
}

bool
rs_service_is_in_memory(const char *path)
{
#ifdef __linux__
	struct statfs st;
	return statfs(path, &st) < 0 || (unsigned long)st.f_type == TMPFS_MAGIC ||
	       (unsigned long)st.f_type == RAMFS_MAGIC;
#else
	(void)path;
	return true;
#endif
}

bool
rs_service_is_roots_place(const char *path)
{
	char name[300] = ".";
	struct stat st;
	const char *const slash = strrchr(path, '/');
	if (slash)
		(void)rs_text_copy(
		    (struct rs_text){path, slash == path ? slash + 1 : slash}, name, sizeof(name));
	return geteuid() == 0 && stat(name, &st) == 0 && st.st_uid == 0 &&
	       (st.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

int
rs_service_drop_root(const char *user, struct rs_error *e)
{
	int rc = 0;
	if (geteuid() != 0)
		return 0;
	const struct passwd *const p = find_user(user, &rc, e);
	if (!p)
		return rc;
	const gid_t gid = p->pw_gid;
	const uid_t uid = p->pw_uid;
	if (setgroups(1, &gid) < 0 || setgid(gid) < 0 || setuid(uid) < 0 || setuid(0) == 0)
		return rs_error_set(
		    e, -EPERM, "cannot become user '%s': %s", user, strerror(errno));
	return 0;
}
