#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the request log says of queues, channels, LUNs, and of what blocked a request.

Usage: request_log_test.py SSDVP CASE
"""

import csv
import pathlib
import subprocess
import sys
import tempfile

SSDVP = sys.argv[1]
CHANNELS, LUNS = 2, 4
# A drive that is filled: reads go to the flash, unless the buffer still has what was written.
DRIVE = ["device/small", "--quiet", "--set", f"flash.channels={CHANNELS}", "--set",
         f"flash.luns_per_channel={LUNS}", "--set", "precondition.fill=1"]
MOVES = {"gc", "fold", "merge", "refresh", "wear"}  # purposes whose work is wait_gc


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def wait_classes(blocked_by):
    """The parts that may hold such a wait."""
    purpose, work = blocked_by.split("_")
    if work == "erase":
        return ["wait_erase"]
    if blocked_by == "host_room":
        return ["wait_buffer"]
    if blocked_by == "map_read":
        return ["wait_map", "wait_read"]
    return ["wait_gc" if purpose in MOVES or work == "room" else f"wait_{work}"]


def log_of(d, *args):
    name = d / "log.csv"
    done = subprocess.run([SSDVP, "run", *DRIVE, "--out", d / "out", "--requests-log", name,
                           *map(str, args)], capture_output=True, text=True, timeout=200,
                          check=False)
    expect(done.returncode == 0, f"exit {done.returncode}: {done.stderr}")
    with open(name, encoding="utf-8") as f:
        return list(csv.DictReader(f))


def check_row(row):
    expect(0 <= int(row["queue"]), f"{row}")
    expect((row["channel"] == "") == (row["lun"] == ""), f"{row}")
    if row["channel"]:
        expect(int(row["channel"]) < CHANNELS and int(row["lun"]) < LUNS, f"{row}")
    blocked = float(row["blocked_ns"])
    expect((row["blocked_by"] == "none") == (blocked == 0), f"{row}")
    if blocked:
        expect(blocked <= float(row["latency_ns"]), f"{row}")
        # One wait is a part of its class. Several operations of one command wait side by side.
        part = max(float(row[f"{name}_ns"]) for name in wait_classes(row["blocked_by"]))
        expect(part >= blocked - 0.001 or int(row["sectors"]) > 8, f"{row}")


def case_mixed(d):
    """Reads behind host writes and collection: every kind of work shows up under its own name."""
    rows = log_of(d, "workload/mixed", "--set", "precondition.overwrite=1", "--requests", 5000)
    for row in rows:
        check_row(row)
    reads = [r for r in rows if r["kind"] == "read" and r["channel"]]
    expect({(r["channel"], r["lun"]) for r in reads} ==
           {(str(c), str(n)) for c in range(CHANNELS) for n in range(LUNS)}, "LUNs")
    found = {r["blocked_by"] for r in reads}
    for work in ("none", "host_read", "host_program", "gc_program", "gc_erase"):
        expect(work in found, f"{work} is missing in {found}")
    writes = {r["blocked_by"] for r in rows if r["kind"] == "write"}
    expect(writes & {"gc_room", "gc_erase", "host_room"}, f"{writes}")
    # At worst nearly all of an erase of some milliseconds lies before a read.
    erase = max(float(r["blocked_ns"]) for r in reads if r["blocked_by"] == "gc_erase")
    expect(erase > 1e6, f"{erase} ns")


def case_quiet(d):
    """One read at a time waits for nothing; with several submission queues each is named."""
    quiet = ["workload/random-read", "--requests", 400, "--set"]
    for row in log_of(d, *quiet, "workload.0.queue_depth=1"):
        check_row(row)
        expect(row["blocked_by"] == "none" and row["channel"] and row["queue"] == "1", f"{row}")
    # Of one LUN, reads wait behind reads, and behind nothing else.
    rows = log_of(d, *quiet, "workload.0.queue_depth=32", "--set", "flash.channels=1", "--set",
                  "flash.luns_per_channel=1", "--set", "host.driver.queue_pairs=4")
    expect({r["queue"] for r in rows} == {"1", "2", "3", "4"}, "queues")
    expect({r["channel"] + r["lun"] for r in rows} == {"00"}, "one LUN")
    expect({r["blocked_by"] for r in rows} <= {"none", "host_read"}, "other work")
    expect(sum(r["blocked_by"] == "host_read" for r in rows) > 300, "reads that waited")


def case_sata(d):
    """SATA has no submission queue to name; the rest is as with NVMe."""
    rows = log_of(d, "workload/random-read", "--requests", 200, "--set", "host.interface=sata")
    for row in rows:
        check_row(row)
        expect(row["queue"] == "0" and row["channel"], f"{row}")


def main():
    with tempfile.TemporaryDirectory() as directory:
        globals()["case_" + sys.argv[2]](pathlib.Path(directory))


main()
