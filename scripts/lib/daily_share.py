# SPDX-License-Identifier: Apache-2.0
"""Which part of the presets asan and tidy continuous integration has today.

    daily_share.py programs DATE         test programs, in one line
    daily_share.py sources DATE ROOT     sources of ROOT, one a line

Each test program and each source has its turn, in the order of their names, so that nothing is
looked at twice before all was looked at once. Sources that the last day's commits have changed come
on top."""
import datetime
import pathlib
import subprocess
import sys
import typing

# A day's programs compile and run in some two minutes of one core. `fw`, whose cases take the same
# firmware further, is for the night.
PROGRAMS = (
    ("fw_shy", "fw_parked"),
    ("flash",),
    ("host",),
    ("blocks", "pcie"),
    ("nvme_front_end",),
    ("sata",),
    ("register_access",),
)
TURNS = 90  # days until each source had its turn
CHANGED = 6  # of those that were changed, so many at most


def turn(date: str) -> int:
    return datetime.date.fromisoformat(date).toordinal()


def git(root: pathlib.Path, *words: str) -> typing.List[str]:
    told = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True,
                          check=True)
    return told.stdout.splitlines()


def changed(root: pathlib.Path) -> typing.Set[str]:
    """Sources that the commits of the day before the last commit have changed."""
    last = git(root, "log", "-1", "--format=%ct")[0]
    return set(git(root, "log", f"--since={int(last) - 86400}", "--name-only", "--format=",
                   "--diff-filter=AM"))


def every_source(root: pathlib.Path) -> typing.List[str]:
    return sorted(str(path.relative_to(root)) for folder in ("models", "platform")
                  for path in (root / folder).rglob("*.cpp"))


def of_turn(root: pathlib.Path, number: int) -> typing.List[str]:
    return every_source(root)[number % TURNS::TURNS]


def sources(root: pathlib.Path, date: str) -> typing.List[str]:
    """C++ sources: the turn's, and of the changed ones as many as there is time for."""
    today = of_turn(root, turn(date))
    new = sorted(changed(root) & set(every_source(root)) - set(today))
    step = max(1, -(-len(new) // CHANGED))
    return today + new[turn(date) % step::step]


def programs(date: str) -> str:
    return " ".join(PROGRAMS[turn(date) % len(PROGRAMS)])


def main(words: typing.Sequence[str]) -> int:
    if words[0] == "programs":
        print(programs(words[1]))
    else:
        print("\n".join(sources(pathlib.Path(words[2]), words[1])))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
