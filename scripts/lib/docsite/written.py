# SPDX-License-Identifier: Apache-2.0
"""What is committed and made by scripts: pages of the reference, tables of pages, the schema that
editors read, diagrams.

    python -m docsite.written ROOT SSDVP [--check]"""
import difflib
import pathlib
import subprocess
import sys
import typing

from docsite import architecture, command_line, python_api, rooms


CONFIGURATION = "docs/configuration.md"
OPTIONS_MARK = "<!-- tables: ssdvp writes them, tests compare them -->\n"  # to the page's end
RESULTS = "docs/results.md"


def with_options(page: str, tables: str) -> str:
    """`page` with the tables of all keys behind the mark."""
    head, mark, _ = page.partition(OPTIONS_MARK)
    if not mark:
        raise ValueError(f"{CONFIGURATION}: no line {OPTIONS_MARK}")
    return head + mark + tables


def with_table(page: str, table: str) -> str:
    """`page` with `table` where it has one that begins like it."""
    first = table[:table.index("\n") + 1]
    head, found, rest = page.partition(first)
    if not found:
        raise ValueError(f"{RESULTS}: no table that begins: {first}")
    return head + table.rstrip("\n") + rest[rest.index("\n\n"):]


def outputs(root: pathlib.Path, ssdvp: str) -> typing.Dict[str, str]:
    """{path in the project: text}"""
    def printed(*words: str) -> str:
        return subprocess.run([ssdvp, *words], capture_output=True, text=True, check=True).stdout

    results = (root / RESULTS).read_text(encoding="utf-8")
    for option in ("--summary-keys", "--ideal", "--counters"):
        results = with_table(results, printed("show", option))
    return {"configs/schema.json": printed("schema"),
            CONFIGURATION: with_options((root / CONFIGURATION).read_text(encoding="utf-8"),
                                        printed("show", "--option-tables")),
            RESULTS: results,
            "docs/architecture.svg": architecture.drawing(),
            "docs/rooms.svg": rooms.drawing(),
            "docs/reference/command_line.md": command_line.page(root, ssdvp),
            "docs/reference/python_api.md": python_api.page(root)}


def check(root: pathlib.Path, texts: typing.Dict[str, str]) -> int:
    stale = 0
    for path, text in texts.items():
        kept = (root / path).read_text(encoding="utf-8") if (root / path).exists() else ""
        if kept != text:
            stale += 1
            print("\n".join(list(difflib.unified_diff(
                kept.split("\n"), text.split("\n"), path, "as the program says", lineterm="",
                n=1))[:30]))
    print(f"{stale} of {len(texts)} files differ: run scripts/site --write and commit them"
          if stale else f"{len(texts)} files are as the program says")
    return 1 if stale else 0


def write(root: pathlib.Path, texts: typing.Dict[str, str]) -> None:
    for path, text in texts.items():
        place = root / path
        if not place.exists() or place.read_text(encoding="utf-8") != text:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
            print(path)


if __name__ == "__main__":
    folder, made = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    if sys.argv[3:] == ["--check"]:
        sys.exit(check(folder, outputs(folder, made)))
    write(folder, outputs(folder, made))
