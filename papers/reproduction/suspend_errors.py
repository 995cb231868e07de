# SPDX-License-Identifier: Apache-2.0
"""What suspends cost a drive whose cells err: stops of an erase, reads that are retried, data that
are refreshed, and the erases that this takes from the drive's life."""
import dataclasses
import math
import pathlib
import typing

from . import figures
from .claims import Claim, above, assumed, at_least, at_most, given, near, none_of
from .runs import Result, Run, execute_all
from .suspend_drive import LOOP_NS, LOOPS, POLICIES, SAFE_POINTS, dynamic_points

WORN, YOUNGER = 1000, 550          # P/E cycles
LIFE = (100, 550, 775, 850, 900, 950, 1000)
RATE = 2500                        # reads/s of a LUN, of experiment/suspend-errors
RATES = (1500, 2000, RATE, 2750)
LUNS = 2
REQUESTS = {"run.warmup": 100_000, "run.requests": 300_000}
QUICK_REQUESTS = {"run.warmup": 40_000, "run.requests": 40_000}
PERMISSIVE = "I-ES"                # stops as often as reads ask for
COUNT = 0.05     # of the stops that follow: by chance more or fewer reads meet so few erases
DEARER = 1.5     # times the erases
SAME = 0.15      # erases for the same writes differ by less
RETRIED = 5      # reads at least, else none were
CURVE = ("how many suspends the cells stand, and what more of them cost, is the curve of the die "
         "model, an assumption")
KEPT = f"{CURVE}: by it they stand those of SSR(d)"
NOTE = "Errors of cells follow the assumed curve of figure 7"


@dataclasses.dataclass(frozen=True)
class Cost:
    """Of one run. `stops`: suspends of an erase, on average."""
    stops: float
    reads_per_s: float  # of a LUN
    retried: int        # reads that needed a retry or more, those of collection among them
    retried_per_million: float  # for a million reads of the host
    refreshes_per_gib: float  # superblocks, per GiB that the host wrote
    erases_per_gib: float
    lost: int           # map units


def cost(result: Result) -> Cost:
    summary = result.summary
    drive, flash, health = summary["geometry"], summary["flash"], summary["ftl"]["health"]
    reads, writes = summary["host"]["read"], summary["host"]["write"]
    gib = writes["bytes"] / 2 ** 30
    alone = flash["by_purpose"]["recovery"]["erases"]  # others are of all planes of a LUN at a time
    erases = (flash["erases"] - alone) / drive["planes"] + alone
    return Cost(flash["suspends"] / erases,
                reads["requests"] / drive["luns"] / (summary["sim"]["simulated_ns"] / 1e9),
                health["retries"][0], health["retries"][0] / reads["requests"] * 1e6,
                health["refresh"]["runs"] / gib, flash["erases"] / gib, health["units_lost"])


def expected_stops(label: str, cycles: int, reads_per_s: float) -> float:
    """Reads arrive by chance. One or more of them stop an erase at the end of a segment, but for
    the last one, where it is over; those that come while it is stopped are served with them."""
    if label == "baseline":
        return 0
    if label == PERMISSIVE:
        return LOOPS * LOOP_NS / 1e9 * reads_per_s
    points = SAFE_POINTS.get(label) or dynamic_points(cycles)
    return (LOOPS * points - 1) * (1 - math.exp(-LOOP_NS / points / 1e9 * reads_per_s))


def stood(cycles: int) -> int:
    """Suspends of an erase that the cells stand."""
    return LOOPS * dynamic_points(cycles)


Key = typing.Tuple[str, int, int]  # policy, P/E cycles, reads/s of a LUN


def wanted(options) -> typing.List[Key]:
    worn = [(label, WORN, RATE) for label in POLICIES]
    life = (YOUNGER,) if options.quick else LIFE
    rates = () if options.quick else RATES
    return list(dict.fromkeys([*worn, *((PERMISSIVE, cycles, RATE) for cycles in life),
                               *((PERMISSIVE, WORN, each) for each in rates)]))


