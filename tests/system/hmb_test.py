#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The map of whole drives in DRAM, SRAM and a host memory buffer: what a read takes against closed
formulas, and that the host may take its memory away, write over it and lose the drive's power. The
shadow copy checks all data.

Usage: hmb_test.py SSDVP latency|misses|removal|segments|cores|cuts
"""
import sys

from measured import summary_of

SSDVP = sys.argv[1]
SMALL = "ftl.map_cache=64KiB"  # 1365 of 104,857 entries, which lie on 103 map pages
ALL = "ftl.map_cache=32MiB"
# Of vm_map: 7 segments of 4 flash pages of 4 map pages, of which 2 have room in memory.
SEGMENTS = ("ftl.scheme=vm_map", "nand.pages_per_block=4", "nand.blocks_per_plane=1024")
TWO = "ftl.map_cache=128KiB"
PAGE = 4096
NS = 1e-9


def measured(*sets, workload="workload/random-read"):
    options = ["device/small", workload]
    for text in ("ftl.scheme=dftl", "precondition.fill=1", *sets):
        options += ["--set", text]
    summary = summary_of(SSDVP, options)
    assert summary["integrity"]["total_mismatches"] == 0
    return summary


def hmb(summary):
    return summary["ftl"]["hmb"]


def near(what, value, formula, tolerance):
    print(f"{what}: {value:.4g}, formula {formula:.4g}")
    assert abs(value - formula) <= tolerance * formula, what


# ---- A read of 4 KiB at depth 1, on a core that takes next to no time ----

READS = 3000


def read(*sets):
    summary = measured("workload.0.queue_depth=1", "cpu.core=flat", "cpu.instructions_per_call=1",
                       "cpu.clock=10GHz", "host.pcie.generation=3", "run.warmup=2000",
                       f"run.requests={READS}", *sets)
    return summary["host"]["read"]["latency_ns"]["mean"] * NS, summary


def per_miss(*sets, drive=(), cache=SMALL):
    """What a read of which the entry is not cached takes beyond one of which it is."""
    hit, _ = read(*drive, "ftl.map_memory=sram", ALL,
                  *[s for s in sets if s.startswith("host.")])
    missed, summary = read(*drive, cache, *sets)
    return (missed - hit) * READS / summary["ftl"]["map"]["misses"], summary


def host_read(pages=1, propagation=150 * NS, move=50 * NS):
    """docs/hmb.md: the mover, the first request of 24 bytes, the root complex, completions of 256
    bytes with 20 more each, on a link of 4 lanes at 8 GT/s; and 5 ns of the SRAM."""
    rate = 4 * 1e9 * 128 / 130
    return move + 24 / rate + 300 * NS + pages * (PAGE + 16 * 20) / rate + 2 * propagation + 5 * NS


def check_latency():
    host = "ftl.map_memory=hmb"
    time, summary = per_miss(host)
    assert hmb(summary)["hits"] == summary["ftl"]["map"]["misses"]
    assert summary["flash"]["by_purpose"]["map"]["reads"] == 0
    near("from the host", time, host_read(), 0.015)
    time, _ = per_miss(host, "host.pcie.propagation=2us")
    near("... far away", time, host_read(propagation=2000 * NS), 0.01)
    # The flash page that is looked up comes before the rest of its segment.
    time, summary = per_miss(host, drive=SEGMENTS, cache=TWO)
    assert hmb(summary)["hits"] > 10 * summary["ftl"]["map"]["misses"]
    assert summary["flash"]["by_purpose"]["map"]["reads"] == 0
    near("from the host, a segment", time, host_read(pages=4), 0.01)
    flash, summary = per_miss("ftl.map_memory=sram")
    parts = summary["host"]["read"]["parts_ns"]  # of the data, as large as a map page
    of_data = sum(parts[p] for p in ("array", "bus", "ecc")) * NS
    near("from the flash", flash, of_data, 0.01)
    dram, summary = per_miss("ftl.map_memory=dram")
    # The page's way into memory: half of that of the data, which also leave it.
    near("DRAM beyond SRAM", dram - flash,
         summary["host"]["read"]["parts_ns"]["dram"] / 2 * NS, 0.25)


# ---- Under load ----

def check_misses():
    """Random writes to a full drive, next to none of which finds its entry in the table: for each
    at most two reads of a map page, for the entry and for one that leaves, and one write. What
    collection moves is part of that."""
    for memory in ("dram", "hmb"):
        summary = measured("precondition.overwrite=1", f"ftl.map_memory={memory}",
                           "ftl.map_cache=16KiB", "workload.0.queue_depth=32",
                           "run.requests=6000", workload="workload/random-write")
        misses = summary["ftl"]["map"]["misses"]
        flash = summary["flash"]["by_purpose"]["map"]
        reads = flash["reads"] + (hmb(summary)["hits"] if memory == "hmb" else 0)
        written = flash["bytes_programmed"] / PAGE
        print(f"{memory}: {misses} misses, {reads} map pages read, {written} written")
        assert summary["ftl"]["gc"]["runs"] > 3 and misses > 5000
        assert reads <= 2 * misses and written <= misses


LOAD = ("ftl.map_memory=hmb", SMALL, "workload.0.queue_depth=16", "workload.0.read_fraction=0.5",
        "run.requests=8000")


def loaded(*sets):
    return measured(*LOAD, *sets, workload="workload/random-write")


def check_removal():
    """Without its memory the drive is as slow as with SRAM alone, and loses nothing."""
    def rate(summary):
        return summary["host"]["read"]["iops"]
    lent = loaded()
    assert hmb(lent)["pages"] == 103 and hmb(lent)["damaged"] == 0
    none = loaded("host.nvme.hmb.size=0B")
    assert hmb(none)["pages"] == hmb(none)["hits"] == 0
    assert rate(none) < 0.8 * rate(lent)
    gone = loaded("host.nvme.hmb.away=20ms")
    assert hmb(gone)["pages"] == 0 and 0 < hmb(gone)["hits"] < hmb(lent)["hits"]
    assert rate(none) < rate(gone) < rate(lent)
    back = loaded("host.nvme.hmb.away=20ms", "host.nvme.hmb.back=5ms")
    assert hmb(back)["pages"] == 103 and rate(gone) < rate(back) < rate(lent)
    few = loaded("ftl.hmb.preferred=128KiB")  # 32 of 103 map pages
    assert hmb(few)["pages"] == 32 and hmb(few)["hits"] < 0.6 * hmb(lent)["hits"]
    over = loaded("host.nvme.hmb.overwrite=20ms")
    assert 0 < hmb(over)["damaged"] <= 103  # each page once
    pages = loaded("host.nvme.hmb.chunk=16KiB", "ftl.scheme=log_set", "ftl.map_cache=256KiB")
    assert hmb(pages)["hits"] > 0 and hmb(pages)["pages"] == 103  # 26 descriptors


def check_segments():
    """The same of a map in segments: swaps that only read take a fraction of the time, those that
    also write a segment hardly less."""
    drive = (*SEGMENTS, TWO)
    reads = (*drive, "workload.0.read_fraction=1")
    lent, none = loaded(*reads), loaded(*reads, "host.nvme.hmb.size=0B")
    assert hmb(lent)["pages"] == 103 and hmb(none)["pages"] == hmb(none)["hits"] == 0
    assert lent["flash"]["by_purpose"]["map"]["reads"] == 26  # flash pages, each once
    assert none["host"]["read"]["iops"] < 0.5 * lent["host"]["read"]["iops"]
    gone = loaded(*drive, "host.nvme.hmb.away=20ms")
    assert hmb(gone)["pages"] == 0 and 0 < hmb(gone)["hits"] < 2000
    over = loaded(*drive, "host.nvme.hmb.overwrite=20ms")
    assert hmb(over)["hits"] > 5000 and 0 < hmb(over)["damaged"] <= 103


def check_cores():
    """Each role has a core: map and front end are not of the same one."""
    apart = loaded("cpu.cores=3", "host.nvme.hmb.away=20ms", "host.nvme.hmb.back=5ms",
                   "host.nvme.hmb.overwrite=60ms")
    assert hmb(apart)["pages"] == 103 and hmb(apart)["hits"] > 4000
    assert 0 < hmb(apart)["damaged"] <= 103


def check_cuts():
    """Power goes ten times; what the host's memory holds then counts for nothing."""
    times = ",".join(f"{25 * (n + 1)}ms" for n in range(10))
    for drive in (["ftl.scheme=dftl"], ["ftl.scheme=log_set"],
                  ["ftl.scheme=dftl", "cpu.cores=3"], SEGMENTS):
        summary = loaded(f"power.cut.at=[{times}]", "ftl.map_cache=256KiB",
                         "workload.0.flush_every=16", *drive)
        assert summary["power"]["cuts"] == 10
        assert hmb(summary)["hits"] > 0 and hmb(summary)["damaged"] == 0


if __name__ == "__main__":
    globals()[f"check_{sys.argv[2]}"]()
