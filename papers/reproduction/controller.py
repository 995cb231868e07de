# SPDX-License-Identifier: Apache-2.0
"""The order of flash operations: sequential, interleaved, out of order (Ozone), and what it makes
of four kinds of NAND."""
import pathlib
import typing

from . import figures, nand_types, placement
from .claims import Claim, at_least, at_most, below, inside
from .runs import Result, Run, execute_all

ARBITERS = ("sequential", "interleaved", "out_of_order")
URGENT_FIRST = "priorities"
DEPTHS = (1, 2, 4, 8, 16, 32, 64)
LUNS = (1, 2, 4, 8)
READS = (0, 0.25, 0.5, 0.75, 1)
MIX = 0.5
CLAIMED_GAIN = (0.03, 1)     # the abstract: 3 to 100 % more throughput than interleaving
CLAIMED_FALL = (0.46, 0.88)  # ... and 46 to 88 % less response time
REACHED = 0.5  # the best load gains so much at least, of the abstract's 100 %
LITTLE = 0.03  # requests that are under way at either end of the measured part
AS_GOOD = 0.98  # of interleaving, where operations are alike and their order is chance
ALONE = 1.01  # measured values differ by less where the order cannot matter


class Case(typing.NamedTuple):
    arbiter: str
    depth: int
    luns: int
    reads: float

    def label(self) -> str:
        return f"{self.arbiter}-qd{self.depth}-luns{self.luns}-reads{self.reads:g}"


Measured = typing.Dict[Case, Result]


def cases(quick: bool) -> typing.List[Case]:
    depths, luns, reads = ((4, 32), (1, 4), (MIX, 1)) if quick else (DEPTHS, LUNS, READS)
    return [*(Case(a, d, n, r) for a in ARBITERS for d in depths for n in luns for r in reads),
            *(Case(URGENT_FIRST, d, n, MIX) for d in depths for n in luns)]


def run(case: Case, options) -> Run:
    return Run(case.label(), ("experiment/ozone",),
               (f"flash.arbiter={case.arbiter}", f"flash.luns_per_channel={case.luns}",
                f"workload.mix.queue_depth={case.depth}",
                f"workload.mix.read_fraction={case.reads:g}",
                f"run.requests={10_000 // (4 if options.quick else 1)}"))


def ratios(measured: Measured, of: typing.Callable[[Result], float],
           other: str) -> typing.Dict[Case, float]:
    """A figure of the out-of-order controller per that of another one, by case."""
    return {case: of(result) / of(measured[case._replace(arbiter=other)])
            for case, result in measured.items() if case.arbiter == "out_of_order"}


def mixed(values: typing.Dict[Case, float]) -> typing.Dict[Case, float]:
    """Where the order can matter: several chips, operations of two lengths, some to choose from."""
    return {c: v for c, v in values.items() if c.luns > 1 and 0 < c.reads < 1 and c.depth > 2}


def told(case: Case) -> str:
    return f"{case.luns} chips, QD{case.depth}, {case.reads:.0%} reads"


def throughput_claims(measured: Measured) -> typing.List[Claim]:
    gain = ratios(measured, Result.bytes_per_s, "interleaved")
    over = {case: value - 1 for case, value in mixed(gain).items()}
    low, high = min(over, key=over.get), max(over, key=over.get)
    others = [gain[c] for c in gain if c.luns == 1]
    sequential = min(ratios(measured, Result.bytes_per_s, "sequential").values())
    worst = min(measured[c._replace(arbiter="interleaved")].bytes_per_s()
                / measured[c._replace(arbiter="sequential")].bytes_per_s() for c in gain)
    return [
        Claim("O3: throughput of mixed loads", "3 to 100 % above interleaving",
              f"{over[low]:+.0%} ({told(low)}) to {over[high]:+.0%} ({told(high)}), {len(over)} "
              "loads", inside(over.values(), *CLAIMED_GAIN, "gain of a mixed load")
              & at_least(over[high], REACHED, "the largest gain",
                         "half of the way: the best load is not named")),
        Claim("O3: throughput of all loads", "never below interleaving",
              f"{min(gain.values()) - 1:+.1%} at least",
              at_least(min(gain.values()), AS_GOOD, "throughput over interleaving",
                       f"{1 - AS_GOOD:.0%}: operations that are alike come in an order of chance")),
        Claim("sequential: throughput", "the worst everywhere",
              f"interleaving {worst - 1:+.1%} and out of order {sequential - 1:+.1%} against it at "
              "least", at_least(min(worst, sequential), 1 / ALONE, "throughput over sequential",
                                f"{ALONE - 1:.0%}, where the order cannot matter")),
        Claim("O3: one chip", "gains nothing: only chips that share a bus can overtake",
              f"{min(others) - 1:+.1%} to {max(others) - 1:+.1%}",
              inside(others, 1, 1, "throughput of one chip over interleaving", ALONE - 1)),
    ]


def read_ns(result: Result) -> float:
    return result.summary["host"]["read"]["latency_ns"]["mean"]


