# SPDX-License-Identifier: Apache-2.0
"""run() and check()."""
import os
import pathlib
import threading
import time
import typing

from ssdvp import process, program
from ssdvp.config import Config, Named, Overrides
from ssdvp.errors import Cancelled, ConfigError, ProgramError, RunFailed, TimedOut, told
from ssdvp.result import Result

Configs = typing.Union[Config, Named, typing.Sequence[Named]]
Path = typing.Union[str, "os.PathLike[str]"]
ProgressBar = typing.Union[bool, None, typing.Callable[[process.Progress], None]]


class Options(typing.TypedDict, total=False):
    """Options of `ssdvp run`, with _ for -. Those of a file take its name, relative to the current
    folder, or True: then it lies in the folder of results, where Result finds it."""
    requests: int
    duration: str
    seed: int
    trace: Path
    trace_replay: str
    trace_device: int
    trace_fit: str
    fio: Path
    firmware: Path
    power_cut: str
    output_format: str
    requests_log: typing.Union[bool, Path]
    worst: int
    series: typing.Union[bool, Path]
    series_interval: str
    wear: typing.Union[bool, Path]
    timeline: typing.Union[bool, Path]
    timeline_window: str
    timeline_scope: str
    vcd: typing.Union[bool, Path]
    vcd_window: str
    vcd_scope: str
    mmio_trace: typing.Union[bool, Path]
    onfi_trace: typing.Union[bool, Path]
    tlp_trace: typing.Union[bool, Path]
    trace_window: str
    ftl_series: typing.Union[bool, Path]
    fw_profile: typing.Union[bool, Path]
    check_onfi: bool
    check_dram: bool
    save_state: Path
    save_at: str
    load_state: Path
    no_state_cache: bool
    stop_on_fault: bool
    what_if: bool
    beside_ideal: bool
    jobs: int


# Names in the folder of results, where an option is just True.
STANDARD = {"requests_log": "requests.csv", "series": "series.csv", "wear": "wear.csv",
             "timeline": "timeline.pftrace.gz", "vcd": "waves.vcd",
             "mmio_trace": "mmio.csv.zst", "onfi_trace": "onfi.csv.zst",
             "tlp_trace": "tlp.csv.zst", "ftl_series": "ftl_series.csv",
             "fw_profile": "profile"}


def run(config: Configs, *, set: typing.Optional[Overrides] = None,
        out: typing.Optional[Path] = None, timeout: typing.Optional[float] = None,
        progress: ProgressBar = None, cancel: typing.Optional[threading.Event] = None,
        **options: typing.Unpack[Options]) -> Result:
    """Runs a workload on a modelled drive, and returns what it wrote.

    config    a preset ("device/small"), a file, several of them, or a Config
    set       {"flash.channels": 4}: keys that override it
    out       folder of the results; default: a new one, out/NAME-TIME
    timeout   seconds of wall time after which it is stopped (TimedOut)
    progress  True: a bar, False: none, a function: is called; None: a bar in a notebook or terminal
    cancel    an event that stops the run once it is set (Cancelled), as Ctrl-C does
    options   those of `ssdvp run`: requests=1000, seed=2, series=True, worst=100

    Raises ConfigError if something given is wrong: nothing was run then, and nothing was written.
    Raises RunFailed if the run itself failed."""
    config = Config.of(config).override(set or {})
    folder = pathlib.Path(out) if out is not None else _new_folder(config.name)
    words = ["run", *config.words(), "--out", str(folder), *command_words(options, folder)]
    from ssdvp import bar
    with bar.showing(progress, config.name) as tell:
        if tell is None:
            words.append("--quiet")
        ended = process.execute(words, timeout=timeout, cancel=cancel, tell=tell)
    return _result(ended, folder, timeout)


def check(config: Configs, *, set: typing.Optional[Overrides] = None,
          **options: typing.Unpack[Options]) -> None:
    """Raises ConfigError if this could not be run: what is wrong, where, and the remedy. Takes the
    input options of run(): trace, trace_replay, trace_device, trace_fit, fio, firmware."""
    words = command_words(options, pathlib.Path())
    program.ask("check", *Config.of(config).override(set or {}).words(), *words)


def command_words(options: typing.Mapping[str, typing.Any],
                  folder: pathlib.Path) -> typing.List[str]:
    """["--worst", "100"] of {"worst": 100}; what is None or False is not given."""
    words: typing.List[str] = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        words.append("--" + name.replace("_", "-"))
        if value is True and name in STANDARD:
            words.append(str(folder / STANDARD[name]))
        elif value is not True:
            words.append(os.fspath(value) if isinstance(value, os.PathLike) else str(value))
    return words


def _new_folder(name: str) -> pathlib.Path:
    """out/NAME-TIME; with a number where several begin in the same second."""
    base = pathlib.Path("out") / f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    base.parent.mkdir(exist_ok=True)
    number = 1
    folder = base
    while True:
        try:
            folder.mkdir()
            return folder
        except FileExistsError:
            number += 1
            folder = base.with_name(f"{base.name}-{number}")


def _result(ended: process.Ended, folder: pathlib.Path,
            timeout: typing.Optional[float]) -> Result:
    if ended.code == program.USAGE:
        _remove_if_empty(folder)
        raise ConfigError(told(ended.stderr))
    written = (folder / "summary.json").is_file()
    result = Result(folder) if written else None
    if ended.stopped == "timed out":
        raise TimedOut(f"stopped after {timeout:g} s; what had run by then is in {folder}", result)
    if ended.stopped or ended.code in (130, -2):
        raise Cancelled(f"stopped; what had run by then is in {folder}", result)
    if ended.code == 1:
        raise RunFailed(told(ended.stderr), result)
    if ended.code not in (0, program.MANY_FAILED):
        raise ProgramError(f"ssdvp ended with exit code {ended.code}: {told(ended.stderr)}")
    if result is None:
        raise ProgramError(f"ssdvp has written no summary.json to {folder}")
    return result


def _remove_if_empty(folder: pathlib.Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        pass
