/* SPDX-License-Identifier: ISC */
/*
 * Real outputs of `ethtool -S` against numbers computed by another reader:
 * counters, receive queues with their packets, and the counters that sound like
 * loss.
 */
#include <dirent.h>

#include "corpus.h"
#include "linux/drivers.h"
#include "linux/stat_names.h"
#include "rs_check.h"

struct sample {
	char dir[80], file[64];
};
static struct sample samples[256];
static size_t n_samples;

/* Sound like loss, and are none or not known to be. */
static const struct {
	const char *name, *why;
} benign[] = {
    {"rx_no_buffer_count", "a buffer was short for a while, nothing was lost"},
    {"rxbds_empty", "an event, the packets are rx_discards"},
    {"mbuf_lwm_thresh_hit", "an event, the packets are rx_discards"},
    {"tx_send_full", "the packet is sent without the send buffer"},
    {"port_rx_dp_di_dropped_packets", "no filter wanted them"},
};

/* What the other reader does not know: it reads no rows without a queue in
 * their name, and of three parts of the packets the first. */
static const struct {
	const char *file;
	uint16_t queue;
	bool is_tx;
	uint64_t packets;
} known[] = {
    {"ethtool-S.vmxnet3.txt", 0, false, 40863 + 112048 + 79384},
    {"ethtool-S.vmxnet3.txt", 1, false, 143523 + 82558 + 17327},
    {"ethtool-S.vmxnet3.txt", 0, true, 54123 + 36 + 3},
    {"ethtool-S.vmxnet3.txt", 1, true, 64809 + 6 + 0},
    {"ethtool-S.bnx2x.txt", 0, false, 194386668 + 1977213 + 1314918},
    {"ethtool-S.bnx2x.txt", 5, false, 253934780 + 76 + 136},
    {"ethtool-S.bnx2x.txt", 7, true, 130962018 + 309529 + 0},
    {"ethtool-S.be2net.txt", 8, false, 11437669},
    {"ethtool-S.be2net.txt", 7, true, 8958932},
    {"ethtool-S.eth2.txt", 4, true, 96161043},
    {"ethtool-S.sfc.txt", 10, true, 218},
};

static struct rs_stat_set set;
static struct rs_stat_plan plan;
static const struct rs_driver *driver;
static char *text, *document;
static struct rs_text facts;

/* Some files are named after the driver. */
static void
setup(const struct sample *s)
{
	char name[64];
	struct rs_text t, json;
	text = corpus_read_file(s->dir, s->file, &t);
	ck_assert_int_eq(rs_stat_set_parse(&set, t), 0);
	ck_assert_uint_eq(set.skipped, 0);
	(void)snprintf(name, sizeof(name), "%s", s->file + strlen("ethtool-S."));
	name[strcspn(name, ".")] = '\0';
	driver = rs_driver_find(name);
	ck_assert_int_eq(rs_stat_plan_make(&plan, &set, driver, -1, -1), 0);
	document = corpus_read_file(s->dir, "expected.json", &json);
	facts = corpus_must(corpus_must(json, "facts"), s->file);
}

static void
teardown(void)
{
	rs_stat_plan_free(&plan);
	rs_stat_set_free(&set);
	free(text);
	free(document);
	text = document = NULL;
}

static uint32_t
repeated_names(void)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < set.n; i++) {
		bool is_repeated = false;
		for (uint32_t k = 0; k < i && !is_repeated; k++)
			is_repeated = rs_text_same(rs_stat_name(&set, i), rs_stat_name(&set, k));
		n += is_repeated;
	}
	return n;
}

START_TEST(a_real_file_has_the_known_counters)
{
	setup(&samples[_i]);
	ck_assert_double_eq(set.n, corpus_number_of(facts, "counters"));
	ck_assert_double_eq(repeated_names(), corpus_number_of(facts, "duplicate_names"));
	teardown();
}
END_TEST

/* The packets of a queue, or UINT64_MAX; counts the queues that have some. */
static uint64_t
packets_of(uint16_t queue, bool is_tx, unsigned *ret_queues, uint64_t *ret_total)
{
	struct rs_stat_use u;
	uint64_t sum, found = UINT64_MAX;
	uint32_t at = 0;
	*ret_queues = 0;
	*ret_total = 0;
	while (rs_stat_next(&plan, set.values, set.n_values, &at, &u, &sum)) {
		if (u.is_tx != is_tx || u.kind != RS_STAT_PACKETS)
			continue;
		++*ret_queues;
		*ret_total += sum;
		if (u.queue == queue)
			found = sum;
	}
	return found;
}

static void
compare_known(const struct sample *s)
{
	unsigned queues;
	uint64_t total;
	for (size_t i = 0; i < RS_ARRAY_LEN(known); i++) {
		if (strcmp(s->file, known[i].file) != 0)
			continue;
		ck_assert_uint_eq(
		    packets_of(known[i].queue, known[i].is_tx, &queues, &total), known[i].packets);
	}
}

