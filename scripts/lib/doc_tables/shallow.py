# SPDX-License-Identifier: Apache-2.0
"""docs/shallow.md: when shallow writes pay off."""
from .tables import Line, Table, settings

COMMON = settings("precondition.fill=1 workload.range.size=128MiB workload.requests=100000 "
                  "workload.pattern=hot_cold workload.hot_fraction=0.05 write.mode=shallow "
                  "nand.shallow.speed_up=2.33 nand.shallow.retention=400ms")


def array_and_erases(summary: dict) -> str:
    """Array time of all LUNs for a write, and erases."""
    busy = sum(lun["busy"] for channel in summary["channels"] for lun in channel["luns"])
    time_us = busy * summary["sim"]["simulated_ns"] / 1e3
    writes = summary["host"]["write"]["requests"]
    return f"{time_us / writes:.1f} us, {summary['flash']['erases']}"


def policy(name: str, *more: str) -> tuple:
    margin = () if name == "none" else ("write.shallow.margin=0.5",)
    return (f"write.shallow.policy={name}",) + margin + more


TABLES = (
    Table("policies", tuple(Line(name, policy(name)) for name in ("none", "all", "predicted")),
          tuple(Line(f"{100 * share:.0f} %", (f"workload.hot_probability={share}",),
                     ("device/small", "workload/random-write"), (array_and_erases,))
                for share in (0.9, 0.6, 0.3)), COMMON),
    Table("thresholds", tuple(Line(str(t), policy("predicted", f"write.shallow.threshold={t}"))
                              for t in (0.05, 0.2)),
          (Line("60 %", ("workload.hot_probability=0.6",),
                ("device/small", "workload/random-write"), (array_and_erases,)),), COMMON))
