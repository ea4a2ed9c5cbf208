/* SPDX-License-Identifier: ISC */
/*
 * Edit distance over short names. Pure.
 */
#include "nearest.h"

#include <string.h>

enum { NAME_MAX_LEN = 63 };

void
rs_nearest_begin(struct rs_nearest *n, struct rs_text word)
{
	*n = (struct rs_nearest){.word = word, .distance = NAME_MAX_LEN};
}

/* Insertions, deletions and replacements that turn word into name. */
static unsigned
distance(struct rs_text word, const char *name, size_t name_len)
{
	unsigned row[NAME_MAX_LEN + 1];

	for (unsigned k = 0; k <= name_len; k++)
		row[k] = k;
	for (unsigned i = 1; i <= rs_text_len(word); i++) {
		unsigned diagonal = row[0];

		row[0] = i;
		for (size_t k = 1; k <= name_len; k++) {
			const unsigned replaced = diagonal + (word.p[i - 1] == name[k - 1] ? 0 : 1);

			diagonal = row[k];
			row[k] = RS_MIN(replaced, RS_MIN(row[k], row[k - 1]) + 1);
		}
	}
	return row[name_len];
}

void
rs_nearest_try(struct rs_nearest *n, const char *name)
{
	const size_t name_len = strlen(name);

	if (rs_text_len(n->word) > NAME_MAX_LEN || name_len > NAME_MAX_LEN)
		return;
	const unsigned d = distance(n->word, name, name_len);

	if (d < n->distance) {
		n->distance = d;
		n->best = name;
	}
}

const char *
rs_nearest_best(const struct rs_nearest *n)
{
	return n->distance <= RS_MAX(2u, (unsigned)rs_text_len(n->word) / 3) ? n->best : NULL;
}
