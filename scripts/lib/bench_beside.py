#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs MQSim and ssdvp on the same loads, in turns on one core, and prints requests per second of
user time: of the difference of two lengths of run, so that what comes before counts for neither.
The work has to be equal: each side serves all requests, and their write amplification differs by
10 % at most; else there is no ratio, and the reason is printed. MQSim is the user's own, built in a
folder (https://github.com/CMU-SAFARI/MQSim, make).

Usage: bench_beside.py SSDVP MQSIM_FOLDER [--rounds N] [--case NAME]..."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import typing
import xml.etree.ElementTree as tree

from bench_cases import CASES, DRIVE, options

SECTOR = 512
UNIT = 4096        # bytes that ssdvp's map knows
MOST_APART = 1.1   # of the write amplifications: more is not the same work
# The drive of experiment/mlc-64gib: MQSim's own configuration but for these.
DEVICE = {"Block_No_Per_Plane": 256, "Ideal_Mapping_Table": "true",
          "Page_Capacity": 8192, "Flash_Channel_Count": 8,
          "Chip_No_Per_Channel": 4, "Die_No_Per_Chip": 2, "Plane_No_Per_Die": 2,
          "Page_No_Per_Block": 256, "Overprovisioning_Ratio": 0.07}


def flow(case, requests):
    """One IO flow that uses the whole drive."""
    return {
        "Priority_Class": "HIGH", "Device_Level_Data_Caching_Mode": "WRITE_CACHE",
        "Channel_IDs": "0,1,2,3,4,5,6,7", "Chip_IDs": "0,1,2,3", "Die_IDs": "0,1",
        "Plane_IDs": "0,1", "Initial_Occupancy_Percentage": 100, "Working_Set_Percentage": 100,
        "Synthetic_Generator_Type": "QUEUE_DEPTH", "Read_Percentage": case.read_percent,
        "Address_Distribution": "STREAMING" if case.sequential else "RANDOM_UNIFORM",
        "Percentage_of_Hot_Region": 0, "Generated_Aligned_Addresses": "true",
        "Address_Alignment_Unit": min(case.block, 4096) // SECTOR,
        "Request_Size_Distribution": "FIXED", "Average_Request_Size": case.block // SECTOR,
        "Variance_Request_Size": 0, "Seed": 798, "Average_No_of_Reqs_in_Queue": case.queue_depth,
        "Intensity": 32768, "Stop_Time": 0, "Total_Requests_To_Generate": requests,
    }


def write_device(folder, to):
    """What is read without preconditioning it maps."""
    device = tree.parse(folder / "ssdconfig.xml")
    for key, value in {**DEVICE, "Enabled_Preconditioning": "false"}.items():
        found = device.getroot().find(f".//{key}")
        if found is None:
            sys.exit(f"{folder}/ssdconfig.xml: has no {key}; use the file that MQSim comes with")
        found.text = str(value)
    device.write(to)


def write_load(case, requests, to):
    root = tree.Element("MQSim_IO_Scenarios")
    parent = tree.SubElement(tree.SubElement(root, "IO_Scenario"),
                             "IO_Flow_Parameter_Set_Synthetic")
    for key, value in flow(case, requests).items():
        tree.SubElement(parent, key).text = str(value)
    tree.ElementTree(root).write(to)


def user_seconds(words, folder):
    """Of a process on the first core that this one may use."""
    core = min(os.sched_getaffinity(0))
    with open(folder / "said", "wb") as said:
        child = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=said,
                                 stderr=said,
                                 preexec_fn=lambda: os.sched_setaffinity(0, {core}))
        _, status, usage = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        text = (folder / "said").read_text(errors="replace")
        sys.exit(f"{' '.join(map(str, words))}: exit code "
                 f"{os.waitstatus_to_exitcode(status)}\n{text[-2000:]}")
    return usage.ru_utime


class Work(typing.NamedTuple):
    """What a run did. Units are those of the map: 4 KiB here, a page of MQSim's, of which a write
    of 4 KiB takes all."""
    seconds: float
    requests: int
    written: float     # units by the host
    programmed: float  # units


class UnequalWork(Exception):
    """There is nothing to compare."""


