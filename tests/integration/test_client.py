# SPDX-License-Identifier: ISC
"""ringside as a person and a script meet it: with a daemon, with none, and with a
server that answers what no daemon would."""

import fcntl
import gzip
import json
import os
import pty
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import urllib.parse

from rig import Daemon, run_tests, say, wait_for

BINARY = os.environ["RINGSIDED"]
CLIENT = os.environ["RINGSIDE"]
SEEDS = os.path.join(os.path.dirname(__file__), "..", "fuzz", "corpus", "client")
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f\x80-\x9f]")


def call(*arguments, url=None, env=None):
    """Exit status, standard output and error of one call, which never dies of a signal."""
    clean = {k: v for k, v in os.environ.items()
             if k not in ("RINGSIDE_URL", "http_proxy", "no_proxy", "ALL_PROXY", "all_proxy")}
    done = subprocess.run(
        [CLIENT, *(["-u", url] if url else []), *arguments], capture_output=True, timeout=120,
        env={**clean, **(env or {})},
    )
    out, err = done.stdout.decode(), done.stderr.decode()
    assert done.returncode in (0, 1, 2, 3) and "Sanitizer" not in err, (arguments, done, err)
    assert not CONTROL.search(out) and not CONTROL.search(err), (arguments, out, err)
    return done.returncode, out, err


