/* SPDX-License-Identifier: ISC */
/*
 * Receive side scaling as NICs compute it: the Toeplitz hash of a flow's
 * addresses and ports, and the queue that the indirection table gives to it.
 * Pure; believes nothing of the texts it is given.
 */
#ifndef RS_RSS_H
#define RS_RSS_H

#include <stdbool.h>

#include "flow.h"
#include "text.h"

/* Key bytes that the longest input (two IPv6 addresses, two ports) can use. */
#define RS_RSS_KEY_BYTES 40u

/* The key of a fact rss_key: hexadecimal digits, colons between bytes allowed.
 * False: not a key, or shorter than 40 bytes. Longer ones are cut: what follows is
 * not used by any input. */
bool rs_rss_key_parse(struct rs_text text, uint8_t ret[static RS_RSS_KEY_BYTES]);

/* has_ports: the NIC takes them in (TCP, and UDP where it is set up so). */
uint32_t rs_rss_hash(
    const uint8_t key[static RS_RSS_KEY_BYTES], const struct rs_flow_ends *f, bool has_ports);

/* The indirection table of a fact rss_table (model/fact.h). False: not one. */
bool rs_rss_table_size(struct rs_text table, uint32_t *ret_entries, uint32_t *ret_queues);
/* The queue of entry i, i below its size; -1: not a table. ret_queues above is the
 * highest queue and one. */
int32_t rs_rss_table_at(struct rs_text table, uint32_t i);
/* How many entries point to the queue. */
uint32_t rs_rss_table_count(struct rs_text table, uint32_t queue);

#endif
