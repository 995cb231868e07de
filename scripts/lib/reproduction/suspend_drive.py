# SPDX-License-Identifier: Apache-2.0
"""The drive of the suspend experiments: its policies by the names that papers give them, where they
let an erase stop, and how a quick run makes it smaller."""
import typing

POLICIES = {"baseline": "none", "I-ES": "immediate", "D-ES": "deferred",
            "SSR(s)": "safe_point_static", "SSR(d)": "safe_point_dynamic"}
# The longest read tail first.
BY_READ_TAIL = ("baseline", "D-ES", "SSR(s)", "SSR(d)", "I-ES")
LOOPS, LOOP_NS, OVERHEAD_NS = 3, 5e6, 100e3
SAFE_POINTS = {"D-ES": 1, "SSR(s)": 10}  # of a loop; SSR(d): dynamic_points()


def dynamic_points(pe_cycles: int) -> int:
    """SSR(d): the paper's 30 at 100 P/E cycles and 10 at 1,000. Between them it has a curve without
    numbers; falling evenly is our assumption."""
    return round(30 - 20 * (min(max(pe_cycles, 100), 1000) - 100) / 900)


def longest_wait(label: str, pe_cycles: int) -> typing.Tuple[float, float]:
    """ns from the read's arrival until the erase stops, at most, and the suspend after it."""
    if label == "baseline":
        return LOOPS * LOOP_NS, 0.0
    points = SAFE_POINTS.get(label) or dynamic_points(pe_cycles)
    return LOOP_NS / points, OVERHEAD_NS


PAGES = 576  # of a block
SECTORS = 3_774_873 * 8  # for the host: 80 % of 18 GiB
# A quick drive has so many times fewer pages per block: erases come more often, and it is filled
# and warmed up with as many times fewer writes.
QUICK = 6


def smaller(options) -> int:
    return QUICK if options.quick else 1


def quick_sets(options) -> typing.Tuple[str, ...]:
    return (f"nand.pages_per_block={PAGES // QUICK}",) if options.quick else ()
