/* SPDX-License-Identifier: ISC */
/*
 * The one place that knows JSON's syntax for output. Loop thread in practice,
 * but it holds no state beside the caller's object.
 */
#include "json.h"

#include <math.h>
#include <string.h>

#include "buf.h"

#define EXACT_MAX 9007199254740992.0 /* 2^53 */

void
rs_json_init(struct rs_json *j, struct rs_buf *out)
{
	*j = (struct rs_json){.out = out};
}

bool
rs_json_is_whole(const struct rs_json *j)
{
	return !j->is_broken && j->depth == 0 && j->has_root && !j->out->failed;
}

/* What comes before any value: a comma, or the check that none may come. */
static void
begin_value(struct rs_json *j)
{
	if (j->depth == 0) {
		j->is_broken = j->is_broken || j->has_root;
		j->has_root = true;
		return;
	}
	const unsigned top = j->depth - 1;

	if (j->closer[top] == '}') {
		j->is_broken = j->is_broken || !j->has_key;
		j->has_key = false;
		return;
	}
	if (j->has_members[top])
		rs_buf_putc(j->out, ',');
	j->has_members[top] = true;
}

static void
open_level(struct rs_json *j, char opener, char closer)
{
	begin_value(j);
	if (j->depth == RS_JSON_DEPTH_MAX) {
		j->is_broken = true;
		return;
	}
	rs_buf_putc(j->out, opener);
	j->closer[j->depth] = closer;
	j->has_members[j->depth] = false;
	j->depth++;
}

void
rs_json_object(struct rs_json *j)
{
	open_level(j, '{', '}');
}

void
rs_json_array(struct rs_json *j)
{
	open_level(j, '[', ']');
}

void
rs_json_end(struct rs_json *j)
{
	if (j->depth == 0 || j->has_key) {
		j->is_broken = true;
		return;
	}
	j->depth--;
	rs_buf_putc(j->out, j->closer[j->depth]);
}

/* Length of the valid UTF-8 sequence at p, 0 when there is none (RFC 3629:
 * no overlong form, no surrogate, nothing above U+10FFFF). */
static size_t
utf8_len(const unsigned char *p, const unsigned char *end)
{
	static const struct {
		unsigned char mask, lead, len;
	} forms[] = {{0x80, 0x00, 1}, {0xe0, 0xc0, 2}, {0xf0, 0xe0, 3}, {0xf8, 0xf0, 4}};
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};

	for (size_t i = 0; i < RS_ARRAY_LEN(forms); i++) {
		if ((p[0] & forms[i].mask) != forms[i].lead)
			continue;
		const size_t len = forms[i].len;
		uint32_t c = p[0] & (unsigned char)~forms[i].mask;

		if ((size_t)(end - p) < len)
			return 0;
		for (size_t k = 1; k < len; k++) {
			if ((p[k] & 0xc0) != 0x80)
				return 0;
			c = c << 6 | (p[k] & 0x3f);
		}
		if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
			return 0;
		return len;
	}
	return 0;
}

size_t
rs_json_utf8_len(const char *p, const char *end)
{
	return utf8_len((const unsigned char *)p, (const unsigned char *)end);
}

