#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where outputs may go, what becomes of them when they cannot be written or a signal comes, and
what messages look like.

Usage: outputs_test.py SSDVP CASE
"""

import json
import os
import pathlib
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time

SSDVP = sys.argv[1]
SMALL = ["device/small", "workload/zipf-70-30"]
FAST = ["--set", "precondition.fill=0", "--requests", "300", "--quiet"]


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def ssdvp(*args, **more):
    command = [SSDVP, *map(str, args)]
    more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": 100, **more}
    return subprocess.run(command, text=True, check=False, **more)


def run(d, *args, **more):
    return ssdvp("run", *SMALL, *FAST, "--out", d / "out", *args, cwd=d, **more)


def ends(result, code, *words):
    expect(result.returncode == code, f"exit {result.returncode}, not {code}: {result.stderr}")
    for word in words:
        expect(word in result.stderr, f"'{word}' is missing in: {result.stderr}")


def names(folder):
    return sorted(p.name for p in folder.iterdir())


def read_slowly(fifo, text):
    with open(fifo, encoding="utf-8") as f:
        text.append(f.read())


def case_places(d):
    """Links and FIFOs stay what they are, and get all that a file would get."""
    ends(run(d, "--requests-log", d / "plain", "--ftl-series", d / "series"), 0)
    wanted = {"--requests-log": (d / "plain").read_text(),
              "--ftl-series": (d / "series").read_text()}
    os.mkfifo(d / "fifo")
    (d / "link").symlink_to("far/away")
    (d / "far").mkdir()
    for option, text in wanted.items():
        got = []
        reader = threading.Thread(target=read_slowly, args=(d / "fifo", got))
        reader.start()
        ends(run(d, option, d / "fifo"), 0)
        reader.join()
        expect(stat.S_ISFIFO((d / "fifo").lstat().st_mode), f"{option} replaced a FIFO")
        expect(got == [text], f"{option}: a FIFO got other text")
        for _ in range(2):  # to what does not exist yet, and to what does
            ends(run(d, option, d / "link"), 0)
            expect((d / "link").is_symlink(), f"{option} replaced a link")
            expect((d / "far/away").read_text() == text, f"{option}: other text behind a link")
        (d / "far/away").unlink()
        expect(names(d / "far") == [], "something is left behind a link")
        ends(run(d, option, "/dev/null"), 0)
        expect(text in run(d, option, "/dev/stdout").stdout, f"{option} /dev/stdout")
        with open(d / "file", "w+", encoding="utf-8") as f:
            ends(run(d, option, "/dev/stdout", stdout=f), 0)
            f.seek(0)
            got = f.read()
        expect(text in got and "all identities hold" in got, f"{option}: stdout as a file")
    (d / "out/summary.json").unlink()
    (d / "out/summary.json").symlink_to("../kept.json")
    ends(run(d), 0)
    expect((d / "out/summary.json").is_symlink(), "a link in the folder of results is replaced")
    expect(json.loads((d / "kept.json").read_text())["complete"], "no summary behind the link")


def case_refused(d):
    """What is neither a file nor a stream: refused before anything runs, and left as it is."""
    (d / "folder").mkdir()
    (d / "circle").symlink_to("circle")
    subprocess.run([sys.executable, "-c", "import socket, sys\n"
                    "socket.socket(socket.AF_UNIX).bind(sys.argv[1])", str(d / "socket")],
                   check=True)
    before = names(d)
    for place, why in {"folder": "is a folder", "socket": "is a socket",
                       "circle": "Too many levels"}.items():
        for option in ("--requests-log", "--ftl-series"):
            ends(run(d, option, d / place), 2, place, why, option)
            expect(names(d) == before, f"{option} {place} left files")
    for name in ("summary.json", "latency.csv", "config.resolved.yaml"):
        (d / "out" / name).mkdir(parents=True)
        ends(run(d), 2, name, "is a folder", "--out")
        (d / "out" / name).rmdir()
    (d / "prof/functions.csv").mkdir(parents=True)
    ends(run(d, "--fw-profile", d / "prof"), 2, "functions.csv", "--fw-profile")


def case_losses(d):
    """What cannot be written is told, the rest is written, and the exit code is 1."""
    for option in ("--requests-log", "--ftl-series"):
        ends(run(d, option, "/dev/full"), 1, "/dev/full", "No space left")
        expect((d / "out/summary.json").exists(), "one loss cost the summary")
        expect(stat.S_ISCHR(os.stat("/dev/full").st_mode), "/dev/full is no device any more")
    os.mkfifo(d / "fifo")
    with subprocess.Popen(["head", "-c", "1", str(d / "fifo")], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as lazy:
        try:
            ends(ssdvp("run", *SMALL, *FAST[:2], "--quiet", "--requests", 20000, "--out", d / "out",
                       "--requests-log", d / "fifo", cwd=d), 1, "fifo", "Broken pipe")
        finally:
            lazy.kill()
    (d / "out/latency.csv").unlink()
    (d / "out/latency.csv").symlink_to("/dev/full")
    ends(run(d), 1, "latency.csv", "No space left")
    (d / "out/latency.csv").unlink()
    for args in (["run", *SMALL, *FAST, "--out", d / "out"], ["show", "--options"], ["--version"],
                 ["schema"], ["check", *SMALL], ["run", "--help"]):
        with open("/dev/full", "w", encoding="utf-8") as full:
            ends(ssdvp(*args, stdout=full, cwd=d), 1, "standard output")
    reader, writer = os.pipe()
    os.close(reader)
    ends(ssdvp("schema", stdout=writer), 1, "standard output")
    os.close(writer)

    def little():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    before = (d / "out/summary.json").read_bytes()
    ends(run(d, "--requests-log", d / "log", preexec_fn=little), 1, "log", "File too large")
    expect(not (d / "log").exists() and (d / "out/summary.json").read_bytes() == before,
           "half a file has its name")
    expect(not [n for n in names(d) + names(d / "out") if n.endswith(".part")], "parts are left")


def without(*streams):
    """A child begins without these descriptors."""
    return {"preexec_fn": lambda: [os.close(n) for n in streams]}


def case_closed(d):
    """A standard stream that is closed gets what it would be told missed, and nothing else's."""
    (d / "two.yaml").write_text("drives: [{name: a}, {name: b}]\n"
                                "workload: [{drive: a, requests: 1}, {drive: b, requests: 1}]\n")
    two = ["run", "device/tiny", d / "two.yaml", *FAST[:2], "--quiet", "--out", d / "two"]
    printing = (["run", *SMALL, *FAST, "--out", d / "out"], two, ["check", *SMALL], ["schema"],
                ["show", *SMALL], ["show", "--presets"], ["show", "--policies"],
                ["show", "--counters"], ["show", "--options"], ["--version"], ["--help"],
                ["run", "--help"])
    for args in printing:
        ends(ssdvp(*args, cwd=d), 0)
        ends(ssdvp(*args, cwd=d, **without(1)), 1, "standard output", "closed")
    ends(run(d, "--requests-log", d / "log"), 0)
    wanted = (d / "log").read_text()
    for streams, code in (((0,), 0), ((2,), 0), ((0, 1), 1), ((1, 2), 1), ((0, 1, 2), 1)):
        ends(run(d, "--requests-log", d / "log", **without(*streams)), code)
        expect((d / "log").read_text() == wanted, f"without {streams} the log is another")
    ends(run(d, "--requests-log", "/dev/stdout", **without(1)), 2, "is not open for writing")
    # Messages that nobody gets; exit code 2 stays what it is.
    told = ["check", "device/tiny", "--set", "serve.pacing=2"]
    ends(ssdvp(*told, cwd=d), 0, "no effect")
    with open("/dev/full", "w", encoding="utf-8") as full:
        for lost in ({"stderr": full}, without(2)):
            expect(ssdvp(*told, cwd=d, **lost).returncode == 1, f"messages are lost: {lost}")
            expect(ssdvp("check", "no", cwd=d, **lost).returncode == 2, f"a wrong word: {lost}")

    def no_room():
        os.close(0)  # the loader of programs needs one
        os.close(2)
        resource.setrlimit(resource.RLIMIT_NOFILE, (2, 2))

    done = ssdvp("check", "device/tiny", cwd=d, preexec_fn=no_room)
    expect(done.returncode == 2 and done.stdout == "", "a file may take the number of stderr")


