# SPDX-License-Identifier: Apache-2.0
"""What differs between two drives, what limits one, and how much load it bears."""
import dataclasses
import re
import typing

from ssdvp.config import Config, Overrides, text
from ssdvp.errors import ConfigError, Error
from ssdvp.explore import metrics, values
from ssdvp.explore.space import Space
from ssdvp.explore.sweep import Path, Sweep, sweep
from ssdvp.explore.values import Value
from ssdvp.report import groups
from ssdvp.report.folder import Run
from ssdvp.result import Result
from ssdvp.running import Configs

if typing.TYPE_CHECKING:
    import pandas

Side = typing.Union[Result, Sweep, typing.Sequence[Result]]


@dataclasses.dataclass(frozen=True, repr=False)
class Comparison:
    """`metrics`: metric, key (of summary.json), a, b, change (b/a - 1), significant (True, False,
    None if one run does not say), why; largest change first. `parts`: kind, part, a_ns, b_ns,
    change_ns: what the change of the mean latency consists of; largest first. `keys`: {key: (in a,
    in b)}."""
    metrics: "pandas.DataFrame"
    parts: "pandas.DataFrame"
    keys: typing.Dict[str, typing.Tuple[str, str]]

    def significant(self) -> "pandas.DataFrame":
        """The metrics that differ by more than chance."""
        return self.metrics[self.metrics["significant"] == True]  # noqa: E712, None is no truth

    def __repr__(self) -> str:
        return (f"Comparison({len(self.significant())} of {len(self.metrics)} metrics differ by "
                f"more than chance; {len(self.keys)} keys differ)")

    def _repr_html_(self) -> str:
        from ssdvp.explore import display
        return display.comparison(self)


def compare(a: Side, b: Side) -> Comparison:
    """Of runs of two configurations; several runs of one, with other seeds, tell what is chance."""
    import pandas
    first, other = _group(a), _group(b)
    both = [first, other]
    rows = [(label, _key(pointer), first.sample(pointer).mean, other.sample(pointer).mean,
             d.relative, d.significant, d.words)
            for (pointer, label, _), (d,) in groups.differences(both)]
    metrics = pandas.DataFrame(rows, columns=["metric", "key", "a", "b", "change", "significant",
                                          "why"])
    differing = {k: (v[0], v[1]) for k, v in groups.differing(both).items()}
    return Comparison(metrics, _parts(first, other), differing)


def _key(pointer: str) -> str:
    return pointer[1:].replace("/", ".")


def _group(side: Side) -> groups.Group:
    if isinstance(side, Sweep):
        side = side.results()
    results = [side] if isinstance(side, Result) else list(side)
    found = groups.grouped([Run(str(r.path)) for r in results])
    if len(found) != 1:
        raise Error("a side of a comparison is one configuration, with one seed or several; "
                    f"these runs are of {len(found)}")
    return typing.cast(groups.Group, found[0])


def _parts(first: groups.Group, other: groups.Group) -> "pandas.DataFrame":
    import pandas
    rows = []
    kinds = [k for k in first.runs[0].kinds() if k in other.runs[0].kinds()]
    for kind in kinds:
        for part in first.runs[0].part_names():
            pointer = f"/host/{kind}/parts_ns/{part}"
            one, two = first.sample(pointer), other.sample(pointer)
            if one and two and (one.mean or two.mean):
                rows.append((kind, part, one.mean, two.mean, two.mean - one.mean))
    rows.sort(key=lambda row: -abs(row[4]))
    return pandas.DataFrame(rows, columns=["kind", "part", "a_ns", "b_ns", "change_ns"])


@dataclasses.dataclass(frozen=True, repr=False)
class Saturation:
    """`value`: the first one from which another resource limits, None if none does; `before` and
    `after`: the resources; `tried`: value, resource, busy, iops."""
    key: str
    value: typing.Optional[Value]
    before: str
    after: typing.Optional[str]
    tried: "pandas.DataFrame"

    def __repr__(self) -> str:
        return f"Saturation({self.key} {self.value}: {self.before}, then {self.after})"

    def _repr_html_(self) -> str:
        from ssdvp.explore import display
        return display.saturation(self)


def saturate(config: Configs, key: str, tried: typing.Sequence[Value], *,
             set: typing.Optional[Overrides] = None,
             options: typing.Optional[typing.Mapping[str, typing.Any]] = None,
             out: Path = "out/saturate", **how: typing.Any) -> Saturation:
    """The value of `key` from which another resource limits the drive. `tried` are values in the
    order in which the limit is expected to move, e.g. [1, 2, 4, 8, 16]; between two whole numbers
    the first value is then searched. `options`: of the runs; `how`: of sweep()."""
    import pandas
    seen: typing.Dict[str, typing.Tuple[Value, str, float, float]] = {}

    how.setdefault("progress", False)

    def ask(wanted: typing.Sequence[Value]) -> None:
        space = _listed(config, set, options, [{key: v} for v in wanted])
        for value, row in zip(wanted, _rows(sweep(space, out=out, **how))):
            seen[text(value)] = (value, row["bottleneck.resource"], row["bottleneck.busy"],
                                 _iops(row))

    ask(tried)
    order = list(tried)
    begins = _first_other(order, seen)
    while begins and _whole_between(order[begins - 1], order[begins]):
        middle = (int(order[begins - 1]) + int(order[begins])) // 2
        ask([middle])
        order.insert(begins, middle)
        begins = _first_other(order, seen)
    table = pandas.DataFrame([seen[text(v)] for v in order],
                             columns=["value", "resource", "busy", "iops"])
    before = seen[text(order[0])][1]
    if not begins:
        return Saturation(key, None, before, None, table)
    return Saturation(key, order[begins], before, seen[text(order[begins])][1], table)


