# SPDX-License-Identifier: Apache-2.0
"""What the paper on SSR says of tails, next to what we measure. The paper's figures have no
numbers: its claims are factors, orders and the longest waits."""
import typing

from .claims import (Claim, above, at_least, at_most, falling, given, given_samples, ms, near,
                     several, told_apart)
from .runs import Result
from .suspend_drive import BY_READ_TAIL, longest_wait

Results = typing.Dict[str, Result]
LESS = 0.2     # a tail is below another one: less would be chance
FACTOR = 5     # half of "up to 10 times"
CLOSE = 2      # times a tail that is close to another one
PRESERVED = 3  # times better, where SSR preserves the tail of writes
WAIT = 0.05    # of a wait that follows from the paper's parameters
OF_WRITES = 99.9  # starved writes are few
PACE_OF_TRACE = 51_280  # requests/s
BUSY = 0.6     # of the time of a LUN
SERVED = 0.97  # of what arrives; by chance more or less arrives
SLOW_NS = 1e6  # of a read: only one that waits for an erase takes longer
WAITED_NS = 100e3  # a write that the buffer takes at once needs a tenth of that
FRESH_PE = 100  # P/E cycles of experiment/suspend-erases


def factor_claim(results: Results, load: str, percent: float) -> Claim:
    worst, best = (results[label].percentile("read", percent) for label in ("baseline", "SSR(d)"))
    check = at_least(worst / best, FACTOR, "a factor", 'half of it: the paper says "up to"')
    return Claim(f"{load}, {percent:g} % of reads", "up to 10 times better with SSR",
                 f"SSR(d) {ms(best)}, baseline {ms(worst)}: {worst / best:.1f} times",
                 given_samples(results.values(), "read", percent, check))


def order_claim(results: Results, load: str, percent: float,
                labels: typing.Sequence[str] = BY_READ_TAIL) -> Claim:
    """The longest tail first."""
    check = falling([results[label].percentile("read", percent) for label in labels], LESS,
                    "a tail")
    paper = ("I-ES best, then more safe points = lower" if labels is BY_READ_TAIL else
             f"{labels[-1]} lower than D-ES, D-ES lower than the baseline")
    return Claim(f"{load}, order at {percent:g} %", paper,
                 several(results, "read", percent, labels),
                 given_samples(results.values(), "read", percent, check))


def best_claim(results: Results, load: str, percent: float) -> Claim:
    """Among those that stop an erase within its loops."""
    labels = BY_READ_TAIL[2:]
    check = told_apart([results[label].percentile("read", percent) for label in labels], LESS,
                       "a tail", "within 20 % of each other: programs, which nothing suspends "
                       "here, bound all three; the load of erases tells them apart")
    return Claim(f"{load}, the best at {percent:g} %", "I-ES, then more safe points = lower",
                 several(results, "read", percent, labels),
                 given_samples(results.values(), "read", percent, check))


def random_claims(results: Results) -> typing.List[Claim]:
    return [*(factor_claim(results, "random", percent) for percent in (99.99, 99.9999)),
            *(order_claim(results, f"random, {label}", 99.99, ("baseline", "D-ES", label))
              for label in BY_READ_TAIL[2:]),
            best_claim(results, "random", 99.99)]


def busy_luns(result: Result) -> float:
    """Share of the time that the array of a LUN works, on average."""
    luns = [lun["busy"] for channel in result.summary["channels"] for lun in channel["luns"]]
    return sum(luns) / len(luns)


def pace_claim(results: Results, pace: float) -> Claim:
    """Reads wait for erases, not for a drive that has too much to do."""
    busy = max(busy_luns(result) for result in results.values())
    served = min(result.requests_per_s() for result in results.values()) / (PACE_OF_TRACE / pace)
    return Claim("TPC-C, pace", "a drive in steady state under TPC-C",
                 f"arrivals at {1 / pace:.0%} of the pace of the trace, {served:.1%} of them "
                 f"served in time; LUNs busy {busy:.0%} of the time at most",
                 at_most(busy, BUSY, "share of the time that LUNs are busy",
                         f"{BUSY:.0%}: beyond it requests wait for each other")
                 & at_least(served, SERVED, "served of those that arrive", f"{SERVED:.0%}"))


