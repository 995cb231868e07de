#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The claims of scripts/reproduce controller, map-cache and windows-ftl: each is refuted by
doctored results. How claims and checks are told.

Usage: paper_claims_test.py ROOT"""
import pathlib
import sys

import doctored
from doctored import bars, latency, putting, result

def check_model():
    from reproduction import claims
    from reproduction.claims import Check, Claim
    for texts in (("", "x"), ("x", "")):
        try:
            Check(True, *texts)
        except ValueError:
            continue
        raise AssertionError("a check without tolerance or refutation")
    yes, no = claims.at_least(2, 1, "value"), claims.at_least(0, 1, "value")
    unknown = claims.given(False, "too few", yes)
    assert [c.holds for c in (yes & yes, yes & no, unknown & yes, unknown & no)] == [
        True, False, None, False]
    assert (unknown & yes).reason == "too few" and not (unknown & no).reason
    assert claims.near(110, 100, 0.1, "x").holds and not claims.near(110.1, 100, 0.1, "x").holds
    assert claims.inside((0.95, 2.05), 1, 2, "x", 0.05).holds
    assert claims.inside((0.94, 2), 1, 2, "x", 0.05).holds is False
    assert claims.inside((), 1, 2, "x").holds is False, "no value shows nothing"
    assert claims.every(0, 0, "case").holds is False
    assert claims.falling((10, 8, 6.4), 0.2, "x").holds
    assert claims.falling((10, 8.1), 0.2, "x").holds is False
    assert [claims.told_apart(values, 0.2, "x", "alike").holds for values in
            ((10, 8), (10, 9, 10.5), (10, 12.1), (10, 9, 11.1))] == [True, None, False, False]
    assert [claims.given_samples([result(1, requests=n)], "read", 99.99, yes).holds
            for n in (49_999, 50_000)] == [None, True]
    told = claims.table([Claim("a", "b", "c", yes), Claim("d", "e", "f", no),
                         Claim("g", "h", "i", no, "the load"), Claim("j", "k", "l", unknown)])
    lines = told.splitlines()
    assert lines[0].startswith("a:") and lines[0].endswith(" holds")
    assert "refuted by  value below 1" in lines[4] and len(max(lines, key=len)) <= claims.WIDTH + 4
    assert "4 claims: 1 hold, 2 do not hold, 1 cannot be tested" in lines
    assert lines[-1] == "binding, and do not hold: d", lines[-1]
    assert Claim("a", "b", "c", no).fails and not Claim("a", "b", "c", no, "the load").fails


def check_controller():
    from reproduction import controller
    from reproduction.controller import MIX, Case
    speed = {"sequential": 1e6, "interleaved": 2e6, "out_of_order": 3.8e6, "priorities": 3.8e6}
    share = {"out_of_order": 0.5, "priorities": 0.4}  # of the mean, that reads take

    def canned(case):
        by = "sequential" if case.luns == 1 else case.arbiter
        ns = 3e13 / speed[by]
        fast = ns * share.get(by, 1)
        return result(fast, 2 * ns - fast, speed[by])

    def build():
        return {case: canned(case) for case in controller.cases(quick=True)}

    def doctor(case, *values):
        def change(measured):
            measured[case] = result(*values)
        return change
    mixed, slow = Case("out_of_order", 32, 4, MIX), 3e13 / 2.04e6
    doctored.check(build, controller.throughput_claims, {
        "O3: throughput of mixed loads": doctor(mixed, slow, slow, 2.04e6),  # +2 %
        "O3: throughput of all loads": doctor(Case("out_of_order", 32, 4, 1), 1, 1, 1.95e6),
        "sequential: throughput": doctor(Case("interleaved", 4, 4, 1), 1, 1, 0.98e6),
        "O3: one chip": doctor(Case("out_of_order", 32, 1, 1), 1, 1, 1.02e6)})

    def no_overtaking(measured):
        for case in measured:
            if case.arbiter == "out_of_order":
                ns = 3e13 / measured[case].bytes_per_s() * 2
                measured[case] = result(ns, ns, measured[case].bytes_per_s() / 2)
    doctored.check(build, controller.response_claims, {
        "O3: response time": doctor(mixed, 9e6, 9e6, 3.8e6),
        "O3: response time of reads": no_overtaking,
        "Little's law": doctor(mixed, 6e6, 6e6, 3.8e6)})
    doctored.check(build, controller.priority_claims, {
        "O3 with priorities": doctor(Case("priorities", 32, 4, MIX), 5e6, 8e6, 3.8e6)})


def check_nand_types():
    from reproduction import nand_types
    doctored.check(lambda: bars(nand_types.WORKLOADS, nand_types.CONTROLLERS), nand_types.claims, {
        "ONFI SLC": putting(("zipf", "conventional SLC", "sequential"), 17),
        "conventional MLC": putting(("zipf", "conventional MLC", "sequential"), 9),
        "conventional SLC against ONFI MLC": putting(("zipf", "ONFI MLC", "sequential"), 12),
        "uniform": putting(("uniform", "ONFI SLC", "sequential"), 9),
        "out of order against sequential": putting(("uniform", "ONFI MLC", "sequential"), 5)})
    small = nand_types.claims(bars(nand_types.WORKLOADS, nand_types.CONTROLLERS), quick=True)
    assert [claim.name for claim in small if claim.verdict == "cannot be tested"] == ["uniform"]


def check_map_cache():
    from reproduction import map_cache, schemes
    from reproduction.map_cache import Case
    paged = [scheme.name for scheme in schemes.SCHEMES.values() if scheme.paged]

    def measured(ram, spent, iops=5.0, amplification=2.0):
        entry = result(1e6, 2e6, requests=10, flash={"by_purpose": {
            "map": {"reads": spent, "programs": 0}}}, ftl={
                "ram_bytes": ram, "write_amplification": amplification})
        for kind in ("read", "write"):
            entry.summary["host"][kind]["iops"] = iops
        return entry

    def build():
        runs = {Case("page_map", mib): measured(4096, 0) for mib in (8, 256)}
        for name in paged:
            runs.update({Case(name, 8): measured(1024, 1),
                         Case(name, 256): measured(1024, 20, 4.0, 3.0)})
        return runs

    def large(name, *values):
        def change(runs):
            runs[Case(name, 256)] = measured(*values)
        return change
    doctored.check(build, map_cache.whole_map_claims, {
        "page_map: map in DRAM": large("page_map", 4096, 1),
        "page_map: DRAM": large("page_map", 8192, 0)})
    doctors = {}
    for name in paged:
        doctors.update({f"{name}: DRAM": large(name, 4096, 20, 4.0, 3.0),
                        f"{name}: map traffic": large(name, 1024, 2, 4.0, 3.0),
                        f"{name}: speed": large(name, 1024, 20, 4.8, 3.0)})
    doctored.check(build, map_cache.paged_claims, doctors)
    assert {case.scheme for case in map_cache.cases(quick=True)} == set(schemes.SCHEMES)
    assert schemes.SCHEMES["dftl"].sets(4096) == ("ftl.scheme=dftl", "ftl.map_cache=4096B")
    assert schemes.SCHEMES["page_map"].sets(4096) == ("ftl.scheme=page_map",)


# Reads, searches, pages written and blocks erased of 100 I/Os; share by which lines differ.
FTLS = {"fast": (1000, 0, 1000, 100, 0.06), "bast": (1050, 0, 1050, 102, 0.05),
        "fmax": (1190, 2000, 1100, 110, 0.07), "lm": (1300, 0, 1300, 130, 0.08),
        "msbs": (1640, 7000, 1200, 120, 0.20)}


def line(R, scan, W, E):
    from reproduction.windows_claims import Line
    R, scan, W, E = map(round, (R, scan, W, E))
    T = R + 7 * W + 63 * E
    return Line(100, 1000, R, W, E, T, scan, T + scan, W, 0, 5)


def traffic():
    from reproduction import windows_ftl
    runs = {}
    for case in windows_ftl.cases():
        R, scan, W, E, share = FTLS[case.ftl]
        jpg = (1.3 if case.ftl == "lm" else 1.05) if case.files == "jpg" else 1
        count = 10 + 2 * (case.files == "jpg") + (case.file_system == "ntfs")
        around = [1 + share * (-1) ** i for i in range(count)]
        runs[case] = (result(1, integrity={"sectors_checked": 7, "total_mismatches": 0}),
                      [line(R * a, scan * a, W * a, E * a * jpg) for a in around])
    return runs


def scaled(ftl, R=1.0, scan=1.0, W=1.0, E=1.0, **where):
    """A doctor: what an FTL does, in some of its workloads."""
    def doctor(runs):
        for case, (entry, lines) in runs.items():
            if case.ftl == ftl and all(getattr(case, k) == v for k, v in where.items()):
                runs[case] = (entry, [line(one.R * R, one.scan * scan, one.W * W, one.E * E)
                                      for one in lines])
    return doctor


def cut(ftl, **where):
    def doctor(runs):
        for case, (entry, lines) in runs.items():
            if case.ftl == ftl and all(getattr(case, k) == v for k, v in where.items()):
                runs[case] = (entry, lines[:4])
    return doctor


def smoothed(runs):
    for case, (entry, _) in runs.items():
        if case.ftl == "fast":
            runs[case] = (entry, [line(1000, 0, 1000, 100)] * 8)


def check_windows():
    from reproduction import claims, windows_ftl
    from reproduction import windows_claims as windows
    one = windows_ftl.cases()[0]

    def off(runs):
        runs[one] = (runs[one][0], [windows.Line(100, 9, 1, 1, 1, 70, 0, 70, 1, 0, 0)])

    def searching(runs):
        scaled("lm", R=0, W=0, E=0)(runs)
        case = next(c for c in runs if c.ftl == "lm")
        runs[case] = (runs[case][0], [line(1, 1, 1, 1)])
    everything = ("R", "scan", "W", "E")
    doctored.check(traffic, windows.all_of_them, {
        "mean T": scaled("fast", W=3), "the closest two": scaled("bast", E=1.4, W=1.2),
        "erases of BAST and FAST": scaled("bast", E=1.3), "sd(T)": smoothed,
        "the steadiest": smoothed, "I/Os of JPG": cut("fast", files="jpg"),
        "erases of JPG": scaled("fast", E=0.5, files="jpg"),
        "erases of LM": scaled("lm", E=0.8, files="jpg"),
        "MSBS and FMAX": scaled("msbs", E=1.5, files="jpg"),
        "I/Os of NTFS": cut("fast", file_system="ntfs"),
        "T on NTFS": scaled("fast", **dict.fromkeys(everything, 1.5), file_system="ntfs"),
        "NTFS, MP3: T of LM": scaled("lm", W=3, file_system="ntfs", files="mp3"),
        "writes of FAST": scaled("fast", W=1.2), "reads per write": scaled("lm", R=2),
        "data": lambda runs: runs[one][0].summary["integrity"].update(total_mismatches=1),
        "unit of time": off, "searches": searching})
    few = {case: (entry, lines[:4]) for case, (entry, lines) in traffic().items()}
    assert {claim.verdict for claim in windows.traffic_claims(few)} == {claims.UNTESTED}
    # The printed means of the paper, within what rounding its erases costs.
    for means in windows_ftl.PAPER.values():
        assert abs(means[0] + 7 * means[1] + 63 * means[2] - means[3]) < 31.5 + 4


def settings():
    """As measured: FMAX's switch is in front of all others, without it FMAX is behind LM."""
    from reproduction import windows_sweep as sweep
    T = {"msbs": 260, "lm": 177, "bast": 169, "fast": 164}

    def cost(setting):
        time = T.get(setting.ftl, 153 if setting.name.endswith("switch") else 263)
        return sweep.Cost(0, 0, 0, time, time + 18.3 * sweep.LOOKS[setting.ftl], time)
    return {s: cost(s) for s in sweep.SETTINGS + sweep.SHORT}


