/* SPDX-License-Identifier: ISC */
/*
 * /proc/interrupts: how often each line interrupted each CPU. Columns are named
 * by the header (online CPUs only); a row is "NAME:", a count per column, and
 * text. Most of this program's parsing is here: 128 CPUs x 600 lines are 77 000
 * numbers a tick. Pure; loop thread.
 */
#include <errno.h>
#include <string.h>

#include "collector.h"
#include "cpu_columns.h"

/* The kernel prints " %10u" (kernel/irq/proc.c, show_interrupts): a blank, then
 * ten places with the number at their right end. Text in exactly this layout is
 * checked 16 bytes at once and converted 8 digits at once; anything else goes
 * byte by byte, and so do small machines. */
enum { COLUMN_BYTES = 11, BLOCK_COLUMNS = 16, BLOCK_BYTES = COLUMN_BYTES * BLOCK_COLUMNS };

typedef uint8_t bytes16 __attribute__((vector_size(16)));

static bytes16
load16(const void *p)
{
	bytes16 v;
	memcpy(&v, p, sizeof(v));
	return v;
}

/* A digit (0x30 to 0x39) has this bit, a blank (0x20) has not. */
#define D 0x10
#define COLUMN 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, D
#define COLUMNS4 COLUMN, COLUMN, COLUMN, COLUMN

/* Whether 16 columns hold nothing but blanks and digits, with a digit followed
 * by a blank at the end of each column and nowhere else. Looks at one byte
 * behind them. */
static bool
is_block(const char *p)
{
	static const uint8_t ends[BLOCK_BYTES] = {COLUMNS4, COLUMNS4, COLUMNS4, COLUMNS4};
	const bytes16 zero = {0};
	bytes16 good = ~zero, bad = zero;
	for (unsigned i = 0; i < BLOCK_BYTES; i += sizeof(bytes16)) {
		const bytes16 here = load16(p + i), next = load16(p + i + 1);
		good &= (bytes16)(here - '0' < 10) | (bytes16)(here == ' ');
		bad |= (here & ~next & D) ^ load16(ends + i);
	}
	const union {
		bytes16 bytes;
		uint64_t words[2];
	} all = {.bytes = bad | ~good};
	return (all.words[0] | all.words[1]) == 0;
}
#undef COLUMNS4
#undef COLUMN
#undef D

/* Eight places, blanks counting as zeros; the first place is the lowest byte.
 * Pairs are joined first, then fours, then all. */
static uint64_t
eight_places(const char *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof(v));
	v &= UINT64_C(0x0f0f0f0f0f0f0f0f);
	v = v * 10 + (v >> 8);
	const uint64_t twos = UINT64_C(0x000000ff000000ff);
	return ((v & twos) * (100 + (UINT64_C(1000000) << 32)) +
		   (v >> 16 & twos) * (1 + (UINT64_C(10000) << 32))) >>
	       32;
}

/* n columns and one byte behind them. False on any surprise. */
static bool
fixed_columns(const char *p, uint32_t n, uint32_t *ret)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	if (n < BLOCK_COLUMNS || *p != ' ')
		return false;
	/* The last block overlaps the one before it. */
	const char *const last = p + (size_t)(n - BLOCK_COLUMNS) * COLUMN_BYTES;
	bool is_good = is_block(last);
	for (const char *q = p; q < last && is_good; q += BLOCK_BYTES)
		is_good = is_block(q);
	if (!is_good)
		return false;
	uint64_t any = 0;
	for (uint32_t i = 0; i < n; i++, p += COLUMN_BYTES) {
		const unsigned tens = (unsigned char)p[1] & 0x0fu;
		const unsigned high = tens * 10 + ((unsigned char)p[2] & 0x0fu);
		const uint64_t value = UINT64_C(100000000) * high + eight_places(p + 3);
		any |= value;
		ret[i] = (uint32_t)value;
	}
	return any <= UINT32_MAX;
#else
	(void)p, (void)n, (void)ret;
	return false;
#endif
}

static bool
ends_word(struct rs_text t)
{
	return t.p == t.end || *t.p == ' ' || *t.p == '\t' || *t.p == '\n' || *t.p == '\r';
}

/* Takes up to n counts. Returns how many there are, or -1: something that is
 * not a count of the kernel's stands among them. */
static int
any_columns(struct rs_text *t, uint32_t n, uint32_t *ret)
{
	for (uint32_t i = 0; i < n; i++) {
		rs_text_blanks(t);
		if (t->p == t->end || *t->p < '0' || *t->p > '9') {
			const bool is_minus =
			    t->end - t->p > 1 && *t->p == '-' && t->p[1] >= '0' && t->p[1] <= '9';
			return is_minus ? -1 : (int)i;
		}
		struct rs_text after = *t;
		uint64_t value;
		if (!rs_text_u64(&after, &value))
			return -1; /* more than 64 bits */
		if (!ends_word(after))
			return (int)i; /* "1e100000.ethernet": the text begins */
		if (value > UINT32_MAX)
			return -1;
		ret[i] = (uint32_t)value;
		*t = after;
	}
	return (int)n;
}

