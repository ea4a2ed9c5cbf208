/* SPDX-License-Identifier: ISC */
/* Sockets, replies and event streams for tests. */
#include "http_client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "rs_check.h"
#include "text.h"

enum { DEADLINE_MS = 30000, BODY_MAX = 256 << 20 };

int
client_dial(unsigned port, const char *from, bool small_buffer)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	struct sockaddr_in own = {.sin_family = AF_INET};
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), bytes = 4096;

	ck_assert_int_ge(fd, 0);
	if (small_buffer)
		ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes)), 0);
	if (from != NULL) {
		ck_assert_int_eq(inet_pton(AF_INET, from, &own.sin_addr), 1);
		ck_assert_int_eq(bind(fd, (const struct sockaddr *)&own, sizeof(own)), 0);
	}
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ck_assert_int_eq(connect(fd, (const struct sockaddr *)&a, sizeof(a)), 0);
	return fd;
}

int
client_dial_unix(const char *path)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert_int_ge(fd, 0);
	(void)snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	ck_assert_msg(connect(fd, (const struct sockaddr *)&a, sizeof(a)) == 0, "%s: %s", path,
	    strerror(errno));
	return fd;
}

bool
client_try_send(int fd, const char *text)
{
	size_t len = strlen(text);

	while (len > 0) {
		const ssize_t n = send(fd, text, len, MSG_NOSIGNAL);

		if (n < 0 && (errno == EPIPE || errno == ECONNRESET))
			return false;
		ck_assert_msg(n > 0, "send: %s", strerror(errno));
		text += n;
		len -= (size_t)n;
	}
	return true;
}

void
client_send(int fd, const char *text)
{
	ck_assert_msg(client_try_send(fd, text), "send: %s", strerror(errno));
}

/* Appends what comes next; 0 at the end, -1 when the peer reset. */
static ssize_t
receive(int fd, struct rs_buf *b, size_t at_most)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char *to = rs_buf_reserve(b, at_most);

	ck_assert_ptr_nonnull(to);
	ck_assert_msg(poll(&p, 1, DEADLINE_MS) > 0, "nothing came within the deadline");
	const ssize_t n = recv(fd, to, at_most, 0);

	if (n > 0)
		b->len += (size_t)n;
	return n;
}

/* Reads up to the empty line, byte by byte: the body stays in the socket. */
static void
read_head(int fd, struct answer *a)
{
	struct rs_buf head;

	rs_buf_init(&head, sizeof(a->head) - 1);
	do {
		const ssize_t n = receive(fd, &head, 1);

		ck_assert_msg(
		    n > 0, "the connection ended within the headers: '%s'", rs_buf_cstr(&head));
	} while (head.len < 4 || memcmp(head.data + head.len - 4, "\r\n\r\n", 4) != 0);
	memcpy(a->head, rs_buf_cstr(&head), head.len + 1);
	rs_buf_fini(&head);
	ck_assert_msg(strncmp(a->head, "HTTP/1.", 7) == 0, "%s", a->head);
	a->status = (unsigned)strtoul(a->head + 9, NULL, 10);
}

static void
read_exactly(int fd, struct rs_buf *b, size_t len)
{
	for (const size_t end = b->len + len; b->len < end;)
		ck_assert_int_gt(receive(fd, b, RS_MIN(end - b->len, (size_t)65536)), 0);
}

static void
read_line(int fd, struct rs_buf *line)
{
	rs_buf_reset(line);
	do
		read_exactly(fd, line, 1);
	while (line->data[line->len - 1] != '\n');
}

static void
read_chunks(int fd, struct rs_buf *body)
{
	struct rs_buf line;
	size_t len;

	rs_buf_init(&line, 1024);
	do {
		read_line(fd, &line);
		len = strtoul(rs_buf_cstr(&line), NULL, 16);
		read_exactly(fd, body, len);
		read_line(fd, &line);
	} while (len > 0);
	rs_buf_fini(&line);
}

void
client_read(int fd, bool is_head, struct answer *ret)
{
	char value[512];

	read_head(fd, ret);
	rs_buf_init(&ret->body, BODY_MAX);
	if (is_head || ret->status == 204 || ret->status == 304)
		return;
	if (strcasecmp(answer_header(ret, "Transfer-Encoding", value), "chunked") == 0)
		read_chunks(fd, &ret->body);
	else if (answer_header(ret, "Content-Length", value)[0] != '\0')
		read_exactly(fd, &ret->body, strtoul(value, NULL, 10));
	else
		while (receive(fd, &ret->body, 65536) > 0)
			;
}

void
answer_fini(struct answer *a)
{
	rs_buf_fini(&a->body);
}

