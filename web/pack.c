/* SPDX-License-Identifier: ISC */
/*
 * The only file that knows zlib. The lowest level: it gets most of what is to be
 * had of JSON, at some 8 ns a byte on a desktop; the highest takes seven times as
 * long for a sixth less.
 */
#include "pack.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "reply.h"

enum { LEVEL = 1 };
/* 96 kB an answer: a window of 8 kB, in the form of gzip (16), and its tables. */
enum { WINDOW_BITS = 13 + 16, MEMORY_LEVEL = 7 };
/* Less fits into the packet that the headers are in. */
enum { BYTES_MIN = 1024 };
/* Input read for one piece of output: other connections have their turn between. */
enum { INPUT_BYTES = 16 * 1024, INPUTS_MAX = 4 };

struct packed {
	z_stream z;
	struct rs_source inner; /* owned */
	bool has_ended;		/* inner has no more */
	bool is_done;
	unsigned char input[INPUT_BYTES];
};

static int
start(z_stream *z)
{
	*z = (z_stream){0};
	return deflateInit2(z, LEVEL, Z_DEFLATED, WINDOW_BITS, MEMORY_LEVEL, Z_DEFAULT_STRATEGY);
}

/* ---- of a source ---- */

static bool
fill(struct packed *p)
{
	const ptrdiff_t n = p->inner.read(p->inner.arg, (char *)p->input, sizeof(p->input));

	p->has_ended = n == RS_SOURCE_END;
	p->z.next_in = p->input;
	p->z.avail_in = n > 0 ? (uInt)n : 0;
	return n > 0 || p->has_ended;
}

static ptrdiff_t
read_packed(void *arg, char *dst, size_t cap)
{
	struct packed *p = arg;
	const uInt room = (uInt)RS_MIN(cap, (size_t)1 << 20);

	p->z.next_out = (unsigned char *)dst;
	p->z.avail_out = room;
	for (unsigned inputs = 0; !p->is_done && p->z.avail_out > 0;) {
		const bool is_enough = inputs >= INPUTS_MAX && p->z.avail_in == 0;

		if (is_enough && p->z.avail_out < room)
			break;
		if (p->z.avail_in == 0 && !p->has_ended && !is_enough) {
			if (!fill(p))
				return RS_SOURCE_FAILED;
			inputs++;
		}
		/* Of what is much the same zlib keeps megabytes to itself. */
		const int flush = is_enough ? Z_SYNC_FLUSH : Z_NO_FLUSH;
		const int r = deflate(&p->z, p->has_ended ? Z_FINISH : flush);

		if (r == Z_STREAM_ERROR)
			return RS_SOURCE_FAILED;
		p->is_done = r == Z_STREAM_END;
	}
	return p->z.avail_out < room ? (ptrdiff_t)(room - p->z.avail_out) : RS_SOURCE_END;
}

static void
free_packed(void *arg)
{
	struct packed *p = arg;

	(void)deflateEnd(&p->z);
	p->inner.free(p->inner.arg);
	free(p);
}

static bool
pack_source(struct rs_reply *r)
{
	struct packed *p = malloc(sizeof(*p));

	if (p == NULL)
		return false;
	p->inner = r->source;
	p->has_ended = p->is_done = false;
	if (start(&p->z) != Z_OK) {
		free(p);
		return false;
	}
	r->source = (struct rs_source){.read = read_packed, .free = free_packed, .arg = p};
	return true;
}

/* ---- of bytes ---- */

static bool
pack_body(struct rs_reply *r)
{
	struct rs_buf packed;
	z_stream z;
	bool is_whole = false;

	if (r->body.len < BYTES_MIN || start(&z) != Z_OK)
		return false;
	const size_t bound = deflateBound(&z, r->body.len);

	rs_buf_init(&packed, bound);
	z.next_in = (unsigned char *)r->body.data;
	z.avail_in = (uInt)r->body.len;
	z.next_out = (unsigned char *)rs_buf_reserve(&packed, bound);
	z.avail_out = (uInt)bound;
	if (z.next_out != NULL)
		is_whole = deflate(&z, Z_FINISH) == Z_STREAM_END;
	packed.len = z.total_out;
	(void)deflateEnd(&z);
	if (is_whole) {
		rs_buf_fini(&r->body);
		r->body = packed;
	} else {
		rs_buf_fini(&packed);
	}
	return is_whole;
}

void
rs_pack_reply(struct rs_reply *r)
{
	if (r->source.read != NULL ? pack_source(r) : pack_body(r))
		rs_reply_header(r, "Content-Encoding", "gzip");
}
