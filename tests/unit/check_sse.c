/* SPDX-License-Identifier: ISC */
/* The hub: one ring, clients of any speed, nothing lost without being told. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "rs_check.h"
#include "sse.h"

enum { MAX_CLIENTS = 8 };

static struct rs_loop *loop;
static struct rs_hub *hub;

/* A client that takes what it can get, `cap` bytes at a time. */
struct reader {
	struct rs_source source;
	size_t cap;
	struct rs_buf text;
	unsigned woken;
	ptrdiff_t last;
};

static void
setup(void)
{
	const struct rs_hub_conf conf = {
	    .max_clients = MAX_CLIENTS, .heartbeat_ns = 5 * RS_NS_PER_MS, .instance = 0xabc};

	ck_assert_int_eq(rs_loop_new(&loop), 0);
	ck_assert_int_eq(rs_hub_new(&conf, loop, &hub), 0);
}

static void
teardown(void)
{
	rs_hub_free(hub);
	rs_loop_free(loop);
}

static void
on_wake(void *arg)
{
	struct reader *r = arg;

	r->woken++;
}

static void
join(struct reader *r, size_t cap, const char *last_event_id)
{
	*r = (struct reader){.cap = cap};
	rs_buf_init(&r->text, (size_t)1 << 24);
	ck_assert_int_eq(rs_hub_join(hub, last_event_id, &r->source), 0);
	r->source.set_wake(r->source.arg, on_wake, r);
}

static void
leave(struct reader *r)
{
	r->source.free(r->source.arg);
	rs_buf_fini(&r->text);
}

/* Reads until the source has nothing more. */
static void
drain(struct reader *r)
{
	do {
		char *to = rs_buf_reserve(&r->text, r->cap);

		ck_assert_ptr_nonnull(to);
		r->last = r->source.read(r->source.arg, to, r->cap);
		if (r->last > 0)
			r->text.len += (size_t)r->last;
	} while (r->last > 0);
}

/* What came since the last call. */
static const char *
take(struct reader *r)
{
	rs_buf_reset(&r->text);
	drain(r);
	return rs_buf_cstr(&r->text);
}

static void
publish(unsigned n)
{
	rs_buf_printf(rs_hub_begin(hub, "tick"), "%u", n);
	ck_assert(rs_hub_commit(hub));
}

/* One event of so many KiB and a few bytes. */
static void
publish_kib(unsigned kib)
{
	static const char block[1024];
	struct rs_buf *data = rs_hub_begin(hub, "tick");

	for (unsigned i = 0; i < kib; i++)
		rs_buf_put(data, block, sizeof(block));
	ck_assert(rs_hub_commit(hub));
}

/* As large as a tick of a large machine. */
static void
publish_large(unsigned n)
{
	static const char blanks[16 * 1024];
	struct rs_buf *data = rs_hub_begin(hub, "tick");

	rs_buf_printf(data, "%u;", n);
	rs_buf_put(data, blanks, sizeof(blanks));
	ck_assert(rs_hub_commit(hub));
}

START_TEST(sse_events_reach_every_client_once_and_in_order)
{
	/* The smallest buffer cuts frames anywhere, the largest takes all. */
	static const size_t caps[] = {1, 7, 32470};
	struct reader r[RS_ARRAY_LEN(caps)];

	for (size_t i = 0; i < RS_ARRAY_LEN(caps); i++) {
		join(&r[i], caps[i], NULL);
		ck_assert_str_eq(take(&r[i]), "retry: 2000\n\n");
		ck_assert_int_eq(r[i].last, RS_SOURCE_WAIT);
	}
	publish(10);
	publish(11);
	for (size_t i = 0; i < RS_ARRAY_LEN(caps); i++) {
		ck_assert_uint_eq(r[i].woken, 1);
		ck_assert_str_eq(take(&r[i]), "id: abc-1\nevent: tick\ndata: 10\n\n"
					      "id: abc-2\nevent: tick\ndata: 11\n\n");
		leave(&r[i]);
	}
}
END_TEST

