#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Firmware that never comes to an end, and images that trap before they begin.

Usage: kit_loops_test.py ROOT SSDVP CASE
"""

import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import time

import kit_misuse
from kit_test import (ANSWER, LOAD, SSDVP, build, change, expect, project, refused, run, ssdvp,
                      summary)

# What the first command of the load does for ever.
LOOPS = {
    "refused": "struct flash_desc op = a_read(f); op.block = 70000; "
               "for (;;) { (void)flash_run(f, 0, &op); }",
    "moves": "struct fe_move move = a_move(f, c); move.op = 9; "
             "for (;;) { order(f, &move); (void)hal_read32(f->hal, MAP_NVME_BASE + FE_REG_CC); }",
    "completes": "complete(f, c->slot, 0, 0); for (;;) { complete(f, c->slot, 0, 0); "
                 "(void)hal_read32(f->hal, MAP_NVME_BASE + FE_REG_CC); }",
    "reads": "struct flash_desc op = a_read(f); for (;;) { (void)flash_run(f, 0, &op); }",
}


def looping(d, statement):
    folder = project(d)
    change(folder, "static void answer(", kit_misuse.HELPERS + UNUSED + "static void answer(")
    change(folder, ANSWER, f"        unused(f, c);\n        {statement}\n{ANSWER}")
    build(folder)
    return folder


UNUSED = """static void unused(struct fw* f, const struct fe_command* c)
{
    (void)a_read(f);
    (void)a_move(f, c);
    if (c->slot == 0xFFFF) {
        order(f, NULL);
    }
}

"""


def case_livelock(d):
    """What fails again and again is no progress; reading again and again is none for long."""
    for name, statement in LOOPS.items():
        (d / name).mkdir()
        folder = looping(d / name, statement)
        done = ssdvp(folder, "--set", "cpu.watchdog=2ms", "--set", "data=none")
        expect(done.returncode == 1 and "no progress" in done.stderr, f"{name}: {done.stderr}")
        expect("answer at " in done.stderr and "main.c:" in done.stderr, f"{name}: no place")
        expect(("failed since then" in done.stderr) == (name != "reads"), f"{name}: {done.stderr}")
        if name == "reads":
            expect("nothing but reads since" in done.stderr, done.stderr)
        else:
            expect("32 faults: further ones are counted, and not told" in done.stderr, done.stderr)
            expect(summary(folder)["faults"]["count"] > 100, "the others are not counted")


def case_asked_to_end(d):
    """SIGTERM ends a run within a second of processor time whatever firmware does, with a summary
    and exit code 130, and says where each core is."""
    for name, statement, where in (
        ("computes", "for (volatile uint32_t n = 0;;) { ++n; }", "runs and runs at answer at "),
        ("polls", "for (;;) { (void)hal_read32(f->hal, MAP_NVME_BASE + FE_REG_CC); }",
         "it last read a register or slept in hal_read32 at "),
        ("posts", "for (;;) { set(f, MAP_NVME_BASE, FE_REG_CMD_HEAD, f->drive->command_head); }",
         ""),
        ("reads", LOOPS["reads"], "in answer at "),
    ):
        (d / name).mkdir()
        folder = looping(d / name, statement)
        before = os.times()
        p = subprocess.Popen([SSDVP, "run", "drive.yaml", "--firmware", folder / "fw.so", "--out",
                              folder / "out", *LOAD, "--set", "cpu.watchdog=0s", "--set",
                              "cpu.hang_limit=0s"], cwd=folder, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
        ticks = os.sysconf("SC_CLK_TCK")

        def used():
            fields = pathlib.Path(f"/proc/{p.pid}/stat").read_text().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / ticks

        while used() < 0.25:  # it loops by then
            time.sleep(0.02)
        begin = used()
        p.send_signal(signal.SIGTERM)
        out, err = p.communicate(timeout=60)
        after = os.times()
        spent = (after.children_user - before.children_user + after.children_system
                 - before.children_system - begin)
        expect(p.returncode == 130, f"{name}: exit {p.returncode}: {err}{out}")
        expect(spent < 1.3, f"{name}: {spent:.2f} s of processor time")  # its end, and addr2line
        expect(where in err, f"{name}: no place: {err}")
        s = summary(folder)
        expect(not s["complete"] and s["faults"]["count"] == 0, f"{name}: {s['faults']}")
        expect("a second signal ends it at once" in err, f"{name}: {err}")


def case_damaged_images(d):
    """An image whose code traps before it runs, or whose headers lie, is named: exit code 2."""
    folder = project(d)
    main = (folder / "main.c").read_text()
    trap = "*(volatile uint32_t*)8 = 1;"
    for text, words in (
        ("__attribute__((constructor)) static void early(void) { " + trap + " }\n",
         "one of its constructors"),
        ("__attribute__((destructor)) static void late(void) { " + trap + " }\n",
         "one of its destructors"),
        ("", "its plan"),
    ):
        (folder / "main.c").write_text(main)
        if text:
            change(folder, "/* What the platform looks for. */\n", text)
        else:
            change(folder, "    plan->dram = lay_out(&fw);\n", f"    {trap}\n")
        build(folder)
        done = run(SSDVP, "check", "drive.yaml", "--firmware", folder / "fw.so", cwd=folder)
        refused(done, f"{folder}/fw.so: {words}", " crashes, or the file is damaged")
        expect(done.stderr.count("\n") == 1, f"more than a line: {done.stderr}")
    (folder / "main.c").write_text(main)
    good = build(folder).read_bytes()
    parts, = struct.unpack_from("<Q", good, 32)
    size, number = struct.unpack_from("<HH", good, 54)
    kinds = [struct.unpack_from("<I", good, parts + i * size)[0] for i in range(number)]
    load, dynamic = kinds.index(1), kinds.index(2)
    for which, field, value in (
        (load, 0, 0x70000001), (load, 8, 0x123), (load, 16, 1 << 50), (load, 32, 1 << 40),
        (load, 40, 1), (load, 40, 1 << 50), (load, 48, 3), (load, 16, 0x700000),
        (dynamic, 16, 0x7FF0000), (dynamic, 16, 16), (dynamic, 40, 1 << 33), (dynamic, 0, 1),
    ):
        bad = bytearray(good)
        struct.pack_into("<I" if field == 0 else "<Q", bad, parts + which * size + field, value)
        (folder / "fw.so").write_bytes(bad)
        done = run(SSDVP, "check", "drive.yaml", "--firmware", folder / "fw.so", cwd=folder)
        refused(done, f"{folder}/fw.so")
    expect(not (folder / "out").exists(), "a refused image left files")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        globals()["case_" + sys.argv[3]](pathlib.Path(scratch))
