#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The code behind scripts/reproduce: its command line, the lengthening of a trace, and quick runs
of the parts that are small enough.

Usage: reproduction_test.py ROOT SSDVP SSDVP_CELLS usage|trace|board|PART
Without matplotlib the runs exit with 77, which ctest counts as skipped."""
import argparse
import csv
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77


def check_command_line():
    """What is wrong is told before anything runs."""
    for words, told in ((["suspend", "--part", "ozone"], "suspend has no ozone"),
                        (["suspend", "--tpcc", "/nowhere"], "there is no file /nowhere"),
                        (["nothing"], "invalid choice")):
        done = subprocess.run([sys.executable, "-B", "-m", "reproduction", *words],
                              env={**os.environ, "PYTHONPATH": sys.path[0]},
                              capture_output=True, text=True, check=False)
        assert done.returncode == 2 and told in done.stderr, done


def check_trace():
    from reproduction import tpcc
    gib = tpcc.REGION
    records = [tpcc.Record(1000, 7, 5, 16, 1), tpcc.Record(3000, 3, gib + 9, 8, 0)]
    drive = gib  # two devices of 2 GiB each on 1 GiB: a quarter
    made = list(tpcc.lengthened(records, drive, 6))
    assert [r.time_ns for r in made] == [0, 2000, 4000, 6000, 8000, 10000]
    assert [r.op for r in made] == [1, 0] * 3 and [r.sectors for r in made] == [16, 8] * 3
    assert all(r.device == 0 and 0 <= r.sector <= drive - r.sectors for r in made)
    assert [r.sector % 8 for r in made] == [5, 1] * 3, "the place within 4 KiB stays"
    # Device 7 is the second one: its GiB begins at half of the drive and has a quarter of it.
    assert all(drive // 2 - 8 <= r.sector < drive * 3 // 4 for r in made[::2])
    assert all(drive // 4 - 8 <= r.sector < drive // 2 for r in made[1::2])
    assert len({r.sector for r in made[::2]}) == 3, "no turn repeats another one's positions"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "t.mqsim"
        tpcc.write_trace(path, records)
        assert tpcc.read_trace(path) == records


def check_run(part):
    """A part, or all of an experiment, in quick mode: claims hold, plots and data are there."""
    from reproduction import (controller, log_set, map_cache, suspend, vm_map, windows_ftl,
                              windows_sweep)
    parts = {**suspend.PARTS, **controller.PARTS, **vm_map.PARTS}
    suspending = {name: run for name, run in suspend.PARTS.items() if name != "cells"}
    whole = {"suspend": suspending, "log-set": log_set.PARTS, "map-cache": map_cache.PARTS,
             "windows-ftl": windows_ftl.PARTS, "windows-settings": windows_sweep.PARTS}
    figures = {"suspend": ("read-tail", "erases-read-tail", "write-tail-starving",
                           "tpcc-read-tail", "read-tail-by-wear"),
               "cells": ("rber-by-suspends", "safe-points"), "nand-types": ("nand-types",),
               "log-set": ("figure-9", "figure-10"),
               "dram": ("vm-map-reads", "vm-map-programs", "vm-map-erases", "vm-map-time"),
               "map-cache": ("map-cache-write-amplification", "map-cache-p99-of-reads"),
               "windows-ftl": ("windows-ftl-erases", "windows-ftl-time", "windows-ftl-wear"),
               "windows-settings": ("windows-ftl-settings",),
               "ozone": ("ozone-throughput", "ozone-response", "ozone-reads", "ozone-gain")}
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder)
        options = argparse.Namespace(quick=True, divisor=40, jobs=2, tpcc=None, results={})
        claims = [claim for run in whole.get(part, {part: parts.get(part)}).values()
                  for claim in run(out, options)]
        assert claims and not any(claim.fails for claim in claims), [
            (c.name, c.measured) for c in claims if c.fails]
        for name in figures[part]:
            assert (out / f"{name}.png").stat().st_size > 10_000
            with (out / f"{name}.csv").open(encoding="utf-8", newline="") as file:
                assert len(list(csv.DictReader(file))) >= 2


def check_board():
    """ssdvp_cells: what its options move, and what it refuses."""
    from reproduction import cells
    one, two = (cells.board((cells.asking(5),), blocks) for blocks in (1, 2))
    assert (one["suspends"], two["suspends"]) == (5, 10) and two["bits"] == 2 * one["bits"]
    assert cells.board((cells.asking(5),), 1, 365)["wrong_bits"] > 2 * one["wrong_bits"]
    command = [os.environ["SSDVP_CELLS"], "experiment/suspend-cells"]
    for more, code, words in (([], 1, "needs flash.suspend.limit"),
                              (["--blocks", "32"], 1, "the part has fewer"),
                              (["--set", "nand.tR=40"], 2, "has no unit")):
        done = subprocess.run(command + more, capture_output=True, text=True, check=False)
        assert done.returncode == code and words in done.stderr, done


def main():
    root, ssdvp, cells, case = sys.argv[1:]
    drawn = case not in ("usage", "trace", "board")
    if drawn and importlib.util.find_spec("matplotlib") is None:
        print("no matplotlib: the figures cannot be drawn")
        return SKIPPED
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(pathlib.Path(root) / "scripts/lib"))
    os.environ.update(SSDVP=ssdvp, SSDVP_CELLS=cells)
    if case == "usage":
        check_command_line()
    elif case == "trace":
        check_trace()
    elif case == "board":
        check_board()
    else:
        check_run(case)
    return 0


if __name__ == "__main__":
    sys.exit(main())
