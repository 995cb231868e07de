# SPDX-License-Identifier: Apache-2.0
"""Reads what nbdkit's log filter writes.

    2024-05-04 10:01:02.123456 connection=1 Write id=7 offset=0x1000 count=0x200 fua=0 ...
    2024-05-04 10:01:02.123471 connection=1 ...Write id=7 return=0 (Success)

The first line is the request's arrival, the second its completion: only the first is kept, after
the second has told that it succeeded. A request that no second line follows was in flight when the
server ended: it is an error, because a captured guest shuts down cleanly.
"""
import dataclasses
import datetime
import pathlib
import re
import typing

from debian_guest.failure import Failure

SECTOR = 512  # bytes
EPOCH = datetime.datetime(1970, 1, 1)
STAMP = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}) (.*)")
BEGIN = re.compile(r"connection=(\d+) (\w+) id=(\d+)((?: \w+=\w+)*) \.\.\.")
END = re.compile(r"connection=(\d+) \.\.\.(\w+) id=(\d+) return=(-?\d+)\b.*")
QUIET = re.compile(r"(Ready|Fork|(\.\.\.)?Preconnect|connection=\d+ (Connect|Disconnect))\b.*")
# What becomes of the server's operations. A zero that may not trim programs zeroes: a write.
KINDS = {"Read": "read", "Write": "write", "Zero": "write", "Flush": "flush", "Trim": "trim"}
IGNORED = ("Extents", "Cache")  # questions about the image: a drive has no such command
REMEDY = "capture it again, or cut the log off before this line"


@dataclasses.dataclass(frozen=True)
class Request:
    """One request of the guest: `time` in us since 1970, `sector` and `sectors` of 512 bytes, `fua`
    a write with Force Unit Access."""
    time: int
    kind: str
    sector: int
    sectors: int
    fua: bool = False


def microseconds(text: str) -> int:
    """Of a time stamp: exact, and without regard to the machine's time zone."""
    moment = datetime.datetime.strptime(text, "%Y-%m-%d %H:%M:%S.%f")
    return (moment - EPOCH) // datetime.timedelta(microseconds=1)


def number(fields: typing.Dict[str, str], key: str) -> int:
    if key not in fields:
        raise ValueError(f"{key}= is missing")
    return int(fields[key], 0)


def request(time: int, operation: str, arguments: str) -> Request:
    """Of a line that begins a request. ValueError says what is wrong with it."""
    fields = dict(pair.split("=", 1) for pair in arguments.split())
    kind = KINDS[operation]
    if operation == "Zero" and fields.get("may_trim") == "1":
        kind = "trim"
    if kind == "flush":
        return Request(time, kind, 0, 0)
    offset, count = number(fields, "offset"), number(fields, "count")
    if count == 0 or offset % SECTOR or count % SECTOR:
        raise ValueError(f"offset {offset}, count {count}: not whole sectors of {SECTOR} bytes")
    fua = kind == "write" and fields.get("fua") == "1"
    return Request(time, kind, offset // SECTOR, count // SECTOR, fua)


class Reader:
    """Takes the lines one after the other, and keeps the requests in order of arrival."""

    def __init__(self) -> None:
        self.requests: typing.List[Request] = []
        self.pending: typing.Dict[typing.Tuple[str, str], typing.Tuple[str, int]] = {}
        self.line = 0

    def take(self, line: str) -> None:
        """ValueError says what is wrong with the line."""
        self.line += 1
        stamp = STAMP.fullmatch(line)
        if not stamp:
            raise ValueError("does not begin with a time stamp YYYY-MM-DD HH:MM:SS.ffffff")
        text = stamp[2]
        begin, end = BEGIN.fullmatch(text), END.fullmatch(text)
        if end:
            self.complete(end)
        elif begin and begin[2] in KINDS:
            self.requests.append(request(microseconds(stamp[1]), begin[2], begin[4]))
            self.pending[begin[1], begin[3]] = begin[2], self.line
        elif begin and begin[2] in IGNORED:
            self.pending[begin[1], begin[3]] = begin[2], self.line
        elif not QUIET.fullmatch(text):
            raise ValueError(f"\"{text[:60]}\" is no record of nbdkit's log filter")

    def complete(self, end: typing.Match[str]) -> None:
        operation, _ = self.pending.pop((end[1], end[3]), (None, 0))
        if operation != end[2]:
            raise ValueError(f"ends {end[2]} id={end[3]}, which has not begun")
        if end[4] != "0":
            raise ValueError(f"{end[2]} id={end[3]} failed: {end[4]}")


def read(path: pathlib.Path) -> typing.List[Request]:
    """All requests of a log, in order of arrival. Failure names file:line and a remedy."""
    reader = Reader()
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            for line in file:
                reader.take(line.rstrip("\r\n"))
    except ValueError as error:
        raise Failure(f"{path}:{reader.line}: {error}; {REMEDY}", 2) from error
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}; name a log that scripts/capture has kept",
                      2) from error
    if reader.pending:
        operation, line = min(reader.pending.values(), key=lambda entry: entry[1])
        raise Failure(f"{path}:{line}: {operation} never ends; {REMEDY}", 2)
    if not reader.requests:
        raise Failure(f"{path}:{reader.line}: holds no request; capture it again", 2)
    return sorted(reader.requests, key=lambda r: r.time)  # stable: ties stay in the log's order
