/* SPDX-License-Identifier: ISC */
/*
 * The syntax of both formats, and who gets which.
 */
#include "exposition.h"

#include <math.h>
#include <string.h>

#include "accept.h"
#include "buf.h"
#include "json.h"
#include "num.h"

#define EXACT_MAX 9007199254740992.0 /* 2^53 */

/* --- what is liked best ------------------------------------------------ */

enum kind { KIND_OPENMETRICS, KIND_TEXT, KIND_WILDCARD, N_KINDS };

static bool
find_kind(struct rs_text type, enum kind *ret)
{
	static const struct {
		const char *type;
		enum kind kind;
	} known[] = {
	    {"application/openmetrics-text", KIND_OPENMETRICS},
	    {"text/plain", KIND_TEXT},
	    {"text/*", KIND_WILDCARD},
	    {"*/*", KIND_WILDCARD},
	};

	for (size_t i = 0; i < RS_ARRAY_LEN(known); i++) {
		if (rs_accept_same(type, known[i].type)) {
			*ret = known[i].kind;
			return true;
		}
	}
	return false;
}

/* One "type/subtype;version=1.0.0;q=0.5". False: nothing we have. */
static bool
parse_range(struct rs_text t, enum kind *ret_kind, double *ret_weight)
{
	struct rs_text piece;

	*ret_weight = 1;
	if (!rs_accept_piece(&t, ';', &piece) || !find_kind(piece, ret_kind))
		return false;
	while (rs_accept_piece(&t, ';', &piece)) {
		struct rs_text name = {0};

		if (!rs_text_until(&piece, '=', &name))
			return false;
		const bool is_version =
		    *ret_kind == KIND_OPENMETRICS && rs_accept_same(name, "version");

		if (rs_accept_same(name, "q") && !rs_accept_weight(piece, ret_weight))
			return false;
		if (is_version && !rs_text_eq(piece, "1.0.0"))
			return false;
	}
	return true;
}

bool
rs_exposition_wants_openmetrics(const char *accept)
{
	struct rs_text rest = rs_text_of(accept != NULL ? accept : ""), range;
	double best[N_KINDS] = {-1, -1, -1};

	while (rs_accept_piece(&rest, ',', &range)) {
		enum kind kind;
		double weight;

		if (parse_range(range, &kind, &weight))
			best[kind] = RS_MAX(best[kind], weight);
	}
	/* What is named counts before what is meant by a wildcard. */
	const double text = best[KIND_TEXT] >= 0 ? best[KIND_TEXT] : best[KIND_WILDCARD];

	return best[KIND_OPENMETRICS] > 0 && best[KIND_OPENMETRICS] >= text;
}

/* --- writing ----------------------------------------------------------- */

void
rs_exposition_begin(struct rs_exposition *x, struct rs_buf *out, bool is_openmetrics)
{
	*x = (struct rs_exposition){.out = out, .is_openmetrics = is_openmetrics};
}

void
rs_exposition_family(struct rs_exposition *x, const struct rs_family *f)
{
	x->family = *f;
	x->is_described = false;
}

/* Help text has quotes escaped in OpenMetrics only. */
static void
put_escaped(struct rs_buf *out, const char *s, bool has_quotes)
{
	static const char digits[] = "0123456789abcdef";
	const char *const end = s + strlen(s);

	while (s < end) {
		const size_t len = rs_json_utf8_len(s, end);
		const unsigned char c = (unsigned char)*s;

		if (len == 0) {
			const char five[] = {'\\', '\\', 'x', digits[c >> 4], digits[c & 15]};

			rs_buf_put(out, five, sizeof(five));
		} else if (c == '\n') {
			rs_buf_put(out, "\\n", 2);
		} else {
			if (c == '\\' || (c == '"' && has_quotes))
				rs_buf_putc(out, '\\');
			rs_buf_put(out, s, len);
		}
		s += RS_MAX(len, (size_t)1);
	}
}

