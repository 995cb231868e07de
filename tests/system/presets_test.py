#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Presets merge: each device with each part, DRAM and workload passes `ssdvp check`. A value of a
device that the other preset leaves no room for gives way and is named. Pairs that cannot be are
listed here with the reason.

Usage: presets_test.py SSDVP CONFIGS
"""

import pathlib
import subprocess
import sys

SSDVP, CONFIGS = sys.argv[1], pathlib.Path(sys.argv[2])

# A drive of 96 KiB holds neither requests of 128 KiB nor what begins at 64 MiB.
IMPOSSIBLE = {
    ("device/tiny", "workload/log-and-table"): "64MiB is beyond the drive's 98304 bytes",
    ("device/tiny", "workload/mixed"): "128KiB is larger than the range of 96KiB",
    ("device/tiny", "workload/sequential-read"): "128KiB is larger than the range of 96KiB",
    ("device/tiny", "workload/sequential-write"): "128KiB is larger than the range of 96KiB",
}
# Cells of one bit have no SLC mode for a cache.
IMPOSSIBLE.update({(f"device/{drive}", part): "the part has no SLC mode"
                   for drive in ("samsung-970-evo-plus", "samsung-980-pro")
                   for part in ("nand/slc-2d", "nand/slc-small-block")})
# A read of these takes less than a snap read of that drive's own part.
IMPOSSIBLE.update({("device/crucial-t700", part): "less than a read of its page"
                   for part in ("nand/slc-2d", "nand/slc-small-block")})
# Cells of one bit have no word line that could be programmed twice.
IMPOSSIBLE.update({(f"device/{drive}", part): "a word line of one page is programmed once"
                   for drive in ("samsung-870-qvo",)
                   for part in ("nand/slc-2d", "nand/slc-small-block")})
# ... nor captured traces: almost all of their requests would be folded onto others.
IMPOSSIBLE.update({("device/tiny", f"workload/{trace.name.split('.')[0]}"): "lie beyond the drive's"
                   for trace in (CONFIGS / "workload/traces").glob("*.zst")})
FITTED = ("nand.interface.rate", "cache.capacity", "dram.capacity")  # keys that may give way
SDR = ("nand/slc-2d", "nand/slc-small-block")  # parts slower than the bus of every device


def presets(group):
    return sorted(f"{group}/{f.stem}" for f in (CONFIGS / group).glob("*.yaml"))


def check(*words):
    return subprocess.run([SSDVP, "check", *words], capture_output=True, text=True, timeout=60)


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def alone(device):
    done = check(device)
    expect(done.returncode == 0 and not done.stderr, f"{device}: {done.stderr}")


def pair(device, other):
    done = check(device, other)
    said = done.stderr
    reason = IMPOSSIBLE.get((device, other))
    if reason is not None:
        expect(done.returncode == 2 and reason in said, f"{device} {other}: {said}")
        return
    expect(done.returncode == 0, f"{device} {other}: exit {done.returncode}: {said}")
    for line in said.splitlines():  # names the place of the value, and of what it gives way to
        of_key = any(f": {key}: " in line for key in FITTED)
        named = line.count(".yaml:") >= 2 and (" raised to " in line or " lowered to " in line)
        expect(other.startswith("nand/") and of_key and named, f"{device} {other}: {line}")
    if other in SDR:
        expect("nand.interface.rate: " in said, f"{device} {other}: the rate is not named: {said}")


def a_user_is_refused():
    """What a user gives does not give way."""
    for part, key, words in (
        ("nand/slc-2d", "nand.interface.rate=667MT/s", "is not legal with"),
        ("nand/tlc-3d", "dram.capacity=64MiB", "is too small"),
        ("nand/tlc-3d", "cache.capacity=4KiB", "holds less than 4 write units"),
    ):
        done = check("device/small", part, "--set", key)
        expect(done.returncode == 2 and words in done.stderr, f"{part} {key}: {done.stderr}")


def main():
    walked = 0
    for device in presets("device"):
        alone(device)
        for group in ("nand", "dram", "workload"):
            for other in presets(group):
                pair(device, other)
                walked += 1
    expect(walked >= 100, f"only {walked} pairs were found")
    a_user_is_refused()
    print("ok")


if __name__ == "__main__":
    main()
