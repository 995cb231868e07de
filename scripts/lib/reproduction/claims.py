# SPDX-License-Identifier: Apache-2.0
"""A paper's claims beside what we measure."""
import dataclasses
import textwrap
import typing

WIDTHS = (46, 46)


@dataclasses.dataclass(frozen=True)
class Claim:
    """`holds`: as measured. `binding`: the paper's own parameters imply it, so it must hold;
    otherwise `measured` tells why it need not."""
    paper: str
    measured: str
    holds: bool
    binding: bool = True

    @property
    def fails(self):
        return self.binding and not self.holds

    @property
    def verdict(self):
        if self.holds:
            return "yes"
        return "NO" if self.binding else "no, see there"


def table(claims):
    rows = []
    for claim in claims:
        cells = [textwrap.wrap(text, width) for text, width in
                 zip((claim.paper, claim.measured), WIDTHS)]
        for i in range(max(map(len, cells))):
            left, right = (cell[i] if i < len(cell) else "" for cell in cells)
            verdict = claim.verdict if i == 0 else ""
            rows.append(f"{left:{WIDTHS[0]}}  {right:{WIDTHS[1]}}  {verdict}".rstrip())
    head = f"{'paper says':{WIDTHS[0]}}  {'we measure':{WIDTHS[1]}}  holds?"
    return "\n".join([head, "-" * len(head), *rows])


def ms(ns: float) -> str:
    return f"{ns / 1e6:.3g} ms"


def several(results: dict, kind: str, percent: float, labels: typing.Iterable[str]) -> str:
    """A percentile of each of these results."""
    return ", ".join(f"{label} {ms(results[label].percentile(kind, percent))}" for label in labels)


def falls(results: dict, kind: str, percent: float, labels: typing.Iterable[str]) -> bool:
    """Does the percentile fall from each result to the next, but for 5 %?"""
    values = [results[label].percentile(kind, percent) for label in labels]
    return all(later <= 1.05 * earlier for earlier, later in zip(values, values[1:]))
