# SPDX-License-Identifier: Apache-2.0
"""optimise(): the configurations between which one has to choose, the Pareto front."""
import contextlib
import dataclasses
import pathlib
import typing

from ssdvp import extras, program
from ssdvp.errors import ConfigError
from ssdvp.explore import task as tasks_of
from ssdvp.explore.effects import Group
from ssdvp.explore.goal import Goal, Measured, dominates
from ssdvp.explore.local import Local
from ssdvp.explore.options import option_problem
from ssdvp.explore.space import GOAL, Given, Keys, Point, Space, texts
from ssdvp.explore.store import Store, room_for
from ssdvp.explore.sweep import Path, bar_of, check_time, engine_of
from ssdvp.explore.table import Row, row
from ssdvp.explore.task import Task, program_id
from ssdvp.explore.worker import DONE, INVALID, Outcome
from ssdvp.explore.worth import FEW_SAMPLES, few_samples, trial_cautions

if typing.TYPE_CHECKING:
    import pandas
    from ssdvp.explore.cluster import Cluster
    from ssdvp.explore.study import Batch, Study

Options = typing.Mapping[str, typing.Any]

DATABASE = "study.db"
BATCH = 8  # trials asked for before any of them is told: so many workers are busy


class Optimum:
    """`trials`: a row per trial: number, state, keys, objectives, costs, allowed, reason, warnings,
    pareto."""

    def __init__(self, folder: pathlib.Path, objectives: typing.Mapping[str, str],
                 keys: typing.Mapping[str, str], rows: typing.Sequence[Row]) -> None:
        import pandas
        self.folder, self.objectives, self.keys = folder, dict(objectives), dict(keys)
        self.rows = rows
        self.trials = pandas.DataFrame([{**r, "warnings": ", ".join(r["warnings"])} for r in rows])

    @property
    def front(self) -> "pandas.DataFrame":
        """The allowed trials that no other one is better than in every objective."""
        return self.trials[self.trials["pareto"]]

    def told(self) -> typing.List[str]:
        """How many trials are on the front, and what to be careful about, in words."""
        states = self.trials["state"].value_counts().to_dict()
        of_each = ", ".join(f"{count} {state}" for state, count in states.items())
        return [f"{len(self.front)} of {len(self.trials)} trials are on the Pareto front "
                f"({of_each})", *trial_cautions(self.rows)]

    def to_report(self, out: typing.Optional[Path] = None) -> pathlib.Path:
        """Makes the page of the front, and returns its path."""
        from ssdvp.explore import pages
        return pages.of_optimum(self.rows, self.objectives, self.keys, self.folder, out)

    def __repr__(self) -> str:
        return f"Optimum({str(self.folder)!r}, {len(self.front)} of {len(self.trials)} trials)"

    def _repr_html_(self) -> str:
        from ssdvp.explore import display
        return display.optimum(self)


