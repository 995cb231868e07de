#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Instructions and activations of the kernel per request, of the difference of two lengths of run
under callgrind: the same on every machine. With --before, those of another ssdvp beside them.

Usage: bench_instructions.py SSDVP [--before SSDVP] [--scale]"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import typing

from bench_cases import COUNTS, DRIVE, SCALE


class Cost(typing.NamedTuple):
    instructions: float
    activations: float


CALLGRIND = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]


def run(words, case, requests, folder):
    words = [*words, "run", DRIVE, "--requests", requests, "--quiet", "--out", folder]
    for text in case.sets:
        words += ["--set", text]
    environment = {**os.environ, "SSDVP_STATE_CACHE": str(folder / "states")}
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, check=False,
                          env=environment)


def counted(program, case, requests, folder):
    """Instructions of a process, and the kernel's activations in its measured part. Of a drive with
    a process for each block they are those of its blocks."""
    done = run([*CALLGRIND, program], case, requests, folder)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or found is None:
        sys.exit(f"{case.title}: exit code {done.returncode}\n{done.stderr[-2000:]}")
    kernel = re.search(r"activations \(kernel ([\d.]+)\) per request", done.stdout)
    summary = json.loads((folder / "summary.json").read_text())
    activations = summary["sim"]["kernel_activations"]
    return int(found[1]), float(kernel[1]) * requests if kernel else activations


def cost(program, case):
    few = case.requests // 5
    with tempfile.TemporaryDirectory(prefix="ssdvp bench ") as name:
        run([program], case, few, pathlib.Path(name))  # keeps the drive's state for both
        more = counted(program, case, case.requests, pathlib.Path(name))
        less = counted(program, case, few, pathlib.Path(name))
    return Cost(*((a - b) / (case.requests - few) for a, b in zip(more, less)))


def costs(program, cases):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda case: cost(program, case), cases))


def wanted(value, limit):
    return f"{value:.0f} (<= {limit:g})" if limit else f"{value:.0f}"


def table(program, before):
    now = costs(program, COUNTS)
    past = costs(before, COUNTS) if before else [None] * len(COUNTS)
    print(f"{'case':45}  {'k instructions':>18}  {'activations':>14}" +
          (f"  {'before':>7}  {'activations':>11}  ratio" if before else ""))
    for case, here, there in zip(COUNTS, now, past):
        thousands = here.instructions / 1000
        most = f"{thousands:.1f}" + (f" (<= {case.most:g})" if case.most else "")
        line = f"{case.title:45}  {most:>18}  {wanted(here.activations, case.activations):>14}"
        if there:
            line += (f"  {there.instructions / 1000:>7.1f}  {there.activations:>11.0f}"
                     f"  {here.instructions / there.instructions:>5.2f}")
        print(line)


def scale(program):
    for what, cases in SCALE.items():
        found = costs(program, cases)
        first = found[0].instructions
        print(what + ": " + ", ".join(
            f"{case.title} {each.instructions / 1000:.1f} k ({each.instructions / first:.2f})"
            for case, each in zip(cases, found)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("ssdvp")
    parser.add_argument("--before")
    parser.add_argument("--scale", action="store_true")
    arguments = parser.parse_args()
    if arguments.scale:
        scale(arguments.ssdvp)
    else:
        table(arguments.ssdvp, arguments.before)


if __name__ == "__main__":
    main()
