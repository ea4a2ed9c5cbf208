/* SPDX-License-Identifier: ISC */
/*
 * The number of ways to put F flows on Q queues with at most m on each is F!
 * times the coefficient of x^F in (sum over k <= m of x^k / k!)^Q; all terms are
 * positive, so doubles do.
 */
#include "chance.h"

#include <math.h>
#include <string.h>

static double
factorial(unsigned n)
{
	double f = 1.0;

	for (unsigned i = 2; i <= n; i++)
		f *= i;
	return f;
}

/* At least `least` on one queue, when two queues cannot both have so many: the
 * sum of the chances of each. Exact where the complement would vanish. */
static double
chance_of_majority(unsigned flows, unsigned queues, unsigned least)
{
	const double p = 1.0 / queues;
	double sum = 0.0;

	for (unsigned k = least; k <= flows; k++)
		sum += factorial(flows) / (factorial(k) * factorial(flows - k)) * pow(p, k) *
		       pow(1.0 - p, flows - k);
	return fmin(1.0, queues * sum);
}

static double
chance_of_at_most(unsigned flows, unsigned queues, unsigned most)
{
	double ways[RS_CHANCE_FLOWS_MAX + 1] = {1.0};

	for (unsigned q = 0; q < queues; q++) {
		double next[RS_CHANCE_FLOWS_MAX + 1] = {0.0};

		/* Each queue takes its share of the probability along: no overflow. */
		for (unsigned j = 0; j <= flows; j++) {
			for (unsigned k = 0; k <= most && k <= j; k++)
				next[j] += ways[j - k] * pow(1.0 / queues, k) / factorial(k);
		}
		memcpy(ways, next, sizeof(ways));
	}
	return fmin(1.0, ways[flows] * factorial(flows));
}

double
rs_chance_of_share(unsigned flows, unsigned queues, double share)
{
	if (queues == 0 || isnan(share))
		return NAN;
	if (flows > RS_CHANCE_FLOWS_MAX)
		flows = RS_CHANCE_FLOWS_MAX;
	/* A share of 0.6 of 5 flows is 3, whatever 0.6 * 5 is in binary. */
	const unsigned least = (unsigned)fmax(0.0, ceil(share * flows - 1e-9));
	if (queues == 1 || flows == 0 || least * queues <= flows)
		return 1.0;
	if (least > flows)
		return 0.0;
	if (2 * least > flows)
		return chance_of_majority(flows, queues, least);
	return 1.0 - chance_of_at_most(flows, queues, least - 1);
}

double
rs_chance_of_one(double flows, unsigned queues)
{
	if (queues == 0 || isnan(flows))
		return NAN;
	return flows <= 1.0 ? 1.0 : pow(queues, 1.0 - flows);
}

double
rs_effective_flows(const double *weight, unsigned n)
{
	double sum = 0.0, squares = 0.0;

	for (unsigned i = 0; i < n; i++) {
		sum += weight[i];
		squares += weight[i] * weight[i];
	}
	return squares > 0.0 ? sum * sum / squares : 0.0;
}
