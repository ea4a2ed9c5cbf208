/* SPDX-License-Identifier: ISC */
/*
 * The API over real sockets: routes, errors, who may read, assets. Shapes are
 * checked in tests/unit/check_api.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assets.h"
#include "http_client.h"
#include "http_rig.h"
#include "rs_check.h"

#define SERIES "/api/v1/series?metric=core_packet_load_ratio"
#define CHANGES "/api/v1/changes"
#define COUNTERS "/api/v1/series?metric=core_interrupts"

static struct rig rig;

static void
open_default(void)
{
	rig_open(&rig, NULL);
}

static const char *const origins[] = {"https://panel.example", NULL};
static const char *const names[] = {"mon.example", NULL};

static void
open_with_token(void)
{
	const struct rs_web_conf c = {
	    .token = "s3cret", .cors_origins = origins, .allowed_hosts = names};

	rig_open(&rig, &c);
}

static void
teardown(void)
{
	rig_close(&rig);
}

static bool
has(const struct answer *a, const char *text)
{
	struct rs_buf copy = a->body;

	return strstr(rs_buf_cstr(&copy), text) != NULL;
}

/* ---- routes ---- */

static const struct {
	const char *target;
	unsigned status;
	const char *type;
	const char *part; /* of the body */
} requests[] = {
    {"/api/v1/summary", 200, "application/json", "\"state\":\""},
    {"/api/v1/cores", 200, "application/json", "[{\"core\":0,"},
    {"/api/v1/interfaces", 200, "application/json", "[{\"device\":\"eth0\","},
    {"/api/v1/interrupts", 200, "application/json", "[]"},
    {"/api/v1/findings", 200, "application/json", "[]"},
    {"/api/v1/findings?state=active", 200, "application/json", "[]"},
    {"/api/v1/findings?state=all", 200, "application/json", "[{\"id\":7,"},
    {"/api/v1/findings?state=all&after=1", 200, "application/json", "[{\"id\":7,"},
    {"/api/v1/findings?state=all&after=2", 200, "application/json", "[]"},
    {"/api/v1/findings?after=-60", 400, "application/problem+json", "after: only with state=all"},
    {"/api/v1/health", 200, "application/json", "{\"version\":\""},
    {"/api/v1/health", 200, "application/json", "\"reason\":\"No such file or directory\""},
    {"/api/v1/catalog", 200, "application/json",
	"[{\"metric\":\"interface_bytes\",\"labels\":{\"device\":\"eth0\",\"direction\":\"rx\"},"
	"\"unit\":\"bytes\",\"kind\":\"counter\",\"first_ms\":1000,\"last_ms\":2000}]"},
    {SERIES, 200, "application/json", "\"tier\":\"raw\",\"resolution_ms\":1000,\"time_ms\":["},
    {SERIES "&cpu=0&cpu=1&after=-60&before=-0&points=10&aggregate=max", 200, "application/json",
	"\"series\":["},
    {SERIES "&aggregate=sum", 400, "application/problem+json",
	"aggregate: sum needs a counter, 'core_packet_load_ratio' is a gauge"},
    {COUNTERS "&aggregate=sum", 200, "application/json", "\"series\":["},
    {SERIES "&layout=rows", 200, "application/json", "[{\"time_ms\":1700000000000,\"cpu\":\"0\","},
    {SERIES "&format=csv", 200, "text/csv; charset=utf-8; header=present",
	"time_ms,cpu=0,cpu=1\r\n1700000000000,"},
    {"/api/v1/queues", 200, "application/json", "["},
    {"/api/v1/map", 200, "application/json", "{"},
    {CHANGES, 200, "application/json",
	"[{\"id\":3,\"at_ms\":3000,\"kind\":\"irq_affinity\",\"subject\":{\"kind\":\"irq\","
	"\"device\":\"eth0\",\"queue\":1,\"irq\":\"31\"},\"old\":\"0-3\",\"new\":\"2\"}]"},
    {CHANGES "?after=-60&before=-0&limit=1000&kind=mtu&device=eth0", 200, "application/json",
	"[{\"id\":3,"},
    {CHANGES "?limit=0", 400, "application/problem+json", "limit: expected a whole number from 1"},
    {CHANGES "?limit=1001", 400, "application/problem+json", "limit: expected"},
    {CHANGES "?kind=irq_afinity", 400, "application/problem+json",
	"kind: there is no 'irq_afinity', did you mean 'irq_affinity'?"},
    {CHANGES "?kind=", 400, "application/problem+json", "kind: expected"},
    {CHANGES "?device=aaaaaaaaaaaaaaaaaaaaaaaa", 400, "application/problem+json", "device: "},
    {CHANGES "?after=-60&before=-60", 400, "application/problem+json", "after: "},
    {CHANGES "?before=1700000000000", 400, "application/problem+json", "milliseconds?"},
    {CHANGES "?cpu=1", 400, "application/problem+json", "unknown parameter 'cpu'"},
    {"/api/v1/runs", 404, "application/problem+json", "\"status\":404"},
    {"/api/v1/openapi.json", 404, "application/problem+json", "\"status\":404"},
    {"/metrics", 200, "text/plain; version=0.0.4; charset=utf-8",
	"\nringside_interface_bytes_total{device=\"eth0\",direction=\"rx\"} 1000000\n"},
    {"/metrics?x=1", 400, "application/problem+json", "unknown parameter 'x'"},
    {"/metrics/", 404, "application/problem+json", "\"status\":404"},
    {"/api/v1/metrics", 404, "application/problem+json", "\"status\":404"},
    {"/api/v1", 404, "application/problem+json", "\"title\":\"Not Found\""},
    {"/nothing", 404, "application/problem+json", "\"type\":\"about:blank\""},
    {"/nothing.js", 404, "application/problem+json", "\"detail\":\""},
    {"/api/v1/cores?x=1", 400, "application/problem+json", "unknown parameter 'x'"},
    {"/api/v1/series", 400, "application/problem+json", "metric: missing"},
    {"/api/v1/series?metric=core_packet_lod_ratio", 404, "application/problem+json",
	"did you mean 'core_packet_load_ratio'?"},
    {"/api/v1/series?metric=%22%5c", 404, "application/problem+json", "there is no '\\\"\\\\'"},
    {SERIES "&device=eth0", 400, "application/problem+json", "device: series of "},
    {SERIES "&after=-60&before=-60", 400, "application/problem+json", "after: "},
    {SERIES "&after=1700000000000", 400, "application/problem+json", "milliseconds?"},
    {SERIES "&cpu=%ff", 200, "application/json", "\"series\":["},
    {SERIES "&cpu=%00", 400, "application/problem+json", "control character"},
    {SERIES "&cpu=%4", 400, "application/problem+json", "%-encoding"},
    {SERIES "&cpu=1&cpu=1&cpu=1&cpu=1&cpu=1&cpu=1&cpu=1&cpu=1&cpu=1&cpu=1&cpu=1&cpu=1&cpu=1&cpu=1"
	    "&cpu=1&cpu=1&cpu=1",
	400, "application/problem+json", "more than 16 labels"},
};

