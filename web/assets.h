/* SPDX-License-Identifier: ISC */
/*
 * The files of the dashboard, in the binary. The table is generated from the
 * list in CMakeLists.txt (cmake/RsEmbed.cmake). Constant data.
 */
#ifndef RS_ASSETS_H
#define RS_ASSETS_H

#include <stddef.h>

struct rs_asset {
	const char *path; /* "/style.css" */
	const unsigned char *begin, *end;
	const unsigned char *gzip, *gzip_end; /* the same, compressed; NULL: was not */
};

/* Ends with a NULL path. */
extern const struct rs_asset rs_assets[];

#endif
