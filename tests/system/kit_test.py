#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The firmware developer's kit as a developer meets it: a project of one's own, and what is said
about firmware that cannot be loaded, traps, overruns its memory, or gets nowhere.

Usage: kit_test.py ROOT SSDVP CASE
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import kit_misuse

ROOT, SSDVP = pathlib.Path(sys.argv[1]), sys.argv[2]
ANSWER = "        status = transfer(f, c);\n"  # of the template, where the load's commands go
LOAD = ["--requests", "200", "--quiet"]


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def run(*words, cwd, env=None):
    return subprocess.run([*map(str, words)], cwd=cwd, capture_output=True, text=True,
                          timeout=200, env=env, check=False)


def refused(done, *words):
    """Exit code 2 and one message that holds all the words."""
    expect(done.returncode == 2, f"exit {done.returncode}, not 2: {done.stderr}")
    for word in words:
        expect(word in done.stderr, f"'{word}' is missing in: {done.stderr}")


def project(d, name="demo"):
    done = run(ROOT / "scripts/new-firmware", name, cwd=d)
    expect(done.returncode == 0, done.stderr)
    return d / name


def build(folder, *options):
    done = run(ROOT / "scripts/fw-build", folder, "-o", folder / "fw.so", *options, cwd=folder)
    expect(done.returncode == 0, f"fw-build: {done.stderr}")
    return folder / "fw.so"


def change(folder, old, new):
    """Edits main.c. Returns the line where the new text begins."""
    path = folder / "main.c"
    text = path.read_text()
    expect(text.count(old) == 1, f"the template has not one '{old}'")
    path.write_text(text.replace(old, new))
    return text[: text.index(old)].count("\n") + 1


def ssdvp(folder, *options):
    return run(SSDVP, "run", "drive.yaml", "--firmware", folder / "fw.so", "--out", folder / "out",
               *LOAD, *options, cwd=folder)


def summary(folder):
    return json.loads((folder / "out/summary.json").read_text())


def stopped(done, folder, what, stack):
    """Exit code 1, and on stderr what happened, the simulated time and the frames in order."""
    expect(done.returncode == 1, f"exit {done.returncode}, not 1: {done.stderr}{done.stdout}")
    expect(what in done.stderr, f"'{what}' is missing in: {done.stderr}")
    when = re.search(r"at ([1-9]\d*) ns of simulated time", done.stderr)
    expect(when, f"no time: {done.stderr}")
    frames = re.findall(r"^ssdvp: error:   #(\d+) (\S+) at (\S+)$", done.stderr, re.MULTILINE)
    expect([int(n) for n, _, _ in frames] == list(range(len(frames))), f"frames: {done.stderr}")
    functions = [f for _, f, _ in frames]
    expect(functions[: len(stack)] == list(stack), f"stack {functions} instead of {stack}")
    expect(functions[-1] == "firmware_main", f"the stack does not reach main: {functions}")
    expect(all("main.c:" in p or "hal.h:" in p for _, _, p in frames), f"places: {frames}")
    files = {pathlib.Path(p.rsplit(":", 1)[0]) for _, _, p in frames}
    expect(files <= {folder / "main.c", ROOT / "firmware/hal/hal.h"}, f"other files: {files}")
    faults = summary(folder)["faults"]
    expect(faults["count"] == 1 and what in faults["first"][0]["what"], f"summary: {faults}")
    expect(int(faults["first"][0]["when_ns"]) == int(when[1]), f"{when[0]} is not in {faults}")
    return frames


def broken(d, statement, what, stack, *options):
    """A statement in the way of the first command of the load stops the run there."""
    folder = project(d)
    line = change(folder, ANSWER, f"        {statement}\n{ANSWER}")
    build(folder)
    done = ssdvp(folder, *options)
    frames = stopped(done, folder, what, stack)
    place = [p for _, f, p in frames if f == "answer"]
    expect(place and place[0].endswith(f"main.c:{line}"), f"line {line} is not told: {frames}")
    return done


