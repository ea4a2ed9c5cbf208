/* SPDX-License-Identifier: ISC */
/*
 * Compresses answers as they are sent. Loop thread.
 */
#ifndef RS_PACK_H
#define RS_PACK_H

struct rs_reply;

/* Makes the body gzip and says so in a header: of bytes at once, of a source piece
 * by piece. The source must not be one that waits. What is small, or finds no
 * memory, stays as it is. */
void rs_pack_reply(struct rs_reply *r);

#endif
