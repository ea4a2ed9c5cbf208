/* SPDX-License-Identifier: ISC */
/*
 * The database goes first and what belongs to it follows: a log without its
 * database is thrown away by SQLite, a database without its log would be taken
 * for whole. Store thread.
 */
#include "aside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "lock.h"
#include "text.h"

static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};

#define MARK ".damaged-"
enum { DATE_BYTES = sizeof("YYYYMMDD-HHMMSS") - 1 };

static bool
join(char out[static PATH_MAX], const char *name, const char *suffix)
{
	return (size_t)snprintf(out, PATH_MAX, "%s%s", name, suffix) < PATH_MAX;
}

/* A name that is free. */
static int
choose_name(const char *path, char name[static PATH_MAX])
{
	struct stat st;

	for (time_t t = (time_t)(rs_clock_wall() / RS_NS_PER_S);; t++) {
		char suffix[sizeof(MARK) + DATE_BYTES];
		struct tm tm;

		if (gmtime_r(&t, &tm) == NULL ||
		    strftime(suffix, sizeof(suffix), MARK "%Y%m%d-%H%M%S", &tm) == 0)
			return -EOVERFLOW;
		if (!join(name, path, suffix))
			return -ENAMETOOLONG;
		if (lstat(name, &st) < 0)
			return errno == ENOENT ? 0 : -errno;
	}
}

static int
move_all(const char *path, const char *to)
{
	char old[PATH_MAX], new[PATH_MAX];

	for (size_t i = 0; i < RS_ARRAY_LEN(suffixes); i++) {
		if (!join(old, path, suffixes[i]) || !join(new, to, suffixes[i]))
			return -ENAMETOOLONG;
		if (rename(old, new) < 0 && (i == 0 || errno != ENOENT))
			return -errno;
	}
	return 0;
}

/* --- those of before --------------------------------------------------- */

/* One of them, as a name within its folder. */
struct moved {
	char name[NAME_MAX + 1];
	int64_t bytes;
};

static int64_t
size_of(int dir, const char *name)
{
	int64_t sum = 0;

	for (size_t i = 0; i < RS_ARRAY_LEN(suffixes); i++) {
		char part[PATH_MAX];
		struct stat st;

		if (join(part, name, suffixes[i]) &&
		    fstatat(dir, part, &st, AT_SYMLINK_NOFOLLOW) == 0)
			sum += (int64_t)st.st_size;
	}
	return sum;
}

static bool
is_one(const char *name, const char *base)
{
	static const char digits[] = "0123456789";
	const size_t len = strlen(base);

	if (strncmp(name, base, len) != 0 || strncmp(name + len, MARK, sizeof(MARK) - 1) != 0)
		return false;
	const char *const date = name + len + sizeof(MARK) - 1;

	return strlen(date) == DATE_BYTES && strspn(date, digits) == 8 && date[8] == '-' &&
	       strspn(date + 9, digits) == 6;
}

/* How many there are, and the smallest, of equal ones the oldest. */
static unsigned
find_smallest(DIR *files, const char *base, struct moved *ret)
{
	unsigned n = 0;

	rewinddir(files);
	for (struct dirent *f; (f = readdir(files)) != NULL;) {
		if (!is_one(f->d_name, base))
			continue;
		const int64_t bytes = size_of(dirfd(files), f->d_name);

		if (n++ == 0 || bytes < ret->bytes ||
		    (bytes == ret->bytes && strcmp(f->d_name, ret->name) < 0)) {
			(void)snprintf(ret->name, sizeof(ret->name), "%s", f->d_name);
			ret->bytes = bytes;
		}
	}
	return n;
}

static bool
remove_one(int dir, const char *name)
{
	bool is_gone = false;

	for (size_t i = 0; i < RS_ARRAY_LEN(suffixes); i++) {
		char part[PATH_MAX];

		if (join(part, name, suffixes[i]) && unlinkat(dir, part, 0) == 0)
			is_gone = true;
	}
	return is_gone;
}

static void
remove_surplus(const char *path, struct rs_aside *a)
{
	const char *const slash = strrchr(path, '/');
	const char *const base = slash != NULL ? slash + 1 : path;
	const char *const new = a->name + (base - path);
	char folder[PATH_MAX];
	struct moved smallest = {0};

	(void)rs_text_copy((struct rs_text){path, base}, folder, sizeof(folder));
	DIR *const files = opendir(base == path ? "." : folder);
	if (files == NULL)
		return;
	while (find_smallest(files, base, &smallest) > RS_ASIDE_KEPT &&
	       remove_one(dirfd(files), smallest.name)) {
		a->removed++;
		if (strcmp(smallest.name, new) == 0)
			a->name[0] = '\0';
	}
	(void)closedir(files);
}

int
rs_aside_move(const char *path, struct rs_aside *ret, struct rs_error *e)
{
	struct rs_lock lock;
	int r = rs_lock_take(path, &lock, e);

	if (r < 0)
		return r;
	ret->removed = 0;
	r = choose_name(path, ret->name);
	if (r == 0)
		r = move_all(path, ret->name);
	if (r == 0)
		remove_surplus(path, ret);
	else
		(void)rs_error_set(e, r, "cannot move '%s' out of the way: %s", path, strerror(-r));
	rs_lock_drop(&lock);
	return r;
}
