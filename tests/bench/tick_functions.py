#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""
The functions of ringsided that most ticks run, one a line: what
cmake/tick-functions.txt lists. Follows a daemon that has run for a minute step by
step for some ticks, as root:

    tick_functions.py PID [TICKS] > cmake/tick-functions.txt
"""

import bisect
import collections
import ctypes
import os
import re
import subprocess
import sys

PTRACE_PEEKUSER, PTRACE_SINGLESTEP, PTRACE_ATTACH, PTRACE_DETACH = 3, 9, 16, 17
RIP_OFFSET = 16 * 8  # struct user_regs_struct of x86_64, sys/user.h

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


def base_of(pid, binary):
    with open(f"/proc/{pid}/maps") as f:
        for line in f:
            fields = line.split()
            if len(fields) > 5 and fields[5] == binary:
                return int(line.split("-")[0], 16) - int(fields[2], 16)
    raise SystemExit("the program is not mapped")


def symbols(binary):
    listing = subprocess.run(["nm", "-S", "-n", binary], capture_output=True, text=True,
                             check=True).stdout
    found = re.findall(r"^([0-9a-f]+) ([0-9a-f]+) [tT] (\S+)$", listing, re.M)
    return [(int(a, 16), int(size, 16), name) for a, size, name in found]


def trace(pid, ticks, first):
    """The addresses of each tick of the loop thread; first: where one begins."""
    seen = []
    if libc.ptrace(PTRACE_ATTACH, pid, None, None) != 0:
        raise OSError(ctypes.get_errno(), "ptrace")
    os.waitpid(pid, 0)
    while len(seen) <= ticks:
        libc.ptrace(PTRACE_SINGLESTEP, pid, None, None)
        os.waitpid(pid, 0)
        address = libc.ptrace(PTRACE_PEEKUSER, pid, RIP_OFFSET, None)
        if address == first:
            seen.append(set())
        if seen:
            seen[-1].add(address)
    libc.ptrace(PTRACE_DETACH, pid, None, None)
    return seen[:ticks]


def main():
    pid = int(sys.argv[1])
    ticks = int(sys.argv[2]) if len(sys.argv) > 2 else 8
    binary = os.readlink(f"/proc/{pid}/exe")
    base, table = base_of(pid, binary), symbols(binary)
    starts = [start for start, _, _ in table]
    first = next(start for start, _, name in table if name == "on_tick")
    count = collections.Counter()
    for addresses in trace(pid, ticks, base + first):
        names = set()
        for address in addresses:
            i = bisect.bisect(starts, address - base) - 1
            if i >= 0 and address - base < table[i][0] + table[i][1]:
                names.add(table[i][2])
        count.update(names)
    # Not what only a log line of this slowness needs.
    often = sorted(n for n, k in count.items()
                   if 2 * k > ticks and not n.startswith(("rs_log_", "_")))
    print("\n".join(often))


main()
