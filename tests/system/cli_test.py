#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command line as a user meets it: exit codes, messages, files.

Usage: cli_test.py SSDVP FIRMWARE CASE
"""

import csv
import gzip
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

SSDVP, FIRMWARE = sys.argv[1], sys.argv[2]
SMALL = ["device/small", "workload/zipf-70-30"]
FAST = ["--set", "precondition.fill=0.2", "--quiet"]


def ssdvp(*args, cwd):
    return subprocess.run(
        [SSDVP, *map(str, args)], cwd=cwd, capture_output=True, text=True, timeout=200
    )


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def refused(result, *words):
    """Exit code 2 and one message that holds all the words."""
    expect(result.returncode == 2, f"exit {result.returncode}, not 2: {result.stderr}")
    for word in words:
        expect(word in result.stderr, f"'{word}' is missing in: {result.stderr}")


def run(directory, *args):
    out = directory / "out"
    result = ssdvp("run", *SMALL, *FAST, "--out", out, *args, cwd=directory)
    expect(result.returncode == 0, f"exit {result.returncode}: {result.stderr}{result.stdout}")
    return json.loads((out / "summary.json").read_text())


def case_usage(d):
    refused(ssdvp(cwd=d))
    refused(ssdvp("nonsense", cwd=d))
    refused(ssdvp("run", cwd=d))
    refused(ssdvp("run", *SMALL, "--no-such-option", cwd=d), "--no-such-option")
    expect(ssdvp("--version", cwd=d).stdout.startswith("ssdvp "), "no version")
    expect("--trace" in ssdvp("run", "--help", cwd=d).stdout, "no help")
    for what in ("--presets", "--policies", "--counters", "--summary-keys", "--ideal", "--options",
                 "--option-tables"):
        expect(ssdvp("show", what, cwd=d).stdout.count("\n") > 2, f"show {what} says nothing")
    expect(json.loads(ssdvp("schema", cwd=d).stdout)["type"] == "object", "no schema")
    expect(ssdvp("check", *SMALL, cwd=d).returncode == 0, "check")
    expect("flash.channels" in ssdvp("show", *SMALL, cwd=d).stdout, "show")
    # --set takes one value, wherever it stands, as often as it is given.
    shown = ssdvp("show", "--set", "flash.channels=2", "device/small", "--set", "run.seed=9",
                  "workload/zipf-70-30", cwd=d)
    for words in (r"flash\.channels: +2 ", r"run\.seed: +9 "):
        expect(re.search(words, shown.stdout), f"{words} is missing: {shown}")
    refused(ssdvp("show", *SMALL, "--set", cwd=d), "--set")


def case_configuration(d):
    bad = d / "bad.yaml"
    for text, words in {
        "flash:\n  chanels: 8\n": ["bad.yaml:2:3", "flash.chanels", "flash.channels"],
        "nand:\n  tR: 40\n": ["bad.yaml:2:7", "nand.tR", "us"],
        "flash:\n  channels: 99\n": ["bad.yaml:2:13", "flash.channels", "64"],
        "extends: nand/tlc-4d\n": ["bad.yaml:1:10", "nand/tlc-4d", "nand/tlc-3d"],
        "flash: [\n": ["bad.yaml"],
        "ftl:\n  scheme: pages\n": ["bad.yaml:2:11", "ftl.scheme", "page_map"],
        "ftl:\n  scheme: bast\n": ["bad.yaml:2:11", "ftl.scheme", "nand.page_order: any"],
    }.items():
        bad.write_text(text)
        for command in ("check", "run"):
            refused(ssdvp(command, "device/small", bad, cwd=d), *words)
    refused(
        ssdvp("run", *SMALL, "--set", "flash.chanels=2", cwd=d), "flash.chanels", "flash.channels"
    )
    refused(ssdvp("run", "no/such/preset", cwd=d), "no/such/preset")
    expect(not (d / "out").exists(), "a refused run left files")


def case_power(d):
    """Cuts from the command line: what was flushed is there afterwards."""
    writes = ["device/small", "workload/random-write", "--set", "workload.0.flush_every=16",
              "--requests", 3000, "--quiet"]
    out = d / "cut"
    result = ssdvp("run", *writes, "--power-cut", "at=5ms", "--set", "power.verify=all",
                   "--out", out, cwd=d)
    expect(result.returncode == 0, f"exit {result.returncode}, not 0: {result.stderr}")
    expect("power" in result.stdout, "the text says nothing of power")
    summary = json.loads((out / "summary.json").read_text())
    expect(summary["power"]["cuts"] == 1, "not one cut")
    expect(summary["integrity"]["mismatches"] == 0, "something is missing")
    for cut, least, most in (("at=2ms,20ms", 2, 2), ("every=300", 1, 10), ("random=100", 2, 300)):
        out = d / cut.split("=")[0]
        result = ssdvp("run", *writes, "--set", "power.cut.at=100ns", "--power-cut", cut,
                       "--out", out, cwd=d)
        expect(result.returncode == 0, f"{cut}: exit {result.returncode}: {result.stderr}")
        summary = json.loads((out / "summary.json").read_text())
        expect(least <= summary["power"]["cuts"] <= most,
               f"{cut}: {summary['power']['cuts']} cuts")
        expect(summary["integrity"]["mismatches"] == 0, f"{cut}: something is missing")
    for wrong in ("5ms", "at=", "every=0", "random=-1", "at=5"):
        refused(ssdvp("run", *writes, "--power-cut", wrong, "--out", d / "none", cwd=d),
                "power.cut")
    expect(not (d / "none").exists(), "a refused run wrote something")


def case_traces(d):
    good = {
        "t.msr.csv": "128166372003061629,hm,0,Read,8192,4096,100\n"
        "128166372003071629,hm,0,Write,512,1024,100\n",
        "t.disksim": "0.001 0 16 8 1\n0.5 1 16 8 0\n",
        "t.ssdsim": "100 0 16 8 1\n5000 0 16 3 0\n",
        "t.mqsim": "100 0 16 8 1\n5000 3 16 3 0\n",
        "t.csv": "128166372003061629,hm,0,Read,8192,4096,100\n",
    }
    for name, text in good.items():
        fmt = ",format=msr" if name == "t.csv" else ""
        (d / name).write_text(text)
        s = run(d, "--trace", f"{d / name}{fmt}")
        requests = sum(s["host"][k]["requests"] for k in ("read", "write") if k in s["host"])
        expect(requests == text.count("\n"), f"{name}: {requests} requests")
        expect(s["integrity"]["mismatches"] == 0, f"{name}: mismatches")
    with gzip.open(d / "z.ssdsim.gz", "wt") as f:
        f.write(good["t.ssdsim"])
    run(d, "--trace", d / "z.ssdsim.gz")
    subprocess.run(["zstd", "-q", d / "t.mqsim", "-o", d / "y.mqsim.zst"], check=False)
    if (d / "y.mqsim.zst").exists():
        run(d, "--trace", d / "y.mqsim.zst")
    for name, text, words in (
        ("b.ssdsim", "100 0 16 8 1\n200 0 oops 8 1\n", ["b.ssdsim:2:7: ", "oops"]),
        ("b.msr.csv", "128166372003061629,hm,0,Reed,8192,4096,100\n", ["b.msr.csv:1", "Reed"]),
        ("b.disksim", "0.1 0 16 8\n", ["b.disksim:1"]),
        ("b.mqsim", "1 0 16 0 1\n", ["b.mqsim:1"]),
        ("b.unknown", "1 0 16 0 1\n", ["b.unknown", "format"]),
    ):
        (d / name).write_text(text)
        refused(
            ssdvp("run", *SMALL, *FAST, "--out", d / "never", "--trace", d / name, cwd=d), *words
        )
        refused(ssdvp("check", "device/small", "--trace", d / name, cwd=d), *words)
    # A trace is read to its end, and compared with the drive where its addresses must fit.
    checked = ssdvp("check", "device/small", "--trace", d / "t.ssdsim", cwd=d)
    expect(checked.returncode == 0 and checked.stdout.startswith("ok"), checked.stderr)
    (d / "far.ssdsim").write_text(f"100 0 16 8 1\n200 0 {1 << 40} 8 1\n")
    far = ["device/small", "--trace", d / "far.ssdsim", "--trace-fit"]
    expect(ssdvp("check", *far, "wrap", cwd=d).returncode == 0, "wrapped")
    refused(ssdvp("check", *far, "error", cwd=d), "far.ssdsim:2: ", "use a larger drive")
    refused(
        ssdvp("run", *SMALL, "--trace", d / "missing.msr.csv", "--out", d / "never", cwd=d),
        "missing.msr.csv",
    )
    expect(not (d / "never").exists(), "a refused run left files")


def on_one_core(d):
    """An image that says nothing of cores runs on one, and on no more."""
    source = d / "one.c"
    source.write_text(
        """#include "firmware/hal/hal.h"
