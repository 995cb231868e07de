# SPDX-License-Identifier: Apache-2.0
"""The program that this package starts: where it is, and short questions to it."""
import functools
import os
import pathlib
import shutil
import subprocess
import sys

from ssdvp.errors import ConfigError, ProgramError, told

VARIABLE = "SSDVP"  # names the program, before any other place
USAGE = 2           # exit code: usage, configuration or an input file is wrong
MANY_FAILED = 3     # ... done, but more requests failed than run.failed_limit lets
_HERE = pathlib.Path(__file__).resolve().parent
_CARRIED = _HERE / "_program"  # in a wheel: bin, lib and share of an installation
_BUILT = _HERE.parents[1] / "build" / "release" / "ssdvp"  # in the clone that this file lies in


def path() -> str:
    """Path of the program: the one that $SSDVP names, else that of the wheel, else that of the
    clone, else the one of $PATH."""
    named = os.environ.get(VARIABLE)
    if named:
        if not os.access(named, os.X_OK):
            raise ProgramError(f"${VARIABLE} names {named}, which is no program; unset it, or name "
                               "the built ssdvp")
        return os.path.abspath(named)
    if _CARRIED.is_dir():
        return _carried()
    if os.access(_BUILT, os.X_OK):
        return str(_BUILT)
    found = shutil.which("ssdvp")
    # The command of a wheel has that name, too, and would look for the program again.
    if found and not (os.path.exists(sys.argv[0]) and os.path.samefile(found, sys.argv[0])):
        return found
    raise ProgramError("the program ssdvp is not here; build it with scripts/run, install it "
                       f"(docs/install.md), or name it in ${VARIABLE}")


def _carried() -> str:
    """Of the wheel; whole, for what is missing would be told as something else."""
    program = _CARRIED / "bin" / "ssdvp"
    for needed in (program, _CARRIED / "share" / "ssdvp" / "configs"):
        if not needed.exists():
            raise ProgramError(f"{needed} is missing: this installation of the package is not "
                               "whole; pip install --force-reinstall ssdvp")
    return str(program)


def ask(*words: str) -> str:
    """What a short command prints. Raises ConfigError with what it says is wrong."""
    try:
        done = subprocess.run([path(), *words], capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL)
    except OSError as error:
        raise ProgramError(f"{path()} cannot be started: {error.strerror}") from error
    if done.returncode == USAGE:
        raise ConfigError(told(done.stderr))
    if done.returncode != 0:
        raise ProgramError(f"ssdvp {words[0]} ended with exit code {done.returncode}: "
                           f"{told(done.stderr)}")
    return done.stdout


@functools.lru_cache(maxsize=None)
def _version_of(program: str) -> str:
    del program  # another one is asked anew
    return ask("--version").strip().rsplit(" ", 1)[-1]


def version() -> str:
    """Version of the program."""
    return _version_of(path())