START_TEST(web_requests_are_answered_by_the_contract)
{
	struct answer a;
	char value[512];

	client_get(rig.port, requests[_i].target, "", &a);
	ck_assert_msg(a.status == requests[_i].status, "%s: %s%s", requests[_i].target, a.head,
	    rs_buf_cstr(&a.body));
	ck_assert_str_eq(answer_header(&a, "Content-Type", value), requests[_i].type);
	ck_assert_msg(
	    has(&a, requests[_i].part), "%s: %s", requests[_i].target, rs_buf_cstr(&a.body));
	ck_assert_str_eq(answer_header(&a, "X-Content-Type-Options", value), "nosniff");
	ck_assert_str_eq(answer_header(&a, "Cache-Control", value), "no-store");
	answer_fini(&a);
}
END_TEST

START_TEST(web_summary_is_flat_complete_and_small)
{
	static const char *const keys[] = {"state", "verdict", "hottest_core", "hottest_core_load",
	    "effective_cores", "cores", "cpu_accounting", "rx_bps", "tx_bps", "rx_pps", "drops_pps",
	    "findings_active", "sampled_at_ms", "interval_ms", "clock_ok"};
	struct answer a;
	char key[64];

	client_get(rig.port, "/api/v1/summary", "", &a);
	ck_assert_uint_lt(a.body.len, 2048);
	for (size_t i = 0; i < RS_ARRAY_LEN(keys); i++) {
		(void)snprintf(key, sizeof(key), "\"%s\":", keys[i]);
		ck_assert_msg(has(&a, key), "%s is missing: %s", key, rs_buf_cstr(&a.body));
	}
	ck_assert_ptr_null(strchr(rs_buf_cstr(&a.body) + 1, '{'));
	ck_assert_ptr_null(strchr(rs_buf_cstr(&a.body), '['));
	ck_assert(has(&a, "\"cores\":2,"));
	ck_assert(has(&a, "\"rx_bps\":8000000,"));
	ck_assert(has(&a, "\"interval_ms\":1000,\"clock_ok\":true}"));
	ck_assert(has(&a, "\"sampled_at_ms\":1700000001000,"));
	answer_fini(&a);
}
END_TEST

