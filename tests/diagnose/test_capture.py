#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""
Captures of this machine, by `ringside capture` and by etc/ringside-capture.sh in each
shell that is here, and what `ringside diagnose` makes of them.
"""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tarfile

from cases import run_cases

RINGSIDE = os.environ.get("RINGSIDE", "ringside")
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPT = os.path.join(TOP, "etc", "ringside-capture.sh")
SHELLS = [shell for shell in (["dash"], ["busybox", "sh"], ["bash", "--posix"], ["sh"])
          if shutil.which(shell[0])]


def equal(a, b):
    assert a == b, f"{a!r} is not {b!r}"


def cores_online():
    with open("/proc/stat", encoding="ascii") as f:
        return [int(n) for n in re.findall(r"^cpu(\d+) ", f.read(), re.M)]


def call(words, env=None, **more):
    return subprocess.run(words, capture_output=True, timeout=120, check=False, text=True,
                          env=dict(os.environ, **(env or {})), **more)


def by_client(*args, **more):
    return call([RINGSIDE, "capture", *args], **more)


def by_script(shell, *args, **more):
    return call([*shell, SCRIPT, *args], **more)


def takers():
    yield "ringside", by_client
    for shell in SHELLS:
        yield " ".join(shell), lambda *args, shell=shell, **more: by_script(shell, *args, **more)


def diagnose(path):
    run = call([RINGSIDE, "diagnose", "-J", path])
    equal((run.returncode, run.stderr), (0, ""))
    return json.loads(run.stdout)


def is_this_machine(path, samples):
    answer = diagnose(path)
    equal(answer["samples"], samples)
    equal([c["core"] for c in answer["cores"]], cores_online())
    for file in ("proc/interrupts", "proc/softirqs", "proc/stat", "proc/net/softnet_stat",
                 "proc/net/dev", "sys/class/net", "proc/irq"):
        for sample in {0, samples - 1}:
            assert f"t{sample}/{file}" in answer["read"], (file, answer["read"])
    # Nothing that was taken is damaged.
    wrong = [s for s in answer["skipped"] if not s["file"].rpartition("/")[2].startswith("ethtool-")]
    equal(wrong, [])
    return answer


def files_below(folder):
    return {os.path.relpath(os.path.join(path, name), folder)
            for path, _, names in os.walk(folder) for name in names}


# --- there and back -------------------------------------------------------------------

def test_a_capture_is_judged_as_this_machine(tmp):
    for name, capture in takers():
        folder = os.path.join(tmp, "folder")
        run = capture("-i", "1", folder)
        equal((name, run.returncode, run.stderr), (name, 0, ""))
        answer = is_this_machine(folder, 2)
        equal(answer["basis"], "rates")
        assert 0.9 <= answer["interval_s"] < 60, (name, answer["interval_s"])
        assert all(c["busy"] is not None for c in answer["cores"]), name
        shutil.rmtree(folder)


def test_an_archive_is_the_same_and_of_nobody(tmp):
    for name, capture in takers():
        path = os.path.join(tmp, "box.tar.gz")
        run = capture("-n", "1", path)
        equal((name, run.returncode, run.stderr), (name, 0, ""))
        equal(is_this_machine(path, 1)["basis"], "totals")
        with tarfile.open(path) as tar:
            tops = {member.name.split("/")[0] for member in tar}
        equal((name, tops), (name, {"box"}))
        os.unlink(path)


def test_as_many_samples_as_asked_for(tmp):
    for name, capture in takers():
        folder = os.path.join(tmp, name)
        equal(capture("-i", "1", "-n", "3", folder).returncode, 0)
        with open(os.path.join(folder, "meta.json"), encoding="ascii") as f:
            samples = json.load(f)["samples"]
        equal([s["dir"] for s in samples], ["t0", "t1", "t2"])
        times = [s["monotonic_s"] for s in samples]
        equal(times, sorted(times))
        is_this_machine(folder, 3)


def test_interfaces_keep_their_place_below_their_devices(tmp):
    for name, capture in takers():
        folder = os.path.join(tmp, name)
        equal(capture("-n", "1", folder).returncode, 0)
        for nic in os.listdir("/sys/class/net"):
            link = os.path.join("/sys/class/net", nic)
            if not os.path.islink(link):
                continue
            equal(os.readlink(os.path.join(folder, "t0" + link)), os.readlink(link))
            assert os.path.exists(os.path.join(folder, "t0" + link, "ifindex")), (name, nic)
            if os.path.exists(os.path.join(link, "device", "driver")):
                equal(os.path.basename(os.readlink(
                    os.path.join(folder, "t0" + link, "device", "driver"))),
                      os.path.basename(os.readlink(os.path.join(link, "device", "driver"))))


# --- what may not happen ----------------------------------------------------------------

def test_nothing_is_written_over(tmp):
    def content(path):
        if os.path.isdir(path):
            return sorted(os.listdir(path))
        with open(path, "rb") as f:
            return f.read()

    folder = os.path.join(tmp, "full")
    os.mkdir(folder)
    with open(os.path.join(folder, "mine"), "w", encoding="ascii") as f:
        f.write("mine")
    empty = os.path.join(tmp, "empty")
    os.mkdir(empty)
    file = os.path.join(tmp, "file.tar.gz")
    shutil.copy(os.path.join(folder, "mine"), file)
    there = [folder, empty, file]
    before = [content(path) for path in there]
    dangling = os.path.join(tmp, "dangling")
    os.symlink(os.path.join(tmp, "nowhere"), dangling)
    for name, capture in takers():
        for path in [*there, dangling]:
            run = capture("-n", "1", path)
            equal((name, run.returncode), (name, 1))
            assert path in run.stderr, (name, run.stderr)
        equal([content(path) for path in there], before)
        equal(sorted(os.listdir(tmp)), ["dangling", "empty", "file.tar.gz", "full"])


def test_a_place_that_is_none_is_told(tmp):
    for name, capture in takers():
        for path in (os.path.join(tmp, "a/b"), os.path.join(tmp, "a/b.tar.gz")):
            run = capture("-n", "1", path)
            equal((name, run.returncode), (name, 1))
        equal(os.listdir(tmp), [])


def test_words_that_are_not_understood(tmp):
    out = os.path.join(tmp, "out")
    for name, capture in takers():
        for args in ((), ("-i", "soon", out), ("-n", "0", out), ("-n", "99999999999", out),
                     (out, out), ("-Z", out), ("-i", "-1", out)):
            run = capture(*args)
            equal((name, args, run.returncode), (name, args, 2))
            assert run.stderr, name
        equal(os.listdir(tmp), [])


def test_what_ends_early_leaves_nothing(tmp):
    """Stopped between its samples, when the first one is there."""
    scratch = os.path.join(tmp, "scratch")
    os.mkdir(scratch)
    out = os.path.join(tmp, "out")
    os.mkdir(out)
    commands = [[RINGSIDE, "capture"], *([*shell, SCRIPT] for shell in SHELLS)]
    for command in commands:
        for name in ("box", "box.tar.gz"):
            for number in (signal.SIGTERM, signal.SIGINT):
                with subprocess.Popen([*command, "-i", "600", os.path.join(out, name)],
                                      env=dict(os.environ, TMPDIR=scratch), text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
                    while not os.listdir(out) and run.poll() is None:
                        pass
                    run.send_signal(number)
                    run.communicate(timeout=60)
                assert run.returncode != 0, command
                equal((command, os.listdir(out), os.listdir(scratch)), (command, [], []))


def test_without_a_privilege_it_takes_what_it_may(tmp):
    """As nobody, where the test is root's."""
    if os.geteuid() != 0:
        print("SKIPPED: not root")
        return
    os.chmod(tmp, 0o777)
    mine = os.path.join(tmp, "programs")
    shutil.copytree(os.path.dirname(SCRIPT), os.path.join(mine, "etc"))
    shutil.copy(RINGSIDE, mine)
    commands = [[os.path.join(mine, "ringside"), "capture"],
                *([*shell, os.path.join(mine, "etc/ringside-capture.sh")] for shell in SHELLS)]
    for number, command in enumerate(commands):
        folder = os.path.join(tmp, f"box{number}")
        # A program that counts its coverage may not write where it was built.
        run = call([*command, "-n", "1", folder], env={"GCOV_PREFIX": tmp},
                   user="nobody", group="nogroup", extra_groups=[])
        equal((command, run.returncode, run.stderr), (command, 0, ""))
        is_this_machine(folder, 1)


