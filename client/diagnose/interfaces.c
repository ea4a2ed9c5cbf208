/* SPDX-License-Identifier: ISC */
/*
 * What sysfs lists, or what outputs, paths and names of interrupts tell of
 * interfaces; then those that are the same are joined.
 */
#include "diagnose/interfaces.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/guess.h"

/* How many comparisons of names the search may take: many thousand lines of many
 * hundred devices are a machine nobody has. */
#define SEARCH_MAX (1u << 24)

/* --- adding --------------------------------------------------------------- */

/* A new one with all unknown; NULL: no room. Its description is at the same place
 * of the infos. */
static struct rs_interface *
add(struct rs_interfaces *i, struct rs_nic_info **ret_info)
{
	size_t n = i->n, cap = i->cap;
	struct rs_nic_info *const info =
	    rs_list_add(&i->infos, &n, &cap, sizeof(*info), RS_INTERFACES_MAX);
	struct rs_interface *const one =
	    info != NULL ? rs_list_add(&i->at, &i->n, &i->cap, sizeof(*one), RS_INTERFACES_MAX)
			 : NULL;

	if (one == NULL)
		return NULL;
	info->speed_bps = info->carrier_changes = -1;
	info->duplex = info->is_up = -1;
	info->mtu = info->rx_queues = info->tx_queues = -1;
	info->ifindex = (uint32_t)i->n;
	*ret_info = info;
	return one;
}

static void
add_guess(struct rs_interfaces *i, const struct rs_guess *g)
{
	struct rs_nic_info *info;
	struct rs_interface *const one = add(i, &info);

	if (one == NULL)
		return;
	one->is_guessed = true;
	one->is_wireless = g->is_wireless;
	const struct rs_text shown = rs_text_len(g->interface) > 0 ? g->interface
				     : rs_text_len(g->device) > 0  ? g->device
								   : g->driver;
	(void)rs_text_copy(shown, one->name, sizeof(one->name));
	(void)rs_text_copy(g->interface, info->name, sizeof(info->name));
	(void)rs_text_copy(g->device, info->device, sizeof(info->device));
	(void)rs_text_copy(g->driver, info->driver, sizeof(info->driver));
}

size_t
rs_interfaces_feeds(const struct rs_interfaces *i, const struct rs_lines_row *row,
    struct rs_irq_feed *ret, size_t cap)
{
	struct rs_text chip, actions;

	if (i->n == 0 || i->is_too_large || !row->is_numbered)
		return 0;
	rs_irq_split(rs_text_of(row->rest), &chip, &actions);
	const size_t n =
	    rs_irq_feeds(rs_text_of(row->name), chip, actions, i->infos, i->n, ret, cap);
	return RS_MIN(n, cap);
}

bool
rs_interfaces_own(
    const struct rs_interfaces *i, const struct rs_irq_feed *f, const struct rs_lines_row *row)
{
	const struct rs_interface *const one = &i->at[f->ifindex - 1];

	return !one->has_named_lines || strstr(row->rest, one->name) != NULL;
}

/* Guesses from each action of a line that no interface known so far has. False:
 * enough was searched. */
static bool
guess_from_line(const struct rs_lines_row *row, struct rs_interfaces *i, size_t *budget)
{
	struct rs_text chip, actions, action;
	bool is_last = false;

	rs_irq_split(rs_text_of(row->rest), &chip, &actions);
	while (!is_last) {
		struct rs_lines_row one = *row;
		struct rs_irq_feed feed[1];
		struct rs_guess g;
		char text[256];
		if (!rs_text_until(&actions, ',', &action)) {
			action = actions;
			is_last = true;
		}
		action = rs_text_trim(action);
		if (rs_text_len(action) == 0 || !rs_text_copy(action, text, sizeof(text)))
			continue;
		if (*budget <= i->n)
			return false;
		*budget -= i->n + 1;
		one.rest = text;
		if (rs_interfaces_feeds(i, &one, feed, 1) == 0 && rs_guess(action, &g))
			add_guess(i, &g);
	}
	return true;
}

static void
guess_from_lines(const struct rs_sample *s, struct rs_interfaces *i)
{
	size_t budget = SEARCH_MAX;

	for (size_t k = 0; k < s->lines.n_rows; k++) {
		if (s->lines.rows[k].is_numbered && !guess_from_line(&s->lines.rows[k], i, &budget))
			return;
	}
}

/* --- what else tells of interfaces ---------------------------------------- */

