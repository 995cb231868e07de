# SPDX-License-Identifier: Apache-2.0
"""What an optimisation seeks, and how good a point is."""
import dataclasses
import math
import typing

from ssdvp.errors import ConfigError
from ssdvp.explore import metrics
from ssdvp.explore.expression import Expression
from ssdvp.explore.space import Point, Space
from ssdvp.explore.values import Value

DIRECTIONS = ("minimise", "maximise")
Rows = typing.Sequence[typing.Mapping[str, typing.Any]]


class Goal:
    """`objectives`: {metric or formula: minimise | maximise}; `constraints`: what must hold, as
    "host.read.iops >= 100000"; `costs`: {name: formula over keys}, for the others cost.NAME."""

    def __init__(self, objectives: typing.Mapping[str, str],
                 constraints: typing.Sequence[str] = (),
                 costs: typing.Optional[typing.Mapping[str, str]] = None) -> None:
        if not isinstance(objectives, dict) or not objectives:
            raise ConfigError("objectives: an optimisation needs at least one, METRIC: minimise or "
                              "maximise")
        if not isinstance(constraints, (list, tuple)) or not all(
                isinstance(c, str) for c in constraints):
            raise ConfigError('constraints: is a list of conditions, ["host.read.iops >= 1000"]')
        if not isinstance(costs or {}, dict):
            raise ConfigError("costs: is a map, NAME: FORMULA")
        for name, direction in objectives.items():
            if direction not in DIRECTIONS:
                raise ConfigError(f"objective {name}: '{direction}' is neither minimise nor "
                                  "maximise")
        self.directions = list(objectives.values())
        self.names = list(objectives)
        self._objectives = [_expression(name) for name in objectives]
        self._constraints = [_Constraint(c) for c in constraints]
        _no_contradiction(self._constraints)
        self._costs = {f"cost.{name}": _expression(str(f)) for name, f in (costs or {}).items()}
        self.told = [dict(objectives), list(constraints), dict(costs or {})]

    def measure(self, space: Space, point: Point, rows: Rows) -> "Measured":
        """Of a point, from the rows (explore/table.py) of its seeds."""
        means = {name: _mean([r.get(name) for r in rows]) for name in rows[0]}
        keys = dict(point.keys)

        def look_up(name: str) -> Value:
            """A key, a cost, a number of the summary."""
            if name in keys:
                return keys[name]
            if name in self._costs:
                return float(self._costs[name](look_up))
            if means.get(name) is not None:
                return typing.cast(Value, means[name])
            try:
                return space.config[name]
            except KeyError:
                raise ValueError(f"there is no {name}: neither a key, nor a number of this run's "
                                 "summary.json") from None

        try:
            return Measured([float(o(look_up)) for o in self._objectives],
                            [c.excess(look_up) for c in self._constraints],
                            {name: float(c(look_up)) for name, c in self._costs.items()})
        except (ValueError, TypeError) as error:  # TypeError: of what is no number
            raise ConfigError(str(error)) from error

    def check_names(self, space: Space) -> None:
        """That each is a key, a cost or a number that a run can have. ConfigError, before any."""
        expressions = [*self._objectives, *self._costs.values(),
                       *(side for c in self._constraints for side in c.sides)]
        for name in dict.fromkeys(name for e in expressions for name in e.names):
            if name not in self._costs and name not in space.config.resolved():
                metrics.check(name, [*self._costs, *space.keys()])


@dataclasses.dataclass(frozen=True)
class Measured:
    """`excess`: of each constraint, how far it is from holding; at most 0 where it holds.
    `warnings`: of the run, {code: text}: what makes it say less than it seems to."""
    objectives: typing.List[float]
    excess: typing.List[float]
    costs: typing.Dict[str, float]
    warnings: typing.Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def allowed(self) -> bool:
        return all(e <= 0 for e in self.excess)


class _Constraint:
    def __init__(self, given: str) -> None:
        sign = next((s for s in ("<=", ">=") if s in given), None)
        if sign is None:
            raise ConfigError(f"constraint '{given}' needs <= or >=")
        left, _, right = given.partition(sign)
        self._sign = 1 if sign == "<=" else -1
        self._left, self._right = _expression(left), _expression(right)
        self.text, self.left = given, left.strip()
        self.sides = (self._left, self._right)

    @property
    def bound(self) -> typing.Optional[typing.Tuple[int, float]]:
        """(1: at most, -1: at least, limit) where the limit is a plain number."""
        if self._right.names:
            return None
        return self._sign, float(self._right(_unknown))

    def excess(self, look_up: typing.Callable[[str], Value]) -> float:
        """Relative to the limit."""
        left, right = float(self._left(look_up)), float(self._right(look_up))
        return self._sign * (left - right) / (abs(right) or 1.0)


def _unknown(name: str) -> Value:
    raise ValueError(name)


def _no_contradiction(constraints: typing.Sequence["_Constraint"]) -> None:
    for a in constraints:
        for b in constraints:
            if a.left == b.left and a.bound and b.bound and a.bound[0] < b.bound[0] and (
                    a.bound[1] > b.bound[1]):
                raise ConfigError(f"the constraints {a.text} and {b.text} contradict each other")


def _expression(given: str) -> Expression:
    try:
        return Expression(given)
    except ValueError as error:
        raise ConfigError(str(error)) from error


def _mean(found: typing.Sequence[typing.Any]) -> typing.Any:
    """Of numbers; the first of anything else."""
    numbers = [v for v in found if isinstance(v, (int, float))]
    return math.fsum(numbers) / len(numbers) if len(numbers) == len(found) else found[0]


def dominates(a: typing.Sequence[float], b: typing.Sequence[float],
              directions: typing.Sequence[str], margin: float = 0.0) -> bool:
    """a is as good as b in each objective, better by `margin` (relative) in all where b is not the
    same, and better in one."""
    better = False
    for one, two, direction in zip(a, b, directions):
        gain = (two - one) if direction == "minimise" else (one - two)
        if gain < margin * abs(two) or gain < 0:
            return False
        better = better or gain > 0
    return better
