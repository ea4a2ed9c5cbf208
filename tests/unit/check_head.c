/* SPDX-License-Identifier: ISC */
/*
 * The head file: what was sealed is read by the next process of the same boot
 * and database, nothing else is, whatever became of the bytes.
 */
#include "head.h"
#include "rs_check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define BOOT "11111111-2222-3333-4444-555555555555"
#define OWNER "/var/lib/ringside/ringside.db"
#define MINUTE INT64_C(1000)

enum { SLOTS = 20, TICKS = 4 /* of 15 s */ };

static char folder[64], path[96];

/* ------------------------------------------------------------ a full disk */

/* posix_fallocate: so many calls work, then the file system is full. */
static int calls_left = -1;

/* One of the two is what the C library calls it. */
int __real_posix_fallocate(int fd, off_t from, off_t len) __attribute__((weak));
int __wrap_posix_fallocate(int fd, off_t from, off_t len);
int __real_posix_fallocate64(int fd, off_t from, off_t len) __attribute__((weak));
int __wrap_posix_fallocate64(int fd, off_t from, off_t len);

static bool
is_full(void)
{
	if (calls_left == 0)
		return true;
	calls_left--;
	return false;
}

int
__wrap_posix_fallocate(int fd, off_t from, off_t len)
{
	return is_full() ? ENOSPC : __real_posix_fallocate(fd, from, len);
}

int
__wrap_posix_fallocate64(int fd, off_t from, off_t len)
{
	return is_full() ? ENOSPC : __real_posix_fallocate64(fd, from, len);
}

/* ------------------------------------------------------------ the rig */

static void
setup(void)
{
	(void)snprintf(folder, sizeof(folder), "/tmp/ringside-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/head", folder);
	calls_left = -1;
}

static void
teardown(void)
{
	DIR *const files = opendir(folder);
	ck_assert_ptr_nonnull(files);
	for (struct dirent *e; (e = readdir(files)) != NULL;)
		(void)unlinkat(dirfd(files), e->d_name, 0);
	(void)closedir(files);
	(void)rmdir(folder);
}

static struct rs_head *
open_as(const char *owner, const char *boot_id)
{
	struct rs_head *h = NULL;
	const struct rs_head_conf c = {.path = path, .owner = owner, .boot_id = boot_id};
	ck_assert_int_eq(rs_head_open(&c, &h), 0);
	return h;
}

static struct rs_head *
open_head(void)
{
	return open_as(OWNER, BOOT);
}

/* A process: a head and its blocks. */
struct process {
	struct rs_head *head;
	struct rs_block *blocks[3];
};

static struct process
start(rs_ns interval_ns, uint32_t max_series)
{
	struct process p = {.head = open_head()};
	for (unsigned i = 0; i < RS_ARRAY_LEN(p.blocks); i++)
		ck_assert_int_eq(rs_block_new(max_series, interval_ns, &p.blocks[i]), 0);
	ck_assert_int_eq(rs_head_begin(p.head, p.blocks, RS_ARRAY_LEN(p.blocks)), 0);
	return p;
}

static void
finish(struct process *p, bool is_clean)
{
	for (unsigned i = 0; i < RS_ARRAY_LEN(p->blocks); i++)
		rs_block_free(p->blocks[i]);
	rs_head_close(p->head, is_clean);
}

static void
kill_process(struct process *p)
{
	finish(p, false);
}

static struct rs_block_series
series_of(uint32_t slot)
{
	struct rs_block_series s = {.uid = 100 + slot, .metric = (uint16_t)(slot % RS_M_COUNT)};
	s.labels = rs_labels_none;
	s.labels.cpu = (int32_t)slot;
	return s;
}

static void
begin_minute(struct rs_block *b, int64_t minute, uint32_t slots)
{
	rs_block_reset(b, minute);
	for (uint32_t i = 0; i < slots; i++) {
		const struct rs_block_series s = series_of(i);
		rs_block_name(b, i, &s);
	}
}