def test_what_cannot_be_read_is_told(tmp):
    """Tracked connections are root's: nobody may not read them."""
    path = "/proc/net/nf_conntrack"
    if os.geteuid() != 0 or not os.path.exists(path):
        print("SKIPPED: not root, or no tracked connections here")
        return
    os.chmod(tmp, 0o777)
    shutil.copy(RINGSIDE, tmp)
    command = [os.path.join(tmp, "ringside"), "capture", "-n", "1", "--flows"]
    nobody = {"user": "nobody", "group": "nogroup", "extra_groups": [],
              "env": {"GCOV_PREFIX": tmp}}
    run = call([*command, os.path.join(tmp, "nobody")], **nobody)
    equal((run.returncode, run.stderr), (0, ""))
    assert "left out: proc/net/nf_conntrack: Permission denied (1)" in run.stdout, run.stdout
    assert not os.path.exists(os.path.join(tmp, "nobody/t0/proc/net/nf_conntrack"))
    run = call([*command, os.path.join(tmp, "root")])
    assert "nf_conntrack" not in run.stdout, run.stdout
    assert os.path.exists(os.path.join(tmp, "root/t0/proc/net/nf_conntrack"))


def test_a_full_disk_leaves_nothing(tmp):
    """A limit of the size of files stands for it."""
    def small():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    for name in ("box", "box.tar.gz"):
        run = by_client("-n", "1", os.path.join(tmp, name), preexec_fn=small)
        equal((run.returncode, run.stdout, os.listdir(tmp)), (1, "", []))
        assert "File too large" in run.stderr, run.stderr


