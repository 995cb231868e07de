#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The code behind scripts/reproduce: its command line, the lengthening of a trace, and a quick run
of each experiment, whose figures are the committed ones.

Usage: reproduction_test.py ROOT SSDVP SSDVP_CELLS usage|trace|board|EXPERIMENT
Without matplotlib the experiments exit with 77, which ctest counts as skipped."""
import csv
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77


def check_command_line():
    """What is wrong is told before anything runs."""
    for words, told in ((["suspend", "--part", "ozone"], "suspend has no ozone"),
                        (["suspend", "--tpcc", "/nowhere"], "there is no file /nowhere"),
                        (["nothing"], "invalid choice")):
        done = subprocess.run([sys.executable, "-B", "-m", "reproduction", *words],
                              env={**os.environ, "PYTHONPATH": sys.path[0]},
                              capture_output=True, text=True, check=False)
        assert done.returncode == 2 and told in done.stderr, done


def check_trace():
    from reproduction import tpcc
    gib = tpcc.REGION
    records = [tpcc.Record(1000, 7, 5, 16, 1), tpcc.Record(3000, 3, gib + 9, 8, 0)]
    drive = gib  # two devices of 2 GiB each on 1 GiB: a quarter
    made = list(tpcc.lengthened(records, drive, 6))
    assert [r.time_ns for r in made] == [0, 2000, 4000, 6000, 8000, 10000]
    assert [r.op for r in made] == [1, 0] * 3 and [r.sectors for r in made] == [16, 8] * 3
    assert all(r.device == 0 and 0 <= r.sector <= drive - r.sectors for r in made)
    assert [r.sector % 8 for r in made] == [5, 1] * 3, "the place within 4 KiB stays"
    # Device 7 is the second one: its GiB begins at half of the drive and has a quarter of it.
    assert all(drive // 2 - 8 <= r.sector < drive * 3 // 4 for r in made[::2])
    assert all(drive // 4 - 8 <= r.sector < drive // 2 for r in made[1::2])
    assert len({r.sector for r in made[::2]}) == 3, "no turn repeats another one's positions"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "t.mqsim"
        tpcc.write_trace(path, records)
        assert tpcc.read_trace(path) == records


def check_data(name, parts, out):
    """Plots and data are there, as many as were committed."""
    from reproduction import results
    committed = results.read_json(results.RESULTS / "quick.json")[name]
    for part in parts:
        assert committed[part]["files"], part
        for file in committed[part]["files"]:
            with (out / file).open(encoding="utf-8", newline="") as rows:
                assert len(list(csv.reader(rows))) >= 3, file
    plots = list(out.glob("*.png"))
    assert plots and all(plot.stat().st_size > 10_000 for plot in plots)
    assert all(plot.with_suffix(".csv").is_file() for plot in plots)


def check_run(name, cells):
    """An experiment in quick mode: the claims that bind hold, and each figure is as committed, to
    the digits that are told. Their cores are flat, so a line of firmware moves none of them."""
    from reproduction import __main__ as command
    from reproduction.experiments import EXPERIMENTS
    os.environ.pop("SSDVP_TPCC", None)
    parts = [part for part in EXPERIMENTS[name] if part != "cells" or pathlib.Path(cells).is_file()]
    with tempfile.TemporaryDirectory() as folder:
        code = command.main([name, "--quick", "--jobs", "2", "--out", folder,
                             *(word for part in parts for word in ("--part", part))])
        assert code == 0, (
            f"exit code {code}. If the figures are meant to change: scripts/reproduce {name} "
            "--quick --keep, in a commit of its own that says why")
        check_data(name, parts, pathlib.Path(folder))


def check_board():
    """ssdvp_cells: what its options move, and what it refuses."""
    from reproduction import cells
    one, two = (cells.board((cells.asking(5),), blocks) for blocks in (1, 2))
    assert (one["suspends"], two["suspends"]) == (5, 10) and two["bits"] == 2 * one["bits"]
    assert cells.board((cells.asking(5),), 1, 365)["wrong_bits"] > 2 * one["wrong_bits"]
    command = [os.environ["SSDVP_CELLS"], "experiment/suspend-cells"]
    for more, code, words in (([], 1, "needs flash.suspend.limit"),
                              (["--blocks", "32"], 1, "the part has fewer"),
                              (["--set", "nand.tR=40"], 2, "has no unit")):
        done = subprocess.run(command + more, capture_output=True, text=True, check=False)
        assert done.returncode == code and words in done.stderr, done


def main():
    root, ssdvp, cells, case = sys.argv[1:]
    drawn = case not in ("usage", "trace", "board")
    if drawn and importlib.util.find_spec("matplotlib") is None:
        print("no matplotlib: the figures cannot be drawn")
        return SKIPPED
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(pathlib.Path(root) / "papers"))
    os.environ.update(SSDVP=ssdvp, SSDVP_CELLS=cells)
    if case == "usage":
        check_command_line()
    elif case == "trace":
        check_trace()
    elif case == "board":
        check_board()
    else:
        check_run(case, cells)
    return 0


if __name__ == "__main__":
    sys.exit(main())
