# SPDX-License-Identifier: Apache-2.0
"""The house numbers and the banned words. What ratchet.json lists may stay as large as it says and
not grow; when it shrinks, its entry shrinks with it. The list itself never gets a new entry or a
larger number: every version of it in the history is an upper bound."""
import json
import os
import re
import subprocess
import sys

import source
from source import Finding

FUNCTION_LINES = 70
FILE_LINES = 600
HEADER_LINES = 300
COLUMNS = 100
PARAMETERS = 5
RATCHET = "tests/lint/ratchet.json"

SPDX = "SPDX-License-Identifier: Apache-2.0"
NEEDS_SPDX = (".c", ".h", ".cpp", ".py", ".sh", ".cmake", ".yaml", ".yml", "CMakeLists.txt")
CODE = ("models/", "firmware/", "platform/")
WALL_CLOCK_ALLOWED = ("platform/serve/", "platform/guest/", "platform/control/",
                      "platform/report/progress")
# Written in two halves, so that this file passes its own test.
UNFINISHED = re.compile(r"\b(" + "|".join(("TO" "DO", "FIX" "ME", "X" "XX", "HA" "CK")) + r")\b")
# Hosts of package archives: a client's own configuration names them.
ARCHIVE_HOST = re.compile(r"https?://(?:deb|ftp|registry|proxy|static|index|files|repo\d?)\.[a-z]")

# (rule, pattern, paths it holds for, paths excepted, what is wrong)
BANNED = [
    ("random", r"std\s*::\s*\w+_distribution\b", CODE, (),
     "std distributions differ between libraries: Boost.Random"),
    ("random", r"\brandom_device\b|\bsrand\s*\(|(?<![\w.:>])rand\s*\(|std\s*::\s*rand\b", CODE, (),
     "not deterministic"),
    ("wall clock", r"\b(system|steady|high_resolution)_clock\b|\bgettimeofday\b|\bclock_gettime\b"
     r"|\bstd\s*::\s*(time|clock)\s*\(|(?<![\w.:>])time\s*\(\s*(NULL|nullptr|0|&)"
     r"|__DATE__|__TIME__|__TIMESTAMP__", CODE, WALL_CLOCK_ALLOWED,
     "host time never enters the simulation"),
    ("heap", r"(?<![\w.:>])(malloc|calloc|realloc|free|printf|sprintf|puts)\s*\(",
     ("firmware/",), (), "firmware is freestanding: no heap, no stdio"),
    # Bytes left as they are: C++17's make_unique zeroes them.
    ("owning pointer", r"(?<![\w:])new\s+(?!unsigned char\[)[A-Za-z_:]"
     r"|(?<!=)\s\bdelete\b\s*(\[\s*\])?\s*[A-Za-z_*(]",
     ("models/", "platform/", "sc_main.cpp"), ("models/protocols/",),  # TLM's clone() returns new
     "no owning raw pointer: make_unique or a member"),
]


# What editors, patch and fio (its state of verification) leave behind where they were started.
STRAY = (".state", ".orig", ".rej", ".swp", ".tmp", "~")


def stray_findings(path):
    if not path.endswith(STRAY):
        return []
    return [Finding(path, 0, "stray", "a program left it behind: remove it, or run it elsewhere")]


TEST_CASE = re.compile(r"^\s*(TEMPLATE_)?(TEST_CASE|SCENARIO)(_METHOD)?\(", re.M)


def test_name_findings(path, code):
    """A test is found by its name: a source of tests/ ends in _test.cpp when it holds cases."""
    if not path.startswith("tests/") or not path.endswith(".cpp"):
        return []
    if TEST_CASE.search(code) and not path.endswith("_test.cpp"):
        return [Finding(path, 0, "test name", "it holds test cases: name it ..._test.cpp")]
    return []


def header_findings(path, code):
    found = []
    bodies = source.functions(code)[0]
    for number, line in enumerate(code.split("\n"), 1):
        inside = any(f.line <= number <= f.last for f in bodies)
        if (re.search(r"\busing\s+namespace\b", line) and not inside
                and not path.startswith("tests/")):  # a test bench is nobody's interface
            found.append(Finding(path, number, "using namespace", "not in a header"))
    once = re.search(r"^\s*#\s*pragma\s+once\b", code, re.MULTILINE)
    guard = re.search(r"^\s*#\s*ifndef\s+(\w+)\s*\n\s*#\s*define\s+\1\b", code, re.MULTILINE)
    if path.startswith(("firmware/", "models/regs/")):
        if not guard:
            found.append(Finding(path, 0, "include guard", "a C header has #ifndef and #define"))
    elif not once and not guard:
        found.append(Finding(path, 0, "include guard", "#pragma once is missing"))
    return found


def banned_findings(path, code):
    found = []
    for rule, pattern, places, excepted, why in BANNED:
        if not path.startswith(places) or path.startswith(excepted or ("//",)):
            continue
        for number, line in enumerate(code.split("\n"), 1):
            if re.search(pattern, line) and not re.match(r"\s*#\s*include", line):
                found.append(Finding(path, number, rule, f"{why}: {line.strip()[:70]}"))
    return found


