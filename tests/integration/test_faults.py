# SPDX-License-Identifier: ISC
"""
Real faults under running daemons, in mount and network namespaces of their own: a
disk that is full, one that turns read-only or fails, a database that another
program holds, that is damaged, removed or of a newer version, a folder that is
not there. In all of them the live view goes on, health says what is the matter,
and when the fault is over writing goes on, with all that waited, without a
restart.

All daemons run at once through the same two minutes: first the fault, then not.
"""

import contextlib
import ctypes
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

from rig import Daemon, run_tests, say, skip, wait_for

BINARY = os.environ["RINGSIDED"]
NIC = "rsfault0"
INTERVAL_S = 0.5  # there are many daemons, and slow ones with sanitizers
CONFIG = f"[sampling]\ninterval = {INTERVAL_S * 1000:.0f}ms\n"
MTU = {"before": 1400, "during": 1300, "after": 1200}
GARBAGE = b"no such page" * 1000


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout.strip()


def set_mtu(when):
    run("ip", "link", "set", NIC, "mtu", str(MTU[when]))


def open_db(path):
    return sqlite3.connect(path, timeout=20, isolation_level=None)


def ask_db(path, sql):
    """All rows, as the sqlite3 shell would get them."""
    with contextlib.closing(open_db(path)) as db:
        return db.execute(sql).fetchall()


class Case:
    """A daemon, what happens to its database, and what it must say of it."""

    states = ()  # of health while the fault lasts: (state, part of the reason)
    starts_well = True  # the fault comes while it runs
    keeps_all = True  # nothing of before is missing in the end

    def __init__(self, root):
        self.dir = os.path.join(root, type(self).__name__)
        self.folder = os.path.join(self.dir, "db")
        self.db = os.path.join(self.folder, "ringside.db")
        os.makedirs(self.folder)
        os.chmod(self.dir, 0o755)
        self.open_folder()
        self.daemon = None

    def open_folder(self):
        """For the user that the daemon becomes."""
        os.chmod(self.folder, 0o777)

    # What cases do differently.
    def prepare(self):
        pass

    def begin(self):
        pass

    def end(self):
        pass

    def start(self):
        self.prepare()
        self.daemon = Daemon(BINARY, "--db", self.db, config=CONFIG)

    def health(self):
        return self.daemon.get("health")

    def store(self):
        return self.health()["store"]

    def is_in(self, states):
        s = self.store()
        return any(s["state"] == state and part in (s["reason"] or "")
                   for state, part in states) and s

    def mtus(self):
        return [int(c["new"]) for c in self.daemon.get(f"changes?kind=mtu&device={NIC}")]

    def stored_mtus(self):
        return [int(row[0]) for row in ask_db(
            self.db, "SELECT new FROM changes WHERE kind = 'mtu' ORDER BY id DESC")]


class DiskFull(Case):
    states = (("failing", "disk full"),)

    def prepare(self):
        run("mount", "-t", "tmpfs", "-o", "size=2m", "full", self.folder)
        self.open_folder()

    def begin(self):
        # Its log may not have a free frame either.
        ask_db(self.db, "PRAGMA wal_checkpoint(TRUNCATE)")
        with open(os.path.join(self.folder, "filler"), "wb", buffering=0) as f:
            size = 1 << 20
            while size >= 1:
                try:
                    f.write(b"\0" * size)
                except OSError:
                    size //= 2
        assert shutil.disk_usage(self.folder).free == 0

    def end(self):
        os.unlink(os.path.join(self.folder, "filler"))


class Image(Case):
    """An ext4 of its own, on a loop device."""

    def prepare(self):
        self.image = os.path.join(self.dir, "image")
        with open(self.image, "wb") as f:
            f.truncate(16 << 20)
        run("mkfs.ext4", "-q", "-F", self.image)
        # Without the disk there is nothing that the daemon may write to.
        os.chmod(self.folder, 0o755)
        self.mount()

    def mount(self):
        run("mount", "-o", "loop,errors=remount-ro", self.image, self.folder)
        self.open_folder()

    def end(self):
        # As one does with a card that failed: taken out, checked, put in again.
        run("umount", "-l", self.folder)
        wait_for("the daemon lets the card go",
                 lambda: self.daemon.get("changes") is not None and self.is_in(
                     (("closed", ""),)), 90, 1)
        wait_for("the device is free", lambda: not run("losetup", "-j", self.image), 30)
        subprocess.run(["e2fsck", "-fp", self.image], capture_output=True, check=False)
        self.mount()


