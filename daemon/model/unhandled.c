/* SPDX-License-Identifier: ISC */
/*
 * Interrupts that no handler took for its own: a count of the kernel's for each
 * line, read only of lines that fire often. Not a series: it is looked at while
 * something is wrong, and begins at zero again by itself.
 */
#include "rate.h"
#include "state.h"

#include <math.h>

static rs_ns
unhandled_period(const struct rs_model *m)
{
	return RS_MAX(m->conf.interval_ns, RS_NS_PER_S);
}

static void
take_unhandled(const struct rs_model *m, struct rs_irq_state *s, uint32_t count, rs_ns at_ns)
{
	const rs_ns dt = at_ns - s->unhandled_ns;
	/* Begun at zero again in between, it counted at least what it shows. */
	const uint32_t increment = count >= s->unhandled ? count - s->unhandled : count;

	s->unhandled_ps = NAN;
	if (s->unhandled_ns != 0 && dt > 0 && !rs_rate_is_gap(dt, unhandled_period(m)))
		s->unhandled_ps = (double)increment / ((double)dt / (double)RS_NS_PER_S);
	s->unhandled = count;
	s->unhandled_ns = at_ns;
}

void
rs_irqs_take_unhandled(struct rs_model *m, const struct rs_frame *f)
{
	for (unsigned k = 0; k < f->n_unhandled; k++) {
		for (uint32_t i = 0; i < m->n_irqs; i++) {
			struct rs_text name = rs_text_of(m->irqs[i].name);
			uint64_t irq;
			if (m->irqs[i].is_numbered && rs_text_u64(&name, &irq) &&
			    irq == f->unhandled[k].irq)
				take_unhandled(m, &m->irqs[i], f->unhandled[k].count, f->at_ns);
		}
	}
}

/* As of its last reading, while that is the latest there could be. */
double
rs_irq_unhandled_now(const struct rs_model *m, const struct rs_irq_state *s)
{
	const rs_ns age = m->now.mono_ns - s->unhandled_ns;
	const bool is_old = age > 0 && rs_rate_is_gap(age, unhandled_period(m));

	return s->unhandled_ns != 0 && !is_old ? s->unhandled_ps : (double)NAN;
}
