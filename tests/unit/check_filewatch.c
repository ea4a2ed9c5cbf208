/* SPDX-License-Identifier: ISC */
#define _GNU_SOURCE /* mkdtemp() */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "filewatch.h"
#include "rs_check.h"

static char dir[] = "/tmp/rs_check_filewatch.XXXXXX";
static struct rs_filewatch *w;

static const char *
path_of(const char *name)
{
	static char path[128];
	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void
write_file(const char *name)
{
	const int fd = open(path_of(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, "x", 1), 1);
	(void)close(fd);
}

struct seen {
	unsigned n, lost;
	int last;
};

static void
see(void *arg, int watch)
{
	struct seen *const seen = arg;
	seen->n++;
	seen->lost += watch == RS_FILEWATCH_NONE;
	seen->last = watch;
}

static struct seen
take(void)
{
	struct seen seen = {.last = RS_FILEWATCH_NONE};
	rs_filewatch_take(w, see, &seen);
	return seen;
}

static void
setup(void)
{
	memcpy(dir + strlen(dir) - 6, "XXXXXX", 6);
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(mkdir(path_of("one"), 0700), 0);
	ck_assert_int_eq(mkdir(path_of("two"), 0700), 0);
	ck_assert_int_eq(rs_filewatch_open(&w), 0);
}

static void
teardown(void)
{
	static const char *const files[] = {"one/a", "one/b", "two/a"};
	rs_filewatch_close(w);
	for (size_t i = 0; i < RS_ARRAY_LEN(files); i++)
		(void)unlink(path_of(files[i]));
	(void)rmdir(path_of("one"));
	(void)rmdir(path_of("two"));
	(void)rmdir(dir);
}

START_TEST(a_write_is_told_with_its_folder)
{
	int one = RS_FILEWATCH_NONE, two = RS_FILEWATCH_NONE;
	write_file("one/a");
	ck_assert_int_eq(rs_filewatch_set(w, &one, path_of("one") + 1), 0);
	ck_assert_int_eq(rs_filewatch_set(w, &two, path_of("two") + 1), 0);
	ck_assert_uint_eq(take().n, 0);
	write_file("two/a");
	const struct seen seen = take();
	ck_assert_uint_eq(seen.n, 1);
	ck_assert_int_eq(seen.last, two);
	write_file("one/a");
	ck_assert_int_eq(take().last, one);
	ck_assert_uint_eq(take().n, 0);
	/* Not any more. */
	rs_filewatch_drop(w, &one);
	ck_assert_int_eq(one, RS_FILEWATCH_NONE);
	write_file("one/a");
	ck_assert_uint_eq(take().n, 0);
}
END_TEST

START_TEST(another_folder_of_the_name_is_watched_in_its_place)
{
	int one = RS_FILEWATCH_NONE;
	ck_assert_int_eq(rs_filewatch_set(w, &one, path_of("one") + 1), 0);
	const int before = one;
	ck_assert_int_eq(rs_filewatch_set(w, &one, path_of("one") + 1), 0);
	ck_assert_int_eq(one, before);
	ck_assert_int_eq(rmdir(path_of("one")), 0);
	ck_assert_int_eq(rs_filewatch_set(w, &one, path_of("one") + 1), -ENOENT);
	ck_assert_int_eq(one, RS_FILEWATCH_NONE);
	ck_assert_int_eq(mkdir(path_of("one"), 0700), 0);
	ck_assert_int_eq(rs_filewatch_set(w, &one, path_of("one") + 1), 0);
	ck_assert_int_ne(one, before);
	write_file("one/a");
	ck_assert_int_eq(take().last, one);
	/* A file is no folder. */
	ck_assert_int_eq(rs_filewatch_set(w, &one, path_of("one/a") + 1), -ENOTDIR);
	ck_assert_int_eq(one, RS_FILEWATCH_NONE);
}
END_TEST

START_TEST(more_writes_than_a_queue_holds_are_told_as_lost)
{
	int one = RS_FILEWATCH_NONE;
	unsigned lost = 0, most = 0;
	FILE *const limit = fopen("/proc/sys/fs/inotify/max_queued_events", "re");
	ck_assert(limit && fscanf(limit, "%u", &most) == 1);
	(void)fclose(limit);
	if (most > 1000000) {
		(void)printf("# a queue holds %u here: losses were not tested\n", most);
		return;
	}
	ck_assert_int_eq(rs_filewatch_set(w, &one, path_of("one") + 1), 0);
	const int a = open(path_of("one/a"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	const int b = open(path_of("one/b"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	/* Equal ones in a row count as one. */
	for (unsigned i = 0; i <= most; i++)
		ck_assert(write(a, "x", 1) == 1 && write(b, "x", 1) == 1);
	for (unsigned i = 0; i <= most / 1000 + 1; i++)
		lost += take().lost;
	ck_assert_uint_eq(lost, 1);
	ck_assert_uint_eq(take().n, 0);
	(void)close(a);
	(void)close(b);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("filewatch");
	TCase *const t = tcase_create("filewatch");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_write_is_told_with_its_folder);
	tcase_add_test(t, another_folder_of_the_name_is_watched_in_its_place);
	tcase_add_test(t, more_writes_than_a_queue_holds_are_told_as_lost);
	suite_add_tcase(s, t);
	return s;
}

RS_CHECK_MAIN(suite())