def work_of_theirs(seconds, case, results):
    """Of a file of results of MQSim."""
    root = tree.parse(results).getroot()
    flow = root.find(".//Host.IO_Flow")
    ftl = root.find(".//SSDDevice.FTL")
    pages_of_write = -(-case.block // DEVICE["Page_Capacity"])
    pages = sum(int(ftl.get(f"Issued_Flash_{kind}Program_CMD")) * planes
                for kind, planes in (("", 1), ("Interleaved_", 1), ("Multiplane_", 2),
                                     ("Interleaved_Multiplane_", 2), ("Copyback_", 1),
                                     ("Multiplane_Copyback_", 2)))
    return Work(seconds, int(flow.find("Request_Count").text),
                int(flow.find("Write_Request_Count").text) * pages_of_write, pages)


def work_of_ours(seconds, summary):
    told = json.loads(summary.read_text())
    return Work(seconds, sum(kind["requests"] for kind in told["host"].values()),
                told["host"].get("write", {"bytes": 0})["bytes"] / UNIT,
                told["flash"]["bytes_programmed"] / UNIT)


def amplification(more, less):
    """Of the requests that the longer run has more."""
    written = more.written - less.written
    return (more.programmed - less.programmed) / written if written else 0.0


class Rate(typing.NamedTuple):
    a_second: float
    amplification: float


def rate(run, case, name):
    """Requests a second by the difference of two lengths."""
    few = case.requests // 5
    more, less = run(case, case.requests), run(case, few)
    for done, asked in ((more, case.requests), (less, few)):
        if done.requests != asked:
            raise UnequalWork(f"{name} serves {done.requests:,} of {asked:,} requests, and ends")
    return Rate((case.requests - few) / max(more.seconds - less.seconds, 1e-9),
                amplification(more, less))


def need_equal_work(ours, theirs):
    """Precondition: both are Rates of one case."""
    least, most = sorted((ours.amplification, theirs.amplification))
    if most > MOST_APART * least:
        raise UnequalWork(f"ssdvp programs {ours.amplification:.2f} units for each of the host's, "
                          f"MQSim {theirs.amplification:.2f}")


def pair(ours, theirs, case):
    """A Rate of each."""
    mine, other = rate(ours, case, "ssdvp"), rate(theirs, case, "MQSim")
    need_equal_work(mine, other)
    return mine, other


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("ssdvp", type=pathlib.Path)
    parser.add_argument("mqsim", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--case", action="append", choices=sorted(CASES))
    arguments = parser.parse_args()
    program = (arguments.mqsim / "MQSim").resolve()
    if not os.access(program, os.X_OK):
        sys.exit(f"{arguments.mqsim}: no program MQSim there; build it with `make` in a clone of "
                 "https://github.com/CMU-SAFARI/MQSim, and name that folder")
    with tempfile.TemporaryDirectory(prefix="ssdvp bench ") as name:
        folder = pathlib.Path(name)

        def theirs(case, requests):
            write_device(arguments.mqsim, folder / "device.xml")
            write_load(case, requests, folder / "load.xml")
            seconds = user_seconds([program, "-i", folder / "device.xml", "-w",
                                    folder / "load.xml"], folder)
            return work_of_theirs(seconds, case, folder / "load_scenario_1.xml")

        def ours(case, requests):
            seconds = user_seconds([arguments.ssdvp.resolve(), "run", DRIVE,
                                    *options(case, requests), "--out", folder / "out"], folder)
            return work_of_ours(seconds, folder / "out" / "summary.json")

        print(f"{'case':38}  {'ssdvp/s':>10}  {'MQSim/s':>10}  {'ratio':>6}  {'wanted':7}  "
              "units programmed for one of the host's")
        short = unequal = 0
        for key in arguments.case or CASES:
            case = CASES[key]
            ours(case, case.requests // 5)  # keeps the drive's state for the others
            try:
                pairs = [pair(ours, theirs, case) for _ in range(arguments.rounds)]
            except UnequalWork as e:
                unequal += 1
                print(f"{case.title:38}  no ratio: {e}", flush=True)
                continue
            ratio = statistics.median(a.a_second / b.a_second for a, b in pairs)
            mine, other = (statistics.median(each.a_second for each in side)
                           for side in zip(*pairs))
            short += ratio < case.at_least
            print(f"{case.title:38}  {mine:>10,.0f}  {other:>10,.0f}  {ratio:>6.2f}  "
                  f">= {case.at_least:<4g}  {pairs[-1][0].amplification:.2f}, "
                  f"{pairs[-1][1].amplification:.2f}", flush=True)
    print(f"{short} of {len(arguments.case or CASES)} below what is wanted, {unequal} not compared")


if __name__ == "__main__":
    main()
