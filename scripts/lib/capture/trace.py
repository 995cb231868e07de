# SPDX-License-Identifier: Apache-2.0
"""Turns the requests of a log into a block trace, byte for byte the same for the same log."""
import collections
import gzip
import os
import pathlib
import subprocess
import typing

from debian_guest.failure import Failure

from .log import SECTOR, Request

LETTERS = {"read": "R", "write": "W", "trim": "D", "flush": "F"}
ENDINGS = (".blkparse", ".blkparse.gz", ".blkparse.zst")
DEVICE = "254,0"  # a virtio disk


def line_of(sequence: int, request: Request, start: int) -> str:
    """As blkparse prints a queued request; a Flush has no place."""
    seconds, us = divmod(request.time - start, 10**6)
    letters = LETTERS[request.kind] + ("F" if request.fua else "")
    place = f"{request.sector} + {request.sectors} " if request.sectors else ""
    return f"{DEVICE} 0 {sequence} {seconds}.{us:06}000 0 Q {letters} {place}[guest]\n"


def text_of(requests: typing.Sequence[Request]) -> str:
    """Time 0 is the first request's."""
    start = requests[0].time
    return "".join(line_of(n, r, start) for n, r in enumerate(requests, 1))


def packed(text: str, name: str) -> bytes:
    """Compressed as the name's ending says."""
    raw = text.encode()
    if name.endswith(".gz"):
        return gzip.compress(raw, 9, mtime=0)
    if name.endswith(".zst"):
        command = ["zstd", "-19", "--quiet", "--stdout"]
        return subprocess.run(command, input=raw, stdout=subprocess.PIPE, check=True).stdout
    return raw


def write(requests: typing.Sequence[Request], path: pathlib.Path) -> None:
    """The file appears whole or not at all; an older one stays until then."""
    if not path.name.endswith(ENDINGS):
        raise Failure(f"{path}: the name does not tell the format; name it x{', x'.join(ENDINGS)}",
                      2)
    text = text_of(requests)
    unfinished = path.with_name(path.name + ".part")
    try:
        unfinished.write_bytes(packed(text, path.name))
        os.replace(unfinished, path)
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}; name a file that can be written", 2) from error


def totals(requests: typing.Sequence[Request]) -> typing.Dict[str, typing.Tuple[int, int]]:
    """kind -> (requests, bytes)."""
    count: typing.Counter[str] = collections.Counter()
    length: typing.Counter[str] = collections.Counter()
    for r in requests:
        count[r.kind] += 1
        length[r.kind] += r.sectors * SECTOR
    return {kind: (count[kind], length[kind]) for kind in ("read", "write", "flush", "trim")}
