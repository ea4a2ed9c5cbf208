/* SPDX-License-Identifier: ISC */
/*
 * A hundred clients that read a byte at a time, and a store that goes on writing:
 * the log stays small, memory too, and nobody waits for them. The real store and
 * the real web layer on a loop in a thread of its own.
 */
#include "rs_check.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "append.h"
#include "blocks.h"
#include "dbdir.h"
#include "http_client.h"
#include "mailbox.h"
#include "migrate.h"
#include "pieces.h"
#include "server.h"

enum {
	READERS = 100,
	CORES = 64,
	MINUTES = 600,	/* of history before the start */
	COMMITS = 1500, /* while they read: some 30 MB of pages */
	LOG_BYTES_MAX = 8 << 20,
	POOL = 4
};
/* Boot clock 0 is this wall time. */
#define OFFSET INT64_C(1700000000000)

static struct test_dir dir;
static char listener[128];

/* Of the loop's thread, but for the numbers. */
static struct server {
	pthread_t thread;
	struct rs_loop *loop;
	struct rs_model *model;
	struct rs_engine *engine;
	struct rs_verdict verdict;
	struct rs_live live;
	struct rs_store *store;
	struct rs_web *web;
	struct rs_event *writer;
	struct rs_mailbox *stops;
	struct rs_event *on_stop;
	struct rs_block *free[POOL];
	unsigned n_free;
	int64_t minute;
	atomic_uint commits, failures;
	atomic_llong log_bytes; /* the most it ever was */
	atomic_size_t answer_bytes;
} srv;

static void
fill(struct rs_block *b, int64_t minute)
{
	rs_block_reset(b, minute);
	b->wall_offset_ms = OFFSET;
	b->is_clock_ok = true;
	test_ticks(b, 0, 60);
	for (int32_t c = 0; c < CORES; c++) {
		const uint32_t slot =
		    test_series(b, (uint32_t)c + 1, RS_M_CORE_INTERRUPTS, test_cpu(c));
		for (uint32_t t = 0; t < 60; t++)
			rs_block_put(b, slot, t, (minute * 60 + t) * 7919 % (1000 + c));
	}
}

static void
make_history(void)
{
	struct rs_error e = {0};
	struct rs_appender a;
	struct rs_db *db = NULL;
	struct rs_block *b = NULL;
	rs_ns ns;

	ck_assert_msg(rs_db_open(dir.db, &e, &db) == 0, "%s", e.text);
	ck_assert_int_eq(rs_appender_init(&a, db, "boot"), 0);
	ck_assert_int_eq(rs_block_new(CORES, RS_NS_PER_S, &b), 0);
	for (int64_t m = 0; m < MINUTES; m++) {
		fill(b, m);
		ck_assert_int_eq(rs_append_blocks(&a, db, b, OFFSET, &ns), 0);
	}
	rs_block_free(b);
	rs_appender_fini(&a);
	rs_db_close(db);
}

static void
set_up(void)
{
	test_dir_make(&dir);
}

static void
tear_down(void)
{
	test_dir_remove(&dir);
}

/* --- the server ---------------------------------------------------------- */

static void
note_sizes(void)
{
	char name[128];
	struct stat st;

	(void)snprintf(name, sizeof(name), "%s-wal", dir.db);
	if (stat(name, &st) == 0 && st.st_size > atomic_load(&srv.log_bytes))
		atomic_store(&srv.log_bytes, st.st_size);
	if (srv.web->answer_bytes > atomic_load(&srv.answer_bytes))
		atomic_store(&srv.answer_bytes, srv.web->answer_bytes);
}

static void
on_block_done(void *arg, struct rs_block *b, bool is_committed)
{
	(void)arg;
	srv.free[srv.n_free++] = b;
	atomic_fetch_add(is_committed ? &srv.commits : &srv.failures, 1);
}

