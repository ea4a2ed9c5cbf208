/* SPDX-License-Identifier: ISC */
/*
 * The other side of the map: cores, what feeds them, threads that work there.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "doc.h"
#include "figure.h"
#include "table.h"
#include "words.h"

#define LOAD_HIGH 0.7
#define LOAD_FULL 0.9
/* Threads below this share of a core are not worth a line. */
#define THREAD_LOAD_SHOWN 0.01

static enum rs_style
style_of(double load)
{
	return load >= LOAD_FULL ? RS_CRITICAL : load >= LOAD_HIGH ? RS_WARNING : RS_PLAIN;
}

static void
put_percent(struct rs_table *t, enum rs_style style, double ratio)
{
	char text[24];

	rs_figure_percent(ratio, text);
	rs_table_cell(t, style, "%s", text);
}

static void
put_figure(struct rs_table *t, double value)
{
	char text[24];

	rs_figure(value, "", text);
	rs_table_cell(t, RS_PLAIN, "%s", text);
}

/* "3.2/3.4", a clock that was asked for and not measured with a "?". */
static bool
put_clock(struct rs_table *t, const json_t *core)
{
	const double hz = rs_doc_number(core, "freq_hz");
	const double max_hz = rs_doc_number(core, "freq_max_hz");
	const bool is_asked = rs_doc_flag(core, "freq_measured") == 0;

	if (!(hz > 0 && hz < 1e12)) {
		rs_table_cell(t, RS_PLAIN, "-");
		return false;
	}
	rs_table_cell(t, RS_PLAIN, "%.1f", hz / 1e9);
	if (max_hz > 0 && max_hz < 1e12)
		rs_table_add(t, "/%.1f", max_hz / 1e9);
	rs_table_add(t, "%s", is_asked ? "?" : "");
	return is_asked;
}

/* "eth0 rx0 tx0, eth1 rx2, rps 1.20 k/s": whose interrupts it serves, and how
 * often other cores wake it by RPS to hand packets over. A core that is not
 * counted says so first. */
static void
put_feeds(struct rs_table *t, const json_t *core)
{
	const json_t *const feeds = json_object_get(core, "fed_by");
	const double rps_ps = rs_doc_number(core, "rps_ps");
	const char *separator = "", *before = "";

	rs_table_cell(t, RS_PLAIN, "%s", "");
	if (rs_doc_flag(core, "online") == 0 || rs_doc_flag(core, "eligible") == 0) {
		rs_table_add(t, "%s", rs_doc_flag(core, "online") == 0 ? "offline" : "left out");
		separator = ", ";
	}
	for (size_t i = 0; i < json_array_size(feeds); i++) {
		const json_t *const f = json_array_get(feeds, i);
		const char *const device = rs_doc_word(f, "device");
		const char *const direction = rs_doc_string(f, "direction");
		char queue[24];

		rs_figure_index(rs_doc_number(f, "queue"), queue);
		if (strcmp(before, device) != 0)
			rs_table_add(t, "%s%s", separator, device);
		if (direction != NULL || queue[0] != '-')
			rs_table_add(t, " %s%s", direction != NULL ? direction : "", queue);
		separator = ", ";
		before = device;
	}
	if (rps_ps > 0) {
		char woken[24];

		rs_figure(rps_ps, "/s", woken);
		rs_table_add(t, "%srps %s", separator, woken);
	} else if (separator[0] == '\0') {
		rs_table_add(t, "-");
	}
}

/* Whether its clock is one that was asked for. */
static bool
put_core(struct rs_table *t, const json_t *c)
{
	const double load = rs_doc_number(c, "packet_load");
	char core[24], bar[12];

	rs_figure_index(rs_doc_number(c, "core"), core);
	rs_figure_bar(load, bar);
	rs_table_cell(t, RS_BOLD, "%s%s", rs_doc_flag(c, "hottest") == 1 ? "> " : "", core);
	put_percent(t, style_of(load), load);
	rs_table_cell(t, style_of(load), "%s", bar);
	put_percent(t, RS_PLAIN, rs_doc_number(c, "busy"));
	put_figure(t, rs_doc_number(c, "nic_interrupts_ps"));
	put_figure(t, rs_doc_number(c, "processed_pps"));
	const bool is_asked = put_clock(t, c);

	put_feeds(t, c);
	return is_asked;
}

static void
show_cores(struct rs_page *p, const json_t *cores)
{
	static const struct rs_column columns[] = {
	    {"core", RS_RIGHT, 5, false},
	    {"load", RS_RIGHT, 5, false},
	    {"", RS_LEFT, 10, false},
	    {"busy", RS_RIGHT, 5, false},
	    {"irq/s", RS_RIGHT, 6, false},
	    {"pps", RS_RIGHT, 6, false},
	    {"GHz", RS_LEFT, 8, true},
	    {"fed by", RS_LEFT, 0, false},
	};
	bool has_asked = false;
	struct rs_table t;

	rs_table_init(&t, columns, RS_ARRAY_LEN(columns));
	for (size_t i = 0; i < json_array_size(cores); i++)
		has_asked |= put_core(&t, json_array_get(cores, i));
	if (t.n_cells == 0)
		return;
	rs_page_end(p);
	rs_table_print(&t, p, 0);
	rs_page_printf(p, "> the hottest core");
	if (has_asked)
		rs_page_printf(p, "; GHz? is the clock asked for, not measured");
	rs_page_end(p);
}

static void
show_threads(struct rs_page *p, const json_t *threads)
{
	static const struct rs_column columns[] = {
	    {"core", RS_RIGHT, 5, false},
	    {"load", RS_RIGHT, 5, false},
	    {"class", RS_LEFT, 9, false},
	    {"thread", RS_LEFT, 0, false},
	};
	struct rs_table t;

	rs_table_init(&t, columns, RS_ARRAY_LEN(columns));
	for (size_t i = 0; i < json_array_size(threads); i++) {
		const json_t *const one = json_array_get(threads, i);
		const double load = rs_doc_number(one, "load");
		char core[24], tid[24];

		if (!(load >= THREAD_LOAD_SHOWN))
			continue;
		rs_figure_index(rs_doc_number(one, "core"), core);
		rs_figure_index(rs_doc_number(one, "tid"), tid);
		rs_table_cell(&t, RS_PLAIN, "%s", core);
		put_percent(&t, style_of(load), load);
		rs_table_cell(&t, RS_PLAIN, "%s", rs_doc_word(one, "class"));
		rs_table_cell(&t, RS_PLAIN, "%s (%s)", rs_doc_word(one, "name"), tid);
	}
	if (t.n_cells > 0)
		rs_page_end(p);
	rs_table_print(&t, p, 0);
}

void
rs_show_map_cores(struct rs_page *p, const struct json_t *map)
{
	show_cores(p, json_object_get(map, "cores"));
	show_threads(p, json_object_get(map, "threads"));
}
