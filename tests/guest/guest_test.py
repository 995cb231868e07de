#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ssdvp guest with a machine in place of QEMU: guest_test.py SSDVP CASE. Needs no QEMU."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FAKE = HERE / "fake_qemu.py"


def run(ssdvp, *args, **environment):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out"
        done = subprocess.run([ssdvp, "guest", "device/small", "--out", str(out), *args],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              env={**os.environ, **environment}, timeout=100, check=False)
        summary = out / "summary.json"
        if not summary.is_file():
            return done, out.exists()
        return done, json.loads(summary.read_text("utf-8"))


def refuses(ssdvp, text, *args, **environment):
    done, summary = run(ssdvp, *args, **environment)
    assert done.returncode == 2, (done.returncode, done.stderr)
    assert text in done.stderr, done.stderr
    assert summary is False, "something was written"


def registers(ssdvp):
    """A guest's driver probes, moves data, resets the bus, reads them back and shuts down."""
    done, summary = run(ssdvp, "--qemu", str(FAKE))
    assert done.returncode == 0, done.stderr
    assert summary["complete"]
    host = summary["host"]
    assert (host["write"]["requests"], host["write"]["bytes"]) == (8, 32768)
    assert (host["read"]["requests"], host["read"]["errors"]) == (18, 2)
    assert host["flush"]["requests"] == 1
    parts = host["write"]["parts_ns"]
    assert abs(sum(parts.values()) - host["write"]["latency_ns"]["mean"]) < 1


def bad_input(ssdvp):
    refuses(ssdvp, "install the package qemu-system-x86", "--qemu", "/nonexistent/qemu")
    refuses(ssdvp, "7.0 or newer", "--qemu", str(FAKE), FAKE_QEMU_VERSION="6.2.0")
    refuses(ssdvp, "--kernel /nonexistent: there is no such file", "--qemu", str(FAKE),
            "--kernel", "/nonexistent")
    refuses(ssdvp, "--processors", "--processors", "0")


def dies(ssdvp):
    """A machine that ends with an error fails the run, and what ran is in the summary."""
    done, summary = run(ssdvp, "--qemu", str(FAKE), FAKE_QEMU_FAILS="1")
    assert done.returncode == 1, done.returncode
    assert "QEMU ended with code 3" in done.stdout
    assert "read" not in summary["host"], "nobody has read"


def babbles(ssdvp):
    """A machine that speaks something else is named, and ended."""
    done, _ = run(ssdvp, "--qemu", str(FAKE), FAKE_QEMU_BABBLES="1")
    assert done.returncode == 1, done.returncode
    assert "message 77 is not of the protocol" in done.stderr + done.stdout, done.stderr


def image(ssdvp):
    """What one guest wrote the next one finds; an image of another drive is refused, untouched."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "drive"
        for environment in ({}, {"FAKE_QEMU_AGAIN": "1"}, {"FAKE_QEMU_AGAIN": "1"}):
            done, _ = run(ssdvp, "--qemu", str(FAKE), "--image", str(file), **environment)
            assert done.returncode == 0, done.stderr
        before = file.read_bytes()
        refuses(ssdvp, str(file), "--qemu", str(FAKE), "--image", str(file), "--set",
                "nand.blocks_per_plane=128")
        assert file.read_bytes() == before
        new = ["--qemu", str(FAKE), "--image", str(pathlib.Path(folder) / "new")]
        done, summary = run(ssdvp, *new, "--power-cut", "at=1us")
        assert done.returncode == 0 and summary["flash"]["programs"] == 0, done.stderr
        done, _ = run(ssdvp, *new)
        assert done.returncode == 0, done.stderr


def power_cut(ssdvp):
    """Machine and drive lose power while the guest writes: what it had flushed is there."""
    with tempfile.TemporaryDirectory() as folder:
        file, note = pathlib.Path(folder) / "drive", str(pathlib.Path(folder) / "flushed")
        common = ["--qemu", str(FAKE), "--image", str(file)]
        done, _ = run(ssdvp, *common, "--power-cut", "at=400ms", FAKE_QEMU_WRITES=note)
        assert done.returncode == 0 and "power was cut" in done.stderr, done.stderr
        done, _ = run(ssdvp, *common, FAKE_QEMU_READS=note)
        assert done.returncode == 0, done.stderr
        done, summary = run(ssdvp, *common, "--power-cut", "every=50", FAKE_QEMU_WRITES=note)
        assert done.returncode == 0 and summary["flash"]["programs"] >= 50, done.stderr
        done, _ = run(ssdvp, *common, FAKE_QEMU_READS=note)
        assert done.returncode == 0, done.stderr
        refuses(ssdvp, "only one power.cut.at", *common, "--power-cut", "random=1")


def record(ssdvp):
    """The guest's requests as a trace: a run replays as many, as long."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "guest.iolog.gz"
        done, _ = run(ssdvp, "--qemu", str(FAKE), "--record", str(file))
        assert done.returncode == 0, done.stderr
        out = pathlib.Path(folder) / "out"
        subprocess.run([ssdvp, "run", "device/small", "--trace", f"{file},format=fio",
                        "--trace-fit", "wrap", "--quiet", "--out", str(out)], check=True,
                       stdout=subprocess.DEVNULL, timeout=100)
        host = json.loads((out / "summary.json").read_text("utf-8"))["host"]
        assert (host["write"]["requests"], host["write"]["bytes"]) == (8, 32768)
        assert (host["read"]["requests"], host["flush"]["requests"]) == (18, 1)


def sata(ssdvp):
    """The AHCI adapter shows itself in configuration space and in its registers."""
    with tempfile.TemporaryDirectory() as folder:
        for more, most in ([], "2MiB"), (["--set", "host.sata.max_transfer_size=64KiB"], "64KiB"):
            out = pathlib.Path(folder) / most
            done = subprocess.run([ssdvp, "guest", "device/sata-mlc", "--qemu", str(FAKE), *more,
                                   "--out", str(out)], stdin=subprocess.DEVNULL, timeout=100,
                                  env={**os.environ, "FAKE_QEMU_SATA": "1"}, check=False)
            assert done.returncode == 0, done.returncode
            assert f"max_transfer_size: {most}" in (out / "config.resolved.yaml").read_text("utf-8")


if __name__ == "__main__":
    {"registers": registers, "bad_input": bad_input, "dies": dies, "babbles": babbles,
     "image": image, "power_cut": power_cut, "record": record,
     "sata": sata}[sys.argv[2]](sys.argv[1])