def case_new_firmware(d):
    folder = project(d)
    makefile = (folder / "Makefile").read_text()
    expect(str(ROOT) in makefile and not re.search("@[A-Z]+@", makefile), "Makefile")
    for path in (folder / ".vscode").iterdir():
        json.loads(path.read_text())
    expect((folder / ".vscode/launch.json").exists(), "no launch.json")
    build(folder)
    done = ssdvp(folder)
    expect(done.returncode == 0, f"exit {done.returncode}: {done.stderr}{done.stdout}")
    s = summary(folder)
    expect(s["integrity"]["mismatches"] == 0 and s["integrity"]["sectors_checked"] > 500, "data")
    expect(s["host"]["read"]["requests"] > 50 and s["host"]["write"]["requests"] > 50, "load")
    expect(s["flash"]["programs"] == s["host"]["write"]["requests"], "a write is not a program")
    done = ssdvp(folder, "--set", "device/small")
    refused(done, "device/small")


def case_refused_projects(d):
    folder = project(d)
    before = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    refused(run(ROOT / "scripts/new-firmware", "demo", cwd=d), "demo", "not empty", "--dir")
    expect(before == {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}, "overwritten")
    refused(run(ROOT / "scripts/new-firmware", "../x", cwd=d), "no name")
    refused(run(ROOT / "scripts/new-firmware", cwd=d), "scripts/new-firmware NAME")
    (d / "file").write_text("precious")
    refused(run(ROOT / "scripts/new-firmware", "x", "--dir", "file", cwd=d), "file")
    refused(run(ROOT / "scripts/fw-build", "none", cwd=d), "none", "no such folder")
    (d / "empty").mkdir()
    refused(run(ROOT / "scripts/fw-build", "empty", cwd=d), "no .c file")
    refused(run(ROOT / "scripts/fw-build", folder, "--elf", "z80", cwd=d), "z80", "aarch64")
    (folder / "main.c").write_text("int f(void) { return x; }\n")
    done = run(ROOT / "scripts/fw-build", folder, cwd=d)
    expect(done.returncode == 1 and "main.c:1" in done.stderr, "a compile error is not told")


def case_elf(d):
    folder, page = project(d), (ROOT / "docs/firmware_kit.md").read_text()
    done = run(ROOT / "scripts/fw-build", folder, "--elf", "all", cwd=d)
    expect(done.returncode == 0, done.stderr)
    rows = {name: row for name, *row in map(str.split, done.stdout.splitlines()[1:])}
    expect(sorted(rows) == ["aarch64", "armv8r", "rv32", "rv64"], done.stdout)
    for target, (code, _, data, stack, *path) in rows.items():
        told = rf"\n{target} +{code} +\d+ +{data} +{stack} +{' '.join(path)}\n"
        expect(re.search(told, page), f"docs/firmware_kit.md says otherwise than {told}")
        elf = (folder / "elf" / f"{target}.elf").read_bytes()
        expect(elf[:4] == b"\x7fELF" and 3000 < int(code) < 12000, f"{target}: {code}")
        expect(data == "0" and 200 < int(stack) < 2000, f"{target}: {data}, {stack}")
    sizes = ["python3", ROOT / "scripts/lib/fw_sizes.py", folder / "elf", "rv64"]
    code, constants, _, stack = map(int, rows["rv64"][:4])
    budget = d / "budget.txt"
    for least, exit_code in ((0, 0), (1, 1)):
        budget.write_text(f"rv64 {code - least} {constants} {stack}  # at the edge\n")
        done = run(*sizes, "--budget", budget, cwd=d)
        expect(done.returncode == exit_code, done.stderr)
    expect("of code" in done.stderr and "raise the ceiling" in done.stderr, done.stderr)
    budget.write_text("aarch64 1 1 1\n")
    expect("no line" in run(*sizes, "--budget", budget, cwd=d).stderr, "a missing line")
    change(folder, "static uint32_t admin(", "static uint32_t count;\nstatic uint32_t admin(")
    change(folder, "    FW_ASSERT(f, page < d->pages);\n", "    ++count;\n")
    change(folder, "    switch (c->sqe.opcode) {\n    case NVME_ADMIN_IDENTIFY:",
           "    *dw0 = count;\n    switch (c->sqe.opcode) {\n    case NVME_ADMIN_IDENTIFY:")
    expect(run(ROOT / "scripts/fw-build", folder, "--elf", "rv64", cwd=d).returncode == 1,
           "state at file scope is linked")


