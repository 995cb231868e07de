# SPDX-License-Identifier: Apache-2.0
"""Tables whose cells are measured: rows and columns of settings, and what a cell tells of a run."""
import dataclasses
import pathlib
import re
import typing

from reproduction import runs

Tell = typing.Callable[[dict], str]  # the text of a cell, from the summary of its run


@dataclasses.dataclass(frozen=True)
class Line:
    """A row or a column: its label, overrides, configuration files, what its cells tell (several:
    a cell each in Markdown), and the only lines across that it meets (None: all)."""
    label: str
    sets: tuple = ()
    configs: tuple = ()
    tells: typing.Tuple[Tell, ...] = ()
    only: typing.Optional[tuple] = None


@dataclasses.dataclass(frozen=True)
class Table:
    title: str
    columns: typing.Tuple[Line, ...]
    rows: typing.Tuple[Line, ...]
    common: tuple = ()


def settings(keys: str) -> tuple:
    """Overrides that are written in one line."""
    return tuple(keys.split())


def run_of(table: Table, row: Line, column: Line) -> runs.Run:
    label = re.sub(r"[^a-z0-9]+", "-", f"{table.title} {row.label} {column.label}".lower())
    return runs.Run(label.strip("-"), row.configs + column.configs,
                    table.common + row.sets + column.sets)


def meet(row: Line, column: Line) -> bool:
    return row.only is None or column.label in row.only


def cells_of(table: Table, row: Line, results: dict) -> str:
    cells = []
    for column in table.columns:
        tells = row.tells or column.tells
        if meet(row, column):
            summary = results[run_of(table, row, column).label].summary
            cells += [tell(summary) for tell in tells]
        else:
            cells += [""] * len(tells)
    return " | ".join(cells)


def measure(table: Table, folder: pathlib.Path, jobs: int,
            wanted: typing.Optional[typing.Sequence[str]]) -> str:
    """The table in Markdown, of the rows that contain one of the words `wanted` (None: of all)."""
    rows = [r for r in table.rows if wanted is None or any(w in r.label for w in wanted)]
    if not rows:
        return ""
    todo = [run_of(table, row, column) for row in rows for column in table.columns
            if meet(row, column)]
    results = runs.execute_all(todo, folder, jobs)
    head = [label for c in table.columns for label in [c.label] + [""] * (len(c.tells) - 1)]
    text = [f"{table.title}:", "", "| | " + " | ".join(head) + " |",
            "|---" * (1 + len(head)) + "|"]
    text += [f"| {row.label} | {cells_of(table, row, results)} |" for row in rows]
    return "\n".join(text) + "\n"


def value_at(summary: dict, *path: str) -> float:
    found: typing.Any = summary
    for key in path:
        found = found[key]
    return found


def mean_us(kind: str) -> Tell:
    return lambda s: f"{value_at(s, 'host', kind, 'latency_ns', 'mean') / 1e3:.0f}"


def mean_ms(kind: str, form: str = "{:.1f}") -> Tell:
    return lambda s: form.format(value_at(s, "host", kind, "latency_ns", "mean") / 1e6) + " ms"


def kilo_iops(kind: str, form: str) -> Tell:
    return lambda s: form.format(value_at(s, "host", kind, "iops") / 1e3)


def megabytes(kind: str) -> Tell:
    return lambda s: f"{value_at(s, 'host', kind, 'bytes_per_s') / 1e6:.0f}"


def amplification(form: str) -> Tell:
    return lambda s: form.format(value_at(s, "ftl", "write_amplification"))


def together(*tells: Tell, by: str = ", ") -> Tell:
    """Several figures in one cell."""
    return lambda s: by.join(tell(s) for tell in tells)
