# SPDX-License-Identifier: Apache-2.0
"""Traffic in the place of four MSR Cambridge volumes: their published share of reads and mean
sizes, a spatial skew like theirs, arrivals in bursts. Written as traces in the format ssdsim.

The traces themselves are not ours to ship. Of two of them the number of writes per offset is known
(`--histograms`); without it, zipf with the exponent that comes nearest to their histograms."""
import bisect
import csv
import dataclasses
import gzip
import itertools
import math
import pathlib
import random
import typing

SECTOR = 512
UNIT = 8  # sectors of a flash page
LONGEST = 32  # pages of a request: the drive's largest transfer, 128 KiB
HOT_READS = 0.5  # share of the reads that go where writes go; the others anywhere on the drive
BURST = 50  # requests, mean
RUSH = 8  # times the mean rate within a burst


@dataclasses.dataclass(frozen=True)
class Volume:
    """`reads`: share of the requests; sizes in sectors (table 1 of the paper). `footprint`: MiB
    that writes touch. `measured`: footprint and theta come from the histogram of the real volume,
    else they are an assumption. `rate`: requests per second of the surrogate."""
    name: str
    reads: float
    read_size: float
    write_size: float
    footprint: int
    theta: float
    measured: bool
    rate: int

    def requests(self, written: float) -> int:
        """So many that the host writes `written` bytes."""
        return round(written / ((1 - self.reads) * self.write_size * SECTOR))

    def skew(self) -> str:
        source = "fitted to its histogram" if self.measured else "assumed"
        return f"{self.footprint} MiB, zipf {self.theta:g} ({source})"


# Rates: with the smallest cache and deep programs the channels are busy for 11 to 18 % of the time,
# and the bursts of arrivals fill them.
VOLUMES = {volume.name: volume for volume in (
    Volume("hm_0", 0.3273, 14.74, 16.67, 472, 1.05, True, 2000),
    Volume("mds_0", 0.3065, 47.42, 14.48, 126, 1.15, True, 1500),
    Volume("proj_0", 0.0585, 35.68, 81.83, 768, 0.9, False, 125),
    Volume("prn_0", 0.2221, 45.67, 23.31, 1024, 0.8, False, 450),
)}


class Places:
    """Where a request begins, in units: `weights` of slots that lie `stride` units apart."""

    def __init__(self, weights: typing.Iterable[float], order: typing.Callable[[int], int],
                 stride: int):
        self.cumulative = list(itertools.accumulate(weights))
        self.order = order
        self.stride = stride

    def draw(self, chance: float) -> int:
        rank = bisect.bisect_right(self.cumulative, chance * self.cumulative[-1])
        return self.order(min(rank, len(self.cumulative) - 1)) * self.stride


def scattered(count: int) -> typing.Callable[[int], int]:
    """A fixed permutation of 0..count-1, so that popular slots are not neighbours."""
    factor = round(count * 0.6180339887498949) | 1
    while math.gcd(factor, count) != 1:
        factor += 2
    return lambda rank: rank * factor % count


def zipf(volume: Volume) -> Places:
    stride = max(1, round(volume.write_size / UNIT))
    slots = volume.footprint * 2048 // UNIT // stride
    return Places((rank ** -volume.theta for rank in range(1, slots + 1)), scattered(slots),
                  stride)


def histogram(path: pathlib.Path) -> Places:
    """Lines of byte offset and number of writes. Units that are never written are left out, so that
    the rest fits a small drive; neighbours stay neighbours."""
    counts: typing.Dict[int, int] = {}
    opened = gzip.open(path, "rt", encoding="ascii", newline="") if path.suffix == ".gz" else \
        path.open(encoding="ascii", newline="")
    with opened as file:
        for row in itertools.islice(csv.reader(file), 1, None):
            unit = int(row[0]) // (UNIT * SECTOR)
            counts[unit] = counts.get(unit, 0) + int(row[1])
    return Places((counts[unit] for unit in sorted(counts)), lambda rank: rank, 1)


def places_of(volume: Volume, folder: typing.Optional[pathlib.Path]) -> Places:
    for suffix in (".csv", ".csv.gz"):
        path = folder and folder / f"{volume.name}-write-offsets{suffix}"
        if path and path.is_file():
            return histogram(path)
    return zipf(volume)


def pages(mean_sectors: float, chance: float) -> int:
    """Size of a request: geometric from one page on, cut at LONGEST; the ratio makes up for the
    cut."""
    mean = mean_sectors / UNIT
    low, high = 0.0, 0.9999
    for _ in range(60):
        ratio = (low + high) / 2
        reached = (1 - ratio ** LONGEST) / (1 - ratio)  # mean of the law that is cut
        low, high = (ratio, high) if reached < mean else (low, ratio)
    return 1 if low <= 0 else min(LONGEST, 1 + int(math.log(1 - chance) / math.log(low)))


class Sizes:
    """pages(), from a table of its steps."""

    def __init__(self, mean_sectors: float):
        steps = 4096
        self.table = [pages(mean_sectors, (i + 0.5) / steps) for i in range(steps)]

    def draw(self, chance: float) -> int:
        return self.table[int(chance * len(self.table))]


class Request(typing.NamedTuple):
    time_ns: int
    sector: int
    sectors: int
    read: bool


def made(volume: Volume, count: int, drive: int, places: Places,
         seed: int = 1) -> typing.Iterator[Request]:
    """`drive`: its bytes. Arrivals: bursts at RUSH times the rate, pauses between them."""
    chance = random.Random(f"{volume.name}-{seed}").random  # the same on any machine
    reads, writes = Sizes(volume.read_size), Sizes(volume.write_size)
    units = drive // (UNIT * SECTOR)
    gap = 1e9 / volume.rate
    now = 0.0
    for _ in range(count):
        now -= gap / RUSH * math.log(1 - chance())
        if chance() < 1 / BURST:
            now -= gap * BURST * (1 - 1 / RUSH) * math.log(1 - chance())
        read = chance() < volume.reads
        size = (reads if read else writes).draw(chance())
        anywhere = read and chance() >= HOT_READS
        place = int(chance() * units) if anywhere else places.draw(chance())
        yield Request(round(now), min(place, units - size) * UNIT, size * UNIT, read)


def write(path: pathlib.Path, requests: typing.Iterable[Request]) -> None:
    """Lines of time_ns, device, sector, sectors, 1 = read."""
    with path.open("w", encoding="ascii") as file:
        file.writelines(f"{r.time_ns} 0 {r.sector} {r.sectors} {int(r.read)}\n" for r in requests)


def span(path: pathlib.Path, most: int) -> typing.Tuple[float, float, int]:
    """First and last time in s of an MSR trace, of its first `most` requests, and their number."""
    opened = gzip.open(path, "rt", encoding="ascii") if path.suffix == ".gz" else \
        path.open(encoding="ascii")
    first = last = 0.0
    count = 0
    with opened as file:
        for line in itertools.islice(file, most):
            last = int(line.split(",", 1)[0]) / 1e7  # 100 ns
            first = first if count else last
            count += 1
    return first, last, count
