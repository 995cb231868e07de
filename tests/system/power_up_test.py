#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long a full drive takes to come back, in simulated time: after a clean shutdown until it has
served a read, and until it is ready after a loss of power just before the next checkpoint is due.
Usage: power_up_test.py SSDVP CASE"""

import sys

from measured import summary_of, within

MS = 1e6
INTERVAL = 1_000_000_000  # bytes programmed from checkpoint to checkpoint
PROGRAM = 4 * 16384       # one page of each plane
CUT = INTERVAL // PROGRAM - 58  # programs: those of the anchor come on top, and never the interval

# Random writes of single units: each of them replays another map page. A few reads tell when the
# drive serves. The bounds are those of a drive of 1 TB.
FULL = ["experiment/drive-1tb", "workload/random-write", "--set", "data=none",
        "--set", "precondition.fill=1", "--set", f"ftl.checkpoint_interval={INTERVAL}B",
        "--set", "workload.0.read_fraction=0.02", "--set", "power.verify=none",
        "--set", "power.shutdown.at=1ms", "--set", f"power.cut.every={CUT}",
        "--requests", "260000"]
CASES = {
    "page_map": [],
}


def two(power, key):
    """What the shutdown and the cut led to, ns: the shorter and the longer of two power-ups."""
    mean, most = power[key]["mean"], power[key]["max"]
    return 2 * mean - most, most


def main():
    ssdvp, case = sys.argv[1:3]
    summary = summary_of(ssdvp, [*FULL, *CASES[case]])
    power, written = summary["power"], summary["flash"]["by_purpose"]["host"]["bytes_programmed"]
    clean, _ = two(power, "first_read_ns")
    _, ready = two(power, "ready_ns")
    held = [within("ms, first read after a shutdown", clean / MS, 50),
            within("ms, ready after a loss of power", ready / MS, 2000),
            # The replay has all of an interval before it, and no checkpoint came between: there
            # were the shutdown's and the one that took it back.
            (power["shutdowns"], power["cuts"], summary["ftl"]["checkpoints"]) == (1, 1, 2),
            0.99 * INTERVAL < written < INTERVAL]
    print(f"{power}, {written} bytes written")
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
