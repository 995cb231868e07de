# SPDX-License-Identifier: Apache-2.0
"""What the paper on five FTLs leaves open, an option at a time, under the single-process workloads
of its figures: the share of spare pages, the number of log and moving blocks, the readings of FAST
and FMAX, where an index lies, how requests are split. Does any choice give its order of T?

One more thing is left open: whether the paper counts the reads by which firmware without a table
in RAM learns that a page is free. Its R of LM, BAST and FAST is W within 5 %, which no traffic has
to do; a look at the page in front of each write does. So T stands here with such looks, too."""
import dataclasses
import itertools
import pathlib
import statistics
import typing

from . import figures, kept, windows_claims, windows_ftl
from .claims import Claim, above, none_of
from .runs import Result, Run, call, execute_all
from .windows_claims import BY_DEVIATION, BY_TIME, FTLS, Line

TRACES = kept.CONFIGS / "workload/traces"
WORKLOADS = ("fat-jpg-single", "ntfs-jpg-single", "ntfs-mp3-single")
# Looks per page written: at home; and msbs and fmax at one page more, where it goes at best.
LOOKS = {"msbs": 2, "fmax": 2, "lm": 1, "bast": 1, "fast": 1}
# 16 of 64 pages for data: the disk fills 400 MiB.
FOUR_TIMES = ("nand.blocks_per_plane=16384", "ftl.over_provisioning=0.8046875")
# The commands of a request are in the drive together: sectors pass those that wait for a merge.
SIDE_BY_SIDE = ("host.driver.queue_entries=1024",)
SPLIT = 128  # sectors of 512 bytes: 64 KiB, the longest request that Windows' caches write


@dataclasses.dataclass(frozen=True)
class Setting:
    ftl: str
    name: str
    sets: typing.Tuple[str, ...] = ()  # "": what the comparison of the five runs with
    split: int = 0  # sectors of a request at most, 0 = as they come

    def label(self) -> str:
        return f"{self.ftl}-{self.name.replace(' ', '-')}"


SETTINGS = (
    Setting("msbs", "32 spare pages"),
    Setting("msbs", "16 spare pages", ("ftl.msbs.spare_pages=16",)),
    Setting("msbs", "48 spare pages", ("ftl.msbs.spare_pages=48", *FOUR_TIMES)),
    Setting("msbs", "index in RAM", ("ftl.msbs.spare_index=ram",)),
    Setting("fmax", "merges"),
    Setting("fmax", "switch", ("ftl.fmax.switch=true",)),
    Setting("fmax", "index in RAM", ("ftl.fmax.replacement_index=ram",)),
    Setting("lm", "1 moving block"),
    Setting("lm", "8 moving blocks", ("ftl.lm.moving_blocks=8",)),
    Setting("lm", "96 moving blocks", ("ftl.lm.moving_blocks=96",)),
    Setting("bast", "96 log blocks"),
    Setting("bast", "8 log blocks", ("ftl.bast.log_blocks=8",)),
    Setting("bast", "32 log blocks", ("ftl.bast.log_blocks=32",)),
    Setting("bast", "no partial", ("ftl.bast.partial_merge=false",)),
    Setting("bast", "no list", ("ftl.bast.log_info_writes=false",)),
    Setting("bast", "side by side", SIDE_BY_SIDE),
    Setting("fast", "95 logs"),
    Setting("fast", "7 logs", ("ftl.fast.random_log_blocks=7",)),
    Setting("fast", "31 logs", ("ftl.fast.random_log_blocks=31",)),
    Setting("fast", "merges in full", ("ftl.fast.sequential_merge=full",)),
    Setting("fast", "collecting", ("ftl.fast.sequential_merge=collecting",)),
    Setting("fast", "to random", ("ftl.fast.non_sequential=to_random",)),
    Setting("fast", "begins anew", ("ftl.fast.non_sequential=new_sequential",)),
    Setting("fast", "side by side", SIDE_BY_SIDE),
)
# The same five with shorter requests, and with the few log blocks that small drives had.
SHORT = tuple(dataclasses.replace(s, name=f"64 KiB, {s.name}", split=SPLIT) for s in SETTINGS
              if not s.sets or s.name in ("switch", "8 log blocks", "7 logs"))
