# SPDX-License-Identifier: Apache-2.0
"""What the paper on SSR leaves open, an option at a time: tails of reads beside erases, on the
small drive of quick runs, where erases are frequent."""
import pathlib
import typing

from . import figures
from .claims import Claim, at_least, given_samples, ms
from .runs import Result, Run, execute_all
from .suspend_drive import POLICIES, beside_erases

Sets = typing.Tuple[str, ...]
TAKEN = "as taken"
SETTINGS: typing.Dict[str, Sets] = {
    TAKEN: (),
    "1 loop": ("flash.erase.loops=1", "nand.tBERS=5ms"),
    "5 loops": ("flash.erase.loops=5", "nand.tBERS=25ms"),
    "suspend 50 us": ("flash.erase.suspend_overhead=50us",),
    "suspend 400 us": ("flash.erase.suspend_overhead=400us",),
    "resume 100 us": ("flash.erase.resume_overhead=100us",),
    "ramp, recovery 500 us": ("flash.erase.ramp=500us", "flash.erase.recovery=500us"),
    "1 read per stop": ("flash.suspend.reads_per_stop=1",),
    "programs run through": ("flash.suspend.programs=false",),
    "550 P/E": ("nand.pe_cycles=550",),
    "550 P/E, a step there": ("nand.pe_cycles=550",),
}
# The other assumption for SSR(d) between the paper's two numbers: the first until the second.
STEP = "flash.suspend.safe_points=[{pe_cycles: 0, safe_points: 30}, " \
    "{pe_cycles: 1000, safe_points: 10}]"
LABELS = ("baseline", "D-ES", "SSR(s)", "SSR(d)", "I-ES")
QUICK_SETTINGS = (TAKEN, "1 loop", "suspend 400 us")
QUICK_LABELS = ("baseline", "SSR(d)")
REQUESTS, QUICK_REQUESTS = 60_600, 12_000
PERCENT, QUICK_PERCENT = 99.99, 99.9
FACTOR = 5  # half of "up to 10 times"

Key = typing.Tuple[str, str]  # setting, policy


def overrides(setting: str, label: str) -> Sets:
    stepped = setting.endswith("a step there") and label == "SSR(d)"
    return (*SETTINGS[setting], *((STEP,) if stepped else ()))


def runs(options) -> typing.Dict[Key, Run]:
    settings = QUICK_SETTINGS if options.quick else SETTINGS
    labels = QUICK_LABELS if options.quick else LABELS
    small = beside_erases(small=True)
    requests = QUICK_REQUESTS if options.quick else REQUESTS
    return {(setting, label): Run(f"{setting} {label}".replace(" ", "-").replace("/", ""),
                                  ("experiment/suspend-erases",),
                                  (*small, f"run.requests={requests}",
                                   f"flash.suspend.policy={POLICIES[label]}",
                                   *overrides(setting, label)))
            for setting in settings for label in labels}


def setting_claims(results: typing.Dict[Key, Result], percent: float) -> typing.List[Claim]:
    tails = {key: result.percentile("read", percent) for key, result in results.items()}
    factors = {setting: tails[setting, "baseline"] / tails[setting, "SSR(d)"]
               for setting, label in results if label == "SSR(d)"}
    least = min(factors, key=factors.get)
    return [Claim(f"settings, {percent:g} % of reads", "up to 10 times better with SSR",
                  f"SSR(d) at least {factors[least]:.1f} times, {least}: "
                  f"{ms(tails[least, 'SSR(d)'])} against {ms(tails[least, 'baseline'])}",
                  given_samples(results.values(), "read", percent, at_least(
                      factors[least], FACTOR, "a factor in any setting",
                      'half of it: the paper says "up to"')))]


def draw(results: typing.Dict[Key, Result], percent: float, out: pathlib.Path) -> None:
    rows: typing.Dict[str, typing.Dict[str, float]] = {}
    for (setting, label), result in results.items():
        rows.setdefault(setting, {})[label] = result.percentile("read", percent) / 1e6
    figures.write_csv(out / "settings.csv", ["setting", *next(iter(rows.values()))],
                      [(setting, *(f"{value:.4g}" for value in by_label.values()))
                       for setting, by_label in rows.items()])


def reproduce(out: pathlib.Path, options) -> typing.List[Claim]:
    wanted = runs(options)
    done = execute_all(list(wanted.values()), out / "settings", options.jobs)
    results = {key: done[run.label] for key, run in wanted.items()}
    percent = QUICK_PERCENT if options.quick else PERCENT
    draw(results, percent, out)
    return setting_claims(results, percent)
