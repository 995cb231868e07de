#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Same inputs, same bytes out. Usage: golden_test.py SSDVP twice|seed|reference|update

`reference` compares with the file kept here: the same bytes on any machine. A change that is meant
to move the numbers writes it anew with `update`, in a commit that says why.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

SSDVP = sys.argv[1]
REFERENCE = pathlib.Path(__file__).with_name("small-zipf.summary.json")
MACHINE = ("wall_s", "requests_per_wall_s", "peak_rss_bytes")  # of sim: all that may differ


def run(directory, seed):
    """Bytes of every result of one run; the summary without the machine's own numbers."""
    out = pathlib.Path(directory)
    log = out / "log.csv"
    subprocess.run(
        [
            SSDVP,
            "run",
            "device/small",
            "workload/mixed",
            "--set",
            "precondition.fill=1",
            "--set",
            "precondition.overwrite=0.3",
            "--set",
            "cpu.core=flat",  # a line of firmware does not move these numbers
            "--requests",
            "20000",
            "--seed",
            str(seed),
            "--quiet",
            "--out",
            str(out),
            "--requests-log",
            str(log),
        ],
        check=True,
        stdout=subprocess.DEVNULL,
        timeout=100,
    )
    summary = json.loads((out / "summary.json").read_text())
    for key in MACHINE:
        del summary["sim"][key]
    text = json.dumps(summary, indent=1) + "\n"
    return {
        "summary": text,
        "log": log.read_bytes(),
        "config": (out / "config.resolved.yaml").read_bytes(),
    }


def main():
    case = sys.argv[2]
    with tempfile.TemporaryDirectory() as a, tempfile.TemporaryDirectory() as b:
        first = run(a, 1)
        if case == "twice":
            second = run(b, 1)
            for what, content in first.items():
                assert content == second[what], f"{what} differs between two runs of one seed"
        elif case == "seed":
            second = run(b, 2)
            assert first["log"] != second["log"], "the seed has no effect"
        elif case == "update":
            REFERENCE.write_text(first["summary"])
        else:
            expected = REFERENCE.read_text()
            for n, (got, want) in enumerate(
                zip(first["summary"].splitlines(), expected.splitlines()), 1
            ):
                assert (
                    got == want
                ), f"{REFERENCE.name}:{n}: expected {want.strip()}, got {got.strip()}"
            assert first["summary"] == expected
    print("ok")


if __name__ == "__main__":
    main()