static int64_t
value_of(int64_t minute, uint32_t slot, uint32_t tick)
{
	return minute * 1000000 + slot * 1000 + tick - 500;
}

static bool
has_value(uint32_t slot, uint32_t tick)
{
	return (slot + tick) % 5 != 0;
}

/* As the model does it; a tick that is not sealed was cut short by a kill. */
static void
write_tick(struct rs_block *b, uint32_t tick, bool is_sealed)
{
	b->has_tick[tick] = true;
	b->length_us[tick] = 15000000 + tick;
	b->wall_offset_ms = INT64_C(1700000000000) + tick;
	b->is_clock_ok = tick % 2 != 0;
	for (uint32_t i = 0; i < b->n_series; i++) {
		if (has_value(i, tick))
			rs_block_put(b, i, tick, value_of(b->minute, i, tick));
	}
	if (is_sealed)
		rs_block_seal(b, tick);
}

static struct rs_leftover
read_head(void)
{
	struct rs_leftover l;
	struct rs_head *const h = open_head();
	ck_assert_int_eq(rs_head_read(h, &l), 0);
	rs_head_close(h, false);
	return l;
}

/* What a block has at this tick is the truth, and when `is_all` all of it. */
static void
check_tick(const struct rs_block *b, uint32_t tick, bool is_all)
{
	unsigned n = 0;
	ck_assert_uint_eq(b->length_us[tick], 15000000 + tick);
	for (uint32_t i = 0; i < b->n_series; i++) {
		int64_t v = 0;
		if (!rs_block_get(b, i, tick, &v))
			continue;
		const struct rs_block_series s = series_of(i);
		ck_assert(has_value(i, tick));
		ck_assert_int_eq(v, value_of(b->minute, i, tick));
		ck_assert_uint_eq(b->series[i].uid, s.uid);
		ck_assert_uint_eq(b->series[i].metric, s.metric);
		ck_assert(rs_labels_same(&b->series[i].labels, &s.labels));
		n++;
	}
	for (uint32_t i = 0; is_all && i < b->n_series; i++)
		n -= has_value(i, tick);
	ck_assert(!is_all || n == 0);
}

static unsigned
count_ticks(const struct rs_leftover *l)
{
	unsigned n = 0;
	for (const struct rs_block *b = l->blocks; b; b = b->next) {
		for (uint32_t t = 0; t < b->ticks; t++)
			n += b->has_tick[t];
	}
	return n;
}

static struct rs_head_stats
stats_of(const struct rs_head *h)
{
	struct rs_head_stats st;
	rs_head_get_stats(h, &st);
	return st;
}

/* ------------------------------------------------------------ what is read */

START_TEST(a_killed_process_leaves_what_it_sealed)
{
	struct process p = start(15 * RS_NS_PER_S, 512);
	begin_minute(p.blocks[1], MINUTE + 1, SLOTS);
	begin_minute(p.blocks[0], MINUTE, SLOTS);
	for (uint32_t t = 0; t < TICKS; t++)
		write_tick(p.blocks[0], t, true);
	write_tick(p.blocks[1], 0, true);
	write_tick(p.blocks[1], 1, false);
	kill_process(&p);

	struct rs_leftover l = read_head();
	ck_assert_uint_eq(l.ticks, TICKS + 1);
	ck_assert_uint_eq(l.torn, 1);
	ck_assert_uint_eq(count_ticks(&l), TICKS + 1);
	const struct rs_block *const first = l.blocks, *const second = first->next;
	ck_assert_int_eq(first->minute, MINUTE);
	ck_assert_int_eq(second->minute, MINUTE + 1);
	ck_assert_ptr_null(second->next);
	for (uint32_t t = 0; t < TICKS; t++)
		check_tick(first, t, true);
	check_tick(second, 0, true);
	ck_assert(first->wall_offset_ms == INT64_C(1700000000000) + TICKS - 1);
	ck_assert(first->is_clock_ok);
	ck_assert(second->wall_offset_ms == INT64_C(1700000000000));
	ck_assert(!second->is_clock_ok);
	rs_leftover_fini(&l);
}
END_TEST

