/* SPDX-License-Identifier: ISC */
/* Datagrams of the dumps of the netdev family; those asked for have number 1 and
 * the family 32, that of the controller is its own. The same bytes as an answer about
 * pause frames. */
#include "fuzz.h"

#include <linux/genetlink.h>
#include <stdlib.h>

#include "ethtool_pause.h"
#include "genl.h"

static const struct rs_nl_want want = {.seq = 1, .type = 32};
static const struct rs_nl_want want_ctrl = {.seq = 1, .type = GENL_ID_CTRL};

static void
check_qstats(void *arg, const struct rs_qstats *q)
{
	size_t *n = arg;

	(*n)++;
	if (q->ifindex == 0 || q->ifindex > INT32_MAX)
		abort();
	if ((!q->has_packets && q->packets) || (!q->has_bytes && q->bytes) ||
	    (!q->has_drops && q->drops))
		abort();
}

static void
check_napi(void *arg, const struct rs_genl_napi *napi)
{
	size_t *n = arg;

	(*n)++;
	if (napi->ifindex == 0 || napi->id == 0 || napi->irq < -1 || napi->pid < -1 ||
	    napi->pid == 0)
		abort();
}

static void
check_queue(void *arg, const struct rs_genl_queue *q)
{
	size_t *n = arg;

	(*n)++;
	if (q->ifindex == 0)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n = 0;
	bool is_done = false;
	uint16_t id = 0;

	(void)rs_genl_parse_qstats(data, size, want, check_qstats, &n, &is_done);
	(void)rs_genl_parse_napis(data, size, want, check_napi, &n, &is_done);
	(void)rs_genl_parse_queues(data, size, want, check_queue, &n, &is_done);
	/* A message has two headers and an attribute. */
	if (n > size / 24)
		abort();
	struct rs_pause_frames frames = {.has_rx = false};
	const char *const bytes = (const char *)data;
	const struct rs_nl_span all = {bytes, bytes + size};
	if (rs_ethtool_parse_pause(all, &frames) != 0 && (frames.has_rx || frames.has_tx))
		abort();
	(void)rs_genl_parse_family(data, size, want_ctrl, "netdev", &id, &is_done);
	if (id != 0 && id < 16)
		abort();
	return 0;
}
