# SPDX-License-Identifier: Apache-2.0
"""What the paper on FTLs under Windows file systems claims, held against our runs. Its traffic is
that of Windows' file systems, ours that of Linux' drivers for the same ones: no claim about order
or size follows from the paper's parameters alone, so none of these is binding. What our own runs
must satisfy is."""
import dataclasses
import math
import statistics
import typing

from .claims import Claim
from .runs import Result

FTLS = ("msbs", "fmax", "lm", "bast", "fast")
BY_TIME = ("fast", "bast", "fmax", "lm", "msbs")       # least T first
BY_DEVIATION = ("bast", "fast", "fmax", "lm", "msbs")  # least sd(T) first
SIMILAR = 0.15  # what we call similar: so much apart at most
FLAT = 0.15     # ... and insensitive
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


def in_order(values: typing.Dict[str, float], order: typing.Sequence[str]) -> bool:
    return sorted(values, key=values.get) == list(order)


def listed(values: typing.Dict[str, float], digits: str = ",.0f") -> str:
    return ", ".join(f"{name} {values[name]:{digits}}" for name in sorted(values, key=values.get))


def time_claims(measured: Measured) -> typing.List[Claim]:
    mean = {ftl: statistics.mean(line.T_scan for line in full_lines(measured, ftl))
            for ftl in FTLS}
    without = {ftl: statistics.mean(line.T for line in full_lines(measured, ftl)) for ftl in FTLS}
    ranked = sorted(mean, key=mean.get)
    gaps = {(a, b): mean[b] / mean[a] for a, b in zip(ranked, ranked[1:])}
    closest = min(gaps, key=gaps.get)
    return [
        Claim("order by mean T: FAST, BAST, FMAX, LM, MSBS", f"{listed(mean)} per 100 I/Os; "
              f"without searches {listed(without)}", in_order(mean, BY_TIME), binding=False),
        Claim("FAST and BAST are the closest two",
              f"{closest[0]} and {closest[1]}: factor {gaps[closest]:.2f}; bast / fast "
              f"{mean['bast'] / mean['fast']:.2f}", set(closest) == {"fast", "bast"},
              binding=False),
        Claim("BAST and FAST erase about as often",
              f"{per_page(measured, 'bast', 'E') * 1000:.1f} and "
              f"{per_page(measured, 'fast', 'E') * 1000:.1f} per 1000 pages of the host",
              math.isclose(total(measured, "bast", "E"), total(measured, "fast", "E"),
                           rel_tol=SIMILAR), binding=False),
    ]


def deviation_claims(measured: Measured) -> typing.List[Claim]:
    """Standard deviations over all lines, and within workloads, whose requests differ in size."""
    over = {ftl: statistics.pstdev(line.T_scan for line in full_lines(measured, ftl))
            for ftl in FTLS}
    within = {ftl: math.sqrt(statistics.mean(
        statistics.pvariance([line.T_scan for line in lines if line.requests == FULL])
        for lines in chosen(measured, ftl))) for ftl in FTLS}
    return [
        Claim("sd(T): BAST < FAST < FMAX < LM < MSBS", f"{listed(over)}; within workloads "
              f"{listed(within)}", in_order(over, BY_DEVIATION) or in_order(within, BY_DEVIATION),
              binding=False),
        Claim("BAST is the steadiest", f"least within workloads: {min(within, key=within.get)}, "
              f"over all: {min(over, key=over.get)}",
              "bast" in (min(within, key=within.get), min(over, key=over.get)), binding=False),
    ]