static bool
is_decimal(struct rs_text t)
{
	for (const char *p = t.p; p < t.end; p++) {
		if (*p < '0' || *p > '9')
			return false;
	}
	return t.p < t.end;
}

/* The bytes before the first ':' when they are one word. */
static bool
take_name(struct rs_text *t, struct rs_text *ret)
{
	struct rs_text after = *t;
	rs_text_blanks(&after);
	const char *p = after.p;
	while (p < t->end && *p != ':' && *p != ' ' && *p != '\t' && *p != '\n')
		p++;
	if (p == t->end || *p != ':' || p == after.p)
		return false;
	*ret = (struct rs_text){after.p, p};
	t->p = p + 1;
	return true;
}

static bool
take_fixed_columns(struct rs_text *t, uint32_t n, uint32_t *ret)
{
	const size_t bytes = (size_t)n * COLUMN_BYTES;
	if (rs_text_len(*t) <= bytes || !ends_word((struct rs_text){t->p + bytes, t->end}) ||
	    !fixed_columns(t->p, n, ret))
		return false;
	t->p += bytes;
	return true;
}

static struct rs_text
take_line(struct rs_text *t)
{
	struct rs_text line;
	return rs_text_line(t, &line) ? line : (struct rs_text){t->end, t->end};
}

/* Whether so many counts make a row. A named line may have one for the whole
 * machine ("ERR: 0") or none ("FIQ: usb_fiq"); a row with some of its columns
 * does not tell which. A row that the end of the text cuts off may lack counts,
 * or digits of the last. */
static bool
is_row(const struct rs_irq_row *row, uint32_t columns, bool is_cut)
{
	struct rs_text rest = row->rest, word;
	if (row->cells != columns)
		return !is_cut && row->cells <= (row->is_numbered ? 0 : 1);
	const bool has_rest = rs_text_word(&rest, &word);
	/* More counts than columns? */
	if (has_rest && is_decimal(word))
		return false;
	return has_rest || !is_cut;
}

/* Takes a line. False: there is a row in it that cannot be used. */
#define NAME_CAP sizeof(((struct rs_labels *)0)->irq)

static bool
parse_row(struct rs_text *t, struct rs_frame *f)
{
	struct rs_text name;
	if (!take_name(t, &name))
		return rs_text_len(rs_text_trim(take_line(t))) == 0;
	struct rs_irq_matrix *const m = &f->irqs;
	struct rs_irq_row *const row = rs_frame_irq_row(f);
	if (!row)
		return false;
	row->name = name;
	row->is_numbered = is_decimal(name);
	uint32_t *const cells = m->cells + row->first_cell;
	const bool is_fixed = take_fixed_columns(t, m->columns, cells);
	struct rs_text line = take_line(t);
	const int n = is_fixed ? (int)m->columns : any_columns(&line, m->columns, cells);
	row->cells = n < 0 ? 0 : (uint32_t)n;
	row->rest = rs_text_trim(line);
	const bool is_cut = t->p == t->end && t->end[-1] != '\n';
	/* A longer name than any kernel's would not fit the label either. */
	if (n >= 0 && rs_text_len(name) < NAME_CAP && is_row(row, m->columns, is_cut))
		return true;
	m->n_rows--;
	m->n_cells -= m->columns;
	return false;
}

static bool
take_header(struct rs_text *t, struct rs_frame *f)
{
	struct rs_text line;
	while (rs_text_line(t, &line)) {
		if (!rs_text_starts(rs_text_trim(line), "CPU"))
			continue;
		const uint32_t bound = rs_cpu_columns_bound(line);
		if (!rs_frame_irq_columns(f, bound))
			return false;
		f->irqs.columns = rs_cpu_columns(line, f->irqs.cpu, bound);
		return f->irqs.columns > 0;
	}
	return false;
}

static int
parse(struct rs_text t, const struct rs_sys *sys, struct rs_frame *f)
{
	(void)sys;
	if (!take_header(&t, f))
		return -EINVAL;
	while (!f->is_out_of_memory && t.p < t.end) {
		if (!parse_row(&t, f))
			f->skipped_rows++;
	}
	f->irqs.is_present = f->irqs.n_rows > 0;
	return f->irqs.is_present ? 0 : -EINVAL;
}

static const char *const paths[] = {"proc/interrupts", NULL};

RS_COLLECTOR(proc_interrupts) = {
    .id = "interrupts",
    .summary = "interrupts per line and core",
    .paths = paths,
    .where = RS_WHERE_LIVE | RS_WHERE_CAPTURE,
    .parse = parse,
};
