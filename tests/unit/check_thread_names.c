/* SPDX-License-Identifier: ISC */
/* What threads are by their names, and the line of a thread. */
#include "linux/thread_names.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linux/busy_seen.h"
#include "linux/task_stat.h"
#include "rs_check.h"

enum { NONE = -1 };

static const struct {
	const char *comm;
	int class;
	int32_t cpu;
	uint32_t napi_id;
	int32_t irq;
} names[] = {
    {"ksoftirqd/3", RS_THREAD_KSOFTIRQD, 3, 0, -1},
    {"ksoftirqd/8191", RS_THREAD_KSOFTIRQD, 8191, 0, -1},
    {"ksoftirqd/8192", NONE, 0, 0, 0}, /* no such core */
    {"ksoftirqd/", NONE, 0, 0, 0},
    {"ksoftirqd/x", NONE, 0, 0, 0},
    {"napi/eth0-8193", RS_THREAD_NAPI, -1, 8193, -1},
    {"napi/br-lan.10-258", RS_THREAD_NAPI, -1, 258, -1},
    {"napi/enp129s0f0np0-8197", RS_THREAD_NAPI, -1, 8197, -1},
    /* Fifteen bytes may be what is left of more: the number is not believed. */
    {"napi/eth0-81931", RS_THREAD_NAPI, -1, 0, -1},
    {"napi/enp129s0f0", RS_THREAD_NAPI, -1, 0, -1},
    {"napi/eth0", RS_THREAD_NAPI, -1, 0, -1},
    {"napi/eth0-", RS_THREAD_NAPI, -1, 0, -1},
    {"napi/12", RS_THREAD_NAPI, -1, 0, -1},
    {"napi/", RS_THREAD_NAPI, -1, 0, -1},
    {"napi/eth0-99999999999999999999", RS_THREAD_NAPI, -1, 0, -1},
    {"backlog_napi/2", RS_THREAD_NAPI, 2, 0, -1},
    {"cpumap/5/map:31", RS_THREAD_NAPI, 5, 0, -1},
    {"irq/31-eth0-rx-0", RS_THREAD_IRQ, -1, 0, 31},
    {"irq/129-s-ahci", RS_THREAD_IRQ, -1, 0, 129},
    {"irq/0-timer", RS_THREAD_IRQ, -1, 0, 0},
    {"irq/31", NONE, 0, 0, 0},
    {"irq/99999999999-x", NONE, 0, 0, 0},
    {"irq/-1-x", NONE, 0, 0, 0},
    {"irq_work/1", NONE, 0, 0, 0},
    {"kworker/0:1-wg-crypt-wg0", RS_THREAD_VPN, -1, 0, -1},
    {"kworker/3:2H+wg-crypt-wg-office", RS_THREAD_VPN, -1, 0, -1},
    {"kworker/u8:0-wg-kex-wg0", RS_THREAD_VPN, -1, 0, -1},
    {"kworker/R-wg-crypt-wg0", RS_THREAD_VPN, -1, 0, -1},
    {"kworker/u16:4+pencrypt_parallel", RS_THREAD_VPN, -1, 0, -1},
    {"kworker/1:0-pdecrypt_serial", RS_THREAD_VPN, -1, 0, -1},
    {"kworker/1:0-cryptd", RS_THREAD_VPN, -1, 0, -1},
    {"kworker/0:0-ovpn-crypto-wq-tun0", RS_THREAD_VPN, -1, 0, -1},
    {"wg-crypt-wg0", RS_THREAD_VPN, -1, 0, -1},
    {"pencrypt_serial", RS_THREAD_VPN, -1, 0, -1},
    /* Encrypted disks are none of ours. */
    {"kworker/u8:1-kcryptd/253:0", NONE, 0, 0, 0},
    {"kworker/0:1-events", NONE, 0, 0, 0},
    {"kworker/0:1", NONE, 0, 0, 0},
    {"kworker/0:1-", NONE, 0, 0, 0},
    {"kworker/", NONE, 0, 0, 0},
    {"kcryptd/253:0", NONE, 0, 0, 0},
    {"rcu_preempt", NONE, 0, 0, 0},
    {"xnapi/eth0-1", NONE, 0, 0, 0},
    {"", NONE, 0, 0, 0},
};

