# SPDX-License-Identifier: Apache-2.0
"""What the paper on shallow writes beside a cache says, next to what we measure; and what its
parameters imply."""
import statistics
import typing

from .claims import (Check, Claim, above, at_least, at_most, every, given, inside, near,
                     none_of)
from .runs import Result

CACHES = ("wo_lru", "rw_lru", "rw_cflru")
SIZES = (16, 32, 64, 128)  # MiB
CHOICES = ("deep", "all", "small_requests", "predicted")
EXCEPTION = "prn_0"
# Claims of the paper: cache in MiB -> % more with shallow writes, least and most.
LONGER = {16: (21.6, 91.2), 128: (8.0, 98.0)}
MORE_ERASES = {16: (13.3, 62.7), 128: (0.0, 79.8)}
WORST = {"response": 98.0, "erases": 79.8}  # % more, over all cases
POINTS = 5.0       # percentage points at either end of the paper's ranges: less than its least
WORST_SHARE = 0.1  # of the paper's worst cases
STALLED = 1.4      # times what the other policies need
NEGLIGIBLE = 5.0   # % of a response time or an energy that count as none
OPEN = "traffic, program times and retention limits of the paper"
DEEP_US = 900.0
READ_US = 500.0
# So that energy_j tells how long the arrays of the planes worked: 1 mJ is 1 s of a plane.
METER = ("nand.voltage=1V", "nand.current.read=1mA", "nand.current.program=1mA",
         "nand.current.erase=1mA", "nand.current.extra_plane=1", "nand.current.bus=0mA",
         "nand.current.idle=0mA")
# Pages that the rewriting reads and that the host overwrites before they are programmed, and what
# is under way at either end of the measured part: a share, and so many pages of a short run.
NEAR_EVEN = 0.02  # of the break-even: which side is chance
FORMULA_SLACK = (0.03, 1500)


class Case(typing.NamedTuple):
    volume: str
    cache: str
    mib: int
    shallow: bool

    def policy(self) -> str:
        name = self.cache.upper().replace("_", "-")
        return f"{name}-Shallow" if self.shallow else name

    def label(self) -> str:
        return f"{self.volume}-{self.policy()}-{self.mib}"


Measured = typing.Dict[Case, Result]
COLUMNS = ("workload", "policy", "cache_mib", "requests", "response_us", "erases", "write_hits",
           "read_hits", "shallow_pages", "rewritten_units", "write_amplification", "nand_j")


def break_even(speed_up: float, read_us: float = READ_US) -> float:
    """Share of shallow pages that may outlive the limit before deep writes are cheaper: each costs
    a read and a deep program. From t_s + p (t_R + t_d) < t_d."""
    return (DEEP_US - DEEP_US / speed_up) / (DEEP_US + read_us)


def cost_us(speed_up: float, survivors: float, read_us: float = READ_US) -> float:
    """Array time of a page written shallow, `survivors` of which are written again."""
    return DEEP_US / speed_up + survivors * (read_us + DEEP_US)


def response_us(result: Result) -> float:
    return result.mean_ns() / 1e3


def erases(result: Result) -> int:
    return result.summary["flash"]["erases"]


def energy_mj(result: Result) -> float:
    """Of the NAND, per MiB that the host writes."""
    nand = sum(result.summary["energy_j"]["nand"].values())
    return nand * 1e3 / (result.summary["host"]["write"]["bytes"] / (1 << 20))


def more_percent(value: typing.Callable[[Result], float], shallow: Result, deep: Result) -> float:
    """0 where both are 0."""
    a, b = value(shallow), value(deep)
    return 0.0 if a == b else 100.0 * (a / b - 1) if b else float("inf")


def bus(result: Result) -> float:
    """Share of the time that the channels are busy, mean."""
    channels = result.summary["channels"]
    return sum(channel["busy"] for channel in channels) / len(channels)


def retention(result: Result) -> dict:
    return result.summary["ftl"].get("retention", {})


def ratio(cache: dict, kind: str) -> float:
    hits, misses = cache[f"{kind}_hits"], cache[f"{kind}_misses"]
    return hits / max(1, hits + misses)


def row(case: Case, result: Result) -> tuple:
    summary = result.summary
    tracked = retention(result)
    return (case.volume, case.policy(), case.mib,
            sum(k["requests"] for n, k in summary["host"].items() if n in ("read", "write")),
            f"{response_us(result):.1f}", erases(result), f"{ratio(summary['cache'], 'write'):.4f}",
            f"{ratio(summary['cache'], 'read'):.4f}", tracked.get("shallow_pages", 0),
            tracked.get("rewritten_units", 0), summary["ftl"]["write_amplification"],
            sum(summary["energy_j"]["nand"].values()))


