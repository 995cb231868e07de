# SPDX-License-Identifier: Apache-2.0
"""What both references say in the same words."""
from .tree import Field, Register, Window

ACCESS = {"RO": "read only; writes are ignored or refused", "RW": "keeps what is written",
          "WO": "write only: reads 0, or the read is refused", "RW1C": "a written 1 clears the bit",
          "RW1S": "a written 1 sets the bit"}
PURPOSE = ("The registers of the controller, from `models/regs/*.rdl`: firmware, models and "
           "tests share the headers that come out of the same files.")
NOTES = ("A number that ends in h is hexadecimal. Registers of the controller's bus take accesses "
         "of 32 bits, aligned. Bits that no field names are reserved: they read 0 after reset; "
         "write 0.")


def bits(field: Field) -> str:
    return f"{field.high}:{field.low}" if field.width > 1 else str(field.low)


def is_whole(register: Register) -> bool:
    """One field that fills the register and says nothing of its own."""
    return len(register.fields) == 1 and register.fields[0].width == register.width


def reset_of(field: Field) -> str:
    if field.access == "WO":
        return "-"
    return field.configured_by if field.reset is None else f"{field.reset:X}h"


def register_reset(register: Register) -> str:
    if register.access == "WO":
        return "-"
    configured = [f.configured_by for f in register.fields if f.reset is None]
    if configured and register.reset == 0:
        return ", ".join(configured)
    return f"{register.reset:X}h" + "".join(f" + {c}" for c in configured)


def meaning_of(register: Register) -> str:
    """The description, with what its field says where that is all there is."""
    notes = notes_of(register.fields[0]) if is_whole(register) else ""
    return "; ".join(words for words in (register.desc, notes) if words)


def notes_of(field: Field) -> str:
    """Legal values and named ones, after the description."""
    low, high = field.legal
    notes = []
    if low is not None:
        notes.append(f"{low}..{high}; others are refused" if high is not None
                     else f"at least {low}")
    notes += [f"{m.value} = {m.name}" + (f": {m.desc}" if m.desc else "") for m in field.members]
    return "; ".join(n for n in [field.desc, *notes] if n)


def range_of(window: Window) -> str:
    if not window.size:
        return f"from {window.base:X}h"
    return f"{window.base:X}h - {window.base + window.count * window.size - 1:X}h"


def lines_of(window: Window) -> str:
    banks = [g for g in (window.block.groups if window.block else ()) if g.irq_line is not None]
    if banks:
        return f"{banks[0].irq_line} + n of {banks[0].name.lower()} n"
    if window.irq_line is None:
        return ""
    if window.irq_line_count is not None:
        return f"{window.irq_line} + n % {window.irq_line_count}"
    return f"{window.irq_line} + n" if window.count > 1 else str(window.irq_line)


def name_of(window: Window) -> str:
    return f"{window.name}[n], n < {window.count}" if window.count > 1 else window.name
