# SPDX-License-Identifier: Apache-2.0
"""The one kind of error that ends a program of scripts/ with a message instead of a stack."""


class Failure(Exception):
    """What is wrong, and what to do about it. `code`: the exit code, 2 for a wrong input."""

    def __init__(self, text: str, code: int = 1):
        super().__init__(text)
        self.code = code


class Unavailable(Failure):
    """A package that cannot be had on this machine, now."""
