/* SPDX-License-Identifier: ISC */
/*
 * /metrics over a model with names that mean harm, judged by a reader that is
 * stricter than those of Prometheus, and by promtool when its path is given.
 */
#include "rs_check.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "exposition.h"
#include "live.h"
#include "openmetrics.h"

#define S RS_NS_PER_S

/* --- the machine ------------------------------------------------------- */

/* A quote and a backslash, no UTF-8, an end of line, and a plain one. */
static const char *const devices[] = {"a\"b\\c", "wl\xff\xfe\xc3", "x\ny{}", "eth0"};
enum { N_DEVICES = 4, N_CORES = 3, N_LINES = 4 };

static struct rs_loop *loop;
static struct rs_store *store;
static struct rs_engine *engine;
static struct rs_model *model;
static struct rs_frame *frame;
static struct rs_live live;
static rs_ns now;
static struct rs_buf out;

static void
get_health(void *arg, struct rs_health *ret)
{
	static const struct rs_source_health sources[] = {
	    {.id = "stat", .state = "ok"}, {.id = "softnet", .state = "forbidden"}};

	(void)arg;
	*ret = (struct rs_health){.ticks = 9,
	    .tick_cpu_total_ns = 1234567,
	    .rss_bytes = 4096,
	    .pss_bytes = -1,
	    .sources = sources,
	    .n_sources = RS_ARRAY_LEN(sources)};
}

static void
on_block(void *arg, struct rs_block *b, bool is_committed)
{
	(void)arg;
	(void)b;
	(void)is_committed;
}

static void
put_cores(uint64_t n, unsigned n_online)
{
	frame->has_cpus_seen = true;
	for (unsigned cpu = 0; cpu < N_CORES; cpu++) {
		if (cpu < n_online)
			rs_cpuset_add(&frame->cpus_seen, cpu);
		rs_put(frame, RS_M_CPU_USER, cpu, 12345 + n);
		rs_put(frame, RS_M_CPU_IDLE, cpu, UINT64_MAX);
		rs_put(frame, RS_M_SOFTIRQ_HI, cpu, 0);
		rs_put(frame, RS_M_SOFTIRQ_BLOCK, cpu, cpu);
		rs_put(frame, RS_M_SOFTIRQ_NET_RX, cpu, 0);
		rs_put(frame, RS_M_SOFTNET_PROCESSED, cpu, UINT32_MAX - 5 + n);
	}
}

static void
put_nics(uint64_t n)
{
	frame->has_nics = true;
	for (uint32_t i = 0; i < N_DEVICES; i++) {
		struct rs_nic_info *const nic = rs_frame_nic(frame);

		ck_assert_ptr_nonnull(nic);
		nic->ifindex = i + 2;
		nic->rx_queues = nic->tx_queues = 2;
		(void)snprintf(nic->name, sizeof(nic->name), "%s", devices[i]);
		(void)snprintf(nic->driver, sizeof(nic->driver), "igb");
		rs_put(frame, RS_M_NIC_RX_BYTES, i + 2, n * 1000);
		rs_put(frame, RS_M_NIC_TX_BYTES, i + 2, n);
		for (uint16_t q = 0; q < 2; q++)
			rs_put_queue(frame, RS_M_QUEUE_RX_PACKETS, i + 2, q, n, 0);
	}
}

static void
put_line(const char *name, const char *rest, uint32_t count)
{
	struct rs_irq_row *const row = rs_frame_irq_row(frame);

	ck_assert_ptr_nonnull(row);
	row->name = rs_text_of(name);
	row->rest = rs_text_of(rest);
	row->is_numbered = isdigit((unsigned char)name[0]) != 0;
	row->cells = N_CORES;
	frame->irqs.cells[row->first_cell] = count;
	frame->irqs.cells[row->first_cell + 1] = 0;
	frame->irqs.cells[row->first_cell + 2] = 7;
	frame->irqs.n_cells = row->first_cell + N_CORES;
}

static void
put_lines(uint32_t n)
{
	frame->irqs.is_present = true;
	ck_assert(rs_frame_irq_columns(frame, N_CORES));
	for (uint16_t c = 0; c < N_CORES; c++)
		frame->irqs.cpu[c] = c;
	put_line("8", "IR-IO-APIC 8-edge rtc0", 100 * n);
	put_line("31", "PCI-MSI 524288-edge eth0-rx-0", 10 * n);
	put_line("32", "PCI-MSI 524289-edge eth0-rx-1", n);
	put_line("LOC", "Local timer interrupts", 1000 * n);
}

