#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The closing line of a run of the tests: how many passed, failed and were skipped. ctest counts a
skipped test as passed.

Usage: test_totals.py RESULTS [--allow-skip NAME]...
RESULTS is what ctest --output-junit has written. Exit code 1: tests were skipped that no NAME
allows. What failed is ctest's to tell."""
import argparse
import collections
import pathlib
import re
import shlex
import sys
import xml.etree.ElementTree

Test = collections.namedtuple("Test", "name result why")


def result_of(case):
    """ctest calls a test that it could not start "notrun" too, and counts it as failed."""
    skipped = case.find("skipped")
    why = skipped.get("message", "") if skipped is not None else ""
    if case.get("status") == "disabled" or why.startswith("SKIP_"):
        return "skipped"
    return "passed" if case.get("status") == "run" else "failed"


def tests(path):
    found = []
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        said = [line.strip() for line in case.findtext("system-out", "").splitlines()]
        why = next((line for line in reversed(said) if line), "it does not say why")
        found.append(Test(case.get("name"), result_of(case), why))
    return found


def allowed(name, patterns):
    """In a pattern * stands for anything, all else for itself."""
    return any(re.fullmatch(".*".join(map(re.escape, p.split("*"))), name) for p in patterns)


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--allow-skip", action="append", default=[])
    options = parser.parse_args(argv)
    found = tests(options.results)
    if not found:  # only listed
        return 0
    refused = []
    for test in found:
        if test.result == "skipped":
            fine = allowed(test.name, options.allow_skip)
            print(f"skipped{', as allowed' if fine else ''}: {test.name}: {test.why}")
            refused += [] if fine else [test.name]
    if refused:
        print("A skipped test fails the run. To let it be skipped: scripts/test --allow-skip "
              f"{shlex.quote(refused[0])}")
    counts = collections.Counter(test.result for test in found)
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
