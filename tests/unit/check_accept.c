/* SPDX-License-Identifier: ISC */
/* Who gets the compressed form of a file (RFC 9110, 12.5.3). */
#include "accept.h"
#include "rs_check.h"

static const struct {
	const char *value;
	bool takes_gzip;
} rows[] = {
    {NULL, false},
    {"", false},
    {"gzip", true},
    {"GZip", true},
    {"x-gzip", true},
    {"gzip, deflate, br, zstd", true},
    {"br;q=1.0, gzip;q=0.8, *;q=0.1", true},
    {" deflate ,\tgzip ; q=0.001 ", true},
    {"gzip;Q=1", true},
    {"gzip;q=0", false},
    {"gzip;q=0.000, *", false},
    {"*", true},
    {"*;q=0", false},
    {"identity", false},
    {"identity;q=0", false},
    {"identity;q=0, gzip;q=0.5", true},
    {"identity, gzip", true},
    {"identity;q=0.5, *;q=0", false},
    {"identity;q=1, gzip;q=0.5", false},
    {"identity;q=0.5, gzip;q=1", true},
    {"deflate, br", false},
    {"gzipped", false},
    {"notgzip", false},
    {"gzip;q=2", false},
    {"gzip;q=-1", false},
    {"gzip;q=x", false},
    {"gzip;q=", false},
    {"gzip;q", false},
    {"gzip;level=9", false},
    {"gzip;q=nan", false},
    {";,;q=1,,", false},
    {"gzip;q=0, gzip", true},
};

START_TEST(accept_gzip_only_where_it_is_taken_and_liked)
{
	ck_assert_msg(rs_accept_gzip(rows[_i].value) == rows[_i].takes_gzip, "'%s'",
	    rows[_i].value != NULL ? rows[_i].value : "nothing");
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("accept");
	TCase *tc = tcase_create("encoding");

	tcase_add_loop_test(
	    tc, accept_gzip_only_where_it_is_taken_and_liked, 0, RS_ARRAY_LEN(rows));
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())
