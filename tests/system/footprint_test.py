#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a run costs the host, where the cost does not depend on the machine's speed: kernel
activations per request and resident memory; and that the data of these drives are right.
Usage: footprint_test.py SSDVP CASE"""

import sys

from measured import summary_of, within

GB = 1e9

# 32 channels x 16 LUNs, 15.6 G units of 4 KiB: map entries of 8 bytes, units beyond 33 bits.
DRIVE_64TB = ["experiment/drive-1tb", "--set", "precondition.fill=0",
              "--set", "precondition.overwrite=0", "--set", "flash.channels=32",
              "--set", "flash.luns_per_channel=16", "--set", "nand.blocks_per_plane=1008",
              "--set", "dram.capacity=160GiB", "--set", "sram.capacity=8MiB",
              "--set", "cache.capacity=1MiB", "--set", "workload.0.read_fraction=0.5",
              "--set", "cpu.core=flat"]

# name: configuration and options, then bounds on the summary's sim section
CASES = {
    "activations": (["experiment/qd32-random-read", "--requests", "20000",
                     "--set", "nand.blocks_per_plane=32", "--set", "ftl.over_provisioning=0.25"],
                    lambda sim: {"kernel activations per 4 KiB read": (
                        sim["kernel_activations"] / 20000, 20)}),
    "fresh_1tb": (["experiment/drive-1tb", "--set", "precondition.fill=0",
                   "--set", "precondition.overwrite=0"],
                  lambda sim: {"GB, fresh 1 TB drive": (sim["peak_rss_bytes"] / GB, 1.5)}),
    # Of that drive a part of 39 GB; the program and its buffers take 0.05 GB whatever the size.
    "overwritten": (["experiment/drive-1tb", "--set", "precondition.fill=1",
                     "--set", "precondition.overwrite=1", "--set", "flash.luns_per_channel=1",
                     "--set", "nand.blocks_per_plane=40", "--set", "ftl.over_provisioning=0.2",
                     "--requests", "2000"],
                    lambda sim: {"GB, 39 GB written twice": (
                        sim["peak_rss_bytes"] / GB, 0.05 + 4.0 * 0.039)}),
    "sparse_64tb": ([*DRIVE_64TB, "--requests", "20000", "--set", "data=tag"],
                    lambda sim: {"GB, 64 TB drive, 20,000 requests": (
                        sim["peak_rss_bytes"] / GB, 1.0)}),
    "sparse_64tb_no_data": ([*DRIVE_64TB, "--requests", "20000", "--set", "data=none"],
                            lambda sim: {"GB, the same, data: none": (
                                sim["peak_rss_bytes"] / GB, 1.0)}),
}

# The default core counts firmware's instructions, and the default watchdog looks at them: taking up
# the map of such a drive takes seconds.
CASES["sparse_64tb_timed"] = (
    [*DRIVE_64TB, "--set", "cpu.core=cortex-r82", "--requests", "200"],
    lambda sim: {"GB, 64 TB drive, timed firmware": (sim["peak_rss_bytes"] / GB, 1.0)})

# Maps that are paged, whose entries are of 8 bytes there too; a segment of vm_map has 18 MiB.
for scheme, cache, requests in (("dftl", "16MiB", 20000), ("log_set", "16MiB", 20000),
                                ("vm_map", "64MiB", 30)):
    CASES[f"sparse_64tb_{scheme}"] = (
        [*DRIVE_64TB, "--set", "data=tag", "--set", f"ftl.scheme={scheme}",
         "--set", f"ftl.map_cache={cache}", "--requests", str(requests)],
        lambda sim: {"GB, 64 TB drive, paged map": (sim["peak_rss_bytes"] / GB, 1.2)})


def full_1tb(ssdvp):
    """Two drives with a 16th and an eighth of its pages per block: memory grows with the pages, and
    filling all of them takes half a minute. (power_up_test.py does, with data: none.)"""
    few, more, pages = 144, 288, 2304
    gb = [summary_of(ssdvp, ["experiment/drive-1tb", "--set", "precondition.fill=1", "--set",
                             f"nand.pages_per_block={size}", "--requests", "1000",
                             "--no-state-cache"])["sim"]["peak_rss_bytes"] / GB
          for size in (few, more)]
    print(f"GB, with {few} pages per block: {gb[0]:.4g}, with {more}: {gb[1]:.4g}")
    line = gb[0] + (pages - few) * (gb[1] - gb[0]) / (more - few)
    return gb[1] > gb[0] and within("GB, full 1 TB drive, by the line", line, 1.6)


def flash_reads(summary):
    """Pages that were read from the flash for the host."""
    return summary["flash"]["by_purpose"]["host"]["reads"]


def main():
    ssdvp, case = sys.argv[1:3]
    if case == "full_1tb":
        return 0 if full_1tb(ssdvp) else 1
    options, bounds = CASES[case]
    summary = summary_of(ssdvp, [*options, "--no-state-cache"])
    held = [within(what, *limits) for what, limits in bounds(summary["sim"]).items()]
    status = 0 if all(held) else 1
    checked = summary.get("integrity")
    if case == "sparse_64tb":
        print(f"flash reads: {flash_reads(summary)}, sectors checked: {checked}")
        if checked["mismatches"] != 0 or checked["sectors_checked"] < 40000 or \
                flash_reads(summary) < 500:
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
