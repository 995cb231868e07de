# SPDX-License-Identifier: Apache-2.0
"""summary.json as objects: r.host.read.latency_ns.p99, r.channels[0].busy."""
import typing

from ssdvp import quantity

Json = typing.Any


class Section(typing.Mapping[str, typing.Any]):
    """A section: its keys as attributes and as items; of a name, _ stands for what no name may
    have: p99_9 is p99.9. Numbers with a unit are `Quantity`."""

    __slots__ = ("_path", "_values")

    def __init__(self, values: typing.Mapping[str, Json],
                 path: typing.Tuple[str, ...] = ()) -> None:
        self._values, self._path = values, path

    def __getitem__(self, key: str) -> typing.Any:
        try:
            return _wrapped(self._values[key], (*self._path, key))
        except KeyError:
            raise KeyError(self._absent(key)) from None

    def __getattr__(self, name: str) -> typing.Any:
        if name.startswith("__"):
            raise AttributeError(name)
        for key in (name, name.replace("_", ".")):
            if key in self._values:
                return self[key]
        raise AttributeError(self._absent(name))

    def __iter__(self) -> typing.Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __dir__(self) -> typing.List[str]:
        return [key.replace(".", "_") for key in self._values]

    def at(self, pointer: str, default: typing.Any = None) -> typing.Any:
        """The value at "host.read.latency_ns.p99.9"; `default` where there is none."""
        return _at(self, pointer, default)

    def flat(self) -> typing.Dict[str, typing.Any]:
        """{"host.read.iops": value, "channels.0.busy": value}: every number and word."""
        return dict(_flat(self._values, ()))

    def raw(self) -> typing.Mapping[str, Json]:
        """As json.load gave it."""
        return self._values

    def _absent(self, key: str) -> str:
        here = ".".join(self._path) or "the summary"
        return f"{here} has no {key}; it has {', '.join(self._values)}"

    def __repr__(self) -> str:
        inner = ", ".join(f"{k}: {_short(self[k])}" for k in self._values)
        return f"<{'.'.join(self._path) or 'summary'} {inner}>"

    def _repr_html_(self) -> str:
        from ssdvp import display
        return display.section(self)


def _wrapped(value: Json, path: typing.Tuple[str, ...]) -> typing.Any:
    if isinstance(value, dict):
        return Section(value, path)
    if isinstance(value, list):
        return [_wrapped(item, (*path, str(i))) for i, item in enumerate(value)]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    found = quantity.of(path, value)
    return found if isinstance(found, quantity.Quantity) else value


def _short(value: typing.Any) -> str:
    if isinstance(value, Section):
        return "{...}"
    if isinstance(value, list):
        return f"[{len(value)}]"
    return str(value)


def _at(value: typing.Any, pointer: str, default: typing.Any) -> typing.Any:
    """Keys may have dots themselves, as p99.9 has."""
    if not pointer:
        return value
    if isinstance(value, list):
        index, _, rest = pointer.partition(".")
        inside = index.isdigit() and int(index) < len(value)
        return _at(value[int(index)], rest, default) if inside else default
    if isinstance(value, Section):
        for key in sorted(value, key=len, reverse=True):
            if pointer == key or pointer.startswith(key + "."):
                return _at(value[key], pointer[len(key) + 1:], default)
    return default


def _flat(value: Json, path: typing.Tuple[str, ...]
          ) -> typing.Iterator[typing.Tuple[str, typing.Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _flat(inner, (*path, str(index)))
    else:
        yield ".".join(path), value
