/* SPDX-License-Identifier: ISC */
/*
 * The directory that stands for "/": the live machine, or a captured tree. All
 * paths are below it; links inside a captured tree cannot lead out of it.
 */
#ifndef RS_ROOT_H
#define RS_ROOT_H

#include <stdbool.h>

#include "rs.h"

struct rs_root;

int rs_root_open(const char *dir, struct rs_root **ret); /* "/" or a tree; -ENOENT, -ENOTDIR */
void rs_root_close(struct rs_root *r);			 /* NULL-safe */
bool rs_root_is_live(const struct rs_root *r);		 /* it is "/" */
/* A descriptor for reading (O_CLOEXEC, regular files only outside "/");
 * path relative, without leading slash. Negative errno. */
int rs_root_openat(const struct rs_root *r, const char *path, int flags);
/* Reads a small file whole (a sysfs attribute), without its last newline,
 * NUL-terminated. Returns the length or negative errno; -EFBIG when cap is short. */
int rs_root_read(const struct rs_root *r, const char *path, char *dst, size_t cap);
/* The target of a link, and its last component. Length or negative errno. */
int rs_root_readlink(const struct rs_root *r, const char *path, char *dst, size_t cap);
int rs_root_readlink_base(const struct rs_root *r, const char *path, char *dst, size_t cap);
bool rs_root_exists(const struct rs_root *r, const char *path);
/* Calls fn for each entry but "." and ".." until it returns false. */
int rs_root_list(
    const struct rs_root *r, const char *path, bool (*fn)(void *arg, const char *name), void *arg);
/* On the live machine: how many links a folder has, which in proc and sysfs is
 * two and its folders. Negative errno; -ENOTSUP in a captured tree. */
int rs_root_links(const struct rs_root *r, const char *path);

#endif
