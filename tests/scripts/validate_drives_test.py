#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/validate-drives: its table, its verdicts, and the fast figures of one drive.
Usage: validate_drives_test.py ROOT SSDVP"""
import contextlib
import dataclasses
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

ROOT, SSDVP = pathlib.Path(sys.argv[1]), sys.argv[2]
sys.path.insert(0, str(ROOT / "scripts" / "lib"))
from drives import __main__ as program, runs, table, verdict  # noqa: E402

FIGURE = table.Figure("intel-s4500", "random-read", "IOPS", 1000, "typical", 32, 1, "filled",
                      "a data sheet", "")
HEAD = ",".join(field.name for field in dataclasses.fields(table.Figure)) + "\n"
GOOD = "intel-s4500,random-read,IOPS,1000,typical,32,1,filled,a data sheet,\n"


def compared(simulated, reason=""):
    return verdict.Compared(dataclasses.replace(FIGURE, reason=reason), simulated)


def said(call):
    """Exit code and what was printed."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        try:
            code = call()
        except SystemExit as stopped:
            code = stopped.code
    return code, text.getvalue()


class Verdicts(unittest.TestCase):
    def test_fifteen_percent_agree_and_more_do_not(self):
        for simulated in (850, 1000, 1150):
            self.assertEqual(compared(simulated).verdict, verdict.AGREES)
        for simulated in (849, 1151):
            self.assertEqual(compared(simulated).verdict, verdict.OFF)
            self.assertEqual(compared(simulated, "a reason").verdict, verdict.EXPLAINED)

    def test_a_figure_off_without_a_reason_is_exit_code_1(self):
        for figures, code in (([compared(1000)], 0), ([compared(500, "why")], 0),
                              ([compared(1000), compared(500)], 1)):
            with tempfile.TemporaryDirectory() as folder:
                out = pathlib.Path(folder)
                # The picture needs the plotting library, which tests do without.
                with unittest.mock.patch.object(verdict, "draw"):
                    self.assertEqual(said(lambda: program.show(figures, out))[0], code)
                self.assertIn("-50.00" if figures[-1].error else "0.00",
                              (out / "results.csv").read_text())

    def test_a_figure_is_taken_from_its_place_in_the_summary(self):
        result = {"host": {"read": {"iops": 5.0, "bytes_per_s": 7e6,
                                    "latency_ns": {"mean": 3000}}},
                  "energy_j": {"total": 2e-3}, "sim": {"simulated_ns": 1e6}}
        for unit, value in (("IOPS", 5), ("MB/s", 7), ("us", 3), ("W", 2)):
            figure = dataclasses.replace(FIGURE, unit=unit)
            self.assertAlmostEqual(runs.measured(figure, result), value)


    def test_figures_of_a_cache_are_those_of_pieces_of_the_run(self):
        def piece(begin, requests, hits, bypassed):
            return {"begin_ns": begin, "end_ns": begin + 1e6, "slc_hits": hits,
                    "slc_bypassed": bypassed, "write_requests": requests,
                    "write_bytes": requests * 4096}
        # Of 1 ms each: with the pause before it, two in the cache, one across its end, two past it,
        # and the last one, which is short.
        result = {"geometry": {"capacity_bytes": 4096 * 10000},
                  "series": [piece(0, 1, 1, 0), piece(1e6, 100, 100, 0), piece(2e6, 80, 80, 0),
                             piece(3e6, 60, 19, 41), piece(4e6, 20, 0, 20), piece(5e6, 30, 0, 30),
                             piece(6e6, 1, 0, 1)]}
        for job, unit, value in (("cache-write", "%", 2), ("burst-write", "IOPS", 90000),
                                 ("burst-write", "MB/s", 368.64), ("cache-write", "IOPS", 25000),
                                 ("cache-write", "MB/s", 102.4)):
            figure = dataclasses.replace(FIGURE, job=job, unit=unit)
            self.assertAlmostEqual(runs.measured(figure, result), value, msg=(job, unit))
        result["series"] = result["series"][:3]
        with self.assertRaises(runs.Failed):
            runs.measured(dataclasses.replace(FIGURE, job="cache-write", unit="MB/s"), result)


