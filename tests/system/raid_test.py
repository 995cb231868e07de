#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""RAID-0 and RAID-1 of drives: raid_test.py SSDVP"""
import json
import pathlib
import subprocess
import sys
import tempfile

BASE = "extends: device/small\nnand: {tR: 200us, tPROG: 400us}\nprecondition: {fill: 1}\n"


class Runner:
    def __init__(self, folder):
        self.folder = folder
        self.count = 0

    def run(self, text, *options):
        self.count += 1
        file = self.folder / f"case{self.count}.yaml"
        file.write_text(text)
        out = self.folder / f"out{self.count}"
        done = subprocess.run([sys.argv[1], "run", str(file), "--quiet", "--out", str(out),
                               *options], capture_output=True, text=True, timeout=60, check=False)
        return done, out

    def array(self, text, *options):
        done, out = self.run(text, *options)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads((out / "md0" / "summary.json").read_text()), out


def drives(*entries):
    return "drives:\n" + "".join(f"  - {{name: {e}}}\n" for e in entries)


def raid(level, names, more=""):
    return f"raid:\n  - {{name: md0, level: {level}, drives: [{names}]{more}}}\n"


def stream(target, text):
    return f"workload:\n  - {{name: s, drive: {target}, {text}}}\n"


def rate(summary, kind="read"):
    return summary["host"][kind]["bytes_per_s"]


def whole(summary):
    return summary["integrity"]["total_sectors_checked"] > 0 and \
        summary["integrity"]["total_mismatches"] == 0 and not summary["violations"]


def near(value, wanted, share):
    assert abs(value - wanted) <= share * wanted, (value, wanted)


SEQUENTIAL = "pattern: sequential, block_size: 256KiB, queue_depth: {}, read_fraction: {}"


def check_rates(r):
    """n drives give n times the rate of one, for what keeps each busy."""
    for fraction, kind, requests in ((1.0, "read", 800), (0.0, "write", 1600)):
        one, out = r.run(BASE + drives("a") + stream("a", SEQUENTIAL.format(4, fraction)),
                         "--requests", str(requests))
        assert one.returncode == 0, one.stderr
        single = rate(json.loads((out / "a" / "summary.json").read_text()), kind)
        for n in (2, 4):
            names = "abcd"[:n]
            striped, _ = r.array(BASE + drives(*names) + raid(0, ", ".join(names)) +
                                 stream("md0", SEQUENTIAL.format(4 * n, fraction)),
                                 "--requests", str(requests * n))
            near(rate(striped, kind), n * single, 0.05)
            assert kind == "write" or whole(striped), striped
    both = BASE + drives("a", "b") + stream("a", SEQUENTIAL.format(4, 1.0)) + \
        "  - {name: t, drive: b, " + SEQUENTIAL.format(4, 1.0) + "}\n"
    done, out = r.run(both, "--requests", "800")
    assert done.returncode == 0, done.stderr
    totals = json.loads((out / "summary.json").read_text())["totals"]
    one = json.loads((out / "a" / "summary.json").read_text())
    near(totals["read_bytes"] / totals["simulated_ns"] * 1e9, 2 * rate(one), 0.01)


def check_chunks(r):
    """Pieces of a request of b bytes, aligned, with chunks of c over n drives: min(n, b / c)."""
    for chunk, pieces in ((4, 3), (16, 3), (32, 2), (64, 1), (128, 1)):
        text = BASE + drives("a", "b", "c") + \
            raid(0, "a, b, c", f", chunk: {chunk}KiB") + \
            stream("md0", "pattern: uniform, block_size: 64KiB, queue_depth: 8, "
                   "read_fraction: 0.5, range: {size: 64MiB}")
        summary, out = r.array(text, "--requests", "400")
        assert summary["pieces_per_request"] == pieces, (chunk, summary["pieces_per_request"])
        assert summary["chunk_bytes"] == chunk * 1024
        assert whole(summary), summary["integrity"]
        everything = json.loads((out / "summary.json").read_text())
        assert everything["totals"]["requests"] == 400, everything["totals"]
        assert everything["arrays"][0]["summary"]["name"] == "md0"
        given = [d["summary"]["host"] for d in everything["drives"]]
        asked = sum(h[k]["requests"] for h in given for k in ("read", "write"))
        assert asked == summary["pieces"] == 400 * pieces


MIXED = "pattern: uniform, block_size: 4KiB, queue_depth: 32, read_fraction: {}"


