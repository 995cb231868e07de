# SPDX-License-Identifier: Apache-2.0
"""Block diagrams as SVG, from blocks in rows, blocks within blocks, and which of them talk to each
other. Light or dark as the reader has it, and narrow enough for a phone."""
import dataclasses
import html
import typing

GAP, PAD, HEAD = 10, 10, 28  # between blocks; from a frame to what is in it; of a frame's title
WIRE = 26  # between rows that are connected
LINE = 16  # from a line of text to the next
DECK = 4  # by how much the next one of several equal blocks looks out
STYLE = """\
svg { --ink: #1b2733; --soft: #566879; --paper: #ffffff; --frame: #f3f6f9; --line: #8496a6;
  --model: #ffffff; --firmware: #fdf1d8; --fw-line: #a5761a; --flash: #e6f2e6; --fl-line: #4a7a4a; }
@media (prefers-color-scheme: dark) { svg { --ink: #e4eaf0; --soft: #a9b7c4; --paper: #161c22;
  --frame: #1f272f; --line: #71818f; --model: #2c3742; --firmware: #453a1f; --fw-line: #d3a548;
  --flash: #22382a; --fl-line: #6fae74; } }
text { fill: var(--ink); text-anchor: middle; font: 14px Helvetica, Arial, sans-serif; }
.note { fill: var(--soft); font-size: 12px; }
.head { font-weight: bold; }
.left { text-anchor: start; }
.right { text-anchor: end; }
rect { stroke: var(--line); fill: var(--model); }
.frame { fill: var(--frame); }
.firmware { fill: var(--firmware); stroke: var(--fw-line); }
.flash { fill: var(--flash); stroke: var(--fl-line); }
.wire { stroke: var(--soft); stroke-width: 1.4; }
"""


@dataclasses.dataclass
class Block:
    """`rows`: the blocks within it, from top to bottom. `weight`: its width beside others in its
    row. `several`: it stands for more of its kind."""
    name: str
    title: str = ""
    note: str = ""
    kind: str = "model"  # a class of STYLE
    rows: typing.Sequence[typing.Sequence["Block"]] = ()
    weight: float = 1
    several: bool = False
    models: typing.Sequence[str] = ()  # folders of the sources it stands for
    x: float = 0
    y: float = 0
    width: float = 0
    height: float = 0

    def all(self) -> typing.Iterator["Block"]:
        yield self
        for row in self.rows:
            for block in row:
                yield from block.all()


@dataclasses.dataclass(frozen=True)
class Wire:
    """Between blocks one below the other, or side by side; what passes, to the left and to the
    right of it."""
    ends: typing.Tuple[str, str]
    left: str = ""
    right: str = ""


Wires = typing.Sequence[Wire]


def notes(block: Block) -> typing.List[str]:
    return block.note.split("\n") if block.note else []


def connected(above: typing.Sequence[Block], below: typing.Sequence[Block], wires: Wires) -> bool:
    """Whether a wire leads from a row to the next."""
    names = [{inner.name for block in row for inner in block.all()} for row in (above, below)]
    return any((a in names[0] and b in names[1]) or (b in names[0] and a in names[1])
               for a, b in (wire.ends for wire in wires))


def place(block: Block, box: typing.Tuple[float, float, float], wires: Wires,
          least: float = 0) -> None:
    """Gives it, and all within it, places and sizes. `box`: x, y, width. `least`: its height; what
    it has more than it needs goes to its rows."""
    block.x, block.y, block.width = box
    if not block.rows:
        lines = bool(block.title) + len(notes(block))
        block.height = max(least, 2 * PAD + LINE * lines - 4)
        return
    more = 0.0
    for _ in range(2):  # the first time to see what it needs
        y = block.y + (HEAD + LINE * len(notes(block)) if block.title else PAD)
        for number, row in enumerate(block.rows):
            if number:
                y += WIRE if connected(block.rows[number - 1], row, wires) else GAP
            y += place_row(row, (block.x + PAD, y, block.width - 2 * PAD), wires, more)
        block.height = y + PAD - block.y
        more = max(0, least - block.height) / len(block.rows)


def place_row(row: typing.Sequence[Block], box: typing.Tuple[float, float, float], wires: Wires,
              more: float) -> float:
    """Blocks side by side, all as high as the highest and `more`; that height."""
    height = 0.0
    for _ in range(2):
        x, y, width = box
        share = (width - GAP * (len(row) - 1)) / sum(block.weight for block in row)
        for block in row:
            deck = 2 * DECK * block.several
            place(block, (x, y, share * block.weight - deck), wires, height - deck)
            x += share * block.weight + GAP
        height = height or more + max(block.height + 2 * DECK * block.several for block in row)
    return height


def text(kind: str, at: typing.Tuple[float, float], words: str) -> str:
    return f'<text class="{kind}" x="{at[0]:g}" y="{at[1]:g}">{html.escape(words)}</text>'


def drawn(block: Block) -> typing.Iterator[str]:
    for behind in (2, 1, 0) if block.several else (0,):
        off = behind * DECK
        yield (f'<rect class="{block.kind}" x="{block.x + off:g}" y="{block.y + off:g}" '
               f'width="{block.width:g}" height="{block.height:g}" rx="4"/>')
    middle = block.x + block.width / 2
    if block.rows:
        y = block.y + HEAD - 9
        yield text("head left", (block.x + PAD, y), block.title)
    else:
        lines = bool(block.title) + len(notes(block))
        y = block.y + (block.height - LINE * lines) / 2 + 12
        yield text("title", (middle, y), block.title)
    for number, line in enumerate(notes(block), 1):
        at = (block.x + PAD if block.rows else middle, y + number * LINE)
        yield text("note left" if block.rows else "note", at, line)
    for row in block.rows:
        for inner in row:
            yield from drawn(inner)


def wire_drawn(wire: Wire, blocks: typing.Mapping[str, Block]) -> typing.Iterator[str]:
    a, b = (blocks[name] for name in wire.ends)
    behind = 2 * DECK if a.several else 0
    if a.y + a.height <= b.y:
        x = (max(a.x, b.x) + min(a.x + a.width, b.x + b.width)) / 2  # of what they share
        top, end = a.y + a.height + behind, b.y
        yield f'<path class="wire" d="M{x:g} {top + 2:g}V{end - 2:g}" {ARROWS}/>'
        y = (top + end) / 2 + 4
        yield from (text(f"note {kind}", (at, y), words) for kind, at, words in (
            ("right", x - 8, wire.left), ("left", x + 8, wire.right)) if words)
        return
    y = a.y + a.height / 2
    yield f'<path class="wire" d="M{a.x + a.width + behind:g} {y:g}H{b.x:g}"/>'


ARROWS = 'marker-start="url(#arrow)" marker-end="url(#arrow)"'


def svg(title: str, whole: Block, wires: Wires, width: int) -> str:
    """`whole`: a block without a title that holds the others."""
    place(whole, (0, 0, width), wires)
    blocks = {block.name: block for block in whole.all()}
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {whole.height:g}" '
             f'width="{width}" height="{whole.height:g}">',
             f"<title>{html.escape(title)}</title>", f"<style>\n{STYLE}</style>",
             '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
             'markerHeight="7" orient="auto-start-reverse">'
             '<path d="M0 0L8 4L0 8z" fill="context-stroke"/></marker></defs>',
             f'<rect width="{width}" height="{whole.height:g}" '
             'style="fill: var(--paper); stroke: none"/>']
    for row in whole.rows:
        for block in row:
            lines += drawn(block)
    for wire in wires:
        lines += wire_drawn(wire, blocks)
    return "\n".join([*lines, "</svg>", ""])
