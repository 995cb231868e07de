# SPDX-License-Identifier: Apache-2.0
"""Programs are run here: so many at a time, whichever parts ask for them, none twice whose results
are there (kept.py), and with what each of them cost."""
import concurrent.futures
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import typing

# A program whose caller is killed would write on into the folder of the next attempt.
LEASH = ("setpriv", "--pdeathsig", "KILL") if shutil.which("setpriv") else ()

Told = typing.Callable[[], None]


class Meter:
    """What a part took: programs that ran, and that need not run; seconds of a core, of both."""

    def __init__(self, told: Told = lambda: None):
        self.planned = self.runs = self.kept = 0
        self.seconds = 0.0
        self.seeds: typing.Set[int] = set()
        self.files: typing.List[pathlib.Path] = []  # with the data of its figures
        self._told = told
        self._lock = threading.Lock()

    def add(self, seconds: float, kept: bool, seed: typing.Optional[int] = None) -> None:
        with self._lock:
            self.runs += 1
            self.kept += kept
            self.seconds += seconds
            self.seeds |= {seed} - {None}
        self._told()


class Session:
    """Parts that are under way together. At most `jobs` programs run; only one part at a time draws
    and judges, for the plotting library is not made for threads. `trusted`: results that are kept
    need not be made again."""

    def __init__(self, jobs: int, trusted: bool = True):
        self.trusted = trusted
        self.slots = threading.BoundedSemaphore(jobs)
        self.turn = threading.Lock()

    @contextlib.contextmanager
    def part(self, meter: Meter, answers: pathlib.Path) -> typing.Iterator[None]:
        """`answers`: folder for those of programs that write no files."""
        with self.turn:
            _mine.session, _mine.meter, _mine.answers = self, meter, answers
            try:
                yield
            finally:
                _mine.__dict__.clear()

    @contextlib.contextmanager
    def others_turn(self) -> typing.Iterator[None]:
        self.turn.release()
        try:
            yield
        finally:
            self.turn.acquire()


_mine = threading.local()  # of the part that a thread works for


def session() -> typing.Optional[Session]:
    return getattr(_mine, "session", None)


def meter() -> Meter:
    """Of this part; what is told of no part is told to nobody."""
    return getattr(_mine, "meter", None) or Meter()


def answers() -> pathlib.Path:
    return _mine.answers


def run(command: typing.Sequence[str]) -> typing.Tuple[str, float]:
    """What a program prints, and its seconds of a core. One that fails ends this one, with its
    message."""
    with tempfile.TemporaryFile("w+") as errors:
        with subprocess.Popen([*LEASH, *command], stdout=subprocess.PIPE, stderr=errors,
                              text=True) as process:
            text = process.stdout.read()
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            errors.seek(0)
            raise SystemExit(f"{' '.join(command)}\n{errors.read()}{text}")
    return text, used.ru_utime + used.ru_stime


def side_by_side(function: typing.Callable, items: typing.Sequence, jobs: int) -> list:
    """`function` of each item, `jobs` at a time, with a line on stderr when they are done."""
    began, shared, mine = time.monotonic(), session(), meter()
    before, state = mine.kept, dict(_mine.__dict__)
    mine.planned += len(items)

    def one(item):
        _mine.__dict__.update(state)
        with shared.slots if shared else contextlib.nullcontext():
            return function(item)

    with shared.others_turn() if shared else contextlib.nullcontext():
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            results = list(pool.map(one, items))
    kept = mine.kept - before
    skipped = f", {kept} not again: their results are there, of the same program, " \
        "configuration and traces" if kept else ""
    print(f"  {len(items)} runs, {jobs} side by side: {time.monotonic() - began:.0f} s{skipped}",
          file=sys.stderr)
    return results
