/* SPDX-License-Identifier: ISC */
/*
 * The running daemon.
 */
#include "app.h"

#include "alerts.h"
#include "clock.h"
#include "keeper.h"
#include "live.h"
#include "log.h"
#include "loop.h"
#include "oneshot.h"
#include "selfstat.h"
#include "service.h"
#include "store.h"
#include "tick.h"
#include "web.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct rs_app {
	struct rs_options options;
	struct rs_config config;
	bool is_store_stuck;
	struct rs_config started; /* what needs a restart is still as here */
	char token[256];
	struct rs_loop *loop;
	struct rs_instrument instrument;
	struct rs_store *store;
	struct rs_keeper keeper;
	struct rs_alerts *alerts;
	struct rs_live live;
	struct rs_web *web;
	int inherited[8];
	struct rs_event *ticker, *on_term, *on_int, *on_hup, *watchdog;
	rs_ns watchdog_ns;
	rs_ns first_ns;		 /* when the first sample was taken */
	struct rs_health health; /* what is kept here; the rest is filled when asked */
};

/* ------------------------------------------------------------ the tick */

static void
on_block_done(void *arg, struct rs_block *b, bool is_committed)
{
	struct rs_app *const a = arg;
	rs_model_block_done(a->instrument.model, b, is_committed);
}

static void
on_finding(void *arg, enum rs_finding_event ev, const struct rs_finding *f)
{
	static const char *const words[] = {
	    [RS_FINDING_RAISED] = "raised",
	    [RS_FINDING_CHANGED] = "changed",
	    [RS_FINDING_CLEARED] = "cleared",
	};
	struct rs_app *const a = arg;
	if (ev != RS_FINDING_CHANGED)
		rs_log_notice("finding %s: %s (%s): %s", words[ev], f->code,
		    rs_severity_name(f->severity), f->message);
	(void)rs_store_finding(a->store, f);
	rs_alerts_finding(a->alerts, ev, f);
	rs_web_publish_finding(a->web, ev, f);
}

/* More than this in a tick are told in one line. */
#define CHANGES_LOGGED_MAX 16u

static void
log_change(const struct rs_change *c)
{
	const char *const kind = rs_facts[c->fact].name;
	struct rs_subject on;
	char where[64] = "";
	rs_change_subject(c, &on);
	switch (on.kind) {
	case RS_SUBJECT_HOST:
		break;
	case RS_SUBJECT_CORE:
		(void)snprintf(where, sizeof(where), " of core %d", on.core);
		break;
	case RS_SUBJECT_INTERFACE:
		(void)snprintf(where, sizeof(where), " of '%s'", on.device);
		break;
	case RS_SUBJECT_QUEUE:
		(void)snprintf(where, sizeof(where), " of '%s' %s queue %d", on.device,
		    on.direction, on.queue);
		break;
	case RS_SUBJECT_IRQ:
		(void)snprintf(where, sizeof(where), " of interrupt %s%s%s%s", on.irq,
		    *on.device ? " ('" : "", on.device, *on.device ? "')" : "");
		break;
	}
	rs_log_notice("setting changed: %s%s: '%s' to '%s'", kind, where, c->old, c->new);
}

static void
hand_changes(struct rs_app *a)
{
	size_t n;
	const struct rs_change *const changes = rs_model_changes(a->instrument.model, &n);
	if (n == 0)
		return;
	rs_keeper_note_changes(&a->keeper, changes, n);
	rs_store_change(a->store, changes, n);
	for (size_t i = 0; i < n; i++)
		rs_web_publish_change(a->web, &changes[i]);
	if (n > CHANGES_LOGGED_MAX)
		rs_log_notice("%zu settings changed", n);
	for (size_t i = 0; n <= CHANGES_LOGGED_MAX && i < n; i++)
		log_change(&changes[i]);
}

