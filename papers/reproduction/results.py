# SPDX-License-Identifier: Apache-2.0
"""Results that are committed, and comparison with them.

papers/results/NAME has those in full size: the claims (claims.csv), the data of the figures
and, part by part, how they came about (made.json). quick.json beside them has the claims of quick
runs, which the suite compares. Both say by what they were shaped (shaped.py). Runs are
deterministic on any machine: figures are equal, to the digits that are told, or something has
changed."""
import csv
import dataclasses
import itertools
import json
import pathlib
import re
import typing

from . import claims, shaped

ROOT = pathlib.Path(__file__).parents[2]
RESULTS = ROOT / "papers/results"
COLUMNS = ("part", *claims.COLUMNS)
LARGEST = 12 << 10  # bytes of the data of a figure; of a longer one every n-th row
NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")

Row = typing.Tuple[str, ...]
Rows = typing.List[Row]


@dataclasses.dataclass(frozen=True)
class PartDone:
    """`made`: an entry of made.json. `rows`: its claims, as of claims.COLUMNS."""
    made: dict
    rows: Rows


Done = typing.Dict[str, PartDone]  # by part


@dataclasses.dataclass(frozen=True)
class Told:
    """What is compared of a claim."""
    verdict: str
    measured: str


Figures = typing.Dict[typing.Tuple[str, str], Told]  # part, claim


def figures_of(done: Done) -> Figures:
    at = {column: i for i, column in enumerate(claims.COLUMNS)}
    return {(part, row[at["claim"]]): Told(row[at["verdict"]], row[at["measured"]])
            for part, entry in done.items() for row in entry.rows}


def numbers(text: str) -> typing.List[float]:
    return [float(found.replace(",", "")) for found in NUMBER.findall(text)]


def by_how_much(was: str, now: str) -> str:
    """The number that has moved most, of two texts that differ in their numbers only."""
    if NUMBER.sub("#", was) != NUMBER.sub("#", now):
        return "told in other words"
    moved = [(abs(b - a) / abs(a) if a else float("inf"), a, b)
             for a, b in zip(numbers(was), numbers(now)) if a != b]
    if not moved:
        return "told with other digits"
    share, before, after = max(moved)
    return f"{before:g} has become {after:g}" + (f" ({after / before - 1:+.1%})" if before else "")


def changes(now: Figures, committed: Figures) -> typing.List[str]:
    """What is told otherwise than in the committed results, a line each."""
    lines = []
    for key in dict.fromkeys((*committed, *now)):
        part, name = key
        head = f"{part}: {name}"
        if key not in now:
            lines.append(f"{head}: is not told any more")
        elif key not in committed:
            lines.append(f"{head}: is new: {now[key].measured}")
        elif now[key] != committed[key]:
            was, new = committed[key], now[key]
            verdict = f"{was.verdict} -> {new.verdict}; " if was.verdict != new.verdict else ""
            figure = (f"{by_how_much(was.measured, new.measured)}\n    was {was.measured}\n"
                      f"    now {new.measured}" if was.measured != new.measured else
                      f"still {new.measured}")
            lines.append(f"{head}: {verdict}{figure}")
    return lines


