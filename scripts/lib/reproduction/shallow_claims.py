# SPDX-License-Identifier: Apache-2.0
"""What the paper on shallow writes beside a cache says, next to what we measure; and what its
parameters imply."""
import typing

from .claims import Claim
from .runs import Result

CACHES = ("wo_lru", "rw_lru", "rw_cflru")
SIZES = (16, 32, 64, 128)  # MiB
CHOICES = ("deep", "all", "small_requests", "predicted")
EXCEPTION = "prn_0"
# Claims of the paper: cache in MiB -> % more with shallow writes, least and most.
LONGER = {16: (21.6, 91.2), 128: (8.0, 98.0)}
MORE_ERASES = {16: (13.3, 62.7), 128: (0.0, 79.8)}
DEEP_US = 900.0
READ_US = 500.0
# So that energy_j tells how long the arrays of the planes worked: 1 mJ is 1 s of a plane.
METER = ("nand.voltage=1V", "nand.current.read=1mA", "nand.current.program=1mA",
         "nand.current.erase=1mA", "nand.current.extra_plane=1", "nand.current.bus=0mA",
         "nand.current.idle=0mA")
# Pages that the rewriting reads and that the host overwrites before they are programmed, and what
# is under way at either end of the measured part: a share, and so many pages of a short run.
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


def overlaps(values: typing.Dict[Case, float], claimed: typing.Tuple[float, float]) -> bool:
    """All on the paper's side of 0, and some of them within its range."""
    return (min(values.values()) >= 0 and min(values.values()) <= claimed[1]
            and max(values.values()) >= claimed[0])


def size_claims(measured: Measured) -> typing.List[Claim]:
    claims = []
    for mib, claimed in LONGER.items():
        values = spread(response_us, measured, mib=mib)
        values = {c: v for c, v in values.items() if c.volume != EXCEPTION}
        claims.append(Claim(f"{mib} MiB: responses {claimed[0]} to {claimed[1]} % longer with "
                            "shallow writes", told(values), overlaps(values, claimed),
                            binding=False))
    for mib, claimed in MORE_ERASES.items():
        values = spread(erases, measured, mib=mib)
        claims.append(Claim(f"{mib} MiB: {claimed[0]} to {claimed[1]} % more erases",
                            told(values), overlaps(values, claimed), binding=False))
    return claims


def paper_claims(measured: Measured) -> typing.List[Claim]:
    by_volume = {}
    for case, value in spread(response_us, measured).items():
        by_volume.setdefault(case.volume, []).append(value)
    longer = {volume for volume, values in by_volume.items() if min(values) > 0}
    shown = ", ".join(f"{volume} {min(values):+.0f} to {max(values):+.0f} %"
                      for volume, values in by_volume.items())
    response, erased = spread(response_us, measured), spread(erases, measured)
    largest = max(case.mib for case in measured)
    none = [case for case, result in measured.items()
            if (case.volume, case.mib) == ("mds_0", largest) and erases(result) != 0]
    return [
        Claim("shallow writes make responses longer, except with prn0", shown,
              longer == set(by_volume) - {EXCEPTION}, binding=False),
        *size_claims(measured),
        Claim("at worst 98.0 % longer responses", f"{max(response.values()):.1f} %",
              50 < max(response.values()) < 200, binding=False),
        Claim("at worst 79.8 % more erases",
              f"{max(erased.values()):.1f} %; {from_none(measured)} cases erase with shallow "
              "writes only", 40 < max(erased.values()) < 160, binding=False),
        Claim("mds0 with 128 MiB: nothing is erased, whatever the policy",
              "so it is" if not none else "erased by " + ", ".join(c.policy() for c in none),
              not none, binding=False),
    ]


