# SPDX-License-Identifier: Apache-2.0
"""No mutable state outside of objects: several drives live in one process, a power cut wipes the
firmware, a snapshot copies it.

Two looks. The sources of the firmware: nothing at file scope, and no static local, that is not
const. The objects that were built from firmware, models and platform: nothing of ours in .data or
.bss (objdump). Tables of constants that hold pointers are in .data.rel.ro and pass; so does what
the source declares const although a constructor fills it in. Four variables are unavoidable: what
a signal handler sets, whom it tells, and which files it removes, in platform/control, and what it
says of an image that traps, in platform/plan."""
import os
import re
import subprocess
import sys

import source
from source import Finding

NOT_A_VARIABLE = re.compile(
    r"^(typedef|struct|union|enum|extern|_Static_assert|static_assert|using|template|"
    r"namespace|class|__asm__|asm)\b")
CONST_ARRAY_OR_VALUE = re.compile(
    r"\bconst\b(?!\s*[\w\s]*\*(?!\s*const))|\*\s*const\b|\bconstexpr\b")
HARMLESS_STATIC = re.compile(r"\b(const|inline|constexpr)\b|\(")
STORAGE = re.compile(r"^(static|inline|_Thread_local|__attribute__\s*\(\(.*?\)\))\s+")
# Other people's: the standard library's and Boost's statics, Catch's, the sanitizers', coverage's.
FOREIGN = re.compile(
    r"^(guard variable for )?(std::|__gnu|boost::|fmt::|spdlog::|CLI::|YAML::|sc_core::|sc_dt::|"
    r"tlm::|tlm_utils::|Catch::|__|\.|_GLOBAL_|DW\.ref)|\b(std::__ioinit|api_version_check)\b"
    r"|^(typeinfo|vtable|VTT) ")
TIMED_IMAGE = "firmware/port/native/timing.c"
# Names by path: a signal handler gets no argument; clock and calendar are references, bound once
# for the process's one simulation context, to which what is behind them belongs; the account that
# a timed image keeps of itself, its tables and the numbers of its blocks are empty or the same
# whenever another core may look (docs/timing.md); what a panic leaves on a target is for debuggers.
EXCEPTED = {"platform/control/": re.compile(r"\b(ctrl_c|guarding|unfinished)\b"),
            "platform/plan/": re.compile(r"\bto_say\b"),
            "firmware/timed/": re.compile(r"^ssdvp_fw_(table|first_block)$"),
            "firmware/port/target.c": re.compile(r"\btarget_panic_record\b"),
            TIMED_IMAGE: re.compile(r"\b(ssdvp_fw_spent|memory|routines|watch|binding)\b"),
            "": re.compile(r"^(guard variable for )?ssdvp::"
                           r"(kernel_clock|kernel_lag|simulation_calendar)$")}
WRITABLE = re.compile(r"^\.(data|bss|tdata|tbss)(?!\.rel\.ro)|^\*COM\*$")


def declarations(text):
    """The declarations at file scope as (line, text), without bodies and directives."""
    code = source.strip_directives(source.strip_comments(text))
    line = 1
    for piece in re.split(r"(;)", blank_braces(code)):
        lead = len(piece) - len(piece.lstrip())
        if piece.strip() and piece != ";":
            yield line + piece.count("\n", 0, lead), " ".join(piece.split())
        line += piece.count("\n")


def blank_braces(code):
    """Code with what stands in braces emptied; a body ends its declaration, an initialiser not."""
    out = []
    i = 0
    while i < len(code):
        if code[i] != "{":
            out.append(code[i])
            i += 1
            continue
        end = source.matching(code, i)
        if end < 0:
            break
        before = "".join(out)
        start = max(before.rfind(";"), 0)
        is_body = bool(source.signature(before[start:].lstrip(";")))
        out.append("{}" + "\n" * code.count("\n", i, end) + (";" if is_body else ""))
        i = end + 1
    return "".join(out)