def rows_of(name: str) -> typing.List[typing.Dict[str, str]]:
    """Its committed claims, as of COLUMNS."""
    path = RESULTS / name / "claims.csv"
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read_json(path: pathlib.Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def write_json(path: pathlib.Path, content: dict) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def made_of(name: str) -> typing.Dict[str, dict]:
    """How each part of the committed results came about."""
    return read_json(RESULTS / name / "made.json").get("parts", {})


def committed(name: str, quick: bool) -> Figures:
    if quick:
        return {(part, claim): Told(*told)
                for part, entry in read_json(RESULTS / "quick.json").get(name, {}).items()
                for claim, told in entry["claims"].items()}
    return {(row["part"], row["claim"]): Told(row["verdict"], row["measured"])
            for row in rows_of(name)}


def seconds_of(name: str, quick: bool) -> typing.Dict[str, float]:
    """Seconds of a core by part, as committed."""
    parts = read_json(RESULTS / "quick.json").get(name, {}) if quick else made_of(name)
    return {part: entry["seconds"] for part, entry in parts.items()}


def quick_claims(name: str, part: str) -> typing.Dict[str, typing.List[str]]:
    """[verdict, measured] of each claim of the committed quick run."""
    return read_json(RESULTS / "quick.json").get(name, {}).get(part, {}).get("claims", {})


def moved(name: str, part: str, entry: dict) -> float:
    """Share by which a figure of the quick run has moved at most since the full results `entry` of
    the part were made; 1 where something else is told."""
    share = 0.0
    for claim, (_, now) in quick_claims(name, part).items():
        was = entry["quick"].get(claim, ("", ""))[1]
        if NUMBER.sub("#", was) != NUMBER.sub("#", now):
            return 1.0
        share = max([share, *(abs(b - a) / max(abs(a), abs(b))
                              for a, b in zip(numbers(was), numbers(now)) if a != b)])
    return share


def is_stale(name: str, part: str, run: typing.Callable, entry: dict, is_quick: bool) -> bool:
    """Made by other code or configurations than today's, or, in full, when quick runs came to other
    verdicts."""
    def verdicts(told: typing.Mapping[str, typing.Sequence[str]]) -> typing.Dict[str, str]:
        return {claim: verdict for claim, (verdict, _) in told.items()}
    return entry.get("shaped_by") != shaped.by(run) or (
        not is_quick and verdicts(entry["quick"]) != verdicts(quick_claims(name, part)))


def stale(experiments: typing.Mapping[str, typing.Mapping[str, typing.Callable]]
          ) -> typing.List[str]:
    """Commands that make anew what is stale."""
    quick = read_json(RESULTS / "quick.json")
    found = []
    for name, parts in experiments.items():
        for option, made in ((" --quick", quick.get(name, {})), ("", made_of(name))):
            old = [part for part, run in parts.items() if part in made and
                   is_stale(name, part, run, made[part], bool(option))]
            if old:
                words = "".join(f" --part {part}" for part in old)
                found.append(f"scripts/reproduce {name}{option} --keep{words}")
    return found


def of_parts(figures: Figures, parts: typing.Container[str]) -> Figures:
    return {key: told for key, told in figures.items() if key[0] in parts}


def thinned(rows: Rows, most: int) -> typing.Tuple[Rows, int]:
    """Every n-th row of each line of a figure, and its last: lines are told apart by what is no
    number."""
    def line(row: Row) -> tuple:
        return tuple(cell for cell in row if not NUMBER.fullmatch(cell))

    size, step = sum(len(",".join(row)) + 2 for row in rows), 1
    if size > most:
        step = -(-size // most)
    kept: Rows = []
    for _, group in itertools.groupby(rows, line):
        members = list(group)
        kept += [row for i, row in enumerate(members) if i % step == 0 or i == len(members) - 1]
    return kept, step


def keep_data(source: pathlib.Path, target: pathlib.Path) -> int:
    """Copies the data of a figure; every how many rows."""
    with source.open(encoding="utf-8", newline="") as file:
        header, *rows = list(csv.reader(file))
    rows, step = thinned(rows, LARGEST)
    with target.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])
    return step


def keep_full(name: str, out: pathlib.Path, done: Done, known: typing.Iterable[str]) -> None:
    """Makes the results of these parts the committed ones; others stay, if they are `known`."""
    folder = RESULTS / name
    folder.mkdir(parents=True, exist_ok=True)
    old, made, rows = made_of(name), {}, []
    old_rows = rows_of(name)
    for part in known:
        if part in done:
            entry = {**done[part].made, "quick": quick_claims(name, part)}
            steps = {file: keep_data(out / file, folder / file) for file in entry["files"]}
            entry["every_nth_row"] = {file: step for file, step in steps.items() if step > 1}
            made[part] = entry
            rows += [(part, *row) for row in done[part].rows]
        elif part in old:
            made[part] = old[part]
            rows += [tuple(row[c] for c in COLUMNS) for row in old_rows if row["part"] == part]
    write_json(folder / "made.json", {"parts": made})
    with (folder / "claims.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])
    wanted = {"made.json", "claims.csv", *(f for entry in made.values() for f in entry["files"])}
    for path in folder.iterdir():
        if path.name not in wanted:
            path.unlink()


def keep_quick(name: str, done: Done, known: typing.Iterable[str]) -> None:
    path = RESULTS / "quick.json"
    content = read_json(path)
    parts = content.get(name, {})
    for part, entry in done.items():
        told = {claim: [told.verdict, told.measured]
                for (_, claim), told in figures_of({part: entry}).items()}
        parts[part] = {**{key: entry.made[key] for key in ("seconds", "files", "shaped_by")},
                       "claims": told}
    content[name] = {part: parts[part] for part in known if part in parts}
    write_json(path, dict(sorted(content.items())))
