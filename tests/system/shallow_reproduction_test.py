#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The code behind scripts/reproduce shallow-write: its claims on doctored results, and its
surrogate traffic.

Usage: shallow_reproduction_test.py ROOT SSDVP claims|traffic"""
import argparse
import os
import pathlib
import sys
import tempfile

import doctored


def result(response_us, erases=100, shallow=0, **more):
    """A run whose requests take the same time; `more`: rewritten, late, wrong, hits, nand."""
    from reproduction.runs import Result

    def kind():
        return {"requests": 10, "bytes": 1 << 20, "latency_ns": {"mean": response_us * 1e3}}

    hits = more.get("hits", 10)
    cache = {f"{k}_{w}": hits if w == "hits" else 100 - hits
             for k in ("read", "write") for w in ("hits", "misses")}
    retention = {"shallow_pages": shallow, "rewritten_units": more.get("rewritten", 0),
                 "late": more.get("late", 0)}
    return Result({
        "host": {"read": kind(), "write": kind()}, "cache": cache,
        "flash": {"erases": erases}, "ftl": {"write_amplification": 1.0, "retention": retention},
        "energy_j": {"nand": {"array_program": more.get("nand", 1e-3)}},
        "integrity": {"sectors_checked": 5, "total_mismatches": more.get("wrong", 0)}}, {})


def matrix(slower, more_erases, size_hits=None):
    """All 96 runs: with shallow writes `slower` times the response, `more_erases` times the
    erases."""
    from reproduction import shallow_write
    hits = size_hits or {16: 10, 32: 20, 64: 30, 128: 40}
    measured = {}
    for case in shallow_write.cases(quick=False):
        factor, count = (slower(case), more_erases(case)) if case.shallow else (1.0, 1.0)
        erased = 0 if (case.volume, case.mib) == ("mds_0", 128) else 100
        measured[case] = result(1000 * factor, erased * count, 7 if case.shallow else 0,
                                hits=hits[case.mib])
    return measured


def as_told():
    """The paper's 96 runs, as it tells of them."""
    def slower(case):
        return 0.9 if case.volume == "prn_0" else {16: 1.5, 128: 1.98}.get(case.mib, 1.3)
    return matrix(slower, lambda case: 1.798 if case.mib == 128 else 1.4)


def check_policy_claims():
    from reproduction import claims, shallow_claims
    good = as_told()
    assert len(good) == 96
    mds = next(c for c in good if (c.volume, c.mib, c.shallow) == ("mds_0", 128, False))
    hm_16, hm_128 = (next(c for c in good if (c.volume, c.mib, c.shallow) == ("hm_0", mib, True))
                     for mib in (16, 128))

    def putting(case, *values, **more):
        def doctor(measured):
            measured[case] = result(*values, **more)
        return doctor

    def longest(measured):
        for case in measured:
            if case.mib == 128 and case.shallow:
                measured[case] = result(1800, 150, 7)
    doctored.check(as_told, shallow_claims.paper_claims, {
        "responses": putting(hm_16._replace(mib=64), 990, 100, 7),
        "responses, 16 MiB": putting(hm_16, 1110, 140, 7),    # 11 % where 21.6 is the least
        "responses, 128 MiB": putting(hm_128, 2090, 179, 7),  # 109 % where 98 is the most
        "erases, 16 MiB": putting(hm_16, 1500, 103, 7),
        "erases, 128 MiB": putting(hm_128, 1980, 190, 7),
        "responses, at worst": longest, "erases, at worst": longest,
        "erases of mds0, 128 MiB": putting(mds, 1000, 5)})
    doctored.check(as_told, shallow_claims.own_claims, {
        "data": putting(hm_128, 1, shallow=7, hits=40, wrong=1),
        "deadlines": putting(hm_128, 1, shallow=7, hits=40, late=1),
        "shallow programs": putting(mds, 1, shallow=1, hits=40),
        "stalls": putting(hm_128._replace(shallow=False), 1500, hits=40),
        "hits": putting(hm_128._replace(shallow=False), 1000, hits=5)})
    only = {**good, mds._replace(shallow=True): result(1000, 5, 7, hits=40)}
    assert shallow_claims.from_none(only) == 1
    assert "; 1 cases erase" in shallow_claims.worst_claims(only)[1].measured
    assert shallow_claims.more_percent(shallow_claims.erases, result(1, 0), result(1, 0)) == 0
    new = {case: result(1000, 0, entry.summary["ftl"]["retention"]["shallow_pages"])
           for case, entry in good.items()}
    told = [c for c in shallow_claims.paper_claims(new) if c.name.startswith("erases")]
    assert len(told) == 4 and {c.verdict for c in told} == {claims.UNTESTED}, "nothing is erased"
    # Its traffic and times are open: whatever is measured, nothing of it is binding.
    bad = shallow_claims.paper_claims(matrix(lambda case: 0.8, lambda case: 0.9))
    assert not any(claim.fails for claim in bad)


