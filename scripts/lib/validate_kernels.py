# SPDX-License-Identifier: Apache-2.0
"""Small programs of every kind, tests/validation/kernels: what the tables say of each, and what
QEMU counts. Half of scripts/validate-timing."""
import concurrent.futures
import os
import re

LIMIT_EACH = 10.0
LIMIT_MEAN = 3.0
# What is known to be further off, with its own limit. Structures that are passed by value follow
# the host's calling convention, which packs them into registers of 64 bits.
KNOWN = {("struct_small", "cortex-r52"): 20.0, ("struct_small", "rv32"): 21.0,
         ("struct_large", "cortex-r52"): 25.0, ("struct_large", "rv32"): 17.0,
         ("bit_fields", "cortex-r52"): 12.0}
FLOATS = ("cortex-r82",)  # cores with floating point; the others refuse it


def host_program(bench, target):
    return bench.here / ("ssdvp_fw_kernels_floats" if target in FLOATS else "ssdvp_fw_kernels")


def predicted(bench, target, run):
    """[(kernel, result, instructions)], in the order of the target program's numbers."""
    program = host_program(bench, target)
    found = []
    for line in run([str(program), str(program) + ".timing", target]).splitlines():
        name, result, instructions = line.split()
        found.append((name, result, int(instructions)))
    return found


def kernel_row(bench, target, number, said, run, failed):
    name, result, instructions = said
    out = bench.work / f"kernel.{target}.{number}"
    answer = run(bench.emulator(target, out, program="kernels"), text=f"{number:02}")
    if answer.split() != [name, result]:
        raise failed(f"{target}, kernel {name}: {answer.strip()}, but {result} on the host")
    true = int(out.read_text().split()[1])
    out.unlink()
    return {"target": target, "kernel": name, "true": true, "predicted": instructions,
            "error_percent": 100.0 * (instructions / true - 1.0)}


def check_refusal(bench, target, run, failed):
    """Floating point on a core without: refused by the routine's name, not free of charge."""
    program = bench.here / "ssdvp_fw_kernels_floats"
    try:
        run([str(program), str(program) + ".timing", target])
    except failed as error:
        if not re.search(r"needs the library routine __\w+ on cpu\.core", str(error)):
            raise
        return
    raise failed(f"{target}: an image with floating point is taken, though nobody knows what the "
                 f"routines cost")


def kernel_rows(bench, targets, run, failed):
    """One row per kernel and target."""
    rows = []
    for target in targets:
        said = predicted(bench, target, run)
        if target not in FLOATS:
            check_refusal(bench, target, run, failed)
        with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            rows += pool.map(lambda n, s=said, t=target: kernel_row(bench, t, n, s[n], run, failed),
                             range(len(said)))
    return rows


def limit_of(row):
    return KNOWN.get((row["kernel"], row["target"]), LIMIT_EACH)


def kernel_totals(rows, targets):
    """Per target: worst kernel, mean of the errors' sizes, which are beyond, the verdict."""
    found = []
    for target in targets:
        mine = [row for row in rows if row["target"] == target]
        worst = max(mine, key=lambda row: abs(row["error_percent"]))
        mean = sum(abs(row["error_percent"]) for row in mine) / len(mine)
        beyond = [row["kernel"] for row in mine if abs(row["error_percent"]) > limit_of(row)]
        found.append({"target": target, "kernels": len(mine), "worst_kernel": worst["kernel"],
                      "worst_percent": worst["error_percent"], "mean_percent": mean,
                      "beyond": beyond, "within": not beyond and mean <= LIMIT_MEAN})
    return found


def print_kernels(rows, found):
    targets = [row["target"] for row in found]
    print(f"{'kernel':<20}" + "".join(f"{target:>24}" for target in targets))
    for kernel in dict.fromkeys(row["kernel"] for row in rows):
        line = f"{kernel:<20}"
        for target in targets:
            row = next((r for r in rows if (r["kernel"], r["target"]) == (kernel, target)), None)
            line += (f"{row['true']:>14,}{row['error_percent']:>+9.2f}%" if row
                     else f"{'refused':>24}")
        print(line)
    print()
    for row in found:
        excepted = ", ".join(f"{kernel} {limit:g} %" for (kernel, target), limit in KNOWN.items()
                             if target == row["target"])
        print(f"{row['target']}: {row['kernels']} kernels, worst {row['worst_percent']:+.2f} % "
              f"({row['worst_kernel']}), mean of |error| {row['mean_percent']:.2f} %; "
              f"{'within' if row['within'] else 'BEYOND'} {LIMIT_EACH:g} % each"
              f"{' but for ' + excepted if excepted else ''}"
              f"{' (' + ', '.join(row['beyond']) + ')' if row['beyond'] else ''}, "
              f"{LIMIT_MEAN:g} % mean")