def pairs(measured: Measured, **where: object) -> typing.Dict[Case, typing.Tuple[Result, Result]]:
    """Shallow and deep result of each case; `where`: fields of the case."""
    return {case: (result, measured[case._replace(shallow=False)])
            for case, result in measured.items()
            if case.shallow and all(getattr(case, key) == v for key, v in where.items())}


def spread(value: typing.Callable[[Result], float], measured: Measured,
           **where: object) -> typing.Dict[Case, float]:
    """Without cases that have nothing but with shallow writes: no percentage tells of them."""
    more = {case: more_percent(value, *pair) for case, pair in pairs(measured, **where).items()}
    return {case: percent for case, percent in more.items() if percent != float("inf")}


def from_none(measured: Measured) -> int:
    """Cases that erase with shallow writes only."""
    return sum(erases(deep) == 0 < erases(shallow) for shallow, deep in pairs(measured).values())


def told(values: typing.Dict[Case, float]) -> str:
    least, most = min(values, key=values.get), max(values, key=values.get)
    return (f"{values[least]:+.1f} % ({least.volume}, {least.cache}, {least.mib} MiB) to "
            f"{values[most]:+.1f} % ({most.volume}, {most.cache}, {most.mib} MiB)")


def of_erases(measured: Measured, check: Check) -> Check:
    """`check`, where deep writes come as far as to erase."""
    erased = sum(erases(result) for case, result in measured.items() if not case.shallow)
    return given(erased > 0, "runs so short erase nothing with deep writes", check)


def size_claims(measured: Measured) -> typing.List[Claim]:
    claims = []
    for mib, claimed in LONGER.items():
        values = {c: v for c, v in spread(response_us, measured, mib=mib).items()
                  if c.volume != EXCEPTION}
        claims.append(Claim(f"responses, {mib} MiB",
                            f"{claimed[0]} to {claimed[1]} % longer with shallow writes",
                            told(values), inside(values.values(), *claimed, "% longer", POINTS),
                            OPEN))
    for mib, claimed in MORE_ERASES.items():
        values = spread(erases, measured, mib=mib)
        claims.append(Claim(f"erases, {mib} MiB", f"{claimed[0]} to {claimed[1]} % more",
                            told(values), of_erases(measured, inside(
                                values.values(), *claimed, "% more", POINTS)), OPEN))
    return claims


def worst_claims(measured: Measured) -> typing.List[Claim]:
    response, erased = spread(response_us, measured), spread(erases, measured)
    longest, most = max(response.values()), max(erased.values())
    largest = max(case.mib for case in measured)
    erasing = [case.policy() for case, result in measured.items()
               if (case.volume, case.mib) == ("mds_0", largest) and erases(result) != 0]
    return [
        Claim("responses, at worst", f"{WORST['response']} % longer", f"{longest:.1f} %",
              near(longest, WORST["response"], WORST_SHARE, "% longer"), OPEN),
        Claim("erases, at worst", f"{WORST['erases']} % more",
              f"{most:.1f} %; {from_none(measured)} cases erase with shallow writes only",
              of_erases(measured, near(most, WORST["erases"], WORST_SHARE, "% more")), OPEN),
        Claim(f"erases of mds0, {largest} MiB", "none, whatever the policy",
              f"by {len(erasing)} policies" + "".join(f", {name}" for name in erasing),
              of_erases(measured, none_of(len(erasing), "policy that erases")), OPEN),
    ]


def paper_claims(measured: Measured) -> typing.List[Claim]:
    by_volume: typing.Dict[str, typing.List[float]] = {}
    for case, value in spread(response_us, measured).items():
        by_volume.setdefault(case.volume, []).append(value)
    shown = ", ".join(f"{volume} {min(values):+.0f} to {max(values):+.0f} %"
                      for volume, values in by_volume.items())
    others = min(min(values) for volume, values in by_volume.items() if volume != EXCEPTION)
    return [
        Claim("responses", "longer with shallow writes, except with prn0", shown,
              above(others, 0, "% longer of another volume")
              & at_most(min(by_volume[EXCEPTION]), 0, "% longer of prn0 in every case"), OPEN),
        *size_claims(measured), *worst_claims(measured)]


def beside(measured: Measured) -> typing.Dict[Case, float]:
    """Response of each run with deep writes over the median of the three policies."""
    deep = {case: response_us(result) for case, result in measured.items() if not case.shallow}
    return {case: us / statistics.median(v for c, v in deep.items()
                                         if (c.volume, c.mib) == (case.volume, case.mib))
            for case, us in deep.items()}