static void one_main(struct hal* hal)
{
    while (!hal_stopping(hal)) {
        (void)hal_wait_irq(hal);
    }
}
const struct firmware_image ssdvp_firmware = {FIRMWARE_IMAGE_MAGIC, HAL_ABI_VERSION, "one",
                                              one_main, 0, 0, 0};
"""
    )
    image = d / "one.so"
    root = pathlib.Path(__file__).parents[2]
    subprocess.run(["cc", "-shared", "-fPIC", f"-I{root}", source, "-o", image], check=True)
    cores = ("--set", "cpu.cores=2", "--firmware", image, "--out", d / "never")
    refused(
        ssdvp("run", *SMALL, *cores, cwd=d), "firmware one runs on 1 core,", "use cpu.cores: 1"
    )


def case_firmware(d):
    own = run(d, "--requests", "2000", "--firmware", FIRMWARE)
    built_in = run(d, "--requests", "2000")
    for s in (own, built_in):
        for key in ("wall_s", "requests_per_wall_s", "peak_rss_bytes"):
            s["sim"].pop(key)
    expect(own == built_in, "the loaded image behaves otherwise than the one built in")
    (d / "not.so").write_text("text")
    refused(ssdvp("run", *SMALL, "--firmware", d / "not.so", "--out", d / "never", cwd=d), "not.so")
    refused(
        ssdvp("run", *SMALL, "--firmware", d / "none.so", "--out", d / "never", cwd=d),
        "none.so",
        "no such",
    )
    on_one_core(d)
    libc = "/lib/x86_64-linux-gnu/libm.so.6"
    if os.path.exists(libc):
        refused(
            ssdvp("run", *SMALL, "--firmware", libc, "--out", d / "never", cwd=d), "ssdvp_firmware"
        )
    expect(not (d / "never").exists(), "a refused run left files")


def case_outputs(d):
    (d / "file").write_text("precious")
    refused(ssdvp("run", *SMALL, *FAST, "--requests", "10", "--out", d / "file", cwd=d), "file")
    expect((d / "file").read_text() == "precious", "overwritten")
    refused(
        ssdvp(
            "run",
            *SMALL,
            *FAST,
            "--requests",
            "10",
            "--out",
            d / "o",
            "--requests-log",
            d / "no" / "log.csv",
            cwd=d,
        ),
        "log.csv",
    )
    s = run(d, "--requests", "500", "--requests-log", d / "log.csv.gz")
    with gzip.open(d / "log.csv.gz", "rt") as f:
        lines = f.read().splitlines()
    expect(
        len([line for line in lines if not line.startswith("#")]) == 501,
        f"{len(lines)} lines in the log",
    )
    completed = float(lines[-1].split(",")[lines[0].split(",").index("completed_ns")])
    expect(s["sim"]["total_simulated_ns"] >= completed, "it began when the drive had been started")
    expect(s["complete"] is True, "incomplete")
    resolved = d / "out" / "config.resolved.yaml"
    again = ssdvp("run", resolved, "--quiet", "--requests", "500", "--out", d / "again", cwd=d)
    expect(again.returncode == 0, again.stderr)
    t = json.loads((d / "again" / "summary.json").read_text())
    expect(t["host"] == s["host"], "config.resolved.yaml gives another result")
    t = run(d, "--requests", "500", "--check-onfi")
    expect(t["host"] == s["host"], "the bus checker changes the result")
    banks = run(d, "--requests", "500", "--set", "dram.model=bank")
    expect(banks["dram"]["activates"] > 0, "no row was opened")
    checked = run(d, "--requests", "500", "--set", "dram.model=bank", "--check-dram")
    expect(checked["dram"] == banks["dram"], "the command checker changes the result")
    for words in ("fio,fio", "fio,", "csv"):
        wrong = ssdvp("run", *SMALL, *FAST, "--output-format", words, "--out", d / "none", cwd=d)
        refused(wrong, f"{words} not in {{summary,fio}}")
        expect(not (d / "none").exists(), "a refused run wrote")
    no_banks = ssdvp("run", *SMALL, *FAST, "--check-dram", cwd=d)
    refused(no_banks, "dram.model", "use --set dram.model=bank")


def case_overwrite(d):
    """No file is written that is read, and none twice; a refused run leaves nothing."""
    (d / "my.yaml").write_text("ftl:\n  over_provisioning: 0.25\n")
    (d / "base").mkdir()
    (d / "base/b.yaml").write_text("ftl:\n  over_provisioning: 0.25\n")
    (d / "above.yaml").write_text("extends: base/b.yaml\n")
    trace = d / "t.csv"
    trace.write_text("0,0,0,8,1\n")
    (d / "job.fio").write_text("[a]\nrw=read\nsize=1m\n")
    (d / "link.so").symlink_to(FIRMWARE)
    (d / "link.so.timing").symlink_to(FIRMWARE + ".timing")
    os.link(d / "my.yaml", d / "other.yaml")
    before = sorted(str(p) for p in d.rglob("*"))
    kept = {p: p.read_bytes() for p in (d / "my.yaml", d / "base/b.yaml", trace, d / "job.fio")}
    log, out = "--requests-log", ["--out", d / "n"]
    for words, named in (
        (["run", *SMALL, "my.yaml", log, "./my.yaml", *out], [log, "my.yaml", "configuration"]),
        (["run", *SMALL, "my.yaml", log, "other.yaml", *out], [log, "my.yaml"]),
        (["run", *SMALL, "above.yaml", log, "base/b.yaml", *out], [log, "base/b.yaml"]),
        (["run", *SMALL, "--trace", f"{trace},format=disksim", log, trace, *out], [log, "trace"]),
        (["run", *SMALL, "--fio", "job.fio", log, "job.fio", *out], [log, "fio job file"]),
        (["run", *SMALL, "--firmware", "link.so", log, FIRMWARE, *out], [log, "--firmware"]),
        (["run", *SMALL, log, "q", "--ftl-series", "base/../q", *out], ["--ftl-series", log]),
        (["run", *SMALL, log, d / "n/summary.json", *out], [log, "--out"]),
        (["run", *SMALL, log, d / "n", *out], [log, "--out"]),
        (["run", *SMALL, "--ftl-series", "n/latency.csv", *out], ["--ftl-series", "--out"]),
        (["run", *SMALL, "--output-format", "fio", log, "n/fio.json", *out], [log, "--out"]),
        (["serve", "device/small", "--nbd-unix", "s", "--image", "i", "--record", "i", *out],
         ["--record", "--image"]),
        (["guest", "device/small", "my.yaml", "--image", "my.yaml", *out], ["--image", "my.yaml"]),
        (["run", *SMALL, log, "none/log.csv", *out], [log, "none/log.csv"]),
        (["guest", "device/small", "--memory", "foo", *out], ["--memory", "512M"]),
        (["guest", "device/small", "--append", "quiet", *out], ["--append", "--kernel"]),
        (["guest", "device/small", "--initrd", "my.yaml", *out], ["--initrd", "--kernel"]),
    ):
        refused(ssdvp(*words, cwd=d), *named)
        expect(sorted(str(p) for p in d.rglob("*")) == before, f"{words} left files")
    expect(all(p.read_bytes() == text for p, text in kept.items()), "an input is overwritten")
    run(d, "--requests", "100", "--output-format", "summary,fio")
    expect((d / "out" / "fio.json").exists(), "summary,fio")
    run(d, "--requests", "100", log, d / "out" / "log.csv")
    run(d, "--requests", "100", log, d / "out" / "log.csv")  # again: those are its own


def case_idle(d):
    """A key that changes nothing is named, unless a preset gave it."""
    for key, value, why in (("cpu.timing.load", 4, "cpu.core is not flat"),):
        said = ssdvp("run", *SMALL, *FAST, "--requests", 100, "--out", d / "o", "--set",
                     "cpu.core=flat", "--set", f"{key}={value}", cwd=d)
        expect(said.returncode == 0 and key in said.stderr and why in said.stderr, said.stderr)
    (d / "my.yaml").write_text("cpu:\n  instructions_per_call: 9\n")
    said = ssdvp("run", *SMALL, d / "my.yaml", *FAST, "--requests", 100, "--out", d / "o", cwd=d)
    expect("my.yaml:2:26: cpu.instructions_per_call has no effect" in said.stderr, said.stderr)
    said = ssdvp("run", *SMALL, "cpu/cortex-r5", *FAST, "--requests", 100, "--out", d / "o",
                 "--set", "cpu.core=flat", cwd=d)
    expect("no effect" not in said.stderr, said.stderr)
    said = ssdvp("check", "device/small", "--set", "flash.age_limit=1ms", cwd=d)
    expect("flash.age_limit has no effect: it is used only when flash.arbiter is priorities"
           in said.stderr, said.stderr)
    said = ssdvp("run", *SMALL, *FAST, "--requests", 100, "--out", d / "o", "--set",
                 "serve.pacing=2", cwd=d)
    expect("serve.pacing has no effect: it is used only by `ssdvp serve`" in said.stderr,
           said.stderr)
    for key, times in (("host.nvme.reset_at", "[100us, 10s]"), ("power.cut.at", "[100us, 10s]")):
        said = ssdvp("run", *SMALL, *FAST, "--requests", 2000, "--out", d / "o", "--set",
                     f"{key}={times}", cwd=d)
        expect(f"{key}: 1 of 2 times come after the end of the run" in said.stderr, said.stderr)
    said = ssdvp("run", *SMALL, *FAST, "--requests", 2000, "--out", d / "o", "--set",
                 "host.nvme.reset_at=[100us, 200us]", cwd=d)
    expect("after the end" not in said.stderr, said.stderr)
    summary = json.loads((d / "o" / "summary.json").read_text())
    expect(summary["resets"] == 2 and "resets" in said.stdout, f"{summary.get('resets')} resets")
    s = run(d, "--requests", "300", "--set", "host.driver.queue_entries=2",
            "--set", "workload.queue_depth=16")
    t = run(d, "--requests", "300", "--set", "workload.queue_depth=16")
    expect(s["sim"]["simulated_ns"] > 2 * t["sim"]["simulated_ns"], "a queue of one place")


def case_script(d):
    """scripts/run knows which options take a value: what follows the others is a configuration."""
    root = pathlib.Path(__file__).resolve().parents[2]
    text = (root / "scripts/run").read_text()
    function = text[text.index("names_config() {"):]
    function = function[: function.index("\n}\n") + 3]
    lines = ssdvp("run", "--help", cwd=d).stdout.splitlines()
    options = [re.match(r" +(?:-\w,)?(--[\w-]+)( \S)?", line) for line in lines]
    options = {m[1]: m[2] is not None for m in options if m}
    expect(len(options) > 15 and 10 < sum(options.values()) < len(options), f"options: {options}")
    for option, takes_value in options.items():
        done = subprocess.run(
            ["bash", "-c", f"project_root={root}\n{function}\nnames_config \"$@\"", "bash",
             option, "device/small"], check=False)
        expect(done.returncode == int(takes_value), f"scripts/run and {option}")


def case_series(d):
    (d / "file").write_text("precious")
    refused(
        ssdvp("run", *SMALL, *FAST, "--ftl-series", d / "file" / "series.csv", cwd=d), "file"
    )
    s = run(d, "--requests", "450", "--ftl-series", d / "new" / "series.csv")
    with (d / "new" / "series.csv").open(newline="") as f:
        lines = [{key: int(value) for key, value in row.items()} for row in csv.DictReader(f)]
    expect([row["requests"] for row in lines] == [100] * 4 + [50], "requests of a line")
    purposes = s["flash"]["by_purpose"]
    for column, purpose, kind in (("host_r", "host", "reads"), ("host_w", "host", "programs"),
                                  ("copy_w", "gc", "programs"), ("map_w", "map", "programs")):
        total = sum(row[column] for row in lines)
        expect(total == purposes[purpose][kind], f"{column}: {total}, {purposes[purpose]}")
    for row in lines:
        expect(row["T"] == row["R"] + 7 * row["W"] + 63 * row["E"], row)
    run(d, "--requests", "450", "--ftl-series", d / "again.csv")
    same = (d / "again.csv").read_text() == (d / "new" / "series.csv").read_text()
    expect(same, "another run gives another series")


def case_interrupt(d):
    p = subprocess.Popen(
        [SSDVP, "run", *SMALL, *FAST, "--requests", "1000000000", "--out", str(d / "out")],
        cwd=d,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(3)
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=60)
    expect(p.returncode == 130, f"exit {p.returncode}: {err}{out}")
    s = json.loads((d / "out" / "summary.json").read_text())
    expect(s["complete"] is False, "complete")
    expect(s["host"]["read"]["requests"] > 0, "nothing ran")


def busy_times(summary):
    """Every share of time in a summary, by its place."""
    def walk(at, place):
        for key, value in at.items() if isinstance(at, dict) else enumerate(at):
            here = f"{place}.{key}"
            if isinstance(value, (dict, list)):
                yield from walk(value, here)
            elif str(key).startswith("busy"):
                yield here, value
    return dict(walk(summary, ""))


def case_busy(d):
    """Nobody is busy for longer than the measured part, whatever goes on at its end."""
    out = d / "out"
    slow = ["nand.tPROG=1s", "workload.pattern=uniform", "workload.read_fraction=0.4",
            "workload.queue_depth=8"]
    for more in ([], ["host.interface=sata"], ["flash.use_cache=true"], ["dram.model=bank"]):
        options = [word for key in slow + more for word in ("--set", key)]
        done = ssdvp("run", "device/tiny", *options, "--requests", 60, "--quiet", "--out", out,
                     cwd=d)
        expect(done.returncode == 0, f"{more}: exit {done.returncode}: {done.stdout}")
        shares = busy_times(json.loads((out / "summary.json").read_text()))
        expect(len(shares) >= 5, f"{more}: {shares}")
        for place, share in shares.items():
            expect(0 <= share <= 1, f"{more}: {place} is {share}")


def limited(kib, *args, cwd):
    """A run that may have so much address space."""
    return subprocess.run(["bash", "-c", f"ulimit -v {kib} && exec \"$@\"", "bash", SSDVP,
                           *map(str, args)], cwd=cwd, capture_output=True, text=True, timeout=200)


def case_memory(d):
    """Address space is taken by need; where it is short, that is said with what takes it."""
    out = ("--quiet", "--out", d / "out")
    tiny = ("run", "device/tiny", "--requests", 200, *out)
    done = limited(3 << 20, *tiny, cwd=d)
    expect(done.returncode == 0, f"3 GiB: exit {done.returncode}: {done.stderr}")
    refused(limited(4 << 20, "run", "device/nvme-tlc", "--requests", 10, *out, cwd=d),
            "GiB of address space", "4.00 GiB in all (ulimit -v)", "GiB the check of what the host",
            "dram.capacity", "raise the limit")
    codes = set()
    for kib in range(50 << 10, 1900 << 10, 150 << 10):
        done = limited(kib, *tiny, cwd=d)
        said = done.stderr
        codes.add(done.returncode)
        if "error while loading shared libraries" in said:
            continue
        expect(done.returncode in (0, 1, 2), f"{kib} KiB: exit {done.returncode}: {said}")
        expect("terminate called" not in said, f"{kib} KiB: {said}")
        expect(done.returncode == 0 or ("address space" in said and "raise the limit" in said),
               f"{kib} KiB: exit {done.returncode}: {said}")
    expect(2 in codes, f"nothing was refused: {codes}")


def need_of(*args, cwd):
    """KiB of address space that the plan of a run asks for, with what the process has by then."""
    said = limited(200 << 10, *args, cwd=cwd).stderr
    found = re.search(r"needs ([0-9.]+) GiB .* has ([0-9.]+) GiB and may have", said)
    expect(found, f"no need is told: {said}")
    return int((float(found[1]) + float(found[2])) * (1 << 20))


def case_memory_plan(d):
    """A drive that is filled and overwritten first: the plan counts what its flash will hold, and
    every limit below that is a refusal before the run begins."""
    job = ("run", "experiment/sqlite-ext4", "--requests", 10, "--quiet", "--out", d / "out")
    need = need_of(*job, cwd=d)
    expect(need > 2500000, f"the plan asks for {need} KiB; 2,500,000 are too few to run")
    for kib in range(200 << 10, need, 100 << 10):
        refused(limited(kib, *job, cwd=d), "GiB of address space", "GiB what the flash holds",
                f"{kib / (1 << 20):.2f} GiB in all (ulimit -v)", "raise the limit")
    expect(not (d / "out").exists(), "a refused run has a folder of results")
    # The same with a drive of a few GB runs with what its plan asks for.
    small = (*job, "--set", "nand.pages_per_block=12", "--set", "nand.blocks_per_plane=128",
             "--set", "dram.capacity=default")
    need = need_of(*small, cwd=d)
    refused(limited(need - (40 << 10), *small, cwd=d), "GiB of address space")
    done = limited(need + (20 << 10), *small, cwd=d)
    expect(done.returncode == 0, f"{need} KiB: exit {done.returncode}: {done.stderr}")


def case_memory_late(d):
    """How much a run without a number of requests writes, no plan knows. Where its memory ends, it
    says what was asked for, what there is, and the limit."""
    job = ("run", "device/small", "--set", "data=full", "--set", "run.duration=100s",
           "--set", "workload.pattern=sequential", "--set", "workload.read_fraction=0",
           "--set", "workload.block_size=128KiB", "--quiet", "--out", d / "out")
    done = limited(need_of(*job, cwd=d) + (20 << 10), *job, cwd=d)
    said = done.stderr
    expect(done.returncode == 1, f"exit {done.returncode}: {said}")
    expect("ssdvp: the run failed: the host gives no more memory: " in said, said)
    asked = r"memory: ([0-9.]+ MiB more were|the heap) asked for"
    has = r".*, this process has ([0-9.]+) GiB of address space"
    limit = r" of ([0-9.]+) GiB that it may have \(ulimit -v\); raise the limit"
    found = re.search(asked + has + limit, said)
    expect(found and float(found[3]) - float(found[2]) < 0.02, said)


def case_time_off(d):
    """Time without power is no time without progress: many cuts end as what they are."""
    done = ssdvp("run", "device/tiny", "--power-cut", "random=1000000", "--quiet", "--out",
                 d / "out", cwd=d)
    expect(done.returncode == 1 and "without one completed request" in done.stdout,
           f"exit {done.returncode}: {done.stderr}{done.stdout}")
    expect("no progress" not in done.stdout + done.stderr, done.stderr)


def case_channels(d):
    """64 channels, two of which share an interrupt line, with one core and with three: all of them
    serve, before cuts and after."""
    for cores in (1, 3):
        s = run(d, "--set", "flash.channels=64", "--set", "flash.luns_per_channel=1",
                "--set", "nand.blocks_per_plane=16", "--set", "ftl.over_provisioning=0.5",
                "--set", f"cpu.cores={cores}", "--set", "sram.capacity=8MiB",
                "--set", "power.verify=all", "--power-cut", "every=20", "--requests", 3000)
        expect(s["power"]["cuts"] > 1, f"{s['power']['cuts']} cuts")
        expect(s["integrity"]["mismatches"] == 0, "something is missing")
        used = [sum(lun["reads"] + lun["programs"] for lun in c["luns"]) for c in s["channels"]]
        expect(len(used) == 64 and min(used) > 0, f"operations of the channels: {used}")


def case_slow_start(d):
    """A start may take as long as all steps of the host's driver together."""
    s = run(d, "--set", "precondition.fill=0", "--set", "cpu.clock=1MHz", "--set", "cpu.core=flat",
            "--set", "cpu.instructions_per_call=22000", "--set", "host.nvme.queue_pairs=128",
            "--set", "host.driver.queue_pairs=128", "--requests", 3)
    expect(s["sim"]["total_simulated_ns"] > 60e9, "it was up within a minute")


