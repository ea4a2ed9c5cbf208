/* SPDX-License-Identifier: ISC */
/* A configuration file over the defaults; a refusal says why and where. */
#include "fuzz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"

static void
check_refusal(int r, const struct rs_error *e)
{
	if (e->code == 0 || e->text[0] == '\0')
		abort();
	if (r != -ENOMEM && strncmp(e->text, "fuzz:", 5) != 0)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct rs_text text = {(const char *)data, (const char *)data + size};
	struct rs_config config;
	struct rs_error error = {0};

	if (rs_config_default(&config) < 0)
		abort();
	const int r = rs_config_parse(&config, text, "fuzz", &error);

	if (r < 0)
		check_refusal(r, &error);
	else
		(void)rs_config_check(&config, &error);
	rs_config_free(&config);
	return 0;
}
