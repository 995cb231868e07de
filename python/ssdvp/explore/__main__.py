# SPDX-License-Identifier: Apache-2.0
"""Command line of ssdvp-sweep and ssdvp-optimise, scripts/sweep and scripts/optimise of a clone."""
import argparse
import sys
import typing
import warnings

from ssdvp.errors import ConfigError, Error
from ssdvp.report.page import plotly
from ssdvp.report.refused import Refused

_INTERRUPTED = 130


def _arguments(words: typing.Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python3 -m ssdvp.explore")
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("sweep", "optimise"):
        command = commands.add_parser(name, prog=f"ssdvp-{name} (of a clone: scripts/{name})")
        command.add_argument("space", metavar="SPACE.yaml")
        command.add_argument("--out", help=f"folder of the results; default: out/{name}")
        command.add_argument("--engine", choices=("local", "dask"), default="local")
        command.add_argument("--scheduler", metavar="ADDRESS", help="of a running Dask scheduler: "
                             "tcp://HOST:PORT, or its --scheduler-file")
        command.add_argument("--jobs", type=int, help="runs side by side; default: one per core")
        command.add_argument("--timeout", type=float, metavar="SECONDS", help="of a point, after "
                             "which it has failed")
        command.add_argument("--quiet", action="store_true", help="nothing on stderr but errors")
        if name == "sweep":
            command.add_argument("--retry-failed", action="store_true",
                                 help="run again what failed before")
            command.add_argument("--metric", action="append", metavar="NAME", help="on the page, "
                                 "repeatable: host.read.latency_ns.p99.9")
        else:
            command.add_argument("--storage", metavar="URL", help="of Optuna's database: "
                                 "postgresql://USER:PASSWORD@HOST/DATABASE, sqlite:///FILE; "
                                 "default: SQLite in the folder")
    return parser.parse_args(words)


def _warn(message: typing.Union[Warning, str], *_: typing.Any) -> None:
    print(f"ssdvp: warning: {message}", file=sys.stderr)


def _check_page() -> None:
    """That it can be made, before any run."""
    try:
        plotly()
    except Refused as refused:
        raise ConfigError(str(refused)) from refused


def main(words: typing.Sequence[str]) -> int:
    options = _arguments(words)
    warnings.showwarning = _warn  # type: ignore[assignment]
    if options.quiet:
        warnings.simplefilter("ignore")
    _check_page()
    how = {"out": options.out or f"out/{options.command}", "engine": options.engine,
           "scheduler": options.scheduler, "jobs": options.jobs, "timeout": options.timeout,
           "progress": False if options.quiet else None}
    if options.command == "sweep":
        from ssdvp.explore import metrics
        from ssdvp.explore.sweep import sweep
        for name in options.metric or ():
            metrics.check(name)
        swept = sweep(options.space, retry_failed=options.retry_failed, **how)
        page, told = swept.to_report(options.metric), swept.told()
    else:
        from ssdvp.explore.optimise import optimise_file
        found = optimise_file(options.space, storage=options.storage, **how)
        page, told = found.to_report(), found.told()
    if not options.quiet:
        print("\n  be careful: ".join(told), file=sys.stderr)
    print(page)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except ConfigError as error:
        print(f"ssdvp: error: {error}", file=sys.stderr)
        sys.exit(2)
    except Error as error:
        print(f"ssdvp: error: {error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print("ssdvp: stopped; the same command goes on", file=sys.stderr)
        sys.exit(_INTERRUPTED)
