#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several drives in one run: drives_test.py SSDVP"""
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

MACHINE = ("wall_s", "requests_per_wall_s", "peak_rss_bytes")
STREAM = "pattern: uniform, read_fraction: 0.5, block_size: 4KiB, queue_depth: 8"


def ssdvp(folder, name, text, *options):
    file = folder / (name + ".yaml")
    file.write_text(text)
    out = folder / ("out-" + name)
    done = subprocess.run([sys.argv[1], "run", str(file), "--requests", "2000", "--quiet",
                           "--out", str(out), *options], capture_output=True, text=True,
                          timeout=60, check=False)
    return done, out


def summary(file):
    whole = json.loads(file.read_text())
    for key in MACHINE:
        del whole["sim"][key]
    return whole


def two(first="", second=""):
    return ("drives:\n"
            f"  - {{name: a{first}}}\n"
            f"  - {{name: b{second}}}\n"
            "name: same\nworkload:\n"
            f"  - {{name: s, drive: a, {STREAM}}}\n"
            f"  - {{name: s, drive: b, {STREAM}}}\n")


def good(folder, name, text):
    done, out = ssdvp(folder, name, text)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


def check_results(folder):
    alone = good(folder, "alone", f"name: same\nworkload:\n  - {{name: s, {STREAM}}}\n")
    out = good(folder, "equal", two())
    for drive in "ab":
        assert summary(out / drive / "summary.json") == summary(alone / "summary.json"), drive
        for file in ("latency.csv", "config.resolved.yaml"):
            text = (out / drive / file).read_bytes()
            assert text == (alone / file).read_bytes(), file
    whole = json.loads((out / "summary.json").read_text())
    assert whole["totals"]["requests"] == 2 * 2000, whole["totals"]
    assert [d["name"] for d in whole["drives"]] == ["a", "b"]
    seeds = good(folder, "seeds", two("", ", run.seed: 7"))
    a, b = ((seeds / d / "latency.csv").read_bytes() for d in "ab")
    assert a == (alone / "latency.csv").read_bytes() and a != b
    mixed = two(", ftl.scheme: dftl", ", host.interface: sata")
    first = good(folder, "mixed", mixed)
    assert "sata" in json.loads((first / "b" / "summary.json").read_text())
    again = good(folder, "mixed-again", mixed)
    for drive in "ab":
        name = pathlib.Path(drive) / "latency.csv"
        assert (first / name).read_bytes() == (again / name).read_bytes(), drive


def warnings(done):
    """What is said of keys, without their place in a file."""
    lines = re.findall(r"^ssdvp: warning: (.*)$", done.stderr, re.M)
    return sorted(re.sub(r"\S+\.yaml:\d+:\d+: ", "", line) for line in lines)


def check_notices(folder):
    """Of keys without effect a drive of several says what it says alone; what is so of all of them
    is said once."""
    keys = {"nand.tRST": "9us", "nand.page_order": "any", "cpu.timing.system": 9,
            "flash.age_limit": "1ms", "nand.errors.page_factor": 2, "serve.pacing": 2}
    stream = "pattern: uniform, queue_depth: 9000, block_size: 4KiB"
    own = "".join(f"{key}: {value}\n" for key, value in keys.items())
    alone, _ = ssdvp(folder, "notices", f"{own}workload:\n  - {{{stream}}}\n")
    said = warnings(alone)
    assert alone.returncode == 0 and len(said) == len(keys) + 1, alone.stderr
    listed = "".join(f", {key}: {value}" for key, value in keys.items())
    load = f"workload:\n  - {{drive: a}}\n  - {{drive: b, {stream}}}\n"
    several, _ = ssdvp(folder, "notices-of-b",
                       f"drives:\n  - {{name: a}}\n  - {{name: b{listed}}}\n{load}")
    assert warnings(several) == [f"drive b: {text}" for text in said], several.stderr
    both, _ = ssdvp(folder, "notices-of-both", two(), "--set", "nand.tRST=9us")
    assert len(warnings(both)) == 1 and "drive" not in warnings(both)[0], both.stderr


def check_cores(folder):
    """Drives whose cores take other cycles: each spends what it spends alone."""
    cores = ("cortex-r82", "rv64", "flat")
    drives = "".join(f"  - {{name: d{i}, cpu.core: {core}}}\n" for i, core in enumerate(cores))
    streams = "".join(f"  - {{name: s, drive: d{i}, {STREAM}}}\n" for i in range(len(cores)))
    out = good(folder, "cores", f"drives:\n{drives}name: same\nworkload:\n{streams}")
    tables = set()
    for i, core in enumerate(cores):
        alone = good(folder, core, f"name: same\ncpu.core: {core}\n"
                                   f"workload:\n  - {{name: s, {STREAM}}}\n")
        assert summary(out / f"d{i}" / "summary.json") == summary(alone / "summary.json"), core
        tables.add((alone / "latency.csv").read_bytes())
    assert len(tables) == len(cores)


