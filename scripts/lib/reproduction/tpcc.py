# SPDX-License-Identifier: Apache-2.0
"""The suspend experiment under a TPC-C-like load: a trace that the user has, else streams with its
statistics (configs/workload/tpcc-like.yaml)."""
import dataclasses
import math
import pathlib
import typing

from . import figures, suspend_claims
from .claims import Claim
from .runs import Run, execute_all
from .suspend_drive import POLICIES, SECTORS, quick_sets, smaller

WARMUP = 100_000
REQUESTS = 800_000
QUICK_REQUESTS = (20_000, 100_000)
PERCENTS = (50, 99, 99.9, 99.99, 99.999)
PACE = 2  # times as slow as the trace: the drive's 16 LUNs, preconditioned, cannot bear it whole
QUICK_PACE = 4  # the smaller blocks of a quick drive take more erases
RATES = {"read-8k": 32_100, "write-8k": 17_400, "write-16k": 1_780}  # workload/tpcc-like
UNIT_SECTORS = 8           # positions keep their place within 4 KiB
REGION = 2 * 1024 * 1024   # sectors: 1 GiB, within which a turn moves the positions
GOLDEN = (math.sqrt(5) - 1) / 2  # its multiples never come near each other


@dataclasses.dataclass(frozen=True)
class Record:
    """A line of a trace in the format mqsim."""
    time_ns: int
    device: int
    sector: int
    sectors: int
    op: int


def read_trace(path: pathlib.Path) -> typing.List[Record]:
    lines = path.read_text(encoding="ascii").splitlines()
    return [Record(*map(int, line.split())) for line in lines if line.strip()]


def lengthened(records: typing.Sequence[Record], drive_sectors: int,
               requests: int) -> typing.Iterator[Record]:
    """The trace turn after turn until there are `requests`, on one device of `drive_sectors`.

    Devices lie side by side, shrunk together to the drive. Each turn moves every position within
    its GiB by another step: what is busy stays busy, and nothing is written twice only because the
    trace is short."""
    devices = sorted({r.device for r in records})
    span = REGION * (1 + max(r.sector for r in records) // REGION)
    shrink = drive_sectors / (span * len(devices))
    first, last = records[0].time_ns, records[-1].time_ns
    period = (last - first) * len(records) // (len(records) - 1)
    for i in range(requests):
        turn, r = i // len(records), records[i % len(records)]
        moved = (r.sector + int(turn * GOLDEN % 1 * REGION)) % REGION + r.sector // REGION * REGION
        place = int((devices.index(r.device) * span + moved) * shrink)
        place -= place % UNIT_SECTORS - r.sector % UNIT_SECTORS
        yield Record(r.time_ns - first + turn * period, 0,
                     min(place, drive_sectors - r.sectors), r.sectors, r.op)


def write_trace(path: pathlib.Path, records: typing.Iterable[Record]) -> None:
    with path.open("w", encoding="ascii") as file:
        for r in records:
            file.write(f"{r.time_ns} {r.device} {r.sector} {r.sectors} {r.op}\n")


def load(options, out: pathlib.Path, requests: int) -> typing.Tuple[tuple, tuple]:
    """Arguments and --set overrides that give the load."""
    pace = QUICK_PACE if options.quick else PACE
    if options.tpcc is None:
        return (), tuple(f"workload.{name}.rate={rate / pace:g}/s" for name, rate in RATES.items())
    path = out / "tpcc-lengthened.mqsim"
    write_trace(path, lengthened(read_trace(options.tpcc), SECTORS // smaller(options),
                                  requests))
    return ("--trace", str(path), "--trace-replay", f"scaled={pace}"), ()


def runs(options, out: pathlib.Path) -> typing.List[Run]:
    warmup, requests = (WARMUP, REQUESTS) if not options.quick else QUICK_REQUESTS
    arguments, sets = load(options, out, warmup + requests)
    return [Run(label, ("experiment/suspend-tpcc",),
                (*sets, f"flash.suspend.policy={policy}", f"run.warmup={warmup}",
                 f"run.requests={requests}", *quick_sets(options)), arguments)
            for label, policy in POLICIES.items()]


def reproduce(out: pathlib.Path, options) -> typing.List[Claim]:
    """Figure 10."""
    folder = out / "tpcc"
    folder.mkdir(parents=True, exist_ok=True)
    results = execute_all(runs(options, folder), folder, options.jobs)
    options.results["tpcc"] = results
    source = "TPC-C trace" if options.tpcc else "TPC-C-like load"
    for kind in ("read", "write"):
        figures.tails(results, kind, out / f"tpcc-{kind}-tail", f"{source}: {kind}s")
        figures.percentiles(results, kind, PERCENTS, out / f"tpcc-{kind}-percentiles",
                            f"{source}: {kind}s")
    checked = suspend_claims.tpcc_claims(results)
    if "random" in options.results:
        checked.append(suspend_claims.longer_claim(results, options.results["random"]))
    return checked
