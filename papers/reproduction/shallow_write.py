# SPDX-License-Identifier: Apache-2.0
"""The paper on shallow writes in drives with a cache: mean response times and erases of six
policies over four sizes of the cache (figures 1 and 2), and what it leaves open - when shallow
writes pay, how much that depends on the retention limit and on the time of a read, and whether a
prediction of lifetimes turns its result round.

The paper gives neither program time nor retention limit of a shallow write. Ours are those of the
study that it builds on (Liu, Yang, Wu, FAST 2012), and time is compressed: the two weeks of the
faster variant pass in an eighth of a run, whose requests are fewer than those of a week."""
import argparse
import functools
import itertools
import json
import os
import pathlib
import re
import typing

from . import figures, shallow_claims, shallow_machine, surrogate
from .claims import Claim
from .runs import Result, Run, call, execute_all
from .shallow_claims import CACHES, SIZES, Case, Measured, Point

BASE = "experiment/shallow-write"
WRITTEN = 2 << 30  # bytes that the host writes in a run
DAY = 86400  # s
# What the time of a program is divided by -> days that its data keep.
VARIANTS = {1.86: 70, 2.33: 14}
SPEED_UP = 2.33
COMPRESSED = 8  # the limit of that variant passes so often in a run
LIMITS = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)  # share of a run
PACES = (1 / 4, 1 / 2, 1.0, 2.0, 3.0)  # arrivals over those of the surrogates
SWEPT = ("hm_0", "prn_0")
NEEDED = ("nand.shallow.speed_up", "nand.shallow.retention", "nand.retention_speed",
          "write.shallow.policy", "cache.window")


class Setting(typing.NamedTuple):
    """How shallow writes are made. `limit`: share of a run after which their data are rewritten, at
    the variant SPEED_UP; others keep longer in proportion."""
    policy: str = "all"
    speed_up: float = SPEED_UP
    limit: float = 1 / COMPRESSED


def missing() -> typing.List[str]:
    """Keys of the experiment that this version does not have."""
    schema = call([os.environ["SSDVP"], "schema"])
    flat = json.loads(schema)["properties"]

    def known(key: str) -> bool:
        node: dict = {"properties": flat}
        for part in key.split("."):
            node = node.get("properties", {}).get(part, {})
        return bool(node)
    return [key for key in NEEDED if not known(key)]


class Traffic:
    """The four workloads: traces of the user's, or surrogates that are written once."""

    def __init__(self, out: pathlib.Path, options: argparse.Namespace):
        self.msr = getattr(options, "msr", None)
        self.histograms = getattr(options, "histograms", None)
        self.written = WRITTEN // options.divisor
        self.folder = out / "traces"
        shown = call([os.environ["SSDVP"], "show", BASE]).splitlines()[0]
        self.drive = int(re.search(r"host sees (\d+) bytes", shown).group(1))
        self.files = {volume.name: self.file_of(volume) for volume in surrogate.VOLUMES.values()}
        self.spans = {name: self.span(name) for name in self.files}

    def real(self, volume: surrogate.Volume) -> typing.Optional[pathlib.Path]:
        names = [f"{volume.name}{ending}" for ending in (".csv", ".csv.gz", ".msr", ".msr.csv")]
        found = [self.msr / name for name in names if self.msr and (self.msr / name).is_file()]
        return found[0] if found else None

    def file_of(self, volume: surrogate.Volume) -> pathlib.Path:
        real = self.real(volume)
        if self.msr and real is None:
            raise SystemExit(f"--msr: {self.msr} has no {volume.name}.csv or {volume.name}.csv.gz")
        if real is not None:
            return real
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{volume.name}.ssdsim"
        places = surrogate.places_of(volume, self.histograms)
        surrogate.write(path, surrogate.made(volume, volume.requests(self.written), self.drive,
                                             places))
        return path

    def span(self, name: str) -> typing.Tuple[float, int]:
        """Seconds that a trace lasts, as far as it is used, and its requests."""
        volume = surrogate.VOLUMES[name]
        count = volume.requests(self.written)
        if self.msr is None:
            return count / volume.rate, count
        first, last, count = surrogate.span(self.files[name], count)
        return max(last - first, 1e-3), count

    def duration(self, name: str) -> float:
        """Seconds of simulated time that a run takes."""
        return self.spans[name][1] / surrogate.VOLUMES[name].rate

    def sets(self, name: str, pace: float = 1.0) -> typing.Tuple[str, ...]:
        """A real trace is compressed to the rate of the surrogate, and cut to its requests."""
        if self.msr is None:
            return () if pace == 1.0 else ("workload.replay=scaled",
                                           f"workload.scale={1 / pace:.9f}")
        seconds, count = self.spans[name]
        scale = self.duration(name) / seconds / pace
        return ("workload.format=msr", "workload.replay=scaled", f"workload.scale={scale:.9f}",
                f"run.requests={count}")

    def shallow(self, name: str, setting: Setting, pace: float) -> typing.Tuple[str, ...]:
        """--set overrides. Compression: the data of SPEED_UP keep for `limit` of a run."""
        simulated = setting.limit * self.duration(name) / pace
        factor = VARIANTS[SPEED_UP] * DAY / simulated
        return ("write.mode=shallow", f"write.shallow.policy={setting.policy}",
                f"nand.shallow.speed_up={setting.speed_up}",
                f"nand.shallow.retention={VARIANTS[setting.speed_up] * DAY}s",
                f"nand.retention_speed={factor:.3f}")


