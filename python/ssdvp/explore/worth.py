# SPDX-License-Identifier: Apache-2.0
"""What the numbers of a sweep are worth, and which configurations are best by more than chance."""
import dataclasses
import pathlib
import typing

from ssdvp.errors import ResultError
from ssdvp.explore.effects import Group, Row
from ssdvp.report import significance
from ssdvp.result import Result

_STATES = (("done", "done"), ("failed", "failed"), ("invalid", "cannot be run"))
FEW_SAMPLES = "few_samples"
_CHANCE = 0.05  # p from which on a difference may be chance
_HIGHER_IS_BETTER = ("iops", "bytes_per_s", "hit_ratio")
_LOWER_IS_BETTER = ("latency_ns", "amplification", "_ns", "_w", "per_request", "per_host_gb")


def counted(rows: typing.Sequence[Row], groups: typing.Sequence[Group]) -> str:
    """12 runs of 6 configurations, 2 seeds of each; 4 cannot be run"""
    if not groups:
        return f"none of {len(rows)} points is done"
    states = {s: sum(r["state"] == s for r in rows) for s, _ in _STATES}
    seeds = sorted({len(g.rows) for g in groups})
    of_each = "one seed" if seeds == [1] else f"{'up to ' * (len(seeds) > 1)}{max(seeds)} seeds"
    told = [f"{states['done']} runs of {len(groups)} configurations, {of_each} of each"]
    return "; ".join(told + [f"{states[s]} {text}" for s, text in _STATES[1:] if states[s]])


def limits(group: Group) -> str:
    """What limits the drive: luns, core 0; "chain" where no resource alone does."""
    found = dict.fromkeys(str(r.get("bottleneck.resource") or "") for r in group.rows)
    return ", ".join(filter(None, found))


def cautions(rows: typing.Sequence[Row], groups: typing.Sequence[Group],
             metrics: typing.Sequence[str], folder: pathlib.Path) -> typing.List[str]:
    """What makes these metrics say less than they seem to; the most frequent first."""
    done = [r for r in rows if r["state"] == "done"]
    by_code: typing.Dict[str, typing.List[Row]] = {}
    for one in done:
        for code in filter(None, (one.get("warnings") or "").split(", ")):
            by_code.setdefault(code, []).append(one)
    told = [f"{len(found)} of {len(done)} runs, {code}: {_text(folder, found[0], code)}"
            for code, found in sorted(by_code.items(), key=lambda pair: -len(pair[1]))]
    few = [m for m in metrics if any(g.too_few(m) for g in groups)]
    if few:
        told.append(f"{sum(any(g.too_few(m) for m in few) for g in groups)} of {len(groups)} "
                    f"configurations, {FEW_SAMPLES}: {few_samples(few)}")
    if groups and all(len(g.rows) == 1 for g in groups):
        told.append("one seed of each configuration: nothing says which differences are chance; "
                    "use seeds: 3 or more")
    return told


def few_samples(metrics: typing.Iterable[str]) -> str:
    """Of metrics whose interval has no upper end."""
    return (f"too few independent requests: {', '.join(metrics)} may be larger than told; use more "
            "requests")


def trial_cautions(rows: typing.Sequence[Row]) -> typing.List[str]:
    """The same of the trials of an optimisation."""
    run = [r for r in rows if r["state"] == "complete"]
    by_code: typing.Dict[str, typing.List[str]] = {}
    for one in run:
        for code, text in one["warnings"].items():
            by_code.setdefault(code, []).append(text)
    return [f"{len(texts)} of {len(run)} trials, {code}: {texts[0]}"
            for code, texts in sorted(by_code.items(), key=lambda pair: -len(pair[1]))]


def _text(folder: pathlib.Path, row: Row, code: str) -> str:
    """As the program said it of one of the runs."""
    try:
        warnings = Result(folder / "points" / row["id"]).validity.warnings
    except ResultError:
        return "its results are gone"
    return next((str(w["text"]) for w in warnings if w["code"] == code), "")


@dataclasses.dataclass(frozen=True)
class Best:
    """`equals`: others that may be as good: their difference may be chance. None where one seed
    does not tell."""
    metric: str
    group: Group
    equals: typing.Optional[typing.List[Group]]


def better(metric: str) -> typing.Optional[int]:
    """1: higher is better; -1: lower; None where neither is."""
    if metric.endswith(_HIGHER_IS_BETTER):
        return 1
    return -1 if any(part in metric for part in _LOWER_IS_BETTER) else None


def best(groups: typing.Sequence[Group], metric: str) -> typing.Optional[Best]:
    sign = better(metric)
    known = [g for g in groups if g.mean(metric) is not None]
    if sign is None or not known:
        return None
    first = max(known, key=lambda g: sign * (g.mean(metric) or 0.0))
    others = [g for g in known if g is not first]
    if any(len(g.rows) < 2 for g in known):
        return Best(metric, first, None)
    return Best(metric, first, [g for g in others if not _apart(first, g, metric)])


def _apart(a: Group, b: Group, metric: str) -> bool:
    one, other = a.sample(metric), b.sample(metric)
    assert one is not None and other is not None
    return significance.welch(one, other)[2] < _CHANCE
