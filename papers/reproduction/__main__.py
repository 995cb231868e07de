# SPDX-License-Identifier: Apache-2.0
"""Command line of scripts/reproduce."""
import argparse
import os
import pathlib
import sys
import typing

from . import claims, figures, pages, pictures, results, schedule
from .experiments import EXPERIMENTS

QUICK = 40  # a quick run has so many times fewer requests, where nothing else is said
FAILED, REFUSED, CHANGED = 1, 2, 3  # exit codes


def parser() -> argparse.ArgumentParser:
    known = ", ".join(f"of {name}: {' '.join(parts)}" for name, parts in EXPERIMENTS.items())
    trace = os.environ.get("SSDVP_TPCC")
    made = argparse.ArgumentParser(prog="scripts/reproduce")
    made.add_argument("name", choices=[*EXPERIMENTS, "all", "pages"])
    made.add_argument("--out", type=pathlib.Path,
                      help="default: out/reproduce/NAME, with --quick out/reproduce/quick/NAME")
    made.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs side by side")
    made.add_argument("--quick", action="store_true", help="smaller runs")
    made.add_argument("--again", action="store_true", help="make results anew that are there")
    made.add_argument("--keep", action="store_true", help="results become the committed ones")
    made.add_argument("--part", action="append", help=f"only this one, repeatable; {known}")
    made.add_argument("--tpcc", type=pathlib.Path, default=trace and pathlib.Path(trace),
                      metavar="FILE", help="TPC-C trace, format mqsim (also $SSDVP_TPCC); "
                      "default: streams with its statistics")
    made.add_argument("--msr", type=pathlib.Path, metavar="DIR", help="MSR Cambridge traces "
                      "hm_0, mds_0, proj_0, prn_0 (.csv or .csv.gz) for shallow-write; default: "
                      "surrogates with their statistics")
    made.add_argument("--histograms", type=pathlib.Path, metavar="DIR", help="NAME-write-offsets"
                      ".csv[.gz] of those volumes: offset, writes; for the surrogates")
    made.add_argument("--only-arguments", action="store_true", help=argparse.SUPPRESS)
    return made


def parse(words: typing.Optional[typing.Sequence[str]]) -> argparse.Namespace:
    made = parser()
    options = made.parse_args(words)
    if options.jobs < 1:
        made.error("--jobs: at least 1")
    if options.tpcc and not options.tpcc.is_file():
        made.error(f"--tpcc: there is no file {options.tpcc}")
    for flag, folder in (("--msr", options.msr), ("--histograms", options.histograms)):
        if folder and not folder.is_dir():
            made.error(f"{flag}: there is no folder {folder}")
    names = EXPERIMENTS if options.name == "all" else [options.name]
    for part in options.part or ():
        if not any(part in EXPERIMENTS.get(name, ()) for name in names):
            known = ", ".join(f"of {name}: {' '.join(p)}" for name, p in EXPERIMENTS.items())
            made.error(f"--part: {options.name} has no {part}; parts {known}")
    if options.keep and schedule.chosen(options):
        made.error("--keep: committed results are those that anybody can make: without traces of "
                   "one's own")
    options.divisor = QUICK if options.quick else 1
    return options


def folder_of(name: str, options: argparse.Namespace) -> pathlib.Path:
    if options.out:
        return options.out / name if options.name == "all" else options.out
    return pathlib.Path("out/reproduce") / ("quick" if options.quick else "") / name


def compared(name: str, outcome: schedule.Outcome,
             options: argparse.Namespace) -> typing.List[str]:
    """What differs from the committed results, and is not to become them."""
    if options.keep:
        if options.quick:
            results.keep_quick(name, outcome.done, EXPERIMENTS[name])
        else:
            results.keep_full(name, outcome.out, outcome.done, EXPERIMENTS[name])
            pictures.keep(name, outcome.out, outcome.done)
        return []
    if schedule.chosen(options):
        return []
    before = results.of_parts(results.committed(name, options.quick), outcome.done)
    there = {part for part, _ in before}  # others have nothing that they could differ from
    return results.changes(results.of_parts(results.figures_of(outcome.done), there), before)


def tell(name: str, outcome: schedule.Outcome, changed: typing.Sequence[str],
         figure: str) -> None:
    text = claims.table(outcome.checked)
    (outcome.out / "claims.txt").write_text(text + "\n", encoding="utf-8")
    figures.write_csv(outcome.out / "claims.csv", claims.COLUMNS,
                      [claim.row() for claim in outcome.checked])
    print(f"\n{text}\n\nplots and data in {outcome.out}\nfigures: {figure}", flush=True)
    if changed:
        print("They differ from the committed ones, which --keep accepts:\n" +
              "\n".join(f"  {line}" for line in changed), flush=True)
    if outcome.broken:
        print(f"\n{name} ended early: {outcome.broken}", file=sys.stderr)


class Summary:
    """One line per experiment that has ended, and the exit code of all."""
    HEAD = ("", "claims", "hold", "do not", "untested", "binding, do not hold", "figures", "time")

    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.rows: typing.List[typing.Sequence[str]] = []
        self.codes: typing.Set[int] = set()

    def add(self, name: str, outcome: schedule.Outcome) -> None:
        changed = compared(name, outcome, self.options)
        failing = [claim.name for claim in outcome.checked if claim.fails]
        count = [sum(claim.verdict == verdict for claim in outcome.checked)
                 for verdict in (claims.HOLDS, claims.FAILS, claims.UNTESTED)]
        figure = ("ended early" if outcome.broken else "now committed" if self.options.keep else
                  "own traces" if schedule.chosen(self.options) else
                  f"{len(changed)} changed" if changed else
                  "as committed" if results.committed(name, self.options.quick) else
                  "none committed")
        tell(name, outcome, changed, figure)
        self.rows.append((name, str(len(outcome.checked)), *map(str, count),
                          "; ".join(failing) or "none", figure, pages.duration(outcome.seconds)))
        if failing or outcome.broken:
            self.codes.add(FAILED)
        if changed:
            self.codes.add(CHANGED)

    def text(self) -> str:
        rows = [self.HEAD, *self.rows]
        widths = [max(len(row[i]) for row in rows) for i in range(len(self.HEAD))]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
                         for row in rows)

    def code(self) -> int:
        return min(self.codes, default=0)


def main(words: typing.Optional[typing.Sequence[str]] = None) -> int:
    """`words`: None for those of the command line."""
    options = parse(words)
    if options.only_arguments:
        return 0
    if options.name == "pages":
        pages.write()
        return 0
    names = list(EXPERIMENTS) if options.name == "all" else [options.name]
    summary = Summary(options)
    schedule.all_of_them({name: EXPERIMENTS[name] for name in names},
                         lambda name: folder_of(name, options), options, summary.add)
    if len(names) > 1:
        print(f"\n{summary.text()}")
    if options.keep:
        pages.write()
    return summary.code()


if __name__ == "__main__":
    sys.exit(main())
