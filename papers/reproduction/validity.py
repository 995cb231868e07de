# SPDX-License-Identifier: Apache-2.0
"""What a log L of which unit is garbage, behind a buffer of its own, would add to an FTL of logs.

A model of D that appends units to superblocks and collects the one with the least valid ones, and
of the buffers below it: each unit that is appended changes a page of L for its new place, one for
its old place, and a page of M1. Only the change of buffers is counted: where L's own pages lie, and
that they are collected as well, would add to it."""
import collections
import random
import typing

GROUP = 2          # units of a write, side by side
THRESHOLD = 0.011  # share of free superblocks below which D collects
RESERVED = 6       # superblocks more: of the maps and the anchor, and those that are open
TAKEN = 1 << 30    # "valid units" of a superblock that is open or free: never a victim


class Buffer:
    """LRU of pages that are all changed: one that is not there is read, one that leaves written."""

    def __init__(self, pages: int, units_of_page: int):
        self.pages, self.units, self.misses = pages, units_of_page, 0
        self.order: typing.OrderedDict[int, None] = collections.OrderedDict()

    def change(self, index: int) -> None:
        page = index // self.units
        if page in self.order:
            self.order.move_to_end(page)
            return
        self.misses += 1
        self.order[page] = None
        if len(self.order) > self.pages:
            self.order.popitem(last=False)


class Log:
    """D: superblocks of so many units. `places`, `units`: buffers of L and of M1."""

    def __init__(self, superblocks: int, size: int):
        self.size, self.moved, self.written = size, 0, 0
        self.valid = [TAKEN] * superblocks
        self.unit_at = [-1] * (superblocks * size)
        self.place: typing.Dict[int, int] = {}
        self.free = collections.deque(range(superblocks))
        self.places: typing.List[Buffer] = []
        self.units: typing.List[Buffer] = []
        self.open, self.used, self.count, self.reserve = -1, size, 0, 1.0

    def append(self, unit: int) -> None:
        if self.used == self.size:
            if self.open >= 0:
                self.valid[self.open] = self.count
            self.open, self.used, self.count = self.free.popleft(), 0, 0
        new, old = self.open * self.size + self.used, self.place.get(unit)
        self.used += 1
        self.count += 1
        if old is not None:
            self.unit_at[old] = -1
            if old // self.size == self.open:
                self.count -= 1
            else:
                self.valid[old // self.size] -= 1
        self.place[unit], self.unit_at[new] = new, unit
        for buffer in self.places:
            buffer.change(new)
            if old is not None:
                buffer.change(old)
        for buffer in self.units:
            buffer.change(unit)

    def collect(self) -> None:
        victim = self.valid.index(min(self.valid))
        for unit in self.unit_at[victim * self.size:(victim + 1) * self.size]:
            if unit >= 0:
                self.append(unit)
                self.moved += 1
        self.valid[victim] = TAKEN
        self.free.append(victim)

    def write(self, unit: int) -> None:
        while len(self.free) < self.reserve:
            self.collect()
        self.append(unit)
        self.written += 1


class Costs(typing.NamedTuple):
    """Per unit that the host writes. `of_places`, `of_units`: pages read, and as many written."""
    amplification: float
    of_places: typing.Dict[float, float]  # share of L in its buffer ->
    of_units: typing.Dict[float, float]   # share of M1 in its buffer ->


def steady(superblocks: int, size: int, spare: float, pages: typing.Tuple[int, int],
           shares: typing.Tuple[typing.Sequence[float], typing.Sequence[float]]) -> Costs:
    """Uniform writes to a drive that is overwritten twice; the last tenth of that is counted.
    `pages`: of L, of M1. `shares`: of them in buffers."""
    log, draw = Log(superblocks, size), random.Random(1)
    log.reserve = THRESHOLD * superblocks + RESERVED
    groups = int(superblocks * size * (1 - spare)) // GROUP
    for unit in range(groups * GROUP):
        log.write(unit)

    def overwrite(count: int) -> None:
        for _ in range(count):
            first = draw.randrange(groups) * GROUP
            for unit in range(first, first + GROUP):
                log.write(unit)
    overwrite(2 * groups)
    cells, users = superblocks * size, groups * GROUP
    log.places = [Buffer(int(s * pages[0]), cells // pages[0]) for s in shares[0]]
    log.units = [Buffer(int(s * pages[1]), -(-users // pages[1])) for s in shares[1]]
    overwrite(groups // 10)  # fills the buffers
    buffers = (*log.places, *log.units)
    for buffer in buffers:
        buffer.misses = 0
    log.moved = log.written = 0
    overwrite(groups // 5)

    def per_unit(kept: typing.Sequence[Buffer], of: typing.Sequence[float]) -> dict:
        return {s: b.misses / log.written for s, b in zip(of, kept)}
    return Costs((log.written + log.moved) / log.written, per_unit(log.places, shares[0]),
                 per_unit(log.units, shares[1]))
