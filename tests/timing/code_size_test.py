#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sizes of functions in timing files against those of the plain code of each core, as the compiler,
assembler and linker of scripts/fw-build --elf make it.

Usage: code_size_test.py FWTIME"""
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

FWTIME = sys.argv[1]
ROOT = pathlib.Path(__file__).resolve().parents[2]
FLAGS = (ROOT / "firmware/port/native/clang_flags.txt").read_text().split()
SOURCES = ["tests/timing/sample.c", "firmware/port/memory.c", "firmware/map/maps.c",
           "firmware/buffer/wo_lru.c", "firmware/gc/gc.c", "firmware/host/nvme/nvme_io.c",
           "firmware/ops/flash.c"]
# Plain code differs by a few instructions: blocks with a number are not merged or predicated.
LIMIT = 0.05

ARM = ["-mthumb", "-mfloat-abi=soft", "-meabi", "gnu", "-fomit-frame-pointer"]
RISCV = ["-mcmodel=medany", "-fno-addrsig", "-msmall-data-limit=0"]
CORES = {  # as scripts/lib/fw_elf.sh
    "cortex-r82": ["--target=aarch64-none-elf", "-mcpu=cortex-r82"],
    "cortex-r52": ["--target=armv8r-none-eabi", "-mcpu=cortex-r52", *ARM],
    "rv64": ["--target=riscv64-unknown-elf", "-march=rv64imac", "-mabi=lp64", *RISCV],
    "rv32": ["--target=riscv32-unknown-elf", "-march=rv32imac", "-mabi=ilp32", *RISCV],
}


def do(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout


class Reader:
    """Of a timing file (docs/timing.md)."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        self.at += count
        return self.data[self.at - count:self.at]

    def number(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def text(self):
        return self.take(self.number())


def sizes_in(record):
    """Of each function on each core: bytes."""
    whole = Reader(record)
    assert whole.take(8) == b"SSFWTIM2"
    body = Reader(record[20:20 + struct.unpack("<I", whole.take(4))[0]])
    body.text()
    body.take(8)
    counted, _, classes = body.number(), body.number(), body.number()
    functions = [(body.text().decode(), body.number())[0] for _ in range(body.number())]
    cores = {}
    for _ in range(body.number()):
        core = body.text().decode()
        for _ in range(counted * classes):
            body.number()
        for _ in range(body.number()):
            body.number(), body.text(), body.number(), body.number()
        code = Reader(body.text())
        code.number(), code.number()  # bytes, alignment
        cores[core] = {f: (code.number(), code.number())[1] for f in functions}
    return cores


def plain_sizes(folder, core, source):
    flags = [f for f in FLAGS if not re.match(r"-g|-fPIC|-fexceptions|-fvisibility=|-W", f)]
    compile_it = ["clang-14", *CORES[core], *flags, "-fno-asynchronous-unwind-tables",
                  f"-I{ROOT}", str(ROOT / source)]
    code = str(folder / "plain.o")
    if core.startswith("rv"):  # GNU as and ld shorten calls and jumps
        assembly, piece = str(folder / "plain.s"), str(folder / "piece.o")
        do(*compile_it, "-S", "-o", assembly)
        do("riscv64-unknown-elf-as", *CORES[core][1:3], assembly, "-o", piece)
        others = [f"--defsym={line.split()[-1]}=0x40000"
                  for line in do("llvm-nm-14", "-u", piece).splitlines()]
        do("riscv64-unknown-elf-ld", f"-melf{core[2:]}lriscv", *others, "-Ttext=0x1000", "-e0",
           piece, "-o", code)
    else:
        do(*compile_it, "-c", "-o", code)
    symbols = do("llvm-nm-14", "-S", code)
    found = re.findall(r"^\S+ (\S+) [tT] (\S+)$", symbols, re.M)
    return {name: int(size, 16) for size, name in found}


def marked_sizes(folder, source):
    bitcode, record = str(folder / "it.bc"), folder / "it.timing"
    do("clang-14", *FLAGS, f"-I{ROOT}", "-emit-llvm", "-Xclang", "-emit-llvm-uselists", "-c",
       str(ROOT / source), "-o", bitcode)
    do(FWTIME, bitcode, "--name", source, "--record", str(record))
    return sizes_in(record.read_bytes())


def main():
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        marked = [marked_sizes(folder, source) for source in SOURCES]
        for core in CORES:
            ours = truth = worst = 0
            for source, sizes in zip(SOURCES, marked):
                plain = plain_sizes(folder, core, source)
                ours += sum(sizes[core].values())
                truth += sum(plain.values())  # the compiler may inline other functions
                for f in plain.keys() & sizes[core].keys():
                    off = sizes[core][f] - plain[f]
                    worst = max(worst, off, key=abs)
                    # On rv32 alone a call has a short form (C.JAL), for near functions.
                    if source == SOURCES[0] and off not in ((0, 2) if core == "rv32" else (0,)):
                        print(f"{core} {f}: {sizes[core][f]} bytes, plain {plain[f]}")
                        wrong += 1
            good = abs(ours / truth - 1) < LIMIT
            wrong += not good
            print(f"{'ok   ' if good else 'WRONG'} {core}: {ours} bytes, plain code {truth} "
                  f"({ours / truth - 1:+.1%}), a function by {worst} at most")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
