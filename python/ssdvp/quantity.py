# SPDX-License-Identifier: Apache-2.0
"""Numbers with their unit. It comes from the name of the key in summary.json: latency_ns, busy,
bytes_per_s."""
import typing

from ssdvp.report import units

# The end of a key's name -> unit, and how people read it. The first that fits counts.
_ENDS: typing.Dict[str, typing.Tuple[str, typing.Callable[[float], str]]] = {
    "bytes_per_s": ("B/s", units.rate), "_per_wall_s": ("1/s", units.count_short),
    "_bytes": ("B", units.data), "bytes": ("B", units.data),
    "bytes_read": ("B", units.data), "bytes_written": ("B", units.data),
    "bytes_programmed": ("B", units.data),
    "bytes_up": ("B", units.data), "bytes_down": ("B", units.data),
    "_ns": ("ns", units.time), "wall_s": ("s", lambda s: units.time(s * 1e9)),
    "iops": ("1/s", units.count_short), "_w": ("W", units.power), "_j": ("J", units.energy),
    "busy": ("", units.share), "busy_up": ("", units.share), "busy_down": ("", units.share),
    "_ratio": ("", units.share)}


class Quantity(float):
    """A float with a `unit`; arithmetic gives plain floats. str() is for people: 1.38 ms."""
    _end: str

    def __new__(cls, value: float, end: str) -> "Quantity":
        """`end`: of a key's name, as "_ns"."""
        self = super().__new__(cls, value)
        self._end = end
        return self

    @property
    def unit(self) -> str:
        return _ENDS[self._end][0]

    def __str__(self) -> str:
        return str(_ENDS[self._end][1](float(self))).replace(units.BLANK, " ")

    def __repr__(self) -> str:
        return f"{float(self)!r} {self.unit}".rstrip()

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else str(self)

    def __reduce__(self) -> typing.Tuple[type, typing.Tuple[float, str]]:
        return Quantity, (float(self), self._end)


def of(path: typing.Sequence[str], value: float) -> typing.Union[float, Quantity]:
    """The value of a key; the nearest section with a unit in its name tells it."""
    for name in reversed(path):
        for end in _ENDS:
            if name == end or (end.startswith("_") and name.endswith(end)):
                return Quantity(value, end)
    return value