def case_worn_map(d):
    """Segments of 8 pages, or merges, wear out the blocks before the run: told, and no panic."""
    segments = ("ftl.scheme=vm_map", "nand.pages_per_block=8", "nand.blocks_per_plane=504",
                "precondition.overwrite=0.3")
    merges = ("ftl.scheme=log_set", "ftl.log_set.unit=block", "ftl.stripe=block",
              "ftl.map_unit=16KiB", "nand.endurance=30", "precondition.overwrite=1.5")
    for keys in (segments, merges):
        sets = [word for key in keys for word in ("--set", key)]
        done = ssdvp("run", "device/small", "--quiet", "--out", d / "out", "--requests", 10,
                     "--set", "precondition.fill=1", *sets, cwd=d)
        expect(done.returncode == 2, f"exit {done.returncode}: {done.stderr}")
        expect("is the drive worn out" in done.stderr and "panic" not in done.stderr, done.stderr)


def case_results(d):
    s = run(d, "--requests", "3000", "--seed", "5")
    expect(s["seed"] == 5, "seed")
    for path in (
        "schema version complete config_sha256 sim "
        "host.read.latency_ns.p99.9999 host.read.parts_ns "
        "host.write.requests flash.by_purpose.host channels ftl.write_amplification ftl.ram_bytes "
        "cache.policy cpu dram.bytes_read link.bytes_up integrity.sectors_checked"
    ).split():
        node = s
        rest = path
        while rest:
            keys = [k for k in node if rest == k or rest.startswith(k + ".")]
            expect(keys, f"{path} is missing")
            key = max(keys, key=len)  # "p99.9999", not "p99"
            node, rest = node[key], rest[len(key) + 1 :]
    read = s["host"]["read"]
    total = sum(read["parts_ns"].values()) if isinstance(read["parts_ns"], dict) else 0
    expect(
        abs(total - read["latency_ns"]["mean"]) < 1,
        f"parts sum to {total}, mean is {read['latency_ns']['mean']}",
    )
    expect(s["host"]["read"]["requests"] + s["host"]["write"]["requests"] == 3000, "requests")