static void
put_fact(enum rs_fact_id id, uint32_t key, uint16_t queue, const char *value)
{
	rs_put_fact(frame, id, key, queue, rs_text_of(value));
}

static void
put_facts(void)
{
	char list[240];

	for (size_t i = 0; i < sizeof(list); i++)
		list[i] = i % 2 == 0 ? (char)('0' + i / 2 % 4) : ',';
	list[sizeof(list) - 1] = '\0';
	put_fact(RS_F_KERNEL, 0, RS_NO_QUEUE, "6.1 \"x\"\n");
	put_fact(RS_F_NETDEV_BUDGET, 0, RS_NO_QUEUE, "300");
	put_fact(RS_F_DEV_WEIGHT, 0, RS_NO_QUEUE, "many");
	put_fact(RS_F_GOVERNOR, 1, RS_NO_QUEUE, "schedutil");
	put_fact(RS_F_IRQ_AFFINITY, 8, RS_NO_QUEUE, "0-2");
	put_fact(RS_F_IRQ_AFFINITY, 31, RS_NO_QUEUE, "2");
	put_fact(RS_F_IRQ_EFFECTIVE, 31, RS_NO_QUEUE, "0,2");
	put_fact(RS_F_IRQ_EFFECTIVE, 99, RS_NO_QUEUE, "0");
	put_fact(RS_F_RSS_KEY, 5, RS_NO_QUEUE, "c0ffee");
	put_fact(RS_F_RSS_TABLE, 5, RS_NO_QUEUE, list);
	put_fact(RS_F_RING_RX, 5, RS_NO_QUEUE, "512");
	put_fact(RS_F_RPS_CPUS, 5, 1, "");
	put_fact(RS_F_RING_RX, 3, RS_NO_QUEUE, "1024");
}

static void
tick(uint64_t n, unsigned n_online)
{
	const struct rs_model_time t = {.mono_ns = now,
	    .due_ns = now,
	    .boot_ns = now,
	    .wall_ms = 1800000000000,
	    .is_clock_ok = true};

	rs_model_begin(model, &t);
	rs_frame_reset(frame, now);
	put_cores(n, n_online);
	put_nics(n);
	put_lines((uint32_t)n);
	put_facts();
	rs_model_apply(model, frame);
	rs_model_build_view(model);
	rs_model_put(model, RS_M_CORE_PACKET_LOAD, 0, 0.5);
	rs_model_put(model, RS_M_CORE_PACKET_LOAD, 1, 0.1234);
	rs_model_put(model, RS_M_CORE_PACKET_LOAD, 2, n_online > 2 ? 0.0 : (double)NAN);
	rs_model_put(model, RS_M_STATE, 0, 4);
	(void)rs_model_end(model);
	now += S;
}

static void
put_any(enum rs_metric_id metric)
{
	switch (rs_metrics[metric].on) {
	case RS_ON_HOST:
		rs_put(frame, metric, 0, 4);
		return;
	case RS_ON_CPU:
		rs_put(frame, metric, 0, 4);
		return;
	case RS_ON_NIC:
		rs_put(frame, metric, 5, 4);
		return;
	case RS_ON_QUEUE:
		rs_put_queue(frame, metric, 5, 0, 4, 0);
		return;
	case RS_ON_IRQ:
		return; /* not as a reading */
	}
}

/* A reading of each metric there is. */
static void
full_tick(void)
{
	const struct rs_model_time t = {.mono_ns = now, .due_ns = now, .boot_ns = now};

	rs_model_begin(model, &t);
	rs_frame_reset(frame, now);
	for (unsigned i = 0; i < RS_M_COUNT; i++)
		put_any((enum rs_metric_id)i);
	rs_model_apply(model, frame);
	rs_model_build_view(model);
	(void)rs_model_end(model);
	now += S;
}

static void
set_up(void)
{
	const struct rs_store_conf memory = {.interval_ns = S};
	const struct rs_model_conf c = {.interval_ns = S, .max_series = 500, .n_blocks = 3};
	struct rs_error e = {0};

	ck_assert_int_eq(rs_loop_new(&loop), 0);
	ck_assert_int_eq(rs_store_open(&memory, loop, on_block, NULL, &e, &store), 0);
	ck_assert_int_eq(rs_engine_new(rs_rules, NULL, 1, &engine), 0);
	ck_assert_int_eq(rs_model_new(&c, &model), 0);
	ck_assert_int_eq(rs_frame_new(10000, &frame), 0);
	rs_buf_init(&out, (size_t)64 << 20);
	live = (struct rs_live){
	    .model = model, .engine = engine, .store = store, .get_health = get_health};
	now = 600 * S;
}

