#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where the mean latency of reads differs between a run of ssdvp and one of MQSim, item by item.

Usage: second_opinion.py RESULT_DIR MQSIM_RESULT.xml"""

import dataclasses
import json
import pathlib
import re
import sys
import xml.etree.ElementTree as tree

NS = {"ps": 1e-3, "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
WHOLE = 1000.0  # ns: MQSim writes whole microseconds, cut off
LUN_WAITS = ("wait_read", "wait_program", "wait_erase", "wait_gc")


class Refused(Exception):
    """The two runs cannot be compared; the text says why and what to do."""


@dataclasses.dataclass
class Ours:
    """A run of ssdvp, in ns."""
    mean: float
    size: float  # bytes of a read
    parts: dict
    keys: dict  # of config.resolved.yaml, as text

    def time(self, key):
        """The key in ns; None: it has no single time."""
        found = re.fullmatch(r"([0-9.e+-]+)(ps|ns|us|ms|s)", self.keys.get(key, ""))
        return float(found[1]) * NS[found[2]] if found else None


@dataclasses.dataclass
class Theirs:
    """A run of MQSim, in ns, each figure up to WHOLE less than the true one."""
    mean: float
    size: float
    turnaround: float  # of a flash transaction
    execution: float
    transfer: float
    waiting: float


def yaml_keys(text):
    """Keys with dots; those of a list's entries have all their values, with commas between."""
    keys, path = {}, []
    for line in text.splitlines():
        found = re.fullmatch(r"( *)(- )?([\w]+):(?: (.*))?", line)
        if not found:
            continue
        indent = len(found[1]) + len(found[2] or "")
        while path and path[-1][0] >= indent:
            path.pop()
        name = ".".join([p for _, p in path] + [found[3]])
        path.append((indent, found[3]))
        value = (found[4] or "").strip().strip('"')
        keys[name] = f"{keys[name]},{value}" if name in keys else value
    return keys


