/* SPDX-License-Identifier: ISC */
/*
 * What a service manager and the system expect of a daemon: readiness,
 * watchdog, inherited sockets (sd_notify(3), sd_listen_fds(3) protocols), and
 * giving up root.
 */
#ifndef RS_SERVICE_H
#define RS_SERVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "rs.h"

/* Sends a state ("READY=1") to NOTIFY_SOCKET; without one does nothing. */
void rs_service_notify(const char *state);
/* Half of the watchdog's period, how often to send WATCHDOG=1; 0: none wanted. */
rs_ns rs_service_watchdog_ns(void);
/* Sockets handed over by LISTEN_FDS; fills at most cap, returns how many. The
 * variables are removed so that no child sees them. */
size_t rs_service_sockets(int *ret_fds, size_t cap);

/* Memory in small pages only: tables are reserved large and used little, and a
 * huge page would make each of them 2 MB. */
void rs_service_use_small_pages(void);
/* Raises the soft limit of open files, as far as it may. */
void rs_service_allow_files(void);

/* As root: makes the directory of path, when it is missing, the user's. A file or
 * directory that is there stays as it is. Otherwise nothing. */
int rs_service_prepare_folder(const char *path, const char *user, struct rs_error *e);
/* Whether files there are in memory (tmpfs), as far as the system tells. */
bool rs_service_is_in_memory(const char *path);
/* As root: true when the directory of path is root's and nobody else's to write.
 * The user could not open a database there, and nobody can have laid a link. */
bool rs_service_is_roots_place(const char *path);
/* As root: becomes the user, with no supplementary groups. Otherwise nothing. */
int rs_service_drop_root(const char *user, struct rs_error *e);

#endif
