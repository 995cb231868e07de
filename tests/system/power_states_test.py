#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Power states of a whole drive: what an idle period takes by hand, how long a command waits, what
keeps a state within its power, and which way each option moves the result.

Usage: power_states_test.py SSDVP
"""
import sys

import small_drive

SSDVP = sys.argv[1]
# 1 W whatever the core does; one command each 20 ms.
STEADY = {"energy.core.active": "1W", "energy.core.idle": "1W", "workload.0.rate": "50/s",
          "workload.0.poisson": "false", "workload.0.queue_depth": "default",
          "run.requests": "40", "precondition.fill": "1"}
STATES = {"power.states.max_power": "[8,0.2]", "power.states.idle": "0.1",
          "power.states.entry": "[0us,1ms]", "power.states.exit": "[0us,2ms]",
          "host.driver.apst": "5ms"}
# 1 W of programs in each LUN.
BUSY = {"nand.current.program": "300mA", "energy.core.active": "200mW", "energy.core.idle": "100mW",
        "workload.0.queue_depth": "32", "run.requests": "3000"}


def run(sets, files=("workload/random-read",), series=None):
    return small_drive.run(SSDVP, sets, files, series)


def mean_w(s):
    return s["energy_j"]["mean_w"]


def latency(s):
    return s["host"]["read"]["latency_ns"]["mean"]


def asleep(state):
    return lambda s: s["power_states"][state]["asleep_ns"]


def check(key, less, more, measure, common, files=("workload/random-read",)):
    """`less` gives the smaller result."""
    low, high = (measure(run({**common, key: value}, files)) for value in (less, more))
    assert low < high, f"{key}: {less} gives {low}, {more} gives {high}"


def by_hand():
    awake = run(STEADY)
    series = []
    s = run({**STEADY, **STATES}, series=series)
    assert "power_states" not in awake
    # Each command finds the drive asleep and waits for EXLAT; the rest takes what it took.
    waited = latency(s) - latency(awake)
    assert 2e6 * 0.97 < waited < 2e6 * 1.01, waited
    # Of 20 ms: 5 idle, 1 on the way in, 2 on the way out, the read, and the rest asleep.
    slept = 0.012 - latency(awake) * 1e-9
    expected = mean_w(awake) - slept * (mean_w(awake) - 0.1) / 0.020
    assert abs(mean_w(s) - expected) < 0.03 * expected, (mean_w(s), expected)
    total = sum(state["energy_j"] for state in s["power_states"])
    assert abs(total - s["energy_j"]["total"]) < 1e-3 * total, (total, s["energy_j"])
    times = sum(state["time_ns"] for state in s["power_states"])
    assert abs(times - s["sim"]["simulated_ns"]) < 1e3
    share = sum(float(r["power_state_1"]) * (float(r["end_ns"]) - float(r["begin_ns"]))
                for r in series)
    assert abs(share - s["power_states"][1]["time_ns"]) < 1e-3 * share


def waking():
    """10 ms out of a state: that is what each read that finds the drive asleep waits for power."""
    exits = {"power.states.exit": "[0us,10ms]"}
    for core in ("cortex-r82", "flat"):
        awake = run({**STEADY, "cpu.core": core})["host"]["read"]
        s = run({**STEADY, **STATES, **exits, "cpu.core": core})["host"]["read"]
        parts, before = s["parts_ns"], awake["parts_ns"]
        assert before["wait_power"] == 0, before
        # The first of 40 reads comes before the drive has gone to sleep, or not.
        assert 10e6 * 39 / 40 <= parts["wait_power"] <= 10.02e6, parts
        assert s["latency_ns"]["max"] - awake["latency_ns"]["max"] < 10.05e6, s
        for part in ("wait_core", "firmware", "array", "link"):
            assert parts[part] < before[part] + 10e3, (part, parts, before)
    # A map page has to be read, too, and is a wait of its own.
    s = run({**STEADY, **STATES, **exits, "ftl.scheme": "dftl", "ftl.map_cache": "128KiB"})
    parts = s["host"]["read"]["parts_ns"]
    assert 10e6 * 39 / 40 <= parts["wait_power"] <= 10.02e6 and parts["wait_map"] > 20e3, parts


def cores():
    """A core of its own for the host role: commands wait for the other one to wake the drive."""
    apart = {"cpu.cores": "2", "cpu.roles": "host_apart"}
    awake, s = run({**STEADY, **apart}), run({**STEADY, **STATES, **apart})
    waited = latency(s) - latency(awake)
    assert 2e6 * 0.97 < waited < 2e6 * 1.01, waited
    power = s["host"]["read"]["parts_ns"]["wait_power"]
    assert 2e6 * 0.97 < power < 2e6 * 1.01, power
    assert s["power_states"][1]["entries"] >= 39, s["power_states"]  # between 40 commands


def limits():
    free = run({**BUSY}, ("workload/random-write",))
    assert mean_w(free) > 1.5, mean_w(free)
    bound = {"power.states.max_power": "1", "power.states.step": "200us"}
    s = run({**BUSY, **bound}, ("workload/random-write",))
    # Two steps' worth of debt at most, and what has begun ends.
    assert mean_w(s) < 1.05, mean_w(s)
    assert mean_w(s) > 0.7, mean_w(s)


def options():
    both = {**STEADY, **STATES}
    writes = ("workload/random-write",)
    check("power.states.max_power", "1", "2", mean_w, BUSY, writes)
    check("power.states.idle", "0.05", "0.2", mean_w, both)
    check("power.states.entry", "[0us,5ms]", "[0us,1ms]", asleep(1), both)
    check("power.states.exit", "[0us,1ms]", "[0us,4ms]", latency, both)
    check("host.driver.apst", "10ms", "1ms", asleep(1), both)
    check("host.driver.power_state", "1", "0", mean_w,
          {**BUSY, "power.states.max_power": "[8,1]", "power.states.operational": "2"}, writes)
    # A state that works is none to sleep in.
    check("power.states.operational", "2", "1", asleep(1),
          {**STEADY, "power.states.max_power": "[8,4,0.2]", "power.states.entry": "1ms",
           "host.driver.apst": "5ms"})
    # A long look lets more pass before anything is done about it.
    check("power.states.step", "100us", "20ms", mean_w, {**BUSY, "power.states.max_power": "1"},
          writes)


by_hand()
waking()
cores()
limits()
options()
