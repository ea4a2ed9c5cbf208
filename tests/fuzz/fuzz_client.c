/* SPDX-License-Identifier: ISC */
/* What a daemon may answer: every view of it makes a page on which no line holds a
 * control character; as a catalog it has series or a sentence. */
#include "fuzz.h"

#include <jansson.h>
#include <stdlib.h>

#include "cmd.h"
#include "doc.h"
#include "pick.h"

static void
check_page(struct rs_page *p)
{
	for (size_t i = 0; i < p->out.len; i++) {
		const unsigned char c = (unsigned char)p->out.data[i];

		if ((c < 0x20 && c != '\n') || c == 0x7f)
			abort();
	}
	rs_page_fini(p);
}

static void
choose(const json_t *doc)
{
	const struct rs_text cpu = rs_text_of("cpu"), zero = rs_text_of("0");
	struct rs_args a = {.metric = "core_busy_ratio", .labels = {{cpu, zero}}};

	for (a.n_labels = 0; a.n_labels < 2; a.n_labels++) {
		struct rs_error e = {0};
		size_t n = 0;
		int rc = rs_pick_count(doc, &a, &n, &e);

		if (rc == 0 && n > 1)
			rc = rs_pick_refuse(doc, &a, n, &e);
		if (rc < 0 ? e.text[0] == '\0' : n == 0)
			abort();
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct rs_text body = {(const char *)data, (const char *)data + size};
	struct rs_page p[4];
	json_t *doc;

	if (rs_doc_parse(body, &doc, NULL) < 0)
		return 0;
	for (size_t i = 0; i < RS_ARRAY_LEN(p); i++)
		rs_page_init(&p[i], 80, false);
	rs_show_status(&p[0], doc, doc, NULL);
	rs_show_findings(&p[1], doc);
	rs_show_changes(&p[2], doc);
	rs_show_map(&p[3], doc);
	for (size_t i = 0; i < RS_ARRAY_LEN(p); i++)
		check_page(&p[i]);
	choose(doc);
	json_decref(doc);
	return 0;
}
