/* SPDX-License-Identifier: ISC */
/*
 * The living map: devices, their queues, the interrupt lines that serve them and
 * the cores these fire on, with the settings that decided so. Loop thread.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api.h"
#include "irqname.h"
#include "num.h"
#include "route.h"
#include "server.h"

static const char *const source_names[] = {
    [RS_QUEUES_NONE] = "none", [RS_QUEUES_NETLINK] = "netlink", [RS_QUEUES_ETHTOOL] = "ethtool"};

static const char *const class_names[] = {[RS_THREAD_NAPI] = "napi",
    [RS_THREAD_IRQ] = "irq",
    [RS_THREAD_VPN] = "vpn",
    [RS_THREAD_KSOFTIRQD] = "ksoftirqd",
    [RS_THREAD_USER] = "user"};

static const char *
direction_name(const struct rs_queue_view *q)
{
	return q->is_tx ? "tx" : "rx";
}

static const char *
device_name(const struct rs_view *v, uint32_t ifindex)
{
	const struct rs_nic_view *nic = ifindex != 0 ? rs_view_nic(v, ifindex) : NULL;

	return nic != NULL ? nic->info.name : NULL;
}

/* What both lists of queues say of one. */
static void
put_rates(struct rs_json *j, const struct rs_queue_view *q)
{
	rs_json_put_uint(j, "queue", q->queue);
	rs_json_put_string(j, "direction", direction_name(q));
	rs_json_put_double(j, "pps", q->pps);
	rs_json_put_double(j, "bps", q->bps);
	rs_json_put_double(j, "drops_pps", q->drops_pps);
	rs_json_put_double(j, "share", q->share);
	rs_json_put_known_string(j, "irq", q->line != NULL ? q->line->name : NULL);
}

static void
put_queue(struct rs_json *j, const struct rs_view *v, const struct rs_queue_view *q)
{
	rs_json_object(j);
	rs_json_put_known_string(j, "device", device_name(v, q->ifindex));
	put_rates(j, q);
	rs_json_key(j, "cores");
	rs_json_array(j);
	for (uint32_t i = 0; q->line != NULL && i < q->line->n_cells; i++) {
		if (q->line->cells[i].rate_ps > 0)
			rs_json_uint(j, q->line->cells[i].cpu);
	}
	rs_json_end(j);
	rs_json_put_string(j, "source", source_names[q->source]);
	rs_json_end(j);
}

void
rs_api_put_queues(struct rs_json *j, const struct rs_view *v)
{
	rs_json_array(j);
	for (size_t i = 0; i < v->n_queues; i++)
		put_queue(j, v, &v->queues[i]);
	rs_json_end(j);
}

static void
put_setting(struct rs_json *j, unsigned id, const char *value)
{
	char shown[32];
	const size_t most = RS_MIN(rs_fact_shown(id), sizeof(shown) - 4);

	if (value == NULL)
		return;
	if (strlen(value) > rs_fact_shown(id)) {
		memcpy(shown, value, most);
		memcpy(shown + most, "...", 4);
		value = shown;
	}
	rs_json_put_string(j, rs_facts[id].name, value);
}

/* The settings of one thing as an object of texts. */
static void
put_settings(
    struct rs_json *j, const struct rs_view *v, enum rs_on on, uint32_t key, uint16_t queue)
{
	rs_json_key(j, "settings");
	rs_json_object(j);
	for (unsigned id = 0; id < RS_F_COUNT; id++) {
		const char *value = NULL;

		if (rs_facts[id].on == on)
			value = rs_view_fact(v, (enum rs_fact_id)id, key, queue);
		put_setting(j, id, value);
	}
	rs_json_end(j);
}

/* Receive and transmit queues of one number are two things. */
static void
put_queue_settings(struct rs_json *j, const struct rs_view *v, const struct rs_queue_view *q)
{
	rs_json_key(j, "settings");
	rs_json_object(j);
	for (unsigned id = 0; id < RS_F_COUNT; id++) {
		const bool is_of_way =
		    rs_facts[id].on == RS_ON_QUEUE && (*rs_facts[id].direction == 't') == q->is_tx;
		const char *value =
		    is_of_way ? rs_view_fact(v, (enum rs_fact_id)id, q->ifindex, q->queue) : NULL;

		put_setting(j, id, value);
	}
	rs_json_end(j);
}

static void
put_thread(struct rs_json *j, const struct rs_view *v, const struct rs_thread_view *t)
{
	rs_json_object(j);
	rs_json_put_int(j, "tid", t->thread.tid);
	rs_json_put_int(j, "pid", t->thread.pid);
	rs_json_put_string(j, "name", t->thread.name);
	rs_json_put_string(j, "class", class_names[t->thread.class]);
	rs_json_put_known_string(j, "device", device_name(v, t->thread.ifindex));
	rs_json_put_known_int(j, "core", t->thread.cpu);
	rs_json_put_double(j, "load", t->load);
	rs_json_end(j);
}

static void
put_napi(struct rs_json *j, const struct rs_view *v, const struct rs_queue_view *q)
{
	const struct rs_thread_view *const t = rs_view_queue_thread(v, q);

	rs_json_put_known_int(j, "napi_id", q->napi != 0 ? (int64_t)q->napi : -1);
	rs_json_key(j, "thread");
	if (t != NULL)
		put_thread(j, v, t);
	else
		rs_json_null(j);
}

static void
put_map_queue(struct rs_json *j, const struct rs_view *v, const struct rs_queue_view *q)
{
	rs_json_object(j);
	put_rates(j, q);
	put_napi(j, v, q);
	rs_json_key(j, "cores");
	rs_api_put_cells(j, q->line);
	put_queue_settings(j, v, q);
	rs_json_end(j);
}