/* Interfaces that outputs name: they are there before any guess. */
static void
add_from_files(const struct rs_sample *s, struct rs_interfaces *i)
{
	for (size_t k = 0; k < s->n_devices; k++) {
		const struct rs_device_file *const d = &s->devices[k];
		const bool is_described = d->driver.driver[0] != '\0';
		if (strlen(d->name) >= sizeof(i->infos->name) ||
		    (!is_described && !rs_guess_is_interface(rs_text_of(d->name))))
			continue;
		struct rs_nic_info *info;
		struct rs_interface *const one = add(i, &info);
		if (one == NULL)
			return;
		memcpy(one->name, d->name, sizeof(one->name));
		(void)snprintf(info->name, sizeof(info->name), "%.15s", d->name);
		(void)snprintf(info->driver, sizeof(info->driver), "%s", d->driver.driver);
		if (rs_guess_is_pci(rs_text_of(d->driver.bus)) &&
		    strcmp(d->driver.driver, "virtio_net") != 0)
			(void)snprintf(info->device, sizeof(info->device), "%s", d->driver.bus);
		else
			(void)snprintf(
			    info->bus_parent, sizeof(info->bus_parent), "%s", d->driver.bus);
		info->rx_queues = d->rx_queues;
		info->tx_queues = d->tx_queues;
		one->is_wireless = rs_text_starts(rs_text_of(d->name), "wl");
	}
}

/* An interface named in a path ("/sys/class/net/eth1/queues/..."). */
static void
add_from_paths(const struct rs_sample *s, struct rs_interfaces *i)
{
	for (size_t k = 0; k < s->n_paths; k++) {
		const struct rs_path_row *const p = &s->paths[k];
		if (p->device[0] == '\0' || rs_interfaces_by_name(i, p->device) != NULL)
			continue;
		struct rs_nic_info *info;
		struct rs_interface *const one = add(i, &info);
		if (one == NULL)
			return;
		memcpy(one->name, p->device, sizeof(p->device));
		memcpy(info->name, p->device, sizeof(info->name));
	}
}

static void
add_from_sysfs(const struct rs_sample *s, struct rs_interfaces *i)
{
	for (size_t k = 0; k < s->n_nics; k++) {
		struct rs_nic_info *info;
		struct rs_interface *const one = add(i, &info);
		if (one == NULL)
			return;
		const uint32_t ifindex = info->ifindex;
		*info = s->nics[k];
		info->ifindex = ifindex;
		memcpy(one->name, s->nics[k].name, sizeof(s->nics[k].name));
		one->is_wireless =
		    strcmp(s->nics[k].kind, "wlan") == 0 || strncmp(s->nics[k].name, "wl", 2) == 0;
		i->has_sysfs |= s->nics[k].device[0] != '\0';
	}
}

/* --- joining -------------------------------------------------------------- */

/* How many lines serve the interface as it is. */
static size_t
count_lines(const struct rs_sample *s, const struct rs_interfaces *i, size_t at)
{
	const struct rs_interfaces one = {.at = &i->at[at], .infos = &i->infos[at], .n = 1};
	struct rs_irq_feed feed[1];
	size_t n = 0;

	for (size_t k = 0; k < s->lines.n_rows; k++)
		n += rs_interfaces_feeds(&one, &s->lines.rows[k], feed, 1) > 0;
	return n;
}

static bool
is_nameless(const struct rs_interfaces *i, size_t at)
{
	const struct rs_nic_info *const info = &i->infos[at];

	return i->at[at].is_guessed && info->name[0] == '\0' && !i->at[at].is_wireless &&
	       (rs_guess_is_pci(rs_text_of(info->device)) ||
		   strncmp(info->device, "virtio", 6) == 0);
}

static bool
fits_driver(const struct rs_nic_info *named, const struct rs_nic_info *nameless)
{
	const bool is_virtio = strcmp(nameless->driver, "virtio_net") == 0;

	return named->driver[0] == '\0' || (strcmp(named->driver, "virtio_net") == 0) == is_virtio;
}

/* The only device without a name; SIZE_MAX: there are none, or several. */
static size_t
find_nameless(const struct rs_interfaces *i)
{
	size_t at = SIZE_MAX;

	for (size_t k = 0; k < i->n; k++) {
		if (!is_nameless(i, k))
			continue;
		if (at != SIZE_MAX)
			return SIZE_MAX;
		at = k;
	}
	return at;
}

/* The only interface without a line that can be that device. */
static size_t
find_lineless(const struct rs_sample *s, const struct rs_interfaces *i, size_t nameless)
{
	size_t at = SIZE_MAX;

	for (size_t k = 0; k < i->n; k++) {
		if (i->at[k].is_guessed || i->at[k].is_wireless ||
		    !rs_guess_is_interface(rs_text_of(i->at[k].name)) ||
		    !fits_driver(&i->infos[k], &i->infos[nameless]) || count_lines(s, i, k) > 0)
			continue;
		if (at != SIZE_MAX)
			return SIZE_MAX;
		at = k;
	}
	return at;
}

