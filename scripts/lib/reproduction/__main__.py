# SPDX-License-Identifier: Apache-2.0
"""Command line of scripts/reproduce."""
import argparse
import os
import pathlib
import sys
import typing

from . import (claims, controller, figures, log_set, map_cache, shallow_write, suspend, vm_map,
               windows_ftl, windows_sweep)

EXPERIMENTS = {"suspend": suspend.PARTS, "controller": controller.PARTS, "log-set": log_set.PARTS,
               "vm-map": vm_map.PARTS, "map-cache": map_cache.PARTS,
               "windows-ftl": {**windows_ftl.PARTS, **windows_sweep.PARTS},
               "shallow-write": shallow_write.PARTS}
QUICK = 40  # a quick run has so many times fewer requests, where nothing else is said


def parse() -> argparse.Namespace:
    known = ", ".join(f"of {name}: {' '.join(parts)}" for name, parts in EXPERIMENTS.items())
    trace = os.environ.get("SSDVP_TPCC")
    parser = argparse.ArgumentParser(prog="scripts/reproduce")
    parser.add_argument("name", choices=[*EXPERIMENTS, "all"])
    parser.add_argument("--out", type=pathlib.Path, help="default: out/reproduce/NAME")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs side by side")
    parser.add_argument("--quick", action="store_true", help="smaller runs")
    parser.add_argument("--part", action="append", help=f"only this one, repeatable; {known}")
    parser.add_argument("--tpcc", type=pathlib.Path, default=trace and pathlib.Path(trace),
                        metavar="FILE", help="TPC-C trace, format mqsim (also $SSDVP_TPCC); "
                        "default: streams with its statistics")
    parser.add_argument("--msr", type=pathlib.Path, metavar="DIR", help="MSR Cambridge traces "
                        "hm_0, mds_0, proj_0, prn_0 (.csv or .csv.gz) for shallow-write; default: "
                        "surrogates with their statistics")
    parser.add_argument("--histograms", type=pathlib.Path, metavar="DIR", help="NAME-write-offsets"
                        ".csv[.gz] of those volumes: offset, writes; for the surrogates")
    parser.add_argument("--only-arguments", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.tpcc and not options.tpcc.is_file():
        parser.error(f"--tpcc: there is no file {options.tpcc}")
    for flag, folder in (("--msr", options.msr), ("--histograms", options.histograms)):
        if folder and not folder.is_dir():
            parser.error(f"{flag}: there is no folder {folder}")
    names = EXPERIMENTS if options.name == "all" else [options.name]
    for part in options.part or ():
        if not any(part in EXPERIMENTS[name] for name in names):
            parser.error(f"--part: {options.name} has no {part}; parts {known}")
    options.divisor = QUICK if options.quick else 1
    options.results = {}  # of parts that are done, for parts that compare with them
    return options


def reproduce(name: str, out: pathlib.Path,
              options: argparse.Namespace) -> typing.List[claims.Claim]:
    checked = []
    for part, run in EXPERIMENTS[name].items():
        if options.part is None or part in options.part:
            print(f"{name}: {part}", file=sys.stderr)
            checked += run(out, options)
    return checked


def main() -> int:
    options = parse()
    if options.only_arguments:
        return 0
    failed = False
    for name in EXPERIMENTS if options.name == "all" else [options.name]:
        out = options.out / name if options.out and options.name == "all" else options.out
        out = out or pathlib.Path("out") / "reproduce" / name
        out.mkdir(parents=True, exist_ok=True)
        checked = reproduce(name, out, options)
        text = claims.table(checked)
        (out / "claims.txt").write_text(text + "\n", encoding="utf-8")
        figures.write_csv(out / "claims.csv", claims.COLUMNS, [claim.row() for claim in checked])
        print(f"\n{text}\n\nplots and data in {out}")
        failed = failed or any(c.fails for c in checked)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
