# SPDX-License-Identifier: Apache-2.0
"""The registers as a C++ table: tests/models/register_access_test.cpp holds the models to it."""
import typing

from .tree import Block, Group, Register


def number(value: int) -> str:
    return f"0x{value:X}u" if value < 1 << 32 else f"0x{value:X}ull"


def half(register: Register, group: typing.Optional[Group], at: int) -> str:
    """A row: 32 bits of a register."""
    def bits(value: int) -> int:
        return value >> 8 * at & 0xFFFFFFFF

    name = f"{group.name}.{register.name}" if group else register.name
    if register.width > 32:
        name += ".high" if at else ".low"
    offset = (group.offset if group else 0) + register.offset + at
    readable = register.mask("RO", "RW", "RW1C", "RW1S")
    lows = [f.legal[0] for f in register.fields if f.legal[0] is not None]
    highs = [f.legal[1] for f in register.fields if f.legal[1] is not None]
    values = [bits(register.reset), bits(register.configured), bits(readable),
              bits(register.mask("RW")), bits(register.mask("RW1C")), bits(register.mask("RW1S")),
              bits(register.mask("WO")), bits(sum(f.mask for f in register.fields if f.acts)),
              lows[0] if lows else 0, highs[0] if highs else 0]
    place = [number(offset)] + [str(v) for v in ((group.count, group.stride) if group else (1, 4))]
    return f'    {{"{name}", {", ".join(place)},\n     {", ".join(number(v) for v in values)}}},'


def rows(block: Block) -> typing.List[str]:
    found = [half(r, None, at) for r in block.registers for at in range(0, r.width // 8, 4)]
    found += [half(r, g, at) for g in block.groups for r in g.registers
              for at in range(0, r.width // 8, 4)]
    return found


def source(blocks: typing.List[Block]) -> str:
    out = ["// SPDX-License-Identifier: Apache-2.0", "//",
           "// Generated from models/regs/*.rdl by scripts/generate-registers: do not edit.",
           '#include "tests/support/register_table.h"', "", "// clang-format off",
           "namespace ssdvp::test {"]
    for block in blocks:
        if not block.windows:
            out += ["", f"const std::vector<register_row> {block.name}_registers = {{",
                    *rows(block), "};"]
    return "\n".join(out + ["", "} // namespace ssdvp::test"]) + "\n"
