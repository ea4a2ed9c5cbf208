/* SPDX-License-Identifier: ISC */
/*
 * Drivers name their interrupts as they like. Two questions are answered one
 * after the other: whose is the line (by number, by the PCI address in the
 * chip, by a name in the action), and what do the other words of the action
 * say (irqwords.c). Loop thread, when lines or interfaces change.
 */
#include "irqname.h"

#include <string.h>
#include <strings.h>

#include "irqwords.h"

/* How sure an action's text is about an interface; more is surer. */
enum tie {
	TIE_NONE,
	TIE_DRIVER,   /* the driver's name, a USB bus */
	TIE_DEVICE,   /* the name of the device in sysfs */
	TIE_INTERFACE /* the name of the interface */
};

/* An interface and where an action names it. */
struct match {
	enum tie tie;
	bool is_direct;	     /* the line's number or chip is the device's */
	struct rs_text span; /* the name within the action */
};

struct line {
	struct rs_text chip, action;
	uint64_t irq;
	bool has_irq, is_shared;
};

struct output {
	struct rs_irq_feed *feeds;
	size_t n, cap;
};

static bool
is_decimal(struct rs_text t)
{
	uint64_t value;
	return t.p < t.end && *t.p >= '0' && *t.p <= '9' && rs_text_u64(&t, &value) && t.p == t.end;
}

static bool
ends_with(struct rs_text t, const char *suffix)
{
	const size_t len = strlen(suffix);
	return rs_text_len(t) >= len && strncasecmp(t.end - len, suffix, len) == 0;
}

/* "Level", "Edge", "65536-edge", "-fasteoi": what a chip's entry ends with. */
static bool
is_trigger(struct rs_text word)
{
	return rs_text_eq(word, "Level") || rs_text_eq(word, "Edge") || ends_with(word, "-edge") ||
	       ends_with(word, "-level") || ends_with(word, "-fasteoi") ||
	       ends_with(word, "-eoi") || ends_with(word, "-percpu");
}

/* Without the hardware's number at its end, unless that is all. */
static struct rs_text
without_number(struct rs_text chip)
{
	chip = rs_text_trim(chip);
	const char *p = chip.end;
	while (p > chip.p && p[-1] >= '0' && p[-1] <= '9')
		p--;
	if (p > chip.p && (p[-1] == ' ' || p[-1] == '\t'))
		chip.end = p;
	return rs_text_trim(chip);
}

/* The text behind the last run of at least two blanks; all when there is
 * none. */
static struct rs_text
last_part(struct rs_text t)
{
	for (const char *p = t.end; p - t.p >= 2; p--) {
		if (p[-1] == ' ' && p[-2] == ' ')
			return (struct rs_text){p, t.end};
	}
	return t;
}

void
rs_irq_split(struct rs_text rest, struct rs_text *ret_chip, struct rs_text *ret_actions)
{
	rest = rs_text_trim(rest);
	struct rs_text after = rest, word;
	while (rs_text_word(&after, &word)) {
		if (!is_trigger(word))
			continue;
		const char *const end = word.p == rest.p ? word.end : word.p;
		*ret_chip = without_number((struct rs_text){rest.p, end});
		/* Some architectures print both "Level" and a flow name. */
		struct rs_text more = after;
		if (rs_text_word(&more, &word) && *word.p == '-' && is_trigger(word))
			after = more;
		*ret_actions = rs_text_trim(after);
		return;
	}
	const struct rs_text actions = last_part(rest);
	*ret_chip = without_number((struct rs_text){rest.p, actions.p});
	*ret_actions = is_decimal(actions) ? (struct rs_text){rest.end, rest.end} : actions;
}

int
rs_usb_bus(const char *device)
{
	struct rs_text t = rs_text_of(device);
	uint64_t bus, port;
	if (*device < '0' || *device > '9' || !rs_text_u64(&t, &bus) || bus > 999 ||
	    !rs_text_skip(&t, "-") || !rs_text_u64(&t, &port))
		return -1;
	return memchr(t.p, ':', rs_text_len(t)) ? (int)bus : -1;
}

static bool
is_pci_address(const char *s)
{
	/* "0000:01:00.0"; domains have 4 digits or more. */
	const size_t len = strlen(s);
	return len >= 12 && s[len - 2] == '.' && s[len - 5] == ':' && s[len - 8] == ':';
}

/* Where a device's name may end within an action. */
static bool
ends_name(const char *p, const char *end)
{
	return p == end || *p == '-' || *p == ':' || *p == '_' || *p == '[' || *p == ' ';
}

