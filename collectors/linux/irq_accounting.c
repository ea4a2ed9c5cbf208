/* SPDX-License-Identifier: ISC */
/*
 * Three places tell. /proc/pressure/irq is made only by kernels with the option
 * (kernel/sched/psi.c, since 6.1), so beside the other pressure files of such a
 * kernel its absence tells as well. Else the kernel's configuration in /boot.
 */
#include "irq_accounting.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "reader.h"

enum { CONFIG_BYTES_MAX = 1 << 20 };

static int
from_config(const struct rs_root *root, const char *release)
{
	char path[160];
	(void)snprintf(path, sizeof(path), "boot/config-%s", release);
	struct rs_reader *reader;
	if (strchr(release, '/') || rs_reader_open(root, path, CONFIG_BYTES_MAX, &reader) != 0)
		return -1;
	struct rs_text t, line;
	int answer = -1;
	if (rs_reader_read(reader, &t) == 0) {
		answer = 0;
		while (rs_text_line(&t, &line)) {
			/* The second: s390 and powerpc always measure. */
			if (rs_text_eq(line, "CONFIG_IRQ_TIME_ACCOUNTING=y") ||
			    rs_text_eq(line, "CONFIG_VIRT_CPU_ACCOUNTING_NATIVE=y"))
				answer = 1;
		}
	}
	rs_reader_close(reader);
	return answer;
}

static bool
is_since_6_1(const char *release)
{
	struct rs_text t = rs_text_of(release);
	uint64_t major, minor;
	return rs_text_u64(&t, &major) && rs_text_skip(&t, ".") && rs_text_u64(&t, &minor) &&
	       (major > 6 || (major == 6 && minor >= 1));
}

int
rs_irq_accounting(const struct rs_root *root)
{
	char text[512], release[128];
	const int n = rs_root_read(root, "proc/pressure/irq", text, sizeof(text));
	if (n >= 0)
		return 1;
	if (n == -EOPNOTSUPP)
		return 0; /* compiled in, but the clock is too slow for it */
	if (rs_root_read(root, "proc/sys/kernel/osrelease", release, sizeof(release)) <= 0)
		return -1;
	const int configured = from_config(root, release);
	if (configured >= 0)
		return configured;
	return n == -ENOENT && is_since_6_1(release) && rs_root_exists(root, "proc/pressure/cpu")
		   ? 0
		   : -1;
}