def case_images(d):
    folder = project(d)
    main = (folder / "main.c").read_text()
    for old, new, words in (
        (".abi_version = HAL_ABI_VERSION,", ".abi_version = HAL_ABI_VERSION + 1,",
         ["version", "scripts/fw-build"]),
        (".magic = FIRMWARE_IMAGE_MAGIC,", ".magic = 7,", ["magic 0x7"]),
        ("    .main = firmware_main,\n", "", ["no entry point", ".main"]),
        ("ssdvp_firmware = {", "other_firmware = {", ["ssdvp_firmware", "exports no"]),
    ):
        (folder / "main.c").write_text(main)
        change(folder, old, new)
        if "other" in new or ".main" in old:
            text = (folder / "main.c").read_text().replace("static void firmware_main",
                                                           "void firmware_main")
            text = text.replace("extern const struct firmware_image ssdvp_firmware",
                                "extern const struct firmware_image other_firmware"
                                if "other" in new else
                                "extern const struct firmware_image ssdvp_firmware")
            (folder / "main.c").write_text(text)
        build(folder)
        refused(ssdvp(folder), "fw.so", *words)
    (folder / "main.c").write_text(main)
    build(folder)
    refused(ssdvp(folder, "--set", "precondition.fill=0.1"), "fw.so", "precondition.fill=0")
    run(ROOT / "scripts/fw-build", folder, "--elf", "rv64", cwd=d)
    (folder / "fw.so").write_bytes((folder / "elf/rv64.elf").read_bytes())
    refused(ssdvp(folder), "fw.so", "RISC-V", "without --elf")
    (folder / "fw.so").write_text("text, and enough of it to be a header")
    refused(ssdvp(folder), "fw.so", "no ELF header")
    (folder / "fw.so").write_text("")
    refused(ssdvp(folder), "fw.so", "no ELF header")
    (folder / "fw.so").write_bytes(pathlib.Path(SSDVP).read_bytes()[:4096])
    refused(ssdvp(folder), "fw.so", "ends before")
    change(folder, ANSWER, "        extern int nobody(void);\n        nobody();\n" + ANSWER)
    done = run(ROOT / "scripts/fw-build", folder, cwd=d)
    expect(done.returncode == 1 and "nobody" in done.stderr, "an undefined symbol is not told")
    (folder / "main.c").write_text(main)
    change(folder, ANSWER, "        extern int puts(const char*);\n        puts(\"x\");\n" + ANSWER)
    done = run(ROOT / "scripts/fw-build", folder, cwd=d)
    expect(done.returncode == 1 and "C library" in done.stderr and "puts" in done.stderr, "puts")
    expect(not (folder / "out").exists(), "a refused run left files")


def case_traps(d):
    where = ("answer", "firmware_main")
    for i, (statement, what) in enumerate((
        ("FW_ASSERT(f, c->sqe.nsid == 77);", "c->sqe.nsid == 77"),
        ("*(volatile uint32_t*)0 = 1;", "a null pointer"),
        ("{ volatile uint32_t z = 0; dw0 = 7 / z; }", "division by zero"),
        ("__builtin_trap();", "illegal instruction"),
        ("((void (*)(void))0x1234)();", "a call of host address 0x1234, where no code is"),
        ("((void (*)(void))(uintptr_t)c->sqe.cdw3)();", "a call of host address 0x0"),
        ("((void (*)(void))(uintptr_t)f->hal->dram)();", "where no code is"),
        ("*(volatile uint32_t*)0xDEADBEEFDEADBEEF = 1;", "an address that no host has"),
        ("set(f, 0x40000000, 0xF00, 1);", "register 0x40000f00"),
    )):
        (d / str(i)).mkdir()
        broken(d / str(i), statement, what,
               ("hal_write32", "set") + where if "set(" in statement else where)
    folder = project(d)
    change(folder, ANSWER, "        { volatile uint64_t* frame = __builtin_frame_address(0);\n"
           "          frame[0] = frame[1] = 0x123456; *(volatile uint32_t*)0 = 1; }\n" + ANSWER)
    build(folder)
    done = ssdvp(folder)
    expect(done.returncode == 1, f"exit {done.returncode}: {done.stderr}")
    expect("a null pointer; its stack cannot be read" in done.stderr, done.stderr)


