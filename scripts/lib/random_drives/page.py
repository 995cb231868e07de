# SPDX-License-Identifier: Apache-2.0
"""docs/reference/random_drives.md: what a campaign has seen."""
import collections
import pathlib
import re
import typing

from random_drives.choice import Choices, Named
from random_drives.generator import Generator, Pair

PATH = "docs/reference/random_drives.md"

HEAD = pathlib.Path(__file__).with_name("head.md")


def table_of_features(features: typing.Dict[str, Choices]) -> str:
    rows = [f"| {feature} | {'; '.join(choices)} |" for feature, choices in features.items()]
    return "\n".join(["| feature | choices: one for each drive, the first is the plain one |",
                      "|---|---|", *rows])


def reason(why: str) -> str:
    """Without places in files and the figures of one drive."""
    why = re.sub(r"^\S*\d+:\d+: | \(\S*\d+:\d+\)", "", why)
    return re.sub(r"\d[\d.]*", "N", why).split(";")[0]


def told(named: Named) -> str:
    return f"{named[0]}: {named[1]}"


def rows_of_excluded(excluded: typing.Dict[Pair, str]) -> typing.Iterator[str]:
    """A row for a choice and its reasons: with which others."""
    rows: typing.Dict[Named, typing.List[Named]] = collections.defaultdict(list)
    count = collections.Counter(named for both in excluded for named in both)
    for a, b in excluded:
        first, second = (a, b) if (count[a], a) >= (count[b], b) else (b, a)
        rows[first].append(second)
    for first in sorted(rows):
        yield f"| {told(first)} | {'; '.join(told(n) for n in sorted(rows[first]))} |"


def table_of_excluded(excluded: typing.Dict[Pair, str]) -> str:
    if not excluded:
        return "None was met.\n"
    reasons = collections.Counter(reason(why).replace("|", " ") for why in excluded.values())
    by_count = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    return "\n".join([
        "| choice | not together with |", "|---|---|", *rows_of_excluded(excluded), "",
        "| reason, as `ssdvp check` gives it | pairs |", "|---|---|",
        *(f"| {why} | {count} |" for why, count in by_count), ""])


def text(features: typing.Dict[str, Choices], generator: Generator, count: int, seed: int) -> str:
    pairs = len(generator.all_pairs)
    return "\n".join([
        HEAD.read_text(encoding="utf-8"), "## Features", "", table_of_features(features), "",
        "## Pairs of choices", "",
        f"| of {count:,} drives, seed {seed} | |", "|---|---|",
        f"| choices | {sum(map(len, features.values()))} of {len(features)} features |",
        f"| pairs of choices of different features | {pairs:,} |",
        f"| occurred together in a drive | {generator.covered:,} |",
        f"| excluded by the program | {len(generator.excluded):,} |",
        f"| did not occur | {len(generator.missing()):,} |",
        f"| drawn again | {generator.refused:,} |", "",
        "`ssdvp check` refuses these, in a drive that is plain but for them and what they need.",
        "",
        table_of_excluded(generator.excluded)])


def write(root: pathlib.Path, features: typing.Dict[str, Choices], generator: Generator, count: int,
          seed: int) -> None:
    (root / PATH).write_text(text(features, generator, count, seed), encoding="utf-8")