def point(survivors, speed_up=2.33, array=None, slower=1.5):
    """A run of the sweep over limits. `array`: us of array time per page."""
    from reproduction import shallow_claims as claims
    host, moved, collected = 100000, round(100000 * survivors), 50
    us = claims.cost_us(speed_up, moved / host) if array is None else array
    # Programs of the arrays: all but what reads of the rewriting took.
    seconds = (host * us + collected * 900 - moved * 500) / 1e6
    entry = result(1000 * slower, nand=0)
    entry.summary["energy_j"]["nand"] = {"array_program": seconds / 1000}
    entry.summary["flash"]["by_purpose"] = {
        "host": {"programs": host, "reads": 7}, "gc": {"programs": collected, "reads": 50},
        "refresh": {"programs": moved, "reads": moved}}
    return claims.Point("hm_0", speed_up, survivors, entry, result(1000))


def check_break_even():
    """Known limits: p < 0.367 (t_R 500 us) and 0.541 (50 us) at 2.33, 0.438 at 1.86 and 50 us."""
    from reproduction import shallow_claims as claims
    assert [round(claims.break_even(*at), 3) for at in ((2.33, 500), (2.33, 50), (1.86, 50))] == [
        0.367, 0.541, 0.438]
    p = claims.break_even(2.33)
    assert abs(claims.cost_us(2.33, p) - 900) < 1e-9 and claims.cost_us(2.33, 0.5) > 900

    def build():
        return [point(0.1), point(0.3), point(0.5), point(0.2, 1.86), point(0.6, 1.86)]
    assert all(abs(p.array_us() - p.formula_us()) < 1e-6 for p in build())
    assert build()[0].slower() == 1.5

    def adding(*more):
        return lambda points: points.extend(more)

    def first(speed_up):
        def doctor(points):
            points[:] = [p for p in points if p.speed_up != speed_up]
            points.append(point(0.1, speed_up, slower=0.9))
        return doctor
    doctored.check(build, claims.limit_claims, {
        "cost of a page": adding(point(0.2, array=630)),  # 666 by the formula, with 0.045 to spare
        "break-even": adding(point(0.2, array=950)),      # dearer than deep, below p*
        "shortest limit, speed-up 1.86": first(1.86), "shortest limit, speed-up 2.33": first(2.33)})
    near = claims.limit_claims([*build(), point(0.36, array=901)])[1]
    assert near.check.holds and "1 within" in near.measured, "which side is chance there"


def check_machine_claims():
    from reproduction import shallow_machine as machine

    def build():
        return {key: result(1050 if case.shallow else 1000, 130 if case.shallow else 100)
                for key, case in machine.cases()}
    key = ("half full", "prn_0", True)

    def putting(us, erases):
        def doctor(measured):
            measured[key] = result(us, erases)
        return doctor
    assert len(build()) == 4 * len(machine.CHOICES)
    doctored.check(build, machine.machine_claims, {
        "open choices: erases": putting(1050, 99),
        "open choices: responses": putting(1217, 130)})


def check_other_claims():
    from reproduction import shallow_claims as claims
    case = claims.Case("hm_0", "wo_lru", 16, True)
    deep = case._replace(shallow=False)

    def putting(key, us, **more):
        def doctor(measured):
            measured[key] = result(us, **more)
        return doctor

    def by_read():
        return {(deep, 50): result(100), (deep, 500): result(1000),
                (case, 50): result(112), (case, 500): result(1100)}
    doctored.check(by_read, claims.read_claims, {"time of a read": putting((case, 50), 130)})

    def by_load():
        measured = {(deep, pace): result(100) for pace in (0.5, 1.0)}
        measured.update({(case, 0.5): result(101), (case, 1.0): result(150)})
        for pace in (0.5, 1.0):
            measured[deep, pace].summary["channels"] = [{"busy": 0.1}, {"busy": 0.3}]
        return measured
    assert "20% busy: 1.50" in claims.load_claims(by_load())[0].measured
    doctored.check(by_load, claims.load_claims, {"load": putting((case, 1.0), 100)})

    def chosen():
        us = {"deep": 1000, "all": 1500, "small_requests": 1100, "predicted": 950}
        return {(deep if k == "deep" else case, k): result(v, nand=v / 1e6) for k, v in us.items()}
    doctored.check(chosen, claims.predicted_claims, {
        "prediction of lifetimes": putting((case, "predicted"), 1060, nand=9e-4),
        "`predicted`": putting((case, "predicted"), 1560, nand=9e-4),
        "`small_requests`": putting((case, "small_requests"), 990),
        "energy": putting((case, "predicted"), 950, nand=1.1e-3)})


