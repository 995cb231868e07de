# SPDX-License-Identifier: Apache-2.0
"""Runs that write traces, and what is in these, for the tests of traces."""

import csv
import gzip
import json
import subprocess
import sys

MIXED = ["--requests", 9000, "--set", "workload.read_fraction=0.5", "--set",
         "workload.queue_depth=16"]
FULL = ["--set", "precondition.fill=1", "--set", "precondition.overwrite=0.5"]


def check(ok, what):
    if not ok:
        sys.exit(f"FAILED: {what}")


def run(folder, *words, device="device/small", code=0):
    done = subprocess.run([sys.argv[1], "run", device, "--quiet", "--no-state-cache", "--out",
                           folder, *map(str, words)], capture_output=True, text=True, check=False)
    check(done.returncode == code, f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def text_of(file):
    data = file.read_bytes()
    return (gzip.decompress(data) if file.suffix == ".gz" else data).decode("ascii")


def rows(file):
    return list(csv.DictReader(text_of(file).splitlines()))


def summary(folder):
    return json.loads((folder / "summary.json").read_text(encoding="ascii"))


def ps(text):
    """Of a time in ns with three decimals."""
    whole, _, rest = text.partition(".")
    check(len(rest) == 3, f"three decimals: {text}")
    return int(whole) * 1000 + int(rest)
