#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Intervals of 95 % hold the truth: runs of eight loads that differ by their seed alone, each with
intervals of its own. The truth is what all runs of a load together say. All loads are steady from
the beginning: of a drive that changes as it goes on no interval tells. Where there is collection it
comes in waves, and overwriting leaves slower ones behind, a turn of the drive long: the runs begin
at different times of both. None is so short that it is warned of as an episode.
Usage: ... PROGRAM"""
import collections
import concurrent.futures
import csv
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

SEEDS, REQUESTS, WARMUP = 40, 12000, 2000
# Of all intervals of a kind, over the loads; of one load, where chance weighs more: of 40
# intervals that hold the truth with 95 %, fewer than 34 do with a probability of 1 %.
COVERED, COVERED_EACH = (0.90, 0.99), 34
WIDTH = 1.6  # mean half-width by the spread of the runs, or the other way round: 1 is right
CHANCE = 1.25  # the spread of 40 runs is off by 1 / sqrt(80), 11 %, and twice that now and then
TURNS = 4  # of the drive, over which its runs begin
LEAST_SPREAD = 1e-3  # of the number: below it nothing but rounding differs
ROUNDING = 1e-6  # of the number: it is written with so many digits
COLLECTS = ("flash.channels=1", "nand.blocks_per_plane=64", "nand.pages_per_block=16",
            "ftl.over_provisioning=0.3")
# name: (kind, stream, keys)
LOADS = {
    "reads, one in flight": ("read", "{read_fraction: 1, queue_depth: 1}"),
    "reads, 32 in flight": ("read", "{read_fraction: 1, queue_depth: 32}"),
    "hot reads, 64 in flight": ("read", "{read_fraction: 1, queue_depth: 64, pattern: zipf}"),
    "reads with errors": ("read", "{read_fraction: 1, queue_depth: 8}", "nand.errors.rber=0.004",
                          "run.failed_limit=1"),
    "reads at random times": ("read", "{read_fraction: 1, rate: 60k/s, poisson: true}"),
    "writes with collection": ("write", "{read_fraction: 0, queue_depth: 16}", *COLLECTS),
    "a mix with collection": ("read", "{read_fraction: 0.7, queue_depth: 8}", *COLLECTS),
    "writes at random times": ("write", "{read_fraction: 0, rate: 1k/s, poisson: true}", *COLLECTS),
}
METRICS = ("iops", "latency_ns.mean", "latency_ns.p50", "latency_ns.p90", "latency_ns.p99",
           "latency_ns.p99.9")


def run(program, load, seed):
    """Intervals by metric, and the histogram of latencies."""
    kind, stream, *keys = LOADS[load]
    if COLLECTS[0] in keys:
        keys.append(f"precondition.overwrite={8 + TURNS * seed / SEEDS}")
    sets = [word for key in (f"workload=[{stream}]", "precondition.fill=1", "flash.channels=4",
                             f"run.warmup={WARMUP}", *keys) for word in ("--set", key)]
    with tempfile.TemporaryDirectory(prefix="ssdvp coverage ") as name:
        out = pathlib.Path(name) / "out"
        subprocess.run([program, "run", "device/small", *sets, "--requests", str(REQUESTS),
                        "--seed", str(seed), "--no-state-cache", "--quiet", "--out", out],
                       check=True, stdout=subprocess.DEVNULL)
        summary = json.loads((out / "summary.json").read_text())
        codes = {w["code"] for w in summary["validity"]["warnings"]}
        assert not codes & {"short_window", "space_consumed", "overloaded"}, (load, seed, codes)
        told = summary["confidence"]
        with open(out / "latency.csv", encoding="utf-8") as file:
            counts = {float(row["from_ns"]): int(row["count"]) for row in csv.DictReader(file)
                      if row["kind"] == kind}
    return {m: told[f"host.{kind}.{m}"] for m in METRICS}, counts


def quantile(counts, share):
    """Lower end of the bucket that holds it."""
    left = math.ceil(sum(counts.values()) * share)
    for start in sorted(counts):
        left -= counts[start]
        if left <= 0:
            return start
    raise AssertionError("no requests")


def truth(metric, runs):
    if ".p" not in metric:
        return statistics.mean(told[metric]["mean"] for told, _ in runs), 0.0
    counts = collections.Counter()
    for _, one in runs:
        counts.update(one)
    found = quantile(counts, float(metric.split(".p")[1]) / 100)
    return found, found / 512  # the bucket


def judged(metric, runs):
    """How many intervals hold the truth, of how many with two ends; their width."""
    true, bucket = truth(metric, runs)
    bucket = max(bucket, ROUNDING * true)
    ends = [told[metric] for told, _ in runs if "high" in told[metric]]
    held = sum(i["low"] - bucket <= true <= i["high"] + bucket for i in ends)
    spread = 1.96 * statistics.stdev(told[metric]["mean"] for told, _ in runs)
    width = statistics.mean((i["high"] - i["low"]) / 2 for i in ends) if ends else 0.0
    return held, len(ends), width / spread if spread > max(bucket, LEAST_SPREAD * true) else None


def main():
    wrong = []
    of_metric = collections.defaultdict(lambda: [0, 0])
    tasks = [(load, seed) for load in LOADS for seed in range(1, SEEDS + 1)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(pool.map(lambda task: run(sys.argv[1], *task), tasks))
    for place, load in enumerate(LOADS):
        runs = done[place * SEEDS:(place + 1) * SEEDS]
        for metric in METRICS:
            held, of, width = judged(metric, runs)
            of_metric[metric][0] += held
            of_metric[metric][1] += of
            told = f"{load}, {metric}: {held} of {of}, width {width and round(width, 2)}"
            print(told)
            most = WIDTH * CHANCE
            if of == SEEDS and (held < COVERED_EACH or width and not 1 / most < width < most):
                wrong.append(told)
    for metric, (held, of) in of_metric.items():
        print(f"{metric}: {held} of {of}")
        if of and not COVERED[0] <= held / of <= COVERED[1]:
            wrong.append(f"{metric}: {held} of {of}")
    assert not wrong, "\n".join(wrong)
    print("ok")


if __name__ == "__main__":
    main()
