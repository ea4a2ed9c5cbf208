/* SPDX-License-Identifier: ISC */
/* Documents as the daemon or anybody else may send them, and the pages made of
 * them. JSON is written with ' in place of " here. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "cmd.h"
#include "doc.h"
#include "rs_check.h"
#include "words.h"

static json_t *
parse(const char *text)
{
	char json[8192];
	json_t *doc = NULL;

	ck_assert_uint_lt(strlen(text), sizeof(json));
	(void)strcpy(json, text);
	for (char *c = json; *c != '\0'; c++)
		*c = *c == '\'' ? '"' : *c;
	ck_assert_int_eq(rs_doc_parse(rs_text_of(json), &doc, NULL), 0);
	return doc;
}

static void
expect(struct rs_page *p, json_t *doc, const char *page)
{
	ck_assert_str_eq(rs_buf_cstr(&p->out), page);
	rs_page_fini(p);
	json_decref(doc);
}

static void
set_up(void)
{
	ck_assert_int_eq(setenv("TZ", "UTC0", 1), 0);
	tzset();
}

static const char *const no_documents[] = {"", " ", "{", "[1,]", "{\"a\":1} x", "\"\x01\"",
    "\"\xff\"", "nan", "1e999", "99999999999999999999", "<html>", "\"\\u0000\""};

START_TEST(what_is_no_json_is_no_document)
{
	struct rs_error e = {0};
	json_t *doc = NULL;

	ck_assert_int_eq(rs_doc_parse(rs_text_of(no_documents[_i]), &doc, &e), -EBADMSG);
	ck_assert_ptr_null(doc);
	ck_assert_str_ne(e.text, "");
}
END_TEST

START_TEST(deep_and_numerous_values_are_refused)
{
	const size_t len = (size_t)6 << 20;
	char *const text = malloc(len);
	struct rs_error e = {0};
	json_t *doc = NULL;

	ck_assert_ptr_nonnull(text);
	memset(text, '[', 100000);
	ck_assert_int_eq(rs_doc_parse((struct rs_text){text, text + 100000}, &doc, &e), -EBADMSG);
	text[0] = '[';
	for (size_t i = 1; i < len; i++)
		text[i] = i % 2 == 1 ? '0' : ',';
	text[len - 1] = ']';
	rs_error_clear(&e);
	ck_assert_int_eq(rs_doc_parse((struct rs_text){text, text + len}, &doc, &e), -EBADMSG);
	ck_assert_ptr_nonnull(strstr(e.text, "more than"));
	free(text);
}
END_TEST

START_TEST(another_type_is_not_known)
{
	json_t *const doc = parse("{'n':1.5,'i':7,'t':true,'f':false,'s':'x','e':'','z':null}");

	ck_assert_double_eq(rs_doc_number(doc, "n"), 1.5);
	ck_assert_double_eq(rs_doc_number(doc, "i"), 7);
	ck_assert_double_nan(rs_doc_number(doc, "s"));
	ck_assert_double_nan(rs_doc_number(doc, "t"));
	ck_assert_double_nan(rs_doc_number(NULL, "n"));
	ck_assert_int_eq(rs_doc_flag(doc, "t"), 1);
	ck_assert_int_eq(rs_doc_flag(doc, "f"), 0);
	ck_assert_int_eq(rs_doc_flag(doc, "i"), -1);
	ck_assert_int_eq(rs_doc_flag(doc, "missing"), -1);
	ck_assert_str_eq(rs_doc_string(doc, "s"), "x");
	ck_assert_ptr_null(rs_doc_string(doc, "e"));
	ck_assert_ptr_null(rs_doc_string(doc, "n"));
	ck_assert_str_eq(rs_doc_word(doc, "z"), "-");
	json_decref(doc);
}
END_TEST

static const struct {
	const char *subject, *words;
} subjects[] = {
    {"{'kind':'queue','device':'eth0','queue':2,'direction':'rx'}", "eth0 rx queue 2"},
    {"{'kind':'irq','irq':'34','device':'eth0','queue':2}", "irq 34 (eth0 queue 2)"},
    {"{'kind':'irq','irq':'NMI'}", "irq NMI"},
    {"{'kind':'core','core':3}", "core 3"},
    {"{'kind':'interface','device':'eth0'}", "eth0"},
    {"{'kind':'interface','device':'eth0','core':0}", "eth0, core 0"},
    {"{'kind':'host'}", "host"},
    {"{'kind':7,'core':-1,'queue':1.5,'irq':34}", "-"},
    {"[]", "-"},
};

START_TEST(a_subject_is_named_by_what_is_told_of_it)
{
	json_t *const doc = parse(subjects[_i].subject);
	struct rs_buf scratch;

	rs_buf_init(&scratch, 1000);
	ck_assert_str_eq(rs_words_subject(&scratch, doc), subjects[_i].words);
	rs_buf_fini(&scratch);
	json_decref(doc);
}
END_TEST

static const struct {
	const char *summary;
	int status;
} states[] = {
    {"{'state':'ok'}", 0},
    {"{'state':'info'}", 0},
    {"{'state':'warn'}", 1},
    {"{'state':'crit'}", 2},
    {"{'state':'unknown'}", 3},
    {"{'state':'OK'}", 3},
    {"{'state':null}", 3},
    {"{'state':0}", 3},
    {"{}", 3},
};

START_TEST(only_a_known_state_is_told_to_scripts)
{
	json_t *const doc = parse(states[_i].summary);

	ck_assert_int_eq(rs_status_exit(doc), states[_i].status);
	json_decref(doc);
}
END_TEST

START_TEST(status_is_the_verdict_and_what_stands_behind_it)
{
	json_t *const summary = parse(
	    "{'state':'warn','verdict':'core 3 is full','hottest_core':3,'hottest_core_load':0.981,"
	    "'effective_cores':1.26,'cores':4,'cpu_accounting':'tick','rx_bps':760e6,'tx_bps':1e3,"
	    "'rx_pps':62100,'drops_pps':0.2,'findings_active':1,'sampled_at_ms':1,'clock_ok':"
	    "false}");
	json_t *const findings =
	    parse("[{'severity':'warn','code':'core.imbalance','message':'a\\nb'}]");
	struct rs_page p;

	rs_page_init(&p, 80, false);
	rs_show_status(&p, summary, findings, NULL);
	json_decref(findings);
	expect(&p, summary,
	    "core 3 is full\n"
	    "state       warn\n"
	    "hottest     core 3 of 4, 98 % packet load (spread over 1.3 cores)\n"
	    "throughput  rx 760 Mbit/s, 62.1 kpps; tx 1.00 kbit/s; dropped 0.2 pps\n"
	    "findings    1 active\n"
	    "  warn  core.imbalance  a?b\n"
	    "not known   the time of day: the clock is not set, times are provisional\n"
	    "            time in hard interrupts: this kernel samples CPU time by its tick\n");
}
END_TEST

START_TEST(status_of_nothing_is_dashes)
{
	json_t *const doc = parse("{}");
	struct rs_page p;

	rs_page_init(&p, 80, false);
	rs_show_status(&p, doc, NULL, "the list is lost");
	expect(&p, doc,
	    "-\n"
	    "state       -\n"
	    "hottest     core - of -, - packet load\n"
	    "throughput  rx -, -; tx -; dropped -\n"
	    "findings    - active, not listed: the list is lost\n"
	    "not known   no sample has been taken yet\n");
}
END_TEST

START_TEST(findings_show_evidence_causes_and_commands)
{
	json_t *const doc = parse(
	    "[{'code':'core.imbalance','severity':'crit','confidence':'high','subject':{'core':3},"
	    "'raised_ms':1796061945526,'cleared_ms':null,'episodes':2,'stale':true,'message':'m',"
	    "'evidence':[{'label':'load','value':0.98,'unit':'ratio'},"
	    "{'label':'others','value':null,'unit':'','text':'2 isolated'},"
	    "{'label':'both','value':3,'unit':'cores','text':'of 4'},"
	    "{'label':'none','value':null,'unit':'ratio'}],"
	    "'causes':['one','two',3],"
	    "'ruled_out':[{'code':'a.b','title':'t','reason':'masks of eth0 are 0'},"
	    "{'code':'c.d','title':'u','reason':'not known: needs threads'},3],"
	    "'advice':[{'command':'echo 1 >/x','expect':'more','undo':'echo 0 >/x',"
	    "'disruptive':true},{'command':'true','expect':null,'undo':null}]},"
	    "{'code':'old','severity':'info','confidence':'low','subject':{'kind':'host'},"
	    "'raised_ms':1796061945526,'cleared_ms':1796061946000,'episodes':1,'message':'n',"
	    "'ruled_out':[{'code':'a.b','title':'t','reason':'masks of eth0 are 0'},"
	    "{'code':'c.d','title':'u','reason':'not known: needs threads'},3]}]");
	struct rs_page p;

	rs_page_init(&p, 80, false);
	rs_show_findings(&p, doc);
	expect(&p, doc,
	    "crit  core.imbalance  core 3\n"
	    "  since 2026-11-30 18:05:45, 2 episodes, high confidence\n"
	    "  the last known state: too few samples to judge now\n"
	    "  m\n"
	    "  evidence                        value\n"
	    "  load                            98 %\n"
	    "  others                          2 isolated\n"
	    "  both                            3 cores, of 4\n"
	    "  none                            -\n"
	    "  perhaps: one\n"
	    "           two\n"
	    "           -\n"
	    "  not:     a.b (masks of eth0 are 0), c.d (not known: needs threads), - (-)\n"
	    "  try:     echo 1 >/x\n"
	    "           (interrupts traffic)\n"
	    "  expect:  more\n"
	    "  undo:    echo 0 >/x\n"
	    "  try:     true\n"
	    "\n"
	    "info  old  host\n"
	    "  2026-11-30 18:05:45 to 2026-11-30 18:05:46, low confidence\n"
	    "  n\n"
	    "  not:     as above\n");
}
END_TEST

START_TEST(a_command_is_never_broken)
{
	json_t *const doc = parse("[{'advice':[{'command':'a aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa "
				  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa b'}]}]");
	struct rs_page p;

	rs_page_init(&p, 40, false);
	rs_show_findings(&p, doc);
	ck_assert_ptr_nonnull(strstr(rs_buf_cstr(&p.out), "aaaa aaaa"));
	ck_assert_ptr_nonnull(strstr(rs_buf_cstr(&p.out), "aaa b\n"));
	rs_page_fini(&p);
	json_decref(doc);
}
END_TEST

START_TEST(changes_come_newest_first)
{
	json_t *const doc =
	    parse("[{'id':1,'at_ms':1796061945526,'kind':'irq_affinity','subject':{'irq':'34',"
		  "'device':'eth0','queue':2},'old':'0-3','new':'2'},"
		  "{'at_ms':null,'kind':'x','subject':null,'old':1,'new':{}},"
		  "{'id':3,'at_ms':1796061955526,'kind':'rps_cpus','subject':{'device':'eth0',"
		  "'direction':'rx','queue':0},'old':'','new':'0-3'},"
		  "{'id':4,'at_ms':1796061955526,'kind':'cpu_governor','subject':{'core':3},"
		  "'old':null,'new':'performance'}]");
	struct rs_page p;

	rs_page_init(&p, 80, false);
	rs_show_changes(&p, doc);
	expect(&p, doc,
	    "when                 setting       of                     old -> new\n"
	    "2026-11-30 18:05:55  rps_cpus      eth0 rx queue 0        \"\" -> 0-3\n"
	    "2026-11-30 18:05:55  cpu_governor  core 3                 - -> performance\n"
	    "2026-11-30 18:05:45  irq_affinity  irq 34 (eth0 queue 2)  0-3 -> 2\n"
	    "-                    x             -                      - -> -\n");
}
END_TEST

START_TEST(nothing_to_show_is_said)
{
	json_t *const doc = parse("[]");
	struct rs_page p;

	rs_page_init(&p, 80, false);
	rs_show_findings(&p, doc);
	rs_show_changes(&p, doc);
	expect(&p, doc, "no findings\nno changes\n");
}
END_TEST

START_TEST(the_map_leads_from_the_queue_to_the_core)
{
	json_t *const doc = parse(
	    "{'sampled_at_ms':1796061945526,'host':{'settings':{'kernel':'6.12','irqbalance':'off'}"
	    ","
	    "'temperature_celsius':61.7},"
	    "'devices':[{'device':'eth0','driver':'igb','up':true,'speed_bps':1e9,'rx_pps':62100,"
	    "'tx_pps':0,'rx_bps':760e6,'tx_bps':0,"
	    "'counters':{'source':'netlink','pace_s':1,'reason':null},'queues':["
	    "{'queue':0,'direction':'rx','pps':61000,'drops_pps':120,'share':0.982,'irq':'26',"
	    "'thread':{'name':'napi/eth0-1','core':2,'load':0.974},"
	    "'cores':{'0':1,'1':30,'2':7,'3':12034.0,'4':9},'settings':{'rps_cpus':'0-3'}},"
	    "{'queue':0,'direction':'tx','pps':null,'drops_pps':null,'share':null,'irq':'27',"
	    "'thread':null,'cores':{},'settings':{'xps_cpus':'none'}},"
	    "{'queue':1,'direction':'tx','irq':null,'cores':{}}]},"
	    "{'device':'usb0','driver':'r8152','up':false,'speed_bps':null,"
	    "'counters':{'source':'none','reason':'it has none'},'queues':[{'queue':0,"
	    "'direction':'rx'}]},{'device':'wg0','kind':'wireguard','up':null,'queues':[]}],"
	    "'interrupts':[{'irq':'26','affinity':'0-3','effective_affinity':'3'},"
	    "{'irq':'27','affinity':'1','effective_affinity':null}],"
	    "'cores':[{'core':0,'online':true,'eligible':true,'packet_load':0.004,'busy':0.05,"
	    "'hottest':false,'nic_interrupts_ps':1,'processed_pps':12,'rps_ps':5000,"
	    "'freq_hz':3.2e9,'freq_max_hz':3.4e9,'freq_measured':false,'fed_by':[]},"
	    "{'core':1,'online':true,'eligible':false,'fed_by':[]},{'core':2,'online':false},"
	    "{'core':3,'online':true,'eligible':true,'packet_load':0.98,'busy':0.99,'hottest':true,"
	    "'nic_interrupts_ps':12034,'processed_pps':62100,'rps_ps':0,'freq_hz':3.2e9,"
	    "'freq_max_hz':null,'freq_measured':true,'fed_by':["
	    "{'device':'eth0','queue':0,'direction':'rx'},{'device':'eth0','queue':0,"
	    "'direction':'tx'},{'device':'eth1','queue':null,'direction':null}]}],"
	    "'threads':[{'tid':812,'name':'napi/eth0-1','class':'napi','core':2,'load':0.974},"
	    "{'tid':12,'name':'ksoftirqd/0','class':'ksoftirqd','core':0,'load':0.001}]}");
	struct rs_page p;

	rs_page_init(&p, 0, false);
	rs_show_map(&p, doc);
	expect(&p, doc,
	    "2026-11-30 18:05:45, kernel 6.12, irqbalance off, 62 C\n"
	    "\n"
	    "eth0  igb  1 Gbit/s  up  rx 760 Mbit/s 62.1 kpps  tx 0 bit/s 0 pps\n"
	    "  queue counters: netlink every 1 s\n"
	    "  queue     pps  share  drops/s  irq  affinity  core:irq/s           "
	    "steering  polled by\n"
	    "  rx 0   61.0 k   98 %      120   26  0-3/3     3:12.0k 1:30 4:9 +2  "
	    "rps 0-3   napi/eth0-1 on 2, 97 %\n"
	    "  tx 0        -      -        -   27  1/-       none                 "
	    "off       -\n"
	    "  tx 1        -      -        -    -  -         -                    "
	    "-         -\n"
	    "\n"
	    "usb0  r8152  -  down  rx - -  tx - -\n"
	    "  queue counters: none, it has none\n"
	    "  queue     pps  share  drops/s  irq  affinity  core:irq/s\n"
	    "  rx 0        -      -        -    -  -         -\n"
	    "\n"
	    "wg0  wireguard  -  link -  rx - -  tx - -\n"
	    "\n"
	    " core   load               busy   irq/s     pps  GHz       fed by\n"
	    "    0   <1 %  ..........    5 %       1      12  3.2/3.4?  rps 5.00 k/s\n"
	    "    1      -  -               -       -       -  -         left out\n"
	    "    2      -  -               -       -       -  -         offline\n"
	    "  > 3   98 %  ##########   99 %  12.0 k  62.1 k  3.2       eth0 rx0 tx0, eth1\n"
	    "> the hottest core; GHz? is the clock asked for, not measured\n"
	    "\n"
	    " core   load  class      thread\n"
	    "    2   97 %  napi       napi/eth0-1 (812)\n");
}
END_TEST

START_TEST(the_map_says_when_a_driver_counts_no_packets)
{
	json_t *const doc = parse(
	    "{'devices':[{'device':'v','counters':{'source':'ethtool','pace_s':null,"
	    "'reason':null},'queues':[{'queue':0,'direction':'rx','pps':null,'drops_pps':0}]},"
	    "{'device':'u','counters':{'source':'ethtool','pace_s':2,'reason':null},"
	    "'queues':[{'queue':0,'direction':'rx','pps':0}]}]}");
	struct rs_page p;

	rs_page_init(&p, 0, false);
	rs_show_map(&p, doc);
	const char *const text = rs_buf_cstr(&p.out);

	ck_assert_ptr_nonnull(strstr(text, "\n  queue counters: ethtool, packets not known\n"));
	ck_assert_ptr_nonnull(strstr(text, "\n  queue counters: ethtool every 2 s\n"));
	rs_page_fini(&p);
	json_decref(doc);
}
END_TEST

/* The documents that the fuzzer starts from: one of each kind, with all keys. */
static const char *const seeds[] = {"summary", "findings", "changes", "map"};

