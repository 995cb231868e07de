#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The limit that a run names is its limit: drives whose limit is known by construction, and the
proof of each by doing it: made 20 % faster, what was named makes the same work end sooner, by most
of these 20 %. Where the load is the limit a faster drive changes nothing.

Usage: limits_test.py SSDVP
"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SSDVP = sys.argv[1]
GAIN = 0.12  # at least, of the rate, for 20 %
NOTHING = 0.01
# What counts as named: resources by how they begin.
LUNS, CHANNELS, CORES, LINK = "lun", "channel", "core", "link"


def stream(reads, depth, more=""):
    return f"{{read_fraction: {reads}, queue_depth: {depth}{more}}}"


def reads(depth, more=""):
    return f"workload=[{stream(1, depth, more)}]"


def writes(depth, more=""):
    return f"workload=[{stream(0, depth, more)}]"


FILL, OVER = "precondition.fill=1", "precondition.overwrite=1"
LARGE = ", pattern: sequential, block_size: 128KiB"
PAGES = ", block_size: 16KiB"
FAST = ("nand.tR=2us", "nand.tPROG=20us", "nand.interface.rate=1600MT/s", "flash.channels=8")
NARROW = ("host.pcie.generation=1", "host.pcie.lanes=1")
WATTS = ("nand.current.program=300mA", "energy.core.active=200mW", "energy.core.idle=100mW")
WARM = ("thermal.model=rc", "thermal.speed=10000", "thermal.step=100us", *WATTS)
SLC = ("nand.slc_mode.tR=25us", "nand.slc_mode.tPROG=200us", "nand.slc_mode.tBERS=3ms")
# name: (limit, requests, keys)
DRIVES = {
    "one LUN, for which all reads wait": (
        LUNS, 4000, (reads(32), FILL, "flash.channels=1", "flash.luns_per_channel=1")),
    "reads one at a time": (LUNS, 3000, (reads(1), FILL)),
    "slow arrays": (LUNS, 4000, (reads(64), FILL, "nand.tR=500us")),
    "reads beyond the queue's entries": (
        LUNS, 12000, (reads(512), FILL, "host.nvme.queue_entries=16")),
    "a hot LUN": ("lun 0/0", 4000, (reads(32, ", range.size: 16KiB"), FILL, "cache.policy=none")),
    "many LUNs on a bus": (
        CHANNELS, 8000, (reads(64, PAGES), FILL, "flash.channels=1", "flash.luns_per_channel=8")),
    "slow buses": (CHANNELS, 6000, (reads(64, PAGES), FILL, "nand.interface.rate=66MT/s")),
    "two streams, slow buses": (
        CHANNELS, 6000, (f"workload=[{stream(1, 16)}, {stream(1, 16, PAGES)}]", FILL,
                         "nand.interface.rate=66MT/s")),
    "a slow decoder": (CHANNELS, 3000, (reads(1), FILL, "flash.ecc_latency=800us")),
    "a slow core": (CORES, 6000, (reads(64), FILL, "cpu.clock=30MHz")),
    "a slow core, writes": (CORES, 6000, (writes(32), "cpu.clock=20MHz", "flash.channels=8")),
    "a slow core, a deep queue": (
        CORES, 8000, (reads(256), FILL, "cpu.clock=60MHz", "flash.channels=8")),
    "slow cores, roles apart": (CORES, 6000, (reads(64), FILL, "cpu.clock=20MHz", "cpu.cores=2")),
    "a slow core, reads of the buffer": (
        CORES, 20000, (reads(64, ", range.size: 256KiB"), "cpu.clock=100MHz",
                       "cache.policy=rw_lru")),
    "slow DRAM": ("dram", 4000, (reads(64, LARGE), FILL, "dram.rate=50MT/s", *FAST)),
    "a narrow link, reads": ("link_up", 3000, (reads(32, LARGE), FILL, *NARROW, *FAST)),
    "a narrow link, writes": ("link_down", 3000, (writes(32, LARGE), *NARROW, *FAST)),
    "a narrow link, reads of the buffer": (
        "link_up", 30000, (reads(256, ", range.size: 256KiB"), FILL, *NARROW, "cpu.clock=3GHz",
                           "cpu.cores=2", "cache.policy=rw_lru")),
    "a long link": (LINK, 3000, (reads(1), FILL, "host.pcie.propagation=200us")),
    "a slow line of SATA": (
        "link_up", 2000, (reads(32, LARGE), FILL, "host.interface=sata", "host.sata.rate=1.5Gb/s",
                          *FAST)),
    "a driver that submits slowly": (
        "host", 3000, (reads(1), FILL, "host.driver.submit_latency=500us")),
    "a driver that completes slowly": (
        "host", 3000, (reads(1), FILL, "host.driver.complete_latency=500us")),
    "two slots": ("slots", 4000, (reads(32), FILL, "host.nvme.slots=2", "flash.channels=8",
                                  "flash.luns_per_channel=4")),
    "one tag": ("tags", 2000, (writes(32, LARGE), "host.pcie.tags=1", *FAST)),
    "a slow look-up engine": (
        "engine", 6000, (reads(32), FILL, "host.nvme.lookup=true", "host.nvme.lookup_time=10us",
                         "flash.channels=8", "cache.policy=none")),
    "reads at a rate": ("load", 4000, ("workload=[{read_fraction: 1, rate: 5000/s}]", FILL)),
    "writes at a rate": ("load", 4000, ("workload=[{read_fraction: 0, rate: 1000/s}]",)),
    "a mix at a steady pace": (
        "load", 3000, ("workload=[{read_fraction: 0.5, rate: 2000/s, poisson: false}]", FILL)),
    "sequential writes": (LUNS, 3000, (writes(16, LARGE),)),
    "writes with collection": (LUNS, 20000, (writes(16), FILL, OVER)),
    "writes with collection, more than it does": (
        LUNS, 20000, ("workload=[{read_fraction: 0, rate: 9k/s}]", FILL, OVER)),
    "such writes, a long queue": (
        LUNS, 20000, ("workload=[{read_fraction: 0, rate: 12k/s}]", FILL, OVER,
                      "host.nvme.queue_entries=4096")),
    "writes with collection, one at a time": (
        LUNS, 8000, (writes(1), FILL, OVER, "ftl.over_provisioning=0.1")),
    "collection on slow buses": (
        CHANNELS, 20000, (writes(16), FILL, OVER, "nand.interface.mode=nv_ddr",
                          "nand.interface.rate=40MT/s")),
    "collection by a slow core": (CORES, 20000, (writes(16), FILL, OVER, "cpu.clock=15MHz")),
    "slow erases": (LUNS, 20000, (writes(16), FILL, OVER, "nand.tBERS=100ms")),
    "writes without a buffer": (LUNS, 3000, (writes(1), "cache.policy=none")),
    "forced writes": (LUNS, 3000, (writes(1, ", fua: true"),)),
    "a flush behind each write": (LUNS, 3000, (writes(1, ", flush_every: 1"),)),
    "reads among programs": (LUNS, 6000, (f"workload=[{stream(0.5, 2)}]", FILL)),
    "a mixed load": (LUNS, 10000, (f"workload=[{stream(0.7, 32)}]", FILL)),
    "a map in flash, one at a time": (
        LUNS, 3000, (reads(1), FILL, "ftl.scheme=dftl", "ftl.map_cache=64KiB")),
    "a map in flash": (LUNS, 6000, (reads(32), FILL, "ftl.scheme=dftl", "ftl.map_cache=64KiB")),
    "merges of logical blocks": (
        LUNS, 1500, (writes(4), FILL, "ftl.scheme=bast", "nand.page_order=any")),
    "planes that read by themselves": (
        LUNS, 6000, (reads(64), FILL, "nand.independent_plane_reads=true", "flash.channels=1",
                     "flash.luns_per_channel=1")),
    "SATA": (LUNS, 4000, (reads(32), FILL, "host.interface=sata")),
    "an SLC cache that is full": (
        LUNS, 20000, (writes(16), FILL, OVER, "ftl.slc_cache.dynamic=64MiB", *SLC)),
    "throttled by heat": (
        "heat", 12000, (writes(16), *WARM, "thermal.throttle.light=68", "thermal.start=65",
                        "thermal.throttle.light_programs=0.25")),
    "stopped by heat": (
        "heat", 3000, (writes(16), *WARM, "thermal.throttle.light=0", "thermal.throttle.heavy=0",
                       "thermal.shutdown=31")),
    "a cap of power": ("power", 6000, (writes(32), *WATTS, "power.states.max_power=1",
                                       "power.states.step=200us")),
}