/* The name in t where it begins t or follows a '-', and ends as a name does. */
static bool
find_name(struct rs_text t, const char *name, struct rs_text *ret)
{
	const size_t len = strlen(name);
	for (const char *p = t.p; len && (size_t)(t.end - p) >= len; p++) {
		if ((p == t.p || p[-1] == '-') && memcmp(p, name, len) == 0 &&
		    ends_name(p + len, t.end)) {
			*ret = (struct rs_text){p, p + len};
			return true;
		}
	}
	return false;
}

static bool
find_pci_address(struct rs_text t, const char *address, struct rs_text *ret)
{
	const size_t len = strlen(address);
	for (const char *p = t.p; (size_t)(t.end - p) >= len; p++) {
		const bool begins = p == t.p || strchr("@:-[", p[-1]) != NULL;
		if (begins && memcmp(p, address, len) == 0 && ends_name(p + len, t.end)) {
			*ret = (struct rs_text){p, p + len};
			return true;
		}
	}
	return false;
}

/* The PCI address that stands for the interface in names, or NULL. */
static const char *
pci_address(const struct rs_nic_info *nic)
{
	if (is_pci_address(nic->device))
		return nic->device;
	const bool is_virtio = strncmp(nic->device, "virtio", 6) == 0;
	return is_virtio && is_pci_address(nic->bus_parent) ? nic->bus_parent : NULL;
}

/* The device's name at the front, or a PCI address anywhere. */
static bool
find_device(struct rs_text action, const struct rs_nic_info *nic, struct rs_text *ret)
{
	if (!*nic->device || rs_usb_bus(nic->device) >= 0)
		return false;
	if (is_pci_address(nic->device))
		return find_pci_address(action, nic->device, ret);
	/* drivers/net/xen-netfront.c: device "vif-0", action "vif0-q1-rx". */
	char name[sizeof(nic->device)];
	const bool is_vif = strncmp(nic->device, "vif-", 4) == 0;
	memcpy(name, "vif", 4);
	if (is_vif)
		memcpy(name + 3, nic->device + 4, strlen(nic->device + 4) + 1);
	return find_name(action, is_vif ? name : nic->device, ret) && ret->p == action.p;
}

static bool
is_usb_host(struct rs_text action, int bus)
{
	struct rs_text before, t = action;
	uint64_t n;
	return rs_text_until(&t, ':', &before) && ends_with(before, "hcd") &&
	       rs_text_skip(&t, "usb") && rs_text_u64(&t, &n) && t.p == t.end && n == (uint64_t)bus;
}

/* Interrupts that are named after a driver's part and serve all its
 * interfaces; '#' stands for a number that ends the name. */
static const struct {
	const char *name, *driver;
} parts[] = {
    {"dpio.", "fsl_dpaa2_eth"}, /* drivers/soc/fsl/dpio: one per CPU */
    {"edma_", "nss-dp"},
    {"nss_queue", "nss-dp"},
    {"ce#", "ath11k"}, /* drivers/net/wireless/ath/ath11k/ahb.c */
    {"reo2host-destination-ring#", "ath11k"},
    {"wbm2host-tx-completions-ring#", "ath11k"},
    {"rxdma2host-destination-ring-mac#", "ath11k"},
};

static bool
begins_with_part(struct rs_text action, const char *name)
{
	const size_t len = strcspn(name, "#");
	if (rs_text_len(action) < len || memcmp(action.p, name, len) != 0)
		return false;
	return name[len] == '\0' || is_decimal((struct rs_text){action.p + len, action.end});
}

static bool
names_driver(struct rs_text action, const struct rs_nic_info *nic, struct rs_text *ret)
{
	const int bus = rs_usb_bus(nic->device);
	if (bus >= 0 && is_usb_host(action, bus)) {
		*ret = action;
		return true;
	}
	if (!*nic->driver)
		return false;
	for (size_t i = 0; i < RS_ARRAY_LEN(parts); i++) {
		if (strcmp(nic->driver, parts[i].driver) == 0 &&
		    begins_with_part(action, parts[i].name)) {
			*ret = (struct rs_text){action.p, action.p};
			return true;
		}
	}
	struct rs_text t = action;
	if (!rs_text_skip(&t, nic->driver) || (t.p < t.end && *t.p != ':'))
		return false;
	*ret = (struct rs_text){action.p, t.p};
	return true;
}

static bool
has_vector(const struct rs_nic_info *nic, uint64_t irq)
{
	for (unsigned i = 0; i < nic->n_irqs; i++) {
		if (nic->irqs[i] == irq)
			return true;
	}
	return false;
}

/* "PCI-MSIX-0000:01:00.0" (since Linux 6.x). */
static bool
chip_names(struct rs_text chip, const struct rs_nic_info *nic)
{
	const char *const address = pci_address(nic);
	struct rs_text span;
	return address && find_pci_address(chip, address, &span);
}