def case_overruns(d):
    for i, (statement, what) in enumerate((
        ("f->hal->sram[f->params->sram_size] = 1;", "0 bytes beyond the end of SRAM"),
        ("f->hal->sram[-1] = 1;", "1 bytes below the start of SRAM"),
        ("f->hal->dram[f->params->dram_size] = 1;", "0 bytes beyond the end of DRAM"),
        ("f->hal->dram[-4097] = 1;", "4097 bytes below the start of DRAM"),
    )):
        (d / str(i)).mkdir()
        broken(d / str(i), statement, what, ("answer", "firmware_main"))
    folder = project(d)
    change(folder, "static void answer(",
           "static uint32_t deeper(volatile uint32_t* n)\n{\n    volatile uint32_t a[64];\n"
           "    a[*n % 64] = *n;\n    ++*n;\n    return deeper(n) + a[5];\n}\n\n"
           "static void answer(")
    change(folder, ANSWER, "        { volatile uint32_t n = 1; dw0 = deeper(&n); }\n" + ANSWER)
    build(folder)
    done = ssdvp(folder)
    expect(done.returncode == 1, f"exit {done.returncode}: {done.stderr}")
    expect("the stack has run over its 1048576 bytes" in done.stderr, done.stderr)
    expect(done.stderr.count(" deeper at ") > 40 and "... and more" in done.stderr, done.stderr)
    for size in ("2 << 20", "200 << 20"):  # one frame, far over the end of the stack
        folder = d / size.replace(" << ", "M")
        folder.mkdir()
        folder = project(folder)
        change(folder, "static void answer(", "__attribute__((noinline)) static uint32_t large("
               "uint32_t at)\n{\n    volatile char big[" + size + "];\n    big[at] = 1;\n"
               "    return (uint32_t)big[5];\n}\n\nstatic void answer(")
        change(folder, ANSWER, "        status = large(c->sqe.nsid);\n" + ANSWER)
        build(folder)
        stopped(ssdvp(folder), folder, "the stack has run over its 1048576 bytes",
                ("large", "answer", "firmware_main"))
    (d / "device").mkdir()
    folder = project(d / "device")
    change(folder, "        op.buffer = d->buffer;\n",
           "        op.buffer = MAP_DRAM_BASE + f->params->dram_size;\n")
    build(folder)
    done = ssdvp(folder)
    expect(done.returncode == 1, f"exit {done.returncode}: {done.stderr}")
    expect("bytes from there on that are not all SRAM or DRAM of firmware's" in done.stderr,
           done.stderr)


def case_early(d):
    """Firmware that fails before simulated time goes on."""
    folder = project(d)
    main = (folder / "main.c").read_text()
    first = "    start_hardware(&fw);\n"
    for statement, what in (("*(volatile uint32_t*)0 = 1;", "a null pointer"),
                            ("HAL_PANIC(hal, \"not yet\");", "not yet"),
                            ("hal_write32(hal, 0x12345678, 1);", "register 0x12345678")):
        (folder / "main.c").write_text(main)
        change(folder, first, f"    {statement}\n{first}")
        build(folder)
        done = ssdvp(folder)
        expect(done.returncode == 1, f"exit {done.returncode}: {done.stderr}{done.stdout}")
        expect(re.search(r"#\d firmware_main at \S*main\.c:\d", done.stderr), done.stderr)
        expect(what in done.stderr, done.stderr)
        expect("E546" not in done.stderr and "Verdict" in done.stdout, done.stderr)
        faults = summary(folder)["faults"]
        expect(faults["count"] == 1 and what in faults["first"][0]["what"], f"summary: {faults}")
        (folder / "out/summary.json").unlink()


