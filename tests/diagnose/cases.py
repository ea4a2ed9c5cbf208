# SPDX-License-Identifier: ISC
"""Runs the functions test_* of a program, each with a folder of its own."""

import tempfile


def run_cases(names):
    """names: globals() of the caller; the exit status."""
    failed = 0
    for name, test in [(n, f) for n, f in names.items() if n.startswith("test_")]:
        with tempfile.TemporaryDirectory() as tmp:
            try:
                test(tmp)
                print("ok", name[5:])
            except AssertionError as why:
                failed += 1
                print("FAIL", name[5:], why)
            except Exception as why:  # pylint: disable=broad-except
                failed += 1
                print("FAIL", name[5:], repr(why))
    return 1 if failed else 0
