/* SPDX-License-Identifier: ISC */
/*
 * Tables of names, and the order in which they are tried.
 */
#include "diagnose/guess.h"

#include <string.h>

#include "import/import.h"
#include "linux/drivers.h"

enum { PCI_ADDRESS_MIN = 12, INTERFACE_NAME_MAX = 15 };

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f');
}

/* --- addresses ------------------------------------------------------------ */

/* "0000:01:00.0" at p. */
static size_t
pci_length(const char *p, const char *end)
{
	static const char form[] = ":hh:hh.h";
	const char *q = p;

	while (q < end && is_hex(*q) && q - p < PCI_ADDRESS_MIN)
		q++;
	if (q - p < 4 || (size_t)(end - q) < strlen(form))
		return 0;
	for (size_t i = 0; i < strlen(form); i++, q++) {
		if (form[i] == 'h' ? !is_hex(*q) : *q != form[i])
			return 0;
	}
	return (size_t)(q - p);
}

/* The first PCI address in an action. */
static bool
find_pci(struct rs_text t, struct rs_text *ret)
{
	for (const char *p = t.p; t.end - p >= PCI_ADDRESS_MIN; p++) {
		const bool is_start = p == t.p || strchr("@:-[", p[-1]) != NULL;
		const size_t len = is_start ? pci_length(p, t.end) : 0;
		if (len > 0) {
			*ret = (struct rs_text){p, p + len};
			return true;
		}
	}
	return false;
}

bool
rs_guess_is_pci(struct rs_text name)
{
	return rs_text_len(name) > 0 && pci_length(name.p, name.end) == rs_text_len(name);
}

/* --- interfaces ----------------------------------------------------------- */

/* Words in front of a queue's number (drivers/net). */
static const char *const queue_words[] = {"TxRx-", "Tx-Rx-", "rxtx-", "fp-", "rx-", "tx-", "Rx-",
    "Tx-", "rx", "tx", "Rx", "Tx", "txrx-", "rxtx", "q", "int", "ntfy-block.", "event-"};

/* Drivers whose name stands before the interface's. */
static const char *const prefixes[] = {"i40e-", "iavf-", "ice-", "idpf-", "ionic-", "fm10k-"};

/* How the kernel, systemd and switches call interfaces; '#': digits. */
static const char *const name_forms[] = {"eth#", "em#", "wlan#", "ib#", "lan#", "wan#", "sfp#",
    "switch#", "p#p#", "eno#", "ens#", "enp#s#", "lan", "wan", "ra#", "rai#"};

static bool
is_queue_part(struct rs_text t)
{
	for (size_t i = 0; i < RS_ARRAY_LEN(queue_words); i++) {
		struct rs_text rest = t;
		if (rs_text_skip(&rest, queue_words[i]) && rest.p < rest.end && is_digit(*rest.p))
			return true;
	}
	return false;
}

static bool
is_name_char(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       c == '.' || c == '%';
}

static bool
is_name(struct rs_text t)
{
	if (rs_text_len(t) == 0 || rs_text_len(t) > INTERFACE_NAME_MAX || is_digit(*t.p))
		return false;
	for (const char *p = t.p; p < t.end; p++) {
		if (!is_name_char(*p))
			return false;
	}
	return true;
}

bool
rs_guess_is_interface(struct rs_text name)
{
	for (size_t i = 0; i < RS_ARRAY_LEN(name_forms); i++) {
		if (rs_import_fits(name_forms[i], name))
			return true;
	}
	/* systemd's longer ones: "en" or "wl", a letter, a number. */
	return rs_text_len(name) >= 4 && is_name(name) &&
	       (rs_text_starts(name, "en") || rs_text_starts(name, "wl")) &&
	       strchr("ospxPabcvX", name.p[2]) != NULL && is_hex(name.p[3]);
}

/* The name of an interface at the front, and a queue or nothing behind it. */
static bool
find_interface(struct rs_text t, struct rs_guess *ret)
{
	for (size_t i = 0; i < RS_ARRAY_LEN(prefixes); i++) {
		if (rs_text_skip(&t, prefixes[i]))
			break;
	}
	for (const char *p = t.p; p <= t.end && p - t.p <= INTERFACE_NAME_MAX; p++) {
		const struct rs_text name = {t.p, p};
		const bool is_end = p == t.end;
		if (!is_end && strchr("-:[", *p) == NULL)
			continue;
		const struct rs_text rest = {is_end ? p : p + 1, t.end};
		const bool is_queue =
		    !is_end && *p == '-' && is_queue_part(rest) && !rs_guess_is_interface(rest);
		if (!(is_queue && is_name(name)) && !rs_guess_is_interface(name))
			continue;
		ret->interface = name;
		ret->is_wireless = rs_text_starts(name, "wl") || rs_text_starts(name, "ra");
		return true;
	}
	return false;
}

/* --- drivers -------------------------------------------------------------- */

/* Those that put a PCI address into the names of their interrupts. */
static const struct {
	const char *begins, *driver;
} pci_drivers[] = {
    {"mlx5", "mlx5_core"},
    {"mlx4", "mlx4_core"},
    {"gve", "gve"},
    {"ena", "ena"},
    {"mana", "mana"},
    {"al-eth", "al_eth"},
    {"sky2", "sky2"},
    {"hns3", "hns3"},
    {"hinic", "hinic"},
    {"nfp", "nfp"},
};

