#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""
bench_diagnose.py BUILD: how long `ringside diagnose` takes for a machine of 1152 cores,
from start to end, the middle of nine runs. RS_SHARED_DIR is the folder with corpus/.
"""

import os
import statistics
import subprocess
import sys
import time

RUNS = 9
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.environ.get("RS_SHARED_DIR", os.path.join(os.path.dirname(ROOT), "shared"))
CASE = os.path.join(SHARED, "corpus", "026-pcp-1152cpu-i40e")


def main():
    program = os.path.join(sys.argv[1], "ringside")
    if not os.path.isdir(CASE):
        print(f"SKIPPED: {CASE} is missing", file=sys.stderr)
        return 0
    times = []
    for _ in range(RUNS):
        start = time.monotonic()
        subprocess.run([program, "diagnose", "-J", CASE], stdout=subprocess.DEVNULL, check=True)
        times.append(time.monotonic() - start)
    print(f"bench diagnose_ms {statistics.median(times) * 1000:.1f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