def case_precondition(d):
    """Preconditioning calls firmware outside of simulated time, on another stack."""
    folder = project(d)
    main = (folder / "main.c").read_text()
    for statement, what in (("*(volatile uint32_t*)8 = 1;", "a null pointer"),
                            ("HAL_PANIC(hal, \"not yet\");", "not yet"),
                            ("for (volatile uint32_t n = 0;;) { ++n; }", "does not go on")):
        (folder / "main.c").write_text(main)
        change(folder, "/* What the platform looks for. */\n",
               "static int fill(struct hal* hal, const uint64_t* units, uint32_t count, "
               "uint64_t at)\n{\n    (void)hal;\n    (void)units;\n    (void)at;\n    " + statement
               + "\n    return (int)count;\n}\n\n"
               "static int fill_end(struct hal* hal)\n{\n    (void)hal;\n    return 0;\n}\n")
        change(folder, "    .main = firmware_main,\n", "    .main = firmware_main,\n"
               "    .precondition = fill,\n    .precondition_end = fill_end,\n")
        build(folder)
        done = ssdvp(folder, "--set", "precondition.fill=0.0001", "--set", "cpu.hang_limit=1s")
        expect(done.returncode == 1, f"exit {done.returncode}: {done.stderr}{done.stdout}")
        for words in (what, "#0 fill at ", "main.c:"):
            expect(words in done.stderr, f"'{words}' is missing in: {done.stderr}")
        expect("#1" not in done.stderr, f"frames of the platform: {done.stderr}")


def case_restart(d):
    """Resets of the controller: firmware keeps its data, and the run takes longer by them."""
    folder = project(d)
    change(folder, "    if (csts == 0) {\n",
           "    if (csts == 0) {\n        hal_log(f->hal, HAL_LOG_WARN, \"reset\", 0, 0);\n")
    build(folder)
    resets = ["--set", "host.nvme.reset_at=[1ms, 50ms]"]
    times = []
    for options in ([], resets):
        done = ssdvp(folder, *options)
        expect(done.returncode == 0, f"exit {done.returncode}: {done.stderr}{done.stdout}")
        expect(done.stderr.count("reset") == len(options), f"resets: {done.stderr}")
        s = summary(folder)
        expect(s["integrity"]["mismatches"] == 0 and s["complete"], "data")
        times.append(s["sim"]["simulated_ns"])
    expect(times[1] > times[0], f"resets cost no time: {times}")
    times = []
    early = ["--set", "host.nvme.reset_at=[1ms, 10ms]"]
    for options in ([], early):
        out = d / "built-in" # one stream: of two, a reset shifts the shares, and so the time
        done = run(SSDVP, "run", "device/small", "workload/random-read", "--requests", 20000,
                   "--quiet", "--out", out, *options, cwd=d)
        expect(done.returncode == 0, f"exit {done.returncode}: {done.stderr}{done.stdout}")
        s = json.loads((out / "summary.json").read_text())
        expect(s["integrity"]["mismatches"] == 0 and s["complete"], "data of the built-in one")
        times.append(s["sim"]["simulated_ns"])
    expect(times[1] > times[0], f"resets cost the built-in firmware no time: {times}")
    change(folder, "    if (csts == f->drive->csts) {\n",
           "    if (csts == 0 && f->drive->csts != 0) {\n        return; /* never disabled */\n"
           "    }\n    if (csts == f->drive->csts) {\n")
    build(folder)
    done = ssdvp(folder, *resets)
    expect(done.returncode == 1 and "no progress" in done.stderr, f"a reset unheard: {done.stdout}")


def case_write_cache(d):
    """What Identify says of a write cache decides whether a power cut may take what was
    acknowledged: the template forgets its map with the power."""
    folder = project(d)
    main = (folder / "main.c").read_text()
    cut = ["--set", "power.verify=all", "--power-cut", "at=60ms"]
    for volatile, good in ((0, False), (1, True)):
        (folder / "main.c").write_text(main)
        change(folder, "            skip[column] = (uint8_t)is_bad(f, to);\n",
               "            skip[column] = (uint8_t)is_bad(f, to);\n"
               "            op.op = FLASH_OP_ERASE; /* it may hold what is forgotten */\n"
               "            (void)flash_run(f, channel, &op);\n")
        change(folder, "        page[512] = 0x66;      /* SQES: 64 bytes */\n",
               f"        page[525] = {volatile};        /* VWC */\n"
               "        page[512] = 0x66;      /* SQES: 64 bytes */\n")
        build(folder)
        for policy in ("wo_lru", "none"):  # of the configuration, which says nothing here
            done = ssdvp(folder, *cut, "--set", f"cache.policy={policy}")
            checked = summary(folder)["integrity"]
            expect(checked["sectors_checked"] > 500, f"nothing is read: {checked}")
            expect((done.returncode == 0) == good, f"VWC {volatile}, {policy}: {done.stdout}")
            expect((checked["mismatches"] == 0) == good, f"VWC {volatile}, {policy}: {checked}")


