# SPDX-License-Identifier: ISC
"""
The daemon in a virtual router with multi-queue NICs: its map beside what the NIC
and the kernel say themselves. Needs the test router of the shared folder; part of
`./dev check`, since a machine without virtualization emulates it. Times are
printed, never asserted.
"""

import os
import re
import subprocess
import sys
import time

from rig import say, wait_for
from vmrig import QUEUES, TWIN, api, now_ms, run_in_vm, shell, twin

PILE = 3


def device(name):
    return next((d for d in api("map")["devices"] if d["device"] == name), None)


def queue(name, number, direction):
    return next((q for q in device(name)["queues"]
                 if q["queue"] == number and q["direction"] == direction), None)


def own_counters(nic):
    """{(direction, queue): packets} by ethtool, else by the kernel's netdev family."""
    result = {}
    for line in shell(f"ethtool -S {nic}").splitlines():
        match = re.match(r"\s*(rx|tx)_queue_(\d+)_packets:\s*(\d+)", line)
        if match:
            result[match[1], int(match[2])] = int(match[3])
    if result:
        return result
    index = int(shell(f"cat /sys/class/net/{nic}/ifindex"))
    dump = twin("run", os.path.join(os.path.dirname(TWIN), "netdev-dump"))
    for line in dump.splitlines():
        if not line.startswith("queue qstats"):
            continue
        fields = dict(re.findall(r"([a-z-]+)=(\d+)", line))
        if int(fields["ifindex"]) != index:
            continue
        direction = "tx" if fields["queue-type"] == "1" else "rx"
        result[direction, int(fields["queue-id"])] = int(fields[f"{direction}-packets"])
    return result


def ours(nic, after, before):
    """{(direction, queue): packets} of the window by the history."""
    result = {}
    answer = api(f"series?metric=queue_packets&device={nic}&after={after}&before={before}"
                 "&points=1&aggregate=sum")
    for s in answer["series"]:
        labels = s["labels"]
        value = sum(v for v in s["values"] if v is not None)
        result[labels["direction"], int(labels["queue"])] = value
    return result


def await_change(what, kind, is_it, script):
    """Does something to the router and waits until it is in the log of changes."""
    newest = max((c["id"] for c in api("changes")), default=0)
    # The agent answers when the shell is done; the clock is read in the router.
    done_s = float(shell(f"{script} && date +%s.%N").split()[-1])
    found = wait_for(
        what,
        lambda: next((c for c in api("changes?limit=200")
                      if c["id"] > newest and c["kind"] == kind and is_it(c)), None),
        60, 0.5)
    say(f"{what}: {found['old']} -> {found['new']}, seen {found['at_ms'] / 1e3 - done_s:.1f} s "
        "after it was done")
    return found


def queue_packets_equal_the_counters_of_the_nic():
    for nic in ("eth0", "eth1"):
        assert wait_for("queues of " + nic, lambda nic=nic: device(nic))["counters"]["source"] \
            != "none", device(nic)["counters"]
    time.sleep(3)  # nothing is sent: both windows hold the same packets
    before, from_s = {n: own_counters(n) for n in ("eth0", "eth1")}, now_ms() / 1e3
    twin("load", "-P", "16", "-t", "8")
    time.sleep(3)
    to_s, after = now_ms() / 1e3 + 1, {n: own_counters(n) for n in ("eth0", "eth1")}
    time.sleep(2)
    for nic in ("eth0", "eth1"):
        seen = ours(nic, f"{from_s:.0f}", f"{to_s:.0f}")
        total = 0
        for key, count in after[nic].items():
            told = count - before[nic][key]
            total += told
            assert abs(seen.get(key, 0) - told) <= 40 + told * 0.001, \
                f"{nic} {key}: {seen.get(key)} for {told}"
        say(f"{nic}: {total} packets by the NIC, {sum(seen.values()):.0f} by ringside: "
            + ", ".join(f"{d}{q} {seen[d, q]:.0f}/{after[nic][d, q] - before[nic][d, q]}"
                        for d, q in sorted(seen)))
        assert total > 10000, f"{nic}: only {total} packets"


