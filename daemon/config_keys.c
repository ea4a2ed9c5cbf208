/* SPDX-License-Identifier: ISC */
/*
 * The configuration keys.
 */
#include "config_keys.h"

#include "config.h"

#define AT(field) offsetof(struct rs_config, field), sizeof(((struct rs_config *)0)->field)

const struct rs_key rs_config_keys[] = {
    {"sampling", "interval", RS_KEY_DURATION, AT(interval_ns), "1s", "200ms", "60s", NULL,
	RS_KEY_RESTART, "Time between samples; a minute must be a whole number of them"},
    {"sampling", "reserved_cores", RS_KEY_CPUS, AT(reserved_cores), "", NULL, NULL, NULL,
	RS_KEY_LIVE, "Cores kept for other work: shown, but not judged (\"2-3,6\")"},
    {"web", "listen", RS_KEY_LIST, AT(listen), "127.0.0.1:7464", NULL, NULL, NULL, RS_KEY_RESTART,
	"Where to serve: ADDR:PORT, [V6]:PORT or unix:/PATH"},
    {"web", "token_file", RS_KEY_TEXT, AT(token_file), "", NULL, NULL, NULL, RS_KEY_LIVE,
	"File whose first line is the credential, 16 characters or more; needed for listeners "
	"beyond loopback; the daemon's user must be able to read it for a reload"},
    {"web", "allow_anonymous_read", RS_KEY_BOOL, AT(allow_anonymous_read), "no", NULL, NULL, NULL,
	RS_KEY_LIVE, "Reading without credential on every listener"},
    {"web", "allowed_hosts", RS_KEY_LIST, AT(allowed_hosts), "", NULL, NULL, NULL, RS_KEY_LIVE,
	"Host names under which the page may be asked for, beside addresses and the own name"},
    {"web", "cors_origins", RS_KEY_LIST, AT(cors_origins), "", NULL, NULL, NULL, RS_KEY_LIVE,
	"Origins whose pages may read the API"},
    {"web", "max_connections", RS_KEY_NUMBER, AT(max_connections), "64", "4", "1024", NULL,
	RS_KEY_RESTART, "Connections at once; three quarters of them may be streams"},
    {"store", "path", RS_KEY_TEXT, AT(path), "/var/lib/ringside/ringside.db", NULL, NULL, NULL,
	RS_KEY_RESTART, "Database file; none: the last hour in memory only"},
    {"store", "commit_interval", RS_KEY_DURATION, AT(commit_interval_ns), "60s", "60s", "600s",
	NULL, RS_KEY_RESTART,
	"Longest time samples wait for the disk: so much is lost when the power fails"},
    {"store", "head_path", RS_KEY_TEXT, AT(head_path), "/run/ringside/head", NULL, NULL, NULL,
	RS_KEY_RESTART,
	"File for what waits, on tmpfs: a daemon that was killed goes on where it stopped; none: "
	"in "
	"memory only"},
    {"store", "retention_raw", RS_KEY_DURATION, AT(retention_raw_ns), "7d", "2h", "3650d", NULL,
	RS_KEY_RESTART, "How long samples are kept, where max_size allows"},
    {"store", "retention_minute", RS_KEY_DURATION, AT(retention_minute_ns), "90d", "2d", "3650d",
	NULL, RS_KEY_RESTART,
	"How long minute values are kept: least, greatest and mean of each minute; not shorter "
	"than "
	"samples"},
    {"store", "retention_hour", RS_KEY_DURATION, AT(retention_hour_ns), "3y", "2d", "20y", NULL,
	RS_KEY_RESTART, "How long hour values are kept; not shorter than minute values"},
    {"store", "max_size", RS_KEY_SIZE, AT(max_size_bytes), "256MB", "4MB", "1000GB", NULL,
	RS_KEY_RESTART,
	"Largest size of database plus log; samples give way first, then minute values"},
    {"limits", "max_series", RS_KEY_NUMBER, AT(max_series), "20000", "64", "1000000", NULL,
	RS_KEY_RESTART, "Series at once; more are refused and counted"},
    {"limits", "max_memory", RS_KEY_SIZE, AT(max_memory_bytes), "48MB", "1MB", "4GB", NULL,
	RS_KEY_RESTART,
	"Memory for the newest minutes of all series; lowers max_series where it is short"},
    {"alerts", "exec", RS_KEY_TEXT, AT(alert_exec), "", NULL, NULL, NULL, RS_KEY_RESTART,
	"Shell command for each finding that is raised or cleared; it reads a JSON document"},
    {"alerts", "webhook", RS_KEY_TEXT, AT(alert_webhook), "", NULL, NULL, NULL, RS_KEY_RESTART,
	"http:// or https:// address that the same document is posted to, by curl"},
    {"service", "user", RS_KEY_TEXT, AT(user), "nobody", NULL, NULL, NULL, RS_KEY_RESTART,
	"User to become when started as root"},
    {"service", "log", RS_KEY_WORD, AT(log_target), "stderr", NULL, NULL, "stderr|syslog",
	RS_KEY_RESTART, "Where messages go"},
    {"service", "log_level", RS_KEY_WORD, AT(log_level), "info", NULL, NULL,
	"err|warn|notice|info|debug", RS_KEY_LIVE, "Least urgent message shown"},
};

_Static_assert(RS_ARRAY_LEN(rs_config_keys) <= RS_CONFIG_KEYS_MAX, "one line number a key");

const size_t rs_config_n_keys = RS_ARRAY_LEN(rs_config_keys);
