# SPDX-License-Identifier: Apache-2.0
"""The paper on models of flash storage, whose FTL is a set of logs: tables 1 and 2, four kinds of
NAND (figure 9), size of the volatile buffer (figure 10) and the six claims.

The paper names neither request size nor share of reads, locality, queue depth and spare space. Ours
are those of experiment/nand-types, with the depths of the LRU stack by a power law of exponent
EXPONENT. Its link of 150 MB/s is PCIe 1.0 x1 there."""
import pathlib
import typing

from . import figures, schemes
from .claims import Claim, above, at_least, at_most, inside, none_of
from .nand_types import CONTROLLERS, FAR_BELOW, TYPES, quick_blocks, rank_claims
from .runs import Result, Run, execute_all

EXPONENT = 1.2
STACK = (f"workload.load.lru_exponent={EXPONENT:g}",)
WORKLOADS = {"uniform": (),
             "LRU": ("workload.load.pattern=lru", *STACK),
             "HCLRU": ("workload.load.pattern=hclru", *STACK)}
LOCAL = ("LRU", "HCLRU")
SMALL, WHOLE = 4, 8  # KiB of a request: half of a page of MLC, all of it
BUFFERS = (512, 1024, 2048, 4096)  # KiB
BUFFER = ("cache.policy=rw_lru",)  # each log of the paper has a write and a read buffer
WHOLE_MAP = 32 << 20  # bytes: the paper sizes the buffer of data only, so M1 has room for all
TYPE, ORDER = "conventional SLC", "out of order"  # of figure 10
FLAT = 0.05       # a gain that is none
SLIGHTLY = 0.1    # ... and one that is slight
APPROACHED = 0.8  # of the link
BUS, LINK = 80, 150  # MB/s: two buses of 40, the host's link

Key = typing.Tuple[str, str, str]      # workload, type, controller
Sweep = typing.Dict[typing.Tuple[str, int], float]  # workload, KiB of buffer -> MB/s
Speeds = typing.Dict[Key, float]       # MB/s

