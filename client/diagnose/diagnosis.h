/* SPDX-License-Identifier: ISC */
/*
 * A capture from the path to the verdict. cmd_diagnose.c prints it.
 */
#ifndef RS_DIAGNOSIS_H
#define RS_DIAGNOSIS_H

#include "diagnose/counted.h"
#include "diagnose/judged.h"
#include "error.h"

enum rs_basis { RS_BASIS_RATES, RS_BASIS_DELTAS, RS_BASIS_TOTALS };

#define RS_NOTES_MAX 40u
#define RS_NOTE_BYTES 240

struct rs_diagnosis {
	struct rs_capture capture;
	struct rs_problems problems;
	struct rs_sample first, last; /* first is empty where there is but one */
	struct rs_screens screens;    /* of all samples */
	struct rs_counted counted;
	struct rs_judged judged;
	struct rs_finding *findings; /* that stand, those that weigh most first; owned */
	size_t n_findings, cap_findings;
	enum rs_basis basis;
	double interval_s;    /* between samples, on average; NAN: not told */
	int flag, imbalanced; /* 1, 0, or -1: cannot be told */
	bool is_usable;	      /* anything was read */
	char verdict[1024];
	/* What is worth knowing and no finding. */
	char notes[RS_NOTES_MAX][RS_NOTE_BYTES];
	size_t n_notes;
};

/* Fails when there is nothing to look at; the sentence says why. */
int rs_diagnose(const char *path, struct rs_diagnosis *ret, struct rs_error *e);
void rs_diagnosis_free(struct rs_diagnosis *d); /* also half made */

/* Adds a part to a text; false: there is no room for the whole of it, and it is left out. */
bool rs_append(char *dst, size_t cap, const char *format, ...) RS_PRINTF(3, 4);
/* Adds to the notes; more than there is room for are left out, a long one ends
 * between two words. */
void rs_note(struct rs_diagnosis *d, const char *format, ...) RS_PRINTF(2, 3);
/* notes.c: all of them; notes_devices.c: those about devices. */
void rs_notes_make(struct rs_diagnosis *d);
void rs_notes_devices(struct rs_diagnosis *d);

/* answer.c: basis, flags and the verdict's line. */
void rs_diagnosis_answer(struct rs_diagnosis *d);

/* document.c: the answer as contract 6 has it. NULL: no memory. */
struct json_t;
struct json_t *rs_diagnosis_document(const struct rs_diagnosis *d);

#endif
