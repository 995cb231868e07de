# SPDX-License-Identifier: Apache-2.0
"""What a choice is made of."""
import dataclasses
import functools
import json
import pathlib
import typing

SCHEMA = pathlib.Path(__file__).resolve().parents[3] / "configs/schema.json"

Value = typing.Any
Keys = typing.Dict[str, Value]
Choices = typing.Dict[str, Keys]
Named = typing.Tuple[str, str]  # feature, choice
Needs = typing.Dict[Named, typing.Tuple[str, typing.Tuple[str, ...]]]  # feature, its choices


@dataclasses.dataclass(frozen=True)
class OneOf:
    values: typing.Tuple[Value, ...]


def one_of(*values: Value) -> OneOf:
    return OneOf(values)


@functools.lru_cache(maxsize=None)
def schema() -> typing.Any:
    return json.loads(SCHEMA.read_text(encoding="utf-8"))


def any_of(key: str) -> OneOf:
    """Each word that the key may have: a new policy is drawn once the program knows it."""
    node = schema()
    for name in key.split("."):
        node = node["properties"][name]
    return OneOf(tuple(next(way["enum"] for way in node["anyOf"] if "enum" in way)))