START_TEST(names_tell_the_class)
{
	struct rs_thread t;

	memset(&t, 0x55, sizeof(t));
	const bool is_known = rs_thread_classify(rs_text_of(names[_i].comm), &t);
	ck_assert_msg(is_known == (names[_i].class != NONE), "%s", names[_i].comm);
	if (!is_known)
		return;
	ck_assert_msg((int)t.class == names[_i].class, "%s: %d", names[_i].comm, (int)t.class);
	ck_assert_msg(t.cpu == names[_i].cpu, "%s: core %d", names[_i].comm, (int)t.cpu);
	ck_assert_msg(t.irq == names[_i].irq, "%s: irq %d", names[_i].comm, (int)t.irq);
	ck_assert_msg(
	    t.napi_id == names[_i].napi_id, "%s: napi %u", names[_i].comm, (unsigned)t.napi_id);
}
END_TEST

START_TEST(names_tell_workers)
{
	ck_assert(rs_thread_is_worker(rs_text_of("kworker/0:1-events")));
	ck_assert(rs_thread_is_worker(rs_text_of("kworker/R-wg-crypt-wg0")));
	ck_assert(!rs_thread_is_worker(rs_text_of("kworker")));
	ck_assert(!rs_thread_is_worker(rs_text_of("rcu_preempt")));
}
END_TEST

/* A line of Linux 6.18 around the name, and its numbers of interest. */
#define BEHIND                                                                                     \
	" S 2 0 0 0 -1 2129984 0 0 0 0 7 34 0 0 20 0 1 0 1278732 0 0 18446744073709551615 0 0 0 "  \
	"0 0 0 0 2147483647 0 1 0 0 17 13 0 0 0 0 0 0 0 0 0 0 0 0 0"
#define OF_PROCESS                                                                                 \
	" S 1 62 62 0 -1 4194304 1 2 3 4 120 80 5 6 20 -10 13 0 555 48279552 3799 "                \
	"18446744073709551615 1 1 0 0 0 0 0 4096 1256 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n"

