#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Spaces of configurations: values, conditions, sampling, what is wrong. Usage: space_test.py ROOT
SSDVP"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import warnings

ROOT, SSDVP = (pathlib.Path(sys.argv.pop(1)).resolve() for _ in range(2))
os.environ["SSDVP"] = str(SSDVP)
sys.path.insert(0, str(ROOT / "python"))
# pylint: disable=wrong-import-position
from ssdvp import errors  # noqa: E402
from ssdvp.explore import effects, goal, metrics, sampling, texts, values, worth  # noqa: E402
from ssdvp.explore.expression import Expression  # noqa: E402
from ssdvp.explore.space import GOAL, Point, Space, texts as texts_of  # noqa: E402
from ssdvp.explore.task import Task, in_order, made_ready  # noqa: E402

# 10^8 values, in some letters.
BOMB = "config: device/tiny\na: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
    f"{b}: &{b} [{', '.join([f'*{a}'] * 10)}]\n" for a, b in zip("abcdefg", "bcdefgh"))
BASE = {"config": "device/tiny", "options": {"requests": 100}}


class Values(unittest.TestCase):
    def test_numbers(self):
        for text, number, kind in (("4KiB", 4096, "size"), ("1.5 us", 1500, "time"),
                                   ("8", 8, "number"), (0.07, 0.07, "number"),
                                   ("20 kIOPS", 20e3, "rate"), ("7%", 0.07, "share"),
                                   ("1.8V", 1.8, "voltage")):
            self.assertAlmostEqual(values.number(text), number, msg=text)
            self.assertEqual(values.measures(text), kind)
        for word in ("page_map", "4 parsec", "", True, "all"):
            self.assertIsNone(values.number(word), word)
            self.assertEqual(values.measures(word), "word")

    def test_units_are_those_of_the_program(self):
        schema = subprocess.run([SSDVP, "schema"], check=True, stdout=subprocess.PIPE,
                                text=True).stdout
        told = set()
        for pattern in re.findall(r'"pattern": ("(?:[^"\\]|\\.)*")', schema):
            units = re.search(r" \*\(?([^()]*)\)?\$$", json.loads(pattern))
            told |= set(units[1].split("|"))
        self.assertEqual(told, set(values.UNITS))

    def test_between(self):
        self.assertEqual(values.between(2, 10, 0.5, False), 6)
        self.assertEqual(values.between(1, 64, 0.5, True), 8)
        self.assertEqual(values.between("1MiB", "4MiB", 0.5, True), f"{2 * 2**20}B")
        self.assertEqual(values.between("100us", "1ms", 0.5, False), "0.55ms")
        self.assertEqual(values.between(0.07, 0.28, 1 / 3, False), 0.14)
        for share in (0.0, 1.0):  # the ends are hit
            self.assertEqual(values.number(values.between("3us", "7us", share, True)),
                             (3000, 7000)[int(share)])


