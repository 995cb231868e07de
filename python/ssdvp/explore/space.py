# SPDX-License-Identifier: Apache-2.0
"""What is varied: keys with their values, how points are picked, which points make no sense.

    config: [device/nvme-tlc]            # what every point begins with; a name or a list
    set: {precondition.fill: 1}          # keys that are the same for all
    options: {requests: 20000}           # of ssdvp run
    sample: grid                         # or random, latin_hypercube, list
    points: 40                           # of random and latin_hypercube
    sample_seed: 1                       # of these two
    seeds: 3                             # runs of each point: run.seed 1, 2, 3; or a list
    keys:
      flash.channels: [2, 4, 8]
      cache.capacity: {from: 1MiB, to: 64MiB, steps: 4, scale: log}
      ftl.map_cache: {values: [1MiB, 4MiB], when: "ftl.scheme == 'dftl'"}
    list: [{flash.channels: 2}, ...]     # the points themselves, with sample: list
    where: ["flash.channels * flash.luns_per_channel <= 32"]
    optimise: {...}                      # what is sought in it: explore/optimise.py
"""
import dataclasses
import itertools
import math
import os
import typing
import warnings

from ssdvp.config import Config, text
from ssdvp.errors import ConfigError
from ssdvp.explore import sampling, values
from ssdvp.explore.expression import Expression
from ssdvp.explore.marked_yaml import Document, Path
from ssdvp.explore.options import option_problem
from ssdvp.explore.values import Value

SAMPLES = ("grid", "random", "latin_hypercube", "list")
_TOP = ("config", "set", "options", "sample", "points", "sample_seed", "seeds", "keys", "list",
        "where")
GOAL = "optimise"  # what explore/goal.py reads of the same file
_OF_KEY = ("values", "from", "to", "steps", "scale", "when")
SEED = "run.seed"
_MOST_RUNS = 100_000          # each takes a kilobyte before it begins, and a folder afterwards
_MOST_LOOKED_AT = 1_000_000  # points, of which the conditions leave some
_TRIED = 200                  # points of a space whose points are not known beforehand

Given = typing.Mapping[str, typing.Any]
Keys = typing.Dict[str, Value]


@dataclasses.dataclass(frozen=True)
class Axis:
    """One key: its values, or the two ends of a range. `when`: the condition under which the key is
    set at all."""
    key: str
    values: typing.Tuple[Value, ...] = ()
    low: typing.Optional[Value] = None
    high: typing.Optional[Value] = None
    steps: int = 0
    logarithmic: bool = False
    when: typing.Optional[Expression] = None

    def at(self, share: float) -> Value:
        """The value at `share` (0 <= share < 1) of the axis."""
        if self.values:
            return self.values[int(share * len(self.values))]
        assert self.low is not None and self.high is not None
        return values.between(self.low, self.high, share, self.logarithmic)

    def grid(self) -> typing.Sequence[Value]:
        if self.values:
            return self.values
        assert self.low is not None and self.high is not None
        shares = [i / (self.steps - 1) for i in range(self.steps)]
        return list(dict.fromkeys(
            values.between(self.low, self.high, s, self.logarithmic) for s in shares))


@dataclasses.dataclass(frozen=True)
class Point:
    """Keys that differ from point to point, and the seed."""
    keys: typing.Tuple[typing.Tuple[str, str], ...]
    seed: int

    def overrides(self) -> typing.Dict[str, str]:
        return {**dict(self.keys), SEED: str(self.seed)}


def texts(keys: typing.Mapping[str, Value]) -> typing.Tuple[typing.Tuple[str, str], ...]:
    """Keys and values as a Point has them."""
    return tuple((key, text(value)) for key, value in keys.items())


