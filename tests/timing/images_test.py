#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Timed images from files: the fallback beside the real thing, tables that do not belong, a profile
that adds up, a firmware of one's own.

Usage: images_test.py SSDVP FIRMWARE.so FWTIME HOST_SIZE.so CASE"""
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SSDVP, FIRMWARE, FWTIME, HOST_SIZE = (pathlib.Path(a) for a in sys.argv[1:5])
ROOT = pathlib.Path(__file__).resolve().parents[2]
BAD_INPUT = 2

# The least firmware that runs: it does nothing, and the drive does not come up.
IDLE = """#include "firmware/hal/hal.h"

static void idle(struct hal* hal)
{
    while (!hal_stopping(hal)) {
        (void)hal_wait_irq(hal);
    }
}

extern const struct firmware_image ssdvp_firmware;
__attribute__((visibility("default"))) const struct firmware_image ssdvp_firmware = {
    FIRMWARE_IMAGE_MAGIC, HAL_ABI_VERSION, "idle", idle, 0, 0};
"""

# The same, and it plans for more memory than any drive has.
GREEDY = IDLE.replace("extern const", """
static int plan(struct hal* hal, struct firmware_plan* needs)
{
    (void)hal;
    needs->dram = (uint64_t)1 << 40;
    return 0;
}

