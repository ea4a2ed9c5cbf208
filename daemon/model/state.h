/* SPDX-License-Identifier: ISC */
/*
 * Private to the model: its parts and how they see each other.
 * model.c the tick; series.c slots and values; cores.c, nics.c, irqs.c the
 * entities, queues.c and threads.c too; facts.c the settings; view.c what is
 * shown, samples.c what is scraped.
 */
#ifndef RS_MODEL_STATE_H
#define RS_MODEL_STATE_H

#include "irqname.h"
#include "model.h"

#define RS_NO_SLOT UINT32_MAX
#define RS_ON_COUNT 5

/* One series while it lives. */
struct rs_series {
	uint32_t uid;	 /* 0: slot free */
	uint32_t column; /* in the block; RS_NO_SLOT: history has no room for it */
	uint16_t metric;
	bool has_prev;	   /* prev_raw and prev_ns are a reading */
	bool has_stored;   /* stored is this tick's */
	uint8_t pace_s;	   /* of the last reading, as in rs_reading */
	uint64_t prev_raw; /* of a sum made here: since the start */
	rs_ns prev_ns;
	uint64_t prev_tick;
	int64_t stored;
	double now; /* rate per second or level in units, of this tick; NAN: none */
	double last_rate_raw_ps;
	/* Of a source slower than the tick: what the next ticks still get of its
	 * last increment, and at which rate; of a gauge its level. */
	uint64_t held;
	uint32_t held_ticks;
	double held_now;
};

/* Who told which cores are online; the later the better. */
enum rs_online_by {
	RS_ONLINE_BY_NOBODY,
	RS_ONLINE_BY_INTERRUPTS, /* the columns of /proc/interrupts */
	RS_ONLINE_BY_SYSFS,
	RS_ONLINE_BY_STAT /* the rows of /proc/stat: as of this very tick */
};

struct rs_core_state {
	bool is_known, is_online;
	bool is_freq_measured; /* as of the last reading */
	uint32_t *slot; /* [local index of a metric]: RS_NO_SLOT until made; NULL until known */
};

struct rs_queue_state {
	uint32_t *slot; /* owned; NULL: no counters */
	uint64_t seen_tick;
	uint32_t line[2]; /* rx, tx: index into irqs, or RS_NO_SLOT */
	uint32_t napi[2]; /* rx, tx: id */
	bool has_napi[2];
};

struct rs_nic_state {
	struct rs_nic_info info;
	struct rs_queue_origin origin;
	struct rs_queue_state *queues; /* by number; owned */
	uint32_t n_queues;
	size_t cap_queues;
	bool was_seen_in_counters; /* this tick */
	bool has_counters;
	uint32_t *slot;
};

struct rs_irq_state {
	char name[16];
	char *rest; /* as read, for comparison; owned */
	size_t rest_len;
	char *chip, *actions; /* NUL-terminated; owned */
	bool is_numbered, is_nic;
	bool has_prev;
	bool has_value;		   /* this tick */
	uint32_t slot;		   /* of the total */
	uint32_t prev_row, prev_n; /* row in prev_cells, cells in it */
	struct rs_irq_feed *feeds; /* owned */
	uint32_t n_feeds;
	uint32_t first_moved, n_moved; /* this tick, into moved[] */
	double rate_ps;
	rs_ns unhandled_ns; /* when `unhandled` was read; 0: never */
	uint32_t unhandled;
	double unhandled_ps;
};

struct rs_model {
	struct rs_model_time now, before;
	bool has_before;
	rs_ns boot_offset_ns; /* boot clock minus monotonic */
	uint64_t tick;
	uint8_t local_index[RS_M_COUNT]; /* of a metric among those of its kind */
	uint8_t n_local[RS_ON_COUNT];

	struct rs_series *series; /* live values; as many as there are things to measure */
	struct rs_labels *labels; /* of the slots; apart, since a tick does not look at them */
	size_t cap_series, cap_labels;
	uint32_t n_series;    /* slots ever used */
	uint32_t *free_slots; /* a stack */
	size_t cap_free_slots;
	uint32_t n_free_slots;
	/* Columns of the block, max_series of them: stacks of the free ones; next:
	 * free from the next block on, since this one still names their owners. */
	uint32_t *free_now, *free_next;
	uint32_t n_free_now, n_free_next, n_columns_used, n_kept;
	uint32_t n_live, next_uid;
	uint32_t *host_slot;

