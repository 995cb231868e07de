#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CONTRIBUTING.md, done: a copy of the project, each addition of additions.py as one new file and
one row of a table, all of them built at once, and each seen to act. With compilers, these only
read the new files: seconds instead of minutes.

Usage: extension_test.py PROJECT FOLDER [CC CXX]

FOLDER keeps the copy and its build from one run to the next.
"""

import filecmp
import json
import os
import pathlib
import shutil
import subprocess
import sys

from additions import ADDITIONS, with_row

PROJECT = pathlib.Path(sys.argv[1]).resolve()
FOLDER = pathlib.Path(sys.argv[2]).resolve()
COPY = FOLDER / "project"
BUILD = FOLDER / "build"
ADDED = pathlib.Path(__file__).parent / "added"
# Folders that ssdvp is built from.
PARTS = ["cmake", "configs", "firmware", "models", "platform", "tools"]
HOST = ["tests/extension/host", "tests/support"]  # that sends the command
TINY = ["--set", "workload.read_fraction=0", "--set", "workload.pattern=uniform",
        "--set", "precondition.fill=1", "--requests", "2000"]


def put(path, text):
    """Writes a file where that changes it: what is the same is not built again."""
    if not path.exists() or path.read_bytes() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)


def wanted():
    """Each file of the copy, and its text: the project's, then the additions."""
    sources = [PROJECT / "CMakeLists.txt", PROJECT / "sc_main.cpp"]
    for part in PARTS + HOST:
        sources += [p for p in (PROJECT / part).rglob("*") if p.is_file()]
    files = {p.relative_to(PROJECT): p.read_bytes() for p in sources
             if not any(name.startswith(".") or name == "__pycache__" for name in p.parts[-2:])}
    for a in ADDITIONS:
        table = pathlib.Path(a.table)
        files[table] = with_row(files[table].decode(), a.macro, a.row).encode()
        if a.file:
            assert pathlib.Path(a.file) not in files, f"{a.file} is there already"
            files[pathlib.Path(a.file)] = (ADDED / a.file).read_bytes()
    return files


def copy():
    files = wanted()
    for path in COPY.rglob("*"):
        if path.is_file() and path.relative_to(COPY) not in files:
            path.unlink()
    for path, text in files.items():
        put(COPY / path, text)


def call(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(str(c) for c in command)}\n{done.stdout[-6000:]}{done.stderr[-3000:]}")
    return done.stdout


def read_by(cc, cxx):
    """Each new file, as compilers would read it in the copy."""
    for a in ADDITIONS:
        if a.file:
            compiler = [cxx, "-std=c++17"] if a.file.endswith(".cpp") else [cc, "-std=c11"]
            call(*compiler, "-fsyntax-only", "-Wall", "-Werror", "-DFMT_SHARED", "-I.", a.file,
                 cwd=COPY)


