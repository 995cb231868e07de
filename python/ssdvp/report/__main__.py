# SPDX-License-Identifier: Apache-2.0
"""python3 -m ssdvp.report DIR [DIR...] [--out FILE]: prints the path of the page."""
import os
import sys

from ssdvp.report import drive_parts, output, overview, what_ran
from ssdvp.report.comparison import compared
from ssdvp.report.folder import Run
from ssdvp.report.page import Page
from ssdvp.report.refused import Refused


def arguments(words):
    """(folders, output or None)"""
    folders, out, words = [], None, list(words)
    while words:
        word = words.pop(0)
        if word == "--out" or word.startswith("--out="):
            value = word[6:] if word.startswith("--out=") else (words.pop(0) if words else "")
            if not value:
                raise Refused("--out needs the name of a file")
            out = value
        elif word.startswith("-") and word != "--":
            raise Refused(f"unknown option {word}; see scripts/report --help")
        elif word != "--":
            folders.append(word)
    if not folders:
        raise Refused("name a folder of results; see scripts/report --help")
    return folders, out


def one(run):
    page = Page(f"{run.summary['config']}, seed {run.summary['seed']}")
    overview.verdict(page, run)
    overview.causes(page, run)
    what_ran.tell(page, run)
    overview.throughput(page, run)
    overview.where_time_went(page, run)
    drive_parts.worst_requests(page, run)
    drive_parts.over_time(page, run)
    for section in (drive_parts.flash, drive_parts.wear, drive_parts.cache, drive_parts.cores,
                    drive_parts.energy, drive_parts.link, drive_parts.checks):
        section(page, run)
    return page


def make(folders, out=None):
    """The path of the page of these folders: `out`, or in the first of them."""
    out = out or os.path.join(folders[0], "report.html" if len(folders) == 1
                              else "comparison.html")
    runs = [Run(folder) for folder in folders]
    output.check(out)
    output.write(out, (one(runs[0]) if len(runs) == 1 else compared(runs)).text())
    return out


def main(words):
    print(make(*arguments(words)))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Refused as refused:
        print(f"report: error: {refused}", file=sys.stderr)
        sys.exit(2)
