/* SPDX-License-Identifier: ISC */
/*
 * query_client PORT END_MS: asks a daemon on this machine for history that ends
 * there, over one connection that stays open, and prints the medians of what each
 * question took, from its first byte sent to the last byte of the answer.
 * bench_query.py runs it.
 */
#include "num.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "clock.h"

enum { RUNS_MAX = 1000, ANSWER_MAX = 64 << 20 };
#define HEALTH "/api/v1/health"
#define SERIES "/api/v1/series?metric="

static char answer[ANSWER_MAX];

struct question {
	const char *figure;
	const char *path;
	const char *begin; /* of the answer's body */
	int64_t seconds;   /* of the range; 0: no range */
	unsigned runs;
	size_t values_min; /* in it */
};

#define BEGIN(tier, resolution)                                                                    \
	"{\"metric\":\"core_packet_load_ratio\",\"unit\":\"ratio\",\"tier\":\"" tier               \
	"\",\"resolution_ms\":" resolution ","

static const struct question questions[] = {
    {"query_600s_ms", SERIES "core_packet_load_ratio&cpu=5", BEGIN("raw", "1000"), 600, 1000, 599},
    {"query_day_ms", SERIES "core_packet_load_ratio&cpu=5&points=600", BEGIN("minute", "180000"),
	86400, 400, 480},
    {"query_year_ms", SERIES "core_packet_load_ratio&cpu=5&points=8760", BEGIN("hour", "3600000"),
	INT64_C(31536000), 200, 8750},
    {"query_all_cores_heatmap_ms", SERIES "core_packet_load_ratio", BEGIN("raw", "1000"), 3600, 60,
	(size_t)3599 * 64},
};

static void
die(const char *what, const char *why)
{
	fprintf(stderr, "query_client: %s: %s\n", what, why);
	exit(EXIT_FAILURE);
}

static int
dial(uint16_t port)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port)};
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || connect(fd, (const struct sockaddr *)&a, sizeof(a)) < 0 ||
	    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) < 0)
		die("connection", strerror(errno));
	return fd;
}

/* --- answers ------------------------------------------------------------- */

/* How an answer goes on behind what has been looked at. */
struct progress {
	size_t len;  /* received */
	size_t body; /* where it begins */
	size_t at;   /* looked at, up to here: headers, or whole chunks */
	size_t left; /* of the body by its length; SIZE_MAX: chunks */
	bool has_head;
};

static const char *
find(const char *needle, size_t from, size_t end)
{
	const size_t len = strlen(needle);

	for (const char *p = answer + from; p + len <= answer + end; p++) {
		p = memchr(p, needle[0], (size_t)(answer + end - p));
		if (p == NULL || p + len > answer + end)
			return NULL;
		if (memcmp(p, needle, len) == 0)
			return p;
	}
	return NULL;
}

static bool
take_head(struct progress *g)
{
	const char *const end = find("\r\n\r\n", 0, g->len);
	uint64_t length;

	if (end == NULL)
		return false;
	if (memcmp(answer, "HTTP/1.1 200 ", 13) != 0) {
		answer[RS_MIN(g->len, (size_t)1000)] = '\0';
		die("answer", answer);
	}
	g->has_head = true;
	g->at = g->body = (size_t)(end - answer) + 4;
	g->left = SIZE_MAX;
	const char *field = find("Content-Length:", 0, g->at);
	if (field == NULL)
		return true;
	struct rs_text value = {field + 15, end};

	if (!rs_text_u64(&value, &length))
		die("answer", "no length");
	g->left = (size_t)length;
	return true;
}

/* 1: the last chunk is here, 0: not yet. */
static bool
take_chunks(struct progress *g)
{
	for (;;) {
		const char *const eol = find("\r\n", g->at, RS_MIN(g->len, g->at + 20));
		uint64_t size;

		if (eol == NULL)
			return false;
		struct rs_text text = {answer + g->at, eol};

		if (!rs_text_hex(&text, &size))
			die("answer", "no chunk");
		const size_t end = (size_t)(eol - answer) + 2 + (size_t)size + 2;

		if (end > g->len)
			return false;
		g->at = end;
		if (size == 0)
			return true;
	}
}

