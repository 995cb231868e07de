#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The code behind scripts/capture, without a guest: its converter on a recorded log, the recipes
it draws, its command line; and the traces that ship with the project, replayed.

Usage: capture_test.py ROOT SSDVP convert|malformed|recipes|guest|usage|shipped|TRACE"""
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT, SSDVP = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
HERE = pathlib.Path(__file__).resolve().parent
LOG = HERE / "capture.log"
TRACES = ROOT / "configs" / "workload" / "traces"
sys.path.insert(0, str(ROOT / "scripts" / "lib"))

# What the log says, by hand: three reads, two flushes, two trims, four writes.
EXPECTED = """254,0 0 1 0.000000000 0 Q R 0 + 1 [guest]
254,0 0 2 0.307584000 0 Q R 0 + 1 [guest]
254,0 0 3 16.557484000 0 Q R 0 + 8 [guest]
254,0 0 4 17.286003000 0 Q F [guest]
254,0 0 5 17.291518000 0 Q F [guest]
254,0 0 6 17.296330000 0 Q D 0 + 2 [guest]
254,0 0 7 17.297260000 0 Q D 0 + 262144 [guest]
254,0 0 8 22.471193000 0 Q W 34818 + 50 [guest]
254,0 0 9 22.473484000 0 Q W 98456 + 18 [guest]
254,0 0 10 22.477436000 0 Q W 98474 + 2 [guest]
254,0 0 11 22.479942000 0 Q W 34818 + 2 [guest]
"""


def capture(*args, **more):
    command = [sys.executable, "-B", "-m", "capture", *map(str, args)]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "scripts" / "lib"), **more}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=env)


def case_convert(d):
    plain, packed = d / "x.blkparse", d / "x.blkparse.gz"
    for zone in ("UTC", "Asia/Seoul"):
        done = capture("--convert", LOG, plain, TZ=zone)
        assert done.returncode == 0, done.stderr
        assert plain.read_text() == EXPECTED, plain.read_text()
    row = "| `x.blkparse` | 3 | 4 | 2 | 2 | 0.0 | 0.0 | 134.2 | 22 |"
    assert row in done.stdout.splitlines(), done.stdout
    capture("--convert", LOG, packed)
    first = packed.read_bytes()
    capture("--convert", LOG, packed)
    assert packed.read_bytes() == first, "two conversions differ"
    assert gzip.decompress(first).decode() == EXPECTED
    other = d / "z.blkparse"
    (d / "z.log").write_text("2000-01-01 00:00:02.000000 connection=1 Zero id=1 offset=0x200 "
                             "count=0x400 may_trim=1 fua=0 fast=0 ...\n"
                             "2000-01-01 00:00:01.000000 connection=1 Zero id=2 offset=0x0 "
                             "count=0x200 may_trim=0 fua=1 fast=0 ...\n"
                             "2000-01-01 00:00:02.000001 connection=1 ...Zero id=1 return=0\n"
                             "2000-01-01 00:00:02.000001 connection=1 ...Zero id=2 return=0\n")
    capture("--convert", d / "z.log", other)
    assert other.read_text() == ("254,0 0 1 0.000000000 0 Q WF 0 + 1 [guest]\n"
                                 "254,0 0 2 1.000000000 0 Q D 1 + 2 [guest]\n"), other.read_text()
    done = subprocess.run([SSDVP, "run", "device/small", "--trace", plain, "--quiet", "--out",
                           d / "out"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    host = json.loads((d / "out" / "summary.json").read_text())["host"]
    counts = {kind: host[kind]["requests"] for kind in ("read", "write", "trim", "flush")}
    assert counts == {"read": 3, "write": 4, "trim": 2, "flush": 2}, counts


def refused(d, text, *words):
    """Exit code 2, one message with file:line and the words, and the old trace as it was."""
    log, trace = d / "bad.log", d / "x.blkparse"
    log.write_text(text)
    trace.write_text("as it was")
    done = capture("--convert", log, trace)
    assert done.returncode == 2, (done.returncode, done.stderr)
    for word in (str(log), *words):
        assert word in done.stderr, f"'{word}' is missing in: {done.stderr}"
    assert trace.read_text() == "as it was", "a refused log overwrote a trace"
    assert sorted(p.name for p in d.iterdir()) == ["bad.log", "x.blkparse"]


def case_malformed(d):
    lines = LOG.read_text().splitlines(keepends=True)
    begin = 6  # of the first request, counted from 1
    stamp = lines[begin - 1][:26]

    def changed(text):
        return "".join(lines[:begin - 1] + [text + "\n"] + lines[begin:])

    def read(arguments):
        return changed(f"{stamp} connection=1 Read id=1 {arguments} ...")

    refused(d, changed("yesterday connection=1 Read id=1"), f":{begin}: does not begin with a time",
            "capture it again")
    refused(d, changed("2000-13-01" + lines[begin - 1][10:].rstrip()), f":{begin}:", "does not")
    refused(d, changed(f"{stamp} connection=1 Boo id=1 ..."), f":{begin}: \"connection=1 Boo")
    refused(d, changed(f"{stamp} nonsense"), f":{begin}: \"nonsense\" is no record")
    refused(d, read("offset=0x0"), f":{begin}: count= is missing")
    refused(d, read("offset=zero count=0x200"), f":{begin}:", "zero")
    refused(d, read("offset=0x0 count=0x0"), f":{begin}: offset 0, count 0: not whole sectors")
    refused(d, read("offset=0x10 count=0x200"), "offset 16, count 512: not whole sectors of 512")
    refused(d, "".join(lines[:begin - 1] + lines[begin:]), f":{begin}: ends Read id=1, which has")
    failed = lines[begin].replace("return=0", "return=-1 (EIO)")
    refused(d, "".join(lines[:begin] + [failed]), f":{begin + 1}: Read id=1 failed: -1")
    refused(d, "".join(lines[:begin]), f":{begin}: Read never ends", "cut the log off")
    refused(d, "".join(lines[:5]), ":5: holds no request; capture it again")
    refused(d, "", "holds no request")
    done = capture("--convert", d / "missing.log", d / "x.blkparse")
    assert done.returncode == 2 and "missing.log: No such file" in done.stderr, done.stderr
    done = capture("--convert", LOG, d / "x.csv")
    assert done.returncode == 2 and "does not tell the format" in done.stderr, done.stderr
    done = capture("--convert", LOG, d / "no" / "x.blkparse")
    assert done.returncode == 2 and "can be written" in done.stderr, done.stderr


def case_recipes(_):
    import random
    from capture import database, files
    for kind, files_of in files.SETS.items():
        of = files.sizes(files_of, random.Random(1))
        assert abs(sum(of) / len(of) - files_of.mean) <= 1, kind
        count, room = files_of.paper_operations // files.SCALE, 80 * files.MIB
        steps = list(files.operations(of, count, room, random.Random(7)))
        assert steps == list(files.operations(of, count, room, random.Random(7)))
        assert steps != list(files.operations(of, count, room, random.Random(8)))
        there, taken, filled = {}, 0, False
        counted = {"copy": 0, "delete": 0}
        for step, file, name in steps:
            if step == "copy":
                assert name not in there
                there[name] = of[file]
            else:
                del there[name]  # KeyError: deleted what was not there
            filled = filled or step == "delete" or sum(there.values()) > room // 2
            counted[step] += filled
            taken = max(taken, sum(there.values()))
        assert taken <= room, kind
        assert count - 40 <= sum(counted.values()) <= count, (kind, counted)
        assert abs(counted["copy"] - counted["delete"]) < 0.15 * count, (kind, counted)
    sql = list(database.transactions(300, 5))
    assert sql == list(database.transactions(300, 5)) and len(sql) == 300
    assert 100 < sum("INSERT" in text for text in sql) < 200


def case_guest(d):
    """Modules after those they need, packages merged into one root, a disk that is a file."""
    from capture import guest
    from debian_guest import initramfs, packages
    from debian_guest.failure import Failure
    for name, needs in (("virtio", b""), ("virtio-pci", b"virtio"), ("lone", None),
                        ("virtio_blk", b"virtio_pci,virtio"), ("loop", b"gone")):
        text = b"x" if needs is None else b"\0license=GPL\0depends=" + needs + b"\0intree=Y\0"
        (d / f"{name}.ko").write_bytes(text)
    order = [m.stem for m in initramfs.in_order(d, ("lone", "virtio_blk", "virtio"))]
    assert order == ["lone", "virtio", "virtio-pci", "virtio_blk"], order
    try:
        initramfs.in_order(d, ("loop",))
        raise AssertionError("a module that is not there was found")
    except Failure as failure:
        assert "no module gone" in str(failure)

    (d / "a" / "lib").mkdir(parents=True)
    (d / "a" / "lib" / "x").write_text("x")
    (d / "b" / "usr" / "lib").mkdir(parents=True)
    (d / "b" / "usr" / "lib" / "y").write_text("y")
    packages.merge(d / "root", (d / "a", d / "b"))
    assert sorted(p.name for p in (d / "root" / "lib").iterdir()) == ["x", "y"]
    assert (d / "root" / "lib").is_symlink()

    (d / "boot").mkdir()
    (d / "boot" / "vmlinuz-1").write_text("")
    of = guest.Guest((), (), {}, 1 << 20, trims=True)
    command = guest.machine(of, d, d / "initramfs")
    assert "pc,accel=tcg" in command and "-drive" not in command and "-nodefaults" in command
    assert any("discard=on" in word for word in command)


def case_usage(_):
    from capture.recipes import RECIPES
    done = capture("--list")
    names = [line.split()[0] for line in done.stdout.splitlines()]
    assert done.returncode == 0 and names == list(RECIPES), done.stdout
    assert sum(name.startswith(("fat-", "ntfs-")) for name in names) == 8, names
    done = capture("--only", "floppy")
    assert done.returncode == 2 and "there is no floppy; one of fat-mp3-single" in done.stderr
    done = capture("--only", names[0], PATH="/nonexistent")
    assert done.returncode == 1 and "apt-get install qemu-system-x86" in done.stderr, done.stderr


def replay(name, d):
    """Every request of a shipped trace on the small drive, by its workload file."""
    out = d / name
    done = subprocess.run([SSDVP, "run", "device/small", f"workload/{name}", "--quiet", "--out",
                           out], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    summary = json.loads((out / "summary.json").read_text())
    assert summary["complete"] and summary["integrity"]["mismatches"] == 0
    assert summary["ftl"]["scheme"] == "page_map"
    return summary["host"]


def case_shipped(_):
    """A trace, a workload and a line of the README for each recipe, and nothing else."""
    from capture.recipes import RECIPES
    ending = ".blkparse.zst"
    shipped = {path.name[:-len(ending)] for path in TRACES.glob("*" + ending)}
    assert shipped == set(RECIPES), shipped ^ set(RECIPES)
    readme = (TRACES / "README.md").read_text(encoding="utf-8")
    for name in RECIPES:
        workload = (ROOT / "configs" / "workload" / f"{name}.yaml").read_text(encoding="utf-8")
        assert f"trace: traces/{name}{ending}" in workload, workload
        assert f"| `{name}` |" in readme, f"{name} is missing in {TRACES / 'README.md'}"
    assert sum(path.stat().st_size for path in TRACES.iterdir()) < 4 << 20


def case_trace(d):
    """The counts of a replay are those that the README gives."""
    name = sys.argv[3]
    host = replay(name, d)
    readme = (TRACES / "README.md").read_text(encoding="utf-8")
    row = next(line for line in readme.splitlines() if line.startswith(f"| `{name}` |"))
    cells = [cell.strip().replace(",", "") for cell in row.split("|")][2:6]
    kinds = ("read", "write", "flush", "trim")
    counts = [str(host[kind]["requests"]) if kind in host else "0" for kind in kinds]
    assert counts == cells, (counts, cells)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as directory:
        globals().get(f"case_{sys.argv[3]}", case_trace)(pathlib.Path(directory))
