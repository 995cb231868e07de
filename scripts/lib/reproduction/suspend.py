# SPDX-License-Identifier: Apache-2.0
"""Erase suspend at safe points (SSR): tails of reads and writes under five policies."""
import pathlib
import typing

from . import cells, figures, tpcc
from .claims import Claim, falls, ms, several
from .policies import POLICIES, by_read_tail
from .runs import Result, Run, execute_all

PERCENTS = (50, 99, 99.9, 99.99, 99.999, 99.9999)
READS_FOR_THE_TAIL = 5_000_000  # at least so many reads make a 99.9999th percentile real
WEAR = (0, 250, 500, 750, 1000)
LOOPS = 3
FRESH = "SSR(d), new"
REQUESTS = {"random": 7_200_000, "starving": 600_000, "wear": 400_000}


def requests(name, options):
    return f"run.requests={REQUESTS[name] // options.divisor}"


def random_runs(options):
    return [Run(label, ("experiment/suspend",),
                (f"flash.suspend.policy={policy}", requests("random", options)))
            for label, policy in POLICIES.items()]


def starving_runs(options):
    """Many reads beside writes: an erase that can be stopped anywhere hardly moves. At the end of
    the cells' life, for which SSR(s) is laid out; and SSR(d) on a new drive."""
    def run(label, policy, cycles):
        return Run(label, ("experiment/suspend-starving",),
                   (f"flash.suspend.policy={policy}", f"nand.pe_cycles={cycles}",
                    requests("starving", options)))

    worn = [run(label, policy, WEAR[-1]) for label, policy in POLICIES.items()]
    return [*worn, run(FRESH, POLICIES["SSR(d)"], 0)]


def wear_runs(options):
    return [Run(f"{cycles}-{policy}", ("experiment/suspend",),
                (f"flash.suspend.policy={policy}", f"nand.pe_cycles={cycles}",
                 "precondition.overwrite=0.5", requests("wear", options)))
            for cycles in WEAR for policy in ("safe_point_static", "safe_point_dynamic")]


def read_claims(random):
    def p(label, percent=99.99):
        return random[label].percentile("read", percent)

    order = by_read_tail()
    reads = random["SSR(d)"].summary["host"]["read"]["requests"]
    return [
        Claim("99.99th percentile of reads up to 10 times better with SSR",
              f"SSR(d) {ms(p('SSR(d)'))}, baseline {ms(p('baseline'))}: "
              f"{p('baseline') / p('SSR(d)'):.1f} times", p("baseline") >= 5 * p("SSR(d)")),
        Claim("99.9999th percentile likewise",
              f"{p('baseline', 99.9999) / p('SSR(d)', 99.9999):.1f} times, of {reads:,} reads",
              p("baseline", 99.9999) >= 5 * p("SSR(d)", 99.9999)),
        Claim("reads: I-ES best, then more safe points = lower",
              several(random, "read", 99.99, order), falls(random, "read", 99.99, order)),
        Claim("SSR comes close to I-ES for reads",
              f"SSR(d) {p('SSR(d)') / p('I-ES'):.2f} times I-ES at 99.99 %",
              p("SSR(d)") <= 2 * p("I-ES")),
    ]


def write_claims(starving):
    def p(label):
        return starving[label].percentile("write", 99.99)

    ssr = max(p("SSR(s)"), p("SSR(d)"))
    return [
        Claim("writes under many reads: I-ES worst, since reads starve the erase; D-ES best",
              several(starving, "write", 99.99, ("I-ES", "SSR(d)", "SSR(s)", "D-ES")),
              p("I-ES") >= max(p(label) for label in POLICIES)
              and p("D-ES") <= min(p("I-ES"), ssr)),
        Claim("SSR keeps the write tail: at least 3 times better than I-ES",
              f"SSR(s) {p('I-ES') / p('SSR(s)'):.1f} times, SSR(d) {p('I-ES') / p('SSR(d)'):.1f} "
              f"times at {WEAR[-1]} P/E", p("I-ES") >= 3 * ssr),
        Claim("longest uninterrupted erase: I-ES < SSR(s) < SSR(d) < D-ES, so SSR(d) has the "
              "better write tail of the two",
              "the paper's parameters say otherwise: a segment of SSR(d) is 167..500 us, of SSR(s) "
              f"500 us. SSR(s) {ms(p('SSR(s)'))}, SSR(d) on a new drive {ms(p(FRESH))}",
              p(FRESH) < p("SSR(s)"), binding=False),
    ]


def per_erase(result: Result) -> float:
    flash = result.summary["flash"]
    return flash["suspends"] / max(1, flash["erases"])


def bound_claim(random: typing.Dict[str, Result]) -> Claim:
    bound = {"D-ES": LOOPS, "SSR(s)": 10 * LOOPS, "SSR(d)": 30 * LOOPS}
    measured = ", ".join(f"{label} {per_erase(random[label]):.1f} of {limit}"
                         for label, limit in bound.items())
    return Claim("suspends of an erase never exceed its safe points", f"mean {measured}",
                 all(per_erase(random[label]) <= limit for label, limit in bound.items()))


def wear_claim(wear: typing.Dict[str, Result]) -> Claim:
    series = [per_erase(wear[f"{cycles}-safe_point_dynamic"]) for cycles in WEAR]
    return Claim("SSR(d) has fewer safe points the more a block is worn",
                 "suspends per erase at " + ", ".join(
                     f"{cycles} P/E {value:.1f}" for cycles, value in zip(WEAR, series)),
                 series[-1] < series[0])


def draw_wear(wear: typing.Dict[str, Result], out: pathlib.Path) -> None:
    lines = {label: [(cycles, per_erase(wear[f"{cycles}-{POLICIES[label]}"])) for cycles in WEAR]
             for label in ("SSR(s)", "SSR(d)")}
    figures.panels({"Suspends per erase against wear": lines}, out / "suspends-by-wear",
                   figures.Axes("P/E cycles", "suspends per erase", ymin=0,
                                names=("figure", "policy")))


def random_part(out: pathlib.Path, options) -> typing.List[Claim]:
    """Figure 9."""
    random = execute_all(random_runs(options), out / "random", options.jobs)
    options.results["random"] = random
    for kind in ("read", "write"):
        figures.tails(random, kind, out / f"{kind}-tail",
                      f"4 KiB random 70/30 at QD16: {kind}s")
        figures.percentiles(random, kind, PERCENTS, out / f"{kind}-percentiles",
                            f"4 KiB random 70/30 at QD16: {kind}s")
    checked = [*read_claims(random), bound_claim(random)]
    if not options.quick:
        fewest = min(r.summary["host"]["read"]["requests"] for r in random.values())
        checked.append(Claim("the 99.9999th percentile is measured, not extrapolated",
                             f"{fewest:,} reads per policy", fewest >= READS_FOR_THE_TAIL))
    return checked


def starving_part(out: pathlib.Path, options) -> typing.List[Claim]:
    """Figure 9(b), where reads starve writes."""
    starving = execute_all(starving_runs(options), out / "starving", options.jobs)
    figures.tails(starving, "write", out / "write-tail-starving", "Writes beside many reads")
    return write_claims(starving)


def wear_part(out: pathlib.Path, options) -> typing.List[Claim]:
    wear = execute_all(wear_runs(options), out / "wear", options.jobs)
    draw_wear(wear, out)
    return [wear_claim(wear)]


PARTS = {"random": random_part, "starving": starving_part, "tpcc": tpcc.reproduce,
         "wear": wear_part, "cells": cells.reproduce}
