# SPDX-License-Identifier: Apache-2.0
"""fio's own examples, as Debian ships them."""

import glob
import os
import pathlib

# Those that do what a drive can do, and run as they are.
EXAMPLES = [
    "aio-read", "backwards-read", "basic-verify", "cpp_null", "dedupe-global",
    "fio-rand-RW", "fio-rand-read", "fio-rand-write", "fio-seq-RW", "fio-seq-read", "fio-seq-write",
    "fixed-rate-submission", "fsx", "iometer-file-access-server", "jesd219", "nbd", "null",
    "numa", "poisson-rate-submission", "rand-zones", "rbd", "ssd-steadystate", "ssd-test",
    "surface-scan", "tiobench-example", "uring-cmd-ng", "waitfor", "zipf",
]


def examples():
    """{name: path}; empty: the package is not installed."""
    for folder in ("/usr/share/doc/fio-examples/examples", "/usr/share/doc/fio-examples",
                   "/usr/share/doc/fio/examples", os.environ.get("FIO_EXAMPLES", "")):
        found = glob.glob(f"{folder}/*.fio*") if folder else []
        if found:
            return {pathlib.Path(f).name.split(".")[0]: pathlib.Path(f) for f in found}
    return {}