def check_surrogates():
    from reproduction import surrogate
    drive = 1 << 30
    paper = {"hm_0": (32.73, 14.74, 16.67), "mds_0": (30.65, 47.42, 14.48),
             "proj_0": (5.85, 35.68, 81.83), "prn_0": (22.21, 45.67, 23.31)}
    for volume in surrogate.VOLUMES.values():
        made = list(surrogate.made(volume, 20000, drive, surrogate.zipf(volume)))
        reads = [r for r in made if r.read]
        writes = [r for r in made if not r.read]
        share, read_size, write_size = paper[volume.name]
        assert abs(100 * len(reads) / len(made) - share) < 1
        assert abs(sum(r.sectors for r in reads) / len(reads) / read_size - 1) < 0.06
        assert abs(sum(r.sectors for r in writes) / len(writes) / write_size - 1) < 0.03
        assert all(0 <= r.sector and (r.sector + r.sectors) * 512 <= drive for r in made)
        times = [r.time_ns for r in made]
        assert times == sorted(times)
        assert abs(times[-1] / 1e9 * volume.rate / len(made) - 1) < 0.2
        touched = volume.footprint * 2048 + surrogate.LONGEST * surrogate.UNIT
        assert all(r.sector + r.sectors <= touched for r in writes), "writes within the footprint"
        again = surrogate.made(volume, 20000, drive, surrogate.zipf(volume))
        assert list(again) == made, "the same traffic each time"
    hot = surrogate.zipf(surrogate.VOLUMES["hm_0"])
    # A buffer of 16 MiB holds the most popular 4096 units, two to a slot; the histogram of hm_0
    # has 76 % of its writes there and 92 % in 128 MiB.
    share = [hot.cumulative[n - 1] / hot.cumulative[-1] for n in (2048, 16384)]
    assert abs(share[0] - 0.76) < 0.05 and abs(share[1] - 0.92) < 0.03, share


def check_histograms():
    from reproduction import surrogate
    volume = surrogate.VOLUMES["mds_0"]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        assert isinstance(surrogate.places_of(volume, path).draw(0.5), int)  # none there: zipf
        (path / "mds_0-write-offsets.csv").write_text(
            "LBA,Frequency\n81920,6\n4096,1\n8192,2\n82432,1\n", encoding="ascii")
        places = surrogate.places_of(volume, path)
        # Units 1, 2 and 20 become 0, 1 and 2; the last has two offsets.
        assert [places.draw(c) for c in (0.0, 0.09, 0.11, 0.29, 0.31, 0.99)] == [0, 0, 1, 1, 2, 2]


def check_msr():
    """Real traces: compressed to the rate of the surrogate, cut to so many requests."""
    from reproduction import shallow_write, surrogate
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        for name in surrogate.VOLUMES:
            begin = 128166372000000000
            lines = [f"{begin + 10_000_000 * i},{name[:-2]},0,Write,{4096 * i},4096,1\n"
                     for i in range(11)]
            (path / f"{name}.csv").write_text("".join(lines), encoding="ascii")
        assert surrogate.span(path / "hm_0.csv", 100)[2] == 11
        options = argparse.Namespace(msr=path, histograms=None, divisor=1, results={})
        traffic = shallow_write.Traffic(path / "out", options)
        sets = dict(s.split("=") for s in traffic.sets("hm_0"))
        assert sets["run.requests"] == "11" and sets["workload.format"] == "msr"
        # 10 s become 11 / 2000 s at the surrogate's rate.
        rate = surrogate.VOLUMES["hm_0"].rate
        assert abs(traffic.duration("hm_0") - 11 / rate) < 1e-9
        assert abs(float(sets["workload.scale"]) - 11 / rate / 10) < 1e-6
        (path / "prn_0.csv").unlink()
        try:
            shallow_write.Traffic(path / "out", options)
        except SystemExit as told:
            assert "has no prn_0.csv" in str(told)
        else:
            raise AssertionError("a missing trace was not told")


def check_settings():
    from reproduction import shallow_write
    options = argparse.Namespace(msr=None, histograms=None, divisor=400, results={})
    with tempfile.TemporaryDirectory() as folder:
        traffic = shallow_write.Traffic(pathlib.Path(folder), options)
        run = traffic.duration("hm_0")
        fast = dict(s.split("=") for s in traffic.shallow("hm_0", shallow_write.Setting(), 1.0))
        assert fast["nand.shallow.retention"] == "1209600s"  # two weeks ...
        # ... pass in an eighth of the run.
        assert abs(1209600 / float(fast["nand.retention_speed"]) / (run / 8) - 1) < 1e-4
        slow = dict(s.split("=") for s in traffic.shallow("hm_0", shallow_write.Setting(
            speed_up=1.86), 1.0))
        assert slow["nand.shallow.retention"] == "6048000s"
        assert slow["nand.retention_speed"] == fast["nand.retention_speed"]
        # Twice the pace: half the time, and the same share of it.
        assert traffic.sets("hm_0") == () and "workload.scale=0.500000000" in traffic.sets(
            "hm_0", 2.0)
        twice = dict(s.split("=") for s in traffic.shallow("hm_0", shallow_write.Setting(), 2.0))
        assert abs(float(twice["nand.retention_speed"]) / float(fast["nand.retention_speed"]) -
                   2) < 1e-4


def main():
    root, ssdvp, case = sys.argv[1:]
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(pathlib.Path(root) / "papers"))
    os.environ["SSDVP"] = ssdvp
    checks = {"claims": (check_policy_claims, check_break_even, check_machine_claims,
                         check_other_claims),
              "traffic": (check_surrogates, check_histograms, check_msr, check_settings)}
    for check in checks[case]:
        check()
    return 0


if __name__ == "__main__":
    sys.exit(main())