QUICK = tuple(s for s in SETTINGS if not s.sets or s.name == "switch")


class Cost(typing.NamedTuple):
    """Of a setting, per 100 I/Os: means over all lines, and deviations of T over all of them."""
    R: float  # pylint: disable=invalid-name
    W: float  # pylint: disable=invalid-name
    E: float  # pylint: disable=invalid-name
    T: float  # pylint: disable=invalid-name
    T_looks: float  # pylint: disable=invalid-name
    sd_T: float  # pylint: disable=invalid-name


Costs = typing.Dict[Setting, Cost]


def pieces(line: str, most: int) -> typing.List[str]:
    """A line of blkparse, as requests of so many sectors at most."""
    words = line.split()
    if len(words) < 10 or words[5] != "Q" or words[8] != "+":
        return [line]
    begin, left = int(words[7]), int(words[9])
    made = []
    while left > 0:
        count = min(left, most)
        made.append(" ".join([*words[:7], str(begin), "+", str(count), *words[10:]]) + "\n")
        begin, left = begin + count, left - count
    return made


def split_trace(workload: str, most: int, folder: pathlib.Path) -> pathlib.Path:
    """A workload's trace with shorter requests."""
    made = folder / f"{workload}-{most}.blkparse"
    if not made.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        text = call(["zstd", "-dc", str(TRACES / f"{workload}.blkparse.zst")])
        made.write_text("".join(piece for line in text.splitlines(keepends=True)
                                for piece in pieces(line, most)), encoding="utf-8")
    return made


def cost_of(lines: typing.Sequence[Line], ftl: str) -> Cost:
    looks = LOOKS[ftl]
    time = [line.T_scan for line in lines]
    mean = statistics.mean
    return Cost(mean(line.R + line.scan for line in lines), mean(line.W for line in lines),
                mean(line.E for line in lines), mean(time),
                mean(line.T_scan + looks * line.host_w for line in lines),
                statistics.pstdev(time))


def orders(costs: Costs, of: typing.Callable[[Cost], float],
           order: typing.Sequence[str]) -> typing.List[typing.Tuple[Setting, ...]]:
    """The choices of a setting for each FTL that give this order."""
    each = [[setting for setting in costs if setting.ftl == ftl] for ftl in order]
    return [chosen for chosen in itertools.product(*each)
            if all(of(costs[a]) < of(costs[b]) for a, b in zip(chosen, chosen[1:]))]


def choices(costs: Costs) -> int:
    count = 1
    for ftl in FTLS:
        count *= sum(setting.ftl == ftl for setting in costs)
    return count


def named(chosen: typing.Sequence[Setting]) -> str:
    return ", ".join(f"{s.ftl} ({s.name})" for s in chosen)


def order_claims(costs: Costs) -> typing.List[Claim]:
    whole = {s: cost for s, cost in costs.items() if not s.split}
    short = {s: cost for s, cost in costs.items() if s.split}
    plain = orders(whole, lambda cost: cost.T, BY_TIME)
    looked = orders(whole, lambda cost: cost.T_looks, BY_TIME)
    switched = sum(any(s.ftl == "fmax" and s.name == "switch" for s in chosen)
                   for chosen in looked)
    steady = orders(short, lambda cost: cost.sd_T, BY_DEVIATION)
    return [
        Claim("order by mean T", "(ours) no choice of what is open gives FAST, BAST, FMAX, LM, "
              "MSBS", f"{len(plain)} of {choices(whole)} choices do",
              none_of(len(plain), "choice that gives it")),
        Claim("order by mean T, with looks", "(ours) with a look at the flash per page written "
              "some choices give it, all of them with FMAX's switch",
              f"{len(looked)} of {choices(whole)}" +
              (f", such as {named(looked[0])}" if looked else ""),
              above(len(looked), 0, "a count")
              & none_of(len(looked) - switched, "choice without the switch that gives it")),
        Claim("order by sd(T)", "(ours) no choice gives BAST, FAST, FMAX, LM, MSBS, with requests "
              "of 64 KiB either", f"{len(steady)} of {choices(short)} choices do",
              none_of(len(steady), "choice that gives it")),
    ]


