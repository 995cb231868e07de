#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The claims of scripts/reproduce log-set, and of the static orders of placement: each is refuted
by doctored results. The model of the log of validity, by hand.

Usage: log_set_claims_test.py ROOT"""
import pathlib
import sys

import doctored
from doctored import bars, putting, result


def check_figure_9():
    from reproduction import log_set
    assert [round(log_set.cost(t), 1) for t in ("conventional SLC", "ONFI MLC")] == [125.6, 107.7]

    def speeds():
        return bars(log_set.WORKLOADS, log_set.ARBITERS)
    doctored.check(speeds, log_set.type_claims, {
        "1. uniform": putting(("HCLRU", "ONFI SLC", "sequential"), 6.5),
        "2. ONFI SLC": putting(("LRU", "ONFI MLC", "sequential"), 17),
        "2. conventional MLC": putting(("LRU", "ONFI MLC", "sequential"), 3)})

    near = {key: value * (2.2 if key[0] == "uniform" else 1) for key, value in speeds().items()}
    assert log_set.type_claims(near)[0].fails, "0.55 on average is not far below"

    def both():
        return speeds(), {("uniform", t, c): v for c in log_set.ARBITERS for t, v in
                          (("conventional SLC", 2), ("ONFI MLC", 4))}
    doctored.check(both, lambda pair: log_set.winner_claims(*pair), {
        "3. conventional SLC against ONFI MLC":
            lambda pair: putting(("LRU", "ONFI MLC", "sequential"), 12)(pair[0]),
        "3. the other side":
            lambda pair: putting(("uniform", "ONFI MLC", "sequential"), 2.3)(pair[1])})

    def paged():
        return {key: value * 0.9 for key, value in speeds().items()}, speeds()

    def of_paged(key, value):
        return lambda pair: putting(key, value)(pair[0])
    doctored.check(paged, lambda pair: log_set.paged_claims(*pair), {
        "1. uniform, M paged": of_paged(("HCLRU", "ONFI SLC", "sequential"), 5.9),
        "2. ONFI SLC, M paged": of_paged(("LRU", "ONFI MLC", "sequential"), 16),
        "2. conventional MLC, M paged": of_paged(("LRU", "ONFI MLC", "sequential"), 3),
        "3. conventional SLC against ONFI MLC, M paged":
            of_paged(("LRU", "ONFI MLC", "sequential"), 12),
        "M below a buffer": of_paged(("LRU", "ONFI SLC", "sequential"), 16.4)})

    def checked():
        return [result(1, integrity={"sectors_checked": 9, "mismatches": 0}) for _ in range(2)]
    doctored.check(checked, lambda results: [log_set.check_claim(results)], {
        "6. data": doctored.setting(1, "integrity", "mismatches", value=1)})


def growing():
    """Uniform flat, LRU from 90 to 132 MB/s, HCLRU from 84 to 132."""
    from reproduction.log_set_machine import BUFFERS
    lines = {"uniform": (47, 47, 47.5, 48), "LRU": (90, 111, 127, 132),
             "HCLRU": (84, 105, 124, 132)}
    return {(w, kib): speed for w, line in lines.items() for kib, speed in zip(BUFFERS, line)}


def check_figure_10():
    from reproduction import log_set_buffer as buffer
    for panel in buffer.PANELS:
        mark = panel.mark
        doctored.check(growing, lambda sweep, p=panel: buffer.buffer_claims(sweep, p), {
            f"4. uniform over the buffer{mark}": putting(("uniform", 4096), 50),
            f"4. LRU and HCLRU over the buffer{mark}": putting(("LRU", 2048), 110),
            f"4. HCLRU{mark}": putting(("HCLRU", 4096), 122),  # less than LRU
            f"5. from 1 MB on{mark}": putting(("LRU", 1024), 79)})
    quick = [c.verdict for c in buffer.buffer_claims(growing(), buffer.PANELS[1], quick=True)]
    assert quick == ["cannot be tested", "holds", "cannot be tested", "cannot be tested"]
    assert [panel.drive(512).map_kib for panel in buffer.PANELS] == [0, 512, 0]
    much = growing()
    much["HCLRU", 512] = 70  # gains twice as much as LRU
    assert buffer.slightly_more(much).holds is False
    weak = {key: min(speed, 119) for key, speed in growing().items()}
    assert buffer.exceeds_buses(weak).holds is False, "the link is not approached"
    full = {key: max(speed, 130) for key, speed in growing().items()}
    assert buffer.slightly_more(full).holds is None, "the link hides the gain"


def check_locality():
    from reproduction import log_set_buffer as buffer

    def grid():
        """Claim 5 holds from exponent 1.2 on."""
        slow = {key: speed / 2 for key, speed in growing().items()}
        return {point: growing() if point[0] >= 1.2 else dict(slow) for point in
                buffer.points(quick=False)}

    def at(point, key, speed):
        def doctor(points):
            points[point][key] = speed
        return doctor
    doctored.check(grid, buffer.locality_claims, {
        "4. HCLRU over the grid": at(FIRM_POINT, ("HCLRU", 4096), 122),
        "5. over the grid": at(FIRM_POINT, ("LRU", 1024), 79),
        "5. more locality or more reads": at((1.4, 0.9), ("LRU", 1024), 79)})
    assert buffer.tell({(1.2, 0.5), (1.2, 0.7), (1.4, 0.9)}) == (
        "exponent 1.2: 50%, 70%; exponent 1.4: 90%")


FIRM_POINT = (1.2, 0.7)


def check_mapping():
    from reproduction import log_set_mapping as mapping
    small = {"page": 1.0, "block": 25.6, **dict(zip(mapping.HYBRID, (15.0, 7.0, 3.0)))}
    ram = {"page": 20 << 20, "block": 18 << 20, **dict.fromkeys(mapping.HYBRID, 19 << 20)}

    def build():
        return {(m, load): result(1, bytes_per_s=1e6 / (small[m] if load == mapping.SMALL else 1),
                                  geometry={"capacity_bytes": 900 << 20}, ftl={
                                      "ram_bytes": ram[m], "write_amplification":
                                      small[m] if load == mapping.SMALL else 1.0})
                for m in mapping.MAPPINGS for load in mapping.LOADS}

    def programs(m, load, value):
        return doctored.setting((m, load), "ftl", "write_amplification", value=value)
    doctored.check(build, mapping.merge_claims, {
        "block mapping: small writes": programs("block", mapping.SMALL, 29),
        "hybrid mapping: small writes": programs(mapping.HYBRID[1], mapping.SMALL, 14.5),
        "hybrid mapping: merges": programs(mapping.HYBRID[2], mapping.SMALL, 1.9),
        "whole blocks in order": programs("block", mapping.LARGE, 1.02)})
    doctored.check(build, lambda runs: [mapping.memory_claim(runs)], {
        "block mapping: memory": doctored.setting(("block", mapping.SMALL), "ftl", "ram_bytes",
                                                  value=(20 << 20) - 900_000)})


def check_validity():
    """Superblocks of two units, two of them for the host: units 0 and 1, then 0 twice more."""
    from reproduction import validity
    log = validity.Log(superblocks=4, size=2)
    log.places, log.units = [validity.Buffer(1, 2)], [validity.Buffer(1, 1)]
    for unit in (0, 1, 0, 0):  # at 0, 1, 2, 3: superblocks 0 and 1
        log.write(unit)
    # L has a page per superblock: 0 comes; 1 comes for place 2, 0 for the old place 0, 1 for 3.
    assert log.places[0].misses == 4
    assert log.units[0].misses == 3, "page 0, page 1, page 0 again"
    assert log.valid[0] == 1 and log.place == {0: 3, 1: 1}
    log.append(0)  # at 4, from 3: superblock 1 has nothing valid
    assert log.valid[1] == 0
    log.collect()
    assert log.moved == 0 and list(log.free) == [3, 1], "the victim costs no copy"
    log.collect()
    assert log.moved == 1 and log.place == {0: 4, 1: 5} and list(log.free) == [3, 1, 0]
    few = validity.steady(64, 16, 0.3, (8, 8), ((0.5, 1), (1,)))
    assert few.of_places[1] == few.of_units[1] == 0 < few.of_places[0.5] < 2
    assert few.amplification > validity.steady(64, 16, 0.5, (8, 8), ((1,), (1,))).amplification


def check_logs():
    from reproduction import log_set_logs as logs
    from reproduction.validity import Costs

    def drive(checkpoints=4, recovery=20):
        return result(1, flash={"by_purpose": {
            "host": {"programs": 10_000}, "gc": {"programs": 41_000}, "map": {"programs": 900},
            "recovery": {"programs": recovery}}}, ftl={"checkpoints": checkpoints})

    def both():
        return {"costs": [5.0, {logs.HALF: 0.27, 1: 0.0}, {logs.SAME_BYTES: 0.06}],
                "drive": drive()}

    def judge(pair):
        return logs.validity_claims(Costs(*pair["costs"]), pair["drive"])

    def cost(*path, value):
        def doctor(pair):
            at = pair["costs"]
            for step in path[:-1]:
                at = at[step]
            at[path[-1]] = value
        return doctor
    good = {claim.name: claim for claim in judge(both())}
    assert {claim.verdict for claim in good.values()} == {"holds"}
    for name, doctor in {"L: the model": cost(0, value=4.5),
                         "L: all of it in its buffer": cost(1, 1, value=0.02),
                         "L below a buffer": cost(1, logs.HALF, value=0.17)}.items():
        pair = both()
        doctor(pair)
        assert {c.name: c for c in judge(pair)}[name].verdict == "does not hold", name
    assert logs.L_PAGES == 512 and logs.M1_PAGES == 16384 and logs.SAME_BYTES == 1 - 1 / 64

    doctored.check(lambda: {i: drive() for i in logs.INTERVALS}, logs.checkpoint_claims, {
        "C: periodic": doctored.setting(32, "ftl", "checkpoints", value=0),
        "C: its programs": doctored.setting(16, "flash", "by_purpose", "recovery", "programs",
                                            value=201)})


def check_placement():
    from reproduction import placement
    assert len(placement.ORDERS) == 24
    # Pages 0 to 3: with CWDP two on each channel, with WDCP four on one; eight of it: four on each.
    assert [placement.on_one_bus(o, n) for o, n in (
        ("CWDP", 2), ("CWDP", 4), ("WDCP", 2), ("WDCP", 4), ("WDCP", 8), ("WDPC", 8))] == [
            1, 2, 2, 4, 4, 8]
    assert round(placement.predicted_us(placement.Case("WDPC", 4)), 1) == 127.4

    def build():
        return {c: result(1000 * placement.predicted_us(c) if c.kib and c.order != placement.STRIPE
                          else 1e6, 1e6, 8e6 if c.order == placement.STRIPE else 5e6)
                for c in placement.cases(quick=False)}

    def slower(order, kib, factor):
        def doctor(measured):
            case = placement.Case(order, kib)
            ns = 1000 * placement.predicted_us(case) * factor
            measured[case] = result(ns, ns)
        return doctor

    def reads_only(measured):
        for case in measured:
            if case.kib:
                entry = measured[case]
                del entry.summary["host"]["write"]
        return measured
    doctored.check(lambda: reads_only(build()), placement.claims, {
        "placement: reads in order": slower("PWDC", 16, 1.06),
        "placement: channel first": slower("CWDP", 4, 1.7),
        "placement: random writes": putting(placement.Case("CDWP", 0), result(1e6, 1e6, 9e6))})


def main():
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "papers"))
    for check in (check_figure_9, check_figure_10, check_locality, check_mapping, check_validity,
                  check_logs, check_placement):
        check()
    return 0


if __name__ == "__main__":
    sys.exit(main())