def check_mirrors(r):
    two = drives("a", "b", "c, nand.tR: 800us")
    reads = stream("md0", MIXED.format(1.0)) + \
        "  - {name: t, drive: c, " + MIXED.format(1.0) + "}\n"
    summary, out = r.array(BASE + two + raid(1, "a, b") + reads, "--requests", "3000")
    assert summary["pieces_per_request"] == 1 and whole(summary)
    assert [m["requests_in"] for m in summary["members"]] == [1500, 1500]
    alone, out = r.run(BASE + drives("a") + stream("a", MIXED.format(1.0).replace("32", "16")),
                       "--requests", "3000")
    one = json.loads((out / "a" / "summary.json").read_text())
    near(rate(summary), 2 * rate(one), 0.05)
    writes, _ = r.array(BASE + drives("a", "b") + raid(1, "a, b") +
                        stream("md0", MIXED.format(0.0)), "--requests", "2000")
    assert writes["pieces_per_request"] == 2 and writes["read_policy"] == "round_robin"
    rates = []
    for policy in ("round_robin", "least_loaded"):
        uneven, _ = r.array(BASE + drives("a", "c, nand.tR: 800us") +
                            raid(1, "a, c", f", read_policy: {policy}") +
                            stream("md0", MIXED.format(1.0)), "--requests", "3000")
        rates.append(rate(uneven))
    assert rates[1] > 1.3 * rates[0], rates


def check_failures(r):
    """A member that loses data, or its ability to write, is survived with all data right."""
    worn = "b, nand.errors.rber: 0.02, flash.ecc.kind: bch"
    text = BASE + drives("a", worn) + raid(1, "a, b") + stream("md0", MIXED.format(1.0))
    done, out = r.run(text, "--requests", "2000")
    summary = json.loads((out / "md0" / "summary.json").read_text())
    assert summary["reads_recovered"] > 100 and not summary["degraded"], summary
    assert whole(summary) and summary["host"]["read"]["errors"] == 0, summary
    assert done.returncode == 0, done.stdout + done.stderr
    failing = "b, nand.errors.program_fail: 0.003, run.seed: 5"
    text = "extends: device/tiny\n" + drives("a", failing) + raid(1, "a, b") + \
        stream("md0", "pattern: uniform, block_size: 4KiB, queue_depth: 16, flush_every: 50, "
               "read_fraction: 0.3, trim_fraction: 0.05")
    summary, out = r.array(text, "--requests", "4000")
    assert summary["degraded"] and whole(summary), summary
    assert [m["state"] for m in summary["members"]] == ["good", "failed"], summary
    assert 0 < summary["members"][1]["requests_in"] < 1000, summary
    assert all(summary["host"][k]["errors"] == 0 for k in ("read", "write", "trim", "flush"))
    read_only = json.loads((out / "b" / "summary.json").read_text())
    assert read_only["ftl"]["health"]["read_only"], read_only["ftl"]["health"]


def check_deaths(r):
    """A member that dies ends the run, and is named; the others are not blamed."""
    for clock, begun in ("1MHz", False), ("25MHz", True):  # while it comes up, under load
        dying = f"b, cpu.watchdog: 1us, cpu.clock: {clock}"
        text = "extends: device/small\n" + drives("a", dying) + raid(1, "a, b") + \
            stream("md0", MIXED.format(0.3))
        done, out = r.run(text, "--requests", "40000")
        assert done.returncode == 1, (done.returncode, done.stderr)
        summary = json.loads((out / "md0" / "summary.json").read_text())
        assert "member b died" in summary["faults"]["first"][0]["what"], summary["faults"]
        assert not summary["complete"] and begun == ("read" in summary["host"])
        blamed = json.loads((out / "a" / "summary.json").read_text())["faults"]
        assert blamed["count"] == 0, blamed


def check_mixture(r):
    """NVMe and SATA members of unlike size, all kinds of requests, twice the same bytes."""
    text = "extends: device/small\n" + drives(
        "a", "b, host.interface: sata, run.seed: 3, nand.blocks_per_plane: 60") + \
        raid("{}", "a, b") + "run: {warmup: 1ms, duration: 20ms}\n" + \
        stream("md0", "pattern: zipf, block_size: 24KiB, queue_depth: 16, read_fraction: 0.5, "
               "trim_fraction: 0.1, flush_every: 20, fua: true") + \
        "  - {name: open, drive: md0, pattern: uniform, rate: 20000/s, read_fraction: 0.3}\n"
    for level in (0, 1):
        results = []
        for _ in range(2):
            summary, out = r.array(text.replace("{}", str(level), 1))
            assert whole(summary) and summary["sim"]["simulated_ns"] > 20e6, summary
            assert len(summary["host"]["streams"]) == 2
            results.append([(out / "md0" / f).read_bytes() for f in
                            ("summary.json", "latency.csv")] +
                           [(out / d / "latency.csv").read_bytes() for d in "ab"])
        assert results[0] == results[1], level
    counted, _ = r.array(text.replace("{}", "0", 1).replace("warmup: 1ms, duration: 20ms",
                                                            "warmup: 500, requests: 1500"))
    total = sum(counted["host"][k]["requests"] for k in ("read", "write", "trim", "flush"))
    assert total == 1500, total


