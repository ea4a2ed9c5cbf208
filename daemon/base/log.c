/* SPDX-License-Identifier: ISC */
/*
 * The logger: the only global state of the program. Any thread; one lock keeps
 * the limits and the lines whole.
 */
#include "log.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include "clock.h"
#include "text.h"

enum { LINE_BYTES = 1024 };

static const struct {
	const char *word;
	int priority;
} levels[] = {
    [RS_LOG_ERR] = {"error", LOG_ERR},
    [RS_LOG_WARN] = {"warning", LOG_WARNING},
    [RS_LOG_NOTICE] = {"notice", LOG_NOTICE},
    [RS_LOG_INFO] = {"info", LOG_INFO},
    [RS_LOG_DEBUG] = {"debug", LOG_DEBUG},
};

static struct {
	pthread_mutex_t lock;
	enum rs_log_target target;
	enum rs_log_level level;
	bool is_journal; /* standard error is read by the journal */
} logger = {.lock = PTHREAD_MUTEX_INITIALIZER, .level = RS_LOG_INFO};

/* JOURNAL_STREAM is "DEVICE:INODE" of the stream that leads to the journal; it
 * is inherited also by those whose standard error leads elsewhere
 * (systemd.exec(5)). */
static bool
stderr_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	struct stat st;
	uint64_t device, inode;

	if (stream == NULL || fstat(STDERR_FILENO, &st) < 0)
		return false;
	struct rs_text t = rs_text_of(stream);

	return rs_text_u64(&t, &device) && rs_text_skip(&t, ":") && rs_text_u64(&t, &inode) &&
	       t.p == t.end && device == (uint64_t)st.st_dev && inode == (uint64_t)st.st_ino;
}

void
rs_log_setup(enum rs_log_target target, enum rs_log_level level)
{
	(void)pthread_mutex_lock(&logger.lock);
	logger.target = target;
	logger.level = level;
	logger.is_journal = stderr_is_journal();
	if (target == RS_LOG_SYSLOG)
		openlog("ringsided", LOG_PID, LOG_DAEMON);
	(void)pthread_mutex_unlock(&logger.lock);
}

bool
rs_log_passes(struct rs_log_site *site, rs_ns now_ns, unsigned *ret_held)
{
	rs_ns *const oldest = &site->shown_ns[site->next];

	if (*oldest != 0 && now_ns - *oldest < 60 * RS_NS_PER_S) {
		site->held++;
		return false;
	}
	*oldest = now_ns;
	site->next = (site->next + 1) % RS_LOG_BURST;
	*ret_held = site->held;
	site->held = 0;
	return true;
}

/* Adds to the line at *len, cutting at its end. */
static void RS_PRINTF(3, 0)
    add(char line[LINE_BYTES], size_t *len, const char *format, va_list args)
{
	const int n = vsnprintf(line + *len, LINE_BYTES - *len, format, args);

	if (n > 0)
		*len = RS_MIN(*len + (size_t)n, (size_t)LINE_BYTES - 1);
}

static void RS_PRINTF(3, 4) addf(char line[LINE_BYTES], size_t *len, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(line, len, format, args);
	va_end(args);
}

static void
emit(enum rs_log_level level, char line[LINE_BYTES], size_t len)
{
	if (logger.target == RS_LOG_SYSLOG) {
		syslog(levels[level].priority, "%s", line);
		return;
	}
	/* The newline takes the place of the NUL. */
	line[len] = '\n';
	if (write(STDERR_FILENO, line, len + 1) < 0) {
		/* There is nobody left to tell. */
	}
}

void
rs_log_at(struct rs_log_site *site, enum rs_log_level level, const char *format, ...)
{
	const int saved_errno = errno;
	char line[LINE_BYTES];
	size_t len = 0;
	unsigned held;
	va_list args;

	(void)pthread_mutex_lock(&logger.lock);
	if (level <= logger.level && rs_log_passes(site, rs_clock_mono(), &held)) {
		if (logger.target == RS_LOG_STDERR && logger.is_journal)
			addf(line, &len, "<%d>", levels[level].priority);
		else if (logger.target == RS_LOG_STDERR)
			addf(line, &len, "%s: ", levels[level].word);
		va_start(args, format);
		add(line, &len, format, args);
		va_end(args);
		if (held > 0)
			addf(line, &len, " (%u like it held back)", held);
		rs_text_defuse(line);
		emit(level, line, len);
	}
	(void)pthread_mutex_unlock(&logger.lock);
	errno = saved_errno;
}
