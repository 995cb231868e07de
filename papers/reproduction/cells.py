# SPDX-License-Identifier: Apache-2.0
"""Cells on a test board: wrong bits against suspends per erase, and how often an erase can be
stopped. Both are measured by ssdvp_cells: blocks are erased under reads, programmed, left alone,
read back.

The curve of wrong bits is an assumption of the die model, and so is the number of safe points
between the paper's two: figures 7 and 8 have no numbers. Measuring them tells whether the model is
what it should be, not whether the paper is right."""
import json
import os
import pathlib
import typing

from . import figures
from .claims import Claim, above, assumed, at_most, falling, near, none_of
from .runs import call, sets, side_by_side
from .suspend_drive import POLICIES, SAFE_POINTS, dynamic_points

WEAR = (0, 250, 500, 750, 1000)
SUSPENDS = tuple(range(0, 101, 5))
YEAR = 365
BLOCKS = 4
SAFE_POINT_WEAR = tuple(range(0, 1001, 100))
SAFE_POINT_BLOCKS = 20
PAPER = "the paper's numbers"
PAPER_WEAR = (100, 1000)  # P/E cycles for which the paper has the number of safe points
RISE = 1.02  # the wrong bits of one count of suspends differ by less from those of another
CURVE = ("the curve of the die model is an assumption, after the shape of figure 7: it cannot "
         "disagree")
POINTS = ("the number of safe points is what the policy is defined by, and between 100 and 1,000 "
          "P/E cycles an assumption: it cannot disagree")

Rber = typing.Dict[typing.Tuple[int, int], typing.Dict[int, float]]  # (days, P/E) -> by suspends


def board(overrides: typing.Sequence[str], blocks: int, days: int = 0) -> dict:
    return json.loads(call([os.environ["SSDVP_CELLS"], "experiment/suspend-cells", *sets(overrides),
                            "--blocks", str(blocks), "--retention-days", str(days)]))


def asking(suspends: int) -> str:
    """Override that has an erase stop so often."""
    return f"flash.suspend.limit={suspends}" if suspends else "flash.suspend.policy=none"


def measure_rber(options) -> Rber:
    counts = SUSPENDS[::4] if options.quick else SUSPENDS
    wear = (WEAR[0], WEAR[-1]) if options.quick else WEAR
    blocks = 1 if options.quick else BLOCKS
    cases = [(days, pe, n) for days in (0, YEAR) for pe in wear for n in counts]

    def measure(case: typing.Tuple[int, int, int]) -> typing.Tuple[int, float]:
        days, pe, n = case
        found = board((f"nand.pe_cycles={pe}", asking(n)), blocks, days)
        if not found["suspends_min"] == found["suspends_max"] == n:
            raise SystemExit(f"an erase was not suspended {n} times: {found}")
        return found["wrong_bits"] / found["bits"]

    rates = side_by_side(measure, cases, options.jobs)
    rber: Rber = {}
    for (days, pe, n), rate in zip(cases, rates):
        rber.setdefault((days, pe), {})[n] = rate
    return rber


