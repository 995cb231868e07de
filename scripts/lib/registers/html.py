# SPDX-License-Identifier: Apache-2.0
"""The registers as one self-contained page, bits drawn: docs/registers/index.html."""
import html
import re
import typing

from . import text
from .tree import Block, Field, Register

STYLE = """
:root { --ink: #1b2733; --soft: #5a6b7b; --line: #c3ced9; --paper: #ffffff; --panel: #f3f6f9;
  --used: #fdf1d8; --edge: #a5761a; --link: #205a9b; }
@media (prefers-color-scheme: dark) { :root { --ink: #dfe6ec; --soft: #9aa9b6; --line: #3c4a57;
  --paper: #161c22; --panel: #1f272f; --used: #40351c; --edge: #d3a548; --link: #86b8ee; } }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; }
body { margin: 0; display: flex; color: var(--ink); background: var(--paper);
  font: 15px/1.45 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
nav { position: sticky; top: 0; flex: 0 0 15rem; height: 100vh; overflow-y: auto; padding: 1rem;
  background: var(--panel); border-right: 1px solid var(--line); font-size: 13px; }
nav ul { list-style: none; margin: 0 0 .8rem; padding: 0 0 0 .7rem; }
nav > a { font-weight: 600; }
main { flex: 1; min-width: 0; max-width: 62rem; padding: 1.2rem 2rem 5rem; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
h1 { margin: .2rem 0 .8rem; }
h2 { margin: 3rem 0 .4rem; padding-bottom: .2rem; border-bottom: 2px solid var(--edge); }
h3 { margin: 1.8rem 0 .2rem; font-size: 1.05rem; }
h3 small, .where { color: var(--soft); font-weight: normal; font-size: 13px; }
p { margin: .3rem 0 .6rem; }
code, .bits, td.n { font-family: ui-monospace, Menlo, Consolas, monospace; }
code { font-size: 92%; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th { text-align: left; color: var(--soft); font-weight: 600; }
th:last-child { width: 55%; }
th, td { padding: .22rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
tr:target { background: var(--used); }
td.n { white-space: nowrap; font-size: 13px; }
.bits { display: grid; grid-template-columns: repeat(32, 1fr); margin: .5rem 0 .6rem;
  font-size: 11px; border-left: 1px solid var(--edge); }
.bits > div { min-width: 0; padding: .1rem 0; overflow: hidden; text-align: center;
  text-overflow: ellipsis; white-space: nowrap; }
.bits .f { border: 1px solid var(--edge); border-left: 0; background: var(--used); }
.bits .r { border: 1px solid var(--line); border-left: 0; border-right-color: var(--edge); }
.bits .no { color: var(--soft); font-size: 10px; display: flex; justify-content: space-between;
  padding: 0 .15rem; }
.bits .no.one { justify-content: center; }
.tag { display: inline-block; padding: 0 .4rem; border: 1px solid var(--line); border-radius: 3px;
  background: var(--panel); font: 11px ui-monospace, Menlo, Consolas, monospace; }
@media (max-width: 50rem) { nav { display: none; } main { padding: 1rem; } }
@media print { nav { display: none; } h3, .bits { break-inside: avoid; } }
"""


