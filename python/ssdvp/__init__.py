# SPDX-License-Identifier: Apache-2.0
"""ssdvp from Python: run a modelled SSD, and look at what it wrote.

    import ssdvp
    r = ssdvp.run("device/small", requests=1000, set={"flash.channels": 4})
    r.host.read.latency_ns["p99"]       # 1380974.592 ns
    r.latencies                         # a pandas frame

The package starts the program `ssdvp` and reads the files that it writes; nothing is simulated in
this process. docs/python.md is the guide. A name is loaded when it is first used, so that importing
the package costs nothing that is not needed."""
import importlib
import typing

# Name -> module that has it.
_HOME = {
    "sweep": "explore.sweep", "Sweep": "explore.sweep", "Space": "explore.space",
    "compare": "explore.whatif", "saturate": "explore.whatif", "slo": "explore.whatif",
    "optimise": "explore.optimise", "Optimum": "explore.optimise",
    "run": "running", "check": "running", "version": "program",
    "Config": "config", "Result": "result", "Quantity": "quantity",
    "Error": "errors", "ConfigError": "errors", "RunFailed": "errors", "Cancelled": "errors",
    "TimedOut": "errors", "ProgramError": "errors", "ResultError": "errors", "Place": "errors",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> typing.Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'ssdvp' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"ssdvp.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> typing.List[str]:
    return sorted({*globals(), *_HOME})


if typing.TYPE_CHECKING:
    from ssdvp.config import Config as Config
    from ssdvp.explore.optimise import Optimum as Optimum, optimise as optimise
    from ssdvp.explore.space import Space as Space
    from ssdvp.explore.sweep import Sweep as Sweep, sweep as sweep
    from ssdvp.explore.whatif import compare as compare, saturate as saturate, slo as slo
    from ssdvp.errors import (Cancelled as Cancelled, ConfigError as ConfigError, Error as Error,
                              Place as Place, ProgramError as ProgramError,
                              ResultError as ResultError, RunFailed as RunFailed,
                              TimedOut as TimedOut)
    from ssdvp.program import version as version
    from ssdvp.quantity import Quantity as Quantity
    from ssdvp.result import Result as Result
    from ssdvp.running import check as check, run as run
