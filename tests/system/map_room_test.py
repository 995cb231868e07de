#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Collection leaves the host room in a table of few entries. Each unit that it moves takes an
entry, and a map page that is written for it. The host waits for what collection has read already,
and for its lead, no longer: not until a whole victim is through.

Collection's buffers hold three stripes of write units, its lead is two (gc/pace.c): with 32 LUNs
and 16 units a write unit 2,560 units. Each needs a map page of 4 KiB read and written. Of those two
write units and eight frames can be on their way: 40 in about 2.6 ms, a program and its transfers;
where the map has the DRAM's buffers many more. That is 170 ms; half as much again is allowed for.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

RUN = ["run", "device/nvme-tlc", "--requests", "60000", "--seed", "1", "--no-state-cache",
       "--quiet", "--set", "nand.pages_per_block=36", "--set", "nand.blocks_per_plane=126",
       "--set", "ftl.over_provisioning=0.16", "--set", "ftl.scheme=dftl",
       "--set", "precondition.fill=1", "--set", "precondition.overwrite=0.5",
       "--set", "workload=[{read_fraction: 0, block_size: 4KiB, queue_depth: 64}]"]
MOST_NS = 255e6


def longest(program, memory, entries):
    """The longest write of the measured part, in ns."""
    with tempfile.TemporaryDirectory(prefix="ssdvp map room ") as name:
        out = pathlib.Path(name) / "out"
        subprocess.run([program, *RUN, "--set", f"ftl.map_memory={memory}",
                        "--set", f"ftl.map_cache={entries}", "--out", out], check=True,
                       stdout=subprocess.DEVNULL)
        summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    return summary["host"]["write"]["latency_ns"]["max"]


def main():
    for memory, entries in (("hmb", "64KiB"), ("dram", "128KiB"), ("dram", "256KiB")):
        ns = longest(sys.argv[1], memory, entries)
        print(f"{memory}, {entries}: {ns / 1e6:.0f} ms")
        assert ns < MOST_NS, f"a write took {ns / 1e6:.0f} ms"
    print("ok")


if __name__ == "__main__":
    main()
