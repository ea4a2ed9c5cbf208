/* SPDX-License-Identifier: ISC */
/*
 * Question to document.
 */
#include "session.h"

#include <errno.h>
#include <jansson.h>

#include "args.h"
#include "doc.h"
#include "fetch.h"

int
rs_session_read(struct rs_session *s, const char *path, enum rs_doc_kind kind, struct json_t **ret,
    struct rs_text *ret_body, struct rs_error *e)
{
	struct rs_error why = {0};
	json_t *doc = NULL;
	int rc = rs_fetch_get(s->fetch, path, ret_body, e);

	if (rc < 0)
		return rc;
	rc = rs_doc_parse(*ret_body, &doc, &why);
	if (rc < 0)
		return rs_error_set(
		    e, rc, "the answer to /api/v1/%.60s cannot be read: %.200s", path, why.text);
	if (kind == RS_DOC_OBJECT ? !json_is_object(doc) : !json_is_array(doc)) {
		json_decref(doc);
		return rs_error_set(e, -EBADMSG,
		    "the answer to /api/v1/%.60s is none: another program, or another version?",
		    path);
	}
	*ret = doc;
	return 0;
}

int
rs_session_ask(struct rs_session *s, const char *path, enum rs_doc_kind kind, struct json_t **ret,
    struct rs_error *e)
{
	struct rs_text body;
	const int rc = rs_session_read(s, path, kind, ret, &body, e);

	if (rc == 0 && s->args->is_json)
		rs_page_put_json(&s->page.out, body);
	return rc;
}
