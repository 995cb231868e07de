# SPDX-License-Identifier: Apache-2.0
"""docs/papers/claims.md: every claim of every paper on one page, with the commit, the seeds and the
time that its figures were made at, and the figures themselves."""
import re
import textwrap
import typing

from . import claims, pages, results
from .experiments import PAPERS, Paper

PAGE = "claims.md"
HEAD = """<!-- Written by scripts/reproduce pages: do not edit. -->
# All claims

Every claim of every paper that is run again, with what was measured and the verdict.
`scripts/reproduce all` runs all of them. What each claim tolerates, what would refute it and why it
is so is on the page of its paper; how claims are judged in
[results](../results.md#results-of-the-reproductions). In all:
"""
PICTURE = re.compile(r"^!\[[^\]]+\]\([^)]+\)$", re.MULTILINE)


def totals() -> str:
    rows = [row for paper in PAPERS for name in paper.experiments for row in results.rows_of(name)]
    found = pages.count(rows)
    bound = pages.count(pages.binding(rows))
    return (f"{len(rows)} claims, of which {found[claims.HOLDS]} hold, {found[claims.FAILS]} do "
            f"not, and {found[claims.UNTESTED]} cannot be tested; of the binding ones "
            f"{bound[claims.FAILS]} do not hold.\n")


def origin(made: dict) -> str:
    """When and from what a part was made, in one sentence."""
    seeds = ", ".join(map(str, made["seeds"])) or "none"
    options = "".join(f", {key} {value}" for key, value in made["options"].items())
    return (f"Commit {made['commit']} of {made['date']}, {made['runs']} runs, seed {seeds}"
            f"{options}, {pages.duration(made['seconds'])} of one core.")


def table(rows: typing.Sequence[pages.Row]) -> str:
    lines = [pages.row(("claim", "paper", "measured", "verdict")), "|---|---|---|---|"]
    for entry in rows:
        verdict = f"**{entry['verdict']}**" + ("; not binding" if entry["left_open"] else "")
        lines.append(pages.row((entry["claim"], entry["paper"], entry["measured"], verdict)))
    return "\n".join(lines) + "\n"


def of_experiment(name: str) -> str:
    rows, made = results.rows_of(name), results.made_of(name)
    if not rows:
        return f"\n### {name}\n\n{pages.NOTHING}\n"
    text = f"\n### {name}\n"
    for part, entry in made.items():
        head = f"**{part}.** {origin(entry)}{pages.since(name, {part: entry})}"
        text += f"\n{textwrap.fill(head, pages.WIDTH)}\n\n"
        text += table([row for row in rows if row["part"] == part])
    return text


def figures(paper: Paper) -> str:
    path = pages.PAGES / paper.page
    pictures = PICTURE.findall(path.read_text(encoding="utf-8"))
    return "\n" + "\n\n".join(pictures) + "\n" if pictures else ""


def page() -> str:
    text = HEAD + totals()
    for paper in PAPERS:
        title = (f"[The page of the paper]({paper.page}) has its machine, what it leaves open, and "
                 "the verdict.\n")
        text += f"\n## {paper.title}\n\n{title}"
        for name in paper.experiments:
            text += of_experiment(name)
        text += figures(paper)
    return text
