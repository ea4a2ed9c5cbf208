/* SPDX-License-Identifier: ISC */
/*
 * Which of the rules asked is the cause, and what the findings say of the others;
 * with rules that answer what a test tells them to.
 */
#include <stdio.h>
#include <string.h>

#include "cause.h"
#include "engine.h"
#include "rs_check.h"
#include "umbrella.h"
#include "view_builder.h"

static struct rs_vb *b;
static struct rs_engine *engine;
static unsigned asked; /* how often a rule was */

/* Answers of the rules of causes, y: explains, n: not, ?: not known, blank: silent. */
static char answers[3];
static const char long_words[] = "0123456789 0123456789 0123456789 0123456789 0123456789 "
				 "0123456789 0123456789 0123456789 0123456789 0123456789";

static bool
answer(unsigned which, const struct rs_lead *l, struct rs_cause *ret)
{
	asked++;
	switch (answers[which]) {
	case 'y':
		ret->confidence = RS_HIGH;
		(void)snprintf(ret->phrase, sizeof(ret->phrase), "it is %u", which);
		return true;
	case 'n':
		return rs_not(ret, "core %u has %u", l->group.cpu, which);
	case 'l':
		return rs_not(ret, "%s", long_words);
	case '?':
		return rs_not_known(ret, "a letter");
	default:
		return false;
	}
}

static bool
explains_0(const struct rs_lead *l, const double *t, struct rs_cause *ret)
{
	(void)t;
	return answer(0, l, ret);
}

static bool
explains_1(const struct rs_lead *l, const double *t, struct rs_cause *ret)
{
	(void)t;
	return answer(1, l, ret);
}

static bool
explains_2(const struct rs_lead *l, const double *t, struct rs_cause *ret)
{
	(void)t;
	return answer(2, l, ret);
}

static void
evaluate_cause(const struct rs_view *v, const double *t, struct rs_says *out)
{
	const struct rs_lead *const l = rs_cause_only_turn(out);

	(void)v;
	(void)t;
	if (!l)
		return;
	const struct rs_subject subject = rs_core_subject(l->group.cpu);
	rs_cause_say(out, l, &subject);
}

/* Says that the first core is hot as long as the view has a load. */
static void
evaluate_umbrella(const struct rs_view *v, const double *t, struct rs_says *out)
{
	const struct rs_subject subject = rs_core_subject(0);

	(void)v;
	(void)t;
	rs_say(out, &subject, RS_COND_RAISE, RS_WARN, RS_MEDIUM);
	rs_rule_out(out);
}

static const struct rs_rule umbrella = {.code = "u", .title = "U", .evaluate = evaluate_umbrella};
static const struct rs_rule second = {.code = "a.1",
    .title = "One",
    .evaluate = evaluate_cause,
    .cause_order = 20,
    .explains = explains_1};
static const struct rs_rule first = {.code = "a.0",
    .title = "Null",
    .evaluate = evaluate_cause,
    .cause_order = 10,
    .explains = explains_0};
static const struct rs_rule third = {.code = "a.2",
    .title = "Two",
    .evaluate = evaluate_cause,
    .cause_order = 30,
    .explains = explains_2};
static const struct rs_rule *const rules[] = {&umbrella, &second, &first, &third, NULL};

static void
set_up(void)
{
	b = rs_vb_new(4);
	rs_vb_core(b, 0, 0.98, 0.98);
	ck_assert_int_eq(rs_engine_new(rules, NULL, 1, &engine), 0);
	asked = 0;
}

static void
tear_down(void)
{
	rs_engine_free(engine);
	rs_vb_free(b);
}

static void
run(const char *say, unsigned ticks)
{
	memcpy(answers, say, sizeof(answers));
	for (unsigned i = 0; i < ticks; i++)
		rs_engine_run(engine, rs_vb_tick(b), NULL, NULL);
}

static const struct rs_finding *
find(const char *code)
{
	const struct rs_finding *f[RS_FINDINGS_MAX];
	const size_t n = rs_engine_active(engine, f, RS_FINDINGS_MAX);

	for (size_t i = 0; i < n; i++) {
		if (strcmp(f[i]->code, code) == 0)
			return f[i];
	}
	return NULL;
}

/* "a.1: core 0 has 1|a.2: ..." */
static const char *
others(const char *code)
{
	static char text[512];
	const struct rs_finding *const f = find(code);
	size_t len = 0;

	ck_assert_ptr_nonnull(f);
	text[0] = '\0';
	for (uint32_t i = 0; i < f->n_ruled_out; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s: %s", i ? "|" : "",
		    f->ruled_out[i].code, f->ruled_out[i].reason);
	return text;
}