def response_claims(measured: Measured) -> typing.List[Claim]:
    both = mixed(ratios(measured, Result.mean_ns, "interleaved"))
    mixes = {c: r for c, r in measured.items() if 0 < c.reads < 1}
    reads = mixed(ratios(mixes, read_ns, "interleaved"))
    best, best_read = min(both, key=both.get), min(reads, key=reads.get)
    gain = ratios(measured, Result.bytes_per_s, "interleaved")
    product = [both[c] * gain[c] for c in both]
    return [
        Claim("O3: response time", "46 to 88 % below interleaving",
              f"all requests {max(both.values()) - 1:+.0%} to {both[best] - 1:+.0%} "
              f"({told(best)})", inside([1 - value for value in both.values()], *CLAIMED_FALL,
                                        "fall of the response time"),
              "arrivals. In a closed loop Little's law ties the mean to the throughput: +100 % is "
              "-50 %. More needs an open loop, or priorities"),
        Claim("O3: response time of reads", "falls most: they overtake programs",
              f"{reads[best_read] - 1:+.0%} ({told(best_read)}) against {both[best] - 1:+.0%} of "
              "all requests", below(reads[best_read], both[best],
                                  "the least response time of reads over interleaving")
              & at_least(1 - reads[best_read], CLAIMED_FALL[0], "the largest fall for reads")),
        Claim("Little's law", "mean response x throughput = queue depth",
              f"the two ratios multiply to {min(product):.3f}..{max(product):.3f}",
              inside(product, 1, 1, "product", LITTLE)),
    ]


def priority_claims(measured: Measured) -> typing.List[Claim]:
    urgent = {c: r for c, r in measured.items() if c.arbiter == URGENT_FIRST}

    def reads_against(other: str) -> typing.Dict[Case, float]:
        return mixed({c: read_ns(r) / read_ns(measured[c._replace(arbiter=other)])
                      for c, r in urgent.items()})

    over, beside = reads_against("interleaved"), reads_against("out_of_order")
    best, slowest = min(over, key=over.get), max(beside, key=beside.get)
    return [
        Claim("O3 with priorities", "urgent operations gain most",
              f"reads first: their response time {max(over.values()) - 1:+.0%} to "
              f"{over[best] - 1:+.0%} against interleaving, {min(beside.values()) - 1:+.0%} to "
              f"{beside[slowest] - 1:+.0%} against out of order without priorities",
              at_least(1 - over[best], CLAIMED_FALL[0], "the largest fall against interleaving")
              & at_most(beside[slowest], ALONE, "response time over that without priorities",
                        f"{ALONE - 1:.0%}, where there is nothing to choose from")),
    ]


def draw(measured: Measured, out: pathlib.Path) -> None:
    depths = sorted({c.depth for c in measured})
    luns = sorted({c.luns for c in measured})
    reads = sorted({c.reads for c in measured})

    def by_depth(value: typing.Callable[[Result], float]) -> dict:
        return {f"{n} chip{'s' if n > 1 else ''} per bus": {
            a.replace("_", " "): [(d, value(measured[Case(a, d, n, MIX)])) for d in depths]
            for a in (*ARBITERS, URGENT_FIRST)} for n in luns}

    style = {"xscale": "log", "ticks": depths, "names": ("chips", "controller")}
    figures.panels(by_depth(lambda r: r.bytes_per_s() / 1e6), out / "ozone-throughput",
                   figures.Axes("queue depth", "throughput, MB/s", ymin=0, **style))
    figures.panels(by_depth(lambda r: r.mean_ns() / 1e6), out / "ozone-response",
                   figures.Axes("queue depth", "mean response, ms", yscale="log", **style))
    figures.panels(by_depth(lambda r: read_ns(r) / 1e6), out / "ozone-reads",
                   figures.Axes("queue depth", "mean response of reads, ms", yscale="log", **style))
    gain = ratios(measured, Result.bytes_per_s, "interleaved")
    content = {f"queue depth {d}": {f"{n} chips": [
        (100 * r, 100 * (gain[Case("out_of_order", d, n, r)] - 1)) for r in reads]
        for n in luns if n > 1} for d in depths[::2]}
    figures.panels(content, out / "ozone-gain", figures.Axes(
        "reads, %", "throughput over interleaving, %", names=("depth", "chips")))
    figures.write_csv(out / "ozone.csv", [*Case._fields, "bytes_per_s", "mean_response_ns"],
                      [(*case, r.bytes_per_s(), r.mean_ns()) for case, r in measured.items()])


def ozone(out: pathlib.Path, options) -> typing.List[Claim]:
    wanted = cases(options.quick)
    by_label = execute_all([run(case, options) for case in wanted], out / "ozone", options.jobs)
    measured = {case: by_label[case.label()] for case in wanted}
    draw(measured, out)
    return throughput_claims(measured) + response_claims(measured) + priority_claims(measured)


PARTS = {"ozone": ozone, "nand-types": nand_types.reproduce, "placement": placement.place}