def misuser(d, rows):
    """A project whose n-th command of the load does the n-th of the rows."""
    folder = project(d)
    change(folder, '#include "models/regs/irq_regs.h"\n',
           '#include "models/regs/irq_regs.h"\n#include "models/regs/nor_regs.h"\n')
    change(folder, "    uint32_t csts;\n", "    uint32_t csts;\n    uint32_t misused;\n")
    change(folder, "static void answer(", kit_misuse.source(rows) + "static void answer(")
    change(folder, ANSWER, "        if (misuse(f, c, f->drive->misused++)) {\n"
           "            return;\n        }\n" + ANSWER)
    build(folder)
    return folder


def misused(d, rows):
    """Each row is a fault that names who, what and the line; the run goes on."""
    folder = misuser(d, rows)
    done = ssdvp(folder)
    expect(done.returncode == 1, f"exit {done.returncode}: {done.stderr}{done.stdout}")
    faults = summary(folder)["faults"]
    said = [f"{f['who']}: {f['what']}" for f in faults["first"]]
    for n, (statement, who, what) in enumerate(rows):
        expect(n < len(said), f"nothing is said of {statement}: {said}")
        expect(faults["first"][n]["who"] == who and what in faults["first"][n]["what"],
               f"{who}: '{what}' is missing for {statement}: {said[n]}")
        expect(f"ssdvp: error: {said[n]}\n" in done.stderr, f"not told at once: {said[n]}")
        if "lun" not in who:  # of an operation that has begun long since
            stack = faults["first"][n]["stack"]
            expect(any("main.c:" in place for place in stack), f"{said[n]}: no line in {stack}")
    expect(len(said) == len(rows), f"more than was done: {said[len(rows):]}")
    expect(summary(folder)["complete"], "the run does not go on")
    return folder


def case_misuse_operations(d):
    misused(d, kit_misuse.OPERATIONS)


def case_page_order(d):
    """A part lets the same image do what another one refuses."""
    row = [r for r in kit_misuse.OPERATIONS if "out of page order" in r[2]]
    folder = misused(d, row)
    for order, faults in (("sequential", 1), ("any", 0)):
        done = ssdvp(folder, "--set", f"nand.page_order={order}", "--set", "nand.tRST=9us")
        expect(summary(folder)["faults"]["count"] == faults, f"{order}: {done.stderr}")
        expect(done.returncode == 1, f"{order}: a program that firmware does not count")
        expect("no effect" not in done.stderr, f"{order}: {done.stderr}")


def case_misuse_registers(d):
    misused(d, kit_misuse.HOST)


def case_misuse_channel(d):
    """Also: where a run stops, with the whole stack and at the same time; and firmware that waits
    for interrupts runs as it does without the option."""
    rows = kit_misuse.CHANNEL
    folder = misused(d, rows)
    first = summary(folder)["faults"]["first"][0]
    done = ssdvp(folder, "--stop-on-fault")
    functions = [f for _, f, _ in stopped(done, folder, rows[0][2], ())]
    expect(functions[-3:] == ["misuse", "answer", "firmware_main"], f"not all of {functions}")
    expect("ordered by" not in done.stderr, done.stderr)
    expect(summary(folder)["faults"]["first"][0]["when_ns"] == first["when_ns"], "another time")
    expect(not summary(folder)["complete"], "it goes on")
    done = run(SSDVP, "run", "device/small", "workload/mixed", "--requests", 2000, "--quiet",
               "--stop-on-fault", "--out", d / "built-in", cwd=d)
    expect(done.returncode == 0, f"the built-in firmware: {done.stderr}{done.stdout}")
    (d / "good").mkdir()
    folder = project(d / "good")
    build(folder)
    results = []
    for options in ([], ["--stop-on-fault"]):
        expect(ssdvp(folder, *options).returncode == 0, "the template")
        s = summary(folder)
        results.append((s["sim"]["simulated_ns"], s["host"], s["flash"]))
    expect(results[0] == results[1], "the option changes results")


