# SPDX-License-Identifier: Apache-2.0
"""Runs of the program whose summary a test looks at."""

import json
import pathlib
import subprocess
import tempfile
import typing


def summary_of(ssdvp: str, options: typing.Sequence[str]) -> dict:
    """summary.json of `ssdvp run` with these options. A run that fails raises an exception."""
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([ssdvp, "run", *options, "--quiet", "--out", out], check=True,
                       stdout=subprocess.DEVNULL)
        return json.loads((pathlib.Path(out) / "summary.json").read_text(encoding="utf-8"))


def within(what: str, value: float, bound: float) -> bool:
    """Prints a value beside its bound; whether it is positive and within."""
    print(f"{what}: {value:.4g}, bound {bound:g}")
    return 0 < value <= bound
