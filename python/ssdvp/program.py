# SPDX-License-Identifier: Apache-2.0
"""The program that this package starts: where it is, and short questions to it."""
import functools
import os
import pathlib
import shutil
import subprocess

from ssdvp.errors import ConfigError, ProgramError, told

VARIABLE = "SSDVP"  # names the program, before any other place
USAGE = 2           # exit code: usage, configuration or an input file is wrong
# In the clone that this file lies in.
_BUILT = pathlib.Path(__file__).resolve().parents[2] / "build" / "release" / "ssdvp"


def path() -> str:
    """Path of the program; $SSDVP names another one."""
    named = os.environ.get(VARIABLE)
    if named:
        if not os.access(named, os.X_OK):
            raise ProgramError(f"${VARIABLE} names {named}, which is no program; unset it, or name "
                               "the built ssdvp")
        return os.path.abspath(named)
    if os.access(_BUILT, os.X_OK):
        return str(_BUILT)
    found = shutil.which("ssdvp")
    if found:
        return found
    raise ProgramError("the program ssdvp is not built here; build it with scripts/run, or "
                       f"name it in ${VARIABLE}")


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
