/* SPDX-License-Identifier: ISC */
/*
 * What a daemon answered, read with doubt: a key that is missing or has another
 * type than expected is not known. Pure. The only place besides the commands
 * that knows the JSON library.
 */
#ifndef RS_DOC_H
#define RS_DOC_H

#include "error.h"
#include "text.h"

struct json_t;

/* -EBADMSG: no JSON, or more values in it than can be meant. The caller gives
 * the document back with json_decref. */
int rs_doc_parse(struct rs_text body, struct json_t **ret, struct rs_error *e);
/* NAN when it is no number. */
double rs_doc_number(const struct json_t *object, const char *key);
/* 1, 0, or -1 when it is neither true nor false. */
int rs_doc_flag(const struct json_t *object, const char *key);
/* NULL when it is no string or empty. */
const char *rs_doc_string(const struct json_t *object, const char *key);
/* The string, or "-". */
const char *rs_doc_word(const struct json_t *object, const char *key);

#endif
