/* SPDX-License-Identifier: ISC */
/* What a daemon may send as a piece of history: refused with a sentence, or lines
 * without control characters, none longer than what came. */
#include "fuzz.h"

#include <stdlib.h>

#include "lines.h"

static void
check_lines(const struct rs_lines *r, struct rs_buf *out)
{
	size_t n = 0;

	for (size_t i = 0; i < out->len; i++) {
		const unsigned char c = (unsigned char)out->data[i];

		n += c == '\n';
		if ((c < 0x20 && c != '\n') || c == 0x7f)
			abort();
	}
	if (out->failed || (out->len > 0 && out->data[out->len - 1] != '\n') || n < r->n)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int (*const put[])(struct rs_lines *, struct rs_text, struct rs_buf *,
	    struct rs_error *) = {rs_lines_csv, rs_lines_ministat, rs_lines_json};
	const struct rs_text body = {(const char *)data, (const char *)data + size};

	int64_t first_ms;

	(void)rs_lines_first_ms(body, &first_ms);
	for (size_t i = 0; i < RS_ARRAY_LEN(put); i++) {
		struct rs_lines r = {.is_last = true};
		struct rs_error e = {0};
		struct rs_buf out;

		/* Twice: the second is joined to the first. */
		rs_buf_init(&out, 16 + 16 * size);
		for (unsigned k = 0; k < 2; k++) {
			if (put[i](&r, body, &out, &e) < 0 && e.text[0] == '\0')
				abort();
		}
		check_lines(&r, &out);
		rs_buf_fini(&out);
	}
	return 0;
}