START_TEST(sse_wakes_only_those_who_wait)
{
	struct reader r;

	join(&r, 64, NULL);
	publish(1);
	ck_assert_uint_eq(r.woken, 0);
	drain(&r);
	publish(2);
	publish(3);
	ck_assert_uint_eq(r.woken, 1);
	drain(&r);
	publish(4);
	ck_assert_uint_eq(r.woken, 2);
	leave(&r);
}
END_TEST

START_TEST(sse_client_behind_the_ring_is_told_how_much_it_missed)
{
	static const char gap[] = "id: abc-5\nevent: gap\ndata: {\"missed\":5}\n\n"
				  "id: abc-6\nevent: tick\ndata: 5;";
	struct reader slow;

	join(&slow, 1024, NULL);
	drain(&slow);
	for (unsigned i = 0; i < RS_HUB_RING + 5; i++)
		publish_large(i);
	ck_assert_ptr_eq(strstr(take(&slow), gap), slow.text.data);
	ck_assert_uint_gt(slow.text.len, (size_t)RS_HUB_RING * 16 * 1024);
	struct rs_hub_stats stats;

	rs_hub_get_stats(hub, &stats);
	ck_assert_uint_eq(stats.gaps, 1);
	ck_assert_uint_eq(stats.events, RS_HUB_RING + 5);
	leave(&slow);
}
END_TEST

START_TEST(sse_hundreds_of_small_events_between_two_ticks_are_not_lost)
{
	const unsigned n = RS_HUB_RING_SMALL - 2;
	struct reader r;
	char last[64];

	join(&r, 1024, NULL);
	for (unsigned i = 0; i < RS_HUB_RING; i++)
		publish_large(i);
	drain(&r);
	/* A finding, changes and the tick itself, before anybody can read. */
	for (unsigned i = 0; i < n; i++)
		publish(i);
	publish_kib(600);
	const char *text = take(&r);

	ck_assert_ptr_eq(strstr(text, "id: abc-65\nevent: tick\ndata: 0\n\n"), text);
	(void)snprintf(last, sizeof(last), "data: %u\n\nid: abc-%u\n", n - 1, RS_HUB_RING + n + 1);
	ck_assert_ptr_nonnull(strstr(text, last));
	ck_assert_ptr_null(strstr(text, "event: gap"));
	leave(&r);
}
END_TEST

START_TEST(sse_small_events_are_limited_in_number)
{
	struct reader r;

	join(&r, 1024, NULL);
	drain(&r);
	for (unsigned i = 0; i < RS_HUB_RING_SMALL + 5; i++)
		publish(i);
	ck_assert_ptr_eq(
	    strstr(take(&r), "id: abc-5\nevent: gap\ndata: {\"missed\":5}\n\n"), r.text.data);
	leave(&r);
}
END_TEST

START_TEST(sse_event_being_sent_survives_its_place_in_the_ring)
{
	struct reader slow;

	join(&slow, 20, NULL);
	drain(&slow);
	publish(1);
	char part[21] = "";

	ck_assert_int_eq(slow.source.read(slow.source.arg, part, 20), 20);
	ck_assert_str_eq(part, "id: abc-1\nevent: tic");
	for (unsigned i = 0; i < 2 * RS_HUB_RING; i++)
		publish_large(100 + i);
	const char *text = take(&slow);

	ck_assert_ptr_eq(strstr(text, "k\ndata: 1\n\nid: abc-65\nevent: gap\n"
				      "data: {\"missed\":64}\n\nid: abc-66\n"),
	    text);
	leave(&slow);
}
END_TEST

START_TEST(sse_last_event_id_resumes)
{
	struct reader first, again, late;

	join(&first, 100, NULL);
	for (unsigned i = 1; i <= 5; i++)
		publish(i);
	leave(&first);
	/* For a while after the last client went events are kept for its return. */
	ck_assert(rs_hub_is_wanted(hub));
	publish(6);
	join(&again, 100, "abc-4");
	ck_assert_str_eq(take(&again), "retry: 2000\n\nid: abc-5\nevent: tick\ndata: 5\n\n"
				       "id: abc-6\nevent: tick\ndata: 6\n\n");
	join(&late, 100, "abc-6");
	ck_assert_str_eq(take(&late), "retry: 2000\n\n");
	leave(&again);
	leave(&late);
}
END_TEST

