/* SPDX-License-Identifier: ISC */
/*
 * One call of a command: the arguments, the connection, the page.
 */
#ifndef RS_SESSION_H
#define RS_SESSION_H

#include <stdbool.h>

#include "page.h"

struct json_t;
struct rs_args;
struct rs_error;
struct rs_fetch;

struct rs_session {
	const struct rs_args *args;
	struct rs_fetch *fetch;
	struct rs_page page;
};

/* What a document is by its outermost brackets. */
enum rs_doc_kind { RS_DOC_OBJECT, RS_DOC_ARRAY };

/* Asks for what is below /api/v1/. The document is the caller's (json_decref),
 * the text it was made of stays valid until the next question. */
int rs_session_read(struct rs_session *s, const char *path, enum rs_doc_kind kind,
    struct json_t **ret, struct rs_text *ret_body, struct rs_error *e);
/* The same for a command that shows all of it. The document is the caller's (json_decref).
 * With -J the answer itself is on the page then. */
int rs_session_ask(struct rs_session *s, const char *path, enum rs_doc_kind kind,
    struct json_t **ret, struct rs_error *e);

#endif
