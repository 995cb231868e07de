# SPDX-License-Identifier: Apache-2.0
"""The paper on models of flash storage, whose FTL is a set of logs: tables 1 and 2, four kinds of
NAND (figure 9), size of the volatile buffer (figure 10) and the six claims.

The paper names neither request size nor share of reads, locality, queue depth, spare space nor the
state of the drive. Ours are those of experiment/nand-types, but for share of reads and locality
(log_set_machine.py), and the drive is filled in order. M, the map, is in DRAM as a whole, since the
paper sizes only the buffer of data; or it pages, then M1 has a buffer of its own."""
import dataclasses
import pathlib
import typing

from . import figures, log_set_buffer, log_set_logs, log_set_mapping
from .claims import Claim, above, at_most, below, none_of
from .log_set_machine import ARBITERS, LOCAL, WORKLOADS, Drive, Load, run
from .nand_types import FAR_BELOW, TYPES, rank_claims
from .runs import Result, Run, execute_all

SMALL, WHOLE = 4, 8  # KiB of a request: half of a page of MLC, all of it
MAP_KIB = 1024       # buffer of M1 where it pages: as large as that of D
PAGED = ", M paged"  # of the names of claims
PAGED_OPEN = "the buffer of M: the paper sizes that of D only"
CLOSE = 0.6          # a share that is not far below
CHANCE = 0.02        # speeds of two drives that do the same differ by less

Key = typing.Tuple[str, str, str]      # workload, type, controller
Speeds = typing.Dict[Key, float]       # MB/s

# Table 1: what, the paper's value, ours, whether they are the same.
TABLE_1 = (
    ("capacity", "16 GB", "16 GiB of cells, 10 % of them spare", True),
    ("host link", "150 MB/s", "SATA 1.5 Gb/s: 150 MB/s before frames and handshakes", True),
    ("mapping", "page", "page", True),
    ("buffer", "LRU", "LRU, of writes and reads", True),
    ("collection", "greedy", "greedy", True),
    ("flash", "2 buses, 2 chips each", "2 channels, 2 LUNs each", True),
    ("workloads", "Uniform, LRU, HCLRU", "uniform, lru, hclru", True),
    ("order", "sequential, out-of-order", "sequential, out_of_order", True),
    ("bus, MB/s", "40, 133", "sdr4: 40; nv_ddr: 133", True),
    ("buffer size", "512 KB..4 MB", "512 KiB..4 MiB", True),
)
# Table 2: us to read, program, erase; KiB of a page.
TABLE_2 = {"SLC": (20, 200, 2000, 2), "MLC": (60, 800, 2000, 8)}


def type_runs(options, map_kib: int = 0) -> typing.Dict[Key, Run]:
    """Quick and with a map that pages: out of order only."""
    few = options.quick and map_kib
    controllers = {c: a for c, a in ARBITERS.items() if not few or c != "sequential"}
    return {(w, t, c): run(f"{w}-{t}-{arbiter}{'-paged' if map_kib else ''}", options,
                           Drive(t, arbiter, map_kib=map_kib), Load(w), short=True)
            for w in WORKLOADS for t in TYPES for c, arbiter in controllers.items()}


def whole_page_runs(options) -> typing.Dict[Key, Run]:
    """The other side of the third claim: requests of a whole page of MLC."""
    return {("uniform", t, c): run(f"whole-{t}-{arbiter}", options, Drive(t, arbiter),
                                   Load(kib=WHOLE), short=True)
            for t in ("conventional SLC", "ONFI MLC") for c, arbiter in ARBITERS.items()}


def cost(kind: str) -> float:
    """us to transfer and program a KiB on one chip, from the tables."""
    name, page = kind.split(" ")[1], TABLE_2[kind.split(" ")[1]][3]
    rate = 133 if kind.startswith("ONFI") else 40
    return (page * 1024 / rate + TABLE_2[name][1]) / page


def controllers_of(speed: Speeds) -> typing.List[str]:
    return list(dict.fromkeys(c for _, _, c in speed))


def ratios(speed: Speeds) -> typing.List[float]:
    """Conventional SLC per ONFI MLC, in each case."""
    return [speed[w, "conventional SLC", c] / speed[w, "ONFI MLC", c]
            for w, t, c in speed if t == "ONFI MLC"]


def type_claims(speed: Speeds) -> typing.List[Claim]:
    pairs = [(w, c) for w in WORKLOADS for c in controllers_of(speed)]
    shares = [speed["uniform", t, c] / min(speed[w, t, c] for w in LOCAL)
              for t in TYPES for c in controllers_of(speed)]
    mean = sum(shares) / len(shares)
    return [
        Claim("1. uniform", "far below LRU and HCLRU: no locality",
              f"{mean:.2f} of the slower of them on average, {max(shares):.2f} at most",
              at_most(mean, FAR_BELOW, "mean share of their throughput",
                      "half: the paper prints no numbers")
              & at_most(max(shares), CLOSE, "share in any case", "a tenth more in one case")),
        *rank_claims(speed, pairs, "2. "),
    ]


