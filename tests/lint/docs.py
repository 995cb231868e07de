# SPDX-License-Identifier: Apache-2.0
"""The documents are complete and their references are true: a page per hardware block, scripts
that the README names, recipes that fit on a screen, links that lead somewhere, pages that the
index lists, lines that fit a window, configuration keys that the program knows (docs.py ROOT SSDVP
asks it for its schema), the tables of counters and of the keys of results that it prints."""
import json
import os
import re
import subprocess
import sys

import source
from source import Finding

SHARED_BY_MODELS = {"regs", "common", "protocols"}
INDEX = "docs/README.md"
SECTIONS = ("host", "nand", "flash", "dram", "cpu", "ftl", "gc", "cache", "write", "precondition",
            "run", "energy")
KEY = re.compile(r"`((?:" + "|".join(SECTIONS) + r")(?:\.[a-z][A-Za-z0-9_]*)+)`")
RESULTS = "platform/report/"
COUNTERS = "models/regs/counters"
RESULTS_PAGE = "docs/results.md"
COUNTER_HEAD = "| key | field |"
IDEAL_HEAD = "| key | with ideal firmware |"
SUMMARY_HEAD = "| key | meaning | only with |"
SUMMARY_TABLE = "platform/report/summary_keys.cpp"
COLUMNS = 130
CONTRIBUTING = "CONTRIBUTING.md"
RECIPES = "## How to add ..."
SCREEN = 45  # lines
# In backquotes: scripts, with or without options, and files; what has a <placeholder> is no name.
NAMED = re.compile(r"`(scripts/[a-z-]+|(?:models|firmware|platform|scripts|tests|configs|docs)"
                   r"/[\w/-]+\.[\w.]+)(?: [^`]*)?`")


def blocks(files):
    """Folders of models/ that are hardware: those with more than a configuration."""
    found = {f.split("/")[1] for f in files if f.startswith("models/") and f.count("/") >= 2
             and f.endswith((".cpp", ".h")) and not f.endswith("/config.h")}
    return sorted(found - SHARED_BY_MODELS)


def check_pages(files):
    found = []
    for block in blocks(files):
        page = f"docs/models/{block}.md"
        pages = [f for f in files if f.startswith(f"docs/models/{block}/") and f.endswith(".md")]
        if page not in files and not pages:
            found.append(Finding(page, 0, "docs", f"models/{block} has no page"))
    return found


def check_scripts(files, readme):
    return [Finding("README.md", 0, "docs", f"does not name {f}") for f in files
            if re.fullmatch(r"scripts/[^/]+", f) and f not in readme]


def check_links(path, text, files):
    found = []
    folder = os.path.dirname(path)
    known = set(files) | {os.path.dirname(f) for f in files}
    for number, line in enumerate(text.split("\n"), 1):
        for link in re.findall(r"\]\(([^)\s#]+)[^)]*\)", line):
            target = os.path.normpath(os.path.join(folder, link)).replace(os.sep, "/")
            if "://" not in link and not any(k == target or k.startswith(target + "/")
                                             for k in known):
                found.append(Finding(path, number, "docs", f"link to nowhere: {link}"))
    return found


def check_columns(path, text):
    """Prose fits in 130 columns; rows of tables and fenced blocks cannot be broken."""
    found = []
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif len(line) > COLUMNS and not fenced and not line.lstrip().startswith("|"):
            found.append(Finding(path, number, "docs", f"{len(line)} columns, at most {COLUMNS}"))
    return found


def check_index(files, index):
    return [Finding(INDEX, 0, "docs", f"does not list {f}") for f in files
            if f.startswith("docs/") and f.endswith(".md") and f != INDEX
            and f[len("docs/"):] not in index]


def recipes(text):
    """{line: text} of the points of the section of recipes, with all that is below each."""
    found, at = {}, 0
    inside = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("## "):
            inside = line == RECIPES
        elif inside and line.startswith("- **"):
            at = number
        if inside and at:
            found[at] = found.get(at, "") + line + "\n"
    return found


def check_recipes(text, files):
    """Each fits on a screen, and the files and scripts that it names exist."""
    found = []
    for number, recipe in recipes(text).items():
        lines = recipe.rstrip("\n").split("\n")
        if len(lines) > SCREEN:
            found.append(Finding(CONTRIBUTING, number, "docs",
                                 f"{len(lines)} lines: a recipe has at most {SCREEN}"))
        for off, line in enumerate(lines):
            for name in NAMED.findall(line):
                if name not in files:
                    found.append(Finding(CONTRIBUTING, number + off, "docs",
                                         f"no such file: {name}"))
    return found


