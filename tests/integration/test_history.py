# SPDX-License-Identifier: ISC
"""History of two days as clients get it: tiers, forms, limits and errors."""

import csv
import io
import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
import urllib.parse

from rig import Daemon, run_tests, say, wait_for

BINARY = os.environ["RINGSIDED"]
MAKE_HISTORY = os.environ["MAKE_HISTORY"]
HOURS, CORES = 50, 4


def interrupts(second, core):
    """As make_history.c has them; None: nothing was measured."""
    return None if second // 60 % 10 == 7 else second * 7919 % (1000 + core)


class History:
    """A daemon on a database with a past, whose hours and days are made."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="ringside-test-")
        db = os.path.join(self.dir, "ringside.db")
        made = subprocess.run([MAKE_HISTORY, db, str(HOURS), str(CORES)],
                              capture_output=True, text=True, timeout=300, check=True)
        self.start_ms = int(made.stdout)
        # Its last sample but for two minutes: what the daemon of now measures has
        # a boot clock of its own, and steps that end with it.
        self.end_ms = self.start_ms + (HOURS * 3600 - 121) * 1000
        if os.geteuid() == 0:  # the daemon becomes nobody
            for path, _, names in os.walk(self.dir):
                for name in [".", *names]:
                    shutil.chown(os.path.join(path, name), "nobody")
        self.daemon = Daemon(BINARY, "--db", db)
        wait_for("hours and days of the past", lambda: self.is_made(db), 60)

    @staticmethod
    def is_made(db):
        with sqlite3.connect(f"file:{db}?mode=ro", uri=True) as shell:
            done = shell.execute("SELECT minute_until, hour_until FROM boots WHERE id = 1")
            minute_until, hour_until = done.fetchone()
            return minute_until >= HOURS and hour_until * 24 >= HOURS

    def request(self, metric="core_interrupts", **parameters):
        pairs = [("metric", metric)]
        for name, value in parameters.items():
            values = value if isinstance(value, list) else [value]
            pairs += [(name, v) for v in values]
        return self.daemon.request("/api/v1/series?" + urllib.parse.urlencode(pairs))

    def series(self, **parameters):
        status, body, _ = self.request(**parameters)
        assert status == 200, (parameters, status, body[:300])
        return json.loads(body)

    def problem(self, **parameters):
        status, body, headers = self.request(**parameters)
        assert headers["Content-Type"] == "application/problem+json", headers
        answer = json.loads(body)
        assert answer["status"] == status, answer
        return status, answer["detail"]

    def span(self, seconds):
        """The last so many seconds of the past: (after, before]."""
        return {"after": (self.end_ms - seconds * 1000) / 1000, "before": self.end_ms / 1000}


def check_axis(answer, span, points=None):
    times, step = answer["time_ms"], answer["resolution_ms"]
    assert all(span["after"] * 1000 < t <= span["before"] * 1000 for t in times), answer["tier"]
    assert all(b - a == step for a, b in zip(times[:-2], times[1:-1])), times[:5]
    # The last step may not be over yet.
    assert len(times) < 2 or 0 < times[-1] - times[-2] <= step
    assert points is None or len(times) <= points, (len(times), points)
    for one in answer["series"]:
        assert len(one["values"]) == len(times)


def each_sample_is_there_as_a_rate(h):
    span = h.span(600)
    answer = h.series(cpu=2, **span)
    check_axis(answer, span)
    assert answer["tier"] == "raw" and answer["resolution_ms"] == 1000
    assert answer["unit"] == "interrupts/s"
    assert [s["labels"] for s in answer["series"]] == [{"cpu": "2"}]
    n = 0
    for t, value in zip(answer["time_ms"], answer["series"][0]["values"]):
        expected = interrupts((t - h.start_ms) // 1000, 2)
        assert value == expected, (t, value, expected)
        n += value is not None
    assert 480 <= n <= 540, n


def a_day_comes_from_minutes(h):
    span = h.span(86400)
    answer = h.series(cpu=1, points=600, aggregate="sum", **span)
    check_axis(answer, span, 600)
    assert answer["tier"] == "minute" and answer["resolution_ms"] == 180_000
    assert answer["unit"] == "interrupts"
    assert len(answer["time_ms"]) >= 470
    # Whole steps have what was counted in them, second for second.
    for t, value in list(zip(answer["time_ms"], answer["series"][0]["values"]))[1:-1]:
        last = (t - h.start_ms) // 1000
        counted = [interrupts(n, 1) for n in range(last - 179, last + 1)]
        known = [c for c in counted if c is not None]
        assert value == sum(known), (t, value, sum(known))


def two_days_come_from_hours_or_minutes(h):
    span = h.span(HOURS * 3600)
    for points, tier in ((40, "minute"), (1, "minute"), (1000, "minute"), (100000, "raw")):
        answer = h.series(cpu=0, points=points, aggregate="sum", **span)
        check_axis(answer, span, points)
        assert answer["tier"] == tier, (points, answer["tier"])
    longer = {"after": (h.end_ms - 7 * 86400_000) / 1000, "before": h.end_ms / 1000}
    answer = h.series(cpu=0, points=100, aggregate="sum", **longer)
    check_axis(answer, longer, 100)
    assert answer["tier"] == "hour" and answer["resolution_ms"] == 7200_000
    # The last hour is known as a whole only, and begins before the range ends.
    everything = sum(interrupts(n, 0) or 0 for n in range(HOURS * 3600))
    assert sum(v or 0 for v in answer["series"][0]["values"]) == everything


def a_peak_of_one_second_is_seen_from_afar(h):
    for seconds, points in ((3600, 3600), (86400, 600), (7 * 86400, 100), (300 * 86400, 100)):
        answer = h.series(metric="core_packet_load_ratio", cpu=3, points=points,
                          aggregate="max", **h.span(seconds))
        values = [v for v in answer["series"][0]["values"] if v is not None]
        assert max(values) == 0.9, (seconds, answer["tier"], max(values))
        least = h.series(metric="core_packet_load_ratio", cpu=3, points=points,
                         aggregate="min", **h.span(seconds))
        assert min(v for v in least["series"][0]["values"] if v is not None) == 0.1


def without_points_it_is_as_fine_as_an_answer_can_be(h):
    span = h.span(20 * 3600)
    assert h.series(cpu=0, **span)["tier"] == "raw"
    span = h.span(40 * 3600)
    answer = h.series(cpu=0, **span)
    check_axis(answer, span)
    assert answer["tier"] == "minute" and answer["resolution_ms"] == 60_000
    assert len(answer["time_ms"]) in range(2395, 2402)


def labels_choose(h):
    span = h.span(120)
    assert [s["labels"]["cpu"] for s in h.series(**span)["series"]] == ["0", "1", "2", "3"]
    some = h.series(cpu=["3", "1"], **span)["series"]
    assert [s["labels"]["cpu"] for s in some] == ["1", "3"]
    none = h.series(cpu="77", **span)
    assert none["series"] == [] and none["time_ms"] == []
    status, detail = h.problem(device="eth0", **span)
    assert status == 400 and "device" in detail and "label" in detail, detail
    status, detail = h.problem(core="0", **span)
    assert status == 400 and "core" in detail, detail
    status, detail = h.problem(metric="core_interrupt", **span)
    assert status == 404 and "core_interrupts" in detail, detail


def times_can_be_written_in_three_ways(h):
    span = h.span(60)
    expected = h.series(cpu=0, **span)["time_ms"]
    stamp = {}
    for name, seconds in span.items():
        whole = int(seconds)
        text = subprocess.run(["date", "-u", "-d", f"@{whole}", "+%Y-%m-%dT%H:%M:%S"],
                              capture_output=True, text=True, check=True).stdout.strip()
        stamp[name] = text + f".{round((seconds - whole) * 1000):03d}Z"
    assert h.series(cpu=0, **stamp)["time_ms"] == expected
    live = h.series(metric="core_busy_ratio", after="-60", before="-0")
    assert all(live["time_ms"]) and live["tier"] == "raw"
    for name in ("after", "before"):
        for wrong in ("1e11", "1700000000000", "yesterday", "2025-02-30T00:00:00Z", ""):
            status, detail = h.problem(**{**span, name: wrong})
            assert status == 400 and name in detail, (name, wrong, detail)
        status, detail = h.problem(**{**span, name: str(10**11)})
        assert "milliseconds?" in detail, detail
    status, detail = h.problem(after=span["before"], before=span["after"])
    assert status == 400, detail


def the_end_of_a_range_belongs_to_it_and_its_beginning_does_not(h):
    second = HOURS * 3600 - 600
    while interrupts(second, 0) is None or interrupts(second + 3, 0) is None:
        second += 1
    at_ms = h.start_ms + second * 1000
    answer = h.series(cpu=0, after=at_ms / 1000, before=at_ms / 1000 + 3)
    assert answer["time_ms"] == [at_ms + 1000, at_ms + 2000, at_ms + 3000], answer


def rows_and_csv_have_the_same_numbers(h):
    span = h.span(7200)
    columns = h.series(cpu=["0", "2"], points=60, **span)
    expected = [
        (t, s["labels"]["cpu"], v)
        for i, t in enumerate(columns["time_ms"])
        for s, v in [(s, s["values"][i]) for s in columns["series"]]
    ]
    rows = h.series(cpu=["0", "2"], points=60, layout="rows", **span)
    assert [(r["time_ms"], r["cpu"], r["value"]) for r in rows] == expected
    for layout in ("columns", "rows"):
        status, body, headers = h.request(cpu=["0", "2"], points=60, layout=layout, format="csv",
                                          **span)
        assert status == 200 and headers["Content-Type"].startswith("text/csv"), headers
        table = list(csv.reader(io.StringIO(body.decode(), newline="")))
        if layout == "rows":
            assert table[0] == ["time_ms", "cpu", "value"], table[0]
            got = [(int(t), c, float(v) if v else None) for t, c, v in table[1:]]
            assert got == expected
        else:
            assert table[0] == ["time_ms", "cpu=0", "cpu=2"], table[0]
            assert [int(r[0]) for r in table[1:]] == columns["time_ms"]


def too_much_is_refused_and_says_what_to_do(h):
    status, detail = h.problem(after=0, before=h.end_ms / 1000, points=100001)
    assert status == 400 and "points" in detail, detail
    span = h.span(27 * 3600)  # 97200 seconds of four cores, and those of this machine
    many = {**span, "cpu": [str(c) for c in range(CORES)]}
    assert len(h.series(**many)["series"]) == CORES
    status, _ = h.problem(aggregate="median", **span)
    assert status == 400
    status, detail = h.problem(metric="core_packet_load_ratio", aggregate="sum", **span)
    assert status == 400 and "counter" in detail, detail


def the_catalog_knows_the_past_and_the_present(h):
    entries = h.daemon.get("catalog")
    past = [e for e in entries if e["metric"] == "core_packet_load_ratio"]
    ours = next(e for e in past if e["labels"] == {"cpu": "0"})
    assert ours["first_ms"] == h.start_ms, (ours, h.start_ms)
    assert ours["last_ms"] >= h.end_ms
    assert ours["unit"] == "ratio" and ours["kind"] == "gauge"
    keys = [(e["metric"], tuple(sorted(e["labels"].items()))) for e in entries]
    assert len(set(keys)) == len(keys)
    health = h.daemon.get("health")["store"]
    assert health["oldest_ms"] == h.start_ms, health
    assert [t["tier"] for t in health["tiers"]] == ["raw", "minute", "hour"], health
    assert all(t["rows_given_up"] == 0 for t in health["tiers"]), health
    assert health["tiers"][0]["oldest_ms"] == h.start_ms, health


def main():
    h = History()
    try:
        say(f"{HOURS} hours of {CORES} cores from {h.start_ms} on")
        tests = [
            each_sample_is_there_as_a_rate,
            a_day_comes_from_minutes,
            two_days_come_from_hours_or_minutes,
            a_peak_of_one_second_is_seen_from_afar,
            without_points_it_is_as_fine_as_an_answer_can_be,
            labels_choose,
            times_can_be_written_in_three_ways,
            the_end_of_a_range_belongs_to_it_and_its_beginning_does_not,
            rows_and_csv_have_the_same_numbers,
            too_much_is_refused_and_says_what_to_do,
            the_catalog_knows_the_past_and_the_present,
        ]

        def with_history(test):
            def run():
                test(h)

            run.__name__ = test.__name__
            return run

        return run_tests([with_history(t) for t in tests])
    finally:
        print(h.daemon.read_log(), flush=True)
        h.daemon.close()
        shutil.rmtree(h.dir, ignore_errors=True)


if __name__ == "__main__":
    raise SystemExit(main())