START_TEST(a_series_that_comes_in_the_middle_of_a_minute_is_read)
{
	struct process p = start(15 * RS_NS_PER_S, 512);
	begin_minute(p.blocks[0], MINUTE, 3);
	write_tick(p.blocks[0], 0, true);
	const struct rs_block_series s = series_of(3);
	rs_block_name(p.blocks[0], 3, &s);
	write_tick(p.blocks[0], 1, true);
	kill_process(&p);
	struct rs_leftover l = read_head();
	ck_assert_uint_eq(l.ticks, 2);
	check_tick(l.blocks, 1, true);
	int64_t v;
	ck_assert(!rs_block_get(l.blocks, 3, 0, &v));
	rs_leftover_fini(&l);
}
END_TEST

START_TEST(a_tick_written_a_second_time_is_the_later_one_or_none)
{
	for (int is_sealed = 0; is_sealed < 2; is_sealed++) {
		struct process p = start(15 * RS_NS_PER_S, 512);
		begin_minute(p.blocks[0], MINUTE, SLOTS);
		write_tick(p.blocks[0], 0, true);
		write_tick(p.blocks[0], 1, true);
		rs_block_drop_tick(p.blocks[0], 1);
		p.blocks[0]->has_tick[1] = true;
		rs_block_put(p.blocks[0], 7, 1, -7);
		if (is_sealed)
			rs_block_seal(p.blocks[0], 1);
		kill_process(&p);
		struct rs_leftover l = read_head();
		int64_t v;
		ck_assert_uint_eq(l.ticks, 1 + (unsigned)is_sealed);
		check_tick(l.blocks, 0, true);
		ck_assert(rs_block_get(l.blocks, 7, 1, &v) == (is_sealed != 0));
		ck_assert(!rs_block_get(l.blocks, 8, 1, &v));
		rs_leftover_fini(&l);
	}
}
END_TEST

START_TEST(what_the_database_has_is_not_read_again)
{
	struct process p = start(15 * RS_NS_PER_S, 512);
	for (unsigned i = 0; i < 2; i++) {
		begin_minute(p.blocks[i], MINUTE + i, SLOTS);
		write_tick(p.blocks[i], 0, true);
	}
	rs_block_done(p.blocks[0], true);
	rs_block_done(p.blocks[1], false);
	kill_process(&p);
	struct rs_leftover l = read_head();
	ck_assert_uint_eq(l.ticks, 1);
	ck_assert_int_eq(l.blocks->minute, MINUTE + 1);
	rs_leftover_fini(&l);
}
END_TEST

START_TEST(a_block_used_again_has_nothing_of_its_last_minute)
{
	struct process p = start(15 * RS_NS_PER_S, 512);
	begin_minute(p.blocks[0], MINUTE, SLOTS);
	for (uint32_t t = 0; t < TICKS; t++)
		write_tick(p.blocks[0], t, true);
	begin_minute(p.blocks[0], MINUTE + 3, 2);
	write_tick(p.blocks[0], 2, true);
	kill_process(&p);
	struct rs_leftover l = read_head();
	ck_assert_uint_eq(l.ticks, 1);
	ck_assert_uint_eq(l.torn, 0);
	ck_assert_int_eq(l.blocks->minute, MINUTE + 3);
	ck_assert_uint_eq(l.blocks->n_series, 2);
	check_tick(l.blocks, 2, true);
	rs_leftover_fini(&l);
}
END_TEST

