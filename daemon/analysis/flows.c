/* SPDX-License-Identifier: ISC */
/*
 * From the heaviest flows of the machine to those of one interface, and the
 * judgement of chapter 5 of the reference. A flow is not counted on the queue that
 * receives most when its hash says that it is on another.
 */
#include "flows.h"

#include <arpa/inet.h>
#include <math.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "cause.h"
#include "chance.h"
#include "rss.h"

#define ELEPHANT_SHARE 0.80
#define BIG_SHARE 0.20
#define ALL_PPS 5000.0
#define BY_CHANCE 0.01
/* Two flows are a collision, however many queues there are. */
#define FLOWS_MIN 3u
/* What flows must explain of the bits received, or they are not those that count:
 * connections of before counting began, bridged or offloaded ones. */
#define EXPLAINED 0.50
/* Two flows of 400 and 300 are two, though the sum says 1.96. */
#define ROUND_UP 0.05

static const struct {
	uint8_t protocol;
	char name[9];
} protocols[] = {
    {IPPROTO_ICMP, "icmp"},
    {IPPROTO_IPIP, "ipip"},
    {IPPROTO_TCP, "tcp"},
    {IPPROTO_UDP, "udp"},
    {IPPROTO_DCCP, "dccp"},
    {IPPROTO_IPV6, "ip6-in-ip"},
    {IPPROTO_GRE, "gre"},
    {IPPROTO_ESP, "esp"},
    {IPPROTO_ICMPV6, "icmpv6"},
    {IPPROTO_SCTP, "sctp"},
    {IPPROTO_UDPLITE, "udplite"},
};

static void
name_protocol(uint8_t protocol, char dst[static 16])
{
	for (size_t i = 0; i < RS_ARRAY_LEN(protocols); i++) {
		if (protocols[i].protocol == protocol) {
			(void)snprintf(dst, 16, "%.9s", protocols[i].name);
			return;
		}
	}
	(void)snprintf(dst, 16, "protocol %u", (unsigned)protocol);
}

static bool
has_ports(const struct rs_heavy_flow *f)
{
	return f->protocol == IPPROTO_TCP || f->protocol == IPPROTO_UDP ||
	       f->protocol == IPPROTO_SCTP;
}

static void
format_end(
    const struct rs_heavy_flow *f, const uint8_t *address, uint16_t port, char *dst, size_t cap)
{
	char text[INET6_ADDRSTRLEN] = "?";

	(void)inet_ntop(f->ends.is_ipv6 ? AF_INET6 : AF_INET, address, text, sizeof(text));
	if (!has_ports(f))
		(void)snprintf(dst, cap, "%s", text);
	else
		(void)snprintf(
		    dst, cap, f->ends.is_ipv6 ? "[%s]:%u" : "%s:%u", text, (unsigned)port);
}

struct rs_subject
rs_queue_subject(const struct rs_nic_view *nic, const struct rs_queue_view *queue)
{
	struct rs_subject s = rs_nic_subject(nic);

	s.kind = RS_SUBJECT_QUEUE;
	s.queue = queue->queue;
	(void)snprintf(s.direction, sizeof(s.direction), "rx");
	return s;
}

void
rs_flow_format(const struct rs_heavy_flow *f, char dst[static RS_FLOW_BYTES])
{
	char from[48], to[48], protocol[16];

	format_end(f, f->ends.source, f->ends.source_port, from, sizeof(from));
	format_end(f, f->ends.destination, f->ends.destination_port, to, sizeof(to));
	name_protocol(f->protocol, protocol);
	(void)snprintf(dst, RS_FLOW_BYTES, "%.46s -> %.46s %.9s", from, to, protocol);
}

/* --- by which interface ------------------------------------------------- */

static const char *const tunnels[] = {"wireguard", "gre", "gretap", "erspan", "ip6gre", "ip6gretap",
    "ipip", "ip6tnl", "sit", "vti", "vti6", "xfrm", "vxlan", "geneve", "tun", "ovpn", "l2tpeth",
    "gtp", "bareudp"};

