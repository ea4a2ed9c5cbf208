# SPDX-License-Identifier: ISC
"""
What the daemon says of a router whose steering is wrong: in a virtual router, under
load, each fault names its cause within its rule's window and five seconds, by the
router's own clock, and is gone again after the load. How much load gets through
depends on the machine, so the window begins when the cores show what the rule is
about.
"""

import contextlib
import os
import re
import socket
import sys

from rig import say, wait_for
from vmrig import (CLIENT, KIND, LOAD_S, QUEUES, SERVER, api, many_tcp, now_ms, run_in_vm,
                   running, series, shell, twin)

UDP_LOAD = os.environ.get("UDP_LOAD", "udp_load")
CORES = 4
RULES = 200
PILE = 3
SPARE_S = 5
# Of the votes (rule.h): news about a core that has room waits so long, a count of
# what should not happen so long; and what clears them.
LEVEL_S, COUNTER_S = 12, 5
LEVEL_CLEAR_S, COUNTER_CLEAR_S = 15, 60
EPISODE_S = 60


# --- load ------------------------------------------------------------------------

def tcp(flows):
    """TCP flows of (source port, destination port)."""
    return running([("iperf3", "-s", "-1", "-p", to) for _, to in flows],
                   [("iperf3", "-c", SERVER, "-p", to, "--cport", of, "-t", LOAD_S)
                    for of, to in flows])


def udp(flows, pps):
    """So many flows of small packets, each with a source port of its own."""
    return running([(UDP_LOAD, "sink", 7000, LOAD_S)],
                   [(UDP_LOAD, "send", SERVER, 7000, pps, LOAD_S)] * flows)


# What the server answers is routed, and its source checked, by the first rules already:
# the core that takes the answers has little to do.
CHEAP = ("pref 900 iif eth1 lookup main", "pref 901 to 10.77.2.0/24 iif lo lookup main")


def change_rules(verb):
    rules = [*CHEAP, *(f"pref {1000 + i} from 192.0.2.{i} lookup main" for i in range(1, RULES))]
    shell("ip -batch - <<'END'\n" + "\n".join(f"rule {verb} {rule}" for rule in rules) + "\nEND")


@contextlib.contextmanager
def more_work():
    """A long list of routing rules makes each packet dear, so that few fill a core."""
    change_rules("add")
    try:
        yield
    finally:
        change_rules("del")


# --- where the NIC puts a flow ---------------------------------------------------------