RESTRAINTS = {"heat": "throttled", "power": "power_capped"}  # and the warning of each


def run(requests, keys, *more):
    """The summary, and what was printed."""
    with tempfile.TemporaryDirectory(prefix="ssdvp limits ") as out:
        sets = [word for key in keys for word in ("--set", key)]
        done = subprocess.run([SSDVP, "run", "device/small", *sets, "--requests", str(requests),
                               "--seed", "1", "--no-state-cache", "--quiet", "--out", out, *more],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{keys}: {done.stderr}"
        return json.loads((pathlib.Path(out) / "summary.json").read_text()), done.stdout


def gain(before, after):
    return before["sim"]["simulated_ns"] / after["sim"]["simulated_ns"] - 1


def wrong(drive):
    """What is wrong with what is told; empty: nothing."""
    limit, requests, keys = DRIVES[drive]
    told, _ = run(requests, keys)
    found = told["bottleneck"]
    warned = {w["code"] for w in told["validity"]["warnings"]} & set(RESTRAINTS.values())
    if warned != {code for restraint, code in RESTRAINTS.items() if restraint == limit}:
        return f"{drive}: {limit} is the limit, warned is of {warned or 'nothing'}"
    if not found["resource"].startswith(limit):
        return f"{drive}: {limit} is the limit, named is {found['resource']}: {found['text']}"
    if limit == "load":
        after = gain(told, run(requests, (*keys, "run.faster=luns"))[0])
        return f"{drive}: faster LUNs bring {after:.1%}" if abs(after) > NOTHING else ""
    what_if = found["what_if"]
    after = gain(told, run(requests, (*keys, f"{what_if['key']}={what_if['value']}"))[0])
    return f"{drive}: {found['resource']} faster by 20 % brings {after:.1%}" if after < GAIN else ""


def by_option():
    """--what-if does the second run by itself, and tells of it."""
    _, requests, keys = DRIVES["reads one at a time"]
    told, text = run(requests, keys, "--what-if")
    plain = re.sub(r"\s+", " ", text)
    found = re.search(r"what if run.faster=luns, 20 % faster, from the same state: "
                      r"read IOPS \S+( k)?, then \S+( k)? \(\+([\d.]+) %\); mean ", plain)
    assert found, text
    assert abs(told["run"]["what_if"]["read"]["gain"] - float(found[3]) / 100) < 6e-4, told["run"]
    faster, _ = run(requests, (*keys, "run.faster=luns"))
    expected = 100 * (faster["host"]["read"]["iops"] / told["host"]["read"]["iops"] - 1)
    assert abs(float(found[3]) - expected) < 0.06, (found[3], expected)
    one_tag = run(*DRIVES["one tag"][1:], "--what-if")
    tried = one_tag[0]["run"]["what_if"]
    assert (tried["key"], tried["value"], tried["by"]) == ("host.pcie.tags", "2", 1.0), tried
    assert "host.pcie.tags=2, 100 % more of them" in re.sub(r"\s+", " ", one_tag[1]), one_tag[1]
    _, text = run(DRIVES["reads at a rate"][1], DRIVES["reads at a rate"][2], "--what-if")
    assert "what if     no part of the drive limits it" in text, text


def faster_by():
    """Twice as fast as a rule, more of it more."""
    _, requests, keys = DRIVES["one LUN, for which all reads wait"]
    plain, _ = run(requests, keys)
    gains = [gain(plain, run(requests, (*keys, "run.faster=luns", f"run.faster_by={by}"))[0])
             for by in ("1.2", "1.5", "2")]
    assert gains == sorted(gains) and gains[2] > 2 * gains[0], gains
    assert gain(plain, run(requests, (*keys, "run.faster=luns", "run.faster_by=1"))[0]) == 0


with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    problems = [p for p in pool.map(wrong, DRIVES) if p]
assert len(DRIVES) >= 40 and not problems, "\n".join(problems)
by_option()
faster_by()
print(f"{len(DRIVES)} drives, each limited by what it says")