static const struct {
	const char *id;
	const char *next; /* what follows the greeting */
} ids[] = {
    {"abd-2", "id: abc-0\nevent: gap\ndata: {\"missed\":null}\n\nid: abc-1\n"},
    {"abc-9", "id: abc-0\nevent: gap\ndata: {\"missed\":null}\n\nid: abc-1\n"},
    {"abc-18446744073709551615", "id: abc-0\nevent: gap\ndata: {\"missed\":null}\n\n"},
    {"abc-0", "id: abc-1\n"},
    {"abc-1", "id: abc-2\n"},
    {"abc-3", ""},
    {"", ""},
    {"abc", "id: abc-0\nevent: gap\ndata: {\"missed\":null}\n\nid: abc-1\n"},
    {"abc-", "id: abc-0\nevent: gap\ndata: {\"missed\":null}\n\n"},
    {"abc-1x", "id: abc-0\nevent: gap\ndata: {\"missed\":null}\n\n"},
    {"abc-99999999999999999999", "id: abc-0\nevent: gap\ndata: {\"missed\":null}\n\n"},
    {"-5", "id: abc-0\nevent: gap\ndata: {\"missed\":null}\n\n"},
    {"1", "id: abc-0\nevent: gap\ndata: {\"missed\":null}\n\n"},
    {"garbage", "id: abc-0\nevent: gap\ndata: {\"missed\":null}\n\n"},
};

START_TEST(sse_ids_that_are_not_of_this_run_are_a_gap)
{
	struct reader r;

	join(&r, 100, NULL);
	for (unsigned i = 1; i <= 3; i++)
		publish(i);
	struct reader other;

	join(&other, 4096, ids[_i].id);
	const char *text = take(&other);

	ck_assert_ptr_eq(strstr(text, "retry: 2000\n\n"), text);
	text += strlen("retry: 2000\n\n");
	if (ids[_i].next[0] == '\0')
		ck_assert_str_eq(text, "");
	else
		ck_assert_msg(strstr(text, ids[_i].next) == text, "%s", text);
	leave(&r);
	leave(&other);
}
END_TEST

START_TEST(sse_nobody_listening_costs_no_formatting)
{
	struct reader r;

	ck_assert(!rs_hub_is_wanted(hub));
	rs_hub_skip(hub);
	rs_hub_skip(hub);
	join(&r, 100, NULL);
	ck_assert(rs_hub_is_wanted(hub));
	publish(3);
	ck_assert_str_eq(take(&r), "retry: 2000\n\nid: abc-3\nevent: tick\ndata: 3\n\n");
	leave(&r);
	for (unsigned i = 0; i < RS_HUB_RING; i++) {
		ck_assert(rs_hub_is_wanted(hub));
		publish(i);
	}
	ck_assert(!rs_hub_is_wanted(hub));
	rs_hub_skip(hub);
	/* What was skipped is told to whoever comes back late. */
	join(&r, 100, "abc-3");
	ck_assert_str_eq(
	    take(&r), "retry: 2000\n\nid: abc-68\nevent: gap\ndata: {\"missed\":65}\n\n");
	leave(&r);
}
END_TEST

START_TEST(sse_event_too_large_is_a_gap_not_a_half_event)
{
	struct rs_hub_stats stats;
	struct reader r;

	join(&r, 100, NULL);
	drain(&r);
	struct rs_buf *data = rs_hub_begin(hub, "tick");

	for (unsigned i = 0; i < 5 * 1024; i++)
		rs_buf_put(data, (char[1024]){0}, 1024);
	ck_assert(!rs_hub_commit(hub));
	ck_assert_uint_eq(r.woken, 1);
	ck_assert_str_eq(take(&r), "id: abc-1\nevent: gap\ndata: {\"missed\":1}\n\n");
	rs_hub_get_stats(hub, &stats);
	ck_assert_uint_eq(stats.lost, 1);
	ck_assert_uint_eq(stats.events, 0);
	publish(2);
	ck_assert_str_eq(take(&r), "id: abc-2\nevent: tick\ndata: 2\n\n");
	leave(&r);
}
END_TEST