static void
tear_down(void)
{
	rs_buf_fini(&out);
	rs_frame_free(frame);
	rs_model_free(model);
	rs_engine_free(engine);
	rs_store_close(store);
	rs_loop_free(loop);
}

static const char *
write_out(bool is_openmetrics)
{
	rs_buf_reset(&out);
	rs_openmetrics_write(&out, &live, is_openmetrics);
	ck_assert(!out.failed);
	return rs_buf_cstr(&out);
}

/* --- a strict reader --------------------------------------------------- */

enum { SAMPLES_MAX = 4096 };

struct reader {
	bool is_openmetrics;
	const char *line; /* for messages */
	char family[96], type[16];
	bool has_help;
	unsigned n_families, n_samples;
	char families[200][96];
	char *samples[SAMPLES_MAX]; /* name and labels */
};

#define must(r, cond) ck_assert_msg((cond), "%s: %.200s", #cond, (r)->line)

static bool
is_name(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (!islower((unsigned char)s[i]) && s[i] != '_' &&
		    !(i > 0 && isdigit((unsigned char)s[i])))
			return false;
	}
	return len > 0;
}

/* "# HELP name text", "# TYPE name type", "# UNIT name unit". */
static void
read_comment(struct reader *r, const char *line)
{
	char word[8], name[96], rest[1024] = "";

	must(r, sscanf(line, "# %7s %95s %1023[^\n]", word, name, rest) == 3);
	must(r, is_name(name, strlen(name)) && strncmp(name, "ringside_", 9) == 0);
	if (strcmp(word, "HELP") == 0) {
		must(r, r->n_families < RS_ARRAY_LEN(r->families));
		for (unsigned i = 0; i < r->n_families; i++)
			must(r, strcmp(r->families[i], name) != 0);
		(void)snprintf(r->families[r->n_families++], 96, "%s", name);
		(void)snprintf(r->family, sizeof(r->family), "%s", name);
		r->type[0] = '\0';
		return;
	}
	must(r, strcmp(name, r->family) == 0);
	if (strcmp(word, "TYPE") == 0) {
		must(r, r->type[0] == '\0');
		must(r, rs_text_copy(rs_text_of(rest), r->type, sizeof(r->type)));
		return;
	}
	must(r, r->is_openmetrics && strcmp(word, "UNIT") == 0);
	const size_t len = strlen(name), unit = strlen(rest);
	must(r, len > unit && name[len - unit - 1] == '_' && strcmp(name + len - unit, rest) == 0);
}

/* A quoted value from behind its quote to behind the next. */
static const char *
read_quoted(struct reader *r, const char *p)
{
	for (; *p != '"'; p++) {
		must(r, *p != '\0' && *p != '\n' && (unsigned char)*p < 0x80);
		if (*p != '\\')
			continue;
		p++;
		must(r, *p == '\\' || *p == '"' || *p == 'n');
	}
	return p + 1;
}

static const char *
read_labels(struct reader *r, const char *p)
{
	char seen[8][24];
	unsigned n = 0;

	do {
		const char *const name = ++p;

		p = strchr(p, '=');
		must(r, p != NULL && is_name(name, (size_t)(p - name)) && n < 8);
		must(r, rs_text_copy((struct rs_text){name, p}, seen[n], sizeof(seen[n])));
		for (unsigned i = 0; i < n; i++)
			must(r, strcmp(seen[i], seen[n]) != 0);
		n++;
		must(r, p[1] == '"');
		p = read_quoted(r, p + 2);
	} while (*p == ',');
	must(r, *p == '}');
	return p + 1;
}

/* Counter samples end with _total and info samples with _info. */
static void
check_sample_name(struct reader *r, const char *name, size_t len)
{
	char expected[110];
	const bool is_counter = strcmp(r->type, "counter") == 0;
	const bool is_info = strcmp(r->type, "info") == 0;

	must(r, is_counter || is_info || strcmp(r->type, "gauge") == 0);
	must(r, !is_info || r->is_openmetrics);
	(void)snprintf(expected, sizeof(expected), "%s%s", r->family,
	    !r->is_openmetrics ? ""
	    : is_counter       ? "_total"
	    : is_info	       ? "_info"
			       : "");
	must(r, strlen(expected) == len && strncmp(expected, name, len) == 0);
	const bool is_total = len > 6 && strncmp(name + len - 6, "_total", 6) == 0;
	must(r, is_total == is_counter);
}

