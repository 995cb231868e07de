#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fio job files through ssdvp: results, errors, fio's own layout and fio's own examples.

Usage: fio_test.py SSDVP CASE
"""

import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from fio_examples import EXAMPLES, examples

SSDVP = sys.argv[1]
SKIPPED = 77
DRIVE = ["device/small", "--quiet", "--set", "precondition.fill=0"]

def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def ssdvp(*args, cwd):
    return subprocess.run([SSDVP, *map(str, args)], cwd=cwd, capture_output=True, text=True,
                          timeout=200)


def run(d, text, *args):
    """Summary and fio.json of a job file."""
    (d / "job.fio").write_text(text)
    out = d / "out"
    result = ssdvp("run", *DRIVE, "--fio", d / "job.fio", "--output-format", "fio", "--out", out,
                   *args, cwd=d)
    expect(result.returncode == 0, f"exit {result.returncode}: {result.stderr}{result.stdout}")
    return json.loads((out / "summary.json").read_text()), json.loads(
        (out / "fio.json").read_text())


def read_fio(document):
    """What tools take out of fio's JSON: the same for fio's and for ours."""
    rows = []
    for job in document["jobs"]:
        row = {"name": job["jobname"], "group": job["groupid"], "error": job["error"],
               "options": dict(job["job options"])}
        for kind in ("read", "write", "trim"):
            side = job[kind]
            row[kind] = {key: float(side[key]) for key in (
                "io_bytes", "io_kbytes", "bw_bytes", "bw", "iops", "runtime", "total_ios",
                "short_ios", "drop_ios", "bw_min", "bw_max", "bw_agg", "bw_mean", "bw_dev",
                "bw_samples", "iops_min", "iops_max", "iops_mean", "iops_stddev",
                "iops_samples")}
            for part in ("slat_ns", "clat_ns", "lat_ns"):
                row[kind][part] = {key: float(side[part][key])
                                   for key in ("min", "max", "mean", "stddev", "N")}
            row[kind]["percentile"] = {float(p): float(ns) for p, ns in
                                       side["clat_ns"].get("percentile", {}).items()}
        row["sync"] = float(job["sync"]["total_ios"])
        row["levels"] = {key: float(v) for key, v in job["iodepth_level"].items()}
        for unit in ("latency_ns", "latency_us", "latency_ms"):
            row[unit] = {key: float(v) for key, v in job[unit].items()}
        for key in ("usr_cpu", "sys_cpu", "ctx", "majf", "minf", "job_runtime", "elapsed",
                    "iodepth_submit", "iodepth_complete", "latency_depth"):
            expect(key in job, f"no {key}")
        rows.append(row)
    expect(document["fio version"].startswith("fio-3."), "no version of fio")
    expect(document["timestamp"] > 0 and document["time"], "no time")
    return rows


def check_rows(rows, depth):
    """What holds for any run of a job of 400 reads and writes of 4 KiB."""
    expect(len(rows) == 1, f"{len(rows)} jobs")
    row = rows[0]
    expect(row["name"] == "mixed" and row["error"] == 0, "name or error")
    expect(row["read"]["total_ios"] + row["write"]["total_ios"] == 400, "requests")
    for kind in ("read", "write"):
        side = row[kind]
        expect(side["io_bytes"] == 4096 * side["total_ios"], "bytes")
        expect(side["clat_ns"]["N"] == side["total_ios"], "N")
        percentiles = [side["percentile"][p] for p in sorted(side["percentile"])]
        expect(len(percentiles) == 17 and percentiles == sorted(percentiles), "percentiles")
        expect(side["clat_ns"]["min"] <= side["clat_ns"]["mean"] <= side["clat_ns"]["max"],
               "min, mean, max")
    expect(list(row["levels"]) == ["1", "2", "4", "8", "16", "32", ">=64"], "levels")
    expect(abs(sum(row["levels"].values()) - 100) < 1.5, "levels are no whole")
    expect(row["levels"][depth] > 0, f"no request at depth {depth}")
    buckets = sum(sum(row[u].values()) for u in ("latency_ns", "latency_us", "latency_ms"))
    expect(abs(buckets - 100) < 1.5, f"latency buckets sum to {buckets}")
    expect(len(row["latency_ns"]) == 10 and len(row["latency_us"]) == 10 and
           len(row["latency_ms"]) == 12, "latency buckets")


MIXED = "[mixed]\nrw=randrw\nbs=4k\nsize=1600k\niodepth=8\n"


def case_json(d):
    """Our JSON and that of the real fio, read by the same lines; percentiles are the summary's."""
    summary, ours = run(d, MIXED)
    check_rows(read_fio(ours), "8")
    for kind in ("read", "write"):
        told = summary["host"][kind]["latency_ns"]
        found = ours["jobs"][0][kind]["lat_ns"]
        for name, key in (("p50", "50.000000"), ("p90", "90.000000"), ("p99", "99.000000"),
                          ("p99.9", "99.900000"), ("p99.99", "99.990000")):
            expect(abs(told[name] - found["percentile"][key]) <= 0.5,
                   f"{kind} {name}: {told[name]} and {found['percentile'][key]}")
        expect(abs(told["mean"] - found["mean"]) < 0.01, "mean")
        expect(abs(told["max"] - found["max"]) <= 0.5, "max")
    fio = shutil.which("fio")
    if fio is None:
        print("fio is not installed: ours alone was read")
        return SKIPPED
    (d / "real.fio").write_text(MIXED + "ioengine=null\n")
    real = subprocess.run([fio, "--output-format=json", d / "real.fio"], capture_output=True,
                          text=True, check=True, timeout=60)
    real = json.loads(real.stdout[real.stdout.index("{"):])
    check_rows(read_fio(real), "8" if real["jobs"][0]["iodepth_level"]["8"] else "1")
    missing = set(real["jobs"][0]) - set(ours["jobs"][0])
    expect(not missing, f"ours lacks {missing}")
    for kind in ("read", "write", "trim"):
        missing = set(real["jobs"][0][kind]) - set(ours["jobs"][0][kind])
        expect(not missing, f"ours lacks {missing} of {kind}")
    return 0


