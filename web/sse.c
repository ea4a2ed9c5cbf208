/* SPDX-License-Identifier: ISC */
/*
 * Ring, clients and heartbeat. An event's text is shared by the ring and by
 * the clients in the middle of sending it, and counted. Loop thread.
 */
#include "sse.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "num.h"

/* One event; a tick of 1152 cores is about 600 kB. */
#define EVENT_BYTES_MAX ((size_t)4 << 20)
/* All events kept. One of any size fits. */
#define RING_BYTES_MAX ((size_t)8 << 20)
/* Up to this size more than RS_HUB_RING are kept. */
#define RING_BYTES_SMALL ((size_t)512 << 10)

/* The position of a client that saw another run of the program; events begin
 * with number 1. */
#define UNKNOWN UINT64_C(0)

struct frame {
	unsigned refs;
	size_t len;
	char bytes[];
};

struct client {
	struct rs_hub *hub;
	struct client *next, **link; /* list of the hub; *link is this client */
	uint64_t position;	     /* number of the event to send next */
	struct frame *frame;	     /* being sent, counted; NULL: none */
	size_t frame_sent;
	char note[96]; /* a line of the client's own: greeting, gap, heartbeat */
	size_t note_len, note_sent;
	bool is_waiting; /* has answered RS_SOURCE_WAIT and was not woken since */
	void (*wake)(void *arg);
	void *wake_arg;
};

struct rs_hub {
	struct rs_hub_conf conf;
	struct rs_event *timer; /* owned; runs while there are clients */
	struct client *clients;
	unsigned n_clients;
	/* Events oldest..next-1 are in ring[number % RS_HUB_RING_SMALL]. */
	struct frame *ring[RS_HUB_RING_SMALL];
	uint64_t oldest, next;
	size_t ring_bytes;     /* of the frames in ring */
	uint64_t last_left;    /* value of next when the last client went */
	struct rs_buf scratch; /* the event being formatted */
	bool is_quiet;	       /* no event since the last heartbeat */
	bool is_closed;
	struct rs_hub_stats stats;
};

static void
frame_release(struct frame *f)
{
	if (f != NULL && --f->refs == 0)
		free(f);
}

/* Events before this number are not kept any longer. */
static void
forget_before(struct rs_hub *h, uint64_t number)
{
	for (; h->oldest < number; h->oldest++) {
		struct frame **place = &h->ring[h->oldest % RS_HUB_RING_SMALL];

		/* A number that was skipped has no frame. */
		if (*place != NULL)
			h->ring_bytes -= (*place)->len;
		frame_release(*place);
		*place = NULL;
	}
}

static void
wake_waiting(struct rs_hub *h)
{
	for (struct client *c = h->clients; c != NULL; c = c->next) {
		if (!c->is_waiting)
			continue;
		c->is_waiting = false;
		if (c->wake != NULL)
			c->wake(c->wake_arg);
	}
}

static void
set_note(struct client *c, const char *text)
{
	(void)rs_text_copy(rs_text_of(text), c->note, sizeof(c->note));
	c->note_len = strlen(c->note);
	c->note_sent = 0;
}

/* A comment keeps the connection's timeout away, and writing it is how the
 * HTTP library finds out that a client is gone. */
static void
heartbeat(void *arg)
{
	struct rs_hub *h = arg;

	if (h->is_quiet) {
		for (struct client *c = h->clients; c != NULL; c = c->next) {
			if (c->is_waiting)
				set_note(c, ":\n\n");
		}
		wake_waiting(h);
	}
	h->is_quiet = true;
	rs_timer_arm(h->timer, h->conf.heartbeat_ns);
}

int
rs_hub_new(const struct rs_hub_conf *c, struct rs_loop *loop, struct rs_hub **ret)
{
	struct rs_hub *h = calloc(1, sizeof(*h));

	if (h == NULL)
		return -ENOMEM;
	h->conf = *c;
	h->oldest = h->next = 1;
	rs_buf_init(&h->scratch, EVENT_BYTES_MAX);
	const int r = rs_loop_timer(loop, "stream heartbeat", heartbeat, h, &h->timer);

	if (r < 0) {
		free(h);
		return r;
	}
	*ret = h;
	return 0;
}

void
rs_hub_free(struct rs_hub *h)
{
	if (h == NULL)
		return;
	forget_before(h, h->next);
	rs_buf_fini(&h->scratch);
	rs_event_free(h->timer);
	free(h);
}

void
rs_hub_close(struct rs_hub *h)
{
	h->is_closed = true;
	wake_waiting(h);
}

static void
client_leave(void *arg)
{
	struct client *c = arg;
	struct rs_hub *h = c->hub;

	*c->link = c->next;
	if (c->next != NULL)
		c->next->link = c->link;
	frame_release(c->frame);
	free(c);
	if (--h->n_clients == 0) {
		h->last_left = h->next;
		rs_timer_disarm(h->timer);
	}
}

static void
client_set_wake(void *arg, void (*wake)(void *wake_arg), void *wake_arg)
{
	struct client *c = arg;

	c->wake = wake;
	c->wake_arg = wake_arg;
}

static void
tell_gap(struct client *c)
{
	struct rs_hub *h = c->hub;
	char missed[24] = "null", text[sizeof(c->note)];

	if (c->position != UNKNOWN)
		(void)snprintf(missed, sizeof(missed), "%" PRIu64, h->oldest - c->position);
	/* The id makes a client that is cut off right here resume behind the gap. */
	(void)snprintf(text, sizeof(text),
	    "id: %" PRIx64 "-%" PRIu64 "\nevent: gap\ndata: {\"missed\":%s}\n\n", h->conf.instance,
	    h->oldest - 1, missed);
	set_note(c, text);
	c->position = h->oldest;
	h->stats.gaps++;
}

