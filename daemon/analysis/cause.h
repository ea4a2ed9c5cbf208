/* SPDX-License-Identifier: ISC */
/*
 * What the rules of causes share when they explain the core that leads: whether
 * it is this rule's turn, the figures all of them show, and whether spreading
 * the work would bring anything. Pure.
 */
#ifndef RS_CAUSE_H
#define RS_CAUSE_H

#include "lead.h"
#include "rule.h"

/* News about a core that leads without being full needs so long. */
#define RS_CAUSE_INFO_WINDOW_S 12u

/* For `explains`, which returns what these do: false. Not this cause, by what was
 * read: one short sentence with the figure, of which 95 characters are kept. */
bool rs_not(struct rs_cause *ret, const char *format, ...) RS_PRINTF(2, 3);
/* It cannot be told: this input was not read. */
bool rs_not_known(struct rs_cause *ret, const char *what);
/* The core gets its packets otherwise than by interrupts of the leading interface,
 * or a thread does the work: by RPS, say. */
bool rs_not_by_interrupts(const struct rs_lead *l, struct rs_cause *ret);
/* No core but this has room. */
bool rs_not_elsewhere(const struct rs_lead *l, struct rs_cause *ret);

/* The lead, when the cause of this tick is this rule's; NULL: it is not. */
const struct rs_lead *rs_cause_turn(const struct rs_says *out);
/* The same for a rule that says nothing but this: what `explains` lacked, it needs. */
const struct rs_lead *rs_cause_only_turn(struct rs_says *out);
/* Says it of the subject, with condition and severity of the lead, the confidence
 * and the phrase of the cause as its message. */
void rs_cause_say(struct rs_says *out, const struct rs_lead *l, const struct rs_subject *subject);
/* The interface as a whole. */
struct rs_subject rs_nic_subject(const struct rs_nic_view *nic);

/* Packets of the leading interface, load of the core, packets for a second of its
 * CPU time, and how many cores have room. */
void rs_cause_figures(struct rs_says *out, const struct rs_lead *l);

/* No link is full, as far as speeds are known. */
bool rs_link_has_room(const struct rs_view *v);
/* False, and the evidence says why: the link is full, or the other cores were
 * measured to be so much slower at this that nothing would be won. */
bool rs_cause_can_spread(struct rs_says *out, const struct rs_lead *l);

/* Whether the leading interface gives the core its packets itself: by its
 * interrupts or by a thread of its own, not by RPS. */
bool rs_lead_is_fed_by_nic(const struct rs_lead *l);

#endif
