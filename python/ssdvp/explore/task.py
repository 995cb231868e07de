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
from ssdvp.explore.space import SEED, Point
from ssdvp.running import command_words

_DIGITS = 16  # of an id
Keys = typing.Tuple[typing.Tuple[str, str], ...]  # of a point


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
               given: typing.Mapping[str, typing.Any], jobs: int,
               known: typing.Optional[typing.Dict[Keys, "Answer"]] = None) -> typing.List[Task]:
    """In the order of `points`, a few looked at side by side. Points that differ in the seed alone
    are asked for once, those in `known` not again."""
    known = {} if known is None else known
    base = Config(*map(_absolute, config.files), set=config.overrides)
    shared = program.ask("states", "--keys").split()
    first = {p.keys: p for p in reversed(points) if p.keys not in known}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        asked = pool.map(lambda point: _ask(base.override(point.overrides()), given),
                         first.values())
        known.update(zip(first, asked))
    return [_ready(base, given, shared, point, known[point.keys]) for point in points]


def _absolute(file: str) -> str:
    """Workers stand in other folders; the name of a preset is no path."""
    return os.path.abspath(file) if os.path.isfile(file) else file


@dataclasses.dataclass(frozen=True)
class Answer:
    """`resolved`: each key with its value; None if it cannot be run, because of `invalid`."""
    resolved: typing.Optional[typing.Mapping[str, str]]
    invalid: str = ""


def _ask(config: Config, given: typing.Mapping[str, typing.Any]) -> Answer:
    try:
        _check(config, given)
        return Answer(config.resolved())
    except ConfigError as error:
        return Answer(None, str(error))


def _ready(base: Config, given: typing.Mapping[str, typing.Any], shared: typing.Sequence[str],
           point: Point, answer: Answer) -> Task:
    binary = program_id(program.path())
    overrides = point.overrides()
    words = (*base.files, *options(base.override(overrides).overrides))
    chosen = tuple(sorted(given.items()))
    resolved: typing.Mapping[str, str] = {"words": " ".join(words)}  # all there is to tell it by
    if answer.resolved is not None:
        resolved = {**answer.resolved, SEED: overrides[SEED]}
    shaping = {k: v for k, v in resolved.items() if not any(fnmatch.fnmatch(k, p) for p in shared)}
    return Task(_digest(binary, resolved, chosen), point, words, chosen,
                _digest(binary, shaping), binary, answer.invalid)


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