def an_affinity_that_moves_is_told_and_shown():
    irq = wait_for("the interrupt of eth0 rx 1", lambda: queue("eth0", 1, "rx")["irq"])
    path = f"/proc/irq/{irq}/smp_affinity_list"
    old = shell(f"cat {path}").split()[0]
    new = "2" if old != "2" else "1"
    change = await_change("affinity of a line", "irq_affinity",
                          lambda c: c["subject"].get("irq") == irq, f"echo {new} > {path}")
    assert change["new"] == new and change["old"] == old, change
    assert change["subject"].get("device") == "eth0", change
    line = next(i for i in api("map")["interrupts"] if i["irq"] == irq)
    assert line["affinity"] == new, line


def an_rps_mask_is_told_and_shown():
    change = await_change("RPS mask", "rps_cpus",
                          lambda c: c["subject"].get("device") == "eth1",
                          "echo 6 > /sys/class/net/eth1/queues/rx-0/rps_cpus")
    assert change["new"] == "1-2" and change["subject"].get("queue") == 0, change
    assert queue("eth1", 0, "rx")["settings"]["rps_cpus"] == "1-2"
    shell("echo 0 > /sys/class/net/eth1/queues/rx-0/rps_cpus")


def threaded_napi_is_told_and_shown():
    change = await_change("threaded NAPI", "threaded",
                          lambda c: c["subject"].get("device") == "eth0",
                          "echo 1 > /sys/class/net/eth0/threaded")
    assert change["new"] == "on", change
    names = wait_for("threads of eth0",
                     lambda: [t["name"] for t in api("map")["threads"] if t["class"] == "napi"
                              and t["device"] == "eth0"], 60)
    say(f"threads: {', '.join(sorted(names))}")
    load = subprocess.Popen([TWIN, "load", "-P", "16", "-t", "8"], stdout=subprocess.DEVNULL)
    busy = wait_for("packet work of threads in the packet load",
                    lambda: [c for c in api("map")["cores"] if (c["packet_threads"] or 0) > 0.2
                             and c["packet_load"] >= c["packet_threads"] - 0.02], 60, 0.5)
    load.wait()
    say("packet threads: " + ", ".join(f"core {c['core']} {c['packet_threads']:.2f} of "
                                       f"{c['packet_load']:.2f}" for c in busy))
    shell("echo 0 > /sys/class/net/eth0/threaded")


def another_number_of_channels_is_told_and_shown():
    change = await_change("number of channels", "channels_combined",
                          lambda c: c["subject"].get("device") == "eth1",
                          "ethtool -L eth1 combined 2")
    assert (change["old"], change["new"]) == (str(QUEUES), "2"), change
    wait_for("two receive queues",
             lambda: sum(q["direction"] == "rx" for q in device("eth1")["queues"]) == 2, 60)
    shell(f"ethtool -L eth1 combined {QUEUES}")
    wait_for("all receive queues again",
             lambda: sum(q["direction"] == "rx" for q in device("eth1")["queues"]) == QUEUES, 60)


def queues_piled_on_one_core_are_shown_and_named():
    twin("steer", "pile", str(PILE))
    wait_for("affinity of all queues", lambda: all(
        i["affinity"] == str(PILE) for i in api("map")["interrupts"]
        if any(f["device"] == "eth0" for f in i["feeds"])), 60)
    load = subprocess.Popen([TWIN, "load", "-P", "40", "-t", "60"], stdout=subprocess.DEVNULL)
    try:
        finding = wait_for("irq.all_on_one", lambda: next(
            (f for f in api("findings") if f["code"] == "irq.all_on_one"), None), 120, 0.5)
        say(f"{finding['severity']}: {finding['message']}")
        assert finding["subject"].get("core") == PILE, finding["subject"]
        assert "eth" in finding["message"], finding["message"]
        cores = {core for q in device("eth0")["queues"] for core in q["cores"]}
        assert cores == {str(PILE)}, cores
        fed = next(c for c in api("map")["cores"] if c["core"] == PILE)["fed_by"]
        numbers = {f["queue"] for f in fed if f["device"] == "eth0" and f["direction"] == "rx"}
        say(f"core {PILE} is fed by eth0 rx {sorted(numbers)}")
        assert numbers, fed
        say(api("summary")["verdict"])
    finally:
        load.kill()
        load.wait()
    twin("steer", "spread")


TESTS = [
    queue_packets_equal_the_counters_of_the_nic,
    an_affinity_that_moves_is_told_and_shown,
    an_rps_mask_is_told_and_shown,
    threaded_napi_is_told_and_shown,
    another_number_of_channels_is_told_and_shown,
    queues_piled_on_one_core_are_shown_and_named,
]

sys.exit(run_in_vm(TESTS))