class Conditions(unittest.TestCase):
    keys = {"flash.channels": "8", "cache.capacity": "4MiB", "ftl.scheme": "dftl", "on": "true",
            "host.read.latency_ns.p99.9": 1000.0}

    def test_values(self):
        for text, value in (
                ("flash.channels * 2 <= 16 and ftl.scheme != 'page_map'", True),
                ("cache.capacity >= '4096KiB'", True), ("cache.capacity > '4MiB'", False),
                ("ftl.scheme in ['dftl', 'vm_map']", True), ("not on == true", False),
                ("1 < flash.channels < 8", False), ("-flash.channels // 3", -3),
                ("host.read.latency_ns.p99.9 / 2", 500), ("host.read.latency_ns.p99_9 % 7", 6),
                ("2 ** 3 == flash.channels or undefined.key", True)):
            self.assertEqual(Expression(text)(self.keys.__getitem__), value, text)

    def test_names(self):
        self.assertEqual(Expression("a.b + a.b * c").names, ("a.b", "c"))
        self.assertEqual(Expression("h.p99.99 < 1").names, ("h.p99.99",))

    def test_truth(self):
        """true and false are values, as words of a file, texts of the program and Python's own."""
        for on in ("true", True):
            known = {"on": on, "off": "false", "n": "1", "word": "page_map"}.__getitem__
            for text in ("on", "not off", "on and not off", "on == true", "on != off",
                         "off in [false]", "n in [on, 1]", "(n == 1) == on", "on == 'true'"):
                self.assertIs(Expression(text).holds(known), True, text)
        for text in ("n", "word", "not n", "n and on", "n == true", "on + 1", "-on", "on < 2",
                     "on == 'yes'", "n + 1"):
            with self.assertRaisesRegex(ValueError, "neither true nor false", msg=text):
                Expression(text).holds(known)

    def test_endless(self):
        """What is too large for Python is an error like others."""
        for text in ("2.0**10000 > 1", "9**9**9 > 1", "1e200 ** 2 > 1"):
            with self.assertRaisesRegex(ValueError, "has no value here"):
                Expression(text)({}.__getitem__)
        for text in ("(" * 1000 + "1" + ")" * 1000, "-" * 9000 + "1", "not " * 150 + "a",
                     "1+" * 4000 + "1", "1+" * 150 + "1", "1 <" * 9000 + "1", "a." * 4000 + "b"):
            with self.assertRaisesRegex(ValueError, "is no condition") as caught:
                Expression(text)
            self.assertLess(len(str(caught.exception)), 200)

    def test_refused(self):
        for text in ("f(1)", "a[0]", "lambda: 1", "a if b else c", "a <", "x := 3", "{}", "a @ b",
                     "__import__('os').system('x')"):
            with self.assertRaisesRegex(ValueError, "is no condition"):
                Expression(text)
        for text in ("ftl.scheme * 2 < 3", "1 / 0"):
            with self.assertRaisesRegex(ValueError, "has no value here"):
                Expression(text)(self.keys.__getitem__)


class Sampling(unittest.TestCase):
    def test_latin(self):
        drawn = sampling.latin_hypercube(10, 3, 1)
        for axis in range(3):  # each tenth of each axis once
            self.assertEqual(sorted(int(p[axis] * 10) for p in drawn), list(range(10)))
        self.assertEqual(drawn, sampling.latin_hypercube(10, 3, 1))
        self.assertNotEqual(drawn, sampling.latin_hypercube(10, 3, 2))

    def test_uniform(self):
        drawn = sampling.uniform(1000, 2, 1)
        self.assertAlmostEqual(sum(p[0] for p in drawn) / 1000, 0.5, delta=0.05)
        self.assertEqual(drawn, sampling.uniform(1000, 2, 1))


