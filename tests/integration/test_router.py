# SPDX-License-Identifier: ISC
"""
Real traffic through a router made of network namespaces: one core does all the
packet work, and the daemon must say exactly what its definition says of it.

    generator ns --veth--> router ns --veth--> sink ns

Generator and sink are pinned to one core; receive packet steering on the
router's veth moves everything behind it to the other. The router has a long
list of routing rules that match nothing, as a long firewall would be: a packet
costs more to forward than to send, so that the steered core, not the
generator, is the one that fills. The test computes the definition itself from /proc/stat of the
same seconds. Times are printed, never asserted.
"""

import http.server
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

from rig import Daemon, Stream, run_tests, say, skip, wait_for

BINARY = os.environ["RINGSIDED"]
LOAD = os.environ["UDP_LOAD"]
GENERATOR, ROUTER, SINK = 0, 1, 2
RULES = 1000
PREFIX = f"rs{os.getpid() % 100000}x"
UMBRELLAS = {"core.imbalance", "core.skewed", "core.saturated_all", "core.at_limit"}


def run(*command):
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=30)


def namespace(i):
    return f"{PREFIX}{i}"


def inside(i, *command):
    return ["ip", "netns", "exec", namespace(i), *command]


def set_file(i, path, value):
    run(*inside(i, "sh", "-c", f"echo {value} > {path}"))


class Rig:
    """The three namespaces, made and removed."""

    sink = "198.18.1.2"

    def __init__(self, target):
        for i in (GENERATOR, ROUTER, SINK):
            run("ip", "netns", "add", namespace(i))
            run("ip", "-n", namespace(i), "link", "set", "lo", "up")
        for i in (GENERATOR, ROUTER):
            a, b = namespace(i), namespace(i + 1)
            run("ip", "link", "add", "name", "out", "netns", a, "type", "veth",
                "peer", "name", "in", "netns", b)
            run("ip", "-n", a, "addr", "add", f"198.18.{i}.1/30", "dev", "out")
            run("ip", "-n", b, "addr", "add", f"198.18.{i}.2/30", "dev", "in")
            run("ip", "-n", a, "link", "set", "out", "up")
            run("ip", "-n", b, "link", "set", "in", "up")
        run("ip", "-n", namespace(GENERATOR), "route", "add", "default", "via", "198.18.0.2")
        run("ip", "-n", namespace(SINK), "route", "add", "default", "via", "198.18.1.1")
        set_file(ROUTER, "/proc/sys/net/ipv4/ip_forward", 1)
        rules = "".join(f"rule add from 203.0.113.{i % 250} fwmark {i // 250 + 1} "
                        f"priority {i + 1} lookup 99\n" for i in range(RULES))
        subprocess.run(["ip", "-n", namespace(ROUTER), "-batch", "-"], input=rules, text=True,
                       check=True, capture_output=True, timeout=60)
        set_file(ROUTER, "/sys/class/net/in/queues/rx-0/rps_cpus", f"{1 << target:x}")

    @staticmethod
    def remove():
        for i in (GENERATOR, ROUTER, SINK):
            subprocess.run(["ip", "netns", "del", namespace(i)], capture_output=True)


class Judge(threading.Thread):
    """Samples /proc/stat and softnet_stat once a second and applies the definition."""

    def __init__(self):
        super().__init__(daemon=True)
        self.samples = []  # (when, {cpu: (P, B, packets/s)})
        self.stop = threading.Event()
        self.start()

    @staticmethod
    def read():
        cores, packets, online = {}, {}, []
        with open("/proc/stat") as f:
            for line in f:
                if line.startswith("cpu") and line[3].isdigit():
                    name, *fields = line.split()
                    cores[int(name[3:])] = [int(v) for v in fields]
                    online.append(int(name[3:]))
        with open("/proc/net/softnet_stat") as f:
            for row, line in enumerate(f):
                cells = [int(v, 16) for v in line.split()]
                packets[cells[12] if len(cells) > 12 else online[row]] = cells[0]
        return time.monotonic(), cores, packets

    def run(self):
        hz = os.sysconf("SC_CLK_TCK")
        before = self.read()
        while not self.stop.wait(1.0 - time.monotonic() % 1.0):
            now = self.read()
            dt = now[0] - before[0]
            sample = {}
            for cpu, fields in now[1].items():
                if cpu not in before[1]:
                    continue
                d = [max(0, a - b) / hz for a, b in zip(fields, before[1][cpu])]
                available = max(dt - d[7], 1e-9)
                pps = ((now[2].get(cpu, 0) - before[2].get(cpu, 0)) & 0xFFFFFFFF) / dt
                load = min(1.0, (d[5] + d[6]) / available) if pps >= 100 else 0.0
                sample[cpu] = (load, max(0.0, min(1.0, 1 - (d[3] + d[4]) / available)), pps)
            self.samples.append((now[0], sample))
            before = now


