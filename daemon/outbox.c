/* SPDX-License-Identifier: ISC */
/*
 * One command runs at a time. Its standard input and error are pipes; its end
 * is told by SIGCHLD, which the owner passes on.
 */
#include "outbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "log.h"

extern char **environ;

enum {
	WAITING_MAX = 64,
	ARGS_MAX = 24,
	DOCUMENT_MAX = 256 * 1024,
	SECRET_FD = 3,
	NOT_STARTED = 127 /* what a shell says of a command it cannot find */
};
#define RETRY_MAX_NS (60 * RS_NS_PER_S)
#define KILL_AFTER_NS (2 * RS_NS_PER_S)

struct document {
	struct document *next;
	size_t len;
	char text[];
};

struct rs_outbox {
	const char *name;
	struct rs_loop *loop;
	char *argv[ARGS_MAX + 1]; /* owned */
	char *secret;		  /* owned */
	rs_ns timeout_ns, retry_ns, next_retry_ns;
	unsigned attempts_max, attempts; /* of the first document */
	struct document *first, *last;
	unsigned waiting;
	pid_t pid;	   /* 0: nothing runs */
	bool is_late;	   /* told to end */
	int in_fd, err_fd; /* our ends; -1: closed */
	size_t written;
	struct rs_event *writer, *reader, *timer;
	char said[128]; /* the beginning of its standard error */
	uint64_t delivered, failed_attempts, dropped;
	bool is_failing;
	bool is_full; /* and that was said */
	char error[160];
};

/* --- the queue --------------------------------------------------------- */

static void
drop_first(struct rs_outbox *o)
{
	struct document *const d = o->first;

	o->first = d->next;
	if (!o->first)
		o->last = NULL;
	o->waiting--;
	o->is_full &= o->waiting > 0;
	o->attempts = 0;
	o->next_retry_ns = o->retry_ns;
	free(d);
}

/* The oldest that is not being delivered right now. */
static void
make_room(struct rs_outbox *o)
{
	struct document **const at = o->pid != 0 ? &o->first->next : &o->first;
	struct document *const d = *at;

	if (o->pid == 0) {
		drop_first(o);
	} else {
		*at = d->next;
		if (o->last == d)
			o->last = o->first;
		o->waiting--;
		free(d);
	}
	if (!o->is_full)
		rs_log_err("%s: too slow: the oldest of %d documents that wait are given up",
		    o->name, (int)WAITING_MAX);
	o->is_full = true;
	o->dropped++;
}

/* --- the command ------------------------------------------------------- */

static void
close_fd(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

static void
close_input(struct rs_outbox *o)
{
	rs_event_free(o->writer);
	o->writer = NULL;
	close_fd(&o->in_fd);
}

/* A command that says much must not wait for a reader; the beginning is kept. */
static void
on_readable(void *arg, int ready)
{
	struct rs_outbox *const o = arg;
	char text[4096];

	(void)ready;
	const ssize_t n = read(o->err_fd, text, sizeof(text));
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		rs_event_free(o->reader);
		o->reader = NULL;
		return;
	}
	const size_t len = strlen(o->said);
	(void)snprintf(o->said + len, sizeof(o->said) - len, "%.*s", (int)n, text);
}

/* What it said, in one line of plain text. */
static void
take_said(struct rs_outbox *o)
{
	if (o->reader)
		on_readable(o, RS_LOOP_READ);
	rs_event_free(o->reader);
	o->reader = NULL;
	close_fd(&o->err_fd);
	o->said[strcspn(o->said, "\r\n")] = '\0';
	for (char *p = o->said; *p != '\0'; p++) {
		if ((unsigned char)*p < ' ' || (unsigned char)*p > '~')
			*p = '?';
	}
}

static void start(struct rs_outbox *o);

static void
note_failure(struct rs_outbox *o, const char *why)
{
	(void)snprintf(o->error, sizeof(o->error), "%s", why);
	o->failed_attempts++;
	o->attempts++;
	if (!o->is_failing)
		rs_log_warn("%s: %s; trying again", o->name, why);
	o->is_failing = true;
	if (o->attempts >= o->attempts_max) {
		rs_log_err("%s: given up after %u attempts: %s", o->name, o->attempts, why);
		o->dropped++;
		drop_first(o);
	}
	if (o->first) {
		rs_timer_arm(o->timer, o->next_retry_ns);
		o->next_retry_ns = RS_MIN(2 * o->next_retry_ns, RETRY_MAX_NS);
	}
}

static void
note_success(struct rs_outbox *o)
{
	if (o->is_failing)
		rs_log_notice("%s works again", o->name);
	o->is_failing = false;
	o->error[0] = '\0';
	o->delivered++;
	drop_first(o);
	start(o);
}