static const struct {
	const char *line, *comm; /* NULL: nothing can be used */
	int32_t pid;
	bool is_kernel;
	uint64_t ticks, start;
	uint32_t threads, cpu;
} lines[] = {
    {"16962 (napi/hcv1-258)" BEHIND "\n", "napi/hcv1-258", 16962, true, 41, 1278732, 1, 13},
    {"16962 (napi/hcv1-258)" BEHIND, "napi/hcv1-258", 16962, true, 41, 1278732, 1, 13},
    {"16962 (napi/hcv1-258)" BEHIND "\r\n", "napi/hcv1-258", 16962, true, 41, 1278732, 1, 13},
    {"62 (openvpn)" OF_PROCESS, "openvpn", 62, false, 200, 555, 13, 1},
    {"62 ()" OF_PROCESS, "", 62, false, 200, 555, 13, 1},
    /* Names that try to look like the rest of the line. */
    {"62 (a b) S 2 (c)" OF_PROCESS, "a b) S 2 (c", 62, false, 200, 555, 13, 1},
    {"62 (napi/eth0-1) S 2 0\n)" OF_PROCESS, "napi/eth0-1) S 2 0\n", 62, false, 200, 555, 13, 1},
    {"62 ())()" OF_PROCESS, "))(", 62, false, 200, 555, 13, 1},
    {"", NULL, 0, false, 0, 0, 0, 0},
    {"62", NULL, 0, false, 0, 0, 0, 0},
    {"62 (", NULL, 0, false, 0, 0, 0, 0},
    {"62 (x", NULL, 0, false, 0, 0, 0, 0},
    {"62 (x)", NULL, 0, false, 0, 0, 0, 0},
    {"0 (x)" OF_PROCESS, NULL, 0, false, 0, 0, 0, 0},
    {"-62 (x)" OF_PROCESS, NULL, 0, false, 0, 0, 0, 0},
    {"99999999999 (x)" OF_PROCESS, NULL, 0, false, 0, 0, 0, 0},
    {"x (x)" OF_PROCESS, NULL, 0, false, 0, 0, 0, 0},
    {"62 (x) S 2 0 0 0 -1 nan 0 0 0 0 7 34 0 0 20 0 1 0 5 0 0 0 0 0 0 0 0 0 0 0 0 1 0 0 17 3 0",
	NULL, 0, false, 0, 0, 0, 0},
    /* 20 digits that do not fit. */
    {"62 (x) S 2 0 0 0 -1 1 0 0 0 0 99999999999999999999 34 0 0 20 0 1 0 5 0 0 0 0 0 0 0 0 0 0 0 0 "
     "1 0 0 17 3 0",
	NULL, 0, false, 0, 0, 0, 0},
    /* 20 digits that do, and a sum that does not. */
    {"62 (x) S 2 0 0 0 -1 1 0 0 0 0 18446744073709551615 1 0 0 20 0 1 0 5 0 0 0 0 0 0 0 0 0 0 0 0 "
     "1 "
     "0 0 17 3 0",
	NULL, 0, false, 0, 0, 0, 0},
    /* No such core. */
    {"62 (x) S 2 0 0 0 -1 1 0 0 0 0 1 1 0 0 20 0 1 0 5 0 0 0 0 0 0 0 0 0 0 0 0 1 0 0 17 8192 0",
	NULL, 0, false, 0, 0, 0, 0},
};

static struct rs_text
copy_of(const char *text, size_t len, char **ret)
{
	*ret = malloc(len ? len : 1); /* of its own size: what reads beyond is seen */
	ck_assert_ptr_nonnull(*ret);
	memcpy(*ret, text, len);
	return (struct rs_text){*ret, *ret + len};
}

START_TEST(lines_are_read_or_refused_whole)
{
	struct rs_task_stat s;
	char *copy;
	const struct rs_text t = copy_of(lines[_i].line, strlen(lines[_i].line), &copy);

	memset(&s, 0, sizeof(s));
	const int rc = rs_task_stat_parse(t, &s);
	ck_assert_int_eq(rc, lines[_i].comm ? 0 : -EINVAL);
	if (rc == 0) {
		ck_assert_msg(rs_text_eq(s.comm, lines[_i].comm), "'%.*s'",
		    (int)rs_text_len(s.comm), s.comm.p);
		ck_assert_int_eq(s.pid, lines[_i].pid);
		ck_assert_int_eq(s.is_kernel, lines[_i].is_kernel);
		ck_assert_uint_eq(s.ticks, lines[_i].ticks);
		ck_assert_uint_eq(s.start, lines[_i].start);
		ck_assert_uint_eq(s.threads, lines[_i].threads);
		ck_assert_uint_eq(s.cpu, lines[_i].cpu);
	} else {
		ck_assert_int_eq(s.pid, 0); /* untouched */
	}
	free(copy);
}
END_TEST

/* Cut at any byte, a line says the same or nothing. */
START_TEST(lines_cut_anywhere_are_not_misread)
{
	const char *const line = lines[0].line;
	unsigned n_read = 0;

	for (size_t len = 0; len <= strlen(line); len++) {
		struct rs_task_stat s;
		char *copy;
		const struct rs_text t = copy_of(line, len, &copy);
		if (rs_task_stat_parse(t, &s) == 0) {
			ck_assert_uint_eq(s.cpu, 13);
			ck_assert_uint_eq(s.ticks, 41);
			ck_assert_uint_eq(s.start, 1278732);
			n_read++;
		}
		free(copy);
	}
	ck_assert_uint_gt(n_read, 0);
}
END_TEST