class Points(unittest.TestCase):
    def test_grid(self):
        space = Space({**BASE, "seeds": 2, "keys": {
            "flash.channels": [1, 2], "ftl.scheme": ["page_map", "dftl"],
            "ftl.map_cache": {"values": ["64KiB", "128KiB"], "when": "ftl.scheme == 'dftl'"}}})
        points = space.points()
        # 2 channels x (page_map + dftl with 2 caches) x 2 seeds
        self.assertEqual(len(points), 2 * 3 * 2)
        self.assertEqual(points[0], Point((("flash.channels", "1"), ("ftl.scheme", "page_map")), 1))
        self.assertEqual(points[-1].overrides(), {
            "flash.channels": "2", "ftl.scheme": "dftl", "ftl.map_cache": "128KiB",
            "run.seed": "2"})
        self.assertEqual(space.keys(), {"flash.channels": "number", "ftl.scheme": "word",
                                        "ftl.map_cache": "size"})

    def test_range_and_where(self):
        space = Space({**BASE, "keys": {
            "flash.channels": {"from": 1, "to": 8, "steps": 4, "scale": "log"},
            "flash.luns_per_channel": [1, 2]},
            "where": ["flash.channels * flash.luns_per_channel <= 4"]})
        self.assertEqual([tuple(v for _, v in p.keys) for p in space.points()],
                         [("1", "1"), ("1", "2"), ("2", "1"), ("2", "2"), ("4", "1")])

    def test_random(self):
        given = {**BASE, "sample": "latin_hypercube", "points": 6, "keys": {
            "flash.channels": [1, 2, 4], "ftl.over_provisioning": {"from": 0.2, "to": 0.5}}}
        points = Space(given).points()
        self.assertEqual(sorted(dict(p.keys)["flash.channels"] for p in points), list("112244"))
        self.assertEqual(points, Space(given).points())
        self.assertNotEqual(points, Space({**given, "sample_seed": 2}).points())

    def test_list(self):
        space = Space({**BASE, "seeds": [7], "list": [{"nand.cell": "slc"}, {"flash.channels": 2}]})
        self.assertEqual(space.points(), [Point((("nand.cell", "slc"),), 7),
                                          Point((("flash.channels", "2"),), 7)])

    def test_refused(self):
        for changes, told in (
                ({"keys": {"flash.chanels": [1]}}, "flash.chanels: is not a key"),
                ({"keys": {}}, "needs keys: or list:"), ({"key": {}}, "'key' is unknown here"),
                ({"keys": {"flash.channels": {"from": 4, "to": 2}}}, "is not below"),
                ({"keys": {"flash.channels": {"from": 1, "to": "2KiB"}}}, "is no range"),
                ({"keys": {"flash.channels": {"from": 1}}}, "or from and to"),
                ({"keys": {"flash.channels": []}}, "values: is a list"),
                ({"keys": {"run.seed": [1]}}, "is given by seeds:"),
                ({"keys": {"flash.channels": [1]}, "sample": "sobol"}, "is none of"),
                ({"keys": {"flash.channels": [1]}, "points": 3}, "points: how many"),
                ({"keys": {"flash.channels": [1]}, "seeds": "many"}, "seeds: how many"),
                ({"keys": {"flash.channels": [1]}, "where": ["f()"]}, "is no condition"),
                ({"keys": {"flash.channels": [1]}, "list": [{"nand.cell": "slc"}]}, "two ways")):
            with self.assertRaisesRegex(errors.ConfigError, re.escape(told)):
                Space({**BASE, **changes})
        for changes, told in (
                ({"keys": {"flash.channels": [1, 2]}, "where": ["flash.channels > 2"]},
                 "no point is left: flash.channels > 2"),
                ({"keys": {"flash.channels": {"from": 1, "to": 2}}}, "a range needs steps:"),
                ({"keys": {"flash.channels": [1]}, "where": ["nand.nothing > 2"]}, "nand.nothing")):
            with self.assertRaisesRegex(errors.ConfigError, re.escape(told)):
                Space({**BASE, **changes}).points()

    def test_types(self):
        """A value of another type is told, whatever it is."""
        keys = {"flash.channels": [1]}
        for changes, told in (
                ({"config": 3}, "config: '3' is neither a name nor"), ({"config": [3]}, "neither"),
                ({"where": 3}, "where: is a list"), ({"where": "flash.channels > 1"}, "is a list"),
                ({"sample_seed": "x"}, "sample_seed: is a whole number"),
                ({"set": {"flash.channels": {"a": 1}}}, "is no value of a key"),
                ({"keys": {"flash.channels": [None]}}, "is no value of a key"),
                ({"keys": {"flash.channels": {"from": [1], "to": 2, "steps": 2}}}, "is no range"),
                ({"keys": {"flash.channels": {"from": 1, "to": 2, "steps": True}}}, "steps: is a"),
                ({"keys": {}, "list": [{"flash.channels": {}}]}, "is no value of a key"),
                ({"sample": ["grid"]}, "is none of")):
            with self.assertRaisesRegex(errors.ConfigError, re.escape(told)):
                Space({**BASE, "keys": keys, **changes})
        with self.assertRaisesRegex(errors.ConfigError, "neither true nor false"):
            Space({**BASE, "keys": keys, "where": ["flash.channels"]}).points()

    def test_constant_condition(self):
        """One that is the same at all points selects nothing: a name or a value is wrong."""
        keys = {"wear.dynamic": [True, False], "flash.channels": [1, 2]}
        with self.assertWarnsRegex(UserWarning, r"where\.1 is true at all 2 points"):
            left = Space({**BASE, "keys": keys, "where": ["not wear.dynamic",
                                                          "flash.channels < 9"]}).points()
        self.assertEqual([dict(p.keys)["wear.dynamic"] for p in left], ["false"] * 2)
        with self.assertWarnsRegex(UserWarning, r"flash.channels\.when is false at all 2 points"):
            Space({**BASE, "keys": {"wear.dynamic": [True, False], "flash.channels": {
                "values": [1], "when": "nand.planes == 77"}}}).points()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            Space({**BASE, "keys": keys, "where": ["not wear.dynamic"]}).points()
            Space({**BASE, "keys": {"flash.channels": [1]}, "where": ["flash.channels < 9"]}
                  ).points()

    def test_bounds(self):
        """Nothing is built that does not fit."""
        keys = {"flash.channels": [1, 2]}
        steps = {"flash.channels": {"from": 1, "to": 2, "steps": 10**9}}
        for changes, told in (
                ({"seeds": 100_000_000}, "seeds: more than 100,000 runs"),
                ({"seeds": 10**400}, "seeds: more than 100,000 runs"),
                ({"keys": steps}, "more than 1,000,000 points"),
                ({"sample": "random", "points": 10**9}, "more than 1,000,000 points")):
            with self.assertRaisesRegex(errors.ConfigError, told):
                Space({**BASE, "keys": keys, **changes})
        with self.assertRaisesRegex(errors.ConfigError, "more than 100,000 runs"):
            Space({**BASE, "keys": keys, "seeds": 60_000}).points()

    def test_options(self):
        """Of `ssdvp run`, known before anything runs."""
        keys = {"flash.channels": [1, 2]}
        for name, value, told in (("request", 3, "did you mean 'requests'"),
                                  ("requests", "many", "no whole number"),
                                  ("requests", True, "no whole number"),
                                  ("check_onfi", 1, "neither true nor false"),
                                  ("seed", 2, "given by seeds:"),
                                  ("series", "s.csv", "one file would be written by all"),
                                  ("save_state", "s", "would write the same file")):
            with self.assertRaisesRegex(errors.ConfigError, told):
                Space({**BASE, "options": {name: value}, "keys": keys})
        Space({**BASE, "options": {"requests": 3, "series": True, "duration": "1ms"}, "keys": keys})

    def test_place_in_file(self):
        with tempfile.TemporaryDirectory() as place:
            file = pathlib.Path(place) / "space.yaml"
            for text, line, column, told in (
                    ("config: device/tiny\nkeys:\n  flash.chanels: [1]\n", 3, 3, "is not a key"),
                    ("config: device/tiny\nkeys:\n  flash.channels: {from: 1, to: 1}\n", 3, 3,
                     "not below"),
                    ("config: device/tiny\nkeys: {a: [1], a: [2]}\n", 2, 16, "here twice"),
                    ("config: device/tiny\nsteps: 3\n", 2, 1, "unknown here"),
                    ("config: [\n", 2, 1, "this is no YAML"),
                    ("config: device/tiny\nseeds: 100000000\nkeys: {a: [1]}\n", 2, 1, "more than"),
                    ("config: 2001-02-30\n", 1, 9, "this is no value"), (BOMB, 2, 32, "aliases")):
                file.write_text(text, encoding="utf-8")
                with self.assertRaisesRegex(errors.ConfigError, told) as caught:
                    Space.load(file)
                self.assertEqual(caught.exception.place,
                                 errors.Place(str(file), line, column), text)