/* A command may end without reading all: what it says with its status counts. */
static void
on_writable(void *arg, int ready)
{
	struct rs_outbox *const o = arg;
	const struct document *const d = o->first;

	(void)ready;
	const ssize_t n = write(o->in_fd, d->text + o->written, d->len - o->written);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0)
		o->written += (size_t)n;
	if (n < 0 || o->written == d->len)
		close_input(o);
}

static void
on_timer(void *arg)
{
	struct rs_outbox *const o = arg;

	if (o->pid == 0) {
		start(o);
		return;
	}
	/* The group: a shell's command hangs, not the shell. */
	(void)kill(-o->pid, o->is_late ? SIGKILL : SIGTERM);
	o->is_late = true;
	rs_timer_arm(o->timer, KILL_AFTER_NS);
}

/* Pipes that the command inherits nothing of but what is put in place. */
static int
make_pipe(int ret[static 2])
{
	if (pipe(ret) < 0)
		return -errno;
	for (int i = 0; i < 2; i++)
		(void)fcntl(ret[i], F_SETFD, FD_CLOEXEC);
	return 0;
}

/* A secret is short: it fits into the pipe at once. */
static int
make_secret(const struct rs_outbox *o, int *ret_fd)
{
	int fds[2];

	*ret_fd = -1;
	if (!o->secret)
		return 0;
	const int r = make_pipe(fds);
	if (r < 0)
		return r;
	const size_t len = strlen(o->secret);
	const bool is_whole = write(fds[1], o->secret, len) == (ssize_t)len;
	(void)close(fds[1]);
	*ret_fd = fds[0];
	return is_whole ? 0 : -EIO;
}

static int
spawn(struct rs_outbox *o, int in, int err, int secret)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none, all;

	(void)sigemptyset(&none);
	(void)sigfillset(&all);
	int r = -posix_spawn_file_actions_init(&files);
	if (r < 0)
		return r;
	r = -posix_spawnattr_init(&attr);
	if (r < 0) {
		(void)posix_spawn_file_actions_destroy(&files);
		return r;
	}
	(void)posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
	(void)posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	(void)posix_spawn_file_actions_adddup2(&files, err, STDERR_FILENO);
	if (secret >= 0)
		(void)posix_spawn_file_actions_adddup2(&files, secret, SECRET_FD);
	(void)posix_spawnattr_setflags(
	    &attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	(void)posix_spawnattr_setpgroup(&attr, 0);
	(void)posix_spawnattr_setsigmask(&attr, &none);
	(void)posix_spawnattr_setsigdefault(&attr, &all);
	r = -posix_spawnp(&o->pid, o->argv[0], &files, &attr, o->argv, environ);
	if (r < 0)
		o->pid = 0;
	(void)posix_spawnattr_destroy(&attr);
	(void)posix_spawn_file_actions_destroy(&files);
	return r;
}

static int
run(struct rs_outbox *o)
{
	int in[2] = {-1, -1}, err[2] = {-1, -1}, secret = -1;
	int r = make_pipe(in);

	if (r == 0)
		r = make_pipe(err);
	if (r == 0)
		r = make_secret(o, &secret);
	if (r == 0)
		r = spawn(o, in[0], err[1], secret);
	close_fd(&in[0]);
	close_fd(&err[1]);
	close_fd(&secret);
	if (r < 0) {
		close_fd(&in[1]);
		close_fd(&err[0]);
		return r;
	}
	o->in_fd = in[1];
	o->err_fd = err[0];
	(void)fcntl(o->in_fd, F_SETFL, O_NONBLOCK);
	(void)fcntl(o->err_fd, F_SETFL, O_NONBLOCK);
	o->written = 0;
	o->is_late = false;
	o->said[0] = '\0';
	rs_timer_arm(o->timer, o->timeout_ns);
	r = rs_loop_watch(o->loop, o->name, o->in_fd, RS_LOOP_WRITE, on_writable, o, &o->writer);
	if (r == 0)
		r = rs_loop_watch(
		    o->loop, o->name, o->err_fd, RS_LOOP_READ, on_readable, o, &o->reader);
	return r;
}

static void
start(struct rs_outbox *o)
{
	char why[160];

	if (o->pid != 0 || !o->first || rs_timer_is_armed(o->timer))
		return;
	const int r = run(o);
	if (r == 0)
		return;
	if (o->pid != 0) { /* it runs, but nobody feeds it: it must not look like success */
		(void)kill(-o->pid, SIGKILL);
		close_input(o);
		return;
	}
	(void)snprintf(why, sizeof(why), "cannot run '%s': %s", o->argv[0], strerror(-r));
	note_failure(o, why);
}

