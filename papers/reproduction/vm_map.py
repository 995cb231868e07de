# SPDX-License-Identifier: Apache-2.0
"""Figures 7 to 10 of the paper on a paged map: reads, programs, erases and time against the DRAM
that holds k of the map's five segments, with writes that are uniform over the drive."""
import pathlib
import typing

from . import figures, vm_collection, vm_fitted, vm_model
from .claims import Claim, at_most, inside, near
from .runs import Run, execute_all
from .vm_model import (BETTER, PAGES, SEGMENT_KIB, SEGMENTS, TIME_FACTOR, TIMES, Counts, Measured,
                       counted, host_pages, predicted, slower, swapped, time_of)

UNCOUNTED = 0.01  # of the pages that the host writes, at either end of the measured part
SAVED = 0.1       # of the paper's percentages and factors


def swap_rate(segments: int) -> float:
    """Of uniform random writes under LRU, with that many of the five segments in DRAM."""
    return 1 - segments / SEGMENTS


def wanted(options) -> typing.Dict[int, Run]:
    """With all segments in DRAM there is nothing to swap."""
    return {k: vm_model.run(f"segments-{k}", "vm_map", options, f"ftl.vm_map.segments={k}")
            for k in vm_model.slots(options)}


def identity_claims(measured: Measured) -> typing.List[Claim]:
    """What the paper's numbers obey among each other (its own are tested), so must ours."""
    counts = [counted(result) for result in measured.values()]
    volumes = [count.programs - count.reads for count in counts]
    rests = [count.programs / (PAGES * count.erases) for count in counts]
    # Segments that came in and have not left: each is at most a load without its commit.
    slack = max(UNCOUNTED, *(SEGMENTS * PAGES / host_pages(r) for r in measured.values()))
    return [
        Claim("volume", "programs - reads = pages that the host writes",
              f"{min(volumes):.4f} to {max(volumes):.4f} of them",
              inside(volumes, 1, 1, "difference per page", slack)),
        Claim("blocks", "128 programs per erase",
              f"{min(rests):.4f} to {max(rests):.4f} times as many",
              inside(rests, 1, 1, "programs per 128 erases", 0.02)),
    ]


def swap_claims(measured: Measured) -> typing.List[Claim]:
    swaps = {k: swapped(r) for k, r in measured.items()}
    # Four standard deviations of so many draws; a hundredth of a swap of more.
    slack = max(0.01, *(4 * (0.25 / host_pages(r)) ** 0.5 for r in measured.values()))
    return [
        Claim("swaps", f"of {SEGMENTS} segments k are in DRAM: 1 - k/{SEGMENTS} of the writes",
              ", ".join(f"k = {k}: {s:.3f}" for k, s in swaps.items()),
              inside([s - swap_rate(k) for k, s in swaps.items()], 0, 0,
                     "difference of the swaps per write", round(slack, 4))),
        vm_model.model_claim("model", measured, swap_rate),
    ]


def dram_claims(measured: Measured) -> typing.List[Claim]:
    """Figures 7 and 10: what more DRAM saves. The paper's reads imply other swaps than its model
    has for uniform writes: vm_fitted has writes that swap as often."""
    implied = vm_model.implied_swaps()
    uniform = (f"the writes: its reads imply {implied[1]:.3f} and {implied[2]:.3f} swaps per page "
               "with 128 and 256 KiB; uniform writes have 0.8 and 0.6")
    two, five = (vm_model.fewer(measured, k).reads for k in (2, SEGMENTS))
    time = slower(measured)
    erases = counted(measured[1]).erases / counted(measured[SEGMENTS]).erases
    return [
        Claim("DRAM, uniform writes", f"{BETTER[256][0]} and {BETTER[640][0]} % fewer reads with "
              "256 and 640 KiB than with 128 KiB", f"{two:.2f} and {five:.2f} %",
              near(two, BETTER[256][0], SAVED, "% fewer with 256 KiB")
              & near(five, BETTER[640][0], SAVED, "% fewer with 640 KiB"), uniform),
        Claim("80 % less DRAM, uniform writes", "costs half of the performance: time "
              f"x{TIME_FACTOR:.2f}", f"x{time:.2f}", near(time, TIME_FACTOR, SAVED, "factor"),
              uniform),
        Claim("time", "follows the erases", f"x{time:.2f}, erases x{erases:.2f}",
              at_most(abs(time / erases - 1), 0.05, "relative difference of the factors", "5 %")),
    ]


def draw(measured: Measured, out: pathlib.Path) -> None:
    """Figures 7 to 10, per host page; time as a ratio, for the paper's unit is not known."""
    paper, copies = vm_model.paper_counts(), counted(measured[SEGMENTS]).reads
    scale = f"measured over 1/{vm_model.factor(measured):,.0f} of the paper's volume"
    kib = [k * SEGMENT_KIB for k in measured]
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
    print(f"1/{vm_model.factor(measured):,.0f} of the paper's 100 GiB written, after the drive was "
          "overwritten at random: figures 7 to 9 are per page written")
    return [*identity_claims(measured), *swap_claims(measured), *dram_claims(measured)]


PARTS = {"dram": dram, **vm_collection.PARTS, **vm_fitted.PARTS}