START_TEST(the_old_file_is_read_by_its_own_shape)
{
	struct process p = start(200 * RS_NS_PER_MS, 1024);
	begin_minute(p.blocks[2], MINUTE, 700);
	write_tick(p.blocks[2], 0, true);
	write_tick(p.blocks[2], 299, true);
	kill_process(&p);

	struct rs_leftover l;
	struct process next = {.head = open_head()};
	ck_assert_int_eq(rs_head_read(next.head, &l), 0);
	ck_assert_uint_eq(l.ticks, 2);
	ck_assert(l.blocks->interval_ns == 200 * RS_NS_PER_MS);
	ck_assert_uint_eq(l.blocks->ticks, 300);
	check_tick(l.blocks, 0, true);
	check_tick(l.blocks, 299, true);
	rs_leftover_fini(&l);

	for (unsigned i = 0; i < RS_ARRAY_LEN(next.blocks); i++)
		ck_assert_int_eq(rs_block_new(64, 15 * RS_NS_PER_S, &next.blocks[i]), 0);
	ck_assert_int_eq(rs_head_begin(next.head, next.blocks, 3), 0);
	begin_minute(next.blocks[0], MINUTE + 9, SLOTS);
	write_tick(next.blocks[0], 3, true);
	kill_process(&next);
	l = read_head();
	ck_assert_uint_eq(l.ticks, 1);
	ck_assert_int_eq(l.blocks->minute, MINUTE + 9);
	rs_leftover_fini(&l);
}
END_TEST

START_TEST(a_clean_end_removes_the_file)
{
	struct process p = start(15 * RS_NS_PER_S, 512);
	begin_minute(p.blocks[0], MINUTE, SLOTS);
	write_tick(p.blocks[0], 0, true);
	finish(&p, true);
	ck_assert_int_lt(access(path, F_OK), 0);
	struct rs_leftover l = read_head();
	ck_assert_ptr_null(l.blocks);
	rs_leftover_fini(&l);
	ck_assert_int_lt(access(path, F_OK), 0);
}
END_TEST

START_TEST(room_in_the_file_is_taken_as_series_appear)
{
	struct stat before, few, more;
	struct process p = start(RS_NS_PER_S, 20480);
	ck_assert_int_eq(stat(path, &before), 0);
	ck_assert_int_gt(before.st_size, 20 << 20);
	begin_minute(p.blocks[0], MINUTE, 300);
	ck_assert_int_eq(stat(path, &few), 0);
	ck_assert_int_lt((few.st_blocks - before.st_blocks) * 512, 400 << 10);
	begin_minute(p.blocks[0], MINUTE + 1, 512);
	ck_assert_int_eq(stat(path, &more), 0);
	ck_assert_int_eq(more.st_blocks, few.st_blocks);
	begin_minute(p.blocks[0], MINUTE + 2, 513);
	ck_assert_int_eq(stat(path, &more), 0);
	ck_assert_int_gt(more.st_blocks, few.st_blocks);
	finish(&p, true);
}
END_TEST

/* ------------------------------------------------------------ what became of it */

struct bytes {
	unsigned char *data;
	size_t len;
};

static struct bytes
read_bytes(void)
{
	struct stat st;
	const int fd = open(path, O_RDONLY);
	ck_assert_int_eq(fstat(fd, &st), 0);
	struct bytes b = {malloc((size_t)st.st_size), (size_t)st.st_size};
	ck_assert_int_eq(read(fd, b.data, b.len), (ssize_t)b.len);
	(void)close(fd);
	return b;
}

static void
write_byte(size_t at, unsigned char byte)
{
	const int fd = open(path, O_WRONLY);
	ck_assert_int_eq(pwrite(fd, &byte, 1, (off_t)at), 1);
	(void)close(fd);
}

/* All ticks that are read are true; returns how many. */
static unsigned
check_leftover(void)
{
	struct rs_leftover l = read_head();
	const unsigned n = count_ticks(&l);
	ck_assert_uint_eq(n, l.ticks);
	for (const struct rs_block *b = l.blocks; b; b = b->next) {
		ck_assert_int_eq(b->minute, MINUTE);
		for (uint32_t t = 0; t < b->ticks; t++) {
			if (b->has_tick[t])
				check_tick(b, t, false);
		}
	}
	rs_leftover_fini(&l);
	return n;
}

/* A tick is some bytes that change. Whatever part of them was written, from the
 * front or from the back of the file, the tick is not there before all of them
 * are, and those before it are. */