class ReadOnly(Image):
    states = (("failing", "read-only file system"),)

    def begin(self):
        device = os.path.basename(run("findmnt", "-no", "SOURCE", self.folder))
        with open(f"/sys/fs/ext4/{device}/trigger_fs_error", "w") as f:
            f.write("1")


class Dead(Image):
    states = (("failing", "input/output error"), ("closed", ""))

    def begin(self):
        import fcntl
        fd = os.open(self.folder, os.O_RDONLY)
        try:
            # EXT4_IOC_SHUTDOWN, without writing the journal
            fcntl.ioctl(fd, 0x8004587D, (2).to_bytes(4, sys.byteorder))
        finally:
            os.close(fd)


class ReadOnlyAtStart(Case):
    states = (("closed", "read-only file system"),)
    starts_well = False

    def prepare(self):
        run("mount", "-t", "tmpfs", "-o", "size=8m", "ro", self.folder)
        self.open_folder()
        run("mount", "-o", "remount,ro", self.folder)

    def end(self):
        run("mount", "-o", "remount,rw", self.folder)


class Locked(Case):
    states = (("failing", "locked by another program"),)

    def begin(self):
        self.other = open_db(self.db)
        self.other.execute("BEGIN IMMEDIATE")

    def end(self):
        self.other.execute("ROLLBACK")
        self.other.close()


class MissingAtStart(Case):
    states = (("closed", "missing"),)
    starts_well = False

    def prepare(self):
        os.rmdir(self.folder)
        # Root would make the last part of the path.
        self.folder = os.path.join(self.folder, "not", "there")
        self.db = os.path.join(self.folder, "ringside.db")

    def end(self):
        os.makedirs(self.folder)
        self.open_folder()


class FolderGone(Case):
    """The folder is moved away, and back."""

    states = (("closed", "missing"),)

    def begin(self):
        os.rename(self.folder, self.folder + ".gone")

    def end(self):
        os.rename(self.folder + ".gone", self.folder)


class FolderRemoved(Case):
    states = (("closed", "missing"),)
    keeps_all = False

    def begin(self):
        shutil.rmtree(self.folder)

    def end(self):
        os.makedirs(self.folder)
        self.open_folder()


class Damaged(Case):
    """While it runs: replaced at once."""

    states = (("ok", ""),)
    keeps_all = False

    def begin(self):
        version = ask_db(self.db, "PRAGMA user_version")[0][0]
        ask_db(self.db, "PRAGMA wal_checkpoint(TRUNCATE)")
        size = os.path.getsize(self.db)
        with open(self.db, "r+b") as f:
            for at in range(4096, size, 4096):
                f.seek(at)
                f.write(GARBAGE[:4096])
        # The first page is whole: this can be written, and the daemon reads again.
        ask_db(self.db, f"PRAGMA user_version = {version}")


class DamagedAtStart(Case):
    states = (("ok", ""),)
    starts_well = False
    keeps_all = False

    def prepare(self):
        with Daemon(BINARY, "--db", self.db) as d:
            wait_for("a tick", lambda: d.get("health")["ticks"] > 0)
            assert d.stop() == 0
        with open(self.db, "r+b") as f:
            f.write(GARBAGE[:4096])


class Newer(Case):
    states = (("closed", "newer version"),)
    starts_well = False

    def prepare(self):
        with Daemon(BINARY, "--db", self.db) as d:
            wait_for("a tick", lambda: d.get("health")["ticks"] > 0)
            assert d.stop() == 0
        self.version = ask_db(self.db, "PRAGMA user_version")[0][0]
        ask_db(self.db, f"PRAGMA user_version = {self.version + 1}")
        with open(self.db, "rb") as f:
            self.content = f.read()

    def end(self):
        with open(self.db, "rb") as f:
            assert f.read() == self.content, "a newer database was touched"
        assert not os.path.exists(self.db + "-wal"), "a newer database was opened"
        ask_db(self.db, f"PRAGMA user_version = {self.version}")