static void
tell_end(const struct rs_outbox *o, int status, char *dst, size_t cap)
{
	const char *const said = o->said;
	const char *const colon = said[0] != '\0' ? ": " : "";

	if (o->is_late)
		(void)snprintf(
		    dst, cap, "no answer within %lld s", (long long)(o->timeout_ns / RS_NS_PER_S));
	else if (WIFSIGNALED(status))
		(void)snprintf(
		    dst, cap, "ended by signal %d%s%.100s", WTERMSIG(status), colon, said);
	else if (WEXITSTATUS(status) == NOT_STARTED)
		(void)snprintf(dst, cap, "cannot run '%.40s'%s%.80s", o->argv[0], colon, said);
	else
		(void)snprintf(
		    dst, cap, "failed with status %d%s%.100s", WEXITSTATUS(status), colon, said);
}

void
rs_outbox_reap(struct rs_outbox *o)
{
	char why[160];
	int status = 0;

	if (o->pid == 0 || waitpid(o->pid, &status, WNOHANG) != o->pid)
		return;
	/* What it left behind in its group is not ours to keep alive. */
	if (o->is_late)
		(void)kill(-o->pid, SIGKILL);
	o->pid = 0;
	rs_timer_disarm(o->timer);
	close_input(o);
	take_said(o);
	if (!o->is_late && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
		note_success(o);
		return;
	}
	tell_end(o, status, why, sizeof(why));
	note_failure(o, why);
}

/* --- life -------------------------------------------------------------- */

static int
copy_words(struct rs_outbox *o, const struct rs_outbox_conf *c)
{
	for (size_t i = 0; c->argv[i]; i++) {
		if (i == ARGS_MAX)
			return -E2BIG;
		o->argv[i] = strdup(c->argv[i]);
		if (!o->argv[i])
			return -ENOMEM;
	}
	if (c->secret && !(o->secret = strdup(c->secret)))
		return -ENOMEM;
	return o->argv[0] ? 0 : -EINVAL;
}

int
rs_outbox_new(const struct rs_outbox_conf *c, struct rs_loop *loop, struct rs_outbox **ret)
{
	struct rs_outbox *const o = calloc(1, sizeof(*o));

	if (!o)
		return -ENOMEM;
	o->name = c->name;
	o->loop = loop;
	o->in_fd = o->err_fd = -1;
	o->timeout_ns = c->timeout_ns;
	o->retry_ns = o->next_retry_ns = c->retry_ns;
	o->attempts_max = c->attempts;
	int r = copy_words(o, c);
	if (r == 0)
		r = rs_loop_timer(loop, c->name, on_timer, o, &o->timer);
	if (r < 0) {
		rs_outbox_free(o);
		return r;
	}
	*ret = o;
	return 0;
}

void
rs_outbox_free(struct rs_outbox *o)
{
	if (!o)
		return;
	if (o->pid != 0 && o->in_fd >= 0)
		(void)kill(-o->pid, SIGTERM); /* it has half a document */
	close_input(o);
	rs_event_free(o->reader);
	close_fd(&o->err_fd);
	rs_event_free(o->timer);
	for (struct document *d = o->first, *next; d; d = next) {
		next = d->next;
		free(d);
	}
	for (size_t i = 0; i < ARGS_MAX; i++)
		free(o->argv[i]);
	free(o->secret);
	free(o);
}

int
rs_outbox_put(struct rs_outbox *o, struct rs_text document)
{
	const size_t len = (size_t)(document.end - document.p);
	struct document *const d = len <= DOCUMENT_MAX ? malloc(sizeof(*d) + len) : NULL;

	if (!d) {
		o->dropped++;
		return len <= DOCUMENT_MAX ? -ENOMEM : -E2BIG;
	}
	if (o->waiting == WAITING_MAX)
		make_room(o);
	d->next = NULL;
	d->len = len;
	memcpy(d->text, document.p, len);
	if (o->last)
		o->last->next = d;
	else
		o->first = d;
	o->last = d;
	o->waiting++;
	start(o);
	return 0;
}

void
rs_outbox_get_stats(const struct rs_outbox *o, struct rs_outbox_stats *ret)
{
	*ret = (struct rs_outbox_stats){
	    .delivered = o->delivered,
	    .failed_attempts = o->failed_attempts,
	    .dropped = o->dropped,
	    .waiting = o->waiting,
	    .is_failing = o->is_failing,
	};
	memcpy(ret->error, o->error, sizeof(ret->error));
}
