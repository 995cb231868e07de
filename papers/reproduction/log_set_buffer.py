# SPDX-License-Identifier: Apache-2.0
"""Figure 10 of the paper on an FTL of logs: the size of the volatile buffer; and where its claims
hold over what the paper leaves open: locality, share of reads, the map's buffer, the drive's
state."""
import pathlib
import typing

from . import figures, grids
from .claims import Check, Claim, above, at_least, every, given, inside, none_of
from .log_set_machine import (BUFFERS, BUS, COLLECTING, LINK, LOCAL, ORDER, TYPE, WORKLOADS,
                              Drive, Load, run)
from .runs import execute_all

FLAT = 0.05       # a gain that is none
SLIGHTLY = 1.5    # a gain that is slightly more than another is so many times that, at most
APPROACHED = 0.8  # of the link
FROM_KIB = 1024   # claim 5
SMALL_DRIVE = ("on a sixteenth of the drive the buffer holds a larger share of the data and of the "
               "map, and collection finds other blocks")
EXPONENTS = (1.0, 1.1, 1.2, 1.3, 1.4)
SHARES = (0.5, 0.7, 0.9)
GRID_BUFFERS = (BUFFERS[0], FROM_KIB, BUFFERS[-1])

Sweep = typing.Dict[typing.Tuple[str, int], float]  # workload, KiB of buffer -> MB/s
Point = typing.Tuple[float, float]                  # exponent, share of reads
Grid = typing.Dict[Point, Sweep]


class Panel(typing.NamedTuple):
    """`paged`: M1 has a buffer as large as that of D. `mark`: of the names of its claims."""
    title: str
    mark: str = ""
    paged: bool = False
    collecting: bool = False
    left_open: str = ""

    def drive(self, size: int) -> Drive:
        made = Drive(buffer_kib=size, map_kib=size if self.paged else 0)
        return made._replace(state=COLLECTING) if self.collecting else made


PANELS = (
    Panel("map in DRAM"),
    Panel("M1 has a buffer as large", ", M paged", paged=True,
          left_open="the buffer of M: the paper sizes that of D only"),
    Panel("map in DRAM, collecting", ", collecting", collecting=True,
          left_open="the state of the drive: here it is overwritten at random, and collects"),
)


def gains(sweep: Sweep) -> typing.Dict[str, float]:
    """From the least to the largest buffer."""
    sizes = sorted({size for _, size in sweep})
    return {w: sweep[w, sizes[-1]] / sweep[w, sizes[0]] - 1 for w, size in sweep
            if size == sizes[0]}


def slightly_more(sweep: Sweep) -> Check:
    """Claim 4b."""
    gain = gains(sweep)
    more = gain["HCLRU"] / gain["LRU"] if grows(sweep) else 1
    return given(grows(sweep), "the link is full with the least buffer", inside(
        (more,), 1, SLIGHTLY, "gain over that of LRU"))


def grows(sweep: Sweep) -> bool:
    """Is there a gain to be compared?"""
    return gains(sweep)["LRU"] > FLAT


def exceeds_buses(sweep: Sweep) -> Check:
    """Claim 5."""
    large = [sweep[w, size] for w, size in sweep if w in LOCAL and size >= FROM_KIB]
    return (above(min(large), BUS, "MB/s from 1 MB on")
            & at_least(max(large), APPROACHED * LINK, "MB/s of the best",
                       f"{1 - APPROACHED:.0%} of {LINK}"))


def buffer_claims(sweep: Sweep, panel: Panel = PANELS[0],
                  quick: bool = False) -> typing.List[Claim]:
    """With a map that pages, or collection, a quick drive is not like the whole one."""
    small = bool(quick and panel.mark)

    def told(check: Check) -> Check:
        return given(not small, SMALL_DRIVE, check)

    sizes = sorted({size for _, size in sweep})
    gain = gains(sweep)
    steps = [sweep[w, b] / sweep[w, a] for w in LOCAL for a, b in zip(sizes, sizes[1:])]
    large = [sweep[w, size] for w in LOCAL for size in sizes if size >= FROM_KIB]
    ends = f"{sizes[0]} to {sizes[-1]} KiB"
    return [
        Claim(f"4. uniform over the buffer{panel.mark}", "flat", f"{ends}: {gain['uniform']:+.1%}",
              told(inside((gain["uniform"],), 0, 0, "gain", FLAT)), panel.left_open),
        Claim(f"4. LRU and HCLRU over the buffer{panel.mark}", "grow with it",
              f"{ends}: {gain['LRU']:+.1%}, {gain['HCLRU']:+.1%}",
              above(min(steps), 1, "throughput over that with the buffer before")
              & above(min(gain[w] for w in LOCAL), FLAT, "gain"), panel.left_open),
        Claim(f"4. HCLRU{panel.mark}", "gains slightly more than LRU",
              f"{gain['HCLRU']:+.1%} against {gain['LRU']:+.1%}", told(slightly_more(sweep)),
              panel.left_open),
        Claim(f"5. from 1 MB on{panel.mark}", f"LRU and HCLRU exceed the buses' {BUS} MB/s by "
              f"read hits, and approach {LINK} MB/s", f"{min(large):.0f} to {max(large):.0f} MB/s. "
              f"{LINK} MB/s need {1 - BUS / LINK:.1%} hits at least", told(exceeds_buses(sweep)),
              panel.left_open),
    ]