/* Those that call the interrupts of all their devices by one name, as far as
 * drivers.c does not know them. */
static const struct {
	const char *begins; /* up to the end, or ':' */
	bool is_wireless, is_prefix;
} named_drivers[] = {
    {"iwlwifi", true, false},
    {"mwlwifi", true, false},
    {"ath9k", true, false},
    {"ath10k_pci", true, false},
    {"ath10k_ahb", true, false},
    {"ath11k", true, true},
    {"ath12k", true, true},
    {"rtw88", true, true},
    {"rtw89", true, true},
    {"rtw_pci", true, false},
    {"brcmf", true, true},
    {"rt2800", true, true},
    {"b43", true, false},
    {"mwifiex", true, true},
    {"wil6210", true, true},
    {"xrx200_net", false, true},
    {"ltq_etop", false, true},
    {"ag71xx", false, false},
};

/* Interrupts named after a part of a chip that drives interfaces. */
static const struct {
	const char *form;
	const char *driver; /* NULL: the name of the interrupt */
	bool is_wireless, is_prefix;
} parts[] = {
    {"mt#e", NULL, true, false}, /* drivers/net/wireless/mediatek/mt76 */
    {"ce#", "ath11k", true, false},
    {"reo2host-destination-ring#", "ath11k", true, false},
    {"wbm2host-tx-completions-ring#", "ath11k", true, false},
    {"rxdma2host-destination-ring-mac#", "ath11k", true, false},
    {"dpio.#", "fsl_dpaa2_eth", false, false},
    {"nss_queue#", "nss-dp", false, false},
    {"edma_rxdesc", "nss-dp", false, true},
    {"edma_txcmpl", "nss-dp", false, true},
};

static bool
guess_pci(struct rs_text action, struct rs_guess *ret)
{
	for (size_t i = 0; i < RS_ARRAY_LEN(pci_drivers); i++) {
		if (!rs_text_starts(action, pci_drivers[i].begins))
			continue;
		ret->driver = rs_text_of(pci_drivers[i].driver);
		return true;
	}
	return false;
}

/* "1e100000.ethernet", with ":rxq0" behind it. */
static bool
guess_platform(struct rs_text name, struct rs_guess *ret)
{
	static const char *const ends[] = {
	    ".ethernet", ".eth", ".gmac", ".switch", ".ethernet-switch"};

	for (size_t i = 0; i < RS_ARRAY_LEN(ends); i++) {
		const size_t len = strlen(ends[i]);
		if (rs_text_len(name) > len && is_hex(*name.p) &&
		    memcmp(name.end - len, ends[i], len) == 0 &&
		    memchr(name.p, ' ', rs_text_len(name)) == NULL) {
			ret->device = name;
			return true;
		}
	}
	return false;
}

static bool
guess_part(struct rs_text action, struct rs_guess *ret)
{
	for (size_t i = 0; i < RS_ARRAY_LEN(parts); i++) {
		if (!rs_import_fits(parts[i].form, action) &&
		    !(parts[i].is_prefix && rs_text_starts(action, parts[i].form)))
			continue;
		ret->driver = parts[i].driver != NULL ? rs_text_of(parts[i].driver) : action;
		ret->is_wireless = parts[i].is_wireless;
		return true;
	}
	return false;
}

static bool
guess_driver(struct rs_text name, struct rs_guess *ret)
{
	char driver[32];

	if (rs_text_len(name) == 0 || !rs_text_copy(name, driver, sizeof(driver)))
		return false;
	ret->driver = name;
	for (size_t i = 0; i < RS_ARRAY_LEN(named_drivers); i++) {
		const char *const begins = named_drivers[i].begins;
		if (named_drivers[i].is_prefix ? !rs_text_starts(name, begins)
					       : !rs_text_eq(name, begins))
			continue;
		ret->is_wireless = named_drivers[i].is_wireless;
		return true;
	}
	return rs_driver_find(driver) != NULL;
}

/* Of virtio devices only a network device has an input and an output
 * (drivers/net/virtio_net.c). */
static bool
guess_virtio(struct rs_text action, struct rs_text rest, struct rs_guess *ret)
{
	ret->device = (struct rs_text){action.p, rest.p};
	ret->driver = rs_text_of("virtio_net");
	return rs_text_starts(rest, "-input.") || rs_text_starts(rest, "-output.");
}

bool
rs_guess(struct rs_text action, struct rs_guess *ret)
{
	struct rs_text rest = action, name = action;
	uint64_t n;

	*ret = (struct rs_guess){.is_wireless = false};
	if (rs_text_skip(&rest, "virtio") && rs_text_u64(&rest, &n))
		return guess_virtio(action, rest, ret);
	if (find_pci(action, &ret->device))
		return guess_pci(action, ret);
	rest = action;
	(void)rs_text_until(&rest, ':', &name);
	return guess_platform(name, ret) || guess_part(action, ret) ||
	       find_interface(action, ret) || guess_driver(name, ret);
}