bool
rs_is_tunnel(const struct rs_nic_view *nic)
{
	for (size_t i = 0; i < RS_ARRAY_LEN(tunnels); i++) {
		if (strcmp(nic->info.kind, tunnels[i]) == 0)
			return true;
	}
	return false;
}

const struct rs_nic_view *
rs_find_carried(const struct rs_lead *l, bool (*is_wanted)(const struct rs_nic_view *nic))
{
	for (size_t i = 0; i < l->v->n_nics; i++) {
		const struct rs_nic_view *const n = &l->v->nics[i];
		if (is_wanted(n) && n->rx_pps >= 0.5 * l->nic->rx_pps && n->rx_pps > 0.0)
			return n;
	}
	return NULL;
}

/* "eth1.7" stands on eth1. */
static bool
stands_on_another(const struct rs_lead *l, const struct rs_nic_view *nic)
{
	const char *const dot = strrchr(nic->info.name, '.');
	const size_t n = dot ? (size_t)(dot - nic->info.name) : 0;

	for (size_t i = 0; n > 0 && i < l->v->n_nics; i++) {
		const struct rs_nic_view *const other = &l->v->nics[i];
		if (other != l->nic && other->counts_in_sums && strlen(other->info.name) == n &&
		    memcmp(other->info.name, nic->info.name, n) == 0)
			return true;
	}
	return false;
}

/* Whether the leading interface may be the one it comes in by: its own, or one that
 * may stand on it. */
static bool
may_come_in(const struct rs_lead *l, const struct rs_heavy_flow *f)
{
	if (f->ifindex == 0 || f->ifindex == l->nic->info.ifindex)
		return true;
	const struct rs_nic_view *const nic = rs_view_nic(l->v, f->ifindex);
	if (!nic)
		return true;
	return !nic->counts_in_sums && !nic->info.is_loopback && !rs_is_tunnel(nic) &&
	       !stands_on_another(l, nic);
}

/* --- by which queue ------------------------------------------------------ */

/* Whether the hash takes ports in; false in *ret_is_known: that is not known. */
static bool
takes_ports(const struct rs_view *v, const struct rs_nic_view *nic, const struct rs_heavy_flow *f,
    bool *ret_is_known)
{
	const char *const udp = f->protocol == IPPROTO_UDP && !f->ends.is_ipv6
				    ? rs_view_fact(v, RS_F_RSS_UDP4, nic->info.ifindex, RS_NO_QUEUE)
				    : NULL;

	*ret_is_known = f->protocol != IPPROTO_UDP || udp != NULL;
	return f->protocol == IPPROTO_TCP || (udp && strcmp(udp, "sdfn") == 0);
}

/* Behind a PPPoE header the NIC sees no addresses. */
static bool
is_hidden(const struct rs_view *v, const struct rs_heavy_flow *f)
{
	const struct rs_nic_view *const nic = f->ifindex ? rs_view_nic(v, f->ifindex) : NULL;

	return nic && strcmp(nic->info.kind, "ppp") == 0;
}

int
rs_flow_queue(const struct rs_view *v, const struct rs_nic_view *nic, const struct rs_heavy_flow *f)
{
	const uint32_t ifindex = nic->info.ifindex;
	const char *const hash = rs_view_fact(v, RS_F_RSS_HASH, ifindex, RS_NO_QUEUE);
	const char *const key = rs_view_fact(v, RS_F_RSS_KEY, ifindex, RS_NO_QUEUE);
	const char *const table = rs_view_fact(v, RS_F_RSS_TABLE, ifindex, RS_NO_QUEUE);
	uint8_t bytes[RS_RSS_KEY_BYTES];
	uint32_t entries, queues;
	bool is_known;

	if (!hash || strcmp(hash, "toeplitz") != 0 || !key || !table || is_hidden(v, f))
		return -1;
	const bool with_ports = takes_ports(v, nic, f, &is_known);
	if (!is_known || !rs_rss_key_parse(rs_text_of(key), bytes) ||
	    !rs_rss_table_size(rs_text_of(table), &entries, &queues) || entries == 0)
		return -1;
	return rs_rss_table_at(
	    rs_text_of(table), rs_rss_hash(bytes, &f->ends, with_ports) % entries);
}

