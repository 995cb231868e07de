# SPDX-License-Identifier: Apache-2.0
"""Runs that differ in the seed alone, and what differs between such groups."""
from ssdvp.report import significance, units
from ssdvp.report.folder import PLURALS
from ssdvp.report.page import at
from ssdvp.report.resolved import without_seed

METRICS_OF_KIND = (
    ("iops", "requests per second", units.count_short),
    ("bytes_per_s", "data per second", units.rate),
    ("latency_ns/mean", "mean latency", units.time), ("latency_ns/p50", "median", units.time),
    ("latency_ns/p99", "p99", units.time), ("latency_ns/p99.9", "p99.9", units.time),
    ("latency_ns/p99.99", "p99.99", units.time), ("latency_ns/p99.999", "p99.999", units.time),
    ("latency_ns/max", "maximum", units.time))
METRICS = (
    ("/ftl/write_amplification", "write amplification", units.digits),
    ("/flash/erases", "erases", units.count_short),
    ("/flash/suspends", "suspends", units.count_short),
    ("/ftl/gc/pages_moved", "pages moved by collection", units.count_short),
    ("/ftl/worst_blocking_ns", "longest wait for firmware's own work", units.time),
    ("/cache/read_hit_ratio", "hits of reads in the buffer", units.share),
    ("/cache/write_hit_ratio", "hits of writes in the buffer", units.share),
    ("/dram/busy", "DRAM busy", units.share), ("/link/busy_up", "link to the host, busy",
                                               units.share),
    ("/link/busy_down", "link to the drive, busy", units.share),
    ("/energy_j/mean_w", "mean power", units.power),
    ("/energy_j/per_request", "energy per request", units.energy),
    ("/energy_j/per_host_gb", "energy per GB of the host", units.energy))
KEYS_IN_LABEL = 2
LABEL_LENGTH = 44
SIGNIFICANT = 0.05


class Group:
    """Runs of one configuration."""

    def __init__(self, runs):
        self.runs, self.label = runs, ""

    def sample(self, pointer):
        values = [at(r.summary, pointer) for r in self.runs]
        known = [v for v in values if isinstance(v, (int, float))]
        return significance.Sample(known) if len(known) == len(values) else None

    def interval(self, pointer):
        """(low, high) of 95 %: over seeds, or of the only run by itself; None if unknown."""
        sample = self.sample(pointer)
        if sample.n > 1:
            return sample.mean - sample.half_width(), sample.mean + sample.half_width()
        own = self.runs[0].summary.get("confidence", {}).get(pointer[1:].replace("/", "."))
        return (own["low"], own["high"]) if own and "high" in own else None

    def pooled(self, name):
        """A table of all its runs, one below the other; None where a run has none."""
        tables = [getattr(r, name) for r in self.runs]
        if any(t is None for t in tables):
            return None
        return {column: [v for t in tables for v in t[column]] for column in tables[0]}


def grouped(runs):
    """Groups in the order of their first runs, with labels that tell them apart."""
    found = {}
    for run in runs:
        key = tuple(sorted(without_seed(run.config).items())) or run.path
        found.setdefault(key, Group([])).runs.append(run)
    groups = list(found.values())
    label(groups)
    return groups


def differing(groups):
    """{key: [value of each group]} of the configuration keys that are not the same in all."""
    configs = [without_seed(g.runs[0].config) for g in groups]
    keys = dict.fromkeys(k for c in configs for k in c)
    return {k: [c.get(k, "–") for c in configs] for k in keys
            if len({c.get(k) for c in configs}) > 1}


def label(groups):
    """By the keys that differ if these are few, else by the folder of the first run."""
    keys = differing(groups)
    for index, group in enumerate(groups):
        short = ", ".join(f"{k.rsplit('.', 1)[-1]} {v[index]}" for k, v in keys.items())
        fits = keys and len(keys) <= KEYS_IN_LABEL and len(short) <= LABEL_LENGTH
        group.label = short if fits else group.runs[0].name
    taken = {}
    for group in groups:
        taken[group.label] = taken.get(group.label, 0) + 1
        if taken[group.label] > 1:
            group.label += f" ({taken[group.label]})"


def metrics(groups):
    """[(pointer, label, text)] of what all of the groups have."""
    kinds = [k for k in groups[0].runs[0].kinds() if all(k in r.kinds() for g in groups
                                                         for r in g.runs)]
    wanted = [(f"/host/{k}/{key}", f"{PLURALS[k]}: {name}", text) for k in kinds
              for key, name, text in METRICS_OF_KIND]
    return [m for m in wanted + list(METRICS) if all(g.sample(m[0]) for g in groups)]


class Difference:
    """Of a metric between the first group and another."""

    def __init__(self, pointer, first, other):
        a, b = first.sample(pointer), other.sample(pointer)
        self.relative = 0.0 if a.mean == b.mean else (
            (b.mean - a.mean) / abs(a.mean) if a.mean else float("inf"))
        self.significant, self.words = self.judge(pointer, first, other)

    def judge(self, pointer, first, other):
        """(True, False or None if unknown, words)"""
        a, b = first.sample(pointer), other.sample(pointer)
        if a.n > 1 and b.n > 1:
            p = significance.welch(a, b)[2]
            told = "p < 0.001" if p < 0.001 else f"p = {p:.2g}"
            return (True, f"significant, {told}") if p < SIGNIFICANT else (
                False, f"may be chance, {told}")
        one, two = first.interval(pointer), other.interval(pointer)
        if not one or not two:
            return None, "one run does not say"
        apart = one[1] < two[0] or two[1] < one[0]
        return apart, "intervals apart" if apart else "intervals overlap"


def differences(groups):
    """[(metric, [Difference of each other group])], the largest first."""
    found = [(m, [Difference(m[0], groups[0], g) for g in groups[1:]]) for m in metrics(groups)]
    return sorted(found, key=lambda row: -max(abs(d.relative) for d in row[1]))
