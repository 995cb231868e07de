# SPDX-License-Identifier: Apache-2.0
"""Experiments and their parts, one after the other or side by side, with the time that is left.

Parts of an experiment follow each other, for some compare with those before; two experiments are
under way at a time, so that no core is idle while one of them ends or draws."""
import argparse
import concurrent.futures
import copy
import dataclasses
import datetime
import os
import pathlib
import subprocess
import sys
import threading
import time
import typing

from . import claims, results, shaped, work

TOGETHER = 2  # experiments
EVERY = 30    # seconds between two lines on the time left
SHAPING = ("configs", "firmware", "models", "platform")  # what runs depend on

Key = typing.Tuple[str, str]  # experiment, part


class Clock:
    """What is left, from what the parts took when their results were committed; those that nobody
    knows of count as the mean of the others."""

    def __init__(self, expected: typing.Dict[Key, typing.Optional[float]], jobs: int,
                 now: typing.Callable[[], float] = time.monotonic):
        known = [seconds for seconds in expected.values() if seconds is not None]
        usual = sum(known) / len(known) if known else None
        self.expected = {key: usual if s is None else s for key, s in expected.items()}
        self.jobs, self._now, self._began = jobs, now, now()
        self.meters: typing.Dict[Key, work.Meter] = {}
        self.done: typing.Set[Key] = set()
        self._told = self._began
        self._lock = threading.Lock()

    def share(self, key: Key) -> float:
        """Of a part, that is done."""
        meter = self.meters.get(key)
        if key in self.done:
            return 1
        return 0 if meter is None else 0.99 * meter.runs / max(meter.planned, 1)

    def fresh(self, key: Key) -> float:
        """Of what is done, that was not kept from before."""
        meter = self.meters.get(key)
        return 0 if meter is None else 1 - meter.kept / max(meter.runs, 1)

    def left(self) -> typing.Optional[float]:
        """Seconds; None: nobody knows."""
        if any(seconds is None for seconds in self.expected.values()):
            return None
        left = sum(s * (1 - self.share(key)) for key, s in self.expected.items())
        made = sum(s * self.share(key) * self.fresh(key) for key, s in self.expected.items())
        passed = self._now() - self._began
        # At first nothing is known of this machine but its cores.
        speed = (made + EVERY * self.jobs) / (passed + EVERY)
        return left / speed

    def line(self) -> str:
        under_way = [f"{name}: {part} {meter.runs} of {meter.planned}"
                     for (name, part), meter in sorted(self.meters.items())
                     if (name, part) not in self.done]
        left = self.left()
        time_left = "time left not known" if left is None else f"{left / 60:.0f} min left" \
            if left >= 90 else f"{left:.0f} s left"
        return f"{len(self.done)} of {len(self.expected)} parts done, {time_left}; " \
            f"runs: {', '.join(under_way) or 'none'}"

    def tell(self) -> None:
        """At most every half minute."""
        with self._lock:
            if self._now() - self._told < EVERY:
                return
            self._told = self._now()
        print(self.line(), file=sys.stderr, flush=True)


@dataclasses.dataclass
class Outcome:
    """Of an experiment. `broken`: why it ended before its end, if it did."""
    out: pathlib.Path
    checked: typing.List[claims.Claim] = dataclasses.field(default_factory=list)
    done: results.Done = dataclasses.field(default_factory=dict)
    broken: str = ""

    @property
    def seconds(self) -> float:
        return sum(entry.made["seconds"] for entry in self.done.values())


def commit() -> str:
    """The last one that changed what runs depend on; with a plus if more has changed since."""
    def git(*words: str) -> str:
        done = subprocess.run(["git", "-C", str(results.ROOT), *words, "--", *SHAPING],
                              capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else ""
    last = git("log", "-1", "--format=%h", "--abbrev=10")
    return last + ("+" if last and git("status", "--porcelain") else "") or "unknown"


def chosen(options: argparse.Namespace) -> typing.Dict[str, str]:
    """Options that results depend on."""
    given = {name: getattr(options, name, None) for name in ("tpcc", "msr", "histograms")}
    return {name: value.name for name, value in given.items() if value}


def reproduce_part(run: typing.Callable, outcome: Outcome, options: argparse.Namespace,
                   meter: work.Meter) -> results.PartDone:
    checked = run(outcome.out, options)
    outcome.checked += checked
    files = sorted({path.name for path in meter.files if path.parent == outcome.out})
    made = {"commit": options.commit, "date": datetime.date.today().isoformat(),
            "seconds": round(meter.seconds), "runs": meter.runs, "seeds": sorted(meter.seeds),
            "options": chosen(options), "files": files, "shaped_by": shaped.by(run)}
    return results.PartDone(made, [claim.row() for claim in checked])


def reproduce(name: str, parts: typing.Dict[str, typing.Callable], out: pathlib.Path,
              options: argparse.Namespace, session: work.Session, clock: Clock) -> Outcome:
    """The parts of one experiment. A run that fails ends it."""
    options = copy.copy(options)
    options.results = {}  # of parts that are done, for parts that compare with them
    outcome = Outcome(out)
    out.mkdir(parents=True, exist_ok=True)
    for part, run in parts.items():
        if (name, part) not in clock.expected:
            continue
        meter = clock.meters[name, part] = work.Meter(clock.tell)
        try:
            with session.part(meter, out / "answers"):
                print(f"{name}: {part}", file=sys.stderr)
                outcome.done[part] = reproduce_part(run, outcome, options, meter)
        except SystemExit as error:
            outcome.broken = f"{part}: {error}"
            break
        finally:
            clock.done.add((name, part))
    return outcome


def all_of_them(experiments: typing.Dict[str, typing.Dict[str, typing.Callable]],
                folder: typing.Callable[[str], pathlib.Path], options: argparse.Namespace,
                done: typing.Callable[[str, Outcome], None]) -> None:
    """`done` is called for each experiment that has ended. The longest one begins."""
    expected: typing.Dict[Key, typing.Optional[float]] = {}
    for name, parts in experiments.items():
        seconds = results.seconds_of(name, options.quick)
        expected.update({(name, part): seconds.get(part) for part in parts
                         if options.part is None or part in options.part})
    clock = Clock(expected, options.jobs)
    session = work.Session(options.jobs, trusted=not options.again)
    options.commit = commit()

    def length(name: str) -> float:
        return sum(s or 0 for key, s in clock.expected.items() if key[0] == name)

    order = sorted((name for name in experiments if any(name == key[0] for key in expected)),
                   key=length, reverse=True)
    with concurrent.futures.ThreadPoolExecutor(TOGETHER) as pool:
        ended = {pool.submit(reproduce, name, experiments[name], folder(name), options, session,
                             clock): name for name in order}
        try:
            for future in concurrent.futures.as_completed(ended):
                done(ended[future], future.result())
        except KeyboardInterrupt:  # what is under way would be waited for, and is on its leash
            os._exit(130)
