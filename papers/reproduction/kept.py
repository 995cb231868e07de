# SPDX-License-Identifier: Apache-2.0
"""Results that need not be made again. A program leaves a stamp beside what it wrote, as the last
thing; the stamp says what all of it depends on. So what is killed loses the programs under way.

What Python makes of results (claims, figures) is made anew each time: it takes seconds, and its
sources need not be part of what is compared. Traces that it makes are compared as files."""
import functools
import hashlib
import json
import os
import pathlib
import re
import typing

from . import work

STAMP = "kept.json"
WORTH = 0.5  # seconds of a core: quicker answers are asked for again
CONFIGS = pathlib.Path(__file__).parents[2] / "configs"


@functools.lru_cache(maxsize=None)
def content(path: pathlib.Path, _size: int, _changed_ns: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def content_of(path: pathlib.Path) -> str:
    stat = path.stat()
    return content(path, stat.st_size, stat.st_mtime_ns)


@functools.lru_cache(maxsize=None)
def behind(config: pathlib.Path) -> typing.Tuple[pathlib.Path, ...]:
    """A configuration file, those that it extends, and traces that it names. A word that happens
    to be a file is one of them too: better once more than once too few."""
    found = {config: None}
    for path in found.copy():
        text = re.sub(r"#.*", "", path.read_text(encoding="utf-8"))
        for word in re.findall(r"[\w./-]+", text):
            for named in (config.parent / word, CONFIGS / f"{word}.yaml"):
                if named.is_file():
                    more = behind(named) if named.suffix == ".yaml" else (named,)
                    found.update(dict.fromkeys(more))
    return tuple(found)


def meaning(word: str, folder: pathlib.Path) -> str:
    """A word of a command, with what is in files instead of their names. `folder`: what the command
    writes, wherever that lies."""
    if str(folder) in word:
        return word.replace(str(folder), "OUT")
    config = CONFIGS / f"{word}.yaml"
    if config.is_file():
        return " ".join(map(content_of, behind(config)))
    path = pathlib.Path(word.split(",")[0])  # a trace may have its format behind it
    return f"{content_of(path)} {path.suffix} {word.split(',')[1:]}" if path.is_file() else word


def fingerprint(command: typing.Sequence[str], folder: pathlib.Path) -> str:
    """All that the results of a command depend on: the program, its arguments, among them options
    and seeds, configuration files with what they extend, traces."""
    words = [content_of(pathlib.Path(command[0])) if os.sep in command[0] else command[0],
             *(meaning(word, folder) for word in command[1:])]
    return hashlib.sha256("\0".join(words).encode()).hexdigest()


def read(path: pathlib.Path) -> dict:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def write(path: pathlib.Path, entry: dict) -> None:
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(entry), encoding="utf-8")
    os.replace(part, path)


def sizes(folder: pathlib.Path) -> typing.Dict[str, int]:
    return {path.name: path.stat().st_size for path in folder.iterdir()
            if path.is_file() and path.name != STAMP}


def trusted() -> bool:
    session = work.session()
    return session is not None and session.trusted


def results(command: typing.Sequence[str], out: pathlib.Path) -> None:
    """Runs `command`, which writes into `out`, unless all is there that it would write."""
    if work.session() is None:
        work.run(command)
        return
    key, stamp = fingerprint(command, out), out / STAMP
    found = read(stamp) if trusted() else {}
    is_kept = found.get("key") == key and found["files"].items() <= sizes(out).items()
    if not is_kept:
        stamp.unlink(missing_ok=True)
        _, seconds = work.run(command)
        found = {"key": key, "seconds": seconds, "files": sizes(out),
                 "seed": read(out / "summary.json").get("seed")}
        write(stamp, found)
    work.meter().add(found["seconds"], is_kept, found["seed"])


def answer(command: typing.Sequence[str]) -> str:
    """What a program prints that writes no files."""
    if work.session() is None:
        return work.run(command)[0]
    path = work.answers() / f"{fingerprint(command, work.answers())}.json"
    found = read(path) if trusted() else {}
    is_kept = bool(found)
    if not is_kept:
        text, seconds = work.run(command)
        found = {"text": text, "seconds": seconds}
        if seconds >= WORTH:
            write(path, found)
    if found["seconds"] >= WORTH:
        work.meter().add(found["seconds"], is_kept)
    return found["text"]