def run_of(traffic: Traffic, case: Case, setting: typing.Optional[Setting],
           more: typing.Tuple[str, ...] = (), label: str = "", pace: float = 1.0) -> Run:
    """`setting`: None for deep writes."""
    chosen = traffic.shallow(case.volume, setting, pace) if setting else ()
    return Run(label or case.label(), (BASE,),
               (f"cache.policy={case.cache}", f"cache.capacity={case.mib}MiB",
                *traffic.sets(case.volume, pace), *chosen, *more),
               ("--trace", str(traffic.files[case.volume])))


def cases(quick: bool) -> typing.List[Case]:
    sizes = (SIZES[0], SIZES[-1]) if quick else SIZES
    return [Case(*key) for key in itertools.product(surrogate.VOLUMES, CACHES, sizes,
                                                    (False, True))]


def draw_policies(measured: Measured, out: pathlib.Path) -> None:
    """Figures 1 and 2: a panel per volume, a line per policy."""
    for name, ylabel, value in (("response", "mean response time, us", shallow_claims.response_us),
                                ("erases", "blocks erased", shallow_claims.erases)):
        panels: typing.Dict[str, dict] = {volume: {} for volume in surrogate.VOLUMES}
        for case in sorted(measured):
            line = panels[case.volume].setdefault(case.policy(), [])
            line.append((case.mib, value(measured[case])))
        figures.panels(panels, out / f"shallow-write-{name}", figures.Axes(
            "cache, MiB", ylabel, names=("workload", "policy"), xscale="log", ymin=0,
            ticks=sorted({case.mib for case in measured})))


def policies(out: pathlib.Path, options: argparse.Namespace) -> typing.List[Claim]:
    """The paper's six policies."""
    traffic = traffic_of(out, options)
    runs = {case: run_of(traffic, case, Setting() if case.shallow else None)
            for case in cases(options.quick)}
    results = execute_all(list(runs.values()), out / "policies", options.jobs)
    measured = {case: results[run.label] for case, run in runs.items()}
    options.results["policies"] = measured
    draw_policies(measured, out)
    figures.write_csv(out / "shallow-write-policies.csv", shallow_claims.COLUMNS,
                      [shallow_claims.row(case, result) for case, result in measured.items()])
    return [*shallow_claims.paper_claims(measured), *shallow_claims.own_claims(measured)]


def limits(out: pathlib.Path, options: argparse.Namespace) -> typing.List[Claim]:
    """The retention limit swept, at both speeds: response times over those of deep writes, and the
    time of the arrays per page against the formula of the break-even."""
    traffic = traffic_of(out, options)
    chosen = LIMITS[::2] if options.quick else LIMITS
    runs, deep = {}, {}
    for volume in SWEPT:
        case = Case(volume, "wo_lru", SIZES[0], True)
        deep[volume] = run_of(traffic, case._replace(shallow=False), None,
                              shallow_claims.METER, f"{volume}-deep")
        for speed_up, limit in itertools.product(VARIANTS, chosen):
            runs[volume, speed_up, limit] = run_of(
                traffic, case, Setting(speed_up=speed_up, limit=limit), shallow_claims.METER,
                f"{volume}-{speed_up}-{limit:.4f}")
    results = execute_all([*deep.values(), *runs.values()], out / "limits", options.jobs)
    points = [Point(volume, speed_up, limit * VARIANTS[speed_up] / VARIANTS[SPEED_UP],
                    results[run.label], results[deep[volume].label])
              for (volume, speed_up, limit), run in runs.items()]
    draw_limits(points, out)
    return shallow_claims.limit_claims(points)


def draw_limits(points: typing.Sequence[Point], out: pathlib.Path) -> None:
    response: typing.Dict[str, dict] = {volume: {} for volume in SWEPT}
    cost: typing.Dict[str, dict] = {f"speed-up {speed_up}": {} for speed_up in VARIANTS}
    for point in points:
        response[point.volume].setdefault(f"speed-up {point.speed_up}", []).append(
            (point.limit, point.slower()))
        panel = cost[f"speed-up {point.speed_up}"]
        panel.setdefault(point.volume, []).append((point.survivors(), point.array_us()))
        panel.setdefault("formula", []).append((point.survivors(), point.formula_us()))
    for panel in cost.values():
        for line in panel.values():
            line.sort()
        panel["deep"] = [(0, shallow_claims.DEEP_US), (1, shallow_claims.DEEP_US)]
    figures.panels(response, out / "shallow-write-limits", figures.Axes(
        "retention limit, share of the run", "response time over that of deep writes",
        names=("workload", "variant"), xscale="log", ymin=0))
    figures.panels(cost, out / "shallow-write-break-even", figures.Axes(
        "share of shallow pages that outlive the limit", "array time per page written, us",
        names=("variant", "line"), ymin=0))