def tpcc_claims(results: Results) -> typing.List[Claim]:
    def write(label: str) -> float:
        return results[label].percentile("write", 99.99)

    ssr = (write("SSR(s)"), write("SSR(d)"))
    waited = max(write(label) for label in results) >= WAITED_NS
    return [*(factor_claim(results, "TPC-C", percent) for percent in (99.9, 99.99, 99.9999)),
            *(order_claim(results, f"TPC-C, {label}", 99.9, ("baseline", "D-ES", label))
              for label in BY_READ_TAIL[2:]),
            best_claim(results, "TPC-C", 99.9),
            Claim("TPC-C, writes", "the other way round: I-ES worst, D-ES best",
                  "99.99 %: " + several(results, "write", 99.99,
                                        ("I-ES", "SSR(d)", "SSR(s)", "D-ES")),
                  given(waited, "no write waits: the drive bears the load, and its buffer takes "
                        "all of them; under the starving load they wait",
                        given_samples(results.values(), "write", 99.99,
                                      above(write("I-ES") / max(ssr), 1, "I-ES over either SSR")
                                      & told_apart((min(ssr), write("D-ES")), LESS, "D-ES",
                                                   "within 20 % of each other: the buffer takes "
                                                   "the writes of D-ES and SSR"))))]


def longer_claim(tpcc: Results, random: Results) -> Claim:
    """In an open loop reads come although those before wait."""
    ours, other = (r["baseline"].share_slower("read", SLOW_NS) for r in (tpcc, random))
    return Claim("TPC-C, read tails", "longer than with the random load, since more reads wait "
                 "behind an erase", f"baseline: {ours:.2%} of the reads take more than 1 ms, "
                 f"{other:.2%} with the random load",
                 at_least(ours / other, 1 + LESS, "share over that with the random load",
                          f"{LESS:.0%} more at least: less would be chance"))


def met_erase(results: Results) -> float:
    """Share of the time of a LUN that an erase takes: so many reads meet one."""
    summary = results["baseline"].summary
    drive = summary["geometry"]
    erases = summary["flash"]["erases"] / drive["planes"] / drive["luns"]
    return erases * longest_wait("baseline", 0)[0] / summary["sim"]["simulated_ns"]


def expected_ns(label: str, cycles: int, alone_ns: float, met: float, percent: float) -> float:
    """A percentile of reads of which a share `met` arrives within erases, anywhere between two
    safe points, and takes `alone_ns` without them."""
    segment, overhead = longest_wait(label, cycles)
    return alone_ns + overhead + segment * (1 - (1 - percent / 100) / met)


def wait_claim(result: Result, label: str, cycles: int, met: float, percent: float) -> Claim:
    measured = result.percentile("read", percent)
    expected = expected_ns(label, cycles, result.percentile("read", 50), met, percent)
    segment, overhead = longest_wait(label, cycles)
    check = near(measured / 1e3, expected / 1e3, WAIT, "us")
    rest = "" if label == "baseline" else f", and {overhead / 1e3:.0f} us for the suspend"
    return Claim(f"wait, {label} at {cycles} P/E, {percent:g} %",
                 f"a read waits {segment / 1e3:,.0f} us at most{rest}",
                 f"{measured / 1e3:,.0f} us in all; {expected / 1e3:,.0f} us follow, as "
                 f"{met:.2%} of the reads meet an erase",
                 given_samples((result,), "read", percent, check))


def erase_claims(results: Results) -> typing.List[Claim]:
    met = met_erase(results)
    close = results["SSR(d)"].percentile("read", 99.99) / results["I-ES"].percentile("read", 99.99)
    return [
        *(factor_claim(results, "erases", percent) for percent in (99.99, 99.9999)),
        *(order_claim(results, "erases", percent) for percent in (99.99, 99.9999)),
        *(wait_claim(results[label], label, FRESH_PE, met, 99.99)
          for label in ("baseline", "D-ES", "SSR(s)", "SSR(d)")),
        Claim("erases, SSR and I-ES", "SSR comes close to I-ES for reads",
              f"SSR(d) {close:.2f} times I-ES at 99.99 %",
              given_samples(results.values(), "read", 99.99, at_most(
                  close, CLOSE, "a factor", "2: the paper has no number"))),
    ]