const char *
answer_header(const struct answer *a, const char *name, char dst[static 512])
{
	const size_t len = strlen(name);

	dst[0] = '\0';
	for (const char *line = strstr(a->head, "\r\n"); line != NULL && line[2] != '\r';
	     line = strstr(line + 2, "\r\n")) {
		if (strncasecmp(line + 2, name, len) != 0 || line[2 + len] != ':')
			continue;
		const char *value = line + 3 + len + strspn(line + 3 + len, " ");

		(void)rs_text_copy((struct rs_text){value, value + strcspn(value, "\r")}, dst, 512);
		break;
	}
	return dst;
}

void
client_get(unsigned port, const char *target, const char *headers, struct answer *ret)
{
	char request[4096];
	const int fd = client_dial(port, NULL, false);

	(void)snprintf(request, sizeof(request),
	    "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n%s\r\n", target, headers);
	client_send(fd, request);
	client_read(fd, false, ret);
	(void)close(fd);
}

bool
client_sees_end(int fd, size_t *ret_bytes)
{
	struct rs_buf b;
	ssize_t n;

	*ret_bytes = 0;
	rs_buf_init(&b, 65536);
	do {
		struct pollfd p = {.fd = fd, .events = POLLIN};

		rs_buf_reset(&b);
		if (poll(&p, 1, DEADLINE_MS) <= 0) {
			rs_buf_fini(&b);
			return false;
		}
		n = recv(fd, rs_buf_reserve(&b, 65536), 65536, 0);
		*ret_bytes += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	rs_buf_fini(&b);
	return true;
}

void
stream_open(
    struct stream *s, unsigned port, const char *from, bool small_buffer, const char *last_id)
{
	char request[512], value[512];
	struct answer a = {0};

	*s = (struct stream){.fd = client_dial(port, from, small_buffer)};
	rs_buf_init(&s->raw, BODY_MAX);
	rs_buf_init(&s->text, BODY_MAX);
	(void)snprintf(request, sizeof(request),
	    "GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n%s%s%s\r\n",
	    last_id != NULL ? "Last-Event-ID: " : "", last_id != NULL ? last_id : "",
	    last_id != NULL ? "\r\n" : "");
	client_send(s->fd, request);
	read_head(s->fd, &a);
	ck_assert_msg(a.status == 200, "%s", a.head);
	ck_assert_str_eq(answer_header(&a, "Content-Type", value), "text/event-stream");
	ck_assert_str_eq(answer_header(&a, "Transfer-Encoding", value), "chunked");
}

void
stream_close(struct stream *s)
{
	(void)close(s->fd);
	rs_buf_fini(&s->raw);
	rs_buf_fini(&s->text);
}

static void
drop_front(struct rs_buf *b, size_t len)
{
	memmove(b->data, b->data + len, b->len - len);
	b->len -= len;
}

/* Moves one complete chunk from raw to text; false when there is none. */
static bool
take_chunk(struct stream *s)
{
	const char *raw = rs_buf_cstr(&s->raw);
	const char *line_end = strstr(raw, "\r\n");

	if (line_end == NULL)
		return false;
	const size_t len = strtoul(raw, NULL, 16), head = (size_t)(line_end - raw) + 2;

	if (s->raw.len < head + len + 2)
		return false;
	rs_buf_put(&s->text, s->raw.data + head, len);
	s->is_ended = len == 0;
	drop_front(&s->raw, head + len + 2);
	return true;
}

static void
copy_field(const char *block, const char *name, char *dst, size_t cap)
{
	const char *at = strstr(block, name);

	dst[0] = '\0';
	if (at == NULL)
		return;
	at += strlen(name);
	(void)rs_text_copy((struct rs_text){at, at + strcspn(at, "\n")}, dst, cap);
}

/* The first block of text, up to its empty line. */
static void
parse_block(const char *text, size_t len, struct event *ret)
{
	char *block = strndup(text, len);

	ck_assert_ptr_nonnull(block);
	copy_field(block, "id: ", ret->id, sizeof(ret->id));
	copy_field(block, "event: ", ret->name, sizeof(ret->name));
	const char *data = strstr(block, "data: ");

	ret->data = strdup(data != NULL ? data + 6 : "");
	ck_assert_ptr_nonnull(ret->data);
	ret->data[strcspn(ret->data, "\n")] = '\0';
	free(block);
}

bool
stream_next(struct stream *s, struct event *ret)
{
	for (;;) {
		const char *text = rs_buf_cstr(&s->text);
		const char *end = strstr(text, "\n\n");

		if (end == NULL) {
			if (s->is_ended)
				return false;
			if (!take_chunk(s) && receive(s->fd, &s->raw, 65536) <= 0)
				s->is_ended = true;
			continue;
		}
		const size_t len = (size_t)(end - text) + 2;
		const bool is_event = strncmp(text, "id: ", 4) == 0;

		if (is_event)
			parse_block(text, len, ret);
		drop_front(&s->text, len);
		if (is_event)
			return true;
	}
}

void
event_fini(struct event *e)
{
	free(e->data);
	e->data = NULL;
}
