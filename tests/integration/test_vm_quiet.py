# SPDX-License-Identifier: ISC
"""
A router that is well: nothing above "info" is said of it in ten minutes of load that
its cores share evenly, nor in ten minutes without load.
"""

import sys
import time

from rig import say, wait_for
from vmrig import LOAD_S, api, many_tcp, now_ms, run_in_vm, series, twin

QUIET_S = 600


def stays_quiet(start_ms):
    complaints = [f"{f['code']} {f['severity']}: {f['message']}" for f in api("findings?state=all")
                  if f["severity"] != "info" and (f["cleared_ms"] or start_ms) >= start_ms]
    assert complaints == [], complaints


def a_balanced_router_is_quiet_for_ten_minutes():
    twin("steer", "spread")
    start_ms = now_ms()
    while now_ms() < start_ms + QUIET_S * 1000:
        with many_tcp():
            for _ in range(LOAD_S // 10):
                time.sleep(10)
                stays_quiet(start_ms)
        rows = [v for _, v in series("core_packet_load_ratio", now_ms() - 60000) if None not in v]
        say("packet load of a minute: "
            + ", ".join(f"{sum(core) / len(core) * 100:.0f} %" for core in zip(*rows))
            + f"; {api('summary')['verdict']}")


def an_idle_router_is_quiet_for_ten_minutes():
    wait_for("an end of the load's findings", lambda: not api("findings"), 120, 1)
    start_ms = now_ms() + 1
    while now_ms() < start_ms + QUIET_S * 1000:
        time.sleep(10)
        stays_quiet(start_ms)
    say(api("summary")["verdict"])


sys.exit(run_in_vm([a_balanced_router_is_quiet_for_ten_minutes,
                    an_idle_router_is_quiet_for_ten_minutes]))
