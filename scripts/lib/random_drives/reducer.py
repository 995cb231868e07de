# SPDX-License-Identifier: Apache-2.0
"""The fewest keys, and then the fewest requests, with which a drive still fails in the same way."""
import typing

from random_drives.choice import Keys

Fails = typing.Callable[[Keys], bool]

REQUESTS = "run.requests"
KEPT = (REQUESTS, "run.seed")


def fewest(names: typing.List[str], fails: typing.Callable[[typing.List[str]], bool]
           ) -> typing.List[str]:
    """Delta debugging (Zeller and Hildebrandt, 2002): none of the names left can be left out."""
    pieces = 2
    while names:
        size = -(-len(names) // pieces)
        for at in range(0, len(names), size):
            rest = names[:at] + names[at + size:]
            if fails(rest):
                names, pieces = rest, max(pieces - 1, 2)
                break
        else:
            if size == 1:
                break
            pieces = min(2 * pieces, len(names))
    return names


def fewest_requests(keys: Keys, fails: Fails) -> Keys:
    """By halves: the number below which it stops failing, to a tenth."""
    low, high = 0, int(keys[REQUESTS])
    while high - low > max(1, high // 10):
        middle = (low + high) // 2
        if fails({**keys, REQUESTS: middle}):
            high = middle
        else:
            low = middle
    return {**keys, REQUESTS: high}


def reduced(keys: Keys, fails: Fails) -> Keys:
    kept = {k: keys[k] for k in KEPT if k in keys}
    names = fewest([k for k in keys if k not in kept],
                   lambda some: fails({**{k: keys[k] for k in some}, **kept}))
    less = {**{k: keys[k] for k in names}, **kept}
    return fewest_requests(less, fails) if REQUESTS in less else less
