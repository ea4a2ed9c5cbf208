/* SPDX-License-Identifier: ISC */
/*
 * What `ethtool -i -l -g -c -k -x` print, as the settings the model knows. Drivers
 * do not have all of them ("n/a", "Operation not supported"). Pure.
 */
#ifndef RS_IMPORT_ETHTOOL_TEXT_H
#define RS_IMPORT_ETHTOOL_TEXT_H

#include "fact.h"
#include "import/import.h"

/* Of ethtool -i. "": not told. */
struct rs_import_driver {
	char driver[32], bus[64];
};
/* 0 or -ENODATA. */
int rs_import_ethtool_driver(struct rs_text t, struct rs_import_driver *ret);

/* Of ethtool -l, -g, -c. */
#define RS_IMPORT_SETTINGS_MAX 20u
struct rs_import_settings {
	struct rs_import_setting {
		enum rs_fact_id id;
		char value[16]; /* as rs_put_fact wants it */
	} at[RS_IMPORT_SETTINGS_MAX];
	unsigned n;
};
/* 0, -EOPNOTSUPP: the driver has none of them, says the text; -ENODATA. */
int rs_import_ethtool_settings(
    struct rs_text t, struct rs_import_settings *ret, struct rs_skips *skips);

/* Of ethtool -x: the queue of each entry of the indirection table. */
#define RS_IMPORT_TABLE_MAX 4096u
struct rs_import_table {
	uint32_t queue[RS_IMPORT_TABLE_MAX];
	uint32_t n_entries;
	uint32_t n_queues; /* the highest in the table and one; 0: no table */
};
/* 0, -EOPNOTSUPP, -ENODATA. */
int rs_import_ethtool_table(struct rs_text t, struct rs_import_table *ret, struct rs_skips *skips);

#endif