/* A minute that ended, and before it those that could not be written. */
static void
hand_over(struct rs_app *a, struct rs_block *b)
{
	while (b) {
		if (rs_store_append(a->store, b) < 0) {
			rs_model_block_done(a->instrument.model, b, false);
			return;
		}
		b = rs_model_retry(a->instrument.model);
	}
}

/* The store thread logs its own errors, but not that it hangs in one. */
static void
watch_store(struct rs_app *a)
{
	struct rs_store_stats st;
	if (a->health.ticks % 16 != 0)
		return;
	rs_keeper_watch(&a->keeper, a->instrument.model, a->store);
	rs_store_get_stats(a->store, &st);
	const bool is_stuck = strcmp(st.state, "stuck") == 0;
	if (is_stuck && !a->is_store_stuck)
		rs_log_err("the database has not answered for over 10 s; the live view goes on");
	else if (!is_stuck && a->is_store_stuck)
		rs_log_notice("the database answers again");
	a->is_store_stuck = is_stuck;
}

static void
sample(struct rs_app *a, rs_ns due_ns, rs_ns mono_ns)
{
	const rs_ns start = rs_clock_thread_cpu();
	hand_over(a, rs_instrument_tick(&a->instrument, due_ns, mono_ns, on_finding, a));
	hand_changes(a);
	rs_web_publish_tick(a->web);
	watch_store(a);
	const rs_ns cost = rs_clock_thread_cpu() - start;
	a->health.ticks++;
	a->health.tick_cpu_last_ns = cost;
	a->health.tick_cpu_total_ns += cost;
	/* The mean fades: what is told is about the last minute. */
	const rs_ns n = RS_MIN((rs_ns)a->health.ticks, 32);
	a->health.tick_cpu_mean_ns += (cost - a->health.tick_cpu_mean_ns) / n;
	a->health.tick_cpu_max_ns = RS_MAX(a->health.tick_cpu_max_ns, cost);
}

static void
on_tick(void *arg, const struct rs_tick *tick)
{
	struct rs_app *const a = arg;
	/* The first sample is taken at start; a second one right behind it would
	 * measure nothing but rounding. */
	if (a->health.ticks == 1 && tick->now_ns - a->first_ns < a->started.interval_ns / 2)
		return;
	a->health.ticks_missed += tick->missed;
	a->health.ticks_late += tick->now_ns - tick->due_ns > a->started.interval_ns / 2;
	sample(a, tick->due_ns, tick->now_ns);
}

/* ------------------------------------------------------------ health */

static void
make_verdict(void *arg)
{
	struct rs_app *const a = arg;
	(void)rs_instrument_verdict(&a->instrument);
}

static void
tell_outbox(struct rs_alert_health *ret, const char *kind, const struct rs_outbox *o)
{
	struct rs_outbox_stats st;
	*ret = (struct rs_alert_health){0};
	if (!o)
		return;
	rs_outbox_get_stats(o, &st);
	*ret = (struct rs_alert_health){
	    .kind = kind,
	    .delivered = st.delivered,
	    .failed_attempts = st.failed_attempts,
	    .dropped = st.dropped,
	    .waiting = st.waiting,
	};
	memcpy(ret->error, st.error, sizeof(ret->error));
}

static void
get_health(void *arg, struct rs_health *ret)
{
	const struct rs_app *const a = arg;
	*ret = a->health;
	ret->process_cpu_ns = rs_clock_process_cpu();
	rs_selfstat_memory(&ret->rss_bytes, &ret->pss_bytes);
	ret->sources = rs_sampler_health(a->instrument.sampler, &ret->n_sources);
	rs_loop_get_stats(a->loop, &ret->loop);
	ret->loop_method = rs_loop_method(a->loop);
	ret->head = a->keeper.health;
	tell_outbox(&ret->alerts[0], "exec", rs_alerts_exec(a->alerts));
	tell_outbox(&ret->alerts[1], "webhook", rs_alerts_webhook(a->alerts));
}

/* ------------------------------------------------------------ signals */