def answer(body, status="200 OK", type="application/json", headers=()):
    body = body if isinstance(body, bytes) else body.encode()
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers]
    if type is not None:
        lines.append(f"Content-Type: {type}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


def problem(status, **members):
    return answer(json.dumps(members), status, "application/problem+json")


def seed(name):
    with open(os.path.join(SEEDS, name), "rb") as f:
        return f.read()


class Server:
    """Answers every request with what reply(path) gives, byte for byte, and keeps the
    requests. Closes after each."""

    def __init__(self, reply):
        self.reply = reply if callable(reply) else lambda path: reply
        self.requests = []
        self.n_answered = 0  # and the last byte taken
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            try:
                with connection:
                    self._answer(connection)
            except OSError:
                pass  # the client has heard enough

    def _answer(self, connection):
        request = b""
        while b"\r\n\r\n" not in request:
            part = connection.recv(65536)
            if not part:
                return
            request += part
        self.requests.append(request.decode())
        connection.sendall(self.reply(request.split()[1].decode()))
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(65536):
            pass
        self.n_answered += 1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


def canned(path):
    """The daemon of the seeds."""
    return answer(seed(path.split("?")[0].rsplit("/", 1)[1]))


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


def help_and_version_are_clean():
    status, out, err = call("--help")
    assert status == 0 and out.startswith("usage: ringside") and err == ""
    status, out, _ = call("--version")
    assert status == 0 and out.startswith("ringside ")


def usage_errors_end_with_2_and_name_the_nearest_word():
    for arguments, words in ((["statsu"], "'status'"), (["--jsno", "map"], "'--json'"),
                             ([], "command"), (["map", "x"], "'x'"), (["map", "--all"], "--all"),
                             (["-u", "nonsense", "map"], "http://"),
                             (["-u", "https://h", "map"], "http://"),
                             (["-u", "http://a:b@h", "map"], "--token-file")):
        status, out, err = call(*arguments)
        assert status == 2 and out == "" and words in err, (arguments, status, err)
    status, _, err = call("map", env={"RINGSIDE_URL": "x"})
    assert status == 2 and "RINGSIDE_URL" in err, err


def without_a_daemon_every_command_says_in_one_line_what_was_tried():
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        plain = os.path.join(folder, "file")
        open(plain, "w").close()
        for command in ("status", "findings", "changes", "map"):
            for url, words in ((f"http://127.0.0.1:{port}", "Connection refused"),
                               (f"unix:{folder}/none", "No such file"),
                               (f"unix:{plain}", "Connection refused"),
                               ("http://name.invalid:7464", "name.invalid")):
                for json_too in ([], ["-J"]):
                    status, out, err = call(command, *json_too, url=url)
                    assert status == 3 and out == "", (command, url, status, out)
                    assert err.count("\n") == 1 and url in err and words in err, err


PROBLEMS = [
    ("not JSON", answer("no"), "cannot be read"),
    ("nothing", answer(""), "cannot be read"),
    ("another type of document", answer("[]"), "another program"),
    ("deep nesting", answer("[" * 1000000), "cannot be read"),
    ("very many values", answer(b"[" + b"{}," * 4000000 + b"{}]"), "more than"),
    ("a control character in a string", answer(b'{"state":"\x1b[2J"}'), "cannot be read"),
    ("bytes that are no text", answer(b'{"state":"\xff"}'), "cannot be read"),
    ("a page for people", answer("<html>", type="text/html"), "text/html"),
    ("a type with escapes", answer("{}", type="a\x1b[2Jb"), "another program"),
    ("a type that is no text", answer("{}").replace(b"/json", b"\x9b\xff"), "application??"),
    ("no type", answer("{}", type=None), "without a type"),
    ("a type that only begins like it", answer("{}", type="application/jsonx"), "jsonx"),
    ("no content", b"HTTP/1.1 204 No Content\r\n\r\n", "204"),
    ("an error without a reason", answer("", "500 x"), "500"),
    ("an error with a reason", problem("503 x", detail="try\nagain\x1b[2J\x9b"), "try?again?[2J??"),
    ("a reason that is none", problem("503 x", detail=7, title=[]), "503"),
    ("an error of another kind", answer("<html>", "502 x", "text/html"), "502"),
    ("no such page", problem("404 x", detail="d"), "/api/v1/summary"),
    ("a credential is needed", problem("401 x", detail="d"), "--token-file"),
    ("forbidden", problem("403 x", detail="because"), "because"),
    ("a body cut short", answer("{}", headers=["Content-Length: 100"]), ""),
    ("a body of an unknown coding", answer(gzip.compress(b"{}"),
                                           headers=["Content-Encoding: gzip"]), "cannot be read"),
    ("a broken chunk", b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
     b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n", ""),
    ("no HTTP", b"220 mail.example ESMTP\r\n", ""),
    ("nothing at all", b"", ""),
    ("a header without end", b"HTTP/1.1 200 OK\r\nX: " + b"a" * 1000000, ""),
    ("more than is taken", answer(b'{"a":"' + b"a" * (65 << 20) + b'"}'), "larger than 64 MB"),
]


def answers_that_are_none_are_one_sentence():
    for name, reply, words in PROBLEMS:
        with Server(reply) as server:
            status, out, err = call("status", url=server.url)
            assert status == 3 and out == "", (name, status, out[:200])
            assert err.count("\n") == 1 and words in err, (name, err)
            assert len(err) < 600, (name, err)


def a_redirection_is_not_followed():
    with Server(canned) as other:
        with Server(answer("", "302 x", headers=[f"Location: {other.url}/api/v1/summary"])) as s:
            status, _, err = call("status", url=s.url)
            assert status == 3 and "302" in err, err
            assert other.requests == []


def a_question_that_the_daemon_refuses_is_a_usage_error():
    with Server(problem("400 x", detail="limit: expected 1 to 1000")) as server:
        status, _, err = call("changes", "--limit", "no", url=server.url)
        assert status == 2 and "limit: expected 1 to 1000" in err, err


def options_of_changes_become_parameters():
    with Server(canned) as server:
        status, _, err = call("changes", "--kind", "a b&c", "--device", "eth0", "--limit", "5",
                              url=server.url)
        assert status == 0, err
        line = server.requests[-1].split("\r\n")[0]
        assert line == "GET /api/v1/changes?kind=a%20b%26c&device=eth0&limit=5 HTTP/1.1", line
        call("findings", "--all", url=server.url + "/prefix/")
        line = server.requests[-1].split("\r\n")[0]
        assert line == "GET /prefix/api/v1/findings?state=all HTTP/1.1", line


def the_state_is_the_exit_status():
    for state, expected in (("ok", 0), ("info", 0), ("warn", 1), ("crit", 2), ("unknown", 3),
                            ("new", 3), (None, 3)):
        with Server(answer(json.dumps({"state": state, "verdict": "v"}))) as server:
            status, out, err = call("status", url=server.url)
            assert status == expected and out.startswith("v\n") and err == "", (state, status)
            status, out, _ = call("status", "-J", url=server.url)
            assert status == expected and json.loads(out)["state"] == state


def the_verdict_stands_without_the_list_of_findings():
    with Server(lambda path: canned(path) if "summary" in path else answer("", "500 x")) as s:
        status, out, err = call("status", url=s.url)
        assert status == 2 and err == "", (status, err)
        assert "2 active, not listed" in out and "500" in out, out


def strings_of_the_answer_cannot_steer_a_terminal():
    hostile = "\x1b]0;x\x07\n\r\x7f\x9b2J%s%n"
    for command, kind in (("status", "summary"), ("findings", "findings"), ("changes", "changes"),
                          ("map", "map")):
        text = re.sub(': "[^"]*"', lambda _: ": " + json.dumps(hostile, ensure_ascii=False),
                      seed(kind).decode())
        reply = answer(text)
        with Server(lambda path: reply if kind in path else answer("[]")) as server:
            _, out, _ = call(command, url=server.url)  # looks for control characters
            assert "?]0;x" in out, out
            # JSON as it is, but DEL and U+009B as escapes.
            _, out, _ = call(command, "-J", url=server.url)
            assert json.loads(out) == json.loads(text)


def json_is_what_the_daemon_said():
    with Server(canned) as server:
        for command, kind in (("status", "summary"), ("findings", "findings"),
                              ("changes", "changes"), ("map", "map")):
            _, out, err = call(command, "--json", url=server.url)
            assert out.encode() == seed(kind).strip() + b"\n" and err == "", command


def a_token_goes_with_each_question():
    with tempfile.TemporaryDirectory() as folder, Server(canned) as server:
        path = os.path.join(folder, "token")
        with open(path, "w") as f:
            f.write("correct-horse-battery\r\nsecond line\n")
        assert call("status", "--token-file", path, url=server.url)[0] == 2
        assert len(server.requests) == 2
        for request in server.requests:
            assert "\r\nAuthorization: Bearer correct-horse-battery\r\n" in request, request
        call("map", url=server.url)
        assert "Authorization" not in server.requests[-1]
        for content in (b"", b"\n", b"a\x01b\n", b"a" * 5000, b"a\r b\n"):
            with open(path, "wb") as f:
                f.write(content)
            status, _, err = call("map", "--token-file", path, url=server.url)
            assert status == 3 and path in err and "token" in err, (content, err)
        for bad in (folder, path + "x"):
            status, _, err = call("map", "--token-file", bad, url=server.url)
            assert status == 3 and bad in err, err
        assert len(server.requests) == 3


def a_refused_token_is_named_by_its_file():
    with tempfile.NamedTemporaryFile("w") as f, Server(problem("401 x", detail="d")) as server:
        f.write("correct-horse-battery\n")
        f.flush()
        status, _, err = call("map", "--token-file", f.name, url=server.url)
        assert status == 3 and f.name in err and "horse" not in err, err


def no_proxy_comes_between_for_this_machine():
    with Server(canned) as server, Server(answer("", "500 proxy")) as proxy:
        port = server.url.rsplit(":", 1)[1]
        for name in ("127.0.0.1", "localhost"):
            status, _, err = call("map", url=f"http://{name}:{port}",
                                  env={"http_proxy": proxy.url, "ALL_PROXY": proxy.url})
            assert status == 0, err
        assert proxy.requests == []
        call("map", url="http://router.example:7464", env={"http_proxy": proxy.url})
        assert proxy.requests[0].startswith("GET http://router.example:7464/api/v1/map ")


def the_option_goes_before_the_environment():
    with Server(canned) as server:
        status, _, err = call("map", env={"RINGSIDE_URL": server.url})
        assert status == 0, err
        status, _, err = call("map", url=server.url, env={"RINGSIDE_URL": "http://127.0.0.1:1"})
        assert status == 0, err
        status, _, err = call("map", env={"RINGSIDE_URL": ""})
        assert status == 3 and "http://127.0.0.1:7464" in err or status == 0, err


def on_terminal(*arguments, url, columns=80, **env):
    """What a person sees on a terminal of so many columns."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen([CLIENT, "-u", url, *arguments], stdout=follower,
                               stderr=subprocess.PIPE, env={"TERM": "xterm", **env})
    os.close(follower)
    seen = b""
    try:
        while part := os.read(leader, 65536):
            seen += part
    except OSError:
        pass  # the other end is closed: that is how a terminal ends
    os.close(leader)
    process.stderr.read()
    process.wait(timeout=60)
    return seen.decode().replace("\r\n", "\n")


def colours_are_for_terminals_that_want_them():
    with Server(canned) as server:
        for command in ("status", "findings", "changes", "map"):
            plain = call(command, url=server.url)[1]
            assert "\x1b" in on_terminal(command, url=server.url), command
            for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
                seen = on_terminal(command, url=server.url, columns=1000, **env)
                assert seen == plain, (command, env, seen, plain)
            assert "\x1b" in on_terminal(command, url=server.url, NO_COLOR="")


def lines_fit_into_eighty_columns():
    with Server(canned) as server:
        for command in ("status", "findings", "changes", "map"):
            seen = on_terminal(command, url=server.url, NO_COLOR="1")
            for line in seen.split("\n"):
                # Commands stay whole, for copying.
                is_command = line.startswith(("  try:", "  undo:"))
                assert len(line) <= 80 or is_command, (command, line)


def output_that_cannot_be_written_is_an_error():
    with Server(canned) as server, open("/dev/full", "w") as full:
        done = subprocess.run([CLIENT, "-u", server.url, "map"], stdout=full,
                              stderr=subprocess.PIPE, timeout=60)
        assert done.returncode == 3 and b"No space" in done.stderr, done


def the_daemon_answers_over_both_kinds_of_address():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        path = os.path.join(folder, "sock")
        with Daemon(BINARY, "--listen", "unix:" + path, db=False) as d:
            wait_for("rates", lambda: d.get("summary")["hottest_core_load"] is not None)
            states = {"ok": 0, "info": 0, "warn": 1, "crit": 2, "unknown": 3}
            for url in (f"http://127.0.0.1:{d.port}", f"http://localhost:{d.port}/",
                        "unix:" + path):
                status, out, err = call("status", "-J", url=url)
                summary = json.loads(out)
                assert status == states[summary["state"]] and err == "", (status, err)
                status, out, err = call("status", url=url)
                assert "\nhottest     core " in out and err == "", (out, err)
                cores = summary["cores"]
                assert f" of {cores}, " in out, out
                for command in ("findings", "changes", "map"):
                    status, out, err = call(command, url=url)
                    assert status == 0 and out and err == "", (command, status, err)
                    json.loads(call(command, "-J", url=url)[1])


def the_map_of_this_machine_has_its_devices_and_cores():
    with Daemon(BINARY, db=False) as d:
        wait_for("rates", lambda: d.get("summary")["hottest_core_load"] is not None)
        _, out, err = call("map", url=f"http://127.0.0.1:{d.port}")
        for device in d.get("map")["devices"]:
            assert re.search(rf"^{re.escape(device['device'])}  ", out, re.M), (device, out)
        rows = re.findall(r"^ *(?:> )?(\d+) +(?:<?\d+ %|-) +[#.-]+ ", out, re.M)
        assert rows == [str(c["core"]) for c in d.get("cores")], (rows, out)
        assert err == ""


def own_address():
    """An address of this machine that is not loopback, or None."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            s.connect(("192.0.2.1", 9))  # sends nothing
            name = s.getsockname()[0]
            return None if name.startswith(("127.", "0.")) else name
        except OSError:
            return None


def a_daemon_for_other_machines_wants_its_token():
    address = own_address()
    if address is None:
        say("SKIP: this machine has only loopback addresses")
        return
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        token, wrong = os.path.join(folder, "token"), os.path.join(folder, "wrong")
        for path, text in ((token, "correct-horse-battery\n"), (wrong, "incorrect-horse-here\n")):
            with open(path, "w") as f:
                f.write(text)
        port = free_port()
        url = f"http://{address}:{port}"
        with Daemon(BINARY, "--listen", f"{address}:{port}", db=False,
                    config=f"[web]\ntoken_file = {token}\n"):
            status, _, err = call("map", url=url)
            assert status == 3 and "--token-file" in err and err.count("\n") == 1, err
            status, _, err = call("map", "--token-file", wrong, url=url)
            assert status == 3 and wrong in err, err
            status, _, err = call("findings", "--token-file", token, url=url)
            assert status == 0, err


class History:
    """A daemon with a sample a second of two series, which answers few of them at once.
    before(history, n): called for the nth question for series; what it gives is the answer,
    None the usual."""

    now_ms = 1_700_000_000_300
    oldest_ms = now_ms - 20_000_000

    def __init__(self, ticks_max=1000, before=None, tier="raw"):
        self.ticks_max = ticks_max
        self.before = before
        self.tier = tier
        self.asked = []  # (after_ms, before_ms) of questions that were answered
        self.tiers = []
        self.n = 0

    def __call__(self, path):
        path, _, query = path.partition("?")
        if path.endswith("/summary"):
            return answer(json.dumps({"sampled_at_ms": self.now_ms, "interval_ms": 1000}))
        if path.endswith("/catalog"):
            return answer(json.dumps([{"metric": "m", "labels": {"cpu": c}} for c in "01"]))
        asked = urllib.parse.parse_qs(query)
        after, before = (round(1000 * float(asked[k][0])) for k in ("after", "before"))
        self.n += 1
        special = self.before(self, self.n) if self.before else None
        if special is not None:
            return special
        times = self.times(after, before)
        if len(times) > self.ticks_max:
            return problem("413 x", detail="too large")
        self.asked.append((after, before))
        self.tiers = [*self.tiers, asked.get("tier", [None])[0]]
        headers = [f"Ringside-Tier: {self.tier}"] if times else []
        cpus = asked.get("cpu", ["0", "1"])
        if asked["format"] == ["csv"]:
            assert asked["layout"] == ["rows"]
            rows = [f"{t},{c},{self.value(t, c)}" for t in times for c in cpus]
            return answer("\r\n".join(["time_ms,cpu,value", *rows, ""]), type="text/csv; x=y",
                          headers=headers)
        return answer(json.dumps(
            {"metric": "m", "time_ms": times,
             "series": [{"labels": {"cpu": c}, "values": [self.value(t, c) for t in times]}
                        for c in cpus]}, separators=(",", ":")), headers=headers)

    def times(self, after, before):
        first = max(after + 1, self.oldest_ms)
        first += (self.now_ms - first) % 1000
        return list(range(first, min(before, self.now_ms) + 1, 1000))

    @staticmethod
    def value(t, c):
        return (t // 1000 + int(c)) % 7 / 2


def exported(history, *arguments, status=0):
    with Server(history) as server:
        got, out, err = call("export", "m", *arguments, url=server.url)
        assert got == status, (arguments, got, out[:200], err)
        return out, err


def an_export_in_slices_is_that_of_one_answer():
    after = f"{(History.now_ms - 12_345_000) / 1000:.3f}"
    whole, sliced = History(10**6), History(1000)
    for arguments in (["--after", after], ["cpu=1", "--after", after, "--format", "ministat"]):
        expected, err = exported(whole, *arguments)
        assert err == "", err
        out, err = exported(sliced, *arguments)
        assert out == expected and err == "", (arguments, err)
    assert expected.count("\n") == 12345
    assert len(whole.asked) == 2 and len(sliced.asked) > 24
    ends = sliced.asked[:12]
    assert all(a[1] == b[0] for a, b in zip(ends, ends[1:])), ends
    out, _ = exported(sliced, "--after", after, "--format", "json")
    documents = [json.loads(line) for line in out.splitlines()]
    times = [t for d in documents for t in d["time_ms"]]
    assert len(documents) > 12 and times == whole.times(History.now_ms - 12_345_000, 1 << 60)


def an_export_of_all_times_does_not_ask_for_every_year():
    for arguments in (["--after", "0"], ["--after", "0", "--before", "2199-01-01T00:00:00Z"]):
        history = History(1000)
        out, _ = exported(history, *arguments)
        assert out.count("\n") == 1 + 2 * 20001, out.count("\n")
        assert history.n < 150, history.n


def an_export_takes_the_last_hour_and_times_of_all_kinds():
    for arguments, n in (([], 3600), (["--after", "-60"], 60),
                         (["--after", "-60", "--before", "-50"], 10),
                         (["--after", "2023-11-14T22:12:20Z"], 61),
                         (["--after", "1699999940", "--before", "1699999941"], 1)):
        out, _ = exported(History(10**6), "cpu=0", *arguments)
        assert out.count("\n") == 1 + n, (arguments, out.count("\n"))
    out, err = exported(History(), "--after", "5", "--before", "7.5")
    assert out == "time_ms,cpu,value\n" and "no samples" in err, (out, err)
    out, err = exported(History(), "cpu=0", "--after", "5", "--before", "7.5",
                        "--format", "ministat")
    assert out == "" and "no samples" in err, (out, err)
    out, err = exported(History(), "--after", "5", "--before", "7.5", "-J")
    assert json.loads(out)["time_ms"] == [] and "no samples" not in out, (out, err)


def an_export_that_means_nothing_is_a_usage_error():
    for arguments, words in ((["cpu=2"], "there is cpu=0|1"), (["device=x"], "'device'"),
                             (["--format", "ministat"], "choose with cpu=0|1"),
                             (["--after", "soon"], "--after: expected epoch seconds"),
                             (["--after", "1e400"], "--after"),
                             (["--before", "1700000000000"], "milliseconds?"),
                             (["--after", "5", "--before", "4"], "end of the range")):
        out, err = exported(History(), *arguments, status=2)
        assert out == "" and words in err and err.count("\n") == 1, (arguments, err)
    with Server(History()) as server:
        status, out, err = call("export", "n", url=server.url)
        assert status == 2 and out == "" and "no series of 'n'" in err, err
    refused = History(before=lambda *_: problem("400 x", detail="points: expected 1"))
    out, err = exported(refused, "--points", "x", status=2)
    assert out == "" and "points: expected 1" in err, err
    status, out, err = call("export", "m", url=f"http://127.0.0.1:{free_port()}")
    assert status == 1 and out == "" and "cannot connect" in err, err


def a_part_of_an_export_is_never_taken_for_all_of_it():
    def fails(reply):
        return lambda h, n: reply if len(h.asked) >= 3 else None

    for reply in (b"", answer("time_ms,cpu,value\r\n1,0,2", type="text/csv"),
                  answer("time_ms,cpu,value\r\n", type="text/csv",
                         headers=["Content-Length: 9999"]),
                  b"HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\nTransfer-Encoding: chunked\r\n\r\n"
                  b"5\r\ntime_\r\n", answer("{}"), problem("500 x", detail="broken")):
        history = History(before=fails(reply))
        out, err = exported(history, "--after", "-12000", status=1)
        assert err.count("\n") == 1 and "not complete" in err, err
        # What the message says fetches the rest.
        rest = re.search(r"--after (\d+\.\d+)", err)[1]
        more, _ = exported(History(), "--after", rest)
        whole, _ = exported(History(10**6), "--after", "-12000")
        assert out + more.split("\n", 1)[1] == whole, (len(out), len(more), len(whole))


def an_export_has_one_tier():
    for arguments, sent in (([], {"finest", "minute"}), (["--tier", "hour"], {"hour"}),
                            (["--points", "9"], {None}),
                            (["--points", "9", "--tier", "raw"], {"raw"})):
        history = History(1000 if "--points" not in arguments else 10**6, tier="minute")
        _, err = exported(history, "--after", "-9000", *arguments)
        assert set(history.tiers) == sent, (arguments, history.tiers)
        assert history.tiers.count("finest") == ("finest" in sent), history.tiers
        assert ("one value for each minute" in err) == ("finest" in sent), err
    odd = answer("time_ms,cpu,value\r\n-9223372036854775808,0,2\r\n", type="text/csv",
                 headers=["Ringside-Tier: hour"])
    out, _ = exported(History(before=lambda h, n: odd if n > 1 else problem("413 x", detail="d")),
                      "--after", "-9000")
    assert out.count("\n-9223372036854775808,0,2\n") == 1, out
    history = History()
    _, err = exported(history, "--after", "-9000")
    assert set(history.tiers) == {"finest", "raw"} and err == "", (history.tiers, err)
    with Server(History(before=lambda *_: problem("400 x", detail="tier: expected"))) as server:
        status, out, err = call("export", "m", "--tier", "x", url=server.url)
        assert status == 2 and out == "" and "tier: expected" in err, err


def what_cannot_be_read_from_disk_is_not_left_out_of_an_export():
    lacking = answer("time_ms,cpu,value\r\n1,0,2\r\n", type="text/csv",
                     headers=["Ringside-Incomplete: disk full\x1b"])
    out, err = exported(History(before=lambda *_: lacking), status=1)
    assert out == "" and "cannot be read: disk full?" in err, err
    with Server(answer("[]", headers=["Ringside-Incomplete: no such file"])) as server:
        status, out, err = call("findings", "--all", url=server.url)
        assert status == 0 and out and "not complete: no such file" in err, (out, err)


def a_busy_daemon_is_asked_again():
    busy = problem("503 x", detail="too many questions at once, try again")
    out, err = exported(History(before=lambda h, n: busy if n % 2 else None))
    assert out.count("\n") == 1 + 2 * 3600 and err == "", err
    out, err = exported(History(before=lambda *_: busy), status=1)
    assert out == "" and "try again" in err, err


def a_reader_that_stops_ends_an_export_quietly():
    for restore in (True, False):  # killed by SIGPIPE, or that is ignored
        with Server(History()) as server:
            process = subprocess.Popen(
                [CLIENT, "-u", server.url, "export", "m", "--after", "0"], stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, restore_signals=restore)
            assert process.stdout.readline() == b"time_ms,cpu,value\n"
            process.stdout.close()
            assert process.stderr.read() == b""
            status = process.wait(timeout=60)
            assert status == (-signal.SIGPIPE if restore else 1), status


def a_reader_that_waits_does_not_hold_the_connection():
    # Larger than what the pipe and the sockets hold.
    lines = b"time_ms,value\r\n" + b"".join(b"%d,5\r\n" % i for i in range(300000))
    history = History(before=lambda *_: answer(lines, type="text/csv"))
    with Server(history) as server:
        process = subprocess.Popen([CLIENT, "-u", server.url, "export", "m", "--points", "9"],
                                   stdout=subprocess.PIPE)
        wait_for("the whole answer taken", lambda: server.n_answered == 3)
        out = process.stdout.read()
        assert process.wait(timeout=60) == 0
        assert out == lines.replace(b"\r", b"")


def an_export_that_cannot_be_written_is_an_error():
    with Server(History()) as server, open("/dev/full", "w") as full:
        done = subprocess.run([CLIENT, "-u", server.url, "export", "m"], stdout=full,
                              stderr=subprocess.PIPE, timeout=60)
        assert done.returncode == 1 and b"No space" in done.stderr, done


def an_export_of_the_daemon_is_its_history():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        path = os.path.join(folder, "sock")
        with Daemon(BINARY, "--listen", "unix:" + path, db=False,
                    config="[sampling]\ninterval = 200ms\n") as d:
            wait_for("samples", lambda: d.get("health")["ticks"] >= 8)
            end = d.get("series?metric=state&after=-10")["time_ms"][-1]
            times = ["--after", str(end / 1000 - 1), "--before", str(end / 1000)]
            asked = f"&after={end / 1000 - 1}&before={end / 1000}"
            for url in (f"http://127.0.0.1:{d.port}", "unix:" + path):
                status, out, err = call("export", "core_busy_ratio", *times, url=url)
                rows = d.request(f"/api/v1/series?metric=core_busy_ratio{asked}&format=csv"
                                 "&layout=rows")[1].decode()
                assert status == 0 and out == rows.replace("\r\n", "\n") and err == "", (out, rows)
                status, out, _ = call("export", "core_busy_ratio", "-J", *times, url=url)
                columns = d.get(f"series?metric=core_busy_ratio{asked}")
                assert status == 0 and json.loads(out) == columns, (out, columns)
                assert len(columns["time_ms"]) == 5, columns
                status, out, err = call("export", "state", "--tier", "hour", url=url)
                assert status == 0 and out.count("\n") in (2, 3) and err == "", (out, err)
                _, out, _ = call("export", "core_busy_ratio", "cpu=0", "--format", "ministat",
                                 *times, url=url)
                values = [v for v in columns["series"][0]["values"] if v is not None]
                assert [float(v) for v in out.split()] == values, (out, values)
                status, _, err = call("export", "core_bussy_ratio", url=url)
                assert status == 2 and "core_busy_ratio" in err, err


if __name__ == "__main__":
    sys.exit(run_tests([
        help_and_version_are_clean,
        usage_errors_end_with_2_and_name_the_nearest_word,
        without_a_daemon_every_command_says_in_one_line_what_was_tried,
        answers_that_are_none_are_one_sentence,
        a_redirection_is_not_followed,
        a_question_that_the_daemon_refuses_is_a_usage_error,
        options_of_changes_become_parameters,
        the_state_is_the_exit_status,
        the_verdict_stands_without_the_list_of_findings,
        strings_of_the_answer_cannot_steer_a_terminal,
        json_is_what_the_daemon_said,
        a_token_goes_with_each_question,
        a_refused_token_is_named_by_its_file,
        no_proxy_comes_between_for_this_machine,
        the_option_goes_before_the_environment,
        colours_are_for_terminals_that_want_them,
        lines_fit_into_eighty_columns,
        output_that_cannot_be_written_is_an_error,
        the_daemon_answers_over_both_kinds_of_address,
        the_map_of_this_machine_has_its_devices_and_cores,
        a_daemon_for_other_machines_wants_its_token,
        an_export_in_slices_is_that_of_one_answer,
        an_export_of_all_times_does_not_ask_for_every_year,
        an_export_takes_the_last_hour_and_times_of_all_kinds,
        an_export_that_means_nothing_is_a_usage_error,
        a_part_of_an_export_is_never_taken_for_all_of_it,
        an_export_has_one_tier,
        what_cannot_be_read_from_disk_is_not_left_out_of_an_export,
        a_busy_daemon_is_asked_again,
        a_reader_that_stops_ends_an_export_quietly,
        a_reader_that_waits_does_not_hold_the_connection,
        an_export_that_cannot_be_written_is_an_error,
        an_export_of_the_daemon_is_its_history,
    ]))
