# SPDX-License-Identifier: Apache-2.0
"""The table of a sweep: a row per point, in one Parquet file."""
import os
import pathlib
import typing

from ssdvp.errors import ResultError
from ssdvp.explore import values
from ssdvp.explore.task import Task
from ssdvp.explore.worker import Outcome
from ssdvp.summary import Section

Row = typing.Dict[str, typing.Any]
# Of the summary: what is no measurement, or a value for each of many LUNs.
_LEFT_OUT = ("schema", "config", "config_sha256", "seed", "overrides", "channels", "validity",
             "state")


def row(task: Task, outcome: Outcome, summary: typing.Mapping[str, typing.Any]) -> Row:
    """Keys that are numbers are numbers here, in bytes, ns and Hz."""
    found: Row = {"id": task.id, "state": outcome.state, "error": outcome.error,
                  "seed": task.point.seed, "seconds": outcome.seconds, "worker": outcome.worker}
    for key, value in task.point.keys:
        number = values.number(value)
        found[key] = value if number is None else number
    measured = {k: v for k, v in summary.items() if k not in _LEFT_OUT}
    found.update(Section(measured).flat())
    found["warnings"] = ", ".join(w["code"] for w in summary.get("validity", {}).get("warnings", ())
                                  ) if summary else None
    return found


def write_parquet(path: pathlib.Path, rows: typing.Sequence[Row]) -> None:
    """Whole or not at all; an earlier file stays if it cannot be written."""
    import pyarrow
    from pyarrow import parquet
    names = dict.fromkeys(name for r in rows for name in r)
    columns = {name: [r.get(name) for r in rows] for name in names}
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        parquet.write_table(pyarrow.table({n: _column(v) for n, v in columns.items()}), beside)
        os.replace(beside, path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise ResultError(f"{path} cannot be written: {error.strerror or error}; make room, and "
                          "start it again: what is done is kept") from error


def _column(found: typing.List[typing.Any]) -> typing.List[typing.Any]:
    """Of one type: numbers of both kinds are floats, anything mixed is text."""
    kinds = {type(v) for v in found if v is not None}
    if kinds <= {int, float}:
        return [None if v is None else float(v) for v in found] if float in kinds else found
    return found if len(kinds) == 1 else [None if v is None else str(v) for v in found]
