#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""
The whole daemon at 1 Hz beside the bare reads of the same sources, in a network
namespace with three veth devices of four queues and light traffic, and ten quiet
ones.

    bench_daemon.py BUILD_DIR

BENCH_MINUTES (3) is how long; 10 gives the memory figure its ten minutes.
Prints: bench tick_cpu_us, tick_cpu_over_floor, pss_kb, first_sample_ms,
settings_us_per_second, loop_delay_max_ms.
"""

import glob
import http.client
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

BUILD = os.path.abspath(sys.argv[1])
MINUTES = int(os.environ.get("BENCH_MINUTES", "3"))
ROUTER, PEER = f"rsb{os.getpid() % 100000}a", f"rsb{os.getpid() % 100000}b"
TRAFFIC = """
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
end = time.monotonic() + %d
while time.monotonic() < end:
    for i in range(3):
        for k in range(14):
            s.sendto(b"x" * 64, (f"198.18.{i}.1", 9000 + k))
    time.sleep(0.1)
"""


def run(*command):
    subprocess.run(command, check=True, capture_output=True, timeout=30)


def emit(name, value, unit):
    print(f"bench {name} {value:.3f} {unit}", flush=True)


def make_namespaces():
    for name in (ROUTER, PEER):
        run("ip", "netns", "add", name)
        run("ip", "-n", name, "link", "set", "lo", "up")
    for i in range(3):
        run("ip", "link", "add", "name", f"rsa{i}", "netns", ROUTER, "numrxqueues", "4",
            "numtxqueues", "4", "type", "veth", "peer", "name", f"rsb{i}", "netns", PEER,
            "numrxqueues", "4", "numtxqueues", "4")
        run("ip", "-n", ROUTER, "addr", "add", f"198.18.{i}.1/24", "dev", f"rsa{i}")
        run("ip", "-n", PEER, "addr", "add", f"198.18.{i}.2/24", "dev", f"rsb{i}")
        run("ip", "-n", ROUTER, "link", "set", f"rsa{i}", "up")
        run("ip", "-n", PEER, "link", "set", f"rsb{i}", "up")
    for i in range(5):  # quiet ones, for about 300 series in all
        run("ip", "link", "add", "name", f"rsc{i}", "netns", ROUTER, "type", "veth", "peer",
            "name", f"rsd{i}", "netns", ROUTER)


def remove_namespaces():
    for name in (ROUTER, PEER):
        subprocess.run(["ip", "netns", "del", name], capture_output=True)


def enter_router():
    import ctypes

    with open(f"/run/netns/{ROUTER}") as f:
        if ctypes.CDLL(None, use_errno=True).setns(f.fileno(), 0x40000000) != 0:
            raise OSError(ctypes.get_errno(), "setns")


class Daemon:
    running = []

    def __init__(self, *arguments):
        self.dir = tempfile.mkdtemp(prefix="ringside-bench-")
        os.chmod(self.dir, 0o755)
        # As on a router, where /run is in memory.
        self.memory = tempfile.mkdtemp(prefix="ringside-bench-", dir="/dev/shm")
        os.chmod(self.memory, 0o777)
        self.log = open(os.path.join(self.dir, "log"), "w+b")
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            ["ip", "netns", "exec", ROUTER, f"{BUILD}/ringsided", "--listen", "127.0.0.1:7465",
             "--db", os.path.join(self.dir, "db", "ringside.db"),
             "--head", os.path.join(self.memory, "head"), *arguments],
            stderr=self.log)
        self.running.append(self)

    def get(self, path):
        c = http.client.HTTPConnection("127.0.0.1", 7465, timeout=10)
        c.request("GET", "/api/v1/" + path)
        r = c.getresponse()
        assert r.status == 200, r.status
        return json.load(r)

    def until(self, is_true, deadline=20):
        while time.monotonic() - self.started < deadline:
            try:
                if is_true():
                    return
            except OSError:
                pass
            time.sleep(0.001)
        raise SystemExit("bench: the daemon does not answer")

    def cpu_ns(self, thread):
        total = 0
        for path in glob.glob(f"/proc/{self.process.pid}/task/*/schedstat"):
            is_loop = f"/task/{self.process.pid}/" in path
            if is_loop == (thread == "loop"):
                with open(path) as f:
                    total += int(f.read().split()[0])
        return total

    def pss_kb(self):
        with open(f"/proc/{self.process.pid}/smaps_rollup") as f:
            return int(re.search(r"^Pss:\s+(\d+)", f.read(), re.M).group(1))

    def close(self):
        self.running.remove(self)
        self.process.terminate()
        self.process.wait(timeout=30)
        self.log.close()
        shutil.rmtree(self.dir)
        shutil.rmtree(self.memory)


def first_sample():
    took = []
    for _ in range(7):
        d = Daemon()
        d.until(lambda: any(i["device"] == "rsa0" for i in d.get("interfaces")))
        took.append(1e3 * (time.monotonic() - d.started))
        d.close()
    emit("first_sample_ms", statistics.median(took), "ms")


def settings(d):
    # A round of questions takes four ticks; medians of them, as below.
    ids = ("nic_settings", "irq_settings", "host_settings", "qdisc")
    rounds, reads = [], {}
    for _ in range(16):
        cost = 0
        for _ in range(4):
            time.sleep(1)
            for s in d.get("health")["sources"]:
                if s["id"] in ids and s["reads"] != reads.get(s["id"]):
                    reads[s["id"]] = s["reads"]
                    cost += s["cost_us"]
        rounds.append(cost / 4)
    emit("settings_us_per_second", statistics.median(rounds[1:]), "us")


def median_of_rounds(ticks, n=4):
    return statistics.median(statistics.mean(ticks[i:i + n])
                             for i in range(0, len(ticks) - n + 1, n))


def ticks():
    d = Daemon()
    d.until(lambda: d.get("health")["ticks"] >= 5)
    traffic = subprocess.Popen(["ip", "netns", "exec", PEER, sys.executable, "-c",
                                TRAFFIC % (60 * MINUTES + 20)])
    time.sleep(2)
    # Medians of four ticks, in which all of the settings are read once: the machine
    # has other work, and what a hypervisor takes away counts as CPU time of whoever
    # ran.
    seconds = 60 * MINUTES
    floor = subprocess.Popen(
        ["ip", "netns", "exec", ROUTER, f"{BUILD}/tests/bench/bench_floor", str(seconds)],
        stdout=subprocess.PIPE, text=True)
    loop, bare = [], []
    store_before, last = d.cpu_ns("store"), d.cpu_ns("loop")
    for _ in range(seconds):
        bare.append(float(floor.stdout.readline()))
        now = d.cpu_ns("loop")
        loop.append((now - last) / 1e3)
        last = now
    floor.wait()
    # The store thread works once a minute: its share of a tick is a mean.
    store = (d.cpu_ns("store") - store_before) / 1e3 / seconds
    us, floor_us = median_of_rounds(loop) + store, median_of_rounds(bare)
    health = d.get("health")
    emit("tick_cpu_us", us, "us")
    emit("tick_store_us", store, "us")
    emit("tick_floor_us", floor_us, "us")
    emit("tick_cpu_over_floor", us / floor_us, "ratio")
    emit("ticks_missed", health["ticks_missed"], "ticks")
    emit("tick_series", health["series"], "series")
    emit("pss_kb", d.pss_kb(), "kB")
    traffic.kill()
    traffic.wait()
    settings(d)
    d.close()


def streams():
    config = tempfile.NamedTemporaryFile("w", suffix=".conf")
    config.write("[web]\nmax_connections = 128\n")
    config.flush()
    os.chmod(config.name, 0o644)
    d = Daemon("-c", config.name)
    d.until(lambda: d.get("health")["ticks"] >= 2)
    clients = []
    for i in range(50):
        # An address may have 16 connections: these come from several.
        c = http.client.HTTPConnection("127.0.0.1", 7465, timeout=30,
                                       source_address=(f"127.0.0.{2 + i // 12}", 0))
        c.request("GET", "/api/v1/stream")
        r = c.getresponse()
        assert r.status == 200, r.status
        clients.append((c, r))
    end = time.monotonic() + 20
    while time.monotonic() < end:
        for _, r in clients:
            r.read1(65536)
    emit("loop_delay_max_ms", d.get("health")["loop_delay_recent_us"] / 1e3, "ms")
    for c, _ in clients:
        c.close()
    d.close()


if __name__ == "__main__":
    if os.geteuid() != 0:
        raise SystemExit("bench: network namespaces need root")
    try:
        make_namespaces()
        enter_router()
        first_sample()
        ticks()
        streams()
    finally:
        for daemon in list(Daemon.running):
            daemon.close()
        remove_namespaces()
