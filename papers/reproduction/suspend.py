# SPDX-License-Identifier: Apache-2.0
"""Erase suspend at safe points (SSR): tails of reads and writes under five policies. What the runs
must show is in suspend_claims.py."""
import pathlib
import typing

from . import cells, figures, suspend_claims, suspend_errors, suspend_settings, tpcc
from .claims import Claim
from .runs import Result, Run, execute_all
from .suspend_drive import POLICIES, beside_erases, oftener, quick_sets

PERCENTS = (50, 99, 99.9, 99.99, 99.999, 99.9999)
WEAR = (100, 325, 550, 775, 1000)
FRESH = "SSR(d), new"
REQUESTS = {"random": 7_200_000, "erases": 7_200_000, "starving": 1_200_000, "wear": 280_000}
# More than 50,000 reads are left where the 99.99th percentile is looked at.
BESIDE = 60_600
QUICK_REQUESTS = {"random": 72_000, "erases": BESIDE, "starving": 160_000, "wear": BESIDE}
WARMUP = 1_000_000  # of experiment/suspend: until collection is under way
WORST, QUICK_WORST = 99.9, 99  # percentile of starved writes: with I-ES there are few
QUICK_STARVING = ("D-ES", "SSR(s)", "I-ES")  # at 1,000 P/E SSR(d) is SSR(s), as `wear` shows


def sized(name: str, options) -> typing.Tuple[str, ...]:
    requests = (QUICK_REQUESTS if options.quick else REQUESTS)[name]
    return (f"run.requests={requests}",)


def warmed(options) -> typing.Tuple[str, ...]:
    return (f"run.warmup={WARMUP // oftener(options)}", *quick_sets(options))


def random_runs(options) -> typing.List[Run]:
    return [Run(label, ("experiment/suspend",),
                (f"flash.suspend.policy={policy}", *sized("random", options), *warmed(options)))
            for label, policy in POLICIES.items()]


def erase_runs(options) -> typing.List[Run]:
    return [Run(label, ("experiment/suspend-erases",),
                (f"flash.suspend.policy={policy}", *sized("erases", options),
                 *beside_erases(options.quick)))
            for label, policy in POLICIES.items()]


def starving_runs(options) -> typing.List[Run]:
    """Many reads beside writes: an erase that can be stopped anywhere hardly moves. At the end of
    the cells' life, for which SSR(s) is laid out; and SSR(d) on a new drive."""
    def run(label: str, policy: str, cycles: int) -> Run:
        return Run(label, ("experiment/suspend-starving",),
                   (f"flash.suspend.policy={policy}", f"nand.pe_cycles={cycles}",
                    *sized("starving", options), *warmed(options)))

    labels = QUICK_STARVING if options.quick else POLICIES
    worn = [run(label, POLICIES[label], WEAR[-1]) for label in labels]
    return [*worn, run(FRESH, POLICIES["SSR(d)"], 0)]


def wear_runs(options) -> typing.Dict[typing.Tuple[str, int], Run]:
    """SSR(s), which wear does not change, of a quick drive only at both ends of its life."""
    wear = WEAR[::2] if options.quick else WEAR
    static = (WEAR[0], WEAR[-1]) if options.quick else WEAR
    return {(label, cycles): Run(f"{label}-{cycles}", ("experiment/suspend-erases",),
                                 (f"flash.suspend.policy={POLICIES[label]}",
                                  f"nand.pe_cycles={cycles}", *sized("wear", options),
                                  *beside_erases(options.quick)))
            for label, some in (("SSR(s)", static), ("SSR(d)", wear)) for cycles in some}


def draw_both(results: typing.Dict[str, Result], out: pathlib.Path, prefix: str,
              title: str) -> None:
    for kind in ("read", "write"):
        figures.tails(results, kind, out / f"{prefix}{kind}-tail", f"{title}: {kind}s")
        figures.percentiles(results, kind, PERCENTS, out / f"{prefix}{kind}-percentiles",
                            f"{title}: {kind}s")


def random_part(out: pathlib.Path, options) -> typing.List[Claim]:
    """Figure 9, the paper's load: erases, programs and collection together."""
    results = execute_all(random_runs(options), out / "random", options.jobs)
    options.results["random"] = results
    draw_both(results, out, "", "4 KiB random 70/30 at QD16")
    return suspend_claims.random_claims(results)


def erases_part(out: pathlib.Path, options) -> typing.List[Claim]:
    """Figure 9(a) where waits for erases decide the tail."""
    results = execute_all(erase_runs(options), out / "erases", options.jobs)
    options.results["erases"] = results
    draw_both(results, out, "erases-", "Reads beside erases")
    return suspend_claims.erase_claims(results)


def starving_part(out: pathlib.Path, options) -> typing.List[Claim]:
    """Figure 9(b), where reads starve writes."""
    results = execute_all(starving_runs(options), out / "starving", options.jobs)
    figures.tails(results, "write", out / "write-tail-starving", "Writes beside many reads",
                  POLICIES)
    return suspend_claims.write_claims(results, FRESH, QUICK_WORST if options.quick else WORST)


def wear_part(out: pathlib.Path, options) -> typing.List[Claim]:
    """The read tail over the life of the cells."""
    # Quick runs at the first of these P/E cycles are those of `erases`, request for request.
    before = options.results.get("erases", {}) if options.quick else {}
    done = {(label, WEAR[0]): result for label, result in before.items()}
    wanted = wear_runs(options)
    missing = [run for key, run in wanted.items() if key not in done]
    results = execute_all(missing, out / "wear", options.jobs)
    measured = {key: done.get(key) or results[run.label] for key, run in wanted.items()}
    lines: typing.Dict[str, list] = {}
    for (label, cycles), result in measured.items():
        lines.setdefault(label, []).append((cycles, result.percentile("read", 99.99) / 1e6))
    figures.panels({"99.99 % of the reads beside erases": lines}, out / "read-tail-by-wear",
                   figures.Axes("P/E cycles", "latency, ms", ymin=0, names=("figure", "policy")))
    return suspend_claims.wear_claims(measured)


PARTS = {"random": random_part, "erases": erases_part, "starving": starving_part,
         "tpcc": tpcc.reproduce, "wear": wear_part,
         "errors": suspend_errors.reproduce, "settings": suspend_settings.reproduce,
         "cells": cells.reproduce}
