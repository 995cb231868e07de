# SPDX-License-Identifier: Apache-2.0
"""The commands of the tutorial and of the how-to pages, run as a reader would: each block that
begins with ```sh, page by page, in a folder that looks like a clone that is built.

    python -m docsite.commands ROOT SSDVP [PAGE...] [--keep DIR]

Without pages: all of them. DIR, which must not exist, keeps what one page has made."""
import argparse
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import typing

FENCE = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LONGEST = 300  # seconds of a block
COPIED = ("scripts", "python")  # they look for the program beside themselves
LINKED = ("configs", "docs", "firmware", "models", "tests")
OWN = ("CMakeCache.txt", "build.ninja", "configured")  # what tells another folder's build


def pages(root: pathlib.Path) -> typing.List[pathlib.Path]:
    return [root / "docs/tutorial.md", *sorted((root / "docs/how-to").glob("*.md"))]


def blocks(text: str) -> typing.List[str]:
    return FENCE.findall(text)


def clone(root: pathlib.Path, ssdvp: pathlib.Path, folder: pathlib.Path) -> typing.Dict[str, str]:
    """Makes `folder` look like the project with `ssdvp` as its build; the environment of commands.
    Nothing is built there: CMake and ninja find that all is done."""
    for name in COPIED:
        shutil.copytree(root / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in LINKED:
        (folder / name).symlink_to(root / name)
    shutil.copy(root / "CMakePresets.json", folder)
    build = folder / "build/release"
    build.mkdir(parents=True)
    for path in ssdvp.parent.iterdir():
        if path.name not in OWN:
            (build / path.name).symlink_to(path)
    (folder / "build/python-venv").symlink_to(root / "build/python-venv")
    fakes = folder / "build/fakes"
    fakes.mkdir()
    for name, says in (("cmake", ""), ("ninja", "ninja: no work to do.")):
        (fakes / name).write_text(f"#!/bin/sh\necho '{says}'\n", encoding="utf-8")
        (fakes / name).chmod(0o755)
    kept = {key: value for key, value in os.environ.items()
            if key not in ("PYTHONPATH", "SSDVP", "SSDVP_CONFIGS")}
    return {**kept, "PATH": f"{fakes}:/usr/bin:/bin", "XDG_CACHE_HOME": str(folder / "cache")}


def execute(block: str, folder: pathlib.Path,
            environment: typing.Dict[str, str]) -> typing.Tuple[str, str]:
    """How it ended, "" if well, and what it said. What it leaves running in the background ends,
    so that a block that fails does not keep its scheduler."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said:
        with subprocess.Popen(["bash", "-euo", "pipefail", "-c", block], cwd=folder,
                              env=environment, stdin=subprocess.DEVNULL, stdout=said,
                              stderr=subprocess.STDOUT, start_new_session=True) as shell:
            try:
                code = shell.wait(LONGEST)
                ended = f"exit code {code}" if code else ""
            except subprocess.TimeoutExpired:
                ended = f"not ended after {LONGEST} s"
            with contextlib.suppress(ProcessLookupError):
                os.killpg(shell.pid, signal.SIGKILL)
        said.seek(0)
        return ended, said.read()[-4000:]


def run(page: pathlib.Path, root: pathlib.Path, ssdvp: pathlib.Path,
        folder: pathlib.Path) -> typing.Optional[str]:
    """What went wrong."""
    environment = clone(root, ssdvp, folder)
    for block in blocks(page.read_text(encoding="utf-8")):
        ended, said = execute(block, folder, environment)
        if ended:
            return f"{ended} of\n{block}\n{said}"
        for name in re.findall(r"--out (out/\S+)", block):
            if "$" not in name and not (folder / name).exists():
                return f"{name} was not written by\n{block}\n{said}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("ssdvp", type=pathlib.Path)
    parser.add_argument("pages", type=pathlib.Path, nargs="*")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    root, ssdvp = options.root.resolve(), options.ssdvp.resolve()
    wrong = 0
    for page in options.pages or pages(root):
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as scratch:
            folder = (options.keep or pathlib.Path(scratch) / "clone").resolve()
            folder.mkdir(parents=True)
            said = run(page, root, ssdvp, folder)
        wrong += said is not None
        print(f"{page.name}: {said or 'all commands end well'} "
              f"({time.monotonic() - begin:.1f} s)", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
