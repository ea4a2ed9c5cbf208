/* SPDX-License-Identifier: ISC */
/*
 * GSSET_INFO, GSTRINGS and GSTATS (net/ethtool/ioctl.c). The number of counters
 * may change between two of them, and a kernel before 6.19 writes as many as
 * there are, whatever room the caller has. So the answers go to a region of
 * their own with an inaccessible page behind it: what does not fit ends there
 * with EFAULT, and nothing else is written over.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS, SOCK_CLOEXEC */
#include "ethtool.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/netlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/* Pages of it that were never written take no memory. */
#define REGION_BYTES ((size_t)RS_ETHTOOL_STATS_MAX * ETH_GSTRING_LEN + 4096)

_Static_assert(RS_ETHTOOL_NAME_BYTES == ETH_GSTRING_LEN, "names are ETH_GSTRING_LEN long");

struct rs_ethtool {
	int fd;
	char *region;  /* REGION_BYTES and the page behind them */
	size_t mapped; /* bytes */
};

static int
map_region(struct rs_ethtool *e)
{
	const long page = sysconf(_SC_PAGESIZE);
	const size_t guard = page > 0 ? (size_t)page : 65536;
	const size_t room = (REGION_BYTES + guard - 1) / guard * guard;
	void *const p = mmap(NULL, room + guard, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return -errno;
	e->region = p;
	e->mapped = room + guard;
	return mprotect(e->region + room, guard, PROT_NONE) == 0 ? 0 : -errno;
}

int
rs_ethtool_open(struct rs_ethtool **ret)
{
	struct rs_ethtool *const e = calloc(1, sizeof(*e));
	if (!e)
		return -ENOMEM;
	/* Interface ioctls work on sockets of all families; this one is always
	 * there. */
	e->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	const int error = e->fd < 0 ? -errno : map_region(e);
	if (error) {
		rs_ethtool_close(e);
		return error;
	}
	*ret = e;
	return 0;
}

void
rs_ethtool_close(struct rs_ethtool *e)
{
	if (!e)
		return;
	if (e->fd >= 0)
		(void)close(e->fd);
	if (e->region)
		(void)munmap(e->region, e->mapped);
	free(e);
}

static struct ifreq
request_for(const char *name)
{
	struct ifreq r = {.ifr_name = ""};
	memcpy(r.ifr_name, name, strnlen(name, sizeof(r.ifr_name) - 1));
	return r;
}

static int
ask(const struct rs_ethtool *e, unsigned long what, struct ifreq *r)
{
	int rc;
	do {
		rc = ioctl(e->fd, what, r);
	} while (rc < 0 && errno == EINTR);
	return rc < 0 ? -errno : 0;
}

static int
ask_ethtool(const struct rs_ethtool *e, const char *name, void *command)
{
	struct ifreq r = request_for(name);
	r.ifr_data = command;
	return ask(e, SIOCETHTOOL, &r);
}

int
rs_ethtool_name(const struct rs_ethtool *e, uint32_t ifindex, char ret[static 16])
{
	struct ifreq r = {.ifr_ifindex = (int)ifindex};
	const int error = ask(e, SIOCGIFNAME, &r);
	if (error)
		return error;
	memcpy(ret, r.ifr_name, sizeof(r.ifr_name));
	ret[sizeof(r.ifr_name) - 1] = '\0';
	return 0;
}

int
rs_ethtool_flags(const struct rs_ethtool *e, const char *name, unsigned *ret)
{
	struct ifreq r = request_for(name);
	const int error = ask(e, SIOCGIFFLAGS, &r);
	if (error)
		return error;
	*ret = (unsigned short)r.ifr_flags;
	return 0;
}

int
rs_ethtool_count(const struct rs_ethtool *e, const char *name, uint32_t *ret)
{
	/* Behind the mask of the sets asked for, the size of each there is. */
	struct ethtool_sset_info *const q = (struct ethtool_sset_info *)(void *)e->region;
	*q = (struct ethtool_sset_info){
	    .cmd = ETHTOOL_GSSET_INFO, .sset_mask = UINT64_C(1) << ETH_SS_STATS};
	const int error = ask_ethtool(e, name, q);
	if (error)
		return error;
	if (q->sset_mask == 0 || q->data[0] == 0)
		return -EOPNOTSUPP;
	if (q->data[0] > RS_ETHTOOL_STATS_MAX)
		return -E2BIG;
	*ret = q->data[0];
	return 0;
}

/* What follows a command that says how many there are: *n goes out as what is
 * expected (a kernel that knows better answers 0 when it is wrong) and comes
 * back as what was written. */
static int
ask_region(const struct rs_ethtool *e, const char *name, const uint32_t *n, uint32_t expected)
{
	const int error = ask_ethtool(e, name, e->region);
	if (error == -EFAULT)
		return -ESTALE; /* more than there is room for */
	if (error)
		return error;
	return *n == expected ? 0 : -ESTALE;
}

int
rs_ethtool_names(const struct rs_ethtool *e, const char *name, uint32_t n, const char **ret)
{
	struct ethtool_gstrings *const q = (struct ethtool_gstrings *)(void *)e->region;
	*q = (struct ethtool_gstrings){
	    .cmd = ETHTOOL_GSTRINGS, .string_set = ETH_SS_STATS, .len = n};
	const int error = ask_region(e, name, &q->len, n);
	if (!error)
		*ret = (const char *)q->data;
	return error;
}

int
rs_ethtool_values(const struct rs_ethtool *e, const char *name, uint32_t n, const uint64_t **ret)
{
	struct ethtool_stats *const q = (struct ethtool_stats *)(void *)e->region;
	*q = (struct ethtool_stats){.cmd = ETHTOOL_GSTATS, .n_stats = n};
	const int error = ask_region(e, name, &q->n_stats, n);
	if (!error)
		*ret = (const uint64_t *)q->data;
	return error;
}
