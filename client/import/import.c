/* SPDX-License-Identifier: ISC */
/*
 * Lines, words and numbers of pasted texts.
 */
#include "import/import.h"

#include <stdlib.h>
#include <string.h>

#include "num.h"

#define DIGITS_MAX 15

struct rs_lines
rs_lines_of(struct rs_text t)
{
	return (struct rs_lines){.rest = t};
}

bool
rs_lines_next(struct rs_lines *l, struct rs_text *ret)
{
	struct rs_text line;

	while (rs_text_line(&l->rest, &line)) {
		l->number++;
		line = rs_text_trim(line);
		if (rs_text_len(line) > 0) {
			*ret = line;
			return true;
		}
	}
	return false;
}

void
rs_skip(struct rs_skips *s, unsigned line, const char *why)
{
	if (s->n < RS_SKIPS_MAX)
		s->at[s->n] = (struct rs_skip){line, why};
	s->n++;
}

static bool
is_digit(const char *p, const char *end)
{
	return p < end && *p >= '0' && *p <= '9';
}

bool
rs_import_fits(const char *form, struct rs_text t)
{
	for (; *form != '\0'; form++) {
		if (*form != '#') {
			if (t.p == t.end || *t.p++ != *form)
				return false;
			continue;
		}
		if (!is_digit(t.p, t.end))
			return false;
		while (is_digit(t.p, t.end))
			t.p++;
	}
	return t.p == t.end;
}

bool
rs_import_number(struct rs_text *t, double *ret)
{
	struct rs_text at = *t;
	double value = 0.0, unit = 1.0;
	unsigned digits = 0;

	rs_text_blanks(&at);
	if (!is_digit(at.p, at.end))
		return false;
	for (; is_digit(at.p, at.end); at.p++) {
		value = value * 10.0 + (*at.p - '0');
		if (++digits > DIGITS_MAX)
			return false;
	}
	if (at.p < at.end && (*at.p == '.' || *at.p == ',') && is_digit(at.p + 1, at.end)) {
		for (at.p++; is_digit(at.p, at.end); at.p++) {
			unit /= 10.0;
			value += unit * (*at.p - '0');
		}
	}
	*t = at;
	*ret = value;
	return true;
}

bool
rs_import_is_number(struct rs_text word, double *ret)
{
	return rs_import_number(&word, ret) && word.p == word.end;
}

bool
rs_import_is_u64(struct rs_text word, uint64_t *ret)
{
	return rs_num_u64(word, ret) == 0;
}

void
rs_words_split(struct rs_text line, struct rs_words *ret)
{
	struct rs_text word;

	ret->n = 0;
	while (ret->n < RS_WORDS_MAX && rs_text_word(&line, &word))
		ret->at[ret->n++] = word;
}

int
rs_words_find(const struct rs_words *w, const char *word)
{
	for (unsigned i = 0; i < w->n; i++) {
		if (rs_text_eq(w->at[i], word))
			return (int)i;
	}
	return -1;
}

struct rs_text
rs_words_from(const struct rs_words *w, unsigned i, struct rs_text line)
{
	return i < w->n ? (struct rs_text){w->at[i].p, line.end}
			: (struct rs_text){line.end, line.end};
}

void *
rs_list_add(void *list, size_t *n, size_t *cap, size_t size, size_t max)
{
	char *items;

	memcpy(&items, list, sizeof(items));
	if (*n >= max)
		return NULL;
	if (*n == *cap) {
		const size_t more = *cap * 2 + 8;
		char *const p = realloc(items, more * size);

		if (p == NULL)
			return NULL;
		items = p;
		memcpy(list, &items, sizeof(items));
		*cap = more;
	}
	memset(items + *n * size, 0, size);
	return items + (*n)++ * size;
}
