#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cycles of a core by class (docs/models/cpu.md) against the scheduling models of LLVM 14 that they
are from, as llvm-mca-14 prints them. Ends with 77 where that is not installed (package llvm-14).

Usage: core_models_test.py SSDVP"""
import re
import shutil
import subprocess
import sys

SKIPPED = 77
MCA = "llvm-mca-14"

# Core: triple, LLVM's core, and an instruction of each class whose figure is from there.
CORES = {
    "cortex-r82": ("aarch64", "cortex-r82",
                   {"multiply": "mul x0, x1, x2", "divide": "udiv x0, x1, x2",
                    "load": "ldr x0, [x1]", "store": "str x0, [x1]", "branch": "b.eq 4"}),
    "rv64": ("riscv64", "sifive-u54",
             {"multiply": "mul a0, a1, a2", "divide": "divuw a0, a1, a2", "load": "ld a0, 0(a1)",
              "store": "sd a0, 0(a1)", "branch": "beq a0, a1, 8"}),
    "cortex-r52": ("thumbv8r-none-eabi", "cortex-r52",
                   {"multiply": "mul r0, r1, r2", "divide": "udiv r0, r1, r2",
                    "load": "ldr r0, [r1]"}),
    # Its multiplication and division are from the E31's manual.
    "rv32": ("riscv32", "sifive-e31",
             {"load": "lw a0, 0(a1)", "store": "sw a0, 0(a1)", "branch": "beq a0, a1, 8"}),
}
# Half of the instructions behind wait for a late result, but a division holds the core.
HELD = {"divide"}


def mca(triple, core, instruction):
    command = [MCA, f"-mtriple={triple}", f"-mcpu={core}"]
    result = subprocess.run(command, input=instruction + "\n", capture_output=True, text=True,
                            timeout=60, check=True)
    width = int(re.search(r"Dispatch Width:\s+(\d+)", result.stdout).group(1))
    # [1] uOps [2] latency [3] reciprocal throughput ... instruction
    latency = int(re.search(r"\[1\].*Instructions:\n\s*\d+\s+(\d+)", result.stdout).group(1))
    return width, latency


def figures(ssdvp, core):
    command = [ssdvp, "show", "device/small", "--set", f"cpu.core={core}"]
    text = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    return {key: float(value)
            for key, value in re.findall(r"^cpu\.timing\.(\w+):\s+([\d.]+)", text, re.M)}


def main():
    if shutil.which(MCA) is None:
        print(f"{MCA} is not there (package llvm-14)")
        return SKIPPED
    wrong = 0
    for core, (triple, model, classes) in CORES.items():
        ours = figures(sys.argv[1], core)
        for name, instruction in classes.items():
            width, latency = mca(triple, model, instruction)
            # A branch that is not waited for has latency 0 or 1: it takes its cycle.
            wanted = max(latency, 1) if name in HELD else 1 + max(latency - 1, 0) / 2
            good = ours[name] == wanted and ours["issue_width"] == width
            wrong += not good
            print(f"{'ok   ' if good else 'WRONG'} {core} {name}: {ours[name]:g} of width "
                  f"{ours['issue_width']:g}; LLVM 14, {model}: latency {latency}, so {wanted:g}, "
                  f"width {width}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