START_TEST(a_tick_torn_at_every_byte_is_dropped)
{
	struct process p = start(15 * RS_NS_PER_S, 64);
	begin_minute(p.blocks[0], MINUTE, SLOTS);
	write_tick(p.blocks[0], 0, true);
	write_tick(p.blocks[0], 1, true);
	const struct bytes before = read_bytes();
	write_tick(p.blocks[0], 2, true);
	const struct bytes after = read_bytes();
	kill_process(&p);

	size_t changed[512], n = 0;
	for (size_t i = 0; i < before.len; i++) {
		if (before.data[i] != after.data[i]) {
			ck_assert_uint_lt(n, RS_ARRAY_LEN(changed));
			changed[n++] = i;
		}
	}
	ck_assert_uint_gt(n, SLOTS);
	for (int is_backward = 0; is_backward < 2; is_backward++) {
		for (size_t i = 0; i < n; i++)
			write_byte(changed[i], before.data[changed[i]]);
		for (size_t i = 0; i < n; i++) {
			const size_t at = changed[is_backward ? n - 1 - i : i];
			ck_assert_msg(
			    check_leftover() == 2, "believed after %zu of %zu bytes", i, n);
			write_byte(at, after.data[at]);
		}
		ck_assert_uint_eq(check_leftover(), 3);
	}
	free(before.data);
	free(after.data);
}
END_TEST

/* Each byte that is not 0 is damaged in turn: what is read is never wrong. */
START_TEST(a_damaged_byte_costs_ticks_and_invents_none)
{
	struct process p = start(15 * RS_NS_PER_S, 64);
	begin_minute(p.blocks[0], MINUTE, SLOTS);
	write_tick(p.blocks[0], 0, true);
	write_tick(p.blocks[0], 1, true);
	kill_process(&p);
	const struct bytes whole = read_bytes();
	unsigned n_damaged = 0, n_refused = 0;
	for (size_t i = 0; i < whole.len; i++) {
		if (whole.data[i] == 0)
			continue;
		for (unsigned bit = 0; bit < 8; bit += 7) {
			write_byte(i, whole.data[i] ^ (unsigned char)(1u << bit));
			n_refused += check_leftover() < 2;
			n_damaged++;
		}
		write_byte(i, whole.data[i]);
	}
	ck_assert_uint_gt(n_damaged, 500);
	ck_assert_uint_gt(n_refused, n_damaged / 2);
	ck_assert_uint_eq(check_leftover(), 2);
	free(whole.data);
}
END_TEST

/* ------------------------------------------------------------ refused */

static void
damage_header(void)
{
	write_byte(100, 'x');
}

static void
make_newer(void)
{
	write_byte(20, 99);
}

static void
cut(void)
{
	struct stat st;
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(truncate(path, st.st_size - 1), 0);
}

static void
cut_to_a_page(void)
{
	ck_assert_int_eq(truncate(path, 4096), 0);
}

static void
lengthen(void)
{
	struct stat st;
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(truncate(path, st.st_size + 1), 0);
}

static const struct {
	const char *owner, *boot_id;
	void (*spoil)(void);
	const char *says;
} refusals[] = {
    {"/tmp/other.db", BOOT, NULL, "of another database"},
    {OWNER, "99999999-2222-3333-4444-555555555555", NULL, "of another boot"},
    {OWNER, "", NULL, "of another boot"},
    {OWNER, BOOT, make_newer, "another version"},
    {OWNER, BOOT, damage_header, "damaged"},
    {OWNER, BOOT, cut, "size"},
    {OWNER, BOOT, cut_to_a_page, "size"},
    {OWNER, BOOT, lengthen, "size"},
};

