/* SPDX-License-Identifier: ISC */
/*
 * Catalog and words to a number or a sentence.
 */
#include "pick.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "buf.h"
#include "doc.h"
#include "nearest.h"

/* What a sentence lists. */
enum { VALUES_MAX = 8, LABELS_MAX = 8, METRICS_MAX = 4, LIST_MAX = 65536 };

/* Different words, the first ones; n counts one more when there are more. */
struct few {
	const char *words[VALUES_MAX];
	size_t n;
};

static void
few_add(struct few *f, const char *word)
{
	for (size_t i = 0; i < f->n && i < VALUES_MAX; i++) {
		if (strcmp(f->words[i], word) == 0)
			return;
	}
	if (f->n < VALUES_MAX)
		f->words[f->n] = word;
	if (f->n <= VALUES_MAX)
		f->n++;
}

static void
few_put(const struct few *f, const char *between, struct rs_buf *b)
{
	for (size_t i = 0; i < f->n && i < VALUES_MAX; i++)
		rs_buf_printf(b, "%s%s", i > 0 ? between : "", f->words[i]);
	if (f->n > VALUES_MAX)
		rs_buf_printf(b, "%s...", between);
}

/* --- entries of the catalog -------------------------------------------- */

/* The labels of an entry when it is of the metric, else NULL. */
static json_t *
labels_of(const json_t *entry, const char *metric)
{
	const char *const name = rs_doc_string(entry, "metric");

	return name != NULL && strcmp(name, metric) == 0 ? json_object_get(entry, "labels") : NULL;
}

static bool
has_label(json_t *labels, const struct rs_args_label *wanted)
{
	const char *name;
	json_t *value;

	json_object_foreach(labels, name, value)
	{
		if (rs_text_eq(wanted->name, name))
			return json_is_string(value) &&
			       rs_text_eq(wanted->value, json_string_value(value));
	}
	return false;
}

static bool
is_wanted(json_t *labels, const struct rs_args *a)
{
	for (size_t i = 0; i < a->n_labels; i++) {
		bool is_met = false;

		for (size_t k = 0; k < a->n_labels && !is_met; k++)
			is_met = rs_text_same(a->labels[k].name, a->labels[i].name) &&
				 has_label(labels, &a->labels[k]);
		if (!is_met)
			return false;
	}
	return true;
}

/* --- what is to blame -------------------------------------------------- */

/* The nearest name first, then those that contain the word or are part of it. */
static void
find_alike(const json_t *catalog, const char *metric, struct few *ret)
{
	struct rs_nearest nearest;
	const json_t *entry;
	size_t i;

	rs_nearest_begin(&nearest, rs_text_of(metric));
	json_array_foreach(catalog, i, entry)
	{
		rs_nearest_try(&nearest, rs_doc_word(entry, "metric"));
	}
	if (rs_nearest_best(&nearest) != NULL)
		few_add(ret, rs_nearest_best(&nearest));
	json_array_foreach(catalog, i, entry)
	{
		const char *const name = rs_doc_string(entry, "metric");

		if (name != NULL && ret->n < METRICS_MAX &&
		    (strstr(name, metric) != NULL || strstr(metric, name) != NULL))
			few_add(ret, name);
	}
}

static int
unknown_metric(const json_t *catalog, const char *metric, struct rs_error *e)
{
	struct few alike = {0};
	struct rs_buf names;

	rs_buf_init(&names, LIST_MAX);
	find_alike(catalog, metric, &alike);
	few_put(&alike, ", ", &names);
	const int rc = rs_error_set(e, -EINVAL, "there is no series of '%.60s'%s%s%s", metric,
	    alike.n > 0 ? "; did you mean: " : "", rs_buf_cstr(&names),
	    alike.n > 0 ? "?" : " (ringsided --describe metrics lists all metrics)");

	rs_buf_fini(&names);
	return rc;
}

/* The names of labels that series of the metric have, and the values of one. */
static void
find_labels(const json_t *catalog, const struct rs_args *a, struct rs_text name,
    struct few *ret_names, struct few *ret_values)
{
	const json_t *entry;
	size_t i;

	json_array_foreach(catalog, i, entry)
	{
		json_t *const labels = labels_of(entry, a->metric);
		const char *key;
		json_t *value;

		json_object_foreach(labels, key, value)
		{
			few_add(ret_names, key);
			if (rs_text_eq(name, key) && json_is_string(value))
				few_add(ret_values, json_string_value(value));
		}
	}
}

