/* SPDX-License-Identifier: ISC */
/*
 * A tree that stands for a machine, written file by file. The program that
 * includes it defines _GNU_SOURCE, for nftw() and mkdtemp().
 */
#ifndef RS_FAKETREE_H
#define RS_FAKETREE_H

#include <check.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rs.h"

struct rs_faketree {
	char dir[64];
};

static inline void
rs_faketree_make(struct rs_faketree *t)
{
	(void)snprintf(t->dir, sizeof(t->dir), "/tmp/rs-tree-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(t->dir));
}

static inline int
rs_faketree_remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

/* What is at the path; NULL: the tree itself. */
static inline void
rs_faketree_remove(const struct rs_faketree *t, const char *path)
{
	char full[256];
	(void)snprintf(full, sizeof(full), "%s/%s", t->dir, path ? path : "");
	ck_assert_int_eq(nftw(full, rs_faketree_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

/* The path below the tree, with the directories on its way made. */
static inline void rs_faketree_path(const struct rs_faketree *t, char *full, size_t size,
    const char *path, va_list args) RS_PRINTF(4, 0);
static inline void
rs_faketree_path(
    const struct rs_faketree *t, char *full, size_t size, const char *path, va_list args)
{
	const int len = snprintf(full, size, "%s/", t->dir);
	(void)vsnprintf(full + len, size - (size_t)len, path, args);
	for (char *p = full + len; (p = strchr(p, '/')) != NULL; p++) {
		*p = '\0';
		(void)mkdir(full, 0755);
		*p = '/';
	}
}

/* A file with this text, in place of the one that was there. */
static inline void rs_faketree_put(
    const struct rs_faketree *t, const char *text, const char *path, ...) RS_PRINTF(3, 4);
static inline void
rs_faketree_put(const struct rs_faketree *t, const char *text, const char *path, ...)
{
	char full[256];
	va_list args;
	va_start(args, path);
	rs_faketree_path(t, full, sizeof(full), path, args);
	va_end(args);
	FILE *const f = fopen(full, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(text, f), 0);
	ck_assert_int_eq(fclose(f), 0);
}

static inline void rs_faketree_link(
    const struct rs_faketree *t, const char *target, const char *path, ...) RS_PRINTF(3, 4);
static inline void
rs_faketree_link(const struct rs_faketree *t, const char *target, const char *path, ...)
{
	char full[256];
	va_list args;
	va_start(args, path);
	rs_faketree_path(t, full, sizeof(full), path, args);
	va_end(args);
	ck_assert_int_eq(symlink(target, full), 0);
}

#endif
