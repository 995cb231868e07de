#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs that are measured in windows tell what exact ones do, whatever number of processes runs
them; and what cannot be sampled is refused before anything runs.
Usage: ... PROGRAM compare|same|told|within|refused|dies|idle"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from measured import summary_of

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
# pylint: disable=wrong-import-position
from ssdvp.report import __main__ as report  # noqa: E402

PROGRAM = sys.argv[1]
SETTLED = ["precondition.fill=1", "precondition.overwrite=3", "precondition.workload.source=own",
           "run.warmup=20000"]
# Name: requests, and keys. The last ones have other schemes, buffers and several streams.
LOADS = {
    "reads": (300000, ["workload=[{read_fraction: 1, queue_depth: 32}]", "precondition.fill=1",
                       "run.warmup=20000"]),
    # When it begins there is something to collect, which is over before what is measured.
    "reads of much spare": (300000, ["workload=[{read_fraction: 1, queue_depth: 32}]",
                                     "precondition.fill=1", "precondition.overwrite=3",
                                     "ftl.over_provisioning=0.28", "run.warmup=200000"]),
    "70/30": (600000, ["workload=[{read_fraction: 0.7, queue_depth: 16}]", *SETTLED]),
    "writes": (400000, ["workload=[{read_fraction: 0, queue_depth: 32}]", *SETTLED]),
    "zipf": (600000, ["workload=[{read_fraction: 0.5, queue_depth: 16, pattern: zipf}]",
                      *SETTLED]),
    "reads in the buffer": (600000, ["workload=[{read_fraction: 0.7, queue_depth: 16, "
                                     "pattern: zipf}]", *SETTLED, "cache.policy=rw_lru"]),
    "two partitions": (600000, ["workload=[{read_fraction: 0.7, queue_depth: 16}]", *SETTLED,
                                "cpu.cores=3", "cpu.ftl_cores=2"]),
}
MEANS = [f"host.{kind}.{what}" for kind in ("read", "write")
         for what in ("iops", "latency_ns.mean")]
METRICS = [*MEANS, "host.read.latency_ns.p50", "host.write.latency_ns.p50"]
SEEDS = (1, 2, 3, 4, 5, 6)
STUDENT = 2.57  # of 6 runs, for 95 %
MOST = 0.02  # of the mean over the seeds; beside what may be chance
HELD = 0.90  # of the intervals: each holds the truth with 95 %, and all of these with less chance


def value(summary, name):
    """host.read.latency_ns.mean; None where it is absent."""
    _, kind, *rest = name.split(".", 2)
    section = summary["host"].get(kind)
    for key in rest[0].split("."):
        section = section.get(key) if section is not None else None
    return section


def told(load, *more):
    requests, sets = LOADS[load]
    words = [word for one in [*sets, *more] for word in ("--set", one)]
    return summary_of(PROGRAM, ["device/small", *words, "--requests", str(requests),
                                "--no-state-cache"])


def how_far_off(truth, found, known=None):
    """The mean, as a share; and how far off it may be by chance, as may be the truth, which is one
    run: `known` is its own interval."""
    mean = sum(found) / len(found)
    spread = (sum((f - mean) ** 2 for f in found) / (len(found) - 1)) ** 0.5
    own = STUDENT * spread / len(found) ** 0.5 / truth
    of_truth = (known["high"] - known["low"]) / 2 / truth if known else 0.0
    return abs(mean / truth - 1), (own ** 2 + of_truth ** 2) ** 0.5


def agrees(one, other):
    """Both are estimates: how far off each may be counts."""
    half = [(i["high"] - i["low"]) / 2 for i in (one, other)]
    middle = [(i["high"] + i["low"]) / 2 for i in (one, other)]
    return abs(middle[0] - middle[1]) <= (half[0] ** 2 + half[1] ** 2) ** 0.5


