# SPDX-License-Identifier: Apache-2.0
"""The study of an optimisation, in Optuna's database.

Trials are asked for in batches and told in their order, and each is drawn by a sampler that is
seeded with the trial's number. So a study depends on its history alone: not on how many workers
there are, nor on which was quicker; one that was stopped goes on as if it had not been."""
import hashlib
import json
import typing

import optuna

from ssdvp.errors import ConfigError, ResultError
from ssdvp.explore import values
from ssdvp.explore.database import Database
from ssdvp.explore.goal import Measured
from ssdvp.explore.space import Axis, Keys, Space
from ssdvp.explore.values import Value

SAMPLERS = ("tpe", "nsga2", "random")
_NAME = "ssdvp"
# Attributes of trials; of the study.
_BATCH, _ALLOWED, _SHORT, _REASON = "batch", "allowed", "short", "reason"
_KEYS, _COSTS, _WARNINGS = "keys", "costs", "warnings"
_OF = "of"
_LEFT_OUT = -1                                  # batch of a trial that `where` leaves out
_REDRAWS = 500
_STUBBORN = 2      # redraws, after which points are drawn at random
_RANDOM_FIRST = 8  # trials that tpe draws at random, to learn from
_DIRECTIONS = {"minimise": optuna.study.StudyDirection.MINIMIZE,
               "maximise": optuna.study.StudyDirection.MAXIMIZE}  # ours and Optuna's

Batch = typing.List[typing.Tuple["Trial", Keys]]
Trial = optuna.trial.Trial
State = optuna.trial.TrialState


