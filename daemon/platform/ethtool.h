/* SPDX-License-Identifier: ISC */
/*
 * The statistics of `ethtool -S` by ioctl over a kept socket; netlink has no
 * equivalent. Interfaces are named here and known by index elsewhere:
 * rs_ethtool_name leads from one to the other. None of it needs a privilege.
 * Called by the collectors on the loop thread.
 */
#ifndef RS_ETHTOOL_H
#define RS_ETHTOOL_H

#include "rs.h"

struct rs_ethtool;

#define RS_ETHTOOL_NAME_BYTES 32u   /* of a counter (ETH_GSTRING_LEN), not always with a NUL */
#define RS_ETHTOOL_STATS_MAX 65536u /* more counters than this are not read */

int rs_ethtool_open(struct rs_ethtool **ret);
void rs_ethtool_close(struct rs_ethtool *e); /* NULL-safe */

/* The name an interface has now. -ENODEV: there is none with this index. */
int rs_ethtool_name(const struct rs_ethtool *e, uint32_t ifindex, char ret[static 16]);
/* Its flags (IFF_UP, ...). -ENODEV as above. */
int rs_ethtool_flags(const struct rs_ethtool *e, const char *name, unsigned *ret);

/* All below: -ENODEV: gone, or the device is asleep or being reset; -EOPNOTSUPP:
 * the driver has none; -EPERM; other errno of the driver's. */

/* How many counters there are now, at least 1; -E2BIG. */
int rs_ethtool_count(const struct rs_ethtool *e, const char *name, uint32_t *ret);
/* n names of RS_ETHTOOL_NAME_BYTES, valid until the next call of these two.
 * -ESTALE: their number is not n any more. */
int rs_ethtool_names(const struct rs_ethtool *e, const char *name, uint32_t n, const char **ret);
/* n values, valid until the next call of these two. -ESTALE as above. */
int rs_ethtool_values(
    const struct rs_ethtool *e, const char *name, uint32_t n, const uint64_t **ret);

#endif
