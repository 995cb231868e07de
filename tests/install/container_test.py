#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The image of a container, without Docker: its steps are scripts of the project, and the packages
are those of scripts/lib/packages.txt, written nowhere else.

Usage: container_test.py ROOT BUILD CASE
"""
import json
import re
import shutil

import case
from case import ROOT, done, expect, refused, run


def steps():
    """[(instruction, rest)] of the Dockerfile, continued lines joined."""
    text = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
    return [tuple(line.split(None, 1)) for line in text.splitlines()
            if line.strip() and not line.startswith("#")]


def copied(d):
    """Does what COPY of the stage `packages` does, below d; every source has to be there."""
    stage = ""
    for instruction, rest in steps():
        if instruction == "FROM":
            stage = rest.rpartition(" AS ")[2]
        elif instruction == "COPY" and not rest.startswith("--from"):
            *sources, to = rest.split()
            for source in sources:
                expect((ROOT / source).exists(), f"COPY of {source}, which is not there")
            if stage == "packages":
                place = d / to.lstrip("/")
                place.mkdir(parents=True, exist_ok=True)
                for source in sources:
                    shutil.copy(ROOT / source, place)


def case_container(d):
    copied(d)
    stages = [rest.split() for instruction, rest in steps() if instruction == "FROM"]
    expect([s[0].split("-")[0] for s in stages] == ["debian:12", "packages", "debian:12"], stages)
    commands = [rest for instruction, rest in steps() if instruction == "RUN"]
    for script in re.findall(r"/(?:opt/ssdvp|src)/(scripts/\S+)", " ".join(commands)):
        done(ROOT / script, "--help", cwd=d)
    # In the image there is nothing but what was copied, and the packages are those of the one list.
    listed = done(d / "opt/ssdvp/scripts/install-packages", "--list", cwd=d).split()
    lines = [line.split() for line in (ROOT / "scripts/lib/packages.txt").read_text().splitlines()]
    groups = {"build", "report", "test", "plot", "guest"}
    expect(set(listed) == {words[1] for words in lines if words and words[0] in groups}, listed)
    expect({"g++", "libsystemc-dev", "fio"} <= set(listed), listed)
    for name in set(listed) - {"binutils", "file", "git", "make"}:
        expect(not re.search(rf"install [^|&]*(?<![\w/-]){re.escape(name)}(?![\w-])",
                             " ".join(commands)), f"the Dockerfile lists {name} itself")
    refused(run(ROOT / "scripts/install-packages", "--list", "none", cwd=d), "no group none")
    place = ROOT / ".devcontainer"
    container = json.loads((place / "devcontainer.json").read_text())
    build = container["build"]
    expect((place / build["dockerfile"]).resolve() == ROOT / "Dockerfile", build)
    expect((place / build["context"]).resolve() == ROOT, build)
    expect(build["target"] in [s[-1] for s in stages if "AS" in s], build)
    expect((ROOT / container["postCreateCommand"].split()[0]).exists(), container)


if __name__ == "__main__":
    case.main(globals())
