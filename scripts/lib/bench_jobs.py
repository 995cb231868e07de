#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several runs at once, one on each core, beside one alone: wall time of the same run, in turns.

Usage: bench_jobs.py SSDVP JOBS [--rounds N]"""

import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

from bench_cases import CASES, DRIVE, options

CASE = CASES["read-qd32"]


def wall_seconds(program, cores, folder):
    """Until the last of the runs is through, one on each of these cores."""
    begin = time.monotonic()
    runs = [subprocess.Popen([program, "run", DRIVE, *options(CASE, CASE.requests), "--out",
                              folder / str(core)], stdout=subprocess.DEVNULL,
                             preexec_fn=lambda core=core: os.sched_setaffinity(0, {core}))
            for core in cores]
    codes = [run.wait() for run in runs]
    if any(codes):
        raise SystemExit(f"a run failed: exit codes {codes}")
    return time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("ssdvp")
    parser.add_argument("jobs", type=int)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    if not 1 <= arguments.jobs <= len(cores):
        raise SystemExit(f"--jobs {arguments.jobs}: this process may use {len(cores)} cores")
    with tempfile.TemporaryDirectory(prefix="ssdvp bench ") as name:
        folder = pathlib.Path(name)
        wall_seconds(arguments.ssdvp, cores[:1], folder)  # keeps the drive's state
        pairs = [(wall_seconds(arguments.ssdvp, cores[:1], folder),
                  wall_seconds(arguments.ssdvp, cores[:arguments.jobs], folder))
                 for _ in range(arguments.rounds)]
    speed = statistics.median(alone / together for alone, together in pairs)
    print(f"{CASE.title}: {arguments.jobs} runs at once, each at {100 * speed:.0f} % of the speed "
          f"of one alone (median of {arguments.rounds} pairs; wanted: 90)")


if __name__ == "__main__":
    main()
