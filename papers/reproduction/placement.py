# SPDX-License-Identifier: Apache-2.0
"""The 24 static orders in which pages go to channels, chips, dies and planes, and what follows from
them for reads in order: pages on one bus are sent one after the other.

The orders are those of ftl.placement: the first letter varies fastest. SSDSim (Hu et al., ICS 2011)
has six of them."""
import itertools
import pathlib
import typing

from . import figures, grids
from .claims import Claim, above, at_least, near
from .runs import Result, Run, execute_all

ORDERS = tuple("".join(letters) for letters in itertools.permutations("CWDP"))
STRIPE = "stripe"                # LUN after LUN, all planes at once, in the order of arrival
VALUES = 2                       # of each letter: 16 places for a page
T_READ_US, TRANSFER_US = 20, 2048 / 40  # conventional SLC: the array, a page on the bus
OVERHEAD_US = 5                  # commands, firmware, link
REQUESTS_KIB = (4, 8, 16)        # 2, 4 and 8 pages
PAGE_KIB = 2
AS_FORMULA = 0.05
WRITES = "random writes"
MACHINE = ("flash.channels=2", "flash.luns_per_channel=4", "nand.planes=2",
           "nand.blocks_per_plane=128", "precondition.fill=0.5")


class Case(typing.NamedTuple):
    """`kib`: of a read in order, alone; 0 = random writes of a page, 16 at a time."""
    order: str
    kib: int


Measured = typing.Dict[Case, Result]


def cases(quick: bool) -> typing.List[Case]:
    sizes = (8, 0) if quick else (*REQUESTS_KIB, 0)
    return [Case(order, kib) for order in (*ORDERS, STRIPE) for kib in sizes]


def run(case: Case, options) -> Run:
    die = () if case.order == STRIPE else ("flash.dies_per_chip=2",)
    read = ("workload.mix.pattern=sequential", "workload.mix.read_fraction=1",
            f"workload.mix.block_size={case.kib}KiB", "workload.mix.queue_depth=1",
            "run.warmup=10", f"run.requests={500 // (5 if options.quick else 1)}")
    write = ("workload.mix.read_fraction=0",
             f"run.requests={10_000 // (10 if options.quick else 1)}")
    return Run(f"{case.order}-{case.kib or 'writes'}", ("experiment/ozone",),
               (*MACHINE, *die, f"ftl.placement={case.order}", *(read if case.kib else write)))


def on_one_bus(order: str, pages: int) -> int:
    """Of so many pages in order, a power of two: those on the channel that has most of them."""
    fast = pages.bit_length() - 1  # letters that vary within them
    return pages // VALUES if "C" in order[:fast] else pages


def predicted_us(case: Case) -> float:
    return T_READ_US + on_one_bus(case.order, case.kib // PAGE_KIB) * TRANSFER_US + OVERHEAD_US


def claims(measured: Measured) -> typing.List[Claim]:
    reads = {c: r.mean_ns() / 1000 for c, r in measured.items() if c.kib and c.order != STRIPE}
    off = {c: us / predicted_us(c) for c, us in reads.items()}
    worst = max(off, key=lambda c: abs(off[c] - 1))
    place = {c: c.order.index("C") for c in reads}
    split = {c.kib for c in reads}
    first = max(us for c, us in reads.items() if place[c] == 0 and c.kib == min(split))
    last = min(us for c, us in reads.items() if place[c] == 3 and c.kib == min(split))
    writes = {c.order: r.bytes_per_s() / 1e6 for c, r in measured.items() if not c.kib}
    static = {order: speed for order, speed in writes.items() if order != STRIPE}
    best = max(static, key=static.get)
    return [
        Claim("placement: reads in order", "(2 x 2 x 2 x 2 places) the pages on one bus decide: "
              "time = tR + their number x the transfer",
              f"{len(off)} cases; the furthest off is {worst.order}, {worst.kib} KiB: "
              f"{reads[worst]:.1f} us, {predicted_us(worst):.1f} follow",
              near(off[worst], 1, AS_FORMULA, "response time over the formula's")),
        Claim("placement: channel first", "levels count in the order channel, die, plane, chip; "
              "static orders help reads", f"reads of {min(split)} KiB in order: "
              f"{first:.0f} us at most with C first, {last:.0f} at least with C last",
              above(last / first, 1, "response time with C last over that with C first")),
        Claim("placement: random writes", "dynamic choices help writes",
              f"in turns {writes[STRIPE]:.1f} MB/s, by address {min(static.values()):.1f} to "
              f"{static[best]:.1f} ({best})",
              at_least(writes[STRIPE] / static[best], 1,
                       "throughput over the best static order's")),
    ]


def place(out: pathlib.Path, options) -> typing.List[Claim]:
    wanted = {case: run(case, options) for case in cases(options.quick)}
    results = execute_all(list(wanted.values()), out / "placement", options.jobs)
    measured = {case: results[one.label] for case, one in wanted.items()}
    rows = [(c.order, c.kib, r.mean_ns() / 1000, r.bytes_per_s() / 1e6,
             predicted_us(c) if c.kib and c.order != STRIPE else "") for c, r in measured.items()]
    figures.write_csv(out / "placement-orders.csv",
                      ["order", "KiB_of_a_read", "mean_us", "MB_per_s", "predicted_us"], rows)
    grids.dots({f"{kib} KiB in order" if kib else WRITES: {
        c.order: r.bytes_per_s() / 1e6 for c, r in measured.items() if c.kib == kib}
        for kib in dict.fromkeys(c.kib for c in measured)}, out / "placement", "MB/s")
    return claims(measured)
