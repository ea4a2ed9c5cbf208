#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""
`ringside diagnose` over captures made here: packed in each way, damaged, hostile,
pasted as single files, with times and without.
"""

import bz2
import gzip
import io
import json
import lzma
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

from cases import run_cases

RINGSIDE = os.environ.get("RINGSIDE", "ringside")
FIXTURES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "fixtures")
ROUTER = os.path.join(FIXTURES, "router-4cpu-igb")


class Run:
    """One call; its temporary folders go to a place of their own, which must be empty
    afterwards."""

    def __init__(self, *args, json_wanted=True):
        with tempfile.TemporaryDirectory() as scratch:
            run = subprocess.run([RINGSIDE, "diagnose", *(["-J"] if json_wanted else []), *args],
                                 capture_output=True, timeout=120, check=False,
                                 env=dict(os.environ, TMPDIR=scratch))
            self.left = os.listdir(scratch)
        self.status = run.returncode
        self.text = run.stdout.decode()
        self.complaint = run.stderr.decode()
        assert self.left == [], f"left behind: {self.left}"
        assert self.status in (0, 1, 2), f"status {self.status}: {self.complaint}"
        self.answer = json.loads(self.text) if json_wanted and self.text.strip() else None

    def skipped(self, file):
        return [(s["line"], s["reason"]) for s in self.answer["skipped"]
                if s["file"].endswith(file)]

    def codes(self):
        return [f["code"] for f in self.answer["findings"] if f["severity"] != "info"]


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(content if isinstance(content, bytes) else content.encode())


def read(*parts):
    with open(os.path.join(*parts), "rb") as f:
        return f.read()


def equal(a, b):
    assert a == b, f"{a!r} is not {b!r}"


# --- the screens the project started from ---------------------------------------

def test_one_core_of_four_is_flagged_and_an_even_spread_is_not(_):
    bad = Run(os.path.join(FIXTURES, "seed-one-core"))
    equal((bad.status, bad.answer["flag"], bad.answer["imbalanced"]), (0, True, True))
    equal(bad.codes(), ["core.imbalance"])
    equal(bad.answer["findings"][0]["subject"], {"kind": "core", "core": 3})
    equal(bad.answer["cores"][3]["packet_load"], 1)
    good = Run(os.path.join(FIXTURES, "seed-spread"))
    equal((good.status, good.answer["flag"], good.answer["imbalanced"]), (0, False, False))
    equal(good.answer["findings"], [])
    equal(good.answer["cores"][2]["busy"], 0.773)


def test_one_thread_that_fills_a_core_is_named(_):
    vpn = Run(os.path.join(FIXTURES, "seed-openvpn")).answer
    equal((vpn["flag"], vpn["imbalanced"]), (True, False))
    equal([f["code"] for f in vpn["findings"]], ["core.user_single"])
    assert "openvpn" in vpn["verdict"] and "34 %" in vpn["verdict"], vpn["verdict"]
    equal(vpn["findings"][0]["confidence"], "medium")


def test_without_times_the_counts_tell_why_a_core_is_full(_):
    answer = Run(ROUTER).answer
    equal((answer["basis"], answer["interval_s"], answer["imbalanced"]), ("deltas", None, True))
    equal([f["subject"]["core"] for f in answer["findings"]], [0, 0])
    equal([f["code"] for f in answer["findings"]], ["core.imbalance", "irq.all_on_one"])
    # No rate is told.
    for finding in answer["findings"]:
        for evidence in finding["evidence"]:
            assert evidence["value"] is None or evidence["unit"] not in ("pps", "per_second")


# --- ways to hand it over ----------------------------------------------------------

def without_samples(answer):
    return dict(answer, read=None)


def test_an_archive_says_what_its_folder_says(tmp):
    plain = Run(ROUTER)
    equal(plain.status, 0)
    for mode in ("w:gz", "w:bz2", "w:xz", "w"):
        for name in ("capture", "."):
            path = os.path.join(tmp, "capture.tar")
            with tarfile.open(path, mode) as tar:
                tar.add(ROUTER, arcname=name)
            equal(Run(path).answer, plain.answer)


def test_single_files_may_be_packed(tmp):
    plain = Run(ROUTER).answer
    for pack, ending in ((gzip.compress, "gz"), (bz2.compress, "bz2"), (lzma.compress, "xz")):
        folder = os.path.join(tmp, ending)
        shutil.copytree(ROUTER, folder, symlinks=True)
        for sample in ("t0", "t1"):
            path = os.path.join(folder, sample, "proc/interrupts")
            write(f"{path}.{ending}", pack(read(path)))
            os.unlink(path)
        packed = Run(folder).answer
        equal(packed["cores"], plain["cores"])
        equal(packed["devices"], plain["devices"])
        assert f"t1/proc/interrupts.{ending}" in packed["read"]


MPSTAT = """\
Linux 5.10.0 (r) \t01/01/24 \t_x86_64_\t(4 CPU)

