/* SPDX-License-Identifier: ISC */
/*
 * A frame's memory: arrays that grow to what one source needs and stay.
 */
#include "frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Limits that no machine reaches but a hostile capture may try: 16 M cells are
 * 1152 CPUs x 14 500 rows. */
#define IRQ_CELLS_MAX (16u << 20)
#define IRQ_ROWS_MAX 65536u
#define NICS_MAX 4096u
#define ITEMS_MAX 131072u
#define WORDS_MAX (16u << 20)
/* Keys of interfaces without ifindex lie above every index the kernel gives
 * (a positive int). */
#define NAMED_NIC_BASE 0x80000000u

/* Makes *array hold at least need elements of size, growing by half. */
static bool
grow(void **array, size_t *cap, size_t need, size_t size, size_t max)
{
	if (need <= *cap)
		return true;
	if (need > max)
		return false;
	size_t want = *cap + *cap / 2 + 16;
	want = RS_MAX(want, need);
	want = RS_MIN(want, max);
	void *p = realloc(*array, want * size);
	if (!p)
		return false;
	*array = p;
	*cap = want;
	return true;
}

static bool
grow32(void **array, uint32_t *cap, uint32_t need, size_t size, uint32_t max)
{
	size_t wide = *cap;
	const bool is_done = grow(array, &wide, need, size, max);
	*cap = (uint32_t)wide;
	return is_done;
}