static void
read_sample(struct reader *r, const char *line, size_t len)
{
	const size_t name = strcspn(line, "{ ");
	const char *p = line + name;
	char *end = NULL;

	check_sample_name(r, line, name);
	if (*p == '{')
		p = read_labels(r, p);
	must(r, r->n_samples < SAMPLES_MAX);
	char *const key = strndup(line, (size_t)(p - line));
	for (unsigned i = 0; i < r->n_samples; i++)
		must(r, strcmp(r->samples[i], key) != 0);
	r->samples[r->n_samples++] = key;
	must(r, *p == ' ' && (isdigit((unsigned char)p[1]) || p[1] == '-'));
	(void)strtod(p + 1, &end);
	must(r, end == line + len);
	must(r, strcmp(r->type, "info") != 0 || strcmp(p, " 1") != 0 || end == p + 2);
}

static void
read_line(struct reader *r, const char *line, size_t len, bool is_last)
{
	r->line = line;
	must(r, len > 0 && memchr(line, '\r', len) == NULL);
	if (strncmp(line, "# EOF\n", 6) == 0)
		must(r, r->is_openmetrics && is_last);
	else if (line[0] == '#')
		read_comment(r, line);
	else
		read_sample(r, line, len);
	must(r, !is_last || !r->is_openmetrics || strncmp(line, "# EOF\n", 6) == 0);
}

/* Reads the whole document; returns how many samples it has. */
static unsigned
read_all(const char *text, bool is_openmetrics)
{
	struct reader *const r = calloc(1, sizeof(*r));
	const char *newline;

	ck_assert_ptr_nonnull(r);
	r->is_openmetrics = is_openmetrics;
	for (; *text != '\0'; text = newline + 1) {
		newline = strchr(text, '\n');
		ck_assert_msg(newline != NULL, "the last line has no end");
		read_line(r, text, (size_t)(newline - text), newline[1] == '\0');
	}
	const unsigned n = r->n_samples;
	for (unsigned i = 0; i < n; i++)
		free(r->samples[i]);
	free(r);
	return n;
}

/* --- documents --------------------------------------------------------- */

START_TEST(both_formats_are_well_formed)
{
	tick(1, N_CORES);
	tick(2, N_CORES);
	const unsigned n = read_all(write_out(false), false);
	ck_assert_uint_gt(n, 80);
	ck_assert_uint_eq(read_all(write_out(true), true), n);
}
END_TEST

START_TEST(every_metric_there_is_is_told)
{
	char line[128];

	tick(1, N_CORES);
	tick(2, N_CORES);
	full_tick();
	const char *const text = write_out(false);
	for (unsigned i = 0; i < RS_M_COUNT; i++) {
		const struct rs_metric *const m = &rs_metrics[i];

		(void)snprintf(line, sizeof(line), "# TYPE ringside_%s%s %s\n", m->name,
		    m->kind == RS_COUNTER ? "_total" : "",
		    m->kind == RS_COUNTER ? "counter" : "gauge");
		ck_assert_msg(strstr(text, line) != NULL, "%s", line);
	}
	(void)read_all(text, false);
	(void)read_all(write_out(true), true);
}
END_TEST

START_TEST(a_model_without_a_tick_is_well_formed)
{
	ck_assert_uint_gt(read_all(write_out(false), false), 10);
	(void)read_all(write_out(true), true);
}
END_TEST

