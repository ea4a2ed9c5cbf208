/* SPDX-License-Identifier: ISC */
/*
 * What the collectors of settings share: the spelling of a value (the same value
 * is always the same text), what of them is due in a tick, and which were
 * refused. Loop thread.
 */
#ifndef RS_SETTINGS_H
#define RS_SETTINGS_H

#include "frame.h"

/* All of a source's settings are read once in a round, a part of them each time;
 * where there are more than RS_ROUND_MOST a second, the round takes longer. */
#define RS_ROUND_NS (4 * RS_NS_PER_S)
#define RS_ROUND_MOST 256u
/* Once in so many rounds (two minutes) is read what the kernel gives notice of,
 * and asked for what was missing or refused. */
#define RS_ROUND_SLOW 30u

/* The state of a source's rounds; begins zeroed. */
struct rs_rounds {
	bool has_begun;
	rs_ns at_ns;
	/* Facts refused: since forgot_ns, and in the time before that. */
	bool refused[RS_F_COUNT], were_refused[RS_F_COUNT];
	bool has_refused; /* any of either */
	rs_ns forgot_ns;
};

/* How many of n steps are due: all at first (but RS_ROUND_FIRST), later the part
 * of a round that has passed, and at least one. */
#define RS_ROUND_FIRST 8192u
size_t rs_rounds_due(struct rs_rounds *r, size_t n, rs_ns now_ns);
void rs_rounds_refuse(struct rs_rounds *r, enum rs_fact_id id);
/* A round is over. */
void rs_rounds_end(struct rs_rounds *r);
/* Names what was refused in the frame's note. */
void rs_rounds_note(const struct rs_rounds *r, struct rs_frame *f);

#define RS_SETTING_BYTES 4096

/* Writes the spelling of a value. False: the text is not of this form. */
typedef bool (*rs_setting_form)(struct rs_text t, char ret[static RS_SETTING_BYTES]);

/* Sets of numbers as a list, "0-3"; the empty one is "none". */
bool rs_setting_mask(struct rs_text t, char ret[static RS_SETTING_BYTES]);
bool rs_setting_list(struct rs_text t, char ret[static RS_SETTING_BYTES]);
bool rs_setting_number(struct rs_text t, char ret[static RS_SETTING_BYTES]);
/* 0 and 1 as "off" and "on", or the other way round; other numbers stay. */
bool rs_setting_switch(struct rs_text t, char ret[static RS_SETTING_BYTES]);
bool rs_setting_inverse(struct rs_text t, char ret[static RS_SETTING_BYTES]);
/* Printable text, what else is in it as '?'; not empty. */
bool rs_setting_word(struct rs_text t, char ret[static RS_SETTING_BYTES]);

/* Where a value that was read goes. */
struct rs_setting {
	enum rs_fact_id id;
	uint32_t key;
	uint16_t queue;
	rs_setting_form form;
};

/* Puts what a file answered: its text (error 0), that it is no longer there
 * (-ENOENT), or notes that it is refused (-EACCES, -EPERM). After other errors
 * the last value stands. A text that is not of the form is a skipped row. */
void rs_setting_told(struct rs_rounds *r, struct rs_frame *f, const struct rs_setting *what,
    int error, struct rs_text t);

#endif