def optimise(objectives: typing.Mapping[str, str], constraints: typing.Sequence[str],
             space: typing.Union[Space, Given, Path], *, trials: int = 64,
             costs: typing.Optional[typing.Mapping[str, str]] = None, sampler: str = "tpe",
             seed: int = 1, short: typing.Optional[typing.Mapping[str, typing.Any]] = None,
             margin: float = 0.1, out: Path = "out/optimise",
             storage: typing.Optional[str] = None, engine: str = "local",
             scheduler: typing.Optional[str] = None, jobs: typing.Optional[int] = None,
             timeout: typing.Optional[float] = None,
             progress: typing.Optional[bool] = None) -> Optimum:
    """Seeks the Pareto front of `objectives` ({"host.read.latency_ns.p99.9": "minimise", ...}; a
    metric of summary.json, a key, cost.NAME, or a formula of them) under `constraints`
    (["host.read.iops >= 100000"]) in a space of keys.

    trials   how many points are looked at, in all
    costs    {"dollars": "2.1 * flash.channels * flash.luns_per_channel"}: the user's own figures
    sampler  tpe, nsga2 or random, seeded by `seed`
    short    options of a first, short run ({"requests": 2000}): a trial that is worse there than an
             earlier one in every objective, by `margin`, is pruned
    out      folder; the same folder again goes on
    storage  URL of Optuna's database: postgresql://USER:PASSWORD@HOST/DATABASE, or
             sqlite:///FILE; default: SQLite in the folder
    engine, scheduler, jobs, timeout, progress: as in sweep(); they do not change the result"""
    space = Space.of(space)
    goal = Goal(objectives, constraints, costs)
    goal.check_names(space)
    extras.need("optuna", *(["psycopg"] if (storage or "").startswith("postgresql") else []))
    from ssdvp.explore.database import Database
    from ssdvp.explore.study import Study
    check_time(timeout)
    _check_search(trials, seed, margin, short)
    space.try_out()
    with contextlib.ExitStack() as stack:
        stack.enter_context(room_for(out))
        workers = stack.enter_context(engine_of(engine, scheduler, jobs))
        store = stack.enter_context(Store(out))
        database = stack.enter_context(contextlib.closing(
            Database(storage or f"sqlite:///{store.folder / DATABASE}")))
        stack.enter_context(database.in_use())
        study = Study(database, space, goal.directions,
                      sampler=sampler, seed=seed,
                      of=[goal.told, space.shape(), sampler, seed, dict(short or {}), margin,
                          program_id(program.path())])
        runs = _Runs(space, goal, store, workers, timeout)
        search = _Search(study, goal, runs, space.options, dict(short or {}), margin)
        told = stack.enter_context(bar_of(progress, trials, study.told(), "trial"))
        while study.told() < trials:
            search.batch(min(BATCH, trials - study.told()), told)
        return Optimum(store.folder, objectives, space.keys(), search.rows())


def _check_search(trials: int, seed: int, margin: float,
                  short: typing.Optional[typing.Mapping[str, typing.Any]]) -> None:
    for name, value, least in (("trials", trials, 1), ("seed", seed, 0)):
        if type(value) is not int or value < least:
            raise ConfigError(f"{name}: '{value}' is no whole number from {least} on")
    if isinstance(margin, bool) or not isinstance(margin, (int, float)) or margin < 0:
        raise ConfigError(f"margin: '{margin}' is no number from 0 on")
    if not isinstance(short or {}, dict):
        raise ConfigError("short: is a map of options of ssdvp run")
    for name, given in (short or {}).items():
        problem = option_problem(name, given)
        if problem:
            raise ConfigError(f"short: {problem}")


_ASKED = ("objectives", "constraints", "costs", "trials", "sampler", "seed", "short", "margin")


def optimise_file(file: Path, **how: typing.Any) -> Optimum:
    """The same from a space's file that says in optimise: what is sought:

        optimise:
          objectives: {host.read.latency_ns.p99.9: minimise, cost.dollars: minimise}
          constraints: ["host.read.iops >= 100000"]
          costs: {dollars: "2.1 * flash.channels * flash.luns_per_channel"}
          trials: 64          # sampler, seed, short, margin: as optimise() has them

    `how`: out, storage, engine, scheduler, jobs, timeout, progress."""
    extras.need("optuna")
    space = Space.load(file)
    asked = space.given.get(GOAL)
    if not isinstance(asked, dict) or "objectives" not in asked:
        raise space.wrong((GOAL,), "optimise: with objectives: says what is sought; it is missing")
    for name in asked:
        if name not in _ASKED:
            raise space.wrong((GOAL, name), f"'{name}' is unknown here; there are "
                              + ", ".join(_ASKED))
    given = {name: asked[name] for name in asked if name not in ("objectives", "constraints")}
    try:
        return optimise(asked["objectives"], asked.get("constraints") or (), space, **given, **how)
    except ConfigError as error:
        raise error if error.place else space.wrong((GOAL,), str(error)) from error