CASES = [DiskFull, ReadOnly, Dead, ReadOnlyAtStart, Locked, MissingAtStart, FolderGone,
         FolderRemoved, Damaged, DamagedAtStart, Newer]
cases = []
skipped = []


def minute():
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) // 60)


def wait_for_minute():
    """The next one, and until it is handed to the stores."""
    left = 60 - time.clock_gettime(time.CLOCK_BOOTTIME) % 60
    say(f"{left:.0f} s to the end of the minute")
    time.sleep(left + 3)


def check_live(ticks, seconds):
    """All of them sampled all the time."""
    expected = seconds / INTERVAL_S
    for case in cases:
        name = type(case).__name__
        h = case.health()
        done = h["ticks"] - ticks[case]
        assert done >= expected / 2, (name, done, expected, h["ticks_missed"])
        fresh = case.daemon.get("summary")["sampled_at_ms"]
        wait_for(f"a fresh sample of {name}", lambda: case.daemon.get(
            "summary")["sampled_at_ms"] > fresh, 10, INTERVAL_S / 2)
        assert len(case.daemon.get("cores")) > 0
    say(f"{min(c.health()['ticks'] - ticks[c] for c in cases)} of {expected:.0f} ticks or more")


def a_second_daemon_and_a_strangers_file_end_the_start():
    with Daemon(BINARY, config=CONFIG) as d:
        done = subprocess.run([BINARY, "--db", d.db, "--listen", "127.0.0.1:0"],
                              capture_output=True, text=True, timeout=30)
        assert done.returncode == 1 and "in use by another ringsided" in done.stderr, done
        assert "goes on" not in done.stderr, done
        assert d.get("health")["store"]["state"] == "ok"
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        path = os.path.join(folder, "x.db")
        for make, words in ((lambda: open(path, "w").write("notes\n"), "not an SQLite database"),
                            (lambda: ask_db(path, "CREATE TABLE t (x)"),
                             "another program")):
            make()
            os.chmod(path, 0o666)
            with open(path, "rb") as f:
                before = f.read()
            done = subprocess.run([BINARY, "--db", path, "--listen", "127.0.0.1:0"],
                                  capture_output=True, text=True, timeout=30)
            assert done.returncode == 1 and words in done.stderr, done
            with open(path, "rb") as f:
                assert f.read() == before
            os.unlink(path)
        assert os.listdir(folder) == []


def every_daemon_starts_whatever_is_with_its_database(root):
    def test():
        for kind in CASES:
            case = kind(root)
            try:
                case.start()
            except (AssertionError, OSError) as error:
                if not isinstance(case, Image):
                    raise
                skipped.append(f"{kind.__name__}: {error}")
                continue
            cases.append(case)
            expected = (("ok", ""),) if case.starts_well else case.states
            wait_for(f"{kind.__name__} {expected}", lambda: case.is_in(expected), 10)
            assert case.daemon.get("cores")
        for case in cases:
            wait_for("the settings of the device", lambda: any(
                d["device"] == NIC and "mtu" in d["settings"]
                for d in case.daemon.get("map")["devices"]), 60)
        set_mtu("before")
        for case in cases:
            wait_for("the first change", lambda: MTU["before"] in case.mtus(), 60)
        for case in cases:
            if case.starts_well:
                wait_for("it is stored", lambda: MTU["before"] in case.stored_mtus(), 60)
    test.__name__ = "every_daemon_starts_whatever_is_with_its_database"
    return test


def the_live_view_goes_on_and_health_says_what_is_the_matter():
    ticks = {case: case.health()["ticks"] for case in cases}
    begun = time.monotonic()
    for case in cases:
        if case.starts_well:
            case.begin()
    set_mtu("during")
    wait_for_minute()
    for case in cases:
        name = type(case).__name__
        s = wait_for(f"{name} {case.states}", lambda: case.is_in(case.states), 30)
        say(f"{name}: {s['state']}, {s['reason']}; {s['blocks_written']} minutes written, "
            f"{s['blocks_failed']} failed")
        # What waits for the disk is told all the same.
        assert MTU["during"] in case.mtus(), (name, case.mtus())
        if case.states != (("ok", ""),):
            wait_for(f"a minute of {name} fails", lambda: case.store()["blocks_failed"] > 0, 30)
            assert abs(s["since_ms"] - time.time() * 1000) < 200e3, (name, s)
        answer = case.daemon.get("series?metric=core_packet_load_ratio&after=-20")
        assert len(answer["time_ms"]) > 10, (name, len(answer["time_ms"]))
    check_live(ticks, time.monotonic() - begun)


