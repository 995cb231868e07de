# SPDX-License-Identifier: Apache-2.0
"""Runs a drive and judges what it did."""
import dataclasses
import json
import pathlib
import re
import resource
import signal
import subprocess
import tempfile
import typing

from random_drives import drive, summary_checks
from random_drives.choice import Keys

SECONDS = 20  # of processor time, the default
REFUSED = 2
LOUD = re.compile(r"(panic at .*|.*[Aa]ssert.*|terminate called.*|.*runtime error: .*)")
OUT_OF_TIME = "more processor time than a run may take"
TOO_OFTEN = re.compile("power cuts without one completed request|" + OUT_OF_TIME)
# How a drive ends whose blocks fail, were worn to begin with, or lose pages of its map.
SPENT = re.compile("read-only since power cycle|is the drive worn out|status 0x280")  # Write Fault
SPENDS = ("nand.endurance", "nand.errors.program_fail", "nand.errors.erase_fail",
          "nand.errors.rber")
# A good drive never ends so, whatever the host does.
READ_ONLY = re.compile(r"warning: (.*\bread only\b.*)")
# Cells beyond what any code of the choices corrects: not even the record is read with which a drive
# begins.
UNREADABLE = re.compile("boot failed")
BEYOND_ALL_CODES = 0.003  # wrong bits per bit, when new
MEDIA_ERROR = re.compile(r"failed with status 0x281 ")  # Unrecovered Read Error


@dataclasses.dataclass(frozen=True)
class Failure:
    kind: str  # panic, signal 11, hang, mismatch, ...
    message: str

    @property
    def place(self) -> typing.Tuple[str, str]:
        """What two failures have in common: numbers differ from run to run."""
        return self.kind, re.sub(r"[\d.,x]+", "N", self.message)[:70]


class Oracle:
    """`seconds` of processor time are a hang."""

    def __init__(self, program: str, seconds: int = SECONDS):
        self._program, self._seconds = program, seconds

    def _called(self, *words: str) -> "subprocess.CompletedProcess[str]":
        def bounded() -> None:
            resource.setrlimit(resource.RLIMIT_CPU, (self._seconds, self._seconds + 1))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        return subprocess.run([self._program, *words], capture_output=True, text=True,
                              errors="replace", check=False, preexec_fn=bounded)

    def refusal(self, keys: Keys) -> typing.Optional[str]:
        """What `ssdvp check` has against a drive; None: nothing."""
        if "@kept" in keys and "@drives" in keys:
            return "--save-state: a state file is of one drive"
        with tempfile.TemporaryDirectory() as name:
            file = pathlib.Path(name) / "drive.yaml"
            file.write_text(drive.text(keys), encoding="utf-8")
            done = self._called("check", "device/small", str(file))
            if done.returncode == 0:
                return None
            if done.returncode != REFUSED or "error: " not in done.stderr:
                raise RuntimeError(f"check ended with {done.returncode}: {done.stderr}\n"
                                   + drive.command(keys))
            line = done.stderr[done.stderr.index("error: ") + len("error: "):].split("\n")[0]
            return line.replace(f"{file}:", "")

    def failure(self, keys: Keys) -> typing.Optional[Failure]:
        """What is wrong with a drive that `check` accepts; None: nothing."""
        found = self._failure(keys)
        if found and SPENT.search(found.message) and any(key in keys for key in SPENDS):
            return None
        if (found and UNREADABLE.search(found.message)
                and float(keys.get("nand.errors.rber", 0)) >= BEYOND_ALL_CODES):
            return None
        if found and TOO_OFTEN.search(found.message):  # before it comes to work: is that all?
            less = {k: drive.rarer(k, keys[k]) for k in keys if k in drive.CUTS}
            if OUT_OF_TIME in found.message:  # slow is not hung
                less.update({k: max(1, keys[k] // 10) for k in drive.LENGTHS if k in keys})
                less.update({"thermal.step": "1ms"} if "thermal.step" in keys else {})
            return self._failure({**keys, **less})
        return found

    def _failure(self, keys: Keys) -> typing.Optional[Failure]:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for words in drive.arguments(keys, folder):
                done = self._called(*words)
                out = pathlib.Path(words[words.index("--out") + 1])
                done.stderr = done.stderr.replace(name, "")
                found = judged(done, out / "summary.json", keys)
                if found or done.returncode:  # it ended early for what its cells lost: no state
                    return found
            return kept_failure(folder) if keys.get("@kept") == "preconditioned" else None


def judged(done: "subprocess.CompletedProcess[str]", summary: pathlib.Path,
           keys: Keys) -> typing.Optional[Failure]:
    code = done.returncode
    loud = LOUD.search(done.stderr)
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        return Failure("hang", OUT_OF_TIME)
    if loud:
        return Failure("panic", loud[0].strip())
    if code < 0:
        return Failure("signal", f"signal {-code}")
    if code == REFUSED:
        return Failure("refused by run", last_line(done.stderr))
    if not summary.exists():
        return Failure("no summary", f"exit code {code}: {last_line(done.stderr)}")
    found = json.loads(summary.read_text(encoding="utf-8"))
    wrong = summary_checks.faults(found)
    if wrong and keys.get("nand.errors.rber"):
        wrong, code = beyond_cells(wrong, code)
    if wrong:
        return Failure(wrong[0].split(":")[0], wrong[0])
    if code:
        return Failure(f"exit code {code}", last_line(done.stderr))
    ended = READ_ONLY.search(done.stderr)
    if ended and not any(key in keys for key in SPENDS):
        return Failure("read only", ended[1])
    return None


# What follows from reads that fail: a run ends before its end where there are too many to tell.
OF_CELLS = ("mismatch", "incomplete")


def beyond_cells(wrong: typing.List[str], code: int) -> typing.Tuple[typing.List[str], int]:
    """Without what cells lost: sectors that answer with an error, and are missing then."""
    others = [w for w in wrong if not MEDIA_ERROR.search(w)]
    of_cells = [w for w in others if w.startswith(OF_CELLS)]
    if len(others) == len(wrong) or len(of_cells) != len(others):
        return [w for w in others if w not in of_cells] + of_cells, code
    return [], 0


def last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if "warning" not in line]
    return lines[-1].strip() if lines else ""


# Of the process, not of the drive; and where the drive came from.
OF_PROCESS = re.compile(r"wall_s|rss|total_|^state|overrides|kernel_activations|config_sha256")


def kept_failure(folder: pathlib.Path) -> typing.Optional[Failure]:
    """A run from a state that was kept after preconditioning is the run that kept it."""
    both = [dict(summary_checks.leaves(json.loads((folder / out / "summary.json").read_text())))
            for out in ("out", "again")]
    for path in sorted(set(both[0]) | set(both[1])):
        if not OF_PROCESS.search(path) and both[0].get(path) != both[1].get(path):
            return Failure("another run from a kept state",
                           f"{path}: {both[0].get(path)}, from the state {both[1].get(path)}")
    return None