# Table 1: what, the paper's value, ours, whether they are the same.
TABLE_1 = (
    ("capacity", "16 GB", "16 GiB of cells, 10 % of them spare", True),
    ("host link", "150 MB/s", "PCIe 1.0 x1, 250 MB/s before its overhead", False),
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


def quick_sets(kind: str) -> typing.Tuple[str, ...]:
    """A small drive, and of the requests what fills the largest buffer."""
    return (quick_blocks(kind), "run.warmup=10000", "run.requests=15000")


def run(label: str, options, kind: str, overrides: typing.Iterable[str]) -> Run:
    scheme = schemes.SCHEMES["log_set"]
    small = quick_sets(kind) if options.quick else ()
    return Run(label.replace(" ", "-"), ("experiment/nand-types",),
               (*TYPES[kind], *overrides, *scheme.sets(WHOLE_MAP), *BUFFER, *small))


def type_runs(options) -> typing.Dict[Key, Run]:
    return {(w, t, c): run(f"{w}-{t}-{arbiter}", options, t,
                           (*pattern, f"flash.arbiter={arbiter}"))
            for w, pattern in WORKLOADS.items() for t in TYPES
            for c, arbiter in CONTROLLERS.items()}


def whole_page_runs(options) -> typing.Dict[Key, Run]:
    """The other side of the third claim: requests of a whole page of MLC."""
    return {("uniform", t, c): run(f"whole-{t}-{arbiter}", options, t,
                                   (f"workload.load.block_size={WHOLE}KiB",
                                    f"flash.arbiter={arbiter}"))
            for t in ("conventional SLC", "ONFI MLC") for c, arbiter in CONTROLLERS.items()}


def cost(kind: str) -> float:
    """us to transfer and program a KiB on one chip, from the tables."""
    name, page = kind.split(" ")[1], TABLE_2[kind.split(" ")[1]][3]
    rate = 133 if kind.startswith("ONFI") else 40
    return (page * 1024 / rate + TABLE_2[name][1]) / page


def type_claims(speed: Speeds) -> typing.List[Claim]:
    pairs = [(w, c) for w in WORKLOADS for c in CONTROLLERS]
    uniform = max(speed["uniform", t, c] / min(speed[w, t, c] for w in LOCAL)
                  for t in TYPES for c in CONTROLLERS)
    return [
        Claim("1. uniform", "far below LRU and HCLRU: no locality", f"at most {uniform:.2f} of "
              "them", at_most(uniform, FAR_BELOW, "throughput over that of LRU or HCLRU",
                              "half: the paper prints no numbers")),
        *rank_claims(speed, pairs, "2. "),
    ]


def winner_claims(small: Speeds, whole: Speeds) -> typing.List[Claim]:
    """Both sides of the third claim."""
    def ratios(speed: Speeds) -> typing.List[float]:
        return [speed[w, "conventional SLC", c] / speed[w, "ONFI MLC", c]
                for w, t, c in speed if t == "ONFI MLC"]

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


def buffer_claims(sweep: Sweep) -> typing.List[Claim]:
    sizes = sorted({size for _, size in sweep})
    gain = {w: sweep[w, sizes[-1]] / sweep[w, sizes[0]] - 1 for w in WORKLOADS}
    steps = [sweep[w, b] / sweep[w, a] for w in LOCAL for a, b in zip(sizes, sizes[1:])]
    large = [sweep[w, size] for w in LOCAL for size in sizes if size >= 1024]
    ends = f"{sizes[0]} to {sizes[-1]} KiB"
    return [
        Claim("4. uniform over the buffer", "flat", f"{ends}: {gain['uniform']:+.1%}",
              inside((gain["uniform"],), 0, 0, "gain", FLAT)),
        Claim("4. LRU and HCLRU over the buffer", "grow with it",
              f"{ends}: {gain['LRU']:+.1%}, {gain['HCLRU']:+.1%}",
              above(min(steps), 1, "throughput over that with half of the buffer")
              & above(min(gain[w] for w in LOCAL), FLAT, "gain")),
        Claim("4. HCLRU", "gains slightly more than LRU",
              f"{gain['HCLRU']:+.1%} against {gain['LRU']:+.1%}",
              inside((gain["HCLRU"] - gain["LRU"],), 0, SLIGHTLY, "difference of the gains"),
              "depths of the stack and share of the hot part"),
        Claim("5. from 1 MB on", f"LRU and HCLRU exceed the buses' {BUS} MB/s by read hits, and "
              f"approach {LINK} MB/s", f"{min(large):.0f} to {max(large):.0f} MB/s. {LINK} MB/s "
              f"need {1 - BUS / LINK:.1%} hits at least",
              above(min(large), BUS, "MB/s from 1 MB on")
              & at_least(max(large), APPROACHED * LINK, "MB/s of the best",
                         f"{1 - APPROACHED:.0%} of {LINK}"),
              "locality and share of reads"),
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


def figure_9(out: pathlib.Path, options) -> typing.List[Claim]:
    wanted, whole = type_runs(options), whole_page_runs(options)
    results = execute_all([*wanted.values(), *whole.values()], out / "figure-9", options.jobs)
    speed = speeds(wanted, results)
    figures.bars({w: {t: {c: speed[w, t, c] for c in CONTROLLERS} for t in TYPES}
                  for w in WORKLOADS}, out / "figure-9", "throughput, MB/s")
    return [*type_claims(speed), *winner_claims(speed, speeds(whole, results)),
            check_claim(results.values())]


def figure_10(out: pathlib.Path, options) -> typing.List[Claim]:
    wanted = {(w, size): run(f"{w}-{size}KiB", options, TYPE,
                             (*pattern, f"flash.arbiter={CONTROLLERS[ORDER]}",
                              f"cache.capacity={size}KiB"))
              for w, pattern in WORKLOADS.items() for size in BUFFERS}
    sweep = speeds(wanted, execute_all(list(wanted.values()), out / "figure-10", options.jobs))
    lines = {w: [(size, sweep[w, size]) for size in BUFFERS] for w in WORKLOADS}
    figures.panels({f"{TYPE}, {ORDER}": lines}, out / "figure-10", figures.Axes(
        "buffer, KiB", "throughput, MB/s", names=("NAND", "workload"), xscale="log",
        ticks=BUFFERS, ymin=0))
    return buffer_claims(sweep)


PARTS = {"tables": tables, "figure-9": figure_9, "figure-10": figure_10}
