# SPDX-License-Identifier: Apache-2.0
"""Options of `ssdvp run` in a space: which there are, and which make no sense for many runs."""
import difflib
import typing

from ssdvp.running import STANDARD, Options

_ELSEWHERE = {"seed": "the seeds of a space are given by seeds:",
              "out": "each point has a folder of its own", "quiet": "points say nothing anyway",
              "set": "keys are given by set: and keys:",
              "save_state": "all points would write the same file"}


def option_problem(name: str, value: typing.Any) -> str:
    """What is wrong with it; empty if nothing is."""
    kinds = typing.get_type_hints(Options)
    if name in _ELSEWHERE:
        return f"{name}: {_ELSEWHERE[name]}"
    if name not in kinds:
        close = difflib.get_close_matches(name, kinds, 1)
        return (f"'{name}' is no option of ssdvp run"
                + (f"; did you mean '{close[0]}'?" if close else ""))
    if name in STANDARD:
        return "" if isinstance(value, bool) else (
            f"{name}: is true, and lies in the folder of each point; one file would be written by "
            "all of them")
    if kinds[name] is int:
        whole = type(value) is int and value >= 0
        return "" if whole else f"{name}: '{value}' is no whole number"
    if kinds[name] is bool:
        return "" if isinstance(value, bool) else f"{name}: '{value}' is neither true nor false"
    return "" if isinstance(value, (str, int, float)) and not isinstance(value, bool) else (
        f"{name}: '{value}' is no text")
