# SPDX-License-Identifier: Apache-2.0
"""Runs of ssdvp: a job file on a drive in a state, and what a figure is in their summary."""
import csv
import json
import os
import pathlib
import subprocess
import typing

from . import table

QUICK = 5  # a quick run has so many times fewer requests
# Requests of all jobs of a run: enough that the mean stands, and that what is written is many
# times the write buffer.
REQUESTS = {
    "sequential-read": 10000, "sequential-write": 20000, "random-read": 100000,
    "random-write": 200000, "random-read-8k": 100000, "random-write-8k": 200000,
    "random-read-latency": 5000, "random-write-latency": 20000, "sequential-read-latency": 20000,
    "sequential-write-latency": 5000, "idle": 50,
    # Of the shortened drives with an SLC cache: what it takes for sure, and twice as much.
    "burst-write": 2000, "burst-random-write": 60000, "cache-write": 5500,
    "cache-random-write": 180000,
}
STATES = {
    "fresh": (),
    "filled": ("precondition.fill=1",),
    "steady": ("precondition.fill=1", "precondition.overwrite=2"),
    "50 % full": ("precondition.fill=0.5", "precondition.overwrite=1"),
    "90 % full": ("precondition.fill=0.9", "precondition.overwrite=1"),
}
UNIT = 4096  # bytes of a map unit, which the counters of the SLC cache count


class Failed(Exception):
    """A run did not end as it should: its text says which, and what was said."""


def command(figure: table.Figure, out: pathlib.Path) -> typing.List[str]:
    words = [os.environ["SSDVP"], "run", f"device/{figure.drive}", "--quiet", "--fio",
             str(table.JOBS / f"{figure.job}.fio"), "--out", str(out)]
    for key in STATES[figure.state]:
        words += ["--set", key]
    if is_burst(figure):
        words += ["--series", str(out / "series.csv")]
    return words


def is_burst(figure: table.Figure) -> bool:
    """Its figures are those of parts of the run: it begins with a pause, and passes a cache."""
    return figure.job.startswith(("burst-", "cache-"))


def whole(figure: table.Figure, divisor: int) -> int:
    """Requests of a job. A run that is to fill the cache is not cut short."""
    return max(1, REQUESTS[figure.job] // (1 if is_burst(figure) else divisor) // figure.jobs)


def summary(figure: table.Figure, folder: pathlib.Path,
            divisor: int) -> typing.Dict[str, typing.Any]:
    """summary.json of the run that a figure comes from, in a folder of its own under `folder`."""
    state = figure.state.replace(" % ", "-")
    out = folder / figure.drive / f"{figure.job}-{state}-{figure.depth}x{figure.jobs}"
    out.mkdir(parents=True, exist_ok=True)
    requests = whole(figure, divisor)
    environment = {**os.environ, "DEPTH": str(figure.depth), "JOBS": str(figure.jobs),
                   "REQUESTS": str(requests)}
    done = subprocess.run(command(figure, out), env=environment, capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise Failed(f"{figure.drive}, {figure.title}: exit code {done.returncode}: "
                     f"{(done.stderr or done.stdout).strip()}")
    result = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    if is_burst(figure):
        with (out / "series.csv").open(encoding="utf-8", newline="") as file:
            result["series"] = list(csv.DictReader(file))
    return result


def of_burst(figure: table.Figure, result: typing.Dict[str, typing.Any]) -> float:
    """A figure of writes to a drive with an SLC cache, from the pieces of the run: its length in %
    of the drive, or the rate in it or past it. The first piece has the pause in it, the last one
    the end."""
    pieces = result["series"]
    if figure.unit == "%":
        units = sum(int(piece["slc_hits"]) for piece in pieces)
        return 100 * units * UNIT / result["geometry"]["capacity_bytes"]
    field = "slc_hits" if figure.job.startswith("cache-") else "slc_bypassed"
    those = [piece for piece in pieces[1:-1] if int(piece[field]) == 0]
    if not those:
        raise Failed(f"{figure.drive}, {figure.title}: no part of the run is that")
    what = "write_requests" if figure.unit == "IOPS" else "write_bytes"
    seconds = sum(float(piece["end_ns"]) - float(piece["begin_ns"]) for piece in those) / 1e9
    rate = sum(int(piece[what]) for piece in those) / seconds
    return rate if figure.unit == "IOPS" else rate / 1e6


def measured(figure: table.Figure, result: typing.Dict[str, typing.Any]) -> float:
    """The figure, in its unit, as the run has it."""
    if figure.unit == "W":
        return result["energy_j"]["total"] / result["sim"]["simulated_ns"] * 1e9
    if is_burst(figure):
        return of_burst(figure, result)
    host = result["host"]["write" if "write" in figure.job else "read"]
    if figure.unit == "MB/s":
        return host["bytes_per_s"] / 1e6
    return host["iops"] if figure.unit == "IOPS" else host["latency_ns"]["mean"] / 1e3
