# SPDX-License-Identifier: ISC
"""A machine that starts in 1970 and learns the time later, and one that loses it."""

import os
import sqlite3
import time

from rig import Daemon, run_tests, wait_for
from test_daemon import Tree

BINARY = os.environ["RINGSIDED"]
SHIM = os.environ["CLOCK_SHIM"]
YEAR_MS = 31_536_000_000


def boot_ms():
    return time.clock_gettime(time.CLOCK_BOOTTIME) * 1000


class Clock:
    """A daemon with one setting, whose wall clock is what the test says."""

    def __init__(self, offset_ms):
        self.tree = Tree()
        self.path = os.path.join(self.tree.path, "clock")
        self.set(offset_ms)
        self.daemon = Daemon(BINARY, "--root", self.tree.path,
                             config="[sampling]\ninterval = 200ms\n",
                             env={"LD_PRELOAD": SHIM, "RS_TEST_CLOCK": self.path})

    def set(self, offset_ms):
        with open(self.path + ".new", "w") as f:
            f.write(f"{round(offset_ms)}\n")
        os.chmod(self.path + ".new", 0o644)
        os.rename(self.path + ".new", self.path)
        self.offset_ms = offset_ms

    def ticks(self, n):
        """Waits for n more."""
        before = self.daemon.get("health")["ticks"]
        wait_for(f"{n} ticks", lambda: self.daemon.get("health")["ticks"] >= before + n)

    def follow(self):
        """Waits for a sample by the clock as it is set now."""
        wait_for("the clock", lambda: abs(self.daemon.get("summary")["sampled_at_ms"]
                                          - self.offset_ms - boot_ms()) < 60_000)

    def change(self, budget):
        """Changes the setting and tells what came of it, and its boot time."""
        before = boot_ms()
        n = len(self.daemon.get("changes"))
        self.tree.set(budget)
        wait_for("the change", lambda: len(self.daemon.get("changes")) == n + 1)
        return before

    def samples(self, after_ms, before_ms):
        answer = self.daemon.get(f"series?metric=state&after={after_ms / 1000:.3f}"
                                 f"&before={before_ms / 1000:.3f}")
        values = answer["series"][0]["values"] if answer["series"] else []
        return sum(v is not None for v in values)

    def __enter__(self):
        return self

    def __exit__(self, *how):
        self.daemon.__exit__(*how)


def is_at(at_ms, expected_ms):
    return expected_ms - 1000 <= at_ms <= expected_ms + 20_000


def what_was_before_the_clock_was_set_is_told_with_its_real_time():
    with Clock(0) as c:
        assert c.daemon.get("summary")["clock_ok"] is False
        wait_for("the setting", lambda: c.daemon.get("health")["ticks"] >= 2)
        happened = c.change(600)
        assert is_at(c.daemon.get("changes")[0]["at_ms"], happened)
        c.ticks(5)
        before = c.samples(0, boot_ms() + 60_000)
        assert before >= 5, before
        c.set(1_800_000_000_000)
        c.follow()
        assert c.daemon.get("summary")["clock_ok"] is True
        assert is_at(c.daemon.get("changes")[0]["at_ms"], c.offset_ms + happened)
        now = c.offset_ms + boot_ms()
        assert c.daemon.get(f"changes?after={now / 1000 - 600:.0f}") != []
        assert c.daemon.get(f"changes?before={now / 1000 - 600:.0f}") == []
        # No sample is lost, and none is where it was.
        assert c.samples(now - 600_000, now + 60_000) >= before
        assert c.samples(0, boot_ms() + 60_000) == 0
        later = c.change(900)
        assert c.daemon.stop() == 0, c.daemon.read_log()
        db = sqlite3.connect(c.daemon.db)
        rows = db.execute("SELECT at_ms FROM changes ORDER BY id").fetchall()
        db.close()
        assert len(rows) == 2, rows
        assert is_at(rows[0][0], c.offset_ms + happened), (rows, happened)
        assert is_at(rows[1][0], c.offset_ms + later), (rows, later)


def a_clock_that_jumps_years_and_back_leaves_everything_in_its_place():
    real = 1_800_000_000_000
    with Clock(real) as c:
        wait_for("the setting", lambda: c.daemon.get("health")["ticks"] >= 2)
        times = [c.change(600)]
        for offset in (real + 15 * YEAR_MS, real - 20 * YEAR_MS, real):
            c.set(offset)
            c.follow()
            times.append(c.change(700 + len(times)))
            c.ticks(3)
        told = [change["at_ms"] for change in reversed(c.daemon.get("changes"))]
        assert all(is_at(at, real + t) for at, t in zip(told, times)), (told, times)
        ticks = c.daemon.get("health")["ticks"]
        now = real + boot_ms()
        assert c.samples(now - 600_000, now + 60_000) >= ticks - 2
        assert c.samples(0, now - 600_000) == 0
        assert c.samples(now + 60_000, now + 30 * YEAR_MS) == 0
        assert c.daemon.stop() == 0, c.daemon.read_log()
        db = sqlite3.connect(c.daemon.db)
        rows = [at for (at,) in db.execute("SELECT at_ms FROM changes ORDER BY id")]
        db.close()
        assert all(is_at(at, real + t) for at, t in zip(rows, times)), (rows, times)


if __name__ == "__main__":
    raise SystemExit(run_tests([
        what_was_before_the_clock_was_set_is_told_with_its_real_time,
        a_clock_that_jumps_years_and_back_leaves_everything_in_its_place,
    ]))
