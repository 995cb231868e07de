#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What scripts/report computes and refuses. Usage: report_test.py ROOT"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "python"))
# pylint: disable=wrong-import-position
from ssdvp.report import figures, groups, meanwhile, overview, pieces, resolved  # noqa: E402
from ssdvp.report import significance, tail, units  # noqa: E402
from ssdvp.report.folder import Run  # noqa: E402
from ssdvp.report.refused import Refused  # noqa: E402

# 90,000 reads of 1.0 us on the link; 9,500 that wait 1 us for erases, too; 500 that wait 9 us.
PARTS = {"kind": ["read"] * 3, "from_ns": [900.0, 1900.0, 9000.0],
         "to_ns": [1100.0, 2100.0, 11000.0], "count": [90_000.0, 9_500.0, 500.0],
         "link_ns": [90_000_000.0, 9_500_000.0, 500_000.0],
         "wait_erase_ns": [0.0, 9_500_000.0, 4_500_000.0]}
NAMES = ["link", "wait_erase"]
CONFIG = """# Resolved configuration: every key with its value. It can be run again.
flash:
  channels: {channels}
run:
  seed: {seed}
  requests: 100000
name: "tiny"
workload:
  - name: "a"
    pattern: zipf
    range:
      start: 0B
  - name: "b"
    pattern: uniform
"""


def summary(seed=1, iops=500.0):
    percentiles = {p: 10_000.0 for p in ("p50", "p90", "p99", "p99.9", "p99.99")}
    read = {"requests": 100_000, "bytes": 409_600_000, "errors": 0, "iops": iops,
            "bytes_per_s": iops * 4096,
            "latency_ns": {"min": 1000.0, "mean": 1140.0, "max": 10_000.0, **percentiles},
            "parts_ns": {"link": 1000.0, "wait_erase": 140.0}}
    return {"schema": "ssdvp-summary-1", "version": "0.1.0", "complete": True, "config": "tiny",
            "seed": seed, "bottleneck": {"resource": "luns", "text": "the 2 LUNs, busy for 97 %"},
            "sim": {"simulated_ns": 2e9}, "host": {"read": read},
            "ftl": {"write_amplification": 2.0}, "violations": []}


def folder(path, seed=1, channels=1, iops=500.0):
    """A folder of results of 100,000 reads, as small as one can be."""
    path.mkdir(parents=True)
    (path / "summary.json").write_text(json.dumps(summary(seed, iops)))
    (path / "config.resolved.yaml").write_text(CONFIG.format(seed=seed, channels=channels))
    (path / "latency.csv").write_text(
        "kind,from_ns,to_ns,count\nread,900.000,1100.000,90000\nread,1900.000,2100.000,9500\n"
        "read,9000.000,11000.000,500\n")
    lines = ["kind,from_ns,to_ns,count,link_ns,wait_erase_ns"]
    lines += [",".join(str(column[i]) for column in PARTS.values()) for i in range(3)]
    (path / "latency_parts.csv").write_text("\n".join(lines) + "\n")
    return path


