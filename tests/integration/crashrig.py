# SPDX-License-Identifier: ISC
"""A daemon that is killed again and again: what it had shown must be in its history
afterwards, with the values it had shown, and nothing twice."""

import http.client
import json
import os
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time

INTERVAL_S = 0.2
LATE_MS = 2000  # a tick may come so much after it was due
NOISE_MS = 30  # of reading the clocks one after the other, over a restart


def tmpfs_folder():
    """A name for a folder in memory, not made."""
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else tempfile.gettempdir()
    return os.path.join(base, f"ringside-crash-{os.getpid()}-{random.randrange(1 << 30)}")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Site:
    """A database, a head file, and the daemons that have them one after the other."""

    def __init__(self, binary):
        self.binary = binary
        self.dir = tempfile.mkdtemp(prefix="ringside-crash-")
        os.chmod(self.dir, 0o755)
        self.db = os.path.join(self.dir, "db", "ringside.db")
        self.head_dir = tmpfs_folder()
        self.head = os.path.join(self.head_dir, "head")
        if os.geteuid() != 0:  # a daemon of root makes them for its user
            os.mkdir(os.path.dirname(self.db))
            os.mkdir(self.head_dir)
        self.config = os.path.join(self.dir, "ringside.conf")
        with open(self.config, "w") as f:
            f.write("[sampling]\ninterval = 200ms\n")
        self.port = free_port()

    def start(self):
        return Run(self)

    def close(self):
        shutil.rmtree(self.dir, ignore_errors=True)
        shutil.rmtree(self.head_dir, ignore_errors=True)


class Run:
    """One daemon, from start to end, and the ticks its stream showed:
    (sampled_at_ms, {core: busy or None})."""

    def __init__(self, site):
        self.site = site
        self.log = open(os.path.join(site.dir, "log"), "ab")
        self.process = subprocess.Popen(
            [site.binary, "-c", site.config, "--db", site.db, "--head", site.head,
             "--listen", f"127.0.0.1:{site.port}"], stderr=self.log)
        self.shown = []
        self.follower = threading.Thread(target=self._follow, daemon=True)
        self.follower.start()

    def _connect(self):
        while self.process.poll() is None:
            c = http.client.HTTPConnection("127.0.0.1", self.site.port, timeout=30)
            try:
                c.request("GET", "/api/v1/stream")
                return c.getresponse()
            except (OSError, http.client.HTTPException):
                c.close()
                time.sleep(0.005)
        return []

    def _follow(self):
        kind = ""
        try:
            for raw in self._connect():
                line = raw.decode().rstrip("\r\n")
                if line.startswith("event:"):
                    kind = line[6:].strip()
                elif line.startswith("data:") and kind == "tick":
                    tick = json.loads(line[5:])
                    self.shown.append((tick["summary"]["sampled_at_ms"],
                                       {str(c["core"]): c["busy"] for c in tick["cores"]}))
        except (OSError, ValueError, http.client.HTTPException):
            pass  # it was killed

    def get(self, path):
        c = http.client.HTTPConnection("127.0.0.1", self.site.port, timeout=60)
        c.request("GET", "/api/v1/" + path)
        r = c.getresponse()
        body = r.read()
        assert r.status == 200, (path, r.status, body[:300])
        return json.loads(body)

    def end(self, signo):
        self.process.send_signal(signo)
        status = self.process.wait(timeout=60)
        self.follower.join(timeout=60)
        self.log.close()
        return status


def until_minute_ends(before_s):
    """Sleeps until so long before a minute of the boot clock ends: then a minute is
    handed over and written."""
    now = time.clock_gettime(time.CLOCK_BOOTTIME)
    time.sleep((60 - before_s - now) % 60)


def kill_rounds(site, rounds, aligned_every, rng):
    """Kills as many daemons; what each of them had shown."""
    all_shown = []
    for i in range(rounds):
        run = site.start()
        life_s = rng.uniform(0.02, 1.8)
        if aligned_every and i % aligned_every == aligned_every - 1:
            until_minute_ends(0.3)
            life_s = rng.uniform(0.0, 0.9)
        time.sleep(life_s)
        assert run.process.poll() is None, "it ended by itself"
        run.end(signal.SIGKILL)
        all_shown.append(run.shown)
    return all_shown


def read_history(run, after_ms):
    """{time_ms: {core: busy or None}}"""
    answer = run.get(f"series?metric=core_busy_ratio&after={after_ms / 1000 - 60}")
    history = {t: {} for t in answer["time_ms"]}
    for series in answer["series"]:
        for t, v in zip(answer["time_ms"], series["values"]):
            history[t][series["labels"]["cpu"]] = v
    return history


def is_same(shown, stored):
    for core, busy in shown.items():
        kept = stored.get(core)
        if (busy is None) != (kept is None) or (busy is not None and abs(busy - kept) > 1e-4):
            return False
    return True


def find_lost(shown, history):
    """How many of a daemon's ticks are not in the history. What it showed before it
    had rates says nothing that could be stored."""
    lost = 0
    times = sorted(history)
    for sampled_ms, busy in shown:
        if all(v is None for v in busy.values()):
            continue
        lost += not any(is_same(busy, history[t]) for t in times
                        if sampled_ms - LATE_MS <= t <= sampled_ms + NOISE_MS)
    return lost


# --- docs/block-format.md, as a stranger would read it --------------------

def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def slots_of_stream(stream, slots, all_slots):
    if not stream or not stream[0] & 128:
        return all_slots
    return [t for t in range(slots) if stream[1 + t // 8] >> t % 8 & 1]


def read_chunk(data):
    """(interval_ms, {series: [tick]})"""
    assert data[0:2] == b"\x01\x00"
    slots = int.from_bytes(data[2:4], "little")
    interval_ms = int.from_bytes(data[4:8], "little")
    n = int.from_bytes(data[8:10], "little")
    axis_len, at = read_varint(data, 10)
    series, lengths = 0, []
    for _ in range(n):
        step, at = read_varint(data, at)
        length, at = read_varint(data, at)
        series += step
        lengths.append((series, length))
    axis = slots_of_stream(data[at:at + axis_len], slots, list(range(slots)))
    at += axis_len
    ticks = {}
    for series, length in lengths:
        ticks[series] = slots_of_stream(data[at:at + length], slots, axis)
        at += length
    return interval_ms, ticks


def check_nothing_twice(path):
    """How many samples there are; none of them is there twice."""
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    seen = set()
    for key, data in db.execute("SELECT id, data FROM raw"):
        interval_ms, ticks = read_chunk(data)
        for series, slots in ticks.items():
            for t in slots:
                sample = (key >> 12, t * interval_ms, series)
                assert sample not in seen, f"boot and minute {key >> 12}: {sample} twice"
                seen.add(sample)
    db.close()
    return len(seen)


def check_after_kills(site, all_shown):
    """The worst of lost ticks of a kill; and how many were shown in all."""
    run = site.start()
    deadline = time.monotonic() + 60
    while not run.shown:
        assert time.monotonic() < deadline and run.process.poll() is None
        time.sleep(0.05)
    first_ms = min(t for shown in all_shown + [run.shown] for t, _ in shown)
    history = read_history(run, first_ms)
    health = run.get("health")
    assert health["head"]["state"] == "mapped", health["head"]
    assert run.end(signal.SIGTERM) == 0
    assert not os.path.exists(site.head), "a clean end leaves nothing behind"
    check_nothing_twice(site.db)
    worst = max((find_lost(shown, history) for shown in all_shown), default=0)
    return worst, sum(len(shown) for shown in all_shown)
