#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs MQSim and ssdvp on the same loads, in turns on one core, and prints requests per second of
processor time: of the difference of two lengths of run, so that what comes before counts for
neither. MQSim is the user's own, built in a folder (https://github.com/CMU-SAFARI/MQSim, make).

Usage: bench_beside.py SSDVP MQSIM_FOLDER [--rounds N] [--case NAME]..."""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

from bench_cases import CASES, DRIVE, options

SECTOR = 512
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


def write_device(folder, case, to):
    """It maps what is read without preconditioning, which takes it minutes."""
    device = tree.parse(folder / "ssdconfig.xml")
    collects = "true" if case.overwritten else "false"
    for key, value in {**DEVICE, "Enabled_Preconditioning": collects}.items():
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


def processor_seconds(words, folder):
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
    return usage.ru_utime + usage.ru_stime


def rate(run, case):
    """Requests a second by the difference of two lengths."""
    few = case.requests // 5
    took = run(case, case.requests) - run(case, few)
    return (case.requests - few) / max(took, 1e-9)


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
            write_device(arguments.mqsim, case, folder / "device.xml")
            write_load(case, requests, folder / "load.xml")
            return processor_seconds([program, "-i", folder / "device.xml", "-w",
                                      folder / "load.xml"], folder)

        def ours(case, requests):
            return processor_seconds([arguments.ssdvp.resolve(), "run", DRIVE,
                                      *options(case, requests), "--out", folder / "out"], folder)

        print(f"{'case':38}  {'ssdvp/s':>10}  {'MQSim/s':>10}  {'ratio':>6}  wanted")
        short = 0
        for key in arguments.case or CASES:
            case = CASES[key]
            pairs = [(rate(ours, case), rate(theirs, case)) for _ in range(arguments.rounds)]
            ratio = statistics.median(a / b for a, b in pairs)
            mine, other = (statistics.median(side) for side in zip(*pairs))
            short += ratio < case.at_least
            print(f"{case.title:38}  {mine:>10,.0f}  {other:>10,.0f}  {ratio:>6.2f}  "
                  f">= {case.at_least:g}", flush=True)
    print(f"{short} of {len(arguments.case or CASES)} below what is wanted")


if __name__ == "__main__":
    main()