/* A minute a millisecond. */
static void
on_write(void *arg)
{
	(void)arg;
	note_sizes();
	if (srv.n_free > 0) {
		struct rs_block *const b = srv.free[--srv.n_free];

		fill(b, srv.minute++);
		ck_assert_int_eq(rs_store_append(srv.store, b), 0);
	}
	rs_timer_arm(srv.writer, RS_NS_PER_MS);
}

static void
get_health(void *arg, struct rs_health *ret)
{
	(void)arg;
	*ret = (struct rs_health){.loop_method = "epoll"};
}

static void
on_stop(void *arg, int ready)
{
	(void)arg;
	(void)ready;
	(void)rs_mailbox_take(srv.stops, false);
	rs_loop_stop(srv.loop);
}

static void *
run(void *arg)
{
	(void)arg;
	(void)rs_loop_run(srv.loop);
	return NULL;
}

static void
start(void)
{
	static const char *listen[2];
	const struct rs_model_conf model = {
	    .interval_ns = RS_NS_PER_S, .max_series = 64, .n_blocks = 3};
	const struct rs_web_conf web = {
	    .listen = listen, .max_connections = READERS + 20, .timeout_s = 120};
	const struct rs_store_conf store = {
	    .path = dir.db, .boot_id = "boot", .interval_ns = RS_NS_PER_S};
	struct rs_error e = {0};

	memset(&srv, 0, sizeof(srv));
	(void)snprintf(listener, sizeof(listener), "unix:%s/socket", dir.name);
	listen[0] = listener;
	srv.minute = MINUTES;
	ck_assert_int_eq(rs_loop_new(&srv.loop), 0);
	ck_assert_int_eq(rs_model_new(&model, &srv.model), 0);
	ck_assert_int_eq(rs_engine_new(rs_rules, NULL, 1, &srv.engine), 0);
	for (srv.n_free = 0; srv.n_free < POOL; srv.n_free++)
		ck_assert_int_eq(rs_block_new(CORES, RS_NS_PER_S, &srv.free[srv.n_free]), 0);
	ck_assert_msg(rs_store_open(&store, srv.loop, on_block_done, NULL, &e, &srv.store) == 0,
	    "%s", e.text);
	srv.live = (struct rs_live){.model = srv.model,
	    .engine = srv.engine,
	    .store = srv.store,
	    .verdict = &srv.verdict,
	    .get_health = get_health};
	ck_assert_msg(rs_web_open(&web, srv.loop, &srv.live, &e, &srv.web) == 0, "%s", e.text);
	ck_assert_int_eq(rs_loop_timer(srv.loop, "writer", on_write, NULL, &srv.writer), 0);
	ck_assert_int_eq(rs_mailbox_new(1, &srv.stops), 0);
	ck_assert_int_eq(rs_loop_watch(srv.loop, "stop", rs_mailbox_fd(srv.stops), RS_LOOP_READ,
			     on_stop, NULL, &srv.on_stop),
	    0);
	rs_timer_arm(srv.writer, RS_NS_PER_MS);
	ck_assert_int_eq(pthread_create(&srv.thread, NULL, run, NULL), 0);
}

static void
stop(void)
{
	ck_assert_int_eq(rs_mailbox_put(srv.stops, &srv), 0);
	ck_assert_int_eq(pthread_join(srv.thread, NULL), 0);
	rs_web_close(srv.web);
	rs_store_close(srv.store);
	for (unsigned i = 0; i < srv.n_free; i++)
		rs_block_free(srv.free[i]);
	ck_assert_uint_eq(srv.n_free, POOL);
	rs_event_free(srv.on_stop);
	rs_event_free(srv.writer);
	rs_mailbox_free(srv.stops);
	rs_engine_free(srv.engine);
	rs_model_free(srv.model);
	rs_loop_free(srv.loop);
}

/* --- the readers ----------------------------------------------------------- */