static void
on_stop(void *arg)
{
	struct rs_app *const a = arg;
	rs_log_notice("stopping");
	rs_service_notify("STOPPING=1");
	rs_loop_stop(a->loop);
}

static struct rs_web_conf
web_conf(const struct rs_app *a)
{
	return (struct rs_web_conf){
	    .listen = (const char *const *)a->config.listen.item,
	    .token = *a->token ? a->token : NULL,
	    .allow_anonymous_read = a->config.allow_anonymous_read,
	    .allowed_hosts = (const char *const *)a->config.allowed_hosts.item,
	    .cors_origins = (const char *const *)a->config.cors_origins.item,
	    .max_connections = a->config.max_connections,
	    .web_dir = a->options.web_dir,
	};
}

static enum rs_log_level
log_level(const char *word)
{
	static const char *const words[] = {"err", "warn", "notice", "info", "debug"};
	for (size_t i = 0; i < RS_ARRAY_LEN(words); i++) {
		if (strcmp(word, words[i]) == 0)
			return (enum rs_log_level)i;
	}
	return RS_LOG_INFO;
}

static void
apply_log(const struct rs_config *c)
{
	rs_log_setup(strcmp(c->log_target, "syslog") == 0 ? RS_LOG_SYSLOG : RS_LOG_STDERR,
	    log_level(c->log_level));
}

/* The credential of a reload. One that cannot be read any more, root being given
 * up, stays as it was. */
static int
reload_token(const struct rs_app *a, const struct rs_config *next, char token[static 256],
    struct rs_error *e)
{
	struct rs_error why = {0};
	const int rc = rs_config_token(next, token, &why);
	if (rc != -EACCES || !*a->token || strcmp(next->token_file, a->config.token_file) != 0)
		return rc < 0 ? rs_error_set(e, rc, "%s", why.text) : 0;
	rs_log_warn("%s; the credential stays as it was", why.text);
	memcpy(token, a->token, 256);
	return 0;
}

static int
load_again(
    const struct rs_app *a, struct rs_config *ret, char token[static 256], struct rs_error *e)
{
	int rc = rs_options_config(&a->options, ret, e);
	if (rc < 0)
		return rc;
	rc = reload_token(a, ret, token, e);
	if (rc == 0)
		rc = rs_oneshot_check_web(ret, token, e);
	if (rc < 0)
		rs_config_free(ret);
	return rc;
}

/* A bad file changes nothing: the new configuration is complete before the old
 * one goes. */
static int
reload(struct rs_app *a, struct rs_error *e)
{
	struct rs_config next;
	char token[sizeof(a->token)], restart[512];
	const int rc = load_again(a, &next, token, e);
	if (rc < 0)
		return rc;
	rs_config_needs_restart(&a->started, &next, restart, sizeof(restart));
	rs_config_free(&a->config);
	a->config = next;
	memcpy(a->token, token, sizeof(token));
	apply_log(&a->config);
	rs_model_set_reserved(a->instrument.model, &a->config.reserved_cores);
	rs_engine_configure(a->instrument.engine, a->config.rules);
	const struct rs_web_conf web = web_conf(a);
	if (rs_web_reconfigure(a->web, &web) < 0)
		return rs_error_set(e, -ENOMEM, "out of memory for the access rules");
	rs_log_notice(
	    "configuration read again%s%s", *restart ? "; needs a restart: " : "", restart);
	return 0;
}

static void
on_hup(void *arg)
{
	struct rs_error e = {0};
	if (reload(arg, &e) < 0)
		rs_log_err("configuration unchanged: %s", e.text);
}

static void
on_watchdog(void *arg)
{
	struct rs_app *const a = arg;
	rs_service_notify("WATCHDOG=1");
	rs_timer_arm(a->watchdog, a->watchdog_ns);
}

/* ------------------------------------------------------------ open and close */

static int64_t
milliseconds(rs_ns ns)
{
	return ns / RS_NS_PER_MS;
}