	struct rs_core_state *cores; /* [cpu] */
	unsigned n_cores;
	enum rs_online_by online_by;

	struct rs_nic_state *nics; /* ascending ifindex */
	size_t n_nics, cap_nics;
	struct rs_nic_info *infos; /* copies of the infos, for irqname */
	size_t cap_infos;
	bool nics_changed, wants_nics;
	bool nics_counted; /* this tick */

	struct rs_irq_state *irqs; /* order of the source */
	uint32_t n_irqs, cap_irqs;
	uint16_t *columns; /* CPU of each column of prev_cells */
	uint32_t n_columns, cap_columns;
	uint32_t *prev_cells;
	size_t cap_prev_cells;
	rs_ns irqs_prev_ns;
	uint64_t irqs_prev_tick;
	bool irqs_have_prev, irqs_applied;
	struct rs_irq_cell *moved;
	uint32_t n_moved, cap_moved;
	double *cpu_irqs, *cpu_nic_irqs; /* [cpu] increments of this reading */
	unsigned cap_cpu_irqs;

	struct rs_block **blocks;
	struct rs_block *block; /* the current one, NULL before the first tick */
	int64_t stored_until_ms;

	struct rs_view view;
	struct rs_core_view *core_views;
	size_t cap_core_views;
	struct rs_nic_view *nic_views;
	size_t cap_nic_views;
	struct rs_irq_view *irq_views;
	size_t cap_irq_views;
	struct rs_queue_view *queue_views;
	size_t cap_queue_views;

	struct rs_napi *napis; /* as told last */
	size_t n_napis, cap_napis;
	struct rs_queue_napi *queue_napis;
	size_t n_queue_napis, cap_queue_napis;

	struct rs_thread_view *threads, *next_threads;
	size_t n_threads, cap_threads, cap_next_threads;
	bool has_threads;

	struct rs_fact *facts; /* sorted by kind, key and queue */
	char **fact_values;    /* theirs, owned */
	size_t n_facts, cap_facts, cap_fact_values;
	struct rs_change *changes; /* of this tick */
	size_t n_changes, cap_changes;
	int64_t next_change_id;

	struct rs_heavy_flow flows[RS_HEAVY_FLOWS_MAX]; /* as told last */
	size_t n_flows;
	struct rs_flow_table *flow_table; /* owned; of captured lists, NULL until the first */
	rs_ns flows_ns;
	bool has_flows;

	const char *missing;

	struct rs_model_stats stats;
	/* Large and seldom looked at: last, so that the rest is close together. */
	struct rs_model_conf conf;
	struct rs_cpu_info cpus;
};

/* Makes *array hold need elements; growth only, zeroed. 0 or -ENOMEM. */
int rs_model_grow(void **array, size_t *cap, size_t need, size_t size);
/* The same without zeroing: pages of a large array stay untouched until used. */
int rs_model_grow_raw(void **array, size_t *cap, size_t need, size_t size);

/* A NUL-terminated copy, or NULL. */
char *rs_model_copy_text(struct rs_text t);

/* The boot clock when this tick was due. */
rs_ns rs_model_due_boot(const struct rs_model *m);

/* series.c */
int rs_series_init(struct rs_model *m);
void rs_series_fini(struct rs_model *m);
void rs_series_begin(struct rs_model *m);
/* The slot of a metric on an entity, made when it is new; RS_NO_SLOT when refused. */
uint32_t rs_series_slot(
    struct rs_model *m, uint32_t *slots, enum rs_metric_id metric, const struct rs_labels *labels);
uint32_t rs_series_new(
    struct rs_model *m, enum rs_metric_id metric, const struct rs_labels *labels);
