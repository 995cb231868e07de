# SPDX-License-Identifier: Apache-2.0
"""A paper's claims beside what we measure.

A claim has a name, what the paper says, what we measure, and a check. A check knows how far the
measurement may be off and which observation would refute the claim; both are told with the
verdict. So each kind of check below makes its texts and its verdict of the same numbers."""
import dataclasses
import textwrap
import typing

HOLDS, FAILS, UNTESTED = "holds", "does not hold", "cannot be tested"
NONE = "none"  # tolerance of what is right or wrong
WIDTH = 98
MARGIN = 12  # columns, in which a line of a claim begins with what it is
SAMPLES = 5  # at least so many requests beyond a percentile make it real


@dataclasses.dataclass(frozen=True)
class Check:
    """`holds`: None where the measurement cannot tell, for `reason`."""
    holds: typing.Optional[bool]
    tolerance: str
    refuted_by: str
    reason: str = ""

    def __post_init__(self) -> None:
        if not (self.tolerance and self.refuted_by):
            raise ValueError("a check without tolerance, or that nothing refutes")
        if (self.holds is None) != bool(self.reason):
            raise ValueError("a reason belongs to a check that cannot tell, and to no other")

    def __and__(self, other: "Check") -> "Check":
        """Both have to hold; a refuted one decides though the other cannot tell."""
        holds = (False if self.holds is False or other.holds is False else
                 None if None in (self.holds, other.holds) else True)
        reason = "; ".join(filter(None, (self.reason, other.reason))) if holds is None else ""
        tolerances = dict.fromkeys((self.tolerance, other.tolerance))
        tolerances.pop(NONE, None)
        return Check(holds, "; ".join(tolerances) or NONE,
                     f"{self.refuted_by}; or {other.refuted_by}", reason)


@dataclasses.dataclass(frozen=True)
class Claim:
    """`left_open`: what the paper does not say, so that the claim need not hold here. Without it
    the paper's own parameters imply the claim, and it is binding."""
    name: str
    paper: str
    measured: str
    check: Check
    left_open: str = ""

    @property
    def verdict(self) -> str:
        return {True: HOLDS, False: FAILS, None: UNTESTED}[self.check.holds]

    @property
    def fails(self) -> bool:
        return self.check.holds is False and not self.left_open

    def row(self) -> typing.Tuple[str, ...]:
        """As of COLUMNS."""
        return (self.name, self.paper, self.measured, self.check.tolerance, self.check.refuted_by,
                self.verdict, self.check.reason, self.left_open)


COLUMNS = ("claim", "paper", "measured", "tolerance", "refuted_by", "verdict", "reason",
           "left_open")


def at_least(value: float, limit: float, what: str, tolerance: str = NONE) -> Check:
    return Check(value >= limit, tolerance, f"{what} below {limit:.4g}")


def at_most(value: float, limit: float, what: str, tolerance: str = NONE) -> Check:
    return Check(value <= limit, tolerance, f"{what} above {limit:.4g}")


def above(value: float, limit: float, what: str) -> Check:
    return Check(value > limit, NONE, f"{what} of {limit:.4g} or less")


def below(value: float, limit: float, what: str) -> Check:
    return Check(value < limit, NONE, f"{what} of {limit:.4g} or more")


def near(value: float, paper: float, share: float, what: str) -> Check:
    """Within a share of the paper's figure."""
    return Check(abs(value - paper) <= share * abs(paper),
                 f"{share:.3g} of {paper:.4g}" if share else NONE,
                 f"{what} below {paper - share * abs(paper):.4g} or above "
                 f"{paper + share * abs(paper):.4g}")


def inside(values: typing.Iterable[float], low: float, high: float, what: str,
           slack: float = 0) -> Check:
    """Each of the values."""
    values = list(values)
    return Check(bool(values) and min(values) >= low - slack and max(values) <= high + slack,
                 f"{slack:g} at either end" if slack else NONE,
                 f"any {what} below {low - slack:.4g} or above {high + slack:.4g}")


