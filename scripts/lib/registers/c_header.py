# SPDX-License-Identifier: Apache-2.0
"""A block as a C header: macros and enumerations that firmware and models share."""
import textwrap
import typing

from .tree import Block, Field, Group, Register, Window

COLUMNS = 100
Line = typing.Union[str, typing.Tuple[str, str, str]]  # text, or (name, value, comment)


def comment(text: str, indent: str = "") -> typing.List[str]:
    """One line where it fits, else a block."""
    if len(indent) + len(text) + 6 <= COLUMNS:
        return [f"{indent}/* {text} */"]
    lines = textwrap.wrap(text, COLUMNS - len(indent) - 3)
    return [f"{indent}/*"] + [f"{indent} * {line}" for line in lines] + [f"{indent} */"]


def defines(rows: typing.List[typing.Tuple[str, str, str]]) -> typing.List[str]:
    """Aligned macros, each with its comment behind it or, if it is too long, above it."""
    name = max(len(r[0]) for r in rows)
    value = max(len(r[1]) for r in rows)
    out = []
    for row in rows:
        bare = f"#define {row[0]:<{name}} {row[1]}"
        full = f"#define {row[0]:<{name}} {row[1]:<{value}} /* {row[2]} */"
        if not row[2]:
            out.append(bare)
        elif len(full) <= COLUMNS:
            out.append(full)
        else:
            out += comment(row[2]) + [bare]
    return out


def literal(value: int, width: int = 32) -> str:
    return f"UINT64_C(0x{value:X})" if width > 32 else f"0x{value:X}u"


def described(register: Register) -> str:
    wide = f" {register.width}" if register.width != 32 else ""
    return f"{register.access}{wide}  {register.desc}"


def field_rows(register: Register, field: Field) -> typing.List[typing.Tuple[str, str, str]]:
    """A bit is its mask; a wider field has shift and mask; named values stand in their place."""
    if field.width == register.width or not register.c_fields:
        return []
    name = f"{register.c_fields}_{field.name}"
    if field.width == 1:
        return [(name, literal(field.mask, register.width), field.desc)]
    rows = [(f"{name}_SHIFT", str(field.low), field.desc),
            (f"{name}_MASK", literal(field.mask, register.width), "")]
    if field.enum_prefix is None:
        rows += [(f"{name}_{m.name}", literal(m.value << field.low, register.width), m.desc)
                 for m in field.members]
    return rows


def enum_lines(field: Field) -> typing.List[str]:
    members = [f"    {field.enum_prefix}{m.name} = {m.value}" for m in field.members]
    return ["", f"enum {field.enum} {{", *",\n".join(members).split("\n"), "};"]


def reset_rows(prefix: str, registers: typing.List[Register]) \
        -> typing.List[typing.Tuple[str, str, str]]:
    """Reset values that are not 0. Bits that the configuration decides are 0 in them."""
    return [(f"{prefix}_{r.name}_RESET", literal(r.reset, r.width),
             "without what the configuration decides" if r.configured else "")
            for r in registers if r.reset]


def limit_rows(prefix: str, register: Register) -> typing.List[typing.Tuple[str, str, str]]:
    return [(f"{prefix}_{register.name}_{end}", f"{limit}u", "")
            for field in register.fields for end, limit in zip(("MIN", "MAX"), field.legal)
            if limit is not None]


def bank_lines(prefix: str, group: Group) -> typing.List[str]:
    rows = [(f"{prefix}_REG_{r.name}", f"0x{r.offset:02X}u", described(r))
            for r in group.registers]
    stride = (f"{prefix}_{group.name}_STRIDE", literal(group.stride), group.desc)
    return ["", *defines(rows), "", *defines([stride])]


def group_lines(prefix: str, group: Group) -> typing.List[str]:
    if group.is_bank:
        return bank_lines(prefix, group)
    rows = [(f"{prefix}_REG_{group.name}", literal(group.offset), group.desc),
            (f"{prefix}_{group.name}_STRIDE", literal(group.stride), "bytes from one to the next"),
            (f"{prefix}_{group.name}_COUNT", f"{group.count}u", "places in the window")]
    inner = f"{prefix}_{group.name}"
    for register in group.registers:
        rows.append((f"{inner}_{register.name}", literal(register.offset), described(register)))
    for register in group.registers:
        for field in register.fields:
            # Doorbells take a plain number: their fields need no name.
            if field.width == 1:
                rows += field_rows(register, field)
    return ["", *defines(rows + reset_rows(inner, group.registers))]


