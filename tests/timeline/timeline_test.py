# SPDX-License-Identifier: Apache-2.0
"""Timelines of runs, read by Perfetto's own description of its traces: they nest, their sums are
those of summary.json, and a request's flow leads through what was done for it.

Usage: timeline_test.py SSDVP CASE"""

import collections
import csv
import gzip
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

from perfetto.protos.perfetto.trace import perfetto_trace_pb2

SSDVP = sys.argv[1]
BEGIN, END, COUNTER = 1, 2, 4
CLEARED, NEEDS_STATE = 1, 2  # flags of a sequence of packets
BOOTTIME = 6
LOAD = ["--set", "workload.read_fraction=0.5", "--set", "workload.queue_depth=16", "--set",
        "precondition.fill=1", "--set", "precondition.overwrite=0.5"]

Slice = collections.namedtuple("Slice", "track name begin end arguments flows")


def check(ok, what):
    if not ok:
        sys.exit(f"FAILED: {what}")


def run(folder, *words, device="device/small", code=0):
    done = subprocess.run([SSDVP, "run", device, "--quiet", "--no-state-cache", "--out", folder,
                           *map(str, words)], capture_output=True, text=True, check=False)
    check(done.returncode == code, f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def packets(file):
    """With what its sequence says by default filled in: track of an event, and times since the last
    one as times since the begin."""
    data = file.read_bytes()
    trace = perfetto_trace_pb2.Trace()
    trace.ParseFromString(gzip.decompress(data) if file.suffix == ".gz" else data)
    tracks, now = {}, {}
    for packet in trace.packet:
        sequence = packet.trusted_packet_sequence_id
        if packet.sequence_flags & CLEARED:
            defaults = packet.trace_packet_defaults
            clocks = {clock.clock_id: clock for clock in packet.clock_snapshot.clocks}
            own = clocks[defaults.timestamp_clock_id]
            check(64 <= own.clock_id < 128 and own.is_incremental, "a clock of the sequence")
            now[sequence] = clocks[BOOTTIME].timestamp
            tracks[sequence] = defaults.track_event_defaults.track_uuid
        if packet.HasField("track_event"):
            check(packet.sequence_flags & NEEDS_STATE, "an event needs what was told before")
            now[sequence] += packet.timestamp
            packet.timestamp = now[sequence]
            packet.track_event.track_uuid = tracks[sequence]
    return trace.packet


def number_of(annotation):
    return annotation.uint_value if annotation.HasField("uint_value") else annotation.string_value


class Timeline:
    """Slices by track, "channel 0/LUN 1"; lanes of a track count as it."""

    def __init__(self, file):
        self.slices = collections.defaultdict(list)
        self.counters = collections.defaultdict(list)
        self.lanes = collections.Counter()
        names, words = collections.defaultdict(dict), collections.defaultdict(dict)  # by sequence
        tracks, open_slices = {}, {}
        last = collections.defaultdict(int)
        for packet in packets(file):
            own_names = names[packet.trusted_packet_sequence_id]
            own_words = words[packet.trusted_packet_sequence_id]
            for name in packet.interned_data.event_names:
                own_names[name.iid] = name.name
            for name in packet.interned_data.debug_annotation_names:
                own_words[name.iid] = name.name
            if packet.HasField("track_descriptor"):
                d = packet.track_descriptor
                own = d.name.split(" (")[0]
                tracks[d.uuid] = f"{tracks[d.parent_uuid]}/{own}" if d.parent_uuid else own
                self.lanes[tracks[d.uuid]] += 1
            if not packet.HasField("track_event"):
                continue
            event = packet.track_event
            check(packet.timestamp >= last[event.track_uuid], "a track is in order of time")
            last[event.track_uuid] = packet.timestamp
            if event.type == BEGIN:
                check(event.track_uuid not in open_slices, "a lane holds one thing at a time")
                arguments = {own_words[a.name_iid]: number_of(a) for a in event.debug_annotations}
                open_slices[event.track_uuid] = (own_names[event.name_iid], packet.timestamp,
                                                 arguments, list(event.flow_ids))
            elif event.type == END:
                name, begin, arguments, flows = open_slices.pop(event.track_uuid)
                track = tracks[event.track_uuid]
                self.slices[track].append(
                    Slice(track, name, begin, packet.timestamp, arguments, flows))
            elif event.type == COUNTER:
                self.counters[tracks[event.track_uuid]].append(
                    (packet.timestamp, event.double_counter_value))
        check(not open_slices, "each slice ends")

    def busy_ns(self, track):
        """To the picosecond, where a slice says it."""
        return sum(s.arguments.get("duration_ps", 1000 * (s.end - s.begin))
                   for s in self.slices[track]) / 1000


def begin_ps(s):
    return 1000 * s.begin + s.arguments.get("begin_rest_ps", 0)


def end_ps(s):
    return begin_ps(s) + s.arguments.get("duration_ps", 1000 * (s.end - s.begin))


def near(a, b, what, share):
    check(abs(a - b) <= share * max(abs(a), abs(b)), f"{what}: {a} and {b}")


def check_busy(timeline, summary, share):
    length = summary["sim"]["simulated_ns"]
    for c, channel in enumerate(summary["channels"]):
        near(timeline.busy_ns(f"channel {c}/bus") / length, channel["busy"], f"bus {c}", share)
        for n, lun in enumerate(channel["luns"]):
            near(timeline.busy_ns(f"channel {c}/LUN {n}") / length, lun["busy"],
                 f"LUN {c} {n}", share)
    near(timeline.busy_ns("DRAM/port") / length, summary["dram"]["busy"], "DRAM", share)
    near(timeline.busy_ns("cores/core0") / length, summary["cpu"][0]["busy"], "core", share)


def whole(folder):
    run(folder, "--requests", 9000, *LOAD, "--timeline", folder / "t.pftrace",
        "--timeline-window", "time=0s..100s")
    summary = json.loads((folder / "summary.json").read_text())
    timeline = Timeline(folder / "t.pftrace")
    check_busy(timeline, summary, 0.01)
    length = summary["sim"]["simulated_ns"]
    for name, key in [("host", "busy_up"), ("drive", "busy_down")]:
        parts = sum(timeline.busy_ns(f"link/to the {name}: {flow}")
                    for flow in ["posted", "requests", "completions"])
        near(parts / length, summary["link"][key], f"link {key}", 0.05)
    kinds = collections.Counter(s.name for s in timeline.slices["requests of the host/queue 1"])
    for kind in ["read", "write"]:
        check(kinds[kind] == summary["host"][kind]["requests"], f"{kind}: {kinds}")
    erases = [s for track, all_of in timeline.slices.items() if "LUN" in track
              for s in all_of if s.name == "erase"]
    check(erases and {s.arguments["purpose"] for s in erases} <= {"gc", "host", "wear"},
          f"who erases: {erases[:3]}")
    flight = [value for _, value in timeline.counters["counters/requests in flight"]]
    check(max(flight) == 16 and flight[-1] == 0, f"in flight {max(flight)}")
    check(timeline.counters["counters/free superblocks"], "free superblocks are told")


def lanes(folder):
    """No track has more lanes than it has work at a time, and the bytes are the same each time,
    also what was compressed in blocks that end within a packet."""
    words = ["--requests", 4000, *LOAD, "--timeline"]
    run(folder, *words, folder / "t.pftrace")
    run(folder, *words, folder / "again.pftrace")
    run(folder, *words, folder / "t.pftrace.gz")
    plain = (folder / "t.pftrace").read_bytes()
    check(plain == (folder / "again.pftrace").read_bytes(), "bytes")
    check(plain == gzip.decompress((folder / "t.pftrace.gz").read_bytes()), "compressed bytes")
    timeline = Timeline(folder / "t.pftrace")
    for track, slices in timeline.slices.items():
        changes = sorted(change for s in slices for change in [(begin_ps(s), 1), (end_ps(s), -1)])
        at_a_time = max(itertools.accumulate(change for _, change in changes))
        check(timeline.lanes[track] <= at_a_time, f"{track}: {timeline.lanes[track]} lanes")


def rows(file):
    with open(file, newline="", encoding="ascii") as text:
        return list(csv.DictReader(text))


def shown(timeline):
    return sorted(s.arguments["sequence"] for track, all_of in timeline.slices.items()
                  if track.startswith("requests") for s in all_of)


def requests(folder):
    run(folder, "--requests", 2000, *LOAD, "--timeline", folder / "t.pftrace.gz",
        "--timeline-window", "requests=700..720", "--requests-log", folder / "log.csv")
    timeline = Timeline(folder / "t.pftrace.gz")
    log = rows(folder / "log.csv")[700:720]
    check(shown(timeline) == sorted(int(r["sequence"]) for r in log), "the requests of the window")
    begin = float(log[0]["arrival_ns"])
    end = float(log[-1]["completed_ns"])
    for all_of in timeline.slices.values():
        for s in all_of:
            check(s.track.startswith("requests") or (s.end >= begin - 1 and s.begin <= end + 1),
                  f"in the window: {s}")
    for r in log:
        s = next(s for s in timeline.slices["requests of the host/queue 1"]
                 if s.arguments["sequence"] == int(r["sequence"]))
        check(abs(s.arguments["latency_ps"] / 1000 - float(r["latency_ns"])) < 1e-6, "latency")
        check(s.arguments["lba"] == int(r["lba"]), "lba")
        check(begin_ps(s) == round(1000 * float(r["arrival_ns"])), f"{begin_ps(s)} ps of {r}")


def time(folder):
    run(folder, "--requests", 2000, *LOAD, "--timeline", folder / "t.pftrace",
        "--timeline-window", "time=10ms..12ms", "--series", folder / "s.csv")
    timeline = Timeline(folder / "t.pftrace")
    all_of = [s for one in timeline.slices.values() for s in one
              if not s.track.startswith("requests")]
    first = min(s.end for s in all_of)
    last = max(s.begin for s in all_of)
    check(1.8e6 < last - first <= 2e6 + 1, f"{last - first} ns")


def scope(folder):
    """Only what is named is shown, with the requests, as a whole timeline says it."""
    words = ["--requests", 400, *LOAD, "--timeline"]
    run(folder, *words, folder / "all.pftrace")
    run(folder, *words, folder / "some.pftrace", "--timeline-scope",
        "channel?.lun*,link.to_the_host*")
    every, some = Timeline(folder / "all.pftrace"), Timeline(folder / "some.pftrace")
    for track, slices in every.slices.items():
        wanted = "/LUN" in track or track.startswith(("requests", "link/to the host"))
        told = some.slices[track]
        check(told == (slices if wanted else []), f"{track}: {len(told)} of {len(slices)}")
    check(any("LUN" in track for track in some.slices), "LUNs are shown")
    done = run(folder, *words, folder / "t.pftrace", "--timeline-scope", "channel0,chanel1", code=2)
    check("--timeline-scope 'chanel1' names nothing of this drive; there are" in done.stderr
          and "channel0.lun1" in done.stderr, done.stderr)
    check(not (folder / "t.pftrace").exists(), "nothing is written")


def slowest(folder):
    run(folder, "--requests", 3000, *LOAD, "--timeline", folder / "t.pftrace",
        "--timeline-window", "slowest=5", "--worst", 5)
    timeline = Timeline(folder / "t.pftrace")
    worst = rows(folder / "worst.csv")
    check(shown(timeline) == sorted(int(r["sequence"]) for r in worst), "the slowest five")
    for r in worst:
        lun = timeline.slices[f"channel {r['channel']}/LUN {r['lun']}"] if r["lun"] else []
        check(not r["lun"] or any(s.end > float(r["arrival_ns"]) and
                                  s.begin < float(r["completed_ns"]) for s in lun),
              f"what its LUN did meanwhile: {r}")


def worst(folder):
    """What LUN and channel did: no picosecond twice, what blocked a request is among it, and on the
    LUN's track of the timeline."""
    run(folder, "--requests", 3000, *LOAD, "--worst", 40, "--timeline", folder / "t.pftrace",
        "--timeline-window", "time=0s..100s")
    timeline = Timeline(folder / "t.pftrace")
    pieces = collections.defaultdict(list)
    for p in rows(folder / "worst_meanwhile.csv"):
        pieces[p["sequence"]].append(p)
    behind = 0
    for r in rows(folder / "worst.csv"):
        for where in ["lun", "channel", "drive"]:
            taken = sum(float(p["overlap_ns"]) for p in pieces[r["sequence"]]
                        if p["where"] == where)
            check(taken <= float(r["latency_ns"]) + 0.001, f"{where} of {r}: {taken}")
        own = [p for p in pieces[r["sequence"]] if p["where"] == "lun" and p["begin_ns"]]
        check(bool(r["lun"]) or not own, f"no LUN: {r}")
        lun = timeline.slices[f"channel {r['channel']}/LUN {r['lun']}"]
        track = {(s.begin, s.name) for s in lun}
        for p in own:
            check(any((int(float(p["begin_ns"])), name) in track
                      for name in [p["operation"], "resumed"]), f"not on the track: {p}")
        purpose, work = (r["blocked_by"] + "_").split("_")[:2]
        if own and work in ("erase", "program", "read"):
            behind += 1
            check(any(p["purpose"] == purpose and work in p["operation"] for p in own),
                  f"who blocked it is not told: {r}")
            taken = sum(float(p["overlap_ns"]) for p in pieces[r["sequence"]]
                        if p["where"] == "lun")
            check(taken >= 0.8 * float(r["blocked_ns"]), f"{taken} of {r}")  # the rest: cycles
    check(behind >= 5, f"{behind} of them waited for work of a LUN")


def suspends(folder):
    run(folder, "--requests", 9000, *LOAD, "--set", "flash.suspend.policy=immediate",
        "--timeline", folder / "t.pftrace", "--timeline-window", "time=0s..100s")
    summary = json.loads((folder / "summary.json").read_text())
    timeline = Timeline(folder / "t.pftrace")
    names = collections.Counter(s.name for one in timeline.slices.values() for s in one)
    check(names["suspending"] == summary["flash"]["suspends"] > 0, f"suspends: {names}")
    check(names["resumed"] == summary["flash"]["resumes"], f"resumes: {names}")
    check_busy(timeline, summary, 0.01)


def sata(folder):
    run(folder, "--requests", 500, "--timeline", folder / "t.pftrace", "--timeline-window",
        "time=0s..100s", device="device/sata-mlc")
    timeline = Timeline(folder / "t.pftrace")
    check(any(s.name == "data FIS" for s in timeline.slices["link/to the host"]), "data")
    check(timeline.slices["link/to the drive"], "commands to the drive")


def flows(folder):
    """A read that missed the buffer goes by a core, the bus and a LUN to the data mover."""
    run(folder, "--requests", 400, *LOAD, "--set", "workload.read_fraction=1", "--timeline",
        folder / "t.pftrace", "--requests-log", folder / "log.csv")
    timeline = Timeline(folder / "t.pftrace")
    log = {int(r["sequence"]): r for r in rows(folder / "log.csv")}
    steps = collections.defaultdict(list)
    sequence = {}
    for one in timeline.slices.values():
        for s in one:
            for flow in s.flows:
                steps[flow].append(s)
                if s.track.startswith("requests"):
                    sequence[flow] = s.arguments["sequence"]
    check(len(sequence) == 400, f"{len(sequence)} flows")
    followed = 0
    for flow, number in sequence.items():
        r = log[number]
        if not r["lun"]:
            continue
        followed += 1
        places = [s.track for s in steps[flow]]
        for place in [f"channel {r['channel']}/bus", f"channel {r['channel']}/LUN {r['lun']}",
                      "cores/core0", "front end/data mover"]:
            check(place in places, f"request {number}: {place} is not in {places}")
        for s in steps[flow]:
            check(s.begin >= float(r["arrival_ns"]) - 1 and s.begin <= float(r["completed_ns"]) + 1,
                  f"request {number}: {s}")
    check(followed > 300, f"{followed} followed")


def refused(folder):
    for window, message in [("requests=5", "is no range"), ("requests=9..3", "ends before"),
                            ("time=1..2", "has no unit"), ("slowest=0", "0"),
                            ("all", "is no window")]:
        done = run(folder, "--timeline", folder / "t.pftrace", "--timeline-window", window, code=2)
        check(message in done.stderr, f"{window}: {done.stderr}")
    done = run(folder, "--requests", 20, "--timeline", folder / "t.pftrace", "--timeline-window",
               "requests=40..50", code=1)
    check("begins with request 40, and 20 completed" in done.stderr, done.stderr)
    done = run(folder, "--timeline-window", "slowest=3", code=2)
    check("requires --timeline" in done.stderr, done.stderr)
    check(not (folder / "t.pftrace").exists(), "nothing is written")


with tempfile.TemporaryDirectory(prefix="ssdvp timeline ") as name:
    {"whole": whole, "lanes": lanes, "requests": requests, "time": time, "scope": scope,
     "slowest": slowest, "worst": worst, "suspends": suspends, "sata": sata, "flows": flows,
     "refused": refused}[sys.argv[2]](pathlib.Path(name))
