/* SPDX-License-Identifier: ISC */
/*
 * The queue between the loop and the store thread. put and take may be called
 * from either; the pipe holds exactly one byte while the box is not empty.
 */
#include "mailbox.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct rs_mailbox {
	pthread_mutex_t lock;
	pthread_cond_t filled; /* signalled per put, broadcast by close */
	int wake[2];	       /* a pipe: read end, write end */
	bool is_closed;
	size_t capacity, first, len;
	void *slot[];
};

static int
prepare_fd(int fd)
{
	if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
		return -errno;
	return 0;
}

static int
open_pipe(int ret[2])
{
	if (pipe(ret) < 0)
		return -errno;
	int r = prepare_fd(ret[0]);

	if (r == 0)
		r = prepare_fd(ret[1]);
	if (r < 0) {
		(void)close(ret[0]);
		(void)close(ret[1]);
	}
	return r;
}

int
rs_mailbox_new(size_t capacity, struct rs_mailbox **ret)
{
	if (capacity == 0 || capacity > SIZE_MAX / sizeof(void *) / 2)
		return -EINVAL;
	struct rs_mailbox *m = calloc(1, sizeof(*m) + capacity * sizeof(m->slot[0]));

	if (m == NULL)
		return -ENOMEM;
	m->capacity = capacity;
	int r = open_pipe(m->wake);
	if (r < 0)
		goto fail;
	r = -pthread_mutex_init(&m->lock, NULL);
	if (r < 0)
		goto fail_pipe;
	r = -pthread_cond_init(&m->filled, NULL);
	if (r < 0)
		goto fail_lock;
	*ret = m;
	return 0;
fail_lock:
	(void)pthread_mutex_destroy(&m->lock);
fail_pipe:
	(void)close(m->wake[0]);
	(void)close(m->wake[1]);
fail:
	free(m);
	return r;
}

void
rs_mailbox_free(struct rs_mailbox *m)
{
	if (m == NULL)
		return;
	assert(m->len == 0);
	(void)pthread_cond_destroy(&m->filled);
	(void)pthread_mutex_destroy(&m->lock);
	(void)close(m->wake[0]);
	(void)close(m->wake[1]);
	free(m);
}

static void
lock(struct rs_mailbox *m)
{
	/* A plain mutex fails only when it is misused. */
	const int r = pthread_mutex_lock(&m->lock);

	assert(r == 0);
	(void)r;
}

static void
unlock(struct rs_mailbox *m)
{
	(void)pthread_mutex_unlock(&m->lock);
}

/* The pipe has room for the one byte, so that neither call can block or fail
 * but for a signal. */
static void
raise_wake(const struct rs_mailbox *m)
{
	while (write(m->wake[1], "", 1) < 0 && errno == EINTR)
		continue;
}

static void
clear_wake(const struct rs_mailbox *m)
{
	char byte;

	while (read(m->wake[0], &byte, 1) < 0 && errno == EINTR)
		continue;
}

int
rs_mailbox_put(struct rs_mailbox *m, void *take)
{
	int r = 0;

	assert(take != NULL);
	lock(m);
	if (m->is_closed) {
		r = -EPIPE;
	} else if (m->len == m->capacity) {
		r = -EAGAIN;
	} else {
		m->slot[(m->first + m->len) % m->capacity] = take;
		if (m->len++ == 0)
			raise_wake(m);
		(void)pthread_cond_signal(&m->filled);
	}
	unlock(m);
	return r;
}

void *
rs_mailbox_take(struct rs_mailbox *m, bool wait)
{
	void *item = NULL;

	lock(m);
	while (wait && m->len == 0 && !m->is_closed)
		(void)pthread_cond_wait(&m->filled, &m->lock);
	if (m->len > 0) {
		item = m->slot[m->first];
		m->first = (m->first + 1) % m->capacity;
		if (--m->len == 0)
			clear_wake(m);
	}
	unlock(m);
	return item;
}

void
rs_mailbox_close(struct rs_mailbox *m)
{
	lock(m);
	m->is_closed = true;
	(void)pthread_cond_broadcast(&m->filled);
	unlock(m);
}

int
rs_mailbox_fd(const struct rs_mailbox *m)
{
	return m->wake[0];
}

size_t
rs_mailbox_len(struct rs_mailbox *m)
{
	lock(m);
	const size_t len = m->len;
	unlock(m);
	return len;
}
