#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files of a run beside summary.json: they say what it says.

Usage: report_files_test.py SSDVP CASE"""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile

SSDVP = sys.argv[1]
KINDS = ["read", "write", "trim", "flush"]


def check(ok, what):
    if not ok:
        sys.exit(f"FAILED: {what}")


def near(a, b, what, share=1e-4):
    check(abs(a - b) <= share * max(abs(a), abs(b)) + 1e-9, f"{what}: {a} and {b}")


def run(folder, *words, code=0):
    done = subprocess.run([SSDVP, "run", "device/small", "--quiet", "--no-state-cache", "--out",
                           folder, *map(str, words)], capture_output=True, text=True, check=False)
    check(done.returncode == code, f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def mixed(folder, *words):
    """Reads and writes that make the drive collect."""
    run(folder, "--requests", 6000, "--set", "workload.read_fraction=0.5", "--set",
        "workload.queue_depth=16", "--set", "precondition.fill=1", "--set",
        "precondition.overwrite=0.5", *words)
    return json.loads((folder / "summary.json").read_text())


def rows(file):
    with open(file, newline="", encoding="ascii") as text:
        return list(csv.DictReader(text))


def total(lines, column):
    return sum(float(line[column] or 0) for line in lines)


def weighted(lines, column):
    """Mean over the time of the pieces."""
    length = [float(line["end_ns"]) - float(line["begin_ns"]) for line in lines]
    return sum(t * float(line[column]) for t, line in zip(length, lines)) / sum(length)


def series(folder):
    summary = mixed(folder, "--series", folder / "s.csv", "--set", "energy.core.active=300mW")
    lines = rows(folder / "s.csv")
    check(len(lines) == 6000 // 128 + 1, f"{len(lines)} pieces")
    near(float(lines[-1]["end_ns"]), summary["sim"]["simulated_ns"], "the end")
    for before, line in zip(lines, lines[1:]):
        check(before["end_ns"] == line["begin_ns"], "a piece begins where the last one ends")
    for kind in KINDS:
        if kind not in summary["host"]:
            check(total(lines, f"{kind}_requests") == 0, kind)
            continue
        told = summary["host"][kind]
        for what in ["requests", "bytes", "errors"]:
            check(total(lines, f"{kind}_{what}") == told[what], f"{kind} {what}")
        near(max(float(line[f"{kind}_max_ns"] or 0) for line in lines),
             told["latency_ns"]["max"], f"{kind} max")
    flash = summary["flash"]
    check(total(lines, "erases") == flash["erases"] > 0, "erases")
    for purpose, told in flash["by_purpose"].items():
        check(total(lines, f"programmed_{purpose}_bytes") == told["bytes_programmed"], purpose)
    check(total(lines, "gc_runs") == summary["ftl"]["gc"]["runs"] > 0, "collections")
    check(int(lines[-1]["free_blocks"]) == summary["ftl"]["free_blocks"], "free blocks")
    busy = summary["channels"]
    for c, channel in enumerate(busy):
        for n, lun in enumerate(channel["luns"]):
            near(weighted(lines, f"lun_{c}_{n}_busy"), lun["busy"], f"LUN {c} {n}", 2e-4)
    near(weighted(lines, "core_0_busy"), summary["cpu"][0]["busy"], "core", 2e-4)
    near(weighted(lines, "link_up_busy"), summary["link"]["busy_up"], "link", 1e-2)
    for line in lines:
        for column, value in line.items():
            check(not column.endswith("_busy") or 0 <= float(value) <= 1, f"{column} {value}")
    energy = sum(weighted(lines, f"power_{part}_w") for part in ["cores"])
    near(energy, sum(summary["energy_j"]["cores"].values()) /
         (summary["sim"]["simulated_ns"] * 1e-9), "power of the cores")


def interval(folder):
    mixed(folder, "--series", folder / "s.csv", "--series-interval", "2ms")
    lengths = [float(line["end_ns"]) - float(line["begin_ns"]) for line in rows(folder / "s.csv")]
    check(len(lengths) > 2, f"{len(lengths)} pieces")
    check(all(2e6 <= t < 4e6 for t in lengths[:-1]), f"lengths {lengths}")


def worst(folder):
    mixed(folder, "--worst", 25, "--requests-log", folder / "log.csv")
    lines = rows(folder / "worst.csv")
    log = rows(folder / "log.csv")
    log.sort(key=lambda line: (-float(line["latency_ns"]), int(line["sequence"])))
    check(lines == log[:25], "the 25 slowest of the log, slowest first")


def parts(folder):
    summary = mixed(folder)
    lines = rows(folder / "latency_parts.csv")
    for kind in ["read", "write"]:
        told = summary["host"][kind]
        mine = [line for line in lines if line["kind"] == kind]
        check(total(mine, "count") == told["requests"], f"{kind} count")
        for part, mean in told["parts_ns"].items():
            near(total(mine, f"{part}_ns") / told["requests"], mean, f"{kind} {part}", 1e-3)
        for line in mine:
            sums = sum(float(line[f"{part}_ns"]) for part in told["parts_ns"])
            n = int(line["count"])
            check(float(line["from_ns"]) * n <= sums + 1e-3 < float(line["to_ns"]) * n + 2e-3,
                  f"the parts of {line} are as long as its latencies")


def wear(folder):
    summary = mixed(folder, "--wear", folder / "w.csv", "--set", "nand.factory_bad_share=0.02")
    lines = rows(folder / "w.csv")
    geometry = summary["geometry"]
    per_lun = geometry["planes"] * geometry["blocks_per_plane"]
    check(len(lines) == geometry["luns"] * per_lun, f"{len(lines)} blocks")
    places = [tuple(int(line[k]) for k in ["channel", "lun", "plane", "block"]) for line in lines]
    check(places == sorted(set(places)), "each block once, in order")
    good = [int(line["erases"]) for line in lines if line["factory_bad"] == "0"]
    check(0 < len(lines) - len(good) < len(lines) // 20, f"{len(lines) - len(good)} bad")
    told = summary["ftl"]["wear"]
    check(max(good) == told["max"], f"{max(good)}, {told}")
    used = [n for n in good if n != 0]  # without those of recovery's records
    near(sum(used) / len(used), told["mean"], "mean", 0.05)


def refused(folder):
    for words, message in [(["--series-interval", "3ms"], "requires --series"),
                           (["--series", folder / "s.csv", "--series-interval", "3"], "no unit"),
                           (["--series", folder / "s.csv", "--series-interval", "0ns"], "0ns"),
                           (["--worst", "0"], "not in range"),
                           (["--worst", "many"], "not in range"),
                           (["--series", folder / "summary.json"], "would overwrite")]:
        done = run(folder, *words, code=2)
        check(message in done.stderr, f"{words}: {done.stderr}")
        check(not (folder / "summary.json").exists(), f"{words}: nothing is written")


with tempfile.TemporaryDirectory(prefix="ssdvp report ") as name:
    {"series": series, "interval": interval, "worst": worst, "parts": parts, "wear": wear,
     "refused": refused}[sys.argv[2]](pathlib.Path(name))