/* Makes something to send the client's current frame or note; false when
 * there is nothing. */
static bool
advance(struct client *c)
{
	struct rs_hub *h = c->hub;

	if (c->position < h->oldest) {
		tell_gap(c);
		return true;
	}
	if (c->position == h->next)
		return false;
	c->frame = h->ring[c->position % RS_HUB_RING_SMALL];
	c->frame_sent = 0;
	c->frame->refs++;
	c->position++;
	return true;
}

static size_t
copy_part(const char *bytes, size_t len, size_t *sent, char *dst, size_t cap)
{
	const size_t n = RS_MIN(len - *sent, cap);

	memcpy(dst, bytes + *sent, n);
	*sent += n;
	return n;
}

static ptrdiff_t
client_read(void *arg, char *dst, size_t cap)
{
	struct client *c = arg;
	size_t n = 0;

	while (n < cap) {
		if (c->frame != NULL) {
			n += copy_part(
			    c->frame->bytes, c->frame->len, &c->frame_sent, dst + n, cap - n);
			if (c->frame_sent < c->frame->len)
				break;
			frame_release(c->frame);
			c->frame = NULL;
		} else if (c->note_sent < c->note_len) {
			n += copy_part(c->note, c->note_len, &c->note_sent, dst + n, cap - n);
		} else if (c->hub->is_closed || !advance(c)) {
			break;
		}
	}
	if (n > 0)
		return (ptrdiff_t)n;
	if (c->hub->is_closed)
		return RS_SOURCE_END;
	c->is_waiting = true;
	return RS_SOURCE_WAIT;
}

/* Where a client with this Last-Event-ID goes on. An id of another run, one
 * that was never given, or no id of ours at all is a gap of unknown length:
 * whoever sends it has seen something before. */
static uint64_t
position_after(const struct rs_hub *h, const char *last_event_id)
{
	struct rs_text t = rs_text_of(last_event_id);
	uint64_t instance, number;

	if (rs_text_len(t) == 0)
		return h->next;
	if (!rs_text_hex(&t, &instance) || !rs_text_skip(&t, "-") || rs_num_u64(t, &number) < 0)
		return UNKNOWN;
	if (instance != h->conf.instance || number >= h->next)
		return UNKNOWN;
	return number + 1;
}

bool
rs_hub_is_full(const struct rs_hub *h)
{
	return h->n_clients >= h->conf.max_clients;
}

int
rs_hub_join(struct rs_hub *h, const char *last_event_id, struct rs_source *ret)
{
	if (h->is_closed)
		return -ESHUTDOWN;
	if (rs_hub_is_full(h))
		return -EBUSY;
	struct client *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return -ENOMEM;
	c->hub = h;
	c->position = last_event_id != NULL ? position_after(h, last_event_id) : h->next;
	set_note(c, "retry: 2000\n\n");
	c->next = h->clients;
	c->link = &h->clients;
	if (c->next != NULL)
		c->next->link = &c->next;
	h->clients = c;
	if (h->n_clients++ == 0) {
		h->is_quiet = true;
		rs_timer_arm(h->timer, h->conf.heartbeat_ns);
	}
	*ret = (struct rs_source){
	    .read = client_read, .set_wake = client_set_wake, .free = client_leave, .arg = c};
	return 0;
}

bool
rs_hub_is_wanted(const struct rs_hub *h)
{
	return !h->is_closed &&
	       (h->n_clients > 0 || (h->last_left != 0 && h->next - h->last_left < RS_HUB_RING));
}

struct rs_buf *
rs_hub_begin(struct rs_hub *h, const char *event)
{
	rs_buf_reset(&h->scratch);
	rs_buf_printf(&h->scratch,
	    "id: %" PRIx64 "-%" PRIu64 "\nevent: %s\ndata: ", h->conf.instance, h->next, event);
	return &h->scratch;
}

void
rs_hub_skip(struct rs_hub *h)
{
	h->next++;
	forget_before(h, h->next);
	rs_buf_fini(&h->scratch);
	wake_waiting(h);
}

/* A large event does not push out the many small ones that came just before. */
static bool
has_room(const struct rs_hub *h, size_t len)
{
	const uint64_t n = h->next - h->oldest;

	if (h->ring_bytes + len > RING_BYTES_MAX)
		return false;
	return n < RS_HUB_RING || (n < RS_HUB_RING_SMALL && h->ring_bytes <= RING_BYTES_SMALL);
}

bool
rs_hub_commit(struct rs_hub *h)
{
	struct frame *f = NULL;

	rs_buf_puts(&h->scratch, "\n\n");
	if (!h->scratch.failed)
		f = malloc(sizeof(*f) + h->scratch.len);
	if (f == NULL) {
		h->stats.lost++;
		rs_hub_skip(h);
		return false;
	}
	f->refs = 1;
	f->len = h->scratch.len;
	memcpy(f->bytes, h->scratch.data, f->len);
	while (h->oldest < h->next && !has_room(h, f->len))
		forget_before(h, h->oldest + 1);
	h->ring[h->next % RS_HUB_RING_SMALL] = f;
	h->ring_bytes += f->len;
	h->next++;
	h->stats.events++;
	h->is_quiet = false;
	wake_waiting(h);
	return true;
}

void
rs_hub_get_stats(const struct rs_hub *h, struct rs_hub_stats *ret)
{
	*ret = h->stats;
	ret->clients = h->n_clients;
}
