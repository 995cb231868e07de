#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No option is silent: each, given another value, changes a run, or is named or refused. Those of
streams, traces and arrays all change one.

Usage: options_test.py SSDVP
"""

import concurrent.futures
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SSDVP = sys.argv[1]
# A drive that collects garbage under reads, writes and trims; small, for there are many runs.
BASE = """
extends: device/small
precondition: {fill: 1, overwrite: 0.3}
run.requests: 600
cache: {capacity: 2MiB}
workload:
  - {read_fraction: 0.5, trim_fraction: 0.05, queue_depth: 24, block_size: 64KiB}
"""
# Values where the one next to the default would not be legal, or not show; then what else it takes.
SLC = ["nand.slc_mode.tR=20us", "nand.slc_mode.tPROG=200us", "nand.slc_mode.tBERS=3ms"]
TWO_PASS = SLC + ["nand.two_pass=true"]
SLC_CACHE = SLC + ["ftl.slc_cache.static=4MiB"]
SAMPLED = ["workload.trim_fraction=0", "workload.read_fraction=1", "run.sampling.windows=9",
           "run.requests=3000"]
PAUSES = ["workload.queue_depth=default", "workload.rate=2000/s"]
SLC_RESTS = PAUSES + ["ftl.slc_cache.idle=50us"] + SLC_CACHE
EMPTY = ["precondition.fill=0", "precondition.overwrite=0"]
ERRORS = ["nand.errors.rber=1e-4", "nand.pe_cycles=1000"]
LOG_SET = ["ftl.scheme=log_set"]
HMB = ["ftl.scheme=dftl", "ftl.map_memory=hmb", "ftl.map_cache=64KiB", "ftl.map_unit=512B",
       "workload.block_size=4KiB", "precondition.overwrite=0"]
BLOCKS = LOG_SET + ["ftl.log_set.unit=block", "ftl.stripe=block", "ftl.map_unit=16KiB",
                    "precondition.overwrite=0"]
STATES = ["energy.core.active=1W", "power.states.max_power=[4,2]"]
VALUES = {
    "cpu.cores": ["2"],
    "cpu.ftl_cores": ["2"],
    "cpu.dcache.size": ["32KiB"],
    "cpu.icache.size": ["8KiB"],
    "cpu.tlb.entries": ["16"],
    "interconnect.width": ["64"],
    "cpu.roles": ["flash_apart", "cpu.cores=2"],
    "cpu.timing.system": ["50", "cpu.cores=2"],
    "cpu.watchdog": ["1ms", "cpu.core=flat", "cpu.clock=1MHz", "cpu.instructions_per_call=20000"],
    "dram.rate": ["800MT/s"],
    "flash.arbiter": ["sequential"],
    "flash.ecc.codeword": ["4KiB", "workload.block_size=512B"],
    "flash.ecc.correctable": ["50"],
    "flash.ecc.kind": ["none"],
    "flash.ecc.soft_correctable": ["90", "flash.ecc.kind=ldpc"],
    "flash.erase.loop_time": ["9ms", "nand.tBERS=default"],
    "flash.erase.loops": ["2", "nand.tBERS=default", "flash.erase.loop_time=3ms"],
    "flash.erase.loops_fresh": ["2", "flash.erase.loops=4"],
    "flash.erase.loops_spread": ["1", "flash.erase.loops=4"],
    "flash.join_planes": ["true", "ftl.multi_plane=false"],
    "flash.queue_entries": ["2"],
    "flash.spare_area": ["page_end", "workload.block_size=4KiB", "workload.read_fraction=0",
                         "run.requests=4000"],
    "flash.suspend.safe_points": ["9"],
    "host.nvme.lookup": ["true", "workload.block_size=4KiB"],
    "host.nvme.lookup_time": ["2us", "host.nvme.lookup=true", "workload.block_size=4KiB"],
    "ftl.bast.log_blocks": ["9"],
    "ftl.checkpoint_interval": ["64KiB"],
    "ftl.fast.random_log_blocks": ["9"],
    "ftl.kast.log_blocks": ["9"],
    "ftl.last.hot_log_blocks": ["9"],
    "ftl.last.hot_window": ["9"],
    "ftl.last.random_log_blocks": ["9"],
    "ftl.last.sequential_log_blocks": ["9"],
    "ftl.sast.log_blocks": ["9"],
    "ftl.sast.set_log_blocks": ["1"],
    "ftl.dftl.batch": ["false", "ftl.scheme=dftl"],
    "ftl.log_set.invalid_threshold": ["0.1"] + LOG_SET,
    "ftl.log_set.map_policy": ["fifo"] + LOG_SET,
    "ftl.log_set.map_streams": ["per_level"] + LOG_SET,
    "ftl.log_set.unit": ["block"] + LOG_SET + ["ftl.stripe=block", "ftl.map_unit=16KiB"],
    "ftl.log_set.upper_cache": ["64KiB"] + LOG_SET,
    "ftl.log_set.upper_policy": ["fifo", "ftl.log_set.upper_cache=8KiB", "ftl.map_unit=512B",
                                 "workload.block_size=4KiB", "run.requests=3000"] + LOG_SET +
                                EMPTY,
    "ftl.log_set.w_log": ["4"] + BLOCKS,
    "ftl.log_set.w_threshold": ["2", "ftl.log_set.w_log=4"] + BLOCKS,
    "ftl.hmb.minimum": ["1MiB", "host.nvme.hmb.size=1MiB", "host.nvme.hmb.chunk=16KiB"] + HMB,
    "ftl.hmb.preferred": ["64KiB"] + HMB,
    "ftl.map_memory": ["sram", "ftl.scheme=dftl"],
    "host.nvme.hmb.size": ["64KiB"] + HMB,
    "host.nvme.hmb.chunk": ["4KiB"] + HMB,
    "host.nvme.hmb.away": ["1ms"] + HMB,
    "host.nvme.hmb.back": ["1ms", "host.nvme.hmb.away=1ms"] + HMB,
    "host.nvme.hmb.overwrite": ["1ms"] + HMB,
    "ftl.map_cache": ["1MiB", "ftl.scheme=dftl"],
    "ftl.map_share": ["0.5", "ftl.scheme=dftl"],
    "ftl.msbs.spare_pages": ["9"],
    "ftl.over_provisioning": ["0.3"],
    "ftl.patrol.interval": ["20ms"],
    "ftl.placement": ["channel_die"],
    "ftl.refresh.reads": ["2"],
    "ftl.refresh.retire": ["2", "ftl.refresh.corrected_bits=9"],
    "ftl.refresh.retry_level": ["1", "nand.errors.retry_gain=[0.5]"],
    "ftl.scheme": ["dftl"],
    "ftl.slc_cache.close": ["100us"] + SLC_RESTS,
    "ftl.slc_cache.copyback": ["true", "nand.slc_mode.copyback=true"] + SLC_RESTS,
    "ftl.slc_cache.drain": ["2", "ftl.slc_cache.policy=watermark", "ftl.slc_cache.low=1"] +
                           SLC_CACHE,
    "ftl.slc_cache.dynamic": ["8MiB", "ftl.over_provisioning=0.4"] + SLC,
    "ftl.slc_cache.goal": ["0.1"] + SLC_RESTS,
    "ftl.slc_cache.idle": ["60us"] + PAUSES + SLC_CACHE,
    "ftl.slc_cache.low": ["1", "ftl.slc_cache.policy=watermark"] + SLC_CACHE,
    "ftl.slc_cache.policy": ["watermark", "ftl.slc_cache.low=1"] + SLC_CACHE,
    "ftl.slc_cache.taper": ["1", "ftl.slc_cache.policy=taper"] + SLC_CACHE,
    "ftl.slc_cache.reclaim": ["1", "ftl.slc_cache.dynamic=64MiB", "ftl.slc_cache.idle=50us",
                              "ftl.over_provisioning=0.3", "workload.read_fraction=0"] +
                             PAUSES + SLC,
    "ftl.slc_cache.static": ["4MiB"] + SLC,
    "ftl.stripe": ["block"],
    "ftl.superblock.pool_blocks": ["9"],
    "ftl.vm_map.segments": ["4", "ftl.scheme=vm_map", "nand.pages_per_block=8",
                            "nand.blocks_per_plane=504", "precondition.overwrite=0"],
    "gc.stop": ["0.1", "ftl.over_provisioning=0.4", "precondition.overwrite=2"],
    "gc.threshold": ["0.09", "ftl.over_provisioning=0.4", "gc.stop=0.1",
                     "precondition.overwrite=2"],
    "host.driver.queue_entries": ["4"],
    "host.driver.queue_pairs": ["4"],
    "host.nvme.arbitration": ["weighted_round_robin"],
    "host.nvme.coalescing.threshold": ["4", "host.nvme.coalescing.time=100us"],
    "host.nvme.coalescing.time": ["100us", "host.nvme.coalescing.threshold=4"],
    "host.nvme.metadata.bytes": ["8", "data=full", "precondition.fill=0"],
    "host.nvme.queue_entries": ["4"],
    "host.nvme.reset_at": ["1ms"],
    "host.nvme.slots": ["2"],
    "host.nvme.zns.zone_size": ["1MiB", "workload.read_fraction=1", "workload.trim_fraction=0"],
    "host.pcie.bit_error_rate": ["1e-6"],
    "host.pcie.read_completion_boundary": ["128B", "host.pcie.max_payload_size=128B",
                                           "host.nvme.coalescing.threshold=8",
                                           "host.nvme.coalescing.time=100us",
                                           "run.requests=2000"],
    "host.pcie.tags": ["1"],
    "name": ["other"],
    "nand.cell": ["mlc", "nand.errors.rber=1e-4"],
    "nand.endurance": ["2000"] + ERRORS,
    "nand.errors.erase_fail": ["0.5"],
    "nand.errors.page_factor": ["2"],
    "nand.errors.program_fail": ["0.01"],
    "nand.factory_bad_share": ["0.05", "ftl.over_provisioning=0.4"],
    "nand.interface.mode": ["nv_ddr2", "nand.interface.rate=default"],
    "nand.interface.rate": ["400MT/s"],
    "nand.oob_size": ["128B", "nand.errors.rber=1e-4"],
    "nand.one_pass": ["true"],
    "nand.pages_per_block": ["48"],
    "nand.pe_cycles": ["2000", "nand.errors.rber=1e-4"],
    "nand.read_levels": ["[2, 3, 2]", "nand.tR_level=20us"],
    "nand.retention_speed": ["1000", "write.mode=shallow", "nand.shallow.tPROG=300us",
                             "nand.shallow.retention=1s"],
    "nand.shallow.retention": ["9ms"],
    "nand.slc_mode.endurance": ["2"] + SLC_RESTS,
    "nand.slc_mode.tBERS": ["20us"] + SLC[:2],
    "nand.slc_mode.tPROG": ["20us", SLC[0], SLC[2]],
    "nand.slc_mode.tR": ["20us"] + SLC[1:],
    "nand.snap_read.size": ["8KiB", "nand.snap_read.tR=20us", "workload.block_size=8KiB"],
    "nand.snap_read.tR": ["20us", "workload.block_size=4KiB"],
    "nand.tPROG_coarse": ["2ms"] + TWO_PASS,
    "nand.tPROG_fine": ["2ms"] + TWO_PASS,
    "nand.tPROG_word_line": ["9ms", "nand.one_pass=true"],
    "nand.tR_level": ["20us", "nand.read_levels=[1, 2, 4]"],
    "nand.two_pass": ["true"] + SLC,
    "power.cut.at": ["2ms"],
    "power.cut.every": ["200"],
    "power.cut.random": ["100"],
    "power.shutdown.at": ["2ms"],
    "power.shutdown.every": ["5ms"],
    "precondition.method": ["counts"],
    "precondition.until": ["steady", "precondition.overwrite=9"],
    "precondition.workload.hot_fraction": ["0.05", "precondition.workload.pattern=hot_cold"],
    "precondition.workload.hot_probability": ["0.99", "precondition.workload.pattern=hot_cold"],
    "precondition.workload.lru_exponent": ["3", "precondition.workload.pattern=lru"],
    "precondition.workload.lru_law": ["geometric", "precondition.workload.pattern=lru"],
    "precondition.workload.lru_mean_depth": ["9", "precondition.workload.pattern=lru",
                                             "precondition.workload.lru_law=geometric"],
    "precondition.workload.pattern": ["sequential"],
    "precondition.workload.range.size": ["16MiB"],
    "precondition.workload.range.start": ["16MiB"],
    "precondition.workload.source": ["own"],
    "precondition.workload.zipf_theta": ["2", "precondition.workload.pattern=zipf"],
    "run.requests": ["300"],
    "run.reduced": ["2", "ftl.over_provisioning=0.3"],
    "run.sampling.share": ["0.4", *SAMPLED],
    "run.sampling.warmup": ["30", *SAMPLED],
    "run.sampling.windows": ["8", *SAMPLED],
    "run.steady.limit": ["3", "run.until=steady", "run.steady.rounds=3", "run.steady.round=256",
                         "run.steady.range=0.0001"],
    "run.steady.range": ["0.001", "run.until=steady", "run.steady.round=256",
                         "run.steady.limit=8"],
    "run.steady.round": ["512", "run.until=steady", "run.steady.limit=6"],
    "run.steady.rounds": ["3", "run.until=steady", "run.steady.round=256",
                          "run.steady.limit=6"],
    "run.steady.slope": ["0.00001", "run.until=steady", "run.steady.round=256",
                         "run.steady.limit=8", "run.steady.range=1"],
    "run.until": ["steady", "run.steady.round=256", "run.steady.limit=6"],
    "wear.dynamic": ["false", "precondition.overwrite=3"],
    "wear.static_delta": ["2", "run.requests=8000", "workload.read_fraction=0",
                          "workload.trim_fraction=0", "workload.pattern=hot_cold",
                          "workload.hot_fraction=0.05", "workload.hot_probability=0.98",
                          "nand.blocks_per_plane=32", "nand.pages_per_block=16",
                          "ftl.over_provisioning=0.4", "precondition.overwrite=0"],
    "host.driver.apst": ["1ms", "workload.queue_depth=default", "workload.rate=300/s",
                         "run.requests=60"] + STATES,
    "host.driver.power_state": ["1"] + STATES,
    "power.states.max_power": ["4", "energy.core.active=1W"],
    "thermal.model": ["rc", "energy.core.active=1W"],
    "write.mode": ["slc"] + SLC,
}
# What the hardware offers: what asks for more is refused. The value, what is said of it, who asks.
LIMITS = {
    "dram.capacity": ["1MiB", "is too small"],
    "sram.capacity": ["64KiB", "is too small"],
    "host.nvme.queue_pairs": ["1", "is more than", "host.driver.queue_pairs=4"],
    "nand.slc_mode.copyback": ["false", "stays in the mode in which it has read",
                               "nand.slc_mode.copyback=true", "ftl.slc_cache.copyback=true"] +
                              SLC_CACHE,
    "nand.page_order": ["sequential", "programs the pages of a block in the order in which",
                        "ftl.scheme=bast", "nand.page_order=any", "ftl.stripe=block",
                        "ftl.map_unit=16KiB"],
}
# What no such run can show, and the test that does.
ELSEWHERE = {
    "cpu.hang_limit": "ends firmware that hangs: kit_test.py, stuck",
    "run.sampling.idle": "says how much is collected between windows: sampled_runs_test.py, idle",
}

# A key that acts in the run above may not do so beside other values: there it is named or refused.
SHALLOW = ["write.mode=shallow", "nand.shallow.tPROG=100us", "nand.shallow.retention=1s"]
SATA = ["host.interface=sata", "workload.trim_fraction=0"]
IMMEDIATE = ["flash.suspend.policy=immediate"]
WEIGHTS = ["host.nvme.arbitration=weighted_round_robin", "host.driver.queue_pairs=4"]
NO_CODE = ["flash.ecc.kind=none", "nand.errors.rber=1e-6"]
IDLE = [
    ("host.driver.sgl", "true", SATA),
    ("host.sata.queue_depth", "4", SATA + ["host.sata.ncq=false"]),
    ("flash.dies_per_chip", "2", ["ftl.placement=shortest_queue"]),
    ("flash.dies_per_chip", "2", ["ftl.placement=channel_die"]),
    ("write.shallow.margin", "0.2", SHALLOW + ["write.shallow.rewrite=false"]),
    ("write.shallow.margin", "0.2", SHALLOW + ["write.shallow.policy=none"]),
    ("write.shallow.retention", "500ms", SHALLOW + ["write.shallow.rewrite=false"]),
    ("write.shallow.retention", "500ms", SHALLOW + ["write.shallow.policy=none"]),
    ("flash.ecc.codeword", "2KiB", NO_CODE),
    ("flash.ecc.correctable", "9", NO_CODE),
    ("flash.erase.loops_fresh", "1", []),
    ("flash.erase.loops_spread", "1", []),
    ("nand.errors.activation_energy", "0.5", ERRORS + ["nand.errors.retention=1"]),
    ("flash.ecc.codeword", "2KiB", ["flash.ecc_parity=false"]),
    ("flash.ecc.kind", "ldpc", []),
    ("flash.ecc.kind", "none", ["flash.ecc_parity=false"]),
    ("flash.ecc_parity", "false", ["flash.ecc.kind=none"]),
    ("nand.oob_size", "4KiB", ["flash.ecc_parity=false"]),
    ("nand.oob_size", "4KiB", ["flash.ecc.kind=none"]),
    ("flash.erase.loops", "2", []),
    ("flash.erase.loops", "2", ["flash.suspend.policy=immediate"]),
    ("nand.errors.suspend_gain", "1", ERRORS + ["flash.suspend.policy=deferred"]),
    ("nand.errors.suspend_gain", "1", ERRORS + ["flash.suspend.policy=safe_point_static"]),
    ("nand.errors.suspend_gain", "1", ERRORS + ["flash.suspend.policy=safe_point_dynamic"]),
    ("nand.errors.suspend_gain", "1", ERRORS + IMMEDIATE + ["flash.suspend.limit=9"]),
    ("nand.errors.suspend_exponent", "3", ERRORS + IMMEDIATE + ["nand.errors.suspend_gain=0"]),
    ("nand.errors.temperature", "55", ERRORS + ["nand.errors.activation_energy=0"]),
    ("nand.one_pass", "true", ["nand.cell=slc"]),
    ("nand.tDBSY", "9us", ["nand.cell=slc", "nand.one_pass=true", "nand.planes=1"]),
    ("dram.standard", "ddr3", ["dram.rate=800MT/s"]),
    ("flash.arbiter", "sequential", ["flash.luns_per_channel=1", "nand.blocks_per_plane=128"]),
    ("host.nvme.weights.high", "9", WEIGHTS),
    ("host.nvme.weights.low", "9", WEIGHTS),
    ("host.nvme.weights.medium", "9", WEIGHTS + ["workload.priority=urgent"]),
    ("host.pcie.read_completion_boundary", "128B", ["host.pcie.max_payload_size=512B"]),
]


# Of the entries of lists: another value, what its entry says beside, what the tree does.
RATE = {"queue_depth": None, "rate": "20000/s"}
CSV = {"trace": "c.csv", "format": "csv", "csv.time": 1, "csv.operation": 2, "csv.offset": 3,
       "csv.size": 4, "csv.device": 5}
GEOMETRIC = {"pattern": "lru", "lru_law": "geometric"}
ENTRIES = {
    "workload.<stream>.": {
        "name": ("other",),
        "pattern": ("sequential",),
        "block_size": ("32KiB",),
        "range.start": ("64MiB",),
        "range.size": ("64MiB",),
        "hot_fraction": ("0.5", {"pattern": "hot_cold"}),
        "hot_probability": ("0.5", {"pattern": "hot_cold"}),
        "zipf_theta": ("0.5", {"pattern": "zipf"}),
        "lru_law": ("geometric", {"pattern": "lru"}),
        "lru_exponent": ("2", {"pattern": "lru"}),
        "lru_mean_depth": ("9", GEOMETRIC),
        "read_fraction": ("0.4",),
        "trim_fraction": ("0.1",),
        "rate": ("10000/s", RATE),
        "queue_depth": ("2",),
        "poisson": ("false", RATE),
        "requests": ("100",),
        "duration": ("1ms",),
        "flush_every": ("8",),
        "fua": ("true",),
        "read_fua": ("true",),
        "priority": ("urgent", {}, WEIGHTS),
        "stream_id": ("1", {}, ["ftl.streams=2", "ftl.over_provisioning=0.4"]),
    },
    "workload.": {
        "trace": ("other.csv",),
        "format": ("spc", {"trace": "spc.csv"}),
        "replay": ("asap",),
        "scale": ("2", {"replay": "scaled"}),
        "fit": ("scale",),
        "device": ("1",),
        "ranges": ("one",),
        "repeat": ("2",),
        "queue_depth": ("1", {"replay": "asap"}),
        "csv.time": (8, CSV),
        "csv.time_unit": ("ms", CSV),
        "csv.operation": (9, {**CSV, "csv.write": "put"}),
        "csv.offset": (6, CSV),
        "csv.offset_unit": ("2B", CSV),
        "csv.size": (10, CSV),
        "csv.size_unit": ("2B", CSV),
        "csv.device": (6, {**CSV, "device": 0}),
        "csv.separator": ("semicolon", {**CSV, "trace": "semicolons.csv"}),
        "csv.header": ("true", CSV),
        "csv.read": ("write", {**CSV, "csv.write": "read"}),
        "csv.write": ("put", {**CSV, "csv.operation": 9}),
        "csv.trim": ("write", {**CSV, "csv.write": "put"}),
    },
    "raid.<array>.": {
        "name": ("other",),
        "level": ("1",),
        "drives": (["b", "a"],),
        "chunk": ("4KiB",),
        "read_policy": ("least_loaded", {"level": 1}),
    },
}
ARRAY = """
drives:
  - {name: a}
  - {name: b, nand.tR: 200us}
