# SPDX-License-Identifier: Apache-2.0
"""Names of the numbers in summary.json, as the program tells them before any run."""
import difflib
import functools
import re
import typing

from ssdvp import program
from ssdvp.errors import ConfigError
from ssdvp.explore.table import LEFT_OUT
from ssdvp.report.folder import KINDS
from ssdvp.report.overview import PERCENTILES

_ROW = re.compile(r"^\| `([^`]+)` \|", re.MULTILINE)
# What stands for several names in the program's list, and the names that are suggested.
_SEVERAL = {"<kind>": KINDS, "<percentile>": (*PERCENTILES, "stdev")}
_ANY = re.compile(r"<[a-z]+>|\[\]")  # others, which a configuration gives: a stream's, a part's


@functools.lru_cache(maxsize=None)
def _told(path: str) -> typing.Tuple[str, ...]:
    del path  # another program is asked anew
    names = set(_ROW.findall(program.ask("show", "--summary-keys")))
    names = {n for n in names if n.partition(".")[0].removesuffix("[]") not in LEFT_OUT}
    for word, stands_for in _SEVERAL.items():
        names = {name.replace(word, one) for name in names for one in stands_for}
    return tuple(sorted(names))


def check(name: str, others: typing.Sequence[str] = ()) -> None:
    """ConfigError with what is nearest, if no run can have this number. `others`: what else the
    user may have meant."""
    names = _told(program.path())
    if name in names or any(_pattern(n).fullmatch(name) for n in names if _ANY.search(n)):
        return
    close = difflib.get_close_matches(name, [*names, *others], 1)
    raise ConfigError(f"there is no {name}" + (f", did you mean {close[0]}?" if close else "")
                      + "; `ssdvp show --summary-keys` lists the numbers of a run")


@functools.lru_cache(maxsize=None)
def _pattern(name: str) -> "re.Pattern[str]":
    """[] is .0, .1, ... as the table of a sweep has it."""
    parts = _ANY.split(name)
    marks = [r"\.[0-9]+" if m == "[]" else ".+" for m in _ANY.findall(name)]
    return re.compile("".join(re.escape(p) + m for p, m in zip(parts, [*marks, ""])))
