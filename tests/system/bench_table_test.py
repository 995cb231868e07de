#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of scripts/bench from a report worked by hand; MQSim and ssdvp side by side, and runs
side by side, with programs that only count. Usage: bench_table_test.py ROOT"""

import json
import pathlib
import subprocess
import sys
import tempfile

REPORT = {"benchmarks": [
    {"name": "kernel/bare_method/iterations:3/manual_time", "run_type": "iteration",
     "real_time": 25.0, "time_unit": "ns"},
    {"name": "platform/read/iterations:1/manual_time", "run_type": "iteration",
     "real_time": 4.0, "time_unit": "s", "requests_per_wall_s": 250000.0,
     "activations_per_request": 13.1339, "peak_rss_bytes": 521.7e6,
     "precondition_pages_per_s": 5.2e6},
]}
FAILED = {"name": "platform/write", "run_type": "iteration", "error_occurred": True,
          "error_message": "the run failed"}


def run(root, folder, report):
    path = pathlib.Path(folder) / "raw.json"
    path.write_text(json.dumps(report), encoding="utf-8")
    out = pathlib.Path(folder) / "out.json"
    done = subprocess.run([sys.executable, root / "scripts/lib/bench_table.py", path, "--out", out],
                          capture_output=True, text=True, check=False)
    return done, json.loads(out.read_text(encoding="utf-8"))


# What stands in for a simulator: as long as its requests are many. Theirs programs pages of 8 KiB,
# one for 8 KiB of the host or as many as said.
STAND_IN = """#!{python}
import json, pathlib, re, sys
words = " ".join(sys.argv[1:])
served, pages_of_write = {served}, {pages}
if "--requests" in words:
    count = int(re.search(r"--requests (\\d+)", words)[1])
    size = int(re.search(r"block_size=(\\d+)B", words)[1])
    reads = float(re.search(r"read_fraction=([\\d.]+)", words)[1])
    written = 0 if reads == 1 else count * size
    kind = "read" if reads == 1 else "write"
    out = pathlib.Path(re.search(r"--out (.*)", words)[1])
    out.mkdir(exist_ok=True)
    (out / "summary.json").write_text(json.dumps({{
        "host": {{kind: {{"requests": count, "bytes": count * size}}}},
        "flash": {{"bytes_programmed": written}}}}))
else:
    load = open(sys.argv[4]).read()
    asked = int(re.search(r"<Total_Requests_To_Generate>(\\d+)<", load)[1])
    sectors = int(re.search(r"<Average_Request_Size>(\\d+)<", load)[1])
    writes = "<Read_Percentage>100<" not in load
    assert "<Ideal_Mapping_Table>true<" in open(sys.argv[2]).read()
    count = min(asked, served)
    pages = int(count * sectors / 16 * pages_of_write) if writes else 0
    kinds = ("", "Interleaved_", "Interleaved_Multiplane_", "Copyback_", "Multiplane_Copyback_")
    programs = " ".join(f'Issued_Flash_{{k}}Program_CMD="{{0 if k else pages}}"' for k in kinds)
    open("load_scenario_1.xml", "w").write(
        f"<a><Host><Host.IO_Flow><Request_Count>{{count}}</Request_Count>"
        f"<Write_Request_Count>{{count if writes else 0}}</Write_Request_Count>"
        f'</Host.IO_Flow></Host><SSDDevice.FTL {{programs}} '
        f'Issued_Flash_Multiplane_Program_CMD="0"/></a>')
