#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""configs/schema.json, which editors read: presets hold it, and what is wrong does not. Usage:
schema_test.py ROOT"""
import json
import pathlib
import re
import sys
import unittest

import jsonschema
import yaml

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
SCHEMA = json.loads((ROOT / "configs/schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
MODELINE = re.compile(r"^# yaml-language-server: \$schema=(\S+)$", re.MULTILINE)
PRESETS = sorted((ROOT / "configs").glob("*/*.yaml"))


def wrong(text):
    """Paths in the file at which it does not hold the schema."""
    return sorted({".".join(map(str, error.absolute_path)) or "."
                   for error in VALIDATOR.iter_errors(yaml.safe_load(text))})


class Schema(unittest.TestCase):
    def test_is_one(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def test_presets_hold_it_and_name_it(self):
        self.assertGreater(len(PRESETS), 80)
        for path in PRESETS:
            with self.subTest(path.relative_to(ROOT)):
                text = path.read_text(encoding="utf-8")
                self.assertEqual(wrong(text), [])
                named = MODELINE.findall(text)
                self.assertEqual([(path.parent / n).resolve() for n in named],
                                 [ROOT / "configs/schema.json"])

    def test_what_is_right(self):
        for text in ("flash.channels: 4", "extends: [device/small, a.yaml]", "nand: {tR: 40 us}",
                     "nand: {tR: [1us, 2us, 3us]}", "ftl: {over_provisioning: 7%}",
                     "run: {requests: default}", "workload: [{range: {start: 0}}]",
                     "workload: [{pattern: zipf, read_fraction: 0.7, rate: 20 kIOPS}]",
                     "workload: {trace: x.msr.csv}", "workload: {fio: x.fio}",
                     "drives: [{name: a, config: device/small, flash: {channels: 2}}]",
                     "drives: [{name: a}, {name: b}]\nraid: [{name: r, level: 1, drives: [a, b]}]"):
            self.assertEqual(wrong(text), [], text)

    def test_what_is_wrong(self):
        for text, place in (("nand: {plane: 2}", "nand"), ("nand: {tR: 40}", "nand.tR"),
                            ("nand: {tR: 40 MiB}", "nand.tR"), ("nand: {cell: plc}", "nand.cell"),
                            ("host: {pcie: {lanes: 3}}", "host.pcie.lanes"),
                            ("flash: {channels: 0}", "flash.channels"),
                            ("flash: {channels: [2]}", "flash.channels"),
                            ("flash: {use_cache: 1}", "flash.use_cache"),
                            ("ftl: {over_provisioning: 1.5}", "ftl.over_provisioning"),
                            ("workload: [{patern: zipf}]", "workload"),
                            ("workload: {pattern: zipf}", "workload"), ("flsh: {}", "."),
                            ("drives: [{flash: {channels: 2}}]", "drives.0"),
                            ("drives: [{name: a, flash: {channels: 0}}]",
                             "drives.0.flash.channels"),
                            ("raid: [{name: r, level: 1, drives: [a]}]", "raid.0.drives")):
            self.assertEqual(wrong(text), [place], text)


class Editors(unittest.TestCase):
    def test_settings_name_the_schema(self):
        settings = json.loads((ROOT / ".vscode/settings.json").read_text(encoding="utf-8"))
        (path, patterns), = settings["yaml.schemas"].items()
        self.assertTrue((ROOT / path).samefile(ROOT / "configs/schema.json"))
        self.assertEqual(sorted(p for pattern in patterns for p in ROOT.glob(pattern)), PRESETS)
        wanted = json.loads((ROOT / ".vscode/extensions.json").read_text(encoding="utf-8"))
        self.assertIn("redhat.vscode-yaml", wanted["recommendations"])

    def test_new_projects_name_it(self):
        template = (ROOT / "firmware/template/drive.yaml").read_text(encoding="utf-8")
        self.assertEqual(MODELINE.findall(template), ["@ROOT@/configs/schema.json"])



if __name__ == "__main__":
    unittest.main()