static bool
is_whole(struct progress *g)
{
	if (!g->has_head && !take_head(g))
		return false;
	return g->left == SIZE_MAX ? take_chunks(g) : g->len - g->at >= g->left;
}

/* The whole of it, and where its body begins. */
static struct progress
read_answer(int fd)
{
	struct progress g = {.len = 0};

	while (!is_whole(&g)) {
		const ssize_t n = recv(fd, answer + g.len, sizeof(answer) - g.len, 0);

		if (n <= 0)
			die("answer", n < 0 ? strerror(errno) : "ended early");
		g.len += (size_t)n;
	}
	return g;
}

/* --- questions ----------------------------------------------------------- */

/* Beside the times there are at least so many values. */
static void
check(const struct progress *g, const struct question *q)
{
	size_t n = 0;

	if (find(q->begin, g->body, RS_MIN(g->len, g->body + 200)) == NULL) {
		answer[RS_MIN(g->len, g->body + 200)] = '\0';
		die(q->path, answer + g->body);
	}
	for (size_t i = g->body; i < g->len; i++)
		n += answer[i] == ',';
	if (n < q->values_min)
		die(q->path, "too few values");
}

static double
ask(int fd, const char *request, const struct question *q)
{
	const size_t len = strlen(request);
	const rs_ns start = rs_clock_mono();

	if (send(fd, request, len, MSG_NOSIGNAL) != (ssize_t)len)
		die("request", strerror(errno));
	const struct progress g = read_answer(fd);
	const rs_ns end = rs_clock_mono();

	check(&g, q);
	return (double)(end - start) / 1e6;
}

static int
compare(const void *a, const void *b)
{
	const double *const x = a, *const y = b;

	return *x < *y ? -1 : *x > *y;
}

static double
quantile(double *values, unsigned n, double q)
{
	qsort(values, n, sizeof(*values), compare);
	return values[(unsigned)(q * (double)(n - 1))];
}

static void
make_request(const struct question *q, int64_t end_ms, char *dst, size_t cap)
{
	char range[80] = "";

	if (q->seconds > 0)
		(void)snprintf(range, sizeof(range),
		    "&after=%" PRId64 ".%03d&before=%" PRId64 ".%03d", end_ms / 1000 - q->seconds,
		    (int)(end_ms % 1000), end_ms / 1000, (int)(end_ms % 1000));
	(void)snprintf(dst, cap, "GET %s%s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", q->path, range);
}

/* Each question in turn with one for health: they see the same machine. */
static void
run(int fd, const struct question *q, int64_t end_ms)
{
	static double took[RUNS_MAX], health[RUNS_MAX];
	static const struct question of_health = {.path = HEALTH, .begin = "{"};
	char request[512], health_request[512];

	make_request(q, end_ms, request, sizeof(request));
	make_request(&of_health, end_ms, health_request, sizeof(health_request));
	for (unsigned i = 0; i < q->runs; i++) {
		took[i] = ask(fd, request, q);
		health[i] = ask(fd, health_request, &of_health);
	}
	const double p50 = quantile(took, q->runs, 0.5), base = quantile(health, q->runs, 0.5);

	printf("bench %s %.3f ms\n", q->figure, p50);
	printf("# p95 %.3f ms, /api/v1/health p50 %.3f ms\n", quantile(took, q->runs, 0.95), base);
	if (q == &questions[0])
		printf("bench query_600s_over_health %.2f ratio\n", p50 / base);
}

int
main(int argc, char *argv[])
{
	uint64_t port;
	int64_t end_ms;

	if (argc != 3 || rs_num_u64(rs_text_of(argv[1]), &port) < 0 || port > UINT16_MAX ||
	    rs_num_i64(rs_text_of(argv[2]), &end_ms) < 0) {
		fprintf(stderr, "usage: query_client PORT END_MS\n");
		return 2;
	}
	const int fd = dial((uint16_t)port);

	for (size_t i = 0; i < RS_ARRAY_LEN(questions); i++)
		run(fd, &questions[i], end_ms);
	return 0;
}