START_TEST(web_question_to_the_store_is_what_was_asked)
{
	struct answer a;

	client_get(rig.port,
	    COUNTERS "&after=1700000000&before=2023-11-14T22:14:20Z&cpu=3&cpu=12&points=500"
		     "&aggregate=sum",
	    "", &a);
	ck_assert_uint_eq(a.status, 200);
	answer_fini(&a);
	ck_assert_str_eq(rig_store.last.metric, "core_interrupts");
	ck_assert_int_eq(rig_store.last.after_ms, INT64_C(1700000000000));
	ck_assert_int_eq(rig_store.last.before_ms, INT64_C(1700000060000));
	ck_assert_uint_eq(rig_store.last.points, 500);
	ck_assert_int_eq(rig_store.last.aggregate, RS_SUM);
	ck_assert_uint_eq(rig_store.last.n_filters, 2);
	ck_assert_str_eq(rig_store.last.filters[0].label, "cpu");
	ck_assert_str_eq(rig_store.last.filters[0].value, "3");
	ck_assert_str_eq(rig_store.last.filters[1].value, "12");
	client_get(rig.port, SERIES, "", &a);
	answer_fini(&a);
	ck_assert_int_eq(rig_store.last.before_ms - rig_store.last.after_ms, 600000);
	ck_assert_uint_eq(rig_store.last.points, 0);
	ck_assert_int_eq(rig_store.last.aggregate, RS_AVG);
}
END_TEST

START_TEST(web_question_about_changes_is_what_was_asked)
{
	const struct rs_change_query *const last = &rig_store.last_changes;
	struct answer a;

	client_get(rig.port, CHANGES, "", &a);
	answer_fini(&a);
	ck_assert_int_eq(last->after_ms, INT64_MIN);
	ck_assert_int_eq(last->before_ms, INT64_MAX);
	ck_assert_uint_eq(last->limit, 200);
	ck_assert_uint_eq(last->fact, RS_F_COUNT);
	ck_assert_str_eq(last->device, "");
	client_get(rig.port,
	    CHANGES "?after=1700000000&before=1700000060&limit=7&kind=ring_rx&device=wl%22n", "",
	    &a);
	answer_fini(&a);
	ck_assert_int_eq(last->after_ms, INT64_C(1700000000000));
	ck_assert_int_eq(last->before_ms, INT64_C(1700000060000));
	ck_assert_uint_eq(last->limit, 7);
	ck_assert_uint_eq(last->fact, RS_F_RING_RX);
	ck_assert_str_eq(last->device, "wl\"n");
}
END_TEST

/* As the store of the rig has it. */
static void
publish_change(struct rig *r, void *unused)
{
	const struct rs_change c = {.id = 3,
	    .at_ms = 3000,
	    .fact = RS_F_IRQ_AFFINITY,
	    .labels = {.cpu = -1, .queue = 1, .device = "eth0", .irq = "31"},
	    .old = "0-3",
	    .new = "2"};

	(void)unused;
	rs_web_publish_change(r->web, &c);
}

START_TEST(web_change_event_is_the_object_of_the_answer)
{
	struct stream s;
	struct event ev;
	struct answer a;
	char expected[512];

	/* Nobody listens: it is skipped and costs nothing. */
	rig_call(&rig, publish_change, NULL);
	stream_open(&s, rig.port, NULL, false, NULL);
	rig_call(&rig, publish_change, NULL);
	ck_assert(stream_next(&s, &ev));
	ck_assert_str_eq(ev.name, "change");
	client_get(rig.port, CHANGES, "", &a);
	(void)snprintf(expected, sizeof(expected), "[%s]", ev.data);
	ck_assert_str_eq(rs_buf_cstr(&a.body), expected);
	answer_fini(&a);
	event_fini(&ev);
	stream_close(&s);
}
END_TEST

static const struct {
	const char *accept, *type, *end;
} formats[] = {
    {"", "text/plain; version=0.0.4; charset=utf-8", "} 0\n"},
    {"Accept: */*\r\n", "text/plain; version=0.0.4; charset=utf-8", "} 0\n"},
    {"Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5\r\n",
	"application/openmetrics-text; version=1.0.0; charset=utf-8", "} 0\n# EOF\n"},
    {"Accept: application/openmetrics-text;version=9,,;q=x\r\n",
	"text/plain; version=0.0.4; charset=utf-8", "} 0\n"},
};

START_TEST(web_metrics_come_in_the_format_that_was_asked_for)
{
	const size_t end = strlen(formats[_i].end);
	struct answer a;
	char value[512];

	client_get(rig.port, "/metrics", formats[_i].accept, &a);
	ck_assert_uint_eq(a.status, 200);
	ck_assert_str_eq(answer_header(&a, "Content-Type", value), formats[_i].type);
	ck_assert_str_eq(answer_header(&a, "Vary", value), "Accept");
	ck_assert_uint_gt(a.body.len, end);
	ck_assert_int_eq(memcmp(a.body.data + a.body.len - end, formats[_i].end, end), 0);
	answer_fini(&a);
}
END_TEST

