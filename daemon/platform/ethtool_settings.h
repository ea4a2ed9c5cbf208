/* SPDX-License-Identifier: ISC */
/*
 * What `ethtool` and `ethtool -l -g -c -a -k -x` show of an interface, as words one would type
 * back: by ioctls over a kept socket, none of which needs a privilege. Each one
 * wakes a device that sleeps (net/ethtool/ioctl.c, dev_ethtool). Called by the
 * collectors on the loop thread.
 */
#ifndef RS_ETHTOOL_SETTINGS_H
#define RS_ETHTOOL_SETTINGS_H

#include "buf.h"
#include "text.h"

struct rs_ethtool_settings;

/* What is asked for at once, and the values of the answer in their order.
 * Numbers are decimal, switches "on" or "off". */
enum rs_ethtool_group {
	RS_ETHTOOL_CHANNELS, /* combined, its maximum, rx, its maximum, tx, its maximum */
	RS_ETHTOOL_RINGS,    /* rx, its maximum, tx, its maximum */
	RS_ETHTOOL_COALESCE, /* adaptive rx, adaptive tx, rx usecs, rx frames, tx usecs, tx frames
			      */
	RS_ETHTOOL_PAUSE,    /* rx, tx */
	RS_ETHTOOL_OFFLOADS, /* sorted, with a blank between; "none" */
	RS_ETHTOOL_RSS,	     /* indirection table, hash key, hash function */
	RS_ETHTOOL_LINK, /* whether the speed is negotiated; speeds the port is made for, offers,
			    and is offered by the other side */
	RS_ETHTOOL_UDP_HASH, /* what of UDP over IPv4 is hashed, as letters: "sd", "sdfn" */
	RS_ETHTOOL_GROUPS
};

#define RS_ETHTOOL_VALUES 6

/* Larger indirection tables and keys than these are refused. */
#define RS_RSS_ENTRIES_MAX 65536u
#define RS_RSS_KEY_MAX 4096u

/* value.p NULL: the driver does not tell it, or has no such thing. */
struct rs_ethtool_answer {
	struct rs_text value[RS_ETHTOOL_VALUES];
};

int rs_ethtool_settings_open(struct rs_ethtool_settings **ret);
void rs_ethtool_settings_close(struct rs_ethtool_settings *e); /* NULL-safe */
/* Valid until the next call. -EOPNOTSUPP: the driver has no such settings;
 * -ENODEV: gone, or the device is being reset; -EPERM; the driver's errno. */
int rs_ethtool_settings_get(struct rs_ethtool_settings *e, const char *name,
    enum rs_ethtool_group group, struct rs_ethtool_answer *ret);

/* The names of the kernel's features (ETH_SS_FEATURES), 32 bytes each. */
struct rs_ethtool_features {
	const char *names;
	uint32_t n;
};

/* The pure part of rs_ethtool_settings_get: a reply of the kernel's, which begins
 * at a multiple of four, as words that lie in `words`. -EINVAL: it is too short. */
int rs_ethtool_decode(enum rs_ethtool_group group, const void *reply, size_t len,
    const struct rs_ethtool_features *features, struct rs_buf *words,
    struct rs_ethtool_answer *ret);

/* Writes an indirection table so that it is short and can be read back. Items
 * joined by commas: "7", "0-3" (one after the other), "5x32" (32 times 5). What
 * repeats is written once: "0-3 x32" is 0,1,2,3 thirty-two times, and
 * "0-2 x42+2" forty-two times 0,1,2 and then its first two again. */
void rs_rss_table_format(const uint32_t *table, size_t n, struct rs_buf *b);

/* Speeds of link modes in Mbit/s with their duplex, ascending: "100/half 100/full
 * 1000/full". words: of 32 bits. False: there are none. */
bool rs_link_modes_format(const uint32_t *mask, size_t words, struct rs_buf *b);

#endif
