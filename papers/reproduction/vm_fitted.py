# SPDX-License-Identifier: Apache-2.0
"""Figures 7 to 10 of the paper on a paged map with writes that swap as often as its rows need. It
says "random addresses"; its rows do not follow from uniform ones. Three numbers are fitted, to
three of its rows: the share of hot writes and how long writes stay in a segment, to the swaps with
128 and 256 KiB; the spare blocks, to what collection copies with 640 KiB. All else is measured."""
import pathlib
import typing

from . import figures, segment_load, tpcc, vm_model
from .claims import Check, Claim, given, inside, near
from .runs import Run, execute_all
from .segment_load import Load
from .vm_model import (BETTER, SEGMENT_KIB, SEGMENT_PAGES, SEGMENTS, TIME_FACTOR, TIMES, WARMUP,
                       Measured, counted, fewer, host_pages, slower, swapped, time_of)

OVER_PROVISIONING = 0.0166
FITTED = 0.05   # of what is fitted, and of what the paper prints per page
FACTOR = 0.05   # of the paper's factor
SAVED = 0.1     # of its percentages
BEYOND = 0.02   # swaps per page: what collection moves asks for segments, too
SHORT = 5_000   # writes of a setting
SEED = 1
LEFT_OPEN = "the order of writes and the spare blocks: both are fitted to the paper's rows"
FEWER_ERASES = 50.65  # %, with 640 KiB
AS_FITTED, TIMES_ONLY = "as fitted", "MLC: 60 us, 800 us, 1.5 ms"
ALTERNATIVES = {  # of what else is open
    AS_FITTED: (),
    TIMES_ONLY: ("nand.tR=60us", "nand.tPROG=800us", "nand.tBERS=1500us"),
    "a checkpoint each 2.5 MiB": ("ftl.checkpoint_interval=2560KiB",),
    "collection by age": ("gc.policy=cost_benefit",),
    "8 writes at a time": ("workload.queue_depth=8",),
}


def load() -> Load:
    implied = vm_model.implied_swaps()
    return segment_load.fitted(vm_model.drive_pages(OVER_PROVISIONING), SEGMENT_PAGES, implied[1],
                               implied[2])


def pages(count: int) -> typing.List[int]:
    return list(segment_load.pages_of(load(), count, SEED))


def trace(count: int, folder: pathlib.Path) -> pathlib.Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "writes.mqsim"
    tpcc.write_trace(path, segment_load.records(pages(count)))
    return path


def run(label: str, segments: int, options, file: pathlib.Path, *more: str) -> Run:
    chosen = load()
    depth = () if any("queue_depth" in one for one in more) else ("workload.queue_depth=1",)
    return vm_model.run(
        label, "vm_map", options, f"ftl.vm_map.segments={segments}",
        f"ftl.over_provisioning={OVER_PROVISIONING}", "precondition.workload.pattern=hot_cold",
        "precondition.workload.block_size=1KiB",
        f"precondition.workload.hot_fraction={chosen.hot_fraction():.9f}",
        f"precondition.workload.hot_probability={chosen.hot:.9f}", "workload.replay=asap",
        *depth, *more, arguments=("--trace", str(file)))


def chance(measured: Measured) -> float:
    """Three standard deviations of the swaps per page, of so many draws."""
    return 3 * (0.25 / min(host_pages(r) for r in measured.values())) ** 0.5


def told(measured: Measured, tolerance: float, share: float, check: Check) -> Check:
    """`check`, where chance moves what is measured by less than its tolerance: both in percent;
    `share`: by how much it follows the reads with 128 KiB."""
    count = min(host_pages(r) for r in measured.values())
    moved = 100 * share * chance(measured) * vm_model.PAGES / counted(measured[1]).reads
    return given(moved <= tolerance, f"{count:,} writes are too few: by chance alone it is off by "
                 f"up to {moved:.1f} %, and {tolerance:.1f} % are allowed", check)


