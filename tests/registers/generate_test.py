# SPDX-License-Identifier: Apache-2.0
"""scripts/generate-registers on copies of the descriptions, each spoilt in one way."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path()
KEPT = ("models/regs", "docs/registers.md", "docs/registers/index.html",
        "platform/ssd/register_rows.cpp", "tests/support/register_table.cpp")


class Spoilt(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for path in KEPT:
            place = self.root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / path).is_dir():
                shutil.copytree(ROOT / path, place)
            else:
                shutil.copy(ROOT / path, place)

    def change(self, path, old, new):
        text = (self.root / path).read_text(encoding="utf-8")
        self.assertIn(old, text)
        (self.root / path).write_text(text.replace(old, new, 1), encoding="utf-8")

    def run_script(self, *options):
        done = subprocess.run([ROOT / "scripts/generate-registers", "--root", self.root, *options],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def refused(self, *words):
        before = (self.root / "models/regs/channel_regs.h").read_bytes()
        code, said = self.run_script()
        self.assertEqual(code, 2, said)
        for word in words:
            self.assertIn(word, said)
        self.assertEqual((self.root / "models/regs/channel_regs.h").read_bytes(), before)

    def test_a_copy_is_up_to_date(self):
        code, said = self.run_script("--check")
        self.assertEqual(code, 0, said)

    def test_a_changed_description_is_stale_until_it_is_generated(self):
        self.change("models/regs/nvme_fe.rdl", "reset = 131072", "reset = 65536")
        code, said = self.run_script("--check")
        self.assertEqual(code, 1, said)
        self.assertIn("models/regs/nvme_fe_regs.h", said)
        self.assertRegex(said, r"\+#define FE_MDTS_RESET +0x10000u\n")
        self.assertIn("run scripts/generate-registers", said)
        code, said = self.run_script()
        self.assertEqual(code, 0, said)
        self.assertEqual(self.run_script("--check")[0], 0)

    def test_an_edited_header_is_found(self):
        self.change("models/regs/irq_regs.h", "0x0Cu", "0x10u")
        code, said = self.run_script("--check")
        self.assertEqual(code, 1, said)
        self.assertIn("models/regs/irq_regs.h", said)

    def test_a_register_on_another(self):
        self.change("models/regs/channel.rdl", "index CQ_HEAD @ 0x1C", "index CQ_HEAD @ 0x18")
        self.refused("channel.rdl", "CQ_HEAD")

    def test_a_word_that_is_not_systemrdl(self):
        self.change("models/regs/channel.rdl", "reg address {", "reg address (")
        self.refused("channel.rdl:15")

    def test_a_field_without_a_value_at_reset(self):
        self.change("models/regs/timer.rdl", "NS[32] = 0;", "NS[32];")
        self.refused("timer.NOW_HI.NS", "reset", "configured_by")

    def test_a_register_without_a_description(self):
        self.change("models/regs/channel.rdl", 'CQ_BASE_HI->desc = "bits 63..32";', "")
        self.refused("channel.CQ_BASE_HI", "no description")

    def test_a_file_that_nobody_named(self):
        shutil.copy(self.root / "models/regs/irq.rdl", self.root / "models/regs/new.rdl")
        self.refused("models/regs/new.rdl", "name it in")

    def test_a_block_without_a_window(self):
        self.change("models/regs/memory_map.rdl", "IRQ->window = 0x1000;", "")
        self.refused("memory_map.IRQ", "window")

    def test_a_block_without_a_header(self):
        self.change("models/regs/timer.rdl", 'c_header = "models/regs/timer_regs.h";', "")
        self.refused("models/regs/timer.rdl", "c_header")

    def test_a_file_that_is_gone(self):
        (self.root / "models/regs/timer.rdl").unlink()
        self.refused("timer.rdl")

    def test_registers_beyond_their_window(self):
        self.change("models/regs/memory_map.rdl", "IRQ->window = 0x1000", "IRQ->window = 0x8")
        self.refused("memory_map.IRQ", "window")


class Page(unittest.TestCase):
    """docs/registers/index.html as committed."""
    def test_links_lead_somewhere_and_names_are_unique(self):
        text = (ROOT / "docs/registers/index.html").read_text(encoding="utf-8")
        names = re.findall(r'\bid="([^"]+)"', text)
        self.assertEqual(len(names), len(set(names)))
        links = re.findall(r'href="#([^"]+)"', text)
        self.assertGreater(len(links), 50)
        self.assertEqual(set(links) - set(names), set())
        self.assertNotIn("http", text)  # nothing from elsewhere: it opens without a network


if __name__ == "__main__":
    ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
