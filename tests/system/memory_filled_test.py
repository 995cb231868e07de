#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A run that would fill more memory than there is.

Usage: memory_filled_test.py SSDVP
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

SSDVP = sys.argv[1]
SKIPPED = 77


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def ssdvp(*words, cwd):
    return subprocess.run([SSDVP, *map(str, words)], cwd=cwd, capture_output=True, text=True,
                          timeout=100, check=False)


def refused(result, *words):
    expect(result.returncode == 2, f"exit {result.returncode}, not 2: {result.stderr}")
    for word in words:
        expect(word in result.stderr, f"'{word}' is missing in: {result.stderr}")


def main(d):
    """Data that fill more memory than the machine has: refused with both figures, before anything
    is allocated or written. `check` warns, for another machine may have it."""
    with open("/proc/meminfo") as lines:
        there = sum(int(words.split()[1]) for words in lines
                    if words.startswith(("MemTotal:", "SwapTotal:"))) << 10
    drive = ("device/nvme-tlc", "--set", "data=full")  # of 2 TB
    capacity = 2 * 10 ** 12
    out = ("--quiet", "--no-state-cache", "--out", d / "out")
    if there > capacity / 2:
        print("this machine has room for the drive")
        sys.exit(SKIPPED)
    filled = (*drive, "--set", "precondition.fill=1")
    written = (*drive, "--set", "workload=[{pattern: sequential, read_fraction: 0, "
               "block_size: 128KiB}]", "--requests", 17000000)
    listed = d / "two.yaml"
    listed.write_text("extends: [device/nvme-tlc]\ndata: full\nprecondition: {fill: 1}\n"
                      "drives: [{name: a}, {name: b}]\n"
                      "workload:\n  - {name: s, drive: a}\n  - {name: t, drive: b}\n")
    for words in (filled, written, (listed,)):
        begin = os.times()
        done = ssdvp("run", *words, *out, cwd=d)
        refused(done, "data: full", "this machine can give ", "precondition.fill")
        figures = re.search(r"fills ([0-9.]+) GiB of memory at least, .* give ([0-9.]+) GiB",
                            done.stderr)
        expect(figures, f"no figures: {done.stderr}")
        share = float(figures[1]) * 2 ** 30 / capacity
        expect((1.9 if words == (listed,) else 0.85) < share < 2.5, f"{share} of 2 TB")
        expect(0 < float(figures[2]) * 2 ** 30 <= there, figures[0])
        expect(os.times().children_user - begin.children_user < 5, "something was filled first")
        expect(not (d / "out").exists(), "a refused run has a folder of results")
    done = ssdvp("check", *filled, cwd=d)
    expect(done.returncode == 0 and "warning" in done.stderr and "GiB" in done.stderr, done.stderr)
    done = ssdvp("check", "device/nvme-tlc", "--set", "precondition.fill=1", cwd=d)
    expect(done.returncode == 0 and done.stderr == "", f"tags: {done.stderr}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        main(pathlib.Path(scratch))
