# SPDX-License-Identifier: ISC
"""ringside as a person and a script meet it: with a daemon, with none, and with a
server that answers what no daemon would."""

import fcntl
import gzip
import json
import os
import pty
import re
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading

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
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
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
    ]))