/* Ten hours of one core, in seconds: 36000 values, 800 kB of text. */
static void
ask(int fd, int core)
{
	char request[512];

	(void)snprintf(request, sizeof(request),
	    "GET /api/v1/series?metric=core_interrupts&cpu=%d&after=%lld&before=%lld HTTP/1.1\r\n"
	    "Host: localhost\r\n\r\n",
	    core % CORES, (long long)(OFFSET / 1000 - 1),
	    (long long)(OFFSET / 1000 + INT64_C(60) * MINUTES - 1));
	client_send(fd, request);
}

static bool
has_byte(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

static void
expect_byte(int fd, char expected)
{
	char c = 0;

	ck_assert_int_eq(recv(fd, &c, 1, 0), 1);
	ck_assert_int_eq(c, expected);
}

START_TEST(a_hundred_slow_readers_cost_nothing_but_their_answers)
{
	int fds[READERS];
	struct answer a;
	size_t values = 0;

	make_history();
	start();
	for (int i = 0; i < READERS; i++) {
		fds[i] = client_dial_unix(listener + strlen("unix:"));
		ask(fds[i], i);
	}
	/* All of them are answered. */
	for (int i = 0; i < READERS; i++) {
		for (const char *c = "HTTP/1.1 200"; *c != '\0'; c++)
			expect_byte(fds[i], *c);
	}
	const unsigned before = atomic_load(&srv.commits);

	while (atomic_load(&srv.commits) < before + COMMITS) {
		for (int i = 0; i < READERS; i++) {
			char c = 0;

			if (has_byte(fds[i]))
				ck_assert_int_eq(recv(fds[i], &c, 1, 0), 1);
			values += i == 0 && c == ',';
		}
	}
	ck_assert_uint_eq(atomic_load(&srv.failures), 0);
	/* A reader that held the log would have made it ten times as large. */
	ck_assert_int_le(atomic_load(&srv.log_bytes), LOG_BYTES_MAX);
	/* Each holds its numbers, none its text. */
	ck_assert_uint_ge(atomic_load(&srv.answer_bytes), (size_t)READERS * MINUTES * 60 * 16);
	ck_assert_uint_le(atomic_load(&srv.answer_bytes), RS_ANSWERS_BYTES_MAX);
	/* Somebody else does not wait, but there is a limit to what is held. */
	const int other = client_dial_unix(listener + strlen("unix:"));
	client_send(other, "GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n");
	client_read(other, false, &a);
	ck_assert_uint_eq(a.status, 200);
	answer_fini(&a);
	unsigned refused = 0;
	for (int i = 0; i < 20; i++) {
		ask(other, i);
		client_read(other, false, &a);
		ck_assert(a.status == 200 || a.status == 503);
		refused += a.status == 503;
		answer_fini(&a);
	}
	ck_assert_uint_eq(refused, 0); /* one at a time there is room */
	(void)close(other);
	/* What they get is whole, however slowly they took it. */
	for (int i = 1; i < READERS; i++)
		(void)close(fds[i]);
	struct rs_buf rest;
	char chunk[65536];
	ssize_t n;

	rs_buf_init(&rest, (size_t)16 << 20);
	while (rest.len < 5 || memcmp(rest.data + rest.len - 5, "0\r\n\r\n", 5) != 0) {
		n = recv(fds[0], chunk, sizeof(chunk), 0);
		ck_assert_int_gt(n, 0);
		rs_buf_put(&rest, chunk, (size_t)n);
	}
	for (size_t i = 0; i < rest.len; i++)
		values += rest.data[i] == ',';
	/* Commas between them: of times and of values. */
	ck_assert_uint_ge(values, 2 * ((size_t)INT64_C(60) * MINUTES - 1));
	rs_buf_fini(&rest);
	(void)close(fds[0]);
	stop();
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("slow readers");
	TCase *const t = tcase_create("slow readers");

	tcase_set_timeout(t, 300);
	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, a_hundred_slow_readers_cost_nothing_but_their_answers);
	suite_add_tcase(s, t);
	return s;
}

RS_CHECK_MAIN(suite())