def is_mutable(declaration):
    plain = STORAGE.sub("", STORAGE.sub("", declaration))
    aggregate = re.match(r"(struct|union|enum)\s*\w*\s*(\{\})?\s*$", plain)
    if aggregate or NOT_A_VARIABLE.match(plain) and not re.match(
            r"(struct|union|enum)\s+\w+\s*(\{\})?[\s*]+\w+", plain):
        return False
    if plain.endswith("{}") and "=" not in plain:  # a function
        return False
    head = plain.split("=")[0]
    if "(" in head and not re.search(r"\(\s*\*", head):  # a prototype
        return False
    return not CONST_ARRAY_OR_VALUE.search(head)


def static_locals(text):
    code = source.strip_directives(source.strip_comments(text))
    for number, line in enumerate(code.split("\n"), 1):
        if re.match(r"\s+static\s", line) and not HARMLESS_STATIC.search(line):
            yield number, line.strip()


def check_source(path, text):
    found = []
    for line, declaration in declarations(text):
        if is_mutable(declaration) and not is_excepted(path, declaration):
            found.append(Finding(path, line, "file-scope state", declaration[:80]))
    for line, declaration in static_locals(text):
        found.append(Finding(path, line, "static local", declaration[:80]))
    return found


def writable_symbols(listing):
    """Names of our symbols in writable sections, from the text of objdump -tC."""
    for line in listing.split("\n"):
        match = re.match(r"[0-9a-f]{8,16} (.{7}) (\S+)\t[0-9a-f]+\s+(?:\.hidden )?(.*)$", line)
        if not match or not WRITABLE.match(match.group(2)) or match.group(1)[5] == "d":
            continue
        if not FOREIGN.search(match.group(3)):
            yield match.group(3)


def objects(build):
    for top in ("firmware", "models", "platform"):
        for folder, _, names in os.walk(os.path.join(build, top)):
            yield from (os.path.join(folder, n) for n in sorted(names) if n.endswith(".o"))


def sources_of(root, build, name):
    """Paths of the sources that an object of CMake's was built from: several that are compiled as
    one (SSDVP_UNITY) are listed in a file of CMake's."""
    listed = os.path.join(build, name[:-len(".o")])
    if "/Unity/" in name:
        with open(listed, encoding="utf-8") as f:
            paths = re.findall(r'^#include "(.*)"$', f.read(), re.MULTILINE)
        return [os.path.relpath(path, root) for path in paths]
    return [re.sub(r"/CMakeFiles/[^/]+\.dir/", "/", name)[:-len(".o")]]


def text_of(root, path):
    """Without comments; "" of what the project does not hold."""
    known = os.path.isfile(os.path.join(root, path))
    return source.strip_comments(source.read(root, path)) if known else ""


def is_declared_const(code, symbol):
    name = re.escape(symbol.split("::")[-1].split("[")[0])
    return bool(re.search(r"^\s*(static\s+|inline\s+)*const(expr)?\b[^;=(){}]*\b" + name + r"\b",
                          code, re.MULTILINE))


def is_excepted(path, symbol):
    return any(path.startswith(place) and names.search(symbol)
               for place, names in EXCEPTED.items())


def check_objects(root, build):
    found = []
    seen = 0
    for path in objects(build):
        seen += 1
        listing = subprocess.run(["objdump", "-tC", path], capture_output=True, text=True,
                                 check=True).stdout
        name = os.path.relpath(path, build)
        paths = sources_of(root, build, name)
        code = "\n".join(text_of(root, path) for path in paths)
        found += [Finding(paths[0] if len(paths) == 1 else name, 0, "writable data", symbol)
                  for symbol in writable_symbols(listing)
                  if not is_declared_const(code, symbol)
                  and not any(is_excepted(path, symbol) for path in paths)]
    if seen == 0:
        found.append(Finding(build, 0, "writable data", "no objects here: was it built?"))
    return found


def check(root, build):
    found = []
    for path in source.project_files(root):
        if path.startswith("firmware/") and path.endswith((".c", ".h")):
            found += check_source(path, source.read(root, path))
    return found + (check_objects(root, build) if build else [])


if __name__ == "__main__":
    sys.exit(source.report(check(source.root_of(sys.argv[1:2]), "".join(sys.argv[2:3])),
                           "mutable state"))
