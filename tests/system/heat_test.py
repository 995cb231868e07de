#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Heat of a whole drive: what goes in comes out, what firmware does about it, and which way each
option moves the result. Heat runs 10,000 times as fast as in a drive: a run has milliseconds.

Usage: heat_test.py SSDVP
"""
import sys

import small_drive

SSDVP = sys.argv[1]
# 1 W of programs in each LUN, 3 W of the core.
WARM = {"thermal.model": "rc", "thermal.speed": "10000", "thermal.step": "100us",
        "nand.current.program": "300mA", "energy.core.active": "3W", "energy.core.idle": "900mW",
        "thermal.throttle.light": "0", "thermal.throttle.heavy": "0", "run.requests": "2000",
        "workload.0.queue_depth": "32"}
LIGHT = {"thermal.throttle.light": "90", "thermal.throttle.light_programs": "0.25"}
HEAVY = {"thermal.throttle.light": "39", "thermal.throttle.heavy": "40",
         "thermal.throttle.heavy_programs": "0.25"}
READS = {"precondition.fill": "1", "thermal.start": "50", "cpu.clock": "200MHz",
         "run.requests": "500", **HEAVY}


def run(more, files=("workload/random-write",), series=None):
    return small_drive.run(SSDVP, {**WARM, **more}, files, series)


def end(sensor):
    return lambda s: s["thermal"][f"{sensor}_c"]["end"]


def iops(s):
    return sum(kind["iops"] for name, kind in s["host"].items() if name in ("read", "write"))


def time_at(level):
    return lambda s: s["thermal"][level]["time_ns"]


def hottest(s):
    return s["thermal"]["composite_c"]["max"]


def check(key, less, more, measure, common=None, files=("workload/random-write",)):
    """`less` gives the smaller result."""
    low, high = (measure(run({**(common or {}), key: value}, files)) for value in (less, more))
    assert low < high, f"{key}: {less} gives {low}, {more} gives {high}"


def energy():
    series = []
    s = run(LIGHT, series=series)
    heat = s["thermal"]["heat_j"]
    assert abs(heat["taken"] - s["energy_j"]["total"]) < 1e-8
    assert abs(heat["stored"] + heat["given_off"] - heat["taken"]) < 2e-9
    assert float(series[-1]["composite_c"]) == s["thermal"]["composite_c"]["end"]
    lengths = [float(r["end_ns"]) - float(r["begin_ns"]) for r in series]
    light = sum(float(r["throttled_light"]) * n for r, n in zip(series, lengths))
    assert abs(light - time_at("light")(s)) < 1e-3 * light, (light, time_at("light")(s))
    # Whoever watches changes nothing.
    assert run(LIGHT)["thermal"] == s["thermal"]


def network():
    short = {"run.requests": "500"}
    check("thermal.ambient", "20", "30", end("composite"))
    check("thermal.start", "25", "60", end("composite"), short)
    check("thermal.die.resistance", "5", "20", end("nand"))
    check("thermal.die.capacity", "1", "0.1", end("nand"), short)
    check("thermal.controller.resistance", "2", "8", end("controller"))
    check("thermal.controller.capacity", "15", "1.5", end("controller"), short)
    check("thermal.case.resistance", "4", "8", end("composite"))
    check("thermal.case.capacity", "100", "12", end("composite"))
    check("thermal.speed", "1000", "10000", end("composite"))


def throttling():
    check("thermal.throttle.light_programs", "0.25", "1", iops, LIGHT)
    check("thermal.throttle.light", "60", "90", iops, LIGHT)
    check("thermal.throttle.heavy_programs", "0.25", "1", iops, HEAVY)
    check("thermal.throttle.heavy", "60", "40", time_at("heavy"), HEAVY)
    check("thermal.throttle.hysteresis", "10", "0", hottest, LIGHT)
    check("thermal.step", "5ms", "100us", lambda s: s["thermal"]["light"]["entries"], LIGHT)
    # The clock slows reads.
    check("thermal.throttle.clock_divider", "16", "1", iops, READS, ("workload/random-read",))
    check("thermal.shutdown", "0", "65", time_at("stopped"), {"energy.core.idle": "100mW"})


def waking():
    """Stopped in the middle of work: what it drew then says nothing of what it draws stopped."""
    for step in ("1us", "100us"):
        s = run({"nand.current.program": "0mA", "energy.core.active": "20W",
                 "energy.core.idle": "0W", "thermal.speed": "1000", "thermal.step": step,
                 "thermal.throttle.light": "28", "thermal.throttle.heavy": "30",
                 "thermal.shutdown": "31", "workload.0.queue_depth": "16",
                 "workload.0.read_fraction": "0", "run.requests": "300"}, files=())
        assert time_at("stopped")(s) > 0, step


def cells():
    check("thermal.ambient", "25", "60", lambda s: s["flash"]["ecc"]["corrected_bits"],
          {"precondition.fill": "1", "nand.errors.retention_scale": "1e9", "run.requests": "500"},
          ("workload/random-read", "policy/errors-tlc"))


energy()
network()
throttling()
waking()
cells()