def check_contents(r):
    """What preconditioning left is what the array reads, in whole sectors too."""
    reads = stream("md0", "pattern: sequential, block_size: 64KiB, queue_depth: 4, "
                   "read_fraction: 0.9")
    for level, fill, more in ((0, 1, ", chunk: 4KiB"), (1, 0.5, ""), (1, 0, "")):
        text = "extends: device/small\ndata: full\nftl: {over_provisioning: 0.4}\n" + \
            "nand: {blocks_per_plane: 24, pages_per_block: 16}\n" + \
            drives("a", "b, run.seed: 2") + raid(level, "b, a", more) + \
            f"precondition: {{fill: {fill}, overwrite: 0.1}}\n" + reads
        summary, _ = r.array(text, "--requests", "1500")  # more than once around
        assert whole(summary) and summary["integrity"]["sectors_checked"] > 100000, summary


def check_refusals(r):
    ab = drives("a", "b", "c")
    work = stream("md0", MIXED.format(0.5)) + "  - {name: t, drive: c}\n"
    good = ab + raid(0, "a, b") + work

    def changed(old, new):
        assert old in good, old
        return good.replace(old, new)

    cases = [
        (changed("level: 0", "level: 5"), ":6:", "raid.0.level"),
        (changed("level: 0, ", ""), ":6:", "raid.0.level: is missing"),
        (changed("name: md0, ", ""), ":6:", "raid.0.name: is missing"),
        (changed("name: md0", "name: a"), ":6:", "is the name of another drive or array"),
        (changed("name: md0", "name: m/d"), ":6:", "is not a name"),
        (changed("[a, b]", "[a]"), ":6:", "is not a list of 2 to 16 drives"),
        (changed("[a, b]", "a"), ":6:", "is not a list of 2 to 16 drives"),
        (changed("[a, b]", "[a, bb]"), ":6:", "there is no drive 'bb'"),
        (changed("[a, b]", "[a, a]"), ":6:", "drive 'a' is a member of array 'md0' already"),
        (changed("[a, b]", "[a, b], chunk: 6KiB"), ":6:", "raid.0.chunk"),
        (changed("[a, b]", "[a, b], chunk: 2KiB"), ":6:", "raid.0.chunk"),
        (changed("[a, b]", "[a, b], chunk: 32MiB"), ":6:", "raid.0.chunk"),
        (changed("[a, b]", "[a, b], read_policy: round_robin"), ":6:", "only when level is 1"),
        (changed("level: 0", "level: 1, chunk: 64KiB"), ":6:", "only when level is 0"),
        (changed("level: 0", "levle: 0"), ":6:", "did you mean 'raid.0.level'?"),
        (changed("drive: md0", "drive: a"), ":8:", "drive 'a' is a member of array 'md0'"),
        (changed("drive: md0, ", ""), ":8:", "names no drive, and the first"),
        (changed("drive: md0", "drive: c"), ":6:", "no stream of the workload names array"),
        (changed("drive: md0", "drive: md1"), ":8:", "did you mean 'md0'?"),
        (changed("drive: md0, ", "drive: md0, range: {start: 9TiB}, "), ":8:", "of array 'md0'"),
        (changed("drive: md0, ", "drive: md0, range: {size: 9TiB}, "), ":8:", "of array 'md0'"),
        (changed("name: b", "name: b, run.requests: 5"), ":3:", "which runs as a whole"),
        (changed("name: b", "name: b, precondition.fill: 1"), ":6:", "are not filled alike"),
        (changed("name: b", "name: b, data: full"), ":6:", "differ in `data`"),
        (good + "precondition: {fill: 0.5}\n", ":6:", "set precondition.fill to 0 or 1"),
        ("raid: []\n", ":1:", "is not a list of arrays"),
        (raid(0, "a, b") + stream("md0", MIXED.format(1.0)), ":2:", "there is no drive 'a'"),
    ]
    for text, place, what in cases:
        done, _ = r.run("extends: device/small\n".rstrip() + "\n" + text, "--requests", "10")
        line = f":{int(place[1:-1]) + 1}:"
        assert done.returncode == 2 and line in done.stderr and what in done.stderr, \
            (text, done.returncode, done.stderr)


def check_start_at_rest(r):
    """The array begins when its last member is up: the others may be idle, with nothing to do of
    their own, when their first request comes. They are not asleep for ever."""
    slc = ("extends: device/small\nnand.slc_mode.tR: 30us\n"
           "nand.slc_mode.tPROG: 200us\nnand.slc_mode.tBERS: 5ms\n"
           "nand.blocks_per_plane: 96\nnand.errors.rber: 0.004\n"
           "ftl.slc_cache.dynamic: 16MiB\nftl.slc_cache.idle: 1ms\n"
           "ftl.slc_cache.close: 0s\nrun.requests: 1\nrun.seed: 185105\n")
    r.array(slc + drives("a", "b, host.interface: sata") + raid(0, "a, b") +
            "workload: [{drive: md0}]\n")


def main():
    with tempfile.TemporaryDirectory() as name:
        runner = Runner(pathlib.Path(name))
        for check in (check_refusals, check_rates, check_chunks, check_mirrors, check_failures,
                      check_deaths, check_mixture, check_contents, check_start_at_rest):
            check(runner)


if __name__ == "__main__":
    main()