def load(out: pathlib.Path, options: argparse.Namespace) -> typing.List[Claim]:
    """The same requests slower and faster: rewriting gives way to the host while there is room."""
    traffic = traffic_of(out, options)
    runs = {}
    for volume, pace, shallow in itertools.product(
            SWEPT, PACES[1:-1] if options.quick else PACES, (False, True)):
        case = Case(volume, "wo_lru", SIZES[0], shallow)
        runs[case, pace] = run_of(traffic, case, Setting() if shallow else None, (),
                                  f"{case.label()}-{pace}", pace)
    results = execute_all(list(runs.values()), out / "load", options.jobs)
    measured = {key: results[run.label] for key, run in runs.items()}
    lines: typing.Dict[str, list] = {}
    for (case, pace), result in measured.items():
        deep = measured[case._replace(shallow=False), pace]
        if case.shallow:
            lines.setdefault(case.volume, []).append(
                (100 * shallow_claims.bus(deep), result.mean_ns() / deep.mean_ns()))
    figures.panels({"cache of 16 MiB, WO-LRU": lines}, out / "shallow-write-load", figures.Axes(
        "channels busy with deep writes, %", "response time over that of deep writes",
        names=("cache", "workload"), ymin=0))
    return shallow_claims.load_claims(measured)


def reads(out: pathlib.Path, options: argparse.Namespace) -> typing.List[Claim]:
    """The paper's 500 us of a page read are ten times the usual: the same with 50."""
    traffic = traffic_of(out, options)
    runs = {}
    for volume, mib, shallow, read_us in itertools.product(SWEPT, (SIZES[0], SIZES[-1]),
                                                           (False, True), (50, 500)):
        case = Case(volume, "wo_lru", mib, shallow)
        runs[case, read_us] = run_of(traffic, case, Setting() if shallow else None,
                                     (f"nand.tR={read_us}us",), f"{case.label()}-{read_us}us")
    results = execute_all(list(runs.values()), out / "reads", options.jobs)
    measured = {key: results[run.label] for key, run in runs.items()}
    bars: typing.Dict[str, dict] = {}
    for (case, read_us), _ in measured.items():
        if case.shallow:
            bars.setdefault(case.volume, {}).setdefault(f"{case.mib} MiB", {})[
                f"{read_us} us"] = shallow_claims.more_percent(
                    shallow_claims.response_us, measured[case, read_us],
                    measured[case._replace(shallow=False), read_us])
    figures.bars(bars, out / "shallow-write-reads", "response time with shallow writes, % more")
    return shallow_claims.read_claims(measured)


def predicted(out: pathlib.Path, options: argparse.Namespace) -> typing.List[Claim]:
    """Which writes are shallow: all, short ones, or those whose data should die in time."""
    traffic = traffic_of(out, options)
    runs = {}
    for volume, mib, policy in itertools.product(surrogate.VOLUMES, (SIZES[0], SIZES[-1]),
                                                 shallow_claims.CHOICES):
        case = Case(volume, "wo_lru", mib, policy != "deep")
        setting = Setting(policy=policy) if case.shallow else None
        runs[case, policy] = run_of(traffic, case, setting, (), f"{case.label()}-{policy}")
    results = execute_all(list(runs.values()), out / "predicted", options.jobs)
    measured = {key: results[run.label] for key, run in runs.items()}
    for name, ylabel, value in (
            ("response", "mean response time, us", shallow_claims.response_us),
            ("energy", "NAND energy, mJ per MiB written", shallow_claims.energy_mj)):
        bars: typing.Dict[str, dict] = {}
        for (case, policy), result in measured.items():
            bars.setdefault(case.volume, {}).setdefault(f"{case.mib} MiB", {})[policy] = \
                value(result)
        figures.bars(bars, out / f"shallow-write-predicted-{name}", ylabel)
    return shallow_claims.predicted_claims(measured)


def traffic_of(out: pathlib.Path, options: argparse.Namespace) -> Traffic:
    absent = missing()
    if absent:
        raise SystemExit(f"this version has no {', '.join(absent)}")
    if "traffic" not in options.results:
        options.results["traffic"] = Traffic(out, options)
    return options.results["traffic"]


def with_changes(traffic: Traffic, runs: typing.Dict[tuple, tuple], folder: pathlib.Path,
                 jobs: int) -> typing.Dict[tuple, Result]:
    """Results of cases on a machine that is another one (shallow_machine.py)."""
    made = {key: run_of(traffic, case, Setting() if case.shallow else None, more, label)
            for key, (case, more, label) in runs.items()}
    results = execute_all(list(made.values()), folder, jobs)
    return {key: results[run.label] for key, run in made.items()}


def machine(out: pathlib.Path, options: argparse.Namespace) -> typing.List[Claim]:
    traffic = traffic_of(out, options)
    return shallow_machine.machine(functools.partial(with_changes, traffic), out, options.jobs)


PARTS = {"policies": policies, "limits": limits, "load": load, "reads": reads,
         "predicted": predicted, "machine": machine}
