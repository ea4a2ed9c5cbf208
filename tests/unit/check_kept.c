/* SPDX-License-Identifier: ISC */
#define _GNU_SOURCE /* mkdtemp() */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kept.h"
#include "rs_check.h"

static char dir[] = "/tmp/rs_check_kept.XXXXXX";
static struct rs_root *root;
static struct rs_kept *kept;

static void
write_file(const char *name, const char *text)
{
	char path[128];
	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	(void)close(fd);
}

static void
remove_file(const char *name)
{
	char path[128];
	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	ck_assert_int_eq(unlink(path), 0);
}

/* As a caller in the tree of the live machine: "tmp/rs_check_kept.../NAME". */
static int
read_file(int32_t *file, const char *name, char text[static 64])
{
	struct rs_text t;
	const int error = rs_kept_read(kept, file, &t, "%s/%s", dir + 1, name);
	if (!error)
		ck_assert(rs_text_copy(t, text, 64));
	return error;
}

static void
setup(void)
{
	memcpy(dir + strlen(dir) - 6, "XXXXXX", 6);
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(rs_root_open("/", &root), 0);
	ck_assert_int_eq(rs_kept_open(root, 2, &kept), 0);
}

static void
teardown(void)
{
	rs_kept_close(kept);
	rs_root_close(root);
	(void)rmdir(dir);
}

START_TEST(a_file_stays_open_and_is_read_anew)
{
	int32_t file = RS_KEPT_NEW;
	char text[64];
	write_file("a", "one\n");
	ck_assert_int_eq(read_file(&file, "a", text), 0);
	ck_assert_str_eq(text, "one");
	ck_assert_int_ge(file, 0);
	const int32_t before = file;
	write_file("a", "two, without line end");
	ck_assert_int_eq(read_file(&file, "a", text), 0);
	ck_assert_str_eq(text, "two, without line end");
	ck_assert_int_eq(file, before);
	write_file("a", "");
	ck_assert_int_eq(read_file(&file, "a", text), 0);
	ck_assert_str_eq(text, "");
	rs_kept_drop(kept, &file);
	ck_assert_int_eq(file, RS_KEPT_NEW);
	ck_assert_int_eq(fcntl(before, F_GETFD), -1);
	remove_file("a");
}
END_TEST

START_TEST(what_is_missing_is_not_asked_for_until_wanted)
{
	int32_t file = RS_KEPT_NEW;
	char text[64];
	ck_assert_int_eq(read_file(&file, "a", text), -ENOENT);
	write_file("a", "here");
	ck_assert_int_eq(read_file(&file, "a", text), -ENOENT);
	rs_kept_retry(&file);
	ck_assert_int_eq(read_file(&file, "a", text), 0);
	ck_assert_str_eq(text, "here");
	/* An open file is none that was missing. */
	const int32_t before = file;
	rs_kept_retry(&file);
	ck_assert_int_eq(file, before);
	rs_kept_drop(kept, &file);
	remove_file("a");
}
END_TEST

START_TEST(more_files_than_allowed_are_read_all_the_same)
{
	int32_t file[3] = {RS_KEPT_NEW, RS_KEPT_NEW, RS_KEPT_NEW};
	char text[64];
	write_file("a", "x");
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < 3; i++) {
			ck_assert_int_eq(read_file(&file[i], "a", text), 0);
			ck_assert_str_eq(text, "x");
		}
		ck_assert(file[0] >= 0 && file[1] >= 0);
		ck_assert_int_eq(file[2], RS_KEPT_NEW);
	}
	/* A place that was given back is taken. */
	rs_kept_drop(kept, &file[0]);
	ck_assert_int_eq(read_file(&file[2], "a", text), 0);
	ck_assert_int_ge(file[2], 0);
	rs_kept_drop(kept, &file[1]);
	rs_kept_drop(kept, &file[2]);
	remove_file("a");
}
END_TEST

START_TEST(a_descriptor_that_fails_is_replaced)
{
	int32_t file = RS_KEPT_NEW;
	char text[64];
	write_file("a", "x");
	ck_assert_int_eq(read_file(&file, "a", text), 0);
	/* As if its device had gone: the number is another file now. */
	const int other = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_eq(dup2(other, file), file);
	(void)close(other);
	ck_assert_int_eq(read_file(&file, "a", text), 0);
	ck_assert_str_eq(text, "x");
	rs_kept_drop(kept, &file);
	remove_file("a");
}
END_TEST

START_TEST(more_than_a_page_is_refused)
{
	static char big[5000];
	int32_t file = RS_KEPT_NEW;
	char text[64];
	struct rs_text t;
	memset(big, 'x', sizeof(big) - 1);
	write_file("a", big);
	ck_assert_int_eq(read_file(&file, "a", text), -EFBIG);
	big[4096] = '\0';
	write_file("a", big);
	ck_assert_int_eq(rs_kept_read(kept, &file, &t, "%s/a", dir + 1), 0);
	ck_assert_uint_eq(rs_text_len(t), 4096);
	rs_kept_drop(kept, &file);
	remove_file("a");
	/* Nor a path that is too long. */
	ck_assert_int_eq(rs_kept_read(kept, &file, &t, "%s", big), -ENAMETOOLONG);
}
END_TEST

START_TEST(of_a_captured_tree_nothing_is_kept)
{
	struct rs_root *tree;
	struct rs_kept *k;
	struct rs_text t;
	int32_t file = RS_KEPT_NEW;
	ck_assert_int_eq(rs_root_open(dir, &tree), 0);
	ck_assert_int_eq(rs_kept_open(tree, 2, &k), 0);
	ck_assert_int_eq(rs_kept_read(k, &file, &t, "a"), -ENOENT);
	write_file("a", "x");
	ck_assert_int_eq(rs_kept_read(k, &file, &t, "a"), 0);
	ck_assert(rs_text_eq(t, "x"));
	ck_assert_int_eq(file, RS_KEPT_NEW);
	remove_file("a");
	rs_kept_close(k);
	rs_root_close(tree);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("kept");
	TCase *const t = tcase_create("kept");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_file_stays_open_and_is_read_anew);
	tcase_add_test(t, what_is_missing_is_not_asked_for_until_wanted);
	tcase_add_test(t, more_files_than_allowed_are_read_all_the_same);
	tcase_add_test(t, a_descriptor_that_fails_is_replaced);
	tcase_add_test(t, more_than_a_page_is_refused);
	tcase_add_test(t, of_a_captured_tree_nothing_is_kept);
	suite_add_tcase(s, t);
	return s;
}

RS_CHECK_MAIN(suite())