def case_jobs(d):
    """Jobs, groups, verification and the order of a stonewall, through the whole drive."""
    summary, fio = run(d, "[global]\nbs=8k\nsize=1m\niodepth=4\n"
                       "[w]\nrw=write\nverify=crc32c\nnumjobs=2\ngroup_reporting\nfsync=32\n"
                       "[t]\nstonewall\nrw=randtrim\n[r]\nstonewall\nrw=randread\nrate_iops=5000\n")
    names = [job["jobname"] for job in fio["jobs"]]
    expect(names == ["w", "t", "r"], f"{names}")
    w, t, r = fio["jobs"]
    expect(w["write"]["total_ios"] == 256 and w["read"]["total_ios"] == 256, "write and verify")
    expect(w["sync"]["total_ios"] == 6, f"{w['sync']['total_ios']} flushes")
    expect(t["trim"]["total_ios"] == 128 and t["groupid"] == 1, "trim")
    expect(r["read"]["total_ios"] == 128, "read")
    expect(abs(r["read"]["iops"] / 5000 - 1) < 0.03, f"{r['read']['iops']} per second")
    expect(summary["host"]["write"]["requests"] == 256, "summary")
    expect(len(summary["host"]["streams"]) == 4, "streams")
    # The same bytes again.
    again, _ = run(d, (d / "job.fio").read_text())
    expect(again["host"] == summary["host"], "another run differs")


def real_fio(d, text):
    """fio.json of the real fio, whose engine does nothing; None: it is not installed."""
    fio = shutil.which("fio")
    if fio is None:
        return None
    d.mkdir(exist_ok=True)
    (d / "real.fio").write_text(text.replace("[global]\n", "[global]\nioengine=null\n"))
    real = subprocess.run([fio, "--output-format=json", "real.fio"], cwd=d, capture_output=True,
                          text=True, check=True, timeout=60)
    return json.loads(real.stdout[real.stdout.index("{"):])


