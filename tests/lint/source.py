# SPDX-License-Identifier: Apache-2.0
"""What the lint cases share: the list of files, the text of a C or C++ file without its comments,
and its functions. A scanner, not a compiler: it knows the shapes this project writes."""
import os
import re
import sys
from collections import namedtuple

SKIPPED_FOLDERS = {".git", ".cache", "__pycache__", "build", "out"}
C_SUFFIXES = (".c", ".h", ".cpp")
HEADER_SUFFIXES = (".h",)

Finding = namedtuple("Finding", "path line rule text")
Function = namedtuple("Function", "name line last parameters")


def project_files(root):
    """Paths of all files below root, relative, sorted: no generated folder, nothing binary."""
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders
                      if f not in SKIPPED_FOLDERS and not f.startswith("build-")]
        for name in names:
            found.append(os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/"))
    return sorted(found)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def report(findings, what):
    """Prints the findings; the exit code of a lint case."""
    for f in findings:
        place = f"{f.path}:{f.line}" if f.line else f.path
        print(f"{place}: {f.rule}: {f.text}")
    print(f"{len(findings)} findings in {what}" if findings else f"{what}: nothing found")
    return 1 if findings else 0


LITERAL_OR_COMMENT = re.compile(
    r"""//(?:[^\n\\]|\\.|\\\n)*            # line comment
      | /\*.*?\*/                          # block comment
      | \bR"([^\s()\\]*)\(.*?\)\1"         # raw string
      | "(?:[^"\\\n]|\\.|\\\n)*"           # string
      | (?<![0-9a-fA-F])'(?:[^'\\\n]|\\.)+'  # character, and no digit separator
    """, re.VERBOSE | re.DOTALL)


def blank(match):
    """Keeps the lines, so that line numbers stay true."""
    text = match.group(0)
    newlines = "\n" * text.count("\n")
    return ('""' if text[0] in "\"R" else "0" if text[0] == "'" else " ") + newlines


def strip_comments(text):
    """Text without comments, and with empty literals."""
    return LITERAL_OR_COMMENT.sub(blank, text)


def strip_directives(text):
    """Text without preprocessor lines, and with the first branch only of each #if."""
    out = []
    dead = []
    continued = False
    for line in text.split("\n"):
        directive = re.match(r"\s*#\s*(\w+)", line)
        if continued or directive:
            if directive and not continued:
                word = directive.group(1)
                if word in ("if", "ifdef", "ifndef"):
                    dead.append(False)
                elif word in ("else", "elif") and dead:
                    dead[-1] = True
                elif word == "endif" and dead:
                    dead.pop()
            continued = line.endswith("\\")
            out.append("")
        else:
            out.append("" if any(dead) else line)
    return "\n".join(out)


def includes(text):
    """(line, name, quoted) of each include."""
    for number, line in enumerate(text.split("\n"), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if match:
            yield number, match.group(2), match.group(1) == '"'


CONTAINER = re.compile(r"^(?:inline\s+)?(?:namespace\b|extern\s*\"\"|class\b|struct\b|union\b|"
                       r"enum\b|typedef\b)")
QUALIFIERS = re.compile(r"(?:\s|const\b|volatile\b|noexcept(?:\s*\([^()]*\))?|override\b|final\b|"
                        r"try\b|&&?|->\s*[\w:<>,\s*&]+)*$")


def matching(text, start):
    """Index of the bracket that closes the one at start, or -1."""
    pairs = {"(": ")", "{": "}", "[": "]"}
    opening, closing = text[start], pairs[text[start]]
    depth = 0
    for match in re.compile(r"[" + re.escape(opening + closing) + "]").finditer(text, start):
        depth += 1 if match.group(0) == opening else -1
        if depth == 0:
            return match.start()
    return -1


def parameter_count(text):
    """Number of parameters of the list between two parentheses."""
    if text.strip() in ("", "void"):
        return 0
    depth = 0
    count = 1
    for i, char in enumerate(text):
        if char in "(<[{":
            depth += 1
        elif char in ")]}" or (char == ">" and text[i - 1] != "-"):
            depth -= 1
        elif char == "," and depth == 0:
            count += 1
    return count


def without_template(header):
    """Header without a leading template<...>."""
    while True:
        match = re.match(r"\s*template\s*<", header)
        if not match:
            return header
        depth = 0
        for i in range(match.end() - 1, len(header)):
            depth += {"<": 1, ">": -1}.get(header[i], 0)
            if depth == 0:
                header = header[i + 1:]
                break
        else:
            return header


def signature(header):
    """(name, parameters, in initialiser list) when header opens a function body, else None."""
    header = without_template(header)
    header = re.sub(r"__attribute__\s*\(\(.*?\)\)|\[\[.*?\]\]|alignas\s*\([^()]*\)", "", header)
    match = re.search(r"(operator\s*(?:\(\)|\[\]|[^\s\w(]+|[\w:]+)|~?[A-Za-z_][\w:]*)\s*\(", header)
    if not match or "=" in header[:match.start()]:
        return None
    close = matching(header, match.end() - 1)
    if close < 0:
        return None
    rest = header[close + 1:]
    name = re.sub(r"\s+", "", match.group(1))
    parameters = parameter_count(header[match.end():close])
    if re.match(r"\s*(?:noexcept\s*)?:(?!:)", rest):  # constructor's initialiser list
        return name, parameters, not rest.rstrip().endswith((")", "}"))
    if QUALIFIERS.match(rest) and QUALIFIERS.match(rest).end() == len(rest):
        return name, parameters, False
    return None


def functions(text):
    """The functions defined in a C or C++ file, and what stands outside of them: the code of the
    file with each body replaced by {}."""
    code = strip_directives(strip_comments(text))
    found = []
    outside = []
    start = 0
    i = 0
    depth = 0
    while i < len(code):
        char = code[i]
        if char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif char in ";}" and depth == 0:
            outside.append(code[start:i + 1])
            start = i + 1
        elif char == ":" and depth == 0 and re.fullmatch(r"\s*(public|private|protected)\s*",
                                                         code[start:i]):
            start = i + 1
        elif char == "{" and depth == 0:
            header = code[start:i]
            end = matching(code, i)
            if end < 0:
                break
            what = signature(header)
            if what and what[2]:  # a brace inside the initialiser list
                i = end + 1
                continue
            if what:
                first = code.count("\n", 0, start + len(header) - len(header.lstrip())) + 1
                found.append(Function(what[0], first, code.count("\n", 0, end) + 1, what[1]))
                outside.append(header + "{}")
                start = i = end + 1
                continue
            if not CONTAINER.match(without_template(header).strip()) or "=" in header:
                i = end + 1  # an initialiser: stays part of its declaration
                continue
            outside.append(header + "{")
            start = i + 1
        i += 1
    return found, outside


def is_program(path, text, language):
    """Shell or Python, by suffix or by its first line."""
    suffix = {"bash": ".sh", "python": ".py"}[language]
    return path.endswith(suffix) or bool(re.match(r"#!.*\b" + language, text))


def root_of(arguments):
    """The project's root: the first argument, or two folders up from here."""
    here = os.path.dirname(os.path.abspath(__file__))
    return arguments[0] if arguments else os.path.dirname(os.path.dirname(here))


if __name__ == "__main__":
    for path_ in sys.argv[1:]:
        for function in functions(read(".", path_))[0]:
            print(path_, *function)