def measured(drives: typing.Dict[typing.Any, typing.Tuple[Drive, Load]], label: typing.Callable,
             folder: pathlib.Path, options) -> typing.Dict[typing.Any, float]:
    """MB/s of drives under loads, by their keys."""
    runs = {key: run(label(*key), options, *pair) for key, pair in drives.items()}
    results = execute_all(list(runs.values()), folder, options.jobs)
    return {key: results[one.label].bytes_per_s() / 1e6 for key, one in runs.items()}


def figure_10(out: pathlib.Path, options) -> typing.List[Claim]:
    claims, content = [], {}
    for panel in PANELS:
        sizes = (BUFFERS if panel == PANELS[0] else
                 (BUFFERS[0], BUFFERS[-1]) if options.quick else GRID_BUFFERS)
        wanted = {(w, size): (panel.drive(size), Load(w)) for w in WORKLOADS for size in sizes}
        sweep = measured(wanted, lambda w, size: f"{w}-{size}KiB",
                         out / "figure-10" / panel.title.replace(" ", "-"), options)
        content[panel.title] = {w: [(size, sweep[w, size]) for size in sizes] for w in WORKLOADS}
        claims += buffer_claims(sweep, panel, options.quick)
    figures.panels(content, out / "figure-10", figures.Axes(
        "buffer, KiB", f"{TYPE}, {ORDER.replace('_', ' ')}: MB/s", names=("drive", "workload"),
        xscale="log", ticks=BUFFERS, ymin=0))
    return claims


# ---- Where the claims hold ----

class Firm(typing.NamedTuple):
    """A claim, and the points at which it is binding."""
    name: str
    paper: str
    holds: typing.Callable[[Sweep], Check]
    least: Point
    most: Point

    def told(self) -> str:
        return (f"exponent {self.least[0]:g} to {self.most[0]:g} and {self.least[1]:.0%} to "
                f"{self.most[1]:.0%} reads")


FIRM = (
    Firm("4. HCLRU over the grid", "gains slightly more than LRU", slightly_more, (1.0, 0.5),
         (1.2, 0.7)),
    Firm("5. over the grid", f"above {BUS} MB/s from 1 MB on, and towards {LINK}", exceeds_buses,
         (1.2, 0.5), (1.4, 0.9)),
)


def points(quick: bool) -> typing.List[Point]:
    return [(e, r) for e in EXPONENTS for r in SHARES
            if not quick or (e in (1.1, 1.3) and r in (0.5, 0.7))]


def where(grid: Grid, holds: typing.Callable[[Sweep], Check]) -> typing.Set[Point]:
    return {point for point, sweep in grid.items() if holds(sweep).holds}


def untold(grid: Grid, holds: typing.Callable[[Sweep], Check]) -> str:
    points = sum(holds(sweep).holds is None for sweep in grid.values())
    return f"; at {points} the link is full with the least buffer" if points else ""


def tell(held: typing.Set[Point]) -> str:
    """By exponent, the shares of reads."""
    lines = [f"exponent {e:g}: " + ", ".join(f"{r:.0%}" for x, r in sorted(held) if x == e)
             for e in sorted({e for e, _ in held})]
    return "; ".join(lines) or "nowhere"


def locality_claims(grid: Grid) -> typing.List[Claim]:
    claims = []
    for one in FIRM:
        held = where(grid, one.holds)
        firm = {p for p in grid if all(a <= v <= b for a, v, b in zip(one.least, p, one.most))}
        claims.append(Claim(
            one.name, one.paper, f"at {len(held)} of {len(grid)} points, by share of reads: "
            f"{tell(held)}{untold(grid, one.holds)}",
            every(len(firm & held), len(firm), f"point of {one.told()} at which it does not hold")))
    held = where(grid, exceeds_buses)
    worse = [q for p in held for q in grid if q[0] >= p[0] and q[1] >= p[1] and q not in held]
    claims.append(Claim("5. more locality or more reads", "read hits are what exceeds the buses",
                        f"{len(worse)} points of more of both, at which claim 5 stops to hold",
                        none_of(len(worse), "such point") & above(len(held), 0, "points")))
    return claims


def draw_grid(grid: Grid, out: pathlib.Path) -> None:
    least = {p: min(sweep[w, FROM_KIB] for w in LOCAL) for p, sweep in grid.items()}
    more = {p: gains(sweep)["HCLRU"] / gains(sweep)["LRU"] for p, sweep in grid.items()
            if grows(sweep)}
    grids.over({"MB/s, 1 MiB, the slower of LRU and HCLRU": (least, where(grid, exceeds_buses)),
                   "gain of HCLRU over that of LRU": (more, where(grid, slightly_more))},
                  out / "locality", ("exponent of locality", "share of reads"))
    figures.write_csv(out / "locality-speeds.csv", ["exponent", "reads", "workload", "buffer_KiB",
                                                    "MB_per_s", "claim_4", "claim_5"],
                      [(*point, w, size, speed, bool(slightly_more(sweep).holds),
                        bool(exceeds_buses(sweep).holds))
                       for point, sweep in grid.items() for (w, size), speed in sweep.items()])


def locality(out: pathlib.Path, options) -> typing.List[Claim]:
    wanted = {(e, r, w, size): (Drive(buffer_kib=size), Load(w, e, r))
              for e, r in points(options.quick) for w in LOCAL for size in GRID_BUFFERS}
    speeds = measured(wanted, lambda e, r, w, size: f"{w}-{e:g}-{r:g}-{size}KiB",
                      out / "locality", options)
    grid: Grid = {}
    for (e, r, w, size), speed in speeds.items():
        grid.setdefault((e, r), {})[w, size] = speed
    draw_grid(grid, out)
    return locality_claims(grid)
