/* SPDX-License-Identifier: ISC */
/*
 * libmicrohttpd inside the loop: each experiment that once went wrong, over
 * real sockets. No test asserts a time; all wait for states.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "http_client.h"
#include "http_rig.h"
#include "listen.h"
#include "rs_check.h"

#define SERIES "/api/v1/series?metric=core_packet_load_ratio"

static struct rig rig;

static void
teardown(void)
{
	rig_close(&rig);
}

static void
open_default(void)
{
	rig_open(&rig, NULL);
}

static void
publish(unsigned n, size_t bytes)
{
	struct rig_events ev = {.n = n, .bytes = bytes};

	rig_call(&rig, rig_publish, &ev);
}

static void
hold(struct rig *r, void *unused)
{
	(void)r;
	(void)unused;
	rig_store.is_held = true;
}

static void
get_asked(struct rig *r, void *arg)
{
	(void)r;
	*(unsigned *)arg = rig_store.asked;
}

static void
pause_ms(long ms)
{
	const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	(void)nanosleep(&t, NULL);
}

static void
wait_asked(unsigned n)
{
	unsigned asked = 0;

	for (unsigned i = 0; i < 6000 && asked < n; i++) {
		rig_call(&rig, get_asked, &asked);
		pause_ms(5);
	}
	ck_assert_uint_eq(asked, n);
}

static void
send_get(int fd, const char *target)
{
	char request[512];

	(void)snprintf(
	    request, sizeof(request), "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", target);
	client_send(fd, request);
}

/* The server still answers, on a new connection. */
static void
assert_alive(void)
{
	struct answer a;

	client_get(rig.port, "/api/v1/summary", "", &a);
	ck_assert_uint_eq(a.status, 200);
	answer_fini(&a);
}

/* ---- streams ---- */

START_TEST(http_streams_of_slow_and_fast_clients_get_every_event)
{
	enum { FAST = 40, SLOW = 2, EVENTS = 30 };
	struct stream s[FAST + SLOW];
	struct event ev;
	char from[16];

	/* From several addresses: each may have 16 connections. */
	for (unsigned i = 0; i < FAST + SLOW; i++) {
		(void)snprintf(from, sizeof(from), "127.0.0.%u", 1 + i % 4);
		stream_open(&s[i], rig.port, from, i >= FAST, NULL);
	}
	for (unsigned n = 0; n < EVENTS; n++) {
		publish(1, 1500 + n);
		for (unsigned i = 0; i < FAST; i++) {
			ck_assert(stream_next(&s[i], &ev));
			ck_assert_uint_eq(strlen(ev.data), 1500 + n);
			event_fini(&ev);
		}
	}
	/* The slow ones begin to read only now. */
	for (unsigned i = FAST; i < FAST + SLOW; i++) {
		for (unsigned n = 0; n < EVENTS; n++) {
			ck_assert(stream_next(&s[i], &ev));
			ck_assert_str_eq(ev.name, "tick");
			ck_assert_uint_eq(strlen(ev.data), 1500 + n);
			event_fini(&ev);
		}
	}
	for (unsigned i = 0; i < FAST + SLOW; i++)
		stream_close(&s[i]);
}
END_TEST

START_TEST(http_stream_frames_larger_than_the_library_takes_arrive_whole)
{
	struct stream s;
	struct event ev;

	stream_open(&s, rig.port, NULL, false, NULL);
	publish(3, 200000);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert(stream_next(&s, &ev));
		ck_assert_uint_eq(strlen(ev.data), 200000);
		event_fini(&ev);
	}
	stream_close(&s);
}
END_TEST

START_TEST(http_stream_tick_is_summary_cores_and_interfaces)
{
	struct stream s;
	struct event ev;

	stream_open(&s, rig.port, NULL, false, NULL);
	rig_call(&rig, rig_tick, NULL);
	ck_assert(stream_next(&s, &ev));
	ck_assert_str_eq(ev.name, "tick");
	ck_assert_ptr_eq(strstr(ev.data, "{\"summary\":{\"state\":"), ev.data);
	ck_assert_ptr_nonnull(strstr(ev.data, "},\"cores\":[{\"core\":0,"));
	ck_assert_ptr_nonnull(strstr(ev.data, "],\"interfaces\":[{\"device\":\"eth0\","));
	event_fini(&ev);
	stream_close(&s);
}
END_TEST

START_TEST(http_stream_resumes_behind_the_last_event_id)
{
	struct stream first, again;
	struct event ev;
	char seen[64];

	stream_open(&first, rig.port, NULL, false, NULL);
	publish(3, 10);
	ck_assert(stream_next(&first, &ev));
	(void)snprintf(seen, sizeof(seen), "%s", ev.id);
	event_fini(&ev);
	stream_close(&first);
	/* It may be gone from the server's view or not: events are kept anyway. */
	publish(1, 11);
	stream_open(&again, rig.port, NULL, false, seen);
	static const size_t lengths[] = {10, 10, 11};

	for (size_t i = 0; i < RS_ARRAY_LEN(lengths); i++) {
		ck_assert(stream_next(&again, &ev));
		ck_assert_str_eq(ev.name, "tick");
		ck_assert_uint_eq(strlen(ev.data), lengths[i]);
		event_fini(&ev);
	}
	stream_close(&again);
}
END_TEST

START_TEST(http_stream_behind_the_ring_is_told_of_the_gap)
{
	struct stream s;
	struct event ev;
	bool has_gap = false;
	unsigned events = 0;
	unsigned long missed = 0;

	stream_open(&s, rig.port, NULL, true, NULL);
	/* Far more than the buffers between hold, in one turn of the loop. */
	publish(200, 50000);
	do {
		ck_assert(stream_next(&s, &ev));
		if (strcmp(ev.name, "gap") == 0) {
			ck_assert(!has_gap);
			has_gap = true;
			missed = strtoul(strchr(ev.data, ':') + 1, NULL, 10);
		} else {
			events++;
		}
		event_fini(&ev);
	} while (events + missed < 200);
	ck_assert(has_gap);
	ck_assert_uint_ge(events, 64);
	/* And it goes on. */
	publish(1, 17);
	ck_assert(stream_next(&s, &ev));
	ck_assert_uint_eq(strlen(ev.data), 17);
	event_fini(&ev);
	stream_close(&s);
}
END_TEST

