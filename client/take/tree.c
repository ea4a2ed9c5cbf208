/* SPDX-License-Identifier: ISC */
/*
 * A path is written where it really is, and each link on the way as a link.
 */
#include "take/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector.h"
#include "import/import.h"

enum { PATHS_MAX = 1 << 18, LINKS_MAX = 40, READ_BYTES = 65536 };

static const char *const counters[] = {"proc/uptime", "proc/stat", "proc/interrupts",
    "proc/softirqs", "proc/net/softnet_stat", "proc/net/dev"};

/* Beside what the collectors name: their folder of interfaces, attribute by attribute,
 * and what a person wants to see. */
static const char *const others[] = {"proc/loadavg", "proc/meminfo", "proc/net/snmp",
    "proc/net/netstat", "sys/class/net/*/ifindex", "sys/class/net/*/iflink", "sys/class/net/*/type",
    "sys/class/net/*/flags", "sys/class/net/*/mtu", "sys/class/net/*/speed",
    "sys/class/net/*/duplex", "sys/class/net/*/operstate", "sys/class/net/*/carrier",
    "sys/class/net/*/carrier_changes", "sys/class/net/*/tx_queue_len", "sys/class/net/*/uevent",
    "sys/class/net/*/threaded", "sys/class/net/*/statistics/*", "sys/class/net/*/bridge/stp_state",
    "sys/class/net/*/bonding/mode", "sys/class/net/*/bonding/slaves",
    "sys/class/net/*/bonding/xmit_hash_policy", "sys/class/net/*/brport/state",
    "sys/class/net/*/tun_flags", "sys/class/net/*/wireless/*", "sys/class/net/*/phy80211/name",
    "sys/class/net/*/device/driver", "sys/class/net/*/device/subsystem",
    "sys/class/net/*/device/uevent", "sys/class/net/*/device/vendor",
    "sys/class/net/*/device/device", "sys/class/net/*/device/local_cpulist",
    "sys/class/net/*/device/msi_irqs/*", "sys/class/net/*/device/irq", "sys/class/net/*/lower_*",
    "sys/kernel/irq/*/chip_name", "sys/kernel/irq/*/actions", "proc/irq/*/affinity_hint",
    "proc/irq/*/node", "sys/devices/system/cpu/cpu*/topology/core_id",
    "sys/devices/system/cpu/cpu*/topology/physical_package_id"};

/* Processes are not for other eyes; connections only where somebody wants that. */
static bool
is_private(const struct rs_tree *t, const char *pattern)
{
	return strncmp(pattern, "proc/*/", 7) == 0 || strncmp(pattern, "proc/2/", 7) == 0 ||
	       (!t->has_flows && strcmp(pattern, "proc/net/nf_conntrack") == 0);
}

void
rs_tree_free(struct rs_tree *t)
{
	for (size_t i = 0; i < t->n_seen; i++)
		free(t->seen[i]);
	free(t->seen);
	t->seen = NULL;
	t->n_seen = t->cap_seen = 0;
}

/* --- each path once --------------------------------------------------------- */

/* True when the path is new. */
static bool
is_new(struct rs_tree *t, const char *path)
{
	size_t low = 0, high = t->n_seen;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;
		const int order = strcmp(t->seen[mid], path);
		if (order == 0)
			return false;
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	char *const copy = strdup(path);
	char **const slot = copy != NULL ? rs_list_add(&t->seen, &t->n_seen, &t->cap_seen,
					       sizeof(*t->seen), PATHS_MAX)
					 : NULL;
	if (slot == NULL) {
		free(copy);
		return false;
	}
	memmove(t->seen + low + 1, t->seen + low, (t->n_seen - 1 - low) * sizeof(*t->seen));
	t->seen[low] = copy;
	return true;
}

/* --- links -------------------------------------------------------------------- */

/* "a/b" and "../c" as "a/c": what a link in folder a/b leads to. False: too long. */
static bool
follow(const char *link, const char *target, char ret[static PATH_MAX])
{
	size_t len = 0;
	const char *const slash = strrchr(link, '/');

	if (*target != '/' && slash != NULL) {
		len = (size_t)(slash - link);
		memcpy(ret, link, len);
	}
	ret[len] = '\0';
	while (*target != '\0') {
		const size_t part = strcspn(target, "/");
		if (part == 2 && strncmp(target, "..", 2) == 0) {
			char *const up = strrchr(ret, '/');
			len = up != NULL ? (size_t)(up - ret) : 0;
		} else if (part > 0 && !(part == 1 && *target == '.')) {
			if (len + part + 2 > PATH_MAX)
				return false;
			if (len > 0)
				ret[len++] = '/';
			memcpy(ret + len, target, part);
			len += part;
		}
		ret[len] = '\0';
		target += part;
		target += strspn(target, "/");
	}
	return true;
}