def schema_keys(schema):
    """Every dotted key a JSON Schema describes; an object without properties takes any key."""
    keys = set()

    def walk(node, prefix):
        if "$ref" in node:
            target = schema
            for part in node["$ref"].lstrip("#/").split("/"):
                target = target[part]
            walk(target, prefix)
        for variant in node.get("oneOf", []) + node.get("anyOf", []) + node.get("allOf", []):
            walk(variant, prefix)
        for name, child in node.get("properties", {}).items():
            keys.add(prefix + name)
            walk(child, prefix + name + ".")
        if isinstance(node.get("items"), dict):
            walk(node["items"], prefix)

    walk(schema, "")
    return keys


def result_names(root, files):
    """Names that summary.json may hold: results have dotted names too."""
    names = set()
    for path in files:
        if path.startswith(RESULTS) and path.endswith(".cpp"):
            names |= set(re.findall(r'"([a-z]\w*)"', source.read(root, path)))
        if path.startswith((RESULTS, COUNTERS)):
            for key in re.findall(r'"([a-z]\w*(?:\.[a-z]\w*)+)"', source.read(root, path)):
                names |= set(key.split("."))
    return names


def check_table(text, head, table, option):
    """The page's table that begins with `head` is what `ssdvp show` prints."""
    if not table.startswith(head):
        return [Finding(f"ssdvp show {option}", 0, "docs", "prints no table")]
    if text.count(head) != 1:
        return [Finding(RESULTS_PAGE, 0, "docs", f"not one table that begins: {head}")]
    at = text.index(head)
    first = text[:at].count("\n") + 1
    shown = table.rstrip("\n").split("\n")
    there = text[at:].split("\n\n")[0].rstrip("\n").split("\n")
    for row in range(max(len(shown), len(there))):
        if shown[row:row + 1] != there[row:row + 1]:
            return [Finding(RESULTS_PAGE, first + row, "docs",
                            f"differs here from what `ssdvp show {option}` prints")]
    return []


def check_summary_keys(table, names):
    """Each key of the table is one that the program writes: its words are `names` there."""
    keys = re.findall(r"^\| `([^`]+)`", table, re.MULTILINE)
    return [Finding(SUMMARY_TABLE, 0, "docs", f"{key}: nothing in {RESULTS} writes it")
            for key in keys
            if not names.issuperset(re.findall(r"[a-z]\w*", re.sub(r"<\w+>", "", key)))]


def check_keys(path, text, keys, results=frozenset()):
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        for key in KEY.findall(line):
            if key not in keys and not results.issuperset(key.split(".")):
                found.append(Finding(path, number, "docs", f"no such configuration key: {key}"))
    return found


def check(root):
    files = source.project_files(root)
    found = check_pages(files) + check_scripts(files, source.read(root, "README.md"))
    found += check_index(files, source.read(root, INDEX))
    found += check_recipes(source.read(root, CONTRIBUTING), files)
    for path in files:
        if path.endswith(".md"):
            text = source.read(root, path)
            found += check_links(path, text, files) + check_columns(path, text)
    return found


def check_configuration(root, ssdvp):
    done = subprocess.run([ssdvp, "schema"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return [Finding("ssdvp schema", 0, "docs", f"exit code {done.returncode}")]
    keys = schema_keys(json.loads(done.stdout))
    if not keys:
        return [Finding("ssdvp schema", 0, "docs", "describes no key")]
    files = source.project_files(root)
    results = result_names(root, files)
    page = source.read(root, RESULTS_PAGE)
    found = []
    for head, option in ((COUNTER_HEAD, "--counters"), (IDEAL_HEAD, "--ideal"),
                         (SUMMARY_HEAD, "--summary-keys")):
        printed = subprocess.run([ssdvp, "show", option], capture_output=True, text=True,
                                 check=False).stdout
        found += check_table(page, head, printed, option)
    found += check_summary_keys(printed,
                                result_names(root, [f for f in files if f != SUMMARY_TABLE]))
    for path in files:
        if path.endswith(".md") and (path == "README.md" or path.startswith("docs/")):
            found += check_keys(path, source.read(root, path), keys, results)
    return found


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit(source.report(check_configuration(*sys.argv[1:3]), "configuration keys in docs"))
    sys.exit(source.report(check(source.root_of(sys.argv[1:])), "documents"))