static int
open_store(struct rs_app *a, struct rs_error *e)
{
	const struct rs_config *const c = &a->started;
	struct rs_leftover leftover = {0};
	struct rs_store_conf conf = {
	    .path = strcmp(c->path, "none") == 0 ? NULL : c->path,
	    .interval_ns = c->interval_ns,
	    .commit_interval_ns = c->commit_interval_ns,
	    .limits = {.raw_ms = milliseconds(c->retention_raw_ns),
		.minute_ms = milliseconds(c->retention_minute_ns),
		.hour_ms = milliseconds(c->retention_hour_ns),
		.max_bytes = (int64_t)c->max_size_bytes},
	    .leftover = &leftover,
	};
	rs_selfstat_boot_id(conf.boot_id);
	int rc = rs_keeper_open(&a->keeper, c, conf.boot_id, &leftover, e);
	if (rc == 0)
		rc = rs_store_open(&conf, a->loop, on_block_done, a, e, &a->store);
	rs_leftover_fini(&leftover);
	return rc;
}

static int
open_alerts(struct rs_app *a, struct rs_error *e)
{
	const struct rs_alerts_conf conf = {
	    .exec = a->started.alert_exec, .webhook = a->started.alert_webhook};
	const int rc = rs_alerts_new(&conf, a->loop, &a->alerts);
	return rc < 0 ? rs_error_set(e, rc, "cannot set up alerts: %s", strerror(-rc)) : 0;
}

static int
open_web(struct rs_app *a, struct rs_error *e)
{
	struct rs_web_conf conf = web_conf(a);
	conf.n_inherited = rs_service_sockets(a->inherited, RS_ARRAY_LEN(a->inherited));
	conf.inherited_fds = a->inherited;
	return rs_web_open(&conf, a->loop, &a->live, e, &a->web);
}

static int
open_events(struct rs_app *a, struct rs_error *e)
{
	int rc = rs_loop_signal(a->loop, "SIGTERM", SIGTERM, on_stop, a, &a->on_term);
	if (rc == 0)
		rc = rs_loop_signal(a->loop, "SIGINT", SIGINT, on_stop, a, &a->on_int);
	if (rc == 0)
		rc = rs_loop_signal(a->loop, "SIGHUP", SIGHUP, on_hup, a, &a->on_hup);
	if (rc == 0)
		rc =
		    rs_loop_ticker(a->loop, "tick", a->started.interval_ns, on_tick, a, &a->ticker);
	a->watchdog_ns = rs_service_watchdog_ns();
	if (rc == 0 && a->watchdog_ns > 0) {
		rc = rs_loop_timer(a->loop, "watchdog", on_watchdog, a, &a->watchdog);
		if (rc == 0)
			rs_timer_arm(a->watchdog, a->watchdog_ns);
	}
	return rc < 0 ? rs_error_set(e, rc, "cannot set up the loop: %s", strerror(-rc)) : 0;
}

static int
open_instrument(struct rs_app *a, struct rs_error *e)
{
	const int rc = rs_instrument_open(
	    a->options.root, &a->config, rs_store_next_finding_id(a->store), &a->instrument, e);
	if (rc < 0)
		return rc;
	struct rs_model *const m = a->instrument.model;
	struct rs_store_stats st;
	rs_store_get_stats(a->store, &st);
	rs_model_set_next_change(m, rs_store_next_change_id(a->store));
	rs_model_set_stored_until(m, st.newest_ms);
	rs_keeper_watch(&a->keeper, m, a->store);
	a->live = (struct rs_live){
	    .model = m,
	    .engine = a->instrument.engine,
	    .store = a->store,
	    .verdict = &a->instrument.verdict,
	    .make_verdict = make_verdict,
	    .get_health = get_health,
	    .arg = a,
	};
	return 0;
}

