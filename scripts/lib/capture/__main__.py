# SPDX-License-Identifier: Apache-2.0
"""Command line of scripts/capture."""
import argparse
import pathlib
import shutil
import sys
import tempfile
import typing

from debian_guest.failure import Failure
from debian_guest.packages import Packages, output

from . import guest, log, trace
from .recipes import RECIPES

PROGRAMS = {"qemu-system-x86_64": "qemu-system-x86", "nbdkit": "nbdkit", "cpio": "cpio",
            "zstd": "zstd", "dpkg-deb": "dpkg", "apt-get": "apt"}


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/capture", description="captures block traces "
                                     "of an emulated guest; without --only all of them")
    parser.add_argument("--list", action="store_true", help="what can be captured")
    parser.add_argument("--only", action="append", metavar="NAME", help="this one, repeatable")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/capture"),
                        metavar="DIR", help="default: out/capture")
    parser.add_argument("--convert", nargs=2, type=pathlib.Path, metavar=("LOG", "TRACE"),
                        help="only turn a log of nbdkit into a trace")
    parser.add_argument("--only-arguments", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    for name in options.only or ():
        if name not in RECIPES:
            parser.error(f"--only: there is no {name}; one of {', '.join(RECIPES)}")
    return options


def require_programs() -> None:
    missing = {program: package for program, package in PROGRAMS.items()
               if shutil.which(program) is None}
    if missing:
        raise Failure(f"not found: {', '.join(missing)}; as root: apt-get install "
                      f"{' '.join(missing.values())}")


HEAD = """| trace | reads | writes | flushes | trims | MB read | MB written | MB trimmed | s |
|---|---|---|---|---|---|---|---|---|"""


def row(name: str, requests: typing.Sequence[log.Request]) -> str:
    """A row of the table in configs/workload/traces/README.md: requests, MB of 10^6 bytes, s."""
    totals = trace.totals(requests)
    counts = [f"{totals[kind][0]:,}" for kind in ("read", "write", "flush", "trim")]
    sizes = [f"{totals[kind][1] / 1e6:.1f}" for kind in ("read", "write", "trim")]
    seconds = (requests[-1].time - requests[0].time) / 1e6
    return f"| `{name}` | {' | '.join([*counts, *sizes])} | {seconds:.0f} |"


def capture(name: str, packages: Packages, out: pathlib.Path) -> None:
    """Runs one guest; the trace and the log it comes from stay in `out`."""
    recipe = RECIPES[name]
    logged = out / f"{name}.log"
    with tempfile.TemporaryDirectory(dir=out, prefix=f".{name}-") as folder:
        image = pathlib.Path(folder) / "disk"
        if recipe.before:
            guest.run(recipe.before, packages, out / "guest", image, None)
        guest.run(recipe.guest, packages, out / "guest", image, logged)
    requests = log.read(logged)
    trace.write(requests, out / f"{name}.blkparse.zst")
    print(row(name, requests), flush=True)


def write_versions(packages: Packages, path: pathlib.Path) -> None:
    """PACKAGE VERSION of what the captures so far have used, here and in the guest."""
    told = output(["dpkg-query", "-W", "-f", "${Package} ${Version}\\n", "qemu-system-x86",
                   "nbdkit", "zstd"])
    guests = [f"{package} {version}" for package, version in sorted(packages.versions.items())]
    path.write_text("\n".join([told.strip(), *guests]) + "\n", encoding="utf-8")


def captures(options: argparse.Namespace) -> None:
    require_programs()
    out = options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    packages = Packages(out / "packages")
    print(HEAD, flush=True)
    for name in options.only or RECIPES:
        print(f"capturing {name}: {RECIPES[name].title}", file=sys.stderr, flush=True)
        capture(name, packages, out)
        write_versions(packages, out / "versions.txt")


def main() -> int:
    options = parse()
    try:
        if options.only_arguments:
            return 0
        if options.list:
            for name, recipe in RECIPES.items():
                print(f"{name:18} {recipe.title}")
        elif options.convert:
            requests = log.read(options.convert[0])
            trace.write(requests, options.convert[1])
            print(HEAD, row(options.convert[1].name, requests), sep="\n")
        else:
            captures(options)
    except Failure as failure:
        print(f"scripts/capture: {failure}", file=sys.stderr)
        return failure.code
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
