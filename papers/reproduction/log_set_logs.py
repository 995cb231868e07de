# SPDX-License-Identifier: Apache-2.0
"""The logs L and C of the paper, in numbers: what L would cost as a log with a buffer and a map of
its own, where the drive keeps it in DRAM; what C costs."""
import pathlib
import typing

from . import figures, nand_types, validity
from .claims import Claim, above, at_least, at_most, inside, near, none_of
from .log_set_machine import MACHINE, ORDER, WHOLE_MAP
from .runs import Result, Run, execute_all

CELLS, PAGE, ENTRY = 1 << 23, 2048, 4  # units of the paper's drive; bytes
L_PAGES, M1_PAGES = CELLS // (8 * PAGE), CELLS * ENTRY // PAGE  # a bit per unit; an entry per unit
L_KIB = L_PAGES * PAGE // 1024
COUNTER = 2                            # bytes: of a block's garbage, if L counts only
BLOCK_UNITS = 64
SHARES = (0.25, 0.5, 0.75, 1)          # of L in its buffer
HALF = 0.5
SAME_BYTES = 1 - HALF * L_PAGES / M1_PAGES  # of M1 in its buffer, with as much DRAM taken from it
SPARE = 0.1
AS_DRIVE = 0.1   # the model's collection is that of the drive within this share
DEARER = 3       # times, that DRAM taken from L costs as much as DRAM taken from M1, at least
INTERVALS = (4, 8, 16, 32)  # MiB programmed from one checkpoint to the next; 16 = 1/64 of the drive
USUAL = 16
LITTLE = 0.02    # of what the host writes
NOTHING = 0.01   # pages: some that come for the first time
SUPERBLOCK_UNITS = 256


def model(quick: bool) -> validity.Costs:
    """A sixteenth of the paper's drive, quick a 256th; as many pages of L and of M1."""
    shrink, size = (256, BLOCK_UNITS) if quick else (16, SUPERBLOCK_UNITS)
    return validity.steady(CELLS // shrink // size, size, SPARE, (L_PAGES, M1_PAGES // (
        4 if quick else 1)), (SHARES, (SAME_BYTES,)))


def run(label: str, options, sets: typing.Iterable[str]) -> Run:
    """Writes only, a sixteenth of the drive."""
    requests = 40_000 // (4 if options.quick else 1)
    return Run(label, ("experiment/nand-types",),
               (*MACHINE, "ftl.scheme=log_set", f"ftl.map_cache={WHOLE_MAP}B",
                f"flash.arbiter={ORDER}", nand_types.quick_blocks("conventional SLC"),
                "workload.load.read_fraction=0", "run.warmup=2000", f"run.requests={requests}",
                *sets))


def moved(result: Result) -> float:
    """Programs of D per page that the host's writes take."""
    by = result.summary["flash"]["by_purpose"]
    return 1 + by["gc"]["programs"] / by["host"]["programs"]


def share(result: Result, purpose: str) -> float:
    by = result.summary["flash"]["by_purpose"]
    return by.get(purpose, {"programs": 0})["programs"] / by["host"]["programs"]


def validity_claims(costs: validity.Costs, drive: Result) -> typing.List[Claim]:
    counters = CELLS // BLOCK_UNITS * COUNTER
    half, same = costs.of_places[HALF], costs.of_units[SAME_BYTES]
    return [
        Claim("L: the model", "(collects as the drive does)",
              f"D programs {costs.amplification:.2f} pages per page of the host, the drive "
              f"{moved(drive):.2f}", near(costs.amplification, moved(drive), AS_DRIVE,
                                          "programs of D per page of the host")),
        Claim("L: all of it in its buffer", "(then it costs checkpoints only)",
              f"{L_KIB} KiB of bits, {counters // 1024} of counters; the least buffer of the paper "
              f"is 512 KiB. {costs.of_places[1]:.3f} pages read and written per page of the host",
              inside((costs.of_places[1],), 0, 0, "pages per page of the host", NOTHING)),
        Claim("L below a buffer", "a log with a buffer of its own",
              f"half of L in DRAM: {half:.2f} pages read, and as many written, per page of the "
              f"host; the same {L_KIB // 2} KiB taken from M1: {same:.3f}",
              at_least(half / same, DEARER, "cost over that of DRAM taken from M1",
                       "none: it is why L is in DRAM")),
    ]


def checkpoint_claims(by_interval: typing.Dict[int, Result]) -> typing.List[Claim]:
    own = {i: share(r, "recovery") for i, r in by_interval.items()}
    maps = {i: share(r, "map") for i, r in by_interval.items()}
    none = sum(r.summary["ftl"]["checkpoints"] == 0 for r in by_interval.values())
    told = ", ".join(f"{value:.2%}" for value in own.values())
    return [
        Claim("C: periodic", "checkpoints are made at intervals",
              ", ".join(f"{r.summary['ftl']['checkpoints']}" for r in by_interval.values())
              + f" of them with intervals of {', '.join(map(str, by_interval))} MiB",
              none_of(none, "interval without one")),
        Claim("C: its programs", "a log of its own", f"{told} of the host's pages; M, which "
              f"checkpoints write, {', '.join(f'{value:.1%}' for value in maps.values())}",
              at_most(own[USUAL], LITTLE, f"share at {USUAL} MiB", "a fiftieth: the paper has no "
                      "number") & above(min(own.values()), 0, "programs")),
    ]


def logs(out: pathlib.Path, options) -> typing.List[Claim]:
    costs = model(options.quick)
    smaller = ("nand.blocks_per_plane=512",) if options.quick else ()
    collecting = run("collecting", options, ("precondition.overwrite=2", "gc.stop=0.012",
                                             *smaller))
    wanted = {i: run(f"interval-{i}MiB", options, ("precondition.overwrite=0",
                                                   f"ftl.checkpoint_interval={i}MiB"))
              for i in (INTERVALS[::2] if options.quick else INTERVALS)}
    results = execute_all([collecting, *wanted.values()], out / "logs", options.jobs)
    by_interval = {i: results[one.label] for i, one in wanted.items()}
    lines = {"L": [(100 * s, c) for s, c in costs.of_places.items()],
             "M1, with as much DRAM less": [(100 * HALF, costs.of_units[SAME_BYTES])]}
    figures.panels({"pages read, and as many written, per page of the host": lines}, out / "logs-l",
                   figures.Axes("share of L in its buffer, %", "pages", ymin=0,
                                names=("panel", "log")))
    figures.write_csv(out / "logs-c.csv", ["interval_MiB", "checkpoints", "share_C", "share_M"],
                      [(i, r.summary["ftl"]["checkpoints"], share(r, "recovery"), share(r, "map"))
                       for i, r in by_interval.items()])
    return [*validity_claims(costs, results["collecting"]), *checkpoint_claims(by_interval)]