def case_gdb_faults(d):
    """Each fault is a breakpoint on firmware's stack."""
    if shutil.which("gdb") is None:
        print("skipped: no gdb")
        sys.exit(77)
    folder = misuser(d, kit_misuse.CHANNEL[:2])
    (folder / "session").write_text("set pagination off\nrun\nbacktrace\ncontinue\nbacktrace\n"
                                    "continue\n")
    done = run("gdb", "-nx", "-batch", "-x", "session", "--args", SSDVP, "run", "drive.yaml",
               "--firmware", folder / "fw.so", "--out", "out", "--stop-on-fault", *LOAD, cwd=folder)
    if "ptrace: Operation not permitted" in done.stderr + done.stdout:
        print("skipped: no process may be traced here")
        sys.exit(77)
    for words in ("Program received signal SIGTRAP", " in ssdvp_fault (", " misuse (",
                  " firmware_main ("):
        expect(done.stdout.count(words) == 2, f"not two of '{words}' in: {done.stdout}")
    expect("exited with code 01" in done.stdout and summary(folder)["complete"], done.stdout)


def case_never_completed(d):
    """Told while the load goes on, and again when nothing else is left."""
    folder = project(d)
    change(folder, "    uint32_t csts;\n", "    uint32_t csts;\n    uint32_t seen;\n")
    change(folder, ANSWER, "        if (++f->drive->seen == 20) {\n            return;\n"
           "        }\n" + ANSWER)
    build(folder)
    done = run(SSDVP, "run", "drive.yaml", "--firmware", folder / "fw.so", "--out", folder / "out",
               "--quiet", "--requests", 3000, "--set", "cpu.watchdog=20ms", cwd=folder)
    expect(done.returncode == 1, f"exit {done.returncode}: {done.stderr}")
    faults = summary(folder)["faults"]["first"]
    command = r"CID \d+ of queue 1, opcode 0[12]h, LBA \d+, 8 blocks, slot \d+, with firmware for "
    for fault, words in ((faults[0], "firmware does not complete a command: "),
                         (faults[1], "nothing is left .*; not completed: ")):
        expect(re.search(words + command + r"\d+\.\d+ ms", fault["what"]), f"{words}: {fault}")
    expect(int(faults[0]["when_ns"]) < int(faults[1]["when_ns"]), "not at once")


def case_gdb(d):
    """The session of docs/firmware_kit.md, as it is printed there."""
    if shutil.which("gdb") is None:
        print("skipped: no gdb")
        sys.exit(77)
    words = (ROOT / "docs/firmware_kit.md").read_text()
    session = words[words.index("## gdb"): words.index("## Sanitizers")]
    blocks = [[line.removeprefix("(gdb) ") for line in block.splitlines()]
              for block in re.findall(r"```\n(.*?)```", session, re.DOTALL)]
    first, mismatch, second = blocks
    folder = project(d)

    def gdb(*commands):
        (folder / "session").write_text("set pagination off\n" + "\n".join(commands) + "\n")
        made = run("make", "debug", cwd=folder)
        expect(made.returncode == 0, made.stderr)
        done = run("gdb", "-nx", "-batch", "-x", "session", "--args", SSDVP, "run", "drive.yaml",
                   "--firmware", "demo-debug.so", "--out", "out", "--quiet", cwd=folder)
        if "ptrace: Operation not permitted" in done.stderr + done.stdout:
            print("skipped: no process may be traced here")
            sys.exit(77)
        expect("optimized out" not in done.stdout, f"no values: {done.stdout}")
        return done.stdout

    said = gdb(*first[2:])
    for words in ("sq_id = ", "next_page = 0", "#1 ", " in transfer (", "#3 ", "firmware_main",
                  "Old value = 0\nNew value = 1"):
        expect(words in said, f"'{words}' is missing in: {said}")
    change(folder, "read_sectors(f, page, 0, page_sectors, c->slot)",
           "read_sectors(f, page, first, n, c->slot)")
    commands = [line for line in second if " = " not in line]
    said = gdb(first[2], *commands)
    for line in second[len(commands):]:
        expect(f"\n{line}\n" in said, f"'{line}' is missing in: {said}")
    run(SSDVP, "run", "drive.yaml", "--firmware", "demo-debug.so", "--out", "out", "--quiet",
        cwd=folder)
    expect(summary(folder)["cpu"][0]["timing"] == "full", "a debug image is not timed")
    found = run(SSDVP, "run", "drive.yaml", "--firmware", "demo-debug.so", "--out", "out",
                cwd=folder)
    expect(mismatch[0] in found.stdout + found.stderr, f"another mismatch: {found.stdout}")


