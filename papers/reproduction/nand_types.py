# SPDX-License-Identifier: Apache-2.0
"""Figure 9 of the paper on models of flash storage: four kinds of NAND, sequential and
out-of-order controller."""
import pathlib
import typing

from . import figures
from .claims import Claim, above, at_least, at_most, every, given
from .runs import Result, Run, execute_all

MLC = ("nand.cell=mlc", "nand.page_size=8KiB", "nand.oob_size=256B", "ftl.map_unit=8KiB",
       "nand.tR=60us", "nand.tPROG=800us", "nand.blocks_per_plane=8192")
ONFI = ("nand.interface.mode=nv_ddr", "nand.interface.rate=133MT/s")
TYPES = {"ONFI SLC": ONFI, "conventional SLC": (), "ONFI MLC": (*MLC, *ONFI),
         "conventional MLC": MLC}
# 1.4 MiB of 14.4 GiB take 80 % of the requests: as much locality as a buffer of 1 MiB can use.
WORKLOADS = {"uniform": (),
             "zipf": ("workload.load.pattern=zipf", "workload.load.zipf_theta=0.99"),
             "hot_cold": ("workload.load.pattern=hot_cold", "workload.load.hot_fraction=0.0001")}
CONTROLLERS = {"sequential": "sequential", "out of order": "out_of_order"}
STAND_IN = "zipf and hot_cold stand in for the LRU and HCLRU generators"

NO_SPACE = ("the small drive collects under any load, where the whole one has free space for the "
            "writes that locality leaves")
FAR_BELOW = 0.5

Key = typing.Tuple[str, str, str]  # workload, type, controller
Speeds = typing.Dict[Key, float]   # MB/s


def quick_blocks(kind: str) -> str:
    """A sixteenth of the drive, the same for either cell."""
    blocks = 32768 // (4 if kind.endswith("MLC") else 1) // 16
    return f"nand.blocks_per_plane={blocks}"


def runs(options) -> typing.Dict[Key, Run]:
    wanted = {}
    for workload, pattern in WORKLOADS.items():
        for kind, part in TYPES.items():
            small = () if not options.quick else (
                quick_blocks(kind), "run.requests=6000", "run.warmup=2000")
            for name, arbiter in CONTROLLERS.items():
                label = f"{workload}-{kind}-{arbiter}".replace(" ", "-")
                wanted[workload, kind, name] = Run(
                    label, ("experiment/nand-types",),
                    (*pattern, *part, f"flash.arbiter={arbiter}", *small))
    return wanted


def claims(speed: Speeds, quick: bool = False) -> typing.List[Claim]:
    pairs = [(w, c) for w in WORKLOADS for c in CONTROLLERS]
    uniform = max(speed["uniform", t, c] / min(speed[w, t, c] for w in ("zipf", "hot_cold"))
                  for t in TYPES for c in CONTROLLERS)
    slc = [speed[w, "conventional SLC", c] / speed[w, "ONFI MLC", c] for w, c in pairs]
    order = [speed[w, t, "out of order"] / speed[w, t, "sequential"] for w in WORKLOADS
             for t in TYPES]
    return [
        *rank_claims(speed, pairs),
        Claim("conventional SLC against ONFI MLC", "faster",
              f"{min(slc):.2f} to {max(slc):.2f} times, with requests of 4 KiB, less than an MLC "
              "page of 8 KiB: each write rewrites a page. With whole pages ONFI MLC would win: "
              "107.7 against 125.6 us per KiB",
              above(min(slc), 1, "throughput over that of ONFI MLC")),
        Claim("uniform", "far below the workloads with locality", f"at most {uniform:.2f} of them",
              given(not quick, NO_SPACE, at_most(
                  uniform, FAR_BELOW, "throughput over that with locality",
                  "half: the paper prints no numbers")),
              f"the generators: {STAND_IN}; the buffer keeps writes only"),
        Claim("out of order against sequential", "never below it",
              f"{min(order):.2f} to {max(order):.2f} times",
              at_least(min(order), 1, "throughput over sequential")),
    ]


def rank_claims(speed: Speeds, pairs: typing.Sequence[typing.Tuple[str, str]],
                number: str = "") -> typing.List[Claim]:
    """`pairs`: workload, controller. `number`: that of the claim, if any, in the paper."""
    first = sum(max(TYPES, key=lambda t: speed[w, t, c]) == "ONFI SLC" for w, c in pairs)
    last = sum(min(TYPES, key=lambda t: speed[w, t, c]) == "conventional MLC" for w, c in pairs)
    return [Claim(f"{number}{name}", f"{rank} in all workloads under both controllers",
                  f"in {count} of {len(pairs)} cases",
                  every(count, len(pairs), f"case in which it is not the {rank}"))
            for name, rank, count in (("ONFI SLC", "best", first),
                                      ("conventional MLC", "worst", last))]


def draw(speed: Speeds, out: pathlib.Path) -> None:
    content = {w: {t: {c: speed[w, t, c] for c in CONTROLLERS} for t in TYPES} for w in WORKLOADS}
    figures.bars(content, out / "nand-types", "throughput, MB/s")


def reproduce(out: pathlib.Path, options) -> typing.List[Claim]:
    wanted = runs(options)
    results: typing.Dict[str, Result] = execute_all(list(wanted.values()), out / "nand-types",
                                                    options.jobs)
    speed = {key: results[run.label].bytes_per_s() / 1e6 for key, run in wanted.items()}
    draw(speed, out)
    return claims(speed, options.quick)
