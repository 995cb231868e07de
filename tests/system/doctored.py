# SPDX-License-Identifier: Apache-2.0
"""Are a paper's claims checked? Results under which all of them hold are doctored, one claim after
the other: its check has to see it. A claim that nobody has doctored fails the test."""
import copy


def check(build, judge, doctors, untested=()):
    """`build()`: results that every claim holds for, but for those in `untested`, which agreement
    says nothing of. `judge(results)`: the claims. `doctors`: name of a claim -> what changes
    results, in place, so that they refute it."""
    from reproduction import claims
    good = {claim.name: claim for claim in judge(build())}
    assert len(good) == len(judge(build())), "two claims of one name"
    for name, claim in good.items():
        expected = claims.UNTESTED if name in untested else claims.HOLDS
        assert claim.verdict == expected, (name, claim.verdict, claim.measured, claim.check)
    assert set(good) == set(doctors), set(good) ^ set(doctors)
    for name, doctor in doctors.items():
        results = copy.deepcopy(build())
        doctor(results)
        found = {claim.name: claim for claim in judge(results)}[name]
        assert found.verdict == claims.FAILS, (name, found.verdict, found.measured, found.check)


def verdicts(claims):
    return [claim.verdict for claim in claims]


PERCENTILES = ("p50", "p99", "p99.9", "p99.99", "p99.999", "p99.9999", "mean")


def result(read_ns, write_ns=1e6, bytes_per_s=1e6, requests=10_000_000, **more):
    """A run whose latencies are all the same; `more`: parts of its summary."""
    from reproduction.runs import Result

    def kind(ns):
        return {"requests": requests, "bytes_per_s": bytes_per_s, "iops": 12_820,
                "latency_ns": dict.fromkeys(PERCENTILES, ns)}
    return Result({"host": {"read": kind(read_ns), "write": kind(write_ns)}, **more}, {})


def latency(entry, kind="read"):
    """The latencies of a run, to be changed."""
    return entry.summary["host"][kind]["latency_ns"]


def setting(*path, value):
    """A doctor: `path` leads through results and summaries to what becomes `value`."""
    def doctor(results):
        at = results
        for step in path[:-1]:
            at = at[step] if not hasattr(at, "summary") else at.summary[step]
        if hasattr(at, "summary"):
            at = at.summary
        at[path[-1]] = value
    return doctor


# Kinds of NAND, the best first.
ORDER = {"ONFI SLC": 4, "conventional SLC": 3, "ONFI MLC": 2, "conventional MLC": 1}


def bars(workloads, controllers):
    return {(w, t, c): v * (1 if w == "uniform" else 4) * (2 if c == "out of order" else 1)
            for w in workloads for t, v in ORDER.items() for c in controllers}


def putting(key, value):
    def doctor(speed):
        speed[key] = value
    return doctor
