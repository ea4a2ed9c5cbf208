/* SPDX-License-Identifier: ISC */
/*
 * Values of the answer, and its list of findings. Private to document*.c.
 */
#ifndef RS_DOCUMENT_H
#define RS_DOCUMENT_H

#include <jansson.h>

#include "diagnose/diagnosis.h"

/* NAN is null; whole numbers have no point. */
json_t *rs_json_number(double value);
/* Shares with as many digits as make sense. */
json_t *rs_json_ratio(double value);
/* Below 0: null. */
json_t *rs_json_truth(int value);
/* Of what is no UTF-8 only the plain letters. */
json_t *rs_json_words(const char *s);
/* An empty text, or NULL, is null. */
json_t *rs_json_text(const char *s);
void rs_json_set(json_t *object, const char *key, json_t *take_value);

json_t *rs_json_findings(const struct rs_diagnosis *d);

#endif