START_TEST(a_file_of_other_times_is_refused_and_made_anew)
{
	struct process p = start(15 * RS_NS_PER_S, 64);
	begin_minute(p.blocks[0], MINUTE, SLOTS);
	write_tick(p.blocks[0], 0, true);
	kill_process(&p);
	if (refusals[_i].spoil)
		refusals[_i].spoil();

	struct rs_leftover l;
	struct rs_head *const h = open_as(refusals[_i].owner, refusals[_i].boot_id);
	ck_assert_int_eq(rs_head_read(h, &l), 0);
	ck_assert_ptr_null(l.blocks);
	ck_assert_uint_eq(l.ticks, 0);
	ck_assert_msg(strstr(stats_of(h).refused, refusals[_i].says), "%s", stats_of(h).refused);
	ck_assert_str_eq(stats_of(h).error, "");
	struct rs_block *b;
	ck_assert_int_eq(rs_block_new(64, RS_NS_PER_S, &b), 0);
	ck_assert_int_eq(rs_head_begin(h, &b, 1), 0);
	ck_assert(stats_of(h).is_begun);
	rs_block_free(b);
	rs_head_close(h, true);
	rs_leftover_fini(&l);
}
END_TEST

START_TEST(an_empty_file_is_taken)
{
	(void)close(open(path, O_WRONLY | O_CREAT, 0600));
	struct process p = start(15 * RS_NS_PER_S, 64);
	ck_assert_str_eq(stats_of(p.head).refused, "");
	finish(&p, true);
}
END_TEST

/* Whatever was done when the process was killed while it laid the file out. */
START_TEST(a_file_that_was_not_laid_out_is_empty)
{
	struct process p = start(15 * RS_NS_PER_S, 64);
	kill_process(&p);
	const struct bytes whole = read_bytes();
	size_t end = 0;
	for (size_t i = 0; i < 4096; i++)
		end = whole.data[i] ? i + 1 : end;
	memset(whole.data + (end - 1) / 8 * 8, 0, 8); /* the check stands last */
	for (int i = 0; i < 2; i++) {
		const int fd = open(path, O_WRONLY | O_TRUNC);
		ck_assert_int_eq(write(fd, whole.data, 4096), 4096);
		ck_assert_int_eq(ftruncate(fd, i ? (off_t)whole.len : (off_t)end), 0);
		(void)close(fd);
		p = start(15 * RS_NS_PER_S, 64);
		ck_assert_str_eq(stats_of(p.head).refused, "");
		kill_process(&p);
	}
	free(whole.data);
}
END_TEST

static void
check_not_used(const char *says)
{
	struct rs_leftover l;
	struct rs_block *b;
	struct rs_head *const h = open_head();
	ck_assert_msg(strstr(stats_of(h).error, says), "%s", stats_of(h).error);
	ck_assert_int_eq(rs_head_read(h, &l), 0);
	ck_assert_ptr_null(l.blocks);
	ck_assert_int_eq(rs_block_new(64, 15 * RS_NS_PER_S, &b), 0);
	ck_assert_int_lt(rs_head_begin(h, &b, 1), 0);
	ck_assert(!stats_of(h).is_begun);
	/* the block works all the same */
	begin_minute(b, MINUTE, SLOTS);
	write_tick(b, 1, true);
	check_tick(b, 1, true);
	rs_block_free(b);
	rs_head_close(h, true);
}

START_TEST(a_foreign_file_stays_as_it_is)
{
	static const char text[] = "somebody's only copy\n";
	const int fd = open(path, O_WRONLY | O_CREAT, 0600);
	ck_assert_int_eq(write(fd, text, sizeof(text)), sizeof(text));
	(void)close(fd);
	check_not_used("stays as it is");
	const struct bytes b = read_bytes();
	ck_assert_uint_eq(b.len, sizeof(text));
	ck_assert_mem_eq(b.data, text, b.len);
	free(b.data);
}
END_TEST

START_TEST(what_is_no_plain_file_is_not_used)
{
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	check_not_used("not a regular file");
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(symlink("/etc/passwd", path), 0);
	check_not_used("cannot be opened");
	ck_assert_int_eq(unlink(path), 0);
	(void)snprintf(path, sizeof(path), "%s/missing/head", folder);
	struct rs_block *b;
	struct rs_head *const h = open_head();
	ck_assert_int_eq(rs_block_new(64, 15 * RS_NS_PER_S, &b), 0);
	ck_assert_int_eq(rs_head_begin(h, &b, 1), -ENOENT);
	ck_assert_msg(strstr(stats_of(h).error, "No such file"), "%s", stats_of(h).error);
	rs_block_free(b);
	rs_head_close(h, true);
}
END_TEST