def own_claims(measured: Measured) -> typing.List[Claim]:
    """What holds whatever the traffic is."""
    results = measured.values()
    checked = sum(r.summary["integrity"]["sectors_checked"] for r in results)
    wrong = sum(r.summary["integrity"]["total_mismatches"] for r in results)
    late = sum(retention(r).get("late", 0) for r in results)
    deep = sum(retention(r).get("shallow_pages", 0) for c, r in measured.items() if not c.shallow)
    rewritten = sum(retention(r).get("rewritten_units", 0) for r in results)
    shallow = sum(retention(r).get("shallow_pages", 0) for r in results)
    evicted = sum(r.summary["cache"].get("evictions_dirty", 1) for r in results)
    stalled = beside(measured)
    # A cache that keeps more has no more to evict, but for what chance does.
    hits = {c: ratio(r.summary["cache"], "write") for c, r in measured.items() if not c.shallow}
    lost = max((hits[a] - hits[b] for a in hits for b in hits
                if a[:2] == b[:2] and a.mib < b.mib), default=0.0)
    return [
        Claim("data", "(ours) nothing is lost", f"{checked:,} sectors read, {wrong} wrong",
              none_of(wrong, "wrong sector") & above(checked, 0, "sectors read")),
        Claim("deadlines", "(ours) nothing is rewritten too late",
              f"{late:,} of {rewritten:,} units", none_of(late, "late unit"),
              "how far time is compressed: superblocks are not"),
        Claim("shallow programs", "(ours) only where they are asked for, and there",
              f"{shallow:,} shallow pages, {deep:,} of them without shallow writes; {rewritten:,} "
              "units rewritten", none_of(deep, "shallow page of a deep run")
              & given(evicted > 0, "nothing was evicted", above(shallow, 0, "shallow pages"))),
        Claim("stalls", "(ours) collection stops no run with deep writes", told(
            {case: 100 * (ratio_ - 1) for case, ratio_ in stalled.items()}),
              at_most(max(stalled.values()), STALLED, "every response over the median of the three "
                      "policies", f"{STALLED:g}: what hits and evictions make of it")),
        Claim("hits", "(ours) a larger cache hits more writes",
              f"{min(hits.values()):.1%} to {max(hits.values()):.1%}; {max(lost, 0.0):.2%} less at "
              "most", at_most(lost, 0.01, "hits lost by a larger cache", "0.01: chance")),
    ]


class Point(typing.NamedTuple):
    """A run of the sweep over retention limits. `limit`: share of the run."""
    volume: str
    speed_up: float
    limit: float
    shallow: Result
    deep: Result

    def slower(self) -> float:
        return response_us(self.shallow) / response_us(self.deep)

    def written(self) -> int:
        """Pages, by the host."""
        return self.shallow.summary["flash"]["by_purpose"]["host"]["programs"]

    def survivors(self) -> float:
        return (self.shallow.summary["flash"]["by_purpose"]["refresh"]["programs"] /
                self.written())

    def formula_us(self) -> float:
        return cost_us(self.speed_up, self.survivors())

    def array_us(self) -> float:
        """Measured: what the arrays did, without what collection and maps made them do."""
        purposes = self.shallow.summary["flash"]["by_purpose"]
        nand = self.shallow.summary["energy_j"]["nand"]
        programs = nand["array_program"] * 1e9  # 1 V x 1 mA: 1 J is 1000 s
        other = sum(p["programs"] for name, p in purposes.items() if name not in ("host",
                                                                                  "refresh"))
        reread = purposes["refresh"]["reads"] * READ_US
        return (programs - other * DEEP_US + reread) / self.written()


def limit_claims(points: typing.Sequence[Point]) -> typing.List[Claim]:
    speed_ups = sorted({p.speed_up for p in points})
    off = [p.array_us() / p.formula_us() for p in points]
    slack = max(FORMULA_SLACK[0] + FORMULA_SLACK[1] / p.written() for p in points)
    apart = [p for p in points if abs(p.survivors() - break_even(p.speed_up)) >= NEAR_EVEN]
    right = [p for p in apart
             if (p.array_us() < DEEP_US) == (p.survivors() < break_even(p.speed_up))]
    survivors = [p.survivors() for p in points]
    return [
        Claim("cost of a page", "(formula) t_s + p (t_R + t_d) of array time",
              f"{min(off):.3f} to {max(off):.3f} times that, for p from {min(survivors):.2f} to "
              f"{max(survivors):.2f}", inside(off, 1, 1, "time over the formula", round(slack, 4))),
        Claim("break-even", "(formula) shallow writes save array time while p < (t_d - t_s) / "
              "(t_d + t_R): " + ", ".join(f"{break_even(s):.3f} at {s}" for s in speed_ups),
              f"{len(right)} of {len(apart)} runs on the right side, {len(points) - len(apart)} "
              f"within {NEAR_EVEN} of it",
              every(len(right), len(apart), "run on the wrong side")),
        *(slower_claim(speed_up, sorted((p for p in points if p.speed_up == speed_up),
                                        key=lambda p: p.limit)) for speed_up in speed_ups),
    ]


