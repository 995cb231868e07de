#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The claims of scripts/reproduce vm-map: each is refuted by doctored results. What the paper
prints, the load that is fitted to it, and collection by itself, by hand.

Usage: vm_map_claims_test.py ROOT"""
import pathlib
import sys

import doctored
from doctored import result


def check_paper():
    """What the paper prints, and what follows from it; no claim needs a run for that."""
    from reproduction import vm_map, vm_model
    paper, h = vm_model.paper_counts(), vm_model.HOST_PAGES
    assert vm_model.PROGRAMS[128] - vm_model.READS[128] == h, "100 GiB, a program for each read"
    assert [round(paper[5].reads * h), round(paper[2].programs * h)] == [5558623523, 9460930352]
    assert round(100 * (1 - paper[5].reads / paper[1].reads), 2) == vm_model.BETTER[640][0]
    assert abs(paper[2].erases * h - 73876557) < 10
    rest = [vm_model.PROGRAMS[kib] - 128 * vm_model.ERASES[kib] for kib in vm_model.ERASES]
    assert all(0 < r < 0.001 * vm_model.PROGRAMS[640] for r in rest), "128 programs per erase"
    erases = vm_model.ERASES[128] / vm_model.ERASES[640]
    assert abs(vm_model.TIME_FACTOR - erases) < 0.002, "its time follows its erases"
    swaps = vm_model.implied_swaps()
    assert (round(swaps[1], 5), round(swaps[2], 5), swaps[5]) == (0.43263, 0.28293, 0)
    # R = H (g + 128 s), rounded to pages: the prediction for 1 to 5 segments.
    reads = [round(vm_model.predicted(paper[5].reads, vm_map.swap_rate(k)).reads * h)
             for k in range(1, 6)]
    assert reads == [16296041763, 13611687203, 10927332643, 8242978083, 5558623523], reads
    assert vm_model.drive_pages(0.015) == 161_382


def check_load():
    from reproduction import segment_load, vm_fitted, vm_map, vm_model
    from reproduction.segment_load import Load, lru_misses, missing
    # Shares 1/2, 1/4, 1/4, two slots: 2 x 1/16 with the first on top, 2 x 1/24 with it below, and
    # 2 x 1/24 without it.
    assert abs(missing((0.5, 0.25, 0.25), 1) - 0.625) < 1e-12
    assert abs(missing((0.5, 0.25, 0.25), 2) - 7 / 24) < 1e-12
    assert missing((0.5, 0.25, 0.25), 3) == 0
    even = segment_load.uniform(5 * 64, 64)
    assert all(abs(even.swaps(k) - vm_map.swap_rate(k)) < 1e-12 for k in range(1, 6))
    assert abs(Load(0.2, 0.25, 320, 64).swaps(2) - 0.75 * 0.6) < 1e-12
    assert Load(0.4, 0, 100, 40).shares() == [0.4, 0.6 * 40 / 60, 0.6 * 20 / 60], "a short one"
    chosen, implied = vm_fitted.load(), vm_model.implied_swaps()
    assert all(abs(chosen.swaps(k) - implied[k]) < 1e-9 for k in (1, 2)), chosen
    assert 0.2 < chosen.hot < 0.9 and 0 < chosen.stay < 0.9
    # Segments of 16 pages: every second one evicts; one of five hits; all of three in two slots.
    for pages, slots, misses in (((0, 16, 0, 16), 1, 4), ((0, 16, 0, 32, 16), 2, 4),
                                 ((0, 16, 32, 0, 16, 32), 2, 6), ((0, 1, 15), 1, 1)):
        assert lru_misses(pages, 16, slots, 0) == misses, pages
    assert lru_misses((0, 16, 0, 16), 16, 1, 3) == 1, "those before are not counted"
    load = Load(0.5, 0.4, 330, 64)
    pages = list(segment_load.pages_of(load, 40_000, 3))
    assert pages == list(segment_load.pages_of(load, 40_000, 3)) and max(pages) == 329
    for slots in (1, 2):
        assert abs(lru_misses(pages, 64, slots, 0) / 40_000 / load.swaps(slots) - 1) < 0.03
    lines = [(r.time_ns, r.sector, r.sectors, r.op) for r in segment_load.records((7, 3))]
    assert lines == [(0, 14, 2, 0), (1, 6, 2, 0)], "pages of two sectors, written in order"


def check_greedy():
    """Blocks of two pages, four units, all full but the last; 0 and 1 are written, 2 twice, 0."""
    from reproduction import greedy
    for streams, blocks, where in ((1, 4, 0), (2, 5, 1)):
        collector = greedy.Collector(greedy.Drive(blocks, 2, 4, streams, 1))
        for unit in range(4):
            collector.put(unit, 0)
        copied = []
        for unit in (0, 1, 2, 2, 0):
            collector.write(unit)
            copied.append(collector.copies)
        # The block of 0 and 1 is empty when the third write needs room; 2 and 3 leave 3 behind.
        assert copied == [0, 0, 0, 0, 1], copied
        assert collector.place[3] // 2 == where, "with the host's, or in a block of copies"
        assert sum(collector.valid) == 4
    few, more = (greedy.copies(greedy.Drive(n, 16, 480, 1, 1), 500, 2000, 1) for n in (33, 35))
    assert few > 1.5 * more, "what more spare blocks save"
    apart = greedy.copies(greedy.Drive(33, 16, 480, 2, 1), 500, 2000, 1)
    erased = greedy.copies(greedy.Drive(34, 16, 480, 1, 2), 500, 2000, 1)
    assert few < apart and 0.9 < erased / few < 1.1, "an erased block more takes a spare one"


HOST = 1_000_000


def run(count, swaps, time):
    entry = result(1, flash={**{key: value * HOST for key, value in count._asdict().items()},
                             "by_purpose": {"gc": {"reads": 53 * HOST}}},
                   ftl={"map": {"misses": swaps * HOST}}, sim={"simulated_ns": time * HOST})
    entry.summary["host"]["write"]["bytes"] = HOST * 1024
    return entry


def drives(swaps, copies):
    from reproduction import vm_model
    counts = {k: vm_model.predicted(copies, swaps(k)) for k in range(1, 6)}
    return {k: run(count, swaps(k), count.erases) for k, count in counts.items()}


def changed(k, **changes):
    """A doctor: flash operations, misses or time of the run with k segments, by a factor."""
    def change(measured):
        summary = measured[k].summary
        for name, factor in changes.items():
            at, key = {"time": (summary["sim"], "simulated_ns"),
                       "misses": (summary["ftl"]["map"], "misses")}.get(
                           name, (summary["flash"], name))
            at[key] *= factor
    return change


def check_uniform():
    from reproduction import vm_map, vm_model

    def build():
        return drives(vm_map.swap_rate, 53)
    assert vm_model.factor(build()) == vm_model.HOST_PAGES / HOST
    doctored.check(build, vm_map.identity_claims, {
        "volume": changed(3, reads=0.99), "blocks": changed(3, erases=1.03)})
    doctored.check(build, vm_map.swap_claims, {
        "swaps": changed(2, misses=1.05), "model": changed(2, reads=1.06)})
    verdicts = {c.name: c.check.holds for c in vm_map.dram_claims(build())}
    assert verdicts == {"DRAM, uniform writes": False, "80 % less DRAM, uniform writes": False,
                        "time": True}, "uniform writes give other percentages than the paper's"
    doctored.check(as_paper, vm_map.dram_claims, {
        "DRAM, uniform writes": changed(5, reads=1.2),
        "80 % less DRAM, uniform writes": changed(1, time=1.2), "time": changed(1, time=1.06)})


def as_paper():
    from reproduction import vm_fitted, vm_model
    return drives(vm_fitted.load().swaps, vm_model.paper_counts()[5].reads)


def check_fitted(count=2000):
    from reproduction import claims, segment_load, vm_fitted, vm_model
    # As LRU counts these writes: a thousandth of the million that the results are scaled to.
    pages = vm_fitted.pages(vm_model.WARMUP + count)

    def build():
        measured = as_paper()
        for k, entry in measured.items():
            entry.summary["host"]["write"]["bytes"] = count * 1024
            for part in (entry.summary["flash"], entry.summary["sim"]):
                for key in ("reads", "programs", "erases", "simulated_ns"):
                    if key in part:
                        part[key] *= count / HOST
            entry.summary["ftl"]["map"]["misses"] = segment_load.lru_misses(
                pages, vm_model.SEGMENT_PAGES, k, vm_model.WARMUP)
        return measured
    saved, rows = ["256 KiB of DRAM"], [f"figure {n}: {what}" for n, what in
                                         ((7, "reads"), (8, "programs"), (9, "erases"))]
    few = {c.name: c.check.holds for c in vm_fitted.all_of_them(build())}
    assert [name for name, holds in few.items() if holds is None] == saved, few
    doctored.check(build, vm_fitted.fit_claims, {
        "fit": changed(1, misses=1.2), "swaps, counted": changed(2, misses=1.1),
        "model, fitted": changed(2, reads=1.06)})
    doctors = dict(zip(rows, (changed(2, reads=1.06), changed(1, programs=0.94),
                              changed(5, erases=1.06))))
    doctored.check(as_paper, vm_fitted.row_claims, doctors)
    doctored.check(as_paper, vm_fitted.saving_claims, {
        "256 KiB of DRAM": changed(2, reads=1.03), "640 KiB of DRAM": changed(5, erases=1.12),
        "80 % less DRAM": changed(1, time=1.06)})
    one, other = claims.at_least(2, 1, "x"), claims.at_least(0, 1, "x")
    for check in (one, other):
        assert vm_fitted.told(as_paper(), 0.1, 1, check).holds is None, "chance is more than that"
        assert vm_fitted.told(as_paper(), 1, 1, check).holds is check.holds
    doctored.check(lambda: {name: as_paper() for name in vm_fitted.ALTERNATIVES},
                   vm_fitted.setting_claims, {"factor, other times of the part":
                       lambda results: changed(1, time=1.02)(results[vm_fitted.TIMES_ONLY])})


def check_collection():
    from reproduction import vm_collection as collection
    paper = {case: 61.0 if case[1] == collection.PRESET else 53.5 for case in collection.CASES}
    assert {case[0] for case in collection.QUICK} == {"vm_map", "page_map"}
    assert set(collection.QUICK) <= set(collection.CASES)
    spare = [collection.drive((scheme, 0.015), 1, 1).spare() for scheme in ("vm_map", "page_map")]
    assert [round(s, 1) for s in spare] == [8.2, 11.2], spare

    def build():
        return {"measured": dict(paper), "model": dict(paper),
                "steps": collection.Steps(53.4, 56.0, 60.0)}

    def judge(found):
        return collection.claims_of(found["measured"], found["model"], found["steps"])

    def copying(scheme, share, copies):
        def change(found):
            found["measured"][scheme, share] = copies
        return change
    for scheme in ("vm_map", "page_map"):
        doctored.check(build, judge, {
            "copies, greedy by itself": lambda found: found.update(
                steps=collection.Steps(56, 57, 60)),
            "copies, firmware": copying(scheme, collection.PRESET, 66),
            "copies, more spare blocks": copying(scheme, collection.LIKE_PAPER[scheme], 50)})


def main():
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "papers"))
    for check in (check_paper, check_load, check_greedy, check_uniform, check_fitted,
                  check_collection):
        check()
    return 0


if __name__ == "__main__":
    sys.exit(main())
