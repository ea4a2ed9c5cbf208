/* SPDX-License-Identifier: ISC */
/*
 * Lines, words and colours. No I/O but rs_page_write.
 */
#include "page.h"

#include <errno.h>
#include <string.h>
/* Far above any answer: its size is limited before. */
#define PAGE_MAX_BYTES ((size_t)512 << 20)

void
rs_page_init(struct rs_page *p, unsigned width, bool has_colour)
{
	*p = (struct rs_page){.width = width, .has_colour = has_colour};
	rs_buf_init(&p->out, PAGE_MAX_BYTES);
	rs_buf_init(&p->scratch, PAGE_MAX_BYTES);
}

void
rs_page_fini(struct rs_page *p)
{
	rs_buf_fini(&p->out);
	rs_buf_fini(&p->scratch);
}

void
rs_page_style(struct rs_page *p, enum rs_style style)
{
	static const char *const codes[] = {
	    [RS_PLAIN] = "0",
	    [RS_BOLD] = "1",
	    [RS_FAINT] = "2",
	    [RS_GOOD] = "32",
	    [RS_NOTICE] = "36",
	    [RS_WARNING] = "33",
	    [RS_CRITICAL] = "1;31",
	};

	if (p->has_colour && p->style != style)
		rs_buf_printf(&p->out, "\x1b[%s%sm", style != RS_PLAIN ? "0;" : "", codes[style]);
	p->style = style;
}

/* The bytes of the character that starts here; 0 when none does. */
static size_t
character(const unsigned char *s)
{
	const size_t more = s[0] < 0x80 ? 0 : s[0] < 0xe0 ? 1 : s[0] < 0xf0 ? 2 : 3;

	if ((s[0] >= 0x80 && s[0] < 0xc2) || s[0] > 0xf4)
		return 0;
	for (size_t i = 1; i <= more; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	return 1 + more;
}

static bool
is_control(const unsigned char *s)
{
	return s[0] < 0x20 || s[0] == 0x7f || (s[0] == 0xc2 && s[1] < 0xa0);
}

/* More than rs_text_defuse does: not every terminal takes its bytes for UTF-8,
 * and those that do obey U+0080 to U+009F. */
static void
defuse(char *text)
{
	unsigned char *s = (unsigned char *)text;

	while (*s != '\0') {
		const size_t n = character(s);

		if (n > 0 && !is_control(s)) {
			s += n;
			continue;
		}
		*s++ = '?';
	}
}

void
rs_page_defused(struct rs_buf *b, const char *format, va_list args)
{
	va_list again;

	va_copy(again, args);
	const int len = vsnprintf(NULL, 0, format, again);
	va_end(again);
	char *at = len >= 0 ? rs_buf_reserve(b, (size_t)len + 1) : NULL;

	if (at == NULL) {
		b->failed = true;
		return;
	}
	(void)vsnprintf(at, (size_t)len + 1, format, args);
	defuse(at);
	b->len += (size_t)len;
}

void
rs_page_put_line(struct rs_buf *b, struct rs_text line)
{
	const size_t len = rs_text_len(line);
	char *const at = rs_buf_reserve(b, len + 1);

	if (at == NULL)
		return;
	for (size_t i = 0; i < len; i++) {
		at[i] = line.p[i];
		if (at[i] == '\0')
			at[i] = '?';
	}
	at[len] = '\0';
	defuse(at);
	at[len] = '\n';
	b->len += len + 1;
}

/* The bytes of the character at p, 0: none. Puts it as an escape of JSON when a
 * terminal obeys it. */
static size_t
put_wide(struct rs_buf *b, const char *p, const char *end)
{
	unsigned char first[5] = {0};

	memcpy(first, p, RS_MIN((size_t)(end - p), sizeof(first) - 1));
	const size_t n = character(first);

	if (n > 0 && is_control(first))
		rs_buf_printf(b, "\\u00%02x", (unsigned)(n > 1 ? first[1] : first[0]));
	else
		rs_buf_put(b, p, n);
	return n;
}

/* In valid JSON only DEL and U+0080 to U+009F are left that a terminal may obey;
 * both stand in strings and can be written as escapes there. */
void
rs_page_put_json(struct rs_buf *b, struct rs_text t)
{
	const struct rs_text whole = rs_text_trim(t);

	for (const char *p = whole.p; p < whole.end;) {
		const unsigned char c = (unsigned char)*p;

		if (c < 0x7f) {
			if (c >= 0x20 || c == '\n')
				rs_buf_putc(b, *p);
			else
				rs_buf_putc(b, ' ');
			p++;
			continue;
		}
		const size_t n = put_wide(b, p, whole.end);

		if (n == 0)
			rs_buf_putc(b, '?');
		p += RS_MAX(n, (size_t)1);
	}
	rs_buf_putc(b, '\n');
}

unsigned
rs_page_length(struct rs_text t)
{
	unsigned n = 0;

	for (; t.p < t.end; t.p++)
		n += ((unsigned char)*t.p & 0xc0) != 0x80;
	return n;
}

static void
add(struct rs_page *p, struct rs_text t)
{
	rs_buf_put(&p->out, t.p, rs_text_len(t));
	p->column += rs_page_length(t);
}

static struct rs_text make(struct rs_page *p, const char *format, va_list args) RS_PRINTF(2, 0);

/* The text to be put, defused; valid until the next. */
static struct rs_text
make(struct rs_page *p, const char *format, va_list args)
{
	rs_buf_reset(&p->scratch);
	rs_page_defused(&p->scratch, format, args);
	if (!p->scratch.failed)
		return (struct rs_text){p->scratch.data, p->scratch.data + p->scratch.len};
	p->out.failed = true;
	return rs_text_of("");
}

void
rs_page_printf(struct rs_page *p, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(p, make(p, format, args));
	va_end(args);
}

void
rs_page_indent(struct rs_page *p, unsigned column)
{
	while (p->column < column) {
		rs_buf_putc(&p->out, ' ');
		p->column++;
	}
}

static void
break_line(struct rs_page *p)
{
	rs_buf_putc(&p->out, '\n');
	p->column = 0;
}

void
rs_page_end(struct rs_page *p)
{
	rs_page_style(p, RS_PLAIN);
	break_line(p);
}

void
rs_page_prose(struct rs_page *p, unsigned indent, const char *format, ...)
{
	bool is_first = true;
	struct rs_text word;
	va_list args;

	va_start(args, format);
	struct rs_text rest = make(p, format, args);
	va_end(args);
	for (; rs_text_word(&rest, &word); is_first = false) {
		const unsigned end = p->column + !is_first + rs_page_length(word);

		if (p->width > 0 && end > p->width && p->column > indent) {
			break_line(p);
			rs_page_indent(p, indent);
		} else if (!is_first) {
			add(p, rs_text_of(" "));
		}
		add(p, word);
	}
	rs_page_end(p);
}

int
rs_page_write(struct rs_page *p, FILE *f)
{
	if (p->out.failed)
		return -ENOMEM;
	errno = 0;
	if (fwrite(p->out.data, 1, p->out.len, f) != p->out.len || fflush(f) != 0)
		return errno != 0 ? -errno : -EIO;
	return 0;
}
