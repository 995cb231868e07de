# SPDX-License-Identifier: Apache-2.0
"""clang-format of the version the project settled on. Exit code 77, which ctest shows as skipped,
where it is not installed: another version formats otherwise."""
import shutil
import subprocess
import sys

import source

CLANG_FORMAT = "clang-format-14"
SKIPPED = 77
BATCH = 40


def check(root, files):
    """Paths that clang-format would change."""
    wrong = []
    for i in range(0, len(files), BATCH):
        batch = files[i:i + BATCH]
        done = subprocess.run([CLANG_FORMAT, "--dry-run", "--Werror", *batch], cwd=root,
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            named = {line.split(":")[0] for line in done.stderr.split("\n") if ": error:" in line}
            wrong += sorted(named) or batch
    return wrong


def main(root):
    if shutil.which(CLANG_FORMAT) is None:
        print(f"SKIPPED: {CLANG_FORMAT} is not installed")
        return SKIPPED
    files = [f for f in source.project_files(root) if f.endswith(source.C_SUFFIXES)]
    wrong = check(root, files)
    for path in wrong:
        print(f"{path}: run {CLANG_FORMAT} -i {path}")
    print(f"{len(wrong)} of {len(files)} files want formatting")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(source.root_of(sys.argv[1:])))
