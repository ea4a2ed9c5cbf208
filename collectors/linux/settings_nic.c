/* SPDX-License-Identifier: ISC */
/*
 * Settings of the interfaces but loopback, half of them each two seconds; where
 * somebody wrote to a file, or the kernel gives notice of a link, then at once. Allocates only
 * when interfaces or queues appear. Loop thread.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector.h"
#include "linkwatch.h"
#include "nic_settings.h"
#include "num.h"

#define DIR "sys/class/net"

/* Descriptors are kept where nobody tells of writes: then all files are read
 * each round. */
enum { INTERFACES_MAX = 4096, FILES_KEPT = 320 };

struct state {
	struct rs_nic_sources sources;
	struct rs_linkwatch *links; /* NULL: list each round */
	struct rs_nic_settings *nics;
	size_t n, cap;
	size_t at; /* the interface whose steps are next */
	bool to_list, is_full;
};

static bool
is_live(const struct state *s)
{
	return rs_root_is_live(s->sources.root);
}

/* --- the list of interfaces --- */

static struct rs_nic_settings *
find(const struct state *s, uint32_t ifindex)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->nics[i].ifindex == ifindex)
			return &s->nics[i];
	}
	return NULL;
}

/* The model forgets by itself what it knew of an interface that is gone. */
static void
drop(struct state *s, struct rs_nic_settings *nic)
{
	const size_t i = (size_t)(nic - s->nics);
	rs_nic_settings_fini(nic, &s->sources);
	memmove(&s->nics[i], &s->nics[i + 1], (s->n - i - 1) * sizeof(*s->nics));
	s->n--;
	if (s->at > i)
		s->at--;
}

static struct rs_nic_settings *
add(struct state *s, uint32_t ifindex)
{
	if (s->n == s->cap) {
		const size_t cap = RS_MIN(s->cap * 2 + 8, (size_t)INTERFACES_MAX);
		struct rs_nic_settings *const p =
		    s->n < cap ? realloc(s->nics, cap * sizeof(*p)) : NULL;
		if (!p)
			return NULL;
		s->nics = p;
		s->cap = cap;
	}
	rs_nic_settings_init(&s->nics[s->n], ifindex);
	return &s->nics[s->n++];
}

/* As sysfs says; 0: no interface, or loopback. Sysfs may show another network
 * namespace than ours, then the numbers differ, or the names. */
static uint32_t
ifindex_of(const struct state *s, const char *name)
{
	char path[64], text[32];
	uint64_t ifindex;
	if (strcmp(name, "lo") == 0 || strlen(name) >= IF_NAMESIZE)
		return 0;
	(void)snprintf(path, sizeof(path), DIR "/%s/ifindex", name);
	if (rs_root_read(s->sources.root, path, text, sizeof(text)) < 0 ||
	    rs_num_u64(rs_text_trim(rs_text_of(text)), &ifindex) != 0 || ifindex > INT32_MAX)
		return 0;
	return (uint32_t)ifindex;
}

static void
note_interface(struct state *s, uint32_t ifindex, const char *name, bool has_changed)
{
	struct rs_nic_settings *nic = find(s, ifindex);
	if (!nic)
		nic = add(s, ifindex);
	if (!nic) {
		s->is_full = true;
		return;
	}
	nic->is_listed = true;
	if (has_changed || strcmp(nic->name, name) != 0)
		rs_nic_settings_noted(nic, &s->sources, name);
}

static void
on_link(void *arg, uint32_t ifindex)
{
	struct state *const s = arg;
	char name[IF_NAMESIZE];
	if (ifindex == 0) {
		s->to_list = true;
		return;
	}
	struct rs_nic_settings *const nic = find(s, ifindex);
	const bool is_there = if_indextoname(ifindex, name) != NULL;
	if (is_there && ifindex_of(s, name) == ifindex)
		note_interface(s, ifindex, name, true);
	else if (!is_there && nic)
		drop(s, nic);
}

static bool
note_name(void *arg, const char *name)
{
	struct state *const s = arg;
	const uint32_t ifindex = ifindex_of(s, name);
	/* Of a captured tree all is read each time. */
	if (ifindex && (!is_live(s) || if_nametoindex(name) == ifindex))
		note_interface(s, ifindex, name, !is_live(s));
	return true;
}

static int
list(struct state *s)
{
	for (size_t i = 0; i < s->n; i++)
		s->nics[i].is_listed = false;
	s->to_list = s->is_full = false;
	const int error = rs_root_list(s->sources.root, DIR, note_name, s);
	for (size_t i = s->n; !error && i-- > 0;) {
		if (!s->nics[i].is_listed)
			drop(s, &s->nics[i]);
	}
	return error;
}

