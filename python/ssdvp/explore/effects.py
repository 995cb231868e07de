# SPDX-License-Identifier: Apache-2.0
"""What keys do to metrics, from the rows of a sweep."""
import dataclasses
import math
import typing

from ssdvp.report.significance import Sample

Row = typing.Mapping[str, typing.Any]
Key = typing.Any  # a number, a word; None where the key was not set


class Group:
    """The runs of one configuration, which differ in the seed alone."""

    def __init__(self, keys: typing.Mapping[str, Key], rows: typing.Sequence[Row]) -> None:
        self._keys, self.rows = keys, rows

    def key(self, name: str) -> Key:
        return self._keys.get(name)

    def sample(self, metric: str) -> typing.Optional[Sample]:
        """Over the seeds; None where a run lacks it."""
        found = [v for v in (r.get(metric) for r in self.rows) if v is not None]
        return Sample(found) if len(found) == len(self.rows) else None

    def too_few(self, metric: str) -> bool:
        """A percentile that a run has too few requests for, so that it may be larger than told: its
        interval has no upper end."""
        interval = f"confidence.{metric}"
        return any(r.get(f"{interval}.low") is not None and r.get(f"{interval}.high") is None
                   for r in self.rows)

    def mean(self, metric: str) -> typing.Optional[float]:
        sample = self.sample(metric)
        return None if sample is None else float(sample.mean)


@dataclasses.dataclass(frozen=True)
class Mean:
    """Of the configurations with this value of a key."""
    value: Key
    mean: float


def grouped(rows: typing.Sequence[Row], keys: typing.Sequence[str]) -> typing.List[Group]:
    found: typing.Dict[typing.Tuple[Key, ...], typing.List[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row.get(k) for k in keys), []).append(row)
    return [Group(dict(zip(keys, of)), its) for of, its in found.items()]


def known(rows: typing.Sequence[Row], metric: str) -> bool:
    return any(isinstance(r.get(metric), (int, float)) for r in rows)


def main(groups: typing.Sequence[Group], key: str, metric: str) -> typing.List[Mean]:
    """The mean of the metric by the values of the key, in their order."""
    by_value: typing.Dict[Key, typing.List[float]] = {}
    for group in groups:
        mean = group.mean(metric)
        if group.key(key) is not None and mean is not None:
            by_value.setdefault(group.key(key), []).append(mean)
    return [Mean(value, math.fsum(found) / len(found))
            for value, found in sorted(by_value.items(), key=lambda pair: _order(pair[0]))]


def _order(value: Key) -> typing.Tuple[int, float, str]:
    number = isinstance(value, (int, float))
    return (0, float(value), "") if number else (1, 0.0, str(value))


def swing(means: typing.Sequence[Mean]) -> float:
    """How far a key moves a metric."""
    found = [m.mean for m in means]
    return max(found) - min(found) if found else 0.0


def by_size(groups: typing.Sequence[Group], keys: typing.Iterable[str],
            metric: str) -> typing.List[str]:
    """Keys, the one that moves the metric most first."""
    return sorted((k for k in keys if main(groups, k, metric)),
                  key=lambda k: -swing(main(groups, k, metric)))


def surface(groups: typing.Sequence[Group], a: str, b: str, metric: str
            ) -> typing.Tuple[typing.List[Key], typing.List[Key],
                              typing.List[typing.List[typing.Optional[float]]]]:
    """(values of a, values of b, means[b][a]); None where no configuration has both."""
    cells: typing.Dict[typing.Tuple[Key, Key], typing.List[float]] = {}
    for group in groups:
        mean = group.mean(metric)
        if mean is not None and None not in (group.key(a), group.key(b)):
            cells.setdefault((group.key(a), group.key(b)), []).append(mean)
    xs = sorted({x for x, _ in cells}, key=_order)
    ys = sorted({y for _, y in cells}, key=_order)
    return xs, ys, [[math.fsum(cells[x, y]) / len(cells[x, y]) if (x, y) in cells else None
                     for x in xs] for y in ys]


class Scale:
    """Places values on an axis from 0 to 1: numbers by size, words side by side."""

    def __init__(self, found: typing.Sequence[Key]) -> None:
        self._values = sorted({v for v in found if v is not None}, key=_order)
        self.ends = (self._values[0], self._values[-1])
        self._numbers = all(isinstance(v, (int, float)) for v in self._values)

    def place(self, value: Key) -> float:
        if len(self._values) == 1:
            return 0.5
        if self._numbers:
            return float((value - self.ends[0]) / (self.ends[1] - self.ends[0]))
        return self._values.index(value) / (len(self._values) - 1)


def fifths(groups: typing.Sequence[Group], metric: str) -> typing.List[int]:
    """0..4 of each group, by the rank of its metric."""
    means = [g.mean(metric) for g in groups]
    order = sorted(range(len(groups)), key=lambda i: (means[i] is not None, means[i] or 0.0))
    rank = {index: place for place, index in enumerate(order)}
    return [rank[i] * 5 // len(groups) for i in range(len(groups))]


def round_step(highest: float, ticks: int = 5) -> float:
    """1, 2 or 5 times a power of ten, about `ticks` of which reach the highest value."""
    if highest <= 0:
        return 1.0
    rough = highest / ticks
    power = 10.0**math.floor(math.log10(rough))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= rough * 0.999)