class Tail(unittest.TestCase):
    def test_border_bucket(self):
        """Of the bucket across the border, the share of its requests beyond it."""
        all_, tenth, percent, mille = tail.slowest(PARTS, ("read",), NAMES)
        self.assertEqual(all_.requests, 100_000)
        self.assertAlmostEqual(all_.of("wait_erase"), 140 / 1140)
        # Just those that wait for erases.
        self.assertAlmostEqual(tenth.parts["wait_erase"], 14_000_000)
        # 1000 requests: all 500 of the last bucket, 500 of the 9500 before it.
        self.assertEqual(percent.requests, 1000)
        self.assertAlmostEqual(percent.parts["link"], 500_000 + 500_000)
        self.assertAlmostEqual(percent.parts["wait_erase"], 4_500_000 + 500_000)
        self.assertAlmostEqual(percent.mean(), 6000)
        # 100 requests: a fifth of the last bucket.
        self.assertAlmostEqual(mille.parts["wait_erase"], 900_000)
        self.assertAlmostEqual(mille.of("wait_erase"), 0.9)

    def test_enough_requests(self):
        """A share is told of from 100 requests on: 0.1 % of 100,000, and none of 99,999."""
        one_less = dict(PARTS, count=[89_999.0, 9_500.0, 500.0])
        self.assertEqual([g.share for g in tail.slowest(PARTS, ("read",), NAMES)],
                         [1, 0.1, 0.01, 0.001])
        self.assertEqual([g.share for g in tail.slowest(one_less, ("read",), NAMES)],
                         [1, 0.1, 0.01])
        few = dict(PARTS, count=[0.0, 0.0, 1.0])
        self.assertEqual([g.share for g in tail.slowest(few, ("read",), NAMES)], [1])

    def test_kinds_share_a_bucket(self):
        both = {k: v + v[2:] for k, v in PARTS.items()}
        both["kind"] = ["read"] * 3 + ["write"]
        both["count"] = [90_000.0, 9_500.0, 500.0, 1_500.0]
        both["wait_erase_ns"] = [0.0, 9_500_000.0, 4_500_000.0, 1_500_000.0]
        both["link_ns"] = [90_000_000.0, 9_500_000.0, 500_000.0, 15_000_000.0]
        # 1015 of the 2000 requests of the last bucket, whichever kind they are.
        percent = tail.slowest(both, ("read", "write"), NAMES)[2]
        self.assertAlmostEqual(percent.parts["wait_erase"], 6_000_000 * 1015 / 2000)
        self.assertAlmostEqual(percent.parts["link"], 15_500_000 * 1015 / 2000)

    def test_cause(self):
        """What makes the slowest slower than all, not what they do most of the time."""
        part, added = tail.cause(tail.slowest(PARTS, ("read",), NAMES))
        self.assertEqual(part, "wait_erase")
        self.assertAlmostEqual(added, 1.0)  # 9000 - 140 of 10000 - 1140 ns
        mostly_link = dict(PARTS, link_ns=[90_000_000.0, 9_500_000.0, 3_000_000.0],
                           wait_erase_ns=[0.0, 0.0, 2_000_000.0])
        # The slowest: 6000 ns on the link, 4000 for erases; all: 1025 and 20.
        part, added = tail.cause(tail.slowest(mostly_link, ("read",), NAMES))
        self.assertEqual(part, "link")
        self.assertAlmostEqual(added, (6000 - 1025) / (10_000 - 1045))

    def test_distribution(self):
        steps = tail.beyond(PARTS, ("read",))
        self.assertEqual(steps, [(1100.0, 0.1), (2100.0, 0.005), (11000.0, 0.0)])

    def test_distribution_is_thinned(self):
        many = {"kind": ["read"] * 9000, "from_ns": [1000.0 + i for i in range(9000)],
                "to_ns": [1001.0 + i for i in range(9000)], "count": [1.0] * 9000}
        steps = tail.beyond(many, ("read",))
        self.assertLessEqual(len(steps), tail.POINTS)
        self.assertGreater(len(steps), 200)
        self.assertEqual(steps[-1], (10_000.0, 0.0))
        self.assertEqual(steps[0], (1001.0, 8999 / 9000))


class Meanwhile(unittest.TestCase):
    """The slowest read took 10 us: its LUN erased for 6, and read for the map for 1.5."""
    HEAD = ("sequence,where,channel,lun,operation,purpose,action,plane,block,page,begin_ns,end_ns,"
            "overlap_ns\n")
    ROWS = ("7,lun,0,1,erase,gc,collection,1,17,0,900.000,7000.000,6000.000\n"
            "7,lun,0,1,read,map,map,0,3,4,7000.000,8500.000,1500.000\n"
            "7,channel,0,0,DATA OUT,host,command of the host,,,,2000.000,2100.000,100.000\n"
            "8,drive,,,program,host,write-back,,,,,,5000.000\n")

    def run_of(self, path, rows=ROWS):
        folder(path)
        (path / "worst.csv").write_text(
            "sequence,kind,arrival_ns,latency_ns,link_ns,wait_erase_ns,channel,lun,blocked_by,"
            "blocked_ns\n7,read,1000.000,10000.000,1000.000,9000.000,0,1,gc_erase,6000.000\n"
            "8,read,1000.000,8000.000,8000.000,0.000,,,none,0.000\n")
        (path / "worst_meanwhile.csv").write_text(self.HEAD + rows)
        return Run(str(path))

    def test_sentence(self):
        with tempfile.TemporaryDirectory() as name:
            run = self.run_of(pathlib.Path(name) / "a")
            said = meanwhile.sentence(run).replace(units.BLANK, " ")
        # 0.1 % would be 100 requests, which the file does not have.
        self.assertEqual(said, "While the 2 slowest requests waited, their LUN (of those without "
                               "one, the LUNs on average) was busy with erases for collection for "
                               "33 %, programs that write the buffer back for 28 %, reads of the "
                               "map for 8 % of their time.")
        self.assertEqual(meanwhile.shares(run, [0, 1], ("drive",)),
                         [("programs that write the buffer back", 5000 / 18000)])
        self.assertEqual(meanwhile.sentence(run, "read"),
                         meanwhile.sentence(run).replace("requests", "reads"))
        self.assertEqual(meanwhile.sentence(run, "write"), "")

    def test_table(self):
        with tempfile.TemporaryDirectory() as name:
            run = self.run_of(pathlib.Path(name) / "a")
        cell = meanwhile.cell(meanwhile.of_request(run, 7.0), 10_000.0).replace(units.BLANK, " ")
        self.assertEqual(cell, "erases for collection 60 %, block 17 of plane 1")
        self.assertEqual(meanwhile.cell([], 1.0), "–")
        cell = meanwhile.cell(meanwhile.of_request(run, 8.0), 8000.0).replace(units.BLANK, " ")
        self.assertEqual(cell, "all LUNs: programs that write the buffer back 62 %")
        self.assertEqual(meanwhile.told_in_pieces(run), [0, 1])

    def test_of_another_run(self):
        with tempfile.TemporaryDirectory() as name:
            with self.assertRaisesRegex(Refused, "has request 9, worst.csv has not"):
                self.run_of(pathlib.Path(name) / "a", self.ROWS.replace("8,drive", "9,drive"))


