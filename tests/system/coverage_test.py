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
COVERED = (0.90, 0.99)  # of all intervals of a kind; of one load at least
WIDTH = 1.6  # mean half-width by the spread of the runs, or the other way round: 1 is right
# There are some fifty pairs of load and metric, so chance alone brings one of them out of bounds
# now and then: of 40 intervals that hold the truth with 95 %, fewer than 36 do in 5 of 100 cases,
# and the spread of 40 runs is off by 11 %. So who is out of bounds has 40 runs more, and all 80
# count. Their spread is too small by more than an eighth in 5 of 100 cases (chi-square with 79
# degrees): that is left to chance, and nothing else.
CHANCE = 1.14
DRIFTING = 0.05  # of the runs at most: all of them are steady
# Eighty requests have to be slower than a percentile for an upper end, which p99.9 has here.
LONG = {"reads at random times": 96000}
TURNS = 4  # of the drive, over which its runs begin
LEAST_SPREAD = 1e-3  # of the number: below it nothing but rounding differs
ROUNDING = 1e-6  # of the number: it is written with so many digits
ALIKE = 0.75  # of the runs find one number: many requests take that time, the spread says nothing
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
        subprocess.run([program, "run", "device/small", *sets,
                        "--requests", str(LONG.get(load, REQUESTS)),
                        "--seed", str(seed), "--no-state-cache", "--quiet", "--out", out],
                       check=True, stdout=subprocess.DEVNULL)
        summary = json.loads((out / "summary.json").read_text())
        codes = {w["code"] for w in summary["validity"]["warnings"]}
        assert not codes & {"short_window", "space_consumed", "overloaded"}, (load, seed, codes)
        told = summary["confidence"]
        with open(out / "latency.csv", encoding="utf-8") as file:
            counts = {float(row["from_ns"]): int(row["count"]) for row in csv.DictReader(file)
                      if row["kind"] == kind}
    return {m: told[f"host.{kind}.{m}"] for m in METRICS}, counts, "drifting" in codes


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
        return statistics.mean(told[metric]["mean"] for told, *_ in runs), 0.0
    counts = collections.Counter()
    for _, one, _ in runs:
        counts.update(one)
    found = quantile(counts, float(metric.split(".p")[1]) / 100)
    return found, found / 512  # the bucket


def judged(metric, runs):
    """How many intervals hold the truth (with one end: the truth lies above it), how many have two
    ends, and the width of these."""
    true, bucket = truth(metric, runs)
    bucket = max(bucket, ROUNDING * true)
    all_ends = [told[metric] for told, *_ in runs]
    held = sum(i["low"] - bucket <= true <= i.get("high", math.inf) + bucket for i in all_ends)
    ends = [i for i in all_ends if "high" in i]
    spread = 1.96 * statistics.stdev(i["mean"] for i in all_ends)
    if sum(abs(i["mean"] - true) <= bucket for i in all_ends) > ALIKE * len(all_ends):
        spread = 0.0
    enough = 2 * len(ends) >= len(all_ends)  # of few that have an upper end the width says nothing
    width = statistics.mean((i["high"] - i["low"]) / 2 for i in ends) if enough else 0.0
    return held, len(ends), width / spread if spread > max(bucket, LEAST_SPREAD * true) else None


def outside(held, runs, width, chance):
    most = WIDTH * chance
    return held < COVERED[0] * len(runs) or bool(width) and not 1 / most < width < most


def looked_at(program, pool, seeds, loads):
    tasks = [(load, seed) for load in loads for seed in seeds]
    done = list(pool.map(lambda task: run(program, *task), tasks))
    return {load: done[i * SEEDS:(i + 1) * SEEDS] for i, load in enumerate(loads)}


def main():
    wrong = []
    of_metric = collections.defaultdict(lambda: [0, 0])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        first = looked_at(sys.argv[1], pool, range(1, SEEDS + 1), list(LOADS))
        again = [(load, metric) for load, runs in first.items() for metric in METRICS
                 for held, _, width in [judged(metric, runs)] if outside(held, runs, width, 1)]
        more = looked_at(sys.argv[1], pool, range(SEEDS + 1, 2 * SEEDS + 1),
                         sorted({load for load, _ in again}))
    for load, runs in first.items():
        for metric in METRICS:
            twice = (load, metric) in again
            asked = runs + more[load] if twice else runs
            held, ends, width = judged(metric, asked)
            of_metric[metric][0] += held
            of_metric[metric][1] += len(asked)
            told = (f"{load}, {metric}: {held} of {len(asked)}, {ends} with two ends, "
                    f"width {width and round(width, 2)}")
            print(told)
            if twice and outside(held, asked, width, CHANCE):
                wrong.append(told)
    for metric, (held, of) in of_metric.items():
        print(f"{metric}: {held} of {of}")
        by_chance = 1.645 * math.sqrt(COVERED[1] * (1 - COVERED[1]) / of)
        most = COVERED[1] + by_chance
        if not COVERED[0] <= held / of <= most:
            wrong.append(f"{metric}: {held} of {of}")
    if not any(judged("latency_ns.p99.9", first[load])[1] >= SEEDS * 3 // 4 for load in LONG):
        wrong.append("p99.9 has no upper ends")
    drifting = sum(drifts for runs in first.values() for *_, drifts in runs)
    print(f"{drifting} of {len(LOADS) * SEEDS} are called drifting")
    if drifting > DRIFTING * len(LOADS) * SEEDS:
        wrong.append("steady runs are called drifting")
    assert not wrong, "\n".join(wrong)
    print("ok")


if __name__ == "__main__":
    main()
