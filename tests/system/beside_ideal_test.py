#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What --beside-ideal says is firmware is what firmware takes: one request at a time, so that no
time of the core is hidden behind that of the flash.

Usage: beside_ideal_test.py SSDVP ROOT
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

SSDVP, ROOT = sys.argv[1:]
sys.path.insert(0, str(pathlib.Path(ROOT, "python")))
# pylint: disable=wrong-import-position
from ssdvp.report import __main__ as report  # noqa: E402

ONE = ("workload=[{read_fraction: 1, queue_depth: 1}]", "precondition.fill=1",
       "run.requests=2000")
FLAT = ("cpu.core=flat", "cpu.mmio_read_cycles=0", "cpu.mmio_write_cycles=0",
        "cpu.interrupt_cycles=0", "cpu.clock=1GHz")


def run(folder, sets, *more, code=0):
    given = [word for one in sets for word in ("--set", one)]
    done = subprocess.run([SSDVP, "run", "device/small", *given, "--quiet",
                           "--no-state-cache", "--out", folder, *more],
                          capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    summary = pathlib.Path(folder, "summary.json")
    return (json.loads(summary.read_text(encoding="utf-8")) if not code else None, done)


def told(sets, check_text=False):
    """(mean of the run, of the one beside it, parts that cores take)"""
    with tempfile.TemporaryDirectory() as folder:
        s, done = run(folder, sets, "--beside-ideal")
        read, ideal = s["host"]["read"], s["run"]["ideal"]["read"]
        again = json.loads(pathlib.Path(folder, "ideal", "summary.json").read_text())
        assert again["host"]["read"]["latency_ns"]["mean"] == ideal["latency_ns"]["mean"]
        assert all(core["busy"] == 0 for core in again["cpu"]), again["cpu"]
        parts = again["host"]["read"]["parts_ns"]
        assert parts["firmware"] == parts["wait_core"] == 0, parts
        for figure, share in ideal["firmware_share"].items():
            expected = 1 - ideal["latency_ns"][figure] / read["latency_ns"][figure]
            assert abs(share - expected) < 2e-6, (figure, share, expected)
        if check_text:
            percent = f"{100 * ideal['firmware_share']['mean']:.0f}"
            plain = re.sub(r"\s+", " ", done.stdout)
            assert re.search("ideal read, with firmware that costs nothing: mean [0-9.]+ us "
                             f"instead of [0-9.]+ us, p99 .*; {percent} % of the mean",
                             plain), done.stdout
            page = pathlib.Path(report.make([folder])).read_text(encoding="utf-8")
            assert "With firmware that costs nothing, reads: mean" in page
            assert f", {percent}\u00a0% of it firmware; p99" in page
        return (read["latency_ns"]["mean"], ideal["latency_ns"]["mean"],
                read["parts_ns"]["firmware"] + read["parts_ns"]["wait_core"])


def by_instructions():
    """A flat core: so many calls stand before the end of each read, of N instructions of 1 ns."""
    found = {n: told((*ONE, *FLAT, f"cpu.instructions_per_call={n}")) for n in (500, 1000, 2000)}
    ideals = {ideal for _, ideal, _ in found.values()}
    assert len(ideals) == 1, ideals
    calls = {n: (mean - ideal) / n for n, (mean, ideal, _) in found.items()}
    assert 2 < calls[1000] < 30, calls
    for n in (500, 2000):
        assert abs(calls[n] / calls[1000] - 1) < 0.01, calls
    for mean, ideal, cores in found.values():
        assert abs(mean - ideal - cores) < 0.01 * cores, (mean, ideal, cores)


def by_parts():
    """A core of its own: what is missing are the parts that cores have."""
    mean, ideal, cores = told(ONE, check_text=True)
    assert 0.02 < 1 - ideal / mean < 0.5, (mean, ideal)
    assert abs(mean - ideal - cores) < 0.02 * cores, (mean, ideal, cores)


def refused():
    with tempfile.TemporaryDirectory() as folder:
        drives = pathlib.Path(folder, "two.yaml")
        drives.write_text("drives: [{name: a}, {name: b}]\n"
                          "workload: [{name: s, drive: a}, {name: t, drive: b}]\n")
        _, done = run(pathlib.Path(folder, "out"), (), "--beside-ideal", str(drives), code=2)
        assert "--beside-ideal: drives: runs of several drives" in done.stderr, done.stderr


by_instructions()
by_parts()
refused()