def stopped(d, how, *args, signals=1):
    """A drive of 2 TB is being filled when the signals come."""
    command = [SSDVP, "run", "device/nvme-tlc", "--set", "precondition.fill=1", "--quiet", "--out",
               str(d / "out"), *map(str, args)]
    with open(d / "log", "w", encoding="utf-8") as log:
        p = subprocess.Popen(command, stdout=log, stderr=log, cwd=d)
        end = time.time() + 60
        while not (d / "out").exists():
            expect(p.poll() is None and time.time() < end, (d / "log").read_text())
            time.sleep(0.01)
        time.sleep(0.3)
        if signals == 2:
            os.kill(p.pid, signal.SIGSTOP)  # both are there when it goes on
        for _ in range(signals):
            p.send_signal(how)
            how = signal.SIGTERM if how == signal.SIGINT else signal.SIGINT
        os.kill(p.pid, signal.SIGCONT)
        code = p.wait(timeout=60)
    text = (d / "log").read_text()
    expect(code == 130, f"exit {code}, not 130: {text}")
    return text


def case_signals(d):
    """The first one ends a fill as it ends a workload; the second one ends all at once."""
    expect("stopped early" in stopped(d, signal.SIGTERM, "--requests-log", d / "r.csv"), "a run")
    expect(json.loads((d / "out/summary.json").read_text())["complete"] is False, "complete")
    expect((d / "r.csv").read_text().count("\n") == 1, "the log of nothing")
    (d / "j.fio").write_text("[a]\nrw=randwrite\nsize=16M\n")
    subprocess.run(["rm", "-r", d / "out"], check=True)
    stopped(d, signal.SIGTERM, "--fio", d / "j.fio", "--output-format", "fio")
    expect(json.loads((d / "out/fio.json").read_text())["jobs"], "no fio.json")
    (d / "raid.yaml").write_text(
        "drives: [{name: a}, {name: b}]\nraid: [{name: md0, level: 0, drives: [a, b]}]\n"
        "workload: [{drive: md0, requests: 10}]\n")
    subprocess.run(["rm", "-r", d / "out"], check=True)
    expect("died" not in stopped(d, signal.SIGTERM, d / "raid.yaml"), "a member died")
    for how in (signal.SIGINT, signal.SIGTERM):
        subprocess.run(["rm", "-r", d / "out"], check=True)
        stopped(d, how, "--requests-log", d / "second.csv", signals=2)
        expect(names(d / "out") == [], f"left: {names(d / 'out')}")
        expect(not [n for n in names(d) if "second" in n], f"left: {names(d)}")


