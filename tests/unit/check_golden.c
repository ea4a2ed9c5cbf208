/* SPDX-License-Identifier: ISC */
/*
 * Captured machines from kernel text to JSON, a known time between t0 and t1,
 * against files that were checked by hand. RS_GOLDEN_WRITE=1 writes them anew:
 * then read the difference.
 */
/* cp -a is run by system(3), which plain POSIX has; mkdtemp too. */
#include "api.h"
#include "rs_check.h"
#include "tick.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	rs_ns apart_ns;
} machines[] = {
    {"kvm-2cpu-virtio", 2 * RS_NS_PER_S},
    {"router-4cpu-igb", RS_NS_PER_S},
};

static rs_ns fake_now;

static rs_ns
fake_clock(void)
{
	return fake_now;
}

static void
shell(const char *verb, const char *a, const char *b)
{
	char command[1024];
	(void)snprintf(command, sizeof(command), "%s '%s' '%s'", verb, a, b);
	ck_assert_int_eq(system(command), 0); /* NOLINT(cert-env33-c): a test's own paths */
}

static void
lay(const char *machine, const char *sample, const char *dir)
{
	char from[512];
	(void)snprintf(from, sizeof(from), "%s/fixtures/%s/%s/.", RS_TEST_DIR, machine, sample);
	shell("cp -a", from, dir);
}

/* One object a line, so that a difference can be read. */
static void
put_lines(struct rs_buf *out, struct rs_buf *json)
{
	for (size_t i = 0; i < json->len; i++) {
		rs_buf_putc(out, json->data[i]);
		if (json->data[i] == ',' && i > 0 && json->data[i - 1] == '}' &&
		    json->data[i + 1] == '{')
			rs_buf_putc(out, '\n');
	}
	rs_buf_putc(out, '\n');
	rs_buf_reset(json);
}

static void
put_frame(struct rs_buf *out, struct rs_instrument *i)
{
	const struct rs_verdict *const verdict = rs_instrument_verdict(i);
	struct rs_buf json;
	struct rs_json j;
	rs_buf_init(&json, 1 << 20);
	rs_buf_printf(out, "%s: %s\n", rs_state_name(verdict->state), verdict->line);
	rs_json_init(&j, &json);
	rs_api_put_cores(&j, rs_model_view(i->model));
	put_lines(out, &json);
	rs_json_init(&j, &json);
	rs_api_put_interfaces(&j, rs_model_view(i->model));
	put_lines(out, &json);
	rs_json_init(&j, &json);
	rs_api_put_interrupts(&j, rs_model_view(i->model));
	put_lines(out, &json);
	rs_buf_fini(&json);
}

static void
compare(const char *machine, struct rs_buf *got)
{
	char path[512], wanted[1 << 16] = "";
	(void)snprintf(path, sizeof(path), "%s/golden/%s.txt", RS_TEST_DIR, machine);
	if (getenv("RS_GOLDEN_WRITE")) {
		FILE *const f = fopen(path, "w");
		ck_assert_ptr_nonnull(f);
		(void)fwrite(got->data, 1, got->len, f);
		ck_assert_int_eq(fclose(f), 0);
		return;
	}
	FILE *const f = fopen(path, "r");
	ck_assert_msg(f != NULL, "%s is missing", path);
	const size_t n = fread(wanted, 1, sizeof(wanted) - 1, f);
	(void)fclose(f);
	ck_assert_msg(n == got->len && memcmp(wanted, got->data, n) == 0, "not as in %s; got:\n%s",
	    path, rs_buf_cstr(got));
}

START_TEST(a_captured_machine_reads_as_before)
{
	struct rs_instrument instrument;
	struct rs_config config;
	struct rs_error e = {0};
	struct rs_buf got;
	char dir[] = "/tmp/ringside-golden-XXXXXX";
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(rs_config_default(&config), 0);
	ck_assert_int_eq(rs_instrument_open(dir, &config, 1, &instrument, &e), 0);
	rs_sampler_set_clock(instrument.sampler, fake_clock);
	fake_now = 1000 * RS_NS_PER_S;
	lay(machines[_i].name, "t0", dir);
	(void)rs_instrument_tick(&instrument, fake_now, fake_now, NULL, NULL);
	fake_now += machines[_i].apart_ns;
	lay(machines[_i].name, "t1", dir);
	(void)rs_instrument_tick(&instrument, fake_now, fake_now, NULL, NULL);
	rs_buf_init(&got, 1 << 16);
	put_frame(&got, &instrument);
	shell("rm -rf", dir, dir);
	compare(machines[_i].name, &got);
	rs_buf_fini(&got);
	rs_instrument_close(&instrument);
	rs_config_free(&config);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("golden");
	TCase *const t = tcase_create("golden");
	tcase_add_loop_test(t, a_captured_machine_reads_as_before, 0, (int)RS_ARRAY_LEN(machines));
	suite_add_tcase(s, t);
	return s;
}

RS_CHECK_MAIN(suite())
