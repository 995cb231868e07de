#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the page of a run says makes its slowest requests slow is the cause, of loads whose cause is
known by construction. Where erases hold LUNs for long, reads queue behind them: they are told to
wait for the erases, not for the reads before them in the queue.

Usage: tail_causes_test.py SSDVP ROOT
"""
import csv
import pathlib
import re
import subprocess
import sys
import tempfile

SSDVP, ROOT = sys.argv[1:]
sys.path.insert(0, str(pathlib.Path(ROOT, "python")))
# pylint: disable=wrong-import-position
from ssdvp.report import __main__ as report  # noqa: E402

ONE_BUS = ("flash.channels=1", "flash.luns_per_channel=4", "flash.suspend.policy=none",
           "precondition.fill=1", "run.requests=20000")
WRITES = "{name: writes, read_fraction: 0, queue_depth: 4}"
READS = "{name: reads, read_fraction: 1, queue_depth: 32}"


def run(folder, *sets):
    """(sentence of the page on the slowest reads, rows of the log)"""
    log = folder / "log.csv"
    given = [word for one in sets for word in ("--set", one)]
    done = subprocess.run([SSDVP, "run", "device/small", *given, "--quiet", "--no-state-cache",
                           "--out", folder, "--requests-log", log],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    page = pathlib.Path(report.make([str(folder)])).read_text(encoding="utf-8")
    said = re.search(r'id="cause">([^<]*)<', page)[1].replace("\u00a0", " ")
    with open(log, encoding="utf-8") as text:
        return said, [row for row in csv.DictReader(text) if row["kind"] == "read"]


def slowest(rows, share=0.01):
    ranked = sorted(rows, key=lambda row: -float(row["latency_ns"]))
    return ranked[:int(len(rows) * share)]


def part(rows, name):
    return sum(float(r[f"{name}_ns"]) for r in rows) / sum(float(r["latency_ns"]) for r in rows)


def behind(rows, work):
    return sum(r["blocked_by"].endswith(work) for r in rows) / len(rows)


with tempfile.TemporaryDirectory() as d:
    text, reads = run(pathlib.Path(d, "erases"), *ONE_BUS, f"workload=[{READS}, {WRITES}]",
                      "precondition.overwrite=1", "nand.tBERS=20ms")
    assert "wait for erases of their LUN" in text, text
    tail = slowest(reads)
    assert part(tail, "wait_erase") > 0.8, part(tail, "wait_erase")
    assert behind(tail, "_erase") > 0.95, behind(tail, "_erase")
    text, reads = run(pathlib.Path(d, "reads"), *ONE_BUS, f"workload=[{READS}]")
    assert "wait for reads of their LUN" in text, text
    tail = slowest(reads)
    assert behind(tail, "host_read") == 1.0, behind(tail, "host_read")
    assert part(reads, "wait_erase") == part(reads, "wait_gc") == 0