/* "t0/proc/stat". False: too long. */
static bool
name_of(const struct rs_tree *t, const char *path, char ret[static PATH_MAX])
{
	const size_t dir = strlen(t->dir), len = strlen(path);

	if (dir + len + 2 > PATH_MAX)
		return false;
	memcpy(ret, t->dir, dir);
	ret[dir] = '/';
	memcpy(ret + dir + 1, path, len + 1);
	return true;
}

static int
write_link(struct rs_tree *t, const char *path, const char *target)
{
	char name[PATH_MAX];

	if (*target == '/' || !name_of(t, path, name) || !is_new(t, path))
		return 0; /* a link to elsewhere leads nowhere in a capture */
	return rs_out_link(t->out, name, target);
}

/* Follows the link that the first bytes of a path are. 1: it was one, 0: it is none. */
static int
follow_at(struct rs_tree *t, char path[static PATH_MAX], size_t len)
{
	char target[PATH_MAX], followed[PATH_MAX];
	const char next = path[len];

	path[len] = '\0';
	const int n = rs_root_readlink(t->root, path, target, sizeof(target));
	const int rc = n >= 0 ? write_link(t, path, target) : 0;
	const bool is_short = n >= 0 && follow(path, target, followed);
	path[len] = next;
	if (n < 0 || rc < 0)
		return rc;
	const size_t begin = is_short ? strlen(followed) : PATH_MAX, rest = strlen(path + len);
	if (begin + rest >= PATH_MAX)
		return -ENAMETOOLONG;
	memmove(path + begin, path + len, rest + 1);
	memcpy(path, followed, begin);
	return 1;
}

/* The first link on the way. */
static int
follow_first(struct rs_tree *t, char path[static PATH_MAX])
{
	size_t len = 0;
	int rc = 0;

	do {
		len += strcspn(path + len, "/");
		rc = follow_at(t, path, len);
	} while (rc == 0 && path[len++] != '\0');
	return rc;
}

/* --- files -------------------------------------------------------------------- */

static int
read_whole(struct rs_tree *t, const char *path)
{
	const int fd = rs_root_openat(t->root, path, O_RDONLY | O_NONBLOCK);

	rs_buf_reset(&t->text);
	if (fd < 0)
		return fd;
	for (;;) {
		char *const at = rs_buf_reserve(&t->text, READ_BYTES);
		const ssize_t n = at != NULL ? read(fd, at, READ_BYTES) : -1;
		if (n <= 0) {
			const int error = at == NULL ? -EFBIG : n < 0 ? -errno : 0;
			(void)close(fd);
			return error;
		}
		t->text.len += (size_t)n;
	}
}

/* Some processors print a serial number of the machine. */
static void
blank_serial(struct rs_buf *b)
{
	const char *const end = b->data + b->len;

	for (char *p = b->data; p != NULL && p < end;) {
		char *const eol = memchr(p, '\n', (size_t)(end - p));
		const size_t len = (size_t)((eol != NULL ? eol : end) - p);
		char *const colon = memchr(p, ':', len);
		if (colon != NULL && rs_text_starts((struct rs_text){p, p + len}, "Serial"))
			memset(colon + 1, ' ', len - (size_t)(colon + 1 - p));
		p = eol != NULL ? eol + 1 : NULL;
	}
}

/* That there is none, or no longer, is nothing to tell. */
static void
note_left(struct rs_left *left, const char *pattern, int error)
{
	size_t i = 0;

	if (left == NULL || error == -ENOENT || error == -ENOTDIR || error == -ESRCH ||
	    error == -EISDIR)
		return;
	while (i < left->n &&
	       (left->at[i].error != error || strcmp(left->at[i].pattern, pattern) != 0))
		i++;
	if (i == RS_LEFT_MAX)
		return;
	if (i == left->n) {
		left->at[left->n].pattern = pattern;
		left->at[left->n].error = error;
		left->at[left->n++].n_files = 0;
	}
	left->at[i].n_files++;
}