START_TEST(http_many_events_in_one_turn_are_one_run)
{
	struct stream s;
	struct event ev;

	stream_open(&s, rig.port, NULL, false, NULL);
	/* Let it come to rest: the greeting is sent, the connection suspended. */
	publish(1, 1);
	ck_assert(stream_next(&s, &ev));
	event_fini(&ev);
	const uint64_t before = rig_runs(&rig);

	publish(50, 20);
	for (unsigned i = 0; i < 50; i++) {
		ck_assert(stream_next(&s, &ev));
		event_fini(&ev);
	}
	ck_assert_uint_le(rig_runs(&rig) - before, 10);
	stream_close(&s);
}
END_TEST

static unsigned
head_of_stream(int fd)
{
	struct answer a;

	client_send(fd, "HEAD /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
	client_read(fd, true, &a);
	answer_fini(&a);
	return a.status;
}

START_TEST(http_streams_leave_connections_to_others)
{
	static const char get[] = "GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n";
	struct stream s[12];
	struct answer a;

	for (size_t i = 0; i < RS_ARRAY_LEN(s); i++)
		stream_open(&s[i], rig.port, NULL, false, NULL);
	const int fd = client_dial(rig.port, NULL, false);

	client_send(fd, get);
	client_read(fd, false, &a);
	ck_assert_uint_eq(a.status, 503);
	answer_fini(&a);
	ck_assert_uint_eq(head_of_stream(fd), 503);
	assert_alive();
	for (size_t i = 0; i < RS_ARRAY_LEN(s); i++)
		stream_close(&s[i]);
	rig_wait_streams(&rig, 0);
	/* Asking for the headers alone opens no stream. */
	ck_assert_uint_eq(head_of_stream(fd), 200);
	rig_wait_streams(&rig, 0);
	(void)close(fd);
}
END_TEST

static void
open_16_connections(void)
{
	const struct rs_web_conf c = {.max_connections = 16, .max_per_address = 16};

	rig_open(&rig, &c);
}

/* ---- who does not read, who is gone ---- */

static void
open_impatient(void)
{
	const struct rs_web_conf c = {.timeout_s = 2, .heartbeat_ns = 200 * RS_NS_PER_MS};

	rig_open(&rig, &c);
}

START_TEST(http_reader_that_does_not_read_is_closed_and_delays_nobody)
{
	struct stream stuck, good;
	struct rs_web_stats stats;
	struct event ev;
	size_t swallowed;
	unsigned n = 0;

	stream_open(&stuck, rig.port, NULL, true, NULL);
	stream_open(&good, rig.port, NULL, false, NULL);
	do {
		publish(1, 20000 + n);
		ck_assert(stream_next(&good, &ev));
		ck_assert_str_eq(ev.name, "tick");
		ck_assert_uint_eq(strlen(ev.data), 20000 + n);
		event_fini(&ev);
		rig_stats(&rig, &stats);
		pause_ms(20);
	} while (stats.streams == 2 && ++n < 1500);
	ck_assert_uint_eq(stats.streams, 1);
	/* The kernel did not take megabytes on its behalf. */
	ck_assert(client_sees_end(stuck.fd, &swallowed));
	ck_assert_uint_lt(swallowed, 1 << 20);
	stream_close(&stuck);
	stream_close(&good);
}
END_TEST

START_TEST(http_stream_outlives_the_timeout_by_heartbeats)
{
	struct stream s;
	struct event ev;
	struct rs_web_stats stats;
	struct rs_buf *text = &s.text;

	stream_open(&s, rig.port, NULL, false, NULL);
	/* 20 heartbeats are twice the timeout. */
	rs_buf_reset(text);
	for (unsigned beats = 0; beats < 20;) {
		char byte[64];
		const ssize_t len = recv(s.fd, byte, sizeof(byte), 0);

		ck_assert_int_gt(len, 0);
		for (ssize_t i = 0; i < len; i++)
			beats += byte[i] == ':' ? 1 : 0;
	}
	rig_stats(&rig, &stats);
	ck_assert_uint_eq(stats.streams, 1);
	publish(1, 5);
	ck_assert(stream_next(&s, &ev));
	ck_assert_uint_eq(strlen(ev.data), 5);
	event_fini(&ev);
	stream_close(&s);
}
END_TEST

START_TEST(http_client_that_vanished_is_noticed)
{
	struct stream polite, rude;
	const struct linger reset = {.l_onoff = 1, .l_linger = 0};

	stream_open(&polite, rig.port, NULL, false, NULL);
	stream_open(&rude, rig.port, NULL, false, NULL);
	rig_wait_streams(&rig, 2);
	stream_close(&polite);
	rig_wait_streams(&rig, 1);
	ck_assert_int_eq(setsockopt(rude.fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)), 0);
	stream_close(&rude);
	rig_wait_streams(&rig, 0);
	assert_alive();
}
END_TEST

START_TEST(http_client_that_sends_half_a_request_is_closed)
{
	const int silent = client_dial(rig.port, NULL, false);
	const int half = client_dial(rig.port, NULL, false);
	size_t bytes;

	client_send(half, "GET /api/v1/summary HTTP/1.1\r\nHost: loc");
	ck_assert(client_sees_end(silent, &bytes));
	ck_assert_uint_eq(bytes, 0);
	ck_assert(client_sees_end(half, &bytes));
	(void)close(silent);
	(void)close(half);
	assert_alive();
}
END_TEST