def fit_claims(measured: Measured) -> typing.List[Claim]:
    implied, chosen = vm_model.implied_swaps(), load()
    swaps = {k: swapped(r) for k, r in measured.items()}
    copies, paper = (c.reads for c in (counted(measured[SEGMENTS]),
                                       vm_model.paper_counts()[SEGMENTS]))
    count = max(host_pages(r) for r in measured.values())
    apart = [swaps[k] - implied[k] for k in (1, 2)]
    slack = round(max(FITTED * implied[2], chance(measured)), 4)
    alone = {k: segment_load.lru_misses(pages(WARMUP + count), SEGMENT_PAGES, k, WARMUP) / count
             for k in measured}
    return [
        Claim("fit", f"{implied[1]:.3f} and {implied[2]:.3f} swaps per page with 128 and 256 KiB, "
              f"{paper:.1f} copies", f"{swaps[1]:.3f} and {swaps[2]:.3f}, {copies:.1f} copies: "
              f"{chosen.hot:.3f} of the writes that leave a segment go to a fifth of the drive, "
              f"{chosen.stay:.3f} of all stay",
              inside(apart, 0, 0, "difference of the swaps per page", slack)
              & near(copies, paper, FITTED, "copies"), LEFT_OPEN),
        Claim("swaps, counted", "(its LRU) a segment comes in when a write needs it and it is "
              "none of the last k", ", ".join(
                  f"k = {k}: {swaps[k]:.4f} per page, {alone[k]:.4f} by LRU" for k in measured),
              inside([swaps[k] - alone[k] for k in measured], 0, 0,
                     "difference of the swaps per page", BEYOND)),
        vm_model.model_claim("model, fitted", measured, chosen.swaps),
    ]


def row_claims(measured: Measured) -> typing.List[Claim]:
    """Figures 7 to 9, row by row."""
    paper, claims = vm_model.paper_counts(), []
    for number, field in zip((7, 8, 9), vm_model.Counts._fields):
        rows = {k: (getattr(counted(measured[k]), field), getattr(c, field))
                for k, c in paper.items()}
        checks = [near(ours, theirs, FITTED, f"{field} with {k * SEGMENT_KIB} KiB")
                  for k, (ours, theirs) in rows.items()]
        claims.append(Claim(
            f"figure {number}: {field}", "per page written: " + ", ".join(
                f"{theirs:.4g} with {k * SEGMENT_KIB} KiB" for k, (_, theirs) in rows.items()),
            ", ".join(f"{ours:.4g}" for ours, _ in rows.values()),
            told(measured, 100 * FITTED, 1, checks[0] & checks[1] & checks[2]), LEFT_OPEN))
    return claims


def saving_claims(measured: Measured) -> typing.List[Claim]:
    claims = []
    for k, kib in ((2, 256), (SEGMENTS, 640)):
        ours = fewer(measured, k)
        check: Check = (near(ours.reads, BETTER[kib][0], SAVED, "% fewer reads")
                        & near(ours.programs, BETTER[kib][1], SAVED, "% fewer programs"))
        paper, erases = f"{BETTER[kib][0]} and {BETTER[kib][1]} % fewer reads and programs", ""
        if k == SEGMENTS:
            check &= near(ours.erases, FEWER_ERASES, SAVED, "% fewer erases")
            paper, erases = f"{paper}, {FEWER_ERASES} % fewer erases", f" and {ours.erases:.2f}"
        claims.append(Claim(
            f"{kib} KiB of DRAM", f"{paper} than with 128 KiB",
            f"{ours.reads:.2f}, {ours.programs:.2f}{erases} %",
            told(measured, SAVED * BETTER[kib][0], 1 - ours.reads / 100, check), LEFT_OPEN))
    time = slower(measured)
    return [*claims, Claim("80 % less DRAM", "costs half of the performance: time "
                           f"x{TIME_FACTOR:.2f}", f"x{time:.2f}",
                           told(measured, 100 * FACTOR, 1, near(time, TIME_FACTOR, FACTOR,
                                                                "factor")), LEFT_OPEN)]


def all_of_them(measured: Measured) -> typing.List[Claim]:
    return [*fit_claims(measured), *row_claims(measured), *saving_claims(measured)]


