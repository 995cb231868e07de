# SPDX-License-Identifier: Apache-2.0
"""Traces of flash buses, replayed against dies and timing rules; doctored ones are refused.

Usage: replay_test.py SSDVP REPLAY SOURCE_FOLDER"""

import pathlib
import subprocess
import sys
import tempfile

from trace_runs import MIXED, check, ps, rows, run, text_of

REPLAY = sys.argv[2]
DRIVE = pathlib.Path(sys.argv[3]) / "configs/device/small.yaml"
SETTINGS = ["--set", "flash.suspend.policy=immediate", "--set", "flash.suspend.programs=true"]


def replay(file, code, message):
    done = subprocess.run([REPLAY, DRIVE, *SETTINGS, "--onfi-trace", file], capture_output=True,
                          text=True, check=False)
    check(done.returncode == code and message in done.stdout + done.stderr,
          f"{message}: {done.returncode} {done.stdout}{done.stderr}")


def ns(time):
    return f"{time // 1000}.{time % 1000:03}"


class Doctor:
    """Changes one line of a trace."""

    def __init__(self, folder):
        self.text = text_of(folder / "o.csv").splitlines()
        self.columns = self.text[0].split(",")
        self.lines = rows(folder / "o.csv")
        self.file = folder / "doctored.csv"

    def find(self, wanted, start=0):
        return next(i for i in range(start, len(self.lines))
                    if all(self.lines[i][key] == value for key, value in wanted.items()))

    def at_once(self):
        """A group that begins where the one before it on the bus ends."""
        ends = {}
        for i, line in enumerate(self.lines):
            if line["event"] == "cycles":
                if ends.get(line["channel"]) == line["time_ns"]:
                    return i
                ends[line["channel"]] = line["end_ns"]
        raise LookupError("no group follows another at once")

    def check(self, number, change, message):
        """The line at `number` with other values, in its place by time; None: it is not there."""
        lines = list(self.lines)
        del lines[number]
        if change is not None:
            line = {**self.lines[number], **change}
            lines.insert(number, line)
            lines.sort(key=lambda one: ps(one["time_ns"]))
        text = [",".join(line[column] for column in self.columns) for line in lines]
        self.file.write_text("\n".join([self.text[0], *text]) + "\n", encoding="ascii")
        replay(self.file, 1, message)


def earlier(line):
    """By a picosecond."""
    return {key: ns(ps(line[key]) - 1) for key in ["time_ns", "end_ns", "data_ns"] if line[key]}


def doctored(folder):
    d = Doctor(folder)
    first = d.find({"name": "READ 00h"})
    low, high = (d.find({"event": e}, first) for e in ["rb_low", "rb_high"])
    out = d.find({"name": "DATA OUT"}, high)
    program = d.find({"first": "80h", "second": "10h"})
    d.check(out, earlier(d.lines[out]), "illegal command sequence")  # R/B# is low
    behind = d.at_once()
    d.check(behind, earlier(d.lines[behind]), "overlap of lun")
    d.check(first, {"second": "10h"}, "illegal command sequence")
    d.check(first, None, "R/B# falls here, and not in the die")
    d.check(low, None, "R/B# falls of LUN 0 at")
    d.check(high, None, "R/B# is not what the edges before say")
    d.check(low, {"time_ns": ns(ps(d.lines[low]["time_ns"]) + 1)}, "is missing")
    d.check(low, {"event": "rb_high", "rb": "1"}, "in the die, R/B# falls")
    d.check(out, {"bytes": "4639"}, "ends at")
    d.check(program, {"page": "1"}, "program out of page order")
    d.check(out, {"rb": "0"}, "R/B# is not what the edges before say")
    d.check(out, {"taken": "0"}, "the die takes it")
    d.check(out, {"event": "cycle"}, "is no event")
    d.check(out, {"lun": "7"}, "no such LUN")


def main(folder):
    run(folder, *MIXED, *SETTINGS, "--onfi-trace", folder / "o.csv")
    cycles = [line for line in rows(folder / "o.csv") if line["event"] == "cycles"]
    check(any(line["first"] == "61h" for line in cycles), "reads suspend programs or erases")
    replay(folder / "o.csv", 0, f"{len(cycles)} cycle groups")
    doctored(folder)


with tempfile.TemporaryDirectory(prefix="ssdvp replay ") as name:
    main(pathlib.Path(name))
