# SPDX-License-Identifier: Apache-2.0
"""What a map in flash costs: page_map, vm_map, dftl and log_set side by side, DRAM for the map,
write amplification, requests per second and tails over the working set."""
import pathlib
import typing

from . import figures, schemes
from .claims import Claim, above, at_most, below, falling, none_of
from .runs import Result, Run, execute_all

BASE = ("experiment/map-cache",)
LOAD = "uniform, 4 KiB, half of the requests reads"
SETS_MIB = (8, 16, 32, 64, 128, 256)  # working sets
# Bytes of DRAM for a paged map, of 410 KiB. What it reaches depends on the scheme: 2 segments or 32
# map pages are 128 MiB of data, 2,730 entries of dftl 10.7 MiB.
CACHE = 128 << 10
GROWS = 2  # map operations per request, from a working set that fits the cache to one that does not
SLOWER = 0.05  # less would be chance
CHECKPOINTS = 0.1  # map pages per request, at most: few of what the requests change


class Case(typing.NamedTuple):
    scheme: str
    mib: int  # working set

    def label(self) -> str:
        return f"{self.scheme}-{self.mib}MiB"


Measured = typing.Dict[Case, Result]


def cases(quick: bool) -> typing.List[Case]:
    sizes = SETS_MIB[::len(SETS_MIB) - 1] if quick else SETS_MIB
    return [Case(s.name, mib) for s in schemes.SCHEMES.values() for mib in sizes]


def run(case: Case, options) -> Run:
    less = ("run.requests=10000", "precondition.overwrite=0.1") if options.quick else ()
    return Run(case.label(), BASE, (*schemes.SCHEMES[case.scheme].sets(CACHE),
                                    f"workload.load.range.size={case.mib}MiB", *less))


def iops(result: Result) -> float:
    host = result.summary["host"]
    return sum(host[kind]["iops"] for kind in ("read", "write"))


def dram_bytes(result: Result) -> float:
    return result.summary["ftl"]["ram_bytes"]


def amplification(result: Result) -> float:
    return result.summary["ftl"]["write_amplification"]


def map_purpose(result: Result, kind: str) -> float:
    """Flash operations for the map of one kind, per request of the host."""
    spent = result.summary["flash"]["by_purpose"].get("map", {})
    requests = sum(result.summary["host"][k]["requests"] for k in ("read", "write"))
    return spent.get(kind, 0) / requests


def map_operations(result: Result) -> float:
    """Flash operations for the map, per request of the host."""
    return map_purpose(result, "reads") + map_purpose(result, "programs")


SHOWN: typing.Dict[str, typing.Callable[[Result], float]] = {
    "DRAM of the firmware, KiB": lambda r: dram_bytes(r) / 1024,
    "write amplification": amplification,
    "requests per second": iops,
    "p99 of reads, ms": lambda r: r.percentile("read", 99) / 1e6,
    "p99 of writes, ms": lambda r: r.percentile("write", 99) / 1e6,
    "map operations per request": map_operations,
}


def whole_map_claims(measured: Measured) -> typing.List[Claim]:
    """page_map: the reference, whose map costs DRAM and nothing else."""
    whole = [r for case, r in measured.items() if case.scheme == "page_map"]
    reads, programs = (max(map_purpose(r, kind) for r in whole) for kind in ("reads", "programs"))
    bytes_used = {dram_bytes(r) for r in whole}
    return [
        Claim("page_map: map in DRAM", "the map is never read in flash, and written for "
              "checkpoints only", f"{reads:.3g} reads and {programs:.3g} programs per request",
              at_most(reads, 0, "reads of the map per request")
              & at_most(programs, CHECKPOINTS, "programs of the map per request")),
        Claim("page_map: DRAM", "the same for any working set",
              " and ".join(f"{b / 1024:,.0f} KiB" for b in sorted(bytes_used)),
              none_of(len(bytes_used) - 1, "working set with another need")),
    ]


def paged_claims(measured: Measured) -> typing.List[Claim]:
    """What each paged map must do against page_map."""
    checked = []
    for name in (scheme.name for scheme in schemes.SCHEMES.values() if scheme.paged):
        sizes = sorted(case.mib for case in measured if case.scheme == name)
        if not sizes:
            continue
        small, large = (measured[Case(name, mib)] for mib in (sizes[0], sizes[-1]))
        whole = measured[Case("page_map", sizes[-1])]
        checked += [
            Claim(f"{name}: DRAM", "less than page_map needs",
                  f"{dram_bytes(large) / 1024:,.0f} against {dram_bytes(whole) / 1024:,.0f} KiB",
                  below(dram_bytes(large) / dram_bytes(whole), 1, "DRAM over that of page_map")),
            Claim(f"{name}: map traffic", "grows as the working set outgrows the cache of "
                  f"{CACHE >> 10} KiB",
                  f"{map_operations(small):.3f} operations per request with {sizes[0]} MiB, "
                  f"{map_operations(large):.3f} with {sizes[-1]} MiB",
                  above(map_operations(large) / max(map_operations(small), 1e-9), GROWS,
                        "growth from the smallest to the largest working set")),
            Claim(f"{name}: speed", "below that of page_map then, and more is written",
                  f"{iops(large) / iops(whole):.2f} of the requests per second, write "
                  f"amplification {amplification(large):.2f} against {amplification(whole):.2f}",
                  falling((iops(whole), iops(large)), SLOWER, "requests per second")
                  & above(amplification(large) / amplification(whole), 1,
                          "write amplification over that of page_map")),
        ]
    return checked


def draw(measured: Measured, out: pathlib.Path) -> None:
    sizes = sorted({case.mib for case in measured})
    names = list(dict.fromkeys(case.scheme for case in measured))
    for shown, value in SHOWN.items():
        lines = {name: [(mib, value(measured[Case(name, mib)])) for mib in sizes]
                 for name in names}
        path = "map-cache-" + shown.split(",")[0].replace(" ", "-").lower()
        figures.panels({LOAD: lines}, out / path, figures.Axes(
            "working set, MiB", shown, names=("load", "scheme"), xscale="log", ticks=sizes,
            ymin=0))
    figures.write_csv(out / "map-cache.csv", [*Case._fields, *SHOWN],
                      [(*case, *(value(r) for value in SHOWN.values()))
                       for case, r in measured.items()])


def schemes_part(out: pathlib.Path, options) -> typing.List[Claim]:
    chosen = cases(options.quick)
    results = execute_all([run(case, options) for case in chosen], out / "map-cache", options.jobs)
    measured = {case: results[case.label()] for case in chosen}
    draw(measured, out)
    return whole_map_claims(measured) + paged_claims(measured)


PARTS = {"working-set": schemes_part}