/* "top" is [[queue, packets, percent], ...]. */
static void
compare_top(struct rs_text top)
{
	struct rs_text key, row;
	while (corpus_next_element(&top, &key, &row)) {
		double number[2];
		for (size_t i = 0; i < 2; i++) {
			struct rs_text cell;
			char digits[32];
			ck_assert(corpus_next_element(&row, &key, &cell));
			(void)rs_text_copy(cell, digits, sizeof(digits));
			number[i] = strtod(digits, NULL);
		}
		unsigned queues;
		uint64_t total;
		ck_assert_double_eq(
		    (double)packets_of((uint16_t)number[0], false, &queues, &total), number[1]);
	}
}

START_TEST(a_real_file_gives_the_known_queues)
{
	const struct sample *const s = &samples[_i];
	unsigned queues;
	uint64_t total;
	setup(s);
	(void)packets_of(0, false, &queues, &total);
	const struct rs_text expected = corpus_must(facts, "rx_per_queue");
	if (strstr(s->file, "vmxnet3")) {
		ck_assert_uint_eq(queues, 2);
	} else if (rs_text_eq(expected, "null")) {
		ck_assert_msg(queues == 0, "%s: %u queues", s->file, queues);
	} else if (strstr(s->file, "bnx2x")) {
		ck_assert_double_eq(queues, corpus_number_of(expected, "cpus"));
		ck_assert_double_eq(
		    (double)total, corpus_number_of(expected, "total") + 1977444 + 1465106);
	} else {
		ck_assert_double_eq(queues, corpus_number_of(expected, "cpus"));
		ck_assert_double_eq((double)total, corpus_number_of(expected, "total"));
		compare_top(corpus_must(expected, "top"));
	}
	compare_known(s);
	teardown();
}
END_TEST

START_TEST(the_number_of_queues_is_a_gate)
{
	unsigned all, fewer;
	uint64_t total;
	setup(&samples[_i]);
	const uint64_t last = packets_of(0, false, &all, &total);
	if (all > 0 && last != UINT64_MAX) {
		ck_assert_int_eq(
		    rs_stat_plan_make(&plan, &set, driver, (int32_t)all, INT32_MAX), 0);
		(void)packets_of(0, false, &fewer, &total);
		ck_assert_uint_eq(fewer, all);
		ck_assert_int_eq(
		    rs_stat_plan_make(&plan, &set, driver, (int32_t)all - 1, INT32_MAX), 0);
		(void)packets_of(0, false, &fewer, &total);
		ck_assert_uint_eq(fewer, all - 1);
	}
	teardown();
}
END_TEST

static bool
is_benign(struct rs_text name)
{
	for (size_t i = 0; i < RS_ARRAY_LEN(benign); i++) {
		if (rs_text_eq(name, benign[i].name))
			return true;
	}
	return false;
}

START_TEST(what_sounds_like_loss_is_told_from_loss)
{
	struct rs_text loss, quoted, number, value;
	char name[64];
	setup(&samples[_i]);
	loss = corpus_must(facts, "nonzero_loss");
	struct rs_text rest = loss;
	while (corpus_next_element(&rest, &quoted, &number)) {
		corpus_unquote(quoted, name, sizeof(name));
		const struct rs_text t = rs_text_of(name);
		ck_assert_msg(
		    (rs_driver_lost(driver, t) == RS_LOST_NOTHING) == is_benign(t), "%s", name);
	}
	/* And nothing else is. */
	for (uint32_t i = 0; i < set.n; i++) {
		const struct rs_text t = rs_stat_name(&set, i);
		if (!set.values[i] || rs_driver_lost(driver, t) == RS_LOST_NOTHING)
			continue;
		(void)rs_text_copy(t, name, sizeof(name));
		ck_assert_msg(corpus_member(loss, name, &value), "%s", name);
	}
	teardown();
}
END_TEST

static void
find_in(const char *dir)
{
	char path[512];
	(void)snprintf(path, sizeof(path), "%s/%s", CORPUS, dir);
	DIR *const d = opendir(path);
	for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
		if (strncmp(e->d_name, "ethtool-S.", 10) != 0 || n_samples == RS_ARRAY_LEN(samples))
			continue;
		struct sample *const s = &samples[n_samples++];
		(void)snprintf(s->dir, sizeof(s->dir), "%.79s", dir);
		(void)snprintf(s->file, sizeof(s->file), "%.63s", e->d_name);
	}
	if (d)
		(void)closedir(d);
}

int
main(void)
{
	DIR *const d = opendir(CORPUS);
	for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
		if (e->d_name[0] >= '0' && e->d_name[0] <= '9')
			find_in(e->d_name);
	}
	if (d)
		(void)closedir(d);
	if (n_samples == 0) {
		(void)printf("1..0 # SKIP no corpus in %s\n", CORPUS);
		return RS_CHECK_SKIP;
	}
	const int n = (int)n_samples;
	Suite *const s = suite_create("corpus_ethtool");
	TCase *const t = tcase_create("corpus");
	tcase_add_loop_test(t, a_real_file_has_the_known_counters, 0, n);
	tcase_add_loop_test(t, a_real_file_gives_the_known_queues, 0, n);
	tcase_add_loop_test(t, the_number_of_queues_is_a_gate, 0, n);
	tcase_add_loop_test(t, what_sounds_like_loss_is_told_from_loss, 0, n);
	suite_add_tcase(s, t);
	return rs_check_run(s);
}
