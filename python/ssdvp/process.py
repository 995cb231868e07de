# SPDX-License-Identifier: Apache-2.0
"""One run of the program: its progress, its end by itself, by a signal or by a time-out."""
import contextlib
import dataclasses
import os
import re
import select
import signal
import subprocess
import threading
import time
import typing

from ssdvp import program
from ssdvp.errors import ProgramError

GRACE_S = 10.0     # after SIGINT, in which it writes a summary of what ran
_LOOK_S = 0.05     # between two looks at `cancel` and the clock
_DIE_WITH_US = ("setpriv", "--pdeathsig", "KILL")  # of util-linux
# "running:  34 %  1,000 requests, 5 s left", of which % is there when the end is known.
_PROGRESS = re.compile(
    r"^(?!ssdvp:)(?P<phase>[a-z][^:]*): +(?:(?P<percent>\d+) % *)?(?P<facts>.*)$")


@dataclasses.dataclass(frozen=True)
class Progress:
    """`phase`: preconditioning, running; `share`: 0..1 of it; `facts`: as the program says them."""
    phase: str
    share: float
    facts: str


@dataclasses.dataclass(frozen=True)
class Ended:
    """`stopped`: why we stopped it: "" (it ended by itself), "cancelled", "timed out"."""
    code: int
    stderr: str
    stopped: str


def read_progress(line: str) -> typing.Optional[Progress]:
    found = _PROGRESS.match(line)
    return found and Progress(found["phase"], int(found["percent"] or 0) / 100, found["facts"])


def execute(words: typing.Sequence[str], *, timeout: typing.Optional[float] = None,
            cancel: typing.Optional[threading.Event] = None,
            tell: typing.Optional[typing.Callable[[Progress], None]] = None,
            die_with_us: bool = False) -> Ended:
    """Runs it to its end. `timeout` in seconds; `cancel`, once set, stops it; so does Ctrl-C.
    `tell` is called with what the program says every few seconds. With `die_with_us` the kernel
    ends it when the thread that called ends, however that is killed."""
    command = [*(_DIE_WITH_US if die_with_us else ()), program.path(), *words]
    try:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, text=True, errors="replace")
    except OSError as error:
        raise ProgramError(f"{program.path()} cannot be started: {error.strerror}") from error
    said: typing.List[str] = []
    reader = threading.Thread(target=_listen, args=(child, said, tell), daemon=True)
    reader.start()
    stopped = ""
    try:
        stopped = _wait(child, timeout, cancel)
    except KeyboardInterrupt:
        stopped = "cancelled"
    finally:
        _end(child)
    reader.join()
    return Ended(child.returncode, "".join(said), stopped)


def _listen(child: "subprocess.Popen[str]", said: typing.List[str],
            tell: typing.Optional[typing.Callable[[Progress], None]]) -> None:
    assert child.stderr is not None
    with child.stderr as lines:
        for line in lines:
            progress = read_progress(line)
            if progress is None:
                said.append(line)
            elif tell is not None:
                tell(progress)


def _wait(child: "subprocess.Popen[str]", timeout: typing.Optional[float],
          cancel: typing.Optional[threading.Event]) -> str:
    began = time.monotonic()
    with _end_of(child) as ended:
        # Not child.wait(_LOOK_S), which sleeps on for a while once the child has ended.
        while not select.select([ended], [], [], None if cancel is None and timeout is None
                                else _LOOK_S)[0]:
            if cancel is not None and cancel.is_set():
                return "cancelled"
            if timeout is not None and time.monotonic() - began > timeout:
                return "timed out"
    child.wait()
    return ""


@contextlib.contextmanager
def _end_of(child: "subprocess.Popen[str]") -> typing.Iterator[int]:
    """Can be read from once the child has ended."""
    descriptor = os.pidfd_open(child.pid)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _end(child: "subprocess.Popen[str]") -> None:
    """Ends it if it still runs: first so that it writes what it has."""
    for signal_number, seconds in ((signal.SIGINT, GRACE_S), (signal.SIGKILL, None)):
        if child.poll() is not None:
            return
        child.send_signal(signal_number)
        try:
            child.wait(seconds)
        except subprocess.TimeoutExpired:
            pass
