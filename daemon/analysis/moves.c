/* SPDX-License-Identifier: ISC */
/*
 * A write that fails is refused by the driver (a managed interrupt) or by the
 * controller; the command says so by its own error.
 */
#include "moves.h"

#include <stdio.h>
#include <string.h>

#include "feed.h"
#include "masks.h"
#include "places.h"

#define FILE_OF "/smp_affinity_list"
#define ONLINE_BYTES 40

static const char one[] = "echo %s > /proc/irq/%s" FILE_OF;
static const char pairs_end[] = "; do echo ${p#*:} > /proc/irq/${p%:*}" FILE_OF "; done";
static const char same_end[] = "; do echo %s > /proc/irq/$q" FILE_OF "; done";

static const char *
setting_of(const struct rs_view *v, const struct rs_irq_view *line, enum rs_fact_id id)
{
	struct rs_text name = rs_text_of(line->name);
	uint64_t irq;

	if (!rs_text_u64(&name, &irq) || irq > UINT32_MAX)
		return NULL;
	return rs_view_fact(v, id, (uint32_t)irq, RS_NO_QUEUE);
}

const char *
rs_line_affinity(const struct rs_view *v, const struct rs_irq_view *line)
{
	return setting_of(v, line, RS_F_IRQ_AFFINITY);
}

const char *
rs_line_effective(const struct rs_view *v, const struct rs_irq_view *line)
{
	return setting_of(v, line, RS_F_IRQ_EFFECTIVE);
}

static void
append(char *dst, size_t cap, const char *text)
{
	const size_t len = strlen(dst);

	(void)snprintf(dst + len, cap - len, "%s", text);
}

static void
write_command(const struct rs_moves *m, char *dst, size_t cap)
{
	char word[64];

	if (m->n == 1) {
		(void)snprintf(word, sizeof(word), "%u", m->at[0].cpu);
		(void)snprintf(dst, cap, one, word, m->at[0].irq);
		return;
	}
	append(dst, cap, "for p in");
	for (unsigned i = 0; i < m->n; i++) {
		(void)snprintf(word, sizeof(word), " %s:%u", m->at[i].irq, m->at[i].cpu);
		append(dst, cap, word);
	}
	append(dst, cap, pairs_end);
}

/* One mask for all lines, or NULL: they differ. */
static const char *
common_mask(const struct rs_moves *m, char online[static ONLINE_BYTES])
{
	if (m->size.has_unknown) {
		rs_place_online(m->v, online, ONLINE_BYTES);
		return online;
	}
	return m->size.is_same ? m->at[0].mask : NULL;
}

static void
write_undo(const struct rs_moves *m, char *dst, size_t cap)
{
	char online[ONLINE_BYTES];
	const char *const mask = common_mask(m, online);

	if (m->n == 1 && mask) {
		(void)snprintf(dst, cap, one, mask, m->at[0].irq);
		return;
	}
	append(dst, cap, mask ? "for q in" : "for p in");
	for (unsigned i = 0; i < m->n; i++) {
		append(dst, cap, " ");
		append(dst, cap, m->at[i].irq);
		if (mask)
			continue;
		append(dst, cap, ":");
		append(dst, cap, m->at[i].mask);
	}
	const size_t len = strlen(dst);
	if (mask)
		(void)snprintf(dst + len, cap - len, same_end, mask);
	else
		append(dst, cap, pairs_end);
}

void
rs_moves_begin(struct rs_moves *m, const struct rs_view *v)
{
	memset(m, 0, sizeof(*m));
	m->v = v;
}

/* How long the undoing is with all lines so far. */
static size_t
undo_length(const struct rs_moves *m)
{
	const size_t names = sizeof("for q in") + m->size.names;

	if (m->n == 1 && m->at[0].mask)
		return sizeof(one) + m->size.names + m->size.masks;
	if (m->size.has_unknown)
		return names + sizeof(same_end) + ONLINE_BYTES;
	if (m->size.is_same)
		return names + sizeof(same_end) + strlen(m->at[0].mask);
	return names + m->size.masks + sizeof(pairs_end);
}

bool
rs_moves_add(struct rs_moves *m, const struct rs_irq_view *line, unsigned cpu)
{
	const struct rs_moves_size before = m->size;
	const char *mask = rs_line_affinity(m->v, line);
	char number[16];

	if (m->n == RS_MOVES_MAX)
		return false;
	if (rs_mask_is_empty(mask))
		mask = NULL; /* nothing to write back */
	const int digits = snprintf(number, sizeof(number), "%u", cpu);
	m->at[m->n].irq = line->name;
	m->at[m->n].mask = mask;
	m->at[m->n].cpu = cpu;
	m->size.is_same = m->n == 0 || (m->size.is_same && mask && m->at[0].mask &&
					   strcmp(mask, m->at[0].mask) == 0);
	m->size.has_unknown |= !mask;
	m->size.names += strlen(line->name) + 1;
	m->size.cpus += (size_t)digits + 1;
	m->size.masks += (mask ? strlen(mask) : 0) + 1;
	m->n++;
	const size_t length = sizeof("for p in") + m->size.names + m->size.cpus + sizeof(pairs_end);
	if (length <= sizeof(m->advice.command) && undo_length(m) <= sizeof(m->advice.undo))
		return true;
	m->size = before;
	m->n--;
	return false;
}

void
rs_moves_advise(struct rs_moves *m, struct rs_says *out)
{
	struct rs_advice *const a = &m->advice;

	if (m->n == 0)
		return;
	write_command(m, a->command, sizeof(a->command));
	write_undo(m, a->undo, sizeof(a->undo));
	(void)snprintf(a->expect, sizeof(a->expect),
	    "other cores take interrupts at once; a write that fails is refused by driver or "
	    "controller; a running irqbalance undoes it");
	rs_advise(out, a);
}

unsigned
rs_moves_spread(struct rs_moves *m, uint32_t ifindex, double min_rate_ps, const unsigned *places,
    size_t n_places, size_t offset)
{
	size_t next = 0;

	for (size_t i = 0; n_places > 0 && i < m->v->n_irqs; i++) {
		const struct rs_irq_view *const q = &m->v->irqs[i];
		const struct rs_irq_feed *const f = rs_irq_feed_of(q, 0);
		/* A shared line is moved with its first device. */
		if (!f || f->ifindex != ifindex || !rs_irq_is_busy(q, min_rate_ps))
			continue;
		const size_t queue = f->queue >= 0 ? (size_t)f->queue : next++;
		if (!rs_moves_add(m, q, places[(queue + offset) % n_places]))
			break;
	}
	return m->n;
}
