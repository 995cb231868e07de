# SPDX-License-Identifier: Apache-2.0
"""What no summary.json may say, whatever the drive: [what is wrong]."""
import math
import re
import typing

ABSURD = 2.0 ** 62  # a count that has gone below zero, in 64 bits
SHARE = re.compile(r"(^|[._])(busy\w*|\w*_ratio|share|\w*_share)$")
PERCENT = re.compile(r"(\d+(?:\.\d+)?) % of")
# An interval may reach below zero, and degrees may lie there; a slope has a sign.
SIGNED = re.compile(r"^confidence\.|\.confidence\.|\.low$|slope|temperature|celsius|heat_j\.stored")


def leaves(tree: typing.Any, path: str = "") -> typing.Iterator[typing.Tuple[str, typing.Any]]:
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from leaves(value, f"{path}.{key}" if path else str(key))
    elif isinstance(tree, list):
        for i, value in enumerate(tree):
            yield from leaves(value, f"{path}.{i}")
    else:
        yield path, tree


def number_faults(path: str, value: float) -> typing.Iterator[str]:
    if not math.isfinite(value) or abs(value) >= ABSURD:
        yield f"absurd number: {path} = {value}"
    elif value < 0 and not SIGNED.search(path):
        yield f"negative number: {path} = {value}"
    elif value > 1 + 1e-9 and SHARE.search(path):
        yield f"share above 1: {path} = {value}"


def text_faults(summary: typing.Mapping[str, typing.Any]) -> typing.Iterator[str]:
    """Sentences tell percentages of something."""
    texts = [summary.get("bottleneck", {}),
             *summary.get("validity", {}).get("warnings", [])]
    for text in texts:
        for percent in PERCENT.findall(text.get("text", "")):
            if float(percent) > 100:
                yield f"share above 1: {text.get('code', 'bottleneck')}: {text['text']}"


def drive_faults(summary: typing.Mapping[str, typing.Any]) -> typing.Iterator[str]:
    """Of one drive or array."""
    for violation in summary.get("violations", []):
        yield f"violated identity: {violation}"
    for key in ("mismatches", "total_mismatches"):
        if summary.get("integrity", {}).get(key, 0):
            yield f"mismatch: {key} = {summary['integrity'][key]}"
    for fault in summary.get("faults", {}).get("first", []):
        yield f"fault: {fault}"
    if summary.get("complete") is False:
        yield "incomplete: the run did not come to its end"


def parts(summary: typing.Mapping[str, typing.Any]) -> typing.Iterator[typing.Any]:
    """The summaries that a summary holds."""
    inner = [e["summary"] for key in ("drives", "arrays") for e in summary.get(key, [])]
    yield from inner or [summary]


def faults(summary: typing.Mapping[str, typing.Any]) -> typing.List[str]:
    found = [fault for part in parts(summary) for check in (drive_faults, text_faults)
             for fault in check(part)]
    for path, value in leaves(summary):
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            found += number_faults(path, value)
    return found
