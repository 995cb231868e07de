# SPDX-License-Identifier: Apache-2.0
"""docs/DESIGN.md: what sampled runs tell beside exact ones."""
from .tables import Line, Table, settings

OWN = settings("precondition.fill=1 precondition.overwrite=3 run.warmup=20000 run.requests=600000")
WINDOWS = settings("run.sampling.windows=16 run.sampling.share=0.1")
MIXED = "workload=[{read_fraction: 0.7, queue_depth: 16, pattern: %s}]"
WRITES = ("precondition.workload.source=own",)
LOADS = (("reads, QD32", ("workload=[{read_fraction: 1, queue_depth: 32}]",)),
         ("70/30, QD16", (MIXED % "uniform", *WRITES)),
         ("the same, `zipf`", (MIXED % "zipf", *WRITES)),
         ("the same, `hot_cold`", (MIXED % "hot_cold", *WRITES)),
         ("writes, QD32", ("workload=[{read_fraction: 0, queue_depth: 32}]", *WRITES)),
         ("reads QD4 beside writes QD8",
          ("workload=[{read_fraction: 1, queue_depth: 4}, {read_fraction: 0, queue_depth: 8}]",
           *WRITES)))
DRIVES = (("device/small", ()), ("reads stay in the buffer", ("cache.policy=rw_lru",)),
          ("28 % spare", ("ftl.over_provisioning=0.28",)))


def kinds(summary: dict) -> list:
    return [kind for kind in ("read", "write") if kind in summary["host"]]


def interval(summary: dict, name: str) -> str:
    """Of a run in windows."""
    known = summary["confidence"].get(name)
    if "sampling" not in summary or known is None:
        return ""
    return f" +- {100 * (known['high'] - known['low']) / 2 / known['mean']:.1f} %"


def rates(summary: dict) -> str:
    """Thousand IOPS of each kind."""
    return ", ".join(f"{summary['host'][k]['iops'] / 1e3:.2f}"
                     + interval(summary, f"host.{k}.iops") for k in kinds(summary))


def means(summary: dict) -> str:
    """Mean latency of each kind, us; where windows tell it."""
    return ", ".join(f"{summary['host'][k]['latency_ns']['mean'] / 1e3:.0f}"
                     + interval(summary, f"host.{k}.latency_ns.mean") for k in kinds(summary)
                     if "mean" in summary["host"][k]["latency_ns"])


def amplification(summary: dict) -> str:
    found = summary["ftl"].get("write_amplification")
    return f"{found:.2f}" if found else ""


TELLS = (rates, means, amplification)
TABLES = tuple(
    Table(drive,
          (Line("exact: kIOPS, mean us, WAF", (), ("device/small",), TELLS),
           Line("windows", WINDOWS, ("device/small",), TELLS)),
          tuple(Line(name, load) for name, load in LOADS), (*OWN, *sets))
    for drive, sets in DRIVES)
