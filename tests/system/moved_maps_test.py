#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A victim of map pages costs firmware what it moves, however many of its pages wait for a program:
each is put out once and looked at a few times, and none again and again while nothing ends."""
import csv
import pathlib
import subprocess
import sys
import tempfile

RUN = ["run", "device/small", "--requests", "12000", "--seed", "1", "--no-state-cache", "--quiet",
       "--set", "ftl.map_unit=512B", "--set", "ftl.over_provisioning=0.3",
       "--set", "nand.blocks_per_plane=32", "--set", "precondition.fill=1",
       "--set", "precondition.overwrite=1",
       "--set", "workload=[{read_fraction: 0, block_size: 4KiB, queue_depth: 16}]"]


def calls(folder):
    with open(folder / "profile/functions.csv", encoding="utf-8") as file:
        return {row["function"].split(":")[-1]: int(row["calls"]) for row in csv.DictReader(file)}


def main():
    with tempfile.TemporaryDirectory(prefix="ssdvp moved maps ") as name:
        folder = pathlib.Path(name)
        subprocess.run([sys.argv[1], *RUN, "--out", folder / "out", "--fw-profile",
                        folder / "profile"], check=True)
        made = calls(folder)
    put_out = made["maps_put_unit"]  # units of maps: those that move are among them
    looks = made["maps_relocate"]
    assert looks > 500, looks
    assert looks <= put_out, f"{looks} looks at pages that move, {put_out} were put out"
    print("ok")


if __name__ == "__main__":
    main()
