/* SPDX-License-Identifier: ISC */
/*
 * Where the daemon is: what -u and RINGSIDE_URL say. Pure.
 */
#ifndef RS_TARGET_H
#define RS_TARGET_H

#include <stdbool.h>

#include "error.h"

#define RS_TARGET_DEFAULT "http://127.0.0.1:7464"

struct rs_target {
	char name[512];	  /* as shown: the URL without slashes at its end, or unix:/PATH */
	char base[512];	  /* what paths are put behind, "http://127.0.0.1:7464" */
	char socket[108]; /* of a unix socket, "" for none (the size of sun_path) */
	bool is_local;	  /* this machine: no proxy has to do with it */
};

/* "http://HOST[:PORT][/PREFIX]" or "unix:/PATH"; else -EINVAL with a sentence. */
int rs_target_parse(const char *text, struct rs_target *ret, struct rs_error *e);

#endif
