/* SPDX-License-Identifier: ISC */
/*
 * ringside map: devices, their queues, the interrupts of these and where they
 * fire.
 */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "args.h"
#include "cmd.h"
#include "doc.h"
#include "figure.h"
#include "table.h"
#include "words.h"

/* An interrupt may fire on every core; so many are named. */
enum { CORES_SHOWN = 3 };

static void
show_host(struct rs_page *p, const json_t *map)
{
	static const char *const names[] = {"kernel", "irqbalance", "cpu_boost"};
	const json_t *const host = json_object_get(map, "host");
	const json_t *const settings = json_object_get(host, "settings");
	const double celsius = rs_doc_number(host, "temperature_celsius");
	char when[24];

	rs_figure_time(rs_doc_number(map, "sampled_at_ms"), when);
	rs_page_printf(p, "%s", when);
	for (size_t i = 0; i < RS_ARRAY_LEN(names); i++) {
		const char *const value = rs_doc_string(settings, names[i]);

		if (value != NULL)
			rs_page_printf(p, ", %s %s", names[i], value);
	}
	if (fabs(celsius) < 1000)
		rs_page_printf(p, ", %.0f C", celsius);
	rs_page_end(p);
}

static void
show_rate(struct rs_page *p, const char *direction, double bps, double pps)
{
	char bits[24], packets[24];

	rs_figure(bps, "bit/s", bits);
	rs_figure(pps, "pps", packets);
	rs_page_printf(p, "  %s %s %s", direction, bits, packets);
}

static bool
has_packets(const json_t *queues)
{
	for (size_t i = 0; i < json_array_size(queues); i++) {
		if (!isnan(rs_doc_number(json_array_get(queues, i), "pps")))
			return true;
	}
	return false;
}

/* Where the counters of the queues come from, or why there are none. Some drivers
 * count drops only. */
static void
show_source(struct rs_page *p, const json_t *counters, const json_t *queues)
{
	const char *const source = rs_doc_word(counters, "source");
	const bool is_none = strcmp(source, "none") == 0;
	const char *reason = rs_doc_string(counters, "reason");
	char pace[48];

	if (reason == NULL && !is_none && !has_packets(queues))
		reason = "packets not known";

	rs_figure_quantity(rs_doc_number(counters, "pace_s"), "s", pace);
	rs_page_printf(p, "  queue counters: ");
	rs_page_printf(p, "%s", source);
	if (!is_none && pace[0] != '-')
		rs_page_printf(p, " every %s", pace);
	rs_page_prose(p, 4, "%s%s", reason != NULL ? ", " : "", reason != NULL ? reason : "");
}

static void
show_device(struct rs_page *p, const json_t *d)
{
	static const char *const links[] = {"link -", "down", "up"};
	const char *const driver = rs_doc_string(d, "driver");
	char speed[24];

	rs_figure_speed(rs_doc_number(d, "speed_bps"), speed);
	rs_page_style(p, RS_BOLD);
	rs_page_printf(p, "%s", rs_doc_word(d, "device"));
	rs_page_style(p, RS_PLAIN);
	rs_page_printf(p, "  %s  %s  %s", driver != NULL ? driver : rs_doc_word(d, "kind"), speed,
	    links[rs_doc_flag(d, "up") + 1]);
	show_rate(p, "rx", rs_doc_number(d, "rx_bps"), rs_doc_number(d, "rx_pps"));
	show_rate(p, "tx", rs_doc_number(d, "tx_bps"), rs_doc_number(d, "tx_pps"));
	rs_page_end(p);
}

/* "0-3/2": the cores wanted and those the controller took. */
static void
put_affinity(struct rs_table *t, const json_t *interrupt)
{
	const char *const wanted = rs_doc_string(interrupt, "affinity");
	const char *const effective = rs_doc_string(interrupt, "effective_affinity");

	if (wanted == NULL && effective == NULL)
		rs_table_cell(t, RS_PLAIN, "-");
	else
		rs_table_cell(t, RS_PLAIN, "%s/%s", wanted != NULL ? wanted : "-",
		    effective != NULL ? effective : "-");
}

struct firing {
	const char *core;
	double rate_ps;
};

/* Keeps the most frequent, the first of them in front. */
static void
keep(struct firing kept[static CORES_SHOWN], const char *core, double rate_ps)
{
	size_t at = CORES_SHOWN;

	while (at > 0 && (kept[at - 1].core == NULL || kept[at - 1].rate_ps < rate_ps))
		at--;
	if (at == CORES_SHOWN)
		return;
	memmove(&kept[at + 1], &kept[at], (CORES_SHOWN - 1 - at) * sizeof(kept[0]));
	kept[at] = (struct firing){core, rate_ps};
}

/* "3:12.0k 1:20 +5": cores by interrupts a second. */
static void
put_firing(struct rs_table *t, json_t *cores, bool has_irq)
{
	struct firing kept[CORES_SHOWN] = {{NULL, 0}};
	const size_t n = json_object_size(cores);

	rs_table_cell(t, RS_PLAIN, "%s",
	    n > 0			       ? ""
	    : has_irq && json_is_object(cores) ? "none"
					       : "-");
	for (void *at = json_object_iter(cores); at != NULL;
	     at = json_object_iter_next(cores, at)) {
		const json_t *const rate = json_object_iter_value(at);

		if (json_is_number(rate))
			keep(kept, json_object_iter_key(at), json_number_value(rate));
	}
	for (size_t i = 0; i < CORES_SHOWN && kept[i].core != NULL; i++) {
		char text[24];

		rs_figure(kept[i].rate_ps, "", text);
		char *const blank = strchr(text, ' ');

		if (blank != NULL)
			memmove(blank, blank + 1, strlen(blank));
		rs_table_add(t, "%s%.8s:%s", i > 0 ? " " : "", kept[i].core, text);
	}
	if (n > CORES_SHOWN)
		rs_table_add(t, " +%zu", n - CORES_SHOWN);
}

