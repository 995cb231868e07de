# SPDX-License-Identifier: Apache-2.0
"""Runs of the program, side by side, and their distributions of latency."""
import csv
import dataclasses
import json
import os
import pathlib
import typing

from . import kept
from .work import side_by_side

Bucket = typing.Tuple[float, int]  # upper end in ns, requests in it


@dataclasses.dataclass(frozen=True)
class Run:
    """One configuration: its label, configuration files, --set overrides and other arguments."""
    label: str
    configs: tuple
    sets: tuple = ()
    arguments: tuple = ()


@dataclasses.dataclass(frozen=True)
class Result:
    summary: dict
    buckets: typing.Dict[str, typing.List[Bucket]]  # kind -> ascending

    def percentile(self, kind: str, percent: float) -> float:
        """Latency in ns that `percent` of the requests of `kind` do not exceed."""
        return self.summary["host"][kind]["latency_ns"][f"p{percent:g}"]

    def tail(self, kind: str) -> typing.List[typing.Tuple[float, float]]:
        """Points (latency ns, share of requests above it), for a plot on logarithmic axes."""
        total = sum(count for _, count in self.buckets[kind])
        left = total
        points = []
        for to_ns, count in self.buckets[kind]:
            left -= count
            points.append((to_ns, left / total))
        return points

    def share_slower(self, kind: str, ns: float) -> float:
        """Of the requests of `kind` those that take longer, as exactly as buckets are wide."""
        counts = [(count, to_ns > ns) for to_ns, count in self.buckets[kind]]
        return sum(count for count, slower in counts if slower) / sum(n for n, _ in counts)

    def bytes_per_s(self) -> float:
        """Of reads and writes together."""
        host = self.summary["host"]
        return sum(host[kind]["bytes_per_s"] for kind in ("read", "write") if kind in host)

    def requests_per_s(self) -> float:
        """Reads and writes together."""
        host = self.summary["host"]
        return sum(host[kind]["iops"] for kind in ("read", "write") if kind in host)

    def mean_ns(self) -> float:
        """Mean latency of reads and writes together."""
        kinds = [self.summary["host"][k] for k in ("read", "write") if k in self.summary["host"]]
        weighted = sum(k["requests"] * k["latency_ns"]["mean"] for k in kinds)
        return weighted / sum(k["requests"] for k in kinds)


def read_buckets(path: pathlib.Path) -> typing.Dict[str, typing.List[Bucket]]:
    buckets: typing.Dict[str, typing.List[Bucket]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            entry = (float(row["to_ns"]), int(row["count"]))
            buckets.setdefault(row["kind"], []).append(entry)
    return buckets


def call(command: typing.Sequence[str]) -> str:
    """What a program prints. One that fails ends this one, with its message."""
    return kept.answer(command)


def sets(overrides: typing.Iterable[str]) -> typing.List[str]:
    return [word for override in overrides for word in ("--set", override)]


def execute(run: Run, folder: pathlib.Path) -> Result:
    out = folder / run.label
    kept.results([os.environ["SSDVP"], "run", *run.configs, "--quiet", "--out", str(out),
                  *run.arguments, *sets(run.sets)], out)
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    return Result(summary, read_buckets(out / "latency.csv"))


def execute_all(runs: typing.Sequence[Run], folder: pathlib.Path,
                jobs: int) -> typing.Dict[str, Result]:
    """Results by label. A run that fails ends the program with its message."""
    folder.mkdir(parents=True, exist_ok=True)
    results = side_by_side(lambda run: execute(run, folder), runs, jobs)
    return {run.label: result for run, result in zip(runs, results)}
