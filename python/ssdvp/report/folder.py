# SPDX-License-Identifier: Apache-2.0
"""A folder of results: what is in it, and whether its files belong together."""
import functools
import os

from ssdvp.report import resolved, shape
from ssdvp.report.csv_file import Kind, open_text, read_columns, with_rows
from ssdvp.report.refused import Refused
from ssdvp.report.summary_shape import SUMMARY

SCHEMA = "ssdvp-summary-1"
PLURALS = {"read": "reads", "write": "writes", "trim": "trims", "flush": "flushes"}
KINDS = tuple(PLURALS)
HIST = Kind(full=("kind", "from_ns", "to_ns", "count"), words=("kind",), above_0=("to_ns",))
SERIES = Kind(full=("begin_ns", "end_ns"))
WORST = Kind(full=("sequence", "kind", "arrival_ns", "latency_ns"),
             partly=("channel", "lun", "blocked_by", "blocked_ns"),
             words=("kind", "status", "blocked_by"), above_0=("latency_ns",))
MEANWHILE = Kind(full=("sequence", "where", "operation", "overlap_ns"),
                 partly=("action", "channel", "lun", "plane", "block", "page", "begin_ns",
                         "end_ns"),
                 words=("where", "operation", "purpose", "action"))
WEAR = Kind(full=("channel", "lun", "plane", "block", "erases"))


class Run:
    """What a run has written. Files that it did not write are None."""

    def __init__(self, path):
        self.path = path
        self.name = os.path.basename(os.path.abspath(path))
        self.summary = read_summary(path)
        self.config = read_config(path)
        self.latency = self.of_kinds("latency.csv")
        self.parts = self.of_kinds("latency_parts.csv", self.part_names())
        self.series = self.named("series", SERIES)
        self.worst = read_columns(self.file("worst.csv"), WORST)
        self.meanwhile = read_columns(self.file("worst_meanwhile.csv"),
                                      MEANWHILE) if self.worst else None
        self.wear = self.named("wear", WEAR)
        self.profile = find_profile(path)
        self.check_series()
        self.check_worst()
        self.check_meanwhile()
        self.series, self.wear = with_rows(self.series), with_rows(self.wear)

    def file(self, name):
        return os.path.join(self.path, name)

    def named(self, name, kind):
        """A file that an option names: NAME.csv in the folder, or, of one of several drives, beside
        the folder with the drive's name."""
        of_drive = os.path.join(os.path.dirname(os.path.abspath(self.path)),
                                f"{name}.{self.name}.csv")
        inside = self.file(f"{name}.csv")
        return read_columns(of_drive if not os.path.lexists(inside) and os.path.lexists(of_drive)
                            else inside, kind)

    def kinds(self):
        return [k for k in KINDS if self.summary["host"].get(k, {}).get("requests")]

    def part_names(self):
        """In the order in which a request goes through them."""
        for kind in self.kinds():
            return list(self.summary["host"][kind]["parts_ns"])
        return []

    def of_kinds(self, name, parts=()):
        """A table with a row per kind and bucket, whose counts are those of the summary."""
        sums = [f"{part}_ns" for part in parts]
        columns = read_columns(self.file(name), HIST._replace(full=[*HIST.full, *sums]))
        if columns is None:
            return None
        for kind in self.kinds():
            counted = sum(c for k, c in zip(columns["kind"], columns["count"]) if k == kind)
            told = self.summary["host"][kind]["requests"]
            if counted != told:
                self.of_another_run(name, f"{counted:.0f} {PLURALS[kind]}", f"{told}")
        return columns

    def check_series(self):
        for kind in self.kinds() if self.series else ():
            counted = sum(v or 0 for v in self.series.get(f"{kind}_requests", ()))
            told = self.summary["host"][kind]["requests"]
            if counted != told:
                self.of_another_run("series.csv", f"{counted:.0f} {PLURALS[kind]}", f"{told}")

    def check_worst(self):
        if not self.worst or not self.worst["latency_ns"]:
            return
        slowest = max(v or 0 for v in self.worst["latency_ns"])
        told = max((self.summary["host"][k]["latency_ns"].get("max", 0) for k in self.kinds()),
                   default=0)
        if abs(slowest - told) > 0.0011:  # both are rounded to picoseconds
            self.of_another_run("worst.csv", f"a slowest request of {slowest} ns", f"{told} ns")

    @functools.cached_property
    def meanwhile_lines(self):
        """{sequence: the lines of worst_meanwhile.csv that are of this request}"""
        found = {}
        for i, sequence in enumerate(self.meanwhile["sequence"] if self.meanwhile else ()):
            found.setdefault(sequence, []).append(i)
        return found

    def check_meanwhile(self):
        strange = set(self.meanwhile_lines) - set(self.worst["sequence"] if self.worst else ())
        if strange:
            raise Refused(f"{self.file('worst_meanwhile.csv')} has request {min(strange):.0f}, "
                          "worst.csv has not: it is of another run; remove it, or run again")

    def of_another_run(self, name, file_has, summary_has):
        raise Refused(f"{self.file(name)} has {file_has}, summary.json {summary_has}: it is of "
                      "another run, or cut off; remove it, or run again")


def read_summary(path):
    file = os.path.join(path, "summary.json")
    if not os.path.isdir(path):
        raise Refused(f"{path} is no folder; name one that `ssdvp run --out DIR` has written")
    if not os.path.lexists(file):
        drives = sorted(e.name for e in os.scandir(path)
                        if os.path.isfile(os.path.join(e.path, "summary.json")))
        if drives:
            raise Refused(f"{path} has several results; name them: "
                          + " ".join(os.path.join(path, d) for d in drives))
        raise Refused(f"{file} is missing: this is no folder of results, or its run was stopped; "
                      "name a folder that `ssdvp run --out DIR` has written")
    try:
        summary = shape.parsed(open_text(file))
    except shape.Damaged as error:
        raise Refused(f"{file} is cut off or damaged: {error}; run again") from error
    schema = summary.get("schema") if isinstance(summary, dict) else None
    if schema == "ssdvp-array-1":
        raise Refused(f"{file} is of an array of drives; name the folders of its drives")
    if schema != SCHEMA:
        raise Refused(f"{file} has the schema {schema}, this program reads {SCHEMA}; use the "
                      "scripts/report of the version that ran it, or run again")
    try:
        shape.check(summary, SUMMARY)
    except shape.Damaged as error:
        raise Refused(f"{file} is damaged: {error}; run again") from error
    return summary


def read_config(path):
    file = os.path.join(path, "config.resolved.yaml")
    return resolved.flatten(open_text(file)) if os.path.isfile(file) else {}


def find_profile(path):
    """The folder of --fw-profile, if it lies in the folder of results."""
    inside = sorted(e.path for e in os.scandir(path) if e.is_dir())
    for folder in [path] + inside:
        if os.path.isfile(os.path.join(folder, "instructions.folded")):
            return folder
    return None
