/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "reader.h"
#include "rs_check.h"

static char dir[] = "/tmp/rs_check_reader.XXXXXX";
static struct rs_root *root;

static void
make_root(void)
{
	memcpy(dir + strlen(dir) - 6, "XXXXXX", 6);
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(chdir(dir), 0);
	ck_assert_int_eq(rs_root_open(dir, &root), 0);
}

static void
remove_root(void)
{
	rs_root_close(root);
	(void)unlink("file");
	(void)unlink("other");
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(rmdir(dir), 0);
}

/* A file of n bytes that tell their place. */
static void
write_bytes(const char *name, size_t n)
{
	FILE *const f = fopen(name, "w");
	ck_assert_ptr_nonnull(f);
	for (size_t i = 0; i < n; i++)
		(void)fputc('a' + (int)(i % 23), f);
	ck_assert_int_eq(fclose(f), 0);
}

static void
assert_bytes(struct rs_text t, size_t n)
{
	ck_assert_uint_eq(rs_text_len(t), n);
	size_t good = 0;
	while (good < n && t.p[good] == 'a' + (int)(good % 23))
		good++;
	ck_assert_uint_eq(good, n);
}

/* Around the sizes at which a buffer may be full. */
static const size_t sizes[] = {
    0, 1, 255, 256, 257, 4094, 4095, 4096, 4097, 8191, 8192, 8193, 16384, 65536, 300000};

START_TEST(a_file_of_any_size_is_read_whole_again_and_again)
{
	struct rs_reader *r;
	struct rs_text t;
	ck_assert_int_eq(rs_reader_open(root, "file", 1 << 20, &r), 0);
	for (unsigned round = 0; round < 3; round++) {
		write_bytes("file", sizes[_i]);
		ck_assert_int_eq(rs_reader_read(r, &t), 0);
		assert_bytes(t, sizes[_i]);
		/* Shorter than what the buffer still holds. */
		write_bytes("file", sizes[_i] / 2);
		ck_assert_int_eq(rs_reader_read(r, &t), 0);
		assert_bytes(t, sizes[_i] / 2);
	}
	rs_reader_close(r);
}
END_TEST

START_TEST(the_limit_is_exact)
{
	const size_t limit = sizes[_i];
	struct rs_reader *r;
	struct rs_text t;
	ck_assert_int_eq(rs_reader_open(root, "file", limit, &r), 0);
	write_bytes("file", limit);
	ck_assert_int_eq(rs_reader_read(r, &t), 0);
	assert_bytes(t, limit);
	write_bytes("file", limit + 1);
	ck_assert_int_eq(rs_reader_read(r, &t), -EFBIG);
	write_bytes("file", limit);
	ck_assert_int_eq(rs_reader_read(r, &t), 0);
	assert_bytes(t, limit);
	rs_reader_close(r);
}
END_TEST

START_TEST(readers_that_share_a_buffer_keep_their_limits)
{
	struct rs_reader *r, *small;
	struct rs_buf buf;
	struct rs_text t;
	rs_buf_init(&buf, 65537);
	ck_assert_int_eq(rs_reader_open(root, "file", 65536, &r), 0);
	ck_assert_int_eq(rs_reader_open(root, "other", 100, &small), 0);
	rs_reader_share(r, &buf);
	rs_reader_share(small, &buf);
	write_bytes("file", 50000);
	write_bytes("other", 100);
	for (unsigned round = 0; round < 2; round++) {
		ck_assert_int_eq(rs_reader_read(r, &t), 0);
		assert_bytes(t, 50000);
		ck_assert_int_eq(rs_reader_read(small, &t), 0);
		assert_bytes(t, 100);
	}
	write_bytes("other", 101);
	ck_assert_int_eq(rs_reader_read(small, &t), -EFBIG);
	rs_reader_close(r);
	rs_reader_close(small);
	rs_buf_fini(&buf);
}
END_TEST

