# SPDX-License-Identifier: Apache-2.0
"""Whether JSON has the shape that its reader expects. A shape is a check of one value, a list with
the shape of its items, or a section: {name: shape}, where `...` stands for all other names. A name
may be missing unless `Needed` says so; names that the shape does not have are not looked at."""
import json
import typing

LARGEST = 1e30  # no count, size, time or energy of a run is larger


class Damaged(Exception):
    """Where, and what is wrong there."""


class Needed(typing.NamedTuple):
    shape: typing.Any


def is_number(value: object) -> bool:
    return (isinstance(value, (int, float)) and not isinstance(value, bool)
            and abs(value) <= LARGEST)


def number(value: typing.Any) -> typing.Optional[str]:
    return None if is_number(value) else "is no number"


def count(value: typing.Any) -> typing.Optional[str]:
    return number(value) or ("is negative" if value < 0 else None)


def size(value: typing.Any) -> typing.Optional[str]:
    return number(value) or (None if value > 0 else "is not above 0")


def word(value: typing.Any) -> typing.Optional[str]:
    return None if isinstance(value, str) else "is no text"


def flag(value: typing.Any) -> typing.Optional[str]:
    return None if isinstance(value, bool) else "is neither true nor false"


def check(value: typing.Any, shape: typing.Any, place: str = "") -> None:
    """Raises Damaged."""
    if isinstance(shape, Needed):
        shape = shape.shape
    if isinstance(shape, list):
        expect(isinstance(value, list), place, "is no list")
        for index, item in enumerate(value):
            check(item, shape[0], f"{place}/{index}")
    elif isinstance(shape, dict):
        expect(isinstance(value, dict), place, "is no section")
        check_section(value, shape, place)
    else:
        wrong = shape(value)
        expect(wrong is None, place, str(wrong))


def check_section(value: typing.Mapping[str, typing.Any],
                  shape: typing.Mapping[typing.Any, typing.Any], place: str) -> None:
    for name, of in shape.items():
        expect(name in value or not isinstance(of, Needed), f"{place}/{name}", "is missing")
    for name, inner in value.items():
        found = shape.get(name, shape.get(...))
        if found is not None:
            check(inner, found, f"{place}/{name}")


def expect(holds: bool, place: str, wrong: str) -> None:
    if not holds:
        raise Damaged(f"{place or 'it'} {wrong}")


def parsed(text: str) -> typing.Any:
    """JSON without what JSON has not (NaN, Infinity), and no deeper than Python can follow."""
    def constant(name: str) -> typing.NoReturn:
        raise Damaged(f"it has {name}, which is no number")
    try:
        return json.loads(text, parse_constant=constant)
    except json.JSONDecodeError as error:
        raise Damaged(f"line {error.lineno}: {error.msg}") from error
    except RecursionError as error:
        raise Damaged("it is nested too deep") from error
    except ValueError as error:  # a number of thousands of digits
        raise Damaged(str(error)) from error
