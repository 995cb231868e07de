# SPDX-License-Identifier: Apache-2.0
"""The paper on an FTL whose map is paged like virtual memory: reads, programs, erases and time of
random writes against the DRAM that holds k of the map's five segments (figures 7 to 10).

The paper writes 100 GiB; we write a part of that, in the steady state, and compare what happens per
page that the host writes. Measured are flash operations only: a page of 1 KiB, as there."""
import pathlib
import typing

from . import figures, schemes
from .claims import Check, Claim, at_most, inside, near
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
TIME_FACTOR = TIMES[128] / TIMES[640]
UNCOUNTED = 0.01  # of the pages that the host writes, at either end of the measured part
COPIED = 0.1      # of the paper's copies per page
SAVED = 0.1       # of the paper's percentages and factors
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


def run(segments: int, options) -> Run:
    """With all segments in DRAM there is nothing to swap."""
    more = (f"ftl.vm_map.segments={segments}",)
    more += ("precondition.overwrite=0.1",) if options.quick else ()
    return Run(f"segments-{segments}", ("experiment/vm-map",),
               (*schemes.SCHEMES["vm_map"].sets(), *more,
                f"run.requests={REQUESTS // options.divisor}"))


def wanted(options) -> typing.Dict[int, Run]:
    return {k: run(k, options) for k in range(1, SEGMENTS + 1)}


def host_pages(result: Result) -> int:
    return result.summary["host"]["write"]["bytes"] // 1024


def counted(result: Result) -> Counts:
    flash, pages = result.summary["flash"], host_pages(result)
    return Counts(*(flash[key] / pages for key in ("reads", "programs", "erases")))


def identity_claims(measured: typing.Dict[int, Result]) -> typing.List[Claim]:
    """What the paper's numbers obey among each other (its own are tested), so must ours."""
    counts = [counted(result) for result in measured.values()]
    volumes = [count.programs - count.reads for count in counts]
    rests = [count.programs / (PAGES * count.erases) for count in counts]
    # Segments that came in and have not left: each is at most a load without its commit.
    slack = max(UNCOUNTED, *(SEGMENTS * PAGES / host_pages(r) for r in measured.values()))
    copies = counted(measured[SEGMENTS]).reads
    paper = paper_counts()[SEGMENTS].reads
    return [
        Claim("volume", "programs - reads = pages that the host writes",
              f"{min(volumes):.4f} to {max(volumes):.4f} of them",
              inside(volumes, 1, 1, "difference per page", slack)),
        Claim("blocks", "128 programs per erase",
              f"{min(rests):.4f} to {max(rests):.4f} times as many",
              inside(rests, 1, 1, "programs per 128 erases", 0.02)),
        Claim("collection", f"{paper:.1f} copies per page with all of the map in DRAM",
              f"{copies:.1f} copies per page with 9 of 1,280 blocks spare",
              near(copies, paper, COPIED, "copies per page"),
              "spare blocks (8 or 9 of 1,274 fit), and where the map lies"),
    ]


def swap_claims(measured: typing.Dict[int, Result]) -> typing.List[Claim]:
    swaps = {k: r.summary["ftl"]["map"]["misses"] / host_pages(r) for k, r in measured.items()}
    # Four standard deviations of so many draws; a hundredth of a swap of more.
    slack = max(0.01, *(4 * (0.25 / host_pages(r)) ** 0.5 for r in measured.values()))
    copies = counted(measured[SEGMENTS]).reads
    off = [counted(r).reads / predicted(copies, swap_rate(k)).reads for k, r in measured.items()]
    return [
        Claim("swaps", f"of {SEGMENTS} segments k are in DRAM: 1 - k/{SEGMENTS} of the writes",
              ", ".join(f"k = {k}: {s:.3f}" for k, s in swaps.items()),
              inside([s - swap_rate(k) for k, s in swaps.items()], 0, 0,
                     "difference of the swaps per write", round(slack, 4))),
        Claim("model", "(its model) reads = copies + 128 swaps per page",
              f"{min(off):.3f} to {max(off):.3f} of the model",
              # Collection goes on while the host waits for a swap, so it copies a little more.
              inside(off, 1, 1, "reads over the model", 0.05)),
    ]


def dram_claims(measured: typing.Dict[int, Result]) -> typing.List[Claim]:
    """Figures 7 and 10: what more DRAM saves. The paper's reads imply other swaps than its model
    has for uniform writes."""
    first, counts = counted(measured[1]), {k: counted(r) for k, r in measured.items()}
    fewer = {k: (100 * (1 - counts[k].reads / first.reads),
                 100 * (1 - counts[k].programs / first.programs)) for k in (2, SEGMENTS)}
    slower = time_of(measured[1]) / time_of(measured[SEGMENTS])
    implied = implied_swaps()
    uniform = (f"the writes: its reads imply {implied[1]:.3f} and {implied[2]:.3f} swaps per page "
               "with 128 and 256 KiB; uniform writes have 0.8 and 0.6")
    claims = []
    for k, kib in ((2, 256), (SEGMENTS, 640)):
        both: Check = (near(fewer[k][0], BETTER[kib][0], SAVED, "% fewer reads")
                       & near(fewer[k][1], BETTER[kib][1], SAVED, "% fewer programs"))
        claims.append(Claim(f"{kib} KiB of DRAM", "{} and {} % fewer reads and programs than with "
                            "128 KiB".format(*BETTER[kib]),
                            "{:.2f} and {:.2f} %".format(*fewer[k]), both, uniform))
    return [*claims,
            Claim("80 % less DRAM", f"costs half of the performance: time x{TIME_FACTOR:.2f}",
                  f"x{slower:.2f}", near(slower, TIME_FACTOR, SAVED, "factor"), uniform),
            Claim("time", "follows the erases",
                  f"x{slower:.2f}, erases x{first.erases / counts[SEGMENTS].erases:.2f}",
                  at_most(abs(slower / (first.erases / counts[SEGMENTS].erases) - 1), 0.05,
                          "relative difference of the factors", "5 %"))]


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
    print(f"1/{factor(measured):,.0f} of the paper's 100 GiB written, after the drive was "
          "overwritten at random: figures 7 to 9 are per page written")
    return [*identity_claims(measured), *swap_claims(measured), *dram_claims(measured)]


PARTS = {"dram": dram}