extern const""", 1).replace("0, 0}", "0, 0, 1, plan}")


def ssdvp(folder, *arguments):
    command = [SSDVP, "run", "device/small", "workload/mixed", "--requests", "3000", "--quiet",
               "--out", folder / "out", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)


def cpu(folder, *arguments):
    """cpu[0] of the summary of a run that must succeed."""
    done = ssdvp(folder, *arguments)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "out" / "summary.json").read_text())["cpu"][0]


def refused(done, *words):
    assert done.returncode == BAD_INPUT, (done.returncode, done.stderr)
    for word in words:
        assert word in done.stderr, done.stderr


def copy(folder, timing):
    image = folder / "copy.so"
    shutil.copy(FIRMWARE, image)
    if timing is not None:
        (folder / "copy.so.timing").write_bytes(timing)
    return image


def tables():
    return pathlib.Path(f"{FIRMWARE}.timing").read_bytes()


def case_host_size(folder):
    full = cpu(folder)
    assert full["timing"] == "full", full
    for core in ("cortex-r82", "rv64", "cortex-r52", "rv32"):
        real = cpu(folder, "--set", f"cpu.core={core}")
        guess = cpu(folder, "--set", f"cpu.core={core}", "--firmware", HOST_SIZE)
        assert guess["timing"] == "host_size", guess
        for what in ("instructions", "cycles"):
            ratio = guess[what] / real[what]
            print(core, what, round(ratio, 3))
            assert 0.8 < ratio < 1.2, (core, what, ratio)


def case_stale(folder):
    whole = tables()
    second = whole.index(b"SSFWTIM2", 1)
    refused(ssdvp(folder, "--firmware", copy(folder, whole[:second])), "of another firmware",
            "fw-build")
    refused(ssdvp(folder, "--firmware", copy(folder, whole[:-5])), "cut short", "fw-build")


def case_missing(folder):
    refused(ssdvp(folder, "--firmware", copy(folder, None)), "copy.so.timing", "no such file",
            "fw-build")
    # The same files side by side do.
    assert cpu(folder, "--firmware", copy(folder, tables()))["timing"] == "full"


def case_foreign(folder):
    foreign = pathlib.Path(f"{HOST_SIZE}.timing").read_bytes()
    refused(ssdvp(folder, "--firmware", copy(folder, foreign)), "stale for", "fw-build")


def case_profile(folder):
    plain = cpu(folder)
    profiled = cpu(folder, "--fw-profile", folder / "profile")
    assert plain["instructions"] == profiled["instructions"], (plain, profiled)
    # The summary has the cycles whose time has come, the profile also those computed ahead.
    for field, ahead in (("instructions", 2), ("cycles", 20000)):
        lines = (folder / "profile" / f"{field}.folded").read_text().splitlines()
        total = sum(int(line.rsplit(" ", 1)[1]) for line in lines)
        assert abs(total - plain[field]) <= ahead, (field, total, plain[field])
        assert any("firmware_main;" in line and "hil" in line for line in lines), lines[:5]
    with open(folder / "profile" / "commands.csv", encoding="utf-8") as file:
        costs = {(r["kind"], r["part"]): float(r["instructions"]) for r in csv.DictReader(file)}
    for kind in ("read_flash", "read_buffer", "write"):
        assert 300 < costs[kind, "all"] < 100000, costs
        parts = sum(cost for (of, part), cost in costs.items() if of == kind and part != "all")
        assert abs(parts - costs[kind, "all"]) < 0.05 * costs[kind, "all"], costs
    refused(ssdvp(folder, "--fw-profile", folder / "p", "--set", "cpu.core=flat"), "level flat")
    refused(ssdvp(folder, "--fw-profile", folder / "p", "--firmware", FIRMWARE), "--profile")


def case_icache(folder):
    """Instructions are the same with an instruction cache, and take longer."""
    cache = ["--set", "cpu.icache.size=8KiB"]
    plain = cpu(folder)
    cached = cpu(folder, *cache)
    assert "icache" not in plain, plain
    assert cached["icache"]["misses"] > 1000 and 0 < cached["icache"]["stall"] < 1, cached
    assert cached["busy"] > plain["busy"], (plain, cached)
    # A profile hears the same program, and its instructions add up to those of the cores.
    assert cpu(folder, *cache, "--fw-profile", folder / "profile") == cached
    lines = (folder / "profile" / "cycles.folded").read_text()
    assert "[instruction fetch]" in lines, lines[:500]
    refused(ssdvp(folder, *cache, "--firmware", FIRMWARE), "cpu.icache.size",
            "scripts/fw-build --profile")
    refused(ssdvp(folder, *cache, "--firmware", HOST_SIZE), "where its code lies",
            "cpu.icache.size")
    refused(ssdvp(folder, *cache, "--set", "cpu.core=flat"), "cpu.icache.size")
    refused(ssdvp(folder, *cache, "--set", "cpu.icache.memory=sram", "--set",
                  "sram.capacity=256KiB"), "sram.capacity")
    own = folder / "own"
    own.mkdir()

    def run(main, *arguments):
        (own / "main.c").write_text(main)
        done = subprocess.run([ROOT / "scripts" / "fw-build", own, "--profile"],
                              capture_output=True, text=True, timeout=100, check=False,
                              env={**os.environ, "SSDVP_FWTIME": str(FWTIME)})
        assert done.returncode == 0, done.stderr
        return ssdvp(folder, *cache, "--firmware", own / "own.so", *arguments)

    done = run(IDLE)
    assert done.returncode == 1 and "controller to come up" in done.stdout, done
    # Blocks that tell what they fetch are no way out of a loop without calls, nor in the way.
    hang = IDLE.replace("(void)hal_wait_irq(hal);", "volatile int i = 0; while (i == 0) {}")
    done = run(hang, "--set", "cpu.hang_limit=1s")
    assert done.returncode == 1 and "watchdog" in done.stderr and "main.c" in done.stderr, done
    assert "watched_cost" not in done.stderr, done.stderr  # the firmware's stack, not ours


def case_fw_build(folder):
    own = folder / "own"
    own.mkdir()
    environment = {**os.environ, "SSDVP_FWTIME": str(FWTIME)}

    def build(*arguments):
        return subprocess.run([ROOT / "scripts" / "fw-build", *arguments], capture_output=True,
                              text=True, env=environment, timeout=100, check=False)

    refused(build(own), "no .c file")
    refused(build(folder / "none"), "no such folder")
    (own / "main.c").write_text("int nothing(void);\nint nothing(void) { return 1; }\n")
    assert build(own).returncode == 0
    refused(ssdvp(folder, "--firmware", own / "own.so"), "ssdvp_firmware")
    (own / "main.c").write_text("syntax error\n")
    assert build(own).returncode == 1
    (own / "main.c").write_text(IDLE)
    done = build(own)
    assert done.returncode == 0, done.stderr
    image = own / "own.so"
    assert image.exists() and pathlib.Path(f"{image}.timing").exists()
    # It loads and runs; that it brings no drive up is the run's failure, not a bad input.
    done = ssdvp(folder, "--firmware", image)
    assert done.returncode == 1 and "controller to come up" in done.stdout, done
    assert check(image).returncode == 0
    (own / "main.c").write_text(GREEDY)
    assert build(own).returncode == 0
    for done in (ssdvp(folder, "--firmware", image), check(image)):
        refused(done, "dram.capacity", "104857 units; use 1048577MiB or more")
    assert subprocess.run([SSDVP, "check", "device/small"], check=False).returncode == 0


def check(image):
    return subprocess.run([SSDVP, "check", "device/small", "--firmware", image],
                          capture_output=True, text=True, timeout=100, check=False)


def case_odd_sources(folder):
    """Sources that nothing can be counted in: no function, or none that comes back."""
    own = folder / "own"
    own.mkdir()
    environment = {**os.environ, "SSDVP_FWTIME": str(FWTIME)}

    def image(main, **others):
        for name, text in {"main": main, **others}.items():
            (own / f"{name}.c").write_text(text)
        done = subprocess.run([ROOT / "scripts" / "fw-build", own], capture_output=True, text=True,
                              env=environment, timeout=100, check=False)
        assert done.returncode == 0, done.stderr
        return own / "own.so"

    table = "extern const int ssdvp_tab[3];\nconst int ssdvp_tab[3] = {1, 2, 3};\n"
    header = "#include \"firmware/hal/hal.h\"\n"
    done = ssdvp(folder, "--firmware", image(IDLE, tab=table, empty="", header=header))
    assert done.returncode == 1 and "controller to come up" in done.stdout, done
    start, end = IDLE.split("static void idle")[0], IDLE[IDLE.index("extern"):]
    refused(ssdvp(folder, "--firmware", image(start + end.replace("idle, 0, 0", "0, 0, 0"))),
            "no entry point", ".main")
    for body in ('HAL_PANIC(hal, "early");',
                 '(void)hal_read32(hal, 0x40000000u); HAL_PANIC(hal, "early");'):
        main = f"{start}static void idle(struct hal* hal)\n{{\n    {body}\n}}\n\n{end}"
        done = ssdvp(folder, "--firmware", image(main))
        assert done.returncode == 1 and "early" in done.stderr, done


def case_routines(folder):
    """What is called and in no table is refused by its name, on the cores that call it."""
    own = folder / "own"
    own.mkdir()
    environment = {**os.environ, "SSDVP_FWTIME": str(FWTIME)}

    def image(body):
        (own / "main.c").write_text(IDLE.replace("    while", body + "    while", 1))
        return subprocess.run([ROOT / "scripts" / "fw-build", own], capture_output=True, text=True,
                              env=environment, timeout=100, check=False)

    def run(core):
        return ssdvp(folder, "--firmware", own / "own.so", "--set", f"cpu.core={core}")

    double = """    volatile double mean = 1.5;
    mean = mean * 0.25;
"""
    assert image(double).returncode == 0
    assert "controller to come up" in run("cortex-r82").stdout
    refused(run("rv64"), "idle of main.c", "__muldf3", "cpu.core rv64", "flat")
    refused(run("cortex-r52"), "__aeabi_dmul")
    assert "controller to come up" in run("flat").stdout
    atomic = """    static volatile uint64_t count;
    __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
"""
    assert image(atomic).returncode == 0
    refused(run("rv32"), "__atomic_fetch_add_8")
    assert "controller to come up" in run("cortex-r52").stdout
    done = image("    extern int __popcount_of(int);\n    (void)__popcount_of(3);\n")
    assert done.returncode == 1 and "__popcount_of" in done.stderr, done


def main():
    with tempfile.TemporaryDirectory() as folder:
        globals()[f"case_{sys.argv[5]}"](pathlib.Path(folder))


if __name__ == "__main__":
    main()