# --- secrets ---------------------------------------------------------------------------

KEY = "6d:5a:56:da:25:5b:0e:c2:41:67:25:3d:43:a3:8f:b0:d0:ca:2b:cb"

ETHTOOL = f"""#!/bin/sh
case $1 in
-x) cat <<'END'
RX flow hash indirection table for {{nic}} with 2 RX ring(s):
    0:      0     1     0     1     0     1     0     1
RSS hash key:
{KEY}
RSS hash function:
    toeplitz: on
END
;;
-S) printf 'NIC statistics:\\n     rx_queue_0_packets: 5\\n' ;;
*) exit 1 ;;
esac
"""


def test_the_key_of_the_hash_does_not_leave_the_machine(tmp):
    programs = os.path.join(tmp, "bin")
    os.mkdir(programs)
    with open(os.path.join(programs, "ethtool"), "w", encoding="ascii") as f:
        f.write(ETHTOOL.replace("{nic}", "eth0"))
    os.chmod(os.path.join(programs, "ethtool"), 0o755)
    nics = [n for n in os.listdir("/sys/class/net")
            if os.path.exists(f"/sys/class/net/{n}/device")]
    for name, capture in takers():
        folder = os.path.join(tmp, name)
        run = capture("-n", "1", folder, env={"PATH": programs + ":" + os.environ["PATH"]})
        equal(run.returncode, 0)
        for file in files_below(folder):
            path = os.path.join(folder, file)
            if os.path.isfile(path):
                with open(path, "rb") as f:
                    assert b"6d:5a:56" not in f.read(), (name, file)
        if name == "ringside" or not nics:
            continue
        with open(os.path.join(folder, f"ethtool-x.{nics[0]}.txt"), encoding="ascii") as f:
            text = f.read()
        assert "(masked)" in text and "toeplitz: on" in text and "0     1" in text, text


def test_who_talks_to_whom_is_not_taken(tmp):
    for name, capture in takers():
        folder = os.path.join(tmp, name)
        equal(capture("-n", "1", folder).returncode, 0)
        names = files_below(folder)
        for private in ("proc/net/nf_conntrack", "proc/net/route", "proc/net/arp", "cmdline",
                        "environ", "/address"):
            equal((name, [n for n in names if n.endswith(private)]), (name, []))