/* Files that a reload will not be able to read are worth a word at the start. */
static void
warn_early(const struct rs_app *a)
{
	const char *const config = a->options.config ? a->options.config : RS_CONFIG_PATH;
	const char *const paths[] = {config, a->config.token_file};
	for (size_t i = 0; i < RS_ARRAY_LEN(paths); i++) {
		if (*paths[i] && access(paths[i], R_OK) < 0 && errno == EACCES)
			rs_log_warn("user '%s' cannot read '%s': a change of it needs a restart",
			    a->config.user, paths[i]);
	}
}

/* Root is given up before the machine is read and anybody is served; what needs
 * root comes first: the sockets, and a database where only root may write. */
static int
open_all(struct rs_app *a, struct rs_error *e)
{
	int rc = rs_config_token(&a->config, a->token, e);
	const bool has_file = strcmp(a->config.path, "none") != 0;
	/* Without a folder the store says why there is no history, and the head goes on
	 * in memory. */
	if (rc == 0 && has_file)
		(void)rs_service_prepare_folder(a->config.path, a->config.user, NULL);
	a->keeper.was_root = geteuid() == 0;
	if (rc == 0 && has_file && strcmp(a->config.head_path, "none") != 0)
		(void)rs_service_prepare_folder(a->config.head_path, a->config.user, NULL);
	if (rc == 0 && rs_loop_new(&a->loop) < 0)
		rc = rs_error_set(e, -ENOMEM, "cannot make the event loop");
	if (rc == 0)
		rc = open_web(a, e);
	if (rc == 0 && has_file && rs_service_is_roots_place(a->config.path))
		rc = open_store(a, e);
	if (rc == 0)
		rc = rs_service_drop_root(a->config.user, e);
	if (rc == 0 && !a->store)
		rc = open_store(a, e);
	if (rc == 0)
		warn_early(a);
	if (rc == 0)
		rc = open_alerts(a, e);
	if (rc == 0)
		rc = open_instrument(a, e);
	if (rc == 0)
		rc = open_events(a, e);
	return rc;
}

int
rs_app_open(
    const struct rs_options *o, struct rs_config *take, struct rs_error *e, struct rs_app **ret)
{
	struct rs_app *const a = calloc(1, sizeof(*a));
	if (!a) {
		rs_config_free(take);
		return rs_error_set(e, -ENOMEM, "out of memory");
	}
	a->options = *o;
	a->config = *take;
	a->health.started_mono_ns = rs_clock_mono();
	apply_log(&a->config);
	rs_service_use_small_pages();
	rs_service_allow_files();
	/* A copy of its own: what it points to must outlive a reload. */
	int rc = rs_options_config(o, &a->started, e);
	if (rc == 0)
		rc = open_all(a, e);
	if (rc < 0) {
		rs_app_close(a);
		return rc;
	}
	*ret = a;
	return 0;
}

int
rs_app_run(struct rs_app *a)
{
	a->first_ns = rs_clock_mono();
	sample(a, a->first_ns - a->first_ns % a->started.interval_ns, a->first_ns);
	rs_log_info("ringsided serves %s (samples every %lld ms, loop by %s)", rs_web_url(a->web),
	    (long long)(a->started.interval_ns / RS_NS_PER_MS), rs_loop_method(a->loop));
	rs_service_notify("READY=1");
	return rs_loop_run(a->loop);
}

void
rs_app_close(struct rs_app *a)
{
	if (!a)
		return;
	rs_event_free(a->watchdog);
	rs_event_free(a->ticker);
	rs_event_free(a->on_hup);
	rs_event_free(a->on_int);
	rs_event_free(a->on_term);
	if (a->store && a->instrument.model)
		hand_over(a, rs_model_flush(a->instrument.model));
	rs_web_close(a->web);
	rs_alerts_free(a->alerts);
	rs_store_close(a->store);
	const bool is_clean =
	    a->store && a->instrument.model && rs_model_is_all_stored(a->instrument.model);
	rs_instrument_close(&a->instrument);
	rs_keeper_close(&a->keeper, is_clean);
	rs_loop_free(a->loop);
	rs_config_free(&a->config);
	rs_config_free(&a->started);
	free(a);
}