def case_makefile(d):
    """make run: an image without costs runs with a flat core, and that is said."""
    folder = project(d)
    clone = d / "clone"
    (clone / "scripts").mkdir(parents=True)
    for name, body in (("fw-build", 'touch "$3"; rm -f "$3.timing"; $TIMED "$3.timing"'),
                       ("run", 'echo "$@"')):
        (clone / "scripts" / name).write_text(f"#!/bin/sh\n{body}\n")
        (clone / "scripts" / name).chmod(0o755)
    (clone / "firmware/hal").mkdir(parents=True)
    (clone / "firmware/hal/hal.h").write_text("")
    for timed, flat in (("touch", False), (":", True)):
        done = run("make", "-s", "-B", "run", f"SSDVP={clone}", cwd=folder,
                   env={**os.environ, "TIMED": timed})
        expect(done.returncode == 0, done.stderr)
        expect(("--set cpu.core=flat" in done.stdout) == flat, f"{timed}: {done.stdout}")
        expect(("without timing" in done.stderr) == flat, f"{timed}: {done.stderr}")


def case_built_in(d):
    """The firmware that is built in is watched too: one that takes 10 ms for each register."""
    slow = ["cpu.core=flat", "cpu.clock=1MHz", "cpu.instructions_per_call=10000",
            "cpu.watchdog=5ms"]
    done = run(SSDVP, "run", "device/small", "workload/mixed", "--requests", 1000, "--quiet",
               "--out", d / "out", *[w for s in slow for w in ("--set", s)], cwd=d)
    expect(done.returncode == 1, f"exit {done.returncode}: {done.stderr}{done.stdout}")
    for words in ("no progress", "waits for the controller", "firmware_main at ", "run/main.c:"):
        expect(words in done.stderr, f"'{words}' is missing in: {done.stderr}")


def case_stuck(d):
    quick = ["--set", "cpu.watchdog=20ms", "--set", "cpu.hang_limit=1s"]
    for i, (statement, what, top) in enumerate((
        ("for (;;) { (void)hal_read32(f->hal, MAP_NVME_BASE + FE_REG_CC); }", "no progress",
         True),
        ("for (;;) { (void)hal_wait_irq(f->hal); }", "asleep, and nothing is left", True),
        ("for (volatile uint32_t n = 0;;) { ++n; }", "simulated time does not go on", False),
        ("while (hal_time_ns(f->hal) != 1) { }", "simulated time does not go on", True),
    )):
        (d / str(i)).mkdir()
        inlined = {"hal_read32", "hal_wait_irq", "hal_time_ns"}
        names = tuple(n for n in inlined if n in statement) if top else ()
        broken(d / str(i), statement, what, names + ("answer", "firmware_main"), *quick)
    folder = project(d)
    change(folder, ANSWER, "        hal_log(f->hal, HAL_LOG_WARN, \"slow\", 0, 0);\n" + ANSWER)
    build(folder)
    expect(ssdvp(folder, *quick).returncode == 0, "firmware that works counts as stuck")
    change(folder, "    while (!hal_stopping(hal)) {\n", "    for (int i = 0; i < 99; ++i) {\n")
    build(folder)
    done = ssdvp(folder, *quick)
    for text in (done.stdout, done.stderr):
        expect(done.returncode == 1 and "returned from its entry point" in text, text)
    for name in ("watchdog", "hang_limit"):
        done = ssdvp(folder, "--set", f"cpu.{name}=1")
        refused(done, f"cpu.{name}", "unit")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        globals()["case_" + sys.argv[3]](pathlib.Path(scratch))