def build():
    """Little optimisation, each library as one source, and no timing of the firmware's
    instructions: a short build."""
    options = ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0",
               "-DCMAKE_C_FLAGS_DEBUG=-O1", "-DSSDVP_TESTS=OFF", "-DSSDVP_BENCH=OFF",
               "-DSSDVP_UNITY=ON", "-DSSDVP_UNITY_SIZE=0", "-DSSDVP_FW_TIMING=flat",
               f"-DCMAKE_PROJECT_INCLUDE={COPY / 'tests/extension/host/project.cmake'}"]
    if shutil.which("ccache"):
        options += ["-DCMAKE_C_COMPILER_LAUNCHER=ccache", "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"]
    call("cmake", "-S", COPY, "-B", BUILD, "-G", "Ninja", *options)
    half = max(1, (os.cpu_count() or 1) // 2)
    call("ninja", "-C", BUILD, "-j", half, "ssdvp", "send")


def run(name, *options, device="device/tiny"):
    """Runs a drive, and returns its summary."""
    out = FOLDER / "out" / name
    shutil.rmtree(out, ignore_errors=True)
    call(BUILD / "ssdvp", "run", device, *options, "--out", out, "--quiet",
         cwd=FOLDER, env={**os.environ, "SSDVP_CONFIGS": str(COPY / "configs")})
    return json.loads((out / "summary.json").read_text())


def choice(key, word):
    return run(word, "--set", f"{key}={word}", *TINY)


def policies():
    text = call(BUILD / "ssdvp", "show", "--policies")
    for word in ["fifo", "hoard", "wo_fifo", "halves", "free_start", "backwards", "plain"]:
        assert f" {word} " in text, f"show --policies does not name {word}"


def collection():
    greedy, fifo = choice("gc.policy", "greedy"), choice("gc.policy", "fifo")
    assert greedy["ftl"]["gc"]["looks"] == 0
    assert fifo["ftl"]["gc"]["looks"] > 0, "the counter has counted nothing"
    assert fifo["ftl"]["gc"]["runs"] > 0 and fifo["flash"] != greedy["flash"]


def scheme():
    few = ["--set", "workload.read_fraction=0", "--set", "workload.pattern=uniform",
           "--set", "precondition.fill=1", "--set", "ftl.over_provisioning=0.5",
           "--set", "run.failed_limit=1", # hoard runs out of room
           "--requests", "100"]
    assert run("page_map", *few)["ftl"]["gc"]["runs"] > 0
    assert run("hoard", "--set", "ftl.scheme=hoard", *few)["ftl"]["gc"]["runs"] == 0


def buffer():
    hot = ["--set", "workload.pattern=hot_cold", "--set", "workload.read_fraction=0",
           "--set", "cache.capacity=64KiB", "--requests", "3000"]
    lru = run("lru", "--set", "cache.policy=wo_lru", *hot)
    fifo = run("fifo", "--set", "cache.policy=wo_fifo", *hot)
    assert fifo["cache"] != lru["cache"], "a hit moves nothing, and all is the same"


def dies():
    slow = ["--set", "workload.read_fraction=0.5", "--set", "precondition.fill=1",
            "--set", "workload.queue_depth=8", "--requests", "2000"]
    none = run("none", "--set", "flash.suspend.policy=none", *slow)
    halves = run("halves", "--set", "flash.suspend.policy=halves", *slow)
    assert none["flash"]["suspends"] == 0 and halves["flash"]["suspends"] > 0


def channels():
    load = ["--set", "workload.read_fraction=0.5", "--set", "workload.queue_depth=16",
            "--requests", "2000"]
    ends = {word: run(word, "--set", f"flash.arbiter={word}", *load, device="device/small")
            ["sim"]["simulated_ns"] for word in ("sequential", "out_of_order", "free_start")}
    assert ends["out_of_order"] < ends["free_start"] < ends["sequential"], ends


def hosts():
    log = FOLDER / "backwards.csv"
    run("backwards", "--set", "workload.pattern=backwards", "--set", "workload.queue_depth=1",
        "--requests", "100", "--requests-log", log)
    lines = [line.split(",") for line in log.read_text().splitlines()]
    lba = lines[0].index("lba")
    places = [int(line[lba]) for line in lines[1:]]
    assert len(places) == 100, places
    assert all(b < a or a == 0 for a, b in zip(places, places[1:])), places
    trace = FOLDER / "three.plain"
    trace.write_text("0 w 0 8\n100 r 0 8\n200 r 8 8\n")
    told = run("plain", "--trace", trace)["host"]
    assert (told["read"]["requests"], told["write"]["requests"]) == (2, 1)


def reports():
    slowest, log = FOLDER / "slowest.csv", FOLDER / "requests.csv"
    run("reports", "--requests", "200", "--slowest", slowest, "--requests-log", log)
    head, *lines = [line.split(",") for line in log.read_text().splitlines()]
    lba, ps = head.index("lba"), head.index("latency_ns")
    most = max(lines, key=lambda line: float(line[ps]))
    told = slowest.read_text().splitlines()[1].split(",")
    assert told[0] == most[lba] and abs(float(told[1]) / 1000 - float(most[ps])) < 1, (told, most)


def commands():
    told = call(BUILD / "send", "C1", "C2",
                env={**os.environ, "SSDVP_CONFIGS": str(COPY / "configs")})
    (added, free), (unknown, _) = [[int(n) for n in line.split()] for line in told.splitlines()]
    assert (added, unknown) == (0, 1), "C1h is a command, and C2h an invalid opcode"
    assert free > 0, told


def main():
    copy()
    new = filecmp.dircmp(PROJECT / "firmware/gc", COPY / "firmware/gc").right_only
    assert new == ["fifo.c"], new
    if sys.argv[3:]:
        read_by(*sys.argv[3:])
        return
    build()
    for check in (policies, collection, scheme, buffer, dies, channels, hosts,
                  reports, commands):
        check()
        print(f"{check.__name__}: as it should")


main()