class _Runs:
    """Runs points, each with all seeds; what is in the folder already is not run again."""

    def __init__(self, space: Space, goal: Goal, store: Store,
                 workers: "typing.Union[Local, Cluster]", timeout: typing.Optional[float]) -> None:
        self._space, self._goal, self._store = space, goal, store
        self._workers, self._timeout = workers, timeout
        self._known: typing.Dict[tasks_of.Keys, tasks_of.Answer] = {}  # of short runs, for long

    def measure(self, keys: typing.Sequence[Keys], options: Options
                ) -> typing.List[typing.Union[Measured, str]]:
        """Of each point; the reason where it could not be run, or failed."""
        points = [Point(texts(k), seed) for k in keys for seed in self._space.seeds]
        tasks = tasks_of.made_ready(self._space.config, points, options, Local().jobs,
                                    self._known)
        unique = {t.id: t for t in tasks}
        left = [t for t in unique.values() if self._store.outcome(t) is None]
        for task in left:
            if task.invalid:
                self._store.keep(task, Outcome(task.id, INVALID, task.invalid))
        todo = tasks_of.in_order([t for t in left if not t.invalid], self._workers.jobs)
        for task, outcome in self._workers.run(todo, self._store, self._timeout):
            self._store.keep(task, outcome)
        seeds = len(self._space.seeds)
        return [self._measured(tasks[i:i + seeds]) for i in range(0, len(tasks), seeds)]

    def _measured(self, tasks: typing.Sequence[Task]) -> typing.Union[Measured, str]:
        rows, warnings = [], {}
        for task in tasks:
            outcome = self._store.outcome(task)
            assert outcome is not None
            if outcome.state != DONE:
                return f"{outcome.state}: {outcome.error}"
            summary = self._store.summary(task)
            rows.append(row(task, outcome, summary))
            warnings.update({w["code"]: w["text"] for w in summary["validity"]["warnings"]})
        few = [name for name in self._goal.names if Group({}, rows).too_few(name)]
        if few:
            warnings[FEW_SAMPLES] = few_samples(few)
        measured = self._goal.measure(self._space, tasks[0].point, rows)
        return dataclasses.replace(measured, warnings=warnings)


class _Search:
    """Batches of trials, and what has been found so far."""

    def __init__(self, study: "Study", goal: Goal, runs: _Runs, options: Options, short: Options,
                 margin: float) -> None:
        self._study, self._goal, self._runs = study, goal, runs
        self._options, self._short, self._margin = options, short, margin

    def batch(self, size: int, told: typing.Callable[[Outcome], None]) -> None:
        batch = self._study.batch(size)
        good = self._study.short_values()
        if self._short:
            batch = self._without_worse(batch, good, told)
        found = self._runs.measure([keys for _, keys in batch], self._options)
        for (trial, keys), measured in zip(batch, found):
            if isinstance(measured, str):
                self._study.give_up(trial, keys, measured)
            else:
                self._study.tell(trial, keys, measured)
            told(Outcome("", DONE))

    def _without_worse(self, batch: "Batch", good: typing.Sequence[typing.Sequence[float]],
                       told: typing.Callable[[Outcome], None]) -> "Batch":
        """Without the trials that a short run shows to be worse than one that has ended."""
        kept = []
        found = self._runs.measure([keys for _, keys in batch], {**self._options, **self._short})
        for (trial, keys), measured in zip(batch, found):
            if isinstance(measured, str):
                self._study.give_up(trial, keys, measured)
            elif any(dominates(g, measured.objectives, self._goal.directions, self._margin)
                     for g in good):
                self._study.prune(trial, keys, measured)
            else:
                self._study.remember_short(trial, measured.objectives)
                kept.append((trial, keys))
                continue
            told(Outcome("", DONE))
        return kept

    def rows(self) -> typing.List[Row]:
        """Of all trials, in the order of their numbers; `pareto`: on the front."""
        rows = self._study.rows(self._goal.names)
        done = [r for r in rows if r["state"] == "complete" and r["allowed"]]
        for one in rows:
            mine = [one[n] for n in self._goal.names]
            one["pareto"] = one in done and not any(
                dominates([r[n] for n in self._goal.names], mine, self._goal.directions)
                for r in done)
        return rows
