# SPDX-License-Identifier: Apache-2.0
"""The paper on an FTL whose map is paged like virtual memory: reads, programs, erases and time of
random writes against the DRAM that holds k of the map's five segments (figures 7 to 10).

The paper writes 100 GiB; we write a part of that, in the steady state, and compare what happens per
page that the host writes. Measured are flash operations only: a page of 1 KiB, as there."""
import pathlib
import typing

from . import figures, schemes
from .claims import Claim
from .runs import Result, Run, execute_all

SEGMENTS = 5
PAGES = 128  # per block, and per segment of the map
SEGMENT_KIB = PAGES  # of pages of 1 KiB
HOST_PAGES = 100 << 20  # 100 GiB of 1 KiB
# Section 4 of the paper: DRAM in KiB -> reads, programs, erases, time; None: in its graphs only.
READS = {128: 11_365_325_215, 256: 9_356_072_752}
PROGRAMS = {128: 11_470_182_815, 640: 5_663_481_123}
ERASES = {128: 89_573_839, 640: 44_208_985}
TIMES = {128: 1350.24, 640: 666.14}
BETTER = {256: (17.68, 17.52), 640: (51.09, 50.62)}  # % fewer reads, programs than with 128 KiB
REQUESTS = 200_000  # measured; the paper's number over the factor that we state


class Counts(typing.NamedTuple):
    """Per page that the host writes."""
    reads: float
    programs: float
    erases: float


def predicted(copies: float, swaps: float) -> Counts:
    """`copies` of collection and `swaps` of segments per host page: a swap writes a segment to the
    spare block, erases the old one and reads another."""
    return Counts(copies + PAGES * swaps, 1 + copies + PAGES * swaps,
                  swaps + (1 + copies) / PAGES)


def swap_rate(segments: int) -> float:
    """Of uniform random writes under LRU, with that many of the five segments in DRAM."""
    return 1 - segments / SEGMENTS


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


def paper_claims() -> typing.List[Claim]:
    """What the paper's numbers say of each other, without a run."""
    volume = PROGRAMS[128] - READS[128]
    reads = PROGRAMS[640] - HOST_PAGES
    rest = {kib: PROGRAMS[kib] - PAGES * ERASES[kib] for kib in ERASES}
    fewer = 100 * (1 - reads / READS[128])
    ratio = {"time": TIMES[128] / TIMES[640], "erases": ERASES[128] / ERASES[640]}
    swaps = implied_swaps()
    copies = paper_counts()[SEGMENTS].reads
    foreseen = [100 * (1 - predicted(copies, swap_rate(k)).reads
                       / predicted(copies, swap_rate(1)).reads) for k in (2, 5)]
    return [
        Claim("about 1,000 GB are written (section 4), or 100 GB (figure 10)",
              f"programs - reads = {volume:,} pages of 1 KiB: 100 GiB, and each internal read has "
              "its program", volume == HOST_PAGES),
        Claim(f"{BETTER[640][0]} % fewer reads with 640 than with 128 KiB",
              f"{fewer:.2f} %, from its programs", round(fewer, 2) == BETTER[640][0]),
        Claim("128 programs per erase",
              f"{rest[128]:,} and {rest[640]:,} programs are not covered by erases: "
              f"{max(rest.values()) / PROGRAMS[640]:.2%} at most",
              all(0 < c < 0.001 * PROGRAMS[640] for c in rest.values())),
        Claim("time follows the erases", f"x{ratio['time']:.3f} and x{ratio['erases']:.3f}",
              abs(ratio["time"] - ratio["erases"]) < 0.002),
        Claim(f"{BETTER[256][0]} and {BETTER[640][0]} % fewer reads with 256 and 640 KiB",
              "do not follow from its model: uniform writes swap with probability 1 - k/5, which "
              f"gives {foreseen[0]:.2f} and {foreseen[1]:.2f} %. The reads imply {swaps[1]:.3f} "
              f"and {swaps[2]:.3f} swaps per page, not 0.8 and 0.6: its writes were not uniform",
              False, binding=False),
    ]


def run(segments: int, options) -> Run:
    """With all segments in DRAM any page map does: there is nothing to swap."""
    names = ("vm_map", "page_map") if segments == SEGMENTS else ("vm_map",)
    scheme = schemes.preferred(*names)
    more = (f"ftl.vm_map.segments={segments}",) if scheme.paged else ()
    more += ("precondition.overwrite=0.1",) if options.quick else ()
    return Run(f"segments-{segments}", ("experiment/vm-map",),
               (*scheme.sets(), *more, f"run.requests={REQUESTS // options.divisor}"))


def wanted(options) -> typing.Dict[int, Run]:
    first = 1 if schemes.SCHEMES["vm_map"].ready else SEGMENTS
    return {k: run(k, options) for k in range(first, SEGMENTS + 1)}


def host_pages(result: Result) -> int:
    return result.summary["host"]["write"]["bytes"] // 1024


def counted(result: Result) -> Counts:
    flash, pages = result.summary["flash"], host_pages(result)
    return Counts(*(flash[key] / pages for key in ("reads", "programs", "erases")))