START_TEST(sse_ring_holds_8_mb_and_drops_the_oldest)
{
	static const char gap[] = "id: abc-4\nevent: gap\ndata: {\"missed\":4}\n\nid: abc-5\n";
	struct reader behind;

	join(&behind, 4096, NULL);
	drain(&behind);
	/* Eight of them are 8 MiB and a few bytes: seven are kept. */
	for (unsigned i = 1; i <= 11; i++)
		publish_kib(1024);
	const char *text = take(&behind);

	ck_assert_ptr_eq(strstr(text, gap), text);
	ck_assert_uint_gt(behind.text.len, (size_t)7 << 20);
	ck_assert_uint_lt(behind.text.len, (size_t)8 << 20);
	/* Small ones in their place make room for the full number again. */
	for (unsigned i = 0; i < RS_HUB_RING; i++)
		publish(i);
	ck_assert_ptr_eq(
	    strstr(take(&behind), "id: abc-12\nevent: tick\ndata: 0\n\n"), behind.text.data);
	leave(&behind);
}
END_TEST

START_TEST(sse_clients_are_limited)
{
	struct reader r[MAX_CLIENTS];
	struct rs_source source;

	for (size_t i = 0; i < MAX_CLIENTS; i++)
		join(&r[i], 10, NULL);
	ck_assert_int_eq(rs_hub_join(hub, NULL, &source), -EBUSY);
	leave(&r[3]);
	join(&r[3], 10, NULL);
	for (size_t i = 0; i < MAX_CLIENTS; i++)
		leave(&r[i]);
}
END_TEST

START_TEST(sse_close_ends_every_stream)
{
	struct reader waiting, behind;
	struct rs_source source;

	join(&waiting, 100, NULL);
	drain(&waiting);
	join(&behind, 4, NULL);
	publish(1);
	drain(&waiting);
	const unsigned woken = waiting.woken;
	char part[4];

	ck_assert_int_eq(behind.source.read(behind.source.arg, part, 4), 4);
	rs_hub_close(hub);
	ck_assert_uint_eq(waiting.woken, woken + 1);
	drain(&waiting);
	ck_assert_int_eq(waiting.last, RS_SOURCE_END);
	drain(&behind);
	ck_assert_int_eq(behind.last, RS_SOURCE_END);
	ck_assert(!rs_hub_is_wanted(hub));
	ck_assert_int_eq(rs_hub_join(hub, NULL, &source), -ESHUTDOWN);
	leave(&waiting);
	leave(&behind);
}
END_TEST

static void
stop_when_woken(void *arg)
{
	on_wake(arg);
	rs_loop_stop(loop);
}

START_TEST(sse_quiet_streams_get_a_heartbeat)
{
	struct reader r;

	join(&r, 100, NULL);
	r.source.set_wake(r.source.arg, stop_when_woken, &r);
	drain(&r);
	ck_assert_int_eq(rs_loop_run(loop), 0);
	ck_assert_uint_eq(r.woken, 1);
	ck_assert_str_eq(take(&r), ":\n\n");
	leave(&r);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("sse");
	TCase *tc = tcase_create("sse");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, sse_events_reach_every_client_once_and_in_order);
	tcase_add_test(tc, sse_wakes_only_those_who_wait);
	tcase_add_test(tc, sse_client_behind_the_ring_is_told_how_much_it_missed);
	tcase_add_test(tc, sse_hundreds_of_small_events_between_two_ticks_are_not_lost);
	tcase_add_test(tc, sse_small_events_are_limited_in_number);
	tcase_add_test(tc, sse_event_being_sent_survives_its_place_in_the_ring);
	tcase_add_test(tc, sse_last_event_id_resumes);
	tcase_add_loop_test(
	    tc, sse_ids_that_are_not_of_this_run_are_a_gap, 0, (int)RS_ARRAY_LEN(ids));
	tcase_add_test(tc, sse_nobody_listening_costs_no_formatting);
	tcase_add_test(tc, sse_event_too_large_is_a_gap_not_a_half_event);
	tcase_add_test(tc, sse_ring_holds_8_mb_and_drops_the_oldest);
	tcase_add_test(tc, sse_clients_are_limited);
	tcase_add_test(tc, sse_close_ends_every_stream);
	tcase_add_test(tc, sse_quiet_streams_get_a_heartbeat);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())
