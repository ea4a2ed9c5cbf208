/* SPDX-License-Identifier: ISC */
/*
 * How much each connection carried between two looks at all of them, and which
 * flows carried most. A look is rs_flow_table_begin, rs_flow_table_add for each
 * connection, which may take several ticks, and rs_flow_table_end. Used by the
 * collector of connections, and by the model for captured lists. Loop thread.
 */
#ifndef RS_FLOWTABLE_H
#define RS_FLOWTABLE_H

#include <stddef.h>

#include "flow.h"

struct rs_flow_table;

int rs_flow_table_new(struct rs_flow_table **ret);
void rs_flow_table_free(struct rs_flow_table *t); /* NULL-safe */
/* expected: about how many connections there are; memory is taken when there are
 * many more than before, and what was known is forgotten then. -ENOMEM. A look
 * that was not ended counts as none. */
int rs_flow_table_begin(struct rs_flow_table *t, size_t expected, rs_ns at_ns);
void rs_flow_table_add(struct rs_flow_table *t, const struct rs_connection *c, rs_ns at_ns);
/* The heaviest flows, heaviest first, without the interface. False: this was the
 * first look, or nobody counts bytes. */
bool rs_flow_table_end(
    struct rs_flow_table *t, struct rs_heavy_flow ret[static RS_HEAVY_FLOWS_MAX], size_t *ret_n);

#endif
