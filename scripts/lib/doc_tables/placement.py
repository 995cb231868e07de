# SPDX-License-Identifier: Apache-2.0
"""docs/ftl/placement.md: which placement is for which load."""
from .tables import Line, Table, kilo_iops, mean_us, megabytes, settings, together

PLACEMENTS = ("stripe", "CWDP", "WDPC", "channel_rr", "shortest_queue", "channel_die")
WRITES = ("device/small", "workload/random-write")
READS = ("device/small", "workload/sequential-read")
RANDOM = settings("precondition.fill=1 workload.queue_depth=32 run.requests=20000")
ORDERED = settings("precondition.fill=1 workload.queue_depth=1 run.requests=2000")


def strayed(summary: dict) -> str:
    """Of all units of 4 KiB that were programmed."""
    units = summary["flash"]["bytes_programmed"] / 4096
    return f"{100 * summary['ftl'].get('strayed_units', 0) / units:.1f} %"


TABLES = (Table(
    "placement", tuple(Line(f"`{p}`", (f"ftl.placement={p}",)) for p in PLACEMENTS),
    (Line("random writes, 4 KiB, depth 32, filled drive: thousand/s", RANDOM, WRITES,
          (kilo_iops("write", "{:.1f}"),)),
     Line("the same with a buffer of 8 MiB", RANDOM + ("cache.capacity=8MiB",), WRITES,
          (kilo_iops("write", "{:.1f}"),)),
     Line("the same in steady state; units that strayed", RANDOM + ("precondition.overwrite=1",),
          WRITES, (together(kilo_iops("write", "{:.1f}"), strayed, by="; "),)),
     Line("random writes of 16 KiB, depth 8, without buffer: thousand/s",
          settings("precondition.fill=1 workload.block_size=16KiB workload.queue_depth=8 "
                   "run.requests=4000 cache.policy=none"), WRITES,
          (kilo_iops("write", "{:.2f}"),)),
     Line("sequential writes, 128 KiB, depth 8: MB/s",
          ("run.requests=2000",), ("device/small", "workload/sequential-write"),
          (megabytes("write"),)),
     Line("sequential reads, 32 KiB, depth 1, filled in order: us",
          ORDERED + ("workload.block_size=32KiB",), READS, (mean_us("read"),)),
     Line("sequential reads, 64 KiB, depth 1, after random overwrites of 16 KiB: us",
          ORDERED + settings("workload.block_size=64KiB ftl.map_unit=16KiB "
                             "precondition.overwrite=1 run.warmup=4000"), READS,
          (mean_us("read"),))),
    ("ftl.over_provisioning=0.3",)),)
