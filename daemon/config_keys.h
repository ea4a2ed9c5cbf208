/* SPDX-License-Identifier: ISC */
/*
 * The table of configuration keys: parser, documentation and reload read it.
 */
#ifndef RS_CONFIG_KEYS_H
#define RS_CONFIG_KEYS_H

#include <stddef.h>
#include <stdint.h>

enum rs_key_type {
	RS_KEY_DURATION, /* rs_ns */
	RS_KEY_SIZE,	 /* uint64_t bytes */
	RS_KEY_NUMBER,	 /* uint32_t */
	RS_KEY_BOOL,	 /* bool */
	RS_KEY_TEXT,	 /* char[size] */
	RS_KEY_WORD,	 /* char[size], one of `words` */
	RS_KEY_LIST,	 /* struct rs_list, blank- or comma-separated, repeatable */
	RS_KEY_CPUS	 /* struct rs_cpuset */
};

enum rs_key_use {
	RS_KEY_RESTART, /* a change needs a restart */
	RS_KEY_LIVE	/* a reload takes it over */
};

struct rs_key {
	const char *section, *name;
	enum rs_key_type type;
	size_t offset, size;   /* in struct rs_config */
	const char *def;       /* as written in a file; "" for none */
	const char *min, *max; /* as written in a file; NULL: no bound */
	const char *words;     /* "a|b|c" for RS_KEY_WORD */
	enum rs_key_use use;
	const char *help;
};

extern const struct rs_key rs_config_keys[];
extern const size_t rs_config_n_keys;

#endif
