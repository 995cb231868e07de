# SPDX-License-Identifier: Apache-2.0
"""Specification beside simulation: errors, verdicts, and how they are shown."""
import csv
import dataclasses
import pathlib
import typing

from . import table

LIMIT = 0.15
SHOWN = 100  # percent, where bars of the picture end
AGREES, EXPLAINED, OFF = "agrees", "off, reason stated", "off"
COLUMNS = ("drive", "figure", "unit", "specification", "kind", "simulation", "error_percent",
           "verdict", "source", "reason")


@dataclasses.dataclass(frozen=True)
class Compared:
    figure: table.Figure
    simulated: float

    @property
    def error(self) -> float:
        return self.simulated / self.figure.value - 1

    @property
    def verdict(self) -> str:
        # Without the rounding of binary fractions: 15 % is not yet more than 15 %.
        if round(abs(self.error), 9) <= LIMIT:
            return AGREES
        return EXPLAINED if self.figure.reason else OFF


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def cells(one: Compared) -> typing.List[str]:
    """A line of the table for people."""
    figure = one.figure
    said = ("up to " if figure.kind == "up to" else "") + number(figure.value)
    load = "" if "latency" in figure.job or figure.job == "idle" else \
        f", {figure.depth} x {figure.jobs}" if figure.jobs > 1 else f", {figure.depth}"
    return [figure.drive, figure.title + load, figure.state, f"{said} {figure.unit}",
            f"{number(one.simulated)} {figure.unit}", f"{100 * one.error:+.1f} %", one.verdict]


def label(one: Compared) -> str:
    """Of a bar."""
    state = f", {one.figure.state}" if "full" in one.figure.state else ""
    return f"{one.figure.drive}: {cells(one)[1]}, {one.figure.unit}{state}"


HEAD = ["drive", "figure", "drive is", "specification", "simulation", "error", "verdict"]


def text(compared: typing.Sequence[Compared]) -> str:
    rows = [HEAD, *(cells(one) for one in compared)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEAD))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
                     for row in rows)


def markdown(compared: typing.Sequence[Compared]) -> str:
    rows = [HEAD, ["---"] * len(HEAD), *(cells(one) for one in compared)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def write_csv(compared: typing.Sequence[Compared], path: pathlib.Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for one in compared:
            f = one.figure
            writer.writerow((f.drive, f.title, f.unit, f"{f.value:g}", f.kind,
                             f"{one.simulated:.6g}", f"{100 * one.error:.2f}", one.verdict,
                             f.source, f.reason))


def draw(compared: typing.Sequence[Compared], path: pathlib.Path) -> None:
    """A bar per figure: the error in percent, with the limit as a band."""
    import matplotlib  # pylint: disable=import-outside-toplevel
    matplotlib.use("Agg")
    import matplotlib.pyplot as plot  # pylint: disable=import-outside-toplevel
    colours = {AGREES: "tab:green", EXPLAINED: "tab:orange", OFF: "tab:red"}
    figure, axes = plot.subplots(figsize=(9, 1.5 + 0.27 * len(compared)), dpi=100)
    places = range(len(compared))
    axes.axvspan(-100 * LIMIT, 100 * LIMIT, color="0.92", zorder=0)
    errors = [100 * one.error for one in compared]
    axes.barh(places, [max(-SHOWN, min(SHOWN, error)) for error in errors], zorder=2,
              color=[colours[one.verdict] for one in compared])
    for place, error in zip(places, errors):
        left = error < 0
        axes.annotate(f"{error:+.0f} %", (max(-SHOWN, min(SHOWN, error)), place), va="center",
                      xytext=(-3 if left else 3, 0), textcoords="offset points", fontsize=7,
                      ha="right" if left else "left")
    axes.set_yticks(places, [label(one) for one in compared], fontsize=8)
    axes.set_ylim(len(compared) - 0.4, -0.6)
    axes.set_xlim(-1.25 * SHOWN, 1.25 * SHOWN)
    axes.axvline(0, color="0.3", linewidth=0.8)
    axes.set_xlabel("simulation against specification, %")
    axes.set_title("Figures of data sheets: error of the simulation")
    handles = [plot.Rectangle((0, 0), 1, 1, color=colour) for colour in colours.values()]
    axes.legend(handles, list(colours), loc="lower right", fontsize=8)
    figure.tight_layout()
    figure.savefig(path)
    plot.close(figure)