def read_ours(folder):
    try:
        summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
        keys = yaml_keys((folder / "config.resolved.yaml").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Refused(f"{folder}: {error}; name the folder of a finished run") from error
    host = summary.get("host", {})
    kinds = [k for k in ("read", "write", "trim", "flush") if k in host]
    if kinds != ["read"]:
        raise Refused(f"{folder}: has {', '.join(kinds) or 'no requests'}; run reads alone")
    if keys.get("host.interface") != "nvme":
        raise Refused(f"{folder}: is a run with host.interface {keys.get('host.interface')}; "
                      "run it with nvme")
    if keys.get("workload.queue_depth") != "1":
        raise Refused(f"{folder}: is not of one stream with one request at a time; run it with "
                      "queue_depth 1")
    read = host["read"]
    return Ours(read["latency_ns"]["mean"], read["bytes"] / read["requests"], read["parts_ns"],
                keys)


def figure(root, name, path):
    found = root.findall(f".//{name}")
    if len(found) != 1:
        raise Refused(f"{path}: has {len(found)} elements {name}; give a result of MQSim with one "
                      "flow")
    try:
        return float(found[0].text)
    except (TypeError, ValueError) as error:
        raise Refused(f"{path}: {name} is no number: {found[0].text}") from error


def read_theirs(path):
    try:
        root = tree.parse(path).getroot()
    except (OSError, tree.ParseError) as error:
        raise Refused(f"{path}: {error}; name the result that MQSim wrote") from error
    reads = figure(root, "Read_Request_Count", path)
    if reads == 0 or figure(root, "Write_Request_Count", path) != 0:
        raise Refused(f"{path}: is not of reads alone")
    read = "Average_Read_Transaction_"
    return Theirs(figure(root, "Device_Response_Time", path) * WHOLE,
                  figure(root, "Bytes_Transferred_Read", path) / reads,
                  *(figure(root, f"{read}{what}_Time", path) * WHOLE
                    for what in ("Turnaround", "Execution", "Transfer", "Waiting")))


@dataclasses.dataclass
class Item:
    name: str
    ours: float
    theirs: float  # 0: MQSim has no such thing, or counts it elsewhere
    told: str  # where the figures are from


def flash_items(ours, theirs):
    parts = ours.parts
    array, command = parts["array"], "Average_Read_Transaction_"
    t_read = ours.time("nand.tR")
    if t_read is None or t_read > array:
        yield Item("flash array", array, theirs.execution, f"part array; {command}Execution_Time")
    else:
        yield Item("flash array: tR", t_read, theirs.execution,
                   f"nand.tR; {command}Execution_Time")
        yield Item("flash array: tWB", array - t_read, 0.0, "part array without nand.tR")
    yield Item("cycles on the flash bus", parts["bus"], theirs.transfer,
               f"part bus; {command}Transfer_Time")
    yield Item("waiting for a LUN", sum(parts[w] for w in LUN_WAITS), theirs.waiting,
               f"parts wait_*; {command}Waiting_Time")
    yield Item("ECC", parts["ecc"], 0.0, "part ecc")
    yield Item("DRAM", parts["dram"], 0.0, "part dram")


def items_of(ours, theirs):
    """They sum to the mean latency: of ours by the identity of the parts."""
    parts = ours.parts
    submit = ours.time("host.driver.submit_latency") or 0.0
    complete = ours.time("host.driver.complete_latency") or 0.0
    items = list(flash_items(ours, theirs))
    items.append(Item("link: command and data", parts["link"], theirs.mean - theirs.turnaround,
                      "part link; Device_Response_Time without the turnaround"))
    items.append(Item("link: CQE and MSI-X", parts["completion"] - complete, 0.0,
                      "part completion without host.driver.complete_latency"))
    items.append(Item("driver", submit + complete, 0.0, "host.driver.*_latency"))
    items.append(Item("front end", parts["front_end"], 0.0, "part front_end"))
    named = {"array", "bus", "ecc", "dram", "link", "completion", "front_end", *LUN_WAITS}
    firmware = sum(ns for part, ns in parts.items() if part not in named)
    items.append(Item("firmware and waiting for it", firmware - submit, 0.0,
                      "the other parts without host.driver.submit_latency"))
    return items


def table(ours, theirs):
    items = items_of(ours, theirs)
    whole = ours.mean - theirs.mean
    lines = [f"Mean latency of a read of {ours.size:,.0f} bytes, one at a time: ssdvp "
             f"{ours.mean:,.1f} ns, MQSim {theirs.mean:,.0f} ns", "",
             f"{'item':28} {'ssdvp ns':>10} {'MQSim ns':>10} {'difference':>10}  from"]
    for i in items:
        lines.append(f"{i.name:28} {i.ours:>10,.1f} {i.theirs:>10,.1f} "
                     f"{i.ours - i.theirs:>+10,.1f}  {i.told}")
    explained = sum(i.ours - i.theirs for i in items)
    lines += [f"{'explained':28} {'':>10} {'':>10} {explained:>+10,.1f}",
              f"{'unexplained':28} {'':>10} {'':>10} {whole - explained:>+10,.1f}",
              f"{'together':28} {ours.mean:>10,.1f} {theirs.mean:>10,.1f} {whole:>+10,.1f}", "",
              "MQSim writes whole us, cut off: each figure that it has may be up to 1,000 ns more, "
              "and the",
              f"whole difference lies between {whole - WHOLE:+,.1f} and {whole:+,.1f} ns."]
    return "\n".join(lines)


def main():
    ours, theirs = read_ours(pathlib.Path(sys.argv[1])), read_theirs(pathlib.Path(sys.argv[2]))
    if ours.size != theirs.size:
        raise Refused(f"a read has {ours.size:,.0f} bytes here and {theirs.size:,.0f} in MQSim; "
                      "give both the same load")
    print(table(ours, theirs))


if __name__ == "__main__":
    try:
        main()
    except Refused as refusal:
        sys.exit(print(f"second-opinion: error: {refusal}", file=sys.stderr) or 2)
