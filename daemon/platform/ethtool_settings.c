/* SPDX-License-Identifier: ISC */
/*
 * The ioctls have been there since long before the netlink messages (5.6), and
 * are one call each. What they cannot say is which numbers of the coalescing a
 * driver has: those it lacks are 0.
 */
#define _GNU_SOURCE /* SOCK_CLOEXEC */
#include "ethtool_settings.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/netlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { NAME_BYTES = ETH_GSTRING_LEN, FEATURES_MAX = 512, WORDS_MAX = 1 << 20 };

struct rs_ethtool_settings {
	int fd;
	char *reply; /* owned */
	size_t cap;
	char *names; /* owned */
	uint32_t n_names;
	struct rs_buf words;
};

static const struct group {
	uint32_t command;
	size_t size; /* of the reply, when it is always the same */
} groups[RS_ETHTOOL_GROUPS] = {
    [RS_ETHTOOL_CHANNELS] = {ETHTOOL_GCHANNELS, sizeof(struct ethtool_channels)},
    [RS_ETHTOOL_RINGS] = {ETHTOOL_GRINGPARAM, sizeof(struct ethtool_ringparam)},
    [RS_ETHTOOL_COALESCE] = {ETHTOOL_GCOALESCE, sizeof(struct ethtool_coalesce)},
    [RS_ETHTOOL_PAUSE] = {ETHTOOL_GPAUSEPARAM, sizeof(struct ethtool_pauseparam)},
    [RS_ETHTOOL_OFFLOADS] = {ETHTOOL_GFEATURES, 0},
    [RS_ETHTOOL_RSS] = {ETHTOOL_GRSSH, 0},
    [RS_ETHTOOL_LINK] = {ETHTOOL_GLINKSETTINGS, 0},
    [RS_ETHTOOL_UDP_HASH] = {ETHTOOL_GRXFH, 0},
};

static int
make_room(struct rs_ethtool_settings *e, size_t size)
{
	if (size <= e->cap)
		return 0;
	char *const p = realloc(e->reply, size);
	if (!p)
		return -ENOMEM;
	e->reply = p;
	e->cap = size;
	return 0;
}

/* e->reply begins with the command and what it wants to be told. */
static int
ask(const struct rs_ethtool_settings *e, const char *name)
{
	struct ifreq request = {.ifr_data = e->reply};
	const size_t len = strlen(name);
	if (len >= sizeof(request.ifr_name))
		return -ENODEV;
	memcpy(request.ifr_name, name, len + 1);
	return ioctl(e->fd, SIOCETHTOOL, &request) < 0 ? -errno : 0;
}

/* Begins a question whose head is `size` bytes long. */
static int
begin(struct rs_ethtool_settings *e, uint32_t command, size_t size)
{
	const int error = make_room(e, size);
	if (error)
		return error;
	memset(e->reply, 0, size);
	memcpy(e->reply, &command, sizeof(command));
	return 0;
}

/* How many features the kernel has names for. */
static int
count_names(struct rs_ethtool_settings *e, const char *name, uint32_t *ret)
{
	struct ethtool_sset_info head = {
	    .cmd = ETHTOOL_GSSET_INFO, .sset_mask = UINT64_C(1) << ETH_SS_FEATURES};
	uint32_t count;
	int error = begin(e, ETHTOOL_GSSET_INFO, sizeof(head) + sizeof(count));
	if (error)
		return error;
	memcpy(e->reply, &head, sizeof(head));
	error = ask(e, name);
	if (error)
		return error;
	memcpy(&head, e->reply, sizeof(head));
	memcpy(&count, e->reply + sizeof(head), sizeof(count));
	if (!head.sset_mask || count == 0 || count > FEATURES_MAX)
		return -EOPNOTSUPP;
	*ret = count;
	return 0;
}

/* The names are the same for all interfaces and as long as the kernel runs. */
static int
learn_names(struct rs_ethtool_settings *e, const char *name)
{
	uint32_t count = 0;
	int error = count_names(e, name, &count);
	if (error)
		return error;
	const struct ethtool_gstrings head = {
	    .cmd = ETHTOOL_GSTRINGS, .string_set = ETH_SS_FEATURES, .len = count};
	const size_t bytes = (size_t)count * NAME_BYTES;
	error = begin(e, ETHTOOL_GSTRINGS, sizeof(head) + bytes);
	if (error)
		return error;
	memcpy(e->reply, &head, sizeof(head));
	error = ask(e, name);
	if (error)
		return error;
	e->names = malloc(bytes);
	if (!e->names)
		return -ENOMEM;
	memcpy(e->names, e->reply + sizeof(head), bytes);
	e->n_names = count;
	return 0;
}