static const struct {
	const char *method, *target;
	unsigned status;
} methods[] = {
    {"HEAD", "/metrics", 200},
    {"HEAD", CHANGES, 200},
    {"POST", "/metrics", 405},
    {"DELETE", CHANGES, 405},
    {"HEAD", "/api/v1/summary", 200},
    {"HEAD", SERIES, 200},
    {"HEAD", "/", 200},
    {"HEAD", "/nothing", 404},
    {"POST", "/api/v1/summary", 405},
    {"PUT", "/api/v1/series", 405},
    {"DELETE", "/api/v1/findings", 405},
    {"OPTIONS", "/api/v1/summary", 405},
    {"BREW", "/api/v1/summary", 405},
    {"get", "/api/v1/summary", 405},
    {"POST", "/", 405},
    {"POST", "/api/v1/runs", 404},
};

START_TEST(web_methods_other_than_get_and_head_are_refused)
{
	const int fd = client_dial(rig.port, NULL, false);
	const bool is_head = strcmp(methods[_i].method, "HEAD") == 0;
	char request[512], value[512];
	struct answer a;

	(void)snprintf(request, sizeof(request),
	    "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", methods[_i].method,
	    methods[_i].target);
	client_send(fd, request);
	client_read(fd, is_head, &a);
	ck_assert_msg(a.status == methods[_i].status, "%s %s: %s", methods[_i].method,
	    methods[_i].target, a.head);
	if (a.status == 405)
		ck_assert_str_eq(answer_header(&a, "Allow", value), "GET, HEAD");
	answer_fini(&a);
	/* Nothing follows the headers of a HEAD. */
	size_t bytes = 1;

	ck_assert(client_sees_end(fd, &bytes));
	ck_assert_uint_eq(bytes, 0);
	(void)close(fd);
}
END_TEST

/* ---- who may read ---- */

static const struct {
	const char *headers;
	unsigned status;
} hosts[] = {
    {"Host: 127.0.0.1\r\n", 200},
    {"Host: localhost:7464\r\n", 200},
    {"Host: [::1]:7464\r\n", 200},
    {"Host: mon.example\r\n", 200},
    {"Host: evil.example\r\n", 421},
    {"Host: 127.0.0.1.evil.example\r\n", 421},
    {"Host: \r\n", 421},
    {"", 400},
    {"Host: localhost\r\nHost: evil.example\r\n", 400},
};

START_TEST(web_foreign_hosts_are_refused_everywhere)
{
	static const char *const targets[] = {
	    "/", "/api/v1/summary", "/api/v1/stream", "/metrics", CHANGES, "/x"};

	for (size_t i = 0; i < RS_ARRAY_LEN(targets); i++) {
		const int fd = client_dial(rig.port, NULL, false);
		char request[512];
		struct answer a;

		if (hosts[_i].status == 200 && i > 0)
			break;
		(void)snprintf(request, sizeof(request),
		    "GET %s HTTP/1.1\r\n%sConnection: close\r\n\r\n", targets[i],
		    hosts[_i].headers);
		client_send(fd, request);
		client_read(fd, false, &a);
		ck_assert_msg(a.status == hosts[_i].status, "%s: %s", hosts[_i].headers, a.head);
		answer_fini(&a);
		(void)close(fd);
	}
}
END_TEST

static const struct {
	const char *headers;
	unsigned with_token, without;
} credentials[] = {
    {"", 200, 200},
    {"Authorization: Bearer wrong\r\n", 200, 200},
    {"X-Forwarded-For: 10.0.0.1\r\n", 401, 403},
    {"x-forwarded-proto: https\r\n", 401, 403},
    {"Forwarded: for=10.0.0.1\r\n", 401, 403},
    {"Via: 1.1 proxy\r\n", 401, 403},
    {"Via: 1.1 proxy\r\nAuthorization: Bearer s3cret\r\n", 200, 403},
    {"Via: 1.1 proxy\r\nAuthorization: Basic OnMzY3JldA==\r\n", 200, 403},
    {"Via: 1.1 proxy\r\nAuthorization: Bearer wrong\r\n", 401, 403},
};

static const char *const readable[] = {"/api/v1/summary", "/metrics", CHANGES};

/* Each of the credentials with each of the paths. */
static unsigned
ask_with(unsigned i, struct answer *ret)
{
	const size_t n = RS_ARRAY_LEN(credentials);

	client_get(rig.port, readable[i / n], credentials[i % n].headers, ret);
	return ret->status;
}

START_TEST(web_requests_through_a_proxy_need_the_token)
{
	const size_t c = (size_t)_i % RS_ARRAY_LEN(credentials);
	struct answer a;
	char value[512];

	ck_assert_msg(ask_with((unsigned)_i, &a) == credentials[c].with_token, "%s: %s",
	    credentials[c].headers, a.head);
	if (a.status == 401) {
		ck_assert_ptr_nonnull(strstr(a.head, "WWW-Authenticate: Bearer realm="));
		ck_assert_ptr_nonnull(strstr(a.head, "WWW-Authenticate: Basic realm="));
		ck_assert_str_eq(
		    answer_header(&a, "Content-Type", value), "application/problem+json");
	}
	answer_fini(&a);
}
END_TEST

