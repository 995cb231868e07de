# SPDX-License-Identifier: Apache-2.0
"""Configurations: files and overrides, and what they come to."""
import json
import os
import pathlib
import re
import typing

from ssdvp import program

Value = typing.Union[str, int, float, bool, typing.Sequence[typing.Any]]
Overrides = typing.Mapping[str, Value]
Named = typing.Union[str, "os.PathLike[str]"]

# A line of `ssdvp show`: key, value, where the value comes from.
_SHOWN = re.compile(r"^(?P<key>[^#\s:][^\s:]*):\s+(?P<value>.*?)\s+# (?P<origin>.*)$")


def text(value: Value) -> str:
    """A value as the program reads it: true, 0.5, 4KiB, [a, b]."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float, str)):
        return str(value) if isinstance(value, (int, str)) else repr(float(value))
    return "[" + ", ".join(text(item) for item in value) + "]"


def options(overrides: Overrides) -> typing.List[str]:
    """["--set", "KEY=VALUE", ...]"""
    return [word for key, value in overrides.items() for word in ("--set", f"{key}={text(value)}")]


class Config:
    """Files that merge left to right, and keys that override them.

    Config("device/small", "my.yaml", set={"flash.channels": 4}). A bare name is looked up among the
    presets. Nothing is read before something is asked, so a wrong file is told then, with file,
    line and remedy (ConfigError)."""

    def __init__(self, *files: Named, set: typing.Optional[Overrides] = None) -> None:
        if not files:
            raise TypeError("Config() needs at least one file or preset")
        self.files: typing.Tuple[str, ...] = tuple(os.fspath(f) for f in files)
        self.overrides: typing.Dict[str, Value] = dict(set or {})
        self._shown: typing.Optional[typing.Dict[str, typing.Tuple[str, str]]] = None

    @classmethod
    def load(cls, *files: Named, set: typing.Optional[Overrides] = None) -> "Config":
        """The same, but checked at once."""
        config = cls(*files, set=set)
        config.resolved()
        return config

    @classmethod
    def of(cls, given: "typing.Union[Config, Named, typing.Sequence[Named]]") -> "Config":
        """From what a function that takes a configuration was given."""
        if isinstance(given, Config):
            return given
        if isinstance(given, (str, os.PathLike)):
            return cls(given)
        return cls(*given)

    def override(self, overrides: typing.Optional[Overrides] = None,
                 **more: Value) -> "Config":
        """A configuration with these keys changed; of keyword names, __ stands for a dot:
        flash__channels=8."""
        added = {**(overrides or {}), **{k.replace("__", "."): v for k, v in more.items()}}
        return Config(*self.files, set={**self.overrides, **added})

    @property
    def name(self) -> str:
        """Of the first file, without folder and extension."""
        return pathlib.PurePath(self.files[0]).stem

    def words(self) -> typing.List[str]:
        """As the command line has it."""
        return [*self.files, *options(self.overrides)]

    def resolved(self) -> typing.Dict[str, str]:
        """Every key with its value as text, defaults included."""
        return {key: value for key, (value, _) in self._show().items()}

    def origin(self, key: str) -> str:
        """Where the value of `key` comes from: file:line:column, default, --set."""
        return self._show()[key][1]

    def __getitem__(self, key: str) -> str:
        try:
            return self._show()[key][0]
        except KeyError:
            raise KeyError(f"{key} is not a key of this configuration") from None

    def diff(self, other: "Config") -> typing.Dict[str, typing.Tuple[typing.Optional[str],
                                                                    typing.Optional[str]]]:
        """{key: (value here, value there)} of what differs; None where one has no such key."""
        mine, theirs = self.resolved(), other.resolved()
        return {key: (mine.get(key), theirs.get(key)) for key in {**mine, **theirs}
                if mine.get(key) != theirs.get(key)}

    def _show(self) -> typing.Dict[str, typing.Tuple[str, str]]:
        if self._shown is None:
            lines = program.ask("show", *self.words()).splitlines()
            self._shown = {m["key"]: (_plain(m["value"]), m["origin"])
                           for m in filter(None, map(_SHOWN.match, lines))}
        return self._shown

    def __repr__(self) -> str:
        given = [repr(f) for f in self.files]
        if self.overrides:
            given.append(f"set={self.overrides!r}")
        return f"Config({', '.join(given)})"

    def _repr_html_(self) -> str:
        from ssdvp import display
        return display.config(self)


def _plain(value: str) -> str:
    """Without the quotes of YAML."""
    return str(json.loads(value)) if value.startswith('"') else value
