# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, as exceptions. Their text is what the program says: what, where, remedy."""
import dataclasses
import re
import typing

if typing.TYPE_CHECKING:
    from ssdvp.result import Result

_PREFIX = re.compile(r"^(?:ssdvp|report): error: ")
_PLACE = re.compile(r"^(?P<file>[^\s:][^:]*):(?P<line>\d+)(?::(?P<column>\d+))?: ")
_SET = re.compile(r"^--set (?P<key>[^=\s]+)=")


@dataclasses.dataclass(frozen=True)
class Place:
    """Where in an input file. `line` and `column` count from 1."""
    file: str
    line: int
    column: typing.Optional[int] = None

    def __str__(self) -> str:
        return ":".join(str(part) for part in (self.file, self.line, self.column) if part)


class Error(Exception):
    """Of this package; all others below are."""


class ProgramError(Error):
    """The program is not there, cannot be started, or is of another version."""


class ResultError(Error):
    """A folder that holds no result, one that was cut off, or one of another version."""


class ConfigError(Error):
    """What the user gave is wrong: a configuration, a trace, a job file, an option. Nothing was
    run, nothing was overwritten.

    `place`: where, when it is a file; `key`: the key of `set`, when it is one."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        found = _PLACE.match(text)
        self.place: typing.Optional[Place] = None
        if found:
            column = found["column"]
            self.place = Place(found["file"], int(found["line"]), int(column) if column else None)
        override = _SET.match(text)
        self.key: typing.Optional[str] = override["key"] if override else None


class RunFailed(Error):
    """The run ended with exit code 1: wrong data, a sum that does not add up, a firmware panic, a
    device error that the workload does not allow, an output that could not be written.

    `result`: what was written all the same, or None."""

    def __init__(self, text: str, result: "typing.Optional[Result]" = None) -> None:
        super().__init__(text)
        self.result = result


class Cancelled(RunFailed):
    """The run was stopped. `result` holds what had run, with `complete` False."""


class TimedOut(Cancelled):
    """It took longer than `timeout` allows."""


def told(stderr: str) -> str:
    """What the program said went wrong: its error lines, or its last line without any."""
    lines = [line for line in stderr.splitlines() if line.strip()]
    errors = [_PREFIX.sub("", line) for line in lines if _PREFIX.match(line)]
    return "\n".join(errors or lines[-1:]) or "the program said nothing"
