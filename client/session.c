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

/* The answer as it is. The only bytes in valid JSON that a terminal may obey are
 * DEL and U+0080 to U+009F, which are C2 80 to C2 9F; both stand in strings and
 * can be written as escapes there. */
static void
put_json(struct rs_buf *b, struct rs_text t)
{
	const struct rs_text whole = rs_text_trim(t);

	for (const char *p = whole.p; p < whole.end; p++) {
		const unsigned char c = (unsigned char)*p;
		const unsigned char next = p + 1 < whole.end ? (unsigned char)p[1] : 0;

		if (c == 0x7f)
			rs_buf_puts(b, "\\u007f");
		else if (c == 0xc2 && next < 0xa0)
			rs_buf_printf(b, "\\u00%02x", (unsigned)(unsigned char)*++p);
		else
			rs_buf_putc(b, *p);
	}
	rs_buf_putc(b, '\n');
}

int
rs_session_ask(struct rs_session *s, const char *path, enum rs_doc_kind kind, struct json_t **ret,
    struct rs_error *e)
{
	struct rs_error why = {0};
	struct rs_text body;
	json_t *doc = NULL;
	int rc = rs_fetch_get(s->fetch, path, &body, e);

	if (rc < 0)
		return rc;
	rc = rs_doc_parse(body, &doc, &why);
	if (rc < 0)
		return rs_error_set(
		    e, rc, "the answer to /api/v1/%.60s cannot be read: %.200s", path, why.text);
	if (kind == RS_DOC_OBJECT ? !json_is_object(doc) : !json_is_array(doc)) {
		json_decref(doc);
		return rs_error_set(e, -EBADMSG,
		    "the answer to /api/v1/%.60s is none: another program, or another version?",
		    path);
	}
	if (s->args->is_json)
		put_json(&s->page.out, body);
	*ret = doc;
	return 0;
}
