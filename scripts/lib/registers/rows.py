# SPDX-License-Identifier: Apache-2.0
"""The registers that cores see, with their fields and the bits that firmware may write:
platform/ssd/register_guard.cpp names them when it writes others, and in a trace of accesses."""
import typing

from .tree import Block, Group, Register

WRITES = ("RW", "RW1C", "RW1S", "WO")


def row(register: Register, group: typing.Optional[Group]) -> str:
    place = [(group.offset if group else 0) + register.offset]
    place += [group.count, group.stride] if group else [1, 4]
    writable = register.mask(*WRITES) & 0xFFFFFFFF
    numbers = ", ".join([f"0x{place[0]:X}", str(place[1]), str(place[2]), f"0x{writable:X}u"])
    fields = ", ".join(f'{{"{f.name}", {f.low}, {f.high}}}' for f in register.fields)
    name = f'"{group.name if group else ""}", "{register.name}"'
    gap = " " if len(name) + len(numbers) + len(fields) < 80 else "\n    "
    return f"    {{{name}, {numbers},{gap}{{{fields}}}}},"


def source(blocks: typing.List[Block]) -> str:
    out = ["// SPDX-License-Identifier: Apache-2.0", "//",
           "// Generated from models/regs/*.rdl by scripts/generate-registers: do not edit.",
           '#include "platform/ssd/register_guard.h"', "", "// clang-format off",
           "namespace ssdvp::platform {"]
    for block in blocks:
        if block.windows or block.name in ("nvme", "ahci"):  # the host's
            continue
        out += ["", f"const std::vector<register_row> {block.name}_rows = {{"]
        out += [row(r, None) for r in block.registers]
        out += [row(r, g) for g in block.groups for r in g.registers]
        out += ["};"]
    return "\n".join(out + ["", "} // namespace ssdvp::platform"]) + "\n"