/* After two ticks; whole lines, except where cut short by the end. */
static const struct line_case {
	bool is_openmetrics, is_there;
	const char *line;
} line_cases[] = {
    {false, true, "ringside_build_info{version=\""},
    {false, true, "# TYPE ringside_build_info gauge\n"},
    {true, true, "# TYPE ringside_build info\n"},
    {false, true,
	"# HELP ringside_core_cpu_seconds_total user: CPU time in user mode, guests included; "
	"nice: CPU time in niced user mode; "},
    {false, true, "# TYPE ringside_core_cpu_seconds_total counter\n"},
    {true, true,
	"# TYPE ringside_core_cpu_seconds counter\n# UNIT ringside_core_cpu_seconds seconds\n"
	"ringside_core_cpu_seconds_total{cpu=\"0\",mode=\"user\"} 123.47\n"},
    {false, true, "ringside_core_cpu_seconds_total{cpu=\"0\",mode=\"user\"} 123.47\n"},
    /* A double cannot hold it; no digit is invented, none is lost before the point. */
    {false, true, "ringside_core_cpu_seconds_total{cpu=\"0\",mode=\"idle\"} 184467440737095520\n"},
    {false, true, "# HELP ringside_core_softirqs_total Softirq handler runs on the core\n"},
    {false, true, "ringside_core_softirqs_total{cpu=\"0\",mode=\"net_rx\"} 0\n"},
    {false, true, "ringside_core_softirqs_total{cpu=\"2\",mode=\"block\"} 2\n"},
    {false, false, "ringside_core_softirqs_total{cpu=\"0\",mode=\"block\"}"},
    {false, false, "mode=\"hi\""},
    /* A counter of 32 bits as read: it may fall. */
    {false, true, "ringside_core_softnet_processed_packets_total{cpu=\"0\"} 4294967292\n"},
    {false, true, "ringside_core_packet_load_ratio{cpu=\"1\"} 0.1234\n"},
    {false, true, "ringside_core_packet_load_ratio{cpu=\"0\"} 0.5\n"},
    {false, true, "ringside_core_packet_load_ratio{cpu=\"2\"} 0\n"},
    {true, true, "# UNIT ringside_core_packet_load_ratio ratio\n"},
    {false, true, "ringside_state 4\n"},
    {false, true, "ringside_interface_bytes_total{device=\"eth0\",direction=\"rx\"} 2000\n"},
    {false, true, "ringside_interface_bytes_total{device=\"eth0\",direction=\"tx\"} 2\n"},
    {false, true, "{device=\"a\\\"b\\\\c\",direction=\"rx\"} 2000\n"},
    {false, true, "{device=\"wl\\\\xff\\\\xfe\\\\xc3\",direction=\"rx\"} 2000\n"},
    {false, true, "{device=\"x\\ny{}\",direction=\"rx\"} 2000\n"},
    {false, true, "ringside_queue_packets_total{device=\"eth0\",queue=\"1\",direction=\"rx\"} 2\n"},
    /* What was counted since the start, of lines of interfaces only. */
    {false, true, "ringside_irq_interrupts_total{irq=\"31\"} 10\n"},
    {false, true, "ringside_irq_interrupts_total{irq=\"32\"} 1\n"},
    {false, false, "irq=\"8\""},
    {false, false, "irq=\"LOC\""},
    {false, true, "ringside_core_interrupts_total{cpu=\"0\"} 111\n"},
    {false, true, "ringside_core_nic_interrupts_total{cpu=\"0\"} 11\n"},
    /* Settings: words, numbers, and what is neither. */
    {false, true, "ringside_setting_info{setting=\"kernel\",value=\"6.1 \\\"x\\\"\\n\"} 1\n"},
    {false, true,
	"ringside_setting_info{setting=\"cpu_governor\",cpu=\"1\",value=\"schedutil\"} 1\n"},
    {false, true,
	"ringside_setting_info{setting=\"irq_affinity\",device=\"eth0\",queue=\"0\",irq=\"31\","
	"value=\"2\"} 1\n"},
    {false, true,
	"ringside_setting_info{setting=\"rps_cpus\",device=\"eth0\",queue=\"1\",direction=\"rx\","
	"value=\"\"} 1\n"},
    {false, true, "ringside_setting_value{setting=\"netdev_budget\"} 300\n"},
    {false, true, "ringside_setting_value{setting=\"ring_rx\",device=\"eth0\"} 512\n"},
    {false, true,
	"ringside_setting_value{setting=\"ring_rx\",device=\"wl\\\\xff\\\\xfe\\\\xc3\"} 1024\n"},
    {false, false, "dev_weight"},
    {false, false, "c0ffee"},
    {false, true, "0,1,2,3,0,1,2,3,0,1,...\"} 1\n"},
    {true, true, "# TYPE ringside_setting info\n"},
    {true, true, "# TYPE ringside_setting_value gauge\n"},
    /* Where the controller delivers; where none is told, where it fired. */
    {false, true,
	"ringside_queue_cpu_info{cpu=\"0\",device=\"eth0\",queue=\"0\",direction=\"rx\","
	"irq=\"31\"} 1\n"},
    {false, true,
	"ringside_queue_cpu_info{cpu=\"2\",device=\"eth0\",queue=\"0\",direction=\"rx\","
	"irq=\"31\"} 1\n"},
    {false, true,
	"ringside_queue_cpu_info{cpu=\"0\",device=\"eth0\",queue=\"1\",direction=\"rx\","
	"irq=\"32\"} 1\n"},
    {false, false, "cpu=\"2\",device=\"eth0\",queue=\"1\""},
    /* The instrument. */
    {false, true, "ringside_ticks_total 9\n"},
    {false, true, "ringside_tick_cpu_seconds_total 0.001234567\n"},
    {false, true, "ringside_process_resident_bytes 4096\n"},
    {false, false, "process_proportional"},
    {false, true, "ringside_store_state{state=\"memory\"} 1\n"},
    {false, true, "ringside_store_state{state=\"failing\"} 0\n"},
    {false, false, "store_size_bytes"},
    {false, true, "ringside_source_up{source=\"stat\"} 1\n"},
    {false, true, "ringside_source_up{source=\"softnet\"} 0\n"},
    {true, true, "\n# EOF\n"},
    {false, false, "# EOF"},
    {false, false, "# UNIT"},
};