def whole_claims(results: typing.Iterable[Result]) -> typing.List[Claim]:
    found = [result.summary["integrity"] for result in results]
    checked = sum(entry["sectors_checked"] for entry in found)
    wrong = sum(entry["total_mismatches"] for entry in found)
    return [Claim("data, any choice", "(ours) nothing is lost",
                  f"{checked:,} sectors read, {wrong} of them wrong",
                  none_of(wrong, "wrong sector") & above(checked, 0, "sectors read"))]


def table_text(costs: Costs) -> str:
    rows = [["per 100 I/Os", *Cost._fields]]
    rows += [[f"{s.ftl}, {s.name}", *(f"{value:,.0f}" for value in cost)]
             for s, cost in costs.items()]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) if i == 0 else cell.rjust(width)
                               for i, (cell, width) in enumerate(zip(row, widths))).rstrip()
                     for row in rows) + "\n"


def run_of(setting: Setting, workload: str, folder: pathlib.Path, quick: bool) -> Run:
    label = f"{setting.label()}-{workload}"
    series = series_of(setting, workload, folder)
    series.parent.mkdir(parents=True, exist_ok=True)
    arguments = ["--ftl-series", str(series)]
    if setting.split:
        arguments += ["--trace", str(split_trace(workload, setting.split, folder))]
    less = (windows_ftl.QUICK,) if quick else ()
    given = {override.split("=")[0] for override in setting.sets}
    usual = (override for override in windows_ftl.OPTIONS.get(setting.ftl, ())
             if override.split("=")[0] not in given)
    return Run(label, (windows_ftl.BASE, f"workload/{workload}"),
               (f"ftl.scheme={setting.ftl}", *usual, *windows_ftl.ONE_BY_ONE, *setting.sets, *less),
               tuple(arguments))


def series_of(setting: Setting, workload: str, folder: pathlib.Path) -> pathlib.Path:
    return folder / f"{setting.label()}-{workload}" / "series.csv"


def write_tables(costs: Costs, out: pathlib.Path) -> None:
    text = table_text(costs)
    (out / "settings.txt").write_text(text, encoding="utf-8")
    figures.write_csv(out / "settings.csv", ["ftl", "setting", *Cost._fields],
                      [(s.ftl, s.name, *cost) for s, cost in costs.items()])
    content = {ftl: {s.name: {"T": cost.T / 1000, "T with looks": cost.T_looks / 1000}
                     for s, cost in costs.items() if s.ftl == ftl and not s.split}
               for ftl in FTLS}
    figures.bars(content, out / "windows-ftl-settings", "thousand reads of time per 100 I/Os")
    print(text)


def settings_of(out: pathlib.Path, options) -> typing.List[Claim]:
    folder = out / "settings"
    chosen = QUICK if options.quick else SETTINGS + SHORT
    results = execute_all([run_of(s, w, folder, options.quick) for s in chosen for w in WORKLOADS],
                          folder, options.jobs)
    costs = {s: cost_of([line for w in WORKLOADS
                         for line in windows_ftl.read_series(series_of(s, w, folder))
                         if line.requests == windows_claims.FULL], s.ftl) for s in chosen}
    write_tables(costs, out)
    return whole_claims(results.values()) + ([] if options.quick else order_claims(costs))


PARTS = {"settings": settings_of}
