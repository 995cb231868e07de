# SPDX-License-Identifier: Apache-2.0
"""The table of a sweep: a row per point, in one Parquet file; in a CSV file without pyarrow."""
import csv
import os
import pathlib
import typing

from ssdvp import extras
from ssdvp.errors import ResultError
from ssdvp.explore import values
from ssdvp.explore.task import Task
from ssdvp.explore.worker import Outcome
from ssdvp.summary import Section

if typing.TYPE_CHECKING:
    import pandas

Row = typing.Dict[str, typing.Any]
Columns = typing.Mapping[str, typing.Sequence[typing.Any]]
_PARQUET, _CSV = "results.parquet", "results.csv"
_TEXTS = ("id", "state", "error", "worker", "warnings")
# Of the summary: what is no measurement, or a value for each of many LUNs.
LEFT_OUT = ("schema", "config", "config_sha256", "seed", "overrides", "channels", "validity",
             "state")


def row(task: Task, outcome: Outcome, summary: typing.Mapping[str, typing.Any]) -> Row:
    """Keys that are numbers are numbers here, in bytes, ns and Hz; true and false are truth values.
    """
    found: Row = {"id": task.id, "state": outcome.state, "error": outcome.error,
                  "seed": task.point.seed, "seconds": outcome.seconds, "worker": outcome.worker}
    for key, value in task.point.keys:
        found[key] = values.typed(value)
    measured = {k: v for k, v in summary.items() if k not in LEFT_OUT}
    found.update(Section(measured).flat())
    found["warnings"] = ", ".join(w["code"] for w in summary.get("validity", {}).get("warnings", ())
                                  ) if summary else None
    return found


def read_table(folder: pathlib.Path) -> "pandas.DataFrame":
    import pandas
    if not (folder / _PARQUET).exists() and (folder / _CSV).exists():
        frame = pandas.read_csv(folder / _CSV, dtype=dict.fromkeys(_TEXTS, str),
                                keep_default_na=False, na_values=[""])
        return frame.fillna({"error": ""})
    extras.need("pyarrow")
    return pandas.read_parquet(folder / _PARQUET)


def write_table(folder: pathlib.Path, rows: typing.Sequence[Row]) -> None:
    """Whole or not at all; an earlier file stays if it cannot be written."""
    names = dict.fromkeys(name for r in rows for name in r)
    columns = {name: _column([r.get(name) for r in rows]) for name in names}
    packed = extras.there("pyarrow")
    path, other = (folder / name for name in ((_PARQUET, _CSV) if packed else (_CSV, _PARQUET)))
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        (_write_parquet if packed else _write_csv)(beside, columns)
        os.replace(beside, path)
        other.unlink(missing_ok=True)  # of an earlier session: it would be stale
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise ResultError(f"{path} cannot be written: {error.strerror or error}; make room, and "
                          "start it again: what is done is kept") from error


def _write_parquet(path: pathlib.Path, columns: Columns) -> None:
    import pyarrow
    from pyarrow import parquet
    parquet.write_table(pyarrow.table(columns), path)


def _write_csv(path: pathlib.Path, columns: Columns) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(columns)
        lines.writerows(zip(*columns.values()))


def _column(found: typing.List[typing.Any]) -> typing.List[typing.Any]:
    """Of one type: numbers of both kinds are floats, anything mixed is text."""
    kinds = {type(v) for v in found if v is not None}
    if kinds <= {int, float}:
        return [None if v is None else float(v) for v in found] if float in kinds else found
    return found if len(kinds) == 1 else [None if v is None else str(v) for v in found]