"""
# Two devices, addresses beyond the drive, requests that meet.
TRACE = "".join(f"{128166372003061629 + 500 * n},hm,{n % 2},{('Read', 'Write')[n % 3 == 0]},"
                f"{(n * 7919 % 360) * 1048576},8192,100\n" for n in range(60))
COLUMNS = "".join(f"{50 * n},{('read', 'write')[n % 2]},{n * 8192},4096,{n % 3},{n * 4096},-,"
                  f"{90 * n},{('read', 'put')[n % 3 == 0]},8192\n" for n in range(60))
TRACES = {"t.csv": TRACE, "other.csv": TRACE.replace("Write", "Read"),
          "spc.csv": "0,20,16384,r,0.1\n", "c.csv": COLUMNS,
          "semicolons.csv": COLUMNS.replace(",", ";")}

STOPS = {"cpu.watchdog"}  # a run that fails is how it acts
KINDS = ("acts", "limits", "named", "refused", "elsewhere")


def table():
    """Key, description and default of each option of the tree."""
    text = subprocess.run([SSDVP, "show", "--options"], check=True, capture_output=True, text=True)
    tree = text.stdout.split("\nworkload: a list of streams")[0]
    found = re.findall(r"^(\S+)\n    .*\n    (.*); default: (.*)$", tree, re.M)
    assert len(found) > 250, len(found)
    return found


def candidates(key, form, value):
    """Other values than `value`, near ones first."""
    if key in VALUES:
        return VALUES[key][:1]
    if form == "choice of true or false":
        return ["false" if value == "true" else "true"]
    if form.startswith("choice of "):
        return [word for word in form[len("choice of "):].split(", ") if word != value]
    if " out of " in form:
        listed = [re.sub(r"^or ", "", w) for w in form.split(" out of ")[1].split(", ")]
        return [word for word in listed if word != value]
    match = re.match(r"([0-9.]+) *([A-Za-z/%]*)$", value)
    if match is None or float(match[1]) == 0:
        some = {"time": "20us", "size": "64KiB", "current": "20mA", "power": "50mW",
                "voltage": "3V", "text": "other", "fraction": "0.04", "number": "2"}
        return [some.get(form.split()[0], "5"), "0.01", "1", "40"]
    unit = match[2] or ""
    number = float(match[1])
    return [f"{n:g}{unit}" for n in (number * 2, number * 4, number / 2, number / 4, number + 1,
                                     number * 0.9)]


def ssdvp(words, sets):
    words = [SSDVP, *words]
    for text in sets:
        words += ["--set", text]
    return subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)


def run(base, out, *sets):
    return ssdvp(["run", base, "--quiet", "--out", out], sets)


@functools.lru_cache(None)
def known_keys():
    """Each key of summary.json, and each of a counter, as the program tells them."""
    patterns = []
    for option in ("--summary-keys", "--counters"):
        table = subprocess.run([SSDVP, "show", option], capture_output=True, text=True,
                               check=True).stdout
        for key in re.findall(r"^\| `([^`]+)`", table, re.MULTILINE):
            parts = (r"(read|write|trim|flush)" if p == "<kind>" else r"\S+" if p[0] == "<" else
                     re.escape(p) for p in re.findall(r"<\w+>|\[\]|[^<\[]+", key))
            patterns.append("".join(parts))
    return re.compile("|".join(patterns))


@functools.lru_cache(None)
def is_known(path):
    return known_keys().fullmatch(path) is not None


def paths(value, at=""):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paths(inner, f"{at}.{key}" if at else key)
    elif isinstance(value, list):
        for inner in value:
            yield from paths(inner, f"{at}[]")
    else:
        yield at


def results(out):
    summary = json.loads((out / "summary.json").read_text())
    for path in set(paths(summary)) if "drives" not in summary else ():
        assert is_known(path), f"{path}: describe it in summary_keys.cpp"
    if "drives" in summary:  # of several: of each
        return {"arrays": str(summary["arrays"]), "totals": summary["totals"]}
    for of_machine in ("wall_s", "requests_per_wall_s", "peak_rss_bytes"):
        del summary["sim"][of_machine]
    for of_configuration in ("config_sha256", "state"):
        summary.pop(of_configuration, None)
    return summary


def entry_text(prefix, fields):
    """A configuration with one such entry."""
    head = "extends: device/small\nprecondition: {fill: 1}\nrun.requests: 400\n"
    entry = {k: v for k, v in fields.items() if v is not None}
    if prefix == "workload.":
        return f"{head}workload: {json.dumps(entry)}\n"
    if prefix == "workload.<stream>.":
        return f"{head}workload: [{json.dumps(entry)}, {{name: beside}}]\n"
    stream = {"drive": entry["name"], "read_fraction": 0.7, "queue_depth": 8, "block_size": "8KiB"}
    return f"{head}{ARRAY}raid: [{json.dumps(entry)}]\nworkload: [{json.dumps(stream)}]\n"


def of_lists(folder):
    """Each key of an entry of a list, as `show --options` has them, changes a run."""
    text = subprocess.run([SSDVP, "show", "--options"], check=True, capture_output=True, text=True)
    keys = re.findall(r"^((?:workload|raid)\.\S+)$", text.stdout, re.M)
    usual = {
        "workload.<stream>.": {"read_fraction": 0.5, "queue_depth": 24, "block_size": "64KiB"},
        "workload.": {"trace": "t.csv", "format": "msr"},
        "raid.<array>.": {"name": "both", "level": 0, "drives": ["a", "b"]},
    }
    told = [prefix + key for prefix, entries in ENTRIES.items() for key in entries]
    assert sorted(told + ["workload.fio"]) == sorted(keys), set(told) ^ set(keys)

    def verdict_of(prefix, key):
        value, beside, sets = (*ENTRIES[prefix][key], {}, [])[:3]
        done = []
        for name, fields in (("before", {}), ("after", {key: value})):
            place = folder / f"{prefix}{key}" / name
            place.mkdir(parents=True)
            for trace, lines in TRACES.items():
                (place / trace).write_text(lines)
            file = place / "entry.yaml"
            file.write_text(entry_text(prefix, {**usual[prefix], **beside, **fields}))
            done.append((run(file, place / "out", *sets), place / "out"))
        (before, plain), (after, other) = done
        if after.returncode == 2:
            return f"{prefix}{key}: {after.stderr}"
        acts = before.returncode != after.returncode or results(plain) != results(other)
        return "" if acts else f"{prefix}{key} is silent: {after.stderr}"

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = list(filter(None, pool.map(
            lambda k: verdict_of(*k), [(p, k) for p, entries in ENTRIES.items() for k in entries])))
    assert not wrong, "\n".join(wrong)
    return len(told)


def limit(folder, base, key):
    """Offers less than is asked for: refused. As it is, or as the others say, it is taken."""
    value, words, *beside = LIMITS[key]
    if run(base, folder / f"{key}.limit", *beside).returncode != 0:
        return f"{beside} is refused"
    done = run(base, folder / f"{key}.limit", *beside, f"{key}={value}")
    good = done.returncode == 2 and key in done.stderr and words in done.stderr
    return "limits" if good else f"{value}: {done.stderr.strip()}"


def verdict(folder, base, plain, option):
    """acts, limits, named, refused, or what is wrong."""
    key, form, value = option
    if key in LIMITS:
        return limit(folder, base, key)
    beside = VALUES.get(key, [])[1:]
    before = plain
    if beside:
        out = folder / f"{key}.before"
        done = run(base, out, *beside)
        if done.returncode == 1:
            return f"beside {beside} the run fails: {done.stderr.strip()}"
        if done.returncode == 0:  # else the one needs the other: then all is new
            before = results(out)
    refusals = []
    for n, other in enumerate(candidates(key, form, value)):
        out = folder / f"{key}.{n}"
        done = run(base, out, *beside, f"{key}={other}")
        if done.returncode == 2:
            if key not in done.stderr:
                return f"{other}: refused without its name: {done.stderr.strip()}"
            if "has no effect" in done.stderr:
                return "refused"
            refusals.append(f"{other}: {done.stderr.strip()}")
            continue
        if f"{key} has no effect" in done.stderr:
            return "named"
        if done.returncode == 1 and key not in STOPS:
            return f"{other}: the run fails: {done.stderr.strip()}"
        if done.returncode != 0 or results(out) != before:
            return "acts"
    if key in ELSEWHERE:
        return "elsewhere"
    return "is silent" if not refusals else f"is refused: {refusals[0]}"


def idle(base, case):
    """What is wrong with a key that has to be named or refused beside others, else None."""
    key, value, beside = case
    done = ssdvp(["check", base], beside)
    named = re.compile(rf"{re.escape(key)}:? has no effect")
    if done.returncode != 0 or named.search(done.stderr):
        return f"{key} beside {beside}: {done.stderr.strip()}"
    done = ssdvp(["check", base], [*beside, f"{key}={value}"])
    if done.returncode in (0, 2) and named.search(done.stderr):
        return None
    return f"{key} beside {beside} is silent: {done.stderr.strip()}"


def main():
    with tempfile.TemporaryDirectory(prefix="ssdvp options ") as name:
        folder = pathlib.Path(name)
        base = folder / "base.yaml"
        base.write_text(BASE)
        done = run(base, folder / "plain")
        assert done.returncode == 0 and "no effect" not in done.stderr, done.stderr
        plain = results(folder / "plain")
        options = table()
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            said = list(pool.map(lambda o: verdict(folder, base, plain, o), options))
            silent = [w for w in pool.map(lambda c: idle(base, c), IDLE) if w]
        entries = of_lists(folder)
    wrong = [f"{o[0]} {v}" for o, v in zip(options, said) if v not in KINDS]
    counts = {v: said.count(v) for v in KINDS}
    assert not wrong, "\n".join([f"{len(wrong)} options:"] + wrong)
    assert not silent, "\n".join(silent)
    stale = [k for k in [*VALUES, *LIMITS, *ELSEWHERE,
                         *(c[0] for c in IDLE)] if k not in [o[0] for o in options]]
    assert not stale, f"no such options: {stale}"
    print("ok", counts, f"and {entries} of lists")


if __name__ == "__main__":
    main()
