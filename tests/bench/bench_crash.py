#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""
A daemon at an interval of 200 ms that is killed 200 times at random moments, some of
them while a minute is handed over. Every tick that its stream had shown must be in
the history in the end, with the same values, and none twice; the worst kill counts.

    bench_crash.py BUILD_DIR

BENCH_KILLS (200) is how often. Prints: bench crash_lost_ticks.
"""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "integration"))
from crashrig import Site, check_after_kills, kill_rounds  # noqa: E402

KILLS = int(os.environ.get("BENCH_KILLS", "200"))


if __name__ == "__main__":
    seed = random.randrange(1 << 32)
    site = Site(os.path.join(os.path.abspath(sys.argv[1]), "ringsided"))
    try:
        shown = kill_rounds(site, KILLS, 40, random.Random(seed))
        worst, n = check_after_kills(site, shown)
    finally:
        site.close()
    print(f"bench_crash: {n} ticks shown in {KILLS} lives, seed {seed}", file=sys.stderr)
    print(f"bench crash_lost_ticks {worst} ticks", flush=True)
