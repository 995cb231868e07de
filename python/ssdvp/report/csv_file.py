# SPDX-License-Identifier: Apache-2.0
"""CSV files of a run as columns of numbers, refused when they are cut off or something else."""
import csv
import os
import typing

from ssdvp.report.refused import Refused

Columns = typing.Dict[str, typing.List[typing.Any]]  # numbers, None where empty; words

AGAIN = "run again, or remove the file to have a report without it"


def open_text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except UnicodeDecodeError as error:
        raise Refused(f"{path} is not text (byte {error.start}); {AGAIN}") from error
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}; {AGAIN}") from error


def read_columns(path: str, wanted: typing.Collection[str],
                 words: typing.Collection[str] = ()) -> typing.Optional[Columns]:
    """{column: values}, or None without such a file. Values are numbers, None where empty; those
    of the columns `words` stay text. `wanted` are columns that the file must have."""
    if not os.path.lexists(path):
        return None
    text = open_text(path)
    rows = list(csv.reader(text.splitlines()))
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
    return {name: convert(path, name, [row[i] for row in rows], name in words)
            for i, name in enumerate(names)}


def convert(path: str, name: str, values: typing.List[str],
            word: bool) -> typing.List[typing.Any]:
    if word:
        return values
    try:
        return [float(v) if v else None for v in values]
    except ValueError as error:
        raise Refused(f"{path} is damaged: {name} has a value that is no number ({error}); "
                      f"{AGAIN}") from error
