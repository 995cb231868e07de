# SPDX-License-Identifier: Apache-2.0
"""Greedy collection by itself, without a drive: how many pages it copies for each page that is
written somewhere at random, and what open and erased blocks cost.

The block with the fewest valid pages is collected when all but `erased` blocks are written and the
host needs another one. Copies go to the host's block, or to one of their own: `streams` 1 or 2."""
import array
import random
import typing


class Drive(typing.NamedTuple):
    blocks: int   # for data, whatever they hold
    pages: int    # of a block
    units: int    # pages of data that stay valid
    streams: int
    erased: int

    def spare(self) -> float:
        """Blocks."""
        return self.blocks - self.units / self.pages


class Collector:
    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.place = array.array("l", [-1]) * drive.units            # unit -> page
        self.holds = array.array("l", [-1]) * (drive.blocks * drive.pages)  # page -> unit
        self.valid = [0] * drive.blocks
        self.key = [drive.pages + 1] * drive.blocks  # valid pages of full blocks, others beyond
        self.free = list(range(drive.blocks))
        self.open = [[self.free.pop(0), 0] for _ in range(drive.streams)]  # block, pages written
        self.copies = 0

    def put(self, unit: int, stream: int) -> None:
        drive, at = self.drive, self.open[stream]
        if at[1] == drive.pages:
            self.key[at[0]] = self.valid[at[0]]
            at[:] = self.free.pop(0), 0
        page = at[0] * drive.pages + at[1]
        at[1] += 1
        old = self.place[unit]
        if old >= 0:
            block = old // drive.pages
            self.holds[old] = -1
            self.valid[block] -= 1
            if self.key[block] <= drive.pages:
                self.key[block] -= 1
        self.place[unit], self.holds[page] = page, unit
        self.valid[at[0]] += 1

    def collect(self) -> None:
        pages = self.drive.pages
        block = self.key.index(min(self.key))
        self.key[block] = pages + 1
        for page in range(block * pages, (block + 1) * pages):
            if self.holds[page] >= 0:
                self.put(self.holds[page], self.drive.streams - 1)
                self.copies += 1
        self.free.append(block)

    def write(self, unit: int) -> None:
        while self.open[0][1] == self.drive.pages and len(self.free) <= self.drive.erased:
            self.collect()
        self.put(unit, 0)


def copies(drive: Drive, warmup: int, writes: int, seed: int) -> float:
    """Per write, after the drive was filled and `warmup` writes."""
    draw = random.Random(seed)
    collector = Collector(drive)
    for unit in range(drive.units):
        collector.put(unit, 0)
    for _ in range(warmup):
        collector.write(draw.randrange(drive.units))
    before = collector.copies
    for _ in range(writes):
        collector.write(draw.randrange(drive.units))
    return (collector.copies - before) / writes
