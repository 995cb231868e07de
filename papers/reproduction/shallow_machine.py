# SPDX-License-Identifier: Apache-2.0
"""What the paper on shallow writes leaves open of its machine, a choice at a time: does any of
them turn its result round?"""
import pathlib
import typing

from . import figures, shallow_claims
from .claims import Claim, above, below
from .runs import Result
from .shallow_claims import OPEN, SIZES, Case

TAKEN = "as taken"
# Choices and what they change of experiment/shallow-write.
CHOICES: typing.Dict[str, typing.Tuple[str, ...]] = {
    TAKEN: (),
    "superblocks of the drive": ("ftl.stripe=drive", "ftl.placement=stripe", "gc.threshold=0.045",
                                 "gc.stop=0.09"),
    "static allocation CWDP": ("ftl.placement=CWDP",),
    "dynamic allocation by channel": ("ftl.placement=channel_rr",),
    "128 blocks per plane": ("nand.blocks_per_plane=128",),
    "half full": ("precondition.fill=0.5",),
    "threshold 5 %": ("gc.threshold=0.05", "gc.stop=0.051"),
}
VOLUMES = ("hm_0", "prn_0")
COLUMNS = ("choice", "workload", "deep_us", "shallow_us", "deep_erases", "shallow_erases",
           "deep_longest_write_ms", "deep_write_amplification")
Key = typing.Tuple[str, str, bool]  # choice, volume, shallow


def cases() -> typing.Iterator[typing.Tuple[Key, Case]]:
    for choice in CHOICES:
        for volume in VOLUMES:
            for shallow in (False, True):
                yield (choice, volume, shallow), Case(volume, "wo_lru", SIZES[0], shallow)


def more(value: typing.Callable[[Result], float],
         measured: typing.Dict[Key, Result]) -> typing.Dict[str, float]:
    """% more with shallow writes, by choice and volume; without those with no deep erase."""
    values = {f"{choice}, {volume}": shallow_claims.more_percent(
        value, result, measured[choice, volume, False])
        for (choice, volume, shallow), result in measured.items() if shallow}
    return {name: percent for name, percent in values.items() if percent != float("inf")}


def told(values: typing.Dict[str, float]) -> str:
    least, most = min(values, key=values.get), max(values, key=values.get)
    return f"{values[least]:+.1f} % ({least}) to {values[most]:+.1f} % ({most})"


def machine_claims(measured: typing.Dict[Key, Result]) -> typing.List[Claim]:
    erases = more(shallow_claims.erases, measured)
    responses = more(shallow_claims.response_us, measured)
    least = shallow_claims.LONGER[SIZES[0]][0]
    by_key = {Case(f"{choice}, {volume}", "wo_lru", SIZES[0], shallow): result
              for (choice, volume, shallow), result in measured.items()}
    return [
        Claim("open choices: erases", "(ours) more with shallow writes, whatever is chosen",
              told(erases), shallow_claims.of_erases(
                  by_key, above(min(erases.values()), 0, "% more of another choice")), OPEN),
        Claim("open choices: responses", f"(ours) no choice makes them {least} % longer",
              told(responses), below(max(responses.values()), least, "% longer of every choice"),
              OPEN)]


def row(choice: str, volume: str, measured: typing.Dict[Key, Result]) -> tuple:
    deep, shallow = measured[choice, volume, False], measured[choice, volume, True]
    return (choice, volume, f"{shallow_claims.response_us(deep):.1f}",
            f"{shallow_claims.response_us(shallow):.1f}", shallow_claims.erases(deep),
            shallow_claims.erases(shallow),
            f"{deep.summary['host']['write']['latency_ns']['max'] / 1e6:.1f}",
            deep.summary["ftl"]["write_amplification"])


def write(measured: typing.Dict[Key, Result], out: pathlib.Path) -> None:
    figures.write_csv(out / "shallow-write-machine.csv", COLUMNS,
                      [row(choice, volume, measured) for choice in CHOICES for volume in VOLUMES])


def machine(execute: typing.Callable, out: pathlib.Path, jobs: int) -> typing.List[Claim]:
    """`execute(runs, folder, jobs)`: results by key, `runs`: key -> case, overrides, label."""
    runs = {key: (case, CHOICES[key[0]], "-".join((key[0].replace(" ", "_"), case.label())))
            for key, case in cases()}
    measured = execute(runs, out / "machine", jobs)
    write(measured, out)
    return machine_claims(measured)
