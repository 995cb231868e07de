# SPDX-License-Identifier: Apache-2.0
"""Values of configuration keys as numbers, and back: 4KiB, 500us, 0.07, 1GB/s."""
import math
import re
import typing

Value = typing.Union[str, int, float, bool]

_SIZES = {"B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
          "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40}
_TIMES = {"ps": 1e-3, "ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
_RATES = {"/s": 1.0, "k/s": 1e3, "M/s": 1e6, "IOPS": 1.0, "kIOPS": 1e3, "MIOPS": 1e6,
          "k IOPS": 1e3, "M IOPS": 1e6}
_CLOCKS = {"Hz": 1.0, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9}
_TRANSFERS = {"T/s": 1.0, "kT/s": 1e3, "MT/s": 1e6, "GT/s": 1e9}
_OTHERS = {"%": ("share", 0.01), "mV": ("voltage", 1e-3), "V": ("voltage", 1.0),
           "uA": ("current", 1e-6), "mA": ("current", 1e-3), "A": ("current", 1.0),
           "uW": ("power", 1e-6), "mW": ("power", 1e-3), "W": ("power", 1.0)}
# Unit -> (what it measures, how many base units it has). The program's schema has the same units.
UNITS = {**{unit: (kind, factor) for kind, units in (
    ("size", _SIZES), ("time", _TIMES), ("rate", _RATES), ("clock", _CLOCKS),
    ("transfers", _TRANSFERS)) for unit, factor in units.items()}, **_OTHERS}
_NUMBER = re.compile(r"^([-+]?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?) *([A-Za-z/% ]*)$")
_TRUTHS = ("true", "false")  # as the program writes them
_DIGITS = 6  # of a value between two others: what no drive's result depends on


def split(value: Value) -> typing.Optional[typing.Tuple[float, str]]:
    """(4.0, "KiB") of 4KiB, (8.0, "") of 8; None of a word."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return float(value), ""
    found = _NUMBER.match(value)
    if not found or (found[2] and found[2] not in UNITS):
        return None
    return float(found[1]), found[2]


def number(value: Value) -> typing.Optional[float]:
    """In bytes, ns, 1/s, Hz or without unit; None of a word."""
    parts = split(value)
    if parts is None:
        return None
    return parts[0] * (UNITS[parts[1]][1] if parts[1] else 1.0)


def typed(text: Value) -> typing.Union[float, bool, str]:
    """A number in base units, a truth value, or a word: what a text of the program stands for."""
    if isinstance(text, bool) or text in _TRUTHS:
        return text in (True, "true")
    found = number(text)
    return str(text) if found is None else found


def is_value(given: object) -> bool:
    """Can a key have it? Lists are values of keys that are lists."""
    if isinstance(given, (list, tuple)):
        return all(map(is_value, given))
    return isinstance(given, (str, int, float))


def measures(value: typing.Any) -> str:
    """size, time, rate, ... number (without unit), word."""
    parts = split(value) if isinstance(value, (str, int, float)) else None
    if parts is None:
        return "word"
    return UNITS[parts[1]][0] if parts[1] else "number"


def whole(value: Value) -> bool:
    parts = split(value)
    return parts is not None and isinstance(value, int) or (
        isinstance(value, str) and value.lstrip("+-").isdigit())


def between(low: Value, high: Value, share: float, logarithmic: bool) -> Value:
    """The value at `share` (0..1) of the way."""
    a, b = number(low), number(high)
    assert a is not None and b is not None
    at = math.exp(math.log(a) + (math.log(b) - math.log(a)) * share) if logarithmic else (
        a + (b - a) * share)
    return shaped(at, low, high)


def shaped(at: float, low: Value, high: Value) -> Value:
    """A number between two values as a value like them: in the unit of `high`; whole where both are
    whole numbers; whole bytes."""
    if whole(low) and whole(high):
        return round(at)
    if measures(high) == "size":
        return f"{round(at)}B"
    parts = split(high)
    assert parts is not None
    unit = parts[1]
    if not unit:
        return float(f"{at:.{_DIGITS}g}")
    return f"{at / UNITS[unit][1]:.{_DIGITS}g}{unit}"