static bool
ends_with(const char *s, const char *tail)
{
	const size_t len = strlen(s), tail_len = strlen(tail);

	return len > tail_len && s[len - tail_len - 1] == '_' &&
	       strcmp(s + len - tail_len, tail) == 0;
}

static const char *
suffix(const struct rs_family *f)
{
	switch (f->type) {
	case RS_FAMILY_COUNTER:
		return "_total";
	case RS_FAMILY_INFO:
		return "_info";
	case RS_FAMILY_GAUGE:
		break;
	}
	return "";
}

static const char *
type_name(const struct rs_exposition *x)
{
	switch (x->family.type) {
	case RS_FAMILY_COUNTER:
		return "counter";
	case RS_FAMILY_INFO:
		return x->is_openmetrics ? "info" : "gauge";
	case RS_FAMILY_GAUGE:
		break;
	}
	return "gauge";
}

/* OpenMetrics names the family, the text format the samples. */
static void
describe(struct rs_exposition *x)
{
	const struct rs_family *const f = &x->family;
	const char *const tail = x->is_openmetrics ? "" : suffix(f);

	rs_buf_printf(x->out, "# HELP ringside_%s%s ", f->name, tail);
	put_escaped(x->out, f->help, x->is_openmetrics);
	rs_buf_printf(x->out, "\n# TYPE ringside_%s%s %s\n", f->name, tail, type_name(x));
	if (x->is_openmetrics && f->unit != NULL && ends_with(f->name, f->unit))
		rs_buf_printf(x->out, "# UNIT ringside_%s %s\n", f->name, f->unit);
	x->is_described = true;
}

void
rs_exposition_sample(struct rs_exposition *x)
{
	if (!x->is_described)
		describe(x);
	rs_buf_puts(x->out, "ringside_");
	rs_buf_puts(x->out, x->family.name);
	rs_buf_puts(x->out, suffix(&x->family));
	x->has_labels = false;
}

static void
put_u64(struct rs_buf *out, uint64_t v)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + v % 10);
		v /= 10;
	} while (v != 0);
	rs_buf_put(out, digits + at, sizeof(digits) - at);
}

static void
begin_label(struct rs_exposition *x, const char *name)
{
	rs_buf_putc(x->out, x->has_labels ? ',' : '{');
	x->has_labels = true;
	rs_buf_puts(x->out, name);
	rs_buf_puts(x->out, "=\"");
}

void
rs_exposition_label(struct rs_exposition *x, const char *name, const char *value)
{
	begin_label(x, name);
	put_escaped(x->out, value, true);
	rs_buf_putc(x->out, '"');
}

void
rs_exposition_label_uint(struct rs_exposition *x, const char *name, uint64_t value)
{
	begin_label(x, name);
	put_u64(x->out, value);
	rs_buf_putc(x->out, '"');
}

static void
put_number(struct rs_buf *out, double value, uint32_t scale)
{
	/* As much of the scale as a double holds. */
	while (scale > 1 && fabs(value) * (double)scale >= EXACT_MAX)
		scale /= 10;
	const double scaled = round(fabs(value) * (double)scale);

	if (value < 0 && scaled > 0)
		rs_buf_putc(out, '-');
	if (!(scaled < EXACT_MAX)) {
		rs_buf_printf(out, "%.0f", fabs(value));
		return;
	}
	const uint64_t units = (uint64_t)scaled;

	put_u64(out, units / scale);
	if (units % scale != 0)
		rs_buf_putc(out, '.');
	/* As many digits as are not zero. */
	for (uint64_t rest = units % scale; rest != 0; rest = rest * 10 % scale)
		rs_buf_putc(out, (char)('0' + rest * 10 / scale));
}

void
rs_exposition_value(struct rs_exposition *x, double value, uint32_t scale)
{
	rs_buf_puts(x->out, x->has_labels ? "} " : " ");
	put_number(x->out, value, scale);
	rs_buf_putc(x->out, '\n');
}

void
rs_exposition_end(struct rs_exposition *x)
{
	if (x->is_openmetrics)
		rs_buf_puts(x->out, "# EOF\n");
}
