/* SPDX-License-Identifier: ISC */
/*
 * A kept descriptor fails for good once its device is gone (ENODEV in sysfs,
 * EIO in proc) while the path may be there again: then the path is opened anew.
 * Each one holds a page in the kernel (fs/seq_file.c), hence the limit.
 */
#include "kept.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* An attribute has at most a page (fs/sysfs/file.c). */
enum { TEXT_BYTES = 4097, PATH_BYTES = 256 };

struct rs_kept {
	const struct rs_root *root;
	bool is_live;
	unsigned n, max;
	char text[TEXT_BYTES];
};

int
rs_kept_open(const struct rs_root *root, unsigned max_files, struct rs_kept **ret)
{
	struct rs_kept *const k = calloc(1, sizeof(*k));
	if (!k)
		return -ENOMEM;
	k->root = root;
	/* The files of a captured tree may be replaced between two reads. */
	k->is_live = rs_root_is_live(root);
	k->max = k->is_live ? max_files : 0;
	*ret = k;
	return 0;
}

void
rs_kept_close(struct rs_kept *k)
{
	free(k);
}

void
rs_kept_drop(struct rs_kept *k, int32_t *file)
{
	if (*file >= 0) {
		(void)close(*file);
		k->n--;
	}
	*file = RS_KEPT_NEW;
}

void
rs_kept_retry(int32_t *file)
{
	if (*file < 0)
		*file = RS_KEPT_NEW;
}

static int
read_text(struct rs_kept *k, int fd, struct rs_text *ret)
{
	ssize_t n;
	do
		n = pread(fd, k->text, sizeof(k->text), 0);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if ((size_t)n == sizeof(k->text))
		return -EFBIG;
	if (n > 0 && k->text[n - 1] == '\n')
		n--;
	*ret = (struct rs_text){k->text, k->text + n};
	return 0;
}

/* Errors that the same file will give again. */
static bool
is_lasting(int error)
{
	return error == -ENOENT || error == -EACCES || error == -EPERM || error == -EOPNOTSUPP;
}

static int
open_and_read(struct rs_kept *k, int32_t *file, struct rs_text *ret, const char *path)
{
	const int fd = rs_root_openat(k->root, path, O_RDONLY);
	const int error = fd < 0 ? fd : read_text(k, fd, ret);
	if (!error && k->n < k->max) {
		*file = fd;
		k->n++;
		return 0;
	}
	if (fd >= 0)
		(void)close(fd);
	if (k->is_live && is_lasting(error))
		*file = error;
	return error;
}

int
rs_kept_read(struct rs_kept *k, int32_t *file, struct rs_text *ret, const char *path, ...)
{
	if (*file >= 0) {
		if (read_text(k, *file, ret) == 0)
			return 0;
		rs_kept_drop(k, file);
	}
	if (*file != RS_KEPT_NEW)
		return *file;
	char name[PATH_BYTES];
	va_list args;
	va_start(args, path);
	const int n = vsnprintf(name, sizeof(name), path, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof(name))
		return -ENAMETOOLONG;
	return open_and_read(k, file, ret, name);
}