def winner_claims(small: Speeds, whole: Speeds) -> typing.List[Claim]:
    """Both sides of the third claim."""
    slc, mlc = cost("conventional SLC"), cost("ONFI MLC")
    less, more = ratios(small), ratios(whole)
    return [
        Claim("3. conventional SLC against ONFI MLC", "faster",
              f"{min(less):.2f} to {max(less):.2f} times with requests of {SMALL} KiB, half a page "
              "of MLC: each write rewrites a page",
              above(min(less), 1, "throughput over that of ONFI MLC")),
        Claim("3. the other side", "(from its tables) with whole pages ONFI MLC wins: "
              f"{mlc:.1f} against {slc:.1f} us per KiB programmed",
              f"conventional SLC is {min(more):.2f} to {max(more):.2f} times as fast with requests "
              f"of {WHOLE} KiB", at_most(max(more), mlc / slc, "throughput over that of ONFI MLC",
                                         "none: reads widen the ratio of the programs")),
    ]


def paged_claims(paged: Speeds, whole: Speeds) -> typing.List[Claim]:
    """Figure 9 again, with a buffer below the map: what of it remains."""
    less = ratios(paged)
    kept = {key: paged[key] / whole[key] for key in paged}
    worst = min(kept, key=kept.get)
    told = [dataclasses.replace(claim, name=claim.name + PAGED, left_open=PAGED_OPEN)
            for claim in type_claims(paged)]
    return [
        *told,
        Claim("3. conventional SLC against ONFI MLC" + PAGED, "faster",
              f"{min(less):.2f} to {max(less):.2f} times: the map of SLC, with pages of 2 KiB, is "
              "four times as large", above(min(less), 1, "throughput over that of ONFI MLC"),
              PAGED_OPEN),
        Claim("M below a buffer", "(metadata cost flash operations) slower than with the whole map",
              f"{kept[worst]:.2f} ({', '.join(worst)}) to {max(kept.values()):.2f} of it",
              below(max(kept.values()), 1 + CHANCE, "throughput over that with the whole map")),
    ]


def check_claim(results: typing.Iterable[Result]) -> Claim:
    checked = [result.summary["integrity"] for result in results]
    sectors = sum(entry["sectors_checked"] for entry in checked)
    wrong = sum(entry["mismatches"] for entry in checked)
    return Claim("6. data", "the controller was validated, the FTL and its buffer were not",
                 f"{wrong} of {sectors:,} sectors read differ from what was written",
                 none_of(wrong, "sector that differs") & above(sectors, 0, "sectors read"))


def speeds(wanted: typing.Dict[typing.Any, Run],
           results: typing.Dict[str, Result]) -> typing.Dict[typing.Any, float]:
    return {key: results[run.label].bytes_per_s() / 1e6 for key, run in wanted.items()}


def tables(out: pathlib.Path, _options) -> typing.List[Claim]:
    """Parameters beside the paper's. They are chosen, not measured: no claim."""
    figures.write_csv(out / "table-1.csv", ["parameter", "paper", "here", "same"], TABLE_1)
    figures.write_csv(out / "table-2.csv", ["cell", "tR_us", "tPROG_us", "tBERS_us", "page_KiB"],
                      [(name, *row) for name, row in TABLE_2.items()])
    return []


def draw(speed: Speeds, path: pathlib.Path) -> None:
    figures.bars({w: {t: {c: speed[w, t, c] for c in controllers_of(speed)} for t in TYPES}
                  for w in WORKLOADS}, path, "throughput, MB/s")


def figure_9(out: pathlib.Path, options) -> typing.List[Claim]:
    wanted, whole = type_runs(options), whole_page_runs(options)
    pages = type_runs(options, MAP_KIB)
    results = execute_all([*wanted.values(), *whole.values(), *pages.values()], out / "figure-9",
                          options.jobs)
    speed, paged = speeds(wanted, results), speeds(pages, results)
    draw(speed, out / "figure-9")
    draw(paged, out / "figure-9-paged")
    return [*type_claims(speed), *winner_claims(speed, speeds(whole, results)),
            *paged_claims(paged, speed), check_claim(results.values())]


PARTS = {"tables": tables, "figure-9": figure_9, "figure-10": log_set_buffer.figure_10,
         "locality": log_set_buffer.locality, "mapping": log_set_mapping.mapping,
         "logs": log_set_logs.logs}
