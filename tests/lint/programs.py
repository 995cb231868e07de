# SPDX-License-Identifier: Apache-2.0
"""Shell scripts and Python files parse; programs are executable and stop at the first error."""
import ast
import os
import re
import subprocess
import sys

import source
from source import Finding


def check_bash(path, text):
    done = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True, check=False)
    found = [Finding(path, 0, "bash -n", line) for line in done.stderr.strip().split("\n") if line]
    if text.startswith("#!") and not re.search(r"^set -euo pipefail$", text, re.MULTILINE):
        found.append(Finding(path, 0, "bash", "set -euo pipefail is missing"))
    return found


def check_python(path, text):
    try:
        ast.parse(text, path)
    except SyntaxError as error:
        return [Finding(path, error.lineno or 0, "python", error.msg)]
    return []


def check(root):
    found = []
    for path in source.project_files(root):
        if path.endswith((".png", ".gz", ".zst", ".so")):
            continue
        text = source.read(root, path)
        bash = source.is_program(path, text, "bash")
        if bash:
            found += check_bash(path, text)
        elif source.is_program(path, text, "python"):
            found += check_python(path, text)
        if bash and text.startswith("#!") and not os.access(os.path.join(root, path), os.X_OK):
            found.append(Finding(path, 0, "mode", "is not executable"))
    return found


if __name__ == "__main__":
    sys.exit(source.report(check(source.root_of(sys.argv[1:])), "shell and Python programs"))