def conditions(sample):
    """What one sample says of each umbrella: True, False, or None near a threshold."""

    def above(value, threshold, margin=0.03):
        return None if abs(value - threshold) < margin else value > threshold

    def both(*claims):
        return False if False in claims else None if None in claims else True

    loads = [p for p, _, _ in sample.values()]
    hot = {c: above(p, 0.90) for c, (p, _, _) in sample.items()}
    if None in hot.values():
        return dict.fromkeys(UMBRELLAS)
    hot_cores = [c for c in sample if hot[c] or (sample[c][1] >= 0.97 and sample[c][0] >= 0.5)]
    cold = [c for c in sample if c not in hot_cores]
    result = dict.fromkeys(UMBRELLAS, False)
    if hot_cores:
        busy = above(sum(b for _, b, _ in sample.values()) / len(sample), 0.85)
        imbalanced = False
        if cold:
            gap = (sum(sample[c][0] for c in hot_cores) / len(hot_cores)
                   - sum(sample[c][0] for c in cold) / len(cold))
            slack = sum(max(0.0, 1 - sample[c][1]) for c in cold)
            imbalanced = both(above(gap, 0.60), above(slack, 0.5, 0.08))
        result["core.imbalance"] = imbalanced
        result["core.saturated_all"] = both(not imbalanced if imbalanced is not None else None,
                                            busy)
        result["core.at_limit"] = both(not imbalanced if imbalanced is not None else None,
                                       not busy if busy is not None else None)
    else:
        top = max(loads)
        rest = (sum(loads) - top) / max(1, len(loads) - 1)
        result["core.skewed"] = both(above(top, 0.50), above(top - rest, 0.60))
    return result


def expected(samples):
    """The one umbrella that must stand after these samples, "" for none, None when
    they do not decide."""
    votes = [conditions(s) for _, s in samples]
    for code in UMBRELLAS:
        if all(v[code] is True for v in votes):
            return code
    if all(v[code] is False for v in votes for code in UMBRELLAS):
        return ""
    return None


