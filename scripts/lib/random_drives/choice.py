# SPDX-License-Identifier: Apache-2.0
"""What a choice is made of."""
import dataclasses
import typing

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
