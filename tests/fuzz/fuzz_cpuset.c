/* SPDX-License-Identifier: ISC */
/* CPU lists and masks: what is accepted is written back and read the same. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "cpuset.h"

static void
check_round_trip(const struct rs_cpuset *set)
{
	static char text[RS_CPU_MAX * 5];
	struct rs_cpuset again;

	rs_cpuset_format(set, text, sizeof(text));
	if (rs_cpuset_parse_list(rs_text_of(text), &again) < 0 ||
	    memcmp(&again, set, sizeof(again)) != 0)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct rs_text t = {(const char *)data, (const char *)data + size};
	struct rs_cpuset set;

	if (rs_cpuset_parse_list(t, &set) == 0)
		check_round_trip(&set);
	if (rs_cpuset_parse_mask(t, &set) == 0)
		check_round_trip(&set);
	return 0;
}