int
rs_frame_new(size_t max_readings, struct rs_frame **ret)
{
	struct rs_frame *const f = calloc(1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	f->max_readings = max_readings;
	*ret = f;
	return 0;
}

void
rs_frame_free(struct rs_frame *f)
{
	if (!f)
		return;
	free(f->readings);
	free(f->irqs.cpu);
	free(f->irqs.rows);
	free(f->irqs.cells);
	free(f->nics);
	free(f->origins);
	free(f->napis);
	free(f->queue_napis);
	free(f->threads);
	free(f->facts);
	free(f->words);
	free(f->flows);
	free(f->connections);
	free(f);
}

void
rs_frame_reset(struct rs_frame *f, rs_ns at_ns)
{
	f->at_ns = at_ns;
	f->is_hot = f->has_new_channels = f->has_new_cores = false;
	f->n_loud_irqs = f->n_unhandled = 0;
	f->n_readings = 0;
	if (f->has_cpus_seen)
		rs_cpuset_zero(&f->cpus_seen);
	f->has_cpus_seen = false;
	f->irqs.is_present = false;
	f->irqs.columns = f->irqs.n_rows = f->irqs.n_cells = 0;
	f->has_nics = false;
	f->n_nics = 0;
	f->cpus.is_present = false;
	f->n_origins = f->n_napis = f->n_queue_napis = f->n_threads = 0;
	f->n_facts = f->n_words = 0;
	f->has_napis = f->has_threads = f->is_freq_measured = false;
	f->has_flows = f->has_connections = false;
	f->n_flows = f->n_connections = 0;
	f->skipped_rows = 0;
	*f->note = '\0';
	f->is_out_of_memory = false;
}

static void
put(struct rs_frame *f, struct rs_reading r)
{
	if (f->n_readings == f->cap_readings &&
	    !grow((void **)&f->readings, &f->cap_readings, f->n_readings + 1, sizeof(*f->readings),
		f->max_readings)) {
		f->is_out_of_memory = true;
		return;
	}
	f->readings[f->n_readings++] = r;
}

void
rs_put(struct rs_frame *f, enum rs_metric_id metric, uint32_t key, uint64_t value)
{
	rs_put_paced(f, metric, key, value, 0);
}

void
rs_put_paced(
    struct rs_frame *f, enum rs_metric_id metric, uint32_t key, uint64_t value, uint8_t pace_s)
{
	put(f, (struct rs_reading){
		   .metric = (uint8_t)metric, .pace_s = pace_s, .key = key, .value = value});
}

void
rs_put_queue(struct rs_frame *f, enum rs_metric_id metric, uint32_t ifindex, uint16_t queue,
    uint64_t value, uint8_t pace_s)
{
	put(f, (struct rs_reading){.metric = (uint8_t)metric,
		   .pace_s = pace_s,
		   .queue = queue,
		   .key = ifindex,
		   .value = value});
}

/* Room for one more, zeroed. */
static void *
append(struct rs_frame *f, void **array, size_t *n, size_t *cap, size_t size)
{
	if (!grow(array, cap, *n + 1, size, ITEMS_MAX)) {
		f->is_out_of_memory = true;
		return NULL;
	}
	void *const p = (char *)*array + *n * size;
	memset(p, 0, size);
	(*n)++;
	return p;
}

struct rs_queue_origin *
rs_frame_origin(struct rs_frame *f)
{
	return append(f, (void **)&f->origins, &f->n_origins, &f->cap_origins, sizeof(*f->origins));
}

struct rs_napi *
rs_frame_napi(struct rs_frame *f)
{
	return append(f, (void **)&f->napis, &f->n_napis, &f->cap_napis, sizeof(*f->napis));
}

struct rs_queue_napi *
rs_frame_queue_napi(struct rs_frame *f)
{
	return append(f, (void **)&f->queue_napis, &f->n_queue_napis, &f->cap_queue_napis,
	    sizeof(*f->queue_napis));
}

struct rs_thread *
rs_frame_thread(struct rs_frame *f)
{
	return append(f, (void **)&f->threads, &f->n_threads, &f->cap_threads, sizeof(*f->threads));
}

struct rs_heavy_flow *
rs_frame_flow(struct rs_frame *f)
{
	return append(f, (void **)&f->flows, &f->n_flows, &f->cap_flows, sizeof(*f->flows));
}

struct rs_connection *
rs_frame_connection(struct rs_frame *f)
{
	return append(f, (void **)&f->connections, &f->n_connections, &f->cap_connections,
	    sizeof(*f->connections));
}

static struct rs_fact_reading *
append_fact(struct rs_frame *f, enum rs_fact_id id, uint32_t key, uint16_t queue)
{
	struct rs_fact_reading *const r =
	    append(f, (void **)&f->facts, &f->n_facts, &f->cap_facts, sizeof(*f->facts));
	if (r)
		*r = (struct rs_fact_reading){
		    .id = (uint16_t)id, .queue = queue, .key = key, .len = UINT32_MAX};
	return r;
}

void
rs_put_fact(
    struct rs_frame *f, enum rs_fact_id id, uint32_t key, uint16_t queue, struct rs_text value)
{
	const size_t len = rs_text_len(value);
	if (!grow((void **)&f->words, &f->cap_words, f->n_words + len, 1, WORDS_MAX)) {
		f->is_out_of_memory = true;
		return;
	}
	struct rs_fact_reading *const r = append_fact(f, id, key, queue);
	if (!r)
		return;
	r->at = (uint32_t)f->n_words;
	r->len = (uint32_t)len;
	if (len > 0)
		memcpy(f->words + f->n_words, value.p, len);
	f->n_words += len;
}

void
rs_put_fact_gone(struct rs_frame *f, enum rs_fact_id id, uint32_t key, uint16_t queue)
{
	(void)append_fact(f, id, key, queue);
}

struct rs_nic_info *
rs_frame_nic(struct rs_frame *f)
{
	if (!grow((void **)&f->nics, &f->cap_nics, f->n_nics + 1, sizeof(*f->nics), NICS_MAX)) {
		f->is_out_of_memory = true;
		return NULL;
	}
	struct rs_nic_info *const n = &f->nics[f->n_nics++];
	memset(n, 0, sizeof(*n));
	n->speed_bps = n->carrier_changes = -1;
	n->duplex = n->is_up = -1;
	n->mtu = n->rx_queues = n->tx_queues = -1;
	return n;
}

bool
rs_frame_irq_columns(struct rs_frame *f, uint32_t columns)
{
	struct rs_irq_matrix *const m = &f->irqs;
	if (!grow32((void **)&m->cpu, &m->cap_columns, columns, sizeof(*m->cpu), RS_CPU_MAX)) {
		f->is_out_of_memory = true;
		return false;
	}
	m->columns = columns;
	return true;
}

struct rs_irq_row *
rs_frame_irq_row(struct rs_frame *f)
{
	struct rs_irq_matrix *const m = &f->irqs;
	if (!grow32(
		(void **)&m->rows, &m->cap_rows, m->n_rows + 1, sizeof(*m->rows), IRQ_ROWS_MAX) ||
	    !grow32((void **)&m->cells, &m->cap_cells, m->n_cells + m->columns, sizeof(*m->cells),
		IRQ_CELLS_MAX)) {
		f->is_out_of_memory = true;
		return NULL;
	}
	struct rs_irq_row *const r = &m->rows[m->n_rows++];
	memset(r, 0, sizeof(*r));
	r->first_cell = m->n_cells;
	m->n_cells += m->columns;
	return r;
}

/* FNV-1a, 31 bits used. */
static uint32_t
name_hash(struct rs_text name)
{
	uint32_t h = 2166136261u;
	for (const char *p = name.p; p < name.end; p++)
		h = (h ^ (uint8_t)*p) * 16777619u;
	return h;
}

static bool
key_is_taken(const struct rs_frame *f, uint32_t key)
{
	for (size_t i = 0; i < f->n_nics; i++) {
		if (f->nics[i].ifindex == key)
			return true;
	}
	return false;
}

uint32_t
rs_frame_named_nic(struct rs_frame *f, struct rs_text name)
{
	uint32_t key = NAMED_NIC_BASE | name_hash(name);
	while (key_is_taken(f, key))
		key = NAMED_NIC_BASE | (key + 1);
	struct rs_nic_info *const n = rs_frame_nic(f);
	if (!n)
		return 0;
	n->ifindex = key;
	(void)rs_text_copy(name, n->name, sizeof(n->name));
	n->is_loopback = strcmp(n->name, "lo") == 0;
	f->has_nics = true;
	return key;
}
