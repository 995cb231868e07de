# SPDX-License-Identifier: Apache-2.0
"""The paper on an FTL whose map is paged like virtual memory: what it prints, what follows from
that, and flash operations per page that the host writes, which are compared.

The paper writes 100 GiB; we write a part of that, in the steady state. Measured are flash
operations only: a page of 1 KiB, as there."""
import typing

from . import schemes
from .claims import Claim, inside
from .runs import Result, Run

BASE = "experiment/vm-map"
SEGMENTS = 5
PAGES = 128  # per block, and per segment of the map
BLOCKS = 1280
SEGMENT_PAGES = PAGES * 256  # of data, that a segment describes: 256 entries of 4 bytes in a page
SEGMENT_KIB = PAGES  # of pages of 1 KiB
HOST_PAGES = 100 << 20  # 100 GiB of 1 KiB
# Section 4 of the paper: DRAM in KiB -> reads, programs, erases, time. Others are in its graphs.
READS = {128: 11_365_325_215, 256: 9_356_072_752}
PROGRAMS = {128: 11_470_182_815, 640: 5_663_481_123}
ERASES = {128: 89_573_839, 640: 44_208_985}
TIMES = {128: 1350.24, 640: 666.14}
BETTER = {256: (17.68, 17.52), 640: (51.09, 50.62)}  # % fewer reads, programs than with 128 KiB
TIME_FACTOR = TIMES[128] / TIMES[640]
WARMUP, REQUESTS = 2500, 20_000  # measured: the paper's number over the factor that we state
QUICK = 10  # a quick run has so many times fewer
MODEL = 0.05  # of the reads: collection goes on while the host waits for a swap, so it copies more


class Counts(typing.NamedTuple):
    """Per page that the host writes."""
    reads: float
    programs: float
    erases: float


Measured = typing.Dict[int, Result]  # by segments in DRAM


def predicted(copies: float, swaps: float) -> Counts:
    """`copies` of collection and `swaps` of segments per host page: a swap writes a segment to the
    spare block, erases the old one and reads another."""
    return Counts(copies + PAGES * swaps, 1 + copies + PAGES * swaps,
                  swaps + (1 + copies) / PAGES)


def paper_counts() -> typing.Dict[int, Counts]:
    """Of the rows that it prints, by segments; what it leaves out follows from its identities."""
    reads = {**READS, 640: PROGRAMS[640] - HOST_PAGES}
    programs = {**PROGRAMS, 256: READS[256] + HOST_PAGES}
    uncounted = PROGRAMS[128] - PAGES * ERASES[128]
    erases = {**ERASES, 256: (programs[256] - uncounted) // PAGES}
    return {kib // SEGMENT_KIB: Counts(reads[kib] / HOST_PAGES, programs[kib] / HOST_PAGES,
                                       erases[kib] / HOST_PAGES) for kib in sorted(reads)}


def implied_swaps() -> typing.Dict[int, float]:
    """Swaps per host page that the paper's reads need, if collection copies as with all of the map
    in DRAM."""
    counts = paper_counts()
    return {k: (c.reads - counts[SEGMENTS].reads) / PAGES for k, c in counts.items()}


def drive_pages(over_provisioning: float) -> int:
    """That the host sees."""
    return int(BLOCKS * PAGES * (1 - over_provisioning))


def check_size(result: Result, over_provisioning: float) -> None:
    found = result.summary["geometry"]["capacity_bytes"] // 1024
    if found != drive_pages(over_provisioning):
        raise SystemExit(f"a drive of {found} pages, not {drive_pages(over_provisioning)}")


def requests(options) -> int:
    return REQUESTS // (QUICK if options.quick else 1)


def slots(options) -> typing.Sequence[int]:
    """Segments in DRAM, of the runs."""
    return (1, 2, SEGMENTS) if options.quick else range(1, SEGMENTS + 1)


def run(label: str, scheme: str, options, *sets: str, arguments=()) -> Run:
    return Run(label, (BASE,), (*schemes.SCHEMES[scheme].sets(), f"run.warmup={WARMUP}",
                                f"run.requests={requests(options)}", *sets), tuple(arguments))


def host_pages(result: Result) -> int:
    return result.summary["host"]["write"]["bytes"] // 1024


def counted(result: Result) -> Counts:
    flash, pages = result.summary["flash"], host_pages(result)
    return Counts(*(flash[key] / pages for key in ("reads", "programs", "erases")))


def collected(result: Result) -> float:
    """Pages that collection copied, per page that the host wrote."""
    return result.summary["flash"]["by_purpose"]["gc"]["reads"] / host_pages(result)


def swapped(result: Result) -> float:
    """Segments that came in, per page that the host wrote."""
    return result.summary["ftl"]["map"]["misses"] / host_pages(result)


def time_of(result: Result) -> float:
    """Simulated ns per page that the host writes."""
    return result.summary["sim"]["simulated_ns"] / host_pages(result)


def fewer(measured: Measured, segments: int) -> Counts:
    """% less than with one segment in DRAM."""
    return Counts(*(100 * (1 - now / first) for now, first in
                    zip(counted(measured[segments]), counted(measured[1]))))


def slower(measured: Measured) -> float:
    """Time with one segment in DRAM over that with all of them."""
    return time_of(measured[1]) / time_of(measured[SEGMENTS])


def factor(measured: Measured) -> float:
    """The paper's volume over the one that was written."""
    return HOST_PAGES / host_pages(measured[SEGMENTS])


def model_claim(name: str, measured: Measured, swaps: typing.Callable[[int], float]) -> Claim:
    copies = counted(measured[SEGMENTS]).reads
    off = [counted(r).reads / predicted(copies, swaps(k)).reads for k, r in measured.items()]
    return Claim(name, "(its model) reads = copies + 128 swaps per page",
                 f"{min(off):.3f} to {max(off):.3f} of the model",
                 inside(off, 1, 1, "reads over the model", MODEL))
