/* SPDX-License-Identifier: ISC */
/*
 * When each sample was taken: by meta.json, else by /proc/uptime, else nobody knows.
 */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "diagnose/capture.h"

enum { META_BYTES_MAX = 1 << 20 };

/* No machine is up for longer, and no two samples are nearer (seconds). */
#define UPTIME_MAX 1e9
#define APART_MIN 1e-3

static void
time_from_meta(struct rs_capture *c, const json_t *samples)
{
	for (size_t i = 0; i < json_array_size(samples); i++) {
		const json_t *const one = json_array_get(samples, i);
		const char *const dir = json_string_value(json_object_get(one, "dir"));
		const json_t *const at = json_object_get(one, "monotonic_s");

		for (size_t k = 0; dir != NULL && json_is_number(at) && k < c->n_samples; k++) {
			if (strcmp(c->samples[k].dir, dir) == 0)
				c->samples[k].at_s = json_number_value(at);
		}
	}
}

static bool
read_meta(struct rs_capture *c, const struct rs_root *root, struct rs_problems *problems)
{
	char name[RS_CAPTURE_NAME];
	struct rs_buf text;
	json_error_t why;
	bool has_times = false;

	rs_buf_init(&text, META_BYTES_MAX);
	if (rs_capture_read(root, "meta.json", &text, name) == 0) {
		json_t *const meta = json_loadb(text.data, text.len, 0, &why);
		if (meta == NULL) {
			rs_problem(problems, name, why.line > 0 ? (unsigned)why.line : 0,
			    "no JSON: %.80s", why.text);
		} else {
			time_from_meta(c, json_object_get(meta, "samples"));
			has_times = true;
		}
		json_decref(meta);
	}
	rs_buf_fini(&text);
	return has_times;
}

static void
time_from_uptime(struct rs_capture_sample *s)
{
	char text[64];
	const int n = rs_root_read(s->root, "proc/uptime", text, sizeof(text));
	struct rs_text t = {text, text + (n > 0 ? n : 0)};
	double uptime;

	if (n > 0 && rs_import_number(&t, &uptime))
		s->at_s = uptime;
}

static bool
has_all_times(const struct rs_capture *c)
{
	for (size_t i = 0; i < c->n_samples; i++) {
		if (!(c->samples[i].at_s >= 0.0 && c->samples[i].at_s < UPTIME_MAX) ||
		    (i > 0 && c->samples[i].at_s - c->samples[i - 1].at_s < APART_MIN))
			return false;
	}
	return true;
}

void
rs_capture_find_times(struct rs_capture *c, const struct rs_root *top, struct rs_problems *problems)
{
	const bool has_meta = read_meta(c, top, problems);

	if (has_meta && has_all_times(c))
		return;
	if (has_meta && c->n_samples > 1)
		rs_problem(problems, "meta.json", 0,
		    "its times are not those of all samples, or do not go forward");
	for (size_t i = 0; i < c->n_samples; i++)
		time_from_uptime(&c->samples[i]);
	for (size_t i = 0; !has_all_times(c) && i < c->n_samples; i++)
		c->samples[i].at_s = NAN;
}

double
rs_capture_span_s(const struct rs_capture *c)
{
	return c->n_samples < 2 ? (double)NAN
				: c->samples[c->n_samples - 1].at_s - c->samples[0].at_s;
}
