# SPDX-License-Identifier: Apache-2.0
"""What tests/extension adds to a copy of the project: files of `added`, and rows of tables. Each
addition is one file and one row, as CONTRIBUTING.md promises; a counter is a row alone, and is
counted by the policy that is added."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Addition:
    """A file below `added`, where it goes, and the row that names it."""

    file: str  # "" = a row alone
    table: str  # file of the table
    macro: str  # of the rows
    row: str


ADDITIONS = [
    Addition("firmware/gc/fifo.c", "models/regs/choices/gc_policy.h", "GC_POLICIES",
             'ROW(FIFO, fifo, "the superblock that was written the longest ago")'),
    Addition("firmware/schemes/hoard.c", "models/regs/choices/ftl_scheme.h", "FTL_SCHEMES",
             'ROW(HOARD, hoard, SCHEME_MAP_IN_DRAM, "a map of pages that never collects")'),
    Addition("firmware/buffer/wo_fifo.c", "models/regs/choices/cache_policy.h", "CACHE_POLICIES",
             'ROW(WO_FIFO, wo_fifo, CACHE_BUFFERS, "what was written; first come leaves first")'),
    Addition("models/flash/die/suspend/halves.cpp", "models/regs/choices/suspend_policy.h",
             "FLASH_SUSPENDS", 'ROW(HALVES, halves, "between loops, and amid each")'),
    Addition("models/flash/channel/arbiter/free_start.cpp",
             "models/flash/channel/arbiter/arbiters.h", "FLASH_ARBITERS",
             'ROW(free_start, "operations start in any order, and complete in theirs")'),
    Addition("models/host/workload/backwards.cpp", "models/host/workload/patterns.h",
             "HOST_PATTERNS", 'ROW(backwards, "one before the other")'),
    Addition("models/host/workload/formats/plain.cpp",
             "models/host/workload/formats/formats.h", "HOST_TRACE_FORMATS",
             'ROW(plain, "microseconds r|w sector sectors", "four fields")'),
    Addition("platform/report/sinks/slowest.cpp", "platform/report/sinks/sinks.h", "REPORT_SINKS",
             'ROW(slowest, by_file, "--slowest", "FILE", of_run, "the slowest request")'),
    Addition("firmware/host/nvme/free_blocks.c", "models/regs/nvme_admin_commands.h",
             "NVME_ADMIN_COMMANDS",
             "ROW(FREE_BLOCKS, 0xC1, free_blocks, no_data, NONE, NVME_EFFECT_NONE, 0)"),
    Addition("", "models/regs/counters_drive.h", "COUNTERS_DRIVE",
             'C(gc_looks, COUNTER, ALWAYS, "ftl.gc.looks", "", "superblocks seen")'),
]


def with_row(text, macro, row):
    """`text` of a table with `row` behind the rows of `macro`."""
    lines = text.split("\n")
    first = next(n for n, line in enumerate(lines) if line.startswith(f"#define {macro}("))
    last = next(n for n in range(first, len(lines)) if not lines[n].endswith("\\"))
    lines[last] += " \\"
    lines.insert(last + 1, "    " + row)
    return "\n".join(lines)