def run(key: Key, options) -> Run:
    label, cycles, rate = key
    requests = QUICK_REQUESTS if options.quick else REQUESTS
    return Run(f"{label}-{cycles}-{rate}", ("experiment/suspend-errors",),
               (f"flash.suspend.policy={POLICIES[label]}", f"nand.pe_cycles={cycles}",
                f"workload.reads.rate={LUNS * rate}/s",
                *(f"{name}={count}" for name, count in requests.items())))


def stop_claim(label: str, costs: typing.Dict[Key, Cost]) -> Claim:
    measured = costs[label, WORN, RATE]
    expected = expected_stops(label, WORN, measured.reads_per_s)
    return Claim(f"errors, stops of an erase, {label}",
                 "a read stops it at once" if label == PERMISSIVE else
                 "reads stop it at its next safe point",
                 f"{measured.stops:.1f} on average; {expected:.1f} follow from "
                 f"{measured.reads_per_s:,.0f} reads/s of a LUN",
                 near(measured.stops, expected, COUNT, "number of stops"))


def over_wear(costs: typing.Dict[Key, Cost]) -> typing.List[typing.Tuple[int, float]]:
    """Erases of I-ES for each GiB of the host, over those without suspends, by P/E cycles."""
    normal = costs["baseline", WORN, RATE].erases_per_gib
    return sorted((cycles, c.erases_per_gib / normal) for (label, cycles, rate), c in costs.items()
                  if label == PERMISSIVE and rate == RATE)


def life_left(points: typing.Sequence[typing.Tuple[int, float]]) -> float:
    """GiB that the host can write from the first of these P/E cycles to the last, as a share of
    those without suspends: `points` has how many times the erases a GiB takes."""
    written = sum((b - a) * (1 / times + 1 / later) / 2
                  for (a, times), (b, later) in zip(points, points[1:]))
    return written / (points[-1][0] - points[0][0])


def cost_claims(costs: typing.Dict[Key, Cost]) -> typing.List[Claim]:
    worn = {label: costs[label, WORN, RATE] for label in POLICIES}
    free = worn[PERMISSIVE]
    bound = {label: c for label, c in worn.items() if label != PERMISSIVE}
    limit = stood(WORN)
    dearer = free.erases_per_gib / max(c.erases_per_gib for c in bound.values())
    retried = max(c.retried_per_million for c in bound.values())
    life = over_wear(costs)
    left = f"; {life_left(life):.0%} of the GiB are left between {life[0][0]} and " \
        f"{life[-1][0]:,} P/E" if len(life) > 2 else ""
    return [
        Claim("errors, I-ES", "reads suspend an erase without limit, beyond what cells stand",
              f"{free.stops:.1f} stops of an erase, {limit} are safe at {WORN:,} P/E",
              above(free.stops, limit, "stops of an erase")),
        Claim("errors, D-ES and SSR", "never more often than cells stand",
              ", ".join(f"{label} {c.stops:.1f}" for label, c in bound.items()) +
              f"; {limit} are safe", at_most(max(c.stops for c in bound.values()), limit,
                                             "stops of an erase")),
        Claim("errors, retries", "I-ES makes errors of the cells more frequent",
              f"reads retried, of a million: I-ES {free.retried_per_million:,.0f}, the others "
              f"{retried:,.0f} at most",
              given(free.retried >= RETRIED or free.retried_per_million < retried,
                    f"{free.retried} retried reads are too few",
                    above(free.retried_per_million, retried, "retried reads of a million")),
              CURVE),
        Claim("errors, lifetime", "I-ES shortens it severely",
              f"I-ES {free.refreshes_per_gib:,.0f} refreshed superblocks and "
              f"{free.erases_per_gib:,.0f} erases for each GiB of the host, {dearer:.2f} times "
              f"those of the others, at {WORN:,} P/E{left}",
              at_least(dearer, DEARER, "erases over those of the others",
                       f"{DEARER:g} times: the paper has no number"), CURVE)]


