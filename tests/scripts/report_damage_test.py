#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Results that are damaged make a page or are refused in one line, whatever is wrong with them; and
nothing in the package makes markup of text. Usage: report_damage_test.py ROOT SSDVP"""
import ast
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SSDVP = sys.argv.pop(2)
ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "python"))
# pylint: disable=wrong-import-position
from ssdvp.report.__main__ import make  # noqa: E402
from ssdvp.report.folder import read_summary  # noqa: E402
from ssdvp.report.refused import Refused  # noqa: E402
from ssdvp.report.shape import Needed  # noqa: E402
from ssdvp.report.summary_shape import SUMMARY  # noqa: E402

SAMPLE = 60  # of each kind of damage
WRONG = ("x", None, -1, 0, 1e300, 10**400, [], {}, True, [[[]]], {"a": {"b": 1}}, ...)  # ...: gone
CELLS = ("", "x", "0", "-1", "nan", "inf", "1e29", "1e999", '"a\n"', '"', "3", "<b>")
TABLES = ("latency.csv", "latency_parts.csv", "series.csv", "worst.csv", "worst_meanwhile.csv",
          "wear.csv", "fw/functions.csv")
TAG = re.compile(r"</?[a-z][a-z0-9]*[ >]|[a-z]=\"$")


def places(value, path=()):
    """Paths of all values in a summary."""
    if path:
        yield path
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*path, key))


def leaves(shape, value, path=()):
    """Paths of the values of a summary that the report relies on."""
    shape = shape.shape if isinstance(shape, Needed) else shape
    if callable(shape):
        yield path
    elif isinstance(shape, list):
        yield from (leaf for v in value[:1] for leaf in leaves(shape[0], v, (*path, 0)))
    else:
        for key in value:
            if key in shape or ... in shape:
                yield from leaves(shape.get(key, shape.get(...)), value[key], (*path, key))


class Damaged(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        cls.d = pathlib.Path(place.name)
        cls.original, cls.page = cls.d / "original", str(cls.d / "page.html")
        subprocess.run([SSDVP, "run", "device/tiny", "--quiet", "--requests", "100", "--worst", "9",
                        "--out", cls.original, "--series", cls.original / "series.csv",
                        "--wear", cls.original / "wear.csv", "--fw-profile", cls.original / "fw",
                        "--set", "energy.core.active=150mW", "--no-state-cache",
                        "--set", "workload.trim_fraction=0.1", "--set", "workload.flush_every=20"],
                       cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        cls.summary = json.loads((cls.original / "summary.json").read_text())
        (cls.d / "plotly.js").write_text("// none")
        os.environ["SSDVP_PLOTLY"] = str(cls.d / "plotly.js")

    def setUp(self):
        self.run_folder = self.d / "run"
        shutil.rmtree(self.run_folder, ignore_errors=True)
        shutil.copytree(self.original, self.run_folder)

    def told(self, what):
        """Of a page that was made, or a refusal of one line: None, or that line."""
        try:
            make([str(self.run_folder)], self.page)
        except Refused as refused:
            self.assertEqual(len(str(refused).splitlines()), 1, what)
            return str(refused)
        except Exception as error:
            raise AssertionError(f"{what}: {type(error).__name__}: {error}") from error
        return None

    def changed(self, path, wrong):
        """The summary with another value at one place."""
        copy = json.loads(json.dumps(self.summary))
        inside = copy
        for key in path[:-1]:
            inside = inside[key]
        if wrong is ...:
            del inside[path[-1]]
        else:
            inside[path[-1]] = wrong
        (self.run_folder / "summary.json").write_text(json.dumps(copy))

    def test_types(self):
        """A value of another type is told by its place."""
        found = list(leaves(SUMMARY, self.summary))
        self.assertGreater(len(found), 150)
        for path in found:
            self.changed(path, [])
            with self.assertRaises(Refused, msg=path) as told:
                read_summary(str(self.run_folder))
            self.assertIn("/" + "/".join(map(str, path)) + " is ", str(told.exception))

    def test_anything(self):
        self.assertIsNone(self.told("as it is"))
        dice = random.Random(1)
        every = list(places(self.summary))
        for path, wrong in zip(dice.sample(every, SAMPLE), WRONG * SAMPLE):
            self.changed(path, wrong)
            self.told((path, wrong))

    def test_cells(self):
        dice = random.Random(2)
        for name, cell in zip(TABLES * SAMPLE, CELLS * (SAMPLE // len(CELLS))):
            file = self.run_folder / name
            whole = file.read_text()
            lines = [line.split(",") for line in whole.splitlines()]
            line, column = dice.choice((0, 1, -1)), dice.randrange(len(lines[0]))
            what = f"{name}: {lines[0][column]} of line {line} is {cell!r}"
            lines[line][column] = cell
            file.write_text("\n".join(map(",".join, lines)) + "\n")
            self.told(what)
            file.write_text(whole)

    def test_no_rows(self):
        for name in TABLES:
            file = self.run_folder / name
            file.write_text(file.read_text().splitlines()[0] + "\n")
            told = self.told(name)
            self.assertEqual(told is None, name in ("wear.csv", "worst_meanwhile.csv",
                                                    "fw/functions.csv"), told)
            shutil.copyfile(self.original / name, file)

    def test_no_numbers(self):
        text = (self.original / "summary.json").read_text()
        for wrong, says in (("NaN", "has NaN"), ("-Infinity", "has -Infinity"),
                            ("1e999", "/sim/simulated_ns is no number"), ("9" * 5000, "damaged"),
                            ("[" * 99999, "nested too deep")):
            file = self.run_folder / "summary.json"
            file.write_text(re.sub(r'("simulated_ns": ?)[0-9.]+', r"\g<1>" + wrong, text, count=1))
            self.assertIn(says, self.told(wrong) or "")

    def test_no_files(self):
        """A pipe that nobody writes to must not be waited for."""
        for name in ("summary.json", "wear.csv"):
            os.unlink(self.run_folder / name)
            os.mkfifo(self.run_folder / name)
            done = subprocess.run([sys.executable, "-B", "-m", "ssdvp.report", self.run_folder],
                                  env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
                                  capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertRegex(done.stderr, rf"^report: error: .*/{name} is no file; .*\n$")
            os.unlink(self.run_folder / name)
            shutil.copyfile(self.original / name, self.run_folder / name)

    def test_configuration(self):
        """Words in place of numbers, and a stream of a number that no list has."""
        file = self.run_folder / "config.resolved.yaml"
        text = file.read_text()
        file.write_text(re.sub(r"(_fraction|flush_every): .*", r"\1: many", text))
        self.assertIsNone(self.told("words"))
        self.assertIn("many reads", pathlib.Path(self.page).read_text())

    def test_names_with_slashes(self):
        """A part may have any name: the numbers of the page still find it."""
        text = (self.original / "summary.json").read_text()
        (self.run_folder / "summary.json").write_text(text.replace('"link": ', '"a/b~c": ', 4))
        file = self.run_folder / "latency_parts.csv"
        file.write_text(file.read_text().replace("link_ns", "a/b~c_ns"))
        self.assertIsNone(self.told("slashes"))
        value = self.summary["host"]["read"]["parts_ns"]["link"]
        self.assertIn(f'<data class="n" value="{value}" data-key="/host/read/parts_ns/a~1b~0c">',
                      pathlib.Path(self.page).read_text())


class Markup(unittest.TestCase):
    def test_made_in_one_place(self):
        """Markup with a value in it is made by markup.html: no f-string, format, % or + does."""
        found = []
        for file in sorted((ROOT / "python/ssdvp").rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text())):
                if any(map(TAG.search, pieces(node))):
                    found.append(f"{file.relative_to(ROOT)}:{node.lineno}")
        self.assertEqual(found, [])

    def test_finds_it(self):
        for code in ('f"<td>{x}</td>"', '"<b>%s</b>" % x', '"<li>" + x', 'x + "</ul>"',
                     '"<p>{}".format(x)', '"</td><td>".join(x)', 'Html(f\'data-part="{x}"\')',
                     'f"{x}: %{{x}}<extra></extra>"'):
            self.assertTrue(any(any(map(TAG.search, pieces(n))) for n in ast.walk(ast.parse(code))),
                            code)


def pieces(node):
    """Texts that become part of another text here."""
    parts = []
    if isinstance(node, ast.JoinedStr):
        parts = node.values
    elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mod)):
        parts = [node.left, node.right]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and (
            node.func.attr in ("join", "format")):
        parts = [node.func.value]
    return [p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, str)]


unittest.main()
