/* SPDX-License-Identifier: ISC */
/* The first byte chooses the form, the rest is the text. */
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>

#include "num.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t whole;
	int64_t integer;
	double number;
	bool truth;

	if (size == 0)
		return 0;
	const struct rs_text t = {(const char *)data + 1, (const char *)data + size};

	switch (data[0] % 6) {
	case 0:
		(void)rs_num_u64(t, &whole);
		break;
	case 1:
		(void)rs_num_i64(t, &integer);
		break;
	case 2:
		if (rs_num_double(t, &number) == 0 && !isfinite(number))
			abort();
		break;
	case 3:
		if (rs_num_duration(t, &integer) == 0 && integer < 0)
			abort();
		break;
	case 4:
		(void)rs_num_size(t, &whole);
		break;
	case 5:
		(void)rs_num_bool(t, &truth);
		break;
	}
	return 0;
}
