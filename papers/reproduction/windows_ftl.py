# SPDX-License-Identifier: Apache-2.0
"""The paper on five FTLs under Windows file systems: Table 3, cumulative erases and times (figures
2 to 7), erases per block, and its claims, on file-system traffic captured from Linux' drivers
(configs/workload/traces). Beside the paper's unit of time, the time of the modelled part.

An I/O is a request of the file system, a line of a series 100 of them; T = R + 7 W + 63 E. The
paper's R has the searches for the newest copy of a sector among others: T with and without them."""
import csv
import dataclasses
import itertools
import pathlib
import statistics
import typing

from . import figures, windows_claims
from .claims import Claim
from .runs import Result, Run, execute_all
from .windows_claims import FTLS, Case, Line, Measured

BASE = "experiment/windows-ftl"
FILE_SYSTEMS = ("fat", "ntfs")
FILES = ("mp3", "jpg")
PROCESSES = ("single", "multi")
# The paper's log block scheme stores the list of its log blocks in flash.
OPTIONS = {"bast": ("ftl.bast.log_info_writes=true",)}
ONE_BY_ONE = ("workload.replay=asap", "workload.queue_depth=1")
QUICK = "run.requests=300"
FIGURES = {"2-5": ("fat", "jpg"), "3-6": ("ntfs", "jpg"), "4-7": ("ntfs", "mp3")}

# Table 3 of the paper, per 100 I/Os: means of R, W, E, T, then their standard deviations.
PAPER = {
    "msbs": (147214, 20549, 629, 330688, 28633, 3226, 161, 60288),
    "fmax": (64077, 21801, 647, 257466, 10271, 3454, 162, 44215),
    "lm": (35083, 33520, 739, 316291, 5492, 5238, 158, 51723),
    "bast": (22887, 23089, 384, 208719, 2900, 2965, 64, 27306),
    "fast": (23144, 22365, 376, 203358, 3121, 3013, 70, 28403),
}
COLUMNS = ("R", "W", "E", "T")


def cases() -> typing.List[Case]:
    return [Case(*key) for key in itertools.product(FTLS, FILE_SYSTEMS, FILES, PROCESSES)]


def run(case: Case, folder: pathlib.Path, quick: bool) -> Run:
    series = folder / case.label() / "series.csv"
    series.parent.mkdir(parents=True, exist_ok=True)
    less = (QUICK,) if quick else ()
    return Run(case.label(), (BASE, f"workload/{case.workload()}"),
               (f"ftl.scheme={case.ftl}", *OPTIONS.get(case.ftl, ()), *ONE_BY_ONE, *less),
               ("--ftl-series", str(series)))


def read_series(path: pathlib.Path) -> typing.List[Line]:
    with path.open(encoding="utf-8", newline="") as file:
        return [Line(*(int(row[field.name]) for field in dataclasses.fields(Line)))
                for row in csv.DictReader(file)]


def table_3(measured: Measured) -> typing.Dict[str, typing.Tuple[float, ...]]:
    """As the paper's: mean and standard deviation over all lines of all workloads, with searches
    in R and T."""
    rows = {}
    for ftl in FTLS:
        lines = windows_claims.full_lines(measured, ftl)
        columns = [[line.R + line.scan for line in lines], [line.W for line in lines],
                   [line.E for line in lines], [line.T_scan for line in lines]]
        rows[ftl] = (*map(statistics.mean, columns), *map(statistics.pstdev, columns))
    return rows


def table_text(measured: Measured) -> str:
    """Table 3, ours above the paper's, and what the modelled part needs."""
    ours = table_3(measured)
    head = ["per 100 I/Os", *(f"{what}" for what in COLUMNS), "T, no search",
            *(f"sd {what}" for what in COLUMNS), "s on the part"]
    rows = [head]
    for ftl in FTLS:
        lines = windows_claims.full_lines(measured, ftl)
        seconds = sum(result.summary["sim"]["simulated_ns"] for case, (result, _) in
                      measured.items() if case.ftl == ftl) / 1e9
        mean = [f"{v:,.0f}" for v in ours[ftl]]
        without = f"{statistics.mean(line.T for line in lines):,.0f}"
        rows.append([ftl, *mean[:4], without, *mean[4:], f"{seconds:,.0f}"])
        paper = [f"{v:,.0f}" for v in PAPER[ftl]]
        rows.append(["  paper", *paper[:4], "", *paper[4:], ""])
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    return "\n".join("  ".join(cell.ljust(width) if i == 0 else cell.rjust(width)
                               for i, (cell, width) in enumerate(zip(row, widths))).rstrip()
                     for row in rows) + "\n"


def cumulated(lines: typing.Sequence[Line], value: typing.Callable[[Line], int]):
    requests = itertools.accumulate(line.requests for line in lines)
    return list(zip(requests, itertools.accumulate(map(value, lines))))


def draw_curves(measured: Measured, out: pathlib.Path) -> None:
    """Figures 2 to 7; the paper does not say of how many processes."""
    shown = {"erases": ("blocks erased", lambda line: line.E),
             "time": ("time in reads, with searches", lambda line: line.T_scan)}
    for name, (ylabel, value) in shown.items():
        content = {f"{fs} {files}, {processes}": {
            ftl: cumulated(measured[Case(ftl, fs, files, processes)][1], value) for ftl in FTLS}
            for fs, files in FIGURES.values() for processes in PROCESSES}
        figures.panels(content, out / f"windows-ftl-{name}", figures.Axes(
            "I/Os", ylabel, names=("workload", "ftl"), ymin=0))


def draw_wear(measured: Measured, out: pathlib.Path) -> None:
    """How many blocks have been erased so often, or more often."""
    content = {}
    for fs, files in FIGURES.values():
        lines = {}
        for ftl in FTLS:
            summary = measured[Case(ftl, fs, files, "single")][0].summary
            histogram = summary["ftl"]["wear"]["histogram"]
            most = max(entry["erases"] for entry in histogram)
            lines[ftl] = [(erases, sum(entry["blocks"] for entry in histogram
                                       if entry["erases"] >= erases))
                          for erases in range(most + 1)]
        content[f"{fs} {files}, single"] = lines
    figures.panels(content, out / "windows-ftl-wear", figures.Axes(
        "erases", "blocks erased so often or more", names=("workload", "ftl"), ymin=0))


def write_tables(measured: Measured, out: pathlib.Path) -> None:
    (out / "table-3.txt").write_text(table_text(measured), encoding="utf-8")
    figures.write_csv(out / "table-3.csv",
                      ["ftl", *COLUMNS, *(f"sd_{what}" for what in COLUMNS)],
                      [(ftl, *row) for ftl, row in table_3(measured).items()])
    figures.write_csv(
        out / "workloads.csv",
        ["ftl", "file_system", "files", "processes", "requests", "pages", *COLUMNS, "scan",
         "T_scan", "simulated_s", "host_w", "copy_w", "map_w", "merges_full", "associativity"],
        [windows_claims.totals_row(case, *values) for case, values in measured.items()])


def five_ftls(out: pathlib.Path, options) -> typing.List[Claim]:
    folder = out / "runs"
    chosen = cases()
    results: typing.Dict[str, Result] = execute_all(
        [run(case, folder, options.quick) for case in chosen], folder, options.jobs)
    measured = {case: (results[case.label()], read_series(folder / case.label() / "series.csv"))
                for case in chosen}
    write_tables(measured, out)
    draw_curves(measured, out)
    draw_wear(measured, out)
    print(table_text(measured))
    return windows_claims.all_of_them(measured)


PARTS = {"five-ftls": five_ftls}