START_TEST(web_without_token_nothing_opens_the_door_from_elsewhere)
{
	const size_t c = (size_t)_i % RS_ARRAY_LEN(credentials);
	struct answer a;

	ck_assert_msg(ask_with((unsigned)_i, &a) == credentials[c].without, "%s: %s",
	    credentials[c].headers, a.head);
	answer_fini(&a);
}
END_TEST

static void
change_token(struct rig *r, void *token)
{
	const struct rs_web_conf c = {.token = token};

	ck_assert_int_eq(rs_web_reconfigure(r->web, &c), 0);
}

static void
change_token_without_memory(struct rig *r, void *token)
{
	const struct rs_web_conf c = {.token = token};
	struct rlimit limit, before;

	ck_assert_int_eq(getrlimit(RLIMIT_AS, &before), 0);
	limit = before;
	limit.rlim_cur = 1;
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
	const int changed = rs_web_reconfigure(r->web, &c);

	ck_assert_int_eq(setrlimit(RLIMIT_AS, &before), 0);
	ck_assert_int_eq(changed, -ENOMEM);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

START_TEST(web_token_that_finds_no_memory_changes_nothing)
{
#if defined(__SANITIZE_ADDRESS__)
	/* It ends the program when memory is refused. */
	(void)change_token_without_memory;
#else
	enum { LARGE = 64 << 20 }; /* from the kernel, whatever the heap still has */
	char *token = malloc(LARGE);
	struct answer a;

	ck_assert_ptr_nonnull(token);
	memset(token, 'x', LARGE);
	token[LARGE - 1] = '\0';
	rig_call(&rig, change_token_without_memory, token);
	free(token);
	client_get(rig.port, "/api/v1/summary", "Via: x\r\nAuthorization: Bearer s3cret\r\n", &a);
	ck_assert_uint_eq(a.status, 200);
	answer_fini(&a);
#endif
}
END_TEST

START_TEST(web_token_changes_without_restart)
{
	static const char old[] = "Via: x\r\nAuthorization: Bearer s3cret\r\n";
	static const char new[] = "Via: x\r\nAuthorization: Bearer other\r\n";
	static char other[] = "other";
	struct answer a;

	rig_call(&rig, change_token, other);
	client_get(rig.port, "/api/v1/summary", old, &a);
	ck_assert_uint_eq(a.status, 401);
	answer_fini(&a);
	client_get(rig.port, "/api/v1/summary", new, &a);
	ck_assert_uint_eq(a.status, 200);
	answer_fini(&a);
}
END_TEST

START_TEST(web_listed_origins_may_read_across)
{
	static const char own[] = "Origin: https://panel.example\r\n";
	struct answer a;
	char value[512];

	client_get(rig.port, "/api/v1/summary", own, &a);
	ck_assert_str_eq(
	    answer_header(&a, "Access-Control-Allow-Origin", value), "https://panel.example");
	ck_assert_str_eq(answer_header(&a, "Vary", value), "Origin");
	answer_fini(&a);
	client_get(rig.port, "/api/v1/summary", "Origin: https://evil.example\r\n", &a);
	ck_assert_uint_eq(a.status, 200);
	ck_assert_str_eq(answer_header(&a, "Access-Control-Allow-Origin", value), "");
	ck_assert_str_eq(answer_header(&a, "Vary", value), "Origin");
	answer_fini(&a);
	/* A history answer is sent later than it was asked for. */
	client_get(rig.port, SERIES, own, &a);
	ck_assert_str_ne(answer_header(&a, "Access-Control-Allow-Origin", value), "");
	answer_fini(&a);
}
END_TEST

START_TEST(web_preflight_is_answered_for_listed_origins_only)
{
	static const char *const asked[] = {"https://panel.example", "https://evil.example"};
	static const unsigned status[] = {204, 405};
	char request[512], value[512];

	for (size_t i = 0; i < 2; i++) {
		const int fd = client_dial(rig.port, NULL, false);
		struct answer a;

		(void)snprintf(request, sizeof(request),
		    "OPTIONS /api/v1/summary HTTP/1.1\r\nHost: localhost\r\nOrigin: %s\r\n"
		    "Access-Control-Request-Method: GET\r\nConnection: close\r\n\r\n",
		    asked[i]);
		client_send(fd, request);
		client_read(fd, false, &a);
		ck_assert_uint_eq(a.status, status[i]);
		ck_assert_str_eq(answer_header(&a, "Access-Control-Allow-Origin", value),
		    i == 0 ? asked[0] : "");
		answer_fini(&a);
		(void)close(fd);
	}
}
END_TEST

/* ---- assets ---- */

/* What gzip writes behind the data, of these bytes: CRC-32 (RFC 1952, 8) and length,
 * least byte first. */
static void
make_trailer(const unsigned char *bytes, size_t len, unsigned char dst[static 8])
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < len; i++) {
		crc ^= bytes[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ ((crc & 1) != 0 ? UINT32_C(0xedb88320) : 0);
	}
	crc = ~crc;
	for (unsigned i = 0; i < 4; i++) {
		dst[i] = (unsigned char)(crc >> 8 * i);
		dst[4 + i] = (unsigned char)(len >> 8 * i);
	}
}

