#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The verdicts and messages of scripts/lib/validate_timing.py. Usage: validate_timing_test.py"""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "lib"))
import validate_kernels  # noqa: E402
import validate_timing  # noqa: E402


def row(target, error, true=10**6):
    return {"target": target, "scheme": "page_map", "mix": "random_read", "true": true,
            "predicted": round(true * (1 + error / 100)), "error_percent": error}


def verdict(target, *errors):
    return validate_timing.totals([row(target, e) for e in errors], [target])[0]


def run(*arguments):
    """Exit code and what was said."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        try:
            code = validate_timing.main(list(arguments))
        except SystemExit as stopped:
            code = stopped.code
    return code, said.getvalue()


class Verdict(unittest.TestCase):
    def test_a_case_at_its_limit_is_within_and_above_it_beyond(self):
        for sign in (1, -1):
            self.assertTrue(verdict("cortex-r82", sign * 3.5, 0, 0, 0)["within"])
            self.assertFalse(verdict("cortex-r82", sign * 3.51, 0, 0, 0)["within"])
            self.assertTrue(verdict("rv32", sign * 10.0)["within"])
            self.assertFalse(verdict("rv32", sign * 10.01)["within"])

    def test_the_mean_is_of_the_sizes(self):
        self.assertTrue(verdict("rv64", 2.0, -2.0)["within"])
        self.assertFalse(verdict("rv64", 2.02, -2.02)["within"])
        self.assertAlmostEqual(verdict("rv64", 2.0, -2.0)["mean_percent"], 2.0)

    def test_the_worst_case_keeps_its_sign(self):
        self.assertEqual(verdict("rv64", 1.0, -3.0, 2.0)["worst_percent"], -3.0)


class Kernels(unittest.TestCase):
    def total(self, *errors, kernel="crc", target="rv32"):
        rows = [{"target": target, "kernel": kernel, "error_percent": e} for e in errors]
        return validate_kernels.kernel_totals(rows, [target])[0]

    def test_a_kernel_at_its_limit_is_within_and_above_it_beyond(self):
        for sign in (1, -1):
            self.assertTrue(self.total(sign * 10.0, 0, 0, 0)["within"])
            self.assertEqual(self.total(sign * 10.01, 0, 0, 0)["beyond"], ["crc"])

    def test_what_is_known_has_a_limit_of_its_own(self):
        self.assertTrue(self.total(20.9, *[0] * 9, kernel="struct_small")["within"])
        self.assertFalse(self.total(21.1, *[0] * 9, kernel="struct_small")["within"])

    def test_the_mean_has_a_limit(self):
        self.assertTrue(self.total(3.0, -3.0)["within"])
        self.assertFalse(self.total(3.1, -3.0)["within"])


class Messages(unittest.TestCase):
    def test_wrong_arguments_end_with_2_and_say_what_there_is(self):
        code, said = run("--build", "/nowhere", "--targets", "z80")
        self.assertEqual(code, 2)
        self.assertIn("no 'z80'; there are: cortex-r82", said)
        self.assertEqual(run("--build", "/nowhere", "--commands", "0")[0], 2)

    def test_a_folder_without_programs_ends_with_1_and_says_the_remedy(self):
        with tempfile.TemporaryDirectory() as empty:
            code, said = run("--build", empty)
        self.assertEqual(code, 1)
        self.assertIn("run scripts/validate-timing", said)

    def test_numbers_are_decimal_or_hexadecimal(self):
        self.assertEqual(validate_timing.numbers("ns 0x10\ninstructions rv64 7\n"),
                         {"ns": 16, "instructions rv64": 7})


if __name__ == "__main__":
    unittest.main()
