# SPDX-License-Identifier: Apache-2.0
"""Tables of docs/papers that are written from committed results: the claims of each experiment and
the data of figures, on the page of its paper, all papers side by side in README.md, and all
claims on one page (overview.py)."""
import collections
import csv
import pathlib
import re
import textwrap
import typing

from . import claims, results
from .experiments import EXPERIMENTS, PAPERS, Paper

PAGES = results.ROOT / "docs/papers"
INDEX = "README.md"
WIDTH = 130
Row = typing.Dict[str, str]  # of claims.csv
NOTHING = "No results in full size are committed yet."


def between(name: str) -> typing.Tuple[str, str]:
    """The lines that a table stands between. `name` "": of all papers."""
    if not name:
        return ("<!-- papers: scripts/reproduce writes this, a test compares it -->",
                "<!-- end of papers -->")
    return (f"<!-- claims {name}: scripts/reproduce writes this, a test compares it -->",
            "<!-- end of claims -->")


DATA = re.compile(r"<!-- data (\S+): scripts/reproduce writes this, a test compares it -->\n.*?"
                  r"<!-- end of data -->\n", re.DOTALL)


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def row(cells: typing.Iterable[str]) -> str:
    return f"| {' | '.join(map(cell, cells))} |"


def duration(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 100 else f"{seconds:.0f} s"


def count(rows: typing.Iterable[Row]) -> typing.Counter[str]:
    return collections.Counter(row["verdict"] for row in rows)


def binding(rows: typing.Iterable[Row]) -> typing.List[Row]:
    return [row for row in rows if not row["left_open"]]


def when(made: typing.Dict[str, dict]) -> str:
    """Commits and dates of the parts, the oldest first."""
    pairs = sorted({(entry["date"], entry["commit"]) for entry in made.values()})
    return ", ".join(f"{commit} of {date}" for date, commit in pairs)


def since(name: str, made: typing.Dict[str, dict]) -> str:
    """What is to be known of results whose quick figures have moved."""
    shares = {part: results.moved(name, part, entry) for part, entry in made.items()}
    told = [f"{part} by up to {share:.1%}" if share < 1 else f"{part} to other words"
            for part, share in shares.items() if share]
    return f" Figures of the quick run have moved since: {', '.join(told)}." if told else ""


def head(name: str, rows: typing.Sequence[Row],
         made: typing.Dict[str, dict]) -> str:
    found = count(rows)
    seeds = sorted({seed for entry in made.values() for seed in entry["seeds"]})
    runs = sum(entry["runs"] for entry in made.values())
    seconds = sum(entry["seconds"] for entry in made.values())
    absent = [part for part in EXPERIMENTS[name] if part not in made]
    text = (f"`scripts/reproduce {name}`, commit {when(made)}: {runs} runs, seed "
            f"{', '.join(map(str, seeds)) or 'none'}, {duration(seconds)} of one core. "
            f"{len(rows)} claims: {found[claims.HOLDS]} hold, {found[claims.FAILS]} do not hold, "
            f"{found[claims.UNTESTED]} cannot be tested.{since(name, made)}")
    if absent:
        text += f" Not run in full size yet: {', '.join(absent)}."
    return textwrap.fill(text, WIDTH)


def claims_table(name: str) -> str:
    rows, made = results.rows_of(name), results.made_of(name)
    if not rows:
        return NOTHING
    lines = [head(name, rows, made), "",
             row(("claim", "paper", "measured", "tolerance", "refuted by", "verdict")),
             "|---|---|---|---|---|---|"]
    for entry in rows:
        verdict = "; ".join(filter(None, (
            f"**{entry['verdict']}**", entry["reason"],
            entry["left_open"] and f"not binding, left open: {entry['left_open']}")))
        lines.append(row((entry["claim"], entry["paper"], entry["measured"], entry["tolerance"],
                          entry["refuted_by"], verdict)))
    return "\n".join(lines)


def papers_table() -> str:
    lines = [row(("paper", "`scripts/reproduce`", "claims", "hold", "do not hold",
                  "cannot be tested", "binding ones that do not hold", "commit", "one core")),
             "|---|---|---|---|---|---|---|---|---|"]
    for paper in PAPERS:
        for name in paper.experiments:
            rows, made = results.rows_of(name), results.made_of(name)
            title = f"[{paper.title}]({paper.page})"
            if not rows:
                lines.append(row((title, name, "none yet", "", "", "", "", "", "")))
                continue
            found, bound = count(rows), binding(rows)
            broken = [entry["claim"] for entry in bound if entry["verdict"] == claims.FAILS]
            lines.append(row((
                title, name, str(len(rows)), *(str(found[verdict]) for verdict in
                                               (claims.HOLDS, claims.FAILS, claims.UNTESTED)),
                f"{len(broken)} of {len(bound)}" + (f": {'; '.join(broken)}" if broken else ""),
                when(made), duration(sum(entry["seconds"] for entry in made.values())))))
    return "\n".join(lines)


def filled(text: str, name: str, table: str) -> str:
    """A page with the table between its marks. One without them is an error."""
    begin, end = between(name)
    found = re.search(f"{re.escape(begin)}\n.*?{re.escape(end)}\n", text, re.DOTALL)
    if not found:
        raise SystemExit(f"there is no line {begin} with {end} after it")
    return f"{text[:found.start()]}{begin}\n\n{table}\n\n{end}\n{text[found.end():]}"


def shown(text: str) -> str:
    """A cell of the data, to four digits if it is a number with a fraction."""
    if not re.fullmatch(r"-?\d+\.\d+(e[-+]\d+)?", text):
        return text
    number = float(text)
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.4g}"


def data_table(file: str) -> str:
    """`file`: in the folder of committed results."""
    path = results.RESULTS / file
    if not path.is_file():
        return NOTHING
    with path.open(encoding="utf-8", newline="") as opened:
        header, *rows = csv.reader(opened)
    return "\n".join([row(header), f"|{'---|' * len(header)}",
                      *(row(map(shown, entry)) for entry in rows)])


def data_filled(text: str) -> str:
    def table(found: typing.Match[str]) -> str:
        first, last = found[0].splitlines()[0], found[0].splitlines()[-1]
        return f"{first}\n\n{data_table(found[1])}\n\n{last}\n"
    return DATA.sub(table, text)


def pages() -> typing.Dict[pathlib.Path, str]:
    """Each page as it should be."""
    index = PAGES / INDEX
    made = {index: filled(index.read_text(encoding="utf-8"), "", papers_table())}
    for paper in PAPERS:
        path = PAGES / paper.page
        text = path.read_text(encoding="utf-8")
        for name in paper.experiments:
            text = filled(text, name, claims_table(name))
        made[path] = data_filled(text)
    from . import overview  # which is made of the tables here
    made[PAGES / overview.PAGE] = overview.page()
    return made


def write() -> None:
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