def own_claims(measured: Measured) -> typing.List[Claim]:
    """What holds whatever the traffic is."""
    results = measured.values()
    checked = sum(r.summary["integrity"]["sectors_checked"] for r in results)
    wrong = sum(r.summary["integrity"]["total_mismatches"] for r in results)
    late = sum(retention(r).get("late", 0) for r in results)
    deep = [c for c, r in measured.items()
            if not c.shallow and retention(r).get("shallow_pages", 0) != 0]
    rewritten = sum(retention(r).get("rewritten_units", 0) for r in results)
    shallow = sum(retention(r).get("shallow_pages", 0) for r in results)
    evicted = sum(r.summary["cache"].get("evictions_dirty", 1) for r in results)
    # A cache that keeps more has no more to evict, but for what chance does.
    hits = {c: ratio(r.summary["cache"], "write") for c, r in measured.items() if not c.shallow}
    grow = all(hits[a] <= hits[b] + 0.01 for a in hits for b in hits
               if a[:2] == b[:2] and a.mib < b.mib)
    return [
        Claim("(ours) nothing is lost", f"{checked:,} sectors read, {wrong} wrong", wrong == 0),
        Claim("(ours) nothing is rewritten too late",
              f"{late:,} of {rewritten:,} units: time is compressed and superblocks are not",
              late == 0, binding=False),
        Claim("(ours) shallow programs only where they are asked for",
              f"{shallow:,} shallow pages, {rewritten:,} of their units rewritten",
              not deep and (shallow > 0) == (evicted > 0)),
        Claim("(ours) a larger cache hits more writes",
              f"{min(hits.values()):.1%} to {max(hits.values()):.1%}", grow),
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
    off = [abs(p.array_us() / p.formula_us() - 1) for p in points]
    slack = [FORMULA_SLACK[0] + FORMULA_SLACK[1] / p.written() for p in points]
    right = [p for p in points
             if (p.array_us() < DEEP_US) == (p.survivors() < break_even(p.speed_up))]
    near = [p for p in points if abs(p.survivors() - break_even(p.speed_up)) < 0.02]
    claims = [
        Claim("(formula) a page costs t_s + p (t_R + t_d) of array time",
              f"within {max(off):.1%} for p from {min(p.survivors() for p in points):.2f} to "
              f"{max(p.survivors() for p in points):.2f}", all(o < s for o, s in zip(off, slack))),
        Claim("(formula) shallow writes save array time while p < (t_d - t_s) / (t_d + t_R): " +
              ", ".join(f"{break_even(s):.3f} at {s}" for s in speed_ups),
              f"{len(right)} of {len(points)} runs on the right side",
              set(points_key(p) for p in points) - set(points_key(p) for p in [*right, *near])
              == set()),
    ]
    for speed_up in speed_ups:
        mine = sorted((p for p in points if p.speed_up == speed_up), key=lambda p: p.limit)
        claims.append(Claim(
            f"(ours) speed-up {speed_up}: response time over deep, by the limit",
            "; ".join(f"{p.volume} {p.limit:.2f} of a run: {p.slower():.2f} (p {p.survivors():.2f})"
                      for p in mine), any(p.slower() > 1 for p in mine), binding=False))
    return claims


def points_key(point: Point) -> tuple:
    return point[:3]


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
    return [Claim("(ours) what the rewriting costs the host grows with the load", shown,
                  all(ratio_at[v, min(paces)] <= ratio_at[v, max(paces)] for v in volumes),
                  binding=False)]


def read_claims(measured: typing.Dict[tuple, Result]) -> typing.List[Claim]:
    """`measured`: by case and us of a page read."""
    more = {(case, us): more_percent(response_us, result, measured[case._replace(shallow=False),
                                                                   us])
            for (case, us), result in measured.items() if case.shallow}
    shown = ", ".join(f"{case.volume} {case.mib} MiB {us} us: {value:+.0f} %"
                      for (case, us), value in more.items())
    return [Claim("reads take 500 us (ten times the usual): the penalty of shallow writes does not "
                  "depend on it", shown,
                  all((value > 0) == (more[case, 500] > 0) for (case, us), value in more.items()),
                  binding=False)]


def predicted_claims(measured: typing.Dict[tuple, Result]) -> typing.List[Claim]:
    """`measured`: by case and choice of the writes that are shallow."""
    def gain(choice: str, value: typing.Callable[[Result], float]) -> typing.Dict[Case, float]:
        return {case: more_percent(value, result, measured[case._replace(shallow=False), "deep"])
                for (case, what), result in measured.items() if what == choice}

    def listed(values: typing.Dict[Case, float]) -> str:
        return ", ".join(f"{c.volume} {c.mib}: {v:+.0f} %" for c, v in values.items())
    response = {choice: gain(choice, response_us) for choice in CHOICES[1:]}
    energy = {choice: gain(choice, energy_mj) for choice in ("all", "predicted")}
    better = {case: response["predicted"][case] - response["all"][case]
              for case in response["all"]}
    return [
        Claim("a prediction of lifetimes is needed for shallow writes to pay (future work)",
              f"responses against deep with `predicted`: {listed(response['predicted'])}",
              all(value <= 5 for value in response["predicted"].values()), binding=False),
        Claim("(ours) `predicted` is no worse than `all`",
              f"all: {listed(response['all'])}", all(v <= 5 for v in better.values()),
              binding=False),
        Claim("(ours) only short requests shallow: no better than deep",
              listed(response["small_requests"]),
              any(v > 0 for v in response["small_requests"].values()), binding=False),
        Claim("(ours) shallow writes of all data cost NAND energy, predicted ones do not",
              f"all: {listed(energy['all'])}; predicted: {listed(energy['predicted'])}",
              all(v <= 5 for v in energy["predicted"].values()), binding=False),
    ]
