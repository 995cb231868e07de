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


# A quick drive has so many times fewer bytes, and erases so many times as often: fewer pages per
# block, and more blocks, so that collection moves less for the same writes.
QUICK, QUICK_OFTEN = 6, 12
QUICK_DRIVE = ("nand.pages_per_block=48", "nand.blocks_per_plane=64")
HALF_MIB = 7168
# A small block is full after a twelfth of the writes: half of them, and an erase meets six times as
# many reads.
QUICK_ERASES = ("workload.writes.rate=1k/s", "run.warmup=10000")


def oftener(options) -> int:
    """A drive whose blocks are so many times smaller is warmed up with as many times fewer
    writes."""
    return QUICK_OFTEN if options.quick else 1


def quick_sets(options) -> typing.Tuple[str, ...]:
    return QUICK_DRIVE if options.quick else ()


def beside_erases(small: bool) -> typing.Tuple[str, ...]:
    """Of experiment/suspend-erases: reads in one half, writes in the other."""
    half = HALF_MIB // (QUICK if small else 1)
    return (*(QUICK_DRIVE + QUICK_ERASES if small else ()),
            f"workload.reads.range.size={half}MiB", f"workload.writes.range.start={half}MiB")