static json_t *
load_seed(const char *name)
{
	char path[512];

	(void)snprintf(path, sizeof(path), RS_TEST_DIR "/fuzz/corpus/client/%s", name);
	json_t *const doc = json_load_file(path, 0, NULL);

	ck_assert_msg(doc != NULL, "%s", path);
	return doc;
}

/* Puts the value in place of the n-th below the document, counting from *n down;
 * NULL takes it out. */
static bool
replace(json_t *doc, size_t *n, json_t *value)
{
	for (size_t i = 0; i < json_array_size(doc); i++) {
		if ((*n)-- == 0)
			return value != NULL ? json_array_set(doc, i, value) == 0
					     : json_array_remove(doc, i) == 0;
		if (replace(json_array_get(doc, i), n, value))
			return true;
	}
	for (void *at = json_object_iter(doc); at != NULL; at = json_object_iter_next(doc, at)) {
		if ((*n)-- == 0)
			return value != NULL ? json_object_iter_set(doc, at, value) == 0
					     : json_object_del(doc, json_object_iter_key(at)) == 0;
		if (replace(json_object_iter_value(at), n, value))
			return true;
	}
	return false;
}

static void
show(const char *name, const json_t *doc)
{
	struct rs_page p;

	rs_page_init(&p, 80, false);
	if (name == seeds[0])
		rs_show_status(&p, doc, NULL, NULL);
	else if (name == seeds[1])
		rs_show_findings(&p, doc);
	else if (name == seeds[2])
		rs_show_changes(&p, doc);
	else
		rs_show_map(&p, doc);
	ck_assert(!p.out.failed);
	ck_assert_uint_gt(p.out.len, 0);
	for (size_t i = 0; i < p.out.len; i++)
		ck_assert_msg(p.out.data[i] == '\n' || (unsigned char)p.out.data[i] >= 0x20,
		    "byte %zu of %s", i, name);
	ck_assert_ptr_null(strstr(rs_buf_cstr(&p.out), "nan"));
	ck_assert_ptr_null(strstr(rs_buf_cstr(&p.out), "(null)"));
	rs_page_fini(&p);
}