/* A path that is there. What cannot be read (EINVAL of an interface that is down)
 * is left out. */
static int
take_path(struct rs_tree *t, const char *pattern, const char *found)
{
	char path[PATH_MAX], name[PATH_MAX];
	int rc = 1;

	if (strlen(found) >= sizeof(path))
		return 0;
	memcpy(path, found, strlen(found) + 1);
	/* /proc/net leads to the process that asks: it is written where everybody looks. */
	if (strncmp(path, "proc/", 5) == 0)
		rc = 0;
	for (unsigned i = 0; rc == 1 && i < LINKS_MAX; i++)
		rc = follow_first(t, path);
	if (rc == -ENAMETOOLONG || rc == 1)
		return 0;
	if (rc < 0 || !is_new(t, path))
		return rc;
	rc = read_whole(t, path);
	if (rc < 0)
		note_left(t->left, pattern, rc);
	if (strcmp(path, "proc/cpuinfo") == 0)
		blank_serial(&t->text);
	if (rc < 0 || !name_of(t, path, name))
		return 0;
	t->n_files++;
	return rs_out_file(
	    t->out, name, (struct rs_text){t->text.data, t->text.data + t->text.len});
}

/* --- patterns ------------------------------------------------------------------ */

struct paths {
	char **at; /* owned */
	size_t n, cap;
	const char *base, *pattern; /* of the folder that is listed */
};

static void
add_path(struct paths *p, const char *base, const char *name)
{
	const size_t front = strlen(base), len = strlen(name) + 1;
	char **const one = rs_list_add(&p->at, &p->n, &p->cap, sizeof(*one), PATHS_MAX);

	if (one == NULL)
		return;
	*one = malloc(front + 1 + len);
	if (*one == NULL) {
		p->n--;
		return;
	}
	memcpy(*one, base, front);
	(*one)[front] = '/';
	memcpy(*one + front + (front > 0), name, len);
}

static bool
note_name(void *arg, const char *name)
{
	struct paths *const p = arg;

	if (fnmatch(p->pattern, name, 0) == 0)
		add_path(p, p->base, name);
	return true;
}

static void
free_paths(struct paths *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->at[i]);
	free(p->at);
	*p = (struct paths){0};
}

/* One more component for each path. */
static struct paths
expand(const struct rs_root *root, struct paths *take, const char *component)
{
	struct paths more = {.pattern = component};

	for (size_t i = 0; i < take->n; i++) {
		more.base = take->at[i];
		if (strchr(component, '*') == NULL)
			add_path(&more, take->at[i], component);
		else
			(void)rs_root_list(
			    root, *more.base != '\0' ? more.base : ".", note_name, &more);
	}
	free_paths(take);
	return more;
}

static int
take_pattern(struct rs_tree *t, const char *pattern)
{
	struct paths all = {0};
	int rc = 0;

	if (is_private(t, pattern))
		return 0;
	add_path(&all, "", "");
	for (const char *rest = pattern; *rest != '\0';) {
		char component[NAME_MAX + 1];
		const size_t len = RS_MIN(strcspn(rest, "/"), (size_t)NAME_MAX);
		memcpy(component, rest, len);
		component[len] = '\0';
		all = expand(t->root, &all, component);
		rest += len + (rest[len] == '/');
	}
	for (size_t i = 0; rc == 0 && i < all.n; i++)
		rc = take_path(t, pattern, all.at[i]);
	free_paths(&all);
	return rc;
}

int
rs_tree_counters(struct rs_tree *t)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < RS_ARRAY_LEN(counters); i++)
		rc = take_pattern(t, counters[i]);
	return rc;
}

int
rs_tree_rest(struct rs_tree *t)
{
	int rc = 0;

	for (size_t i = 0; i < RS_ARRAY_LEN(others) && rc == 0; i++)
		rc = take_pattern(t, others[i]);
	for (size_t i = 0; rs_collectors[i] != NULL; i++) {
		if (!(rs_collectors[i]->where & RS_WHERE_CAPTURE))
			continue;
		for (const char *const *p = rs_collectors[i]->paths; rc == 0 && *p != NULL; p++)
			rc = take_pattern(t, *p);
	}
	return rc;
}
