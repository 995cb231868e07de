#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sweeps, optimisation and what-if, on this machine and on a Dask cluster, killed half-way.
Usage: explore_test.py ROOT SSDVP CASE"""
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import unittest
from unittest import mock

from explore_case import (CHOICE, COSTS, GOALS, LONG, SPACE, WANTED, Case, driver_of, optimise,
                          same, ssdvp)
from ssdvp import extras
from ssdvp.explore import cluster as cluster_of, store as store_of
from ssdvp.explore import sweep as sweep_of, worker as worker_of

CASE = sys.argv.pop(1)


class Sweeps(Case):
    def test_grid(self):
        done = ssdvp.sweep(SPACE, out=self.d / "s", progress=False)
        frame = done.frame
        # Per channel count: one invalid point, and two clocks; two seeds of each.
        self.assertEqual(list(frame["state"]).count("done"), 2 * 2 * 2)
        invalid = frame[frame["state"] == "invalid"]
        self.assertEqual(len(invalid), 2 * 2)
        for why in invalid["error"]:
            self.assertIn("ftl.over_provisioning", why)
        self.assertTrue(frame["id"].is_unique)
        for row in frame[frame["state"] == "done"].to_dict("records"):
            r = ssdvp.Result(self.d / "s/points" / row["id"])
            self.assertEqual(row["host.read.iops"], r.host.read.iops)
            self.assertEqual(row["cpu.clock"], float(r.config["cpu.clock"][:-3]) * 1e6)
            self.assertEqual(str(int(row["flash.channels"])), r.config["flash.channels"])
            self.assertEqual(row["seed"], r.seed)
        self.assertEqual(len(done.results()), 8)
        page = done.to_report().read_text(encoding="utf-8")
        for text in ("What each key does", "Cannot be run", "cpu.clock", "500"):
            self.assertIn(text, page)

    def test_nothing_runs_twice(self):
        folder = self.d / "s"
        first = ssdvp.sweep(SPACE, out=folder, progress=False)
        before = self.outcomes(folder)
        frame = first.frame
        again = ssdvp.sweep(SPACE, out=folder, progress=False)
        self.assertEqual(self.outcomes(folder), before)
        self.assertTrue(again.frame.equals(frame))
        more = ssdvp.sweep({**SPACE, "seeds": 3}, out=folder, progress=False)
        self.assertEqual(len(more.frame), len(frame) * 3 // 2)
        self.assertLessEqual(set(before.items()), set(self.outcomes(folder).items()))

    def test_failed_points_are_kept(self):
        """A point that takes too long fails; the others go on; it runs again when asked to."""
        space = {"config": "device/tiny", "list": [{"run.requests": 100},
                                                   {"run.requests": 10**9}]}
        folder = self.d / "s"
        frame = ssdvp.sweep(space, out=folder, timeout=1.5, progress=False).frame
        self.assertEqual(list(frame["state"]), ["done", "failed"])
        self.assertEqual(frame["error"][1], "timed out")
        before = self.outcomes(folder)
        ssdvp.sweep(space, out=folder, timeout=1.5, progress=False)
        self.assertEqual(self.outcomes(folder), before)
        ssdvp.sweep(space, out=folder, timeout=1.5, retry_failed=True, progress=False)
        after = self.outcomes(folder)
        self.assertEqual(sum(after[i] != before[i] for i in before), 1)

    def test_killed(self):
        """kill -9 of who drives it: what was done is kept, the rest runs, the table is the same."""
        folder = self.d / "s"
        code = ("import json, sys, ssdvp; "
                "ssdvp.sweep(json.loads(sys.argv[1]), out=sys.argv[2], progress=False)")
        self.killed(code, lambda: len(self.outcomes(folder)) >= 3, json.dumps(LONG), folder)
        before = self.outcomes(folder)
        self.assertLess(len(before), 24)
        frame = ssdvp.sweep(LONG, out=folder, progress=False).frame
        self.assertEqual(list(frame["state"]), ["done"] * 24)
        self.assertLessEqual(set(before.items()), set(self.outcomes(folder).items()))
        whole = ssdvp.sweep(LONG, out=self.d / "whole", progress=False).frame
        self.assertTrue(same(frame).equals(same(whole)))
        self.assertEqual(list((folder / "points").glob(".*")), [])

    def test_command_line(self):
        """The page on stdout; what was run, and what to be careful about, on stderr."""
        space = self.d / "space.yaml"
        space.write_text(json.dumps({**SPACE, "seeds": 1}), encoding="utf-8")
        command = [sys.executable, "-m", "ssdvp.explore", "sweep", str(space), "--out",
                   str(self.d / "s")]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, f"{self.d / 's/sweep.html'}\n")
        first, *careful = done.stderr.splitlines()
        self.assertEqual(first, "4 runs of 4 configurations, one seed of each; 2 cannot be run")
        self.assertIn("one seed of each configuration", careful[-1])
        again = subprocess.run([*command, "--quiet"], capture_output=True, text=True, check=True)
        self.assertEqual((again.stdout, again.stderr), (done.stdout, ""))
        space.write_text("config: device/tiny\nkeys: {flash.chanels: [1]}", encoding="utf-8")
        wrong = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual((wrong.returncode, wrong.stdout), (2, ""))
        self.assertIn(f"{space}:2:8: flash.chanels: is not a key", wrong.stderr)

    def test_known_beforehand(self):
        """What cannot come of the runs is told before the first of them."""
        space = self.d / "space.yaml"
        space.write_text(json.dumps({**SPACE, "where": ["flash.channels > 0"]}), encoding="utf-8")
        command = [sys.executable, "-m", "ssdvp.explore", "sweep", str(space), "--out",
                   str(self.d / "s")]
        for more, env, told in (
                (["--metric", "host.read.iop"], {}, "did you mean host.read.iops?"),
                ([], {"SSDVP_PLOTLY": "/no/plotly.js"}, "apt-get install python3-plotly"),
                (["--jobs", "0"], {}, f"warning: {space}:1:")):
            done = subprocess.run([*command, *more], capture_output=True, text=True, check=False,
                                  env={**os.environ, **env})
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(told, done.stderr)
        self.assertFalse((self.d / "s").exists())

    def test_without_extras(self):
        """A sweep needs no pyarrow: its table is a CSV file that says the same."""
        packed = ssdvp.sweep(SPACE, out=self.d / "s", progress=False)
        frame, rows = packed.frame, packed.rows()
        with mock.patch.object(extras, "there", lambda package: False):
            with self.assertWarnsRegex(UserWarning, "pip install 'ssdvp\\[explore]'"):
                plain = ssdvp.sweep(SPACE, out=self.d / "s", progress=False)
            self.assertEqual([p.name for p in (self.d / "s").glob("results.*")], ["results.csv"])
            self.assertEqual(list(plain.frame.columns), list(frame.columns))
            for one, other in zip(plain.rows(), rows):
                for name in one:
                    self.assertEqual(one[name] or None, other[name] or None, name)
            for call, package in ((lambda: optimise(self.d / "o", 2), "optuna"),
                                  (lambda: optimise(self.d / "o", 2, engine="dask"), "optuna"),
                                  (lambda: ssdvp.sweep(SPACE, out=self.d / "o", engine="dask"),
                                   "dask")):
                with self.assertRaisesRegex(ssdvp.ConfigError, f"{package} is not installed; pip"):
                    call()
        self.assertFalse((self.d / "o").exists())
        ssdvp.sweep(SPACE, out=self.d / "s", progress=False)
        self.assertEqual([p.name for p in (self.d / "s").glob("results.*")], ["results.parquet"])

    def test_truth_values(self):
        """Of keys are such in the table, and words on the page."""
        space = {"config": "device/tiny", "options": {"requests": 50},
                 "keys": {"wear.dynamic": [True, False], "flash.channels": [1, 2]},
                 "where": ["not wear.dynamic or flash.channels == 1"]}
        done = ssdvp.sweep(space, out=self.d / "s", progress=False)
        self.assertEqual([(r["wear.dynamic"], r["flash.channels"]) for r in done.rows()],
                         [(True, 1), (False, 1), (False, 2)])
        self.assertIn("<th scope=\"row\">true</th>", done.to_report().read_text(encoding="utf-8"))

    def test_folders_side_by_side(self):
        """A folder that holds results of others is free: slo's and saturate's lie in out."""
        ssdvp.sweep({**SPACE, "seeds": 1}, out=self.d / "slo", progress=False)
        (self.d / "run").mkdir()
        (self.d / "run/summary.json").write_text("{}", encoding="utf-8")
        ssdvp.sweep({**SPACE, "seeds": 1}, out=self.d, progress=False)
        self.assertEqual(len(self.outcomes(self.d)), len(self.outcomes(self.d / "slo")))

    def test_refused(self):
        for given, told in (({"keys": {"flash.chanels": [1]}}, "is not a key"),
                            ({"keys": {"ftl.over_provisioning": [0.01, 0.02]}},
                             "no point of the space can be run"),):
            with self.assertRaisesRegex(ssdvp.ConfigError, told):
                ssdvp.sweep({"config": "device/tiny", **given}, out=self.d / "s", progress=False)
        (self.d / "file").write_text("text", encoding="utf-8")
        with self.assertRaisesRegex(ssdvp.ResultError, "file cannot be written: Not a directory"):
            ssdvp.sweep(SPACE, out=self.d / "file", progress=False)
        for wrong in ({"jobs": 0}, {"timeout": 0}):
            with self.assertRaisesRegex(ssdvp.ConfigError, next(iter(wrong))):
                ssdvp.sweep(SPACE, out=self.d / "s", progress=False, **wrong)
        (self.d / "mine").mkdir()
        (self.d / "mine/thesis.tex").write_text("text", encoding="utf-8")
        with self.assertRaisesRegex(ssdvp.ResultError, "no sweep; name another folder"):
            ssdvp.sweep(SPACE, out=self.d / "mine", progress=False)
        with store_of.Store(self.d / "s"), self.assertRaisesRegex(ssdvp.ResultError, "under way"):
            ssdvp.sweep(SPACE, out=self.d / "s", progress=False)
        (self.d / "s/sweep.json").write_text('{"schema": "ssdvp-sweep-9"}', encoding="utf-8")
        with self.assertRaisesRegex(ssdvp.ResultError, "of another version"):
            ssdvp.sweep(SPACE, out=self.d / "s", progress=False)
        with self.assertRaisesRegex(ssdvp.Error, "there are local and dask"):
            ssdvp.sweep(SPACE, out=self.d / "t", engine="slurm", progress=False)

    def test_full_disk(self):
        """The points are kept; the table is written when there is room."""
        folder = self.d / "s"
        ssdvp.sweep(SPACE, out=folder, progress=False)
        before = (folder / "results.parquet").read_bytes()
        from pyarrow import parquet
        whole = parquet.write_table

        def full(*_):
            raise OSError(28, "No space left on device")
        parquet.write_table = full
        self.addCleanup(setattr, parquet, "write_table", whole)
        with self.assertRaisesRegex(ssdvp.ResultError, "No space left on device; make room"):
            ssdvp.sweep(SPACE, out=folder, progress=False)
        self.assertEqual((folder / "results.parquet").read_bytes(), before)

    def test_disk_gets_full(self):
        """In the middle: a point that found no room is no failed point, and runs when there is."""
        folder = self.d / "s"
        keep = store_of.Store.keep
        self.addCleanup(setattr, store_of.Store, "keep", keep)

        def kept(store, task, outcome):
            if len(self.outcomes(folder)) == 5:
                outcome = worker_of.Outcome(task.id, worker_of.FAILED, "exit code 1: summary.json: "
                                            "No space left on device")
            keep(store, task, outcome)
        store_of.Store.keep = kept
        with self.assertRaisesRegex(ssdvp.ResultError, "No space left on device; make room"):
            ssdvp.sweep(SPACE, out=folder, progress=False)
        before = self.outcomes(folder)
        self.assertEqual(len(before), 5)
        store_of.Store.keep = keep
        frame = ssdvp.sweep(SPACE, out=folder, progress=False).frame
        self.assertEqual(list(frame["state"]).count("done"), 8)
        self.assertLessEqual(set(before.items()), set(self.outcomes(folder).items()))

    def test_drives_are_shared(self):
        """A preconditioned drive is made once, by whoever needs it first."""
        cache = self.d / "cache"
        os.environ["SSDVP_STATE_CACHE"] = str(cache)
        self.addCleanup(os.environ.pop, "SSDVP_STATE_CACHE")
        space = {"config": "device/small",
                 "set": {"precondition.fill": 1, "precondition.overwrite": 3,
                         "nand.blocks_per_plane": 256},
                 "options": {"requests": 200},
                 "keys": {"ftl.over_provisioning": [0.2, 0.3], "host.pcie.lanes": [1, 2, 4]}}
        done = ssdvp.sweep(space, out=self.d / "s", progress=False)
        self.assertEqual(list(done.frame["state"]), ["done"] * 6)
        made = [r.state["from"] for r in done.results()]
        self.assertEqual(sorted(made), ["cache"] * 4 + ["preconditioned"] * 2)


class Cluster(Case):
    def test_same_results(self):
        """Of two workers, one of which is killed half-way."""
        here = ssdvp.sweep(LONG, out=self.d / "here", progress=False).frame
        from dask import distributed
        from distributed.deploy import SubprocessCluster
        with SubprocessCluster(n_workers=2, threads_per_worker=1,
                               dashboard_address=None) as cluster:
            folder = self.d / "there"
            with distributed.Client(cluster) as client:
                client.wait_for_workers(2)
                victim = min(client.run(os.getpid).values())

            def kill():
                self.soon(lambda: len(self.outcomes(folder)) >= 2)
                os.kill(victim, signal.SIGKILL)
            killer = threading.Thread(target=kill)
            killer.start()
            there = ssdvp.sweep(LONG, out=folder, engine="dask", progress=False,
                                scheduler=cluster.scheduler_address).frame
            killer.join()
        self.assertEqual(list(there["state"]), ["done"] * 24)
        self.assertTrue(same(here).equals(same(there)))

    def test_all_gone(self):
        """All workers: it ends, and what is done is kept."""
        self.addCleanup(setattr, cluster_of, "_ALONE_S", cluster_of._ALONE_S)
        cluster_of._ALONE_S = 1
        from dask import distributed
        from distributed.deploy import SubprocessCluster
        with SubprocessCluster(n_workers=1, threads_per_worker=1, dashboard_address=None,
                               worker_kwargs={"nanny": False}) as cluster:
            with distributed.Client(cluster) as client:
                client.wait_for_workers(1)
            folder = self.d / "there"

            def kill():
                self.soon(lambda: len(self.outcomes(folder)) >= 2)
                cluster.workers[0].process.kill()
            killer = threading.Thread(target=kill)
            killer.start()
            with self.assertRaisesRegex(ssdvp.Error, "no worker; what is done is kept"):
                ssdvp.sweep(LONG, out=folder, engine="dask", progress=False,
                            scheduler=cluster.scheduler_address)
            killer.join()
        self.assertGreaterEqual(len(self.outcomes(folder)), 2)
        states = {json.loads(f.read_text())["state"] for f in folder.glob("points/*/outcome.json")}
        self.assertEqual(states, {"done"})

    def test_refused(self):
        self.addCleanup(setattr, cluster_of, "_REACH_S", cluster_of._REACH_S)
        cluster_of._REACH_S = 1
        with self.assertRaisesRegex(ssdvp.Error, "no scheduler answers at tcp://127.0.0.1:9"):
            ssdvp.sweep(SPACE, out=self.d / "s", engine="dask", scheduler="tcp://127.0.0.1:9",
                        progress=False)
        with socket.create_server(("127.0.0.1", 0)) as mute:  # takes a connection, says nothing
            address = f"tcp://127.0.0.1:{mute.getsockname()[1]}"
            with self.assertRaisesRegex(ssdvp.Error, f"no scheduler answers at {address}"):
                ssdvp.sweep(SPACE, out=self.d / "s", engine="dask", scheduler=address,
                            progress=False)
        named = self.d / "cluster.json"
        with self.assertRaisesRegex(ssdvp.Error, "no scheduler is named in .*cluster.json: "):
            ssdvp.sweep(SPACE, out=self.d / "s", engine="dask", scheduler=str(named),
                        progress=False)
        named.write_text('{"address": "tcp://127.0.0.1:9"}', encoding="utf-8")
        with self.assertRaisesRegex(ssdvp.Error, "no scheduler answers at tcp://127.0.0.1:9"):
            ssdvp.sweep(SPACE, out=self.d / "s", engine="dask", scheduler=str(named),
                        progress=False)
        from distributed.deploy import SubprocessCluster
        with SubprocessCluster(n_workers=0, dashboard_address=None) as cluster:
            with self.assertRaisesRegex(ssdvp.Error, "has no worker; start some"):
                ssdvp.sweep(SPACE, out=self.d / "s", engine="dask", progress=False,
                            scheduler=cluster.scheduler_address)
        with self.assertRaisesRegex(ssdvp.Error, "a scheduler is for engine dask"):
            ssdvp.sweep(SPACE, out=self.d / "s", scheduler="tcp://127.0.0.1:9")


class Optimisation(Case):
    def test_front(self):
        found = optimise(self.d / "o", 16)
        self.assertEqual(list(found.trials["trial"]), list(range(16)))  # whatever where left out
        trials, front = found.trials, found.front
        self.assertEqual(len(trials), 16)
        done = trials[(trials["state"] == "complete") & trials["allowed"]]
        names = list(GOALS)
        for _, row in done.iterrows():
            better = [(done[n] <= row[n]) for n in names]
            strictly = (done[names[0]] < row[names[0]]) | (done[names[1]] < row[names[1]])
            self.assertEqual((better[0] & better[1] & strictly).any(), not row["pareto"])
        self.assertGreater(len(front), 1)
        for _, row in trials.iterrows():
            self.assertLessEqual(row["flash.channels"] * row["flash.luns_per_channel"], 4)
            if row["state"] == "complete":
                clock = float(str(row["cpu.clock"]).removesuffix("GHz")) * 10
                self.assertAlmostEqual(row["cost.dollars"], clock + 2 * row["flash.channels"]
                                       * row["flash.luns_per_channel"])
        self.assertIn("pruned", set(trials["state"]))
        self.assertIn("The front", found.to_report().read_text(encoding="utf-8"))

    def test_anywhere_and_killed(self):
        """The same trials here, and on two workers after kill -9 of who drives it."""
        here = optimise(self.d / "here", 16).trials
        folder = self.d / "there"
        self.killed(driver_of(folder, 16), lambda: len(self.outcomes(folder)) >= 11)
        self.assertLess(len(self.outcomes(folder)), 28)
        there = optimise(folder, 16, engine="dask", jobs=2).trials
        self.assertTrue(here.equals(there), f"{here}\n{there}")

    def test_options_act(self):
        tpe = optimise(self.d / "tpe", 10).trials
        other = optimise(self.d / "random", 10, sampler="random").trials
        seeded = optimise(self.d / "seed", 4, seed=2).trials
        all_run = ssdvp.optimise(GOALS, WANTED, CHOICE, trials=16, costs=COSTS, out=self.d / "long",
                                 progress=False).trials
        self.assertFalse(tpe.equals(other))
        self.assertFalse(tpe[:4].equals(seeded))
        self.assertNotIn("pruned", set(all_run["state"]))  # as with a short run: test_front
        self.assertEqual(len(optimise(self.d / "tpe", 11).trials), 11)

    def test_refused(self):
        optimise(self.d / "o", 8)
        with self.assertRaisesRegex(ssdvp.ResultError, "holds another study"):
            optimise(self.d / "o", 8, seed=2)
        with self.assertRaisesRegex(ssdvp.ResultError, "cannot be used"):
            optimise(self.d / "p", 8, storage="sqlite:////no/such/folder/study.db")
        with self.assertRaisesRegex(ssdvp.ConfigError, "there are tpe, nsga2, random"):
            optimise(self.d / "q", 8, sampler="annealing")
        for wrong in ({"margin": -1}, {"trials": "lots"}, {"seed": 1.5}, {"short": {"x": 1}}):
            with self.assertRaisesRegex(ssdvp.ConfigError, next(iter(wrong))):
                ssdvp.optimise(GOALS, WANTED, CHOICE, costs=COSTS, out=self.d / "r", **wrong)
        with self.assertRaisesRegex(ssdvp.ConfigError, "may contradict each other"):
            ssdvp.optimise(GOALS, [], {**CHOICE, "where": ["flash.channels > 4"]}, costs=COSTS,
                           out=self.d / "r", progress=False)


class WhatIf(Case):
    reads = {"workload.0.read_fraction": 1, "workload.0.pattern": "uniform", "precondition.fill": 1}

    def runs(self, name, **keys):
        return [ssdvp.run("device/small", requests=1500, seed=s, out=self.d / f"{name}{s}",
                          set={**self.reads, **keys}) for s in (1, 2, 3)]

    def test_compare(self):
        slower = {"nand.tR": "200us"}
        found = ssdvp.compare(self.runs("a"), self.runs("b", **slower))
        self.assertEqual(set(found.keys), {"nand.tR"})
        mean = found.significant().set_index("metric").loc["reads: mean latency"]
        self.assertGreater(mean["change"], 0)
        parts = found.parts
        self.assertEqual(set(parts["part"][:2]), {"array", "wait_read"})
        # Parts of the mean latency add up to its change.
        self.assertAlmostEqual(parts["change_ns"].sum(), mean["b"] - mean["a"], delta=1.0)
        same_side = self.runs("c")
        again = ssdvp.compare(same_side, self.runs("d"))
        self.assertEqual(len(again.significant()), 0)
        with self.assertRaisesRegex(ssdvp.Error, "these runs are of 2"):
            ssdvp.compare(same_side + self.runs("e", **slower), same_side)

    def test_saturate(self):
        """The first number of cycles at which the core limits, and not just one of those tried."""
        found = ssdvp.saturate("device/small", "cpu.cycles_per_instruction", [1, 2, 64],
                               out=self.d / "s", options={"requests": 1500}, progress=False,
                               set={**self.reads, "cpu.core": "flat", "workload.0.queue_depth": 64})
        self.assertEqual((found.before, found.after), ("luns", "core 0"))
        tried = found.tried.set_index("value")
        self.assertEqual(tried["resource"][found.value - 1], "luns")
        self.assertEqual(tried["resource"][found.value], "core 0")
        none = ssdvp.saturate("device/small", "cpu.cycles_per_instruction", [1, 2],
                              out=self.d / "s", options={"requests": 1500}, progress=False,
                              set={**self.reads, "cpu.core": "flat", "workload.0.queue_depth": 64})
        self.assertEqual((none.value, none.after), (None, None))

    def test_slo(self):
        found = ssdvp.slo("device/small", "p99 read <= 500us", low=5000, high=100_000,
                          precision=0.1, set=self.reads, options={"requests": 2000},
                          out=self.d / "s", progress=False)
        self.assertTrue(5000 < found.rate < found.failed < 100_000)
        self.assertLessEqual(found.failed - found.rate, 0.1 * found.rate)
        self.assertLessEqual(found.confident, found.rate)
        tried = found.tried.set_index("rate")
        self.assertLessEqual(tried.loc[found.rate, "latency_ns"], 500_000)
        self.assertGreater(tried.loc[found.failed, "latency_ns"], 500_000)
        too_much = ssdvp.slo("device/small", "max read <= 10us", low=5000, high=10_000,
                             set=self.reads, options={"requests": 200}, out=self.d / "t",
                             progress=False)
        self.assertEqual((too_much.rate, too_much.failed), (0.0, 5000))
        with self.assertRaisesRegex(ssdvp.ConfigError, "write for example: p99.9 read <= 500us"):
            ssdvp.slo("device/small", "fast", low=1, high=2)


if __name__ == "__main__":
    unittest.main(defaultTest=CASE)
