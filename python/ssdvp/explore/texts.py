# SPDX-License-Identifier: Apache-2.0
"""Metrics and keys as people read them, on pages and in notebooks."""
import math
import typing

from ssdvp.config import text
from ssdvp.explore import values
from ssdvp.explore.effects import Group
from ssdvp.quantity import Quantity, of as quantity_of
from ssdvp.report import units

NOTHING = "–"
# What is shown of a run unless something else is asked for.
METRICS = ("host.read.iops", "host.write.iops", "host.read.latency_ns.p99",
           "host.write.latency_ns.p99", "host.read.latency_ns.p99.9", "ftl.write_amplification")
# What a key measures -> prefixes, unit.
_SCALES = {"size": (units.BINARY, ""), "time": (units.TIMES, ""), "clock": (units.DECIMAL, "Hz"),
           "transfers": (units.DECIMAL, "T/s"), "rate": (units.DECIMAL, "/s")}


def metric_text(metric: str, value: typing.Optional[float]) -> str:
    """A number of summary.json: 1.38 ms."""
    if value is None:
        return NOTHING
    if math.isinf(value):
        return "∞"
    found = quantity_of(metric.split("."), value)
    return str(found) if isinstance(found, Quantity) else str(units.digits(value))


def key_text(value: typing.Any, measures: str) -> str:
    """A value of a key, which the table of a sweep has in bytes or ns."""
    if value is None:
        return NOTHING
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return text(value)
    if measures not in _SCALES:
        return f"{value:.6g}"
    scale, unit = _SCALES[measures]
    number, prefix = units.scaled(value, scale)
    return f"{number:.6g} {prefix}{unit}"


def given_text(value: typing.Any, measures: str) -> str:
    """A value of a key as a trial has it: 0.216224GHz is 216.224 MHz."""
    number = None if value is None else values.number(value)
    return key_text(value if number is None else number, measures)


def group_text(group: Group, metric: str) -> typing.Tuple[str, str]:
    """(mean over the seeds, half the interval of 95 %); the latter is empty with one seed. A
    percentile of too few requests is said to be at least so large."""
    sample = group.sample(metric)
    half = sample.half_width() if sample else None
    mark = "≥ " if group.too_few(metric) else ""
    return (mark + metric_text(metric, group.mean(metric)),
            f"± {metric_text(metric, half)}" if half else "")


def change_text(share: float) -> str:
    """Relative, with its sign: -71.0 %, +38.7 %, x12.3."""
    if math.isinf(share):
        return "from 0"
    return f"x{share + 1:.3g}" if share >= 3 else f"{share * 100:+.3g} %"
