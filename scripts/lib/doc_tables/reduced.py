# SPDX-License-Identifier: Apache-2.0
"""docs/workloads.md: what a reduced drive tells, beside the whole one."""
from .tables import Line, Table, settings

LARGE = settings("nand.pages_per_block=144 nand.interface.rate=1600MT/s ftl.over_provisioning=0.16 "
                 "dram.capacity=512MiB")  # 128 GB
SMALL = settings("nand.blocks_per_plane=1024 nand.pages_per_block=16 ftl.over_provisioning=0.1")
MIXED, WRITES = "workload.read_fraction=0.7", "workload.read_fraction=0"
HOT = settings("workload.pattern=hot_cold workload.hot_fraction=0.1 workload.hot_probability=0.9")
UNIFORM = (("70/30 at random", (MIXED, "workload.pattern=uniform")),)
LOADS = (*UNIFORM,
         ("writes at random", (WRITES, "workload.pattern=uniform")),
         ("70/30, `hot_cold` 90/10", (MIXED, *HOT)),
         ("70/30, `zipf` 0.99", (MIXED, "workload.pattern=zipf")))


def rates(summary: dict) -> str:
    """Thousand IOPS; write amplification."""
    kilo = sum(summary["host"][k]["iops"] for k in ("read", "write") if k in summary["host"]) / 1e3
    amplification = summary["ftl"].get("write_amplification")
    return f"{kilo:.2f}" + (f"; {amplification:.3f}" if amplification else "")


def table_of(title: str, preset: str, sets: tuple, loads: tuple, requests: int) -> Table:
    """Of one drive."""
    return Table(
        title,
        tuple(Line("whole" if n == 1 else f"1/{n}", (f"run.reduced={n}",), (preset,), (rates,))
              for n in (1, 4, 16)),
        tuple(Line(name, load) for name, load in loads),
        (*sets, *settings("precondition.fill=1 precondition.overwrite=1 run.until=steady "
                          "workload.block_size=4KiB workload.queue_depth=64"),
         f"run.requests={requests}"))


TABLES = (table_of("128 GB of 504 superblocks", "device/nvme-tlc", LARGE, UNIFORM, 1000000),
          table_of("2 GB of 1024 superblocks", "device/small", SMALL, LOADS, 300000))
