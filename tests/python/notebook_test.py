#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The notebooks run as they are, and are stored without what they give.
Usage: notebook_test.py ROOT SSDVP [FOLDER, where the executed ones are kept]"""
import os
import pathlib
import sys
import tempfile
import unittest

import nbclient
import nbformat

ROOT, SSDVP = (pathlib.Path(sys.argv.pop(1)).resolve() for _ in range(2))
KEPT = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else None
os.environ["SSDVP"] = str(SSDVP)
os.environ["PYTHONPATH"] = str(ROOT / "python")  # of the kernel
FOLDER = ROOT / "python/notebooks"
TIMEOUT_S = 300  # of a cell


class Notebooks(unittest.TestCase):
    def executed(self, name):
        """Its cells with their outputs; no error, no warning."""
        book = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
        with tempfile.TemporaryDirectory() as place:
            client = nbclient.NotebookClient(book, timeout=TIMEOUT_S, kernel_name="python3",
                                             resources={"metadata": {"path": place}})
            client.execute()
            self.pages = [p.name for p in pathlib.Path(place).rglob("*.html")]
        if KEPT:
            nbformat.write(book, KEPT / f"{name}.ipynb")
        for cell in book.cells:
            said = "".join(o.text for o in cell.get("outputs", ())
                           if o.output_type == "stream" and o.name == "stderr")
            self.assertNotRegex(said, "(?i)warning|error")
        return [c for c in book.cells if c.cell_type == "code"]

    def shown(self, cells, text):
        """The HTML of the first cell whose source has the text."""
        cell = next(c for c in cells if text in c.source)
        return next(o.data["text/html"] for o in cell.outputs if "text/html" in o.get("data", {}))

    def pictures(self, cells):
        return sum("image/png" in o.get("data", {}) for c in cells for o in c.outputs)

    def test_stored_without_outputs(self):
        found = sorted(FOLDER.glob("*.ipynb"))
        self.assertEqual([f.stem for f in found], ["first_answer", "sweep_and_optimise"])
        for file in found:
            for cell in nbformat.read(file, as_version=4).cells:
                if cell.cell_type == "code":
                    self.assertEqual((cell.outputs, cell.execution_count), ([], None), file.name)

    def test_first_answer(self):
        cells = self.executed("first_answer")
        self.assertIn("precondition.overwrite", self.shown(cells, "drive = ssdvp.Config"))
        self.assertIn("still changing", self.shown(cells, "r = ssdvp.run"))
        # Its text promises that the waits for an erase go.
        table = self.shown(cells, "ssdvp.compare")
        self.assertRegex(table, r"<td>reads: p99</td><td>[^<]*</td><td>[^<]*</td><td>-[67]\d")
        self.assertRegex(table, "<td>read</td><td>wait_erase</td>")
        waits = next(c for c in cells if "sort_values" in c.source).outputs[-1].data["text/plain"]
        self.assertTrue(waits.startswith("wait_erase"), waits)
        self.assertEqual(self.pictures(cells), 3)
        self.assertIn("suspend.html", self.pages)

    def test_sweep_and_optimise(self):
        cells = self.executed("sweep_and_optimise")
        self.assertIn("24 runs of 12 configurations",
                      self.shown(cells, "ssdvp.sweep"))
        self.assertRegex(self.shown(cells, "ssdvp.optimise"), r"\d+ of 8 trials are on the Pareto")
        self.assertIn("luns limits", self.shown(cells, "ssdvp.saturate"))
        self.assertRegex(self.shown(cells, "ssdvp.slo"), "holds up to .* k/s")
        self.assertEqual(self.pictures(cells), 2)
        self.assertIn("sweep.html", self.pages)


if __name__ == "__main__":
    unittest.main()