START_TEST(lines_are_as_expected)
{
	const struct line_case *const c = &line_cases[_i];

	tick(1, N_CORES);
	tick(2, N_CORES);
	const char *const text = write_out(c->is_openmetrics);
	ck_assert_msg((strstr(text, c->line) != NULL) == c->is_there, "%s in\n%s", c->line, text);
}
END_TEST

/* How often one stands in the other. */
static unsigned
count(const char *text, const char *what)
{
	unsigned n = 0;

	while ((text = strstr(text, what)) != NULL) {
		n++;
		text++;
	}
	return n;
}

START_TEST(a_core_that_left_leaves_no_series_and_its_sums_go_on)
{
	tick(1, N_CORES);
	tick(2, N_CORES);
	ck_assert_uint_gt(count(write_out(false), "{cpu=\"2\",mode"), 0);
	const char *text = write_out(false);
	ck_assert_uint_eq(count(text, "ringside_core_interrupts_total{cpu=\"0\"} 111\n"), 1);
	tick(3, N_CORES - 1);
	text = write_out(false);
	ck_assert_uint_eq(count(text, "ringside_core_cpu_seconds_total{cpu=\"2\""), 0);
	ck_assert_uint_eq(count(text, "ringside_core_packet_load_ratio{cpu=\"2\""), 0);
	ck_assert_uint_eq(count(text, "ringside_core_cpu_seconds_total{cpu=\"1\""), 2);
	ck_assert_uint_eq(count(text, "ringside_core_interrupts_total{cpu=\"0\"} 222\n"), 1);
	tick(4, N_CORES);
	text = write_out(false);
	ck_assert_uint_eq(count(text, "ringside_core_cpu_seconds_total{cpu=\"2\""), 2);
	(void)read_all(text, false);
}
END_TEST

static void
empty_tick(void)
{
	const struct rs_model_time t = {.mono_ns = now, .due_ns = now, .boot_ns = now};

	rs_model_begin(model, &t);
	rs_model_build_view(model);
	(void)rs_model_end(model);
	now += S;
}

START_TEST(what_is_not_read_any_longer_goes)
{
	tick(1, N_CORES);
	tick(2, N_CORES);
	for (int i = 0; i < 9; i++)
		empty_tick();
	ck_assert_uint_gt(count(write_out(false), "ringside_interface_bytes_total"), 2);
	for (int i = 0; i < 3; i++)
		empty_tick();
	const char *const text = write_out(false);
	ck_assert_uint_eq(count(text, "ringside_interface_bytes_total"), 0);
	ck_assert_uint_eq(count(text, "ringside_core_"), 0);
	(void)read_all(text, false);
}
END_TEST

static void
say_two(const struct rs_view *v, const double *thresholds, struct rs_says *says)
{
	struct rs_subject core = {.kind = RS_SUBJECT_CORE, .queue = -1};

	(void)v;
	(void)thresholds;
	for (core.core = 0; core.core < 2; core.core++) {
		rs_say(says, &core, RS_COND_RAISE, RS_WARN, RS_HIGH);
		rs_message(says, "it is");
	}
}

static void
need_more(const struct rs_view *v, const double *thresholds, struct rs_says *says)
{
	(void)v;
	(void)thresholds;
	rs_needs(says, "more");
}