static void
assert_not_modified(const char *path, const char *headers, const char *etag)
{
	char all[1200], value[512];
	struct answer a;

	(void)snprintf(all, sizeof(all), "%sIf-None-Match: \"x\", W/%s\r\n", headers, etag);
	client_get(rig.port, path, all, &a);
	ck_assert_uint_eq(a.status, 304);
	ck_assert_uint_eq(a.body.len, 0);
	ck_assert_str_eq(answer_header(&a, "ETag", value), etag);
	ck_assert_str_eq(answer_header(&a, "Vary", value), "Accept-Encoding");
	answer_fini(&a);
	(void)snprintf(all, sizeof(all), "%sIf-None-Match: \"0\"\r\n", headers);
	client_get(rig.port, path, all, &a);
	ck_assert_uint_eq(a.status, 200);
	answer_fini(&a);
}

/* Whatever a browser shows as a page has the policy. */
static void
assert_policy(const char *path, const struct answer *a)
{
	char type[512], policy[512];

	(void)answer_header(a, "Content-Type", type);
	(void)answer_header(a, "Content-Security-Policy", policy);
	if (strncmp(type, "text/html", 9) == 0 || strcmp(type, "image/svg+xml") == 0) {
		ck_assert_msg(
		    strncmp(policy, "default-src 'self'", 18) == 0, "%s: '%s'", path, policy);
		ck_assert_ptr_null(strstr(policy, "unsafe"));
		ck_assert_str_eq(answer_header(a, "Referrer-Policy", policy), "no-referrer");
	}
	ck_assert_str_eq(answer_header(a, "X-Content-Type-Options", type), "nosniff");
}

/* Asks for one form of a file and leaves its tag in dst. */
static void
get_form(const char *path, const char *headers, struct answer *ret, char etag[static 512])
{
	char value[512];

	client_get(rig.port, path, headers, ret);
	ck_assert_msg(ret->status == 200, "%s", path);
	assert_policy(path, ret);
	ck_assert_str_eq(answer_header(ret, "Cache-Control", value), "no-cache");
	ck_assert_str_eq(answer_header(ret, "Vary", value), "Accept-Encoding");
	ck_assert_int_eq(answer_header(ret, "ETag", etag)[0], '"');
	assert_not_modified(path, headers, etag);
}

#define TAKES_GZIP "Accept-Encoding: gzip, deflate, br, zstd\r\n"

START_TEST(web_assets_come_from_the_binary_with_tag_and_policy)
{
	struct answer a;
	char etag[512], value[512];

	for (const struct rs_asset *asset = rs_assets; asset->path != NULL; asset++) {
		get_form(asset->path, "", &a, etag);
		ck_assert_uint_eq(a.body.len, (size_t)(asset->end - asset->begin));
		ck_assert_mem_eq(a.body.data, asset->begin, a.body.len);
		ck_assert_str_eq(answer_header(&a, "Content-Encoding", value), "");
		answer_fini(&a);
	}
	client_get(rig.port, "/", "", &a);
	ck_assert_uint_eq(a.status, 200);
	ck_assert_str_eq(answer_header(&a, "Content-Type", value), "text/html; charset=utf-8");
	answer_fini(&a);
}
END_TEST

START_TEST(web_assets_come_compressed_where_that_is_taken)
{
	char plain[512], packed[512], value[512];
	unsigned char trailer[8];
	struct answer a;

	for (const struct rs_asset *asset = rs_assets; asset->path != NULL; asset++) {
		if (asset->gzip == NULL) /* built without gzip */
			continue;
		get_form(asset->path, "", &a, plain);
		make_trailer((const unsigned char *)a.body.data, a.body.len, trailer);
		answer_fini(&a);
		get_form(asset->path, TAKES_GZIP, &a, packed);
		ck_assert_str_eq(answer_header(&a, "Content-Encoding", value), "gzip");
		ck_assert_uint_gt(a.body.len, sizeof(trailer));
		ck_assert_msg(memcmp(a.body.data + a.body.len - 8, trailer, 8) == 0,
		    "%s: other bytes than the plain form", asset->path);
		ck_assert_str_ne(plain, packed);
		answer_fini(&a);
		client_get(rig.port, asset->path, "Accept-Encoding: gzip;q=0, identity\r\n", &a);
		ck_assert_str_eq(answer_header(&a, "Content-Encoding", value), "");
		ck_assert_str_eq(answer_header(&a, "ETag", value), plain);
		answer_fini(&a);
	}
}
END_TEST

