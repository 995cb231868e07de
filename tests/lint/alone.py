# SPDX-License-Identifier: Apache-2.0
"""Headers and C++ sources compile alone: ROOT BUILD_FOLDER CLANG CLANGXX.

The preset release compiles several sources of a library as one, where one that forgets an include
is built all the same. Here each is read by itself; no code is generated. There is time for those
that the last days' commits have changed, and for a part of the others, by date. The large headers
of libraries are read once for all, so an include of one of those that is missing is found by the
presets that compile source by source (scripts/nightly)."""
import concurrent.futures
import datetime
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

import source
from source import Finding

LIBRARIES = "".join(f"#include <{name}>\n" for name in (
    "systemc", "tlm", "fmt/format.h", "functional", "map", "string", "vector"))
C_HEADERS = ("firmware/", "models/regs/")  # firmware reads them as C
# Built in other places, or for other processors, or beside LLVM's headers.
ELSEWHERE = ("tests/extension/", "tests/install/", "firmware/template/", "tests/validation/",
             "tools/fwtime/")
HEADER_TURNS = 15  # days until each header had its turn
SOURCE_TURNS = 40
CHANGED = 16  # of what was changed, so many at most
SHOWN = 3  # lines of the compiler's, for each file


def sources_of(unit):
    """The sources that a unit of several has, or the unit itself."""
    if "/Unity/" not in unit:
        return [unit]
    text = pathlib.Path(unit).read_text(encoding="utf-8")
    return re.findall(r'^#include "(.*)"', text, re.MULTILINE)


def definitions(root, folder):
    """{source, relative to root: its -D and -I}, as the build compiles it."""
    found = {}
    commands = json.loads((folder / "compile_commands.json").read_text(encoding="utf-8"))
    for entry in commands:
        words = [w for w in shlex.split(entry["command"]) if re.match("-[DI]", w)]
        for path in sources_of(entry["file"]):
            name = os.path.relpath(path, root)
            if path.endswith(".cpp") and not name.startswith(("../", *ELSEWHERE)):
                found.setdefault(name, words)
    return found


def library_headers(compiler, folder):
    """Reads them into a file; the words that make a source begin with it."""
    folder.mkdir(parents=True, exist_ok=True)
    text, ready = folder / "libraries.h", folder / "libraries.pch"
    text.write_text(LIBRARIES, encoding="utf-8")
    subprocess.run([compiler, "-std=c++17", "-DFMT_SHARED", "-x", "c++-header", str(text), "-o",
                    str(ready), "-fpch-instantiate-templates"], check=True)
    return ["-include-pch", str(ready)]


def command(path, compilers, start, words):
    """How PATH is read by itself."""
    clang, clangxx = compilers
    if path.endswith(".h") and path.startswith(C_HEADERS):
        return [clang, "-std=c11", "-ffreestanding", "-fsyntax-only", "-I.", "-include", path,
                "-x", "c", os.devnull]
    begin = [clangxx, "-std=c++17", "-fsyntax-only", *start, "-DFMT_SHARED", "-I.", *words]
    if path.endswith(".h"):
        return [*begin, "-include", path, "-x", "c++", os.devnull]
    return [*begin, path]


def fault(root, path, words):
    """What the compiler says against PATH, or nothing."""
    done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    said = [line for line in done.stderr.splitlines() if "error:" in line][:SHOWN]
    return Finding(path, 0, "alone", "; ".join(said) or done.stderr.strip()[-200:])


def changed(root):
    """What the commits of the two days before the last one have changed, newest first. Nothing
    where no repository is."""
    git = ["git", "-C", root, "log", "--name-only", "--diff-filter=AM"]
    last = subprocess.run([*git[:4], "-1", "--format=%ct"], capture_output=True, text=True,
                          check=False).stdout.strip()
    told = subprocess.run([*git, "--format=", f"--since={int(last or 0) - 2 * 86400}"],
                          capture_output=True, text=True, check=False).stdout
    return list(dict.fromkeys(told.splitlines()))


def in_turn(paths, turns, day):
    return sorted(paths)[day % turns::turns]


def todays(root, headers, sources):
    """Those in turn, and those that are new."""
    day = datetime.date.today().toordinal()
    new = [path for path in changed(root) if path in headers or path in sources]
    return sorted({*in_turn(headers, HEADER_TURNS, day), *in_turn(sources, SOURCE_TURNS, day),
                   *new[:CHANGED]})


def check(root, folder, clang, clangxx):
    built = definitions(root, pathlib.Path(folder))
    headers = {path for path in source.project_files(root)
               if path.endswith(".h") and not path.startswith(ELSEWHERE)}
    start = library_headers(clangxx, pathlib.Path(folder) / "alone")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        work = [pool.submit(fault, root, path,
                            command(path, (clang, clangxx), start, built.get(path, [])))
                for path in todays(root, headers, built)]
        return sorted(filter(None, (one.result() for one in work)))


if __name__ == "__main__":
    sys.exit(source.report(check(os.path.realpath(source.root_of(sys.argv[1:])), *sys.argv[2:]),
                           "headers and sources in turn, each alone"))
