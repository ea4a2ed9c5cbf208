/* SPDX-License-Identifier: ISC */
/*
 * Outputs of programs and excerpts of the kernel's files, one function for each:
 * what their readers (import/) find goes into the sample. Called by files.c, which
 * knows which is which.
 */
#ifndef RS_OUTPUTS_H
#define RS_OUTPUTS_H

#include "diagnose/sample.h"

struct rs_output {
	struct rs_text text;
	struct rs_text device; /* of the name, or of the text; empty: not told */
	const char *name;      /* of the file */
	const struct rs_sample_reading *reading;
	struct rs_skips *skips; /* lines that could not be used */
};

/* 0; -ENODATA: nothing in it could be used; -EOPNOTSUPP: the output says so
 * itself; -ENOMEM. */
typedef int rs_output_fn(struct rs_sample *s, const struct rs_output *o);

/* Of a device (outputs_device.c): ethtool -S, -i, -l -g -c, -x, a listing of
 * /sys/class/net/DEV/queues, ifconfig. */
rs_output_fn rs_output_stats, rs_output_driver, rs_output_settings, rs_output_table,
    rs_output_queue_folders, rs_output_ifconfig;
/* Of the machine (outputs_host.c). */
rs_output_fn rs_output_top, rs_output_mpstat, rs_output_turbostat, rs_output_sar, rs_output_lscpu,
    rs_output_vmstat, rs_output_netstat_q, rs_output_sysctl, rs_output_paths, rs_output_cpu_lists,
    rs_output_names;
/* Of the kernel, whole or in part, by the daemon's collectors (outputs_host.c).
 * They note themselves that the file was read. */
rs_output_fn rs_output_interrupts, rs_output_softirqs, rs_output_stat, rs_output_softnet,
    rs_output_net_dev;

#endif