def draw(measured: Measured, out: pathlib.Path) -> None:
    """Figures 7 to 10 as the paper draws them: bars over DRAM, of its volume."""
    paper, content = vm_model.paper_counts(), {}
    for number, field in zip((7, 8, 9), vm_model.Counts._fields):
        unit = 1e6 if field == "erases" else 1e9
        scale = vm_model.HOST_PAGES / unit
        content[f"figure {number}: {field}"] = (
            f"{field} for 100 GiB, 10^{6 if unit == 1e6 else 9}",
            {str(k * SEGMENT_KIB): {
                "paper": getattr(paper[k], field) * scale if k in paper else None,
                "measured": getattr(counted(r), field) * scale} for k, r in measured.items()})
    content["figure 10: time"] = ("time over that with 640 KiB", {
        str(k * SEGMENT_KIB): {
            "paper": TIMES[k * SEGMENT_KIB] / TIMES[640] if k * SEGMENT_KIB in TIMES else None,
            "measured": time_of(r) / time_of(measured[SEGMENTS])} for k, r in measured.items()})
    figures.charts(content, out / "vm-map-fitted", "DRAM, KiB")


def fitted(out: pathlib.Path, options) -> typing.List[Claim]:
    folder = out / "vm-fitted"
    file = trace(WARMUP + vm_model.requests(options), folder)
    chosen = vm_model.slots(options)
    runs = {k: run(f"segments-{k}", k, options, file) for k in chosen}
    results = execute_all(list(runs.values()), folder, options.jobs)
    measured = {k: results[one.label] for k, one in runs.items()}
    vm_model.check_size(measured[SEGMENTS], OVER_PROVISIONING)
    draw(measured, out)
    return all_of_them(measured)


Settings = typing.Dict[str, Measured]  # with one segment in DRAM and with all of them


def setting_claims(measured: Settings) -> typing.List[Claim]:
    factors = {name: slower(results) for name, results in measured.items()}
    return [Claim("factor, other times of the part", "(ours) every read has its program, and 128 "
                  "programs an erase, so the part's times do not matter",
                  f"x{factors[TIMES_ONLY]:.3f} with those of MLC, x{factors[AS_FITTED]:.3f}",
                  near(factors[TIMES_ONLY], factors[AS_FITTED], 0.01, "factor"))]


def other_loads() -> typing.Dict[str, Load]:
    size = vm_model.drive_pages(OVER_PROVISIONING), SEGMENT_PAGES
    even = segment_load.uniform(*size)
    implied = vm_model.implied_swaps()[1]
    return {"uniform": even,
            "uniform, and some stay": even._replace(stay=1 - implied / even.swaps(1)),
            "73 % to a fifth": Load(0.73, 0.0, *size),
            "fitted": load()}


def write_loads(out: pathlib.Path) -> None:
    """What the order of writes decides, by the closed form and the paper's model."""
    copies, rows = vm_model.paper_counts()[SEGMENTS].reads, []
    for name, other in other_loads().items():
        swaps = [other.swaps(k) for k in range(1, SEGMENTS)]
        reads = [vm_model.predicted(copies, s).reads for s in (*swaps, 0.0)]
        rows.append((name, other.hot, other.stay, *swaps, 100 * (1 - reads[1] / reads[0]),
                     100 * (1 - reads[-1] / reads[0])))
        print(f"{name:28}" + "".join(f"{value:10.3f}" for value in rows[-1][1:]))
    figures.write_csv(out / "vm-map-loads.csv", [
        "load", "hot", "stay", *(f"swaps_{k * SEGMENT_KIB}" for k in range(1, SEGMENTS)),
        "fewer_reads_256", "fewer_reads_640"], rows)


def settings(out: pathlib.Path, options) -> typing.List[Claim]:
    """A quick run has the closed forms only."""
    write_loads(out)
    if options.quick:
        return []
    folder, names = out / "vm-settings", tuple(ALTERNATIVES)
    file = trace(WARMUP + SHORT, folder)
    runs = {(name, k): run(f"{i}-{k}", k, options, file, *ALTERNATIVES[name])
            for i, name in enumerate(names) for k in (1, SEGMENTS)}
    results = execute_all(list(runs.values()), folder, options.jobs)
    measured: Settings = {name: {k: results[runs[name, k].label] for k in (1, SEGMENTS)}
                          for name in names}
    header = ["setting", "swaps_128", "reads_128", "reads_640", "factor"]
    rows = [(name, swapped(r[1]), counted(r[1]).reads, counted(r[SEGMENTS]).reads, slower(r))
            for name, r in measured.items()]
    figures.write_csv(out / "vm-map-settings.csv", header, rows)
    for name, *values in rows:
        print(f"{name:28}" + "".join(f"{value:10.3f}" for value in values))
    return setting_claims(measured)


PARTS = {"fitted": fitted, "settings": settings}
