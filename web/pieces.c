/* SPDX-License-Identifier: ISC */
/* Loop thread. */
#include "pieces.h"

#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* No single piece is nearly so long. */
#define TEXT_MAX ((size_t)16 << 20)

/* What an answer held is given back to the system when it was at least this much. */
#define GIVE_BACK_BYTES ((size_t)4 << 20)

/* The C library keeps what is freed between what is not: after a long answer made of
 * many rows that is most of it. Other libraries return it by themselves. */
static void
give_back(void)
{
#ifdef __GLIBC__
	(void)malloc_trim(0);
#endif
}

static ptrdiff_t
read_pieces(void *arg, char *dst, size_t cap)
{
	struct rs_pieces *p = arg;

	/* Small pieces share a buffer, so that chunks are not tiny. */
	while (!p->is_done && p->text.len < cap && !p->text.failed)
		p->write(p);
	if (p->text.failed)
		return RS_SOURCE_FAILED;
	const size_t n = RS_MIN(p->text.len, cap);

	if (n == 0)
		return RS_SOURCE_END;
	memcpy(dst, p->text.data, n);
	p->text.len -= n;
	memmove(p->text.data, p->text.data + n, p->text.len);
	return (ptrdiff_t)n;
}

static void
free_pieces(void *arg)
{
	struct rs_pieces *p = arg;
	const bool was_long = p->bytes >= GIVE_BACK_BYTES;

	*p->held -= p->bytes;
	rs_buf_fini(&p->text);
	p->free(p);
	if (was_long)
		give_back();
}

void
rs_pieces_init(struct rs_pieces *p, void (*write)(struct rs_pieces *p),
    void (*free)(struct rs_pieces *p), size_t *held, size_t bytes)
{
	*p = (struct rs_pieces){.held = held, .bytes = bytes, .write = write, .free = free};
	*held += bytes;
	rs_buf_init(&p->text, TEXT_MAX);
	rs_json_init(&p->json, &p->text);
}

struct rs_source
rs_pieces_source(struct rs_pieces *p)
{
	return (struct rs_source){.read = read_pieces, .free = free_pieces, .arg = p};
}
