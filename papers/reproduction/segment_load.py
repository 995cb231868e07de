# SPDX-License-Identifier: Apache-2.0
"""Writes of single pages that stay in a segment of the map or leave it: with probability `stay` the
next page lies in the segment of the last one, else it is hot, or cold, by chance. Hot pages are
those of the first segment; within hot, cold and a segment any page is as likely as another.

Under LRU a page that stays hits whatever is in DRAM, and does not change who leaves. So k slots
miss with (1 - stay) times what independent draws of segments miss with, which has a closed form."""
import itertools
import random
import typing

from .tpcc import Record

SECTORS = 2  # of 512 bytes, of a page


class Load(typing.NamedTuple):
    """`hot`: share of the draws that go to the first segment; sizes in pages."""
    hot: float
    stay: float
    pages: int    # of the drive
    segment: int  # pages that a segment of the map describes

    def shares(self) -> typing.List[float]:
        """Of the draws, by segment; the last one may be short."""
        cold = self.pages - self.segment
        sizes = [min(self.segment, self.pages - at)
                 for at in range(self.segment, self.pages, self.segment)]
        return [self.hot, *((1 - self.hot) * size / cold for size in sizes)]

    def swaps(self, slots: int) -> float:
        """Per write, with so many segments in DRAM."""
        return (1 - self.stay) * missing(self.shares(), slots)

    def hot_fraction(self) -> float:
        return self.segment / self.pages


def missing(shares: typing.Sequence[float], slots: int) -> float:
    """Of independent draws, under LRU: what is drawn is none of the `slots` that were drawn last,
    whichever these are."""
    total = 0.0
    for held in itertools.permutations(shares, slots):
        chance, left = 1.0, 1.0
        for share in held:
            chance *= share / left
            left -= share
        total += chance * left
    return max(total, 0.0)


def uniform(pages: int, segment: int) -> Load:
    """As many hot draws as the first segment has pages; none stays but by chance."""
    return Load(segment / pages, 0.0, pages, segment)


def fitted(pages: int, segment: int, one: float, two: float) -> Load:
    """The load that swaps `one` and `two` times per write, with one and two segments in DRAM. The
    ratio of both falls with the share of hot draws, and does not know of `stay`."""
    low, high = segment / pages, 1.0
    for _ in range(50):
        hot = (low + high) / 2
        shares = Load(hot, 0.0, pages, segment).shares()
        if missing(shares, 2) / missing(shares, 1) > two / one:
            low = hot
        else:
            high = hot
    stay = 1 - one / missing(Load(low, 0.0, pages, segment).shares(), 1)
    return Load(low, stay, pages, segment)


def pages_of(load: Load, count: int, seed: int) -> typing.Iterator[int]:
    draw = random.Random(seed)
    at = 0
    for i in range(count):
        if i == 0 or draw.random() >= load.stay:
            hot = draw.random() < load.hot
            page = (draw.randrange(load.segment) if hot else
                    draw.randrange(load.segment, load.pages))
            at = page // load.segment
        else:
            page = at * load.segment + draw.randrange(
                min(load.segment, load.pages - at * load.segment))
        yield page


def records(pages: typing.Iterable[int]) -> typing.Iterator[Record]:
    """As lines of a trace, for `replay: asap`: their times are but their order."""
    for i, page in enumerate(pages):
        yield Record(i, 0, page * SECTORS, SECTORS, 0)


def lru_misses(pages: typing.Iterable[int], segment: int, slots: int, skipped: int) -> int:
    """Segments that these writes bring in, from none in memory, counted one by one after those
    that are skipped."""
    held: typing.List[int] = []
    misses = 0
    for i, page in enumerate(pages):
        at = page // segment
        if at in held:
            held.remove(at)
        else:
            misses += i >= skipped
            del held[:max(0, len(held) + 1 - slots)]
        held.append(at)
    return misses
