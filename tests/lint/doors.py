# SPDX-License-Identifier: Apache-2.0
"""Parts of the firmware have a door: what `struct env` points to is looked into by the folder that
defines it alone, and what a header declares is defined in the source of its name."""
import os
import re
import sys

import source
from source import Finding

# The parts of all: what is due, and memory. `telemetry` is a block of registers.
OPEN = ("run", "arenas", "geometry", "telemetry", "smart")

MEMBER = re.compile(r"struct (\w+)\s*\*\s*(?:const\s+)?(\w+);")
STRUCT = re.compile(r"^struct (\w+) \{", re.M)
ACCESS = re.compile(r"\be->(\w+)->\w+")
DECLARED = re.compile(r"^(?:const )?(?:struct \w+|enum \w+|\w+)[ *]+(\w+)\([^;{}]*\);", re.M)
DEFINED = re.compile(r"^(?!static)[a-z][\w *]*?[ *](\w+)\([^;{}]*\)\n\{", re.M)


def folder_of(path):
    return path.split("/")[1]


def line_of(text, place):
    return text.count("\n", 0, place) + 1


def access_findings(texts):
    """Fields of a part, in another folder than that of its struct."""
    env = re.search(r"^struct env \{(.*?)^\};", texts.get("firmware/lib/env.h", ""), re.M | re.S)
    types = {name: kind for kind, name in MEMBER.findall(env.group(1))} if env else {}
    home = {kind: folder_of(path) for path, text in texts.items() if path.endswith(".h")
            for kind in STRUCT.findall(text)}
    found = []
    for path, text in texts.items():
        for match in ACCESS.finditer(text):
            kind = types.get(match.group(1))
            if kind in home and kind not in OPEN and home[kind] != folder_of(path):
                found.append(Finding(path, line_of(text, match.start()), "door",
                                     f"{match.group(0)}: firmware/{home[kind]} says what others "
                                     "may know of it, by a function"))
    return found


def place_findings(texts):
    """Functions that a source of another name than their header's defines."""
    defined = {}
    for path, text in texts.items():
        if path.endswith(".c"):
            for name in DEFINED.findall(text):
                defined.setdefault(name, path)
    found = []
    for path, text in texts.items():
        if not path.endswith(".h"):
            continue
        for match in DECLARED.finditer(text):
            at = defined.get(match.group(1))
            if at and os.path.basename(at)[:-2] != os.path.basename(path)[:-2]:
                found.append(Finding(path, line_of(text, match.start()), "place of a function",
                                     f"{match.group(1)} is defined in {at}: it belongs into a "
                                     "header of that name"))
    return found


def check(root):
    texts = {path: source.strip_comments(source.read(root, path))
             for path in source.project_files(root)
             if path.startswith("firmware/") and path.endswith((".c", ".h"))
             and not path.startswith(("firmware/port/", "firmware/template/"))}
    return access_findings(texts) + place_findings(texts)


if __name__ == "__main__":
    sys.exit(source.report(check(sys.argv[1]), "doors of the firmware's parts"))