class Verdict(unittest.TestCase):
    def told(self, **more):
        with tempfile.TemporaryDirectory() as name:
            path = folder(pathlib.Path(name) / "a")
            (path / "summary.json").write_text(json.dumps({**summary(), **more}))
            return str(overview.warnings(Run(str(path))))

    def test_three_warnings_are_on_top(self):
        found = [{"code": f"c{n}", "text": f"text {n}"} for n in range(5)]
        self.assertNotIn("details", self.told(validity={"warnings": found[:3]}))
        top, more = self.told(validity={"warnings": found}).split("<details>")
        self.assertEqual([f"text {n}" in top for n in range(5)], [True] * 3 + [False] * 2)
        self.assertIn("2 more", more)
        self.assertIn("text 4", more)

    def test_what_is_not_to_be_trusted_is_always_on_top(self):
        wrong = [f"a = {n}" for n in range(4)]
        found = [{"code": "c", "text": "text"}]
        top, more = self.told(violations=wrong, validity={"warnings": found}).split("<details>")
        self.assertTrue(all(w in top for w in wrong))
        self.assertIn("text", more)


class Pieces(unittest.TestCase):
    def test_points(self):
        """Mean by length, minimum, maximum of the pieces that share a point."""
        series = {"begin_ns": [0.0, 10.0, 20.0, 50.0], "end_ns": [10.0, 20.0, 50.0, 60.0]}
        curve = pieces.curve(series, [1.0, 5.0, None, 7.0], points=2)
        self.assertEqual(curve.mean, [3.0, 7.0])
        self.assertEqual((curve.low, curve.high), ([1.0, 7.0], [5.0, 7.0]))
        self.assertEqual((curve.begin, curve.end), ([0.0, 20.0], [20.0, 60.0]))
        curve = pieces.curve(series, [1.0, 5.0, 3.0, 7.0], points=2)
        self.assertEqual(curve.mean, [3.0, (3.0 * 30 + 7.0 * 10) / 40])
        self.assertTrue(curve.bundled())

    def test_limit(self):
        count = 5000
        series = {"begin_ns": [float(i) for i in range(count)],
                  "end_ns": [float(i + 1) for i in range(count)]}
        curve = pieces.curve(series, [float(i % 10) for i in range(count)])
        self.assertLessEqual(len(curve.mean), 2000)
        self.assertEqual((min(curve.low), max(curve.high)), (0.0, 9.0))

    def test_rates(self):
        series = {"begin_ns": [0.0, 5e8], "end_ns": [5e8, 2.5e9], "read_requests": [10.0, 20.0]}
        self.assertEqual(pieces.per_second(series, "read_requests"), [20.0, 10.0])

    def test_bundles(self):
        series = {"begin_ns": [0.0] * 6}
        self.assertEqual(pieces.bundles(series, [1, 0, 1, 2, None, 0], 2), [[0, 1, 2], [3, 4, 5]])


