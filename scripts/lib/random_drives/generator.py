# SPDX-License-Identifier: Apache-2.0
"""Draws drives so that each pair of choices occurs: greedily, what was not yet seen together."""
import dataclasses
import itertools
import random
import typing

from random_drives.choice import Choices, Keys, Named, Needs, OneOf

Pair = typing.Tuple[Named, Named]
Check = typing.Callable[[Keys], typing.Optional[str]]  # None, or why it is refused

MOST = 12  # choices that are not plain, to begin with
DRAWS = 3  # of the values of a pair alone, before the pair counts as excluded


def pair(a: Named, b: Named) -> Pair:
    return (a, b) if a < b else (b, a)


@dataclasses.dataclass
class Drive:
    chosen: typing.Dict[str, str]  # feature: choice
    keys: Keys


class Generator:
    """`covered` and `excluded` tell how far it has come; `refused` counts what was drawn again."""

    def __init__(self, features: typing.Dict[str, Choices], needs: Needs, base: Keys, check: Check,
                 seed: int):
        self._features, self._needs, self._base, self._check = features, needs, base, check
        self._random = random.Random(seed)
        self._plain = {f: next(iter(c)) for f, c in features.items()}
        named = [(f, c) for f, choices in features.items() for c in choices]
        self.all_pairs = [pair(a, b) for a, b in itertools.combinations(named, 2) if a[0] != b[0]]
        self._missing = set(self.all_pairs)
        self._order = list(self.all_pairs)
        self._random.shuffle(self._order)
        self.excluded: typing.Dict[Pair, str] = {}
        self.refused = 0

    @property
    def covered(self) -> int:
        return len(self.all_pairs) - len(self._missing) - len(self.excluded)

    def missing(self) -> typing.Set[Pair]:
        return self._missing

    def next(self) -> Drive:
        """A drive that `check` accepts."""
        while True:
            drive = self._attempt()
            if drive:
                names = sorted(drive.chosen.items())
                self._missing -= set(itertools.combinations(names, 2))
                return drive

    def _target(self) -> typing.Dict[str, str]:
        """A pair that was not seen yet; when there is none, any choice."""
        while self._order and self._order[-1] not in self._missing:
            self._order.pop()
        if self._order:
            return dict(self._order[-1])
        feature = self._random.choice(list(self._features))
        return {feature: self._random.choice(list(self._features[feature]))}

    def _attempt(self) -> typing.Optional[Drive]:
        """With fewer and fewer other choices, until it is accepted; at last the target alone."""
        target = self._target()
        others = self._others(target)
        while others:
            drive = self._draw({**target, **dict(others)})
            if drive and not self._refusal(drive):
                return drive
            others = others[:len(others) // 2]
        return self._alone(target)

    def _alone(self, target: typing.Dict[str, str]) -> typing.Optional[Drive]:
        why: typing.Optional[str] = None
        for _ in range(DRAWS):
            drive = self._draw(target)
            why = self._refusal(drive) if drive else "both set " + self._contradiction(target)
            if drive and not why:
                return drive
        named = tuple(sorted(target.items()))
        if len(named) == 2:
            a, b = named
            self.excluded[(a, b)] = str(why)
            self._missing.discard((a, b))
        return None

    def _refusal(self, drive: Drive) -> typing.Optional[str]:
        why = self._check(drive.keys)
        self.refused += why is not None
        return why

    def _others(self, target: typing.Dict[str, str]) -> typing.List[Named]:
        """Choices of other features that see most of the missing pairs with those before them."""
        features = [f for f in self._features if f not in target]
        self._random.shuffle(features)
        chosen = list(target.items())
        for feature in features[:self._random.randint(2, MOST)]:
            best, most = None, -1
            choices = list(self._features[feature])
            self._random.shuffle(choices)
            for choice in choices:
                pairs = [pair((feature, choice), other) for other in chosen]
                new = sum(p in self._missing for p in pairs)
                if new > most and not any(p in self.excluded for p in pairs):
                    best, most = choice, new
            if best is not None:
                chosen.append((feature, best))
        return chosen[len(target):]

    def _contradiction(self, chosen: typing.Dict[str, str]) -> str:
        """The first key that two of these choices set differently, or ''."""
        seen: Keys = {}
        for feature, choice in chosen.items():
            for key, value in self._features[feature][choice].items():
                if seen.setdefault(key, value) != value:
                    return key
        return ""

    def _with_needs(self, chosen: typing.Dict[str, str]) -> typing.Dict[str, str]:
        made = dict(chosen)
        for named in chosen.items():
            feature, choices = self._needs.get(named, ("", ()))
            if feature and feature not in made:
                made[feature] = self._random.choice(choices)
        return made

    def _draw(self, chosen: typing.Dict[str, str]) -> typing.Optional[Drive]:
        """Plain choices give way to those that were chosen; none when two of these differ."""
        chosen = self._with_needs(chosen)
        if self._contradiction(chosen):
            return None
        keys: Keys = {"run.requests": self._random.randint(500, 5000), **self._base}
        wanted = {k for f, c in chosen.items() for k in self._features[f][c]}
        plain = {f: c for f, c in self._plain.items()
                 if f not in chosen and not wanted & set(self._features[f][c])}
        for feature, choice in [*plain.items(), *sorted(chosen.items())]:
            for key, value in self._features[feature][choice].items():
                keys[key] = self._random.choice(value.values) if isinstance(value, OneOf) else value
        keys["run.seed"] = self._random.randint(1, 1000000)
        return Drive({**plain, **chosen}, keys)
