/* SPDX-License-Identifier: ISC */
/*
 * Finding the samples.
 */
#include "diagnose/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* An archive may hold the capture some folders deep. */
enum { DESCEND_MAX = 4 };

static const char *const packings[] = {"", ".gz", ".bz2", ".xz"};

/* --- reading a file ------------------------------------------------------ */

static int
read_plain(int fd, struct rs_buf *b)
{
	for (;;) {
		char *const at = rs_buf_reserve(b, 65536);
		if (at == NULL)
			return b->len + 65536 >= b->max_bytes ? -EFBIG : -ENOMEM;
		const ssize_t n = read(fd, at, 65536);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		b->len += (size_t)n;
	}
}

static bool
is_packed(const char *name)
{
	const size_t len = strlen(name);

	for (size_t i = 1; i < RS_ARRAY_LEN(packings); i++) {
		const size_t tail = strlen(packings[i]);
		if (len > tail && strcmp(name + len - tail, packings[i]) == 0)
			return true;
	}
	return false;
}

int
rs_capture_read_one(const struct rs_root *root, const char *name, struct rs_buf *ret)
{
	const int fd = rs_root_openat(root, name, O_RDONLY);

	rs_buf_reset(ret);
	if (fd < 0)
		return fd;
	const int rc = is_packed(name) ? rs_unpack_file(fd, ret) : read_plain(fd, ret);
	(void)close(fd);
	return rc;
}

int
rs_capture_read(const struct rs_root *root, const char *path, struct rs_buf *ret,
    char ret_name[static RS_CAPTURE_NAME])
{
	int rc = -ENOENT;

	for (size_t i = 0; i < RS_ARRAY_LEN(packings) && rc == -ENOENT; i++) {
		const int n = snprintf(ret_name, RS_CAPTURE_NAME, "%s%s", path, packings[i]);
		if (n < 0 || n >= RS_CAPTURE_NAME)
			return -ENAMETOOLONG;
		rc = rs_capture_read_one(root, ret_name, ret);
	}
	if (rc == -ENOENT)
		(void)snprintf(ret_name, RS_CAPTURE_NAME, "%s", path);
	return rc;
}

const char *
rs_capture_reason(int rc)
{
	switch (-rc) {
	case EBADMSG:
		return "damaged or cut; what is before is used";
	case EFBIG:
		return "too large; the beginning is used";
	case ELOOP:
	case ENOTSUP:
		return "no file";
	default:
		return strerror(-rc);
	}
}

/* --- the samples --------------------------------------------------------- */

/* "t12". */
static bool
is_sample_name(const char *name, unsigned *ret)
{
	struct rs_text t = rs_text_of(name);
	uint64_t n;

	if (!rs_text_skip(&t, "t") || t.p == t.end || *t.p < '0' || *t.p > '9' ||
	    !rs_text_u64(&t, &n) || t.p != t.end || n > 999999)
		return false;
	*ret = (unsigned)n;
	return true;
}

struct numbers {
	unsigned *at; /* owned */
	size_t n, cap;
};

static bool
note_number(void *arg, const char *name)
{
	struct numbers *const all = arg;
	unsigned n;

	if (is_sample_name(name, &n)) {
		unsigned *const one = rs_list_add(
		    &all->at, &all->n, &all->cap, sizeof(*one), (size_t)RS_SAMPLES_MAX * 10);
		if (one != NULL)
			*one = n;
	}
	return true;
}

static int
compare_numbers(const void *a, const void *b)
{
	const unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return x < y ? -1 : x > y;
}

static int
add_sample(struct rs_capture *c, struct rs_root *take_root, const char *dir)
{
	struct rs_capture_sample *const s =
	    rs_list_add(&c->samples, &c->n_samples, &c->cap_samples, sizeof(*s), RS_SAMPLES_MAX);

	if (s == NULL) {
		rs_root_close(take_root);
		return -ENOMEM;
	}
	s->root = take_root;
	(void)snprintf(s->dir, sizeof(s->dir), "%s", dir);
	s->at_s = NAN;
	return 0;
}

static int
open_sample(struct rs_capture *c, const char *dir, unsigned number, struct rs_problems *problems)
{
	char path[PATH_MAX], name[16];
	struct rs_root *root = NULL;

	(void)snprintf(name, sizeof(name), "t%u", number);
	const int n = snprintf(path, sizeof(path), "%s/%s", dir, name);
	const int rc =
	    n < 0 || (size_t)n >= sizeof(path) ? -ENAMETOOLONG : rs_root_open(path, &root);

	if (rc < 0) {
		rs_problem(problems, name, 0, "not a folder that can be read: %s", strerror(-rc));
		return 0;
	}
	return add_sample(c, root, name);
}

static int
open_samples(
    struct rs_capture *c, const char *dir, const struct numbers *all, struct rs_problems *problems)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < all->n; i++) {
		/* The last one is looked at in any case. */
		if (i < RS_SAMPLES_MAX - 1 || i == all->n - 1)
			rc = open_sample(c, dir, all->at[i], problems);
	}
	if (all->n > RS_SAMPLES_MAX)
		rs_problem(problems, "t*", 0, "%zu samples: the first %u and the last are used",
		    all->n, RS_SAMPLES_MAX - 1);
	return rc;
}

