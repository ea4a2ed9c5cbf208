# SPDX-License-Identifier: ISC
"""The virtual router of the shared folder with the daemon in it, for the tests test_vm*.py."""

import contextlib
import json
import os
import signal
import subprocess
import time
import urllib.request

from rig import run_tests, say, skip, wait_for

BINARY = os.environ["RINGSIDED"]
TWIN = os.path.join(os.environ.get("RS_SHARED_DIR", ""), "twin", "twin")
KIND = os.environ.get("TWIN_NIC", "igb")
PORT = os.environ.setdefault("TWIN_HTTP_PORT", "8899")
os.environ.setdefault("TWIN_LIFE", "3600")
QUEUES = 4
CLIENT, SERVER = "10.77.1.2", "10.77.2.2"
LOAD_S = 110


def twin(*command, timeout=300):
    done = subprocess.run([TWIN, *command], capture_output=True, text=True, timeout=timeout)
    if done.returncode != 0:
        raise AssertionError(f"twin {' '.join(command)}: {done.stdout}{done.stderr}")
    return done.stdout


def shell(script):
    return twin("sh", script)


def get(path):
    with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/{path}", timeout=20) as r:
        return json.load(r)


def api(path):
    return get("api/v1/" + path)


def now_ms():
    """The router's clock, by the newest sample."""
    return api("summary")["sampled_at_ms"]


def series(metric, since_ms, **labels):
    """[(time, values)] of each second since then."""
    query = "".join(f"&{k}={v}" for k, v in labels.items())
    answer = api(f"series?metric={metric}&after={since_ms / 1e3:.3f}{query}")
    assert answer["resolution_ms"] == 1000, answer["resolution_ms"]
    return list(zip(answer["time_ms"], zip(*(s["values"] for s in answer["series"]))))


def begin(side, *command):
    return subprocess.Popen(["ip", "netns", "exec", "twin-" + side, *map(str, command)],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            start_new_session=True)


@contextlib.contextmanager
def running(server, client):
    """Commands of both ends, until the block ends."""
    started = [begin("server", *c) for c in server]
    try:
        time.sleep(0.5)
        started += [begin("client", *c) for c in client]
        yield
    finally:
        for process in started:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
        for process in started:
            process.wait(10)


def many_tcp():
    return running([("iperf3", "-s", "-1")], [("iperf3", "-c", SERVER, "-P", 40, "-t", LOAD_S)])


def run_in_vm(tests):
    """Starts router and daemon, runs the tests, stops them; the exit status."""
    if not os.access(TWIN, os.X_OK):
        skip("no test router in the shared folder")
    if os.geteuid() != 0:
        skip("the test router needs root")
    twin("down")
    try:
        twin("up", timeout=900)
    except (AssertionError, subprocess.TimeoutExpired) as error:
        skip(f"the test router does not start: {error}")
    try:
        config = os.path.join(os.path.dirname(BINARY), "vm-test.conf")
        with open(config, "w") as f:
            f.write("[web]\nallow_anonymous_read = yes\n")
        twin("start", BINARY, "-c", config, "--listen", "0.0.0.0:8080", "--db", "none")
        wait_for("the API", lambda: api("health")["ticks"] > 3, 60)
        status = run_tests(tests)
        health = api("health")
        say(f"{KIND}: {health['tick_cpu_us']:.0f} us a tick, PSS {health.get('pss_bytes')}")
        if status:
            print(twin("log"))
        return status
    finally:
        twin("down")
