# SPDX-License-Identifier: Apache-2.0
"""Command line of scripts/doc-tables."""
import argparse
import os
import pathlib

from . import cache, placement, reduced, sampling, shallow, tables

PAGES = {"placement": placement.TABLES, "cache": cache.TABLES, "shallow": shallow.TABLES,
         "reduced": reduced.TABLES, "sampling": sampling.TABLES}


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/doc-tables")
    parser.add_argument("page", choices=[*PAGES, "all"])
    parser.add_argument("--out", type=pathlib.Path, help="default: out/doc-tables/PAGE")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs side by side")
    parser.add_argument("--row", action="append", metavar="TEXT",
                        help="only rows that contain it, repeatable")
    parser.add_argument("--only-arguments", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    options = parse()
    if options.only_arguments:
        return
    for page in PAGES if options.page == "all" else [options.page]:
        out = options.out / page if options.out and options.page == "all" else options.out
        out = out or pathlib.Path("out") / "doc-tables" / page
        for table in PAGES[page]:
            text = tables.measure(table, out, options.jobs, options.row)
            if text:
                print(text, flush=True)


if __name__ == "__main__":
    main()