sum(range(20 * count))
"""
DEVICE = "".join(f"<{key}>1</{key}>" for key in (
    "Block_No_Per_Plane", "Ideal_Mapping_Table", "Enabled_Preconditioning", "Page_Capacity",
    "Flash_Channel_Count", "Chip_No_Per_Channel", "Die_No_Per_Chip", "Plane_No_Per_Die",
    "Page_No_Per_Block", "Overprovisioning_Ratio"))


def script(root, name, *words):
    return subprocess.run([sys.executable, "-B", root / "scripts/lib" / name, *words],
                          capture_output=True, text=True, check=False)


def beside(root, folder):
    """Each case is a line of two rates and their ratio; what is missing is named."""
    there = folder / "mqsim"
    there.mkdir()
    ours = folder / "ssdvp"
    done = script(root, "bench_beside.py", ours, there)
    assert done.returncode == 1 and "no program MQSim there; build it" in done.stderr, done.stderr

    def stand_in(program, served=10 ** 9, pages=1.0):
        program.write_text(STAND_IN.format(python=sys.executable, served=served, pages=pages))
        program.chmod(0o755)

    stand_in(ours)
    stand_in(there / "MQSim")
    (there / "ssdconfig.xml").write_text(f"<a>{DEVICE}</a>")
    done = script(root, "bench_beside.py", ours, there, "--rounds", "1", "--case", "read-128k",
                  "--case", "write-128k")
    assert done.returncode == 0, done.stderr
    head, *rows, last = done.stdout.splitlines()
    assert head.split()[:5] == ["case", "ssdvp/s", "MQSim/s", "ratio", "wanted"], head
    for row in rows:
        mine, other, ratio = (float(word.replace(",", "")) for word in row.split()[5:8])
        assert mine > 0 and other > 0 and abs(ratio - mine / other) < 0.01 * ratio + 0.01, row
    assert last.endswith("of 2 below what is wanted, 0 not compared"), last
    assert rows[0].endswith("0.00, 0.00") and rows[1].endswith("1.00, 1.00"), rows
    only = ("--rounds", "1", "--case", "write-128k")
    stand_in(there / "MQSim", pages=1.09)
    done = script(root, "bench_beside.py", ours, there, *only)
    assert "1.00, 1.09" in done.stdout and "0 not compared" in done.stdout, done.stdout
    stand_in(there / "MQSim", pages=1.11)
    done = script(root, "bench_beside.py", ours, there, *only)
    assert "no ratio: ssdvp programs 1.00 units for each of the host's, MQSim 1.11" in done.stdout
    stand_in(there / "MQSim", served=256)
    done = script(root, "bench_beside.py", ours, there, *only)
    assert "no ratio: MQSim serves 256 of 40,000 requests" in done.stdout, done.stdout
    assert "0 of 1 below what is wanted, 1 not compared" in done.stdout, done.stdout
    (there / "ssdconfig.xml").write_text("<a/>")
    done = script(root, "bench_beside.py", ours, there)
    assert "ssdconfig.xml: has no Block_No_Per_Plane" in done.stderr, done.stderr


def jobs(root, folder):
    done = script(root, "bench_jobs.py", folder / "ssdvp", "1", "--rounds", "1")
    assert done.returncode == 0 and "1 runs at once, each at" in done.stdout, done.stderr
    done = script(root, "bench_jobs.py", folder / "ssdvp", "9999")
    assert "--jobs 9999: this process may use" in done.stderr, done.stderr


def main():
    root = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        beside(root, pathlib.Path(name))
        jobs(root, pathlib.Path(name))
    with tempfile.TemporaryDirectory() as folder:
        done, report = run(root, folder, REPORT)
        assert done.returncode == 0, done.stderr
        # 1 / 250,000 per s = 4,000 ns; 4,000 ns / 25 ns = 160 activations of an empty method.
        row = done.stdout.splitlines()[3].split()
        assert row == ["platform/read", "250,000", "4,000.0", "160.00", "13.13", "0.52",
                       "5.20"], row
        assert report["sc_method_activation_ns"] == 25.0
        assert report["benchmarks"][1]["sc_method_ratio"] == 160.0
        done, _ = run(root, folder, {"benchmarks": REPORT["benchmarks"] + [FAILED]})
        assert done.returncode == 1 and "platform/write: the run failed" in done.stderr
    return 0


if __name__ == "__main__":
    sys.exit(main())
