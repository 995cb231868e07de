# SPDX-License-Identifier: Apache-2.0
"""Markup of pages and notebooks. All that comes from a file is text: `html` puts it into markup,
and a test refuses markup that is made in another way."""
import html as _html
import typing


class Html(str):
    """Markup, which stays as it is. Any other string is text."""

    def __add__(self, other: object) -> "Html":
        return Html(str.__add__(self, text(other)))


class Words(Html):
    """A cell of words, which begins at the left and may break; numbers end at the right."""


def text(value: object) -> Html:
    return value if isinstance(value, Html) else Html(_html.escape(str(value)))


def html(template: str, *values: object) -> Html:
    """The template, with the values as text in place of each {}."""
    return Html(template.format(*map(text, values)))


def joined(pieces: typing.Iterable[object], between: str = "") -> Html:
    return Html(text(between).join(map(text, pieces)))


def each(template: str, values: typing.Iterable[object]) -> Html:
    """The template once for each value."""
    return joined(html(template, value) for value in values)


def words(value: object) -> Words:
    return Words(text(value))
