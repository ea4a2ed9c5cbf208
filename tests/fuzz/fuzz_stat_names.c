/* SPDX-License-Identifier: ISC */
/*
 * What `ethtool -S` printed, and the bytes taken as the kernel's blocks of
 * names. The first bytes choose driver and queues.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "linux/drivers.h"
#include "linux/stat_names.h"

static void
check_plan(const struct rs_stat_set *s, const struct rs_driver *driver, int32_t queues)
{
	struct rs_stat_plan p = {0};
	struct rs_stat_use use, before = {0};
	uint64_t sum;
	uint32_t at = 0, used = 0;

	if (rs_stat_plan_make(&p, s, driver, queues, queues) != 0)
		abort();
	if (p.n_values > s->n)
		abort();
	while (rs_stat_next(&p, s->values, s->n_values, &at, &use, &sum)) {
		if (queues >= 0 && use.queue >= queues)
			abort();
		if (used++ && use.is_tx == before.is_tx && use.queue < before.queue)
			abort();
		before = use;
	}
	(void)rs_stat_ring(&p, s->values, s->n_values, &sum);
	rs_stat_plan_free(&p);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"", "vmxnet3", "cxgb4", "mvpp2", "be2net", "igb"};
	struct rs_stat_set s = {0};

	if (size < 2)
		return 0;
	const struct rs_driver *const driver = rs_driver_find(names[data[0] % RS_ARRAY_LEN(names)]);
	const int32_t queues = data[1] == 0 ? -1 : data[1];

	data += 2;
	size -= 2;
	if (rs_stat_set_parse(
		&s, (struct rs_text){(const char *)data, (const char *)data + size}) == 0)
		check_plan(&s, driver, queues);
	const uint32_t n = (uint32_t)(size / RS_STAT_NAME_BYTES);
	if (rs_stat_set_size(&s, n) == 0 && n > 0) {
		memcpy(s.names, data, (size_t)n * RS_STAT_NAME_BYTES);
		s.n_values = n - data[0] % n;
		for (uint32_t i = 0; i < n; i++) {
			s.values[i] = i;
			(void)rs_driver_lost(driver, rs_stat_name(&s, i));
		}
		check_plan(&s, driver, queues);
	}
	rs_stat_set_free(&s);
	return 0;
}