/* --- reading --- */

static void
on_write(void *arg, int watch)
{
	struct state *const s = arg;
	for (size_t i = 0; i < s->n; i++) {
		if (watch == RS_FILEWATCH_NONE)
			s->nics[i].is_urgent = true;
		else
			rs_nic_settings_written(&s->nics[i], watch);
	}
}

static void
read_urgent(struct state *s, struct rs_frame *f, size_t most)
{
	for (size_t i = 0; i < s->n && most > 0; i++) {
		struct rs_nic_settings *const nic = &s->nics[i];
		rs_nic_settings_read_noted(nic, &s->sources, f);
		while (most > 0 && (nic->is_urgent || nic->is_hurried)) {
			(void)rs_nic_settings_step(nic, &s->sources, f);
			most--;
		}
	}
}

static void
read_due(struct state *s, struct rs_frame *f, size_t due)
{
	for (; due > 0 && s->n > 0; due--) {
		if (s->at >= s->n) {
			s->at = 0;
			rs_rounds_end(&s->sources.rounds);
			s->to_list |= !s->links;
		}
		if (!rs_nic_settings_step(&s->nics[s->at], &s->sources, f))
			s->at++;
	}
}

static size_t
count_steps(const struct state *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++)
		n += rs_nic_settings_steps(&s->nics[i], &s->sources);
	return n;
}

static void
take_notices(struct state *s)
{
	/* As many folders are watched as there may be: then none at all is. */
	if (s->sources.has_no_room) {
		rs_filewatch_close(s->sources.watch);
		s->sources.watch = NULL;
	}
	if (s->links)
		rs_linkwatch_take(s->links, on_link, s);
	if (s->sources.watch)
		rs_filewatch_take(s->sources.watch, on_write, s);
}

static int
collect(void *state, struct rs_frame *f)
{
	struct state *const s = state;
	const bool is_whole = !s->sources.rounds.has_begun || !is_live(s);
	take_notices(s);
	if (is_whole || s->to_list) {
		const int error = list(s);
		if (error)
			return error;
	}
	const size_t due = rs_rounds_due(&s->sources.rounds, count_steps(s), f->at_ns);
	if (is_whole)
		rs_rounds_end(&s->sources.rounds);
	else
		read_due(s, f, due);
	/* Last, for an answer may have shown that there are other queues now. */
	read_urgent(s, f, is_whole ? RS_ROUND_FIRST : RS_ROUND_MOST);
	f->skipped_rows += s->is_full;
	rs_rounds_note(&s->sources.rounds, f);
	return 0;
}

static void
close_nic(void *state)
{
	struct state *const s = state;
	while (s->n > 0)
		drop(s, &s->nics[s->n - 1]);
	rs_kept_close(s->sources.kept);
	rs_filewatch_close(s->sources.watch);
	rs_ethtool_settings_close(s->sources.ethtool);
	rs_linkwatch_close(s->links);
	free(s->nics);
	free(s);
}

static int
open_nic(const struct rs_root *root, void **ret_state)
{
	struct state *const s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->sources.root = root;
	/* Each of them may be missing; what it tells is then looked for, or absent. */
	if (rs_root_is_live(root)) {
		if (rs_linkwatch_open(&s->links) != 0)
			s->links = NULL;
		if (rs_filewatch_open(&s->sources.watch) != 0)
			s->sources.watch = NULL;
		if (rs_ethtool_settings_open(&s->sources.ethtool) != 0)
			s->sources.ethtool = NULL;
	}
	const int error = rs_kept_open(root, s->sources.watch ? 0 : FILES_KEPT, &s->sources.kept);
	if (error) {
		close_nic(s);
		return error;
	}
	*ret_state = s;
	return 0;
}

static const char *const paths[] = {DIR, DIR "/*/queues/*/*ps_*", DIR "/*/threaded",
    DIR "/*/device/numa_node", DIR "/*/master", DIR "/*/queues/*/tx_timeout", NULL};

RS_COLLECTOR(settings_nic) = {
    .id = "nic_settings",
    .summary = "interfaces: steering masks, channels, rings, coalescing, offloads, hashing",
    .paths = paths,
    .period_ms = 2000,
    .where = RS_WHERE_LIVE | RS_WHERE_CAPTURE,
    .open = open_nic,
    .collect = collect,
    .close = close_nic,
};
