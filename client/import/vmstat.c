/* SPDX-License-Identifier: ISC */
/*
 * A row ends with the total and the rate; names have blanks. How drivers call
 * their vectors: igb0:rxq0 and igb0:aq since FreeBSD 12, igb0:que 0 and igb0:link
 * before, ix0:q0, t5nex0:0a1 for queue 1 of port 0. OpenBSD has "irq114/em0" and
 * "irq120/ix0:3".
 */
#include "import/vmstat.h"

#include <errno.h>
#include <stdlib.h>

/* Drivers of network devices with an interrupt of their own
 * (sys/amd64/conf/GENERIC and its modules); those of Wi-Fi as well. */
static const char *const drivers[] = {"ae", "age", "al", "alc", "ale", "aq", "ath", "axge", "axp",
    "bce", "bfe", "bge", "bnx", "bnxt", "bwi", "bwn", "bxe", "cas", "cc", "cxgb", "cxl", "dc",
    "dpaa2", "em", "ena", "enetc", "enic", "et", "fxp", "gem", "gve", "hn", "hvn", "ice", "iavf",
    "igb", "igc", "ipw", "iwi", "iwm", "iwn", "iwlwifi", "ix", "ixl", "ixv", "jme", "lem", "lge",
    "liquidio", "malo", "mana", "mce", "mcx", "mgb", "mlx4_core", "mlx5_core", "mlxen", "msk",
    "mskc", "mtw", "mwl", "mxge", "my", "mvneta", "ncl", "nfe", "nge", "oce", "otus", "qlnx",
    "qlxgb", "qlxgbe", "qlxge", "ral", "re", "rge", "rl", "rsu", "rtw88", "rum", "sfxge", "sge",
    "sis", "sk", "skc", "ste", "stge", "t3b", "t4nex", "t5nex", "t6nex", "ti", "tsec", "txp", "vge",
    "vio", "vmx", "vr", "vte", "vtnet", "wb", "xl", "xn", "xnf"};

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "igb0": a known driver and a number. */
static bool
is_nic(struct rs_text device)
{
	const char *p = device.end;

	while (p > device.p && is_digit(p[-1]))
		p--;
	if (p == device.end)
		return false;
	for (size_t i = 0; i < RS_ARRAY_LEN(drivers); i++) {
		if (rs_text_eq((struct rs_text){device.p, p}, drivers[i]))
			return true;
	}
	return false;
}

/* "que 0", "rxq0", "q0", "0", "0a1": queue 1 of port 0; the others are for control. */
static bool
take_queue(struct rs_text suffix, int32_t *ret)
{
	static const char *const words[] = {"rxq", "txq", "rx", "tx", "que", "q", "TxRx", "queue"};
	struct rs_text t;
	uint64_t n;

	for (size_t i = 0; i < RS_ARRAY_LEN(words); i++) {
		t = suffix;
		if (rs_text_skip(&t, words[i]) && rs_text_u64(&t, &n) && t.p == t.end &&
		    n < INT32_MAX) {
			*ret = (int32_t)n;
			return true;
		}
	}
	t = suffix;
	if (!rs_text_u64(&t, &n) || (rs_text_skip(&t, "a") && !rs_text_u64(&t, &n)) ||
	    t.p != t.end || n >= INT32_MAX)
		return false;
	*ret = (int32_t)n;
	return true;
}

static void
read_name(struct rs_vmstat_row *r)
{
	struct rs_text t = r->name, device;
	uint64_t irq;

	r->irq = r->queue = -1;
	if (!rs_text_skip(&t, "irq") || !rs_text_u64(&t, &irq) ||
	    !(rs_text_skip(&t, ":") || rs_text_skip(&t, "/")))
		return;
	r->irq = irq <= INT32_MAX ? (int64_t)irq : -1;
	t = rs_text_trim(t);
	if (!rs_text_until(&t, ':', &device)) {
		device = t;
		t.p = t.end;
	}
	r->device = device;
	r->suffix = rs_text_trim(t);
	r->is_nic = is_nic(device);
	if (!r->is_nic)
		return;
	/* "em0:irq0" is the only vector of a device that has one. */
	const bool is_queue = rs_text_len(r->suffix) == 0 || rs_text_starts(r->suffix, "irq") ||
			      take_queue(r->suffix, &r->queue);
	r->is_control = !is_queue;
}

/* The number at the end of the text, which ends before it then. */
static bool
take_last(struct rs_text *t, uint64_t *ret)
{
	const char *p = t->end;

	while (p > t->p && p[-1] != ' ' && p[-1] != '\t')
		p--;
	if (!rs_import_is_u64((struct rs_text){p, t->end}, ret))
		return false;
	*t = rs_text_trim((struct rs_text){t->p, p});
	return rs_text_len(*t) > 0;
}

int
rs_import_vmstat(struct rs_text t, struct rs_vmstat *ret, struct rs_skips *skips)
{
	struct rs_lines lines = rs_lines_of(t);
	struct rs_text line;
	uint64_t rate, total;

	while (rs_lines_next(&lines, &line)) {
		if (rs_text_starts(line, "interrupt ") || rs_text_starts(line, "Total "))
			continue;
		if (!take_last(&line, &rate) || !take_last(&line, &total)) {
			rs_skip(skips, lines.number, "no total and rate at its end");
			continue;
		}
		struct rs_vmstat_row *const r =
		    rs_list_add(&ret->rows, &ret->n, &ret->cap, sizeof(*r), RS_VMSTAT_ROWS_MAX);
		if (r == NULL)
			return -ENOMEM;
		r->name = line;
		r->total = total;
		read_name(r);
	}
	return ret->n > 0 ? 0 : -ENODATA;
}

void
rs_vmstat_free(struct rs_vmstat *v)
{
	free(v->rows);
	*v = (struct rs_vmstat){0};
}
