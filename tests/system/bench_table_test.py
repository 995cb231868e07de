#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of scripts/bench from a report worked by hand. Usage: bench_table_test.py ROOT"""

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


def main():
    root = pathlib.Path(sys.argv[1])
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