def compare():
    """The exact values lie within the intervals, and means are off by 2 % at most."""
    wrong, held, all_of_them = [], 0, 0
    for load in LOADS:
        exact = told(load, "run.seed=101")
        runs = [told(load, "run.sampling.windows=16", "run.sampling.share=0.1", f"run.seed={s}")
                for s in SEEDS]
        for name in METRICS:
            truth = value(exact, name)
            found = [value(r, name) for r in runs]
            if truth is None or None in found:
                continue
            off, error = how_far_off(truth, found, exact["confidence"].get(name))
            known = exact["confidence"].get(name, {"low": truth, "high": truth})
            inside = [agrees(r["confidence"][name], known) for r in runs]
            held += sum(inside)
            all_of_them += len(inside)
            line = (f"{load}, {name}: off by {100 * off:.1f} % (+- {100 * error:.1f} %), "
                    f"{sum(inside)} of {len(inside)} hold it")
            print(line)
            if name in MEANS and off > MOST + error:
                wrong.append(line)
        waf = [s["ftl"].get("write_amplification") for s in (exact, *runs)]
        if waf[0] is not None:
            off, error = how_far_off(waf[0], waf[1:])
            line = f"{load}, write amplification: off by {100 * off:.1f} % (+- {100 * error:.1f} %)"
            print(line)
            if off > MOST + error:
                wrong.append(line)
    print(f"{held} of {all_of_them} intervals hold the truth")
    assert held >= HELD * all_of_them, "too few"
    assert not wrong, "\n".join(wrong)


def results(folder, *more, check=True):
    words = [word for one in (*LOADS["70/30"][1], "run.sampling.windows=8",
                              "run.sampling.share=0.1") for word in ("--set", one)]
    return subprocess.run([PROGRAM, "run", "device/small", *words, "--requests", "40000", "--quiet",
                           "--no-state-cache", "--out", folder, *more], text=True, check=check,
                          capture_output=True)


def same():
    """Byte for byte with one process and with several, but for the time of this machine."""
    texts = []
    for jobs in ("1", "2", "5"):
        with tempfile.TemporaryDirectory() as folder:
            results(folder, "--jobs", jobs)
            summary = json.loads(pathlib.Path(folder, "summary.json").read_text(encoding="utf-8"))
            for key in ("wall_s", "requests_per_wall_s", "peak_rss_bytes"):
                del summary["sim"][key]
            texts.append((json.dumps(summary),
                          pathlib.Path(folder, "latency.csv").read_bytes()))
    assert texts[0] == texts[1] == texts[2]


def told_and_left_out():
    """What is not known of windows is absent, and that it was sampled is said."""
    with tempfile.TemporaryDirectory() as folder:
        text = results(folder).stdout
        summary = json.loads(pathlib.Path(folder, "summary.json").read_text(encoding="utf-8"))
        assert not pathlib.Path(folder, "latency_parts.csv").exists()
        page = pathlib.Path(report.make([folder])).read_text(encoding="utf-8")
        assert "Measured in 8 windows, 10" in page and "of 40,000 requests" in page
    sampling = summary["sampling"]
    assert sampling["windows"] == 8 and sampling["requests"] == 40000
    assert abs(sampling["share"] - 0.1) < 1e-9
    measured = sum(kind["requests"] for kind in summary["host"].values())
    assert measured == 4000 < sampling["simulated"] < 40000, (measured, sampling)
    for name, kind in summary["host"].items():
        for key in kind["latency_ns"]:
            assert key == "stdev" or f"host.{name}.latency_ns.{key}" in summary["confidence"], key
        assert "max" not in kind["latency_ns"] and "min" not in kind["latency_ns"]
    assert "in 8 windows, 10 % of 40,000 requests;" in text, text


def within():
    """It ends with the first windows that are exact enough, which no number of processes moves: the
    less exact, the sooner. Where all windows are not enough it is warned."""
    windows = []
    for share in ("0.1", "0.02", "0.001"):
        told_by = []
        for jobs in ("1", "3"):
            words = [word for one in (*LOADS["reads"][1], "run.sampling.windows=32",
                                      "run.sampling.share=0.1", f"run.sampling.within={share}")
                     for word in ("--set", one)]
            summary = summary_of(PROGRAM, ["device/small", *words, "--requests", "160000",
                                           "--no-state-cache", "--jobs", jobs])
            for key in ("wall_s", "requests_per_wall_s", "peak_rss_bytes"):
                del summary["sim"][key]
            told_by.append(summary)
        assert told_by[0] == told_by[1], share
        sampling = told_by[0]["sampling"]
        windows.append(sampling["windows"])
        assert sampling["requests"] == 160000 // 32 * sampling["windows"], sampling
        measured = sum(kind["requests"] for kind in told_by[0]["host"].values())
        assert measured == 500 * sampling["windows"], sampling
        codes = {w["code"] for w in told_by[0]["validity"]["warnings"]}
        assert ("wide_interval" in codes) == (share == "0.001"), codes
        i = told_by[0]["confidence"]["host.read.iops"]
        width = (i["high"] - i["low"]) / (i["high"] + i["low"])
        assert (width <= float(share)) == (share != "0.001"), (share, i)
    assert windows == [8, 16, 32], windows


