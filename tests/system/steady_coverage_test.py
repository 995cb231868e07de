#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Intervals of runs until they are steady hold what runs ten times as long say, though these see
waves of the drive's state that a short run does not; and on average both say the same. The short
runs begin at different times, some writes apart: those that are cut at the same places of the waves
of collection are more alike than anybody may trust.
Usage: ... PROGRAM"""
import concurrent.futures
import os
import statistics
import sys

from measured import summary_of

SEEDS, LONG_SEEDS, LONG = 24, 6, 1500000
APART = 2000  # requests, by which each run begins later than the one before
FIRST, FIRST_LONG = 501, 601  # none of them was looked at while the intervals were made
HELD = 20  # of 24, where each holds the truth with 95 %: fewer have a probability of 1 %
# There are eight pairs of load and metric. Of who is out of bounds 24 more runs count, and all 48:
# fewer than 42 that hold the truth have a probability of 1 %.
AGAIN, HELD_AGAIN = 200, 42  # how much later their seeds come
# As wide as the spread over seeds says, within 1.6. The spread of 24 runs is too small by a
# quarter, or too large by as much, once in twenty times (chi-square with 23 degrees).
WIDTH = 1.6 / 0.75
BIAS = 0.02  # of the mean of the short runs, which chance moves by 0.2 to 0.3 %
LOADS = {  # the load, and the drive
    "hot and cold": ("{pattern: hot_cold, hot_fraction: 0.1, hot_probability: 0.9, "
                     "read_fraction: 0.3, queue_depth: 16}", "nand.blocks_per_plane=256"),
    "hot and cold, less spare": (
        "{pattern: hot_cold, hot_fraction: 0.2, hot_probability: 0.8, read_fraction: 0.5, "
        "queue_depth: 32}", "nand.blocks_per_plane=192", "ftl.over_provisioning=0.14"),
    "zipf": ("{pattern: zipf, read_fraction: 0.3, queue_depth: 16}", "nand.blocks_per_plane=320"),
    "writes at random": ("{read_fraction: 0, queue_depth: 16}", "nand.blocks_per_plane=256")}
METRICS = ("host.write.iops", "host.write.latency_ns.mean")


def told(load, seed, requests):
    workload, *drive = LOADS[load]
    sets = [word for key in (f"workload=[{workload}]", "precondition.fill=1", *drive,
                             "run.until=steady", f"run.requests={requests}",
                             f"run.warmup={0 if requests else APART * ((seed - FIRST) % AGAIN)}")
            for word in ("--set", key)]
    return summary_of(sys.argv[1], ["device/small", *sets, "--seed", str(seed),
                                    "--no-state-cache"])["confidence"]


def judged(load, metric, shorts, longs):
    """What is told of it, and whether that is out of bounds."""
    truth = statistics.mean(told[metric]["mean"] for told in longs)
    short = [told[metric] for told in shorts]
    held = sum(i["low"] <= truth <= i["high"] for i in short)
    spread = 1.96 * statistics.stdev(i["mean"] for i in short)
    width = statistics.mean((i["high"] - i["low"]) / 2 for i in short) / spread
    bias = statistics.mean(i["mean"] for i in short) / truth - 1
    line = (f"{load}, {metric}: {held} of {len(short)}, width {width:.2f}, off {bias:+.2%}, "
            f"truth {truth:.6g}, spread {spread / truth:.2%}")
    least = HELD if len(short) == SEEDS else HELD_AGAIN
    return line, held < least or not 1 / WIDTH < width < WIDTH or abs(bias) > BIAS


def looked_at(pool, loads, first, seeds, requests):
    tasks = [(load, seed, requests) for load in loads for seed in range(first, first + seeds)]
    done = list(pool.map(lambda task: told(*task), tasks))
    return {load: done[i * seeds:(i + 1) * seeds] for i, load in enumerate(loads)}


def main():
    wrong = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        short = looked_at(pool, list(LOADS), FIRST, SEEDS, 0)
        longs = looked_at(pool, list(LOADS), FIRST_LONG, LONG_SEEDS, LONG)
        again = [load for load in LOADS
                 if any(judged(load, m, short[load], longs[load])[1] for m in METRICS)]
        more = looked_at(pool, again, FIRST + AGAIN, SEEDS, 0)
    for load in LOADS:
        for metric in METRICS:
            line, out = judged(load, metric, short[load] + more.get(load, []), longs[load])
            print(line)
            if out:
                wrong.append(line)
    assert not wrong, "\n".join(wrong)
    print("ok")


if __name__ == "__main__":
    main()
