# SPDX-License-Identifier: Apache-2.0
"""What the paper on FTLs under Windows file systems claims, held against our runs. Its traffic is
that of Windows' file systems, ours that of Linux' drivers for the same ones. What holds under both
is binding: were it lost, a scheme would have changed. Ranks and sizes that hang on the traffic, or
on what the paper leaves open (windows_sweep.py), are not."""
import dataclasses
import math
import statistics
import typing

from .claims import (Check, Claim, above, at_least, at_most, below, given, in_order, inside,
                     near, none_of)
from .runs import Result

FTLS = ("msbs", "fmax", "lm", "bast", "fast")
BY_TIME = ("fast", "bast", "fmax", "lm", "msbs")       # least T first
BY_DEVIATION = ("bast", "fast", "fmax", "lm", "msbs")  # least sd(T) first
SIMILAR = 0.15  # what we call similar: so much apart at most
FLAT = 0.15     # ... and insensitive
STRONGLY = 0.2  # ... and a strong rise
READS_PER_WRITE = {"msbs": 7.2, "fmax": 2.9, "lm": 1, "bast": 1, "fast": 1}
READS_SHARE = 0.25  # of that figure
TRAFFIC = "traffic: ours is that of Linux' drivers"
ENOUGH_LINES = 50  # of an FTL, over all workloads
FULL = 100      # requests of a line


class Case(typing.NamedTuple):
    ftl: str
    file_system: str
    files: str
    processes: str

    def workload(self) -> str:
        return f"{self.file_system}-{self.files}-{self.processes}"

    def label(self) -> str:
        return f"{self.ftl}-{self.workload()}"


@dataclasses.dataclass(frozen=True)
class Line:
    """A line of a series (docs/results.md)."""
    requests: int
    pages: int
    R: int  # pylint: disable=invalid-name
    W: int  # pylint: disable=invalid-name
    E: int  # pylint: disable=invalid-name
    T: int  # pylint: disable=invalid-name
    scan: int
    T_scan: int  # pylint: disable=invalid-name
    host_w: int
    copy_w: int
    map_w: int


Measured = typing.Dict[Case, typing.Tuple[Result, typing.List[Line]]]


def chosen(measured: Measured, ftl: str, **where: str) -> typing.List[typing.List[Line]]:
    return [lines for case, (_, lines) in measured.items() if case.ftl == ftl and
            all(getattr(case, key) == value for key, value in where.items())]


def full_lines(measured: Measured, ftl: str, **where: str) -> typing.List[Line]:
    """Of 100 requests each, of all workloads that fit."""
    return [line for lines in chosen(measured, ftl, **where) for line in lines
            if line.requests == FULL]


def total(measured: Measured, ftl: str, what: str, **where: str) -> int:
    return sum(getattr(line, what) for lines in chosen(measured, ftl, **where) for line in lines)


def per_page(measured: Measured, ftl: str, what: str, **where: str) -> float:
    """Per page that the host reads or writes: workloads differ in the size of their requests."""
    return total(measured, ftl, what, **where) / total(measured, ftl, "pages", **where)


def totals_row(case: Case, result: Result, lines: typing.Sequence[Line]) -> tuple:
    sums = {field.name: sum(getattr(line, field.name) for line in lines)
            for field in dataclasses.fields(Line)}
    merges = result.summary["ftl"]["merges"]
    return (*case, sums["requests"], sums["pages"], sums["R"], sums["W"], sums["E"], sums["T"],
            sums["scan"], sums["T_scan"], result.summary["sim"]["simulated_ns"] / 1e9,
            sums["host_w"], sums["copy_w"], sums["map_w"], merges["full"],
            merges.get("associativity", {}).get("mean", ""))


def listed(values: typing.Dict[str, float], digits: str = ",.0f") -> str:
    return ", ".join(f"{name} {values[name]:{digits}}" for name in sorted(values, key=values.get))