/* ---- history: suspended requests, large answers ---- */

START_TEST(http_waiting_request_is_answered_and_holds_up_nobody)
{
	struct answer a;
	const int fd = client_dial(rig.port, NULL, false);

	rig_call(&rig, hold, NULL);
	send_get(fd, SERIES);
	wait_asked(1);
	assert_alive();
	rig_call(&rig, rig_answer, NULL);
	client_read(fd, false, &a);
	ck_assert_uint_eq(a.status, 200);
	ck_assert_ptr_nonnull(
	    strstr(rs_buf_cstr(&a.body), "\"series\":[{\"labels\":{\"cpu\":\"0\"}"));
	answer_fini(&a);
	/* The connection is as good as before. */
	send_get(fd, SERIES);
	client_read(fd, false, &a);
	ck_assert_uint_eq(a.status, 200);
	answer_fini(&a);
	(void)close(fd);
}
END_TEST

START_TEST(http_client_gone_while_it_waits_harms_nobody)
{
	int fd[8];

	rig_call(&rig, hold, NULL);
	for (size_t i = 0; i < RS_ARRAY_LEN(fd); i++) {
		fd[i] = client_dial(rig.port, NULL, false);
		send_get(fd[i], i % 2 == 0 ? SERIES : "/api/v1/catalog");
	}
	wait_asked(RS_ARRAY_LEN(fd));
	for (size_t i = 0; i < RS_ARRAY_LEN(fd); i++)
		(void)close(fd[i]);
	rig_call(&rig, rig_answer, NULL);
	assert_alive();
	struct rs_web_stats stats;

	for (unsigned i = 0; i < 6000; i++) {
		rig_stats(&rig, &stats);
		if (stats.connections == 0)
			break;
		pause_ms(5);
	}
	ck_assert_uint_eq(stats.connections, 0);
}
END_TEST

START_TEST(http_full_queue_of_the_store_is_try_again)
{
	static const char *const targets[] = {
	    SERIES, "/api/v1/catalog", "/api/v1/findings?state=all", "/api/v1/changes"};
	struct answer a;
	char value[512];

	rig_store.refusal = -EAGAIN;
	for (size_t i = 0; i < RS_ARRAY_LEN(targets); i++) {
		client_get(rig.port, targets[i], "", &a);
		ck_assert_uint_eq(a.status, 503);
		ck_assert_str_ne(answer_header(&a, "Retry-After", value), "");
		answer_fini(&a);
	}
}
END_TEST

START_TEST(http_failing_store_is_a_problem_not_an_empty_answer)
{
	static const struct {
		int status;
		const char *target;
		unsigned expected;
		const char *part;
	} rows[] = {
	    {-EIO, SERIES, 503, "cannot be read"},
	    {-EIO, "/api/v1/catalog", 503, "cannot be read"},
	    {-EIO, "/api/v1/findings?state=all", 503, "cannot be read"},
	    {-EIO, "/api/v1/changes", 503, "cannot be read"},
	    {-E2BIG, SERIES, 413, "points="},
	    {-ETIME, SERIES, 503,
		"the question takes too long; ask for a shorter range or fewer points"},
	    {-EINVAL, SERIES, 400, "range"},
	};
	struct answer a;

	for (size_t i = 0; i < RS_ARRAY_LEN(rows); i++) {
		rig_store.status = rows[i].status;
		client_get(rig.port, rows[i].target, "", &a);
		ck_assert_uint_eq(a.status, rows[i].expected);
		ck_assert_ptr_nonnull(strstr(a.head, "application/problem+json"));
		ck_assert_ptr_nonnull(strstr(rs_buf_cstr(&a.body), rows[i].part));
		answer_fini(&a);
	}
	/* Told at once instead of in an answer. */
	rig_store.refusal = -EINVAL;
	client_get(rig.port, SERIES, "", &a);
	ck_assert_uint_eq(a.status, 400);
	answer_fini(&a);
}
END_TEST

/* Of what memory has there is an answer all the same. */
START_TEST(http_answer_that_lacks_what_is_stored_says_so)
{
	static const char *const targets[] = {
	    SERIES, "/api/v1/catalog", "/api/v1/findings?state=all", "/api/v1/changes"};
	struct answer a;
	char value[512];

	for (size_t i = 0; i < RS_ARRAY_LEN(targets); i++) {
		rig_store.incomplete = 0;
		client_get(rig.port, targets[i], "", &a);
		ck_assert_uint_eq(a.status, 200);
		ck_assert_str_eq(answer_header(&a, "Ringside-Incomplete", value), "");
		answer_fini(&a);
		rig_store.incomplete = -ENOSPC;
		client_get(rig.port, targets[i], "", &a);
		ck_assert_uint_eq(a.status, 200);
		ck_assert_str_eq(answer_header(&a, "Ringside-Incomplete", value), strerror(ENOSPC));
		answer_fini(&a);
	}
}
END_TEST

START_TEST(http_long_lists_come_in_pieces_and_are_whole)
{
	static const struct {
		const char *target, *name;
		size_t n;
	} lists[] = {
	    {"/api/v1/catalog", "\"first_ms\":", 20000},
	    {"/api/v1/catalog", "\"first_ms\":", 0},
	    {"/api/v1/findings?state=all", "\"raised_ms\":", 1000},
	    {"/api/v1/findings?state=all", "\"raised_ms\":", 0},
	};
	struct answer a;
	char value[512];

	for (size_t i = 0; i < RS_ARRAY_LEN(lists); i++) {
		size_t n = 0;

		rig_store.n_catalog = rig_store.n_findings = lists[i].n;
		client_get(rig.port, lists[i].target, "", &a);
		ck_assert_uint_eq(a.status, 200);
		ck_assert_str_eq(answer_header(&a, "Transfer-Encoding", value), "chunked");
		const char *at = rs_buf_cstr(&a.body);
		ck_assert_int_eq(at[0], '[');
		ck_assert_int_eq(at[a.body.len - 1], ']');
		while ((at = strstr(at, lists[i].name)) != NULL) {
			at++;
			n++;
		}
		ck_assert_uint_eq(n, lists[i].n);
		answer_fini(&a);
	}
}
END_TEST