START_TEST(every_value_may_be_missing_or_of_another_type)
{
	json_t *const values[] = {NULL, json_null(), json_true(), json_integer(-1),
	    json_real(1e300), json_string("\x1b[31m%s%n"), json_array(), json_object(),
	    json_pack("[{s:s}]", "irq", "26")};
	const char *const name = seeds[_i];
	json_t *const whole = load_seed(name);
	size_t n = 0;

	show(name, whole);
	for (bool is_within = true; is_within; n++) {
		for (size_t i = 0; i < RS_ARRAY_LEN(values); i++) {
			json_t *const doc = json_deep_copy(whole);
			size_t at = n;

			is_within = replace(doc, &at, values[i]);
			show(name, doc);
			json_decref(doc);
		}
	}
	ck_assert_uint_gt(n, 10);
	for (size_t i = 0; i < RS_ARRAY_LEN(values); i++)
		json_decref(values[i]);
	json_decref(whole);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("client_show");
	TCase *tc = tcase_create("client_show");

	tcase_add_checked_fixture(tc, set_up, NULL);
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, what_is_no_json_is_no_document, 0, (int)RS_ARRAY_LEN(no_documents));
	tcase_add_test(tc, deep_and_numerous_values_are_refused);
	tcase_add_test(tc, another_type_is_not_known);
	tcase_add_loop_test(
	    tc, a_subject_is_named_by_what_is_told_of_it, 0, (int)RS_ARRAY_LEN(subjects));
	tcase_add_loop_test(
	    tc, only_a_known_state_is_told_to_scripts, 0, (int)RS_ARRAY_LEN(states));
	tcase_add_test(tc, status_is_the_verdict_and_what_stands_behind_it);
	tcase_add_test(tc, status_of_nothing_is_dashes);
	tcase_add_test(tc, findings_show_evidence_causes_and_commands);
	tcase_add_test(tc, a_command_is_never_broken);
	tcase_add_test(tc, changes_come_newest_first);
	tcase_add_test(tc, nothing_to_show_is_said);
	tcase_add_test(tc, the_map_leads_from_the_queue_to_the_core);
	tcase_add_test(tc, the_map_says_when_a_driver_counts_no_packets);
	tcase_add_loop_test(
	    tc, every_value_may_be_missing_or_of_another_type, 0, (int)RS_ARRAY_LEN(seeds));
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())
