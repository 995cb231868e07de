# SPDX-License-Identifier: Apache-2.0
"""One point made ready: asked whether it can be run, and told apart from all others."""
import concurrent.futures
import dataclasses
import fnmatch
import functools
import hashlib
import json
import os
import pathlib
import typing

from ssdvp import program
from ssdvp.config import Config, options
from ssdvp.errors import ConfigError
from ssdvp.explore.space import Point
from ssdvp.running import command_words

_DIGITS = 16  # of an id


@dataclasses.dataclass(frozen=True)
class Task:
    """`id`: of everything that shapes its result: program, configuration, options. `state`: of
    everything that shapes the preconditioned drive it begins with. `invalid`: why it cannot be
    run; empty if it can."""
    id: str
    point: Point
    words: typing.Tuple[str, ...]
    options: typing.Tuple[typing.Tuple[str, typing.Any], ...]
    state: str
    program: str
    invalid: str = ""

    def command(self, folder: pathlib.Path) -> typing.List[str]:
        return ["run", *self.words, "--quiet", "--out", str(folder),
                *command_words(dict(self.options), folder)]


@functools.lru_cache(maxsize=None)
def program_id(path: str) -> str:
    """Of its bytes: two builds of one version may give different results."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for piece in iter(lambda: file.read(1 << 20), b""):
            digest.update(piece)
    return digest.hexdigest()


def made_ready(config: Config, points: typing.Sequence[Point],
               given: typing.Mapping[str, typing.Any], jobs: int) -> typing.List[Task]:
    """In the order of `points`, a few looked at side by side."""
    base = Config(*map(_absolute, config.files), set=config.overrides)
    shared = program.ask("states", "--keys").split()
    ready = functools.partial(_ready, base, given, shared)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(ready, points))


def _absolute(file: str) -> str:
    """Workers stand in other folders; the name of a preset is no path."""
    return os.path.abspath(file) if os.path.isfile(file) else file


def _ready(base: Config, given: typing.Mapping[str, typing.Any],
           shared: typing.Sequence[str], point: Point) -> Task:
    config = base.override(point.overrides())
    binary = program_id(program.path())
    words = (*base.files, *options(config.overrides))
    chosen = tuple(sorted(given.items()))
    try:
        _check(config, given)
        resolved = config.resolved()
        invalid = ""
    except ConfigError as error:
        # The words are all there is to tell it by.
        resolved, invalid = {"words": " ".join(words)}, str(error)
    shaping = {k: v for k, v in resolved.items() if not any(fnmatch.fnmatch(k, p) for p in shared)}
    return Task(_digest(binary, resolved, chosen), point, words, chosen,
                _digest(binary, shaping), binary, invalid)


_INPUTS = ("trace", "trace_replay", "trace_device", "trace_fit", "fio", "firmware")


def _check(config: Config, given: typing.Mapping[str, typing.Any]) -> None:
    inputs = {name: value for name, value in given.items() if name in _INPUTS}
    program.ask("check", *config.words(), *command_words(inputs, pathlib.Path()))


def _digest(*parts: typing.Any) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:_DIGITS]


def in_order(tasks: typing.Sequence[Task], jobs: int) -> typing.List[Task]:
    """So that workers seldom wait for a preconditioned drive that another one makes, and drives are
    used before the cache forgets them: `jobs` drives at a time, of each first the one run that
    makes it, then the others in turn."""
    by_state: typing.Dict[str, typing.List[Task]] = {}
    for task in tasks:
        by_state.setdefault(task.state, []).append(task)
    groups = list(by_state.values())
    ordered = []
    for begin in range(0, len(groups), jobs):
        chunk = groups[begin:begin + jobs]
        for turn in range(max(map(len, chunk))):
            ordered += [group[turn] for group in chunk if turn < len(group)]
    return ordered