static void
put_counters(struct rs_json *j, const struct rs_queue_origin *o)
{
	rs_json_key(j, "counters");
	rs_json_object(j);
	rs_json_put_string(j, "source", source_names[o->source]);
	rs_json_put_known_int(j, "pace_s", o->pace_s > 0 ? o->pace_s : -1);
	rs_json_put_known_string(j, "reason", o->reason);
	rs_json_end(j);
}

static void
put_device(struct rs_json *j, const struct rs_view *v, const struct rs_nic_view *n)
{
	rs_json_object(j);
	rs_json_put_string(j, "device", n->info.name);
	rs_json_put_uint(j, "ifindex", n->info.ifindex);
	rs_json_put_known_string(j, "driver", n->info.driver);
	rs_json_put_known_string(j, "kind", n->info.kind);
	/* Whether the sums of the machine have it. */
	rs_json_put_bool(j, "counted", n->counts_in_sums);
	rs_json_key(j, "up");
	if (n->info.is_up < 0)
		rs_json_null(j);
	else
		rs_json_bool(j, n->info.is_up == 1);
	rs_json_put_known_int(j, "speed_bps", n->info.speed_bps);
	rs_json_put_double(j, "rx_pps", n->rx_pps);
	rs_json_put_double(j, "tx_pps", n->tx_pps);
	rs_json_put_double(j, "rx_bps", n->rx_bps);
	rs_json_put_double(j, "tx_bps", n->tx_bps);
	put_counters(j, &n->origin);
	put_settings(j, v, RS_ON_NIC, n->info.ifindex, RS_NO_QUEUE);
	rs_json_key(j, "queues");
	rs_json_array(j);
	for (uint32_t i = 0; i < n->n_queues; i++)
		put_map_queue(j, v, &v->queues[n->first_queue + i]);
	rs_json_end(j);
	rs_json_end(j);
}

static void
put_core(struct rs_json *j, const struct rs_view *v, const struct rs_core_view *c)
{
	rs_json_object(j);
	rs_json_put_uint(j, "core", c->cpu);
	rs_json_put_bool(j, "online", c->is_online);
	rs_json_put_bool(j, "eligible", c->is_eligible);
	rs_json_put_bool(j, "hottest", v->has_packet_load && v->hottest_core == c->cpu);
	rs_json_put_double(j, "packet_load", c->packet_load);
	rs_json_put_double(j, "busy", c->busy);
	rs_json_put_double(j, "packet_threads", c->packet_threads);
	rs_json_put_double(j, "nic_interrupts_ps", c->nic_interrupts_ps);
	rs_json_put_double(j, "processed_pps", c->processed_pps);
	rs_json_put_double(j, "rps_ps", c->rps_ps);
	rs_json_put_double(j, "freq_hz", c->freq_hz);
	rs_json_put_double(j, "freq_max_hz", c->freq_max_hz);
	rs_json_key(j, "freq_measured");
	if (isnan(c->freq_hz))
		rs_json_null(j);
	else
		rs_json_bool(j, c->is_freq_measured);
	rs_json_put_double(j, "throttled_ps", c->throttled_ps);
	rs_api_put_fed_by(j, v, c->cpu);
	put_settings(j, v, RS_ON_CPU, c->cpu, RS_NO_QUEUE);
	rs_json_end(j);
}

static bool
is_of_nic(const struct rs_irq_view *irq)
{
	return irq->n_feeds > 0;
}

static void
put_map(struct rs_json *j, const struct rs_view *v)
{
	rs_json_object(j);
	rs_json_put_known_int(j, "sampled_at_ms", v->tick != 0 ? v->wall_ms : -1);
	rs_json_key(j, "host");
	rs_json_object(j);
	rs_json_put_double(j, "temperature_celsius", v->temperature_celsius);
	put_settings(j, v, RS_ON_HOST, 0, RS_NO_QUEUE);
	rs_json_end(j);
	rs_json_key(j, "devices");
	rs_json_array(j);
	for (size_t i = 0; i < v->n_nics; i++) {
		if (!v->nics[i].info.is_loopback)
			put_device(j, v, &v->nics[i]);
	}
	rs_json_end(j);
	rs_json_key(j, "interrupts");
	rs_json_array(j);
	for (size_t i = 0; i < v->n_irqs; i++) {
		if (is_of_nic(&v->irqs[i]))
			rs_api_put_interrupt(j, v, &v->irqs[i]);
	}
	rs_json_end(j);
	rs_json_key(j, "cores");
	rs_json_array(j);
	for (size_t i = 0; i < v->n_cores; i++)
		put_core(j, v, &v->cores[i]);
	rs_json_end(j);
	rs_json_key(j, "threads");
	rs_json_array(j);
	for (size_t i = 0; i < v->n_threads; i++)
		put_thread(j, v, &v->threads[i]);
	rs_json_end(j);
	rs_json_end(j);
}

int
rs_api_queues(struct rs_request *q, struct rs_reply *r)
{
	struct rs_json j;

	rs_reply_json(r, &j);
	rs_api_put_queues(&j, rs_model_view(q->web->live->model));
	return rs_reply_json_end(r, &j);
}

int
rs_api_map(struct rs_request *q, struct rs_reply *r)
{
	struct rs_json j;

	rs_reply_json(r, &j);
	put_map(&j, rs_model_view(q->web->live->model));
	return rs_reply_json_end(r, &j);
}
