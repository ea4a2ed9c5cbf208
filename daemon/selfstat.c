/* SPDX-License-Identifier: ISC */
/*
 * What the process knows of itself and of this boot.
 */
#include "selfstat.h"

#include "root.h"
#include "text.h"

#include <string.h>

static int64_t
kilobytes(struct rs_text line)
{
	struct rs_text name;
	uint64_t kb;
	return rs_text_until(&line, ':', &name) && rs_text_u64(&line, &kb) ? (int64_t)kb * 1024
									   : -1;
}

void
rs_selfstat_memory(int64_t *ret_rss_bytes, int64_t *ret_pss_bytes)
{
	char text[4096];
	struct rs_root *root;
	*ret_rss_bytes = *ret_pss_bytes = -1;
	if (rs_root_open("/", &root) < 0)
		return;
	const int n = rs_root_read(root, "proc/self/smaps_rollup", text, sizeof(text));
	struct rs_text all = {text, text + (n > 0 ? n : 0)}, line;
	while (rs_text_line(&all, &line)) {
		if (rs_text_starts(line, "Rss:"))
			*ret_rss_bytes = kilobytes(line);
		else if (rs_text_starts(line, "Pss:"))
			*ret_pss_bytes = kilobytes(line);
	}
	rs_root_close(root);
}

void
rs_selfstat_boot_id(char dst[static 40])
{
	struct rs_root *root;
	dst[0] = '\0';
	if (rs_root_open("/", &root) < 0)
		return;
	if (rs_root_read(root, "proc/sys/kernel/random/boot_id", dst, 40) < 0)
		dst[0] = '\0';
	rs_root_close(root);
}