class Significance(unittest.TestCase):
    # Worked examples of Welch's test: Wikipedia, "Welch's t-test", first pair of samples.
    A = (27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4)
    B = (27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 20.5, 24.4)

    def test_welch(self):
        t, freedom, p = significance.welch(significance.Sample(self.A),
                                           significance.Sample(self.B))
        self.assertAlmostEqual(t, -2.46, places=2)
        self.assertAlmostEqual(freedom, 25.0, places=1)
        self.assertAlmostEqual(p, 0.021, places=3)

    def test_quantiles(self):
        """Tables of Student's t: 97.5 % for 1, 4, 9 and 30 degrees of freedom."""
        for freedom, t in ((1, 12.7062), (4, 2.77645), (9, 2.26216), (30, 2.04227)):
            self.assertAlmostEqual(significance.quantile(0.975, freedom), t, places=4)

    def test_interval(self):
        # Mean 2, standard deviation 1, n = 3: 4.30265 / sqrt(3).
        sample = significance.Sample((1.0, 2.0, 3.0))
        self.assertAlmostEqual(sample.half_width(), 4.30265 / 3**0.5, places=4)
        self.assertIsNone(significance.Sample((1.0,)).half_width())

    def test_without_spread(self):
        same, other = significance.Sample((1.0, 1.0)), significance.Sample((2.0, 2.0))
        self.assertEqual(significance.welch(same, other)[2], 0.0)
        self.assertEqual(significance.welch(same, same)[2], 1.0)


