# SPDX-License-Identifier: ISC
"""The daemon as a service manager and a person at the shell meet it."""

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile

from rig import Daemon, Stream, run_tests, say, wait_for

BINARY = os.environ["RINGSIDED"]
PROMTOOL = os.environ.get("PROMTOOL", "")


def call(*arguments, env=None):
    done = subprocess.run(
        [BINARY, *arguments], capture_output=True, text=True, timeout=60,
        env={**os.environ, **(env or {})},
    )
    return done.returncode, done.stdout, done.stderr


def help_and_version_are_clean():
    status, out, _ = call("--help")
    assert status == 0 and out.startswith("usage: ringsided")
    status, out, _ = call("--version")
    assert status == 0 and out.startswith("ringsided ")


def usage_errors_end_with_2():
    for arguments in (["--frobnicate"], ["surplus"], ["--describe", "x"], ["-J"], ["-c"]):
        status, out, err = call(*arguments)
        assert status == 2 and out == "" and "ringsided:" in err, (arguments, status, err)


def configuration_errors_end_with_2_and_name_file_line_key():
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as f:
        f.write("[sampling]\nintervall = 1s\n")
        f.flush()
        status, _, err = call("-c", f.name, "--check-config")
        assert status == 2 and f"{f.name}:2:" in err, err
        assert "'intervall'" in err and "'interval'" in err, err
    for line, key in (("listen = foo:1", "listen"), ("listen = 0.0.0.0:1", "listen"),
                      ("cors_origins = *", "cors_origins"),
                      ("token_file = /nonexistent", "token_file")):
        with tempfile.NamedTemporaryFile("w", suffix=".conf") as f:
            f.write(f"[web]\n{line}\n")
            f.flush()
            status, _, err = call("-c", f.name, "--check-config")
            assert status == 2 and f"{f.name}:2: {key}" in err, err
    status, _, err = call("-c", "/nonexistent.conf", "--check-config")
    assert status == 2 and "/nonexistent.conf" in err, err


def a_listener_beyond_loopback_needs_a_credential():
    for address in ("0.0.0.0:0", "[::]:0", "192.0.2.1:7464"):
        status, _, err = call("--listen", address, "--check-config")
        assert status == 2 and "token" in err, (address, status, err)
    with tempfile.NamedTemporaryFile("w") as f:
        f.write("[web]\nlisten = 0.0.0.0:0\nallow_anonymous_read = yes\n")
        f.flush()
        status, out, err = call("-c", f.name, "--check-config")
        assert status == 0, err


def every_description_is_printed():
    for what, word in (("metrics", "core_packet_load_ratio"), ("rules", "core.imbalance"),
                       ("config", "interval"), ("api", "/api/v1/summary")):
        status, out, err = call("--describe", what)
        assert status == 0 and word in out, (what, err)


def the_example_configuration_is_what_the_program_describes():
    _, out, _ = call("--describe", "config")
    example = os.path.join(os.path.dirname(__file__), "..", "..", "etc", "ringside.conf")
    with open(example) as f:
        assert f.read() == out, "ringsided --describe config > etc/ringside.conf"
    status, _, err = call("-c", example, "--check-config")
    assert status == 0, err


def once_prints_a_frame_with_rates():
    status, out, err = call("--once", "-J", "--db", "none")
    assert status == 0, err
    frame = json.loads(out)
    online = [c for c in frame["cores"] if c["online"]]
    assert online and all(c["busy"] is not None for c in online), frame["cores"]
    assert frame["summary"]["cores"] == len(online)
    status, out, err = call("--once", "--db", "none")
    assert status == 0 and "core" in out, (out, err)


