# SPDX-License-Identifier: Apache-2.0
"""The machine and the loads of the paper on an FTL of logs, as far as the paper names them, and
what it leaves open."""
import typing

from . import nand_types, schemes
from .runs import Run

# The paper's link: 150 MB/s. Filled in order, the drive has nothing to collect while it is
# measured.
MACHINE = ("host.interface=sata", "host.sata.rate=1.5Gb/s", "cache.policy=rw_lru")
FILLED = ("precondition.overwrite=0",)
# Overwritten at random, and so near to the threshold that it collects all the time.
COLLECTING = ("precondition.overwrite=0.3", "gc.stop=0.011")
EXPONENT, READS = 1.2, 0.5
WORKLOADS = ("uniform", "LRU", "HCLRU")
LOCAL = ("LRU", "HCLRU")
BUFFERS = (512, 1024, 2048, 4096)  # KiB
BUS, LINK = 80, 150  # MB/s: two buses of 40, the host's link
ARBITERS = nand_types.CONTROLLERS
TYPE, ORDER = "conventional SLC", ARBITERS["out of order"]  # of figure 10

WHOLE_MAP = 32 << 20  # bytes: 2^23 units of 2 KiB, 4 bytes each
QUICK = 16            # a quick drive is so many times smaller, and its map
# Quick -> warm-up, which fills the largest buffer, and requests. What they write fits in the spare
# space. With a map that pages, which takes long to simulate, they are fewer.
LENGTH = {True: (4000, 6000), False: (10_000, 20_000)}
SHORT = {True: (1000, 2000), False: (5000, 12_000)}


class Load(typing.NamedTuple):
    workload: str = "uniform"
    exponent: float = EXPONENT
    reads: float = READS
    kib: int = 4

    def sets(self) -> typing.Tuple[str, ...]:
        pattern = (f"workload.load.pattern={self.workload.lower()}",
                   f"workload.load.read_fraction={self.reads:g}",
                   f"workload.load.block_size={self.kib}KiB")
        stack = (f"workload.load.lru_exponent={self.exponent:g}",)
        return pattern + (stack if self.workload in LOCAL else ())


class Drive(typing.NamedTuple):
    """`map_kib`: buffer of M1; 0 = the whole map."""
    kind: str = TYPE
    arbiter: str = ORDER
    buffer_kib: int = 1024
    map_kib: int = 0
    state: typing.Tuple[str, ...] = FILLED

    def sets(self, quick: bool) -> typing.Tuple[str, ...]:
        room = self.map_kib * 1024 // (QUICK if quick else 1) or WHOLE_MAP
        return (*nand_types.TYPES[self.kind], *MACHINE, *schemes.SCHEMES["log_set"].sets(room),
                f"flash.arbiter={self.arbiter}", f"cache.capacity={self.buffer_kib}KiB",
                *self.state)


def size_sets(drive: Drive, quick: bool, short: bool) -> typing.Tuple[str, ...]:
    warmup, requests = (SHORT if short else LENGTH)[quick]
    return (*((nand_types.quick_blocks(drive.kind),) if quick else ()),
            f"run.warmup={warmup}", f"run.requests={requests}")


def run(label: str, options, drive: Drive, load: Load, short: bool = False) -> Run:
    return Run(label.replace(" ", "-"), ("experiment/nand-types",),
               (*drive.sets(options.quick), *load.sets(),
                *size_sets(drive, options.quick, short or drive.map_kib != 0)))
