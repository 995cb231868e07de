# SPDX-License-Identifier: Apache-2.0
"""Command line of scripts/reproduce."""
import argparse
import os
import pathlib
import sys

from . import claims, suspend

EXPERIMENTS = {"suspend": suspend.reproduce}


def main():
    parser = argparse.ArgumentParser(prog="scripts/reproduce")
    parser.add_argument("name", choices=[*EXPERIMENTS, "all"])
    parser.add_argument("--out", type=pathlib.Path, help="default: out/reproduce/NAME")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs side by side")
    parser.add_argument("--quick", action="store_true", help="a fortieth of the requests")
    options = parser.parse_args()
    failed = False
    for name in EXPERIMENTS if options.name == "all" else [options.name]:
        out = options.out / name if options.out and options.name == "all" else options.out
        out = out or pathlib.Path("out") / "reproduce" / name
        out.mkdir(parents=True, exist_ok=True)
        checked = EXPERIMENTS[name](out, options)
        text = claims.table(checked)
        (out / "claims.txt").write_text(text + "\n", encoding="utf-8")
        print(f"\n{text}\n\nplots and data in {out}")
        failed = failed or any(c.fails for c in checked)
    return 1 if failed else 0


sys.exit(main())