class Examples(unittest.TestCase):
    """python/examples: docs/python.md names them."""

    def test_all_can_be_run(self):
        """The first and the last point; other tests run some of them."""
        found = sorted((ROOT / "python/examples").glob("*.yaml"))
        self.assertGreater(len(found), 2)
        for file in found:
            space = Space.load(file)
            if GOAL in space.given:
                points = [Point(texts_of({a.key: a.at(share) for a in space.axes}), 1)
                          for share in (0.0, 0.99)]
            else:
                points = space.points()
            tasks = made_ready(space.config, [points[0], points[-1]], space.options, 2)
            self.assertEqual([t.invalid for t in tasks], ["", ""], file.name)

    def test_one_drive_for_many(self):
        space = Space.load(ROOT / "python/examples/drive-128gb.yaml")
        points = space.points()
        self.assertEqual(len(points), 200)
        tasks = made_ready(space.config, points[::33], space.options, 2)
        self.assertEqual(len({t.state for t in tasks}), 1)
        self.assertEqual(len({t.id for t in tasks}), len(tasks))


class Order(unittest.TestCase):
    def test_seeds_are_asked_for_once(self):
        """And known by the same names as if each had been asked for."""
        space = Space({**BASE, "seeds": 3, "keys": {"flash.channels": [1, 2]}})
        tasks = made_ready(space.config, space.points(), space.options, 2)
        alone = made_ready(space.config, [space.points()[4]], space.options, 2)
        self.assertEqual(alone, [tasks[4]])
        self.assertEqual(len({t.id for t in tasks}), 6)
        self.assertEqual(len({t.state for t in tasks}), 6)  # a drive is made by its seed, too

    def test_one_run_makes_each_drive(self):
        def task(number, state):
            return Task(str(number), Point((), number), (), (), state, "")
        tasks = [task(1, "a"), task(2, "a"), task(3, "b"), task(4, "c"), task(5, "b")]
        # Two workers make a and b, then use them; then c.
        self.assertEqual([t.id for t in in_order(tasks, 2)], ["1", "3", "2", "5", "4"])


