/* SPDX-License-Identifier: ISC */
/*
 * What `ethtool -i -S -l -g -c -x` print of an interface, asked for by the same
 * questions to the kernel: the program need not be there. None needs a privilege.
 */
#ifndef RS_NIC_TEXT_H
#define RS_NIC_TEXT_H

#include "buf.h"
#include "ethtool.h"
#include "ethtool_settings.h"
#include "root.h"

/* False: the driver tells nothing of it. */
bool rs_nic_text_driver(const struct rs_root *root, const char *name, struct rs_buf *ret);
bool rs_nic_text_stats(const struct rs_ethtool *e, const char *name, struct rs_buf *ret);
bool rs_nic_text_settings(struct rs_ethtool_settings *e, const char *name,
    enum rs_ethtool_group group, struct rs_buf *ret);

#endif