LOGS = """[global]
rw=randrw
bs=4k
size=16m
iodepth=4
time_based
write_lat_log
write_bw_log=x
write_iops_log=y
runtime=120ms
[each]
log_offset=1
[mean]
log_avg_msec=20
bs=8k
[histogram]
write_hist_log
log_hist_msec=50
log_hist_coarseness=6
log_avg_msec=50
disable_slat=1
numjobs=2
"""


def read_log(path):
    """Rows of numbers, as fio's tools read them."""
    return [[int(field, 0) for field in line.split(", ")]
            for line in path.read_text().splitlines()]


def check_logs(d):
    """What holds for the logs of any run of these jobs; bytes and means of the periods."""
    names = {f.name for f in d.glob("*.log")}
    expect(names == {f"{job}_{what}.{n}.log" for n, job in
                     ((1, "each"), (2, "mean"), (3, "histogram"), (4, "histogram"))
                     for what in ("lat", "clat", "slat") if what != "slat" or n < 3} |
           {f"{name}_{what}.{n}.log" for n in (1, 2, 3, 4)
            for name, what in (("x", "bw"), ("y", "iops"))} |
           {"histogram_clat_hist.3.log", "histogram_clat_hist.4.log"}, f"{sorted(names)}")
    each = read_log(d / "each_lat.1.log")
    expect(len(each) > 20 and {len(row) for row in each} == {6}, "columns of each request")
    expect({row[2] for row in each} == {0, 1} and {row[3] for row in each} == {4096}, "kinds")
    expect(all(row[4] % 4096 == 0 and row[4] < 16 << 20 and row[5] == 0 for row in each), "offsets")
    expect(len(read_log(d / "y_iops.1.log")) == len(each), "a line for each request")
    expect({row[1] for row in read_log(d / "y_iops.1.log")} == {1}, "one request each")
    mean = read_log(d / "mean_clat.2.log")
    expect({len(row) for row in mean} == {5} and {row[3] for row in mean} == {0}, "means")
    for kind in (0, 1):
        times = [row[0] for row in mean if row[2] == kind]
        # The last line is that of the end, wherever it is.
        expect(len(times) >= 6 and all(t // 20 == i + 1 for i, t in enumerate(times[:5])),
               f"{times}")
    hist = read_log(d / "histogram_clat_hist.3.log")
    expect(hist and {len(row) for row in hist} == {3 + 29}, "bins")
    expect(all(sum(row[3:]) > 0 for row in hist), "empty histograms")


def case_logs(d):
    """fio's logs have its names, columns and times: ours and those of the real fio, read alike."""
    _, fio = run(d, LOGS)
    out = d / "out"
    check_logs(out)
    side = fio["jobs"][1]["read"]
    rows = [row for row in read_log(out / "x_bw.2.log") if row[2] == 0]
    expect([row[0] for row in rows][:5] == [20, 40, 60, 80, 100], f"{rows}")
    expect(side["bw_samples"] == len(rows) and side["bw_max"] == max(row[1] for row in rows),
           f"{side}")
    expect(abs(side["bw_mean"] - sum(row[1] for row in rows) / len(rows)) < 1e-3, f"{side}")
    expect(abs(side["bw_mean"] / side["bw"] - 1) < 0.2, f"{side}")
    expect(abs(side["iops_mean"] / side["iops"] - 1) < 0.2, f"{side}")
    # Every request of the job lies in an interval but those after the last one.
    counted = sum(row[1] * 20 // 1000 for row in read_log(out / "y_iops.2.log") if row[2] == 0)
    expect(0.9 * side["total_ios"] <= counted <= side["total_ios"], f"{counted}: {side}")
    lat = [row[1] for row in read_log(out / "each_lat.1.log") if row[2] == 0]
    told = fio["jobs"][0]["read"]["lat_ns"]
    expect(len(lat) == told["N"] and max(lat) == told["max"] and min(lat) == told["min"],
           f"{told}")
    expect(abs(sum(lat) / len(lat) - told["mean"]) < 0.5, "mean")
    maxima = run(d, LOGS + "log_max_value=1\n") and read_log(out / "histogram_lat.3.log")
    expect(max(row[1] for row in maxima) >= 2 * min(row[1] for row in maxima), f"{maxima}")
    if real_fio(d / "real", LOGS.replace("iodepth", "rate_iops=2000\niodepth")) is None:
        print("fio is not installed: ours alone were read")
        return SKIPPED
    (d / "real/each_slat.1.log").touch()  # which its engine without a queue need not write
    (d / "real/mean_slat.2.log").touch()
    check_logs(d / "real")
    return 0


def case_mix(d):
    """rwmixread: shares of reads over ten seeds, ours and those of the real fio."""
    requests, share, seeds = 1024, 0.7, range(1, 11)
    text = "[global]\nrw=randrw\nrwmixread=70\nbs=4k\nsize=4m\niodepth=16\n"
    deviation = (requests * share * (1 - share)) ** 0.5  # of draws
    ours, reals = [], []
    for seed in seeds:
        job = f"{text}randseed={seed}\n[a]\n"
        ours.append(run(d, job)[1]["jobs"][0]["read"]["total_ios"])
        real = real_fio(d / "real", job)
        if real is not None:
            reals.append(real["jobs"][0]["read"]["total_ios"])
    print(f"reads of {requests}: ours {ours}, fio's {reals}")
    for counts in (ours, reals):
        expect(all(abs(n - requests * share) < 4 * deviation for n in counts), f"{counts}")
        expect(abs(sum(counts) - len(counts) * requests * share) <=
               4 * deviation * len(counts) ** 0.5, f"{counts}")
    expect(len(set(ours)) > 3, f"seeds change nothing: {ours}")
    return 0 if reals else SKIPPED


def case_direction(d):
    """Options move the result their way."""
    base = "[a]\nrw=randread\nbs=4k\nsize=4m\n"
    fill = ["--set", "precondition.fill=0.5"]

    def iops(more):
        return run(d, base + more, *fill)[1]["jobs"][0]["read"]["iops"]

    one, deep = iops("iodepth=1\n"), iops("iodepth=16\n")
    expect(deep > 3 * one, f"iodepth: {one}, {deep}")
    expect(iops("iodepth=16\nthinktime=1ms\n") < one, "thinktime")
    expect(iops("iodepth=16\nioengine=sync\n") < deep / 3, "a synchronous engine")
    expect(iops("iodepth=16\niodepth_low=1\n") < deep, "iodepth_low")
    expect(abs(iops("iodepth=16\nrate=8m\n") / 2048 - 1) < 0.05, "rate")
    summary, _ = run(d, base + "runtime=10ms\ntime_based\nramp_time=5ms\n", *fill)
    expect(9.5e6 < summary["sim"]["simulated_ns"] < 11e6, "runtime and ramp_time")
    # As fio 3.33: 4 MiB hold 1,024 blocks, and number_ios counts anew in each loop.
    for more, reads in (("", 1024), ("loops=3\n", 3072), ("number_ios=100\n", 100),
                        ("number_ios=100\nloops=3\n", 300), ("number_ios=2000\nloops=2\n", 2048)):
        done = run(d, base + more, *fill)[1]["jobs"][0]["read"]["total_ios"]
        expect(done == reads, f"{more}: {done} reads, not {reads}")


def case_times(d):
    """What is before the first request is not measured, and a ramp not reported."""
    base = "[global]\nrw=randread\nbs=4k\nsize=1m\niodepth=8\n"
    plain, _ = run(d, base + "[a]\n")
    late, fio = run(d, base + "startdelay=5ms\n[a]\n")
    read = late["host"]["read"]["iops"]
    expect(abs(read / plain["host"]["read"]["iops"] - 1) < 0.02, f"{read} after a delay")
    expect(abs(read / fio["jobs"][0]["read"]["iops"] - 1) < 0.02, f"fio.json: {fio}")
    # Each of two jobs in turn has a ramp of its own.
    limits = "stonewall\nramp_time=1ms\nruntime=4ms\ntime_based\nrate_iops=10000\n"
    _, fio = run(d, base + limits + "[a]\n[b]\n")
    counts = [job["read"]["total_ios"] for job in fio["jobs"]]
    expect(all(38 <= n <= 42 for n in counts), f"{counts} requests in 4 ms")
    _, fio = run(d, base + "rw=randrw\n[a]\nunified_rw_reporting=1\n"
                 "[b]\nunified_rw_reporting=both\n")
    first, second = fio["jobs"]
    expect("read" not in first and first["mixed"]["total_ios"] == 256, "mixed alone")
    expect(second["mixed"]["total_ios"] == 256 and second["mixed"]["io_bytes"] == 1 << 20, "both")
    expect(second["read"]["total_ios"] + second["write"]["total_ios"] == 256, "both")
    plain, fua = (run(d, f"[a]\nrw=write\nsize=64k\nwritefua={n}\n")[1]["jobs"][0]["write"]
                  for n in (0, 1))
    expect(fua["clat_ns"]["mean"] > 10 * plain["clat_ns"]["mean"], "writefua")
    # What a read finds in the buffer: programmed first, or read again, with FUA.
    for interface in ("nvme", "sata"):
        summary = {}
        for n in (0, 1):
            job = ("[global]\nfilename=f\n[w]\nrw=write\nsize=64k\n[r]\nstonewall\nsize=64k\n"
                   f"readfua={n}\n")
            summary[n], fio = run(d, job, "--set", f"host.interface={interface}")
            expect(fio["jobs"][1]["read"]["total_ios"] == 16, f"{fio['jobs'][1]['read']}")
        reads = [summary[n]["flash"]["by_purpose"]["host"]["reads"] for n in (0, 1)]
        expect(reads[0] == 0 and reads[1] == 16, f"readfua, {interface}: {reads}")


def case_line(d):
    """fio's command line behind `--`, and again from what the run resolved."""
    out = d / "out"
    words = ["--", "--size=1m", "--thread", "-rw", "randread", "--name=one", "--bs=4k",
             "--name=two", "--bs", "16k", "--description=it's two"]
    result = ssdvp("run", *DRIVE, "--output-format", "fio", "--out", out, *words, cwd=d)
    expect(result.returncode == 0, result.stderr)
    first = (out / "fio.json").read_text()
    counts = {job["jobname"]: job["read"]["total_ios"] for job in json.loads(first)["jobs"]}
    expect(counts == {"one": 256, "two": 64}, f"{counts}")
    result = ssdvp("run", out / "config.resolved.yaml", "--quiet", "--output-format", "fio",
                   "--out", d / "again", cwd=d)
    expect(result.returncode == 0, result.stderr)
    again = json.loads((d / "again/fio.json").read_text())
    expect(again["jobs"] == json.loads(first)["jobs"], "another result")
    for command, message in ((["run", *DRIVE, "--", "--name=a", "--rw=sideways"],
                              "fio argument --rw=sideways: rw: 'sideways'"),
                             (["run", *DRIVE, "--"], "write -- --name=a"),
                             (["run", *DRIVE, "--fio", "x", "--", "--name=a"], "or --fio FILE"),
                             (["states", "--", "--name=a"], "which this command does not run")):
        result = ssdvp(*command, cwd=d)
        expect(result.returncode == 2 and message in result.stderr, f"{command}: {result.stderr}")


def case_zones(d):
    """zonemode=zbd on a zoned drive: nothing fails, all is read back."""
    zones = ["--set", "host.nvme.zns.zone_size=8MiB", "--set", "host.driver.queue_pairs=3"]
    text = ("[global]\nzonemode=zbd\niodepth=8\nfilename=/dev/nvme0n1\n"
            "[r]\nrw=randwrite\nbs=64k\nsize=64m\nmax_open_zones=3\nverify=crc32c\n"
            "[s]\nstonewall\nrw=write\nbs=256k\nsize=16m\n"
            "[t]\nstonewall\nrw=randread\nbs=4k\nsize=16m\nnumber_ios=200\n")
    summary, fio = run(d, text, *zones)
    r, s, t = fio["jobs"]
    expect(r["write"]["total_ios"] == 1024 and r["read"]["total_ios"] > 300, f"{r}")
    expect(s["write"]["total_ios"] == 64 and t["read"]["total_ios"] == 200, "sequential, reads")
    expect(summary["integrity"]["mismatches"] == 0, f"{summary['integrity']}")
    expect(all(job["error"] == 0 for job in fio["jobs"]), "errors")


def case_errors(d):
    """Exit code 2 and file:line:column."""
    for text, words in {
        "[a]\nrw=sideways\n": ["job.fio:2:4: rw:", "give one of"],
        "[a]\nflow=8\n": ["job.fio:2:1: flow: cannot be honoured"],
        "[a]\nsize=900g\n": ["job.fio:2:6: size:", "larger drive"],
    }.items():
        (d / "job.fio").write_text(text)
        for command in (["run", "--quiet"], ["check"]):
            result = ssdvp(*command, "device/small", "--fio", d / "job.fio", cwd=d)
            expect(result.returncode == 2, f"exit {result.returncode}: {result.stderr}")
            for word in words:
                expect(word in result.stderr, f"'{word}' is missing in: {result.stderr}")
    (d / "job.fio").write_text("[a]\nsize=1m\ndirect=1\nramp_time=1ms\n")
    result = ssdvp("run", *DRIVE, "--fio", d / "job.fio", "--set", "run.warmup=2ms", cwd=d)
    expect(result.returncode == 2 and "ramp_time" in result.stderr, result.stderr)
    result = ssdvp("run", *DRIVE, "--fio", d / "none.fio", cwd=d)
    expect(result.returncode == 2 and "none.fio" in result.stderr, result.stderr)
    (d / "job.fio").write_text("[a]\nsize=1m\ndirect=1\n")
    result = ssdvp("check", "device/small", "--fio", d / "job.fio", cwd=d)
    expect(result.returncode == 0 and result.stdout.startswith("ok"), result.stderr)
    expect("job.fio:3:1: no effect: direct" in result.stderr, result.stderr)
    expect({f.name for f in d.iterdir()} == {"job.fio"}, "a check wrote files")
    # From a configuration, the job beside it; options without effect are told.
    (d / "job.fio").write_text("[a]\nsize=1m\ndirect=1\n")
    (d / "c.yaml").write_text("extends: device/small\nworkload: {fio: job.fio}\n")
    (d / "elsewhere").mkdir()
    result = ssdvp("run", d / "c.yaml", "--set", "precondition.fill=0", "--out", d / "out",
                   cwd=d / "elsewhere")
    expect(result.returncode == 0, result.stderr)
    expect("job.fio:3:1: no effect: direct" in result.stderr, result.stderr)


def case_examples(d):
    """fio's own examples, as Debian ships them, on a drive of 1 TB: unchanged, 50 requests each."""
    found = examples()
    if not found:
        print("package fio-examples is not installed")
        return SKIPPED
    os.environ["unixsocket"] = "/tmp/socket"  # which nbd.fio names, for fio's own client
    ran = 0
    for name in EXAMPLES:
        if name not in found:
            print(f"{name}: not in this version of fio")
            continue
        text = found[name].read_bytes()
        (d / f"{name}.fio").write_bytes(
            gzip.decompress(text) if found[name].suffix == ".gz" else text)
        result = ssdvp("run", "experiment/drive-1tb", "--fio", d / f"{name}.fio", "--quiet",
                       "--set", "precondition.fill=0", "--requests", 50, "--out", d / "out",
                       cwd=d)
        expect(result.returncode == 0, f"{name}: exit {result.returncode}: {result.stderr}")
        ran += 1
    print(f"{ran} of {len(found)} examples ran")
    expect(ran >= 20, "hardly any example ran")
    return 0


def main():
    with tempfile.TemporaryDirectory() as directory:
        sys.exit(globals()["case_" + sys.argv[2]](pathlib.Path(directory)) or 0)


main()
