# SPDX-License-Identifier: Apache-2.0
"""Student's t for a few runs: intervals of a mean, and whether two means differ (Welch)."""
import functools
import math
import typing


class Sample:
    """Values of runs that differ in the seed alone."""

    def __init__(self, values: typing.Iterable[float]) -> None:
        self.values = list(values)
        self.n = len(self.values)
        self.mean = math.fsum(self.values) / self.n
        self.variance: typing.Optional[float] = None
        if self.n > 1:
            self.variance = math.fsum((v - self.mean)**2 for v in self.values) / (self.n - 1)

    def half_width(self, level: float = 0.95) -> typing.Optional[float]:
        """Of the interval of the mean; None for a single value."""
        if self.variance is None:
            return None
        return quantile((1 + level) / 2, self.n - 1) * math.sqrt(self.variance / self.n)


def welch(a: Sample, b: Sample) -> typing.Tuple[float, float, float]:
    """(t, degrees of freedom, two-sided p) of two samples whose variances may differ. Each
    has at least two values."""
    assert a.variance is not None and b.variance is not None
    va, vb = a.variance / a.n, b.variance / b.n
    if va + vb == 0:
        return (0.0, math.inf, 1.0) if a.mean == b.mean else (math.inf, math.inf, 0.0)
    t = (a.mean - b.mean) / math.sqrt(va + vb)
    freedom = (va + vb)**2 / (va**2 / (a.n - 1) + vb**2 / (b.n - 1))
    return t, freedom, two_sided(t, freedom)


def two_sided(t: float, freedom: float) -> float:
    """Probability of a |t| at least as large by chance."""
    return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t))


@functools.lru_cache(maxsize=None)
def quantile(p: float, freedom: float) -> float:
    """The t that is exceeded with the probability 1 - p, for p > 0.5. A page asks for few of them,
    again and again."""
    low, high = 0.0, 1e7
    for _ in range(200):
        middle = (low + high) / 2
        if 1 - two_sided(middle, freedom) / 2 < p:
            low = middle
        else:
            high = middle
    return high


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Regularized, by its continued fraction (Abramowitz and Stegun 26.5.8)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    front = math.exp(a * math.log(x) + b * math.log1p(-x) + math.lgamma(a + b) - math.lgamma(a)
                     - math.lgamma(b)) / a
    return front / fraction(a, b, x)


def fraction(a: float, b: float, x: float, terms: int = 400) -> float:
    """From the last term to the first: 1 + d1 / (1 + d2 / (1 + ...))."""
    value = 1.0
    for i in range(terms, 0, -1):
        m = i // 2
        if i % 2:
            d = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            d = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        value = 1 + d / value
    return value
