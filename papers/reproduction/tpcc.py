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
from .suspend_drive import POLICIES, quick_sets

QUICK_REQUESTS = {"run.warmup": 20_000, "run.requests": 30_000}
REQUESTS = 9_000_000  # of experiment/suspend-tpcc, with those that warm it up
PERCENTS = (50, 99, 99.9, 99.99, 99.999, 99.9999)
# A quick run has half of the LUNs, and per LUN half of the arrivals: its small blocks take more
# erases. It collects as the drive of `random` does, whose preconditioned state it shares.
PACE, QUICK_PACE = 1, 4
QUICK_DRIVE = ("flash.luns_per_channel=2", "gc.threshold=0.01", "gc.stop=0.02")
DRIVE_SECTORS, QUICK_SECTORS = 30_198_988 * 8, 629_145 * 8  # for the host: 80 % of 144 and of 3 GiB
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


def pace(options) -> float:
    """The arrivals of the trace come so many times as slowly."""
    return QUICK_PACE if options.quick else PACE


def sizes(options) -> typing.Tuple[str, ...]:
    if not options.quick:
        return ()
    return (*QUICK_DRIVE, *quick_sets(options),
            *(f"{name}={count}" for name, count in QUICK_REQUESTS.items()))


def load(options, out: pathlib.Path) -> typing.Tuple[tuple, tuple]:
    """Arguments and --set overrides that give the load."""
    slower = pace(options)
    if options.tpcc is None:
        return (), tuple(f"workload.{name}.rate={rate / slower:g}/s"
                         for name, rate in RATES.items())
    requests, sectors = ((sum(QUICK_REQUESTS.values()), QUICK_SECTORS) if options.quick else
                         (REQUESTS, DRIVE_SECTORS))
    path = out / "tpcc-lengthened.mqsim"
    write_trace(path, lengthened(read_trace(options.tpcc), sectors, requests))
    return ("--trace", str(path), "--trace-replay", f"scaled={slower}"), ()


def runs(options, out: pathlib.Path) -> typing.List[Run]:
    arguments, sets = load(options, out)
    return [Run(label, ("experiment/suspend-tpcc",),
                (*sets, f"flash.suspend.policy={policy}", *sizes(options)), arguments)
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
    checked = [suspend_claims.pace_claim(results, pace(options)),
               *suspend_claims.tpcc_claims(results)]
    if "random" in options.results:
        checked.append(suspend_claims.longer_claim(results, options.results["random"]))
    return checked
