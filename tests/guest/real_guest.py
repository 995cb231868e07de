#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Linux in QEMU on the drive: real_guest.py SSDVP FOLDER CHECK... [-- ARGS of ssdvp guest].
With no CHECK: only makes kernel and initramfs in FOLDER. Exit code 77: they cannot be had here."""
import json
import pathlib
import shutil
import subprocess
import sys

SKIPPED = 77
LIBRARY = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "lib"
sys.path.insert(0, str(LIBRARY))

from debian_guest.failure import Unavailable  # noqa: E402  pylint: disable=wrong-import-position
from guest import root  # noqa: E402  pylint: disable=wrong-import-position

# What makes and starts the guest, and the Debian package that has it.
PROGRAMS = {"qemu-system-x86_64": "qemu-system-x86", "cpio": "cpio", "apt-get": "apt",
            "apt-cache": "apt", "dpkg-deb": "dpkg"}


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def recorded(summary):
    """The guest's commands were told one by one, ended well, and their times are whole."""
    host = json.loads(summary.read_text("utf-8"))["host"]
    for kind in ("read", "write", "trim", "flush"):
        assert host[kind]["requests"] > 0 and host[kind]["errors"] == 0, (kind, host[kind])
        parts = sum(host[kind]["parts_ns"].values())
        assert abs(parts - host[kind]["latency_ns"]["mean"]) < 1, (kind, host[kind])


def main(ssdvp, folder, *rest):
    for program, package in PROGRAMS.items():
        if shutil.which(program) is None:
            skip(f"there is no {program} here (package {package}; scripts/test installs it)")
    try:
        print(*root.build(pathlib.Path(folder)), sep="\n")
    except Unavailable as missing:
        skip(missing)
    if not rest:
        return 0
    cut = rest.index("--") if "--" in rest else len(rest)
    checks, args = list(rest[:cut]), list(rest[cut + 1:])
    done = subprocess.run([sys.executable, "-B", "-m", "guest", "--program", ssdvp, "--folder",
                           folder, "--", "--check", *checks, *args], cwd=LIBRARY,
                          check=False)
    if done.returncode == 0 and "files" in checks:
        recorded(pathlib.Path(folder) / "files" / "summary.json")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
