/* SPDX-License-Identifier: ISC */
/*
 * Long text as a source: made piece by piece while it is sent. As a whole neither
 * the memory nor the time to write it in one go would be bounded, and sampling
 * waits while it is written. Loop thread.
 */
#ifndef RS_PIECES_H
#define RS_PIECES_H

#include "json.h"
#include "reply.h"

/* Part of the object that makes the text. */
struct rs_pieces {
	struct rs_buf text;  /* made and not yet taken */
	struct rs_json json; /* writes to it */
	bool is_done;
	size_t *held; /* a sum that `bytes` are part of while the text lives */
	size_t bytes;
	/* Appends a few kB, or says that it is done. */
	void (*write)(struct rs_pieces *p);
	void (*free)(struct rs_pieces *p);
};

/* bytes: of the memory that the object holds, added to *held. */
void rs_pieces_init(struct rs_pieces *p, void (*write)(struct rs_pieces *p),
    void (*free)(struct rs_pieces *p), size_t *held, size_t bytes);
struct rs_source rs_pieces_source(struct rs_pieces *p);

/* Memory that answers hold while they are sent: what is more gets "try again". */
#define RS_ANSWERS_BYTES_MAX ((size_t)64 << 20)

#endif