class Traffic:
    """One load at a time, pinned to the generator's core."""

    def __init__(self, rig, core):
        self.rig, self.core, self.process = rig, core, None
        self.sink = subprocess.Popen(
            inside(SINK, "taskset", "-c", str(core), LOAD, "sink", "9", "290"))

    def set(self, rate, seconds=120):
        self.end()
        if rate:
            self.process = subprocess.Popen(
                inside(GENERATOR, "taskset", "-c", str(self.core), LOAD, "send", self.rig.sink, "9",
                       str(int(rate)), str(seconds)))

    def end(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def close(self):
        self.end()
        self.sink.kill()
        self.sink.wait()


def umbrellas(daemon):
    return {f["code"] for f in daemon.get("findings?state=active")} & UMBRELLAS


def load_of(judge, target, seconds):
    """Mean packet load and rate of the target over the next seconds."""
    start = len(judge.samples)
    wait_for("samples", lambda: len(judge.samples) > start + seconds, 60)
    mine = [s[target] for _, s in judge.samples[start + 1:]]
    return sum(p for p, _, _ in mine) / len(mine), mine[-1][2]


class Story:
    """The state that the steps below share; they run in order."""

    def __init__(self):
        cores = sorted(os.sched_getaffinity(0))
        self.generator_core, self.target = cores[0], cores[1]
        self.rig = Rig(self.target)
        self.judge = Judge()
        self.traffic = Traffic(self.rig, self.generator_core)
        # The daemon belongs to the router: its sysfs and its interfaces.
        wrapper = os.path.join("/tmp", f"{PREFIX}-ringsided")
        with open(wrapper, "w") as f:
            f.write(f'#!/bin/sh\nexec ip netns exec {namespace(ROUTER)} "{BINARY}" "$@"\n')
        os.chmod(wrapper, 0o755)
        self.wrapper = wrapper
        self.seen = set()

    def close(self):
        self.traffic.close()
        self.judge.stop.set()
        os.unlink(self.wrapper)


def enter_router():
    """This process joins the router's namespace, to talk to the daemon there."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    fd = os.open(f"/run/netns/{namespace(ROUTER)}", os.O_RDONLY)
    if libc.setns(fd, 0x40000000) != 0:
        raise OSError(ctypes.get_errno(), "setns")
    os.close(fd)


def in_a_router(why_two_cores, play):
    """Makes the namespaces and the traffic, calls play(story), takes all away."""
    if os.geteuid() != 0:
        skip("network namespaces need root")
    if len(os.sched_getaffinity(0)) < 2:
        skip(f"two cores are needed to {why_two_cores}")
    if subprocess.run(["ip", "netns", "add", PREFIX + "probe"], capture_output=True).returncode:
        skip("this system makes no network namespaces")
    run("ip", "netns", "del", PREFIX + "probe")
    story = None
    try:
        story = Story()
        enter_router()
        return play(story)
    finally:
        if story:
            story.close()
        Rig.remove()


def play(story):
    with Posts() as posts, tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)  # the daemon's commands are not root's
        told = os.path.join(folder, "told")
        config = (f"[alerts]\nexec = cat >> {told}\n"
                  f"webhook = http://127.0.0.1:{posts.port}/hook?key=s3cr3t\n")
        with Daemon(story.wrapper, config=config) as daemon:
            return run_tests(steps(story, daemon, told, posts))


def main():
    return in_a_router("pile packets on one of them", play)


class Posts(http.server.ThreadingHTTPServer):
    """Takes what the webhook sends; fails at first."""

    def __init__(self):
        self.documents, self.to_fail = [], 1
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.port = self.server_address[1]
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            fails = self.server.to_fail > 0
            self.server.to_fail -= 1
            if not fails:
                self.server.documents.append((self.path, json.loads(body)))
            self.send_response(503 if fails else 204)
            self.end_headers()

        def log_message(self, *_):
            pass


def steps(story, daemon, told, posts):
    stream = Stream(daemon)
    state = {"rate": 20000.0}

    def an_idle_router_is_quiet():
        wait_for("rates", lambda: daemon.get("summary")["hottest_core_load"] is not None)
        assert not umbrellas(daemon)
        assert [i["device"] for i in daemon.get("interfaces") if i["device"] != "lo"] == [
            "in", "out"] or {i["device"] for i in daemon.get("interfaces")} >= {"in", "out"}

    def the_load_is_seen_as_the_kernel_counts_it():
        story.traffic.set(state["rate"])
        load_of(story.judge, story.target, 2)
        since = time.monotonic()
        load, pps = load_of(story.judge, story.target, 8)
        ticks = stream.ticks(since)
        mine = [c["packet_load"] for t in ticks for c in t["cores"] if c["core"] == story.target]
        shown = sum(mine) / len(mine)
        rx = [i["rx_pps"] for t in ticks for i in t["interfaces"] if i["device"] == "in"]
        say(f"at {state['rate']:.0f} packets/s: load {load:.2f}, shown {shown:.2f}; "
            f"in: {sum(rx) / len(rx):.0f} packets/s")
        assert abs(shown - load) < 0.10, (shown, load)
        assert abs(sum(rx) / len(rx) - state["rate"]) < 0.15 * state["rate"], rx
        state["load"] = max(load, 0.02)

    def reach(goal, label):
        """Steers the rate until the definition decides; returns what must stand."""
        for attempt in range(8):
            load, _ = load_of(story.judge, story.target, 3)
            if abs(load - goal) > 0.07 or load < 0.05:
                state["rate"] = min(1.5e6, max(5e3, state["rate"] * min(
                    3.0, max(0.4, goal / max(load, 0.05)))))
            story.traffic.set(state["rate"])
            load_of(story.judge, story.target, 7)
            code = expected(story.judge.samples[-6:])
            sample = story.judge.samples[-1][1]
            say(f"{label}, attempt {attempt}: {state['rate']:.0f} packets/s, "
                + ", ".join(f"core {c}: P {p:.2f} B {b:.2f}" for c, (p, b, _) in sample.items())
                + f" -> {code!r}")
            if code:
                return code
        return None

    def demand(code):
        """Exactly this finding, over API and stream; and how long it took."""
        start = time.monotonic()
        while time.monotonic() - start < 60:
            seen = umbrellas(daemon)
            if seen == {code}:
                break
            now = expected(story.judge.samples[-6:])
            if now is not None and now != code:
                say(f"the load moved: the definition now says {now!r}")
                code = now
            time.sleep(0.2)
        assert umbrellas(daemon) == {code}, (umbrellas(daemon), code)
        say(f"{code} stands after {time.monotonic() - start:.1f} s more: "
            + daemon.get("summary")["verdict"])
        wait_for("the stream's word", lambda: any(
            e in ("raised", "changed") and f["code"] == code for e, f in stream.findings()))
        finding = [f for f in daemon.get("findings?state=active") if f["code"] == code][0]
        assert finding["subject"].get("core", story.target) == story.target, finding
        assert finding["evidence"] and finding["message"], finding
        story.seen.add(code)

    def a_core_with_nearly_all_packet_work_is_named():
        code = reach(0.76, "skew")
        assert code, "the load could not be steered to where the definition decides"
        demand(code)

    def a_full_core_is_named():
        code = reach(1.15, "full")
        if code is None:
            say("this machine does not decide near saturation; left to the step before")
            return
        demand(code)

    def skew_or_imbalance_was_among_them():
        for _ in range(3):  # other work on the machine may have filled the other core
            if story.seen & {"core.skewed", "core.imbalance"}:
                break
            story.traffic.end()
            wait_for("clearing", lambda: not umbrellas(daemon), 120)
            state["rate"] = 20000.0
            story.traffic.set(state["rate"])
            code = reach(0.74, "again")
            if code:
                demand(code)
        assert story.seen & {"core.skewed", "core.imbalance"}, story.seen

    def it_clears_when_the_traffic_stops():
        start = time.monotonic()
        story.traffic.end()
        wait_for("clearing", lambda: not umbrellas(daemon), 120)
        say(f"cleared {time.monotonic() - start:.1f} s after the traffic")
        cleared = {f["code"] for f in daemon.get("findings?state=all") if f["cleared_ms"]}
        assert story.seen <= cleared, (story.seen, cleared)
        wait_for("the stream's word", lambda: story.seen <= {
            f["code"] for e, f in stream.findings() if e == "cleared"})

    def a_command_and_a_web_address_were_told():
        def documents():
            with open(told) as f:
                return [json.loads(line) for line in f if line.endswith("\n")]

        def codes(list_, event):
            return {d["finding"]["code"] for d in list_ if d["event"] == event}

        for event in ("raised", "cleared"):
            wait_for(f"the command is told what was {event}",
                     lambda: story.seen <= codes(documents(), event))
        if not shutil.which("curl"):
            say("no curl here: the web address was not tried")
            return
        for event in ("raised", "cleared"):
            wait_for(f"the address is told what was {event}",
                     lambda: story.seen <= codes([d for _, d in posts.documents], event))
        assert {path for path, _ in posts.documents} == {"/hook?key=s3cr3t"}, posts.documents
        assert all(d["finding"]["message"] and d["host"] for _, d in posts.documents)
        alerts = {a["kind"]: a for a in daemon.get("health")["alerts"]}
        assert alerts["webhook"]["failed_attempts"] >= 1, alerts
        assert alerts["webhook"]["dropped"] == alerts["exec"]["dropped"] == 0, alerts

    def interfaces_that_come_change_their_name_and_go_are_followed():
        def devices():
            return {i["device"] for i in daemon.get("interfaces")}

        router = namespace(ROUTER)
        run("ip", "-n", router, "link", "add", "born0", "type", "veth", "peer", "name", "born1")
        wait_for("the new interface", lambda: "born0" in devices())
        run("ip", "-n", router, "link", "set", "born0", "name", "renamed0")
        wait_for("its new name", lambda: "renamed0" in devices() and "born0" not in devices())
        run("ip", "-n", router, "link", "del", "renamed0")
        wait_for("its end", lambda: "renamed0" not in devices())

    def the_database_tells_the_same():
        assert daemon.stop() == 0, daemon.read_log()
        db = sqlite3.connect(f"file:{daemon.db}?mode=ro", uri=True)
        rows = db.execute("SELECT code, raised_ms, cleared_ms FROM findings").fetchall()
        for code in story.seen:
            assert any(c == code and cleared and cleared > raised
                       for c, raised, cleared in rows), (code, rows)

    return [
        an_idle_router_is_quiet,
        the_load_is_seen_as_the_kernel_counts_it,
        a_core_with_nearly_all_packet_work_is_named,
        a_full_core_is_named,
        skew_or_imbalance_was_among_them,
        it_clears_when_the_traffic_stops,
        a_command_and_a_web_address_were_told,
        interfaces_that_come_change_their_name_and_go_are_followed,
        the_database_tells_the_same,
    ]


if __name__ == "__main__":
    sys.exit(main())
