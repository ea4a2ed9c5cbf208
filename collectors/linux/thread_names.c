/* SPDX-License-Identifier: ISC */
#include "thread_names.h"

#include <string.h>

/* A name of this length may have been cut (TASK_COMM_LEN in sched.h; longer ones
 * are told since Linux 5.17). */
#define COMM_CUT 15u

/* "3", "31-eth0" */
static bool
take_number(struct rs_text *t, uint32_t max, uint32_t *ret)
{
	struct rs_text rest = *t;
	uint64_t n;
	if (t->p == t->end || *t->p < '0' || *t->p > '9' || !rs_text_u64(&rest, &n) || n > max)
		return false;
	*t = rest;
	*ret = (uint32_t)n;
	return true;
}

/* "ksoftirqd/3", "backlog_napi/3": one a core, bound to it. */
static bool
read_bound(struct rs_text t, struct rs_thread *ret)
{
	uint32_t cpu;
	if (!take_number(&t, RS_CPU_MAX - 1, &cpu))
		return false;
	ret->cpu = (int32_t)cpu;
	return true;
}

/* "napi/eth0-8193" (netdev_thread in net/core/dev.c): the number of the instance
 * is behind the last dash; a name that may be cut tells none. */
static bool
read_napi(struct rs_text t, struct rs_thread *ret)
{
	struct rs_text digits = {t.end, t.end};
	while (digits.p > t.p && digits.p[-1] >= '0' && digits.p[-1] <= '9')
		digits.p--;
	const bool has_id = digits.p > t.p && digits.p[-1] == '-';
	const bool may_be_cut = rs_text_len(t) + sizeof("napi/") - 1 == COMM_CUT;
	if (has_id && !may_be_cut)
		(void)take_number(&digits, UINT32_MAX, &ret->napi_id);
	return true;
}

/* "irq/31-eth0", "irq/31-s-eth0" (setup_irq_thread in kernel/irq/manage.c) */
static bool
read_irq(struct rs_text t, struct rs_thread *ret)
{
	uint32_t irq;
	if (!take_number(&t, INT32_MAX, &irq) || !rs_text_starts(t, "-"))
		return false;
	ret->irq = (int32_t)irq;
	return true;
}

/* The work queues: drivers/net/wireguard/device.c, kernel/padata.c with
 * crypto/pcrypt.c, crypto/cryptd.c, net/xfrm, and OpenVPN's module. */
static const char *const vpn_queues[] = {
    "wg-crypt-", "wg-kex-", "pcrypt", "pencrypt", "pdecrypt", "padata", "cryptd", "xfrm", "ovpn-"};

static bool
is_vpn_queue(struct rs_text t)
{
	for (size_t i = 0; i < RS_ARRAY_LEN(vpn_queues); i++) {
		if (rs_text_starts(t, vpn_queues[i]))
			return true;
	}
	return false;
}

/* "kworker/0:1-wg-crypt-wg0", "kworker/u8:2+pencrypt_parallel",
 * "kworker/R-wg-crypt-wg0": what it works at is behind the first "-" or "+"
 * (wq_worker_comm in kernel/workqueue.c). */
static bool
read_worker(struct rs_text t, struct rs_thread *ret)
{
	(void)ret; /* a worker bound to a core leaves it when that goes offline */
	while (t.p < t.end && *t.p != '-' && *t.p != '+')
		t.p++;
	if (t.p == t.end)
		return false;
	t.p++;
	return is_vpn_queue(t);
}

static const struct {
	const char *prefix;
	enum rs_thread_class class;
	bool (*read)(struct rs_text rest, struct rs_thread *ret);
} kinds[] = {
    {"napi/", RS_THREAD_NAPI, read_napi},
    /* What RPS and veth would have put on the core's backlog (net/core/dev.c). */
    {"backlog_napi/", RS_THREAD_NAPI, read_bound},
    /* Packets that XDP sent to another core enter the stack there
     * (kernel/bpf/cpumap.c). */
    {"cpumap/", RS_THREAD_NAPI, read_bound},
    {"irq/", RS_THREAD_IRQ, read_irq},
    {"kworker/", RS_THREAD_VPN, read_worker},
    {"ksoftirqd/", RS_THREAD_KSOFTIRQD, read_bound},
};

bool
rs_thread_classify(struct rs_text comm, struct rs_thread *ret)
{
	ret->cpu = ret->irq = -1;
	ret->napi_id = 0;
	for (size_t i = 0; i < RS_ARRAY_LEN(kinds); i++) {
		struct rs_text rest = comm;
		if (!rs_text_skip(&rest, kinds[i].prefix))
			continue;
		ret->class = kinds[i].class;
		return kinds[i].read(rest, ret);
	}
	/* The rescuer of a queue, which has its name (before Linux 6.9). */
	ret->class = RS_THREAD_VPN;
	return is_vpn_queue(comm);
}

bool
rs_thread_is_worker(struct rs_text comm)
{
	return rs_text_starts(comm, "kworker/");
}
