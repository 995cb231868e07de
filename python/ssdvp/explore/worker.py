# SPDX-License-Identifier: Apache-2.0
"""What a worker does: one run, and what came of it."""
import dataclasses
import pathlib
import socket
import tempfile
import threading
import time
import typing

from ssdvp import process, program
from ssdvp.errors import ProgramError, told
from ssdvp.explore.task import Task, program_id

DONE, FAILED, INVALID = "done", "failed", "invalid"
SUMMARY = "summary.json"


@dataclasses.dataclass(frozen=True)
class Outcome:
    """`state`: done, failed or invalid; `error` of the latter two. `files`: what the run wrote,
    where it cannot leave it in the folder of the sweep itself."""
    id: str
    state: str
    error: str = ""
    seconds: float = 0.0
    worker: str = ""
    files: typing.Mapping[str, bytes] = dataclasses.field(default_factory=dict)


def run_in(folder: pathlib.Path, task: Task, timeout: typing.Optional[float],
           stop: typing.Optional[threading.Event] = None) -> Outcome:
    """Runs it; the results are in `folder`. `stop` ends it."""
    began = time.monotonic()
    try:
        _same_program(task)
        ended = process.execute(task.command(folder), timeout=timeout, cancel=stop,
                                die_with_us=True)
        if ended.stopped:
            state, error = FAILED, ended.stopped
        elif ended.code not in (0, program.MANY_FAILED):
            state, error = FAILED, f"exit code {ended.code}: {told(ended.stderr)}"
        else:
            state, error = DONE, ""
    except (ProgramError, OSError) as problem:
        state, error = FAILED, str(problem)
    return Outcome(task.id, state, error, time.monotonic() - began, socket.gethostname())


def run_away(task: Task, timeout: typing.Optional[float]) -> Outcome:
    """Runs it on a machine that may not see the folder of the sweep; the results come back."""
    with tempfile.TemporaryDirectory(prefix="ssdvp-") as place:
        folder = pathlib.Path(place) / "point"
        outcome = run_in(folder, task, timeout)
        files = {str(f.relative_to(folder)): f.read_bytes()
                 for f in sorted(folder.rglob("*")) if f.is_file()}
        return dataclasses.replace(outcome, files=files)


def _same_program(task: Task) -> None:
    """Results of two programs are not to be compared."""
    if program_id(program.path()) != task.program:
        raise ProgramError(f"{program.path()} on {socket.gethostname()} is another program than "
                           "that of who started the sweep; install the same build")
