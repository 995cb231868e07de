# SPDX-License-Identifier: Apache-2.0
"""What the tests of this folder share. Usage of each: FILE_test.py ROOT BUILD CASE"""
import pathlib
import subprocess
import sys
import tempfile

ROOT, BUILD = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
PLAIN = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}  # nothing of whoever runs the test


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def run(*words, cwd, **env):
    """In a plain environment, with `env` besides."""
    return subprocess.run([*map(str, words)], cwd=cwd, capture_output=True, text=True, timeout=200,
                          env={**PLAIN, "HOME": str(cwd), **env}, check=False)


def done(*words, cwd, **env):
    """What it prints; it has to end well."""
    ended = run(*words, cwd=cwd, **env)
    expect(ended.returncode == 0, f"{words}: exit {ended.returncode}: {ended.stderr}{ended.stdout}")
    return ended.stdout


def refused(ended, *words):
    """Exit code 2, and all the words on stderr."""
    expect(ended.returncode == 2, f"exit {ended.returncode}, not 2: {ended.stderr}")
    for word in words:
        expect(word in ended.stderr, f"'{word}' is missing in: {ended.stderr}")


def main(cases):
    """`cases`: functions case_NAME that take an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        cases[f"case_{sys.argv[3]}"](pathlib.Path(folder).resolve())
