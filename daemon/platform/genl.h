/* SPDX-License-Identifier: ISC */
/*
 * What the kernel's generic netlink family "netdev" tells of queues: their
 * counters, the NAPI instances and which serves which queue. Dumps over a kept
 * socket, none needs a privilege. Called by the collectors on the loop thread.
 */
#ifndef RS_GENL_H
#define RS_GENL_H

#include "netlink.h"

struct rs_genl;

/* Counters of a queue; what the driver does not keep is not told. */
struct rs_qstats {
	uint32_t ifindex;
	uint16_t queue;
	bool is_tx;
	bool has_packets, has_bytes, has_drops;
	uint64_t packets, bytes;
	uint64_t drops; /* in the device or for want of a buffer */
	bool has_stops;
	uint64_t stops; /* of a transmit queue, its ring being full */
};

struct rs_genl_napi {
	uint32_t ifindex, id;
	int32_t irq; /* -1: not told */
	int32_t pid; /* of its thread; -1: it has none */
};

struct rs_genl_queue {
	uint32_t ifindex;
	uint32_t napi_id; /* 0: not told */
	uint16_t queue;
	bool is_tx;
};

typedef void (*rs_qstats_fn)(void *arg, const struct rs_qstats *q);
typedef void (*rs_genl_napi_fn)(void *arg, const struct rs_genl_napi *n);
typedef void (*rs_genl_queue_fn)(void *arg, const struct rs_genl_queue *q);

/* -ENOENT: the kernel (before 6.3) has no such family. */
int rs_genl_open(struct rs_genl **ret);
void rs_genl_close(struct rs_genl *g); /* NULL-safe */
/* fn once per answer, for all interfaces of the namespace that are up and whose
 * driver tells. Negative errno: nothing of this dump counts; -EAGAIN: ask again;
 * -EOPNOTSUPP: the kernel does not know the request (queues and NAPI before
 * 6.8, counters before 6.9). */
int rs_genl_qstats(struct rs_genl *g, rs_qstats_fn fn, void *arg);
int rs_genl_napis(struct rs_genl *g, rs_genl_napi_fn fn, void *arg);
int rs_genl_queues(struct rs_genl *g, rs_genl_queue_fn fn, void *arg);

/* The pure parts of the above: one datagram of a dump, see rs_nl_parse.
 * want.type: the number of the family. */
int rs_genl_parse_qstats(const void *bytes, size_t len, struct rs_nl_want want, rs_qstats_fn fn,
    void *arg, bool *ret_done);
int rs_genl_parse_napis(const void *bytes, size_t len, struct rs_nl_want want, rs_genl_napi_fn fn,
    void *arg, bool *ret_done);
int rs_genl_parse_queues(const void *bytes, size_t len, struct rs_nl_want want, rs_genl_queue_fn fn,
    void *arg, bool *ret_done);
/* The number of the family `name` among those of the controller; *ret_id stays
 * when it is not in this datagram. */
int rs_genl_parse_family(const void *bytes, size_t len, struct rs_nl_want want, const char *name,
    uint16_t *ret_id, bool *ret_done);

/* Asks the controller for it; -ENOENT: the kernel has no such family. */
int rs_genl_resolve(struct rs_netlink *link, const char *name, uint16_t *ret_id);

#endif
