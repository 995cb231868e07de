# SPDX-License-Identifier: Apache-2.0
"""Numbers as people read them: three digits and the unit that fits."""
import math
import typing

BLANK = "\u00a0"  # keeps number and unit on one line

Units = typing.Sequence[typing.Tuple[float, str]]  # (how much, its name), smallest first

TIMES: Units = ((1, "ns"), (1e3, "us"), (1e6, "ms"), (1e9, "s"))
DECIMAL: Units = ((1, ""), (1e3, "k"), (1e6, "M"), (1e9, "G"), (1e12, "T"))
BINARY: Units = ((1, "B"), (2**10, "KiB"), (2**20, "MiB"), (2**30, "GiB"), (2**40, "TiB"))
SMALL: Units = ((1e-12, "p"), (1e-9, "n"), (1e-6, "u"), (1e-3, "m"), (1, ""), (1e3, "k"),
                (1e6, "M"))


def digits(value: float) -> str:
    """Three significant digits: 1.23, 12.3, 123."""
    if value == 0:
        return "0"
    places = max(0, 2 - math.floor(math.log10(abs(value))))
    text = f"{value:.{min(places, 9)}f}"
    return text if "." not in text or places < 3 else text.rstrip("0").rstrip(".")


def scaled(value: float, units: Units) -> typing.Tuple[float, str]:
    """(value in the unit, unit): the largest unit with a value of at least 1."""
    fitting = [u for u in units if abs(value) >= u[0] * 0.9995] or [units[0]]
    return value / fitting[-1][0], fitting[-1][1]


def with_unit(value: float, units: Units, last: str = "") -> str:
    number, unit = scaled(value, units)
    if value == int(value) and abs(value) < 1000 and units[0][0] == 1:
        return f"{int(value)}{BLANK}{unit}{last}".rstrip()
    return f"{digits(number)}{BLANK}{unit}{last}".rstrip()


def time(ns: float) -> str:
    return with_unit(ns, TIMES)


def tick(ns: float) -> str:
    """A round time at an axis: 1 us, 1.5 ms."""
    value, unit = scaled(ns, TIMES)
    return f"{value:.6g} {unit}"


def data(count: float) -> str:
    return with_unit(count, BINARY)


def rate(count: float) -> str:
    return with_unit(count, DECIMAL, "B/s")


def count(value: float) -> str:
    """Whole numbers in full, with commas; others by three digits."""
    return f"{int(value):,}" if value == int(value) else digits(value)


def energy(joules: float) -> str:
    return with_unit(joules, SMALL, "J")


def power(watts: float) -> str:
    return with_unit(watts, SMALL, "W")


def share(fraction: float) -> str:
    """A share of 1 in percent: 0.2 %, 97.3 %, < 0.1 %."""
    percent = fraction * 100
    if 0 < percent < 0.1:
        return f"<{BLANK}0.1{BLANK}%"
    whole = percent == 0 or percent >= 99.95
    return f"{percent:.{0 if whole else 1}f}{BLANK}%"


def whole_share(fraction: float) -> str:
    """For sentences: no decimals where none are needed."""
    percent = fraction * 100
    if 0 < percent < 1:
        return f"less than 1{BLANK}%"
    return f"{percent:.0f}{BLANK}%"


def percentile(name: str) -> str:
    """p99.9 as words of an axis or a table."""
    return {"p50": "median", "max": "maximum", "min": "minimum"}.get(name, name)


def count_short(value: float) -> str:
    """Counts and rates of figures: 633, 170 k."""
    return with_unit(value, DECIMAL)