START_TEST(a_file_in_use_stays_with_its_daemon)
{
	struct process p = start(15 * RS_NS_PER_S, 64);
	begin_minute(p.blocks[0], MINUTE, SLOTS);
	write_tick(p.blocks[0], 0, true);
	check_not_used("in use");
	write_tick(p.blocks[0], 1, true);
	kill_process(&p);
	ck_assert_uint_eq(check_leftover(), 2);
}
END_TEST

/* ------------------------------------------------------------ a full file system */

START_TEST(without_room_the_minute_goes_on_in_memory)
{
	struct process p = start(15 * RS_NS_PER_S, 2048);
	struct rs_block *const b = p.blocks[0];
	begin_minute(b, MINUTE, SLOTS);
	write_tick(b, 0, true);
	write_tick(b, 1, true);
	ck_assert(rs_block_is_home(b));
	calls_left = _i; /* it is full in the middle of growing */
	for (uint32_t i = SLOTS; i < 600; i++) {
		const struct rs_block_series s = series_of(i);
		rs_block_name(b, i, &s);
	}
	ck_assert(!rs_block_is_home(b));
	ck_assert_int_eq(b->home_error, -ENOSPC);
	write_tick(b, 2, true);
	int64_t v;
	for (uint32_t i = 0; i < 600; i++) {
		for (uint32_t t = 0; t < 3; t++) {
			const bool is_there = (i < SLOTS || t == 2) && has_value(i, t);
			ck_assert(rs_block_get(b, i, t, &v) == is_there);
			if (is_there)
				ck_assert_int_eq(v, value_of(MINUTE, i, t));
		}
	}
	/* The next one is in the file as soon as there is room. */
	calls_left = -1;
	begin_minute(b, MINUTE, 600);
	ck_assert(rs_block_is_home(b));
	write_tick(b, 3, true);
	kill_process(&p);
	struct rs_leftover l = read_head();
	ck_assert_uint_eq(l.ticks, 1);
	check_tick(l.blocks, 3, true);
	rs_leftover_fini(&l);
}
END_TEST

START_TEST(a_minute_that_left_the_file_is_read_as_far_as_it_was_there)
{
	struct process p = start(15 * RS_NS_PER_S, 2048);
	begin_minute(p.blocks[0], MINUTE, SLOTS);
	write_tick(p.blocks[0], 0, true);
	calls_left = 0;
	const struct rs_block_series s = series_of(600);
	rs_block_name(p.blocks[0], 600, &s);
	write_tick(p.blocks[0], 1, true);
	begin_minute(p.blocks[1], MINUTE + 1, SLOTS);
	ck_assert(!rs_block_is_home(p.blocks[1]));
	write_tick(p.blocks[1], 0, true);
	check_tick(p.blocks[1], 0, true);
	kill_process(&p);
	calls_left = -1;
	ck_assert_uint_eq(check_leftover(), 1);
}
END_TEST

START_TEST(a_file_that_cannot_be_made_is_said)
{
	struct rs_block *b;
	struct rs_head *const h = open_head();
	ck_assert_int_eq(rs_block_new(64, 15 * RS_NS_PER_S, &b), 0);
	calls_left = 0;
	ck_assert_int_eq(rs_head_begin(h, &b, 1), -ENOSPC);
	ck_assert_str_ne(stats_of(h).error, "");
	struct rs_head *const other = open_head();
	ck_assert_str_eq(stats_of(other).refused, "");
	rs_head_close(other, true);
	ck_assert_int_eq(access(path, F_OK), 0); /* the other one's */
	calls_left = -1;
	ck_assert_int_eq(rs_head_begin(h, &b, 1), 0); /* there is room again */
	ck_assert_str_eq(stats_of(h).error, "");
	rs_block_free(b);
	rs_head_close(h, true);
}
END_TEST

/* ------------------------------------------------------------ changes */