def word_findings(path, text):
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if UNFINISHED.search(line):
            found.append(Finding(path, number, "unfinished", line.strip()[:80]))
        if ARCHIVE_HOST.search(line):
            found.append(Finding(path, number, "archive host", "ask the package client for it"))
        if re.search(r'\bTEST_CASE\s*\(\s*"[^"]*;', line):
            found.append(Finding(path, number, "test name", "CTest splits it at ;, runs nothing"))
        if line != line.rstrip() and not path.endswith(".md"):
            found.append(Finding(path, number, "blanks", "blanks at the end of the line"))
    return found


def spdx_findings(path, text):
    lines = text.split("\n")[:2]
    first = lines[1] if lines[0].startswith("#!") and len(lines) > 1 else lines[0]
    if SPDX in first:
        return []
    return [Finding(path, 1, "SPDX", f"the first line says {SPDX}")]


def is_checked(path, text):
    """Text of our own that a person writes."""
    return (path.endswith(NEEDS_SPDX) or source.is_program(path, text, "bash")
            or source.is_program(path, text, "python"))


def check_text(path, text):
    """Findings of one file that no ratchet excuses."""
    found = spdx_findings(path, text) + word_findings(path, text)
    if path.endswith(source.C_SUFFIXES):
        code = source.strip_comments(text)
        found += banned_findings(path, code)
        if path.endswith(source.HEADER_SUFFIXES):
            found += header_findings(path, code)
        found += test_name_findings(path, code)
    return found


def measure_text(path, text):
    """The house numbers that the file exceeds: {key: (value, limit, line)}."""
    over = {}
    lines = text.count("\n")
    limit = HEADER_LINES if path.endswith(source.HEADER_SUFFIXES) else FILE_LINES
    if lines > limit:
        over[f"file lines: {path}"] = (lines, limit, 0)
    wide = [n for n, line in enumerate(text.split("\n"), 1) if len(line) > COLUMNS]
    if wide:
        over[f"lines over {COLUMNS} columns: {path}"] = (len(wide), 0, wide[0])
    if path.endswith(source.C_SUFFIXES):
        for function in source.functions(text)[0]:
            length = function.last - function.line + 1
            if length > FUNCTION_LINES:
                key = f"function lines: {path} {function.name}"
                over[key] = max(over.get(key, (0,)), (length, FUNCTION_LINES, function.line))
            if function.parameters > PARAMETERS:
                key = f"parameters: {path} {function.name}"
                over[key] = max(over.get(key, (0,)),
                                (function.parameters, PARAMETERS, function.line))
    return over


def against_ratchet(over, ratchet):
    found = []
    for key, (value, limit, line) in sorted(over.items()):
        allowance = ratchet.get(key, limit)
        path = key.split(": ", 1)[1].split(" ")[0]
        if value > allowance:
            found.append(Finding(path, line, key.split(":")[0],
                                 f"{key.split(': ', 1)[1]}: {value}, allowed {allowance}"))
    for key, allowance in sorted(ratchet.items()):
        value = over.get(key, (None,))[0]
        if value is None:
            found.append(Finding(RATCHET, 0, "ratchet", f"\"{key}\" is mended: drop the entry"))
        elif value < allowance:
            found.append(Finding(RATCHET, 0, "ratchet", f"\"{key}\" shrank: write {value}"))
    return found


def grown(ratchet, earlier):
    """Entries of the ratchet that are new or larger than in an earlier version of it."""
    return [Finding(RATCHET, 0, "ratchet", f"\"{key}\": {value}, was {earlier.get(key, 'absent')}")
            for key, value in sorted(ratchet.items()) if value > earlier.get(key, -1)]


def git(root, *arguments):
    done = subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True,
                          check=False)
    return done.stdout if done.returncode == 0 else ""


def earlier_ratchets(root):
    """Every committed version that git knows here; none outside of a repository."""
    for commit in git(root, "log", "--format=%H", "--", RATCHET).split():
        text = git(root, "show", f"{commit}:{RATCHET}")
        if text:
            yield json.loads(text)


def check(root):
    with open(os.path.join(root, RATCHET), encoding="utf-8") as file:
        ratchet = json.load(file)
    found = []
    over = {}
    for path in source.project_files(root):
        found += stray_findings(path)
        if path.endswith((".png", ".svg", ".gz", ".zst", ".so")):
            continue
        text = source.read(root, path)
        if is_checked(path, text):
            found += check_text(path, text)
            over.update(measure_text(path, text))
    found += against_ratchet(over, ratchet)
    for earlier in earlier_ratchets(root):
        found += grown(ratchet, earlier)
    return found


if __name__ == "__main__":
    sys.exit(source.report(sorted(set(check(source.root_of(sys.argv[1:])))), "house numbers"))