class Goals(unittest.TestCase):
    def setUp(self):
        self.space = Space({**BASE, "keys": {"flash.channels": [2, 4]}})
        self.rows = [{"host.read.iops": 100.0, "ftl.waf": 2.0, "note": "x"},
                     {"host.read.iops": 300.0, "ftl.waf": 2.0, "note": "x"}]

    def measure(self, *args):
        return goal.Goal(*args).measure(self.space, Point((("flash.channels", "4"),), 1), self.rows)

    def test_measured(self):
        found = self.measure({"host.read.iops": "maximise", "cost.dollars": "minimise"},
                             ["host.read.iops >= 250", "ftl.waf <= 4", "flash.channels <= 2"],
                             {"dollars": "2.5 * flash.channels + 0.5 * flash.luns_per_channel"})
        self.assertEqual(found.objectives[0], 200.0)  # mean of the seeds
        luns = float(self.space.config["flash.luns_per_channel"])
        self.assertEqual(found.objectives[1], 10.0 + luns / 2)
        self.assertEqual(found.excess, [(250 - 200) / 250, (2 - 4) / 4, (4 - 2) / 2])
        self.assertFalse(found.allowed)

    def test_refused(self):
        for args, told in ((({},), "objectives: an optimisation needs at least one"),
                           (({"a": "lower"},), "neither minimise nor"),
                           (({"a": "minimise"}, ["a == 3"]), "needs <= or >="),
                           (({"a": "minimise"}, ["f(a) <= 3"]), "is no condition")):
            with self.assertRaisesRegex(errors.ConfigError, told):
                goal.Goal(*args)
        with self.assertRaisesRegex(errors.ConfigError, "there is no host.read.jops"):
            self.measure({"host.read.jops": "maximise"})

    def test_names(self):
        """Known before any run, with what is nearest."""
        for name in ("host.read.iops", "host.write.latency_ns.p99.9", "host.streams.0.read.iops",
                     "bottleneck.chain.link", "confidence.host.read.iops.low"):
            metrics.check(name)
        for name, nearest in (("host.reed.iops", "host.read.iops"), ("host.read.jops", "read.iops"),
                              ("host.read.latency_ns.p9", "host.read.latency_ns.p99"),
                              ("ftl.write_amplificaton", "ftl.write_amplification")):
            with self.assertRaisesRegex(errors.ConfigError, f"did you mean .*{nearest}"):
                metrics.check(name)
        with self.assertRaisesRegex(errors.ConfigError, "no channels.0.busy"):
            metrics.check("channels.0.busy")  # the table of a sweep leaves it out
        sought = {"cost.dolars + flash.luns_per_channel": "minimise"}
        with self.assertRaisesRegex(errors.ConfigError, "did you mean cost.dollars"):
            goal.Goal(sought, [], {"dollars": "1"}).check_names(self.space)
        for constraint in ("host.read.iop >= 1", "1 <= flash.channel"):
            with self.assertRaisesRegex(errors.ConfigError, "did you mean"):
                goal.Goal({"host.read.iops": "maximise"}, [constraint]).check_names(self.space)

    def test_contradictions(self):
        for a, b in (("host.read.iops >= 1000", "host.read.iops <= 10"),
                     ("host.read.latency_ns.p99 <= '1us'", "host.read.latency_ns.p99 >= '1ms'")):
            for constraints in ([a, b], [b, a]):
                with self.assertRaisesRegex(errors.ConfigError, "contradict each other"):
                    goal.Goal({"host.read.iops": "maximise"}, constraints)
        goal.Goal({"host.read.iops": "maximise"},  # a range, and two that differ
                  ["host.read.iops >= 10", "host.read.iops <= 1000", "host.write.iops <= 1"])

    def test_dominates(self):
        both = ["minimise", "maximise"]
        self.assertTrue(goal.dominates([1, 5], [2, 5], both))
        self.assertFalse(goal.dominates([1, 4], [2, 5], both))
        self.assertFalse(goal.dominates([1, 5], [1, 5], both))
        self.assertFalse(goal.dominates([95, 100], [100, 50], both, 0.1))  # 5 % is not enough
        self.assertTrue(goal.dominates([90, 100], [100, 50], both, 0.1))


