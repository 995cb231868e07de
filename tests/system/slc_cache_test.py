#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The SLC cache of whole drives against closed formulas: the rate of a burst, its length, the rate
after it, and what the policies make of them. The shadow copy checks all data.

Usage: slc_cache_test.py SSDVP burst|length|after|drain|idle|copyback|regrown|full|taper
"""
import csv
import math
import pathlib
import sys
import tempfile

from measured import summary_of

SSDVP = sys.argv[1]
MIB = 1 << 20
SUPERBLOCK = 4 * 2 * 21 * 16384  # 2 x 2 LUNs, 2 planes, 21 of 64 pages
REQUEST = 128 * 1024
CACHE = 16 * SUPERBLOCK


def measured(requests, *sets, warmup=0, more=()):
    """Sequential writes of 128 KiB on a link that is no limit, to a fresh drive whose part programs
    in 200 us in SLC mode, in 700 us otherwise."""
    options = ["device/small", "workload/sequential-write"]
    for text in ("nand.slc_mode.tR=25us", "nand.slc_mode.tPROG=200us", "nand.slc_mode.tBERS=3ms",
                 "host.pcie.generation=4", "host.pcie.lanes=4", "cache.capacity=4MiB",
                 "cpu.core=flat", "cpu.instructions_per_call=20", "workload.0.queue_depth=32",
                 f"ftl.slc_cache.static={CACHE}B", f"run.warmup={warmup}",
                 f"run.requests={requests}", *sets):
        options += ["--set", text]
    summary = summary_of(SSDVP, [*options, *more])
    assert summary["integrity"]["total_mismatches"] == 0
    return summary


def series_sums(path):
    """Of the columns of the SLC cache; of gauges the last value."""
    with open(path, encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    sums = {name: sum(int(line[f"slc_{name}"]) for line in lines)
            for name in ("hits", "bypassed", "folded", "folds")}
    return sums, lines


def rate(summary):
    return summary["host"]["write"]["bytes_per_s"]


def cache_of(summary):
    return summary["ftl"]["slc_cache"]


def program_rate(tprog):
    """Two planes per tPROG on each of four LUNs, with the transfer before it and what passes until
    the next program is there, bytes per second."""
    transfer = 2 * (9296 * 3e-9 + 70e-9 + 8 * 25e-9) + 600e-9
    between = 17e-6
    return 4 * 2 * 16384 / (tprog + transfer + between)


def near(what, value, formula, tolerance):
    print(f"{what}: {value:.4g}, formula {formula:.4g}")
    assert abs(value - formula) <= tolerance * formula, what


def check_burst():
    """In the cache: min(link, rate of SLC programs)."""
    for tprog in (200, 400):
        summary = measured(200, f"nand.slc_mode.tPROG={tprog}us", warmup=60)
        assert cache_of(summary)["bypassed"] == 0
        near("rate in the cache", rate(summary), program_rate(tprog * 1e-6), 0.02)


def check_length():
    """Without a drain the burst is as long as the cache."""
    summary = measured(CACHE // REQUEST + 60)
    assert cache_of(summary)["superblocks"] == CACHE // SUPERBLOCK
    assert cache_of(summary)["free"] == 0
    near("length", cache_of(summary)["hits"] * 4096, CACHE, 1e-9)


def check_after():
    """After it: the rate of programs in the part's own mode."""
    summary = measured(150, warmup=CACHE // REQUEST + 100)
    assert cache_of(summary)["hits"] == 0
    near("rate after it", rate(summary), program_rate(700e-6), 0.02)


def check_drain():
    """Where each byte written drains d bytes the burst is 1 / (1 - d) times as long, less the
    superblocks that are being folded and filled. The rate is less: a byte folded takes a read in
    SLC mode and a program, too."""
    drain = 0.5
    policy = ("ftl.slc_cache.policy=watermark", "ftl.slc_cache.low=1",
              f"ftl.slc_cache.drain={drain}")
    within = cache_of(measured(int((CACHE - 2 * SUPERBLOCK) / (1 - drain) / REQUEST), *policy))
    beyond = cache_of(measured(int(CACHE / (1 - drain) / REQUEST), *policy))
    assert within["bypassed"] == 0 < beyond["bypassed"], (within, beyond)
    near("folded", within["folded"], drain * within["hits"], 0.15)


def check_idle():
    """What idle time has folded has room again, and each superblock has had an erase or two. The
    series tells of it as it happens."""
    pause = ("workload.0.queue_depth=default", "workload.0.rate=100/s", "ftl.slc_cache.idle=1ms")
    with tempfile.TemporaryDirectory() as folder:
        series = pathlib.Path(folder) / "series.csv"
        summary = measured(2 * CACHE // REQUEST, *pause, more=("--series", str(series)))
        sums, lines = series_sums(series)
    assert cache_of(summary)["bypassed"] == 0
    assert cache_of(summary)["folded"] > CACHE / 4096
    assert sums == {name: cache_of(summary)[name] for name in sums}, sums
    assert int(lines[-1]["slc_free"]) == cache_of(summary)["free"]
    assert int(lines[0]["slc_superblocks"]) == CACHE // SUPERBLOCK
    fold = summary["flash"]["by_purpose"]["fold"]
    assert sum(int(line["programmed_fold_bytes"]) for line in lines) == fold["bytes_programmed"]
    assert fold["bytes_programmed"] >= 4096 * cache_of(summary)["folded"]
    assert summary["flash"]["by_purpose"]["gc"]["programs"] == 0
    wear = cache_of(summary)["wear"]
    assert 1 <= wear["min"] <= wear["max"] <= wear["min"] + 1, wear
    assert summary["flash"]["erases"] > 0


def check_copyback():
    """Folds by copyback take the bus for spare bytes only: its share of the time falls."""
    pause = ("workload.0.queue_depth=default", "workload.0.rate=400/s", "ftl.slc_cache.idle=1ms",
             "nand.slc_mode.copyback=true")
    busy = []
    for way in ("false", "true"):
        summary = measured(CACHE // REQUEST, *pause, f"ftl.slc_cache.copyback={way}")
        assert cache_of(summary)["folded"] > CACHE / 4096 / 4
        copies = summary["flash"]["copybacks"]
        assert (copies > 0.9 * cache_of(summary)["folded"] / 4) == (way == "true"), copies
        busy.append(sum(channel["busy"] for channel in summary["channels"]))
    near("channels with copyback", busy[1] / busy[0], 1 / 3, 0.2)


def length_after(fill, cores=1):
    """Bytes that a burst finds room for in the dynamic part of a drive of which that share was
    written, and overwritten at random, after a second without a command; bytes of the share."""
    job = "[burst]\nfilename=/dev/drive\nrw=write\nbs=128k\niodepth=32\nstartdelay=1\n" \
          "number_ios=2600\n"
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "burst.fio").write_text(job)
        options = ["device/small", "--fio", f"{folder}/burst.fio"]
        for text in ("nand.slc_mode.tR=25us", "nand.slc_mode.tPROG=200us",
                     "nand.slc_mode.tBERS=3ms", "cpu.core=flat", "cpu.instructions_per_call=20",
                     "ftl.slc_cache.dynamic=1GiB", f"precondition.fill={fill}",
                     f"precondition.overwrite={1 if fill else 0}", f"cpu.cores={cores}"):
            options += ["--set", text]
        summary = summary_of(SSDVP, options)
    assert cache_of(summary)["bypassed"] > 0
    return cache_of(summary)["hits"] * 4096, fill * summary["geometry"]["capacity_bytes"]


def check_regrown():
    """A superblock of data leaves room for one of the cache, with a third of its pages. A tenth of
    it may be garbage, and five are open or kept free."""
    empty, _ = length_after(0)
    half, data = length_after(0.5)
    apart, _ = length_after(0.5, cores=3)  # nothing of the host wakes the core of the ftl role
    assert abs(apart - half) <= 3 * SUPERBLOCK
    taken = data * SUPERBLOCK / (4 * 2 * 64 * 16384)
    print(f"length: {half:.4g}, empty {empty:.4g}, of which data take {taken:.4g}")
    assert empty - taken / 0.9 - 5 * SUPERBLOCK <= half <= empty - taken + 2 * SUPERBLOCK


def check_full():
    """Space that the dynamic part has turned is what a full drive lacks: it comes back before
    anything is collected, also while the drive is filled and overwritten before the run. Else
    collection wears out superblocks that are full of data."""
    options = ["device/small"]
    for text in ("nand.slc_mode.tR=25us", "nand.slc_mode.tPROG=200us", "nand.slc_mode.tBERS=3ms",
                 "nand.pages_per_block=12", "nand.blocks_per_plane=40", "run.requests=10",
                 "ftl.slc_cache.dynamic=1MiB", "precondition.fill=1", "precondition.overwrite=0.1"):
        options += ["--set", text]
    wear = summary_of(SSDVP, options)["ftl"]["wear"]
    print(f"erases of a block: {wear['max']} at most, {wear['mean']} on average")
    assert wear["max"] <= 3


def check_taper():
    """With a mark of s the cache takes (1 - s) C, then s C (1 - exp(-w / s C)) of w bytes more. The
    rate falls in a slope: each byte has the rate of where it goes, at best. At worst LUNs, which
    get programs in turns, wait for the slowest of them: all four are fast with p ** 4."""
    def taken(written, share):
        past = written - (1 - share) * CACHE
        return written if past <= 0 else \
            (1 - share) * CACHE + share * CACHE * (1 - math.exp(-past / (share * CACHE)))

    def mixed(fast):
        return 1 / (fast / program_rate(200e-6) + (1 - fast) / program_rate(700e-6))

    small = ("ftl.slc_cache.policy=taper", "cache.capacity=1MiB")
    for share in (0.25, 1):
        cache = cache_of(measured(CACHE // REQUEST, *small, f"ftl.slc_cache.taper={share}"))
        near(f"taken, mark {share}", cache["hits"] * 4096, taken(CACHE, share), 0.05)
        assert cache["tapered"] == cache["bypassed"] > 0, cache
    rates = [program_rate(200e-6)]
    for eighth in (1, 3, 5):
        first, last = (n * CACHE // 8 for n in (eighth, eighth + 2))
        rates.append(rate(measured((last - first) // REQUEST, *small, "ftl.slc_cache.taper=1",
                                   warmup=first // REQUEST)))
        begin, end = first - MIB, last - MIB  # what is in the buffer is not on the flash
        fast = (taken(end, 1) - taken(begin, 1)) / (end - begin)
        print(f"rate from {eighth} / 8 on: {rates[-1]:.4g}, {mixed(fast ** 4):.4g} at least, "
              f"{mixed(fast):.4g} at most")
        assert 0.98 * mixed(fast ** 4) < rates[-1] < 1.02 * mixed(fast)
        assert rates[-1] < rates[-2]


CHECKS = {"burst": check_burst, "length": check_length, "after": check_after,
          "drain": check_drain, "idle": check_idle, "copyback": check_copyback,
          "regrown": check_regrown, "full": check_full, "taper": check_taper}
CHECKS[sys.argv[2]]()
