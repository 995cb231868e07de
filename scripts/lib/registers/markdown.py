# SPDX-License-Identifier: Apache-2.0
"""The registers as tables of Markdown: docs/registers.md."""
import textwrap
import typing

from . import text
from .tree import Block, Register

COLUMNS = 100


def paragraph(words: str) -> typing.List[str]:
    return [*textwrap.wrap(words, COLUMNS, break_long_words=False, break_on_hyphens=False), ""]


def cell(words: str) -> str:
    return words.replace("|", "\\|")


def register_rows(register: Register) -> typing.List[str]:
    wide = " (64 bits)" if register.width == 64 else ""
    rows = [f"| {register.offset:02X}h | {register.name}{wide} | {register.access} | "
            f"{cell(text.register_reset(register))} | {cell(text.meaning_of(register))} |"]
    if not text.is_whole(register):
        rows += [f"| | .{f.name} [{text.bits(f)}] | {f.access} | {cell(text.reset_of(f))} | "
                 f"{cell(text.notes_of(f))} |" for f in register.fields]
    return rows


def table(registers: typing.List[Register]) -> typing.List[str]:
    return ["| offset | register | access | reset | meaning |", "|---|---|---|---|---|",
            *[row for r in registers for row in register_rows(r)], ""]


def map_table(block: Block) -> typing.List[str]:
    rows = [f"| {text.range_of(w)} | {text.name_of(w)} | {text.lines_of(w)} | {cell(w.what)} |"
            for w in block.windows]
    return ["| addresses | window | line | what |", "|---|---|---|---|", *rows, ""]


def section(block: Block) -> typing.List[str]:
    out = [f"## {block.title}", "", *paragraph(block.desc)]
    out += [*paragraph(f"From `{block.source}`; in C: `{block.header}`."
                       + (f" What lies in memory: `{block.records}`." if block.records else ""))]
    if block.windows:
        return out + map_table(block)
    if block.registers:
        out += table(block.registers)
    for group in block.groups:
        out += [*paragraph(f"**{group.name}**[0..{group.count - 1}] from {group.offset:X}h, "
                           f"{group.stride:X}h apart: {group.desc}."), *table(group.registers)]
    return out


def page(blocks: typing.List[Block]) -> str:
    out = ["<!-- Generated from models/regs/*.rdl by scripts/generate-registers: do not edit. -->",
           "# Registers", "",
           *paragraph(text.PURPOSE + " With the bits drawn: "
                      "[registers/index.html](registers/index.html), to be opened in a browser. "
                      "How to add one: [CONTRIBUTING.md](../CONTRIBUTING.md)."),
           *paragraph(text.NOTES), "| access | |", "|---|---|",
           *[f"| {name} | {about} |" for name, about in text.ACCESS.items()], ""]
    for block in sorted(blocks, key=lambda b: not b.windows):
        out += section(block)
    return "\n".join(out).rstrip("\n") + "\n"
