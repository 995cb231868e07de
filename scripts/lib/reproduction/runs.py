# SPDX-License-Identifier: Apache-2.0
"""Runs of the program, side by side, and their distributions of latency."""
import concurrent.futures
import csv
import dataclasses
import json
import os
import pathlib
import subprocess
import sys


@dataclasses.dataclass(frozen=True)
class Run:
    """One configuration: its label, configuration files and --set overrides."""
    label: str
    configs: tuple
    sets: tuple = ()


@dataclasses.dataclass(frozen=True)
class Result:
    summary: dict
    buckets: dict  # kind -> [(to_ns, count)], ascending

    def percentile(self, kind, percent):
        """Latency in ns that `percent` of the requests of `kind` do not exceed."""
        return self.summary["host"][kind]["latency_ns"][f"p{percent:g}"]

    def tail(self, kind):
        """Points (latency ns, share of requests above it), for a plot on logarithmic axes."""
        total = sum(count for _, count in self.buckets[kind])
        left = total
        points = []
        for to_ns, count in self.buckets[kind]:
            left -= count
            points.append((to_ns, left / total))
        return points


def read_buckets(path):
    buckets = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            entry = (float(row["to_ns"]), int(row["count"]))
            buckets.setdefault(row["kind"], []).append(entry)
    return buckets


def execute(run, folder):
    out = folder / run.label
    command = [os.environ["SSDVP"], "run", *run.configs, "--quiet", "--out", str(out)]
    for override in run.sets:
        command += ["--set", override]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}{done.stdout}")
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    print(f"  {run.label}: {summary['sim']['wall_s']:.0f} s", file=sys.stderr)
    return Result(summary, read_buckets(out / "latency.csv"))


def execute_all(runs, folder, jobs):
    """Results by label. A run that fails ends the program with its message."""
    print(f"{len(runs)} runs, {jobs} side by side", file=sys.stderr)
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return dict(zip((run.label for run in runs),
                        pool.map(lambda run: execute(run, folder), runs)))