static int
ask_offloads(struct rs_ethtool_settings *e, const char *name, size_t *ret_len)
{
	const int error = e->names ? 0 : learn_names(e, name);
	if (error)
		return error;
	const struct ethtool_gfeatures head = {
	    .cmd = ETHTOOL_GFEATURES, .size = (e->n_names + 31) / 32};
	*ret_len = sizeof(head) + head.size * sizeof(struct ethtool_get_features_block);
	const int rc = begin(e, ETHTOOL_GFEATURES, *ret_len);
	if (rc)
		return rc;
	memcpy(e->reply, &head, sizeof(head));
	return ask(e, name);
}

static int
ask_rss(struct rs_ethtool_settings *e, const char *name, size_t *ret_len)
{
	struct ethtool_rxfh head;
	int error = begin(e, ETHTOOL_GRSSH, sizeof(head));
	if (!error)
		error = ask(e, name); /* how much there is */
	if (error)
		return error;
	memcpy(&head, e->reply, sizeof(head));
	if (head.indir_size > RS_RSS_ENTRIES_MAX || head.key_size > RS_RSS_KEY_MAX)
		return -E2BIG;
	*ret_len = offsetof(struct ethtool_rxfh, rss_config) + head.indir_size * sizeof(uint32_t) +
		   head.key_size;
	if (head.indir_size == 0 && head.key_size == 0)
		return 0;
	const uint32_t table = head.indir_size, key = head.key_size;
	error = begin(e, ETHTOOL_GRSSH, *ret_len);
	if (error)
		return error;
	memcpy(e->reply + offsetof(struct ethtool_rxfh, indir_size), &table, sizeof(table));
	memcpy(e->reply + offsetof(struct ethtool_rxfh, key_size), &key, sizeof(key));
	return ask(e, name);
}

/* One kind of packets at a time. */
static int
ask_udp_hash(struct rs_ethtool_settings *e, const char *name, size_t *ret_len)
{
	const struct ethtool_rxnfc wanted = {.cmd = ETHTOOL_GRXFH, .flow_type = UDP_V4_FLOW};
	*ret_len = sizeof(wanted);
	const int error = begin(e, ETHTOOL_GRXFH, sizeof(wanted));
	if (error)
		return error;
	memcpy(e->reply, &wanted, sizeof(wanted));
	return ask(e, name);
}

/* The first answer says how long the masks are, as a negative number
 * (net/ethtool/ioctl.c, ethtool_get_link_ksettings). */
static int
ask_link(struct rs_ethtool_settings *e, const char *name, size_t *ret_len)
{
	struct ethtool_link_settings head;
	int error = begin(e, ETHTOOL_GLINKSETTINGS, sizeof(head));
	if (!error)
		error = ask(e, name);
	if (error)
		return error;
	memcpy(&head, e->reply, sizeof(head));
	if (head.link_mode_masks_nwords >= 0)
		return -EOPNOTSUPP;
	const struct ethtool_link_settings wanted = {.cmd = ETHTOOL_GLINKSETTINGS,
	    .link_mode_masks_nwords = (__s8)-head.link_mode_masks_nwords};
	*ret_len = sizeof(wanted) + (size_t)wanted.link_mode_masks_nwords * 3 * sizeof(uint32_t);
	error = begin(e, ETHTOOL_GLINKSETTINGS, *ret_len);
	if (error)
		return error;
	memcpy(e->reply, &wanted, sizeof(wanted));
	return ask(e, name);
}

int
rs_ethtool_settings_get(struct rs_ethtool_settings *e, const char *name,
    enum rs_ethtool_group group, struct rs_ethtool_answer *ret)
{
	size_t len = groups[group].size;
	int error;
	if (group == RS_ETHTOOL_OFFLOADS) {
		error = ask_offloads(e, name, &len);
	} else if (group == RS_ETHTOOL_RSS) {
		error = ask_rss(e, name, &len);
	} else if (group == RS_ETHTOOL_LINK) {
		error = ask_link(e, name, &len);
	} else if (group == RS_ETHTOOL_UDP_HASH) {
		error = ask_udp_hash(e, name, &len);
	} else {
		error = begin(e, groups[group].command, len);
		if (!error)
			error = ask(e, name);
	}
	if (error)
		return error;
	const struct rs_ethtool_features features = {e->names, e->n_names};
	return rs_ethtool_decode(group, e->reply, len, &features, &e->words, ret);
}

int
rs_ethtool_settings_open(struct rs_ethtool_settings **ret)
{
	struct rs_ethtool_settings *const e = calloc(1, sizeof(*e));
	if (!e)
		return -ENOMEM;
	rs_buf_init(&e->words, WORDS_MAX);
	/* Interface ioctls work on sockets of all families; this one is always
	 * there. */
	e->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (e->fd < 0) {
		const int error = -errno;
		free(e);
		return error;
	}
	*ret = e;
	return 0;
}

void
rs_ethtool_settings_close(struct rs_ethtool_settings *e)
{
	if (!e)
		return;
	(void)close(e->fd);
	free(e->reply);
	free(e->names);
	rs_buf_fini(&e->words);
	free(e);
}
