/* SPDX-License-Identifier: ISC */
/* Answers of the kernel to ethtool's questions; the first byte is the question. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "ethtool_settings.h"

enum { NAME_BYTES = 32, NAMES = 64 };

static void
decode(const uint8_t *data, size_t size, const struct rs_ethtool_features *features)
{
	struct rs_ethtool_answer answer;
	struct rs_buf words;
	/* Aligned and of exactly its size. */
	char *const reply = malloc(size);

	if (!reply)
		abort();
	memcpy(reply, data + 1, size - 1);
	rs_buf_init(&words, 1 << 20);
	if (rs_ethtool_decode((enum rs_ethtool_group)(data[0] % RS_ETHTOOL_GROUPS), reply, size - 1,
		features, &words, &answer) == 0) {
		for (unsigned i = 0; i < RS_ETHTOOL_VALUES; i++) {
			const struct rs_text v = answer.value[i];
			if (v.p && (v.p < words.data || v.end > words.data + words.len))
				abort();
		}
	}
	rs_buf_fini(&words);
	free(reply);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char names[NAMES][NAME_BYTES];
	const struct rs_ethtool_features features = {names[0], NAMES};

	if (size == 0)
		return 0;
	/* One of ours, one without an end. */
	memcpy(names[1], "rx-checksum", sizeof("rx-checksum"));
	memset(names[2], 'x', NAME_BYTES);
	decode(data, size, &features);
	return 0;
}