START_TEST(findings_are_counted_by_rule_and_severity)
{
	/* In the places of two rules of the program. */
	const struct rs_rule two = {.code = rs_rules[0]->code, .title = "t", .evaluate = say_two};
	const struct rs_rule none = {
	    .code = rs_rules[1]->code, .title = "t", .evaluate = need_more};
	const struct rs_rule *rules[64] = {&two, &none};
	char line[160];

	for (size_t i = 2; rs_rules[i] != NULL; i++) {
		ck_assert_uint_lt(i, RS_ARRAY_LEN(rules) - 1);
		rules[i] = rs_rules[i];
	}

	rs_engine_free(engine);
	ck_assert_int_eq(rs_engine_new(rules, NULL, 1, &engine), 0);
	live.engine = engine;
	for (uint64_t n = 1; n < 10; n++) {
		tick(n, N_CORES);
		rs_engine_run(engine, rs_model_view(model), NULL, NULL);
	}
	const struct rs_finding *active[RS_FINDINGS_MAX];
	ck_assert_uint_eq(rs_engine_active(engine, active, RS_FINDINGS_MAX), 2);
	static const unsigned expected[] = {0, 2, 0};
	const char *const text = write_out(false);
	for (unsigned s = 0; s <= RS_CRIT; s++) {
		(void)snprintf(line, sizeof(line),
		    "ringside_finding_active{code=\"%s\",severity=\"%s\"} %u\n", two.code,
		    rs_severity_name((enum rs_severity)s), expected[s]);
		ck_assert_msg(count(text, line) == 1, "%s", line);
	}
	(void)snprintf(line, sizeof(line), "code=\"%s\"", none.code);
	ck_assert_uint_eq(count(text, line), 0);
}
END_TEST

struct labels_case {
	const char *text;
	enum rs_metric_id metric;
	unsigned n;
};

/* Spells the series as the catalog does and looks for it. */
static void
look_for(void *arg, const struct rs_labels *l, double value)
{
	struct labels_case *const c = arg;
	const struct rs_metric *const m = &rs_metrics[c->metric];
	char line[256], label[24];
	size_t len = (size_t)snprintf(
	    line, sizeof(line), "\nringside_%s%s", m->name, m->kind == RS_COUNTER ? "_total" : "");
	char before = '{';

	/* Others need quoting, or are left out when they are 0. */
	if (strcmp(l->device, "") != 0 && strcmp(l->device, "eth0") != 0)
		return;
	if (value <= 0)
		return;
	for (size_t i = 0; rs_label_names[i] != NULL; i++) {
		if (!rs_label_value(m, l, rs_label_names[i], label))
			continue;
		len += (size_t)snprintf(line + len, sizeof(line) - len, "%c%s=\"%s\"", before,
		    rs_label_names[i], label);
		before = ',';
	}
	(void)snprintf(line + len, sizeof(line) - len, "%s ", before == ',' ? "}" : "");
	ck_assert_msg(count(c->text, line) == 1, "%s", line);
	c->n++;
}

START_TEST(series_have_the_names_and_labels_they_have_elsewhere)
{
	struct labels_case c = {0};

	tick(1, N_CORES);
	tick(2, N_CORES);
	c.text = write_out(false);
	for (unsigned i = 0; i < RS_M_COUNT; i++) {
		c.metric = (enum rs_metric_id)i;
		rs_model_each_sample(model, c.metric, look_for, &c);
	}
	ck_assert_uint_gt(c.n, 20);
}
END_TEST

/* --- numbers ----------------------------------------------------------- */

static const struct number_case {
	double value;
	uint32_t scale;
	const char *text;
} number_cases[] = {
    {0, 1, "0"},
    {-0.0, 1, "0"},
    {1, 1, "1"},
    {-3, 1, "-3"},
    {0.05, 100, "0.05"},
    {0.5, 100, "0.5"},
    {12.34, 100, "12.34"},
    {-12.34, 100, "-12.34"},
    {-0.001, 100, "0"},
    {0.005, 1000, "0.005"},
    {1e-9, 1000000000, "0.000000001"},
    {123456789.123456789, 1000000000, "123456789.1234568"},
    {9007199254740991.0, 1, "9007199254740991"},
    {18446744073709551616.0, 1, "18446744073709551616"},
    {12345678901234567890.0, 100, NULL},
    {1e300, 100, NULL},
};

START_TEST(numbers_are_exact_to_their_scale)
{
	const struct number_case *const c = &number_cases[_i];
	static const struct rs_family f = {"x", RS_FAMILY_GAUGE, NULL, "help"};
	struct rs_exposition x;

	rs_exposition_begin(&x, &out, false);
	rs_exposition_family(&x, &f);
	rs_exposition_sample(&x);
	rs_exposition_value(&x, c->value, c->scale);
	const char *const text = strrchr(rs_buf_cstr(&out), ' ') + 1;
	ck_assert_double_eq_tol(
	    strtod(text, NULL), c->value, fabs(c->value) * 1e-9 + 0.5 / c->scale);
	if (c->text != NULL) {
		ck_assert_uint_eq(strcspn(text, "\n"), strlen(c->text));
		ck_assert_int_eq(strncmp(text, c->text, strlen(c->text)), 0);
	}
}
END_TEST