def harmless_claims(costs: typing.Dict[Key, Cost]) -> typing.List[Claim]:
    without = costs["baseline", WORN, RATE]
    safe = {label: costs[label, WORN, RATE] for label in ("D-ES", "SSR(s)", "SSR(d)")}
    worn, younger = (costs[PERMISSIVE, cycles, RATE] for cycles in (WORN, YOUNGER))

    def dearest(some: typing.Iterable[Cost]) -> float:
        return max(c.erases_per_gib for c in some) / without.erases_per_gib
    same = f"{SAME:.0%}: few superblocks are collected"
    return [
        Claim("errors, SSR", "costs no reliability and no lifetime",
              f"D-ES and SSR: {dearest(safe.values()):.2f} times the erases without suspends, "
              f"{max(c.retried for c in safe.values())} retried reads, "
              f"{sum(c.lost for c in safe.values())} units lost",
              assumed(at_most(dearest(safe.values()), 1 + SAME, "erases over those without "
                              "suspends", same)
                      & none_of(sum(c.lost for c in safe.values()), "lost unit"), KEPT)),
        Claim("errors, wear", "the more P/E cycles, the fewer suspends do harm",
              f"I-ES at {YOUNGER} P/E: {younger.stops:.1f} stops of an erase, "
              f"{stood(YOUNGER)} are safe; {dearest([younger]):.2f} times the erases without "
              f"suspends, {dearest([worn]):.2f} times at {WORN:,}",
              assumed(at_most(dearest([younger]), 1 + SAME, "erases over those without suspends",
                              same), CURVE))]


def error_claims(costs: typing.Dict[Key, Cost]) -> typing.List[Claim]:
    return [*(stop_claim(label, costs) for label in POLICIES if label != "baseline"),
            *cost_claims(costs), *harmless_claims(costs)]


def draw(costs: typing.Dict[Key, Cost], out: pathlib.Path) -> None:
    worn = {label: costs[label, WORN, RATE] for label in POLICIES}
    figures.measures(
        {title: {label: getattr(c, name) for label, c in worn.items()} for title, name in (
            (f"stops of an erase\n({stood(WORN)} are safe)", "stops"),
            ("retried reads\nof a million", "retried_per_million"),
            ("refreshed superblocks\nper GiB", "refreshes_per_gib"),
            ("erases\nper GiB", "erases_per_gib"))}, out / "errors", NOTE)
    figures.write_csv(out / "errors-costs.csv", ["policy", "pe_cycles", "reads_per_s_of_a_lun",
                                                 "stops_expected", "stops_safe",
                                                 *(f.name for f in dataclasses.fields(Cost))],
                      [(label, cycles, each, f"{expected_stops(label, cycles, each):.3f}",
                        stood(cycles), *(f"{value:.6g}" for value in dataclasses.astuple(c)))
                       for (label, cycles, each), c in costs.items()])


def draw_life(costs: typing.Dict[Key, Cost], out: pathlib.Path) -> None:
    lines = {"I-ES": over_wear(costs), "SSR(d)": [
        (WORN, costs["SSR(d)", WORN, RATE].erases_per_gib /
         costs["baseline", WORN, RATE].erases_per_gib)]}
    figures.panels({f"reads at {RATE:,}/s of a LUN": lines}, out / "errors-over-life",
                   figures.Axes("P/E cycles", "erases per GiB, over those without suspends", ymin=0,
                                names=("figure", "policy"), note=NOTE))


def reproduce(out: pathlib.Path, options) -> typing.List[Claim]:
    runs = {key: run(key, options) for key in wanted(options)}
    results = execute_all(list(runs.values()), out / "errors", options.jobs)
    costs = {key: cost(results[each.label]) for key, each in runs.items()}
    draw(costs, out)
    draw_life(costs, out)
    return error_claims(costs)
