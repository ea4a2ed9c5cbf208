/* SPDX-License-Identifier: ISC */
/* What of a capture goes to the rules over a moment, and how its texts are put together. */
#include <math.h>
#include <string.h>

#include "diagnose/diagnosis.h"
#include "diagnose/seen.h"
#include "rs_check.h"

/* --- traffic ------------------------------------------------------------- */

static const struct {
	double rx_pps, tx_pps, rx_bytes, tx_bytes; /* of a packet */
	double told;				   /* packets per second; 0: nothing */
} floods[] = {
    {50000, 0, 60, 0, 50000},
    {0, 50000, 0, 60, 50000},	 /* goes out, and nothing comes in */
    {100, 50000, 40, 62, 50000}, /* what comes in is smaller, and little */
    {80000, 40000, 1400, 60, 0}, /* a download and its acknowledgements */
    {20000, 30000, 60, 1400, 0},
    {5000, 4000, 60, 60, 0},
};

START_TEST(a_flood_is_seen_in_the_larger_direction)
{
	struct rs_sar_device device = {
	    .name = "eth0",
	    .rx_pps = 2.0 * floods[_i].rx_pps,
	    .tx_pps = 2.0 * floods[_i].tx_pps,
	    .rx_bytes_ps = 2.0 * floods[_i].rx_pps * floods[_i].rx_bytes,
	    .tx_bytes_ps = 2.0 * floods[_i].tx_pps * floods[_i].tx_bytes,
	    .n = 2,
	};
	const struct rs_sar sar = {.devices = &device, .n = 1};
	struct rs_screens screens = {0};
	struct rs_finding found[4];
	size_t n;

	struct rs_screen *const s = rs_screens_add(&screens);
	ck_assert_ptr_nonnull(s);
	s->all = rs_screen_unknown(RS_SCREEN_ALL);
	s->all.busy = 0.85;
	s->all.softirq = 0.40;
	ck_assert_int_eq(rs_seen_judge(&screens, &sar, 4, found, RS_ARRAY_LEN(found), &n), 0);
	ck_assert_uint_eq(n, floods[_i].told > 0.0);
	if (n > 0) {
		ck_assert_str_eq(found[0].code, "packets.small");
		ck_assert_double_eq(found[0].evidence[0].value, floods[_i].told);
	}
	rs_screens_free(&screens);
}
END_TEST

/* --- texts --------------------------------------------------------------- */

START_TEST(a_part_without_room_is_left_out)
{
	char text[16] = "";

	ck_assert(rs_append(text, sizeof(text), "%s", "core 3 full"));
	ck_assert(!rs_append(text, sizeof(text), "; %s", "more"));
	ck_assert_str_eq(text, "core 3 full");
	ck_assert(rs_append(text, sizeof(text), "%s", "; 2"));
	ck_assert_str_eq(text, "core 3 full; 2");
}
END_TEST

START_TEST(a_long_note_ends_between_two_words)
{
	static struct rs_diagnosis d;
	char words[RS_NOTE_BYTES + 40] = "";

	for (size_t i = 0; i + 12 < sizeof(words); i += 12)
		memcpy(words + i, "IRQ 123: 45,", 13);
	rs_note(&d, "%s", words);
	const size_t len = strlen(d.notes[0]);
	ck_assert_uint_lt(len, RS_NOTE_BYTES);
	ck_assert_str_eq(d.notes[0] + len - 7, "IRQ ...");
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("diagnose");
	TCase *tc = tcase_create("diagnose");

	tcase_add_loop_test(
	    tc, a_flood_is_seen_in_the_larger_direction, 0, (int)RS_ARRAY_LEN(floods));
	tcase_add_test(tc, a_part_without_room_is_left_out);
	tcase_add_test(tc, a_long_note_ends_between_two_words);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())