/* The tag of one form says nothing of the other. */
START_TEST(web_assets_have_a_tag_for_each_form)
{
	static const char *const forms[] = {"", TAKES_GZIP};
	char etag[512], headers[1200];
	struct answer a;

	if (rs_assets[0].gzip == NULL)
		return;
	get_form("/", forms[_i], &a, etag);
	answer_fini(&a);
	(void)snprintf(headers, sizeof(headers), "%sIf-None-Match: %s\r\n", forms[1 - _i], etag);
	client_get(rig.port, "/", headers, &a);
	ck_assert_uint_eq(a.status, 200);
	answer_fini(&a);
}
END_TEST

START_TEST(web_assets_have_the_same_headers_for_head)
{
	static const char *const forms[] = {"", TAKES_GZIP};
	static const char *const names_of_headers[] = {
	    "Content-Length", "Content-Type", "Content-Encoding", "ETag", "Vary"};
	const int fd = client_dial(rig.port, NULL, false);
	char request[512], whole[512], value[512];
	struct answer a, head;

	client_get(rig.port, "/app.js", forms[_i], &a);
	ck_assert_uint_eq(a.status, 200);
	(void)snprintf(request, sizeof(request),
	    "HEAD /app.js HTTP/1.1\r\nHost: localhost\r\n%sConnection: close\r\n\r\n", forms[_i]);
	client_send(fd, request);
	client_read(fd, true, &head);
	ck_assert_uint_eq(head.status, 200);
	for (size_t i = 0; i < RS_ARRAY_LEN(names_of_headers); i++) {
		ck_assert_str_eq(answer_header(&head, names_of_headers[i], value),
		    answer_header(&a, names_of_headers[i], whole));
	}
	answer_fini(&head);
	answer_fini(&a);
	(void)close(fd);
}
END_TEST

static const struct {
	const char *target;
	bool is_packed;
} answers[] = {
    {SERIES, true},
    {SERIES "&format=csv", true},
    {"/api/v1/summary", false}, /* small */
    {"/metrics", false},
};

START_TEST(web_answers_come_compressed_where_that_is_worth_it)
{
	unsigned char trailer[8];
	struct answer a;
	char value[512];

	client_get(rig.port, answers[_i].target, "", &a);
	ck_assert_str_eq(answer_header(&a, "Content-Encoding", value), "");
	/* Either form is for this one client: no cache keeps it. */
	ck_assert_str_eq(answer_header(&a, "Cache-Control", value), "no-store");
	make_trailer((const unsigned char *)a.body.data, a.body.len, trailer);
	answer_fini(&a);
	client_get(rig.port, answers[_i].target, TAKES_GZIP, &a);
	ck_assert_uint_eq(a.status, 200);
	ck_assert_str_eq(answer_header(&a, "Cache-Control", value), "no-store");
	ck_assert_str_eq(
	    answer_header(&a, "Content-Encoding", value), answers[_i].is_packed ? "gzip" : "");
	if (answers[_i].is_packed)
		ck_assert_mem_eq(a.body.data + a.body.len - 8, trailer, 8);
	answer_fini(&a);
}
END_TEST

/* What the page loads is there: every module that a module or the page names. */
START_TEST(web_assets_refer_to_assets_only)
{
	struct answer a;
	char path[256];

	client_get(rig.port, "/index.html", "", &a);
	const char *at = rs_buf_cstr(&a.body);

	while ((at = strstr(at, "src=\"")) != NULL) {
		struct answer part;

		at += 5;
		path[0] = '/';
		(void)rs_text_copy(
		    (struct rs_text){at, at + strcspn(at, "\"")}, path + 1, sizeof(path) - 1);
		client_get(rig.port, path, "", &part);
		ck_assert_msg(part.status == 200, "index.html names '%s'", path);
		answer_fini(&part);
	}
	answer_fini(&a);
}
END_TEST

static char folder[] = "/tmp/ringside-web-XXXXXX";

static void
put_file(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	(void)fputs(text, f);
	(void)fclose(f);
}

