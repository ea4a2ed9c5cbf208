# SPDX-License-Identifier: ISC
"""
One wrong core in an RPS mask: the router of test_router.py under load must say
so, with the command that corrects it; and once that was run, the finding ends.
"""

import os
import sys
import time

from rig import Daemon, run_tests, say, wait_for
from test_router import ROUTER, in_a_router, inside, load_of, run

GOAL = 0.78  # of the steered core: it leads, and does not have to be full


def findings(daemon, code):
    return [f for f in daemon.get("findings?state=active") if f["code"] == code]


def raise_it(story, daemon):
    """Steers the rate until the finding stands; the finding, or None."""
    rate = 20000.0
    for attempt in range(10):
        story.traffic.set(rate)
        load, _ = load_of(story.judge, story.target, 3)
        say(f"attempt {attempt}: {rate:.0f} packets/s, load {load:.2f}")
        if load >= GOAL - 0.12:  # a full core has the same cause
            deadline = time.monotonic() + 20
            while time.monotonic() < deadline:
                found = findings(daemon, "rps.misset")
                if found:
                    return found[0]
                time.sleep(0.2)
        rate = min(1.5e6, max(5e3, rate * min(3.0, max(0.4, GOAL / max(load, 0.05)))))
    return None


def steps(story, daemon):
    state = {}
    cores = sorted(os.sched_getaffinity(0))

    def a_mask_with_one_core_is_named_and_corrected():
        finding = raise_it(story, daemon)
        assert finding, daemon.get("summary")["verdict"]
        say(daemon.get("summary")["verdict"])
        assert finding["subject"]["device"] == "in", finding["subject"]
        assert finding["message"] == f"RPS hands all packets of in to core {story.target}", finding
        advice = finding["advice"][0]
        before = f"{1 << story.target:x}"
        prefix, suffix = "echo ", " > /sys/class/net/in/queues/rx-0/rps_cpus"
        assert advice["undo"] == prefix + before + suffix, advice
        assert advice["command"].startswith(prefix) and advice["command"].endswith(suffix), advice
        mask = int(advice["command"][len(prefix):-len(suffix)].replace(",", ""), 16)
        assert mask & (1 << story.target) and mask != 1 << story.target, advice
        assert all(not mask >> c & 1 or c in cores for c in range(mask.bit_length())), advice
        state["command"] = advice["command"]

    def the_finding_ends_when_the_advice_is_followed():
        run(*inside(ROUTER, "sh", "-c", state["command"]))
        wait_for("its end", lambda: not findings(daemon, "rps.misset"), 60)
        changes = [c for c in daemon.get("changes") if c["kind"] == "rps_cpus"]
        assert changes and changes[0]["old"] == str(story.target), changes

    return [a_mask_with_one_core_is_named_and_corrected,
            the_finding_ends_when_the_advice_is_followed]


def play(story):
    with Daemon(story.wrapper) as daemon:
        return run_tests(steps(story, daemon))


def main():
    return in_a_router("hand packets from one to another", play)


if __name__ == "__main__":
    sys.exit(main())
