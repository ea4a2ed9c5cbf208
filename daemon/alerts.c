/* SPDX-License-Identifier: ISC */
/*
 * From a finding to the document that is delivered:
 * {"event":"raised","host":"router","finding":{...as in the API...}}
 */
#include "alerts.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api.h"
#include "buf.h"
#include "json.h"
#include "log.h"

enum { CLEARED_KEPT = 64, URL_MAX = 256 };
#define EXEC_TIMEOUT_NS (30 * RS_NS_PER_S)
#define WEBHOOK_TIMEOUT_NS (20 * RS_NS_PER_S)
#define RETRY_NS RS_NS_PER_S
#define ATTEMPTS 12u /* about seven minutes */

struct rs_alerts {
	struct rs_outbox *exec, *webhook; /* NULL: not configured */
	struct rs_event *on_child;
	/* Findings told as cleared: raised again within a minute they are the same
	 * ones to the engine, but not to who was told. */
	int64_t cleared[CLEARED_KEPT];
	unsigned next_cleared;
};

bool
rs_alerts_is_webhook(const char *url, const char **ret_why)
{
	*ret_why = "an address begins with http:// or https://";
	if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
		return false;
	*ret_why = "an address has no blanks, quotes or control characters";
	for (const char *p = url; *p != '\0'; p++) {
		if ((unsigned char)*p <= ' ' || *p == '"' || *p == '\\' || *p == 0x7f)
			return false;
	}
	*ret_why = "an address is shorter than that";
	return strlen(url) < URL_MAX;
}

/* The address may hold a secret, and arguments can be read by everybody: curl
 * reads it from a descriptor. */
static int
open_webhook(struct rs_alerts *a, const char *url, struct rs_loop *loop)
{
	/* Brackets of the address are no pattern, and no file of a user has a say
	 * (--disable must be the first). */
	static const char *const argv[] = {"curl", "--disable", "--globoff", "--silent",
	    "--show-error", "--fail", "--max-time", "15", "--proto", "=http,https", "--output",
	    "/dev/null", "--request", "POST", "--data-binary", "@-", "--config", "/dev/fd/3", NULL};
	char config[URL_MAX + 96];
	const char *why;

	if (!rs_alerts_is_webhook(url, &why))
		return -EINVAL;
	(void)snprintf(config, sizeof(config),
	    "url = \"%s\"\nheader = \"Content-Type: application/json\"\n", url);
	const struct rs_outbox_conf c = {
	    .name = "alerts.webhook",
	    .argv = argv,
	    .secret = config,
	    .timeout_ns = WEBHOOK_TIMEOUT_NS,
	    .retry_ns = RETRY_NS,
	    .attempts = ATTEMPTS,
	};
	return rs_outbox_new(&c, loop, &a->webhook);
}

static int
open_exec(struct rs_alerts *a, const char *command, struct rs_loop *loop)
{
	const char *const argv[] = {"/bin/sh", "-c", command, NULL};
	const struct rs_outbox_conf c = {
	    .name = "alerts.exec",
	    .argv = argv,
	    .timeout_ns = EXEC_TIMEOUT_NS,
	    .retry_ns = RETRY_NS,
	    .attempts = ATTEMPTS,
	};
	return rs_outbox_new(&c, loop, &a->exec);
}

static void
on_child(void *arg)
{
	struct rs_alerts *const a = arg;

	if (a->exec)
		rs_outbox_reap(a->exec);
	if (a->webhook)
		rs_outbox_reap(a->webhook);
}

int
rs_alerts_new(const struct rs_alerts_conf *c, struct rs_loop *loop, struct rs_alerts **ret)
{
	struct rs_alerts *const a = calloc(1, sizeof(*a));
	int r = a ? 0 : -ENOMEM;

	if (r == 0 && c->exec[0] != '\0')
		r = open_exec(a, c->exec, loop);
	if (r == 0 && c->webhook[0] != '\0')
		r = open_webhook(a, c->webhook, loop);
	if (r == 0 && (a->exec || a->webhook))
		r = rs_loop_signal(loop, "SIGCHLD", SIGCHLD, on_child, a, &a->on_child);
	if (r < 0) {
		rs_alerts_free(a);
		return r;
	}
	*ret = a;
	return 0;
}

void
rs_alerts_free(struct rs_alerts *a)
{
	if (!a)
		return;
	rs_event_free(a->on_child);
	rs_outbox_free(a->exec);
	rs_outbox_free(a->webhook);
	free(a);
}

/* --- findings ---------------------------------------------------------- */

/* The word for the event, NULL: not told. */
static const char *
word_for(struct rs_alerts *a, enum rs_finding_event ev, const struct rs_finding *f)
{
	switch (ev) {
	case RS_FINDING_RAISED:
		return "raised";
	case RS_FINDING_CLEARED:
		a->cleared[a->next_cleared++ % CLEARED_KEPT] = f->id;
		return "cleared";
	case RS_FINDING_CHANGED:
		for (unsigned i = 0; f->cleared_ms == 0 && i < CLEARED_KEPT; i++) {
			if (a->cleared[i] != f->id)
				continue;
			a->cleared[i] = 0;
			return "raised";
		}
		break;
	}
	return NULL;
}

static void
put(struct rs_outbox *o, const struct rs_buf *text)
{
	const struct rs_text t = {text->data, text->data + text->len};

	if (o && rs_outbox_put(o, t) < 0)
		rs_log_warn("an alert was given up: out of memory");
}

void
rs_alerts_finding(struct rs_alerts *a, enum rs_finding_event ev, const struct rs_finding *f)
{
	char host[256] = "";
	struct rs_buf text;
	struct rs_json j;

	if (!a->exec && !a->webhook)
		return;
	const char *const word = word_for(a, ev, f);
	if (!word)
		return;
	(void)gethostname(host, sizeof(host) - 1);
	rs_buf_init(&text, (size_t)256 * 1024);
	rs_json_init(&j, &text);
	rs_json_object(&j);
	rs_json_put_string(&j, "event", word);
	rs_json_put_string(&j, "host", host);
	rs_json_key(&j, "finding");
	rs_api_put_finding(&j, f);
	rs_json_end(&j);
	rs_buf_putc(&text, '\n');
	if (!text.failed && rs_json_is_whole(&j)) {
		put(a->exec, &text);
		put(a->webhook, &text);
	}
	rs_buf_fini(&text);
}

const struct rs_outbox *
rs_alerts_exec(const struct rs_alerts *a)
{
	return a->exec;
}

const struct rs_outbox *
rs_alerts_webhook(const struct rs_alerts *a)
{
	return a->webhook;
}
