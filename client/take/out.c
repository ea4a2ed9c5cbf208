/* SPDX-License-Identifier: ISC */
/*
 * libarchive writes both: to the disk, or to an archive.
 */
#include "take/out.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "diagnose/unpack.h"

/* Within what `ringside diagnose` unpacks (diagnose/extract.c). */
enum { ENTRIES_MAX = 90000 };
#define BYTES_MAX (UINT64_C(256) << 20)

struct rs_out {
	struct archive *archive;
	int fd;		       /* of the archive's file; -1: a folder */
	bool is_made;	       /* the folder or the file is there, and ours */
	char path[PATH_MAX];   /* of it */
	char prefix[PATH_MAX]; /* before the names of entries, with a slash */
	unsigned n_entries;
	uint64_t n_bytes;
};

static bool
is_archive(const char *path, size_t *ret_stem)
{
	static const char *const ends[] = {".tar.gz", ".tgz"};
	const size_t len = strlen(path);

	for (size_t i = 0; i < RS_ARRAY_LEN(ends); i++) {
		const size_t tail = strlen(ends[i]);
		if (len > tail && strcmp(path + len - tail, ends[i]) == 0) {
			*ret_stem = len - tail;
			return true;
		}
	}
	return false;
}

/* A folder of the archive's name is inside of it. */
static int
open_archive(struct rs_out *o, const char *path, size_t stem)
{
	const char *base = path + stem;

	while (base > path && base[-1] != '/')
		base--;
	const size_t len = (size_t)(path + stem - base);
	if (len == 0)
		return -EINVAL; /* ".tar.gz" */
	if (len + 2 > sizeof(o->prefix))
		return -ENAMETOOLONG;
	memcpy(o->prefix, base, len);
	memcpy(o->prefix + len, "/", 2);
	o->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (o->fd < 0)
		return -errno;
	o->is_made = true;
	o->archive = archive_write_new();
	if (o->archive == NULL || archive_write_add_filter_gzip(o->archive) != ARCHIVE_OK ||
	    archive_write_set_format_pax_restricted(o->archive) != ARCHIVE_OK ||
	    archive_write_open_fd(o->archive, o->fd) != ARCHIVE_OK)
		return -ENOMEM;
	return 0;
}

static int
open_folder(struct rs_out *o, const char *path)
{
	const int n = snprintf(o->prefix, sizeof(o->prefix), "%s/", path);

	if (n < 0 || (size_t)n >= sizeof(o->prefix))
		return -ENAMETOOLONG;
	if (mkdir(path, 0755) < 0)
		return -errno;
	o->is_made = true;
	o->archive = archive_write_disk_new();
	return o->archive != NULL ? 0 : -ENOMEM;
}

int
rs_out_open(const char *path, struct rs_out **ret, struct rs_error *e)
{
	struct rs_out *const o = calloc(1, sizeof(*o));
	size_t stem;

	if (o == NULL)
		return rs_error_set(e, -ENOMEM, "out of memory");
	o->fd = -1;
	if (!rs_text_copy(rs_text_of(path), o->path, sizeof(o->path))) {
		rs_out_discard(o);
		return rs_error_set(e, -ENAMETOOLONG, "%s: %s", path, strerror(ENAMETOOLONG));
	}
	const int rc = is_archive(path, &stem) ? open_archive(o, path, stem) : open_folder(o, path);
	if (rc < 0) {
		rs_out_discard(o);
		return rs_error_set(e, rc, "%s: %s", path, strerror(-rc));
	}
	*ret = o;
	return 0;
}

/* -EIO where the library has no reason. */
static int
error_of(const struct rs_out *o)
{
	const int error = archive_errno(o->archive);

	return error > 0 ? -error : -EIO;
}

static struct archive_entry *
new_entry(const struct rs_out *o, const char *path, unsigned type)
{
	const size_t prefix = strlen(o->prefix), len = strlen(path);
	char name[2 * PATH_MAX];

	if (prefix + len + 1 > sizeof(name))
		return NULL;
	memcpy(name, o->prefix, prefix);
	memcpy(name + prefix, path, len + 1);
	struct archive_entry *const e = archive_entry_new();
	if (e == NULL)
		return NULL;
	archive_entry_set_pathname(e, name);
	archive_entry_set_filetype(e, type);
	archive_entry_set_perm(e, 0644);
	archive_entry_set_mtime(e, time(NULL), 0);
	return e;
}

/* -EFBIG: nobody could read it any more. */
static int
count(struct rs_out *o, size_t len)
{
	o->n_entries++;
	o->n_bytes += len;
	return o->n_entries > ENTRIES_MAX || o->n_bytes > BYTES_MAX ? -EFBIG : 0;
}

int
rs_out_file(struct rs_out *o, const char *path, struct rs_text content)
{
	struct archive_entry *const e = new_entry(o, path, AE_IFREG);
	const size_t len = rs_text_len(content);
	int rc = count(o, len);

	if (e == NULL)
		return -ENOMEM;
	archive_entry_set_size(e, (la_int64_t)len);
	if (rc == 0 && archive_write_header(o->archive, e) < ARCHIVE_WARN)
		rc = error_of(o);
	if (rc == 0 && len > 0 && archive_write_data(o->archive, content.p, len) < (la_ssize_t)len)
		rc = error_of(o);
	if (rc == 0 && archive_write_finish_entry(o->archive) < ARCHIVE_WARN)
		rc = error_of(o);
	archive_entry_free(e);
	return rc;
}

int
rs_out_link(struct rs_out *o, const char *path, const char *target)
{
	struct archive_entry *const e = new_entry(o, path, AE_IFLNK);
	int rc = count(o, 0);

	if (e == NULL)
		return -ENOMEM;
	archive_entry_set_symlink(e, target);
	archive_entry_set_size(e, 0);
	if (rc == 0 && (archive_write_header(o->archive, e) < ARCHIVE_WARN ||
			   archive_write_finish_entry(o->archive) < ARCHIVE_WARN))
		rc = error_of(o);
	archive_entry_free(e);
	return rc;
}

/* What it holds open. */
static int
finish(struct rs_out *o)
{
	int rc = 0;

	if (o->archive != NULL && archive_write_close(o->archive) < ARCHIVE_WARN)
		rc = error_of(o);
	(void)archive_write_free(o->archive);
	o->archive = NULL;
	if (o->fd >= 0 && close(o->fd) < 0 && rc == 0)
		rc = -errno;
	o->fd = -1;
	return rc;
}

int
rs_out_close(struct rs_out *o)
{
	const int rc = o != NULL ? finish(o) : 0;

	if (rc == 0)
		free(o);
	return rc;
}

void
rs_out_discard(struct rs_out *o)
{
	if (o == NULL)
		return;
	(void)finish(o);
	if (o->is_made)
		rs_unpack_remove(o->path);
	free(o);
}