enum { BIG_SERIES = 56, BIG_TIMES = 70000, BIG_BYTES = 32 << 20 };

START_TEST(http_download_of_32_mb_completes_while_others_are_served)
{
	struct answer a;
	const int fd = client_dial(rig.port, NULL, false);

	rig_store.n_series = BIG_SERIES;
	rig_store.n_times = BIG_TIMES;
	send_get(fd, SERIES);
	/* Not reading yet: it fills the buffers and waits. */
	wait_asked(1);
	for (unsigned i = 0; i < 20; i++)
		assert_alive();
	client_read(fd, false, &a);
	ck_assert_uint_eq(a.status, 200);
	ck_assert_uint_gt(a.body.len, BIG_BYTES);
	ck_assert_str_eq(rs_buf_cstr(&a.body) + a.body.len - 4, "]}]}");
	size_t values = 0;

	for (size_t i = 0; i < a.body.len; i++)
		values += a.body.data[i] == ',';
	ck_assert_uint_gt(values, (size_t)BIG_SERIES * (BIG_TIMES - 1));
	answer_fini(&a);
	(void)close(fd);
}
END_TEST

START_TEST(http_downloads_never_hold_more_than_their_limit)
{
	enum { DOWNLOADS = 4 };
	int fd[DOWNLOADS];
	struct answer a;
	unsigned good = 0, refused = 0;

	/* Two of 31 MB fit, a third does not. */
	rig_store.n_series = BIG_SERIES;
	rig_store.n_times = BIG_TIMES;
	for (size_t i = 0; i < DOWNLOADS; i++) {
		fd[i] = client_dial(rig.port, NULL, true);
		send_get(fd[i], SERIES);
		wait_asked((unsigned)i + 1);
		assert_alive();
	}
	for (size_t i = 0; i < DOWNLOADS; i++) {
		client_read(fd[i], false, &a);
		good += a.status == 200;
		refused += a.status == 503;
		answer_fini(&a);
		(void)close(fd[i]);
	}
	ck_assert_uint_eq(good, 2);
	ck_assert_uint_eq(refused, 2);
	/* What was sent or given up is free again. */
	const int again = client_dial(rig.port, NULL, false);

	send_get(again, SERIES);
	client_read(again, false, &a);
	ck_assert_uint_eq(a.status, 200);
	answer_fini(&a);
	(void)close(again);
}
END_TEST

/* ---- nothing to do ---- */

START_TEST(http_idle_costs_nothing)
{
	struct stream s;
	struct answer a;
	struct event ev;
	const int idle = client_dial(rig.port, NULL, false);
	const int waiting = client_dial(rig.port, NULL, false);

	/* A stream that waits, a kept connection, a request at the store. */
	stream_open(&s, rig.port, NULL, false, NULL);
	publish(1, 1);
	ck_assert(stream_next(&s, &ev));
	event_fini(&ev);
	send_get(idle, "/api/v1/summary");
	client_read(idle, false, &a);
	answer_fini(&a);
	rig_call(&rig, hold, NULL);
	send_get(waiting, SERIES);
	wait_asked(1);
	pause_ms(50);
	const uint64_t before = rig_runs(&rig);

	/* A loop that spins makes hundreds of thousands of turns in this time. */
	pause_ms(1500);
	ck_assert_uint_le(rig_runs(&rig) - before, 3);
	stream_close(&s);
	(void)close(idle);
	(void)close(waiting);
}
END_TEST

/* ---- limits ---- */

static void
open_few(void)
{
	const struct rs_web_conf c = {
	    .max_connections = 6, .max_per_address = 4, .patience_ns = 300 * RS_NS_PER_MS};

	rig_open(&rig, &c);
}

static void
open_few_patient(void)
{
	const struct rs_web_conf c = {.max_connections = 10,
	    .max_per_address = 4,
	    .patience_ns = 60 * RS_NS_PER_S,
	    .heartbeat_ns = 200 * RS_NS_PER_MS};

	rig_open(&rig, &c);
}

/* Answered whether or not it says anything. */
static void
assert_refused(int fd)
{
	struct answer a;
	char value[512];

	client_read(fd, false, &a);
	ck_assert_uint_eq(a.status, 503);
	ck_assert_str_ne(answer_header(&a, "Retry-After", value), "");
	ck_assert_ptr_nonnull(strstr(rs_buf_cstr(&a.body), "too many connections"));
	answer_fini(&a);
	(void)close(fd);
}

/* One request; the connection stays. Whether its answer says that it ends. */
static bool
ask(int fd)
{
	struct answer a;
	char value[512];

	send_get(fd, "/api/v1/summary");
	client_read(fd, false, &a);
	ck_assert_uint_eq(a.status, 200);
	const bool is_last = strcmp(answer_header(&a, "Connection", value), "close") == 0;

	answer_fini(&a);
	return is_last;
}

/* A request that is never whole. */
static int
dial_stalled(const char *from)
{
	const int fd = client_dial(rig.port, from, false);

	client_send(fd, "GET /api/v1/summary HTTP/1.1\r\nHost: loc");
	return fd;
}

static void
wait_connections(unsigned n)
{
	struct rs_web_stats stats = {0};

	for (unsigned i = 0; i < 6000; i++) {
		rig_stats(&rig, &stats);
		if (stats.connections == n)
			return;
		pause_ms(5);
	}
	ck_abort_msg("%u connections are open, expected %u", stats.connections, n);
}

