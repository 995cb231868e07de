# SPDX-License-Identifier: Apache-2.0
"""Page, block and hybrid mapping as the paper on an FTL of logs makes them of its logs: D appends
pages, or whole blocks, or blocks beside a W-log that takes small writes page by page."""
import pathlib
import typing

from . import figures, nand_types
from .claims import Claim, at_least, at_most, below, falling, inside, near
from .log_set_machine import FILLED, MACHINE, ORDER, QUICK, WHOLE_MAP
from .runs import Result, Run, execute_all

PAGES, PAGE, ENTRY = 64, 2048, 4  # of a block; bytes of a page, of an entry of the map
BLOCKS = ("ftl.log_set.unit=block", "ftl.stripe=block")
W_LOGS = (4, 16, 64)  # blocks
MAPPINGS = {"page": (f"ftl.map_cache={WHOLE_MAP // QUICK}B",), "block": BLOCKS,
            **{f"hybrid, W of {w}": (*BLOCKS, f"ftl.log_set.w_log={w}") for w in W_LOGS}}
HYBRID = tuple(name for name in MAPPINGS if name.startswith("hybrid"))
SMALL, LARGE = "random, 4 KiB", "in order, 128 KiB"
# Small writes go to 128 logical blocks; more, and only a larger W would have several of a block.
LOADS = {SMALL: ("workload.load.pattern=uniform", "workload.load.block_size=4KiB",
                 "workload.load.range.size=16MiB"),
         LARGE: ("workload.load.pattern=sequential", "workload.load.block_size=128KiB")}
REQUEST_PAGES = 2  # of a small write
TARGETS, BUFFERED = 128, 32  # logical blocks that small writes go to; requests in the buffer
MET = 1 + BUFFERED / TARGETS  # requests that a merge takes: those to one block meet in the buffer
CHANCE = 0.1
STEP = 0.05        # programs that a larger W saves, at least
SLOWER = 10        # times: 32 programs for one page, less what else a request takes
ALL = 0.01         # pages at either end of the measured part

Measured = typing.Dict[typing.Tuple[str, str], Result]  # mapping, load


def run(mapping: str, load: str, options) -> Run:
    """Writes only, on a sixteenth of the drive: a block has as many pages on any. The warm-up
    fills the buffer, and the largest W."""
    warmup, requests = ((20, 500) if load == LARGE else (100, 1000) if mapping == "block" else
                        (2200, 5000))
    few = 5 if options.quick else 1
    return Run(f"{mapping}-{load}".replace(", ", "-").replace(" ", "-"),
               ("experiment/nand-types",),
               (*MACHINE, *FILLED, "ftl.scheme=log_set", f"flash.arbiter={ORDER}",
                nand_types.quick_blocks("conventional SLC"), *MAPPINGS[mapping], *LOADS[load],
                "workload.load.read_fraction=0", "cache.capacity=128KiB",
                f"run.warmup={warmup}", f"run.requests={requests // few}"))


def programs(result: Result) -> float:
    """Per page that the host writes."""
    return result.summary["ftl"]["write_amplification"]


def merge_claims(measured: Measured) -> typing.List[Claim]:
    small = {m: programs(measured[m, SMALL]) for m in MAPPINGS}
    speed = {m: measured[m, SMALL].bytes_per_s() for m in MAPPINGS}
    large = {m: programs(measured[m, LARGE]) for m in MAPPINGS}
    hybrid = [small["block"], *(small[m] for m in HYBRID)]
    told = ", ".join(f"{value:.1f}" for value in hybrid)
    return [
        Claim("block mapping: small writes", "slow: the valid pages of the block are merged",
              f"{small['block']:.1f} programs per page, page mapping {small['page']:.2f}; "
              f"{speed['page'] / speed['block']:.0f} times slower",
              near(small["block"], PAGES / (REQUEST_PAGES * MET), CHANCE, "programs per page")
              & at_least(speed["page"] / speed["block"], SLOWER, "throughput of page mapping over "
                         "that of block mapping", "a third of what the programs say")),
        Claim("hybrid mapping: small writes", "page mapping for small requests, between the two",
              f"programs per page without W and with {W_LOGS} blocks: {told}",
              falling(hybrid, STEP, "programs per page")
              & below(max(speed["block"] / speed[m] for m in HYBRID), 1,
                      "throughput of block mapping over that of a hybrid one")),
        Claim("hybrid mapping: merges", "they cost much",
              f"the largest W takes {small[HYBRID[-1]]:.1f} programs per page, page mapping "
              f"{small['page']:.2f}",
              at_least(small[HYBRID[-1]] / small["page"], 2, "programs over those of page mapping",
                       "twice: the paper has no number")),
        Claim("whole blocks in order", "(no merge) cost the same in any mapping",
              f"{min(large.values()):.3f} to {max(large.values()):.3f} programs per page",
              inside(large.values(), 1, 1, "programs per page", ALL)),
    ]


def memory_claim(measured: Measured) -> Claim:
    ram = {m: measured[m, SMALL].summary["ftl"]["ram_bytes"] for m in MAPPINGS}
    capacity = measured["page", SMALL].summary["geometry"]["capacity_bytes"]
    saved, entries = ram["page"] - ram["block"], capacity / PAGE * ENTRY * (1 - 1 / PAGES)
    return Claim("block mapping: memory", "needs less for metadata",
                 f"{saved / 1024:.0f} KiB less than page mapping, of which the map is "
                 f"{entries / 1024:.0f} KiB; W of {W_LOGS[-1]} blocks takes "
                 f"{(ram[HYBRID[-1]] - ram['block']) / 1024:.0f} KiB of it",
                 at_least(saved, entries / 2, "bytes saved",
                          "half of the map: merges need tables of their own") & at_most(
                     ram[HYBRID[-1]], ram["page"], "bytes of hybrid mapping"))


def draw(measured: Measured, out: pathlib.Path) -> None:
    figures.bars({"throughput, MB/s": {load: {m: measured[m, load].bytes_per_s() / 1e6
                                              for m in MAPPINGS} for load in LOADS},
                  "programs per page": {load: {m: programs(measured[m, load])
                                               for m in MAPPINGS} for load in LOADS}},
                 out / "mapping", "MB/s; programs", legend=1)
    figures.write_csv(out / "mapping-costs.csv",
                      ["mapping", "load", "MB_per_s", "programs_per_page", "ram_bytes"],
                      [(m, load, r.bytes_per_s() / 1e6, programs(r), r.summary["ftl"]["ram_bytes"])
                       for (m, load), r in measured.items()])


def mapping(out: pathlib.Path, options) -> typing.List[Claim]:
    wanted = {(m, load): run(m, load, options) for m in MAPPINGS for load in LOADS}
    results = execute_all(list(wanted.values()), out / "mapping", options.jobs)
    measured = {key: results[one.label] for key, one in wanted.items()}
    draw(measured, out)
    return [*merge_claims(measured), memory_claim(measured)]
