#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long a full drive of 1 TB takes to come back, in simulated time: until it has served a read
after a clean shutdown, and until it is ready after a loss of power just before the next checkpoint
is due, one for each GB programmed.

one_terabyte measures page_map. For all others two drives are measured, with a 32nd and a 16th of
the pages per block: as many superblocks to look at, and in proportion the data, the interval, the
map, its cache and what the replay touches. So what power-up takes is a constant and a part that
grows with the pages: one line, which leads to the drive of 1 TB. With logical blocks, log_set_block
and with a log log_set_hybrid, a superblock is one block.
Usage: power_up_test.py SSDVP one_terabyte|page_map|dftl|log_set|vm_map|log_set_block|
log_set_hybrid"""

import sys
import typing

from measured import summary_of, within

MS = 1e6
PAGES = 2304              # per block, of the drive of 1 TB
INTERVAL = 1_000_000_000  # bytes programmed from checkpoint to checkpoint
PROGRAM = 4 * 16384       # a page of each plane
SERVES, READY = 50, 8000  # ms, with the instructions of the default core

# Random writes of single units touch the most map pages. A few reads tell when the drive serves.
DRIVE = ["experiment/drive-1tb", "workload/random-write", "--set", "data=none",
         "--set", "precondition.fill=1", "--set", "workload.0.read_fraction=0.02",
         "--set", "power.verify=none"]
SHUTDOWN = ["--set", "power.shutdown.at=1ms"]

# Each page in the buffer costs a merge at shutdown: there are few, and reads among them. Of the
# flash alone: the image of logical blocks is not read by runs, which takes the core 12 s.
BLOCKS = ["--set", "cpu.core=flat", "--set", "ftl.stripe=block", "--set", "ftl.map_unit=16KiB",
          "--set", "ftl.log_set.unit=block"]
FEW = ["--set", "power.shutdown.at=100us", "--set", "workload.0.read_fraction=0.5",
       "--requests", "300"]


Point = typing.Tuple[int, float]  # pages per block, ms


class Cut(typing.NamedTuple):
    when: str      # just before the checkpoint: programs include those of the map
    requests: int  # the run ends before the checkpoint that follows power-up


class Case(typing.NamedTuple):
    cache: int  # bytes of the map in memory, of the drive of 1 TB; 0 = all of it is
    cuts: typing.Dict[int, Cut]  # by pages per block
    ready: float = READY  # ms, what the line leads to at most
    serves: float = SERVES
    scheme: str = ""      # where the case has another name
    options: typing.Sequence[str] = ()
    clean: typing.Sequence[int] = ()  # pages per block of the drives shut down, if others
    shutdown: typing.Sequence[str] = (*SHUTDOWN, "--requests", "2000")
    after: int = 0  # checkpoints that follow power-up


# Below, so few map pages wait to be read that what comes before the first read grows faster than
# with the drive: it is no line (72: 7 ms, 144: 11 ms, 288: 13 ms).
CLEAN = (144, 288)

CASES = {
    # As one_terabyte measures, in seconds instead of minutes.
    "page_map": Case(0, {72: Cut("every=456", 16000), 144: Cut("every=930", 24000)}, serves=100,
                     clean=CLEAN, after=1),
    # All that the window tells fits the table of cached entries: no map page moves before it is
    # ready.
    "dftl": Case(64 << 20, {72: Cut("at=152ms", 17000), 144: Cut("at=320ms", 25000)},
                 ready=500, serves=100, clean=CLEAN),
    # Of the map pages that change all but what a quarter of the frames holds stay in memory.
    "log_set": Case(64 << 20, {72: Cut("every=456", 16000), 144: Cut("every=930", 17000)},
                    ready=6000, serves=100, clean=CLEAN),
    # The whole map is in memory, else swaps take longer than all else.
    "vm_map": Case(1 << 30, {72: Cut("every=456", 17000), 144: Cut("every=930", 25000)},
                   serves=250),
    # Of what was merged a page per block is read, of the log's blocks all.
    "log_set_block": Case(0, {72: Cut("every=1900", 2300), 144: Cut("every=3800", 2300)},
                          ready=500, scheme="log_set", options=BLOCKS, shutdown=FEW),
    "log_set_hybrid": Case(0, {72: Cut("every=1880", 2500), 144: Cut("every=3780", 2700)},
                           ready=1000, scheme="log_set",
                           options=[*BLOCKS, "--set", "ftl.log_set.w_log=64"], shutdown=FEW),
}


def interval(size: int) -> typing.List[str]:
    return ["--set", f"ftl.checkpoint_interval={INTERVAL * size // PAGES}B"]


def one_terabyte(ssdvp: str) -> bool:
    cut = INTERVAL // PROGRAM - 58  # those of the anchor come on top
    summary = summary_of(ssdvp, [*DRIVE, *interval(PAGES), *SHUTDOWN, "--requests", "260000",
                                 "--set", f"power.cut.every={cut}",
                                 "--no-state-cache"])  # whose file would have 1.2 GB
    power, written = summary["power"], summary["flash"]["by_purpose"]["host"]["bytes_programmed"]
    first, ready = power["first_read_ns"], power["ready_ns"]
    held = [within("ms, first read after a shutdown", (2 * first["mean"] - first["max"]) / MS,
                   SERVES),
            within("ms, ready after a loss of power", ready["max"] / MS, READY),
            # No checkpoint but those of the shutdown and of the first program after it.
            (power["shutdowns"], power["cuts"], summary["ftl"]["checkpoints"]) == (1, 1, 2),
            0.99 * INTERVAL < written < 1.03 * INTERVAL,
            within("GB of the host's memory", summary["sim"]["peak_rss_bytes"] / 1e9, 1.6)]
    print(f"{power}, {written} bytes written")
    return all(held)


def small(ssdvp: str, name: str, size: int, more: typing.Sequence[str]) -> dict:
    case = CASES[name]
    cache = ["--set", f"ftl.map_cache={case.cache * size // PAGES}B"] if case.cache else []
    return summary_of(ssdvp, [*DRIVE, *interval(size), "--set", f"nand.pages_per_block={size}",
                              "--set", f"ftl.scheme={case.scheme or name}", *cache, *case.options,
                              *more])


def after_shutdown(ssdvp: str, name: str, size: int) -> float:
    power = small(ssdvp, name, size, CASES[name].shutdown)["power"]
    return power["first_read_ns"]["max"] / MS if power["shutdowns"] == 1 else -1


def after_cut(ssdvp: str, name: str, size: int) -> float:
    cut = CASES[name].cuts[size]
    summary = small(ssdvp, name, size, ["--set", f"power.cut.{cut.when}",
                                        "--requests", str(cut.requests)])
    expected = (summary["power"]["cuts"], summary["ftl"]["checkpoints"]) == (
        1, CASES[name].after)
    return summary["power"]["ready_ns"]["max"] / MS if expected else -1


def by_line(what: str, few: Point, many: Point, bound: float) -> bool:
    """What a drive of 1 TB takes, if two smaller ones take this."""
    for size, ms in (few, many):
        print(f"ms, {what}, with {size} pages per block: {ms:.4g}")
    slope = (many[1] - few[1]) / (many[0] - few[0])
    return within(f"ms, {what}, by the line", few[1] + (PAGES - few[0]) * max(slope, 0),
                  bound) and min(few[1], many[1]) > 0


def by_two(ssdvp: str, name: str) -> bool:
    case = CASES[name]
    clean = [(size, after_shutdown(ssdvp, name, size)) for size in case.clean or case.cuts]
    lost = [(size, after_cut(ssdvp, name, size)) for size in case.cuts]
    held = [by_line("first read after a shutdown", *clean, case.serves),
            by_line("ready after a loss of power", *lost, case.ready)]
    return all(held)


def main():
    ssdvp, case = sys.argv[1:3]
    held = one_terabyte(ssdvp) if case == "one_terabyte" else by_two(ssdvp, case)
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