def it_serves_stores_and_ends_cleanly():
    with Daemon(BINARY) as d:
        summary = wait_for("rates", lambda: (s := d.get("summary"))["hottest_core_load"]
                           is not None and s)
        assert summary["state"] in ("ok", "info", "warn", "crit")
        wait_for("three ticks", lambda: d.get("health")["ticks"] >= 3)
        assert d.stop() == 0, d.read_log()
        assert not os.path.exists(d.db + "-wal"), "the log is folded in at a clean end"
        db = sqlite3.connect(f"file:{d.db}?mode=ro", uri=True)
        assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        assert db.execute("SELECT count(*) FROM series").fetchone()[0] > 10


def history_survives_a_restart():
    with Daemon(BINARY) as d:
        wait_for("three ticks", lambda: d.get("health")["ticks"] >= 3)
        assert d.stop() == 0
        again = Daemon(BINARY, "--db", d.db)
        try:
            answer = again.get("series?metric=core_cpu_seconds&mode=idle&cpu=0&after=-600")
            values = [v for v in answer["series"][0]["values"] if v is not None]
            assert len(values) >= 2, answer
        finally:
            again.close()


def a_second_daemon_on_one_database_is_refused():
    with Daemon(BINARY) as d:
        status, _, err = call("--db", d.db, "--listen", "127.0.0.1:0")
        assert status == 1 and d.db in err, (status, err)


def started_as_root_it_becomes_nobody():
    if os.geteuid() != 0:
        return
    with Daemon(BINARY) as d:
        with open(f"/proc/{d.process.pid}/status") as f:
            status = dict(line.split(":", 1) for line in f)
        assert status["Uid"].split()[1] != "0", status["Uid"]
        assert status["Groups"].split() in ([], status["Gid"].split()[:1]), status["Groups"]
        assert int(status["CapEff"], 16) == 0, status["CapEff"]


def sighup_takes_a_good_file_and_refuses_a_bad_one():
    with Daemon(BINARY, config="[sampling]\ninterval = 1s\n") as d:
        with open(d.config, "w") as f:
            f.write("[sampling]\ninterval = never\n")
        d.process.send_signal(signal.SIGHUP)
        wait_for("the complaint", lambda: "configuration unchanged" in d.read_log())
        assert f"{d.config}:2:" in d.read_log()
        with open(d.config, "w") as f:
            f.write("[sampling]\ninterval = 2s\nreserved_cores = 0\n")
        d.process.send_signal(signal.SIGHUP)
        wait_for("the notice", lambda: "configuration read again" in d.read_log())
        assert "needs a restart: sampling.interval" in d.read_log()
        wait_for("core 0 reserved", lambda: d.get("cores")[0]["eligible"] is False)
        assert d.stop(signal.SIGINT) == 0


def a_database_in_a_directory_of_roots_is_used_by_root_only():
    if os.geteuid() != 0:
        return
    with tempfile.TemporaryDirectory() as folder:  # mode 0700, root's
        path = os.path.join(folder, "ringside.db")
        for _ in range(2):
            with Daemon(BINARY, "--db", path) as d:
                wait_for("two ticks", lambda: d.get("health")["ticks"] >= 2)
                assert d.stop() == 0, d.read_log()
        db = sqlite3.connect(path)
        assert db.execute("SELECT count(*) FROM raw").fetchone()[0] >= 2
        db.close()


def a_foreign_file_named_as_database_stays_as_it_is():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        path = os.path.join(folder, "foreign")
        with open(path, "wb") as f:
            f.write(b"not a database at all, but somebody's\n" * 100)
        before = os.stat(path)
        status, _, err = call("--db", path, "--listen", "127.0.0.1:0")
        after = os.stat(path)
        assert status == 1 and path in err, err
        assert (before.st_uid, before.st_mode, before.st_mtime_ns, before.st_size) == (
            after.st_uid, after.st_mode, after.st_mtime_ns, after.st_size)


