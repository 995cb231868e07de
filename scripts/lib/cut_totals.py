#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Totals of the power-cut campaigns that a run of the tests has made.

Usage: cut_totals.py LOG [LEAST]

LOG is ctest's record of the tests with their output, Testing/Temporary/LastTest.log. Exit code 1:
sectors were lost, or fewer than LEAST cuts were made at random."""
import collections
import pathlib
import re
import sys

HEAD = re.compile(r"^(\w+), \w+, (\w+), seed \d+$")
COUNT = re.compile(r"^  (cuts|lost sectors) +(\d+)$")


def main() -> int:
    totals = collections.defaultdict(collections.Counter)
    of = None
    for line in pathlib.Path(sys.argv[1]).read_text(errors="replace").splitlines():
        head, count = HEAD.match(line), COUNT.match(line)
        of = head.groups() if head else of
        if count and of:
            totals[of][count[1]] += int(count[2])
    for (scheme, mode), counts in sorted(totals.items()):
        print(f"  {scheme:13} {mode:10} {counts['cuts']:7,} cuts, "
              f"{counts['lost sectors']} lost sectors")
    if totals:
        random = sum(c["cuts"] for (_, mode), c in totals.items() if mode == "random")
        lost = sum(c["lost sectors"] for c in totals.values())
        print(f"power cuts at random: {random:,}, lost sectors in all: {lost}")
    else:
        random, lost = 0, 0
    least = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    if random < least:
        print(f"too few: {least:,} are promised", file=sys.stderr)
    return 1 if lost or random < least else 0


if __name__ == "__main__":
    sys.exit(main())