class Effects(unittest.TestCase):
    def setUp(self):
        rows = [{"a": a, "b": b, "seed": seed, "m": 10 * a + (b == "y") + 0.1 * seed}
                for a in (1.0, 2.0) for b in "xy" for seed in (1, 2)]
        self.groups = effects.grouped(rows, ["a", "b"])

    def test_groups(self):
        self.assertEqual(len(self.groups), 4)
        self.assertAlmostEqual(self.groups[0].mean("m"), 10.15)
        # Two values 0.1 apart: t(0.975, 1) = 12.706, s / sqrt(2) = 0.05
        self.assertAlmostEqual(self.groups[0].sample("m").half_width(), 12.706 * 0.05, places=3)

    def test_effects(self):
        means = effects.main(self.groups, "a", "m")
        self.assertEqual([m.value for m in means], [1.0, 2.0])
        self.assertAlmostEqual(means[0].mean, 10.65)
        self.assertAlmostEqual(effects.swing(means), 10)
        self.assertEqual(effects.by_size(self.groups, ["b", "a"], "m"), ["a", "b"])
        xs, ys, cells = effects.surface(self.groups, "a", "b", "m")
        self.assertEqual((xs, ys), ([1.0, 2.0], ["x", "y"]))
        self.assertAlmostEqual(cells[1][0], 11.15)
        self.assertEqual(effects.fifths(self.groups, "m"), [0, 1, 2, 3])

    def test_axes(self):
        scale = effects.Scale([1.0, 3.0, 2.0])
        self.assertEqual([scale.place(v) for v in (1.0, 2.0, 3.0)], [0, 0.5, 1])
        words = effects.Scale(["c", "a", "b"])
        self.assertEqual([words.place(v) for v in "abc"], [0, 0.5, 1])
        self.assertEqual([effects.round_step(v) for v in (10, 47, 0.3, 0)], [2, 10, 0.1, 1])