/* --- what they make of the queue ------------------------------------------ */

struct sums {
	double weight[RS_HEAVY_FLOWS_MAX];
	double all, udp, unplaced; /* bit/s; unplaced: by an interface that is not known */
};

static void
collect(const struct rs_lead *l, struct rs_lead_flows *f, struct sums *s)
{
	for (size_t i = 0; i < l->v->n_flows && f->n < RS_HEAVY_FLOWS_MAX; i++) {
		const struct rs_heavy_flow *const flow = &l->v->flows[i];
		if (!(flow->bps > 0.0) || !may_come_in(l, flow))
			continue;
		if (f->n < RS_LEAD_FLOWS_MAX)
			f->at[f->n] =
			    (struct rs_lead_flow){flow, rs_flow_queue(l->v, l->nic, flow)};
		s->weight[f->n++] = flow->bps;
		s->all += flow->bps;
		s->udp += flow->protocol == IPPROTO_UDP ? flow->bps : 0.0;
		s->unplaced += flow->ifindex == 0 ? flow->bps : 0.0;
	}
}

/* How many equal flows they are worth; NAN: they do not explain what the interface
 * receives. When there are more than were told, the rest is of flows no heavier
 * than the lightest of them. */
static double
count_effective(const struct rs_lead *l, const struct rs_lead_flows *f, const struct sums *s)
{
	const double received = l->nic->rx_bps;
	double effective = rs_effective_flows(s->weight, f->n);

	if (f->n == 0 || !(received > 0.0))
		return NAN;
	const double rest = received - s->all;
	if (l->v->n_flows == RS_HEAVY_FLOWS_MAX && rest > 0.0) {
		const double least = l->v->flows[RS_HEAVY_FLOWS_MAX - 1].bps;
		const double squares = s->all * s->all / effective + rest * least;
		return received * received / squares;
	}
	if (s->all < EXPLAINED * received)
		return NAN;
	/* Flows of other interfaces may be among them. */
	if (s->unplaced > 0.0 && s->all > received)
		effective *= received / s->all;
	return effective;
}

/* A flow too big for another queue is on this one, whatever its hash says: then
 * the NIC hashes otherwise. */
static bool
is_on_busiest(const struct rs_lead *l, const struct rs_lead_flow *f, double share)
{
	return f->queue < 0 || f->queue == (int)l->busiest->queue || share >= ELEPHANT_SHARE;
}

static unsigned
whole(double effective)
{
	return (unsigned)fmin(floor(effective + ROUND_UP), 1e6);
}

static enum rs_flows_say
judge(const struct rs_lead *l, struct rs_lead_flows *f)
{
	const unsigned n = whole(f->effective);

	for (unsigned i = 0; i < RS_MIN(f->n, RS_LEAD_FLOWS_MAX); i++) {
		const double share = f->at[i].flow->bps / f->queue_bps;
		if (!is_on_busiest(l, &f->at[i], share))
			continue;
		f->biggest = fmax(f->biggest, share);
		if (share < BIG_SHARE)
			continue;
		if (f->n_big < RS_ARRAY_LEN(f->big))
			f->big[f->n_big] = i;
		f->n_big++;
	}
	if (f->biggest >= ELEPHANT_SHARE) {
		f->chance = 1.0;
		return RS_FLOWS_ELEPHANT;
	}
	if (l->share >= RS_FLOWS_ALL_SHARE && n >= FLOWS_MIN && l->nic->rx_pps >= ALL_PPS) {
		f->chance = rs_chance_of_one(n, f->queues);
		if (f->chance < BY_CHANCE)
			return RS_FLOWS_NOT_HASHING;
	}
	if (f->n_big < 2)
		return RS_FLOWS_NOTHING;
	f->chance = rs_chance_of_share(RS_MAX(n, 2u), f->queues, l->share);
	return f->chance >= BY_CHANCE || n < FLOWS_MIN ? RS_FLOWS_COLLISION : RS_FLOWS_NOTHING;
}