class Groups(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        d = pathlib.Path(self.folder.name)
        self.runs = [Run(str(folder(d / f"r{i}", seed, channels, iops))) for i, (
            seed, channels, iops) in enumerate(((1, 1, 500.0), (1, 2, 900.0), (2, 1, 510.0),
                                                (2, 2, 905.0)))]
        self.addCleanup(self.folder.cleanup)

    def test_seeds(self):
        found = groups.grouped(self.runs)
        self.assertEqual([[r.name for r in g.runs] for g in found], [["r0", "r2"], ["r1", "r3"]])
        self.assertEqual([g.label for g in found], ["channels 1", "channels 2"])
        self.assertEqual(groups.differing(found), {"flash.channels": ["1", "2"]})
        low, high = found[0].interval("/host/read/iops")
        self.assertAlmostEqual((high - low) / 2, 12.7062 * 5, places=2)  # stdev 7.07 / sqrt(2) = 5

    def test_differences(self):
        found = groups.grouped(self.runs)
        rows = groups.differences(found)
        metric, (largest,) = rows[0]
        self.assertEqual(metric[0], "/host/read/iops")
        self.assertAlmostEqual(largest.relative, 902.5 / 505 - 1)
        # t = 397.5 / sqrt(25 + 6.25) = 71.1 with 1.47 degrees of freedom.
        self.assertTrue(largest.significant)
        sizes = [abs(d.relative) for _, (d,) in rows]
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        self.assertFalse(dict((m[0], d) for m, d in rows)["/ftl/write_amplification"][0]
                         .significant)

    def test_one_run_does_not_say(self):
        found = groups.grouped(self.runs[:2])
        self.assertIsNone(groups.differences(found)[0][1][0].significant)
        for run, low, high in zip(self.runs, (490, 700), (600, 990)):
            run.summary["confidence"] = {"host.read.iops": {"mean": 1, "low": low, "high": high}}
        self.assertTrue(groups.differences(found)[0][1][0].significant)
        self.runs[1].summary["confidence"]["host.read.iops"]["low"] = 599
        self.assertFalse(groups.differences(found)[0][1][0].significant)


class Words(unittest.TestCase):
    def test_configuration(self):
        flat = resolved.flatten(CONFIG.format(seed=3, channels=8))
        self.assertEqual(flat, {
            "flash.channels": "8", "run.seed": "3", "run.requests": "100000", "name": "tiny",
            "workload[0].name": "a", "workload[0].pattern": "zipf", "workload[0].range.start": "0B",
            "workload[1].name": "b", "workload[1].pattern": "uniform"})

    def test_units(self):
        said = [units.time(v) for v in (0, 999, 1234, 56_000, 1.5e6, 61.25e9)]
        self.assertEqual([s.replace("\u00a0", " ") for s in said],
                         ["0 ns", "999 ns", "1.23 us", "56.0 us", "1.50 ms", "61.2 s"])
        said = [units.share(v) for v in (0, 0.0004, 0.5, 0.9996, 1)]
        self.assertEqual([s.replace("\u00a0", " ") for s in said],
                         ["0 %", "< 0.1 %", "50.0 %", "100 %", "100 %"])

    def test_small_parts_are_joined(self):
        drawn = figures.share_bars("x", "x", "x",
                                   [("all", {"link": 996.0, "ecc": 3.0, "bus": 1.0})])
        self.assertEqual([(t["name"], t["x"]) for t in drawn["data"]],
                         [("link", [99.6]), ("other parts", [0.4])])


class Page(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.d = pathlib.Path(place.name)
        self.run_folder = folder(self.d / "run")

    def report(self, *words, **more):
        return subprocess.run([sys.executable, "-B", "-m", "ssdvp.report", *map(str, words)],
                              env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
                              cwd=self.d, capture_output=True, text=True, check=False, **more)

    def refused(self, *words, says, **more):
        done = self.report(*words, **more)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for text in says:
            self.assertIn(text, done.stderr)
        self.assertEqual([p for p in self.d.rglob("*.tmp")], [])

    def test_same_bytes(self):
        done = self.report("run")
        self.assertEqual((done.returncode, done.stdout), (0, "run/report.html\n"), done.stderr)
        first = (self.run_folder / "report.html").read_bytes()
        self.assertEqual(self.report("run", "--out", "b.html").stdout, "b.html\n")
        self.assertEqual(first, (self.d / "b.html").read_bytes())
        self.assertLess(len(first), 8e6)
        self.assertIn("slowest 0.1 %", first.decode())

    def test_nothing_from_the_network(self):
        self.report("run")
        text = (self.run_folder / "report.html").read_text()
        for word in (' src="', "@import", "url(", 'rel="stylesheet"'):
            self.assertNotIn(word, text)

    def test_comparison_goes_to_the_first(self):
        folder(self.d / "other", channels=2)
        done = self.report("run", "other")
        self.assertEqual((done.returncode, done.stdout), (0, "run/comparison.html\n"), done.stderr)

    def test_arguments(self):
        self.refused(says=["name a folder"])
        self.refused("run", "--out", says=["--out"])
        self.refused("run", "--nonsense", says=["--nonsense"])

    def test_folders(self):
        (self.d / "empty").mkdir()
        folder(self.d / "many" / "a")
        self.refused("gone", says=["gone is no folder", "--out DIR"])
        self.refused("empty", says=["empty/summary.json is missing"])
        self.refused("many", says=["many/a", "several"])

    def test_summaries(self):
        file = self.run_folder / "summary.json"
        whole = file.read_text()
        file.write_text(whole[:200])
        self.refused("run", says=["run/summary.json", "cut off", "run again"])
        file.write_text(whole.replace("ssdvp-summary-1", "ssdvp-summary-9"))
        self.refused("run", says=["ssdvp-summary-9", "ssdvp-summary-1"])
        file.write_text('{"fio version": "fio-3.33"}')
        self.refused("run", says=["run/summary.json"])
        file.write_text(whole.replace("ssdvp-summary-1", "ssdvp-array-1"))
        self.refused("run", says=["array", "folders of its drives"])

    def test_tables(self):
        file = self.run_folder / "latency_parts.csv"
        whole = file.read_text()
        for text, says in ((whole[:-30], "cut off"), (whole.replace("9500.0,", "x,"), "no number"),
                           ("a,b\n1,2\n", "no column kind"), (whole[:-30] + "\n", "cut off"),
                           (whole.replace("9000.0,11000.0,500.0", "9000.0,11000.0,600.0"),
                            "another run")):
            file.write_text(text)
            self.refused("run", says=["run/latency_parts.csv", says])
        file.unlink()
        self.assertEqual(self.report("run").returncode, 0)  # a missing file is a missing section
        (self.run_folder / "series.csv").write_text("begin_ns,end_ns,read_requests\n0,1,999\n")
        self.refused("run", says=["run/series.csv", "999 reads", "another run"])

    def test_outputs(self):
        own = self.d / "notes.html"
        own.write_text("precious")
        self.refused("run", "--out", own, says=["notes.html", "is no report"])
        self.assertEqual(own.read_text(), "precious")
        self.refused("run", "--out", self.d, says=["is a folder"])
        self.refused("run", "--out", self.d / "no/such/x.html", says=["no/such"])
        self.refused("run", "--out", "/dev/full", says=["/dev/full", "No space left"])

    def test_full_disk(self):
        """An earlier report stays when there is no room for the new one."""
        self.report("run")
        before = (self.run_folder / "report.html").read_bytes()
        self.refused("run", says=["report.html cannot be written"], preexec_fn=lambda:
                     resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)))
        self.assertEqual((self.run_folder / "report.html").read_bytes(), before)


unittest.main()