START_TEST(http_connections_over_a_limit_get_an_answer)
{
	int fd[6];
	struct rs_web_stats stats;

	for (unsigned i = 0; i < 4; i++)
		fd[i] = dial_stalled("127.0.0.1");
	assert_refused(client_dial(rig.port, "127.0.0.1", false));
	/* Another address still may, until all are in use. */
	fd[4] = client_dial(rig.port, "127.0.0.2", false);
	ck_assert(!ask(fd[4]));
	client_send(fd[4], "GET / HTTP/1.1\r\n");
	fd[5] = dial_stalled("127.0.0.3");
	assert_refused(client_dial(rig.port, "127.0.0.4", false));
	for (unsigned i = 0; i < 6; i++)
		(void)close(fd[i]);
	wait_connections(0);
	assert_alive();
	rig_stats(&rig, &stats);
	ck_assert_uint_eq(stats.refused, 2);
}
END_TEST

/* Browsers keep six each. */
START_TEST(http_connection_that_is_idle_for_longest_gives_way)
{
	int fd[11];
	struct rs_web_stats stats;
	size_t bytes;

	for (unsigned i = 0; i < 5; i++) {
		fd[i] = client_dial(rig.port, "127.0.0.1", false);
		(void)ask(fd[i]);
		/* The first is not the oldest. */
		if (i == 1)
			(void)ask(fd[0]);
	}
	ck_assert(client_sees_end(fd[1], &bytes));
	ck_assert_uint_eq(bytes, 0);
	(void)close(fd[1]);
	/* It keeps its four until all are in use. */
	for (unsigned i = 5; i < 11; i++) {
		fd[i] = client_dial(rig.port, i < 9 ? "127.0.0.2" : "127.0.0.3", false);
		(void)ask(fd[i]);
	}
	wait_connections(10);
	fd[1] = client_dial(rig.port, "127.0.0.4", false);
	(void)ask(fd[1]);
	ck_assert(client_sees_end(fd[0], &bytes));
	(void)close(fd[0]);
	for (unsigned i = 1; i < 11; i++) {
		(void)ask(fd[i]);
		(void)close(fd[i]);
	}
	rig_stats(&rig, &stats);
	ck_assert_uint_eq(stats.refused, 0);
}
END_TEST

/* Browsers open some in advance. */
START_TEST(http_connection_that_never_asks_gives_way)
{
	int fd[5];

	for (unsigned i = 0; i < RS_ARRAY_LEN(fd); i++)
		fd[i] = client_dial(rig.port, NULL, false);
	(void)ask(fd[4]);
	for (unsigned i = 0; i < RS_ARRAY_LEN(fd); i++)
		(void)close(fd[i]);
}
END_TEST

START_TEST(http_streams_of_an_address_are_counted_apart)
{
	struct stream s[5];
	struct answer a;
	int fd[4];

	for (unsigned i = 0; i < 4; i++)
		stream_open(&s[i], rig.port, "127.0.0.1", false, NULL);
	for (unsigned i = 0; i < RS_ARRAY_LEN(fd); i++) {
		fd[i] = client_dial(rig.port, "127.0.0.1", false);
		(void)ask(fd[i]);
	}
	wait_connections(8);
	send_get(fd[0], "/api/v1/stream");
	client_read(fd[0], false, &a);
	ck_assert_uint_eq(a.status, 503);
	ck_assert_ptr_nonnull(strstr(rs_buf_cstr(&a.body), "too many event streams"));
	answer_fini(&a);
	ck_assert_uint_eq(head_of_stream(fd[1]), 503);
	stream_open(&s[4], rig.port, "127.0.0.2", false, NULL);
	/* One that ends makes room for another. */
	stream_close(&s[0]);
	rig_wait_streams(&rig, 4);
	ck_assert_uint_eq(head_of_stream(fd[1]), 200);
	for (unsigned i = 1; i < RS_ARRAY_LEN(s); i++)
		stream_close(&s[i]);
	for (unsigned i = 0; i < RS_ARRAY_LEN(fd); i++)
		(void)close(fd[i]);
}
END_TEST

START_TEST(http_connection_waits_for_its_turn)
{
	int fd[4], late[8];
	struct answer a;
	char value[512];

	rig_call(&rig, hold, NULL);
	for (unsigned i = 0; i < RS_ARRAY_LEN(fd); i++) {
		fd[i] = client_dial(rig.port, "127.0.0.1", false);
		send_get(fd[i], SERIES);
	}
	wait_asked(RS_ARRAY_LEN(fd));
	for (unsigned i = 0; i < RS_ARRAY_LEN(late); i++) {
		late[i] = client_dial(rig.port, "127.0.0.1", false);
		send_get(late[i], "/api/v1/summary");
	}
	/* One of them does not wait. */
	(void)close(late[2]);
	/* Nobody else does. */
	const int other = client_dial(rig.port, "127.0.0.2", false);

	(void)ask(other);
	(void)close(other);
	rig_call(&rig, rig_answer, NULL);
	for (unsigned i = 0; i < RS_ARRAY_LEN(fd); i++) {
		client_read(fd[i], false, &a);
		ck_assert_uint_eq(a.status, 200);
		/* It is told rather than cut off. */
		ck_assert_str_eq(answer_header(&a, "Connection", value), "close");
		answer_fini(&a);
	}
	for (unsigned i = 0; i < RS_ARRAY_LEN(late); i++) {
		if (i == 2)
			continue;
		client_read(late[i], false, &a);
		ck_assert_uint_eq(a.status, 200);
		answer_fini(&a);
		(void)close(late[i]);
	}
	for (unsigned i = 0; i < RS_ARRAY_LEN(fd); i++)
		(void)close(fd[i]);
	wait_connections(0);
	/* It is as before. */
	const int again = client_dial(rig.port, NULL, false);

	ck_assert(!ask(again));
	(void)close(again);
}
END_TEST

