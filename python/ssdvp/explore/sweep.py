# SPDX-License-Identifier: Apache-2.0
"""sweep(): every point of a space, on all cores or on a cluster, resumable."""
import contextlib
import os
import pathlib
import sys
import time
import typing
import warnings

from ssdvp import bar, extras
from ssdvp.errors import ConfigError, Error
from ssdvp.explore import task as tasks_of
from ssdvp.explore.local import Local
from ssdvp.explore.space import Given, Space
from ssdvp.explore.store import Store, room_for
from ssdvp.explore.table import Row, read_table, row, write_table
from ssdvp.explore.task import Task
from ssdvp.explore.worker import FAILED, INVALID, Outcome
from ssdvp.result import Result

if typing.TYPE_CHECKING:
    import pandas
    from ssdvp.explore.cluster import Cluster

_WRITE_EVERY_S = 10.0
_WRITE_SHARE = 0.01  # of the time, at most, however long the table is
Path = typing.Union[str, "os.PathLike[str]"]


class Sweep:
    """A folder of a sweep, done or under way."""

    def __init__(self, folder: Path) -> None:
        self.folder = pathlib.Path(folder)

    @property
    def frame(self) -> "pandas.DataFrame":
        """A row per point: id, state, error, its keys, seed, and the numbers of its summary.
        Of results.parquet, or of results.csv where there was no pyarrow to write that."""
        return read_table(self.folder)

    def results(self) -> typing.List[Result]:
        """Of the points that are done."""
        frame = self.frame
        return [Result(self.folder / "points" / i) for i in frame["id"][frame["state"] == "done"]]

    def rows(self) -> typing.List[Row]:
        """The frame as dicts, with None for what a row lacks."""
        frame = self.frame
        return [{name: None if value != value else value
                 for name, value in zip(frame.columns, line)}
                for line in frame.itertuples(index=False)]

    def to_report(self, metrics: typing.Optional[typing.Sequence[str]] = None,
                  out: typing.Optional[Path] = None) -> pathlib.Path:
        """Makes the page that compares its points, by these numbers of summary.json, and returns
        its path."""
        from ssdvp.explore import pages
        return pages.of_sweep(self.rows(), self.keys, self.folder, metrics=metrics, out=out)

    def told(self) -> typing.List[str]:
        """What was run, and what to be careful about, in words."""
        from ssdvp.explore import effects, texts, worth
        rows = self.rows()
        done = [r for r in rows if r["state"] == "done"]
        groups = effects.grouped(done, list(self.keys))
        metrics = [m for m in texts.METRICS if effects.known(done, m)]
        return [worth.counted(rows, groups), *worth.cautions(rows, groups, metrics, self.folder)]

    @property
    def keys(self) -> typing.Dict[str, str]:
        """What was varied, and what it measures: {"cache.capacity": "size"}."""
        return Store.keys(self.folder)

    def __repr__(self) -> str:
        return f"Sweep({str(self.folder)!r})"

    def _repr_html_(self) -> str:
        from ssdvp.explore import display
        return display.sweep(self)


def sweep(space: typing.Union[Space, Given, Path], *, out: typing.Optional[Path] = None,
          engine: str = "local", scheduler: typing.Optional[str] = None,
          jobs: typing.Optional[int] = None, timeout: typing.Optional[float] = None,
          retry_failed: bool = False, progress: typing.Optional[bool] = None) -> Sweep:
    """Runs what is not there yet of every point of `space` (a Space, its dict, or its file).

    out           folder of the sweep; default: out/sweep. The same folder again goes on
    engine        local: processes on this machine; dask: workers of a cluster
    scheduler     address of a running Dask scheduler, or the file that it has written; default: a
                  cluster on this machine
    jobs          runs side by side; default: one per core
    timeout       seconds of wall time per point, after which it has failed
    retry_failed  runs again what failed before
    progress      a bar with the time left; default: where somebody looks

    Points that cannot be run are found beforehand, and kept with the reason. A point that fails is
    kept with its error, and the others go on."""
    space = Space.of(space)
    points = space.points()
    out = pathlib.Path(out if out is not None else "out/sweep")
    check_time(timeout)
    with contextlib.ExitStack() as stack:
        stack.enter_context(room_for(out))
        workers = stack.enter_context(engine_of(engine, scheduler, jobs))
        if not extras.there("pyarrow"):
            warnings.warn("pyarrow is not installed: the table is results.csv; "
                          "pip install 'ssdvp[explore]' makes it results.parquet", stacklevel=2)
        store = stack.enter_context(Store(out))
        store.note(keys=space.keys())
        ready = tasks_of.made_ready(space.config, points, space.options, Local(jobs).jobs)
        driver = _Driver(ready, store)
        _keep_invalid(driver)
        left = [t for t in tasks_of.in_order(ready, workers.jobs)
                if driver.is_left(t, retry_failed)]
        with bar_of(progress, len(ready), len(ready) - len(left)) as told:
            for task, outcome in workers.run(left, store, timeout):
                driver.keep(task, outcome)
                told(outcome)
        driver.write()
    return Sweep(store.folder)