START_TEST(a_file_that_comes_later_or_goes_is_told)
{
	struct rs_reader *r;
	struct rs_text t;
	ck_assert_int_eq(rs_reader_open(root, "file", 4096, &r), 0);
	ck_assert_int_eq(rs_reader_read(r, &t), -ENOENT);
	write_bytes("file", 10);
	ck_assert_int_eq(rs_reader_read(r, &t), 0);
	assert_bytes(t, 10);
	ck_assert_int_eq(unlink("file"), 0);
	ck_assert_int_eq(rs_reader_read(r, &t), -ENOENT);
	write_bytes("file", 20);
	ck_assert_int_eq(rs_reader_read(r, &t), 0);
	assert_bytes(t, 20);
	rs_reader_close(r);
}
END_TEST

START_TEST(a_captured_file_that_was_replaced_is_read_anew)
{
	struct rs_reader *r;
	struct rs_text t;
	write_bytes("file", 10);
	write_bytes("other", 30);
	ck_assert_int_eq(rs_reader_open(root, "file", 4096, &r), 0);
	ck_assert_int_eq(rs_reader_read(r, &t), 0);
	ck_assert_int_eq(rename("other", "file"), 0);
	ck_assert_int_eq(rs_reader_read(r, &t), 0);
	assert_bytes(t, 30);
	rs_reader_close(r);
}
END_TEST

START_TEST(live_files_are_read_again_from_a_kept_descriptor)
{
	struct rs_root *live;
	struct rs_reader *r;
	struct rs_text t;
	char path[64];
	/* This process' command name: the kernel makes it anew at each read. */
	(void)snprintf(path, sizeof(path), "proc/%d/comm", (int)getpid());
	ck_assert_int_eq(rs_root_open("/", &live), 0);
	ck_assert_int_eq(rs_reader_open(live, path, 4096, &r), 0);
	ck_assert_int_eq(rs_reader_read(r, &t), 0);
	ck_assert(rs_text_starts(t, "check_reader"));
	const int fd = open("/proc/self/comm", O_WRONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, "renamed", 7), 7);
	(void)close(fd);
	ck_assert_int_eq(rs_reader_read(r, &t), 0);
	ck_assert(rs_text_eq(t, "renamed\n"));
	rs_reader_close(r);
	rs_root_close(live);
}
END_TEST

START_TEST(no_more_than_two_reads_once_the_buffer_fits)
{
	/* Linux counts the read calls of a process. */
	struct rs_root *live;
	struct rs_reader *r, *io;
	struct rs_text t, line;
	ck_assert_int_eq(rs_root_open("/", &live), 0);
	ck_assert_int_eq(rs_reader_open(live, "proc/self/comm", 4096, &r), 0);
	ck_assert_int_eq(rs_reader_open(live, "proc/self/io", 4096, &io), 0);
	uint64_t reads[2] = {0};
	ck_assert_int_eq(rs_reader_read(r, &t), 0);
	for (unsigned i = 0; i < 2; i++) {
		if (rs_reader_read(io, &t) != 0)
			break; /* a kernel without task accounting */
		while (rs_text_line(&t, &line)) {
			if (rs_text_skip(&line, "syscr: "))
				ck_assert(rs_text_u64(&line, &reads[i]));
		}
		ck_assert_int_eq(rs_reader_read(r, &t), 0);
	}
	/* Two for comm, and the second of io itself, counted before it ran. */
	ck_assert_uint_le(reads[1] - reads[0], 4);
	rs_reader_close(r);
	rs_reader_close(io);
	rs_root_close(live);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("reader");
	TCase *const t = tcase_create("reader");
	tcase_add_checked_fixture(t, make_root, remove_root);
	tcase_add_loop_test(
	    t, a_file_of_any_size_is_read_whole_again_and_again, 0, (int)RS_ARRAY_LEN(sizes));
	tcase_add_loop_test(t, the_limit_is_exact, 0, (int)RS_ARRAY_LEN(sizes));
	tcase_add_test(t, readers_that_share_a_buffer_keep_their_limits);
	tcase_add_test(t, a_file_that_comes_later_or_goes_is_told);
	tcase_add_test(t, a_captured_file_that_was_replaced_is_read_anew);
	tcase_add_test(t, live_files_are_read_again_from_a_kept_descriptor);
	tcase_add_test(t, no_more_than_two_reads_once_the_buffer_fits);
	suite_add_tcase(s, t);
	return s;
}

RS_CHECK_MAIN(suite())