static struct rs_change
change_of(int64_t id)
{
	struct rs_change c = {.id = id, .at_ms = 1000 + id, .fact = RS_F_MTU};
	c.labels = rs_labels_none;
	(void)snprintf(c.labels.device, sizeof(c.labels.device), "eth%d", (int)(id % 10));
	(void)snprintf(c.new, sizeof(c.new), "%d", (int)id);
	return c;
}

START_TEST(the_latest_changes_are_kept)
{
	struct process p = start(15 * RS_NS_PER_S, 64);
	for (int64_t id = 5; id < 5 + 300; id++) {
		const struct rs_change c = change_of(id);
		rs_head_note_changes(p.head, &c, 1);
	}
	kill_process(&p);
	struct rs_leftover l = read_head();
	ck_assert_uint_eq(l.n_changes, RS_HEAD_CHANGES);
	for (size_t i = 0; i < l.n_changes; i++) {
		const struct rs_change c =
		    change_of(5 + 300 - (int64_t)RS_HEAD_CHANGES + (int64_t)i);
		ck_assert_int_eq(l.changes[i].id, c.id);
		ck_assert_str_eq(l.changes[i].new, c.new);
		ck_assert(rs_labels_same(&l.changes[i].labels, &c.labels));
	}
	rs_leftover_fini(&l);
}
END_TEST

START_TEST(a_torn_change_is_left_out)
{
	struct process p = start(15 * RS_NS_PER_S, 64);
	const struct rs_change c[] = {change_of(1), change_of(2)};
	rs_head_note_changes(p.head, c, 1);
	const struct bytes before = read_bytes();
	rs_head_note_changes(p.head, c + 1, 1);
	const struct bytes after = read_bytes();
	kill_process(&p);
	for (size_t i = 0; i < before.len; i++) {
		if (before.data[i] == after.data[i])
			continue;
		write_byte(i, before.data[i]);
		struct rs_leftover l = read_head();
		ck_assert_uint_eq(l.n_changes, 1);
		ck_assert_int_eq(l.changes[0].id, 1);
		rs_leftover_fini(&l);
		write_byte(i, after.data[i]);
	}
	free(before.data);
	free(after.data);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("head");
	TCase *const t = tcase_create("head");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_killed_process_leaves_what_it_sealed);
	tcase_add_test(t, a_series_that_comes_in_the_middle_of_a_minute_is_read);
	tcase_add_test(t, a_tick_written_a_second_time_is_the_later_one_or_none);
	tcase_add_test(t, what_the_database_has_is_not_read_again);
	tcase_add_test(t, a_block_used_again_has_nothing_of_its_last_minute);
	tcase_add_test(t, the_old_file_is_read_by_its_own_shape);
	tcase_add_test(t, a_clean_end_removes_the_file);
	tcase_add_test(t, room_in_the_file_is_taken_as_series_appear);
	tcase_add_test(t, a_tick_torn_at_every_byte_is_dropped);
	tcase_add_test(t, a_damaged_byte_costs_ticks_and_invents_none);
	tcase_add_loop_test(
	    t, a_file_of_other_times_is_refused_and_made_anew, 0, (int)RS_ARRAY_LEN(refusals));
	tcase_add_test(t, an_empty_file_is_taken);
	tcase_add_test(t, a_file_that_was_not_laid_out_is_empty);
	tcase_add_test(t, a_foreign_file_stays_as_it_is);
	tcase_add_test(t, what_is_no_plain_file_is_not_used);
	tcase_add_test(t, a_file_in_use_stays_with_its_daemon);
	tcase_add_loop_test(t, without_room_the_minute_goes_on_in_memory, 0, 6);
	tcase_add_test(t, a_minute_that_left_the_file_is_read_as_far_as_it_was_there);
	tcase_add_test(t, a_file_that_cannot_be_made_is_said);
	tcase_add_test(t, the_latest_changes_are_kept);
	tcase_add_test(t, a_torn_change_is_left_out);
	suite_add_tcase(s, t);
	return s;
}

RS_CHECK_MAIN(suite())