static struct match
match_nic(const struct line *l, const struct rs_nic_info *nic)
{
	struct match m = {.span = {l->action.p, l->action.p}};
	if (nic->is_loopback || (nic->is_master_or_stacked && !*nic->device))
		return m;
	if (find_name(l->action, nic->name, &m.span))
		m.tie = TIE_INTERFACE;
	else if (find_device(l->action, nic, &m.span))
		m.tie = TIE_DEVICE;
	else if (names_driver(l->action, nic, &m.span))
		m.tie = TIE_DRIVER;
	/* Vectors are not shared, but an action of another driver on a shared
	 * line is not the device's for its number alone. */
	m.is_direct = ((l->has_irq && has_vector(nic, l->irq)) || chip_names(l->chip, nic)) &&
		      (m.tie != TIE_NONE || !l->is_shared);
	return m;
}

static void
put(struct output *out, struct rs_irq_feed f)
{
	for (size_t i = 0; i < RS_MIN(out->n, out->cap); i++) {
		const struct rs_irq_feed *const o = &out->feeds[i];
		if (o->ifindex == f.ifindex && o->queue == f.queue && o->is_rx == f.is_rx &&
		    o->is_tx == f.is_tx && o->role == f.role)
			return; /* a driver may be listed twice */
	}
	if (out->n < out->cap)
		out->feeds[out->n] = f;
	out->n++;
}

/* What all candidates together allow. */
struct best {
	bool is_direct;
	enum tie tie;
	size_t name_len;
};

static bool
is_chosen(const struct match *m, const struct best *b)
{
	if (b->is_direct != m->is_direct || m->tie != b->tie)
		return false;
	return m->tie != TIE_INTERFACE || rs_text_len(m->span) == b->name_len;
}

/* A driver's name alone does not tell two of its devices apart. */
static bool
is_ambiguous(const struct line *l, const struct rs_nic_info *nics, size_t n)
{
	const struct rs_nic_info *first = NULL;
	for (size_t i = 0; i < n; i++) {
		struct rs_text span;
		if (!names_driver(l->action, &nics[i], &span) || span.p == span.end ||
		    rs_usb_bus(nics[i].device) >= 0)
			continue;
		if (first && strcmp(first->device, nics[i].device) != 0)
			return true;
		first = &nics[i];
	}
	return false;
}

static void
map_action(const struct line *l, const struct rs_nic_info *nics, size_t n, struct output *out)
{
	struct best best = {0};
	for (size_t i = 0; i < n; i++) {
		const struct match m = match_nic(l, &nics[i]);
		const size_t len = m.tie == TIE_INTERFACE ? rs_text_len(m.span) : 0;
		if (m.is_direct > best.is_direct ||
		    (m.is_direct == best.is_direct && m.tie > best.tie))
			best = (struct best){m.is_direct, m.tie, len};
		else if (m.is_direct == best.is_direct && m.tie == best.tie)
			best.name_len = RS_MAX(best.name_len, len);
	}
	if (!best.is_direct &&
	    (best.tie == TIE_NONE || (best.tie == TIE_DRIVER && is_ambiguous(l, nics, n))))
		return;
	for (size_t i = 0; i < n; i++) {
		const struct match m = match_nic(l, &nics[i]);
		if (!is_chosen(&m, &best))
			continue;
		struct rs_irq_feed feeds[RS_IRQ_WORDS_FEEDS];
		const size_t found = rs_irq_words(l->action, m.span, &nics[i], l->irq, feeds);
		for (size_t k = 0; k < found; k++)
			put(out, feeds[k]);
	}
}

size_t
/* NOLINTNEXTLINE(readability-function-size): three texts and two arrays */
rs_irq_feeds(struct rs_text name, struct rs_text chip, struct rs_text actions,
    const struct rs_nic_info *nics, size_t n_nics, struct rs_irq_feed *ret_feeds, size_t cap)
{
	struct line l = {.chip = chip};
	struct output out = {ret_feeds, 0, cap};
	l.has_irq = is_decimal(name) && rs_text_u64(&name, &l.irq);
	l.is_shared = rs_text_len(actions) && memchr(actions.p, ',', rs_text_len(actions)) != NULL;
	bool is_last = false;
	while (!is_last) {
		if (!rs_text_until(&actions, ',', &l.action)) {
			l.action = actions;
			is_last = true;
		}
		l.action = rs_text_trim(l.action);
		if (rs_text_len(l.action))
			map_action(&l, nics, n_nics, &out);
	}
	return out.n;
}

bool
rs_irq_is_numbered(const struct rs_irq_feed *f)
{
	return f->role == RS_IRQ_QUEUE && !f->is_bare;
}

void
rs_irq_settle(struct rs_irq_feed *f, bool has_numbered)
{
	if (f->is_bare)
		f->role = has_numbered ? RS_IRQ_CONTROL : RS_IRQ_QUEUE;
}
