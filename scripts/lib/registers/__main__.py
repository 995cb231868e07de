# SPDX-License-Identifier: Apache-2.0
"""Command line of scripts/generate-registers."""
import argparse
import difflib
import pathlib
import sys
import typing

from systemrdl import RDLCompileError

from . import c_header, html, markdown, rows, table, tree

SOURCES = ("nvme", "ahci", "nvme_fe", "sata_fe", "channel", "irq", "timer", "nor", "thermal",
           "memory_map")
MARKDOWN = "docs/registers.md"
HTML = "docs/registers/index.html"
TABLE = "tests/support/register_table.cpp"
ROWS = "platform/ssd/register_rows.cpp"


def outputs(root: pathlib.Path) -> typing.Dict[str, str]:
    """Every generated file: path below the root, text."""
    blocks = [tree.load(root, f"models/regs/{name}.rdl") for name in SOURCES]
    known = {f"models/regs/{name}.rdl" for name in SOURCES} | {"models/regs/properties.rdl"}
    for path in sorted((root / "models/regs").glob("*.rdl")):
        if f"models/regs/{path.name}" not in known:
            raise ValueError(f"models/regs/{path.name}: name it in SOURCES of "
                             "scripts/lib/registers/__main__.py")
    texts = {block.header: c_header.header(block) for block in blocks}
    texts[MARKDOWN] = markdown.page(blocks)
    texts[HTML] = html.page(blocks)
    texts[TABLE] = table.source(blocks)
    texts[ROWS] = rows.source(blocks)
    return texts


def check(root: pathlib.Path, texts: typing.Dict[str, str]) -> int:
    """Says what a regeneration would change."""
    stale = 0
    for path, text in texts.items():
        place = root / path
        kept = place.read_text(encoding="utf-8") if place.exists() else ""
        if kept != text:
            stale += 1
            diff = difflib.unified_diff(kept.split("\n"), text.split("\n"), path,
                                        "generated anew", lineterm="", n=1)
            print("\n".join(list(diff)[:40]))
    if stale:
        print(f"{stale} of {len(texts)} generated files differ from models/regs/*.rdl: "
              "run scripts/generate-registers and commit what it writes")
        return 1
    print(f"{len(texts)} generated files are those of models/regs/*.rdl")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/generate-registers", description="C headers, "
                                     "references and the test table out of models/regs/*.rdl",
                                     epilog="--install only fetches the packages that it needs")
    parser.add_argument("--check", action="store_true",
                        help="write nothing; exit code 1 when a file is not what it would be")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path.cwd(),
                        help="of the project; default: this one")
    options = parser.parse_args()
    root = options.root.resolve()
    try:
        texts = outputs(root)
    except RDLCompileError:
        print("scripts/generate-registers: the lines above say what is wrong", file=sys.stderr)
        return 2
    except (OSError, ValueError) as error:
        print(f"scripts/generate-registers: {error}", file=sys.stderr)
        return 2
    if options.check:
        return check(root, texts)
    for path, text in texts.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.exists() or place.read_text(encoding="utf-8") != text:
            place.write_text(text, encoding="utf-8")
            print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
