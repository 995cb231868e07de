#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The code behind scripts/reproduce shallow-write: its claims on results worked by hand, its
surrogate traffic, and the whole experiment in quick mode.

Usage: shallow_reproduction_test.py ROOT SSDVP claims|traffic|run
Without matplotlib, or in a version without shallow writes, `run` exits with 77: skipped."""
import argparse
import csv
import importlib.util
import os
import pathlib
import sys
import tempfile

SKIPPED = 77


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


def verdicts(claims):
    return [claim.verdict for claim in claims]


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


def check_policy_claims():
    from reproduction import shallow_claims

    def as_told(case):
        return 0.9 if case.volume == "prn_0" else {16: 1.5, 128: 1.98}.get(case.mib, 1.3)
    good = matrix(as_told, lambda case: 1.798 if case.mib == 128 else 1.4)
    assert len(good) == 96
    told = shallow_claims.paper_claims(good)
    assert verdicts(told) == ["yes"] * 8, [(c.paper, c.measured) for c in told]
    assert told[5].measured == "98.0 %" and told[6].measured.startswith(
        "79.8 %; 0 cases")
    assert verdicts(shallow_claims.own_claims(good)) == ["yes"] * 4
    # Shallow writes that pay: no claim of the paper holds, none is binding.
    bad = shallow_claims.paper_claims(matrix(lambda case: 0.8, lambda case: 0.9))
    assert verdicts(bad) == ["no, see there"] * 7 + ["yes"]
    case = next(c for c in good if c.volume == "mds_0" and c.mib == 128 and not c.shallow)
    assert not shallow_claims.paper_claims({**good, case: result(1000, 5)})[-1].holds
    shallow = case._replace(shallow=True)
    only = {**good, shallow: result(1000, 5, 7, hits=40)}
    assert shallow_claims.from_none(only) == 1
    assert shallow_claims.paper_claims(only)[6].measured.startswith("79.8 %; 1 case")
    for wrong, number in (({shallow: result(1, shallow=7, hits=40, wrong=1)}, 0),
                          ({shallow: result(1, shallow=7, hits=40, late=1)}, 1),
                          ({case: result(1, shallow=1, hits=40)}, 2),
                          ({case: result(1, hits=5)}, 3)):
        found = shallow_claims.own_claims({**good, **wrong})
        assert [c.holds for c in found] == [i != number for i in range(4)], found
        assert found[number].fails == (number != 1)
    assert shallow_claims.more_percent(shallow_claims.erases, result(1, 0), result(1, 0)) == 0


def check_break_even():
    """Known limits: p < 0.367 (t_R 500 us) and 0.541 (50 us) at 2.33, 0.438 at 1.86 and 50 us."""
    from reproduction import shallow_claims as claims
    assert [round(claims.break_even(*at), 3) for at in ((2.33, 500), (2.33, 50), (1.86, 50))] == [
        0.367, 0.541, 0.438]
    p = claims.break_even(2.33)
    assert abs(claims.cost_us(2.33, p) - 900) < 1e-9 and claims.cost_us(2.33, 0.5) > 900

    def point(survivors, speed_up=2.33, array=None, slower=1.5):
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
    points = [point(0.1), point(0.3), point(0.5), point(0.2, 1.86), point(0.6, 1.86)]
    assert all(abs(p.array_us() - p.formula_us()) < 1e-6 for p in points)
    assert verdicts(claims.limit_claims(points)) == ["yes"] * 4
    assert points[0].slower() == 1.5
    off = claims.limit_claims([*points, point(0.2, array=950)])  # dearer than deep, below p*
    assert verdicts(off)[:2] == ["NO", "NO"]
    faster = claims.limit_claims([point(0.1, slower=0.9)])
    assert verdicts(faster) == ["yes", "yes", "no, see there"]


def check_other_claims():
    from reproduction import shallow_claims as claims
    case = claims.Case("hm_0", "wo_lru", 16, True)
    deep = case._replace(shallow=False)

    def by_read(slow, fast):
        return {(deep, 50): result(100), (deep, 500): result(1000),
                (case, 50): result(fast), (case, 500): result(slow)}
    assert verdicts(claims.read_claims(by_read(1500, 110))) == ["yes"]
    assert verdicts(claims.read_claims(by_read(1500, 90))) == ["no, see there"]

    def by_load(*us):
        measured = {}
        for pace, value in zip((0.5, 1.0), us):
            measured[deep, pace], measured[case, pace] = result(100), result(value)
            measured[deep, pace].summary["channels"] = [{"busy": 0.1}, {"busy": 0.3}]
        return claims.load_claims(measured)
    assert verdicts(by_load(101, 150)) == ["yes"]
    assert "20% busy: 1.50" in by_load(101, 150)[0].measured
    assert verdicts(by_load(150, 101)) == ["no, see there"]

    def chosen(**us):
        return {(deep if k == "deep" else case, k): result(v, nand=v / 1e6) for k, v in us.items()}
    good = chosen(deep=1000, all=1500, small_requests=1100, predicted=950)
    assert verdicts(claims.predicted_claims(good)) == ["yes"] * 4
    bad = chosen(deep=1000, all=1500, small_requests=900, predicted=1600)
    assert verdicts(claims.predicted_claims(bad)) == ["no, see there"] * 4


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


def check_run():
    from reproduction import shallow_write
    if shallow_write.missing():
        print(f"this version has no {', '.join(shallow_write.missing())}")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder)
        options = argparse.Namespace(quick=True, divisor=40, jobs=2, msr=None, histograms=None,
                                     results={})
        claims = [claim for run in shallow_write.PARTS.values() for claim in run(out, options)]
        assert claims and not any(claim.fails for claim in claims), [
            (c.paper, c.measured) for c in claims if c.fails]
        for name in ("response", "erases", "limits", "break-even", "load", "reads",
                     "predicted-response", "predicted-energy"):
            assert (out / f"shallow-write-{name}.png").stat().st_size > 10_000
            with (out / f"shallow-write-{name}.csv").open(encoding="utf-8", newline="") as file:
                assert len(list(csv.DictReader(file))) >= 2
    return 0


def main():
    root, ssdvp, case = sys.argv[1:]
    if case == "run" and importlib.util.find_spec("matplotlib") is None:
        print("no matplotlib: the figures cannot be drawn")
        return SKIPPED
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(pathlib.Path(root) / "scripts/lib"))
    os.environ["SSDVP"] = ssdvp
    if case == "run":
        return check_run()
    checks = {"claims": (check_policy_claims, check_break_even, check_other_claims),
              "traffic": (check_surrogates, check_histograms, check_msr, check_settings)}
    for check in checks[case]:
        check()
    return 0


if __name__ == "__main__":
    sys.exit(main())