class Worth(unittest.TestCase):
    """c = 1, 2, 3 with two seeds each."""

    def groups(self, **metrics):
        rows = [{"c": float(c + 1), "seed": seed, **{m.replace("__", "."): of[c][seed]
                                                    for m, of in metrics.items()}}
                for c in range(3) for seed in range(2)]
        return effects.grouped(rows, ["c"])

    def test_best(self):
        groups = self.groups(host__read__iops=((100, 102), (199, 201), (198, 201)),
                             host__read__latency_ns__p99=((50, 51), (10, 11), (90, 91)))
        rate = worth.best(groups, "host.read.iops")
        self.assertEqual(rate.group.key("c"), 2.0)
        self.assertEqual([g.key("c") for g in rate.equals], [3.0])  # 200 and 199.5: chance
        quick = worth.best(groups, "host.read.latency_ns.p99")
        self.assertEqual((quick.group.key("c"), quick.equals), (2.0, []))
        one_seed = [effects.Group({"c": 1.0}, g.rows[:1]) for g in groups]
        self.assertIsNone(worth.best(one_seed, "host.read.iops").equals)
        self.assertIsNone(worth.best(groups, "link.busy_up"))  # neither end is better

    def test_too_few(self):
        """A percentile without an upper end of its interval is at least so large."""
        p99 = "host.read.latency_ns.p99"
        rows = [{p99: 5e6, f"confidence.{p99}.low": 4e6, f"confidence.{p99}.high": high}
                for high in (6e6, None)]
        self.assertEqual(texts.group_text(effects.Group({}, rows[:1]), p99), ("5.00 ms", ""))
        self.assertEqual(texts.group_text(effects.Group({}, rows[1:]), p99), ("≥ 5.00 ms", ""))
        self.assertEqual(texts.group_text(effects.Group({}, rows), p99), ("≥ 5.00 ms", ""))

    def test_cautions(self):
        p99 = "host.read.latency_ns.p99"
        rows = [{"id": str(i), "state": "done", "warnings": w, p99: 1.0,
                 f"confidence.{p99}.low": 1.0}
                for i, w in enumerate(("drifting", "", ""))]
        groups = effects.grouped(rows, ["id"])
        found = worth.cautions(rows, groups, [p99], pathlib.Path("/none"))
        self.assertEqual([f.split(":")[0] for f in found],
                         ["1 of 3 runs, drifting", "3 of 3 configurations, few_samples",
                          "one seed of each configuration"])
        # Of percentiles that are not looked at nothing is said.
        other = worth.cautions(rows, groups, ["host.read.iops"], pathlib.Path("/none"))
        self.assertEqual(other, [found[0], found[2]])
        trials = [{"state": "complete", "warnings": w} for w in ({"drifting": "x"}, {})]
        self.assertEqual(worth.trial_cautions(trials), ["1 of 2 trials, drifting: x"])

    def test_limits(self):
        rows = [{"bottleneck.resource": r} for r in ("luns", "core 0", "luns", None)]
        self.assertEqual(worth.limits(effects.Group({}, rows)), "luns, core 0")

    def test_texts(self):
        for given, measures, told in (("0.216224GHz", "clock", "216.224 MHz"),
                                      ("64KiB", "size", "64 KiB"), ("none", "word", "none"),
                                      (4, "number", "4"), (None, "size", "–")):
            self.assertEqual(texts.given_text(given, measures), told)
        self.assertEqual([texts.change_text(c) for c in (-0.71, 0.4, 11.3, float("inf"))],
                         ["-71 %", "+40 %", "x12.3", "from 0"])


if __name__ == "__main__":
    unittest.main()