START_TEST(http_line_has_an_end_and_room_for_other_addresses)
{
	enum { STALLED = 4, WAITING = 48 };
	int fd[STALLED + WAITING], other[STALLED + 1];

	for (unsigned i = 0; i < STALLED + WAITING; i++)
		fd[i] = dial_stalled("127.0.0.1");
	assert_refused(client_dial(rig.port, "127.0.0.1", false));
	for (unsigned i = 0; i < STALLED; i++)
		other[i] = dial_stalled("127.0.0.2");
	other[STALLED] = client_dial(rig.port, "127.0.0.2", false);
	send_get(other[STALLED], "/api/v1/summary");
	client_send(other[0], "alhost\r\n\r\n");
	for (unsigned i = 0; i <= STALLED; i += STALLED) {
		struct answer a;

		client_read(other[i], false, &a);
		ck_assert_uint_eq(a.status, 200);
		answer_fini(&a);
	}
	for (unsigned i = 0; i <= STALLED; i++)
		(void)close(other[i]);
	/* Who waits is told of the end. */
	rig_close(&rig);
	assert_refused(fd[STALLED]);
	fd[STALLED] = -1;
	for (unsigned i = 0; i < STALLED + WAITING; i++)
		(void)close(fd[i]);
	open_few_patient();
}
END_TEST

static void
set_files_limit(struct rig *r, void *limit)
{
	struct rlimit l;

	(void)r;
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &l), 0);
	l.rlim_cur = *(rlim_t *)limit;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &l), 0);
}

START_TEST(http_out_of_descriptors_waits_without_spinning)
{
	struct rlimit l;
	struct answer a;
	const int fd = socket(AF_INET, SOCK_STREAM, 0), probe = dup(fd);
	rlim_t few = (rlim_t)probe;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &l), 0);
	(void)close(probe);
	rig_call(&rig, set_files_limit, &few);
	(void)close(fd);
	/* The one free descriptor is the client's; none is left for the server. */
	const int client = client_dial(rig.port, NULL, false);

	send_get(client, "/api/v1/summary");
	pause_ms(300);
	const uint64_t before = rig_runs(&rig);

	pause_ms(700);
	ck_assert_uint_le(rig_runs(&rig) - before, 5);
	few = l.rlim_cur;
	rig_call(&rig, set_files_limit, &few);
	client_read(client, false, &a);
	ck_assert_uint_eq(a.status, 200);
	answer_fini(&a);
	(void)close(client);
}
END_TEST

/* ---- hostile input ---- */

static const char *const garbage[] = {
    "\r\n\r\n",
    "GET\r\n\r\n",
    "GET /\r\n\r\n",
    " / HTTP/1.1\r\n\r\n",
    "GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
    "GET /% HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET /%00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET ?x HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET http://evil/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET * HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: localhost\r\nNo colon\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: localhost\r\n: empty\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "POST /api/v1/summary HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nab",
    "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
};

/* The end of the input that comes together with the last bytes is not noticed by
 * the library: such a connection ends by its timeout. */
START_TEST(http_garbage_ends_its_own_connection_only)
{
	int fd[RS_ARRAY_LEN(garbage)];
	size_t bytes;

	for (size_t i = 0; i < RS_ARRAY_LEN(garbage); i++) {
		fd[i] = client_dial(rig.port, i % 2 == 0 ? "127.0.0.2" : "127.0.0.3", false);
		client_send(fd[i], garbage[i]);
		(void)shutdown(fd[i], SHUT_WR);
	}
	for (size_t i = 0; i < RS_ARRAY_LEN(garbage); i++) {
		ck_assert_msg(client_sees_end(fd[i], &bytes), "still open after: %s", garbage[i]);
		(void)close(fd[i]);
	}
	assert_alive();
}
END_TEST

START_TEST(http_request_too_large_is_refused)
{
	const int fd = client_dial(rig.port, NULL, false);
	char line[1024];
	struct answer a;

	client_send(fd, "GET / HTTP/1.1\r\nHost: localhost\r\n");
	(void)snprintf(line, sizeof(line), "X-Filler: %0900d\r\n", 0);
	/* It is refused before it ends. */
	for (unsigned i = 0; i < 36 && client_try_send(fd, line); i++)
		;
	(void)client_try_send(fd, "\r\n");
	client_read(fd, false, &a);
	ck_assert_uint_ge(a.status, 400);
	ck_assert_uint_lt(a.status, 500);
	answer_fini(&a);
	(void)close(fd);
	assert_alive();
}
END_TEST

START_TEST(http_body_nobody_wants_is_not_read)
{
	const int fd = client_dial(rig.port, NULL, true);
	struct answer a;

	client_send(fd, "POST /api/v1/summary HTTP/1.1\r\nHost: localhost\r\n"
			"Content-Length: 4000000000\r\n\r\nbegin");
	client_read(fd, false, &a);
	ck_assert_uint_eq(a.status, 405);
	answer_fini(&a);
	(void)close(fd);
	assert_alive();
}
END_TEST

/* ---- shutdown ---- */

/* Each of these is closed with everything in flight: in a loop, so that no
 * teardown is left out. */
START_TEST(http_close_ends_streams_and_answers_those_who_wait)
{
	struct stream idle, busy;
	struct answer a;
	struct event ev;

	rig_open(&rig, NULL);
	stream_open(&idle, rig.port, NULL, false, NULL);
	stream_open(&busy, rig.port, NULL, true, NULL);
	publish(1, 10);
	ck_assert(stream_next(&idle, &ev));
	event_fini(&ev);
	const int waiting = client_dial(rig.port, NULL, false);

	rig_call(&rig, hold, NULL);
	send_get(waiting, SERIES);
	wait_asked(1);
	publish(10, 100000);
	/* The store answers only after the server is gone. */
	rig_close(&rig);
	ck_assert_uint_eq(rig_store.answered, 1);
	client_read(waiting, false, &a);
	ck_assert_uint_eq(a.status, 503);
	answer_fini(&a);
	(void)close(waiting);
	while (stream_next(&busy, &ev))
		event_fini(&ev);
	stream_close(&busy);
	stream_close(&idle);
}
END_TEST

