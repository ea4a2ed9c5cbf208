/* SPDX-License-Identifier: ISC */
/*
 * What every libcheck program of the tree shares: its main. Results go to
 * standard output as TAP; CK_FORK=no, CK_RUN_CASE, CK_VERBOSITY and the other
 * variables of libcheck work as documented there.
 *
 *	static Suite *
 *	suite(void) { ... }
 *
 *	RS_CHECK_MAIN(suite())
 */
#ifndef RS_CHECK_H
#define RS_CHECK_H

#include <check.h>
#include <stdlib.h>

/* What ctest counts as skipped: return it from main before any test ran. */
enum { RS_CHECK_SKIP = 77 };

/* Runs the suite and frees it; the exit status of the program. */
static inline int
rs_check_run(Suite *suite)
{
	SRunner *runner = srunner_create(suite);

	srunner_set_fork_status(runner, CK_FORK_GETENV);
	if (getenv("CK_TAP_LOG_FILE_NAME") == NULL)
		srunner_set_tap(runner, "-");
	srunner_run_all(runner, getenv("CK_VERBOSITY") != NULL ? CK_ENV : CK_SILENT);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#define RS_CHECK_MAIN(suite_)                                                                      \
	int main(void)                                                                             \
	{                                                                                          \
		return rs_check_run(suite_);                                                       \
	}

#endif
