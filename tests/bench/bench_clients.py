#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""
What an open page costs the daemon, in the rig of bench_daemon.py: CPU time of its
loop a tick with no page, with one and with CLIENTS, each of which follows the
stream and asks for the map and for health as often as web/app/app.js does.

    bench_clients.py BUILD_DIR

Rounds of the three take turns, so that what else the machine does meets all.
Prints: bench daemon_cpu_per_client_us (extra time a tick, of each of many),
daemon_cpu_first_client_us (of one alone: the event is made for it).
"""

import http.client
import os
import re
import selectors
import statistics
import sys
import tempfile
import time

from bench_daemon import Daemon, emit, enter_router, make_namespaces, remove_namespaces

CLIENTS = 20
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "4"))
TICKS = 12
APP = os.path.join(os.path.dirname(__file__), "../../web/app/app.js")


def constant_s(name):
    """A period of the page, from where it is written."""
    with open(APP, encoding="utf-8") as text:
        return int(re.search(rf"^const {name} = (\d+);", text.read(), re.M)[1]) / 1000


MAP_S, HEALTH_S = constant_s("MAP_MS"), constant_s("HEALTH_MS")


class Page:
    """A connection that streams, and one for questions, kept open as a browser does."""

    def __init__(self, i):
        # An address may have 16 connections.
        source = (f"127.0.0.{2 + i // 7}", 0)
        self.stream, self.plain = (
            http.client.HTTPConnection("127.0.0.1", 7465, timeout=30, source_address=source)
            for _ in range(2))
        self.stream.request("GET", "/api/v1/stream")
        self.events = self.stream.getresponse()
        assert self.events.status == 200, self.events.status
        self.stream.sock.setblocking(False)
        now = time.monotonic()
        # Pages were not opened all at once.
        self.due = {"map": now + MAP_S * i / CLIENTS, "health": now + HEALTH_S * i / CLIENTS}

    def ask(self):
        for path, every in (("map", MAP_S), ("health", HEALTH_S)):
            if time.monotonic() >= self.due[path]:
                self.due[path] += every
                self.plain.request("GET", "/api/v1/" + path, headers={"Accept-Encoding": "gzip"})
                self.plain.getresponse().read()

    def close(self):
        self.stream.close()
        self.plain.close()


def follow(pages, seconds):
    with selectors.DefaultSelector() as ready:
        for page in pages:
            ready.register(page.stream.sock, selectors.EVENT_READ)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for key, _ in ready.select(0.05) if pages else ():
                assert key.fileobj.recv(1 << 20), "the stream ended"
            if not pages:
                time.sleep(0.05)
            for page in pages:
                page.ask()


def tick_us(d, n):
    pages = [Page(i) for i in range(n)]
    follow(pages, 2)
    ticks, cpu = d.get("health")["ticks"], d.cpu_ns("loop")
    follow(pages, TICKS)
    cpu = d.cpu_ns("loop") - cpu
    ticks = d.get("health")["ticks"] - ticks
    for page in pages:
        page.close()
    time.sleep(0.5)
    return cpu / 1e3 / ticks


def main():
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as config:
        config.write("[web]\nmax_connections = 128\n")
        config.flush()
        os.chmod(config.name, 0o644)
        d = Daemon("-c", config.name)
        d.until(lambda: d.get("health")["ticks"] >= 3)
        rounds = [[tick_us(d, n) for n in (0, 1, CLIENTS)] for _ in range(ROUNDS)]
        d.close()
    emit("daemon_cpu_per_client_us",
         statistics.median((many - none) / CLIENTS for none, _, many in rounds), "us")
    emit("daemon_cpu_first_client_us", statistics.median(one - none for none, one, _ in rounds),
         "us")
    emit("daemon_cpu_no_client_us", statistics.median(none for none, _, _ in rounds), "us")


if __name__ == "__main__":
    if os.geteuid() != 0:
        sys.exit("bench: network namespaces need root")
    try:
        make_namespaces()
        enter_router()
        main()
    finally:
        for daemon in list(Daemon.running):
            daemon.close()
        remove_namespaces()