10:00:00     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
10:00:01     all    0.25    0.00    0.50    0.00    0.00   25.00    0.00    0.00    0.00   74.25
10:00:01       0    0.00    0.00    0.00    0.00    0.00  100.00    0.00    0.00    0.00    0.00
10:00:01       1    1.00    0.00    2.00    0.00    0.00    0.00    0.00    0.00    0.00   97.00
10:00:01       2    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00  100.00
10:00:01       3    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00  100.00
"""


def test_a_pasted_file_is_known_by_its_look(tmp):
    path = os.path.join(tmp, "paste")
    for source in ("proc/interrupts", "proc/softirqs", "proc/stat", "proc/net/softnet_stat",
                   "proc/net/dev"):
        write(path, read(ROUTER, "t1", source))
        run = Run(path)
        equal((run.status, run.answer["read"]), (0, ["paste"]))
    write(path, read(ROUTER, "t1/proc/interrupts"))
    alone = Run(path).answer
    whole = Run(os.path.join(ROUTER, "t1")).answer
    equal([c["nic_interrupts"] for c in alone["cores"] if c["core"] == 0],
          [c["nic_interrupts"] for c in whole["cores"] if c["core"] == 0])
    write(path, MPSTAT)
    mpstat = Run(path)
    equal((mpstat.answer["flag"], mpstat.answer["imbalanced"]), (True, True))
    equal([c["packet_load"] for c in mpstat.answer["cores"]], [1, 0, 0, 0])
    write(path, read(FIXTURES, "seed-one-core/top-P.txt"))
    equal(Run(path).answer["imbalanced"], True)
    write(path, gzip.compress(MPSTAT.encode()))
    equal(Run(path).answer["cores"], mpstat.answer["cores"])


# --- times --------------------------------------------------------------------------

def router_copy(tmp, **times):
    folder = os.path.join(tmp, "capture")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROUTER, folder, symlinks=True)
    for name, content in times.items():
        write(os.path.join(folder, name.replace("_", "/", 1)
                           if name != "meta" else "meta.json"), content)
    return folder


def meta(*seconds):
    return json.dumps({"samples": [{"dir": f"t{i}", "monotonic_s": s}
                                   for i, s in enumerate(seconds)]})


def test_times_are_of_meta_json_else_of_uptime_else_unknown(tmp):
    def basis(folder):
        answer = Run(folder).answer
        return answer["basis"], answer["interval_s"]

    equal(basis(router_copy(tmp)), ("deltas", None))
    equal(basis(router_copy(tmp, meta=meta(100.5, 102))), ("rates", 1.5))
    up = {"t0_proc/uptime": "5000.00 100.0\n", "t1_proc/uptime": "5001.25 100.0\n"}
    equal(basis(router_copy(tmp, **up)), ("rates", 1.25))
    equal(basis(router_copy(tmp, meta=meta(100.5, 102), **up)), ("rates", 1.5))
    # Times that cannot be are none.
    for bad in (meta(102, 100.5), meta(100.5), meta(1e300, 2e300), "{", "[]", '{"samples": 7}',
                meta("a", "b"), meta(None, None)):
        equal(basis(router_copy(tmp, meta=bad)), ("deltas", None))
    equal(basis(router_copy(tmp, meta="{", **up)), ("rates", 1.25))


def test_samples_may_be_near_or_far_apart(tmp):
    for span in (0.02, 60.5, 86400):
        answer = Run(router_copy(tmp, meta=meta(1000, 1000 + span))).answer
        equal(answer["basis"], "rates")
        assert abs(answer["interval_s"] - span) < 1e-6, answer["interval_s"]
        equal(answer["cores"][0]["nic_interrupts"], 5050)


# --- damage ---------------------------------------------------------------------------

HEADER = "           CPU0       CPU1\n"


def lines(tmp, *rows, header=HEADER):
    path = os.path.join(tmp, "lines", "proc", "interrupts")
    write(path, header + "".join(rows))
    return Run(os.path.join(tmp, "lines"))


def test_counters_go_round_at_32_bits(tmp):
    folder = os.path.join(tmp, "wrap")
    for sample, count in (("t0", 4294967290), ("t1", 4)):
        write(os.path.join(folder, sample, "proc", "interrupts"),
              HEADER + f" 30: {count} 7 PCI-MSI 1-edge eth0-rx-0\n")
    queue = Run(folder).answer["devices"][0]["queues"][0]
    equal((queue["total"], queue["busiest_core"], queue["busiest_share"]), (10, 0, 1))


def test_a_bad_line_is_skipped_and_told(tmp):
    good = " 30: 1000 0 PCI-MSI 1-edge eth0-rx-0\n"
    run = lines(tmp, good, " 31: 99999999999999999999 5 PCI-MSI 2-edge eth0-rx-1\n",
                " 32: 5 PCI-MSI 2-edge eth0-rx-2\n", " 33: 12 3")
    equal(run.skipped("proc/interrupts"), [(3, "not a count for each core"),
                                           (4, "not a count for each core"),
                                           (5, "cut off at the end of the file")])
    equal([q["total"] for q in run.answer["devices"][0]["queues"]], [1000])
    equal(run.answer["interrupts"]["rows"], 4)


def test_line_ends_of_another_system_do_not_matter(tmp):
    unix = lines(tmp, " 30: 1000 5 PCI-MSI 1-edge eth0-rx-0\n").answer
    dos = lines(tmp, " 30: 1000 5 PCI-MSI 1-edge eth0-rx-0\r\n",
                header=HEADER.replace("\n", "\r\n")).answer
    equal(dos["devices"], unix["devices"])


def test_rows_without_their_header_number_cores_by_columns(tmp):
    path = os.path.join(tmp, "proc-interrupts.grep.txt")
    write(path, " 30: 1000 5 PCI-MSI 1-edge eth0-rx-0\n 31: 7 PCI-MSI 2-edge eth0-rx-1\n"
          " 32: 0 0 PCI-MSI 3-edge eth0-rx-2\n")
    run = Run(path)
    equal(run.answer["devices"][0]["queues"][0]["total"], 1005)
    equal([line for line, _ in run.skipped("grep.txt") if line], [2])


def test_a_cut_counter_is_no_counter(tmp):
    path = os.path.join(tmp, "ethtool-S.eth0.txt")
    write(path, "NIC statistics:\n     rx_queue_0_packets: 100\n     rx_queue_1_packets: 12")
    run = Run(path)
    equal([(q["queue"], q["total"]) for q in run.answer["devices"][0]["rx_queue_packets"]],
          [(0, 100)])
    equal(run.skipped("eth0.txt"), [(3, "cut off at the end of the file")])


def test_a_damaged_file_is_used_as_far_as_it_goes(tmp):
    # Random names do not compress: the cut is in the middle of them.
    rows = "".join(f" {i}: {i * 7919 % 100003} {i * 104729 % 100019} PCI-MSI {i}-edge eth0-rx-{i}\n"
                   for i in range(30, 3000))
    folder = os.path.join(tmp, "damaged")
    packed = gzip.compress((HEADER + rows).encode())
    write(os.path.join(folder, "proc", "interrupts.gz"), packed[:len(packed) // 2])
    run = Run(folder)
    equal(run.status, 0)
    assert 100 < run.answer["devices"][0]["irqs"] < 2970, run.answer["devices"][0]["irqs"]
    assert (None, "damaged or cut; what is before is used") in run.skipped("interrupts.gz")


def test_a_cut_archive_is_used_as_far_as_it_goes(tmp):
    path = os.path.join(tmp, "cut.tar")
    with tarfile.open(path, "w") as tar:
        for name, size in (("c/proc/interrupts", None), ("c/zeros.txt", 300000)):
            content = read(ROUTER, "t1/proc/interrupts") if size is None else b"0" * size
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    write(path, read(path)[:100000])
    run = Run(path)
    equal(run.status, 0)
    assert "proc/interrupts" in run.answer["read"]
    assert any("damaged" in reason for _, reason in run.skipped("cut.tar")), run.answer["skipped"]


# --- archives that mean no good -----------------------------------------------------------

def hostile(tmp, fill, name="evil.tar"):
    path = os.path.join(tmp, name)
    with tarfile.open(path, "w") as tar:
        content = read(ROUTER, "t1/proc/interrupts")
        info = tarfile.TarInfo("c/proc/interrupts")
        info.size = len(content)
        tar.addfile(info, io.BytesIO(content))
        fill(tar)
    return Run(path)


def add_file(tar, name, content=b"evil"):
    info = tarfile.TarInfo(name)
    info.size = len(content)
    tar.addfile(info, io.BytesIO(content))


def add_special(tar, name, kind, target=""):
    info = tarfile.TarInfo(name)
    info.type = kind
    info.linkname = target
    tar.addfile(info)


def test_no_path_leads_out_of_the_folder(tmp):
    outside = os.path.join(tmp, "outside")
    absolute = os.path.join(tmp, "absolute")

    def fill(tar):
        for name in ("../outside", "c/../../outside", "../../../../../../../../.." + outside,
                     absolute, "c/x/../../../outside"):
            add_file(tar, name)

    run = hostile(tmp, fill)
    equal(run.status, 0)
    assert not os.path.exists(outside) and not os.path.exists(absolute)
    refused = [s for s in run.answer["skipped"] if "leads out" in s["reason"]]
    equal(len(refused), 5)


def test_nothing_is_written_through_a_link(tmp):
    target = os.path.join(tmp, "target")
    os.mkdir(target)

    def fill(tar):
        add_special(tar, "c/door", tarfile.SYMTYPE, target)
        add_file(tar, "c/door/file")
        add_special(tar, "c/up", tarfile.SYMTYPE, "../../..")
        add_file(tar, "c/up/file")

    equal(hostile(tmp, fill).status, 0)
    equal(os.listdir(target), [])


def test_links_are_followed_inside_the_capture_only(tmp):
    secret = os.path.join(tmp, "secret")
    write(secret, "cpu  1 2 3 4\ncpu0 1 2 3 4 5 6 7 8 9 10\n")

    def fill(tar):
        add_special(tar, "c/proc/stat", tarfile.SYMTYPE, secret)
        add_special(tar, "c/proc/softirqs", tarfile.LNKTYPE, secret)
        add_special(tar, "c/mpstat.txt", tarfile.SYMTYPE, secret)
        add_special(tar, "c/top.txt", tarfile.SYMTYPE, "top.txt")

    run = hostile(tmp, fill)
    equal(run.answer["read"], ["proc/interrupts"])


def test_what_is_no_file_is_left_out(tmp):
    def fill(tar):
        for name, kind in (("c/fifo", tarfile.FIFOTYPE), ("c/zero", tarfile.CHRTYPE),
                           ("c/disk", tarfile.BLKTYPE)):
            add_special(tar, name, kind)

    run = hostile(tmp, fill)
    equal(len([s for s in run.answer["skipped"] if "neither a file" in s["reason"]]), 3)


def test_what_grows_beyond_all_bounds_is_cut(tmp):
    # 80 MB of zeros in a few kB, as a file of an archive and alone.
    zeros = gzip.compress(b"0 " * (40 << 20), 1)
    path = os.path.join(tmp, "bomb")
    write(path, zeros)
    run = Run(path)
    equal(run.status, 1)
    folder = os.path.join(tmp, "bombs")
    write(os.path.join(folder, "proc", "interrupts.gz"), zeros)
    run = Run(folder)
    assert (None, "too large; the beginning is used") in run.skipped("interrupts.gz")


def test_an_archive_may_be_deep_or_twisted(tmp):
    def deep(tar):
        add_file(tar, "/".join(["d"] * 100) + "/f")
        add_file(tar, "c/" + "n" * 300)
        add_file(tar, "c/proc/interrupts", b"again")
        add_file(tar, "c/proc/interrupts/below", b"a file is no folder")
        add_file(tar, "c/\x1b[31mred", b"x")

    run = hostile(tmp, deep)
    equal(run.status, 0)
    assert "proc/interrupts" in run.answer["read"] or "c/proc/interrupts" in run.answer["read"]
    assert "\x1b" not in run.text


def test_a_file_that_is_none_of_all_that(tmp):
    for content in (b"", b"\0" * 5000, bytes(range(256)) * 40, b"hello\n", b"\x1f\x8b\x08junk",
                    b"\n" * 100000, b"CPU0\n", b":" * 70000, b"1:" * 50000, b"a,b," * 20000):
        path = os.path.join(tmp, "odd")
        write(path, content)
        run = Run(path)
        equal(run.status, 1)
        Run(path, json_wanted=False)


def test_one_line_of_everything(tmp):
    """Lines as long as a file, and lists as long as they may be."""
    many = " 30: 1 2 PCI-MSI 1-edge " + ",".join(f"eth{i}-rx-0" for i in range(20000)) + "\n"
    run = lines(tmp, many)
    equal(run.status, 0)
    rows = "".join(f" {i}: 1 2 PCI-MSI 1-edge eth{i}-rx-0\n" for i in range(20000))
    run = lines(tmp, rows)
    equal(run.status, 0)
    counters = "NIC statistics:\n" + "".join(
        f" rx_queue_{i}_packets: 5\n rx_queue_{i}_drops: 5\n" for i in range(30000))
    for sample in ("t0", "t1"):
        write(os.path.join(tmp, "many", sample, "ethtool-S.eth0.txt"), counters)
    equal(Run(os.path.join(tmp, "many")).status, 0)
    sysctl = "".join(f"dev.ix.{i}.queue0.rx_packets: 5\ndev.ix.{i}.dropped: 6\n"
                     for i in range(6000))
    write(os.path.join(tmp, "sysctl-dev.ix.txt"), sysctl)
    equal(Run(os.path.join(tmp, "sysctl-dev.ix.txt")).status, 0)


# --- the command -------------------------------------------------------------------------

def test_the_exit_status_tells(tmp):
    equal(Run(ROUTER, json_wanted=False).status, 0)
    empty = os.path.join(tmp, "empty")
    os.mkdir(empty)
    equal(Run(empty).status, 1)
    for path in ("/", os.path.join(tmp, "missing"), "/dev/null"):
        run = Run(path, json_wanted=False)
        equal((run.status, run.text), (1, ""))
        assert run.complaint.startswith("ringside: "), run.complaint
    for args in ((), ("-Z", ROUTER), (ROUTER, ROUTER)):
        equal(Run(*args, json_wanted=False).status, 2)


def test_the_text_tells_what_was_read_and_skipped(_):
    text = Run(ROUTER, json_wanted=False).text
    for word in ("flagged     yes", "core.imbalance", "read        ", "proc/interrupts",
                 "for p in 25:0 26:1 27:0 28:1;"):
        assert word in text, (word, text)


if __name__ == "__main__":
    sys.exit(run_cases(dict(globals())))
