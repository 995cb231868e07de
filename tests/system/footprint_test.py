#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a run costs the host, where the cost does not depend on the machine's speed: kernel
activations per request and resident memory. Usage: footprint_test.py SSDVP CASE"""

import json
import pathlib
import subprocess
import sys
import tempfile

GB = 1e9

# name: configuration and options, then bounds on the summary's sim section
CASES = {
    "activations": (["experiment/qd32-random-read", "--requests", "20000",
                     "--set", "nand.blocks_per_plane=32"],
                    lambda sim: {"kernel activations per 4 KiB read": (
                        sim["kernel_activations"] / 20000, 20)}),
    "fresh_1tb": (["experiment/drive-1tb", "--set", "precondition.fill=0",
                   "--set", "precondition.overwrite=0"],
                  lambda sim: {"GB, fresh 1 TB drive": (sim["peak_rss_bytes"] / GB, 1.5)}),
    "full_1tb": (["experiment/drive-1tb", "--set", "precondition.fill=1", "--set", "data=none"],
                 lambda sim: {"GB, full 1 TB drive": (sim["peak_rss_bytes"] / GB, 2.5)}),
}


def main():
    ssdvp, case = sys.argv[1:3]
    options, bounds = CASES[case]
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([ssdvp, "run", *options, "--quiet", "--out", out], check=True,
                       stdout=subprocess.DEVNULL)
        summary = json.loads((pathlib.Path(out) / "summary.json").read_text(encoding="utf-8"))
    status = 0
    for what, (value, bound) in bounds(summary["sim"]).items():
        print(f"{what}: {value:.2f}, bound {bound}")
        if not 0 < value <= bound:
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
