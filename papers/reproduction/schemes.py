# SPDX-License-Identifier: Apache-2.0
"""The flash translation layers that papers compare, and how each is chosen by configuration."""
import dataclasses
import typing


@dataclasses.dataclass(frozen=True)
class Scheme:
    """`paged`: its map lies in flash, as much of it in DRAM as `ftl.map_cache` allows."""
    name: str
    paged: bool

    def sets(self, map_cache: typing.Optional[int] = None) -> typing.Tuple[str, ...]:
        """--set overrides; `map_cache`: bytes of DRAM for the map, where the scheme pages it."""
        chosen = (f"ftl.scheme={self.name}",)
        if self.paged and map_cache is not None:
            chosen += (f"ftl.map_cache={map_cache}B",)
        return chosen


SCHEMES = {scheme.name: scheme for scheme in (
    Scheme("page_map", False),
    Scheme("log_set", True),
    Scheme("vm_map", True),
    Scheme("dftl", True),
)}
