# SPDX-License-Identifier: Apache-2.0
"""The experiments by name, their parts, and the papers that they belong to."""
import dataclasses
import typing

from . import (controller, log_set, map_cache, shallow_write, suspend, vm_map, windows_ftl,
               windows_sweep)

EXPERIMENTS = {"suspend": suspend.PARTS, "controller": controller.PARTS, "log-set": log_set.PARTS,
               "vm-map": vm_map.PARTS, "map-cache": map_cache.PARTS,
               "windows-ftl": {**windows_ftl.PARTS, **windows_sweep.PARTS},
               "shallow-write": shallow_write.PARTS}


@dataclasses.dataclass(frozen=True)
class Paper:
    """`page`: in docs/papers."""
    page: str
    title: str
    experiments: typing.Tuple[str, ...]


PAPERS = (
    Paper("controller-and-log-set.md", "Min et al., 2011: models of flash storage, an FTL of logs",
          ("controller", "log-set")),
    Paper("shallow-write.md", "Shin, 2019: shallow writes in drives with a cache",
          ("shallow-write",)),
    Paper("windows-ftl.md", "W.-J. Park et al., 2005: five FTLs under Windows file systems",
          ("windows-ftl",)),
    Paper("vm-map.md", "H.-S. Lee, 2022: a map paged like virtual memory", ("vm-map",)),
    Paper("erase-suspend.md", "Kim, Seo, Kim, 2025: erase suspend at safe points", ("suspend",)),
    Paper("map-cache.md", "(ours) what a map in flash costs", ("map-cache",)),
)