/* --- opening ------------------------------------------------------------- */

/* The only entry of a folder, when it is one. */
struct only {
	char name[NAME_MAX + 1];
	unsigned n;
};

static bool
note_entry(void *arg, const char *name)
{
	struct only *const o = arg;

	if (o->n++ == 0)
		(void)snprintf(o->name, sizeof(o->name), "%s", name);
	return o->n < 2;
}

static bool
is_folder(const char *dir, const char *name)
{
	char path[PATH_MAX];
	struct stat st;
	const int n = snprintf(path, sizeof(path), "%s/%s", dir, name);

	return n > 0 && (size_t)n < sizeof(path) && lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Goes down while there is nothing but one folder that is no part of a capture. */
static int
descend(char dir[static PATH_MAX], struct rs_root **root)
{
	for (unsigned i = 0; i < DESCEND_MAX; i++) {
		struct only only = {.n = 0};
		unsigned number;
		const size_t len = strlen(dir);

		if (rs_root_list(*root, ".", note_entry, &only) < 0 || only.n != 1 ||
		    is_sample_name(only.name, &number) || strcmp(only.name, "proc") == 0 ||
		    strcmp(only.name, "sys") == 0 || !is_folder(dir, only.name) ||
		    len + strlen(only.name) + 2 > PATH_MAX)
			return 0;
		dir[len] = '/';
		memcpy(dir + len + 1, only.name, strlen(only.name) + 1);
		rs_root_close(*root);
		*root = NULL;
		const int rc = rs_root_open(dir, root);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int
open_folder(
    struct rs_capture *c, const char *path, struct rs_problems *problems, struct rs_error *e)
{
	char dir[PATH_MAX];
	struct rs_root *root = NULL;
	struct numbers all = {0};

	if (snprintf(dir, sizeof(dir), "%s", path) >= (int)sizeof(dir))
		return rs_error_set(e, -ENAMETOOLONG, "%.60s...: the path is too long", path);
	int rc = rs_root_open(dir, &root);
	if (rc == 0 && rs_root_is_live(root)) {
		rs_root_close(root);
		return rs_error_set(e, -ENOTSUP,
		    "/ is this machine, not a capture: ask its daemon with 'ringside status'");
	}
	if (rc == 0)
		rc = descend(dir, &root);
	if (rc < 0) {
		rs_root_close(root);
		return rs_error_set(e, rc, "%s: %s", path, strerror(-rc));
	}
	(void)rs_root_list(root, ".", note_number, &all);
	if (all.n > 0) {
		qsort(all.at, all.n, sizeof(*all.at), compare_numbers);
		c->top = root;
		rc = open_samples(c, dir, &all, problems);
	} else {
		rc = add_sample(c, root, "");
	}
	free(all.at);
	if (rc < 0)
		return rs_error_set(e, rc, "%s: %s", path, strerror(-rc));
	if (c->n_samples == 0)
		return rs_error_set(e, -ENODATA, "%s: no sample of it can be read", path);
	rs_capture_find_times(c, c->top != NULL ? c->top : c->samples[0].root, problems);
	return 0;
}

static int
open_file(struct rs_capture *c, int fd, const char *path, struct rs_problems *problems,
    struct rs_error *e)
{
	char dir[PATH_MAX];
	const char *const slash = strrchr(path, '/');
	enum rs_packed what;

	(void)snprintf(c->name, sizeof(c->name), "%s", slash != NULL ? slash + 1 : path);
	const int rc = rs_unpack(fd, c->name, &c->pasted, dir, sizeof(dir), problems, &what);
	if (*dir != '\0')
		c->unpacked = strdup(dir);
	if (rc < 0)
		return rs_error_set(e, rc, "%s: %s", path,
		    rc == -ENODATA   ? "empty"
		    : rc == -EBADMSG ? "damaged, nothing of it can be read"
				     : strerror(-rc));
	if (what == RS_PACKED_ARCHIVE)
		return open_folder(c, dir, problems, e);
	c->is_pasted = true;
	return add_sample(c, NULL, "");
}

int
rs_capture_open(
    const char *path, struct rs_problems *problems, struct rs_capture *ret, struct rs_error *e)
{
	struct stat st;
	int rc;

	memset(ret, 0, sizeof(*ret));
	rs_buf_init(&ret->pasted, RS_UNPACK_FILE_MAX);
	const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0) {
		rc = rs_error_set(e, -errno, "%s: %s", path, strerror(errno));
	} else if (S_ISDIR(st.st_mode)) {
		rc = open_folder(ret, path, problems, e);
	} else if (S_ISREG(st.st_mode)) {
		rc = open_file(ret, fd, path, problems, e);
	} else {
		rc = rs_error_set(e, -ENOTSUP, "%s: neither a file nor a folder", path);
	}
	if (fd >= 0)
		(void)close(fd);
	return rc;
}

void
rs_capture_close(struct rs_capture *c)
{
	for (size_t i = 0; i < c->n_samples; i++)
		rs_root_close(c->samples[i].root);
	free(c->samples);
	rs_root_close(c->top);
	rs_buf_fini(&c->pasted);
	if (c->unpacked != NULL)
		rs_unpack_remove(c->unpacked);
	free(c->unpacked);
	memset(c, 0, sizeof(*c));
}