/* None of the values given for a label exists, or the label does not. */
static int
blame_label(const json_t *catalog, const struct rs_args *a, const struct rs_args_label *label,
    struct rs_error *e)
{
	struct few names = {0}, values = {0};
	struct rs_buf list;
	int rc;

	rs_buf_init(&list, LIST_MAX);
	find_labels(catalog, a, label->name, &names, &values);
	few_put(values.n > 0 ? &values : &names, values.n > 0 ? "|" : ", ", &list);
	if (values.n > 0)
		rc = rs_error_set(e, -EINVAL, "no series of '%s' has %.*s=%.*s; there is %.*s=%s",
		    a->metric, (int)rs_text_len(label->name), label->name.p,
		    (int)rs_text_len(label->value), label->value.p, (int)rs_text_len(label->name),
		    label->name.p, rs_buf_cstr(&list));
	else
		rc = rs_error_set(e, -EINVAL, "series of '%s' have no label '%.*s'; they have: %s",
		    a->metric, (int)rs_text_len(label->name), label->name.p,
		    names.n > 0 ? rs_buf_cstr(&list) : "none");
	rs_buf_fini(&list);
	return rc;
}

/* Whether a series of the metric has the label, whatever the other words say. */
static bool
is_met_alone(const json_t *catalog, const struct rs_args *a, const struct rs_args_label *label)
{
	const json_t *entry;
	size_t i;

	json_array_foreach(catalog, i, entry)
	{
		json_t *const labels = labels_of(entry, a->metric);

		if (labels != NULL && has_label(labels, label))
			return true;
	}
	return false;
}

static int
no_series(const json_t *catalog, const struct rs_args *a, struct rs_error *e)
{
	for (size_t i = 0; i < a->n_labels; i++) {
		if (!is_met_alone(catalog, a, &a->labels[i]))
			return blame_label(catalog, a, &a->labels[i], e);
	}
	return rs_error_set(
	    e, -EINVAL, "no series of '%s' has all of these labels together", a->metric);
}

int
rs_pick_count(
    const struct json_t *catalog, const struct rs_args *a, size_t *ret, struct rs_error *e)
{
	size_t n_metric = 0, n = 0, i;
	const json_t *entry;

	json_array_foreach(catalog, i, entry)
	{
		json_t *const labels = labels_of(entry, a->metric);

		n_metric += labels != NULL;
		n += labels != NULL && is_wanted(labels, a);
	}
	if (n_metric == 0)
		return unknown_metric(catalog, a->metric, e);
	if (n == 0)
		return no_series(catalog, a, e);
	*ret = n;
	return 0;
}

/* --- too many ---------------------------------------------------------- */

/* The values of each label among the wanted series. */
static size_t
find_choices(const json_t *catalog, const struct rs_args *a, const char *names[LABELS_MAX],
    struct few values[LABELS_MAX])
{
	const json_t *entry;
	size_t n = 0, i;

	json_array_foreach(catalog, i, entry)
	{
		json_t *const labels = labels_of(entry, a->metric);
		const char *key;
		json_t *value;

		if (labels == NULL || !is_wanted(labels, a))
			continue;
		json_object_foreach(labels, key, value)
		{
			size_t k = 0;

			while (k < n && strcmp(names[k], key) != 0)
				k++;
			if (k == n && n < LABELS_MAX)
				names[n++] = key;
			if (k < n && json_is_string(value))
				few_add(&values[k], json_string_value(value));
		}
	}
	return n;
}

int
rs_pick_refuse(const struct json_t *catalog, const struct rs_args *a, size_t n, struct rs_error *e)
{
	const char *names[LABELS_MAX] = {NULL};
	struct few values[LABELS_MAX] = {{.n = 0}};
	struct rs_buf choices;

	rs_buf_init(&choices, LIST_MAX);
	const size_t n_names = find_choices(catalog, a, names, values);

	for (size_t i = 0; i < n_names; i++) {
		if (values[i].n < 2)
			continue;
		rs_buf_printf(&choices, "%s%s=", choices.len > 0 ? " and " : "", names[i]);
		few_put(&values[i], "|", &choices);
	}
	const int rc =
	    rs_error_set(e, -EINVAL, "%zu series of '%s' match, ministat takes one: choose with %s",
		n, a->metric, rs_buf_cstr(&choices));

	rs_buf_fini(&choices);
	return rc;
}
