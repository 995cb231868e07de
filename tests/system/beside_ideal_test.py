#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What --beside-ideal says is firmware is what firmware takes: one request at a time, so that no
time of the core is hidden behind that of the flash. And what of firmware's limits it lifts.

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
            assert re.search("ideal read, with ideal firmware: mean [0-9.]+ us "
                             f"instead of [0-9.]+ us, p99 .*; {percent} % of the mean",
                             plain), done.stdout
            page = pathlib.Path(report.make([folder])).read_text(encoding="utf-8")
            assert "With ideal firmware, reads: mean" in page
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


MAPS = {"dftl, few entries": ("ftl.scheme=dftl", "ftl.map_share=0.02"),
        "dftl, DRAM of its own size": ("ftl.scheme=dftl", "ftl.map_cache=64KiB",
                                       "dram.capacity=64MiB", "ftl.dftl.batch=false"),
        "dftl, host's memory": ("ftl.scheme=dftl", "ftl.map_memory=hmb", "host.nvme.hmb.size=1MiB",
                                "ftl.hmb.preferred=1MiB"),
        "log_set, on chip": ("ftl.scheme=log_set", "ftl.map_memory=sram", "ftl.map_share=0.1",
                             "ftl.log_set.map_streams=per_level"),
        "vm_map, one segment": ("ftl.scheme=vm_map", "ftl.vm_map.segments=1")}
MIX = ("workload=[{read_fraction: 0.7, queue_depth: 8}]", "precondition.fill=1",
       "precondition.overwrite=0.3", "run.requests=3000")


def hosts(summary):
    return {kind: summary["host"][kind] for kind in ("read", "write") if kind in summary["host"]}


def maps_in_memory():
    """Whatever pages its map is held against the drive whose map is in DRAM, as it is to the last
    bit; a drive whose map is there already, against firmware that takes no time."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        plain, _ = run(folder / "plain", (*MIX, "run.ideal=costs"))
        for about, sets in (("page_map", ()), *MAPS.items()):
            s, _ = run(folder / about, (*MIX, *sets), "--beside-ideal")
            again = json.loads((folder / about / "ideal" / "summary.json").read_text())
            assert hosts(again) == hosts(plain), about
            assert s["geometry"] == again["geometry"], about
            assert s["run"]["ideal"]["without"] == "firmware", s["run"]["ideal"]


def read_of_the_map():
    """One read at a time from a drive that has the map of a fiftieth: most of them read a page of
    the map first, an array time and a transfer, beside what the core takes."""
    sets = (*ONE, "precondition.overwrite=0.3", "ftl.scheme=dftl", "ftl.map_share=0.02")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        s, done = run(folder / "run", sets, "--beside-ideal")
        costs, _ = run(folder / "costs", (*sets, "run.ideal=costs"))
    misses = s["ftl"]["map"]["misses"] / 2000
    assert misses > 0.9, s["ftl"]["map"]
    mean = {"run": s["host"]["read"]["latency_ns"]["mean"],
            "ideal": s["run"]["ideal"]["read"]["latency_ns"]["mean"],
            "costs": costs["host"]["read"]["latency_ns"]["mean"]}
    array = 74e3  # nand.tR of the drive
    assert misses * array < mean["costs"] - mean["ideal"] < misses * (array + 20e3), mean
    share = s["run"]["ideal"]["read"]["firmware_share"]["mean"]
    assert abs(share - (1 - mean["ideal"] / mean["run"])) < 2e-6 and share > 0.45, (share, mean)
    assert "the rest is hardware" in re.sub(r"\s+", " ", done.stdout), done.stdout


def costs_alone():
    """A state from a file is one of this map: firmware's time alone is left out, and it is told."""
    sets = (*MIX, *MAPS["dftl, few entries"])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run(folder / "made", sets, "--save-state", folder / "state")
        s, done = run(folder / "out", sets, "--load-state", folder / "state", "--beside-ideal")
        again = json.loads((folder / "out" / "ideal" / "summary.json").read_text())
    assert s["run"]["ideal"]["without"] == "costs", s["run"]["ideal"]
    assert again["ftl"]["scheme"] == "dftl" and again["ftl"]["map"]["misses"] > 0, again["ftl"]
    assert "read, with firmware that costs nothing:" in re.sub(r"\s+", " ", done.stdout)


def refused():
    with tempfile.TemporaryDirectory() as folder:
        drives = pathlib.Path(folder, "two.yaml")
        drives.write_text("drives: [{name: a}, {name: b}]\n"
                          "workload: [{name: s, drive: a}, {name: t, drive: b}]\n")
        _, done = run(pathlib.Path(folder, "out"), (), "--beside-ideal", str(drives), code=2)
        assert "--beside-ideal: drives: runs of several drives" in done.stderr, done.stderr


by_instructions()
by_parts()
maps_in_memory()
read_of_the_map()
costs_alone()
refused()