class Space:
    """From a file (`Space.load`) or from the same as a dict. ConfigError names what is wrong."""

    def __init__(self, given: Given, document: typing.Optional[Document] = None) -> None:
        self._document, self.given = document, given
        self._known(given, (*_TOP, GOAL), ())
        self._asked: typing.Dict[Path, typing.Dict[bool, int]] = {}  # answers of each condition
        self.config = Config(*self._files(given), set=self._section(given, "set"))
        self.options = self._section(given, "options")
        for name, value in self.options.items():
            problem = option_problem(name, value)
            if problem:
                raise self.wrong(("options", name), problem)
        if SEED in self.config.overrides:
            raise self.wrong(("set", SEED), f"{SEED}: is given by seeds:")
        self.seeds = self._seeds(given.get("seeds", 1))
        self.axes = [self._axis(key, axis) for key, axis in self._section(given, "keys").items()]
        where = given.get("where") or []
        if not isinstance(where, list):
            raise self.wrong(("where",), 'where: is a list of conditions, ["flash.channels <= 4"]')
        self.where = [self._condition(c, ("where", i)) for i, c in enumerate(where)]
        self.sample = given.get("sample", "list" if given.get("list") else "grid")
        if self.sample not in SAMPLES:
            raise self.wrong(("sample",), f"sample: '{self.sample}' is none of "
                              + ", ".join(SAMPLES))
        self.listed = self._listed(given)
        self.count = self._count(given)
        self.sample_seed = given.get("sample_seed", 1)
        if type(self.sample_seed) is not int:
            raise self.wrong(("sample_seed",), "sample_seed: is a whole number")
        self._bounded()
        self._ask_keys()

    @classmethod
    def load(cls, file: typing.Union[str, "os.PathLike[str]"]) -> "Space":
        document = Document(file)
        if not isinstance(document.data, dict):
            raise ConfigError(f"{document.file}: a space is a map of {', '.join(_TOP)}")
        return cls(document.data, document)

    @classmethod
    def of(cls, given: "typing.Union[Space, Given, str, os.PathLike[str]]") -> "Space":
        if isinstance(given, Space):
            return given
        if isinstance(given, (str, os.PathLike)):
            return cls.load(given)
        return cls(given)

    def shape(self) -> Given:
        """What makes it this space and no other one, as JSON can have it."""
        return {name: value for name, value in self.given.items() if name != GOAL}

    def points(self) -> typing.List[Point]:
        """Every point once per seed, in the order in which they are to be run. ConfigError if the
        conditions leave none."""
        most = _MOST_RUNS // len(self.seeds)
        made: typing.Dict[typing.Any, None] = {}  # several are one where a key does not apply
        for keys in self._kept(self._sampled()):
            made[keys] = None
            if len(made) > most:
                raise self.wrong(("keys",), f"more than {_MOST_RUNS:,} runs; use fewer values or "
                                 "seeds, or sample: latin_hypercube with points:")
        if not made:
            conditions = "; ".join(c.text for c in self.where) or "the space is empty"
            raise self.wrong(("where",), f"no point is left: {conditions}")
        self._warn_of_constants()
        return [Point(keys, seed) for keys in made for seed in self.seeds]

    def try_out(self) -> None:
        """Looks at some points, for wrong conditions, before others are drawn one by one."""
        draws = sampling.uniform(_TRIED, len(self.axes), self.sample_seed)
        for _ in self._kept({a.key: a.at(s) for a, s in zip(self.axes, d)} for d in draws):
            pass
        self._warn_of_constants()

    def keys(self) -> typing.Dict[str, str]:
        """That differ from point to point, and what they measure (values.measures)."""
        found = {a.key: values.measures(a.at(0.0)) for a in self.axes}
        for point in self.listed:
            found.update({key: values.measures(value) for key, value in point.items()})
        return found

    # How points are made.

    def _sampled(self) -> typing.Iterable[typing.Dict[str, Value]]:
        names = [a.key for a in self.axes]
        if self.sample == "list":
            return self.listed
        if self.sample == "grid":
            for axis in self.axes:
                if not axis.values and not axis.steps:
                    raise self.wrong(("keys", axis.key),
                                      f"{axis.key}: in a grid a range needs steps:")
            return (dict(zip(names, v)) for v in itertools.product(*(a.grid() for a in self.axes)))
        draw = sampling.uniform if self.sample == "random" else sampling.latin_hypercube
        return ({a.key: a.at(s) for a, s in zip(self.axes, shares)}
                for shares in draw(self.count, len(self.axes), self.sample_seed))

    def applies(self, axis: Axis, keys: typing.Mapping[str, Value]) -> bool:
        """Is the key set at all, beside these others?"""
        return axis.when is None or self._holds(axis.when, keys, ("keys", axis.key, "when"))

    def allows(self, keys: typing.Mapping[str, Value]) -> bool:
        """Do the conditions of `where` hold?"""
        return all(self._holds(condition, keys, ("where", i))
                   for i, condition in enumerate(self.where))

    def _kept(self, points: typing.Iterable[typing.Dict[str, Value]]
              ) -> typing.Iterator[typing.Tuple[typing.Tuple[str, str], ...]]:
        """Without keys that do not apply, and without points that are not allowed."""
        for keys in points:
            for axis in self.axes:
                if axis.key in keys and not self.applies(axis, keys):
                    del keys[axis.key]
            if self.allows(keys):
                yield texts(keys)

    def _holds(self, condition: Expression, keys: typing.Mapping[str, Value], path: Path) -> bool:
        def known(name: str) -> Value:
            return keys[name] if name in keys else self.config[name]
        try:
            answer = condition.holds(known)
        except (ValueError, KeyError) as error:
            raise self.wrong(path, str(error.args[0])) from error
        answers = self._asked.setdefault(path, {})
        answers[answer] = answers.get(answer, 0) + 1
        return answer

    def _warn_of_constants(self) -> None:
        """A condition that is the same at all points selects nothing."""
        for path, answers in self._asked.items():
            (answer, times), *others = answers.items()
            if times > 1 and not others:
                told = "true" if answer else "false"
                warnings.warn(str(self.wrong(path, f"{'.'.join(map(str, path))} is {told} at all "
                                             f"{times} points that it is asked of")), stacklevel=3)
        self._asked.clear()

    # How the file is read.

    def wrong(self, path: Path, told: str) -> ConfigError:
        """An error of the file this was read from, at `path` in it."""
        return self._document.wrong(path, told) if self._document else ConfigError(told)

    def _known(self, given: Given, names: typing.Sequence[str], path: Path) -> None:
        for name in given:
            if name not in names:
                raise self.wrong((*path, name), f"'{name}' is unknown here; there are "
                                  + ", ".join(names))

    def _files(self, given: Given) -> typing.List[str]:
        config = given.get("config")
        if not config:
            raise self.wrong((), "a space needs a config: what every point begins with")
        files = [config] if isinstance(config, (str, os.PathLike)) else config
        if not isinstance(files, (list, tuple)) or not all(
                isinstance(f, (str, os.PathLike)) for f in files):
            raise self.wrong(("config",), f"config: '{config}' is neither a name nor a list of "
                             "names")
        return list(files)

    def _bounded(self) -> None:
        """Before anything is built: seeds: 100000000 must not take the memory of the machine."""
        grid = math.prod(len(a.values) or a.steps or 1 for a in self.axes)
        if (self.count or len(self.listed) or grid) > _MOST_LOOKED_AT:
            raise self.wrong(("points" if self.count else "keys",),
                             f"more than {_MOST_LOOKED_AT:,} points, the conditions not counted; "
                             "use fewer values, or sample: latin_hypercube with points:")

    def _section(self, given: Given, name: str) -> typing.Dict[str, typing.Any]:
        section = given.get(name) or {}
        if not isinstance(section, dict):
            raise self.wrong((name,), f"{name}: is a map, KEY: VALUE")
        for key, value in section.items() if name == "set" else ():
            if not values.is_value(value):
                raise self.wrong((name, key), f"{key}: '{value}' is no value of a key")
        return dict(section)

    def _condition(self, given: typing.Any, path: Path) -> Expression:
        try:
            return Expression(str(given))
        except ValueError as error:
            raise self.wrong(path, str(error)) from error

    def _seeds(self, given: typing.Any) -> typing.Sequence[int]:
        if type(given) is int and given > _MOST_RUNS:
            raise self.wrong(("seeds",), f"seeds: more than {_MOST_RUNS:,} runs")
        seeds = range(1, given + 1) if type(given) is int else given
        if not isinstance(seeds, (range, list)) or not seeds or (
                isinstance(seeds, list) and not all(type(s) is int for s in seeds)):
            raise self.wrong(("seeds",), "seeds: how many, or a list of whole numbers")
        return seeds

    def _axis(self, key: str, given: typing.Any) -> Axis:
        path: Path = ("keys", key)
        if isinstance(given, list):
            given = {"values": given}
        if not isinstance(given, dict):
            raise self.wrong(path, f"{key}: needs a list of values, or from and to")
        self._known(given, _OF_KEY, path)
        when = self._condition(given["when"], (*path, "when")) if "when" in given else None
        if "values" in given:
            if not isinstance(given["values"], list) or not given["values"]:
                raise self.wrong(path, f"{key}: values: is a list, and not empty")
            for value in given["values"]:
                if not values.is_value(value):
                    raise self.wrong(path, f"{key}: '{value}' is no value of a key")
            return Axis(key, tuple(given["values"]), when=when)
        return self._range(key, given, when)

    def _range(self, key: str, given: Given, when: typing.Optional[Expression]) -> Axis:
        path: Path = ("keys", key)
        low, high = given.get("from"), given.get("to")
        if low is None or high is None:
            raise self.wrong(path, f"{key}: needs a list of values, or from and to")
        kinds = {values.measures(low), values.measures(high)}
        if len(kinds) > 1 or "word" in kinds:
            raise self.wrong(path, f"{key}: from '{low}' to '{high}' is no range of numbers of "
                              "one kind")
        if values.number(low) >= values.number(high):  # type: ignore[operator]
            raise self.wrong(path, f"{key}: from '{low}' is not below to '{high}'")
        scale = given.get("scale", "linear")
        if scale not in ("linear", "log") or (scale == "log" and not values.number(low)):
            raise self.wrong((*path, "scale"), f"{key}: scale: is linear, or log from above 0")
        steps = given.get("steps", 0)
        if type(steps) is not int or steps < 0 or steps == 1:
            raise self.wrong((*path, "steps"), f"{key}: steps: is a whole number from 2 on")
        return Axis(key, low=low, high=high, steps=steps, logarithmic=scale == "log", when=when)

    def _listed(self, given: Given) -> typing.List[typing.Dict[str, Value]]:
        listed = given.get("list") or []
        if (self.sample == "list") != bool(listed):
            raise self.wrong(("list",), "sample: list and the points of list: belong together")
        if not isinstance(listed, list) or not all(isinstance(p, dict) for p in listed):
            raise self.wrong(("list",), "list: is a list of maps, KEY: VALUE")
        for index, (key, value) in ((i, kv) for i, p in enumerate(listed) for kv in p.items()):
            if not values.is_value(value):
                raise self.wrong(("list", index, key), f"{key}: '{value}' is no value of a key")
        if listed and self.axes:
            raise self.wrong(("keys",), "keys: and list: are two ways to say the same; use one")
        return [dict(p) for p in listed]

    def _count(self, given: Given) -> int:
        random = self.sample in ("random", "latin_hypercube")
        count = given.get("points", 0)
        if random != bool(count) or type(count) is not int or count < 0:
            raise self.wrong(("points",), "points: how many, with sample: random or "
                              "latin_hypercube, and only then")
        if not self.axes and not self.listed:
            raise self.wrong(("keys",), "a space needs keys: or list:, what is varied")
        return count

    def _ask_keys(self) -> None:
        """Each key must be one of the configuration."""
        self.config.resolved()
        from ssdvp import program
        for key in self.keys():
            if key == SEED:
                raise self.wrong(("keys", key), f"{key}: is given by seeds:")
            try:
                program.ask("show", *self.config.override({key: "default"}).words())
            except ConfigError as error:
                told = str(error)
                if "is not a key" in told:
                    raise self.wrong(("keys", key), told.split(": ", 1)[-1]) from error
