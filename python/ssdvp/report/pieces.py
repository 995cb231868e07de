# SPDX-License-Identifier: Apache-2.0
"""Columns of series.csv as curves: rates per second, at most POINTS of them with minimum, mean and
maximum each."""

POINTS = 2000


class Curve:
    """Values over the pieces of time [begin, end), in ns."""

    def __init__(self, begin, end, mean, low, high):
        self.begin, self.end, self.mean, self.low, self.high = begin, end, mean, low, high

    def bundled(self):
        """Whether points stand for several pieces, so that minimum and maximum say more."""
        return self.low != self.mean or self.high != self.mean

    def known(self):
        return any(v is not None for v in self.mean)


def curve(series, values, points=POINTS):
    """Means are weighted by the length of the pieces; pieces without a value are left out."""
    begin, end = series["begin_ns"], series["end_ns"]
    step = -(-len(begin) // points)
    if step <= 1:
        return Curve(begin, end, values, values, values)
    out = Curve([], [], [], [], [])
    for first in range(0, len(begin), step):
        last = min(first + step, len(begin))
        known = [(values[i], end[i] - begin[i]) for i in range(first, last)
                 if values[i] is not None]
        out.begin.append(begin[first])
        out.end.append(end[last - 1])
        length = sum(w for _, w in known)
        out.mean.append(sum(v * w for v, w in known) / length if length else None)
        out.low.append(min((v for v, _ in known), default=None))
        out.high.append(max((v for v, _ in known), default=None))
    return out


def per_second(series, column):
    """Counts of the pieces as rates."""
    return [None if v is None or e <= b else v * 1e9 / (e - b) for v, b, e
            in zip(series[column], series["begin_ns"], series["end_ns"])]


def bundles(series, weights, count):
    """Pieces bundled so that each of at most `count` bundles has about as much weight: lists of
    row numbers."""
    total = sum(v or 0 for v in weights)
    found, now, reached = [], [], 0.0
    for row, weight in enumerate(weights):
        now.append(row)
        reached += weight or 0
        if reached * count >= total * (len(found) + 1) and len(found) < count - 1:
            found.append(now)
            now = []
    if now and found and not sum(weights[r] or 0 for r in now):
        found[-1] += now
    elif now:
        found.append(now)
    return found