def slower_claim(speed_up: float, points: typing.Sequence[Point]) -> Claim:
    shortest = [p.slower() for p in points if p.limit == points[0].limit]
    return Claim(f"shortest limit, speed-up {speed_up}", "(ours) makes responses longer than deep",
                 "; ".join(f"{p.volume} {p.limit:.2f} of a run: {p.slower():.2f} (p "
                           f"{p.survivors():.2f})" for p in points),
                 above(max(shortest), 1, "every response over deep"), OPEN)


def load_claims(measured: typing.Dict[tuple, Result]) -> typing.List[Claim]:
    """`measured`: by case and pace."""
    ratio_at = {(case.volume, pace): response_us(result) /
                response_us(measured[case._replace(shallow=False), pace])
                for (case, pace), result in measured.items() if case.shallow}
    shown = "; ".join(
        f"{case.volume} {bus(result):.0%} busy: {ratio_at[case.volume, pace]:.2f}"
        for (case, pace), result in measured.items() if not case.shallow)
    volumes = {volume for volume, _ in ratio_at}
    paces = [pace for _, pace in ratio_at]
    growth = min(ratio_at[v, max(paces)] / ratio_at[v, min(paces)] for v in volumes)
    return [Claim("load", "(ours) what the rewriting costs the host grows with it", shown,
                  above(growth, 1, "cost at the highest load over that at the lowest"), OPEN)]


def read_claims(measured: typing.Dict[tuple, Result]) -> typing.List[Claim]:
    """`measured`: by case and us of a page read."""
    more = {(case, us): more_percent(response_us, result, measured[case._replace(shallow=False),
                                                                   us])
            for (case, us), result in measured.items() if case.shallow}
    shown = ", ".join(f"{case.volume} {case.mib} MiB {us} us: {value:+.0f} %"
                      for (case, us), value in more.items())
    apart = max(abs(value - more[case, int(READ_US)]) for (case, _), value in more.items())
    return [Claim("time of a read", "500 us (ten times the usual); the penalty of shallow writes "
                  "does not depend on it", f"{shown}: {apart:.1f} points apart at most",
                  at_most(apart, NEGLIGIBLE, "difference in points",
                          f"{NEGLIGIBLE:g} points"), OPEN)]


def predicted_claims(measured: typing.Dict[tuple, Result]) -> typing.List[Claim]:
    """`measured`: by case and choice of the writes that are shallow."""
    def gain(choice: str, value: typing.Callable[[Result], float]) -> typing.Dict[Case, float]:
        return {case: more_percent(value, result, measured[case._replace(shallow=False), "deep"])
                for (case, what), result in measured.items() if what == choice}

    def listed(values: typing.Dict[Case, float]) -> str:
        return ", ".join(f"{c.volume} {c.mib}: {v:+.0f} %" for c, v in values.items())
    response = {choice: gain(choice, response_us) for choice in CHOICES[1:]}
    energy = {choice: gain(choice, energy_mj) for choice in ("all", "predicted")}
    worse = max(response["predicted"][case] - response["all"][case] for case in response["all"])
    slack = f"{NEGLIGIBLE:g} points"

    def pays(values: typing.Dict[Case, float], what: str) -> Check:
        return at_most(max(values.values()), NEGLIGIBLE, f"% more {what}", slack)
    return [
        Claim("prediction of lifetimes", "needed for shallow writes to pay (future work)",
              f"responses against deep with `predicted`: {listed(response['predicted'])}",
              pays(response["predicted"], "response time"), OPEN),
        Claim("`predicted`", "(ours) no worse than `all`", f"all: {listed(response['all'])}",
              at_most(worse, NEGLIGIBLE, "points more than with `all`", slack), OPEN),
        Claim("`small_requests`", "(ours) no better than deep",
              listed(response["small_requests"]),
              at_least(max(response["small_requests"].values()), 0, "every % more"), OPEN),
        Claim("energy", "(ours) shallow writes of all data cost NAND energy, predicted ones do not",
              f"all: {listed(energy['all'])}; predicted: {listed(energy['predicted'])}",
              above(max(energy["all"].values()), NEGLIGIBLE, "every % more with `all`")
              & pays(energy["predicted"], "with `predicted`"), OPEN),
    ]