START_TEST(web_assets_from_a_folder_never_leave_it)
{
	static const struct {
		const char *target;
		unsigned status;
	} rows[] = {
	    {"/", 200},
	    {"/index.html", 200},
	    {"/page/index.html", 200},
	    {"/../secret.html", 404},
	    {"/page/../../secret.html", 404},
	    {"/%2e%2e/secret.html", 404},
	    {"/..%2fsecret.html", 404},
	    {"//secret.html", 404},
	    {"/.hidden.html", 404},
	    {"/link.html", 404},
	    {"/folder.html", 404},
	    {"/program", 404},
	    /* Not there, but in the binary. */
	    {"/style.css", 200},
	    {"/page/style.css", 404},
	};
	char root[256], path[300], value[512], long_text[2010];
	struct answer a;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	(void)snprintf(root, sizeof(root), "%s/root", folder);
	ck_assert_int_eq(mkdir(root, 0700), 0);
	(void)snprintf(path, sizeof(path), "%s/page", root);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	(void)snprintf(path, sizeof(path), "%s/folder.html", root);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	put_file("secret.html", "secret");
	put_file("root/index.html", "first");
	put_file("root/page/index.html", "page");
	put_file("root/.hidden.html", "hidden");
	put_file("root/program", "no type");
	(void)snprintf(long_text, sizeof(long_text), "[%2000d]", 0);
	put_file("root/data.json", long_text);
	(void)snprintf(path, sizeof(path), "%s/link.html", root);
	ck_assert_int_eq(symlink("../secret.html", path), 0);
	const struct rs_web_conf c = {.web_dir = root};

	rig_open(&rig, &c);
	for (size_t i = 0; i < RS_ARRAY_LEN(rows); i++) {
		client_get(rig.port, rows[i].target, "", &a);
		ck_assert_msg(a.status == rows[i].status, "%s: %s", rows[i].target, a.head);
		ck_assert(!has(&a, "secret"));
		answer_fini(&a);
	}
	/* A change is seen at once, and no form of the binary's file goes before it. */
	put_file("root/index.html", "second");
	client_get(rig.port, "/", TAKES_GZIP, &a);
	ck_assert_str_eq(rs_buf_cstr(&a.body), "second");
	ck_assert_str_eq(answer_header(&a, "Content-Encoding", value), "");
	answer_fini(&a);
	/* One tag, one form. */
	client_get(rig.port, "/data.json", TAKES_GZIP, &a);
	ck_assert_str_eq(rs_buf_cstr(&a.body), long_text);
	ck_assert_str_eq(answer_header(&a, "Content-Encoding", value), "");
	answer_fini(&a);
	rig_close(&rig);
	(void)snprintf(path, sizeof(path), "rm -r %s", folder);
	ck_assert_int_eq(system(path), 0);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("web");
	TCase *open = tcase_create("open"), *token = tcase_create("token");
	TCase *own = tcase_create("own");

	tcase_add_checked_fixture(open, open_default, teardown);
	tcase_add_checked_fixture(token, open_with_token, teardown);
	tcase_set_timeout(open, 60);
	tcase_set_timeout(token, 60);
	tcase_set_timeout(own, 60);
	tcase_add_loop_test(
	    open, web_requests_are_answered_by_the_contract, 0, (int)RS_ARRAY_LEN(requests));
	tcase_add_test(open, web_summary_is_flat_complete_and_small);
	tcase_add_test(open, web_question_to_the_store_is_what_was_asked);
	tcase_add_test(open, web_question_about_changes_is_what_was_asked);
	tcase_add_test(open, web_change_event_is_the_object_of_the_answer);
	tcase_add_loop_test(
	    open, web_metrics_come_in_the_format_that_was_asked_for, 0, RS_ARRAY_LEN(formats));
	tcase_add_loop_test(
	    open, web_methods_other_than_get_and_head_are_refused, 0, (int)RS_ARRAY_LEN(methods));
	tcase_add_loop_test(open, web_without_token_nothing_opens_the_door_from_elsewhere, 0,
	    (int)RS_ARRAY_LEN(credentials));
	tcase_add_test(open, web_assets_come_from_the_binary_with_tag_and_policy);
	tcase_add_test(open, web_assets_come_compressed_where_that_is_taken);
	tcase_add_loop_test(open, web_assets_have_a_tag_for_each_form, 0, 2);
	tcase_add_loop_test(open, web_assets_have_the_same_headers_for_head, 0, 2);
	tcase_add_loop_test(open, web_answers_come_compressed_where_that_is_worth_it, 0,
	    (int)RS_ARRAY_LEN(answers));
	tcase_add_test(open, web_assets_refer_to_assets_only);
	tcase_add_loop_test(
	    token, web_foreign_hosts_are_refused_everywhere, 0, (int)RS_ARRAY_LEN(hosts));
	tcase_add_loop_test(
	    token, web_requests_through_a_proxy_need_the_token, 0, (int)RS_ARRAY_LEN(credentials));
	tcase_add_test(token, web_token_changes_without_restart);
	tcase_add_test(token, web_token_that_finds_no_memory_changes_nothing);
	tcase_add_test(token, web_listed_origins_may_read_across);
	tcase_add_test(token, web_preflight_is_answered_for_listed_origins_only);
	tcase_add_test(own, web_assets_from_a_folder_never_leave_it);
	suite_add_tcase(s, open);
	suite_add_tcase(s, token);
	suite_add_tcase(s, own);
	return s;
}

RS_CHECK_MAIN(suite())
