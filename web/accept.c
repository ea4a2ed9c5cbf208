/* SPDX-License-Identifier: ISC */
/*
 * Weighted lists, and the one decision that assets need of them.
 */
#include "accept.h"

#include <string.h>
#include <strings.h>

#include "num.h"

bool
rs_accept_piece(struct rs_text *t, char c, struct rs_text *ret)
{
	if (rs_text_len(*t) == 0)
		return false;
	if (!rs_text_until(t, c, ret)) {
		*ret = *t;
		t->p = t->end;
	}
	*ret = rs_text_trim(*ret);
	return true;
}

bool
rs_accept_same(struct rs_text t, const char *name)
{
	return rs_text_len(t) == strlen(name) && strncasecmp(t.p, name, rs_text_len(t)) == 0;
}

bool
rs_accept_weight(struct rs_text t, double *ret)
{
	return rs_num_double(t, ret) == 0 && *ret >= 0 && *ret <= 1;
}

enum coding { CODING_GZIP, CODING_IDENTITY, CODING_ANY, N_CODINGS };

/* One "gzip;q=0.5". False: none that matters here. */
static bool
parse_coding(struct rs_text t, enum coding *ret_coding, double *ret_weight)
{
	static const struct {
		const char *name;
		enum coding coding;
	} known[] = {
	    {"gzip", CODING_GZIP},
	    {"x-gzip", CODING_GZIP},
	    {"identity", CODING_IDENTITY},
	    {"*", CODING_ANY},
	};
	struct rs_text name, key, value;
	size_t i = 0;

	*ret_weight = 1;
	if (!rs_accept_piece(&t, ';', &name))
		return false;
	while (i < RS_ARRAY_LEN(known) && !rs_accept_same(name, known[i].name))
		i++;
	if (i == RS_ARRAY_LEN(known))
		return false;
	*ret_coding = known[i].coding;
	if (!rs_accept_piece(&t, ';', &value))
		return true;
	return rs_text_until(&value, '=', &key) && rs_accept_same(rs_text_trim(key), "q") &&
	       rs_accept_weight(rs_text_trim(value), ret_weight);
}

bool
rs_accept_gzip(const char *accept_encoding)
{
	struct rs_text rest = rs_text_of(accept_encoding != NULL ? accept_encoding : ""), one;
	double weights[N_CODINGS] = {-1, -1, -1}; /* below 0: not named */

	while (rs_accept_piece(&rest, ',', &one)) {
		enum coding coding;
		double weight;

		if (parse_coding(one, &coding, &weight))
			weights[coding] = RS_MAX(weights[coding], weight);
	}
	/* What is named counts before what is meant by a wildcard. */
	const double gzip = weights[CODING_GZIP] >= 0 ? weights[CODING_GZIP] : weights[CODING_ANY];

	return gzip > 0 && gzip >= weights[CODING_IDENTITY];
}