# --- the script elsewhere ------------------------------------------------------------------

def test_every_shell_can_read_the_script(_):
    assert SHELLS, "no shell"
    for shell in SHELLS:
        run = call([*shell, "-n", SCRIPT])
        equal((shell, run.returncode, run.stderr), (shell, 0, ""))


# What the programs of the other systems print, in short.
BSD = {
    "FreeBSD": {
        "vmstat": "interrupt                          total       rate\n"
                  "cpu0:timer                      15555955        124\n"
                  "irq264: igb0:que 0              85391000        684\n"
                  "irq265: igb0:que 1                 53910          1\n",
        "netstat": "Configuration:\nSetting                        Current        Limit\n",
        "ifconfig": "igb0 lo0\n",
        "sysctl": "dev.igb.0.queue0.rx_packets: 5000\ndev.igb.0.dropped: 0\n",
        "top": "CPU 0:  0.0% user,  0.0% nice,  0.0% system, 98.0% interrupt,  2.0% idle\n"
               "CPU 1:  0.0% user,  0.0% nice,  0.0% system,  0.0% interrupt,  100% idle\n",
    },
    "OpenBSD": {
        "vmstat": "interrupt                       total     rate\n"
                  "irq0/clock                   15555955      199\n"
                  "irq114/em0                    8539100       10\n",
        "systat": "nothing\n",
        "sysctl": "hw.ncpu=2\n",
        "top": "CPU0 states:  0.0% user,  0.0% nice,  1.0% sys,  0.0% spin, 97.0% intr,  2.0% idle\n"
               "CPU1 states:  0.0% user,  0.0% nice,  1.0% sys,  0.0% spin,  0.0% intr, 99.0% idle\n",
    },
}
TAKEN = {
    "FreeBSD": {"meta.json", "top-P.txt", "top-CHS.txt", "sysctl-dev.cpu.txt",
                *(f"t{i}/{f}" for i in (0, 1) for f in (
                    "vmstat-ia.txt", "netstat-Q.txt", "sysctl-dev.igb.0.txt"))},
    "OpenBSD": {"meta.json", "top.txt", "sysctl.txt", "systat-mbufs.txt", "systat-ifstat.txt",
                "t0/vmstat-i.txt", "t1/vmstat-i.txt"},
}


def test_other_systems_have_other_programs(tmp):
    for system, programs in BSD.items():
        folder = os.path.join(tmp, system)
        os.mkdir(folder)
        for program, text in dict(programs, uname=system + "\n").items():
            path = os.path.join(folder, program)
            with open(path, "w", encoding="ascii") as f:
                f.write(f"#!/bin/sh\ncase $* in *dev.lo*) exit 1 ;; esac\n"
                        f"cat <<'END'\n{text}END\n")
            os.chmod(path, 0o755)
        for shell in SHELLS:
            # An applet of BusyBox goes before the program of its name.
            if shell[0] == "busybox":
                continue
            out = os.path.join(tmp, f"{system}-{shell[0]}")
            run = by_script(shell, "-i", "1", out,
                            env={"PATH": folder + ":" + os.environ["PATH"]})
            equal((shell, run.returncode, run.stderr), (shell, 0, ""))
            equal((shell, files_below(out)), (shell, TAKEN[system]))
            answer = diagnose(out)
            equal((system, answer["samples"], len(answer["cores"])), (system, 2, 2))
            assert answer["cores"][0]["busy"] >= 0.97, answer["cores"]


def test_a_system_it_does_not_know_is_left_alone(tmp):
    path = os.path.join(tmp, "uname")
    with open(path, "w", encoding="ascii") as f:
        f.write("#!/bin/sh\necho Plan9\n")
    os.chmod(path, 0o755)
    out = os.path.join(tmp, "out")
    run = by_script(["sh"], out, env={"PATH": tmp + ":" + os.environ["PATH"]})
    equal(run.returncode, 1)
    assert "Plan9" in run.stderr and not os.path.exists(out), run.stderr


if __name__ == "__main__":
    sys.exit(run_cases(dict(globals())))
