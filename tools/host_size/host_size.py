#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fallback where clang or LLVM 14 is missing: a firmware source's cost from the host's own code.

GCC compiles the source for x86-64 with -fsanitize-coverage=trace-pc -S, which puts a call into
every basic block. Each call becomes an addition of a table's entry, as fwtime makes it; the entry
of a block is its number of host instructions times a constant of the target core (docs/timing.md).

Usage: host_size.py INPUT.s --name SOURCE --assembly OUT.s --record OUT.timing [--rename OLD=NEW]"""
import argparse
import re
import struct
import sys

# Target instructions per host instruction, over the project's firmware: docs/timing.md.
CORES = {"cortex-r82": 0.84, "rv64": 1.06, "cortex-r52": 0.90, "rv32": 1.15}
CLASSES = 9  # as tools/fwtime/flow.h
# What an instruction is on average, by class: ALU, multiply, divide, load, store, branch, call,
# system, and of the branches those taken. Shares of the project's firmware at level full.
SHARES = (0.46, 0.01, 0.0, 0.25, 0.11, 0.14, 0.03, 0.0, 0.07)
MARKER = re.compile(r"^\t(call|jmp)\t__sanitizer_cov_trace_pc(@PLT)?$")
INSTRUCTION = re.compile(r"^\t[a-z]")
FUNCTION_END = re.compile(r"^\t\.size\t[^,]+, \.-")  # of a table it is a number
CALL = re.compile(r"^(\t(?:call|jmp)\t)(memcpy|memset|memmove|memcmp)(@PLT)?$")
FLAG_HOST_SIZE = 2


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value


def leb(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def cost(value):
    number = round(value * 256)
    return leb(number << 1 if number >= 0 else -number * 2 - 1)


def text(value):
    return leb(len(value)) + value.encode()


def measure(lines):
    """Host instructions of each block, in the order of markers."""
    sizes, before = [], 0
    in_function = False
    for line in lines:
        if MARKER.match(line):
            sizes.append(0 if in_function else before)
            in_function, before = True, 0
        elif FUNCTION_END.match(line):
            in_function, before = False, 0
        elif INSTRUCTION.match(line):
            if in_function:
                sizes[-1] += 1
            else:
                before += 1  # a prologue belongs to the first block
    return sizes


def rewrite(lines, renames, name, blocks, key):
    out, at = [], 0
    for line in lines:
        call, marker = CALL.match(line), MARKER.match(line)
        if marker:
            # Registers that a call may change are free here.
            out += ["\tmovdqa\tssdvp_fw_spent(%rip), %xmm0",
                    f"\tpaddq\tssdvp_fw_table+{16 * at}(%rip), %xmm0",
                    "\tmovdqa\t%xmm0, ssdvp_fw_spent(%rip)"]
            out += ["\tret"] if marker[1] == "jmp" else []  # the block ends the function
            at += 1
        elif call and not renames:
            out.append(f"{call[1]}ssdvp_fw_{call[2]}{call[3] or ''}")
        else:
            for old, new in renames:
                line = re.sub(rf"\b{old}\b", new, line)
            out.append(line)
    out += ["\t.hidden\tssdvp_fw_spent", "\t.local\tssdvp_fw_table",
            f"\t.comm\tssdvp_fw_table,{max(16, 16 * blocks)},16",
            "\t.section\t.rodata.ssdvp_name,\"a\"", "ssdvp_fw_name:", f"\t.string\t\"{name}\"",
            "\t.section\tssdvp_fw_timing,\"aw\"", "\t.balign\t8",
            f"\t.quad\tssdvp_fw_name, {key:#x}, {blocks}, ssdvp_fw_table, {FLAG_HOST_SIZE}, 0, 0",
            "\t.section\t.note.GNU-stack,\"\",@progbits"]
    return "\n".join(out) + "\n"


def record(name, sizes, key):
    body = text(name) + struct.pack("<Q", key) + leb(len(sizes)) + leb(0)  # no code is known
    body += leb(CLASSES) + leb(0)
    body += leb(len(CORES))
    for core, ratio in CORES.items():
        body += text(core)
        for size in sizes:
            body += b"".join(cost(size * ratio * share) for share in SHARES)
        body += leb(0) + leb(2) + leb(0) + leb(1)  # no calls; of the code: bytes, alignment
    return b"SSFWTIM2" + struct.pack("<IQ", len(body), fnv1a(body)) + body


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("input")
    parser.add_argument("--name", required=True)
    parser.add_argument("--assembly", required=True)
    parser.add_argument("--record", required=True)
    parser.add_argument("--rename", action="append", default=[])
    options = parser.parse_args()
    with open(options.input, encoding="utf-8") as file:
        lines = file.read().splitlines()
    sizes = measure(lines)
    if not any(map(MARKER.match, lines)) and any(map(FUNCTION_END.match, lines)):
        print(f"{options.input}: no markers: compile it with -fsanitize-coverage=trace-pc",
              file=sys.stderr)
        return 2
    key = fnv1a(repr((options.name, sizes)).encode())
    renames = [tuple(rename.split("=")) for rename in options.rename]
    with open(options.assembly, "w", encoding="utf-8") as file:
        file.write(rewrite(lines, renames, options.name, len(sizes), key))
    with open(options.record, "wb") as file:
        file.write(record(options.name, sizes, key))
    return 0


if __name__ == "__main__":
    sys.exit(main())