def case_messages(d):
    """Nothing that a user gives reaches the terminal but as text, and in bounds."""
    for bad in ("\x1b[31m", "\x07", "\r", "a\nssdvp: info: all is well", "\x7f", "\xc2\x9b"):
        for args in (["--set", f"nand.tR={bad}"], ["--set", f"{bad}=1"], ["--fio", bad], [bad],
                     ["--trace", bad + ".msr"], [f"--{bad}"]):
            done = ssdvp("run", *SMALL, *args, cwd=d)
            ends(done, 2)
            said = done.stderr.replace("\n", "", done.stderr.count("\nssdvp: error: ") + 1)
            expect(all(" " <= c < "\x7f" or c > "\x9f" for c in said), ascii(done.stderr))
            expect("info:" not in done.stderr[:14], ascii(done.stderr))
    ends(ssdvp("check", *SMALL, "--set", 'name="a\\eb"', cwd=d), 2, "control character 0x1b")
    long = "x" * 100000
    for args in (["--set", f"nand.tR={long}"], ["--set", f"{long}=1"], ["--fio", long], [long],
                 ["--set", f"workload.pattern={long}"], ["--set", f"name={long}"]):
        done = ssdvp("run", *SMALL, *args, cwd=d)
        ends(done, 2)
        expect(len(done.stderr) < 3000, f"{len(done.stderr)} characters of a message")
    for option in ("--out", "--firmware", "--requests-log", "--ftl-series", "--fw-profile", "--fio",
                   "--trace", "--requests", "--seed", "--duration", "--power-cut"):
        ends(ssdvp("run", *SMALL, option, "", cwd=d), 2, option, "is empty")
    ends(ssdvp("serve", *SMALL, "--nbd-unix", "", cwd=d), 2, "--nbd-unix", "is empty")
    ends(ssdvp("serve", *SMALL, "--nbd-unix", "s", "--image", "", cwd=d), 2, "--image", "is empty")
    ends(ssdvp("guest", *SMALL, "--record", "", cwd=d), 2, "--record", "is empty")
    ends(ssdvp("run", "", cwd=d), 2, "is empty")
    (d / "j.fio").write_text("[a]\nrw=read\nsize=1M\nnice=3\n")
    done = ssdvp("run", "device/small", "--fio", d / "j.fio", *FAST[:2], "--quiet", "--out",
                 d / "out", cwd=d)
    ends(done, 0, "no effect: nice")
    done = run(d, "--set", "nand.current.idle=0uA")
    ends(done, 0)
    expect("only when" not in done.stderr, f"a default was given: {done.stderr}")
    expect(names(d) == ["j.fio", "out"], f"a refused run left files: {names(d)}")


def main():
    with tempfile.TemporaryDirectory(prefix="ssdvp outputs ") as name:
        globals()["case_" + sys.argv[2]](pathlib.Path(name))
    print("ok")


if __name__ == "__main__":
    main()
