# SPDX-License-Identifier: Apache-2.0
"""The slowest requests by their latency's parts, and the distribution of latencies."""
import math

SHARES = (1.0, 0.1, 0.01, 0.001, 0.0001)  # of all requests; 1: all of them
ENOUGH = 100  # requests: of fewer, a few chances make the cause
POINTS = 2000


class Slowest:
    """The slowest `share` of the requests: how many, and the sums of their parts in ns."""

    def __init__(self, share, requests, parts):
        self.share, self.requests, self.parts = share, requests, parts
        self.total = sum(parts.values())

    def mean(self):
        return self.total / self.requests

    def of(self, part):
        """The share of their time that this part takes."""
        return self.parts[part] / self.total if self.total else 0.0


def buckets_of(table, kinds, names):
    """[(from_ns, count, [sums of names])], the slowest first; buckets of several kinds are added
    up."""
    merged = {}
    columns = [table[name] for name in names]
    for row, kind in enumerate(table["kind"]):
        if kind in kinds:
            entry = merged.setdefault(table["from_ns"][row], [0.0, [0.0] * len(names)])
            entry[0] += table["count"][row]
            for i, column in enumerate(columns):
                entry[1][i] += column[row]
    return [(start, count, sums) for start, (count, sums) in sorted(merged.items(), reverse=True)]


def slowest(table, kinds, part_names):
    """A Slowest of all, and for each of SHARES that is ENOUGH requests. A bucket across the border
    counts with the share of its requests beyond it."""
    buckets = buckets_of(table, kinds, [f"{name}_ns" for name in part_names])
    total = sum(count for _, count, _ in buckets)
    found = []
    for share in SHARES:
        wanted = total * share
        if wanted < (1 if share == 1 else ENOUGH) - 1e-9:
            break
        left, sums = wanted, [0.0] * len(part_names)
        for _, count, parts in buckets:
            used = min(1.0, left / count) if count else 0.0
            sums = [s + used * p for s, p in zip(sums, parts)]
            left -= used * count
            if left <= 0:
                break
        found.append(Slowest(share, wanted, dict(zip(part_names, sums))))
    return found


def cause(groups):
    """(part, share of the added time): what makes the slowest of the groups slower than all."""
    everyone, worst = groups[0], groups[-1]
    added = {part: worst.parts[part] / worst.requests - everyone.parts[part] / everyone.requests
             for part in worst.parts}
    longer = worst.mean() - everyone.mean()
    part = max(added, key=lambda name: added[name])
    return part, min(1.0, added[part] / longer) if longer > 0 else 0.0


def beyond(table, kinds):
    """(latency, share of requests slower than it) in steps, at most POINTS of them; the last ones,
    where few requests make each step, are all there."""
    merged = {}
    for row, kind in enumerate(table["kind"]):
        if kind in kinds:
            key = (table["from_ns"][row], table["to_ns"][row])
            merged[key] = merged.get(key, 0) + table["count"][row]
    total = sum(merged.values())
    steps, left = [], total
    for (_, end), count in sorted(merged.items()):
        left -= count
        steps.append((end, left / total))
    return thinned(steps)


def thinned(steps):
    """Steps that a screen would not tell apart are left out: both axes are logarithmic."""
    if len(steps) <= POINTS:
        return steps
    span = math.log(steps[-1][0] / steps[0][0]) or 1.0
    grain = 2.0 / POINTS
    kept = [steps[0]]
    for latency, share in steps[1:-1]:
        apart = math.log(latency / kept[-1][0]) / span
        lower = math.log10(kept[-1][1] / share) / 6 if share > 0 else 1.0
        if apart + lower >= 2 * grain:
            kept.append((latency, share))
    return kept + [steps[-1]]
