# SPDX-License-Identifier: Apache-2.0
"""Traces of runs: registers, flash buses, the link. Exact by hand, by summary.json, by the source
of the firmware.

Usage: traces_test.py SSDVP CASE SOURCE_FOLDER"""

import collections
import pathlib
import subprocess
import sys
import tempfile

from trace_runs import FULL, MIXED, check, ps, rows, run, summary, text_of

SOURCES = pathlib.Path(sys.argv[3])
ARRAY_READS = ("30h", "32h", "31h", "20h", "35h")
PROGRAMS = ("10h", "11h", "15h")
ERASES = ("D0h", "D1h")


def groups(lines):
    return [line for line in lines if line["event"] == "cycles"]


def read(folder):
    """One read of 4 KiB on NV-DDR3 at 667 MT/s: tWC 25 ns, tWB 100 ns, tR 74 us, tRR 20 ns, two
    bytes in 3 ns. Beside 4,096 B of data go 4/16 of the parity (2,208 B but 40): 542 B."""
    run(folder, "--requests", 1, "--set", "workload.read_fraction=1", "--onfi-trace",
        folder / "o.csv", "--trace-window", "measured", *FULL)
    lines = rows(folder / "o.csv")
    begin = ps(lines[0]["time_ns"])
    seen = [(line["event"], line["name"], line["second"], line["bytes"],
             ps(line["time_ns"]) - begin, ps(line["end_ns"]) - begin) for line in lines]
    low = (7 * 25 + 100) * 1000  # 00h, two column and three row cycles, 30h
    high = low + 74_000_000
    data = high + 20_000
    check(seen == [("cycles", "READ 00h", "30h", "0", 0, 7 * 25_000),
                   ("rb_low", "", "", "", low, low),
                   ("rb_high", "", "", "", high, high),
                   ("cycles", "DATA OUT", "", "4638", high, data + 4638 // 2 * 3000)], seen)
    check(ps(lines[3]["data_ns"]) - begin == data, f"tRR: {lines[3]}")
    check([line["rb"] for line in lines] == ["1", "0", "1", "1"], "R/B#")
    check(lines[0]["purpose"] == "host" and lines[0]["taken"] == "1", lines[0])
    check(lines[0]["column_cycles"] == "2" and lines[0]["row_cycles"] == "3", lines[0])


def kind_of(group):
    """What the array does for it, once for each plane; None: nothing."""
    return ("reads" if group["first"] == "00h" and group["second"] in ARRAY_READS else
            "programs" if group["second"] in PROGRAMS else
            "erases" if group["second"] in ERASES else None)


def check_flash(lines, measured):
    """What has ended by the end of the measured part counts: of each LUN one operation may have
    left the array, and not yet its data or status."""
    counts = collections.Counter()
    begun = collections.defaultdict(list)
    busy = collections.Counter()
    for line in lines:
        lun = line["channel"], line["lun"]
        if line["event"] == "rb_high":
            counts.update(begun.pop(lun))
        elif line["event"] == "cycles":
            busy[int(line["channel"])] += ps(line["end_ns"]) - ps(line["time_ns"])
            if kind_of(line):
                begun[lun].append((line["purpose"], kind_of(line)))
    for purpose, told in measured["flash"]["by_purpose"].items():
        for kind in ["reads", "programs", "erases"]:
            more = counts[purpose, kind] - told[kind]
            check(0 <= more <= 4, f"{purpose} {kind}: {counts} {told}")
    check(0 <= sum(counts.values()) - sum(measured["flash"][kind] for kind in
                                          ["reads", "programs", "erases"]) <= 4, f"all: {counts}")
    check(counts["gc", "erases"] > 0 and counts["host", "reads"] > 0, f"what happens: {counts}")
    for number, channel in enumerate(measured["channels"]):
        share = busy[number] / 1000 / measured["sim"]["simulated_ns"]
        check(abs(share - channel["busy"]) < 0.001, f"bus {number}: {share} {channel['busy']}")


def check_link(lines, measured):
    for way in ["up", "down"]:
        own = [t for t in lines if t["direction"] == way]
        check(len(own) == measured["link"][f"tlps_{way}"], f"packets {way}: {len(own)}")
        bytes_of = sum(int(t["wire_bytes"]) for t in own)
        check(bytes_of == measured["link"][f"bytes_{way}"], f"bytes {way}: {bytes_of}")
    interrupts = [t for t in lines if t["address"] == "0xfee00000"]
    check(len(interrupts) == measured["nvme"]["interrupts"], f"{len(interrupts)} messages")
    reads = {t["tag"]: t for t in lines if t["type"] == "MRd" and t["direction"] == "up"}
    answered = collections.Counter()
    for t in lines:
        check_header(t)
        if t["type"] == "CplD" and t["direction"] == "down":
            answered[t["tag"]] += int(t["dwords"])
    check(reads and set(answered) == set(reads), "reads are answered")
    asked = sum(int(t["dwords"]) for t in lines if t["type"] == "MRd" and t["direction"] == "up")
    check(sum(answered.values()) == asked, f"{asked} doublewords are asked for: {answered}")


def check_header(t):
    """Says what the columns say (PCI Express base 5.0 section 2.2)."""
    words = [int(t["header"][i:i + 8], 16) for i in range(0, len(t["header"]), 8)]
    kind = {0x00: "MRd", 0x20: "MRd", 0x40: "MWr", 0x60: "MWr", 0x4A: "CplD"}[words[0] >> 24]
    check(kind == t["type"] and words[0] & 0x3FF == int(t["dwords"]), t)
    check(len(words) == (4 if words[0] >> 29 & 1 else 3), f"Fmt says how long it is: {t}")
    tag = words[1] >> 8 & 0xFF
    if kind == "CplD":
        tag = words[2] >> 8 & 0xFF
        check(words[1] & 0xFFF == int(t["byte_count"]), t)
        check(words[2] & 0x7F == int(t["lower_address"], 16), t)
    else:
        address = int(t["address"], 16)
        check(len(words) == (3 if address < 1 << 32 else 4), f"2.2.4.1: {t}")
        check(int("".join(f"{word:08x}" for word in words[2:]), 16) == address, t)
        check(words[1] & 0xFF == int(t["last_be"], 16) << 4 | int(t["first_be"], 16), t)
    if kind != "MWr":
        check(tag | (words[0] >> 19 & 1) << 8 | (words[0] >> 23 & 1) << 9 == int(t["tag"]), t)
    check(int(t["wire_bytes"]) == 8 + 4 * len(words) +
          (4 * int(t["dwords"]) if kind != "MRd" else 0), f"framing and CRC: {t}")


def check_doorbells(lines, measured):
    """What a doorbell says is new in its ring: each descriptor is an operation of the flash."""
    begun = 0
    for channel in range(2):
        tails = [int(a["value"], 16) for a in lines if a["register"] == f"channel{channel}.SQ_TAIL"]
        size = max(tails) + 1
        begun += 1 + sum((b - a) % size for a, b in zip(tails, tails[1:]))  # 1: before the first
    flash = measured["flash"]
    operations = sum(flash[kind] for kind in ["reads", "programs", "erases"]) - flash["multi_plane"]
    check(0 <= begun - operations <= 8, f"{begun} descriptors, {operations} have ended")


def flash(folder):
    run(folder, *MIXED, *FULL, "--onfi-trace", folder / "o.csv.gz", "--mmio-trace",
        folder / "m.csv.gz", "--trace-window", "measured")
    measured = summary(folder)
    check_flash(rows(folder / "o.csv.gz"), measured)
    check_doorbells(rows(folder / "m.csv.gz"), measured)


def link(folder):
    """All of it in one piece; and where packets wait for credits and tags, each by itself."""
    singly = ["host.pcie.host_credits.posted_headers=4", "host.pcie.host_credits.posted_data=64",
              "host.pcie.device_credits.completion_headers=4",
              "host.pcie.device_credits.completion_data=64", "host.pcie.tags=8"]
    for settings in [], singly:
        run(folder, "--requests", 300, *MIXED[2:], *FULL, "--tlp-trace", folder / "t.csv",
            "--trace-window", "measured", *[w for key in settings for w in ["--set", key]])
        measured = summary(folder)
        check_link(rows(folder / "t.csv"), measured)
        stalls = [measured["link"][key] for key in ["credit_stalls_up", "tag_stalls"]]
        check(all(n > 0 for n in stalls) if settings else not any(stalls), stalls)


def functions(folder):
    """Where a row says that firmware accesses a register, its source does."""
    run(folder, "--requests", 50, "--mmio-trace", folder / "m.csv")
    lines = rows(folder / "m.csv")
    for a in lines:
        if a["register"].startswith("channel"):
            file, number = a["source"].split(":")
            text = (SOURCES / "firmware/drv" / file).read_text(encoding="ascii")
            line = text.splitlines()[int(number) - 1]
            check(f'CHANNEL_REG_{a["register"].split(".")[1]})' in line, f"{a}: {line}")
    by = collections.defaultdict(set)
    for a in lines:
        by[a["register"]].add(a["function"])
    check({f.split(">")[-1] for f in by["channel0.SQ_TAIL"]} == {"channels_tell"}, by)
    check({f.split(">")[-1] for f in by["channel1.SUSPEND"]} == {"ring_init"}, by)
    check(all(a["source"].startswith("front_end.c:") and a["function"].endswith("set")
              for a in lines if a["register"] == "nvme.CMD_SIZE"), by["nvme.CMD_SIZE"])
    boot = lines[0]
    check(boot["core"] == "0" and ps(boot["time_ns"]) < 10**9, f"from power-on: {boot}")
    ready = [a for a in lines if a["register"] == "nvme.CSTS" and a["access"] == "write"]
    check("RDY=0x1" in ready[0]["fields"], f"the drive gets ready: {ready}")
    check([ps(a["time_ns"]) for a in lines] == sorted(ps(a["time_ns"]) for a in lines), "order")
    # An image that exists in memory alone: the one that tells what it does.
    run(folder, "--requests", 50, "--mmio-trace", folder / "p.csv", "--fw-profile", folder / "fw")
    profiled = {a["source"] for a in rows(folder / "p.csv") if a["register"] == "channel0.SQ_TAIL"}
    check(profiled == {a["source"] for a in lines if a["register"] == "channel0.SQ_TAIL"}, profiled)


def windows(folder):
    words = ["--requests", 300, "--set", "workload.queue_depth=4", *FULL]
    for name, window in [("all", None), ("part", "requests=100..120"), ("slow", "slowest=2"),
                         ("time", "time=80us..400us")]:
        traces = [f"--{kind}-trace={folder / (name + kind)}" for kind in ["mmio", "onfi", "tlp"]]
        run(folder, *words, *traces, "--requests-log", folder / "log.csv",
            *(["--trace-window", window] if window else []))
    log = rows(folder / "log.csv")
    by_end = log[100:120]
    slowest = sorted(log, key=lambda r: -float(r["latency_ns"]))[:2]
    spans = {"part": [(ps(by_end[0]["arrival_ns"]), ps(by_end[-1]["completed_ns"]))],
             "slow": [(ps(r["arrival_ns"]), ps(r["completed_ns"])) for r in slowest],
             "time": [tuple(ps(log[0]["arrival_ns"]) + us * 10**6 for us in [80, 400])]}
    for name, own in spans.items():
        ends = {end for _, end in own}  # a row of that instant may be told of before or behind it
        for kind in ["mmio", "onfi", "tlp"]:
            wanted = [a for a in rows(folder / ("all" + kind))
                      if any(b <= ps(a["time_ns"]) < e for b, e in own)]
            got = [a for a in rows(folder / (name + kind)) if ps(a["time_ns"]) not in ends]
            check(got == [a for a in wanted if ps(a["time_ns"]) not in ends] and got,
                  f"{name} {kind}: {len(wanted)} rows, {len(got)} are there")


def files(folder):
    """Their names say how they are written; the same run gives the same bytes, and with traces the
    results that it has without."""
    words = ["--requests", 200, *FULL]
    run(folder / "off", *words)
    kinds = ["mmio", "onfi", "tlp"]
    for name, ending in [("a", "csv"), ("b", "csv"), ("c", "csv.gz"), ("d", "csv.zst")]:
        run(folder / name, *words,
            *[f"--{kind}-trace={folder / name / kind}.{ending}" for kind in kinds])
    for kind in kinds:
        a = text_of(folder / "a" / f"{kind}.csv")
        check(a == text_of(folder / "b" / f"{kind}.csv"), "the same bytes")
        check(a == text_of(folder / "c" / f"{kind}.csv.gz"), "gzip")
        unpacked = subprocess.run(["zstd", "-dcq", folder / "d" / f"{kind}.csv.zst"],
                                  capture_output=True, text=True, check=True)
        check(a == unpacked.stdout, "zstd")
    results = [summary(folder / name) for name in ["off", "a"]]
    for r in results:
        for key in ["wall_s", "requests_per_wall_s", "peak_rss_bytes", "kernel_activations"]:
            del r["sim"][key]
    check(results[0] == results[1], "the results are those without traces")


def refused(folder):
    done = run(folder, "--trace-window", "measured", code=2)
    check("requires --mmio-trace" in done.stderr, done.stderr)
    done = run(folder, "--tlp-trace", folder / "t.csv", "--trace-window", "requests=3", code=2)
    check("is no range" in done.stderr, done.stderr)
    done = run(folder, "--tlp-trace", folder / "t.csv", device="device/sata-mlc", code=2)
    check("a SATA drive sends no TLPs" in done.stderr, done.stderr)
    check(not (folder / "t.csv").exists(), "nothing is written")
    (folder / "o.csv").write_text("earlier", encoding="ascii")
    for window in ["requests=50..60", "time=10s..20s"]:
        done = run(folder, "--requests", 20, "--onfi-trace", folder / "o.csv", "--trace-window",
                   window, code=1)
        check("begins behind the end of the run, which had 20 requests" in done.stderr, done.stderr)
        check((folder / "o.csv").read_text(encoding="ascii") == "earlier", "it is kept")
        check(summary(folder)["complete"], "the other results are written")
    done = run(folder, "--requests", 20, "--mmio-trace", "/dev/full", code=1)
    check("No space left" in done.stderr, done.stderr)


def power(folder):
    """What lay ahead when power went has not happened."""
    run(folder, "--requests", 2000, *MIXED[2:], "--power-cut", "at=1ms", "--onfi-trace",
        folder / "o.csv", "--tlp-trace", folder / "t.csv")
    lines = rows(folder / "o.csv")
    cut = next(i for i, line in enumerate(lines) if line["event"] == "power_off")
    off = ps(lines[cut]["time_ns"])
    after = [ps(line["time_ns"]) for line in lines[cut:] if line["event"] != "power_off"]
    check(after and min(after) > off + 1_000_000, f"the drive starts again: {off} {after[:1]}")
    sent = [ps(t["time_ns"]) for t in rows(folder / "t.csv") if ps(t["time_ns"]) > off]
    check(sent and min(sent) > off + 1_000_000, f"nobody sends: {off} {sent[:1]}")


CASES = {case.__name__: case
         for case in [read, flash, link, functions, windows, files, power, refused]}
with tempfile.TemporaryDirectory(prefix="ssdvp traces ") as name:
    CASES[sys.argv[2]](pathlib.Path(name))