START_TEST(http_close_ends_a_quiet_stream_with_its_last_chunk)
{
	struct stream idle;
	struct event ev;

	rig_open(&rig, NULL);
	stream_open(&idle, rig.port, NULL, false, NULL);
	publish(1, 10);
	ck_assert(stream_next(&idle, &ev));
	event_fini(&ev);
	rig_close(&rig);
	ck_assert(!stream_next(&idle, &ev));
	/* Told, not just cut off. */
	ck_assert(idle.raw.len == 0);
	stream_close(&idle);
}
END_TEST

START_TEST(http_close_in_the_middle_of_a_download)
{
	int fd;
	size_t bytes;

	rig_open(&rig, NULL);
	rig_store.n_series = BIG_SERIES;
	rig_store.n_times = BIG_TIMES;
	fd = client_dial(rig.port, NULL, true);
	send_get(fd, SERIES);
	wait_asked(1);
	assert_alive();
	rig_close(&rig);
	ck_assert(client_sees_end(fd, &bytes));
	(void)close(fd);
}
END_TEST

/* ---- listeners ---- */

static char folder[] = "/tmp/ringside-http-XXXXXX";

static void
unix_path(char *dst, size_t cap, const char *name)
{
	(void)snprintf(dst, cap, "%s/%s", folder, name);
}

START_TEST(http_unix_socket_serves_and_cleans_up)
{
	char path[100], spec[128];
	struct stat st;
	struct answer a;
	struct sockaddr_un stale = {.sun_family = AF_UNIX};

	ck_assert_ptr_nonnull(mkdtemp(folder));
	unix_path(path, sizeof(path), "socket");
	(void)snprintf(spec, sizeof(spec), "unix:%s", path);
	/* What a killed program leaves behind. */
	(void)snprintf(stale.sun_path, sizeof(stale.sun_path), "%s", path);
	const int old = socket(AF_UNIX, SOCK_STREAM, 0);

	ck_assert_int_eq(bind(old, (const struct sockaddr *)&stale, sizeof(stale)), 0);
	(void)close(old);
	const char *const listen[] = {spec, NULL};
	const struct rs_web_conf c = {.listen = listen};

	rig_open(&rig, &c);
	ck_assert_str_eq(rs_web_url(rig.web), spec);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0660);
	const int fd = client_dial_unix(path);

	send_get(fd, "/api/v1/summary");
	client_read(fd, false, &a);
	ck_assert_uint_eq(a.status, 200);
	answer_fini(&a);
	(void)close(fd);
	/* A second program must not take the socket of a living one. */
	struct rs_web *second = NULL;
	struct rs_error e = {0};

	ck_assert_int_eq(rs_web_open(&c, rig.loop, &rig.live, &e, &second), -EADDRINUSE);
	ck_assert_ptr_nonnull(strstr(e.text, "in use"));
	rig_close(&rig);
	ck_assert_int_lt(stat(path, &st), 0);
	(void)rmdir(folder);
}
END_TEST

