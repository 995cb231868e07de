# SPDX-License-Identifier: Apache-2.0
"""What the tests of sweeps and optimisations share: small spaces, and drivers that are killed. The
program that imports it is called with ROOT SSDVP."""
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

ROOT, SSDVP = (pathlib.Path(sys.argv.pop(1)).resolve() for _ in range(2))
os.environ["SSDVP"] = str(SSDVP)
os.environ["PYTHONPATH"] = str(ROOT / "python")  # of workers, too
sys.path.insert(0, os.environ["PYTHONPATH"])
# pylint: disable=wrong-import-position
import ssdvp  # noqa: E402

# 4 points that can be run, 2 that cannot (7 % of so few superblocks are not enough), 2 seeds each.
SPACE = {"config": "device/tiny", "options": {"requests": 400}, "seeds": 2,
         "keys": {"flash.channels": [1, 2], "ftl.over_provisioning": [0.01, 0.3],
                  "cpu.clock": {"values": ["250MHz", "500MHz"],
                                "when": "ftl.over_provisioning > 0.1"}}}
# Takes some seconds, so that it can be killed half-way.
LONG = {"config": "device/tiny", "options": {"requests": 4000}, "seeds": 12,
        "keys": {"flash.channels": [1, 2]}}
GOALS = {"host.read.latency_ns.p99": "minimise", "cost.dollars": "minimise"}
WANTED = ["host.read.iops >= 1000"]
CHOICE = {"config": "device/tiny", "options": {"requests": 600},
          "keys": {"flash.channels": [1, 2, 4], "cpu.clock": {"from": "100MHz", "to": "1GHz",
                                                              "scale": "log"},
                   "flash.luns_per_channel": [1, 2]},
          "where": ["flash.channels * flash.luns_per_channel <= 4"]}
COSTS = {"dollars": "2 * flash.channels * flash.luns_per_channel + cpu.clock / '100MHz'"}
# What a run takes, not what it is.
OF_THE_MACHINE = ["seconds", "worker", "sim.wall_s", "sim.requests_per_wall_s",
                  "sim.peak_rss_bytes"]


def same(frame):
    return frame.drop(columns=OF_THE_MACHINE)


def optimise(out, trials, **more):
    return ssdvp.optimise(GOALS, WANTED, CHOICE, trials=trials, costs=COSTS,
                          short={"requests": 100}, out=out, progress=False, **more)


def driver_of(out, trials, **more):
    """Python code that does the same in a process of its own."""
    return (f"import sys; sys.argv[1:] = {[str(ROOT), str(SSDVP)]!r}; "
            f"sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r}); import explore_case; "
            f"explore_case.optimise({str(out)!r}, {trials}, **{more!r})")


class Case(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.d = pathlib.Path(place.name)

    def killed(self, code, wait_for, *paths):
        """Runs code in a process of its own until `wait_for()` is true, then kill -9."""
        driver = subprocess.Popen([sys.executable, "-c", code, *map(str, paths)],
                                  stderr=subprocess.DEVNULL)
        self.soon(wait_for, driver)
        driver.kill()
        driver.wait()

    def soon(self, condition, driver=None, seconds=120):
        began = time.monotonic()
        while not condition():
            self.assertLess(time.monotonic() - began, seconds, "it did not happen")
            if driver is not None:
                self.assertIsNone(driver.poll(), "it ended before it could be killed")
            time.sleep(0.02)

    def outcomes(self, folder):
        return {p.parent.name: p.stat().st_mtime_ns for p in folder.glob("points/*/outcome.json")}