static void
put_escape(struct rs_buf *out, unsigned char c)
{
	static const char digits[] = "0123456789abcdef";
	static const char from[] = "\"\\\b\f\n\r\t";
	static const char to[] = "\"\\bfnrt";
	const char *known = c != 0 ? strchr(from, c) : NULL;

	if (known != NULL) {
		const char two[] = {'\\', to[known - from]};

		rs_buf_put(out, two, sizeof(two));
		return;
	}
	const char six[] = {'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]};

	rs_buf_put(out, six, sizeof(six));
}

static void
put_quoted(struct rs_buf *out, const char *text, size_t len)
{
	const unsigned char *p = (const unsigned char *)text, *end = p + len, *plain = p;

	rs_buf_putc(out, '"');
	while (p < end) {
		const size_t n = utf8_len(p, end);

		if (n > 1 || (n == 1 && *p >= 0x20 && *p != '"' && *p != '\\')) {
			p += n;
			continue;
		}
		rs_buf_put(out, plain, (size_t)(p - plain));
		if (n == 0)
			rs_buf_put(out, "\xef\xbf\xbd", 3);
		else
			put_escape(out, *p);
		plain = ++p;
	}
	rs_buf_put(out, plain, (size_t)(p - plain));
	rs_buf_putc(out, '"');
}

void
rs_json_key(struct rs_json *j, const char *key)
{
	if (j->depth == 0 || j->closer[j->depth - 1] != '}' || j->has_key) {
		j->is_broken = true;
		return;
	}
	if (j->has_members[j->depth - 1])
		rs_buf_putc(j->out, ',');
	j->has_members[j->depth - 1] = true;
	j->has_key = true;
	put_quoted(j->out, key, strlen(key));
	rs_buf_putc(j->out, ':');
}

void
rs_json_text(struct rs_json *j, struct rs_text t)
{
	begin_value(j);
	put_quoted(j->out, t.p, rs_text_len(t));
}

void
rs_json_string(struct rs_json *j, const char *s)
{
	rs_json_text(j, rs_text_of(s));
}

/* Decimal digits of v at dst; returns how many. */
static size_t
format_uint(uint64_t v, char *dst)
{
	char reversed[20];
	size_t n = 0;

	do {
		reversed[n++] = (char)('0' + v % 10);
		v /= 10;
	} while (v != 0);
	for (size_t i = 0; i < n; i++)
		dst[i] = reversed[n - 1 - i];
	return n;
}

void
rs_json_uint(struct rs_json *j, uint64_t v)
{
	char digits[20];

	begin_value(j);
	rs_buf_put(j->out, digits, format_uint(v, digits));
}

void
rs_json_int(struct rs_json *j, int64_t v)
{
	char digits[21];
	size_t n = 0;

	begin_value(j);
	if (v < 0)
		digits[n++] = '-';
	n += format_uint(v < 0 ? 0 - (uint64_t)v : (uint64_t)v, digits + n);
	rs_buf_put(j->out, digits, n);
}

enum { DECIMALS_MAX = 9 };

/* digits x 10^-decimals without trailing zeros. Most of the time of a long answer
 * is spent here: it divides by nothing but ten. */
static size_t
format_fixed(uint64_t digits, unsigned decimals, char *dst)
{
	char behind[DECIMALS_MAX];

	while (decimals > 0 && digits % 10 == 0) {
		digits /= 10;
		decimals--;
	}
	for (unsigned i = decimals; i-- > 0; digits /= 10)
		behind[i] = (char)('0' + digits % 10);
	size_t n = format_uint(digits, dst);
	if (decimals == 0)
		return n;
	dst[n++] = '.';
	memcpy(dst + n, behind, decimals);
	return n + decimals;
}

/* v >= 0, below 2^63. From 2^52 on doubles have no fraction to round. */
static uint64_t
nearest(double v)
{
	return (uint64_t)(v < EXACT_MAX / 2 ? v + 0.5 : v);
}

/* One digit, a fraction and an exponent, for the very small and very large. */
static size_t
format_scientific(double v, char *dst)
{
	int exponent = (int)floor(log10(v));
	uint64_t digits = nearest(v / pow(10, exponent) * 1e5);
	size_t n;

	if (digits >= 1000000) {
		digits /= 10;
		exponent++;
	}
	n = format_fixed(digits, 5, dst);
	dst[n++] = 'e';
	if (exponent < 0)
		dst[n++] = '-';
	return n + format_uint((uint64_t)(exponent < 0 ? -exponent : exponent), dst + n);
}

size_t
rs_json_format(double v, char dst[static RS_JSON_NUMBER_MAX])
{
	static const double scales[DECIMALS_MAX + 1] = {
	    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
	static const double least[DECIMALS_MAX] = {1e5, 1e4, 1e3, 1e2, 1e1, 1, 1e-1, 1e-2, 1e-3};
	const double a = fabs(v);
	size_t n = 0;

	if (!isfinite(v)) {
		memcpy(dst, "null", 5);
		return 4;
	}
	/* Subnormal and smaller: nothing measured here is that small. */
	if (a < 1e-300) {
		memcpy(dst, "0", 2);
		return 1;
	}
	if (v < 0)
		dst[n++] = '-';
	if (a >= EXACT_MAX || a < 1e-4) {
		n += format_scientific(a, dst + n);
	} else if (a >= 1e6 || floor(a) >= a) {
		n += format_uint(nearest(a), dst + n);
	} else {
		/* As many decimals as make it six digits; a is at least 1e-4. */
		unsigned decimals = 0;

		while (decimals < DECIMALS_MAX && a < least[decimals])
			decimals++;
		n += format_fixed(nearest(a * scales[decimals]), decimals, dst + n);
	}
	dst[n] = '\0';
	return n;
}

void
rs_json_double(struct rs_json *j, double v)
{
	char text[RS_JSON_NUMBER_MAX];

	begin_value(j);
	rs_buf_put(j->out, text, rs_json_format(v, text));
}

void
rs_json_bool(struct rs_json *j, bool v)
{
	begin_value(j);
	rs_buf_puts(j->out, v ? "true" : "false");
}

void
rs_json_null(struct rs_json *j)
{
	begin_value(j);
	rs_buf_puts(j->out, "null");
}

void
rs_json_put_string(struct rs_json *j, const char *key, const char *s)
{
	rs_json_key(j, key);
	rs_json_string(j, s);
}

void
rs_json_put_known_string(struct rs_json *j, const char *key, const char *s)
{
	rs_json_key(j, key);
	if (s == NULL || s[0] == '\0')
		rs_json_null(j);
	else
		rs_json_string(j, s);
}

void
rs_json_put_int(struct rs_json *j, const char *key, int64_t v)
{
	rs_json_key(j, key);
	rs_json_int(j, v);
}

void
rs_json_put_known_int(struct rs_json *j, const char *key, int64_t v)
{
	rs_json_key(j, key);
	if (v < 0)
		rs_json_null(j);
	else
		rs_json_int(j, v);
}

void
rs_json_put_uint(struct rs_json *j, const char *key, uint64_t v)
{
	rs_json_key(j, key);
	rs_json_uint(j, v);
}

void
rs_json_put_double(struct rs_json *j, const char *key, double v)
{
	rs_json_key(j, key);
	rs_json_double(j, v);
}

void
rs_json_put_bool(struct rs_json *j, const char *key, bool v)
{
	rs_json_key(j, key);
	rs_json_bool(j, v);
}

void
rs_json_put_null(struct rs_json *j, const char *key)
{
	rs_json_key(j, key);
	rs_json_null(j);
}
