# SPDX-License-Identifier: Apache-2.0
"""The folder of a sweep. A point is there once its outcome.json is: it comes last, whole or not at
all, so whatever is killed, only what was under way is lost.

    points/ID/summary.json, latency.csv, ...   what the run wrote
    points/ID/outcome.json                     done, failed (why), invalid (why)
    results.parquet                            a row per point, written anew as results come
"""
import contextlib
import dataclasses
import errno
import fcntl
import json
import os
import pathlib
import shutil
import tempfile
import typing

from ssdvp.errors import ResultError
from ssdvp.explore.task import Task
from ssdvp.explore.worker import FAILED, SUMMARY, Outcome

SCHEMA = "ssdvp-sweep-1"
_FULL = os.strerror(errno.ENOSPC)
_OF_FILES = (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR,
             errno.EISDIR, errno.ENOENT, errno.EFBIG, errno.EIO)
_OUTCOME = "outcome.json"
_HEAD = "sweep.json"


@contextlib.contextmanager
def room_for(folder: typing.Union[str, "os.PathLike[str]"]) -> typing.Iterator[None]:
    """What goes wrong with files inside is told as a ResultError."""
    try:
        yield
    except OSError as error:
        if error.errno not in _OF_FILES:
            raise
        remedy = ("make room, and start it again: what is done is kept"
                  if error.errno in (errno.ENOSPC, errno.EDQUOT) else
                  "name another folder, or make it one that can be written")
        raise ResultError(f"{error.filename or folder} cannot be written: "
                          f"{error.strerror or error}; {remedy}") from error


class Store:
    """Of one driver at a time. ResultError for a folder that is something else."""

    def __init__(self, folder: typing.Union[str, "os.PathLike[str]"]) -> None:
        self.folder = pathlib.Path(folder)
        self.points = self.folder / "points"
        self._lock: typing.Optional[typing.IO[str]] = None

    def __enter__(self) -> "Store":
        head = self.folder / _HEAD
        if self.folder.exists() and not head.exists() and not all(
                map(_is_results, self.folder.iterdir())):
            raise ResultError(f"{self.folder} holds something that is no sweep; name another "
                              "folder")
        if head.exists():
            self._read_head(head)
        self.points.mkdir(parents=True, exist_ok=True)
        self._lock = (self.folder / "lock").open("w", encoding="utf-8")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._lock.close()
            raise ResultError(f"a sweep in {self.folder} is under way already") from error
        if not head.exists():
            self.note()
        for left in self.points.glob(".*"):  # of what was killed
            shutil.rmtree(left, ignore_errors=True)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._lock is not None
        self._lock.close()

    def note(self, **told: typing.Any) -> None:
        """Keeps what the pages of this folder want to know."""
        write_whole(self.folder / _HEAD, json.dumps({"schema": SCHEMA, **told}) + "\n")

    @classmethod
    def keys(cls, folder: pathlib.Path) -> typing.Dict[str, str]:
        """What was varied, and what it measures, as note() was told."""
        return dict(cls._read_head(folder / _HEAD).get("keys", {}))

    @staticmethod
    def _read_head(head: pathlib.Path) -> typing.Dict[str, typing.Any]:
        try:
            told = dict(json.loads(head.read_text(encoding="utf-8")))
            schema = told.get("schema")
        except FileNotFoundError as error:
            raise ResultError(f"{head.parent} is no folder of a sweep: it has no {_HEAD}"
                              ) from error
        except (OSError, ValueError, TypeError) as error:
            raise ResultError(f"{head} is damaged: {error}; name another folder") from error
        if schema != SCHEMA:
            raise ResultError(f"{head} is of another version ({schema}, this is {SCHEMA}); name "
                              "another folder")
        return told

    def outcome(self, task: Task) -> typing.Optional[Outcome]:
        """What came of it in this or an earlier session; None if nothing yet."""
        file = self.points / task.id / _OUTCOME
        if not file.is_file():
            return None
        try:
            told = json.loads(file.read_text(encoding="utf-8"))
            return Outcome(task.id, told["state"], told["error"], told["seconds"], told["worker"])
        except (ValueError, KeyError) as error:
            raise ResultError(f"{file} is damaged: {error}; remove it, and the point runs again"
                              ) from error

    def summary(self, task: Task) -> typing.Dict[str, typing.Any]:
        file = self.points / task.id / SUMMARY
        try:
            return dict(json.loads(file.read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:
            raise ResultError(f"{file} is missing or damaged; remove {file.parent}, and the point "
                              "runs again") from error

    def part(self, task: Task) -> pathlib.Path:
        """Where a run may write until it is kept."""
        return self.points / f".{task.id}"

    def keep(self, task: Task, outcome: Outcome) -> None:
        """The files of the outcome, or what lies in part(). A full disk is no outcome: the point is
        still to be run."""
        if outcome.state == FAILED and _FULL in outcome.error:
            raise OSError(errno.ENOSPC, _FULL, str(self.points))
        part = self.part(task)
        part.mkdir(exist_ok=True)
        for name, content in outcome.files.items():
            (part / name).parent.mkdir(parents=True, exist_ok=True)
            (part / name).write_bytes(content)
        told = dataclasses.asdict(dataclasses.replace(outcome, files={}))
        del told["files"]
        told["keys"], told["seed"] = dict(task.point.keys), task.point.seed
        write_whole(part / _OUTCOME, json.dumps(told, indent=1) + "\n")
        final = self.points / task.id
        if final.exists():
            shutil.rmtree(final)
        os.rename(part, final)


def _is_results(folder: pathlib.Path) -> bool:
    """Folders of other sweeps and runs may lie beside ours: out/slo in out."""
    return (folder / _HEAD).is_file() or (folder / SUMMARY).is_file()


def write_whole(path: pathlib.Path, text: str) -> None:
    """Beside it first: an earlier file stays until this one is complete."""
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(beside, path)
    except BaseException:
        pathlib.Path(beside).unlink(missing_ok=True)
        raise