static const struct {
	const char *say, *cause, *others;
} cases[] = {
    {"ynn", "a.0", "a.1: core 0 has 1|a.2: core 0 has 2"},
    {"nyn", "a.1", "a.0: core 0 has 0|a.2: core 0 has 2"},
    {"n?y", "a.2", "a.0: core 0 has 0|a.1: not known: needs a letter"},
    /* What would explain it as well is neither the cause nor ruled out. */
    {"yyn", "a.0", "a.2: core 0 has 2"},
    {" yn", "a.1", "a.2: core 0 has 2"},
    {"nnn", NULL, "a.0: core 0 has 0|a.1: core 0 has 1|a.2: core 0 has 2"},
    {"   ", NULL, ""},
};

START_TEST(findings_of_a_lead_say_which_causes_it_is_not)
{
	run(cases[_i].say, 6);
	ck_assert_str_eq(others("u"), cases[_i].others);
	for (size_t i = 1; rules[i]; i++)
		ck_assert_int_eq(find(rules[i]->code) != NULL,
		    cases[_i].cause && strcmp(rules[i]->code, cases[_i].cause) == 0);
	if (cases[_i].cause)
		ck_assert_str_eq(others(cases[_i].cause), cases[_i].others);
}
END_TEST

START_TEST(a_ruled_out_cause_has_the_title_of_its_rule)
{
	run("ny ", 6);
	ck_assert_str_eq(find("a.1")->ruled_out[0].title, "Null");
}
END_TEST

START_TEST(a_rule_that_is_off_is_not_asked)
{
	struct rs_rule_conf confs[4];

	for (size_t i = 0; i < 4; i++)
		rs_rule_conf_default(rules[i], &confs[i]);
	confs[2].is_enabled = false; /* a.0 */
	rs_engine_configure(engine, confs);
	run("yyn", 6);
	ck_assert_str_eq(others("a.1"), "a.2: core 0 has 2");
	ck_assert_uint_eq(asked, 12);
}
END_TEST

START_TEST(what_explains_lacks_the_rule_needs)
{
	run("n?y", 1);
	ck_assert_str_eq(rs_engine_not_evaluated(engine, 1), "needs a letter");
	ck_assert_ptr_null(rs_engine_not_evaluated(engine, 2));
	rs_vb_core(b, 0, 0.1, 0.1);
	run("n?y", 1);
	ck_assert_ptr_null(rs_engine_not_evaluated(engine, 1));
}
END_TEST

START_TEST(without_a_lead_nobody_is_asked_and_nothing_is_ruled_out)
{
	rs_vb_core(b, 0, 0.1, 0.1);
	run("ynn", 6);
	ck_assert_uint_eq(asked, 0);
	ck_assert_str_eq(others("u"), "");
}
END_TEST

START_TEST(reasons_are_those_of_the_last_tick)
{
	run("ynn", 6);
	run("y n", 1);
	ck_assert_str_eq(others("u"), "a.2: core 0 has 2");
	ck_assert_str_eq(others("a.0"), "a.2: core 0 has 2");
}
END_TEST

START_TEST(a_long_reason_ends_between_two_words)
{
	run("yl ", 6);
	ck_assert_str_eq(find("a.0")->ruled_out[0].reason,
	    "0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 "
	    "0123456789 ...");
}
END_TEST

/* Into 12 bytes. */
static const struct {
	const char *text, *cut;
} texts[] = {
    {"", ""},
    {"0-3,8", "0-3,8"},
    {"0,2,4,6,8,1", "0,2,4,6,8,1"},
    {"0,2,4,6,8,10", "0,2,4,6,..."},
    {"0,22,444,66666", "0,22,..."},
    {"fq_codel limit 10240p", "fq_codel..."},
    {"mq fq_codel", "mq fq_codel"},
    {"mq fq_codel limit", "mq ..."},
    {"abcdefghijklmnop", "abcdefgh..."},
};

START_TEST(a_text_is_cut_behind_a_blank_or_a_comma)
{
	char dst[12];

	rs_copy_cut(dst, sizeof(dst), texts[_i].text);
	ck_assert_str_eq(dst, texts[_i].cut);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("causes");
	TCase *tc = tcase_create("causes");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_loop_test(
	    tc, findings_of_a_lead_say_which_causes_it_is_not, 0, (int)RS_ARRAY_LEN(cases));
	tcase_add_test(tc, a_ruled_out_cause_has_the_title_of_its_rule);
	tcase_add_test(tc, a_rule_that_is_off_is_not_asked);
	tcase_add_test(tc, what_explains_lacks_the_rule_needs);
	tcase_add_test(tc, without_a_lead_nobody_is_asked_and_nothing_is_ruled_out);
	tcase_add_test(tc, reasons_are_those_of_the_last_tick);
	tcase_add_test(tc, a_long_reason_ends_between_two_words);
	tcase_add_loop_test(
	    tc, a_text_is_cut_behind_a_blank_or_a_comma, 0, (int)RS_ARRAY_LEN(texts));
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())
