# SPDX-License-Identifier: Apache-2.0
"""docs/reference/command_line.md, from what --help says of the program and of each script."""
import os
import pathlib
import re
import subprocess
import typing

from docsite.words import NOTE, cell

HEAD = """# Command line

The program, `build/release/ssdvp` after `scripts/run`, and the scripts of the clone.
`--help` says the same.

"""
SECTION = re.compile(r"(Positionals|Options|Subcommands):")
SECOND = 30  # column of the meaning, unless it has a line of its own
NEEDS = re.compile(r" Needs: (\S+)")
EXCLUDES = re.compile(r" Excludes: (\S+)")
LIMITS = re.compile(r":(?:INT|UINT|FLOAT) in \[(\S+) - (\S+)\]")
NOISE = re.compile(r":value in \{.*\}| REQUIRED|\{false\}")


def said(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=True,
                          env={**os.environ, "COLUMNS": "100"})
    return done.stdout


def split(line: str, own_line: bool) -> typing.List[str]:
    """Option and meaning; what the library adds to the option is told as part of the meaning."""
    name = line if own_line else line[:SECOND]
    meaning = "" if own_line else line[SECOND:]
    for found in LIMITS.finditer(name):
        meaning += f" ({found[1]} to {found[2]})"
    for found in NEEDS.finditer(name):
        meaning += f" (with {found[1]})"
    for found in EXCLUDES.finditer(name):
        meaning += f" (not with {found[1]})"
    name = name.replace(" TEXT ...", " ...").replace(" TEXT", "")
    for noise in (LIMITS, NEEDS, EXCLUDES, NOISE):
        name = noise.sub("", name)
    return [name.strip(), meaning.strip()]


def rows(text: str) -> typing.Dict[str, typing.List[typing.List[str]]]:
    """{"Options": [[option, meaning]]} of a help text."""
    found: typing.Dict[str, typing.List[typing.List[str]]] = {}
    lines = text.split("\n")
    for line, following in zip(lines, [*lines[1:], ""]):
        head = SECTION.fullmatch(line)
        if head:
            found[head[1]] = []
        elif found and line.startswith(" " * SECOND):
            last = found[list(found)[-1]][-1]
            last[1] = f"{line.strip()} {last[1]}".strip()
        elif found and line.startswith("  "):
            found[list(found)[-1]].append(split(line, following.startswith(" " * SECOND)))
    return found


def table(kind: str, entries: typing.Iterable[typing.Sequence[str]]) -> str:
    lines = [f"| {kind} | meaning |", "|---|---|"]
    lines += [f"| `{cell(name)}` | {cell(meaning)} |" for name, meaning in entries
              if not name.startswith("-h,")]
    return "\n".join(lines) + "\n"


def program(ssdvp: str) -> str:
    top = rows(said(ssdvp, "--help"))
    text = "## ssdvp\n\n" + table("command", top["Subcommands"])
    for name, about in top["Subcommands"]:
        sections = rows(said(ssdvp, name, "--help"))
        words = " ".join(entry[0] for entry in sections.get("Positionals", []))
        text += f"\n### ssdvp {name}\n\n`ssdvp {name} [OPTIONS] {words}".rstrip() + "`: "
        text += cell(about) + ".\n"
        for kind in ("Positionals", "Options"):
            entries = [entry for entry in sections.get(kind, []) if entry[0] != "-h,--help"]
            if entries:
                text += "\n" + table("argument" if kind == "Positionals" else "option", entries)
    return text


def scripts(root: pathlib.Path) -> str:
    text = "\n## Scripts\n"
    for path in sorted((root / "scripts").iterdir()):
        if path.is_file() and os.access(path, os.X_OK):
            usage = said(str(path), "--help").strip("\n")
            text += f"\n### scripts/{path.name}\n\n```text\n{usage}\n```\n"
    return text


def page(root: pathlib.Path, ssdvp: str) -> str:
    return NOTE + HEAD + program(ssdvp) + scripts(root)