class Table(unittest.TestCase):
    def refused(self, text, says):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write(HEAD + text)
            file.flush()
            with self.assertRaises(table.BadTable) as caught:
                table.read(pathlib.Path(file.name))
            self.assertIn(says, str(caught.exception))

    def test_a_bad_line_is_named(self):
        self.refused(GOOD.replace("a data sheet", ""), "source")
        self.refused(GOOD + GOOD, ":3: the same figure again")
        self.refused(GOOD.replace("typical", "about"), "'about'")
        self.refused(GOOD.replace("random-read", "random"), "no job random")
        self.refused(GOOD.replace("1000", "many"), "many")
        self.refused(GOOD.replace("1000", "-1"), "above 0")

    def test_each_drive_has_a_preset_that_is_valid(self):
        for drive in {figure.drive for figure in table.read()}:
            done = subprocess.run([SSDVP, "check", f"device/{drive}"], capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("warning", done.stderr)

    def test_the_page_has_every_figure(self):
        page = (ROOT / "docs/drives_validated.md").read_text(encoding="utf-8")
        for figure in table.read():
            cells = verdict.cells(verdict.Compared(figure, figure.value))[:4]
            self.assertIn(f"| {' | '.join(cells)} |", page)


class Runs(unittest.TestCase):
    def test_fast_figures_of_a_drive_agree(self):
        fast = [f for f in table.read() if f.drive == "intel-s4500"
                and f.job in ("random-read-latency", "sequential-read")]
        self.assertEqual(len(fast), 2)
        os.environ["SSDVP"] = SSDVP
        with tempfile.TemporaryDirectory() as folder:
            options = program.parse(["--quick", "--jobs", "1", "--out", folder])
            for one in program.compare(fast, options):
                self.assertEqual(one.verdict, verdict.AGREES, verdict.cells(one))

    def test_the_cache_of_a_drive_is_as_long_as_its_maker_says(self):
        cache = [f for f in table.read() if f.drive == "samsung-870-qvo"
                 and f.job == "cache-write" and f.state == "fresh"]
        self.assertEqual({figure.unit for figure in cache}, {"%", "MB/s"})
        os.environ["SSDVP"] = SSDVP
        with tempfile.TemporaryDirectory() as folder:
            options = program.parse(["--quick", "--jobs", "1", "--out", folder])
            for one in program.compare(cache, options):
                self.assertEqual(one.verdict, verdict.AGREES, verdict.cells(one))

    def test_a_run_that_fails_is_told(self):
        os.environ["SSDVP"] = SSDVP
        missing = dataclasses.replace(FIGURE, drive="none-such")
        with self.assertRaises(runs.Failed) as caught, tempfile.TemporaryDirectory() as folder:
            runs.summary(missing, pathlib.Path(folder), runs.QUICK)
        self.assertIn("none-such, random read: exit code 2", str(caught.exception))

    def test_quick_leaves_out_what_needs_steady_state(self):
        quick = program.chosen(program.parse(["--quick", "intel-s4500"]))
        self.assertTrue(quick)
        self.assertNotIn("steady", {figure.state for figure in quick})
        self.assertEqual({figure.drive for figure in quick}, {"intel-s4500"})

    def test_a_whole_run_can_become_the_page(self):
        page = (ROOT / "docs/drives_validated.md").read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            out, docs = pathlib.Path(folder), pathlib.Path(folder) / "docs"
            (docs / "pictures").mkdir(parents=True)
            (docs / "drives_validated.md").write_text(page, encoding="utf-8")
            (out / "table.md").write_text("| new |\n", encoding="utf-8")
            (out / "errors.png").write_bytes(b"picture")
            program.keep(out, docs)
            kept = (docs / "drives_validated.md").read_text(encoding="utf-8")
            self.assertEqual((docs / "pictures/drives-errors.png").read_bytes(), b"picture")
        before, rest = page.split("table.md -->\n")
        after = rest.split("<!-- end -->")[1]
        self.assertEqual(kept, f"{before}table.md -->\n| new |\n<!-- end -->{after}")
        code, text = said(lambda: program.main(["--keep", "--quick"]))
        self.assertEqual(code, 2)
        self.assertIn("--keep: the page has all figures", text)

    def test_an_unknown_drive_is_refused(self):
        code, text = said(lambda: program.main(["no-drive"]))
        self.assertEqual(code, 2)
        self.assertIn("no figures of no-drive", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