START_TEST(http_unix_socket_has_its_mode_from_the_beginning)
{
	static const mode_t masks[] = {0, 022, 077, 0777};
	char path[100], spec[128];
	struct stat st;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	unix_path(path, sizeof(path), "socket");
	(void)snprintf(spec, sizeof(spec), "unix:%s", path);
	for (size_t i = 0; i < RS_ARRAY_LEN(masks); i++) {
		struct rs_listener l;
		struct rs_error e = {0};
		const mode_t before = umask(masks[i]);
		const int r = rs_listen_open(spec, &l, &e);

		/* What the process had is what it has again. */
		ck_assert_uint_eq(umask(before), masks[i]);
		ck_assert_msg(r == 0, "%s", e.text);
		ck_assert_int_eq(lstat(path, &st), 0);
		ck_assert_uint_eq(st.st_mode & 0777, 0660);
		rs_listen_close(&l);
	}
	/* A link in its place is neither followed nor replaced. */
	struct rs_listener l;
	struct rs_error e = {0};
	char target[100];

	unix_path(target, sizeof(target), "target");
	(void)close(open(target, O_CREAT | O_WRONLY, 0600));
	ck_assert_int_eq(symlink(target, path), 0);
	ck_assert_int_eq(rs_listen_open(spec, &l, &e), -EEXIST);
	ck_assert_int_eq(stat(target, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0600);
	(void)unlink(path);
	(void)unlink(target);
	(void)rmdir(folder);
}
END_TEST

START_TEST(http_unix_socket_never_replaces_a_file)
{
	char path[100], spec[128];
	struct rs_web *web = NULL;
	struct rs_error e = {0};

	ck_assert_ptr_nonnull(mkdtemp(folder));
	unix_path(path, sizeof(path), "file");
	(void)snprintf(spec, sizeof(spec), "unix:%s", path);
	(void)close(open(path, O_CREAT | O_WRONLY, 0600));
	const char *const listen[] = {spec, NULL};
	const struct rs_web_conf c = {.listen = listen};

	rig_open(&rig, NULL);
	ck_assert_int_eq(rs_web_open(&c, rig.loop, &rig.live, &e, &web), -EEXIST);
	ck_assert_int_eq(access(path, F_OK), 0);
	rig_close(&rig);
	(void)unlink(path);
	(void)rmdir(folder);
}
END_TEST

START_TEST(http_several_listeners_share_one_limit)
{
	char path[100], spec[128], urls[200];

	ck_assert_ptr_nonnull(mkdtemp(folder));
	unix_path(path, sizeof(path), "socket");
	(void)snprintf(spec, sizeof(spec), "unix:%s", path);
	const char *const listen[] = {"127.0.0.1:0", spec, NULL};
	const struct rs_web_conf c = {
	    .listen = listen, .max_connections = 2, .patience_ns = RS_NS_PER_MS};

	rig_open(&rig, &c);
	(void)snprintf(urls, sizeof(urls), "http://127.0.0.1:%u/, %s", rig.port, spec);
	ck_assert_str_eq(rs_web_url(rig.web), urls);
	const int tcp = client_dial(rig.port, NULL, false), local = client_dial_unix(path);

	(void)ask(tcp);
	(void)ask(local);
	client_send(tcp, "GET / HTTP/1.1\r\n");
	client_send(local, "GET / HTTP/1.1\r\n");
	assert_refused(client_dial_unix(path));
	(void)close(tcp);
	(void)close(local);
	rig_close(&rig);
	(void)rmdir(folder);
}
END_TEST

START_TEST(http_inherited_socket_is_served)
{
	struct rs_web *web = NULL;
	struct rs_error e = {0};
	const int fd = socket(AF_INET6, SOCK_STREAM, 0);
	const int not_listening = socket(AF_INET, SOCK_STREAM, 0);
	const struct rs_web_conf good = {.inherited_fds = &fd, .n_inherited = 1};
	const struct rs_web_conf bad = {.inherited_fds = &not_listening, .n_inherited = 1};

	ck_assert_int_eq(listen(fd, 5), 0);
	rig_open(&rig, NULL);
	/* Bound to all addresses: not without a credential. */
	ck_assert_int_eq(rs_web_open(&good, rig.loop, &rig.live, &e, &web), -EINVAL);
	ck_assert_ptr_nonnull(strstr(e.text, "token_file"));
	rs_error_clear(&e);
	ck_assert_int_eq(rs_web_open(&bad, rig.loop, &rig.live, &e, &web), -EINVAL);
	ck_assert_ptr_nonnull(strstr(e.text, "does not listen"));
	rig_close(&rig);

	const int again = socket(AF_INET6, SOCK_STREAM, 0);

	ck_assert_int_eq(listen(again, 5), 0);
	const struct rs_web_conf c = {.inherited_fds = &again, .n_inherited = 1, .token = "s3cret"};

	/* It takes IPv4 too; such a peer is still seen as loopback. */
	rig_open(&rig, &c);
	ck_assert_uint_ne(rig.port, 0);
	assert_alive();
	rig_close(&rig);
}
END_TEST

static void
add(Suite *s, const char *name, void (*open)(void), const TTest *const *tests)
{
	TCase *tc = tcase_create(name);

	tcase_set_timeout(tc, 120);
	if (open != NULL)
		tcase_add_checked_fixture(tc, open, teardown);
	for (; *tests != NULL; tests++)
		tcase_add_test(tc, *tests);
	suite_add_tcase(s, tc);
}

static Suite *
suite(void)
{
	Suite *s = suite_create("http");

	add(s, "streams", open_default,
	    (const TTest *const[]){http_streams_of_slow_and_fast_clients_get_every_event,
		http_stream_frames_larger_than_the_library_takes_arrive_whole,
		http_stream_tick_is_summary_cores_and_interfaces,
		http_stream_resumes_behind_the_last_event_id,
		http_stream_behind_the_ring_is_told_of_the_gap,
		http_many_events_in_one_turn_are_one_run, http_idle_costs_nothing, NULL});
	add(s, "limits", open_16_connections,
	    (const TTest *const[]){http_streams_leave_connections_to_others, NULL});
	add(s, "impatient", open_impatient,
	    (const TTest *const[]){http_reader_that_does_not_read_is_closed_and_delays_nobody,
		http_stream_outlives_the_timeout_by_heartbeats,
		http_client_that_vanished_is_noticed,
		http_client_that_sends_half_a_request_is_closed,
		http_garbage_ends_its_own_connection_only, NULL});
	add(s, "history", open_default,
	    (const TTest *const[]){http_waiting_request_is_answered_and_holds_up_nobody,
		http_client_gone_while_it_waits_harms_nobody,
		http_full_queue_of_the_store_is_try_again,
		http_failing_store_is_a_problem_not_an_empty_answer,
		http_answer_that_lacks_what_is_stored_says_so,
		http_long_lists_come_in_pieces_and_are_whole,
		http_download_of_32_mb_completes_while_others_are_served,
		http_downloads_never_hold_more_than_their_limit, NULL});
	add(s, "few", open_few,
	    (const TTest *const[]){http_connections_over_a_limit_get_an_answer, NULL});
	add(s, "patient", open_few_patient,
	    (const TTest *const[]){http_connection_that_is_idle_for_longest_gives_way,
		http_connection_that_never_asks_gives_way,
		http_streams_of_an_address_are_counted_apart, http_connection_waits_for_its_turn,
		http_line_has_an_end_and_room_for_other_addresses, NULL});
	add(s, "hostile", open_default,
	    (const TTest *const[]){http_out_of_descriptors_waits_without_spinning,
		http_request_too_large_is_refused, http_body_nobody_wants_is_not_read, NULL});
	add(s, "close", NULL,
	    (const TTest *const[]){http_close_ends_streams_and_answers_those_who_wait,
		http_close_ends_a_quiet_stream_with_its_last_chunk,
		http_close_in_the_middle_of_a_download, NULL});
	add(s, "listeners", NULL,
	    (const TTest *const[]){http_unix_socket_serves_and_cleans_up,
		http_unix_socket_has_its_mode_from_the_beginning,
		http_unix_socket_never_replaces_a_file, http_several_listeners_share_one_limit,
		http_inherited_socket_is_served, NULL});
	return s;
}

RS_CHECK_MAIN(suite())
