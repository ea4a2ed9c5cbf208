/* SPDX-License-Identifier: ISC */
/*
 * A tick allocates nothing once it is warm: from wake to publish, on the loop
 * thread, over the live machine, the hand-over of a minute to the store and the
 * head file included. The program is linked with --wrap for the allocation functions, so
 * that every call of our own code is seen; those of libraries are not ours.
 */
#include "config.h"
#include "head.h"
#include "loop.h"
#include "rs_check.h"
#include "store.h"
#include "tick.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

static _Thread_local bool is_counting;
static _Thread_local unsigned counted;

void *
__wrap_malloc(size_t size)
{
	counted += is_counting;
	return __real_malloc(size);
}

void *
__wrap_calloc(size_t n, size_t size)
{
	counted += is_counting;
	return __real_calloc(n, size);
}

void *
__wrap_realloc(void *p, size_t size)
{
	counted += is_counting;
	return __real_realloc(p, size);
}

struct rig {
	struct rs_config config;
	struct rs_loop *loop;
	struct rs_store *store;
	struct rs_instrument instrument;
	unsigned handed_over, given_back;
};

static void
on_block_done(void *arg, struct rs_block *b, bool is_committed)
{
	struct rig *const r = arg;
	ck_assert(is_committed);
	rs_model_block_done(r->instrument.model, b, is_committed);
	r->given_back++;
	rs_loop_stop(r->loop);
}

static void
tick(struct rig *r, rs_ns at)
{
	int rc = 0;
	is_counting = true;
	struct rs_block *const b = rs_instrument_tick(&r->instrument, at, at, NULL, NULL);
	if (b)
		rc = rs_store_append(r->store, b);
	is_counting = false;
	ck_assert_int_eq(rc, 0);
	r->handed_over += b != NULL;
	if (b)
		ck_assert_int_eq(rs_loop_run(r->loop), 0); /* until it is given back */
}

START_TEST(a_warm_tick_allocates_nothing)
{
	static struct rig r;
	struct rs_error e = {0};
	const struct rs_store_conf conf = {.interval_ns = RS_NS_PER_S};
	ck_assert_int_eq(rs_config_default(&r.config), 0);
	ck_assert_int_eq(rs_loop_new(&r.loop), 0);
	ck_assert_int_eq(rs_store_open(&conf, r.loop, on_block_done, &r, &e, &r.store), 0);
	ck_assert_int_eq(rs_instrument_open("/", &r.config, 1, &r.instrument, &e), 0);
	char path[] = "/tmp/ringside-test-XXXXXX";
	const struct rs_head_conf head_conf = {.path = path, .owner = "none", .boot_id = "1"};
	struct rs_head *head;
	ck_assert_int_ge(mkstemp(path), 0);
	ck_assert_int_eq(rs_head_open(&head_conf, &head), 0);
	ck_assert_int_eq(rs_model_use_head(r.instrument.model, head), 0);
	/* Times run faster than the clock: three and a half minutes of ticks. */
	const rs_ns start = 1000 * RS_NS_PER_S;
	rs_ns at = start;
	for (unsigned i = 0; i < 90; i++, at += RS_NS_PER_S)
		tick(&r, at);
	ck_assert_uint_ge(counted, 1); /* the count works: warming up did allocate */
	const unsigned handed_over = r.handed_over;
	counted = 0;
	for (unsigned i = 0; i < 120; i++, at += RS_NS_PER_S)
		tick(&r, at);
	ck_assert_uint_ge(r.handed_over, handed_over + 2);
	ck_assert_uint_eq(counted, 0);
	ck_assert_int_eq(rs_model_head_error(r.instrument.model), 0);
	rs_store_close(r.store);
	rs_instrument_close(&r.instrument);
	rs_head_close(head, true);
	rs_loop_free(r.loop);
	rs_config_free(&r.config);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("tick_alloc");
	TCase *const t = tcase_create("tick_alloc");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_warm_tick_allocates_nothing);
	suite_add_tcase(s, t);
	return s;
}

RS_CHECK_MAIN(suite())