/* One device without a name and one interface without a line are the same. */
static void
join(const struct rs_sample *s, struct rs_interfaces *i)
{
	const size_t from = find_nameless(i);
	const size_t to = from != SIZE_MAX ? find_lineless(s, i, from) : SIZE_MAX;

	if (to == SIZE_MAX)
		return;
	memcpy(i->infos[to].device, i->infos[from].device, sizeof(i->infos[to].device));
	if (i->infos[to].driver[0] == '\0')
		memcpy(i->infos[to].driver, i->infos[from].driver, sizeof(i->infos[to].driver));
	i->at[to].is_guessed = true;
	i->n--;
	i->at[from] = i->at[i->n];
	i->infos[from] = i->infos[i->n];
	i->infos[from].ifindex = (uint32_t)from + 1;
}

/* gve counts its blocks by the vectors it has. */
static void
note_vectors(const struct rs_sample *s, struct rs_interfaces *i)
{
	for (size_t k = 0; k < i->n; k++) {
		struct rs_nic_info *const info = &i->infos[k];
		if (strcmp(info->driver, "gve") != 0 || info->n_irqs > 0)
			continue;
		info->n_irqs = (uint16_t)RS_MIN(count_lines(s, i, k), RS_ARRAY_LEN(info->irqs));
		for (uint16_t v = 0; v < info->n_irqs; v++)
			info->irqs[v] = UINT32_MAX; /* how many, not which */
	}
}

/* "eth2-0" beside "mlx4-comp-0@pci:0000:07:00.0": the driver renames what it gives
 * an interface (mlx4/eq.c), the rest is of the card. */
static void
find_named_lines(const struct rs_sample *s, struct rs_interfaces *i)
{
	for (size_t k = 0; k < i->n; k++) {
		if (i->infos[k].name[0] == '\0' || i->infos[k].device[0] == '\0')
			continue;
		for (size_t r = 0; r < s->lines.n_rows && !i->at[k].has_named_lines; r++) {
			struct rs_text chip, actions;
			struct rs_guess g;
			rs_irq_split(rs_text_of(s->lines.rows[r].rest), &chip, &actions);
			i->at[k].has_named_lines = rs_text_starts(actions, i->at[k].name) &&
						   rs_guess(actions, &g) &&
						   rs_text_eq(g.interface, i->at[k].name);
		}
	}
}

/* Whether telling whose each line is would take too long. */
static bool
is_too_large(const struct rs_sample *s, const struct rs_interfaces *i)
{
	size_t actions = 0;

	for (size_t k = 0; k < s->lines.n_rows; k++) {
		actions++;
		for (const char *p = s->lines.rows[k].rest; *p != '\0'; p++)
			actions += *p == ',';
	}
	return actions * i->n > SEARCH_MAX;
}

int
rs_interfaces_find(const struct rs_sample *s, struct rs_interfaces *ret)
{
	memset(ret, 0, sizeof(*ret));
	add_from_sysfs(s, ret);
	if (!ret->has_sysfs) {
		add_from_files(s, ret);
		add_from_paths(s, ret);
	}
	ret->is_too_large = is_too_large(s, ret);
	if (ret->has_sysfs || ret->is_too_large)
		return 0;
	find_named_lines(s, ret);
	guess_from_lines(s, ret);
	ret->is_too_large = is_too_large(s, ret);
	if (ret->is_too_large)
		return 0;
	join(s, ret);
	note_vectors(s, ret);
	return 0;
}

void
rs_interfaces_free(struct rs_interfaces *i)
{
	free(i->at);
	free(i->infos);
	memset(i, 0, sizeof(*i));
}

const struct rs_interface *
rs_interfaces_by_name(const struct rs_interfaces *i, const char *name)
{
	for (size_t k = 0; k < i->n; k++) {
		if (strcmp(i->at[k].name, name) == 0)
			return &i->at[k];
	}
	return NULL;
}

void
rs_interfaces_put(const struct rs_interfaces *i, struct rs_frame *f)
{
	for (size_t k = 0; !i->has_sysfs && k < i->n; k++) {
		struct rs_text name = rs_text_of(i->at[k].name);
		/* The model's names are those of interfaces, 15 bytes at most. */
		name.end = name.p + RS_MIN(rs_text_len(name), sizeof(f->nics->name) - 1);
		const uint32_t key = rs_frame_named_nic(f, name);
		if (key == 0)
			return;
		struct rs_nic_info *const info = &f->nics[f->n_nics - 1];
		if (info->ifindex != key)
			continue;
		memcpy(info->driver, i->infos[k].driver, sizeof(info->driver));
		/* Where devices are known, one without does not interrupt. */
		(void)snprintf(info->device, sizeof(info->device), "%s",
		    i->infos[k].device[0] != '\0' ? i->infos[k].device : info->name);
	}
}