void
rs_lead_flows_of(const struct rs_lead *l, struct rs_lead_flows *ret)
{
	struct rs_lead_table table;
	struct sums sums = {.all = 0.0};

	*ret = (struct rs_lead_flows){.effective = NAN, .chance = NAN};
	if (!rs_lead_is_fed_by_nic(l) || !l->busiest || !(l->share >= RS_QUEUE_STANDS_OUT))
		return;
	ret->queues = rs_lead_table(l, &table) ? table.selected : l->n_rx;
	if (ret->queues < 2)
		return;
	ret->queue_bps = isnan(l->busiest->bps) ? l->nic->rx_bps * l->share : l->busiest->bps;
	if (l->v->has_flows)
		collect(l, ret, &sums);
	ret->effective = ret->queue_bps > 0.0 ? count_effective(l, ret, &sums) : (double)NAN;
	if (isnan(ret->effective)) {
		ret->say = RS_FLOWS_UNKNOWN;
		ret->chance = rs_chance_of_one(2.0, ret->queues);
		return;
	}
	ret->udp_share = sums.udp / sums.all;
	ret->is_by_route = sums.unplaced <= 0.0;
	ret->say = judge(l, ret);
}

bool
rs_flows_matter(const struct rs_lead *l, const struct rs_lead_flows *f, struct rs_cause *ret)
{
	if (!rs_lead_is_fed_by_nic(l))
		return rs_not_by_interrupts(l, ret);
	if (l->n_rx < 2)
		return false;
	if (isnan(l->share))
		return rs_not_known(ret, "packets of each receive queue");
	if (l->share < RS_QUEUE_STANDS_OUT)
		return rs_not(ret, "the busiest of the %u queues of %s has %ld %% of its packets",
		    l->n_rx, l->nic->info.name, lround(l->share * 100.0));
	return f->queues >= 2;
}

/* --- evidence --------------------------------------------------------------- */

static void
tell_flow(struct rs_says *out, const struct rs_lead_flow *f, unsigned number)
{
	char label[16], text[RS_FLOW_BYTES], queue[24] = "";

	(void)snprintf(label, sizeof(label), "flow %u", number);
	rs_flow_format(f->flow, text);
	if (f->queue >= 0)
		(void)snprintf(queue, sizeof(queue), ", queue %d", f->queue);
	rs_evidence_noted(out, label, f->flow->bps, RS_UNIT_BPS, "%s%s", text, queue);
}

void
rs_flows_evidence(struct rs_says *out, const struct rs_lead *l, const struct rs_lead_flows *f)
{
	/* So many as are big, and two more. */
	const unsigned told = RS_MIN(RS_MIN(f->n, f->n_big + 2), 6u);
	bool is_computed = false;

	rs_evidence_noted(out, "share of the queue that stands out", l->share, RS_UNIT_RATIO,
	    "queue %u of the %u that flows are given to", (unsigned)l->busiest->queue, f->queues);
	for (unsigned i = 0; i < told; i++) {
		tell_flow(out, &f->at[i], i + 1);
		is_computed |= f->at[i].queue >= 0;
	}
	if (told > 0)
		rs_evidence_text(out, "queues of the flows", "%s",
		    is_computed ? "computed from hash key and indirection table"
				: "not known: hash key, table or kind of hash were not read");
	if (!isnan(f->effective))
		rs_evidence_noted(out, "flows, as if all were equal", f->effective, RS_UNIT_NONE,
		    "of %u received", f->n);
	rs_evidence_text(out, "probability that chance does this", "%.2g%s", f->chance,
	    f->say == RS_FLOWS_UNKNOWN ? ", were they two flows" : "");
}