def toeplitz(key, data):
    bits, size, result = int.from_bytes(key, "big"), len(key) * 8, 0
    for i in range(len(data) * 8):
        if data[i // 8] >> (7 - i % 8) & 1:
            result ^= bits >> (size - 32 - i) & 0xFFFFFFFF
    return result


def hash_of(key, source, source_port, destination, destination_port):
    return toeplitz(key, socket.inet_aton(source) + socket.inet_aton(destination)
                    + source_port.to_bytes(2, "big") + destination_port.to_bytes(2, "big"))


def table_of(nic):
    rows = re.findall(r"^\s*\d+:((?:\s+\d+)+)$", shell(f"ethtool -x {nic}"), re.M)
    return [int(word) for row in rows for word in row.split()]


def flows_on_one_queue(count):
    """Ports of TCP flows that share a queue of eth0, and their answers another one of
    eth1; and the queue. igb does not tell its key, but takes it from the kernel's."""
    key = bytes.fromhex(shell("cat /proc/sys/net/core/netdev_rss_key").strip().replace(":", ""))
    there, back = table_of("eth0"), table_of("eth1")
    flows = {}
    for port in range(20000, 60000, 7):
        for to in range(5300, 5300 + count):
            go = there[hash_of(key, CLIENT, port, SERVER, to) % len(there)]
            come = back[hash_of(key, SERVER, to, CLIENT, port) % len(back)]
            if go == come:
                continue
            mine = flows.setdefault((go, come), {})
            mine.setdefault(to, port)
            if len(mine) == count:
                return [(of, at) for at, of in mine.items()], go
    raise AssertionError("no ports found")


# --- findings ---------------------------------------------------------------------------

def leads(loads):
    """A core is ahead of the others, by chapter 1.5 of the reference: skewed, and all
    the more so when it is full and they are not."""
    if len(loads) < CORES or None in loads:
        return False
    top = max(loads)
    return top >= 0.5 and top - (sum(loads) - top) / (CORES - 1) >= 0.6


def since_a_core_leads(start_ms):
    """The end of the first window in which four of five seconds showed it."""
    votes = [(at, leads(loads)) for at, loads in series("core_packet_load_ratio", start_ms)]
    for i in range(LEVEL_S, len(votes) + 1):
        if sum(vote for _, vote in votes[i - LEVEL_S:i]) >= 0.8 * LEVEL_S:
            return votes[i - 1][0]
    return None


def since_counted(metric, start_ms, least, window_s, **labels):
    """The end of the window that begins when there is something to count."""
    for at, values in series(metric, start_ms, **labels):
        if sum(v or 0 for v in values) >= least:
            return at + window_s * 1000
    return None


def find(code, start_ms, **subject):
    return next((f for f in api("findings?state=all")
                 if f["code"] == code and f["raised_ms"] > start_ms
                 and all(f["subject"].get(k) == v for k, v in subject.items())), None)


def words_of(finding):
    """All it says, a line for each thing."""
    lines = [finding["message"], *(str(c) for c in finding["causes"])]
    lines += [f"{e['label']}: {e.get('text') or e['value']}" for e in finding["evidence"]]
    return "\n".join(lines + [a["command"] for a in finding["advice"]])


def raised(code, start_ms, due_ms, says, **subject):
    """Waits for the finding; due_ms: when its window has ended, None: not yet."""
    try:
        finding = wait_for(code, lambda: find(code, start_ms, **subject), LOAD_S - 15, 1)
    except AssertionError:
        say("packet load: " + "; ".join(" ".join(f"{x or 0:.2f}" for x in loads) for _, loads
                                        in series("core_packet_load_ratio", start_ms)))
        raise
    due = due_ms()
    summary = api("summary")
    full = max(load or 0 for _, loads in series("core_packet_load_ratio", start_ms)
               for load in loads)
    say(f"{code} {finding['severity']}: raised {(finding['raised_ms'] - start_ms) / 1e3:.0f} s "
        f"after the load began, the longest window ended at "
        f"{f'{(due - start_ms) / 1e3:.0f} s' if due else 'no time yet'}: "
        f"{finding['message']}")
    say(f"{summary['verdict']}; the fullest core reached {full * 100:.0f} %")
    # A warning has a shorter window than the one that is looked for.
    late = finding["raised_ms"] - due if due else 0
    assert late <= SPARE_S * 1000, f"{late} ms late"
    text = words_of(finding)
    for word in says:
        assert word in text, f"no {word!r} in:\n{text}"
    return finding


def cleared(finding, end_ms, window_s):
    def gone():
        return next((f for f in api("findings?state=all")
                     if f["id"] == finding["id"] and f["cleared_ms"]), None)

    took = wait_for(finding["code"] + " to clear", gone, window_s + 60, 1)["cleared_ms"] - end_ms
    say(f"cleared {took / 1e3:.0f} s after the load")
    assert took <= (window_s + SPARE_S) * 1000, f"cleared after {took} ms"


# Rules that say why a core leads; what it loses meanwhile is told beside it.
CAUSES = ("irq.", "rps.", "rss.", "queue.", "flow.", "napi.", "tx.single_queue")


def other_causes(start_ms, code):
    return [f"{f['code']}: {f['message']}" for f in api("findings?state=all")
            if f["raised_ms"] > start_ms and f["code"] != code and f["code"].startswith(CAUSES)]


def settled(code):
    """Waits until what is raised is news: no cause stands, and this one has not for so
    long that it would be the same episode. The time from then on."""
    def is_old(finding):
        if not finding["cleared_ms"]:
            return not finding["code"].startswith((*CAUSES, code))
        return finding["code"] != code or now_ms() > finding["cleared_ms"] + EPISODE_S * 1000

    wait_for("an end of what came before", lambda: all(map(is_old, api("findings?state=all"))),
             COUNTER_CLEAR_S + EPISODE_S + 30, 1)
    return now_ms()


def steered(load, code, says, **subject):
    """Under this load, the cause of the core that leads is this one alone."""
    start_ms = settled(code)
    with load:
        finding = raised(code, start_ms, lambda: since_a_core_leads(start_ms), says, **subject)
        more = other_causes(start_ms, code)
        assert more == [], more
    cleared(finding, now_ms(), LEVEL_CLEAR_S)


# --- the faults -----------------------------------------------------------------------

def tcp_flows_on_one_queue_are_one_flow_or_a_collision():
    twin("steer", "spread")
    flows, queue = flows_on_one_queue(4)
    say(f"ports {flows} share queue {queue}")
    with more_work():
        steered(tcp(flows), "flow.elephant",
                ["one flow or a hash collision (p=0.25 for two flows)",
                 f"queue {queue} of the {QUEUES} that flows are given to"],
                kind="queue", device="eth0", queue=queue, direction="rx")


def udp_hashed_by_addresses_is_named_with_its_remedy():
    twin("steer", "spread")
    with more_work():
        steered(udp(8, 4000), "flow.elephant",
                ["one flow or a hash collision", "rx-flow-hash udp4 is sd",
                 "ethtool -N eth0 rx-flow-hash udp4 sdfn"],
                kind="queue", device="eth0", direction="rx")


def all_interrupts_on_one_core_are_named():
    twin("steer", "pile", str(PILE))
    start_ms = settled("irq.all_on_one")
    with many_tcp():
        finding = raised(
            "irq.all_on_one", start_ms,
            lambda: since_counted("interface_packets", start_ms, 5000, 5, device="eth0"),
            [f"every interrupt of eth0 and eth1 fires on core {PILE}",
             f"the affinity masks of all lines name core {PILE} alone", "smp_affinity_list"],
            kind="core", core=PILE)
        wait_for("a warning", lambda: find("irq.all_on_one", start_ms)["severity"] == "warn", 60, 1)
    cleared(finding, now_ms(), LEVEL_CLEAR_S)
    twin("steer", "spread")


def an_rps_mask_of_one_wrong_core_is_named():
    twin("steer", "spread")
    for nic in ("eth0", "eth1"):
        twin("steer", "rps", nic, "3")
    try:
        with more_work():
            steered(many_tcp(), "rps.misset",
                    ["RPS hands all packets of eth0", "to core 3",
                     f"RPS masks: cores 3 on all {QUEUES} queues", "rps_cpus"],
                    kind="interface", device="eth0")
    finally:
        shell("for q in /sys/class/net/eth[01]/queues/rx-*; do echo 0 > $q/rps_cpus; done")


def threads_of_napi_piled_on_one_core_are_named():
    twin("steer", "spread")
    shell("for n in eth0 eth1; do echo 1 > /sys/class/net/$n/threaded; done; sleep 1; "
          "for p in $(pgrep '^napi/eth[01]'); do taskset -pc 2 $p; done")
    try:
        steered(many_tcp(), "napi.threads",
                ["threads that poll eth0 and eth1 share core 2", "thread napi/eth0-",
                 "taskset -pc"], kind="core", core=2)
    finally:
        shell("for n in eth0 eth1; do echo 0 > /sys/class/net/$n/threaded; done")


# QEMU's igb and e1000e let frames wait in the host while no ring has room, and count
# nothing where another ring has; vmxnet3 drops and counts ("pkts rx OOB").
def a_ring_too_small_for_bursts_is_named():
    shell("ethtool -G eth0 rx 32")
    sizes = re.findall(r"^RX:\s+(\d+)", shell("ethtool -g eth0"), re.M)
    burst = ("import socket, time\n"
             "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
             f"s.connect(('{SERVER}', 7000))\n"
             f"end = time.monotonic() + {LOAD_S}\n"
             "while time.monotonic() < end:\n"
             "    for i in range(300):\n"
             "        s.send(bytes(22))\n"
             "    time.sleep(0.2)\n")
    start_ms = settled("ring.overflow_idle")
    with running([(UDP_LOAD, "sink", 7000, LOAD_S)], [(sys.executable, "-c", burst)]):
        finding = raised(
            "ring.overflow_idle", start_ms,
            lambda: since_counted("interface_ring_packets", start_ms, 1, COUNTER_S, device="eth0"),
            [f"receive ring: {sizes[1]} of at most {sizes[0]} descriptors",
             f"ethtool -G eth0 rx {2 * int(sizes[1])}"], kind="interface", device="eth0")
    lost = re.findall(r"pkts rx OOB: (\d+)", shell("ethtool -S eth0"))
    say(f"lost by the NIC's own count: {sum(map(int, lost))}")
    cleared(finding, now_ms(), COUNTER_CLEAR_S)
    shell(f"ethtool -G eth0 rx {2 * int(sizes[1])}")


FAULTS = {
    "igb": [
        tcp_flows_on_one_queue_are_one_flow_or_a_collision,
        udp_hashed_by_addresses_is_named_with_its_remedy,
        all_interrupts_on_one_core_are_named,
        an_rps_mask_of_one_wrong_core_is_named,
        threads_of_napi_piled_on_one_core_are_named,
    ],
    "vmxnet3": [a_ring_too_small_for_bursts_is_named],
}
sys.exit(run_in_vm(FAULTS[KIND]))