def measure_safe_points(options) -> typing.Dict[str, typing.Dict[int, int]]:
    """Most suspends that one loop of an erase took at some wear. An erase that took s of them in
    L loops has a loop with at least s / L; the end of the last loop is none."""
    wear = SAFE_POINT_WEAR[::5] if options.quick else SAFE_POINT_WEAR
    cases = [(label, pe) for label in ("SSR(s)", "SSR(d)") for pe in wear]

    def measure(case: typing.Tuple[str, int]) -> int:
        label, pe = case
        found = board((f"nand.pe_cycles={pe}", f"flash.suspend.policy={POLICIES[label]}",
                       "nand.pages_per_block=3"), SAFE_POINT_BLOCKS)
        return -(-found["suspends_max"] // found["loops"])

    most: typing.Dict[str, typing.Dict[int, int]] = {}
    for (label, pe), points in zip(cases, side_by_side(measure, cases, options.jobs)):
        most.setdefault(label, {})[pe] = points
    return most


def threshold(by_suspends: typing.Dict[int, float]) -> int:
    """The most suspends whose wrong bits are those of none."""
    flat = by_suspends[0] * RISE
    last = 0
    for n in sorted(by_suspends):
        if by_suspends[n] > flat:
            break
        last = n
    return last


def rber_claims(rber: Rber) -> typing.List[Claim]:
    worn = max(pe for _, pe in rber)
    wear = sorted({pe for _, pe in rber})
    limits = {pe: threshold(rber[YEAR, pe]) for pe in wear}
    worst = rber[YEAR, worn]
    safe = max(n for n in worst if n <= 30)
    counts = sorted(n for n in worst if n >= limits[worn])
    steps = [(worst[b] - worst[a]) / (b - a) for a, b in zip(counts, counts[1:])]
    flat = f"{RISE - 1:.0%} count as flat"
    return [
        Claim("figure 7: RBER over suspends", "flat up to a number per erase, then rising ever "
              "faster", f"{worn} P/E, 1 year: {worst[0]:.2e} up to {limits[worn]}, "
              f"{worst[max(worst)]:.2e} at {max(worst)}",
              assumed(above(len(steps), 1, "steps beyond the flat part")
                      & above(min((b / a for a, b in zip(steps, steps[1:])), default=0), 1,
                              "a step over the one before it"), CURVE)),
        Claim("figure 7: that number", "falls with P/E cycles",
              ", ".join(f"{n} at {pe} P/E" for pe, n in limits.items()),
              assumed(falling([limits[pe] for pe in wear], 0.05, "a number"), CURVE)),
        Claim("figure 7: 10 suspends per loop", "safe at the end of life after a year",
              f"{safe} of 3 loops: {worst[safe] / worst[0] - 1:+.1%} at {worn} P/E, 1 year",
              assumed(at_most(worst[safe] / worst[0], RISE, "RBER over that without suspends",
                              flat), CURVE)),
        Claim("figure 7: wear and a year", "multiply the errors",
              f"no suspends: {rber[0, wear[0]][0]:.1e} new, {rber[0, worn][0]:.1e} at {worn} P/E, "
              f"{worst[0]:.1e} after a year",
              assumed(falling((worst[0], rber[0, worn][0], rber[0, wear[0]][0]), RISE - 1,
                              "RBER of less wear or age"), CURVE)),
    ]


def safe_point_claims(most: typing.Dict[str, typing.Dict[int, int]]) -> typing.List[Claim]:
    dynamic, static = most["SSR(d)"], most["SSR(s)"]
    wear = sorted(dynamic)
    points = {("SSR(s)", pe): SAFE_POINTS["SSR(s)"] for pe in wear}
    points.update({("SSR(d)", pe): dynamic_points(pe) for pe in wear})
    beyond = sum(most[label][pe] > n for (label, pe), n in points.items())
    off = {label: sum(most[label][pe] != points[label, pe] for pe in wear) for label in most}
    return [
        Claim("figure 8: SSR(s)", "10 safe points per loop throughout life",
              f"most suspends of a loop: {min(static.values())}..{max(static.values())}",
              assumed(none_of(off["SSR(s)"], "wear with another number"), POINTS)),
        Claim("figure 8: SSR(d)", "30 up to 100 P/E cycles, falling to 10 at 1,000",
              ", ".join(f"{dynamic[pe]} at {pe}" for pe in wear),
              assumed(none_of(off["SSR(d)"], "wear with another number")
                      & near(dynamic[wear[-1]], 10, 0, "points at 1,000"), POINTS)),
        Claim("suspends of a loop", "never more than it has safe points, so that SSR does no harm",
              f"{beyond} of {len(points)} cases beyond, under reads that ask all the time, "
              f"{SAFE_POINT_BLOCKS} erases each", none_of(beyond, "loop suspended more often")),
    ]


def draw_rber(rber: Rber, out: pathlib.Path) -> None:
    panels = {title: {f"{pe} P/E": sorted(by.items())
                      for (d, pe), by in rber.items() if d == days}
              for days, title in ((0, "just programmed"), (YEAR, "after 1 year at 30 C"))}
    figures.panels(panels, out / "rber-by-suspends", figures.Axes(
        "suspends per erase", "raw bit error rate", yscale="log", names=("retention", "wear"),
        note="An assumed curve, after the shape of the paper's figure 7: not measured in chips"))


def draw_safe_points(most: typing.Dict[str, typing.Dict[int, int]], out: pathlib.Path) -> None:
    series = {label: sorted(by_wear.items()) for label, by_wear in most.items()}
    series[PAPER] = [(pe, dynamic_points(pe)) for pe in PAPER_WEAR]
    figures.panels({"suspends of a loop, at most": series}, out / "safe-points", figures.Axes(
        "P/E cycles", "suspends per loop", ymin=0, names=("figure", "policy"),
        note="Between the paper's two numbers the line is assumed", alone=(PAPER,)))


def reproduce(out: pathlib.Path, options) -> typing.List[Claim]:
    """Figures 7 and 8."""
    rber = measure_rber(options)
    most = measure_safe_points(options)
    draw_rber(rber, out)
    draw_safe_points(most, out)
    return rber_claims(rber) + safe_point_claims(most)
