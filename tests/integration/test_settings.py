# SPDX-License-Identifier: ISC
"""
Settings that change while the daemon runs, in a network namespace with a veth
pair of four queues: each is in the log of changes, on the stream, in the map and,
after a restart, still in the history. Times are printed, never asserted.
"""

import os
import subprocess
import sys
import time

from rig import Daemon, Stream, run_tests, say, skip, wait_for

BINARY = os.environ["RINGSIDED"]
NAME = f"rs{os.getpid() % 100000}s"
NIC = "rsveth0"
WRAPPER = f"/tmp/{NAME}-ringsided"


def run(*command):
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=30)


def inside(*command):
    run("ip", "netns", "exec", NAME, *command)


def enter():
    """This process joins the namespace, to talk to the daemon there."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    with open(f"/run/netns/{NAME}") as f:
        if libc.setns(f.fileno(), 0x40000000) != 0:
            raise OSError(ctypes.get_errno(), "setns")


def write(path, value):
    inside("sh", "-c", f"echo {value} > {path}")


# What is done, and the change that must be told of it: kind, queue, new value.
STEPS = [
    ("RPS mask of queue 2", lambda: write(f"/sys/class/net/{NIC}/queues/rx-2/rps_cpus", 1),
     "rps_cpus", 2, "0"),
    ("RFS flows of queue 1",
     lambda: write(f"/sys/class/net/{NIC}/queues/rx-1/rps_flow_cnt", 256),
     "rps_flow_cnt", 1, "256"),
    ("XPS mask of queue 3", lambda: write(f"/sys/class/net/{NIC}/queues/tx-3/xps_cpus", 1),
     "xps_cpus", 3, "0"),
    # A veth has NAPI only while it has GRO.
    ("offloads", lambda: inside("ethtool", "-K", NIC, "gro", "on"), "offloads", None, None),
    ("threaded NAPI", lambda: write(f"/sys/class/net/{NIC}/threaded", 1), "threaded", None, "on"),
    ("MTU", lambda: inside("ip", "link", "set", NIC, "mtu", "1400"), "mtu", None, "1400"),
    ("receive channels", lambda: inside("ethtool", "-L", NIC, "rx", "2"),
     "channels_rx", None, "2"),
    ("qdisc", lambda: inside("tc", "qdisc", "replace", "dev", NIC, "root", "pfifo"),
     "qdisc", None, "pfifo"),
    ("link down", lambda: inside("ip", "link", "set", f"{NIC}p", "down"),
     "carrier", None, "down"),
]


def find(changes, kind, queue, new):
    for c in changes:
        s = c["subject"]
        if c["kind"] == kind and s.get("device") == NIC and s.get("queue") == queue and \
                new in (None, c["new"]):
            return c
    return None


class Session:
    daemon = stream = None
    told = []


def device(daemon):
    return next((d for d in daemon.get("map")["devices"] if d["device"] == NIC), None)


def each_change_is_told_once_with_old_and_new():
    daemon = Session.daemon
    wait_for("the settings of the device", lambda: (device(daemon) or {"settings": {}})
             ["settings"].get("channels_rx") == "4")
    wait_for("the settings of its queues", lambda: all(
        "rps_cpus" in q["settings"] for q in device(daemon)["queues"] if q["direction"] == "rx"))
    # Two whole rounds of reading without a difference, so that nothing that is
    # told below was already on its way.
    quiet = len(daemon.get(f"changes?device={NIC}"))
    ticks = daemon.get("health")["ticks"]
    wait_for("ten ticks", lambda: daemon.get("health")["ticks"] >= ticks + 10)
    assert len(daemon.get(f"changes?device={NIC}")) == quiet, daemon.get("changes")
    for what, act, kind, queue, new in STEPS:
        started = time.time()
        act()
        change = wait_for(what, lambda kind=kind, queue=queue, new=new: find(
            daemon.get("changes"), kind, queue, new), 60, 0.2)
        assert change["old"] != change["new"], change
        say(f"{what}: {change['old']} -> {change['new']} "
            f"after {change['at_ms'] / 1e3 - started:.1f} s")
        Session.told.append(change)
    ids = [c["id"] for c in daemon.get("changes")]
    assert ids == sorted(set(ids), reverse=True), ids


def each_change_is_an_event_of_the_stream():
    for told in Session.told:
        seen = wait_for(f"event {told['id']}", lambda told=told: [
            d for k, d, _ in list(Session.stream.events) if k == "change"
            and d["id"] == told["id"]])
        assert seen == [told], (seen, told)


def device_with_two_queues():
    nic = device(Session.daemon)
    return nic if sum(q["direction"] == "rx" for q in nic["queues"]) == 2 else None


def the_map_shows_what_was_set():
    nic = wait_for("a map with two receive queues", device_with_two_queues, 5)
    queues = {(q["direction"], q["queue"]): q for q in nic["queues"]}
    assert nic["settings"]["mtu"] == "1400", nic["settings"]
    assert nic["settings"]["threaded"] == "on", nic["settings"]
    assert queues["tx", 3]["settings"]["xps_cpus"] == "0", queues["tx", 3]
    assert nic["counters"]["source"] in ("none", "netlink", "ethtool"), nic["counters"]
    if nic["counters"]["source"] == "none":
        assert nic["counters"]["reason"], nic["counters"]


def changes_can_be_asked_by_kind_and_device():
    daemon = Session.daemon
    kinds = {c["kind"] for c in daemon.get(f"changes?kind=mtu&device={NIC}")}
    assert kinds == {"mtu"}, kinds
    assert daemon.get("changes?device=nosuch") == []
    assert len(daemon.get("changes?limit=2")) == 2
    status, _, _ = daemon.request("/api/v1/changes?limit=0")
    assert status == 400, status


def the_history_of_changes_survives_a_restart():
    before = Session.daemon.get("changes")
    path = Session.daemon.db
    assert Session.daemon.stop() == 0
    with Daemon(WRAPPER, "--db", path) as again:
        after = again.get("changes")
        assert after[-len(before):] == before, (before[:2], after[:2])
        newest = after[0]["id"]
        wait_for("the device", lambda: device(again))
        wait_for("its settings", lambda: "mtu" in device(again)["settings"])
        inside("ip", "link", "set", NIC, "mtu", "1300")
        change = wait_for("a change after the restart", lambda: find(
            again.get("changes"), "mtu", None, "1300"), 60)
        assert change["id"] > newest, change


def main():
    if os.geteuid() != 0:
        skip("network namespaces need root")
    if not os.path.exists("/proc/self/ns/net"):
        skip("no network namespaces here")
    try:
        run("ip", "netns", "add", NAME)
    except (OSError, subprocess.SubprocessError) as error:
        skip(f"network namespaces cannot be made: {error}")
    try:
        inside("ip", "link", "set", "lo", "up")
        inside("ip", "link", "add", "name", NIC, "numrxqueues", "4", "numtxqueues", "4", "type",
               "veth", "peer", "name", f"{NIC}p", "numrxqueues", "4", "numtxqueues", "4")
        for name in (NIC, f"{NIC}p"):
            inside("ip", "link", "set", name, "up")
        with open(WRAPPER, "w") as f:
            f.write(f'#!/bin/sh\nexec ip netns exec {NAME} "{BINARY}" "$@"\n')
        os.chmod(WRAPPER, 0o755)
        enter()
        with Daemon(WRAPPER) as daemon:
            Session.daemon = daemon
            Session.stream = Stream(daemon)
            return run_tests([
                each_change_is_told_once_with_old_and_new,
                each_change_is_an_event_of_the_stream,
                the_map_shows_what_was_set,
                changes_can_be_asked_by_kind_and_device,
                the_history_of_changes_survives_a_restart,
            ])
    finally:
        subprocess.run(["ip", "netns", "del", NAME], capture_output=True)
        if os.path.exists(WRAPPER):
            os.unlink(WRAPPER)


sys.exit(main())
