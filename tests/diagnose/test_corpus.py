#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""
`ringside diagnose` over the corpus of real inputs, and over packed copies of some.

    test_corpus.py

RINGSIDE is the program, RS_SHARED_DIR the folder with corpus/ and captures/; without
the corpus the test is skipped. Checked for each case: the exit status, every number of
expected.json that the answer has a place for, the verdict's flag, and what must and
must not be said. Prints the table of cases.

"In substance": a phrase of must_say is met when all patterns that stand beside it in
SAYS are found in the answer (the verdict, messages, causes, evidence, advice, notes,
and what was skipped), letters of either case, "core" and "CPU" being the same. A
phrase without an entry is a failure: somebody has to decide what it means. The phrases
of must_not_say are met by the flag and by FORBIDDEN.
"""

import json
import math
import os
import re
import subprocess
import sys
import tarfile
import tempfile

RINGSIDE = os.environ.get("RINGSIDE", "ringside")
SHARED = os.environ.get("RS_SHARED_DIR", "../shared")
CORPUS = os.path.join(SHARED, "corpus")

# What each phrase means as text of the answer.
SAYS = {
    "eth0 single IRQ 17 on CPU0": [r"eth0[^\n]*single interrupt line[^\n]*17[^\n]*core 0"],
    "suggest RPS, not irqbalance alone": [r"rps_cpus", r"irqbalance[^\n]*only RPS"],
    "multi-queue but every queue on CPU0": [r"8 queues, every one on core 0"],
    "map i40e-eth0-TxRx-N to eth0": [r"eth0: 4 queues \(i40e-eth0-TxRx-0 to i40e-eth0-TxRx-3\)"],
    "CPU0 has all of eth0+eth1": [r"core 0 takes 100 % of[^\n]*eth0, eth1"],
    "IRQ 11 shared by eth0 and eth1": [r"IRQ 11 is shared by[^\n]*eth0, eth1"],
    "1 of 4 vectors active": [r"1 of 4 queues active|1 of 4 active"],
    "1152 CPUs": [r"1152 core"],
    "94 queues per port": [r"eth0: 94 queues", r"enp195s0f1: 94 queues"],
    "480 CPUs": [r"480 core"],
    "8 CPUs, not the softirqs column count": [r"8 cores \(0-7\)[^\n]*softirqs has 16 columns"],
    "CPU5 has no queue, CPU7 has two": [r"core 5 has no queue[^\n]*core 7 has 2 \(two\)"],
    "CPU2 gets nothing": [r"core 2 gets none"],
    "queue 1 never used": [r"queue 1[^\n]*never used"],
    "CPU6": [r"core 6"],
    "eth3-fp-0": [r"eth3-fp-0"],
    "eth2-TxRx-6": [r"eth2-TxRx-6"],
    "2 of 16 channels": [r"2 of 16 channels"],
    "bw_in_allowance_exceeded": [r"bw_in_allowance_exceeded"],
    "do not merge queues": [r"2 receive queues are kept apart, not merged"],
    "distinguish NIC missed from stack dropped": [r"the NIC missed 4954[^\n]*stack dropped"],
    "CPU0 squeeze": [r"core 0 has 100 % of the \d+ squeezes"],
    "docker0": [r"docker0"],
    "count napi/ threads": [r"count napi/ threads"],
    "rx_ovflow0": [r"rx_ovflow0"],
    "CPU7 reported": [r"\(0-7\)"],
    "cpu0 parsed": [r"1 core \(0\) by /proc/stat"],
    # The case is a description: the input is to be made from any other.
    "softirq line after intr parsed": [],
    "no crash": [],
    "763643097": [r"763643097"],
    "no 100 % spike, no all-zero row": [r"single core 0 %"],
    "1 workstream, 4 CPUs": [r"1 workstream, 4 core"],
    "QDrops 181210251": [r"QDrops 181210251"],
    "600 MHz of 1000 MHz": [r"600 MHz of 1000 MHz"],
    # The time between the samples is not told.
    "3979 interrupts/s on CPU0": [r"3979 NIC interrupts between the samples, core 0"],
    "name printed literally": [r"eth%d-ntfy-block\.0"],
    "wrap-safe deltas": [r"differences are wrap-safe"],
    "1 rx queue, 16 tx queues": [r"1 rx queue, 16 tx queues"],
    "missing IRQ tolerated": [r"IRQ missing, such as 86"],
    "look at the bond ports": [r"bond's ports"],
    "saturated, not imbalanced": [r"saturated, not imbalanced"],
    "map through sysfs": [r"/sys/class/net: it maps interrupts to devices"],
}

# Words that would say what must not be said, where the flag alone does not tell.
FORBIDDEN = {
    "suggest more hardware queues as if supported": [r"ethtool -L"],
    "count mlx5_cmd_eq/async/pages as RX queues": [r"mlx5_(cmd|async|pages)"],
    "conclude CPU3 is under-used from totals": [r"core 3 (gets|has) no"],
    "double count IRQ 11 in the CPU total": [],  # a number
    "warn about time_squeeze": [r"squeeze"],
    "crash": [],
    "divide by zero": [r"\bnan\b", r"\binf\b"],
    "flag imbalance on idle machine": [],
    "flag imbalance": [r"core\.imbalance"],
    "alarm": [],
    "show container net/dev as WAN": [r"\bwan\b"],
    "call csum_err a drop": [r"csum_err"],
    "suggest RPS/IRQ affinity": [r"rps_cpus", r"smp_affinity"],
    "alarm on total only": [],
    "report packet loss": [r"lost [\d.]+ %"],
    "suggest CPU1": [r"core 1\b"],
    "softirq alarm": [],
    "diagnose interrupt storm from NIC": [r"irq\.storm"],
    "alarm below about 0.1 % of processed": [],
    "advise only a longer queue": [r"QLimit", r"defaultqlimit"],
    "blame interrupt affinity": [r"affinity"],
    "use cx_usage_counters as load": [r"cx_usage"],
    "treat the name as a format string": [],
    "report IPI rows as imbalanced devices": [r'"device": ?"IPI'],
    "lose the row": [],  # a number
    "count HI or BLOCK as network": [r"\bBLOCK\b"],
    "advise irq affinity as the cure": [r"smp_affinity"],
}

# Sound like loss and are none (check_corpus_ethtool.c says why).
BENIGN = {"rx_no_buffer_count", "rxbds_empty", "mbuf_lwm_thresh_hit", "tx_send_full",
          "port_rx_dp_di_dropped_packets"}

# Wi-Fi lines that the other reader does not list; they are network devices all the same.
OTHER_LINES = {"010": "iwlwifi", "052": "ath10k_pci", "057": "ath10k_ahb", "018": "mlx4-comp"}
# Lines it lists although nothing says that they are of a network device: virtio without a
# kind, and a USB host without sysfs (contract 6).
UNKNOWN_LINES = {"079": {18}, "060": {25}}

failures = []


def check(case, what, ok, detail=""):
    if not ok:
        failures.append(f"{case}: {what} {detail}")


def near(a, b, slack):
    return a is not None and b is not None and abs(a - b) <= slack


def diagnose(path):
    run = subprocess.run([RINGSIDE, "diagnose", "-J", path], capture_output=True, timeout=120,
                         check=False)
    answer = json.loads(run.stdout) if run.stdout.strip() else None
    return run.returncode, answer, run.stderr.decode(errors="replace")


# --- numbers -----------------------------------------------------------------

def facts_of(expected, name):
    """The numbers of a file: of the difference where there are samples."""
    facts = expected["facts"]
    deltas = [k for k in facts if k.startswith("delta:") and k.endswith(":" + name)]
    if deltas:
        return facts[max(deltas, key=lambda k: int(re.match(r"delta:t0-t(\d+)", k).group(1)))]
    return facts.get(name)


def compare_interrupts(case, expected, answer):
    facts = facts_of(expected, "interrupts")
    if facts is None:
        return
    mine = answer["interrupts"]
    for theirs, ours in (("cpus_in_header", "cores_in_header"), ("first_cpu", "first_core"),
                         ("last_cpu", "last_core"), ("rows", "rows"),
                         ("numbered_rows", "numbered_rows")):
        check(case, f"interrupts.{ours}", mine[ours] == facts[theirs],
              f"{mine[ours]} is not {facts[theirs]}")
    lines = {}
    for device in answer["devices"]:
        check(case, f"{device['device']}.irqs", device["irqs"] == len(device["queues"]))
        for queue in device["queues"]:
            lines.setdefault(queue["irq"], []).append((device["device"], queue))
    for label, nic in facts["nics"].items():
        compare_nic(case, label, nic, lines)
    if facts["all_nics_per_cpu"]:
        compare_cores(case, facts["all_nics_per_cpu"], answer)


def compare_nic(case, label, nic, lines):
    wanted = [q for q in nic["queues"] if q["irq"] not in UNKNOWN_LINES.get(case[:3], ())]
    names = set()
    for queue in wanted:
        found = lines.get(queue["irq"])
        if not found:
            check(case, f"{label} irq {queue['irq']}", False, "is not listed")
            continue
        mine = found[0][1]
        names |= {name for name, _ in found}
        where = f"{label} irq {queue['irq']}"
        check(case, where + " total", mine["total"] == queue["total"],
              f"{mine['total']} is not {queue['total']}")
        check(case, where + " core", mine["busiest_core"] == queue["busiest_cpu"],
              f"{mine['busiest_core']} is not {queue['busiest_cpu']}")
        if queue["busiest_share"] is not None:
            check(case, where + " share",
                  near(mine["busiest_share"], queue["busiest_share"] / 100, 0.00055))
    # One device of the answer has these lines and no others.
    irqs = {q["irq"] for q in wanted}
    same = [n for n in names if {i for i, f in lines.items() if n in (x for x, _ in f)} == irqs]
    check(case, f"{label}", not irqs or same or len(names) > 1,
          f"no device has just the lines {sorted(irqs)}")


def compare_cores(case, share, answer):
    if case[:3] in OTHER_LINES or case[:3] in UNKNOWN_LINES:
        return
    cores = {c["core"]: c for c in answer["cores"]}
    total = sum(c["nic_interrupts"] or 0 for c in answer["cores"])
    check(case, "sum of nic_interrupts", total == share["total"], f"{total}")
    for cpu, value, percent in share["top"]:
        check(case, f"core {cpu} nic_interrupts", cores[cpu]["nic_interrupts"] == value)
        if total:
            check(case, f"core {cpu} share",
                  near(cores[cpu]["nic_interrupt_share"], percent / 100, 0.00011))


def compare_top(case, what, share, cores, key):
    for cpu, value, _ in share["top"]:
        if value == 0 and cpu not in cores:
            continue  # a CPU that is not there
        mine = cores.get(cpu, {}).get(key)
        check(case, f"core {cpu} {what}", mine == value, f"{mine} is not {value}")


def compare_packets(case, expected, answer):
    cores = {c["core"]: c for c in answer["cores"]}
    soft = facts_of(expected, "softirqs")
    if soft and "NET_RX" in soft:
        compare_top(case, "net_rx", soft.get("delta_NET_RX", soft["NET_RX"]), cores, "net_rx")
    net = facts_of(expected, "softnet_stat")
    last = [k for k in expected["facts"] if re.fullmatch(r"t\d+:softnet_stat", k)]
    if last:
        net = expected["facts"][max(last)]
    if not net:
        return
    share = net.get("delta_processed", net["processed"])
    numbers = net["cpu_column"]
    if numbers and None in numbers or len(net["columns"]) > 1:
        # Rows with and without a core's number: only those with one are taken.
        rows = {i: c for i, c in enumerate(numbers or []) if c is not None}
        share = dict(share, top=[[rows[i], v, p] for i, v, p in share["top"] if i in rows])
        compare_top(case, "softnet_processed", share, cores, "softnet_processed")
        return
    order = numbers or sorted(cores)
    share = dict(share, top=[[order[i], v, p] for i, v, p in share["top"]])
    compare_top(case, "softnet_processed", share, cores, "softnet_processed")
    for theirs, ours in (("dropped", "softnet_dropped"), ("squeezed", "softnet_squeezed")):
        mine = sum(c[ours] or 0 for c in answer["cores"])
        value = net.get("delta_" + theirs, net[theirs])
        check(case, ours, mine == value, f"{mine} is not {value}")


def compare_counters(case, expected, answer):
    for name, facts in expected["facts"].items():
        match = re.fullmatch(r"ethtool-S\.(.+)\.txt", name)
        if not match:
            continue
        device = next((d for d in answer["devices"] if d["device"] == match.group(1)), None)
        check(case, name, device is not None, "is no device")
        if device is None:
            continue
        loss = {k: v for k, v in facts["nonzero_loss"].items() if k not in BENIGN}
        # Rows of vmxnet3 bear the same name for each queue: here their sum.
        if not facts["duplicate_names"]:
            check(case, f"{name} loss", device["loss"] == loss, f"{device['loss']}")
        share = facts["rx_per_queue"]
        mine = {q["queue"]: q for q in device["rx_queue_packets"]}
        if share is None:
            check(case, f"{name} queues", not mine or facts["duplicate_names"])
            continue
        # The other reader takes one part of three of these packets.
        if "bnx2x" in name:
            check(case, f"{name} queues", len(mine) == share["cpus"])
            continue
        check(case, f"{name} queues", len(mine) == share["cpus"], f"{len(mine)}")
        for queue, value, percent in share["top"]:
            check(case, f"{name} queue {queue}", mine[queue]["total"] == value)
            if share["total"]:
                check(case, f"{name} queue {queue} share",
                      near(mine[queue]["share"], percent / 100, 0.00011))


def compare_vmstat(case, expected, answer):
    names = [k for k in expected["facts"] if re.search(r"vmstat-ia?\.txt$", k)]
    if not names:
        return
    last, first = expected["facts"][max(names)], expected["facts"][min(names)]
    for name, facts in last["devices"].items():
        device = next((d for d in answer["devices"] if d["device"] == name), None)
        check(case, name, device is not None and device["irqs"] == facts["queues"])
        if device is None:
            continue
        before = first["devices"][name]["per_queue"] if len(names) > 1 else None
        total = facts["per_queue"]["total"] - (before["total"] if before else 0)
        mine = sum(q["total"] for q in device["queues"])
        check(case, f"{name} total", mine == total, f"{mine} is not {total}")


# --- words -------------------------------------------------------------------

def text_of(answer):
    parts = [answer["verdict"], *answer["notes"]]
    for finding in answer["findings"]:
        parts += [finding["code"], finding["title"], finding["message"], *finding["causes"]]
        for e in finding["evidence"]:
            parts.append(f"{e['label']}: {e.get('text', '')} {e['value']}")
        for a in finding["advice"]:
            parts += [a["command"], a["expect"], a["undo"]]
    for queue in (q for d in answer["devices"] for q in d["queues"]):
        parts.append(queue["name"])
    return re.sub(r"\bCPU", "core", "\n".join(parts), flags=re.I)


def compare_words(case, expected, answer):
    text = text_of(answer)
    for phrase in expected["verdict"]["must_say"]:
        patterns = SAYS.get(phrase)
        check(case, f"must_say '{phrase}'", patterns is not None, "has no meaning here")
        for pattern in patterns or []:
            check(case, f"must_say '{phrase}'", re.search(pattern, text, re.I), "is not said")
    for phrase in expected["verdict"]["must_not_say"]:
        patterns = FORBIDDEN.get(phrase)
        check(case, f"must_not_say '{phrase}'", patterns is not None, "has no meaning here")
        for pattern in patterns or []:
            found = re.search(pattern, text, re.I)
            check(case, f"must_not_say '{phrase}'", not found, f"is said: {found}")
        if re.match(r"alarm|flag|softirq alarm", phrase):
            check(case, f"must_not_say '{phrase}'", not any(
                f["severity"] != "info" and f["code"] == "core.imbalance"
                for f in answer["findings"]))


# --- the whole ---------------------------------------------------------------

def check_case(name, rows):
    with open(os.path.join(CORPUS, name, "expected.json"), encoding="utf-8") as f:
        expected = json.load(f)
    status, answer, complaint = diagnose(os.path.join(CORPUS, name))
    check(name, "status", status in (0, 1) and answer is not None, f"{status} {complaint}")
    if answer is None:
        return
    check(name, "status", (status == 0) == bool(answer["read"]), f"{status}")
    compare_interrupts(name, expected, answer)
    compare_packets(name, expected, answer)
    compare_counters(name, expected, answer)
    compare_vmstat(name, expected, answer)
    compare_words(name, expected, answer)
    wanted = expected["verdict"]["flag"]
    codes = sorted({f["code"] for f in answer["findings"] if f["severity"] != "info"})
    if wanted is not True:
        check(name, "flag", answer["flag"] is not True, f"is true, for {codes}")
    for finding in answer["findings"]:
        if answer["samples"] == 1:
            check(name, finding["code"], finding["confidence"] != "high", "is sure of one sample")
    if answer["flag"] is None:
        check(name, "flag null", "needed are" in answer["verdict"], "says not what is missing")
    rows.append((name, wanted, answer["flag"], codes, answer["verdict"]))


def check_packed(name):
    """The same answer from an archive of the folder."""
    _, plain, _ = diagnose(os.path.join(CORPUS, name))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "capture.tar.gz")
        with tarfile.open(path, "w:gz") as tar:
            tar.add(os.path.join(CORPUS, name), arcname=name)
        status, packed, _ = diagnose(path)
    check(name, "as an archive", status == 0 and packed == plain)


# Captures of virtual routers under load, two samples ten seconds apart; their names tell
# how it was spread. What must be flagged, and words of the verdict.
CAPTURES = {
    "igb-apart12-p40": ([], r"core 1 does 60 %"),
    "igb-pile3-p40": (["irq.all_on_one"], r"every interrupt of eth0 and eth1 fires on core 3"),
    "igb-spread-p1": ([], r"busiest core 65 %"),
    "igb-spread-p2": ([], r"busiest core 71 %"),
    "igb-spread-p40": ([], r"busiest core 58 %"),
    "virtio-spread-p40": ([], r"no bottleneck"),
    "virtio61-spread-p40": ([], r"no bottleneck"),
    # It has one queue in truth, and the device dropped what the ring did not take.
    "vmxnet3-spread-p40": (["ring.overflow_idle"], r"eth0 loses 5\.4 %.*core 0 does 100 %"),
}


def check_captures():
    for name, (codes, words) in CAPTURES.items():
        path = os.path.join(SHARED, "captures", name + ".tar.gz")
        if not os.path.exists(path):
            print(f"# no {name}: skipped")
            continue
        status, answer, complaint = diagnose(path)
        check(name, "status", status == 0, complaint)
        flagged = [f["code"] for f in answer["findings"] if f["severity"] != "info"]
        check(name, "codes", flagged == codes, f"{flagged}")
        check(name, "flag", answer["flag"] is bool(codes) and answer["imbalanced"] is False)
        check(name, "basis", answer["basis"] == "rates" and 9 < answer["interval_s"] < 12)
        check(name, "verdict", re.search(words, answer["verdict"]), answer["verdict"])
        print(f"{name[:28]:28} {'':5} {str(answer['flag']):5} {'':7} {','.join(flagged)[:24]:24} "
              f"{answer['verdict'][:100]}")


def main():
    if not os.path.isdir(CORPUS):
        print(f"SKIPPED: no corpus in {CORPUS}")
        return 77
    rows = []
    for name in sorted(os.listdir(CORPUS)):
        if name[0].isdigit():
            check_case(name, rows)
    for name in ("001-nu-singlequeue-8cpu", "005-nu-e5645-ixgbe-cpu0", "026-pcp-1152cpu-i40e"):
        check_packed(name)
    for name, wanted, flag, codes, verdict in rows:
        differs = "differs" if wanted is not None and flag is not wanted else ""
        print(f"{name[:28]:28} {str(wanted):5} {str(flag):5} {differs:7} {','.join(codes)[:24]:24} "
              f"{verdict[:100]}")
    check_captures()
    true = [r for r in rows if r[1] is True]
    flagged = [r for r in true if r[2] is True]
    print(f"{len(rows)} cases; {len(flagged)} of {len(true)} that must be flagged are")
    check("corpus", "flagged", len(flagged) >= math.ceil(0.9 * len(true)))
    for failure in failures:
        print("FAIL", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
