# SPDX-License-Identifier: Apache-2.0
"""Command line of scripts/validate-drives."""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import sys
import typing

from . import runs, table, verdict

FAILED = 1  # exit code; argparse refuses with 2
DOCS = pathlib.Path(__file__).parents[3] / "docs"
TABLE = re.compile(r"(<!-- scripts/validate-drives: table\.md -->\n).*?(<!-- end -->)", re.DOTALL)


def parse(words: typing.Optional[typing.Sequence[str]]) -> argparse.Namespace:
    made = argparse.ArgumentParser(prog="scripts/validate-drives")
    made.add_argument("drives", nargs="*", metavar="DRIVE")
    made.add_argument("--out", type=pathlib.Path)
    made.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs side by side")
    made.add_argument("--quick", action="store_true", help="smaller runs, none in steady state")
    made.add_argument("--keep", action="store_true", help="table and picture become the page's")
    made.add_argument("--only-arguments", action="store_true", help=argparse.SUPPRESS)
    options = made.parse_args(words)
    if options.jobs < 1:
        made.error("--jobs: at least 1")
    try:
        options.figures = table.read()
    except table.BadTable as error:
        made.error(str(error))
    known = dict.fromkeys(figure.drive for figure in options.figures)
    for name in options.drives:
        if name not in known:
            made.error(f"there are no figures of {name}; drives: {', '.join(known)}")
    if options.keep and (options.drives or options.quick):
        made.error("--keep: the page has all figures of all drives")
    options.out = options.out or pathlib.Path("out/validate-drives") / ("quick" * options.quick)
    return options


def chosen(options: argparse.Namespace) -> typing.List[table.Figure]:
    return [figure for figure in options.figures
            if (not options.drives or figure.drive in options.drives)
            and not (options.quick and figure.state == "steady")]


def compare(figures: typing.Sequence[table.Figure],
            options: argparse.Namespace) -> typing.List[verdict.Compared]:
    """Each run once, several side by side; figures in the order of the table."""
    divisor = runs.QUICK if options.quick else 1
    first = {figure.run: figure for figure in reversed(figures)}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = dict(zip(first, pool.map(
            lambda figure: runs.summary(figure, options.out, divisor), first.values())))
    return [verdict.Compared(figure, runs.measured(figure, results[figure.run]))
            for figure in figures]


def show(compared: typing.Sequence[verdict.Compared], out: pathlib.Path) -> int:
    """Writes and prints what was found; the exit code."""
    verdict.write_csv(compared, out / "results.csv")
    (out / "table.md").write_text(verdict.markdown(compared), encoding="utf-8")
    verdict.draw(compared, out / "errors.png")
    print(verdict.text(compared))
    for one in compared:
        if one.verdict == verdict.EXPLAINED:
            print(f"{one.figure.drive}, {one.figure.title}: {one.figure.reason}")
    off = sum(one.verdict == verdict.OFF for one in compared)
    print(f"{len(compared)} figures, {off} off by more than {verdict.LIMIT:.0%} without a stated "
          f"reason; {out}")
    return FAILED if off else 0


def keep(out: pathlib.Path, docs: pathlib.Path) -> None:
    """Table and picture of a whole run become those of docs/drives_validated.md."""
    page = docs / "drives_validated.md"
    table_of = (out / "table.md").read_text(encoding="utf-8")
    page.write_text(TABLE.sub(lambda found: found[1] + table_of + found[2],
                              page.read_text(encoding="utf-8")), encoding="utf-8")
    shutil.copyfile(out / "errors.png", docs / "pictures/drives-errors.png")


def main(words: typing.Optional[typing.Sequence[str]] = None) -> int:
    options = parse(words)
    if options.only_arguments:
        return 0
    options.out.mkdir(parents=True, exist_ok=True)
    try:
        code = show(compare(chosen(options), options), options.out)
        if options.keep:
            keep(options.out, DOCS)
        return code
    except runs.Failed as error:
        print(f"validate-drives: {error}", file=sys.stderr)
        return FAILED


if __name__ == "__main__":
    sys.exit(main())