def when_it_is_over_all_that_waited_is_written_without_a_restart():
    ticks = {case: case.health()["ticks"] for case in cases}
    begun = time.monotonic()
    for case in cases:
        case.end()
    set_mtu("after")
    wait_for_minute()
    for case in cases:
        name = type(case).__name__
        s = wait_for(f"{name} is well", lambda: case.is_in((("ok", ""),)), 30)
        assert s["reason"] is None, (name, s)
        assert s["findings_dropped"] == 0 and s["changes_dropped"] == 0, (name, s)
        assert s["damaged"] == isinstance(case, (Damaged, DamagedAtStart)), (name, s)
        assert case.health()["minutes_dropped"] == 0, name
    check_live(ticks, time.monotonic() - begun)


def the_databases_are_whole_and_have_all_of_it():
    for case in cases:
        name = type(case).__name__
        assert case.daemon.stop() == 0, case.daemon.read_log()
        assert ask_db(case.db, "PRAGMA integrity_check") == [("ok",)], name
        mtus = case.stored_mtus()
        expected = [MTU["after"], MTU["during"]] + [MTU["before"]] * case.keeps_all
        assert mtus[:len(expected)] == expected, (name, mtus)
        assert len(mtus) == len(set(mtus)), (name, mtus)
        minutes = [row[0] for row in ask_db(
            case.db, "SELECT DISTINCT (id & ((1 << 40) - 1)) >> 12 FROM raw ORDER BY 1")]
        # Each minute from the first that is there: none is missing.
        assert minutes, (name, case.daemon.read_log())
        assert minutes == list(range(minutes[0], minutes[-1] + 1)), (name, minutes)
        assert len(minutes) >= 2 and minutes[-1] >= minute() - 1, (name, minutes)
        aside = [f for f in os.listdir(case.folder) if ".damaged-" in f]
        assert bool(aside) == isinstance(case, (Damaged, DamagedAtStart)), (name, aside)
        log = case.daemon.read_log()
        assert log.count("the live view goes on") <= 3, log
        assert log.count("is damaged: moved to") == len(
            [f for f in aside if not f.endswith(("-wal", "-shm"))]), (name, aside, log)


def enter_namespaces():
    if os.geteuid() != 0:
        skip("mount and network namespaces need root")
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(0x00020000 | 0x40000000) != 0:  # CLONE_NEWNS | CLONE_NEWNET
        skip(f"no namespaces here: {os.strerror(ctypes.get_errno())}")
    try:
        run("mount", "--make-rprivate", "/")
        run("mount", "-t", "tmpfs", "run", "/run")
        run("mount", "-t", "sysfs", "sys", "/sys")  # of this network namespace
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", NIC, "type", "veth", "peer", "name", f"{NIC}p")
        run("ip", "link", "set", NIC, "up")
    except (AssertionError, OSError) as error:
        skip(f"namespaces cannot be set up: {error}")


def main():
    enter_namespaces()
    root = tempfile.mkdtemp(prefix="ringside-faults-")
    os.chmod(root, 0o755)
    try:
        status = run_tests([
            a_second_daemon_and_a_strangers_file_end_the_start,
            every_daemon_starts_whatever_is_with_its_database(root),
            the_live_view_goes_on_and_health_says_what_is_the_matter,
            when_it_is_over_all_that_waited_is_written_without_a_restart,
            the_databases_are_whole_and_have_all_of_it,
        ])
        for reason in skipped:
            print(f"# SKIPPED in part: {reason}", flush=True)
        if status != 0:
            for case in cases:
                print(f"# {type(case).__name__}\n{case.daemon.read_log()}", flush=True)
        return status
    finally:
        for case in cases:
            case.daemon.close()
            subprocess.run(["umount", "-l", case.folder], capture_output=True, check=False)
        shutil.rmtree(root, ignore_errors=True)


sys.exit(main())
