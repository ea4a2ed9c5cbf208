# SPDX-License-Identifier: ISC
"""A daemon that is killed, and the file that its newest minutes are in."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time

from crashrig import Site, check_after_kills, kill_rounds, tmpfs_folder, until_minute_ends
from rig import Daemon, run_tests, say, wait_for

BINARY = os.environ["RINGSIDED"]
IS_ROOT = os.geteuid() == 0


def a_killed_daemon_loses_nothing_that_it_showed():
    seed = random.randrange(1 << 32)
    say(f"seed {seed}")
    site = Site(BINARY)
    try:
        shown = kill_rounds(site, 20, 20, random.Random(seed))
        worst, n = check_after_kills(site, shown)
        say(f"{n} ticks shown, worst loss {worst}")
        assert n > 40, n
        assert worst <= 2, worst
    except AssertionError:
        with open(os.path.join(site.dir, "log"), errors="replace") as f:
            print(f.read(), flush=True)
        raise
    finally:
        site.close()


class Head:
    """A folder in memory for a head file."""

    def __init__(self):
        self.dir = tmpfs_folder()
        self.path = os.path.join(self.dir, "head")
        if not IS_ROOT:
            os.mkdir(self.dir)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.dir, ignore_errors=True)

    def daemon(self, *arguments, **options):
        options.setdefault("config", "[sampling]\ninterval = 200ms\n")
        return Daemon(BINARY, "--head", self.path, *arguments, **options)


def ticks(d, n):
    wait_for(f"{n} ticks", lambda: d.get("health")["ticks"] >= n)


def the_newest_minutes_are_in_a_file_while_it_runs():
    with Head() as head:
        with head.daemon() as d:
            ticks(d, 3)
            got = d.get("health")["head"]
            assert got == {"state": "mapped", "path": head.path, "error": None, "refused": None,
                           "recovered_ticks": 0, "dropped_ticks": 0}, got
            assert os.stat(head.path).st_mode & 0o777 == 0o600
            assert d.stop() == 0
            assert not os.path.exists(head.path)


def a_damaged_file_is_refused_and_said():
    with Head() as head:
        with head.daemon() as d:
            ticks(d, 5)
            d.process.kill()
            d.process.wait()
            with open(head.path, "r+b") as f:
                f.seek(200)
                f.write(b"damage")
            with head.daemon("--db", d.db) as again:
                ticks(again, 2)
                got = again.get("health")["head"]
                assert got["state"] == "mapped" and got["recovered_ticks"] == 0, got
                assert "damaged" in got["refused"], got
                assert again.read_log().count(head.path) >= 1, again.read_log()


def damaged_samples_in_it_are_left_out_and_said():
    with Head() as head:
        with head.daemon() as d:
            ticks(d, 8)
            d.process.kill()
            d.process.wait()
            with open(head.path, "r+b") as f:
                data = f.read()
                # A value of each tick, and something of all else but the header.
                for page in range(4096, len(data), 4096):
                    if any(data[page:page + 4096]):
                        f.seek(page + 300)
                        f.write(bytes([data[page + 300] ^ 1]))
            with head.daemon("--db", d.db) as again:
                ticks(again, 2)
                got = again.get("health")["head"]
                assert got["state"] == "mapped" and got["refused"] is None, got
                # The first one has no rates and may have nothing at that place.
                assert got["recovered_ticks"] <= 1 and got["dropped_ticks"] >= 7, got
                log = again.read_log()
                assert log.count("are damaged and left out") == 1, log
                assert "it was taking" not in log, log


def a_file_of_another_database_is_refused():
    with Head() as head:
        with head.daemon() as d:
            ticks(d, 5)
            d.process.kill()
            d.process.wait()
            with head.daemon() as other:
                ticks(other, 2)
                got = other.get("health")["head"]
                assert got["refused"] == "of another database", got
                assert got["recovered_ticks"] == 0, got


def a_foreign_file_stays_and_memory_is_used():
    with Head() as head:
        os.makedirs(head.dir, exist_ok=True)
        os.chmod(head.dir, 0o777)
        with open(head.path, "w") as f:
            f.write("somebody's notes\n")
        os.chmod(head.path, 0o666)
        with head.daemon() as d:
            ticks(d, 3)
            got = d.get("health")["head"]
            assert got["state"] == "memory" and "stays as it is" in got["error"], got
            assert d.read_log().count("in memory only") == 1, d.read_log()
            assert d.stop() == 0
        with open(head.path) as f:
            assert f.read() == "somebody's notes\n"


def a_file_that_somebody_removes_is_said():
    with Head() as head:
        with head.daemon() as d:
            ticks(d, 2)
            os.remove(head.path)
            got = wait_for("the word", lambda: (h := d.get("health")["head"])["state"] == "memory"
                           and h)
            assert got["error"] == "it was removed", got
            assert d.stop() == 0, d.read_log()


def a_second_daemon_on_one_head_goes_on_in_memory():
    with Head() as head:
        with head.daemon() as d, head.daemon() as second:
            ticks(d, 2)
            ticks(second, 2)
            got = second.get("health")["head"]
            assert got["state"] == "memory" and "in use" in got["error"], got
            assert d.get("health")["head"]["state"] == "mapped"
            assert second.stop() == 0
            assert os.path.exists(head.path), "the file of the first one"


def none_means_none():
    with Daemon(BINARY, "--head", "none") as d:
        ticks(d, 2)
        got = d.get("health")["head"]
        assert got["state"] == "memory" and got["path"] is None and got["error"] is None, got
        assert "in memory only" not in d.read_log()
    with Head() as head, head.daemon(db=False) as d:
        ticks(d, 2)
        assert d.get("health")["head"]["path"] is None
        assert not os.path.exists(head.path)


def without_a_place_for_the_file_it_says_so_once():
    with Daemon(BINARY, "--head", "/proc/nowhere/head",
                config="[sampling]\ninterval = 200ms\n") as d:
        ticks(d, 20)
        got = d.get("health")["head"]
        assert got["state"] == "memory" and "No such file" in got["error"], got
        assert d.read_log().count("/proc/nowhere/head") == 1, d.read_log()
        assert d.stop() == 0


def changes_that_waited_survive_a_kill():
    """The first writes of a minute go at once; the seventh change waits."""
    with Head() as head:
        tree = os.path.join(head.dir + "-tree", "proc/sys/net/core")
        os.makedirs(tree)
        name = os.path.join(tree, "netdev_budget")
        root = head.dir + "-tree"

        def put(budget):
            with open(name + ".new", "w") as f:
                f.write(f"{budget}\n")
            os.rename(name + ".new", name)

        try:
            put(300)
            with head.daemon("--root", root) as d:
                wait_for("the setting", lambda: b'setting="netdev_budget"} 300'
                         in d.request("/metrics")[1])
                for n in range(1, 9):
                    put(300 + n)
                    wait_for(f"change {n}", lambda: len(d.get("changes")) == n)
                d.process.kill()
                d.process.wait()
                with head.daemon("--root", root, "--db", d.db) as again:
                    got = [(c["id"], c["new"]) for c in again.get("changes")]
                    assert got == [(n, str(300 + n)) for n in range(8, 0, -1)], got
        finally:
            shutil.rmtree(root)


# --- a small file system ---------------------------------------------------

def can_mount():
    return subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0


class SmallDisk:
    """A daemon in a mount namespace whose head is on a tmpfs of this size; from
    outside it is seen through /proc."""

    def __init__(self, size):
        self.head = tmpfs_folder()
        os.mkdir(self.head)
        script = (f"mount -t tmpfs -o size={size},mode=777 tmpfs {self.head} && "
                  f'exec {BINARY} "$@"')
        wrapper = self.head + ".sh"
        with open(wrapper, "w") as f:
            f.write(f"#!/bin/sh\nexec unshare -m sh -c '{script}' sh \"$@\"\n")
        os.chmod(wrapper, 0o755)
        self.daemon = Daemon(wrapper, "--head", f"{self.head}/head",
                             config="[sampling]\ninterval = 1s\n")
        os.remove(wrapper)

    def path(self, name):
        return f"/proc/{self.daemon.process.pid}/root{self.head}/{name}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.daemon.close()
        os.rmdir(self.head)


def a_tmpfs_that_is_too_small_is_said_and_nothing_breaks():
    if not IS_ROOT or not can_mount():
        say("SKIPPED: cannot mount")
        return
    with SmallDisk("64k") as s:
        ticks(s.daemon, 3)
        got = s.daemon.get("health")["head"]
        assert got["state"] == "memory" and "No space" in got["error"], got
        assert s.daemon.read_log().count("in memory only") == 1, s.daemon.read_log()
        assert s.daemon.stop() == 0, s.daemon.read_log()


def a_tmpfs_that_becomes_full_is_no_crash():
    if not IS_ROOT or not can_mount():
        say("SKIPPED: cannot mount")
        return
    with SmallDisk("4m") as s:
        d = s.daemon
        ticks(d, 3)
        assert d.get("health")["head"]["state"] == "mapped"
        until_minute_ends(2)
        filler = os.open(s.path("filler"), os.O_WRONLY | os.O_CREAT)
        try:
            while os.write(filler, b"x" * 4096):
                pass
        except OSError:
            pass  # full
        os.close(filler)
        before = d.get("health")["ticks"]
        until_minute_ends(59)
        got = wait_for("the word", lambda: (h := d.get("health")["head"])["state"] == "memory"
                       and h, 40)
        assert "No space" in got["error"], got
        ticks(d, before + 10)
        assert d.read_log().count("in memory only") == 1, d.read_log()
        values = d.get("series?metric=state&after=-20")["series"][0]["values"]
        assert len([v for v in values if v is not None]) >= 10, values
        assert d.stop(signal.SIGTERM) == 0, d.read_log()


if __name__ == "__main__":
    start = time.monotonic()
    status = run_tests([
        the_newest_minutes_are_in_a_file_while_it_runs,
        a_damaged_file_is_refused_and_said,
        damaged_samples_in_it_are_left_out_and_said,
        a_file_of_another_database_is_refused,
        a_foreign_file_stays_and_memory_is_used,
        a_file_that_somebody_removes_is_said,
        a_second_daemon_on_one_head_goes_on_in_memory,
        none_means_none,
        without_a_place_for_the_file_it_says_so_once,
        changes_that_waited_survive_a_kill,
        a_tmpfs_that_is_too_small_is_said_and_nothing_breaks,
        a_tmpfs_that_becomes_full_is_no_crash,
        a_killed_daemon_loses_nothing_that_it_showed,
    ])
    say(f"{time.monotonic() - start:.0f} s")
    sys.exit(status)
