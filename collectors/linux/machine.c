/* SPDX-License-Identifier: ISC */
/*
 * Small files that are read seldom. What does not tell is not known: no word
 * is "no" but where the source would have had it.
 */
#include "machine.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "num.h"

#define NODES "sys/devices/system/node"
#define DMI "sys/class/dmi/id/"
#define TREE "proc/device-tree"

enum { PATH_BYTES = 96, CPUINFO_BYTES = 8192, VALUE_BYTES = 2048, NODES_MAX = 64 };

static bool
contains(struct rs_text t, const char *word)
{
	const size_t n = strlen(word);

	for (; rs_text_len(t) >= n; t.p++) {
		if (memcmp(t.p, word, n) == 0)
			return true;
	}
	return false;
}

/* --- guest or not ------------------------------------------------------ */

/* The beginning of a file, which may be long: /proc/cpuinfo has a part for each
 * core, and the first one tells. */
static struct rs_text
read_beginning(const struct rs_root *root, const char *path, char *dst, size_t cap)
{
	const int fd = rs_root_openat(root, path, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return (struct rs_text){dst, dst};
	n = read(fd, dst, cap);
	(void)close(fd);
	return (struct rs_text){dst, dst + RS_MAX(n, 0)};
}

/* x86 has a flag that only hypervisors set (X86_FEATURE_HYPERVISOR). 1 it is
 * set, 0 it is not, -1 no flags are listed. */
static int
flag_of_cpu(const struct rs_root *root)
{
	char text[CPUINFO_BYTES];
	struct rs_text t = read_beginning(root, "proc/cpuinfo", text, sizeof(text)), line, word;

	while (rs_text_line(&t, &line)) {
		if (!rs_text_skip(&line, "flags"))
			continue;
		while (rs_text_word(&line, &word)) {
			if (rs_text_eq(word, "hypervisor"))
				return 1;
		}
		return 0;
	}
	return -1;
}

/* Where firmware names the machine, those of hypervisors are known. */
static int
words_of_firmware(const struct rs_root *root)
{
	static const char *const files[] = {DMI "sys_vendor", DMI "product_name"};
	static const char *const words[] = {"QEMU", "KVM", "VMware", "Virtual Machine",
	    "VirtualBox", "Google Compute Engine", "OpenStack", "Xen"};
	int answer = -1;

	for (size_t i = 0; i < RS_ARRAY_LEN(files); i++) {
		char text[128];
		if (rs_root_read(root, files[i], text, sizeof(text)) <= 0)
			continue;
		answer = RS_MAX(answer, 0);
		for (size_t k = 0; k < RS_ARRAY_LEN(words); k++)
			answer = strstr(text, words[k]) ? 1 : answer;
	}
	return answer;
}

/* Routers without such firmware have a device tree; that of a guest has a node of
 * its hypervisor, or is QEMU's. */
static int
words_of_tree(const struct rs_root *root)
{
	char text[512];
	const struct rs_text t = read_beginning(root, TREE "/compatible", text, sizeof(text));

	if (rs_root_exists(root, TREE "/hypervisor"))
		return 1;
	if (t.p == t.end)
		return -1;
	return contains(t, "dummy-virt") || contains(t, "qemu");
}

static bool
tell_hypervisor(const struct rs_root *root, char ret[static VALUE_BYTES])
{
	int answer = flag_of_cpu(root);

	if (answer != 1 && rs_root_exists(root, "sys/hypervisor/type"))
		answer = 1;
	if (answer < 0)
		answer = words_of_firmware(root);
	if (answer < 0)
		answer = words_of_tree(root);
	if (answer >= 0)
		(void)snprintf(ret, VALUE_BYTES, "%s", answer ? "present" : "none");
	return answer >= 0;
}

/* --- system ------------------------------------------------------------ */

/* The value of ID="debian", without the quotes; what is not plain is '?'. */
static bool
take_value(struct rs_text line, const char *key, char *dst, size_t cap)
{
	if (!rs_text_skip(&line, key))
		return false;
	line = rs_text_trim(line);
	if (line.end - line.p >= 2 && (*line.p == '"' || *line.p == '\'')) {
		line.p++;
		line.end--;
	}
	(void)rs_text_copy(line, dst, cap);
	rs_text_defuse(dst);
	return *dst != '\0';
}

static bool
tell_system(const struct rs_root *root, char ret[static VALUE_BYTES])
{
	char text[4096], id[64] = "", version[64] = "";
	struct rs_text t = read_beginning(root, "etc/os-release", text, sizeof(text)), line;

	while (rs_text_line(&t, &line)) {
		(void)take_value(line, "ID=", id, sizeof(id));
		(void)take_value(line, "VERSION_ID=", version, sizeof(version));
	}
	(void)snprintf(ret, VALUE_BYTES, "%s%s%s", id, *version ? " " : "", version);
	return *id != '\0';
}

/* --- memory nodes ------------------------------------------------------ */

struct nodes {
	unsigned n, number[NODES_MAX];
};

/* Ascending. */
static bool
note_node(void *arg, const char *name)
{
	struct nodes *const nodes = arg;
	struct rs_text t = rs_text_of(name);
	uint64_t number;

	if (!rs_text_skip(&t, "node") || rs_num_u64(t, &number) != 0 || number > UINT16_MAX)
		return true;
	if (nodes->n == NODES_MAX)
		return false;
	unsigned at = nodes->n++;
	for (; at > 0 && nodes->number[at - 1] > number; at--)
		nodes->number[at] = nodes->number[at - 1];
	nodes->number[at] = (unsigned)number;
	return true;
}

/* "0:0-7 1:8-15": a node may have memory and no cores. */
static bool
tell_nodes(const struct rs_root *root, char ret[static VALUE_BYTES])
{
	struct nodes nodes = {0};
	unsigned told = 0;
	size_t len = 0;

	*ret = '\0';
	if (rs_root_list(root, NODES, note_node, &nodes) != 0 || nodes.n < 2)
		return false;
	for (unsigned i = 0; i < nodes.n; i++) {
		char path[PATH_BYTES], cores[512];
		struct rs_cpuset set;
		(void)snprintf(path, sizeof(path), NODES "/node%u/cpulist", nodes.number[i]);
		if (rs_root_read(root, path, cores, sizeof(cores)) <= 0 ||
		    rs_cpuset_parse_list(rs_text_of(cores), &set) != 0)
			continue;
		const int n = snprintf(ret + len, VALUE_BYTES - len, "%s%u:%s", told > 0 ? " " : "",
		    nodes.number[i], cores);
		if (n < 0 || (size_t)n >= VALUE_BYTES - len)
			return false;
		len += (size_t)n;
		told++;
	}
	return told >= 2;
}

/* --- irqbalance -------------------------------------------------------- */

static bool
tell_service(const struct rs_root *root, char ret[static VALUE_BYTES])
{
	static const struct {
		const char *system, *unit, *value;
	} kinds[] = {
	    {"run/systemd/system", "usr/lib/systemd/system/irqbalance.service", "systemd"},
	    {"run/systemd/system", "lib/systemd/system/irqbalance.service", "systemd"},
	    {"sbin/procd", "etc/init.d/irqbalance", "openwrt"},
	};

	for (size_t i = 0; i < RS_ARRAY_LEN(kinds); i++) {
		if (!rs_root_exists(root, kinds[i].system) || !rs_root_exists(root, kinds[i].unit))
			continue;
		(void)snprintf(ret, VALUE_BYTES, "%s", kinds[i].value);
		return true;
	}
	return false;
}

void
rs_machine_read(const struct rs_root *root, unsigned step, struct rs_frame *f)
{
	static const struct {
		enum rs_fact_id id;
		bool (*tell)(const struct rs_root *root, char ret[static VALUE_BYTES]);
	} facts[RS_MACHINE_STEPS] = {
	    {RS_F_HYPERVISOR, tell_hypervisor},
	    {RS_F_SYSTEM, tell_system},
	    {RS_F_NUMA_NODES, tell_nodes},
	    {RS_F_IRQBALANCE_SERVICE, tell_service},
	};
	char value[VALUE_BYTES];

	if (facts[step].tell(root, value))
		rs_put_fact(f, facts[step].id, 0, RS_NO_QUEUE, rs_text_of(value));
	else
		rs_put_fact_gone(f, facts[step].id, 0, RS_NO_QUEUE);
}