def wear_claims(measured: typing.Dict[typing.Tuple[str, int], Result]) -> typing.List[Claim]:
    """SSR(d) has fewer safe points the more a block is worn; at the end of its life those of
    SSR(s)."""
    wear = sorted({cycles for _, cycles in measured})
    tails = {key: result.percentile("read", 99.99) for key, result in measured.items()}
    first, last = (tails["SSR(d)", cycles] / tails["SSR(s)", cycles]
                   for cycles in (wear[0], wear[-1]))
    rising = [tails["SSR(d)", cycles] for cycles in reversed(wear)]
    shown = ", ".join(f"{ms(tails['SSR(d)', cycles])} at {cycles}" for cycles in wear)
    results = measured.values()

    def at_9999(check):
        return given_samples(results, "read", 99.99, check)
    return [
        Claim("SSR(d) over the life of the cells", "its read tail grows with P/E cycles", shown,
              at_9999(falling(rising, 0.05, "the tail of a less worn drive"))),
        Claim(f"SSR(d) at {wear[0]} P/E", "a lower read tail than SSR(s)",
              f"{first:.2f} of that of SSR(s)",
              at_9999(at_most(first, 1 - LESS, "tail over that of SSR(s)",
                              f"{LESS:.0%}: less would be chance"))),
        Claim(f"SSR(d) at {wear[-1]:,} P/E", "the safe points, and so the read tail, of SSR(s)",
              f"{last:.3f} of that of SSR(s)", at_9999(near(last, 1, 0.01, "ratio"))),
    ]


def write_claims(starving: Results, fresh: str, worst: float) -> typing.List[Claim]:
    """`fresh`: SSR(d) on a new drive. `worst`: percentile for I-ES, of which few writes complete;
    those of the others are compared at OF_WRITES."""
    def p(label: str, percent: float = OF_WRITES) -> float:
        return starving[label].percentile("write", percent)

    def told(*labels: str, percent: float = OF_WRITES) -> str:
        return f"{percent:g} %: " + several(starving, "write", percent, labels)

    def enough(check, *labels: str):
        return given_samples([starving[label] for label in labels], "write", OF_WRITES, check)

    def enough_worst(check):
        return given_samples(starving.values(), "write", worst, check)
    others = [label for label in starving if label not in ("I-ES", fresh)]
    ssr = [label for label in others if label.startswith("SSR")]
    times = {label: p("I-ES", worst) / p(label, worst) for label in ssr}
    reason = "the paper's parameters say otherwise: segments of SSR(d) are 167 to 500 us, of " \
        "SSR(s) 500 us"
    return [
        Claim("starving, I-ES", "the worst tail of writes: reads starve the erase",
              told("I-ES", *others, percent=worst),
              enough_worst(falling((p("I-ES", worst), max(p(label, worst) for label in others)),
                                   LESS, "the tail of another policy"))),
        Claim("starving, D-ES", "the best tail of writes of those that suspend",
              told("D-ES", *ssr),
              enough(falling((min(map(p, ssr)), p("D-ES")), LESS, "the tail of D-ES"),
                     "D-ES", *ssr)),
        Claim("starving, SSR", "preserves the tail of writes",
              f"{worst:g} %: " + ", ".join(f"{label} {n:.1f} times" for label, n in times.items())
              + " better than I-ES",
              enough_worst(at_least(min(times.values()), PRESERVED, "a factor",
                                    "3: the paper has no number"))),
        Claim("starving, SSR(d) and SSR(s)", "longest uninterrupted erase: I-ES < SSR(s) < SSR(d) "
              "< D-ES, so SSR(d) has the better tail of writes of the two",
              f"SSR(s) {ms(p('SSR(s)'))}, SSR(d) on a new drive {ms(p(fresh))}",
              enough(falling((p("SSR(s)"), p(fresh)), LESS, "the tail of SSR(d)"),
                     "SSR(s)", fresh), reason),
    ]
