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
    at_least: float         # times MQSim's speed: what is wanted
    sequential: bool = False


# None collects: MQSim 7ec40e3, preconditioned so that it would, serves 256 writes and ends.
CASES = {
    "read-qd32": Case("4 KiB random read, QD32", 400_000, 32, 4 * KIB, 100, 1.7),
    "read-qd1": Case("4 KiB random read, QD1", 400_000, 1, 4 * KIB, 100, 1.9),
    "mixed-qd16": Case("4 KiB 70/30, QD16", 300_000, 16, 4 * KIB, 70, 4),
    "write-qd32": Case("4 KiB random write, QD32", 300_000, 32, 4 * KIB, 0, 4),
    "read-128k": Case("128 KiB sequential read, QD32", 60_000, 32, 128 * KIB, 100, 1.1, True),
    "write-128k": Case("128 KiB sequential write, QD32", 40_000, 32, 128 * KIB, 0, 1, True),
}


def options(case, requests):
    """Of `ssdvp run`, behind the configuration."""
    sets = [f"workload.pattern={'sequential' if case.sequential else 'uniform'}",
            f"workload.read_fraction={case.read_percent / 100:g}",
            f"workload.queue_depth={case.queue_depth}", f"workload.block_size={case.block}B"]
    words = []
    for text in sets:
        words += ["--set", text]
    return [*words, "--requests", str(requests), "--quiet"]


class Count(typing.NamedTuple):
    """A load whose instructions are counted, on the same drive or a variant of it."""
    title: str
    requests: int                # of the longer run; the shorter one has a fifth
    sets: typing.Sequence[str]
    most: float = 0              # thousands of instructions: what is wanted; 0 = nothing
    activations: float = 0       # kernel activations at most, likewise


READ = ["workload.read_fraction=1", "precondition.fill=0.01", "workload.range.size=512MiB"]
# In a small range: the pages of the map that a shutdown writes depend on it, not on the length.
WRITE = ["workload.read_fraction=0", "precondition.fill=0", "workload.range.size=512MiB"]
UNIFORM = ["workload.pattern=uniform"]
QD32 = ["workload.queue_depth=32"]
LARGE = ["workload.block_size=128KiB", "workload.pattern=sequential"]
# The shorter run of those that write fills the buffer: some 8,000 units, before any leaves.
COLLECTS = ["nand.pages_per_block=16", "ftl.over_provisioning=0.16", "precondition.fill=1",
            "precondition.overwrite=1"]
COUNTS = [
    Count("4 KiB random read, QD32", 10_000, [*READ, *QD32, *UNIFORM], 18),
    Count("4 KiB random read, QD1", 10_000, [*READ, *UNIFORM, "workload.queue_depth=1"], 20),
    Count("4 KiB random write, QD32, before collection", 60_000, [*WRITE, *QD32, *UNIFORM], 13),
    Count("128 KiB sequential read, QD32", 2_000, [*READ, *QD32, *LARGE], 80, 30),
    Count("128 KiB sequential write, QD32", 2_000, [*WRITE, *QD32, *LARGE], 110, 30),
    Count("128 KiB random write, QD32, collecting", 8_000,
          [*QD32, *UNIFORM, *COLLECTS, "workload.read_fraction=0", "workload.block_size=128KiB"]),
    Count("4 KiB 70/30, QD16, collecting", 150_000,
          [*UNIFORM, *COLLECTS, "workload.read_fraction=0.7", "workload.queue_depth=16"]),
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
