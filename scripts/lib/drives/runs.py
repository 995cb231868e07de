# SPDX-License-Identifier: Apache-2.0
"""Runs of ssdvp: a job file on a drive in a state, and what a figure is in their summary."""
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
}
STATES = {
    "fresh": (),
    "filled": ("precondition.fill=1",),
    "steady": ("precondition.fill=1", "precondition.overwrite=2"),
}


class Failed(Exception):
    """A run did not end as it should: its text says which, and what was said."""


def command(figure: table.Figure, out: pathlib.Path) -> typing.List[str]:
    words = [os.environ["SSDVP"], "run", f"device/{figure.drive}", "--quiet", "--fio",
             str(table.JOBS / f"{figure.job}.fio"), "--out", str(out)]
    for key in STATES[figure.state]:
        words += ["--set", key]
    return words


def summary(figure: table.Figure, folder: pathlib.Path,
            divisor: int) -> typing.Dict[str, typing.Any]:
    """summary.json of the run that a figure comes from, in a folder of its own under `folder`."""
    out = folder / figure.drive / f"{figure.job}-{figure.state}-{figure.depth}x{figure.jobs}"
    requests = max(1, REQUESTS[figure.job] // divisor // figure.jobs)
    environment = {**os.environ, "DEPTH": str(figure.depth), "JOBS": str(figure.jobs),
                   "REQUESTS": str(requests)}
    done = subprocess.run(command(figure, out), env=environment, capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise Failed(f"{figure.drive}, {figure.title}: exit code {done.returncode}: "
                     f"{(done.stderr or done.stdout).strip()}")
    return json.loads((out / "summary.json").read_text(encoding="utf-8"))


def measured(figure: table.Figure, result: typing.Dict[str, typing.Any]) -> float:
    """The figure, in its unit, as the run has it."""
    if figure.unit == "W":
        return result["energy_j"]["total"] / result["sim"]["simulated_ns"] * 1e9
    host = result["host"]["write" if "write" in figure.job else "read"]
    if figure.unit == "MB/s":
        return host["bytes_per_s"] / 1e6
    return host["iops"] if figure.unit == "IOPS" else host["latency_ns"]["mean"] / 1e3
