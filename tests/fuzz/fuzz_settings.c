/* SPDX-License-Identifier: ISC */
/* Settings as files spell them: what is accepted is accepted again in the
 * spelling it got, and stays as it is. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "linux/settings.h"

static void
check(rs_setting_form form, rs_setting_form again, struct rs_text t)
{
	static char once[RS_SETTING_BYTES], twice[RS_SETTING_BYTES];

	if (!form(t, once))
		return;
	if (strlen(once) == 0 || strlen(once) >= sizeof(once))
		abort();
	/* "none" and what was cut is for people only. */
	if (strcmp(once, "none") == 0 || strstr(once, "...") || strlen(once) == sizeof(once) - 1 ||
	    !again)
		return;
	if (!again(rs_text_of(once), twice) || strcmp(once, twice) != 0)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct rs_text t = {(const char *)data, (const char *)data + size};

	check(rs_setting_mask, rs_setting_list, t);
	check(rs_setting_list, rs_setting_list, t);
	check(rs_setting_number, rs_setting_number, t);
	check(rs_setting_switch, NULL, t);
	check(rs_setting_inverse, NULL, t);
	check(rs_setting_word, rs_setting_word, t);
	return 0;
}
