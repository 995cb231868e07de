#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Warnings by runs that deserve them, and by near ones that do not: all that is warned of, and
nothing else.

Usage: warnings_test.py SSDVP
"""
import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SSDVP = os.path.abspath(sys.argv[1])
FILL = "precondition.fill=1"
READS = "workload=[{read_fraction: 1, queue_depth: 16}]"
STATES = ("power.states.max_power=[8,0.2]", "power.states.idle=0.1", "power.states.entry=[0us,1ms]",
          "power.states.exit=[0us,2ms]", "host.driver.apst=5ms", "energy.core.idle=1W")
WATTS = ("nand.current.program=300mA", "energy.core.active=200mW", "energy.core.idle=100mW")
WARM = ("thermal.model=rc", "thermal.speed=10000", "thermal.step=100us", *WATTS)
CAP = (*WATTS, "power.states.step=200us")
WRITES = "workload=[{read_fraction: 0, queue_depth: 32}]"

HALF = "workload=[{read_fraction: 0.3, queue_depth: 16}]"
HOT = HALF.replace("{", "{pattern: hot_cold, hot_fraction: 0.1, hot_probability: 0.9, ")
MIXED = "precondition.overwrite=1"
OVER = "precondition.overwrite=3"
UNIFORM = "workload=[{read_fraction: 0, queue_depth: 16}]"
TRIMS = "workload=[{read_fraction: 0, trim_fraction: 0.3, queue_depth: 16}]"
LARGE = "workload=[{read_fraction: 0.5, block_size: 64KiB, queue_depth: 8}]"
READS64 = "workload=[{read_fraction: 1, queue_depth: 64}]"
LUNS = "flash.luns_per_channel=8"
OWN = "precondition.workload.source=own"


def rate(asked):
    return f"workload=[{{read_fraction: 1, rate: {asked}/s}}]"


NEW = {"space_consumed", "short_window"}  # few writes, and nothing to collect
# name: (warnings, requests, keys)
RUNS = {
    "a default run of a new drive": (NEW | {"unwritten_reads", "drifting"}, 20000, ()),
    "writes, with collection": (set(), 60000, (WRITES, FILL, "precondition.overwrite=2")),
    "hot and cold, on a drive mixed at random": ({"drifting"}, 60000, (HOT, FILL, MIXED)),
    "the same, once it has mixed the drive": (set(), 60000,
                                              (HOT, FILL, MIXED, "run.warmup=150000")),
    "hot and cold, soon after a fill in order": ({"drifting"}, 60000, (HOT, FILL, OWN, MIXED)),
    "writes at random, on a drive mixed at random": (set(), 60000, (HALF, FILL, MIXED)),
    "writes on a drive half full, which they fill": (
        {"drifting"}, 20000, (UNIFORM, "precondition.fill=0.5", "precondition.overwrite=3")),
    "the same, once it is full": (set(), 60000, (UNIFORM, "precondition.fill=0.5", OVER,
                                                 "run.warmup=400000")),
    "trims that empty the drive": ({"drifting"}, 40000, (TRIMS, FILL, MIXED)),
    "the same, once as much is written as trimmed": (set(), 60000,
                                                     (TRIMS, FILL, MIXED, "run.warmup=300000")),
    "writes of 64 KiB, on a drive mixed by units": ({"drifting"}, 6000, (LARGE, FILL, MIXED)),
    "the same, once they have mixed it": (set(), 30000, (LARGE, FILL, MIXED, "run.warmup=20000")),
    "reads beside a debt of collection": ({"drifting"}, 60000, (READS64, FILL, MIXED, LUNS)),
    "the same, once it is paid": (set(), 20000, (READS64, FILL, MIXED, LUNS, "run.warmup=500000")),
    "reads": (set(), 4000, (READS, FILL)),
    "reads of what nobody wrote": ({"unwritten_reads"}, 4000, (READS,)),
    "more is asked than done": ({"overloaded"}, 8000, (rate(80000), FILL)),
    "half is asked": (set(), 8000, (rate(20000), FILL)),
    "asleep between commands": ({"asleep"}, 40, (rate(50), FILL, *STATES)),
    "awake, for they come too fast": (set(), 400, (rate(2000), FILL, *STATES)),
    "pages that cannot be read": ({"failing"}, 2000, (READS, FILL, "nand.errors.rber=0.02")),
    "a cap of power": (NEW | {"power_capped", "drifting"}, 6000,
                       (WRITES, *CAP, "power.states.max_power=1")),
    "a cap that nothing reaches": (NEW | {"drifting"}, 6000,
                                   (WRITES, *CAP, "power.states.max_power=25")),
    "throttled": (NEW | {"throttled"}, 12000, (WRITES, *WARM, "thermal.throttle.light=68",
                                       "thermal.start=65",
                                       "thermal.throttle.light_programs=0.25")),
    "warming": ({"warming"}, 6000, (READS, FILL, *WARM, "thermal.start=25", "thermal.speed=1")),
}


def warned(name):
    _, requests, keys = RUNS[name]
    with tempfile.TemporaryDirectory(prefix="ssdvp warnings ") as out:
        sets = [word for key in keys for word in ("--set", key)]
        done = subprocess.run([SSDVP, "run", "device/small", *sets, "--requests", str(requests),
                               "--seed", "1", "--no-state-cache", "--quiet", "--out", out],
                              capture_output=True, text=True, check=False)
        assert done.returncode == (3 if "failing" in RUNS[name][0] else 0), (name, done)
        summary = json.loads((pathlib.Path(out) / "summary.json").read_text())
        return {w["code"]: w["text"] for w in summary["validity"]["warnings"]}


with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    told = dict(zip(RUNS, pool.map(warned, RUNS)))
wrong = [f"{name}: {told[name]}" for name, (expected, _, _) in RUNS.items()
         if set(told[name]) != expected]
assert not wrong, "\n".join(wrong)


def tutorial():
    """What its sweep draws a conclusion from: no run of it warns of anything."""
    page = pathlib.Path(__file__).parents[2] / "docs" / "tutorial.md"
    text = re.search(r"cat >mixed.yaml <<'END'\n(.*?)END\n", page.read_text("utf-8"), re.S)[1]
    with tempfile.TemporaryDirectory(prefix="ssdvp tutorial ") as place:
        (pathlib.Path(place) / "mixed.yaml").write_text(text, "utf-8")
        for policy, channels in itertools.product(("none", "immediate"), (2, 4)):
            subprocess.run([SSDVP, "run", "mixed.yaml", "--quiet", "--no-state-cache", "--out", "o",
                            "--set", f"flash.suspend.policy={policy}",
                            "--set", f"flash.channels={channels}"],
                           cwd=place, check=True, stdout=subprocess.DEVNULL)
            told = json.loads((pathlib.Path(place) / "o" / "summary.json").read_text())
            assert not told["validity"]["warnings"], (policy, channels, told["validity"])


def default():
    """What a stranger runs first."""
    with tempfile.TemporaryDirectory(prefix="ssdvp default ") as out:
        done = subprocess.run([SSDVP, "run", "experiment/default", "--quiet", "--no-state-cache",
                               "--out", out], check=True, capture_output=True, text=True)
        told = json.loads((pathlib.Path(out) / "summary.json").read_text())
        assert told["validity"]["warnings"] == [], told["validity"]
        assert told["validity"]["steady"] and "  warning" not in done.stdout, done.stdout
        rates = told["confidence"]["host.read.iops"]
        assert rates["high"] - rates["low"] < 0.2 * rates["mean"], rates


tutorial()
default()
print(f"{len(RUNS)} runs, each warned of what it deserves")
