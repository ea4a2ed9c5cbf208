/* SPDX-License-Identifier: ISC */
/* The words of findings. */
#include <string.h>

#include "finding.h"
#include "rs_check.h"

START_TEST(finding_words_are_those_of_the_interface)
{
	ck_assert_str_eq(rs_severity_name(RS_INFO), "info");
	ck_assert_str_eq(rs_severity_name(RS_WARN), "warn");
	ck_assert_str_eq(rs_severity_name(RS_CRIT), "crit");
	ck_assert_str_eq(rs_confidence_name(RS_LOW), "low");
	ck_assert_str_eq(rs_confidence_name(RS_MEDIUM), "medium");
	ck_assert_str_eq(rs_confidence_name(RS_HIGH), "high");
	ck_assert_str_eq(rs_subject_kind_name(RS_SUBJECT_HOST), "host");
	ck_assert_str_eq(rs_subject_kind_name(RS_SUBJECT_CORE), "core");
	ck_assert_str_eq(rs_subject_kind_name(RS_SUBJECT_INTERFACE), "interface");
	ck_assert_str_eq(rs_subject_kind_name(RS_SUBJECT_QUEUE), "queue");
	ck_assert_str_eq(rs_subject_kind_name(RS_SUBJECT_IRQ), "irq");
}
END_TEST

START_TEST(finding_subjects_differ_in_any_field)
{
	const struct rs_subject host = rs_subject_host;
	struct rs_subject others[6];

	for (size_t i = 0; i < RS_ARRAY_LEN(others); i++)
		others[i] = rs_subject_host;
	others[0].kind = RS_SUBJECT_CORE;
	others[1].core = 0;
	others[2].queue = 0;
	strcpy(others[3].device, "eth0");
	strcpy(others[4].direction, "rx");
	strcpy(others[5].irq, "31");
	ck_assert(rs_subject_same(&host, &rs_subject_host));
	for (size_t i = 0; i < RS_ARRAY_LEN(others); i++) {
		ck_assert_msg(!rs_subject_same(&host, &others[i]), "other %zu", i);
		ck_assert(rs_subject_same(&others[i], &others[i]));
	}
}
END_TEST

START_TEST(finding_host_has_no_core_and_no_queue)
{
	ck_assert_int_eq(rs_subject_host.core, -1);
	ck_assert_int_eq(rs_subject_host.queue, -1);
	ck_assert_str_eq(rs_subject_host.device, "");
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("finding");
	TCase *tc = tcase_create("finding");

	tcase_add_test(tc, finding_words_are_those_of_the_interface);
	tcase_add_test(tc, finding_subjects_differ_in_any_field);
	tcase_add_test(tc, finding_host_has_no_core_and_no_queue);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())
