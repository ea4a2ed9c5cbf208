/* SPDX-License-Identifier: ISC */
/*
 * What one sample of a capture says: counts as read, from the daemon's own
 * collectors and from pasted outputs. sample.c takes the kernel's files and hands
 * their frames on, files.c the outputs; counted.c makes differences of two
 * samples.
 */
#ifndef RS_SAMPLE_H
#define RS_SAMPLE_H

#include "cpuset.h"
#include "diagnose/capture.h"
#include "frame.h"
#include "import/ethtool_text.h"
#include "import/netstat_q.h"
#include "import/pathlines.h"
#include "import/sar.h"
#include "import/screen.h"
#include "linux/stat_names.h"

/* A copy of the interrupts x cores matrix; texts are owned. */
struct rs_lines_row {
	char name[16];
	char *rest; /* behind the counts */
	uint32_t first_cell, cells;
	bool is_numbered;
};
struct rs_lines_table {
	bool is_present;
	uint16_t *cpu; /* of each column; owned */
	uint32_t columns;
	struct rs_lines_row *rows; /* owned */
	size_t n_rows;
	uint32_t *cells; /* owned */
	/* All rows of the file, those that could not be used too. */
	uint32_t all_rows, numbered_rows;
};

/* Counts of a core that are looked at. */
enum rs_core_count {
	RS_COUNT_NET_RX,
	RS_COUNT_PROCESSED,
	RS_COUNT_DROPPED,
	RS_COUNT_SQUEEZED,
	RS_COUNT_RPS,
	RS_COUNT_USER, /* CPU time in 1/100 s from here on */
	RS_COUNT_NICE,
	RS_COUNT_SYSTEM,
	RS_COUNT_IDLE,
	RS_COUNT_IOWAIT,
	RS_COUNT_IRQ,
	RS_COUNT_SOFTIRQ,
	RS_COUNT_STEAL,
	RS_COUNTS
};
#define RS_COUNT_NONE UINT64_MAX

struct rs_core_counts {
	uint64_t at[RS_COUNTS]; /* RS_COUNT_NONE: not read */
	bool has_softirqs;	/* any softirq ever ran there */
};

/* What outputs say of a device. */
struct rs_device_file {
	char name[64];
	struct rs_import_driver driver; /* ethtool -i */
	struct rs_import_settings settings;
	struct rs_import_table *table; /* ethtool -x; owned; NULL: none */
	bool has_stats;
	struct rs_stat_set stats;     /* ethtool -S */
	int32_t rx_queues, tx_queues; /* folders in sysfs; -1: not told */
	uint64_t dropped;	      /* received, by ifconfig or /proc/net/dev; RS_COUNT_NONE */
	uint64_t rx_packets;
	bool is_up; /* /proc/net/dev lists it */
};

/* Names of interrupts without any counts. */
struct rs_bare_names {
	char first[64], last[64];
	unsigned n; /* 0: none */
};

/* A row of vmstat -i that is a network device's. */
struct rs_bsd_line {
	char device[32], name[48];
	int64_t irq;
	int32_t queue;
	bool is_control;
	uint64_t total;
};

/* A counter of sysctl dev.DRIVER.N. */
struct rs_bsd_counter {
	char device[32], leaf[64];
	uint8_t kind; /* enum rs_sysctl_kind */
	uint16_t queue;
	uint64_t value;
};

struct rs_sample {
	char prefix[20]; /* "t0/" before names in problems */
	struct rs_lines_table lines;
	struct rs_core_counts *cores; /* by CPU number; owned */
	size_t n_cores, cap_cores;
	bool has_stat, has_softirqs, has_softnet, has_net_dev;
	uint32_t softirq_columns; /* CPUs /proc/softirqs has a column for */
	struct rs_cpuset stat_cpus;
	struct rs_cpu_info cpus;  /* sysfs and lscpu */
	struct rs_nic_info *nics; /* sysfs; owned */
	size_t n_nics, cap_nics;
	struct rs_device_file *devices; /* owned */
	size_t n_devices, cap_devices;
	struct rs_bsd_line *bsd_lines; /* owned */
	size_t n_bsd_lines, cap_bsd_lines;
	struct rs_bsd_counter *bsd_counters; /* owned */
	size_t n_bsd_counters, cap_bsd_counters;
	unsigned bsd_idle_cores;  /* whose deepest idle state is told, and that is C1 */
	struct rs_netisr *netisr; /* owned; NULL: none */
	struct rs_bare_names names;
	struct rs_sar sar;
	struct rs_screens screens;
	struct rs_path_row *paths; /* owned; they refer to texts */
	size_t n_paths, cap_paths;
	char **texts; /* kept for what refers to them; owned */
	size_t n_texts, cap_texts;
	char **read; /* names of what was read; owned */
	size_t n_read, cap_read;
	uint64_t interrupts; /* the sum in /proc/stat; RS_COUNT_NONE */
};

void rs_sample_init(struct rs_sample *s);
void rs_sample_free(struct rs_sample *s);
void rs_sample_free_lines(struct rs_lines_table *t);

/* The device of that name, made when it is new; NULL: no memory. */
struct rs_device_file *rs_sample_device(struct rs_sample *s, struct rs_text name);
struct rs_core_counts *rs_sample_core(struct rs_sample *s, unsigned cpu); /* or NULL */
/* Notes that a file was read. */
void rs_sample_note_read(struct rs_sample *s, const char *name);
/* What does not change is often in the first sample alone: cores, devices and their
 * settings go from there to the last one where that has none. */
void rs_sample_inherit(struct rs_sample *last, struct rs_sample *first);
/* Keeps a copy of a text; {NULL, NULL}: no memory. */
struct rs_text rs_sample_keep(struct rs_sample *s, struct rs_text t);

/* The kernel's files below a root, by the daemon's collectors in their order. Each
 * frame goes to fn, too, which may be NULL; at_ns is its time. */
typedef void (*rs_sample_frame_fn)(void *arg, const struct rs_frame *f);
struct rs_sample_reading {
	const struct rs_root *root;
	struct rs_frame *frame; /* scratch */
	struct rs_buf *text;	/* scratch */
	rs_ns at_ns;
	rs_sample_frame_fn fn;
	void *arg;
	struct rs_problems *problems;
};
void rs_sample_take_root(struct rs_sample *s, const struct rs_sample_reading *r);

/* One of them that is at hand. */
struct rs_collector;
struct rs_sample_text {
	const struct rs_collector *collector;
	struct rs_text text;
	const char *name; /* of the file */
	bool is_headed;	  /* the header is ours: lines are numbered behind it */
};
void rs_sample_take_text(
    struct rs_sample *s, const struct rs_sample_text *t, const struct rs_sample_reading *r);

/* The outputs that lie in the folder of a root. */
void rs_sample_take_files(struct rs_sample *s, const struct rs_sample_reading *r);
/* One pasted file. False: it is nothing known. */
bool rs_sample_take_pasted(
    struct rs_sample *s, const char *name, struct rs_text t, const struct rs_sample_reading *r);

#endif