def none_of(count: int, what: str) -> Check:
    return Check(count == 0, NONE, f"a single {what}")


def every(right: int, total: int, what: str) -> Check:
    """Of so many cases; none at all tell nothing."""
    return Check(total > 0 and right == total, NONE, f"a single {what}")


def falling(values: typing.Sequence[float], step: float, what: str) -> Check:
    """Each value is at least a share `step` below the one before."""
    return Check(all(later <= (1 - step) * earlier for earlier, later in zip(values, values[1:])),
                 f"a step is {step:.0%} at least: less would be chance",
                 f"{what} less than {step:.0%} below the one before it")


def told_apart(values: typing.Sequence[float], step: float, what: str, reason: str) -> Check:
    """`falling`; values that neither fall nor rise by a step tell nothing, for `reason`."""
    check = dataclasses.replace(falling(values, step, what), refuted_by=f"{what} more than "
                                f"{step:.0%} above one before it")
    rises = any(later > (1 + step) * earlier for i, earlier in enumerate(values)
                for later in values[i + 1:])
    return check if check.holds else dataclasses.replace(check, holds=False) if rises else \
        given(False, reason, check)


def in_order(values: typing.Dict[str, float], order: typing.Sequence[str], what: str) -> Check:
    """The keys by their values, the least first."""
    return Check(sorted(values, key=values.get) == list(order), "none: ranks",
                 f"another order of {what}")


def given(possible: bool, reason: str, check: Check) -> Check:
    """`check`, where it is possible to tell at all."""
    return check if possible else dataclasses.replace(check, holds=None, reason=reason)


def assumed(check: Check, what: str) -> Check:
    """`check` of what a model has by assumption: that it holds says nothing of the claim, only that
    the model is what it should be."""
    return check if check.holds is False else given(False, what, check)


def given_samples(results: typing.Iterable, kind: str, percent: float, check: Check) -> Check:
    """`check` of a percentile that so few requests may not show."""
    needed = SAMPLES / (1 - percent / 100)
    fewest = min(r.summary["host"][kind]["requests"] for r in results)
    return given(fewest >= needed - 0.5, f"{fewest:,} {kind}s are too few for {percent:g} %, "
                 f"which needs {needed:,.0f}", check)


def table(claims: typing.Sequence[Claim]) -> str:
    """One claim after the other, with its verdict in the first line; how many of each below."""
    blocks = []
    for claim in claims:
        head = f"{claim.name}:"
        lines = [f"{head:{WIDTH - len(UNTESTED)}}{claim.verdict}"]
        for what, text in (("paper", claim.paper), ("measured", claim.measured),
                           ("tolerance", claim.check.tolerance),
                           ("refuted by", claim.check.refuted_by),
                           ("because", claim.check.reason), ("left open", claim.left_open)):
            lines += textwrap.wrap(text, WIDTH, initial_indent=f"  {what:{MARGIN}}",
                                   subsequent_indent=" " * (MARGIN + 2))
        blocks.append("\n".join(lines))
    counts = [f"{sum(c.verdict == verdict for c in claims)} {words}" for verdict, words in
              ((HOLDS, "hold"), (FAILS, "do not hold"), (UNTESTED, "cannot be tested"))]
    blocks.append(f"{len(claims)} claims: {', '.join(counts)}")
    binding = [claim.name for claim in claims if claim.fails]
    if binding:
        blocks.append("binding, and do not hold: " + "; ".join(binding))
    return "\n\n".join(blocks)


def ms(ns: float) -> str:
    return f"{ns / 1e6:.3g} ms"


def several(results: dict, kind: str, percent: float, labels: typing.Iterable[str]) -> str:
    """A percentile of each of these results."""
    return ", ".join(f"{label} {ms(results[label].percentile(kind, percent))}" for label in labels)
