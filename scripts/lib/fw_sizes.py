# SPDX-License-Identifier: Apache-2.0
"""What firmware takes on a target: fw_sizes.py OUTDIR TARGET... [--budget FILE]

Reads OUTDIR/TARGET.elf and the objects and stack usage files (-fstack-usage) of OUTDIR/TARGET/.
Stack is the deepest path of calls. A function calls what its code refers to; one that refers to a
table of functions may call all of them. What is called through a pointer that was handed over
counts where the table is named.

With --budget, each line of FILE is "TARGET CODE CONSTANTS STACK", ceilings in bytes: exit code 1
when one is exceeded."""
import argparse
import collections
import pathlib
import re
import subprocess
import sys

FIELDS = ("code", "constants", "stack")
SECTION = re.compile(r"Relocation section '\.rela?(\.\S+)'")
RELOCATION = re.compile(r"^[0-9a-f]{8,16}\s+[0-9a-f]+\s+R_\S+\s+(?:[0-9a-f]+\s+)?(\S+)")
PREFIX = re.compile(r"^\.(text|rodata|data\.rel\.ro\.local|data\.rel\.ro|srodata|start)"
                    r"(\.unlikely|\.cold|\.cst\d+)?\.?")


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"fw_sizes.py: {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def node(name):
    """A function or table by the name of its section or symbol, without the compiler's suffixes."""
    name = PREFIX.sub("", name) if name.startswith(".") else name
    return re.sub(r"\.(part|constprop|isra|cold|lto_priv)\b.*$", "", name)


def references(objects):
    """Who refers to whom, over all object files of a folder."""
    found = collections.defaultdict(set)
    for path in sorted(objects.glob("*.o")):
        user = ""
        for line in run("readelf", "-rW", str(path)).splitlines():
            section = SECTION.search(line)
            relocation = RELOCATION.match(line)
            if section:
                user = node(section.group(1)) if PREFIX.match(section.group(1)) else ""
            elif relocation and user:
                found[user].add(node(relocation.group(1)))
    return found


def frames(objects):
    """Bytes of stack of each function; of several with one name the most."""
    sizes = collections.defaultdict(int)
    for path in sorted(objects.glob("*.su")):
        for line in path.read_text(encoding="utf-8").splitlines():
            place, size, _ = line.rsplit("\t", 2)
            name = node(place.rsplit(":", 1)[1])
            sizes[name] = max(sizes[name], int(size))
    return sizes


def deepest(start, calls, sizes):
    """(bytes, path) of the deepest path from `start`; a function is on a path once."""
    known = {}

    def walk(name, above):
        if name in known:
            return known[name]
        best = (0, ())
        for other in sorted(calls.get(name, ())):
            if other not in above and other != name:
                best = max(best, walk(other, above | {name}), key=lambda x: x[0])
        known[name] = (best[0] + sizes.get(name, 0),
                       ((name,) if name in sizes else ()) + best[1])
        return known[name]

    return walk(start, frozenset())


def measure(out, target):
    text = run("size", "-A", str(out / f"{target}.elf"))
    total = collections.Counter()
    for line in text.splitlines():
        words = line.split()
        if len(words) == 3 and words[0].startswith("."):
            total[words[0]] += int(words[1])
    sizes = frames(out / target)
    stack, path = deepest("target_main", references(out / target), sizes)
    constants = total[".rodata"] + total[".ARM.exidx"]
    return {"code": total[".text"], "constants": constants, "data": total[".data"],
            "stack": stack, "path": path}


def check(measured, budget):
    """Sentences about what exceeds its ceiling."""
    found = []
    ceilings = {}
    for line in budget.read_text(encoding="utf-8").splitlines():
        words = line.split("#")[0].split()
        if words:
            ceilings[words[0]] = dict(zip(FIELDS, map(int, words[1:])))
    for target, m in measured.items():
        if target not in ceilings:
            found.append(f"{target}: no line in {budget}; add its sizes there")
            continue
        for field in FIELDS:
            if m[field] > ceilings[target][field]:
                found.append(f"{target}: {m[field]} bytes of {field}, the ceiling is "
                             f"{ceilings[target][field]}; make it smaller, or raise the ceiling "
                             f"in {budget} in a commit that says what the bytes are for")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("target", nargs="+")
    parser.add_argument("--budget", type=pathlib.Path)
    line = parser.parse_args()
    measured = {t: measure(line.out, t) for t in line.target}
    print(f"{'target':<9}{'code':>9}{'constants':>11}{'data':>6}{'stack':>7}  deepest path")
    for target, m in measured.items():
        path = " > ".join(m["path"][:3] + ("...",) * (len(m["path"]) > 4) + m["path"][-1:])
        print(f"{target:<9}{m['code']:>9}{m['constants']:>11}{m['data']:>6}{m['stack']:>7}  {path}")
    found = check(measured, line.budget) if line.budget else []
    for sentence in found:
        print(f"fw_sizes.py: {sentence}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