def check_refusals(folder):
    cases = [
        (two().replace("drive: b", "drive: c"), "bad.yaml:7:", "there is no drive 'c'"),
        (two().replace("name: s, drive: b",
         "drive: a"), "bad.yaml:3:", "no stream of the workload"),
        (two().replace("name: b", "name: a"), "bad.yaml:3:", "is the name of another drive"),
        (two(", flash.chanels: 2"), "bad.yaml:2:", "drives.0.flash.chanels: is not a key"),
        (two(", run.seed: x"), "bad.yaml:2:", "run.seed"),
        (two(", power.cut.every: 100"), "bad.yaml:2:", "without `drives`"),
        (two("", ", workload: []"), "bad.yaml:3:", "is a key of the whole run"),
        (two() + "raid: {level: 0}\n", "bad.yaml:8:", "is not a list of arrays"),
        ("drives: []\n", "bad.yaml:1:", "is not a list of 1 to 16 drives"),
        (f"workload:\n  - {{drive: a, {STREAM}}}\n", "bad.yaml:2:", "no list of drives"),
    ]
    for text, place, what in cases:
        done, _ = ssdvp(folder, "bad", text)
        assert done.returncode == 2 and place in done.stderr and what in done.stderr, \
            (text, done.returncode, done.stderr)
    for option in ("--requests-log", "--ftl-series"):
        done, _ = ssdvp(folder, "streams", two(), option, "/dev/stdout")
        assert done.returncode == 2 and f"name a file with {option}" in done.stderr, done.stderr
    done, out = ssdvp(folder, "taken", two(), "--requests-log", str(folder / "x"), "--ftl-series",
                      str(folder / "x"))
    assert done.returncode == 2 and "would overwrite" in done.stderr, done.stderr
    assert "x.a" in done.stderr and not out.exists() and not list(folder.glob("x*")), done.stderr


def reports(folder):
    """Options that put all reports there."""
    return ("--requests-log", str(folder / "log.csv.gz"), "--ftl-series",
            str(folder / "series.csv"), "--fw-profile", str(folder / "profile"),
            "--output-format", "fio")


def check_reports(folder):
    """A drive of several writes what it writes alone, under its own name; an array too."""
    (folder / "one").mkdir()
    (folder / "more").mkdir()
    text = f"name: same\nworkload:\n  - {{name: s, {STREAM}}}\n"
    done, alone = ssdvp(folder, "reports-alone", text, *reports(folder / "one"))
    assert done.returncode == 0, done.stderr
    costs = done.stderr
    assert "costs" in costs, costs
    done, out = ssdvp(folder, "reports", two(), *reports(folder / "more"))
    assert done.returncode == 0, done.stderr
    assert done.stderr == f"a\n{costs}b\n{costs}", done.stderr
    for drive in "ab":
        for name in (f"log.{drive}.csv.gz", f"series.{drive}.csv"):
            whole = folder / "one" / name.replace(f".{drive}", "")
            assert content(folder / "more" / name) == content(whole), name
        profile = folder / "more/profile" / drive
        assert len(list(profile.iterdir())) == 4
        for file in profile.iterdir():
            assert file.read_bytes() == (folder / "one/profile" / file.name).read_bytes(), file
        assert jobs(out / drive) == jobs(alone), drive
    assert len(list((folder / "more").iterdir())) == 5


def content(file):
    return gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()


def jobs(folder):
    return json.loads((folder / "fio.json").read_text())["jobs"]


def check_reports_of_arrays(folder):
    (folder / "array").mkdir()
    text = ("drives: [{name: a}, {name: b}]\nraid: [{name: md0, level: 0, drives: [a, b]}]\n"
            f"workload:\n  - {{name: s, drive: md0, {STREAM}}}\n")
    done, out = ssdvp(folder, "reports-array", text, *reports(folder / "array"))
    assert done.returncode == 0, done.stderr
    names = {p.name for p in (folder / "array").iterdir()}
    assert names == {"log.a.csv.gz", "log.b.csv.gz", "log.md0.csv.gz", "series.a.csv",
                     "series.b.csv", "profile"}, names
    assert {p.name for p in (folder / "array/profile").iterdir()} == {"a", "b"}
    lines = {d: content(folder / "array" / f"log.{d}.csv.gz").count(b"\n") - 1
             for d in ("a", "b", "md0")}
    array = json.loads((out / "md0/summary.json").read_text())
    assert lines["md0"] == 2000 and lines["a"] + lines["b"] == array["pieces"], lines
    job = jobs(out / "md0")[0]
    assert job["read"]["total_ios"] == array["host"]["read"]["requests"]
    assert job["iodepth_level"]["8"] > 90, job["iodepth_level"]


def main():
    with tempfile.TemporaryDirectory() as name:
        check_results(pathlib.Path(name))
        check_cores(pathlib.Path(name))
        check_notices(pathlib.Path(name))
        check_refusals(pathlib.Path(name))
        check_reports(pathlib.Path(name))
        check_reports_of_arrays(pathlib.Path(name))


if __name__ == "__main__":
    main()