def check_time(timeout: typing.Optional[float]) -> None:
    if timeout is not None and timeout <= 0:
        raise ConfigError(f"timeout: {timeout:g} s is no time in which a point could run")


class _Driver:
    """Keeps outcomes, and the table of all of them."""

    def __init__(self, tasks: typing.Sequence[Task], store: Store) -> None:
        self.tasks, self._store = tasks, store
        self._rows: typing.Dict[str, Row] = {}
        self._next_write = time.monotonic() + _WRITE_EVERY_S
        for task in tasks:
            outcome = store.outcome(task)
            if outcome is not None:
                self._rows[task.id] = self._row(task, outcome)

    def is_left(self, task: Task, retry_failed: bool) -> bool:
        row = self._rows.get(task.id)
        return row is None or (retry_failed and row["state"] == FAILED)

    def keep(self, task: Task, outcome: Outcome) -> None:
        self._store.keep(task, outcome)
        self._rows[task.id] = self._row(task, outcome)
        if time.monotonic() > self._next_write:
            self.write()

    def write(self) -> None:
        began = time.monotonic()
        ids = dict.fromkeys(t.id for t in self.tasks)
        write_table(self._store.folder, [self._rows[i] for i in ids if i in self._rows])
        ended = time.monotonic()
        self._next_write = ended + max(_WRITE_EVERY_S, (ended - began) / _WRITE_SHARE)

    def _row(self, task: Task, outcome: Outcome) -> Row:
        summary = self._store.summary(task) if outcome.state == "done" else {}
        return row(task, outcome, summary)


def _keep_invalid(driver: _Driver) -> None:
    invalid = [t for t in driver.tasks if t.invalid]
    if len(invalid) == len(driver.tasks):
        raise ConfigError(f"no point of the space can be run; the first: {invalid[0].invalid}")
    for task in invalid:
        if driver.is_left(task, False):
            driver.keep(task, Outcome(task.id, INVALID, task.invalid))


@contextlib.contextmanager
def engine_of(name: str, scheduler: typing.Optional[str],
              jobs: typing.Optional[int]) -> "typing.Iterator[typing.Union[Local, Cluster]]":
    """What runs the points, until the end of the block."""
    if jobs is not None and jobs < 1:
        raise ConfigError(f"jobs: {jobs} runs side by side make no sense; at least 1")
    if name not in ("local", "dask"):
        raise Error(f"no engine '{name}'; there are local and dask")
    if name == "local":
        if scheduler:
            raise Error("a scheduler is for engine dask")
        yield Local(jobs)
        return
    extras.need("dask", "distributed")
    from ssdvp.explore.cluster import Cluster
    cluster = Cluster(scheduler, jobs)
    try:
        yield cluster
    finally:
        cluster.close()


@contextlib.contextmanager
def bar_of(wanted: typing.Optional[bool], total: int,
           already: int, unit: str = "point") -> typing.Iterator[typing.Callable[[Outcome], None]]:
    """To be called with each outcome; shows how far it is, with the time left."""
    if not (wanted if wanted is not None else bar.somebody_looks()):
        yield lambda outcome: None
        return
    failed = 0
    with bar.tqdm()(total=total, initial=already, desc=f"{unit}s", unit=unit, file=sys.stderr,
                    smoothing=0.1, leave=not bar.in_notebook()) as shown:
        def told(outcome: Outcome) -> None:
            nonlocal failed
            failed += outcome.state == FAILED
            shown.set_postfix_str(f"{failed} failed" if failed else "", refresh=False)
            shown.update()
        yield told
