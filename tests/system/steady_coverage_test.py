#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Intervals of runs until they are steady hold what runs ten times as long say, though these see
waves of the drive's state that a short run does not; and on average both say the same.
Usage: ... PROGRAM"""
import concurrent.futures
import os
import statistics
import sys

from measured import summary_of

SEEDS, LONG_SEEDS, LONG = 24, 6, 1500000
HELD = 20  # of 24, where each holds the truth with 95 %: fewer have a probability of 1 %
# As wide as the spread over seeds says, within 1.6. The spread of 24 runs is too small by a
# quarter, or too large by as much, once in twenty times (chi-square with 23 degrees).
WIDTH, WIDER = 1.6 / 0.75, 3.0 / 0.75
BIAS = 0.02  # of the mean of the short runs, which chance moves by 0.2 to 0.3 %
LOADS = {  # how wide at most, and the drive
    "hot and cold": (WIDTH, "{pattern: hot_cold, hot_fraction: 0.1, hot_probability: 0.9, "
                     "read_fraction: 0.3, queue_depth: 16}", "nand.blocks_per_plane=256"),
    "hot and cold, less spare": (
        WIDER, "{pattern: hot_cold, hot_fraction: 0.2, hot_probability: 0.8, read_fraction: 0.5, "
        "queue_depth: 32}", "nand.blocks_per_plane=192", "ftl.over_provisioning=0.14"),
    "zipf": (WIDER, "{pattern: zipf, read_fraction: 0.3, queue_depth: 16}",
             "nand.blocks_per_plane=320"),
    "writes at random": (WIDTH, "{read_fraction: 0, queue_depth: 16}", "nand.blocks_per_plane=256")}
METRICS = ("host.write.iops", "host.write.latency_ns.mean")


def told(load, seed, requests):
    _, workload, *drive = LOADS[load]
    sets = [word for key in (f"workload=[{workload}]", "precondition.fill=1", *drive,
                             "run.until=steady", f"run.requests={requests}")
            for word in ("--set", key)]
    return summary_of(sys.argv[1], ["device/small", *sets, "--seed", str(seed),
                                    "--no-state-cache"])["confidence"]


def main():
    wrong = []
    tasks = [(load, seed, requests) for load in LOADS for seeds, requests in
             ((range(1, SEEDS + 1), 0), (range(101, 101 + LONG_SEEDS), LONG)) for seed in seeds]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        done = dict(zip(tasks, pool.map(lambda task: told(*task), tasks)))
    for load in LOADS:
        for metric in METRICS:
            truth = statistics.mean(t[metric]["mean"] for (of, _, n), t in done.items()
                                    if of == load and n == LONG)
            short = [t[metric] for (of, _, n), t in done.items() if of == load and n != LONG]
            held = sum(i["low"] <= truth <= i["high"] for i in short)
            spread = 1.96 * statistics.stdev(i["mean"] for i in short)
            width = statistics.mean((i["high"] - i["low"]) / 2 for i in short) / spread
            bias = statistics.mean(i["mean"] for i in short) / truth - 1
            line = f"{load}, {metric}: {held} of {SEEDS}, width {width:.2f}, off {bias:+.2%}"
            print(line)
            if held < HELD or not 1 / WIDTH < width < LOADS[load][0] or abs(bias) > BIAS:
                wrong.append(line)
    assert not wrong, "\n".join(wrong)
    print("ok")


if __name__ == "__main__":
    main()