def identity_claims(measured: typing.Dict[int, Result]) -> typing.List[Claim]:
    """Section by section what must hold of any run, whatever the scheme."""
    volumes, rests = [], []
    slack = 0.01
    for result in measured.values():
        count = counted(result)
        # Segments that came in and have not left: each is at most a load without its commit.
        slack = max(slack, SEGMENTS * PAGES / host_pages(result))
        volumes.append(count.programs - count.reads)
        rests.append(count.programs / (PAGES * count.erases) - 1)
    copies = counted(measured[SEGMENTS]).reads
    paper = paper_counts()[SEGMENTS].reads
    return [
        Claim("programs - reads = pages that the host writes",
              f"{min(volumes):.4f} to {max(volumes):.4f} of them", all(
                  abs(v - 1) < slack for v in volumes)),
        Claim("128 programs per erase", f"within {max(map(abs, rests)):.2%}",
              all(abs(r) < 0.02 for r in rests)),
        Claim(f"with all of the map in DRAM: {paper:.1f} copies per page, which a greedy "
              "collection makes with 8 or 9 of 1,274 blocks spare",
              f"{copies:.1f} copies per page with 9 of 1,280", abs(copies / paper - 1) < 0.1,
              binding=False),
    ]


def swap_claims(measured: typing.Dict[int, Result]) -> typing.List[Claim]:
    claimed = f"swaps of {SEGMENTS} segments, k of them in DRAM: 1 - k/{SEGMENTS} of the writes"
    missing = schemes.absent(claimed, "vm_map")
    if missing:
        return missing
    swaps = {k: r.summary["ftl"]["map"]["misses"] / host_pages(r) for k, r in measured.items()}
    # Four standard deviations of so many draws; a hundredth of a swap of more.
    near = max(0.01, *(4 * (0.25 / host_pages(r)) ** 0.5 for r in measured.values()))
    copies = counted(measured[SEGMENTS]).reads
    # Collection goes on while the host waits for a swap, so it copies a little more.
    off = [abs(counted(r).reads / predicted(copies, swap_rate(k)).reads - 1)
           for k, r in measured.items()]
    return [
        Claim(claimed, ", ".join(f"k = {k}: {s:.3f}" for k, s in swaps.items()),
              all(abs(s - swap_rate(k)) < near for k, s in swaps.items())),
        Claim("(prediction) reads = copies + 128 swaps per page", f"within {max(off):.1%}",
              max(off) < 0.05),
        Claim("80 % less DRAM costs half of the performance (time x2.03)",
              f"x{time_of(measured[1]) / time_of(measured[SEGMENTS]):.2f} with uniform writes, "
              "which swap more often than the paper's", False, binding=False),
    ]


def time_of(result: Result) -> float:
    """Simulated ns per page that the host writes."""
    return result.summary["sim"]["simulated_ns"] / host_pages(result)


def factor(measured: typing.Dict[int, Result]) -> float:
    """The paper's volume over the one that was written."""
    return HOST_PAGES / host_pages(measured[SEGMENTS])


def draw(measured: typing.Dict[int, Result], out: pathlib.Path) -> None:
    """Figures 7 to 10, per host page; time as a ratio, for the paper's unit is not known."""
    paper, copies = paper_counts(), counted(measured[SEGMENTS]).reads
    scale = f"measured over 1/{factor(measured):,.0f} of the paper's volume"
    kib = [k * SEGMENT_KIB for k in range(1, SEGMENTS + 1)]
    for number, field in zip((7, 8, 9), Counts._fields):
        lines = {
            "paper": [(k * SEGMENT_KIB, getattr(c, field)) for k, c in paper.items()],
            "model, s = 1 - k/5": [(x, getattr(predicted(copies, swap_rate(x // SEGMENT_KIB)),
                                               field)) for x in kib],
            "measured": [(k * SEGMENT_KIB, getattr(counted(r), field))
                         for k, r in measured.items()]}
        figures.panels({f"figure {number}, {scale}": lines}, out / f"vm-map-{field}", figures.Axes(
            "DRAM, KiB", f"{field} per page written", names=("figure", "line"), ymin=0, ticks=kib))
    all_in = time_of(measured[SEGMENTS])
    lines = {"paper": [(x, t / TIMES[640]) for x, t in TIMES.items()],
             "measured": [(k * SEGMENT_KIB, time_of(r) / all_in) for k, r in measured.items()]}
    figures.panels({f"figure 10, {scale}": lines}, out / "vm-map-time", figures.Axes(
        "DRAM, KiB", "time over that with 640 KiB", names=("figure", "line"), ymin=0, ticks=kib))


def dram(out: pathlib.Path, options) -> typing.List[Claim]:
    runs = wanted(options)
    results = execute_all(list(runs.values()), out / "vm-map", options.jobs)
    measured = {k: results[run.label] for k, run in runs.items()}
    draw(measured, out)
    return [*paper_claims(), *identity_claims(measured), *swap_claims(measured),
            Claim("100 GiB are written", f"1/{factor(measured):,.0f} of it, after the drive was "
                  "overwritten at random: figures 7 to 9 are per page written", True)]


PARTS = {"dram": dram}
