/* SPDX-License-Identifier: ISC */
/*
 * What a rule says, as engine, store and API pass it on. Plain data of fixed
 * size: a finding is copied, never shared between threads.
 */
#ifndef RS_FINDING_H
#define RS_FINDING_H

#include <stdbool.h>

#include "metric.h"

enum rs_severity { RS_INFO, RS_WARN, RS_CRIT };
enum rs_confidence { RS_LOW, RS_MEDIUM, RS_HIGH };

const char *rs_severity_name(enum rs_severity s);     /* "info" ... */
const char *rs_confidence_name(enum rs_confidence c); /* "low" ... */

enum rs_subject_kind {
	RS_SUBJECT_HOST,
	RS_SUBJECT_CORE,
	RS_SUBJECT_INTERFACE,
	RS_SUBJECT_QUEUE,
	RS_SUBJECT_IRQ
};
const char *rs_subject_kind_name(enum rs_subject_kind k); /* "host", "core", ... */

struct rs_subject {
	enum rs_subject_kind kind;
	int32_t core;	   /* -1: none */
	int32_t queue;	   /* -1: none */
	char device[16];   /* "": none */
	char direction[4]; /* "rx", "tx", "" */
	char irq[16];	   /* "": none */
};
extern const struct rs_subject rs_subject_host;
bool rs_subject_same(const struct rs_subject *a, const struct rs_subject *b);

struct rs_evidence {
	char label[64];
	double value; /* NAN: the text says it all */
	enum rs_unit unit;
	char text[96]; /* "" or what a number cannot say ("2 isolated cores not counted") */
};

struct rs_advice {
	char command[192]; /* exact shell line with real names */
	char expect[160];  /* what should change */
	char undo[192];
	bool is_persistent, is_disruptive;
};

/* Another cause of the same lead, and why it is not this one. The strings are the
 * rule's own and last as long as the program. */
struct rs_ruled_out {
	const char *code, *title;
	char reason[96]; /* what was measured, or "not known: needs ..." */
};

/* A wall clock that is moved by no more was corrected, not set. */
#define RS_CLOCK_NOISE_MS 2000

#define RS_EVIDENCE_MAX 24
#define RS_CAUSES_MAX 4
#define RS_ADVICE_MAX 4
#define RS_RULED_OUT_MAX 16

struct rs_finding {
	int64_t id; /* ascending, unique over restarts; 0: not yet given */
	char code[40];
	char title[96];
	enum rs_severity severity;
	enum rs_confidence confidence;
	struct rs_subject subject;
	int64_t raised_ms, cleared_ms; /* epoch ms; cleared_ms 0 while active */
	int64_t raised_boot_ms;	       /* the same on the boot clock; 0: not known */
	uint32_t episodes; /* raised again within 60 s of clearing: the same finding, one more */
	bool is_ending;	   /* the last sample was clear; votes clear it unless it returns */
	bool is_stale;	   /* too few samples to judge now: the state is the last known */
	char message[256];
	struct rs_evidence evidence[RS_EVIDENCE_MAX];
	uint32_t n_evidence;
	char causes[RS_CAUSES_MAX][160];
	uint32_t n_causes;
	struct rs_advice advice[RS_ADVICE_MAX];
	uint32_t n_advice;
	struct rs_ruled_out ruled_out[RS_RULED_OUT_MAX]; /* not stored */
	uint32_t n_ruled_out;
};

/* The wall clock is offset_ms ahead of the boot clock now: when it was set after
 * the finding was raised, its times are moved. True if so. */
bool rs_finding_follow(struct rs_finding *f, int64_t offset_ms);

#endif
