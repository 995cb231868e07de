#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The package: runs, results, frames, errors. Usage: run_test.py ROOT SSDVP"""
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import threading
import time
import unittest

ROOT, SSDVP = (pathlib.Path(sys.argv.pop(1)).resolve() for _ in range(2))
os.environ["SSDVP"] = str(SSDVP)
sys.path.insert(0, str(ROOT / "python"))
# pylint: disable=wrong-import-position
import ssdvp  # noqa: E402
from ssdvp import process, quantity, running  # noqa: E402

FOREVER = 10**9  # requests


class InFolder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        cls.d = pathlib.Path(place.name)
        cls.enterClassContext(_inside(cls.d))


class _inside:  # contextlib.chdir
    def __init__(self, folder):
        self.folder, self.before = folder, None

    def __enter__(self):
        self.before = os.getcwd()
        os.chdir(self.folder)

    def __exit__(self, *_):
        os.chdir(self.before)


class Results(InFolder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.result = ssdvp.run("device/tiny", requests=500, seed=3, series=True, wear=True,
                               worst=7, requests_log=True, set={"flash.channels": 2})
        cls.json = json.loads((cls.result.path / "summary.json").read_text(encoding="utf-8"))

    def test_folder(self):
        """A new one each time, as the command line names it."""
        self.assertRegex(str(self.result.path), r"^out/tiny-\d{8}-\d{6}$")
        again = ssdvp.run("device/tiny", requests=10)
        self.assertNotEqual(again.path, self.result.path)
        self.assertEqual(again.host.read.requests + again.host.write.requests, 10)

    def test_summary(self):
        r = self.result
        self.assertEqual((r.seed, r.config["flash.channels"], r.complete), (3, "2", True))
        p99 = r.host.read.latency_ns["p99"]
        self.assertEqual(p99, self.json["host"]["read"]["latency_ns"]["p99"])
        self.assertEqual((p99.unit, repr(p99)), ("ns", f"{float(p99)!r} ns"))
        self.assertEqual(r.host.read.latency_ns.p99_9, r["host.read.latency_ns.p99.9"])
        self.assertEqual(r.channels[0].luns[0].busy, self.json["channels"][0]["luns"][0]["busy"])
        self.assertEqual(r.summary.at("host.trim"), None)
        self.assertEqual(r.summary.flat()["host.read.requests"], r.host.read.requests)
        self.assertIn("p99_9", dir(r.host.read.latency_ns))
        self.assertEqual(pickle.loads(pickle.dumps(p99)).unit, "ns")
        with self.assertRaisesRegex(AttributeError, "host.read has no iop; it has requests"):
            _ = r.host.read.iop
        with self.assertRaisesRegex(KeyError, "has no host.trim.iops"):
            _ = r["host.trim.iops"]

    def test_frames(self):
        r = self.result
        done = r.host.read.requests + r.host.write.requests
        for library in ("pandas", "polars"):
            self.assertEqual(r.frame("latencies", library)["count"].sum(), done)
            self.assertEqual(r.frame("worst", library).shape[0], 7)
            self.assertEqual(r.frame("requests", library).shape[0], 500)
        self.assertEqual(r.series["read_requests"].sum(), r.host.read.requests)
        self.assertEqual(r.worst["latency_ns"].max(),
                         max(r.host.read.latency_ns.max, r.host.write.latency_ns.max))
        self.assertEqual(set(r.wear["channel"]), {0, 1})
        self.assertEqual(len(r.latency_parts), len(r.frame("latency_parts", "polars")))
        with self.assertRaisesRegex(ValueError, "there are latencies"):
            r.frame("latency")

    def test_parquet(self):
        """Two readers find what the CSV file has."""
        other = ssdvp.run("device/tiny", requests=500, seed=3, series="p/series.parquet",
                          out="p", set={"flash.channels": 2})
        csv = self.result.series
        for library in ("pandas", "polars"):
            found = other.frame("series", library)
            self.assertEqual(list(found.columns), list(csv.columns))
            for name in csv.columns:
                told = [None if v != v else v for v in csv[name]]
                self.assertEqual([None if v is None or v != v else v for v in found[name]], told)

    def test_load(self):
        loaded = ssdvp.Result.load(self.result.path)
        self.assertEqual(loaded.host.read.iops, self.result.host.read.iops)
        other = self.d / "other"
        other.mkdir()
        with self.assertRaisesRegex(ssdvp.ResultError, "summary.json is missing"):
            ssdvp.Result.load(other)
        (other / "summary.json").write_text('{"schema": "ssdvp-summary-0"}', encoding="utf-8")
        with self.assertRaisesRegex(ssdvp.ResultError, "has the schema ssdvp-summary-0"):
            ssdvp.Result.load(other)
        plain = ssdvp.run("device/tiny", requests=10, out="plain")
        with self.assertRaisesRegex(ssdvp.ResultError, "plain has no wear.csv; run it with --wear"):
            _ = plain.wear

    def test_looks(self):
        r = self.result
        self.assertRegex(str(r), r"^tiny, seed 3: reads .* k/s, p99 .* us; writes ")
        html = r._repr_html_()
        self.assertIn(str(r.host.read.latency_ns.p99), html)
        self.assertIn(f"{r.host.read.requests:,}", html)
        self.assertIn("p99.9", r.host.read.latency_ns._repr_html_())
        self.assertTrue(str(r.to_report()).endswith("report.html"))
        self.assertIn("<html", (r.path / "report.html").read_text(encoding="utf-8"))


class Quantities(unittest.TestCase):
    def test_units(self):
        for path, value, text in (("host.read.latency_ns.p99", 1500.0, "1.50 us"),
                                  ("host.read.bytes_per_s", 2.5e9, "2.50 GB/s"),
                                  ("sim.peak_rss_bytes", 2**20, "1.00 MiB"),
                                  ("host.read.iops", 12345.0, "12.3 k"),
                                  ("link.busy_up", 0.5, "50.0 %"),
                                  ("energy_j.mean_w", 0.25, "250 mW")):
            found = quantity.of(path.split("."), value)
            self.assertEqual(str(found), text, path)
            self.assertEqual(found, value)
            self.assertIs(type(found + 0), float)
        self.assertEqual(f"{quantity.of(['a_ns'], 1500.0):.1f}", "1500.0")
        self.assertIs(type(quantity.of(["ftl", "write_amplification"], 2.0)), float)


class Configurations(InFolder):
    def test_config(self):
        one = ssdvp.Config("device/tiny")
        two = one.override({"flash.channels": 4}, cache__capacity="1MiB")
        self.assertEqual(two["flash.channels"], "4")
        self.assertEqual(two.origin("flash.channels"), "--set flash.channels=4")
        diff = one.diff(two)
        self.assertEqual(diff["flash.channels"], (one["flash.channels"], "4"))
        self.assertEqual(set(diff), {"flash.channels", "cache.capacity"})
        self.assertEqual(one.diff(one), {})
        self.assertIn("flash.channels", two._repr_html_())
        with self.assertRaisesRegex(KeyError, "is not a key of this configuration"):
            _ = one["flash.chanels"]

    def test_refused(self):
        bad = self.d / "bad.yaml"
        bad.write_text("extends: device/tiny\nflash:\n  chanels: 4\n", encoding="utf-8")
        for call in (lambda: ssdvp.Config.load(bad), lambda: ssdvp.check(bad),
                     lambda: ssdvp.run(bad)):
            with self.assertRaisesRegex(ssdvp.ConfigError, "did you mean 'flash.channels'") as e:
                call()
            self.assertEqual(e.exception.place, ssdvp.Place(str(bad), 3, 3))
        with self.assertRaises(ssdvp.ConfigError) as e:
            ssdvp.run("device/tiny", set={"flash.channels": "many"}, out="nothing")
        self.assertEqual(e.exception.key, "flash.channels")
        self.assertFalse((self.d / "nothing").exists())
        self.assertFalse(any((self.d / "out").glob("bad-*")))  # no empty folder is left
        with self.assertRaisesRegex(ssdvp.ConfigError, "no/such.trace"):
            ssdvp.check("device/tiny", trace="no/such.trace")


class Ends(InFolder):
    def test_time_out(self):
        with self.assertRaisesRegex(ssdvp.TimedOut, "stopped after 0.5 s") as e:
            ssdvp.run("device/tiny", requests=FOREVER, timeout=0.5)
        self.assertFalse(e.exception.result.complete)
        self.assertGreater(e.exception.result.host.read.requests, 0)

    def test_cancel(self):
        stop = threading.Event()
        threading.Timer(0.5, stop.set).start()
        with self.assertRaises(ssdvp.Cancelled) as e:
            ssdvp.run("device/tiny", requests=FOREVER, cancel=stop)
        self.assertNotIsInstance(e.exception, ssdvp.TimedOut)
        self.assertFalse(e.exception.result.complete)

    def test_failed(self):
        full = self.d / "full.csv"
        full.symlink_to("/dev/full")
        with self.assertRaisesRegex(ssdvp.RunFailed, "full") as e:
            ssdvp.run("device/tiny", requests=10, requests_log=full)
        self.assertTrue(e.exception.result.complete)

    def test_no_program(self):
        before = os.environ["SSDVP"]
        self.addCleanup(os.environ.__setitem__, "SSDVP", before)
        os.environ["SSDVP"] = "/no/such/ssdvp"
        with self.assertRaisesRegex(ssdvp.ProgramError, r"\$SSDVP names /no/such/ssdvp"):
            ssdvp.run("device/tiny")

    def test_dies_with_who_waits(self):
        """kill -9 of a worker leaves no simulation behind."""
        code = ("import sys; sys.path.insert(0, sys.argv[1]); from ssdvp import process; "
                f"process.execute(['run', 'device/tiny', '--requests', '{FOREVER}', '--out', "
                "'orphan', '--quiet'], die_with_us=True)")
        worker = subprocess.Popen([sys.executable, "-c", code, str(ROOT / "python")])
        children = pathlib.Path(f"/proc/{worker.pid}/task/{worker.pid}/children")
        child = _soon(lambda: children.read_text().split())[0]
        _soon(lambda: "ssdvp" in pathlib.Path(f"/proc/{child}/comm").read_text())
        worker.kill()
        worker.wait()
        _soon(lambda: not pathlib.Path(f"/proc/{child}/exe").exists())


def _soon(condition, seconds=30):
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError("it did not happen")


class Progress(unittest.TestCase):
    def test_lines(self):
        found = process.read_progress("running:  34 %  1,000 requests, 3 ms simulated, 5 s left\n")
        self.assertEqual(found, process.Progress("running", 0.34,
                                                 "1,000 requests, 3 ms simulated, 5 s left"))
        found = process.read_progress("filling: 1,000 requests")
        self.assertEqual(found, process.Progress("filling", 0.0, "1,000 requests"))
        self.assertIsNone(process.read_progress("ssdvp: warning: 3 % of nothing"))

    def test_told(self):
        """The program says something every five seconds."""
        told = []
        with tempfile.TemporaryDirectory() as place, self.assertRaises(ssdvp.TimedOut):
            ssdvp.run("device/tiny", requests=FOREVER, timeout=6, progress=told.append,
                      out=pathlib.Path(place) / "r")
        self.assertEqual(told[0].phase, "running")


class Names(unittest.TestCase):
    def test_options_are_those_of_the_program(self):
        """No option of `ssdvp run` is missing, none is made up."""
        told = subprocess.run([SSDVP, "run", "--help"], check=True, capture_output=True, text=True)
        names = {w.split()[0].split("{")[0].split(",")[-1].split(":")[0]
                 for w in told.stdout.splitlines() if w.startswith("  -")}
        names = {n[2:].replace("-", "_") for n in names if n.startswith("--")}
        given_otherwise = {"help", "set", "out", "quiet"}
        self.assertEqual(names - given_otherwise, set(running.Options.__annotations__))

    def test_import_is_quick(self):
        """No time, which other programs on the machine take: what is loaded. 0.05 s of a core are
        some 90 modules, those of Python itself; pandas alone has 700."""
        heavy = ("pandas", "numpy", "tqdm", "optuna", "sqlalchemy", "dask", "pyarrow", "polars")
        for names, most in ((("run", "check", "Config", "Result"), 120),
                            (("sweep", "optimise", "compare", "saturate", "slo"), 200)):
            code = ("import sys; sys.path.insert(0, sys.argv[1]); before = set(sys.modules); "
                    f"import ssdvp; {'; '.join('ssdvp.' + n for n in names)}; "
                    "print(*(set(sys.modules) - before))")
            done = subprocess.run([sys.executable, "-c", code, str(ROOT / "python")], check=True,
                                  capture_output=True, text=True)
            loaded = done.stdout.split()
            self.assertIn("ssdvp.config", loaded)
            self.assertLess(len(loaded), most)
            self.assertFalse({m.split(".")[0] for m in loaded} & set(heavy))

    def test_all_names_are_there(self):
        for name in ssdvp.__all__:
            self.assertTrue(callable(getattr(ssdvp, name)), name)
        self.assertEqual(ssdvp.version(), "0.1.0")
        with self.assertRaises(AttributeError):
            _ = ssdvp.nothing


if __name__ == "__main__":
    unittest.main()
