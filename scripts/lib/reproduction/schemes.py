# SPDX-License-Identifier: Apache-2.0
"""The flash translation layers that papers compare, and how each is chosen by configuration."""
import dataclasses
import typing

from .claims import Claim


@dataclasses.dataclass(frozen=True)
class Scheme:
    """`paged`: its map lies in flash, as much of it in DRAM as `ftl.map_cache` allows."""
    name: str
    ready: bool  # this version runs it
    paged: bool

    def sets(self, map_cache: typing.Optional[int] = None) -> typing.Tuple[str, ...]:
        """--set overrides; `map_cache`: bytes of DRAM for the map, where the scheme pages it."""
        chosen = (f"ftl.scheme={self.name}",)
        if self.paged and map_cache is not None:
            chosen += (f"ftl.map_cache={map_cache}B",)
        return chosen


# To run a scheme in every reproduction, its second value becomes True.
SCHEMES = {scheme.name: scheme for scheme in (
    Scheme("page_map", True, False),
    Scheme("log_set", True, True),
    Scheme("vm_map", True, True),
    Scheme("dftl", True, True),
)}


def ready(*names: str) -> typing.List[Scheme]:
    """Those of the schemes that this version runs, all without names."""
    return [SCHEMES[name] for name in names or SCHEMES if SCHEMES[name].ready]


def preferred(*names: str) -> Scheme:
    """The first of the schemes that this version runs."""
    return ready(*names)[0]


def absent(paper: str, *names: str) -> typing.List[Claim]:
    """A row for a claim that needs schemes which this version does not run; none if it does."""
    missing = [name for name in names if not SCHEMES[name].ready]
    if not missing:
        return []
    return [Claim(paper, f"not run: ftl.scheme has no {', '.join(missing)} in this version",
                  False, binding=False)]
