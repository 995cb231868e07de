# SPDX-License-Identifier: Apache-2.0
"""Points of the unit cube. The same seed gives the same points on any machine."""
import random
import typing

Shares = typing.Tuple[float, ...]


def uniform(count: int, dimensions: int, seed: int) -> typing.List[Shares]:
    draw = random.Random(seed)
    return [tuple(draw.random() for _ in range(dimensions)) for _ in range(count)]


def latin_hypercube(count: int, dimensions: int, seed: int) -> typing.List[Shares]:
    """Of each axis, cut into `count` equal pieces, every piece holds one point (McKay, Beckman and
    Conover 1979)."""
    draw = random.Random(seed)
    columns = []
    for _ in range(dimensions):
        pieces = list(range(count))
        draw.shuffle(pieces)
        columns.append([(piece + draw.random()) / count for piece in pieces])
    return list(zip(*columns))