def case_failing(d):
    """Cells beyond what the code corrects: it is done, and says that it is worth nothing."""
    broken = ["device/small", "workload/random-read", "--set", "nand.errors.rber=0.009", "--set",
              "precondition.fill=1", "--requests", "500", "--quiet", "--no-state-cache", "--out"]
    result = ssdvp("run", *broken, d / "out", cwd=d)
    summary = json.loads((d / "out" / "summary.json").read_text())
    failed = summary["host"]["read"]["errors"]
    expect(result.returncode == 3, f"exit {result.returncode}, not 3: {result.stderr}")
    expect(summary["complete"] and failed > 5, f"{failed} of 500 failed")
    expect(any(w["code"] == "failing" for w in summary["validity"]["warnings"]), "no warning")
    share = failed / 500
    for limit, code in ((share, 0), (share - 0.002, 3)):  # as many as may; one more than may
        result = ssdvp("run", *broken, d / "again", "--set", f"run.failed_limit={limit:.4f}", cwd=d)
        expect(result.returncode == code, f"{limit}: exit {result.returncode}, not {code}")


def main():
    with tempfile.TemporaryDirectory(prefix="ssdvp cli ") as name:
        globals()["case_" + sys.argv[3]](pathlib.Path(name))
    print("ok")


if __name__ == "__main__":
    main()