def file_claims(measured: Measured) -> typing.List[Claim]:
    def ratio(ftl: str, what: str) -> float:
        return per_page(measured, ftl, what, files="jpg") / per_page(measured, ftl, what,
                                                                     files="mp3")
    erases = {ftl: ratio(ftl, "E") for ftl in FTLS}
    time = {ftl: ratio(ftl, "T_scan") for ftl in FTLS}
    requests = {files: total(measured, "fast", "requests", files=files)
                for files in ("mp3", "jpg")}
    flat = all(abs(time[ftl] - 1) <= FLAT and abs(erases[ftl] - 1) <= FLAT
               for ftl in ("msbs", "fmax"))
    return [
        Claim("JPG makes more I/Os than MP3",
              f"{requests['jpg']:,} and {requests['mp3']:,} requests",
              requests["jpg"] > requests["mp3"], binding=False),
        Claim("JPG erases more than MP3", "erases per page of the host, times those with MP3: " +
              listed(erases, ".2f"), all(value > 1 for value in erases.values()), binding=False),
        Claim("LM's erases rise strongly for JPG", f"to {erases['lm']:.2f} times those with MP3; "
              f"the most: {max(erases, key=erases.get)}",
              erases["lm"] == max(erases.values()) and erases["lm"] > 1 + SIMILAR, binding=False),
        Claim("MSBS and FMAX are nearly insensitive to the size of files",
              "T and E per page of the host, JPG / MP3: " + ", ".join(
                  f"{ftl} {time[ftl]:.2f} and {erases[ftl]:.2f}" for ftl in ("msbs", "fmax")),
              flat, binding=False),
    ]


def file_system_claims(measured: Measured) -> typing.List[Claim]:
    def ratio(ftl: str, what: str) -> float:
        return (total(measured, ftl, what, file_system="ntfs") /
                total(measured, ftl, what, file_system="fat"))
    more = ratio("fast", "requests")
    time = {ftl: ratio(ftl, "T_scan") for ftl in FTLS}
    where = {"file_system": "ntfs", "files": "mp3"}
    lm, msbs = (total(measured, ftl, "T_scan", **where) for ftl in ("lm", "msbs"))
    beyond = all(total(measured, "lm", what, **where) > total(measured, "msbs", what, **where)
                 for what in ("W", "E"))
    return [
        Claim("NTFS makes more I/Os than FAT", f"{more:.2f} times as many requests", more > 1,
              binding=False),
        Claim("... in about the same total time", "T on NTFS / on FAT: " + listed(time, ".2f"),
              all(abs(value - 1) <= SIMILAR for value in time.values()), binding=False),
        Claim("NTFS, MP3: LM needs less time than MSBS though it writes and erases more",
              f"T {lm / msbs:.2f} of that of MSBS; it writes and erases "
              f"{'more' if beyond else 'not both more'}", lm < msbs and beyond, binding=False),
    ]


def operation_claims(measured: Measured) -> typing.List[Claim]:
    reads = {ftl: (total(measured, ftl, "R") + total(measured, ftl, "scan")) /
             total(measured, ftl, "W") for ftl in FTLS}
    bast, fast = (total(measured, ftl, "W") for ftl in ("bast", "fast"))
    plain = bast - total(measured, "bast", "map_w")
    return [
        Claim("FAST writes fewer pages than BAST, which stores the list of its log blocks",
              f"{fast / bast:.3f} of BAST's; without the list and checkpoints BAST writes "
              f"{plain / bast:.3f}", fast < bast, binding=False),
        Claim("reads per write 7.2 for MSBS, 2.9 for FMAX, about 1 for the others",
              listed(reads, ".2f"), reads["msbs"] > reads["fmax"] > 1.5 and
              all(reads[ftl] < 1.5 for ftl in ("lm", "bast", "fast")), binding=False),
    ]


def own_claims(measured: Measured) -> typing.List[Claim]:
    """What holds whatever the traffic is."""
    results = [result for result, _ in measured.values()]
    checked = sum(r.summary["integrity"]["sectors_checked"] for r in results)
    wrong = sum(r.summary["integrity"]["total_mismatches"] for r in results)
    sums = all(line.T == line.R + 7 * line.W + 63 * line.E and line.T_scan == line.T + line.scan
               for _, lines in measured.values() for line in lines)
    searched = {ftl for ftl in FTLS if total(measured, ftl, "scan") != 0}
    return [
        Claim("nothing is lost", f"{checked:,} sectors read, {wrong} of them wrong", wrong == 0),
        Claim("T = R + 7 W + 63 E", "in every line" if sums else "not in every line", sums),
        Claim("only MSBS and FMAX search for sectors", f"searches: {', '.join(sorted(searched))}",
              searched <= {"msbs", "fmax"}),
    ]


def all_of_them(measured: Measured) -> typing.List[Claim]:
    return [*time_claims(measured), *deviation_claims(measured), *file_claims(measured),
            *file_system_claims(measured), *operation_claims(measured), *own_claims(measured)]