def register_lines(block: Block) -> typing.List[str]:
    out = []
    if block.registers:
        out = ["", *defines([(f"{block.prefix}_REG_{r.name}", f"0x{r.offset:02X}u", described(r))
                             for r in block.registers])]
    seen: typing.Set[str] = set()
    for register in block.registers:
        rows = [row for field in register.fields for row in field_rows(register, field)
                if row[0] not in seen]
        seen |= {row[0] for row in rows}
        if rows:
            out += ["", *defines(rows)]
        for field in register.fields:
            if field.enum_prefix is not None:
                out += enum_lines(field)
    limits = [row for r in block.registers for row in limit_rows(block.prefix, r)]
    if limits:
        out += ["", "/* What a register takes. */", *defines(limits)]
    resets = reset_rows(block.prefix, block.registers)
    if resets:
        out += ["", "/* Values at reset that are not 0. */", *defines(resets)]
    for group in block.groups:
        out += group_lines(block.prefix, group)
    return out


def window_lines(prefix: str, window: Window) -> typing.List[str]:
    name = f"{prefix}_{window.name}"
    where = window.what
    if window.count > 1:
        where = f"{window.name.lower()} n at {name}_BASE + n * {name}_SIZE"
    rows = [(f"{name}_BASE", literal(window.base, 64), where)]
    if window.size:
        size = "MAX" if window.is_memory else "SIZE"
        rows.append((f"{name}_{size}", literal(window.size, 64),
                     "of the window" if window.is_memory else ""))
    if window.count > 1:
        rows.append((f"{name}_MAX", f"{window.count}u", ""))
    return ["", *defines(rows)]


def line_rows(windows: typing.List[Window]) -> typing.List[typing.Tuple[str, str, str]]:
    rows = []
    for w in windows:
        if w.irq_line is not None:
            name = f"IRQ_LINE_{w.name}" + ("0" if w.count > 1 else "")
            which = f"n % IRQ_{w.name}_LINES" if w.irq_line_count is not None else "n"
            about = f"line of {w.name.lower()} n is {name} + {which}" if w.count > 1 else ""
            rows.append((name, f"{w.irq_line}u", about))
        for group in w.block.groups if w.block else ():
            if group.irq_line is not None:
                name = f"IRQ_LINE_{group.irq_line_name or group.name}0"
                rows.append((name, f"{group.irq_line}u",
                             f"of {group.name.lower()} n: {name} + n"))
    rows.sort(key=lambda row: int(row[1][:-1]))
    rows += [(f"IRQ_{w.name}_LINES", f"{w.irq_line_count}u", "") for w in windows
             if w.irq_line_count is not None]
    rows += [("IRQ_LINES", f"{w.block.irq_lines}u", "") for w in windows
             if w.block and w.block.irq_lines]
    return rows


def header(block: Block) -> str:
    guard = "SSDVP_" + block.header.replace("models/", "").upper().replace("/", "_") \
        .replace(".", "_")
    title = textwrap.wrap(f"{block.title}. {block.desc}", COLUMNS - 3)
    out = ["/* SPDX-License-Identifier: Apache-2.0", " *",
           f" * Generated from {block.source} by scripts/generate-registers: do not edit.", " *",
           *[f" * {line}" for line in title], " */", f"#ifndef {guard}", f"#define {guard}", "",
           "/* clang-format off */", "#include <stdint.h>"]
    if block.records:
        out += ["", f'#include "{block.records}" /* what lies in memory: not generated */']
    if block.registers or block.groups:
        out += register_lines(block)
    # A block with arrays has a window of its own; one of banks lies in the memory map.
    if block.groups and not any(g.is_bank for g in block.groups):
        out += ["", *defines([(f"{block.prefix}_BAR_SIZE", literal(block.size), "")])]
    for window in block.windows:
        out += window_lines(block.prefix, window)
    if block.windows:
        out += ["", "/* Interrupt lines of the interrupt controller. */",
                *defines(line_rows(block.windows))]
    counts = [(g.c_count, f"{g.count}u", "") for w in block.windows if w.block
              for g in w.block.groups if g.c_count]
    if counts:
        out += ["", *defines(counts)]
    return "\n".join(out + ["", "#endif"]) + "\n"
