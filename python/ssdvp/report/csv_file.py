# SPDX-License-Identifier: Apache-2.0
"""CSV files of a run as columns of numbers, refused when they are cut off or something else."""
import csv
import os
import stat
import typing

from ssdvp.report.refused import Refused
from ssdvp.report.shape import is_number

Columns = typing.Dict[str, typing.List[typing.Any]]  # numbers, None where empty; words

MOMENTS = ("begin_ns", "end_ns", "arrival_ns", "submitted_ns", "completed_ns")
AGAIN = "run again, or remove the file to have a report without it"


def open_text(path: str) -> str:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe would keep us waiting
            raise Refused(f"{path} is no file; {AGAIN}")
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except UnicodeDecodeError as error:
        raise Refused(f"{path} is not text (byte {error.start}); {AGAIN}") from error
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}; {AGAIN}") from error


class Kind(typing.NamedTuple):
    """Of a file: which columns it must have. All but `words` are numbers."""
    full: typing.Collection[str]        # with a value in each line
    partly: typing.Collection[str] = ()  # which some lines have no value of
    words: typing.Collection[str] = ()  # of these and others, which are text
    above_0: typing.Collection[str] = ()


def read_columns(path: str, kind: Kind) -> typing.Optional[Columns]:
    """{column: values, None where empty}, or None without such a file."""
    if not os.path.lexists(path):
        return None
    text = open_text(path)
    try:
        rows = list(csv.reader(text.splitlines()))
    except csv.Error as error:
        raise Refused(f"{path} is damaged: {error}; {AGAIN}") from error
    wanted = [*kind.full, *kind.partly]
    if not rows or not set(wanted) <= set(rows[0]):
        lacks = ", ".join(c for c in wanted if not rows or c not in rows[0])
        raise Refused(f"{path} is no such file of a run, it has no column {lacks}; {AGAIN}")
    names = rows.pop(0)
    if not text.endswith("\n"):
        raise Refused(f"{path} is cut off in line {len(rows) + 1}; {AGAIN}")
    for number, row in enumerate(rows, 2):
        if len(row) != len(names):
            raise Refused(f"{path} is cut off or damaged: line {number} has {len(row)} values, "
                          f"its head {len(names)}; {AGAIN}")
    return {name: [r[i] for r in rows] if name in kind.words else
            numbers(path, name, [r[i] for r in rows], kind) for i, name in enumerate(names)}


def with_rows(columns: typing.Optional[Columns]) -> typing.Optional[Columns]:
    """A file that has a head alone is as good as none."""
    return columns if columns and any(columns.values()) else None


def numbers(path: str, name: str, values: typing.Sequence[str],
            kind: Kind) -> typing.List[typing.Optional[float]]:
    try:
        found = [float(v) if v else None for v in values]
    except ValueError as error:
        raise Refused(f"{path} is damaged: {name} has a value that is no number ({error}); "
                      f"{AGAIN}") from error
    for line, value in enumerate(found, 2):
        if not possible(name, value, kind):
            raise Refused(f"{path} is damaged: {name} of line {line} cannot be "
                          f"{value if value is not None else 'empty'}; {AGAIN}")
    return found


def possible(name: str, value: typing.Optional[float], kind: Kind) -> bool:
    """Moments may lie before the measured part, and degrees below 0; all else is an amount."""
    if value is None:
        return name not in kind.full
    signed = name.endswith("_c") or name in MOMENTS
    return is_number(value) and (signed or value >= 0) and (value > 0 or name not in kind.above_0)
