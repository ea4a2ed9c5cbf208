/* SPDX-License-Identifier: ISC */
/* The mailbox: order, bounds, the wake byte, and two threads at once. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>

#include "mailbox.h"
#include "rs_check.h"

static struct rs_mailbox *
new_mailbox(size_t capacity)
{
	struct rs_mailbox *m = NULL;

	ck_assert_int_eq(rs_mailbox_new(capacity, &m), 0);
	ck_assert_ptr_nonnull(m);
	return m;
}

static bool
is_readable(const struct rs_mailbox *m)
{
	struct pollfd p = {.fd = rs_mailbox_fd(m), .events = POLLIN};

	ck_assert_int_ge(poll(&p, 1, 0), 0);
	return (p.revents & POLLIN) != 0;
}

START_TEST(mailbox_keeps_order_across_its_wrap)
{
	struct rs_mailbox *m = new_mailbox(3);
	int items[10];

	for (int i = 0; i < 10; i += 2) {
		ck_assert_int_eq(rs_mailbox_put(m, &items[i]), 0);
		ck_assert_int_eq(rs_mailbox_put(m, &items[i + 1]), 0);
		ck_assert_ptr_eq(rs_mailbox_take(m, false), &items[i]);
		ck_assert_ptr_eq(rs_mailbox_take(m, true), &items[i + 1]);
	}
	ck_assert_ptr_null(rs_mailbox_take(m, false));
	rs_mailbox_free(m);
}
END_TEST

START_TEST(mailbox_refuses_when_full_and_after_close)
{
	struct rs_mailbox *m = new_mailbox(2);
	int item;

	ck_assert_int_eq(rs_mailbox_put(m, &item), 0);
	ck_assert_int_eq(rs_mailbox_put(m, &item), 0);
	ck_assert_int_eq(rs_mailbox_put(m, &item), -EAGAIN);
	ck_assert_uint_eq(rs_mailbox_len(m), 2);
	ck_assert_ptr_eq(rs_mailbox_take(m, false), &item);
	ck_assert_int_eq(rs_mailbox_put(m, &item), 0);
	rs_mailbox_close(m);
	ck_assert_int_eq(rs_mailbox_put(m, &item), -EPIPE);
	/* What was in it can still be taken; then waiting ends. */
	ck_assert_ptr_eq(rs_mailbox_take(m, true), &item);
	ck_assert_ptr_eq(rs_mailbox_take(m, true), &item);
	ck_assert_ptr_null(rs_mailbox_take(m, true));
	rs_mailbox_free(m);
}
END_TEST

START_TEST(mailbox_fd_is_readable_while_not_empty_and_holds_one_byte)
{
	struct rs_mailbox *m = new_mailbox(8);
	int item, pending = 0;

	for (int round = 0; round < 3; round++) {
		ck_assert(!is_readable(m));
		for (int i = 0; i < 5; i++)
			ck_assert_int_eq(rs_mailbox_put(m, &item), 0);
		ck_assert_int_eq(ioctl(rs_mailbox_fd(m), FIONREAD, &pending), 0);
		ck_assert_int_eq(pending, 1);
		for (int i = 0; i < 5; i++) {
			ck_assert(is_readable(m));
			ck_assert_ptr_nonnull(rs_mailbox_take(m, false));
		}
	}
	ck_assert(!is_readable(m));
	rs_mailbox_free(m);
}
END_TEST

START_TEST(mailbox_rejects_absurd_capacities)
{
	struct rs_mailbox *m = NULL;

	ck_assert_int_eq(rs_mailbox_new(0, &m), -EINVAL);
	ck_assert_int_eq(rs_mailbox_new(SIZE_MAX, &m), -EINVAL);
	ck_assert_ptr_null(m);
	rs_mailbox_free(NULL);
}
END_TEST

enum { N_ITEMS = 20000 };

struct pair {
	struct rs_mailbox *box;
	int items[N_ITEMS];
	int taken;
	bool is_in_order;
};

static void *
take_all(void *arg)
{
	struct pair *p = arg;
	const int *item;

	p->is_in_order = true;
	while ((item = rs_mailbox_take(p->box, true)) != NULL) {
		if (*item != p->taken)
			p->is_in_order = false;
		p->taken++;
	}
	return NULL;
}

START_TEST(mailbox_hands_all_over_to_a_waiting_thread_in_order)
{
	static struct pair p;
	pthread_t taker;

	p.box = new_mailbox(16);
	ck_assert_int_eq(pthread_create(&taker, NULL, take_all, &p), 0);
	for (int i = 0; i < N_ITEMS; i++) {
		p.items[i] = i;
		while (rs_mailbox_put(p.box, &p.items[i]) == -EAGAIN)
			(void)sched_yield();
	}
	rs_mailbox_close(p.box);
	ck_assert_int_eq(pthread_join(taker, NULL), 0);
	ck_assert_int_eq(p.taken, N_ITEMS);
	ck_assert(p.is_in_order);
	ck_assert(!is_readable(p.box));
	rs_mailbox_free(p.box);
}
END_TEST

static void *
put_all(void *arg)
{
	struct pair *p = arg;

	for (int i = 0; i < N_ITEMS; i++) {
		p->items[i] = i;
		while (rs_mailbox_put(p->box, &p->items[i]) == -EAGAIN)
			(void)sched_yield();
	}
	return NULL;
}

START_TEST(mailbox_wakes_a_poller_for_every_item_of_another_thread)
{
	static struct pair p;
	pthread_t putter;

	p.box = new_mailbox(16);
	ck_assert_int_eq(pthread_create(&putter, NULL, put_all, &p), 0);
	while (p.taken < N_ITEMS) {
		struct pollfd fd = {.fd = rs_mailbox_fd(p.box), .events = POLLIN};
		const int *item;

		/* A lost wake-up would stop here until the deadline. */
		ck_assert_int_eq(poll(&fd, 1, 60000), 1);
		while ((item = rs_mailbox_take(p.box, false)) != NULL) {
			ck_assert_int_eq(*item, p.taken);
			p.taken++;
		}
	}
	ck_assert_int_eq(pthread_join(putter, NULL), 0);
	rs_mailbox_free(p.box);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("mailbox");
	TCase *tc = tcase_create("mailbox");

	tcase_set_timeout(tc, 100);
	tcase_add_test(tc, mailbox_keeps_order_across_its_wrap);
	tcase_add_test(tc, mailbox_refuses_when_full_and_after_close);
	tcase_add_test(tc, mailbox_fd_is_readable_while_not_empty_and_holds_one_byte);
	tcase_add_test(tc, mailbox_rejects_absurd_capacities);
	tcase_add_test(tc, mailbox_hands_all_over_to_a_waiting_thread_in_order);
	tcase_add_test(tc, mailbox_wakes_a_poller_for_every_item_of_another_thread);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())