class Study:
    """`of`: what is optimised, as JSON can have it; another study's database is refused."""

    def __init__(self, database: Database, space: Space, directions: typing.Sequence[str], *,
                 sampler: str, seed: int, of: typing.Any) -> None:
        if sampler not in SAMPLERS:
            raise ConfigError(f"no sampler '{sampler}'; there are {', '.join(SAMPLERS)}")
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._space, self._sampler, self._seed = space, sampler, seed
        self.optuna = optuna.create_study(
            storage=database.storage, study_name=_NAME, load_if_exists=True,
            directions=[_DIRECTIONS[d] for d in directions])
        mark = hashlib.sha256(json.dumps(of, sort_keys=True).encode()).hexdigest()
        known = self.optuna.user_attrs.get(_OF)
        if known is None and not self.optuna.get_trials(deepcopy=False):
            self.optuna.set_user_attr(_OF, mark)
        elif known != mark:
            raise ResultError(f"the database {database.name} holds another study: other "
                              "objectives, constraints, space, sampler or program; name another "
                              "folder or database")

    def batch(self, size: int) -> Batch:
        """The trials of the next batch, or what is left of one that was stopped."""
        trials = self.optuna.get_trials(deepcopy=False)
        number = max((t.user_attrs.get(_BATCH, 0) for t in trials), default=0)
        mine = [t for t in trials if t.user_attrs.get(_BATCH) == number]
        asked = len(mine)
        going = [t for t in mine if t.state == State.RUNNING]
        for lost in trials:  # killed before it was known of which batch it is
            if lost.state == State.RUNNING and _BATCH not in lost.user_attrs:
                self.optuna.tell(lost.number, state=State.FAIL)
        if not going and asked >= size:
            number, asked = number + 1, 0
        again = [Trial(self.optuna, t._trial_id) for t in going]
        batch = [(t, self._drawn(t)) for t in again]
        return batch + [self._ask(number) for _ in range(size - asked)]

    def told(self) -> int:
        """How many trials of batches have ended."""
        return sum(1 for t in self.optuna.get_trials(deepcopy=False)
                   if t.state.is_finished() and t.user_attrs.get(_BATCH, _LEFT_OUT) >= 0)

    def tell(self, trial: Trial, keys: Keys, measured: Measured) -> None:
        for number, excess in enumerate(measured.excess):
            trial.set_constraint(str(number), excess)
        trial.set_user_attr(_ALLOWED, measured.allowed)
        trial.set_user_attr(_WARNINGS, dict(measured.warnings))
        self._note(trial, keys, measured.costs)
        self.optuna.tell(trial, measured.objectives)

    def prune(self, trial: Trial, keys: Keys, measured: Measured) -> None:
        """By what a short run measured."""
        self._note(trial, keys, measured.costs)
        self.optuna.tell(trial, state=State.PRUNED)

    def give_up(self, trial: Trial, keys: Keys, reason: str) -> None:
        """It cannot be run, or has failed."""
        trial.set_user_attr(_REASON, reason)
        self._note(trial, keys, {})
        self.optuna.tell(trial, state=State.FAIL)

    def remember_short(self, trial: Trial, objectives: typing.Sequence[float]) -> None:
        trial.set_user_attr(_SHORT, list(objectives))

    def short_values(self) -> typing.List[typing.List[float]]:
        """Of the trials that have ended: their objectives in the short run."""
        return [t.user_attrs[_SHORT] for t in self.optuna.get_trials(deepcopy=False)
                if t.state == State.COMPLETE and _SHORT in t.user_attrs]

    def rows(self, names: typing.Sequence[str]) -> typing.List[typing.Dict[str, typing.Any]]:
        """Of the trials that have ended, but for those that `where` leaves out; `names`: of the
        objectives. They are numbered among themselves: Optuna counts those left out, too, and those
        whose process was killed while they were drawn."""
        rows: typing.List[typing.Dict[str, typing.Any]] = []
        for t in self.optuna.get_trials(deepcopy=False):
            if not t.state.is_finished() or t.user_attrs.get(_BATCH, _LEFT_OUT) < 0:
                continue
            complete = t.state == State.COMPLETE
            rows.append({"trial": len(rows), "state": t.state.name.lower(),
                         **t.user_attrs.get(_KEYS, {}),
                         **dict(zip(names, t.values if complete else [None] * len(names))),
                         **t.user_attrs.get(_COSTS, {}),
                         "allowed": complete and t.user_attrs[_ALLOWED],
                         "reason": t.user_attrs.get(_REASON, ""),
                         "warnings": t.user_attrs.get(_WARNINGS, {})})
        return rows

    @staticmethod
    def _note(trial: Trial, keys: Keys, costs: typing.Mapping[str, float]) -> None:
        trial.set_user_attr(_KEYS, keys)
        trial.set_user_attr(_COSTS, dict(costs))

    def _ask(self, batch: int) -> typing.Tuple[Trial, Keys]:
        for attempt in range(_REDRAWS):
            # A sampler that has learned may seek again and again where nothing is allowed.
            name = self._sampler if attempt < _STUBBORN else "random"
            number = len(self.optuna.get_trials(deepcopy=False))
            self.optuna.sampler = self._fresh_sampler(name, number)
            trial = self.optuna.ask()
            keys = self._drawn(trial)
            if self._space.allows(keys):
                trial.set_user_attr(_BATCH, batch)
                return trial, keys
            trial.set_user_attr(_BATCH, _LEFT_OUT)
            self.optuna.tell(trial, state=State.FAIL)
        raise ConfigError(f"{_REDRAWS} points in a row are left out by where: of the space; its "
                          "conditions may contradict each other")

    def _fresh_sampler(self, name: str, number: int) -> optuna.samplers.BaseSampler:
        seed = int.from_bytes(hashlib.sha256(f"{self._seed} {number}".encode()).digest()[:4], "big")
        if name == "random":
            return optuna.samplers.RandomSampler(seed=seed)
        if name == "nsga2":
            return optuna.samplers.NSGAIISampler(seed=seed)
        return optuna.samplers.TPESampler(seed=seed, n_startup_trials=_RANDOM_FIRST)

    def _drawn(self, trial: Trial) -> Keys:
        keys: Keys = {}
        for axis in self._space.axes:
            if self._space.applies(axis, keys):
                keys[axis.key] = _suggest(trial, axis)
        return keys


def _suggest(trial: Trial, axis: Axis) -> Value:
    if axis.values:
        return typing.cast(Value, trial.suggest_categorical(axis.key, list(axis.values)))
    assert axis.low is not None and axis.high is not None
    low, high = values.number(axis.low), values.number(axis.high)
    assert low is not None and high is not None
    if values.whole(axis.low) and values.whole(axis.high):
        return trial.suggest_int(axis.key, int(low), int(high), log=axis.logarithmic)
    at = trial.suggest_float(axis.key, low, high, log=axis.logarithmic)
    return values.shaped(at, axis.low, axis.high)