/* The masks that hand packets to other cores: those that are set, "off" when all
 * that is known is empty. */
static void
put_steering(struct rs_table *t, const json_t *settings)
{
	static const char *const names[][2] = {
	    {"rps_cpus", "rps"}, {"xps_cpus", "xps"}, {"xps_rxqs", "xps rx"}};
	const char *separator = "", *nothing = "-";

	rs_table_cell(t, RS_PLAIN, "%s", "");
	for (size_t i = 0; i < RS_ARRAY_LEN(names); i++) {
		const char *const mask = rs_doc_string(settings, names[i][0]);

		if (mask == NULL)
			continue;
		nothing = "off";
		if (strcmp(mask, "none") == 0)
			continue;
		rs_table_add(t, "%s%s %s", separator, names[i][1], mask);
		separator = ", ";
	}
	if (separator[0] == '\0')
		rs_table_add(t, "%s", nothing);
}

static void
put_thread(struct rs_table *t, const json_t *thread)
{
	char core[24], load[24];

	if (!json_is_object(thread)) {
		rs_table_cell(t, RS_PLAIN, "-");
		return;
	}
	rs_figure_index(rs_doc_number(thread, "core"), core);
	rs_figure_percent(rs_doc_number(thread, "load"), load);
	rs_table_cell(t, RS_PLAIN, "%s on %s, %s", rs_doc_word(thread, "name"), core, load);
}

static void
put_queue(struct rs_table *t, const json_t *q, const json_t *by_irq)
{
	const char *const irq = rs_doc_string(q, "irq");
	char queue[24], packets[24], share[24], drops[24];

	rs_figure_index(rs_doc_number(q, "queue"), queue);
	rs_figure(rs_doc_number(q, "pps"), "", packets);
	rs_figure_percent(rs_doc_number(q, "share"), share);
	rs_figure(rs_doc_number(q, "drops_pps"), "", drops);
	rs_table_cell(t, RS_PLAIN, "%s %s", rs_doc_word(q, "direction"), queue);
	rs_table_cell(t, RS_PLAIN, "%s", packets);
	rs_table_cell(t, RS_PLAIN, "%s", share);
	rs_table_cell(t, rs_doc_number(q, "drops_pps") > 0 ? RS_WARNING : RS_PLAIN, "%s", drops);
	rs_table_cell(t, RS_PLAIN, "%s", irq != NULL ? irq : "-");
	put_affinity(t, irq != NULL ? json_object_get(by_irq, irq) : NULL);
	put_firing(t, json_object_get(q, "cores"), irq != NULL);
	put_steering(t, json_object_get(q, "settings"));
	put_thread(t, json_object_get(q, "thread"));
}

static void
show_queues(struct rs_page *p, const json_t *queues, const json_t *by_irq)
{
	static const struct rs_column columns[] = {
	    {"queue", RS_LEFT, 5, false},
	    {"pps", RS_RIGHT, 6, false},
	    {"share", RS_RIGHT, 5, false},
	    {"drops/s", RS_RIGHT, 7, false},
	    {"irq", RS_RIGHT, 3, false},
	    {"affinity", RS_LEFT, 8, false},
	    {"core:irq/s", RS_LEFT, 10, false},
	    {"steering", RS_LEFT, 8, true},
	    {"polled by", RS_LEFT, 9, true},
	};
	struct rs_table t;

	rs_table_init(&t, columns, RS_ARRAY_LEN(columns));
	for (size_t i = 0; i < json_array_size(queues); i++)
		put_queue(&t, json_array_get(queues, i), by_irq);
	rs_table_print(&t, p, 2);
}

/* The interrupts by their number, so that a queue finds its own at once. NULL: no
 * memory. */
static json_t *
index_interrupts(const json_t *interrupts)
{
	json_t *const by_irq = json_object();

	for (size_t i = 0; i < json_array_size(interrupts); i++) {
		json_t *const one = json_array_get(interrupts, i);
		const char *const irq = rs_doc_string(one, "irq");

		if (irq != NULL)
			(void)json_object_set(by_irq, irq, one);
	}
	return by_irq;
}

void
rs_show_map(struct rs_page *p, const struct json_t *map)
{
	json_t *const by_irq = index_interrupts(json_object_get(map, "interrupts"));
	const json_t *const devices = json_object_get(map, "devices");

	p->out.failed |= by_irq == NULL;
	show_host(p, map);
	for (size_t i = 0; i < json_array_size(devices); i++) {
		const json_t *const d = json_array_get(devices, i);
		const json_t *const queues = json_object_get(d, "queues");

		rs_page_end(p);
		show_device(p, d);
		if (json_array_size(queues) > 0) {
			show_source(p, json_object_get(d, "counters"), queues);
			show_queues(p, queues, by_irq);
		}
	}
	json_decref(by_irq);
	rs_show_map_cores(p, map);
}

int
rs_cmd_map(struct rs_session *s, struct rs_error *e)
{
	json_t *map;
	const int rc = rs_session_ask(s, "map", RS_DOC_OBJECT, &map, e);

	if (rc < 0)
		return rc;
	if (!s->args->is_json)
		rs_show_map(&s->page, map);
	json_decref(map);
	return RS_EXIT_OK;
}
