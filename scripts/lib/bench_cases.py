# SPDX-License-Identifier: Apache-2.0
"""The loads that scripts/bench compares: on experiment/mlc-64gib here, and as flows of MQSim."""

import typing

DRIVE = "experiment/mlc-64gib"
KIB = 1024


class Case(typing.NamedTuple):
    title: str
    requests: int           # of the longer run; the shorter one has a fifth
    queue_depth: int
    block: int              # bytes
    read_percent: int
    sequential: bool = False
    overwritten: float = 0  # times, before the run
    at_least: float = 2     # times MQSim's speed


CASES = {
    "read-qd32": Case("4 KiB random read, QD32", 400_000, 32, 4 * KIB, 100),
    "read-qd1": Case("4 KiB random read, QD1", 400_000, 1, 4 * KIB, 100),
    "mixed-qd16": Case("4 KiB 70/30, QD16", 300_000, 16, 4 * KIB, 70, overwritten=1),
    "write-qd32": Case("4 KiB random write, QD32, collecting", 300_000, 32, 4 * KIB, 0,
                       overwritten=1),
    "read-128k": Case("128 KiB sequential read, QD32", 60_000, 32, 128 * KIB, 100, True,
                      at_least=1),
    "write-128k": Case("128 KiB sequential write, QD32", 40_000, 32, 128 * KIB, 0, True,
                       at_least=1),
}


def options(case, requests):
    """Of `ssdvp run`, behind the configuration."""
    sets = [f"workload.pattern={'sequential' if case.sequential else 'uniform'}",
            f"workload.read_fraction={case.read_percent / 100:g}",
            f"workload.queue_depth={case.queue_depth}", f"workload.block_size={case.block}B",
            f"precondition.overwrite={case.overwritten:g}"]
    words = []
    for text in sets:
        words += ["--set", text]
    return [*words, "--requests", str(requests), "--quiet"]


class Count(typing.NamedTuple):
    """A load whose instructions are counted, on the same drive or a variant of it."""
    title: str
    requests: int                # of the longer run; the shorter one has a fifth
    sets: typing.Sequence[str]
    most: float = 0              # thousands of instructions; 0 = nothing is wanted
    activations: float = 0       # kernel activations at most, likewise


READ = ["workload.read_fraction=1", "precondition.fill=0.01", "workload.range.size=512MiB"]
# In a small range: the pages of the map that a shutdown writes depend on it, not on the length.
WRITE = ["workload.read_fraction=0", "precondition.fill=0", "workload.range.size=512MiB"]
UNIFORM = ["workload.pattern=uniform"]
QD32 = ["workload.queue_depth=32"]
LARGE = ["workload.block_size=128KiB", "workload.pattern=sequential"]
# The shorter run of those that write fills the buffer: some 8,000 units, before any leaves.
COUNTS = [
    Count("4 KiB random read, QD32", 10_000, [*READ, *QD32, *UNIFORM], 10),
    Count("4 KiB random write, QD32, before collection", 60_000, [*WRITE, *QD32, *UNIFORM], 15),
    Count("128 KiB sequential read, QD32", 2_000, [*READ, *QD32, *LARGE], 60, 30),
    Count("128 KiB sequential write, QD32", 2_000, [*WRITE, *QD32, *LARGE], 60, 30),
    Count("4 KiB 70/30, QD16, collecting", 150_000,
          [*UNIFORM, "workload.read_fraction=0.7", "workload.queue_depth=16",
           "nand.pages_per_block=16", "ftl.over_provisioning=0.16", "precondition.fill=1",
           "precondition.overwrite=1"]),
]

# What a request costs as one thing grows, of the first of a group: by 20 % at most.
FOUR = ["flash.channels=2", "flash.luns_per_channel=2", "precondition.fill=0.15"]
# Callgrind has room for 128 GiB of address space: no check of data, and large units of the map.
LEAN = ["data=none", "ftl.map_unit=16KiB", "nand.page_size=16KiB"]
SCALE = {
    "LUNs": [Count("4", 10_000, [*READ, *QD32, *FOUR]),
             Count("64", 10_000, [*READ, *QD32]),
             Count("1,024", 10_000, [*READ, *QD32, "flash.channels=64",
                                     "flash.luns_per_channel=16", "dram.capacity=8GiB",
                                     "sram.capacity=16MiB", "precondition.fill=0.001"])],
    "requests under way": [Count("QD1", 10_000, [*READ, "workload.queue_depth=1"]),
                           Count("QD32", 10_000, [*READ, *QD32]),
                           Count("QD1024", 20_000, [*READ, "workload.queue_depth=1024",
                                                    "host.driver.queue_pairs=8"])],
    "capacity": [Count("100 GB", 10_000, [*READ, *QD32, *LEAN, "nand.blocks_per_plane=200"]),
                 Count("64 TB", 10_000, [*READ, *QD32, *LEAN, "nand.blocks_per_plane=4000",
                                         "nand.pages_per_block=2048", "flash.channels=32",
                                         "dram.capacity=40GiB", "sram.capacity=16MiB",
                                         "precondition.fill=0.00001"])],
    "queue pairs": [Count("1", 10_000, [*READ, *QD32, "host.driver.queue_pairs=1"]),
                    Count("64", 10_000, [*READ, *QD32, "host.nvme.queue_pairs=64",
                                         "host.driver.queue_pairs=64"])],
}
