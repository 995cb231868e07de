#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Work is announced, not looked for: rounds in which nothing was do not look at collection, buffer
and checkpoints. Each drive: each of them has at most so many turns for each time that the core is
woken. Writes that wait for a slot go on when a program ends, not when data of others land. Data of
a write come 16 KiB at a time where their slots lie side by side, which they nearly always do.
Usage: ... PROGRAM"""
import csv
import pathlib
import subprocess
import sys
import tempfile

MIXED = "workload=[{pattern: zipf, read_fraction: 0.7, queue_depth: 32}]"
LARGE = ("device/small", "workload=[{pattern: sequential, read_fraction: 0, queue_depth: 32, "
         "block_size: 128KiB}]", "precondition.fill=0", "workload.0.range.size=128MiB")
ONE = "workload=[{read_fraction: 0.5, queue_depth: 1}]"
DRIVES = (
    (0.12, "device/small", MIXED),
    (0.15, "device/small", ONE),
    (0.15, "device/small", MIXED, "cache.policy=rw_lru"),
    (0.12, "device/small", MIXED, "cache.flush_idle=1ms"),
    (0.12, "device/crucial-t700", MIXED),
)


def calls_of(program, folder, requests, *words):
    sets = [word for key in words for word in ("--set", key)]
    subprocess.run([program, "run", words[0], *sets[2:], "--requests", requests, "--seed", "1",
                    "--no-state-cache", "--quiet", "--out", folder / "out", "--fw-profile",
                    folder / "profile"], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    with open(folder / "profile/functions.csv", encoding="utf-8") as file:
        return {row["function"].split(":")[-1]: int(row["calls"]) for row in csv.DictReader(file)}


def share(program, folder, *words):
    calls = calls_of(program, folder, "4000", *words)
    turns = max(calls.get(step, 0) for step in ("gc_step", "cache_step", "recovery_step"))
    return turns / calls["[interrupt]"]


def main():
    with tempfile.TemporaryDirectory(prefix="ssdvp rounds ") as name:
        for most, *words in DRIVES:
            found = share(sys.argv[1], pathlib.Path(name), *words)
            print(f"{found:.3f} of at most {most}: {' '.join(words)}")
            assert found <= most, words
        calls = calls_of(sys.argv[1], pathlib.Path(name), "1000", *LARGE)
        turns, programs = calls["hil_resume"], calls["cache_start_program"]
        print(f"{turns} turns of the host, {programs} programs, 1000 requests")
        assert turns <= programs + 1000
        moves = calls["hil_finish_move"]
        print(f"{moves} moves of data, 32000 units")
        assert 8000 <= moves <= 9600
    print("ok")


if __name__ == "__main__":
    main()
