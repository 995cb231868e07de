#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The campaign of random drives itself: fake programs for its judge, a known failing subset for its
reducer, a program that excludes one pair for its generator. Usage: ... ROOT"""
import itertools
import json
import pathlib
import stat
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(ROOT / "scripts/lib"))

from random_drives import drive, page, reducer, summary_checks  # noqa: E402
from random_drives.choice import one_of  # noqa: E402
from random_drives.features import BASE, FEATURES, NEEDS  # noqa: E402
from random_drives.generator import Generator  # noqa: E402
from random_drives.oracle import Oracle  # noqa: E402

GOOD = {"complete": True, "violations": [], "integrity": {"mismatches": 0}, "faults": {"first": []},
        "channels": [{"busy": 1.0}], "host": {"read": {"iops": 7.5}},
        "validity": {"warnings": [{"code": "short", "text": "99 % of it; 300 % more"}]}}
KEYS = {"run.requests": 500, "run.seed": 1, "stream.read_fraction": 0.5}


def with_value(path, value):
    """GOOD with one value changed."""
    made = json.loads(json.dumps(GOOD))
    at = made
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return made


class Judge(unittest.TestCase):
    """`failure` of a drive that a fake program runs."""

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)

    def program(self, *lines):
        file = self.folder / "ssdvp"
        file.write_text("\n".join(("#!/bin/sh", "command=$1",
                                   'while [ $# -gt 0 ]; do',
                                   '  [ "$1" != --out ] || out=$2; shift; done',
                                   '[ -z "$out" ] || mkdir -p "$out"', *lines)), encoding="utf-8")
        file.chmod(stat.S_IRWXU)
        return Oracle(str(file), seconds=1)

    def kind(self, summary, code=0, keys=None):
        text = json.dumps(summary)
        found = self.program(f"printf '%s' '{text}' >$out/summary.json",
                             f"exit {code}").failure(keys or KEYS)
        return found and found.kind

    def test_a_good_run(self):
        self.assertIsNone(self.kind(GOOD))

    def test_what_a_program_says(self):
        panic = self.program("echo 'ssdvp: panic at telemetry.c:107: wrong' >&2; exit 1")
        self.assertEqual(panic.failure(KEYS).kind, "panic")
        self.assertEqual(panic.failure(KEYS).message, "panic at telemetry.c:107: wrong")
        self.assertEqual(self.program("kill -SEGV $$").failure(KEYS).message, "signal 11")
        self.assertEqual(self.program("while :; do :; done").failure(KEYS).kind, "hang")
        self.assertEqual(self.program("exit 2").failure(KEYS).kind, "refused by run")
        self.assertEqual(self.program("exit 0").failure(KEYS).kind, "no summary")

    def test_what_a_summary_says(self):
        for path, value, kind in (
                (["violations"], ["a = 1, b = 2"], "violated identity"),
                (["integrity", "mismatches"], 1, "mismatch"),
                (["faults", "first"], [{"what": "no answer"}], "fault"),
                (["complete"], False, "incomplete"),
                (["channels", 0, "busy"], 1.001, "share above 1"),
                (["validity", "warnings", 0, "text"], "191 % of it", "share above 1"),
                (["host", "read", "iops"], -1, "negative number"),
                (["host", "read", "iops"], 2 ** 64 - 8, "absurd number"),
                (["host", "read", "iops"], float("nan"), "absurd number")):
            self.assertEqual(self.kind(with_value(path, value)), kind, path)
        self.assertEqual(self.kind(GOOD, code=1), "exit code 1")

    def test_a_summary_of_several_drives(self):
        several = {"drives": [{"name": "a", "summary": GOOD},
                              {"name": "b", "summary": with_value(["violations"], ["x"])}]}
        self.assertEqual(summary_checks.faults(several), ["violated identity: x"])

    def test_what_cells_lose_is_no_fault_where_cells_err(self):
        lost = {"what": "read of sectors 8..15 failed with status 0x281 after power came back"}
        summary = with_value(["faults", "first"], [lost])
        summary["integrity"]["mismatches"] = 8
        self.assertEqual(self.kind(summary, code=1), "mismatch")
        errors = {**KEYS, "nand.errors.rber": 0.002}
        self.assertIsNone(self.kind(summary, code=1, keys=errors))
        summary["faults"]["first"].append({"what": "sector 9 has the data of sector 1"})
        self.assertEqual(self.kind(summary, code=1, keys=errors), "fault")

    def test_blocks_that_fail_end_a_drive(self):
        spent = with_value(["faults", "first"],
                           [{"what": "the drive is read-only since power cycle 93"}])
        self.assertEqual(self.kind(spent, code=1), "fault")
        for keys in ({"nand.endurance": 30}, {"nand.errors.rber": 0.0018}):
            self.assertIsNone(self.kind(spent, code=1, keys={**KEYS, **keys}))

    def test_a_good_drive_is_never_read_only(self):
        said = "echo 'ssdvp: warning: ssd.core0: no space left to write: read only; free (1)' >&2"
        full = self.program(f"printf '%s' '{json.dumps(GOOD)}' >$out/summary.json", said)
        self.assertEqual(full.failure(KEYS).kind, "read only")
        self.assertIsNone(full.failure({**KEYS, "nand.errors.program_fail": 0.001}))

    def test_cells_beyond_all_codes_end_a_drive(self):
        dead = self.program("echo 'ssdvp: panic at main.c:1: boot failed' >&2; exit 1")
        self.assertEqual(dead.failure({**KEYS, "nand.errors.rber": 0.001}).kind, "panic")
        self.assertIsNone(dead.failure({**KEYS, "nand.errors.rber": 0.004}))

    def test_a_kept_state(self):
        text = json.dumps(GOOD)
        keys = {**KEYS, "@kept": "preconditioned"}
        same = self.program(f"printf '%s' '{text}' >$out/summary.json")
        self.assertIsNone(same.failure(keys))
        other = self.program(f"case $out in *again) iops=8;; *) iops=7.5;; esac",
                             f"printf '%s' '{text}' | sed s/7.5/$iops/ >$out/summary.json")
        self.assertEqual(other.failure(keys).message,
                         "host.read.iops: 7.5, from the state 8")

    def test_no_state_of_a_run_that_its_cells_ended(self):
        summary = with_value(["faults", "first"],
                             [{"what": "read of sectors 8..15 failed with status 0x281 after "
                                       "power came back"}])
        summary["complete"] = False
        again = "*again) echo 'ssdvp: error: no state' >&2; exit 2"
        early = self.program(f"case $out in {again};; esac",
                             f"printf '%s' '{json.dumps(summary)}' >$out/summary.json", "exit 1")
        keys = {**KEYS, "@kept": "end"}
        self.assertIsNone(early.failure({**keys, "nand.errors.rber": 0.002}))
        self.assertEqual(early.failure(keys).kind, "fault")

    def test_a_check(self):
        self.assertIsNone(self.program("exit 0").refusal(KEYS))
        self.assertEqual(self.program("echo 'ssdvp: error: a: is not b' >&2; exit 2").refusal(KEYS),
                         "a: is not b")
        with self.assertRaises(RuntimeError):
            self.program("kill -SEGV $$").refusal(KEYS)


class Reducer(unittest.TestCase):
    def test_a_known_subset(self):
        keys = {**KEYS, **{f"k{i}": i for i in range(40)}}

        def fails(some):
            return {"k3", "k30"} <= set(some) and some["run.requests"] >= 137

        less = reducer.reduced(keys, fails)
        self.assertEqual(set(less), {"k3", "k30", "run.requests", "run.seed"})
        self.assertLessEqual(137, less["run.requests"])
        self.assertLessEqual(less["run.requests"], 137 * 1.2)

    def test_nothing_is_needed(self):
        self.assertEqual(reducer.fewest(["a", "b", "c"], lambda some: True), [])


class Generated(unittest.TestCase):
    FEW = {"a": {"off": {}, "on": {"a": one_of(1, 2)}}, "b": {"off": {}, "on": {"b": 1}},
           "c": {"off": {}, "x": {"c": "x"}, "y": {"c": "y", "a": 3}}}
    NEEDS = {("c", "x"): ("a", ("on",))}

    def test_each_pair_is_seen_or_excluded(self):
        def check(keys):
            if keys.get("c") == "x" and "a" not in keys:
                return "x without a"
            return "b does not go with x" if keys.get("b") and keys.get("c") == "x" else None

        made = Generator(self.FEW, self.NEEDS, {}, check, 1)
        drives = [made.next() for _ in range(20)]
        self.assertEqual(made.missing(), set())
        self.assertEqual(made.excluded, {
            (("b", "on"), ("c", "x")): "b does not go with x",
            (("a", "off"), ("c", "x")): "x without a",
            (("a", "on"), ("c", "y")): "both set a"})
        seen = set(itertools.chain(*(itertools.combinations(sorted(d.chosen.items()), 2)
                                     for d in drives)))
        self.assertEqual(seen, set(made.all_pairs) - set(made.excluded))
        self.assertEqual(made.covered, len(seen))
        self.assertGreater(made.refused, 0)
        self.assertFalse([d for d in drives if check(d.keys)])

    def test_a_seed_gives_the_same_drives(self):
        def drawn(seed):
            made = Generator(FEATURES, NEEDS, BASE, lambda keys: None, seed)
            return [made.next().keys for _ in range(5)]

        self.assertEqual(drawn(4), drawn(4))
        self.assertNotEqual(drawn(4), drawn(5))


class Commands(unittest.TestCase):
    def test_lists_need_a_file(self):
        keys = {**KEYS, "@drives": "mirror"}
        self.assertIn("raid: [{name: md0, level: 1, drives: [a, b]}]", drive.text(keys))
        self.assertIn("workload: [{drive: md0, read_fraction: 0.5}]", drive.text(keys))
        self.assertIn("<<'END'", drive.command(keys))
        self.assertNotIn("<<'END'", drive.command(KEYS))

    def test_a_reset_is_of_the_interface(self):
        keys = {**KEYS, "@reset": "[1ms, 2ms]", "host.interface": "sata"}
        self.assertIn("host.sata.reset_at: [1ms, 2ms]", drive.text(keys))

    def test_the_page_tells_of_these_features(self):
        kept = (ROOT / page.PATH).read_text(encoding="utf-8")
        self.assertIn(page.table_of_features(FEATURES), kept,
                      "run scripts/fuzz drives --count 5000 --seed 1 --write-page, and commit")


if __name__ == "__main__":
    unittest.main()