def idle():
    """A load of one request in flight leaves idle time, in which the drive collects: a warming that
    knows of none is no such drive, which is noticed; one that does tells the truth."""
    sets = [word for one in ("workload=[{read_fraction: 0.7, queue_depth: 1}]", *SETTLED)
            for word in ("--set", one)]
    load = ["device/small", *sets, "--requests", "600000", "--no-state-cache"]
    windows = ["--set", "run.sampling.windows=16", "--set", "run.sampling.share=0.1"]
    with tempfile.TemporaryDirectory() as folder:
        busy = subprocess.run([PROGRAM, "run", *load, *windows, "--quiet", "--out", folder],
                              text=True, check=False, capture_output=True)
        assert busy.returncode == 1 and "use run.sampling.idle=true" in busy.stderr, busy.stderr
        assert not pathlib.Path(folder, "summary.json").exists()
    exact = summary_of(PROGRAM, load)
    told_of_it = summary_of(PROGRAM, [*load, *windows, "--set", "run.sampling.idle=true"])
    for name in ("host.read.iops", "host.write.iops", "host.read.latency_ns.mean"):
        i = told_of_it["confidence"][name]
        print(name, i, value(exact, name))
        assert i["low"] <= value(exact, name) <= i["high"], name


def refused():
    """By name, with exit code 2 and nothing written."""
    cases = [
        (["--set", "workload.trim_fraction=0.1"], "workload.trim_fraction: trims"),
        (["--set", "run.until=steady"], "run.until: windows lie"),
        (["--set", "ftl.scheme=dftl"], "ftl.scheme: only a map that is in DRAM"),
        (["--power-cut", "at=1ms"], "power: a cut"),
        (["--set", "run.sampling.windows=3"], "use 8 or more"),
        (["--series", "s.csv"], "--series: a run that is sampled does not tell it"),
        (["--requests-log", "l.csv"], "--requests-log: a run that is sampled"),
        (["--worst", "3"], "--worst: a run that is sampled"),
        (["--timeline", "t.pftrace"], "--timeline: a run that is sampled"),
        (["--vcd", "w.vcd"], "--vcd: a run that is sampled"),
        (["--fw-profile", "p"], "--fw-profile: a run that is sampled"),
        (["--output-format", "fio"], "--output-format: a run that is sampled"),
        (["--what-if"], "--what-if: run.sampling.windows: what differs"),
        (["--beside-ideal"], "--beside-ideal: run.sampling.windows: what differs"),
        (["--save-state", "f", "--save-at", "end"], "--save-at: run.sampling.windows: the drive"),
    ]
    for words, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out")
            done = results(out, *words, check=False)
            assert done.returncode == 2 and expected in done.stderr, (words, done.stderr)
            assert not os.path.exists(out), words


def child_of(pid):
    """One of its processes, when it has one."""
    for _ in range(2000):
        try:
            found = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        if found.split():
            return int(found.split()[0])
        time.sleep(0.005)
    return None


def dies():
    """A window whose process dies ends the run: an error says which, and nothing is reported."""
    sets = [word for one in (*LOADS["70/30"][1], "run.sampling.windows=8",
                             "run.sampling.share=0.5") for word in ("--set", one)]
    with tempfile.TemporaryDirectory() as folder:
        with subprocess.Popen([PROGRAM, "run", "device/small", *sets, "--requests", "400000",
                               "--quiet", "--no-state-cache", "--out", folder], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            child = child_of(run.pid)
            assert child is not None
            os.kill(child, signal.SIGKILL)
            text, error = run.communicate(timeout=120)
        assert run.returncode == 1, error
        assert "window " in error and "of 8: its process was ended by signal 9" in error, error
        assert "Throughput" not in text
        assert not pathlib.Path(folder, "summary.json").exists()


if __name__ == "__main__":
    {"compare": compare, "same": same, "told": told_and_left_out, "within": within,
     "refused": refused, "dies": dies, "idle": idle}[sys.argv[2]]()
    print("ok")
