/* SPDX-License-Identifier: ISC */
/*
 * Which network device an interrupt is of, by the name its driver gave it, where
 * no sysfs tells. It needs a word that only network drivers use: a queue's word
 * behind a name, a name as the kernel or systemd gives them to interfaces, a
 * driver's name. What fits none of these is no network device's. Pure.
 */
#ifndef RS_GUESS_H
#define RS_GUESS_H

#include <stdbool.h>

#include "text.h"

/* What the name tells; parts that it does not are empty. */
struct rs_guess {
	struct rs_text interface; /* "eth0" */
	struct rs_text device;	  /* "0000:01:00.0", "virtio2", "1e100000.ethernet" */
	struct rs_text driver;
	bool is_wireless;
};

/* The texts are parts of the action, or constant. */
bool rs_guess(struct rs_text action, struct rs_guess *ret);

/* "eth0", "enp0s25", "wlp3s0": as interfaces are called. */
bool rs_guess_is_interface(struct rs_text name);
/* "0000:01:00.0" and nothing else. */
bool rs_guess_is_pci(struct rs_text name);

#endif
