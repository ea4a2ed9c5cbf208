/* SPDX-License-Identifier: ISC */
/*
 * The head file in the life of the daemon.
 */
/* realpath is an XSI extension. */
#define _XOPEN_SOURCE 700
#include "keeper.h"

#include "log.h"
#include "service.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One name for the database however it was written: that of its folder, since the
 * file may not be there yet. */
static void
name_database(const char *path, char dst[static 256])
{
	char folder[256] = ".";
	const char *const slash = strrchr(path, '/');
	const char *const base = slash ? slash + 1 : path;
	if (slash)
		(void)rs_text_copy(
		    (struct rs_text){path, slash == path ? base : slash}, folder, sizeof(folder));
	char *const real = realpath(folder, NULL);
	const size_t len = real ? strlen(real) : 0;
	if (real && len + strlen(base) + 2 <= 256) {
		(void)rs_text_copy(rs_text_of(real), dst, 256);
		dst[len] = '/';
		(void)rs_text_copy(rs_text_of(base), dst + len + 1, 256 - len - 1);
	} else {
		(void)rs_text_copy(rs_text_of(path), dst, 256);
	}
	free(real);
}

int
rs_keeper_open(struct rs_keeper *k, const struct rs_config *c, const char *boot_id,
    struct rs_leftover *ret, struct rs_error *e)
{
	char owner[256];
	struct rs_head_stats st;
	k->health.state = "memory";
	k->health.path = k->health.error = k->health.refused = "";
	if (strcmp(c->path, "none") == 0 || strcmp(c->head_path, "none") == 0)
		return 0;
	k->health.path = k->path = c->head_path;
	name_database(c->path, owner);
	const struct rs_head_conf conf = {.path = k->path, .owner = owner, .boot_id = boot_id};
	int rc = rs_head_open(&conf, &k->head);
	if (rc == 0)
		rc = rs_head_read(k->head, ret);
	if (rc < 0)
		return rs_error_set(e, rc, "%s: %s", k->path, strerror(-rc));
	k->torn = ret->torn;
	rs_head_get_stats(k->head, &st);
	(void)snprintf(k->refused, sizeof(k->refused), "%s", st.refused);
	k->health.refused = k->refused;
	if (*k->refused)
		rs_log_warn("'%s' is not believed and made anew: %s", k->path, k->refused);
	/* One may be the tick in which the process was killed. */
	if (k->torn > 1)
		rs_log_warn("%llu samples in '%s' are damaged and left out",
		    (unsigned long long)k->torn, k->path);
	return 0;
}

/* The old file stays until all of it is in the database. */
static void
begin(struct rs_keeper *k, struct rs_model *m, bool is_recovering)
{
	struct rs_head_stats st;
	if (is_recovering) {
		(void)snprintf(k->error, sizeof(k->error),
		    "what an earlier process left is not in the database yet");
		return;
	}
	k->is_begun = rs_model_use_head(m, k->head) == 0;
	rs_head_get_stats(k->head, &st);
	(void)snprintf(k->error, sizeof(k->error), "%s", st.error);
	if (k->is_begun && !rs_service_is_in_memory(k->path))
		rs_log_warn(
		    "'%s' is not on tmpfs: a disk or flash is written with every sample", k->path);
}

static void
say(struct rs_keeper *k, bool is_mapped)
{
	const bool was_mapped = strcmp(k->health.state, "mapped") == 0;
	if (k->is_said && was_mapped == is_mapped)
		return;
	k->health.state = is_mapped ? "mapped" : "memory";
	if (is_mapped && k->is_said)
		rs_log_notice("the newest minutes are kept in '%s' again", k->path);
	else if (!is_mapped && k->was_root)
		rs_log_warn("the newest minutes are in memory only: '%s': %s", k->path, k->error);
	else if (!is_mapped)
		rs_log_info("the newest minutes are in memory only: '%s': %s", k->path, k->error);
	k->is_said = true;
}

static void
say_recovered(struct rs_keeper *k, const struct rs_store_stats *st)
{
	if (st->recovered_ticks > k->health.recovered_ticks)
		rs_log_notice("%llu samples that an earlier process left are in the database%s",
		    (unsigned long long)(st->recovered_ticks - k->health.recovered_ticks),
		    k->torn == 1 ? "; one it was taking is not" : "");
	k->health.recovered_ticks = st->recovered_ticks;
	k->health.dropped_ticks = k->torn + st->unrecovered_ticks;
}

static bool
is_in_file(struct rs_keeper *k, const struct rs_model *m)
{
	const int rc = rs_model_head_error(m);
	const bool is_gone = access(k->path, F_OK) < 0 && errno == ENOENT;
	if (rc < 0 || is_gone)
		(void)snprintf(
		    k->error, sizeof(k->error), "%s", rc < 0 ? strerror(-rc) : "it was removed");
	return rc == 0 && !is_gone;
}

void
rs_keeper_watch(struct rs_keeper *k, struct rs_model *m, struct rs_store *store)
{
	struct rs_store_stats st;
	if (!k->head)
		return;
	rs_store_get_stats(store, &st);
	say_recovered(k, &st);
	if (!k->is_begun)
		begin(k, m, st.is_recovering);
	const bool is_mapped = k->is_begun && is_in_file(k, m);
	if (is_mapped)
		k->error[0] = '\0';
	k->health.error = k->error;
	say(k, is_mapped);
}

void
rs_keeper_note_changes(struct rs_keeper *k, const struct rs_change *c, size_t n)
{
	if (k->head)
		rs_head_note_changes(k->head, c, n);
}

void
rs_keeper_close(struct rs_keeper *k, bool is_clean)
{
	if (k->is_begun && !is_clean)
		rs_log_warn("not all samples could be written; '%s' keeps them for the next start",
		    k->path);
	rs_head_close(k->head, is_clean);
	k->head = NULL;
}
