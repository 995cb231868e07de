#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Requests and bytes of fio job files, ours and those of the real fio.

Usage: fio_counts_test.py SSDVP files          tests/system/fio_jobs against fio's recorded counts
       fio_counts_test.py SSDVP record         writes these: fio 3.33 must be installed
       fio_counts_test.py SSDVP examples       fio's own examples, made small, against fio
       fio_counts_test.py SSDVP each FILE...   any files, each by itself and as it is, against fio
"""

import gzip
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from fio_examples import EXAMPLES, examples

SSDVP = sys.argv[1]
FILES = pathlib.Path(__file__).parent / "fio_jobs"
RECORDED = FILES / "counts.json"
KINDS = ("read", "write", "trim")
SIZES = ("size", "filesize", "io_size", "io_limit")
# What makes a small job long, or needs more than counting.
TIMES = {"runtime", "timeout", "time_based", "ramp_time", "startdelay", "thinktime",
         "thinktime_blocks", "rate", "rate_iops", "rate_process", "ss", "ss_dur", "steadystate",
         "steadystate_duration"}
OTHERS = {"ioengine", "direct", "directory", "offset", "offset_increment", "uri", "hipri",
          "cmd_type", "sqthread_poll", "sqthread_poll_cpu", "nonvectored",
          "fixedbufs", "registerfiles", "rbdname", "pool", "clientname", "busy_poll",
          "create_serialize",
          "numa_cpu_nodes", "numa_mem_policy", "io_submit_mode"}


def sections(text):
    """[(name, {option: value})] of a job file, [global] merged in; None: no value."""
    jobs, shared, current = [], {}, {}
    for line in text.splitlines():
        line = re.split("[;#]", line)[0].strip()
        if line.startswith("["):
            name = line.strip("[]").strip()
            current = shared if name == "global" else dict(shared)
            if name != "global":
                jobs.append((name, current))
        elif line:
            key, equals, value = line.partition("=")
            current[key.strip()] = value.strip() if equals else None
    return jobs


def in_bytes(text):
    match = re.fullmatch(r"(\d+)([kmgt]?)(i?)b?", text.lower())
    return match and int(match[1]) * 1024 ** (" kmgt".index(match[2] or " "))


def small(options):
    """An example that ends soon: 1 MiB, no times."""
    kept = {k: v for k, v in options.items() if k not in TIMES | OTHERS}
    for key in SIZES:
        if key in kept and (in_bytes(kept[key]) or 2 << 20) > 1 << 20:
            kept[key] = "1m"
    kept.setdefault("size", "1m")
    for key, most in (("numjobs", 2), ("loops", 2)):
        if key in kept:
            kept[key] = str(min(int(kept[key]), most))
    return kept


def one_file(files):
    """All jobs of the files as one job file: those of each file behind a stonewall, with names and
    files of their own."""
    lines = []
    for name, text, change in files:
        for i, (job, options) in enumerate(sections(text)):
            options = change(options)
            options.pop("name", None)
            lines.append(f"[{name}--{job}]")
            if i == 0:
                options["stonewall"] = None
            for key, value in options.items():
                value = f"{name}--{value}" if key in ("filename", "wait_for") else value
                lines.append(key if value is None else f"{key}={value.replace('/', '_')}"
                             if key == "filename" else f"{key}={value}")
    return "\n".join(lines) + "\n"


def real(d, text):
    """fio.json of the real fio: no files but where data are read back."""
    jobs = []
    for block in re.split(r"(?=^\[)", text, flags=re.M):
        jobs.append(re.sub("^ioengine=.*\n", "", block, flags=re.M))
        if block.startswith("["):
            verifies = re.search("^verify=[^0n]", block, flags=re.M)
            jobs.append(f"ioengine={'psync' if verifies else 'null'}\n")
    (d / "real.fio").write_text("".join(jobs))
    ran = subprocess.run(["fio", "--output-format=json", "real.fio"], cwd=d, capture_output=True,
                         text=True, timeout=600)
    if ran.returncode != 0:
        raise AssertionError(ran.stderr[-2000:] + ran.stdout[-2000:])
    return json.loads(ran.stdout[ran.stdout.index("{"):])


def ours(d, text):
    (d / "job.fio").write_text(text)
    ran = subprocess.run([SSDVP, "run", "experiment/drive-1tb", "--quiet", "--fio", "job.fio",
                          "--set", "precondition.fill=0", "--set", "data=tag",
                          "--output-format", "fio", "--out", "out"],
                         cwd=d, capture_output=True, text=True, timeout=600)
    if ran.returncode != 0:
        raise AssertionError(ran.stderr[-2000:] + ran.stdout[-2000:])
    return json.loads((d / "out/fio.json").read_text())


def counted(document):
    """{job: {kind: [requests, bytes]}}, clones added up."""
    jobs = {}
    for job in document["jobs"]:
        to = jobs.setdefault(job["jobname"], {kind: [0, 0] for kind in KINDS})
        for kind in KINDS:
            to[kind][0] += job[kind]["total_ios"]
            to[kind][1] += job[kind]["io_bytes"]
    return jobs


def differs(options, mine, fios):
    """What of a job is not as in fio; draws may differ by what draws do."""
    draws = any(key in options for key in ("bssplit", "bsrange")) or "," in options.get("bs", "")
    kind = options.get("rw", options.get("readwrite", ""))
    mixed = kind.startswith(("rw", "readwrite", "randrw"))
    total = [sum(mine[k][i] for k in KINDS) for i in (0, 1)]
    wanted = [sum(fios[k][i] for k in KINDS) for i in (0, 1)]
    wrong = []
    if draws:
        longest = 64 << 10
        clones = int(options.get("numjobs", 1)) * int(options.get("loops", 1))
        if abs(total[1] - wanted[1]) > longest * clones:
            wrong.append(f"{total[1]} bytes, fio {wanted[1]}")
        if abs(total[0] - wanted[0]) > 0.05 * wanted[0] + 5 * math.sqrt(wanted[0]):
            wrong.append(f"{total[0]} requests, fio {wanted[0]}")
    elif total != wanted:
        wrong.append(f"{total}, fio {wanted}")
    if mixed:
        margin = 5 * math.sqrt(2 * wanted[0] * 0.25) + 0.05 * wanted[0] * draws
        if abs(mine["read"][0] - fios["read"][0]) > margin:
            wrong.append(f"{mine['read'][0]} reads, fio {fios['read'][0]}")
    elif not draws and mine != fios:
        wrong.append(f"{mine}, fio {fios}")
    return wrong


def compare(files, fios=None):
    """Failures of these (name, text, change) files; without `fios`, the real fio runs them."""
    text = one_file(files)
    options = dict(sections(text))
    with tempfile.TemporaryDirectory() as directory:
        d = pathlib.Path(directory)
        mine = counted(ours(d, text))
        fios = fios or counted(real(d, text))
    wrong = [f"{job}: not recorded" for job in mine.keys() - fios.keys()]
    if wrong:
        return wrong
    for job, found in mine.items():
        wrong += [f"{job}: {what}" for what in differs(options[job], found, fios[job])]
    print(f"{len(files)} files, {len(mine)} jobs, "
          f"{sum(v[0] for job in mine.values() for v in job.values())} requests")
    return wrong


def read(path):
    raw = path.read_bytes()
    return (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()


def main():
    case, paths = sys.argv[2], [pathlib.Path(p) for p in sys.argv[3:]]
    small_files = [(f.stem, f.read_text(), dict) for f in sorted(FILES.glob("*.fio"))]
    wrong = []
    if case == "files":
        wrong = compare(small_files, json.loads(RECORDED.read_text()))
    elif shutil.which("fio") is None:
        print("fio is not installed")
        return 1
    elif case == "record":
        with tempfile.TemporaryDirectory() as directory:
            counts = counted(real(pathlib.Path(directory), one_file(small_files)))
        rows = [f"{json.dumps(job)}: {json.dumps(row)}" for job, row in counts.items()]
        RECORDED.write_text("{\n" + ",\n".join(rows) + "\n}\n")
    elif case == "each":
        for path in paths:
            try:
                wrong += compare([(path.stem, read(path), dict)])
            except AssertionError as error:
                wrong.append(f"{path}: {error}")
    else:
        found = examples()
        names = [name for name in EXAMPLES if name in found]
        wrong = compare([(name, read(found[name]), small) for name in names])
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main())
