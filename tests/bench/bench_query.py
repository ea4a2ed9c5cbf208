#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""
History over HTTP, of the daemon on a database of a year (fill_history.c), over one
connection that stays open (query_client.c).

    bench_query.py BUILD_DIR

BENCH_PERF=FILE: perf records the daemon meanwhile.
Prints: bench query_600s_ms, query_600s_over_health, query_day_ms, query_year_ms,
query_all_cores_heatmap_ms; and what each thread of the daemon used for them:
query_loop_cpu_ms, query_store_cpu_ms.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

BUILD = os.path.abspath(sys.argv[1])


def program(name):
    return os.path.join(BUILD, "tests", "bench", name)


def cached():
    """The database of a year, to be made anew when the program that makes it is newer."""
    path = os.path.join(BUILD, "bench-history.db")
    if os.path.exists(path) and os.path.getmtime(path) < os.path.getmtime(program("fill_history")):
        os.unlink(path)
    return path


def address_of(log, process):
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and process.poll() is None:
        with open(log) as f:
            found = re.search(r"http://127\.0\.0\.1:(\d+)/", f.read())
        if found:
            return found[1]
        time.sleep(0.02)
    raise SystemExit("bench: the daemon does not answer:\n" + open(log).read())


def cpu_ms(pid, thread):
    total = 0
    for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
        if (f"/task/{pid}/" in path) == (thread == "loop"):
            with open(path) as f:
                total += int(f.read().split()[0])
    return total / 1e6


def main():
    folder = tempfile.mkdtemp(prefix="ringside-bench-")
    db, log = os.path.join(folder, "history.db"), os.path.join(folder, "log")
    filled = subprocess.run([program("fill_history"), cached(), db], check=True,
                            stdout=subprocess.PIPE, text=True)
    end_ms = filled.stdout.strip()
    if os.geteuid() == 0:  # the daemon becomes nobody
        for path in (folder, *glob.glob(folder + "/*")):
            shutil.chown(path, "nobody")
    with open(log, "w") as f:
        daemon = subprocess.Popen([f"{BUILD}/ringsided", "-f", "--listen", "127.0.0.1:0",
                                   "--db", db], stderr=f)
    try:
        port = address_of(log, daemon)
        time.sleep(3)  # what is done once after a start is over
        before = [cpu_ms(daemon.pid, t) for t in ("loop", "store")]
        perf = os.environ.get("BENCH_PERF")
        command = [program("query_client"), port, end_ms]
        if perf:
            command = ["perf", "record", "-q", "-g", "-o", perf, "-p", str(daemon.pid), "--",
                       *command]
        done = subprocess.run(command)
        for i, thread in enumerate(("loop", "store")):
            print(f"bench query_{thread}_cpu_ms {cpu_ms(daemon.pid, thread) - before[i]:.1f} ms")
        return done.returncode
    finally:
        daemon.terminate()
        daemon.wait(timeout=30)
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