def changed(ftl, name, **values):
    def doctor(costs):
        for setting, cost in costs.items():
            if setting.ftl == ftl and setting.name == name:
                costs[setting] = cost._replace(**values)
    return doctor


def steady(costs):
    rank = dict(zip(("bast", "fast", "fmax", "lm", "msbs"), range(5)))
    for setting, cost in costs.items():
        costs[setting] = cost._replace(sd_T=rank[setting.ftl])


def check_windows_settings():
    from reproduction import windows_sweep as sweep
    piece = "254,0 0 3 17.5 0 Q WS 10 + 300 [guest]\n"
    assert [one.split()[7:10] for one in sweep.pieces(piece, 128)] == [
        ["10", "+", "128"], ["138", "+", "128"], ["266", "+", "44"]]
    assert sweep.pieces(piece, 300) == [piece]
    flush = "254,0 0 3 17.5 0 Q F [guest]\n"
    assert sweep.pieces(flush, 8) == [flush]
    two = [line(10, 5, 100, 1), line(30, 5, 100, 3)]
    assert sweep.cost_of(two, "lm") == sweep.Cost(25, 100, 2, 851, 951, 73)
    assert sweep.cost_of(two, "fmax").T_looks == 851 + 2 * 100
    assert sweep.choices(dict.fromkeys(sweep.SETTINGS)) == 4 * 3 * 3 * 6 * 8
    doctored.check(settings, sweep.order_claims, {
        "order by mean T": changed("fmax", "switch", T=170),  # between bast and lm
        "order by mean T, with looks": changed("fmax", "merges", T_looks=190),
        "order by sd(T)": steady})
    none = settings()
    changed("fmax", "switch", T_looks=200)(none)
    assert sweep.order_claims(none)[1].fails
    doctored.check(lambda: [result(1, integrity={"sectors_checked": 7, "total_mismatches": 0})],
                   sweep.whole_claims, {"data, any choice": lambda runs: runs[0].summary[
                       "integrity"].update(total_mismatches=1)})


def main():
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "papers"))
    for check in (check_model, check_controller, check_nand_types, check_map_cache,
                  check_windows, check_windows_settings):
        check()
    return 0


if __name__ == "__main__":
    sys.exit(main())