def _first_other(order: typing.Sequence[Value], seen: typing.Mapping[str, typing.Any]) -> int:
    """Index of the first value with another resource than the first; 0 if there is none."""
    first = seen[text(order[0])][1]
    return next((i for i, v in enumerate(order) if seen[text(v)][1] != first), 0)


def _whole_between(low: Value, high: Value) -> bool:
    return values.whole(low) and values.whole(high) and abs(int(high) - int(low)) > 1


_GOAL = re.compile(r"^\s*(?P<what>mean|max|p[0-9.]+)\s+(?P<kind>read|write|trim|flush)\s*<=?\s*"
                   r"(?P<limit>[0-9.]+ *[a-z]+)\s*$")


@dataclasses.dataclass(frozen=True, repr=False)
class Bearable:
    """`rate`: the highest rate (requests/s) that held the goal; 0 if none did. `confident`: the
    highest at which the whole 95 % interval held it. `failed`: the lowest that did not. `tried`:
    rate, latency_ns, low_ns, high_ns, holds."""
    goal: str
    rate: float
    confident: float
    failed: float
    tried: "pandas.DataFrame"

    def __repr__(self) -> str:
        return f"Bearable({self.goal}: {self.rate:.0f}/s)"

    def _repr_html_(self) -> str:
        from ssdvp.explore import display
        return display.bearable(self)


def slo(config: Configs, goal: str, *, low: float, high: float, stream: int = 0,
        precision: float = 0.02, set: typing.Optional[Overrides] = None,
        options: typing.Optional[typing.Mapping[str, typing.Any]] = None,
        out: Path = "out/slo", **how: typing.Any) -> Bearable:
    """The highest rate of arrival (open loop) at which "p99.9 read <= 500us" holds, between `low`
    and `high` requests per second, by bisection until they differ by `precision`. `stream`: whose
    rate, by its number in the workload."""
    import pandas
    found = _GOAL.match(goal)
    limit = values.number(found["limit"].replace(" ", "")) if found else None
    if not found or limit is None:
        raise ConfigError(f"'{goal}' is no goal; write for example: p99.9 read <= 500us")
    how.setdefault("progress", False)
    pointer = f"host.{found['kind']}.latency_ns.{found['what']}"
    metrics.check(pointer)
    rows: typing.List[typing.Tuple[float, float, float, float, bool]] = []

    def holds(rate: float) -> bool:
        space = _listed(config, set, options, [{f"workload.{stream}.rate": f"{rate:.0f}IOPS"}])
        done = sweep(space, out=out, **how)
        row = _rows(done)[0]
        around = _interval(done, row["id"], pointer)
        rows.append((rate, row[pointer], *around, row[pointer] <= limit))
        return rows[-1][-1]

    if holds(low):
        fails_from = high if not holds(high) else float("inf")
        best = low if fails_from == high else high
        while fails_from - best > precision * best and fails_from != float("inf"):
            middle = (best + fails_from) / 2
            best, fails_from = (middle, fails_from) if holds(middle) else (best, middle)
    else:
        best, fails_from = 0.0, low
    rows.sort()
    table = pandas.DataFrame(rows, columns=["rate", "latency_ns", "low_ns", "high_ns", "holds"])
    sure = [r[0] for r in rows if r[3] <= limit]
    return Bearable(goal, best, max(sure, default=0.0), fails_from, table)


def _interval(done: Sweep, point: str, pointer: str) -> typing.Tuple[float, float]:
    """95 % interval of a metric; open where the run was too short to tell."""
    told = Result(done.folder / "points" / point).summary.raw().get("confidence", {})
    own = told.get(pointer, {})
    return own.get("low", 0.0), own.get("high", float("inf"))


def _listed(config: Configs, set: typing.Optional[Overrides],
            options: typing.Optional[typing.Mapping[str, typing.Any]],
            points: typing.Sequence[Overrides]) -> Space:
    base = Config.of(config).override(set or {})
    return Space({"config": list(base.files), "set": base.overrides,
                  "options": dict(options or {}), "list": list(points)})


def _rows(done: Sweep) -> typing.Sequence[typing.Mapping[str, typing.Any]]:
    """In the order of the points. Error with the reason if one has failed."""
    rows = done.rows()
    for row in rows:
        if row["state"] != "done":
            raise Error(f"{row['state']}: {row['error']}")
    return rows


def _iops(row: typing.Mapping[str, typing.Any]) -> float:
    return sum(float(row[c]) for c in row if c.startswith("host.") and c.count(".") == 2
               and c.endswith(".iops") and row[c] is not None)