static const struct {
	const char *text;
	bool is_told;
	uint64_t ns;
} runtimes[] = {
    {"62371 1509476 2\n", true, 62371},
    {"18446744073709551615 0 0", true, UINT64_MAX},
    {"0 0 0\n", false, 0}, /* the kernel keeps none */
    {"0 1509476 2", false, 0},
    {"62371", false, 0}, /* cut */
    {"99999999999999999999 1 1", false, 0},
    {"-5 1 1", false, 0},
    {" 5 1 1", false, 0},
    {"x", false, 0},
    {"", false, 0},
};

START_TEST(runtimes_are_told_or_not)
{
	uint64_t ns = 7;

	ck_assert_int_eq(
	    rs_task_runtime_parse(rs_text_of(runtimes[_i].text), &ns), runtimes[_i].is_told);
	ck_assert_uint_eq(ns, runtimes[_i].is_told ? runtimes[_i].ns : 7);
}
END_TEST

#define S RS_NS_PER_S

START_TEST(use_is_told_from_the_second_look_on)
{
	static struct rs_busy_seen s;

	ck_assert(isnan(rs_busy_since(&s, 84, 5, 1000, 10 * S)));
	ck_assert_double_eq_tol(rs_busy_since(&s, 84, 5, 1250, 15 * S), 0.5, 1e-9);
	ck_assert_double_eq_tol(rs_busy_since(&s, 84, 5, 1250, 16 * S), 0.0, 1e-9);
	/* Another of the same number, a step back, no time between. */
	ck_assert(isnan(rs_busy_since(&s, 84, 6, 2000, 17 * S)));
	ck_assert(isnan(rs_busy_since(&s, 84, 6, 1900, 18 * S)));
	ck_assert(isnan(rs_busy_since(&s, 84, 6, 2000, 18 * S)));
	/* The low 32 bits wrap. */
	ck_assert(isnan(rs_busy_since(&s, 84, 6, UINT32_MAX - 49, 19 * S)));
	ck_assert_double_eq_tol(
	    rs_busy_since(&s, 84, 6, UINT64_C(1) + UINT32_MAX + 50, 20 * S), 1.0, 1e-9);
}
END_TEST

START_TEST(use_of_more_than_there_is_room_for_is_begun_anew)
{
	static struct rs_busy_seen s;

	for (uint32_t i = 1; i <= RS_BUSY_WAYS + 1; i++)
		ck_assert(isnan(rs_busy_since(&s, i * RS_BUSY_SETS, 1, 0, (rs_ns)i * S)));
	/* The first had to go for the last; the last but one is still there. */
	ck_assert_double_eq_tol(
	    rs_busy_since(&s, RS_BUSY_WAYS * RS_BUSY_SETS, 1, 100, (RS_BUSY_WAYS + 1) * S), 1.0,
	    1e-9);
	ck_assert(isnan(rs_busy_since(&s, RS_BUSY_SETS, 1, 100, 100 * S)));
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("thread_names");
	TCase *tc = tcase_create("thread_names");

	tcase_add_loop_test(tc, names_tell_the_class, 0, (int)RS_ARRAY_LEN(names));
	tcase_add_test(tc, names_tell_workers);
	tcase_add_loop_test(tc, lines_are_read_or_refused_whole, 0, (int)RS_ARRAY_LEN(lines));
	tcase_add_test(tc, lines_cut_anywhere_are_not_misread);
	tcase_add_loop_test(tc, runtimes_are_told_or_not, 0, (int)RS_ARRAY_LEN(runtimes));
	tcase_add_test(tc, use_is_told_from_the_second_look_on);
	tcase_add_test(tc, use_of_more_than_there_is_room_for_is_begun_anew);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())
