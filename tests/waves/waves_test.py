# SPDX-License-Identifier: Apache-2.0
"""Waves of runs, read back by pywellen: their edges are at the times that the statistics say, and
at those that data sheet values give.

Usage: waves_test.py SSDVP CASE"""

import csv
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

import pywellen

SSDVP = sys.argv[1]
LOAD = ["--set", "workload.read_fraction=0.5", "--set", "workload.queue_depth=16", "--set",
        "precondition.fill=1", "--set", "precondition.overwrite=0.5"]
WHOLE = ["--vcd-window", "time=0s..100s"]


def check(ok, what):
    if not ok:
        sys.exit(f"FAILED: {what}")


def same_share(a, b, what):
    """The summary rounds to six decimals."""
    check(abs(a - b) < 0.6e-6, f"{what}: {a} and {b}")


def run(folder, *words, device="device/small", code=0):
    done = subprocess.run([SSDVP, "run", device, "--quiet", "--no-state-cache", "--out", folder,
                           *map(str, words)], capture_output=True, text=True, check=False)
    check(done.returncode == code, f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def summary_of(folder):
    return json.loads((folder / "summary.json").read_text())


class Waves:
    """Signals by name below the drive: pairs of a time in ps and a value."""

    def __init__(self, file):
        wave = pywellen.Waveform(str(file))
        self.signals = {v.full_name.removeprefix("ssd."): list(v.tv) for v in wave.all_vars()}
        times = [t for changes in self.signals.values() for t, _ in changes]
        self.begin, self.end = min(times), max(times)

    def __getitem__(self, name):
        check(name in self.signals, f"no {name} among {sorted(self.signals)}")
        return self.signals[name]

    def spent(self, name, value, until):
        """Time with this value, in ps."""
        changes = self[name] + [(until, None)]
        return sum(b[0] - a[0] for a, b in zip(changes, changes[1:]) if a[1] == value)

    def edges(self, name, value):
        """Changes to this value, without the first known one."""
        return [t for t, v in self[name][1:] if v == value]

    def grown(self, name):
        return self[name][-1][1] - self[name][0][1]


def requests_log(folder):
    with open(folder / "log.csv", newline="", encoding="ascii") as text:
        return list(csv.DictReader(text))


def without_clock(summary):
    for key in ("wall_s", "requests_per_wall_s", "peak_rss_bytes"):
        del summary["sim"][key]
    return summary


def check_flash(waves, summary, begin):
    length = summary["sim"]["simulated_ns"] * 1000
    end = begin + length
    suspends = 0
    for c, channel in enumerate(summary["channels"]):
        bus = length - waves.spent(f"channel{c}.bus.state", "idle", end)
        same_share(bus / length, channel["busy"], f"bus {c}")
        wired = length - waves.spent(f"channel{c}.bus.phase", "idle", end)
        check(wired == bus, f"phases of bus {c} last {wired} ps, its groups {bus} ps")
        for n, lun in enumerate(channel["luns"]):
            low = waves.spent(f"channel{c}.lun{n}.RB_n", 0, end)
            same_share(low / length, lun["busy"], f"R/B# {c} {n}")
            suspends += len(waves.edges(f"channel{c}.lun{n}.suspended", 1))
    check(suspends == summary["flash"]["suspends"] > 0, f"{suspends} suspends")


def statistics(folder):
    words = ["--requests", 3000, *LOAD, "--set", "flash.suspend.policy=immediate", "--set",
             "flash.suspend.programs=true"]
    run(folder / "plain", *words)
    run(folder / "seen", *words, "--vcd", folder / "w.vcd", *WHOLE, "--timeline",
        folder / "t.pftrace")
    summary = summary_of(folder / "seen")
    check(without_clock(summary_of(folder / "plain")) == without_clock(summary_of(folder / "seen")),
          "who looks changes nothing")
    waves = Waves(folder / "w.vcd")
    check_flash(waves, summary, waves.begin)
    length = summary["sim"]["simulated_ns"] * 1000
    busy = length - waves.spent("cores.core0.state", "idle", waves.begin + length)
    same_share(busy / length, summary["cpu"][0]["busy"], "core")
    taken = waves.grown("cores.core0.interrupts")
    raised = sum(waves.grown(name) for name in waves.signals if name.startswith("irq."))
    check(0 < taken <= raised, f"{taken} interrupts of {raised} raised lines")
    nvme = summary["nvme"]
    messages = sum(waves.grown(name) for name in waves.signals if ".MSIX" in name)
    check(messages == nvme["interrupts"], f"{messages} messages")
    check(max(v for _, v in waves["front_end.commands"]) == 16, "commands in the drive")
    check(waves["front_end.commands"][-1][1] == 0, "none at the end")
    tails = [v for _, v in waves["front_end.SQ1_tail"]]
    rung = sum((b - a) % (max(tails) + 1) for a, b in zip(tails, tails[1:]))  # it wraps around
    check(rung == nvme["commands"], f"doorbells tell of {rung} commands")
    check(set(v for _, v in waves["power"]) == {1}, "power")


def by_hand(folder):
    """One read of 4 KiB, by the values of device/small: see docs/waves.md."""
    run(folder, "--requests", 1, "--set", "workload.read_fraction=1", "--set",
        "workload.queue_depth=1", "--set", "precondition.fill=1", "--vcd", folder / "w.vcd.gz",
        "--requests-log", folder / "log.csv")
    (folder / "w.vcd").write_bytes(gzip.decompress((folder / "w.vcd.gz").read_bytes()))
    row = requests_log(folder)[0]
    waves = Waves(folder / "w.vcd")
    bus, lun = f"channel{row['channel']}.bus", f"channel{row['channel']}.lun{row['lun']}"
    ns = 1000
    t = waves.edges(f"channel{row['channel']}.operations", 1)[0] # the bus is free
    command = t + 7 * 25 * ns       # 00h, 2 + 3 addresses, 30h: each tWC
    low = command + 100 * ns        # tWB
    ready = low + 74_000 * ns       # tR
    data = ready + 20 * ns          # tRR
    # 4 KiB and their share of the 2208 B spare area of a page, two bytes in each tCK.
    sent = waves[f"{bus}.bytes"][-2][1]
    end = data + (sent + 1) // 2 * 3 * ns
    check(4096 < sent < 4096 + 2208 // 4 + 1, f"{sent} bytes: data and their parity")
    check(waves[f"{lun}.RB_n"] == [(waves.begin, 1), (low, 0), (ready, 1)], waves[f"{lun}.RB_n"])
    check(waves[f"{bus}.phase"] == [
        (waves.begin, "idle"), (t, "command"), (t + 25 * ns, "address"), (t + 150 * ns, "command"),
        (command, "idle"), (ready, "wait"), (data, "data_out"), (end, "idle")],
          waves[f"{bus}.phase"])
    strobes = [t + n * 25 * ns for n in range(7)]
    check(waves.edges(f"{bus}.WE_n", 0) == strobes, "WE# falls for each cycle")
    check(waves.edges(f"{bus}.WE_n", 1) == [s + 12_500 for s in strobes], "and rises")
    check(waves[f"{bus}.RE_n"][1:] == [(data, 0), (end, 1)], "RE#")
    opcodes = [v for _, v in waves[f"{bus}.DQ"] if isinstance(v, int)]
    check(opcodes == [0x00, 0x30], f"{opcodes} on DQ")
    decoded = end + 1000 * ns       # flash.ecc_latency
    check(waves.edges("dram.port.state", "write") == [decoded], "the page goes to DRAM")
    check(waves.edges("front_end.MSIX1", 1)[0] == waves.edges("front_end.commands", 0)[0],
          "the interrupt comes with the completion")
    check(float(row["arrival_ns"]) * 1000 == waves.begin, "the request arrives")


def windows(folder):
    """One run, whose log says when its windows begin and end; and a scope."""
    words = ["--requests", 2000, *LOAD, "--requests-log", folder / "log.csv"]
    run(folder, *words, "--vcd", folder / "w.vcd", "--vcd-window", "requests=700..720",
        "--vcd-scope", "channel0.*,cores", "--vcd-scope", "ssd.front_end.commands")
    waves = Waves(folder / "w.vcd")
    log = requests_log(folder)
    in_window = log[700:720]
    check(waves.begin == round(float(in_window[0]["arrival_ns"]) * 1000), "it begins")
    check(waves.end <= round(float(in_window[-1]["completed_ns"]) * 1000), "it ends")
    scopes = {name.split(".")[0] for name in waves.signals}
    check(scopes == {"channel0", "cores", "front_end"}, f"scopes {scopes}")
    check("front_end.ready" not in waves.signals, "one signal of the front end")
    check("channel0.operations" in waves.signals, "a signal is below its scope")
    check(all(changes[0][0] == waves.begin and changes[0][1] != "x" * 32
              for changes in waves.signals.values()), "what holds at the begin is known")
    for layout in ("w.gtkw", "w.sucl"):
        text = (folder / layout).read_text()
        shown = [line.split()[-1].split("[")[0] for line in text.splitlines() if "ssd." in line]
        check(len(shown) > 10, f"{layout} shows {len(shown)}")
        for name in shown:
            check(name.removeprefix("ssd.") in waves.signals, f"{layout}: {name}")
    slow = sorted(log, key=lambda r: float(r["latency_ns"]))[-2:]
    run(folder, *words, "--vcd", folder / "s.vcd", "--vcd-window", "slowest=2",
        "--vcd-scope", "front_end.commands")
    commands = Waves(folder / "s.vcd")["front_end.commands"]
    known = [t for t, v in commands if isinstance(v, int)]
    for r in slow:
        arrival = round(float(r["arrival_ns"]) * 1000)
        check(any(abs(t - arrival) < 1e9 for t in known), f"what was when {r['sequence']} came")


def sata(folder):
    run(folder, "--requests", 300, "--vcd", folder / "w.vcd", *WHOLE, device="device/sata-mlc")
    waves = Waves(folder / "w.vcd")
    summary = summary_of(folder)
    check(waves.grown("host.interrupts") == summary["sata"]["interrupts"] > 0, "interrupts")
    check({"FIS", "data_FIS"} <= {v for _, v in waves["link.to_the_host.state"]}, "frames")
    check(waves["link.up"][0][1] == 1 and waves["front_end.commands"][-1][1] == 0, "link, commands")


def refused(folder):
    target = folder / "w.vcd"
    target.write_text("an earlier one")
    for words, message, code in [
            (["--vcd-scope", "channel7.bus"], "'channel7.bus' names nothing", 2),
            (["--vcd-window", "time=9s..10s"], "its window begins", 1),
            (["--vcd-window", "requests=400..500"], "begins with request 400, and 50 completed", 1),
            (["--vcd-window", "all"], "is no window", 2)]:
        done = run(folder, "--requests", 50, "--vcd", target, *words, code=code)
        check(message in done.stderr, f"{words}: {done.stderr}")
        check(target.read_text() == "an earlier one", f"{words}: the earlier file stays")
    done = run(folder, "--requests", 50, "--vcd", "/dev/full", code=1)
    check("/dev/full: is not whole" in done.stderr, done.stderr)
    done = run(folder, "--vcd-scope", "*", code=2)
    check("requires --vcd" in done.stderr, done.stderr)


with tempfile.TemporaryDirectory(prefix="ssdvp waves ") as name:
    globals()[sys.argv[2]](pathlib.Path(name))