uint32_t *rs_slots_new(const struct rs_model *m, enum rs_on on);
/* Ends the series of an entity's slots. */
void rs_series_end(struct rs_model *m, uint32_t slot);
void rs_slots_end(struct rs_model *m, uint32_t *slots, enum rs_on on);
/* Forgets the last reading: the next one starts anew. */
void rs_slots_forget(struct rs_model *m, const uint32_t *slots, enum rs_on on);
/* pace_s as in rs_reading: the increment is spread over the ticks until the next
 * reading, a level stands for a while. */
void rs_series_read_paced(
    struct rs_model *m, uint32_t slot, uint64_t raw, rs_ns at_ns, uint8_t pace_s);
void rs_series_add(struct rs_model *m, uint32_t slot, uint64_t increment, rs_ns dt_ns);
void rs_series_level(struct rs_model *m, uint32_t slot, double value);
double rs_series_now(const struct rs_model *m, const uint32_t *slots, enum rs_metric_id metric);
void rs_series_store(struct rs_model *m);
void rs_series_announce(struct rs_model *m);

/* cores.c */
struct rs_core_state *rs_core_get(struct rs_model *m, unsigned cpu);
void rs_cores_apply(struct rs_model *m, const struct rs_frame *f);
/* Takes the set unless one who knows better has told. */
void rs_cores_online(struct rs_model *m, const struct rs_cpuset *seen, enum rs_online_by by);
void rs_cores_read(struct rs_model *m, const struct rs_frame *f, const struct rs_reading *r);
uint32_t rs_core_slot(struct rs_model *m, unsigned cpu, enum rs_metric_id metric);
void rs_cores_fini(struct rs_model *m);

/* nics.c */
void rs_nics_apply(struct rs_model *m, const struct rs_frame *f);
void rs_nics_read(struct rs_model *m, const struct rs_frame *f, const struct rs_reading *r);
void rs_nics_sweep(struct rs_model *m);
struct rs_nic_state *rs_nic_find(const struct rs_model *m, uint32_t ifindex);
void rs_nics_fini(struct rs_model *m);

/* irqs.c */
void rs_irqs_apply(struct rs_model *m, const struct rs_frame *f);
void rs_irqs_map(struct rs_model *m); /* feeds, after the interfaces changed */
void rs_irqs_take_unhandled(struct rs_model *m, const struct rs_frame *f);
double rs_irq_unhandled_now(const struct rs_model *m, const struct rs_irq_state *s);
void rs_napis_apply(struct rs_model *m, const struct rs_frame *f);
/* The interface a line serves and the queue (-1: none, or several), or NULL. */
const struct rs_nic_state *rs_irqs_nic_of(
    const struct rs_model *m, const char *name, int32_t *ret_queue);
void rs_irqs_fini(struct rs_model *m);

/* queues.c */
void rs_queues_read(struct rs_model *m, const struct rs_reading *r, rs_ns at_ns);
void rs_queues_apply(struct rs_model *m, const struct rs_frame *f);
void rs_queues_end(struct rs_model *m, struct rs_nic_state *n);
void rs_queues_unmap(struct rs_model *m);
/* line: index into irqs */
void rs_queues_map(struct rs_model *m, const struct rs_irq_feed *f, uint32_t line);
void rs_queues_set_napi(struct rs_model *m, const struct rs_queue_napi *q);
void rs_queues_view(struct rs_model *m);

/* threads.c */
void rs_threads_apply(struct rs_model *m, const struct rs_frame *f);
void rs_threads_view(struct rs_model *m);
void rs_threads_fini(struct rs_model *m);

/* flows.c */
void rs_flows_apply(struct rs_model *m, const struct rs_frame *f);
void rs_flows_view(struct rs_model *m);
void rs_flows_fini(struct rs_model *m);

/* facts.c; value {NULL, NULL}: it is no longer there */
void rs_fact_set(
    struct rs_model *m, enum rs_fact_id id, uint32_t key, uint16_t queue, struct rs_text value);
void rs_facts_apply(struct rs_model *m, const struct rs_frame *f);
/* The thing they are on is gone. */
void rs_facts_forget(struct rs_model *m, enum rs_on on, uint32_t key);
void rs_facts_fini(struct rs_model *m);

/* view.c */
void rs_view_build(struct rs_model *m);

#endif