def a_credential_that_only_root_can_read_survives_a_reload():
    if os.geteuid() != 0:
        return
    with tempfile.TemporaryDirectory() as folder:
        token = os.path.join(folder, "token")
        with open(token, "w") as f:
            f.write("correct-horse-battery\n")
        os.chmod(token, 0o600)
        with Daemon(BINARY, db=False, config=f"[web]\ntoken_file = {token}\n") as d:
            assert "a change of it needs a restart" in d.read_log()
            d.process.send_signal(signal.SIGHUP)
            wait_for("the notice", lambda: "configuration read again" in d.read_log())
            assert "the credential stays as it was" in d.read_log()


def a_service_manager_is_told_and_its_watchdog_fed():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "notify")
        os.chmod(folder, 0o777)
        s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        s.bind(path)
        os.chmod(path, 0o777)
        s.settimeout(30)
        with Daemon(BINARY, db=False,
                    env={"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "400000"}) as d:
            assert s.recv(100) == b"READY=1"
            assert s.recv(100) == b"WATCHDOG=1"
            assert s.recv(100) == b"WATCHDOG=1"
            assert d.stop() == 0
            said = b""
            while said != b"STOPPING=1":
                said = s.recv(100)


def a_unix_socket_is_served():
    with Daemon(BINARY, db=False) as d:
        path = os.path.join(d.dir, "sock")
        other = subprocess.Popen([BINARY, "--db", "none", "--listen", "unix:" + path],
                                 stderr=subprocess.DEVNULL)
        try:
            def ask():
                s = socket.socket(socket.AF_UNIX)
                s.settimeout(10)
                s.connect(path)
                s.sendall(b"GET /api/v1/summary HTTP/1.1\r\nHost: localhost\r\n"
                          b"Connection: close\r\n\r\n")
                answer = b""
                while part := s.recv(65536):
                    answer += part
                return answer
            answer = wait_for("the unix socket", ask)
            assert answer.startswith(b"HTTP/1.1 200"), answer[:200]
        finally:
            other.terminate()
            assert other.wait(timeout=30) == 0


def a_socket_of_the_service_manager_is_taken_over():
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    # The protocol names the process that the sockets, from descriptor 3 on, are for.
    script = f'exec 3<&{listener.fileno()}; LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" --db none'
    process = subprocess.Popen(["sh", "-c", script, BINARY], stderr=subprocess.DEVNULL,
                               pass_fds=[listener.fileno()])
    try:
        def ask():
            with socket.create_connection(("127.0.0.1", port), timeout=10) as s:
                s.sendall(b"GET /api/v1/summary HTTP/1.0\r\nHost: localhost\r\n\r\n")
                return s.recv(20)
        assert wait_for("an answer on the socket", ask).startswith(b"HTTP/1.")
    finally:
        process.terminate()
        assert process.wait(timeout=30) == 0
        listener.close()


def an_address_in_use_is_a_clear_error():
    with Daemon(BINARY, db=False) as d:
        status, _, err = call("--db", "none", "--listen", f"127.0.0.1:{d.port}")
        assert status == 1 and str(d.port) in err, (status, err)


def foreign_hosts_and_unknown_parameters_are_refused():
    with Daemon(BINARY, db=False) as d:
        status, body, headers = d.request("/api/v1/summary", {"Host": "evil.example"})
        assert status in (403, 421), status
        assert headers["Content-Type"].startswith("application/problem+json"), headers
        status, body, _ = d.request("/api/v1/summary?colour=red")
        assert status == 400 and b"colour" in body, body
        assert d.request("/api/v1/nothing")[0] == 404


def a_captured_tree_is_read_in_place_of_the_machine():
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(f"{root}/proc/net")
        with open(f"{root}/proc/stat", "w") as f:
            f.write("cpu  2 0 2 20 0 0 0 0 0 0\ncpu0 1 0 1 10 0 0 0 0 0 0\n"
                    "cpu5 1 0 1 10 0 0 0 0 0 0\n")
        status, out, err = call("--once", "-J", "--root", root)
        assert status == 0, err
        cores = json.loads(out)["cores"]
        assert [c["core"] for c in cores] == [0, 5], cores
        interfaces = json.loads(out)["interfaces"]
        assert interfaces == [], interfaces
    status, _, err = call("--once", "--root", "/nonexistent")
    assert status == 1 and "/nonexistent" in err, err


def missing_sources_are_a_state_not_a_flood():
    with tempfile.TemporaryDirectory() as root:
        os.chmod(root, 0o755)
        with Daemon(BINARY, "--root", root, db=False,
                    config="[sampling]\ninterval = 200ms\n") as d:
            health = wait_for("ticks", lambda: (h := d.get("health"))["ticks"] > 15 and h)
            states = {s["id"]: s["state"] for s in health["sources"]}
            assert set(states.values()) <= {"missing", "ok"} and "missing" in states.values()
            assert d.get("summary")["state"] == "unknown"
            lines = d.read_log().count("source '")
            assert lines <= len(states), d.read_log()


class Tree:
    """A captured tree with a setting that can be changed."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = self.folder.name
        os.chmod(self.path, 0o755)
        os.makedirs(f"{self.path}/proc/sys/net/core")
        self.set(300)

    def set(self, budget):
        # In one step: half a file would be another value.
        name = f"{self.path}/proc/sys/net/core/netdev_budget"
        with open(name + ".new", "w") as f:
            f.write(f"{budget}\n")
        os.rename(name + ".new", name)

    def daemon(self, **options):
        d = Daemon(BINARY, "--root", self.path,
                   config="[sampling]\ninterval = 200ms\n", **options)
        wait_for("the setting", lambda: budget_of(d) is not None)
        return d


def budget_of(d):
    _, body, _ = d.request("/metrics")
    for line in body.decode().splitlines():
        if line.startswith('ringside_setting_value{setting="netdev_budget"}'):
            return int(line.split()[1])
    return None


def news(d, n):
    """The changes, once there are n of them."""
    return wait_for(f"{n} changes", lambda: len(c := d.get("changes")) == n and c)


def a_setting_that_changes_is_told_everywhere():
    tree = Tree()
    with tree.daemon() as d:
        assert d.get("changes") == []
        stream = Stream(d)
        wait_for("the stream", lambda: d.get("health")["http"]["streams"] == 1)
        tree.set(600)
        change = news(d, 1)[0]
        assert change == {"id": 1, "at_ms": change["at_ms"], "kind": "netdev_budget",
                          "subject": {"kind": "host"}, "old": "300", "new": "600"}, change
        assert abs(change["at_ms"] - d.get("summary")["sampled_at_ms"]) < 60000
        event = wait_for("the event", lambda: [e for k, e, _ in list(stream.events)
                                               if k == "change"])
        assert event == [change], event
        line = "notice: setting changed: netdev_budget: '300' to '600'"
        assert d.read_log().count(line) == 1, d.read_log()
        assert budget_of(d) == 600
        tree.set(900)
        assert [c["id"] for c in news(d, 2)] == [2, 1]
        assert [c["id"] for c in d.get("changes?limit=1")] == [2]
        assert d.get(f"changes?after={change['at_ms'] / 1000}")[0]["id"] == 2
        assert d.get("changes?kind=mtu") == [] and d.get("changes?device=eth0") == []
        assert len(d.get("changes?kind=netdev_budget&after=-600")) == 2


def changes_survive_a_kill_and_a_restart():
    tree = Tree()
    with tree.daemon() as d:
        tree.set(600)
        news(d, 1)
        wait_for("the commit", lambda: d.get("health")["store"]["commits"] >= 1)
        d.process.kill()
        d.process.wait()
        again = Daemon(BINARY, "--root", tree.path, "--db", d.db,
                       config="[sampling]\ninterval = 200ms\n")
        try:
            wait_for("the setting", lambda: budget_of(again) == 600)
            assert [c["new"] for c in again.get("changes")] == ["600"]
            tree.set(900)
            assert [(c["id"], c["new"]) for c in news(again, 2)] == [(2, "900"), (1, "600")]
            assert again.stop() == 0, again.read_log()
            db = sqlite3.connect(d.db)
            assert db.execute("SELECT id, kind, subject, old, new FROM changes "
                              "ORDER BY id").fetchall() == [
                (1, "netdev_budget", "host", "300", "600"),
                (2, "netdev_budget", "host", "600", "900")]
            db.close()
        finally:
            again.close()


def changes_are_told_without_a_file():
    tree = Tree()
    with tree.daemon(db=False) as d:
        tree.set(600)
        assert news(d, 1)[0]["new"] == "600"
        assert d.get("health")["store"]["state"] == "memory"


def metrics_satisfy_promtool():
    if not PROMTOOL or not os.access(PROMTOOL, os.X_OK):
        say("SKIPPED: promtool is missing")
        return
    with Daemon(BINARY) as d:
        wait_for("three ticks", lambda: d.get("health")["ticks"] >= 3)
        status, body, headers = d.request("/metrics")
        assert status == 200
        assert headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8", headers
        done = subprocess.run([PROMTOOL, "check", "metrics"], input=body, capture_output=True,
                              timeout=60)
        assert done.returncode == 0, (done.stdout, done.stderr)
        for family in ("core_cpu_seconds_total", "core_packet_load_ratio", "state",
                       "interface_bytes_total", "build_info", "ticks_total"):
            assert f"\nringside_{family}".encode() in b"\n" + body, family
        status, body, headers = d.request(
            "/metrics", {"Accept": "application/openmetrics-text; version=1.0.0"})
        assert status == 200 and body.endswith(b"\n# EOF\n"), body[-200:]
        assert headers["Content-Type"].startswith(
            "application/openmetrics-text; version=1.0.0"), headers


def counters_in_metrics_are_what_the_kernel_counts():
    def idle():
        with open("/proc/stat") as f:
            for line in f:
                if line.startswith("cpu0 "):
                    return int(line.split()[4]) / os.sysconf("SC_CLK_TCK")

    with Daemon(BINARY, db=False) as d:
        wait_for("two ticks", lambda: d.get("health")["ticks"] >= 2)
        before = idle()
        ticks = d.get("health")["ticks"]
        wait_for("a tick more", lambda: d.get("health")["ticks"] > ticks)
        _, body, _ = d.request("/metrics")
        after = idle()
        line = next(s for s in body.decode().splitlines()
                    if s.startswith('ringside_core_cpu_seconds_total{cpu="0",mode="idle"}'))
        assert before <= float(line.split()[1]) <= after, (before, line, after)


if __name__ == "__main__":
    sys.exit(run_tests([
        help_and_version_are_clean,
        usage_errors_end_with_2,
        configuration_errors_end_with_2_and_name_file_line_key,
        a_listener_beyond_loopback_needs_a_credential,
        every_description_is_printed,
        the_example_configuration_is_what_the_program_describes,
        once_prints_a_frame_with_rates,
        it_serves_stores_and_ends_cleanly,
        history_survives_a_restart,
        a_second_daemon_on_one_database_is_refused,
        started_as_root_it_becomes_nobody,
        sighup_takes_a_good_file_and_refuses_a_bad_one,
        a_database_in_a_directory_of_roots_is_used_by_root_only,
        a_foreign_file_named_as_database_stays_as_it_is,
        a_credential_that_only_root_can_read_survives_a_reload,
        a_service_manager_is_told_and_its_watchdog_fed,
        a_unix_socket_is_served,
        a_socket_of_the_service_manager_is_taken_over,
        an_address_in_use_is_a_clear_error,
        foreign_hosts_and_unknown_parameters_are_refused,
        a_captured_tree_is_read_in_place_of_the_machine,
        missing_sources_are_a_state_not_a_flood,
        a_setting_that_changes_is_told_everywhere,
        changes_survive_a_kill_and_a_restart,
        changes_are_told_without_a_file,
        metrics_satisfy_promtool,
        counters_in_metrics_are_what_the_kernel_counts,
    ]))
