# SPDX-License-Identifier: Apache-2.0
"""The guest's console: kept in a file, and looked at for the moment when the guest is up."""
import dataclasses
import pathlib
import subprocess
import threading
import time
import typing

UP = "guest: up"  # said by /init when the shell, or a recipe, is next


@dataclasses.dataclass(frozen=True)
class Said:
    """How a guest went. `up_s`: seconds of wall time from its start to its prompt, if it came."""
    code: int
    text: str
    up_s: typing.Optional[float]


def watched(argv: typing.List[str], console: pathlib.Path, limit_s: float) -> Said:
    """Runs a guest to its end, or kills it after `limit_s` of wall time."""
    begin, up_s = time.monotonic(), None
    with console.open("wb") as out, subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT) as guest:
        limit = threading.Timer(limit_s, guest.kill)
        limit.start()
        for line in guest.stdout:
            out.write(line)
            if up_s is None and UP.encode() in line:
                up_s = time.monotonic() - begin
        code = guest.wait()
        limit.cancel()
    return Said(code, console.read_text(encoding="utf-8", errors="replace"), up_s)
