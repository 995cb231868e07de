# SPDX-License-Identifier: Apache-2.0
"""Runs of device/small whose summaries a test compares."""
import csv
import json
import pathlib
import subprocess
import tempfile


def run(ssdvp, sets, files, series=None):
    """The summary; `series` takes the lines of --series. The data are right, and nothing failed."""
    with tempfile.TemporaryDirectory() as folder:
        given = [part for key, value in sets.items() for part in ("--set", f"{key}={value}")]
        also = [] if series is None else ["--series", str(pathlib.Path(folder, "series.csv"))]
        done = subprocess.run([ssdvp, "run", "device/small", *files, *given, *also, "--quiet",
                               "--no-state-cache", "--out", folder],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        if series is not None:
            with open(pathlib.Path(folder, "series.csv"), encoding="utf-8") as text:
                series += csv.DictReader(text)
        summary = json.loads(pathlib.Path(folder, "summary.json").read_text(encoding="utf-8"))
        assert not summary["violations"] and summary["faults"]["count"] == 0
        assert summary["integrity"]["mismatches"] == 0
        return summary
