# SPDX-License-Identifier: Apache-2.0
"""scripts/fuzz drives: python3 -m random_drives --program SSDVP [OPTIONS]."""
import argparse
import collections
import concurrent.futures
import datetime
import pathlib
import sys
import typing

from random_drives import drive, page, reducer
from random_drives.choice import Keys
from random_drives.features import BASE, FEATURES, NEEDS
from random_drives.generator import Drive, Generator
from random_drives.oracle import Failure, Oracle

ROOT = pathlib.Path(__file__).resolve().parents[3]
AHEAD = 4  # drives under way or waiting, for each job: a slow one leaves the others something to do
Judged = typing.Tuple[int, Drive, typing.Optional[Failure]]


def today() -> int:
    return int(datetime.date.today().strftime("%Y%m%d"))


def number(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}': a whole number from 1")
    return int(text)


def parsed(argv: typing.Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/fuzz drives", description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--count", type=number, default=1000)
    parser.add_argument("--seed", type=number, default=today())
    parser.add_argument("--jobs", type=number, default=1)
    parser.add_argument("--only-arguments", action="store_true")
    parser.add_argument("--write-page", action="store_true")
    return parser.parse_args(argv)


def results(generator: Generator, oracle: Oracle, count: int, jobs: int
            ) -> typing.Iterator[Judged]:
    """In the order of the drives, whatever the number of jobs."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        under_way: typing.Deque[typing.Tuple[Drive, typing.Any]] = collections.deque()
        for place in range(1, count + 1):
            for _ in range(min(AHEAD * jobs, count - place + 1) - len(under_way)):
                one = generator.next()
                under_way.append((one, pool.submit(oracle.failure, one.keys)))
            one, found = under_way.popleft()
            yield place, one, found.result()


def report(place: int, keys: Keys, failure: Failure, oracle: Oracle) -> None:
    """The command is the reduced one."""
    def fails(some: Keys) -> bool:
        if oracle.refusal(some) is not None:
            return False
        found = oracle.failure(some)
        return found is not None and found.place == failure.place

    less = reducer.reduced(keys, fails)
    print(f"drive {place}: {failure.kind}: {failure.message}\n"
          f"{len(keys)} keys, reduced to {len(less)}:\n{drive.command(less)}\n", flush=True)


def main(argv: typing.Sequence[str]) -> int:
    options = parsed(argv)
    if options.only_arguments:
        return 0
    oracle = Oracle(options.program)
    generator = Generator(FEATURES, NEEDS, BASE, oracle.refusal, options.seed)
    print(f"random drives: {options.count}, seed {options.seed}", flush=True)
    failed: typing.Counter[typing.Tuple[str, str]] = collections.Counter()
    for place, one, failure in results(generator, oracle, options.count, options.jobs):
        if failure:
            failed[failure.place] += 1
            if failed[failure.place] == 1:
                report(place, one.keys, failure, oracle)
        if place % 100 == 0:
            print(f"{place} drives, {failed.total()} failed", file=sys.stderr, flush=True)
    for (kind, message), count in failed.most_common():
        print(f"{count} x {kind}: {message}")
    print(f"{options.count} drives, {failed.total()} failed, {generator.refused} drawn again; "
          f"pairs of choices: {len(generator.all_pairs)}, seen {generator.covered}, "
          f"excluded {len(generator.excluded)}, not yet {len(generator.missing())}")
    if options.write_page:
        page.write(ROOT, FEATURES, generator, options.count, options.seed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
