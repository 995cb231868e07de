# SPDX-License-Identifier: Apache-2.0
"""The commands of a wheel: ssdvp, ssdvp-report, ssdvp-sweep, ssdvp-optimise."""
import os
import runpy
import sys
import typing

_REPORT_USAGE = """usage: ssdvp-report DIR [DIR...] [--out FILE]

Makes a page for a browser of what `ssdvp run --out DIR` has written; of several folders, a
comparison. Prints the path of the page.
"""


def program() -> typing.NoReturn:
    """The program takes the place of this process: its options, its exit code."""
    from ssdvp import program as place
    from ssdvp.errors import ProgramError
    try:
        path = place.path()
        os.execv(path, [path, *sys.argv[1:]])
    except ProgramError as error:
        _refuse(str(error))
    except OSError as error:
        _refuse(f"{path} cannot be started: {error.strerror}; pip install --force-reinstall ssdvp")


def report() -> None:
    """As scripts/report of the clone."""
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(_REPORT_USAGE, end="")
        return
    runpy.run_module("ssdvp.report", run_name="__main__", alter_sys=True)


def sweep() -> None:
    """As scripts/sweep of the clone."""
    _explore("sweep")


def optimise() -> None:
    """As scripts/optimise of the clone."""
    _explore("optimise")


def _explore(what: str) -> None:
    sys.argv[1:1] = [what]
    runpy.run_module("ssdvp.explore", run_name="__main__", alter_sys=True)


def _refuse(text: str) -> typing.NoReturn:
    print(f"ssdvp: error: {text}", file=sys.stderr)
    sys.exit(2)
