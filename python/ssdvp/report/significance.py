# SPDX-License-Identifier: Apache-2.0
"""Student's t for a few runs: intervals of a mean, and whether two means differ (Welch)."""
import functools
import math


class Sample:
    """Values of runs that differ in the seed alone."""

    def __init__(self, values):
        self.values, self.n = list(values), len(values)
        self.mean = math.fsum(self.values) / self.n
        self.variance = (math.fsum((v - self.mean)**2 for v in self.values) / (self.n - 1)
                         if self.n > 1 else None)

    def half_width(self, level=0.95):
        """Of the interval of the mean; None for a single value."""
        if self.n < 2:
            return None
        return quantile((1 + level) / 2, self.n - 1) * math.sqrt(self.variance / self.n)


def welch(a, b):
    """(t, degrees of freedom, two-sided p) of two samples whose variances may differ."""
    va, vb = a.variance / a.n, b.variance / b.n
    if va + vb == 0:
        return (0.0, math.inf, 1.0) if a.mean == b.mean else (math.inf, math.inf, 0.0)
    t = (a.mean - b.mean) / math.sqrt(va + vb)
    freedom = (va + vb)**2 / (va**2 / (a.n - 1) + vb**2 / (b.n - 1))
    return t, freedom, two_sided(t, freedom)


def two_sided(t, freedom):
    """Probability of a |t| at least as large by chance."""
    return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t))


@functools.lru_cache(maxsize=None)
def quantile(p, freedom):
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


def incomplete_beta(a, b, x):
    """Regularized, by its continued fraction (Abramowitz and Stegun 26.5.8)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    front = math.exp(a * math.log(x) + b * math.log1p(-x) + math.lgamma(a + b) - math.lgamma(a)
                     - math.lgamma(b)) / a
    return front / fraction(a, b, x)


def fraction(a, b, x, terms=400):
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