def time_claims(measured: Measured) -> typing.List[Claim]:
    mean = {ftl: statistics.mean(line.T_scan for line in full_lines(measured, ftl))
            for ftl in FTLS}
    without = {ftl: statistics.mean(line.T for line in full_lines(measured, ftl)) for ftl in FTLS}
    ranked = sorted(mean, key=mean.get)
    gaps = {(a, b): mean[b] / mean[a] for a, b in zip(ranked, ranked[1:])}
    closest = min(gaps, key=gaps.get)
    erases = {ftl: per_page(measured, ftl, "E") for ftl in ("bast", "fast")}
    return [
        Claim("mean T", "order: FAST, BAST, FMAX, LM, MSBS",
              f"{listed(mean)} per 100 I/Os; without searches {listed(without)}",
              in_order(mean, BY_TIME, "the means"), TRAFFIC),
        Claim("the closest two", "FAST and BAST",
              f"{closest[0]} and {closest[1]}: factor {gaps[closest]:.2f}; bast / fast "
              f"{mean['bast'] / mean['fast']:.2f}",
              Check(set(closest) == {"fast", "bast"}, "none: ranks", "another pair"), TRAFFIC),
        Claim("erases of BAST and FAST", "about as many",
              f"{erases['bast'] * 1000:.1f} and {erases['fast'] * 1000:.1f} per 1000 pages of the "
              "host", near(erases["bast"] / erases["fast"], 1, SIMILAR, "ratio")),
    ]


def deviation_claims(measured: Measured) -> typing.List[Claim]:
    """Standard deviations over all lines, and within workloads, whose requests differ in size."""
    over = {ftl: statistics.pstdev(line.T_scan for line in full_lines(measured, ftl))
            for ftl in FTLS}
    within = {ftl: math.sqrt(statistics.mean(
        statistics.pvariance([line.T_scan for line in lines if line.requests == FULL])
        for lines in chosen(measured, ftl))) for ftl in FTLS}
    steadiest = min(over, key=over.get)
    return [
        Claim("sd(T)", "BAST < FAST < FMAX < LM < MSBS",
              f"{listed(over)}; within workloads {listed(within)}",
              in_order(over, BY_DEVIATION, "the deviations over all lines"), TRAFFIC),
        Claim("the steadiest", "BAST", f"{steadiest}; within workloads "
              f"{min(within, key=within.get)}",
              Check(steadiest == "bast", "none: ranks", "another one over all lines"), TRAFFIC),
    ]


def file_claims(measured: Measured) -> typing.List[Claim]:
    def ratio(ftl: str, what: str) -> float:
        return per_page(measured, ftl, what, files="jpg") / per_page(measured, ftl, what,
                                                                     files="mp3")
    erases = {ftl: ratio(ftl, "E") for ftl in FTLS}
    time = {ftl: ratio(ftl, "T_scan") for ftl in FTLS}
    requests = {files: total(measured, "fast", "requests", files=files)
                for files in ("mp3", "jpg")}
    others = max(value for ftl, value in erases.items() if ftl != "lm")
    return [
        Claim("I/Os of JPG", "more than of MP3",
              f"{requests['jpg']:,} and {requests['mp3']:,} requests",
              above(requests["jpg"] / requests["mp3"], 1, "requests over those of MP3")),
        Claim("erases of JPG", "more than of MP3", "erases per page of the host, times those with "
              "MP3: " + listed(erases, ".2f"),
              above(min(erases.values()), 1, "erases over those with MP3")),
        Claim("erases of LM", "rise strongly for JPG", f"to {erases['lm']:.2f} times those with "
              f"MP3; those of the others to {others:.2f} at most",
              at_least(erases["lm"], 1 + STRONGLY, "erases over those with MP3",
                       "a fifth: the paper has no number")
              & below(others, erases["lm"], "the rise of another one"), TRAFFIC),
        Claim("MSBS and FMAX", "nearly insensitive to the size of files",
              "T and E per page of the host, JPG / MP3: " + ", ".join(
                  f"{ftl} {time[ftl]:.2f} and {erases[ftl]:.2f}" for ftl in ("msbs", "fmax")),
              inside([values[ftl] for ftl in ("msbs", "fmax") for values in (time, erases)],
                     1, 1, "ratio", FLAT)),
    ]


