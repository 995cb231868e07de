#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Firmware that never comes to an end, and images that trap before they begin.

Usage: kit_loops_test.py ROOT SSDVP CASE
"""

import pathlib
import struct
import sys
import tempfile

from kit_test import SSDVP, build, change, expect, project, refused, run

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
