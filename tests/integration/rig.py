# SPDX-License-Identifier: ISC
"""What the integration tests share: a running daemon, its API, waiting for states."""

import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

SKIP = 77


def skip(reason):
    print(f"SKIPPED: {reason}", flush=True)
    sys.exit(SKIP)


def say(text):
    print(f"# {text}", flush=True)


def wait_for(what, fn, deadline_s=30.0, pause_s=0.1):
    """The first true value of fn(); fails when the deadline passes first."""
    start = time.monotonic()
    last = None
    while time.monotonic() - start < deadline_s:
        try:
            last = fn()
            if last:
                return last
        except (OSError, http.client.HTTPException) as error:
            last = error
        time.sleep(pause_s)
    raise AssertionError(f"{what}: not within {deadline_s} s; last seen: {last!r}")


class Daemon:
    """ringsided on a free port with a database of its own."""

    def __init__(self, binary, *arguments, db=True, config=None, env=None, port=0):
        self.dir = tempfile.mkdtemp(prefix="ringside-test-")
        os.chmod(self.dir, 0o755)
        self.db = os.path.join(self.dir, "db", "ringside.db")
        self.log = os.path.join(self.dir, "log")
        command = [binary, "-f", "--listen", f"127.0.0.1:{port}"]
        command += ["--db", self.db if db else "none"]
        command += ["--head", os.path.join(self.dir, "head", "head")]
        if os.geteuid() != 0:  # a daemon of root makes it for its user
            os.mkdir(os.path.join(self.dir, "head"))
        if config is not None:
            self.config = os.path.join(self.dir, "ringside.conf")
            with open(self.config, "w") as f:
                f.write(config)
            command += ["-c", self.config]
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                command + list(arguments), stderr=log, env={**os.environ, **(env or {})}
            )
        self.port = int(wait_for("the address in the log", self._address, 20))

    def _address(self):
        match = re.search(r"http://127\.0\.0\.1:(\d+)/", self.read_log())
        if match:
            return match.group(1)
        if self.process.poll() is not None:
            raise AssertionError(f"ringsided ended:\n{self.read_log()}")
        return None

    def read_log(self):
        with open(self.log, errors="replace") as f:
            return f.read()

    def request(self, path, headers=None, method="GET"):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            c.request(method, path, headers=headers or {})
            r = c.getresponse()
            return r.status, r.read(), dict(r.getheaders())
        finally:
            c.close()

    def get(self, path):
        status, body, _ = self.request("/api/v1/" + path)
        assert status == 200, f"{path}: {status} {body[:300]!r}"
        return json.loads(body)

    def stop(self, signo=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(signo)
        return self.process.wait(timeout=30)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.dir, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is not None:
            print(self.read_log(), flush=True)
        self.close()


class Stream(threading.Thread):
    """Follows /api/v1/stream and keeps what came: (event, data, when)."""

    def __init__(self, daemon):
        super().__init__(daemon=True)
        self.events = []
        self.connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=60)
        self.connection.request("GET", "/api/v1/stream")
        self.response = self.connection.getresponse()
        assert self.response.status == 200
        self.start()

    def run(self):
        kind, data = "message", []
        try:
            for raw in self.response:
                line = raw.decode().rstrip("\r\n")
                if line.startswith("event:"):
                    kind = line[6:].strip()
                elif line.startswith("data:"):
                    data.append(line[5:].strip())
                elif not line and data:
                    self.events.append((kind, json.loads("\n".join(data)), time.monotonic()))
                    kind, data = "message", []
        except (OSError, ValueError, http.client.HTTPException):
            pass  # the daemon closed it

    def findings(self):
        return [(d["event"], d["finding"]) for k, d, _ in list(self.events) if k == "finding"]

    def ticks(self, since=0.0):
        return [d for k, d, when in list(self.events) if k == "tick" and when >= since]


def run_tests(tests):
    """Runs functions in order; prints TAP; the exit status."""
    print(f"1..{len(tests)}", flush=True)
    failed = 0
    for number, test in enumerate(tests, 1):
        name = test.__name__.replace("_", " ")
        try:
            test()
            print(f"ok {number} - {name}", flush=True)
        except Exception as error:  # noqa: BLE001 - every failure is a failed test
            failed += 1
            print(f"not ok {number} - {name}\n# {type(error).__name__}: {error}", flush=True)
    return 1 if failed else 0