/* --- Accept ------------------------------------------------------------ */

#define OM "application/openmetrics-text"
#define PROMETHEUS_2_42                                                                            \
	OM ";version=1.0.0," OM ";version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
#define PROMETHEUS_3                                                                               \
	OM ";version=1.0.0;escaping=allow-utf-8;q=0.6," OM ";version=0.0.1;q=0.5,"                 \
	   "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,"   \
	   "*/*;q=0.2"

static const struct accept_case {
	const char *accept;
	bool is_openmetrics;
} accept_cases[] = {
    {NULL, false},
    {"", false},
    {"*/*", false},
    {"text/html,application/xhtml+xml,*/*;q=0.8", false},
    {PROMETHEUS_2_42, true},
    {PROMETHEUS_3, true},
    {OM, true},
    {"Application/OpenMetrics-Text; Version=1.0.0; charset=utf-8", true},
    {OM "; version=1.0.0; q=0.2, text/plain; q=0.1", true},
    {OM ";version=1.0.0;q=0.1,text/plain;q=0.2", false},
    {OM ";version=1.0.0;q=0.5,*/*", false},
    {OM ";version=1.0.0;q=0.5,text/plain;q=0.4,*/*", true},
    {OM ";q=0.5,text/plain;q=0.5", true},
    {"text/plain," OM, true},
    {OM ";version=0.0.1", false},
    {OM ";version=2.0.0,text/plain;q=0.1", false},
    {OM ";q=0", false},
    {OM ";q=0,text/plain;q=0", false},
    {OM ";q=high", false},
    {OM ";q=", false},
    {OM ";q=-1", false},
    {OM ";q=2", false},
    {OM ";q=nan", false},
    {OM ";;;", false},
    {OM ";version", false},
    {OM "2", false},
    {"application/*", false},
    {",,,;;;===," OM, true},
    {"q=1", false},
    {";q=1", false},
};

START_TEST(accept_chooses_the_format_and_odd_ones_get_text)
{
	const struct accept_case *const c = &accept_cases[_i];

	ck_assert_msg(rs_exposition_wants_openmetrics(c->accept) == c->is_openmetrics, "%s",
	    c->accept != NULL ? c->accept : "(none)");
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("openmetrics");
	TCase *const t = tcase_create("openmetrics");

	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, both_formats_are_well_formed);
	tcase_add_test(t, every_metric_there_is_is_told);
	tcase_add_test(t, a_model_without_a_tick_is_well_formed);
	tcase_add_loop_test(t, lines_are_as_expected, 0, RS_ARRAY_LEN(line_cases));
	tcase_add_test(t, a_core_that_left_leaves_no_series_and_its_sums_go_on);
	tcase_add_test(t, what_is_not_read_any_longer_goes);
	tcase_add_test(t, findings_are_counted_by_rule_and_severity);
	tcase_add_test(t, series_have_the_names_and_labels_they_have_elsewhere);
	tcase_add_loop_test(t, numbers_are_exact_to_their_scale, 0, RS_ARRAY_LEN(number_cases));
	tcase_add_loop_test(
	    t, accept_chooses_the_format_and_odd_ones_get_text, 0, RS_ARRAY_LEN(accept_cases));
	suite_add_tcase(s, t);
	return s;
}

/* --- promtool ---------------------------------------------------------- */

static const char *promtool;

START_TEST(promtool_finds_nothing_to_complain_of)
{
	char command[512];

	tick(1, N_CORES);
	tick(2, N_CORES);
	full_tick();
	ck_assert_int_lt(snprintf(command, sizeof(command), "'%s' check metrics", promtool), 512);
	const char *const text = write_out(false);
	FILE *const to = popen(command, "w");
	ck_assert_ptr_nonnull(to);
	ck_assert_int_ne(fputs(text, to), EOF);
	ck_assert_int_eq(pclose(to), 0);
}
END_TEST

/* With the path of promtool the test above, else the others. */
int
main(int argc, char **argv)
{
	if (argc < 2)
		return rs_check_run(suite());
	promtool = argv[1];
	if (access(promtool, X_OK) < 0) {
		(void)printf("SKIPPED: promtool is missing\n");
		return RS_CHECK_SKIP;
	}
	Suite *const s = suite_create("promtool");
	TCase *const t = tcase_create("promtool");

	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, promtool_finds_nothing_to_complain_of);
	suite_add_tcase(s, t);
	return rs_check_run(s);
}