def file_system_claims(measured: Measured) -> typing.List[Claim]:
    def ratio(ftl: str, what: str) -> float:
        return (total(measured, ftl, what, file_system="ntfs") /
                total(measured, ftl, what, file_system="fat"))
    more = ratio("fast", "requests")
    time = {ftl: ratio(ftl, "T_scan") for ftl in FTLS}
    where = {"file_system": "ntfs", "files": "mp3"}
    lm = {what: total(measured, "lm", what, **where) / total(measured, "msbs", what, **where)
          for what in ("T_scan", "W", "E")}
    return [
        Claim("I/Os of NTFS", "more than of FAT", f"{more:.2f} times as many requests",
              above(more, 1, "requests over those of FAT")),
        Claim("T on NTFS", "about that on FAT", "T on NTFS / on FAT: " + listed(time, ".2f"),
              inside(time.values(), 1, 1, "ratio", SIMILAR), TRAFFIC),
        Claim("NTFS, MP3: T of LM", "less than that of MSBS though it writes and erases more",
              f"T, W, E {lm['T_scan']:.2f}, {lm['W']:.2f}, {lm['E']:.2f} of those of MSBS",
              below(lm["T_scan"], 1, "T over that of MSBS")
              & above(min(lm["W"], lm["E"]), 1, "W or E over that of MSBS"), TRAFFIC),
    ]


def operation_claims(measured: Measured) -> typing.List[Claim]:
    reads = {ftl: (total(measured, ftl, "R") + total(measured, ftl, "scan")) /
             total(measured, ftl, "W") for ftl in FTLS}
    bast, fast = (total(measured, ftl, "W") for ftl in ("bast", "fast"))
    plain = bast - total(measured, "bast", "map_w")
    per_write: Check = near(reads[FTLS[0]], READS_PER_WRITE[FTLS[0]], READS_SHARE,
                            f"{FTLS[0]}: reads per write")
    for ftl in FTLS[1:]:
        per_write &= near(reads[ftl], READS_PER_WRITE[ftl], READS_SHARE, f"{ftl}: reads per write")
    return [
        Claim("writes of FAST", "fewer than of BAST, which stores the list of its log blocks",
              f"{fast / bast:.3f} of BAST's; without the list and checkpoints BAST writes "
              f"{plain / bast:.3f}", below(fast / bast, 1, "pages written over those of BAST")),
        Claim("reads per write", "7.2 for MSBS, 2.9 for FMAX, about 1 for the others",
              listed(reads, ".2f"), per_write, TRAFFIC),
    ]


def own_claims(measured: Measured) -> typing.List[Claim]:
    """What holds whatever the traffic is."""
    results = [result for result, _ in measured.values()]
    checked = sum(r.summary["integrity"]["sectors_checked"] for r in results)
    wrong = sum(r.summary["integrity"]["total_mismatches"] for r in results)
    lines = [line for _, lines in measured.values() for line in lines]
    off = sum(line.T != line.R + 7 * line.W + 63 * line.E or line.T_scan != line.T + line.scan
              for line in lines)
    others = sum(total(measured, ftl, "scan") for ftl in FTLS if ftl not in ("msbs", "fmax"))
    return [
        Claim("data", "(ours) nothing is lost", f"{checked:,} sectors read, {wrong} of them wrong",
              none_of(wrong, "wrong sector") & above(checked, 0, "sectors read")),
        Claim("unit of time", "T = R + 7 W + 63 E", f"not in {off} of {len(lines):,} lines",
              none_of(off, "line with another T")),
        Claim("searches", "only MSBS and FMAX search for sectors", f"{others} by the others",
              at_most(others, 0, "searches of LM, BAST and FAST")),
    ]


def traffic_claims(measured: Measured) -> typing.List[Claim]:
    """What the paper says of its traffic. In the first lines of a workload files are new, and
    nothing is merged yet."""
    lines = min(len(full_lines(measured, ftl)) for ftl in FTLS)
    reason = f"{lines} lines of {FULL} I/Os are too few, {ENOUGH_LINES} are needed: hardly a " \
        "block is written a second time"
    claims = [*time_claims(measured), *deviation_claims(measured), *file_claims(measured),
              *file_system_claims(measured), *operation_claims(measured)]
    return [dataclasses.replace(claim, check=given(lines >= ENOUGH_LINES, reason, claim.check))
            for claim in claims]


def all_of_them(measured: Measured) -> typing.List[Claim]:
    return [*traffic_claims(measured), *own_claims(measured)]