def rich(words: str) -> str:
    """Escaped, with `code` set as code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(words, quote=False))


def spans(register: Register, low: int) -> typing.List[typing.Tuple[int, int,
                                                                    typing.Optional[Field]]]:
    """(high, low, field or none) over the 32 bits from `low` on, highest first."""
    found = []
    at = low + 31
    for field in sorted(register.fields, key=lambda f: -f.high):
        high, bottom = min(field.high, low + 31), max(field.low, low)
        if high < bottom:
            continue
        if at > high:
            found.append((at, high + 1, None))
        found.append((high, bottom, field))
        at = bottom - 1
    if at >= low:
        found.append((at, low, None))
    return found


def drawing(register: Register) -> typing.List[str]:
    """The bits from the highest down, 32 to a line: their numbers, and whose they are."""
    out = []
    for low in range(register.width - 32, -1, -32):
        parts = spans(register, low)
        out.append('<div class="bits" aria-hidden="true">')
        for high, bottom, _ in parts:
            width = high - bottom + 1
            ends = f"<span>{high}</span><span>{bottom}</span>" if width > 1 else f"{high}"
            kind = "no" if width > 1 else "no one"
            out.append(f'<div class="{kind}" style="grid-column:span {width}">{ends}</div>')
        for high, bottom, field in parts:
            style = f'style="grid-column:span {high - bottom + 1}"'
            if field is None:
                out.append(f'<div class="r" {style}>&nbsp;</div>')
            else:
                out.append(f'<div class="f" {style} title="{field.name}">{field.name}</div>')
        out.append("</div>")
    return out


def overview(anchor: str, registers: typing.List[Register], offset: str) -> typing.List[str]:
    """A row for each register; `offset` is a format of its own. Names lead to the bits."""
    out = ['<table class="all"><tr><th>offset</th><th>register</th><th>access</th><th>reset</th>'
           "<th>meaning</th></tr>"]
    for r in registers:
        name, at = r.name, f"{anchor}-{r.name}"
        cell = f'<a href="#{at}">{name}</a>'
        out.append(f'<tr id="{at}-row"><td class="n">{offset.format(r.offset)}</td><td class="n">'
                   f'{cell if not text.is_whole(r) else name}</td><td class="n">{r.access}</td>'
                   f'<td class="n">{rich(text.register_reset(r))}</td>'
                   f"<td>{rich(text.meaning_of(r))}</td></tr>")
    return out + ["</table>"]


def register_part(anchor: str, register: Register, offset: str) -> typing.List[str]:
    title = f" <small>{rich(register.title)}</small>" if register.title else ""
    out = [f'<h3 id="{anchor}">{register.name}{title}</h3>',
           f'<p class="where">offset <code>{offset}</code> · <span class="tag">{register.access}'
           f"</span> · reset {rich(text.register_reset(register))}</p>",
           f"<p>{rich(register.desc)}</p>", *drawing(register),
           "<table><tr><th>bits</th><th>field</th><th>access</th><th>reset</th>"
           "<th>meaning</th></tr>"]
    out += [f'<tr><td class="n">{text.bits(f)}</td><td class="n">{f.name}</td><td class="n">'
            f'{f.access}</td><td class="n">{rich(text.reset_of(f))}</td>'
            f"<td>{rich(text.notes_of(f))}</td></tr>" for f in register.fields]
    return out + ["</table>"]


def registers_part(anchor: str, registers: typing.List[Register], offset: str) \
        -> typing.List[str]:
    """All in one table, then the bits of those that have more than one field."""
    out = overview(anchor, registers, offset)
    for r in registers:
        if not text.is_whole(r):
            out += register_part(f"{anchor}-{r.name}", r, offset.format(r.offset))
    return out


def map_part(block: Block) -> typing.List[str]:
    out = ["<table><tr><th>addresses</th><th>window</th><th>line</th><th>what</th></tr>"]
    for w in block.windows:
        name = html.escape(text.name_of(w))
        if w.block:
            name = f'<a href="#{w.block.name}">{name}</a>'
        out.append(f'<tr><td class="n">{text.range_of(w)}</td><td class="n">{name}</td>'
                   f'<td class="n">{text.lines_of(w)}</td><td>{rich(w.what)}</td></tr>')
    return out + ["</table>"]


def block_part(block: Block) -> typing.List[str]:
    records = f", what lies in memory in <code>{block.records}</code>" if block.records else ""
    out = [f'<h2 id="{block.name}">{rich(block.title)}</h2>', f"<p>{rich(block.desc)}</p>",
           f'<p class="where"><code>{block.source}</code>, in C <code>{block.header}</code>'
           f"{records}</p>"]
    if block.windows:
        return out + map_part(block)
    if block.registers:
        out += registers_part(block.name, block.registers, "{:02X}h")
    for group in block.groups:
        anchor = f"{block.name}-{group.name}"
        out += [f'<h3 id="{anchor}">{group.name}[n], n &lt; {group.count}'
                f" <small>from {group.offset:X}h</small></h3>", f"<p>{rich(group.desc)}</p>"]
        out += registers_part(anchor, group.registers, f"{{:X}}h + {group.stride:X}h * n")
    return out


def contents(blocks: typing.List[Block]) -> typing.List[str]:
    out = ["<nav>"]
    for b in blocks:
        names = [(f"{b.name}-{r.name}" + ("-row" if text.is_whole(r) else ""), r.name)
                 for r in b.registers]
        names += [(f"{b.name}-{g.name}", f"{g.name}[]") for g in b.groups]
        out += [f'<a href="#{b.name}">{rich(b.title)}</a>', "<ul>",
                *[f'<li><a href="#{anchor}">{name}</a></li>' for anchor, name in names], "</ul>"]
    return out + ["</nav>"]


def page(blocks: typing.List[Block]) -> str:
    ordered = sorted(blocks, key=lambda b: not b.windows)
    out = ["<!DOCTYPE html>",
           "<!-- Generated from models/regs/*.rdl by scripts/generate-registers: do not edit. -->",
           '<html lang="en"><head><meta charset="utf-8">',
           '<meta name="viewport" content="width=device-width, initial-scale=1">',
           f"<title>ssdvp registers</title><style>{STYLE}</style></head><body>",
           *contents(ordered), "<main><h1>Registers</h1>", f"<p>{rich(text.PURPOSE)}</p>",
           f"<p>{rich(text.NOTES)}</p>", "<table>",
           *[f'<tr><td class="n">{name}</td><td>{about}</td></tr>'
             for name, about in text.ACCESS.items()], "</table>"]
    for block in ordered:
        out += block_part(block)
    return "\n".join(out + ["</main></body></html>"]) + "\n"
