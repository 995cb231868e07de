# SPDX-License-Identifier: Apache-2.0
"""A drive, or several: its keys, the file that says so, and the commands that run it.

Keys with @ and those of `stream.` are not the configuration's own:

  stream.KEY    KEY of each stream of the workload; a list: of each in turn
  @streams      how many there are
  @priorities   each has a class of its own
  @reset        times at which the host resets the drive, by whichever interface it has
  @kept         the run starts from a state: kept after preconditioning, or at the end of a run
  @drives       two drives, or an array of them
  @check        the checkers of the buses look on"""
import json
import pathlib
import re
import shlex
import typing

from random_drives.choice import Keys, Value

PRIORITIES = ("high", "medium", "low")
ARRAYS = {"stripe": 0, "mirror": 1, "mixed stripe": 0, "mixed mirror": 1}
ZONES_WRITTEN = 4
LENGTHS = ("run.requests", "run.steady.round")
CUTS = {"power.cut.random": 1 / 20, "power.cut.every": 20, "power.shutdown.every": 20}


def flow(value: Value) -> str:
    """As YAML has it in one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(flow, value)) + "]"
    return str(value)


def rarer(key: str, value: Value) -> Value:
    """Of CUTS, 20 times."""
    number, unit = re.fullmatch(r"([\d.]+)(\w*)", str(value)).groups()  # type: ignore[union-attr]
    return f"{float(number) * CUTS[key]:g}{unit}"


def bytes_of(size: str) -> int:
    return int(size.removesuffix("MiB")) << 20


def zoned(stream: Keys, zone: str) -> typing.List[Keys]:
    """What writes zones writes whole ones, in order; the rest of the load may read them."""
    writer = {"pattern": "sequential", "read_fraction": 0,
              "range.size": f"{ZONES_WRITTEN * bytes_of(zone)}B",
              **{k: v for k, v in stream.items() if k in ("queue_depth", "rate", "fua")}}
    return [writer] + ([] if stream.get("read_fraction") == 0 else
                       [{**stream, "read_fraction": 1}])


def streams(keys: Keys) -> typing.List[Keys]:
    """The workload."""
    stream = {k.removeprefix("stream."): v for k, v in keys.items() if k.startswith("stream.")}
    count = keys.get("@streams", 1)
    made = []
    for i in range(count):
        one = {k: v[i % len(v)] if isinstance(v, list) else v for k, v in stream.items()}
        if keys.get("@priorities"):
            one["priority"] = PRIORITIES[i % len(PRIORITIES)]
        made.append(one)
    zone = keys.get("host.nvme.zns.zone_size")
    if zone:
        made = zoned(made[0], zone) + [{**s, "read_fraction": 1} for s in made[1:]]
    return made


def fleet(keys: Keys) -> Keys:
    """Lists of drives and arrays, and the streams that use all of them."""
    kind = keys.get("@drives")
    load = streams(keys)
    if not kind:
        return {"workload": load}
    other = {"host.interface": "sata"} if kind.startswith("mixed") else {"run.seed": 7}
    names: Keys = {"drives": [{"name": "a"}, {"name": "b", **other}]}
    if kind in ARRAYS:
        names["raid"] = [{"name": "md0", "level": ARRAYS[kind], "drives": "[a, b]"}]
        users = ["md0"]
    else:
        users = ["a", "b"]
    while len(load) < len(users):
        load = load + load
    return {**names, "workload": [{"drive": users[i % len(users)], **s}
                                  for i, s in enumerate(load)]}


def configuration(keys: Keys) -> Keys:
    """{key of the configuration: value}; lists as they are."""
    tree = {k: v for k, v in keys.items() if not k.startswith(("@", "stream."))}
    if "@reset" in keys:
        tree[f"host.{keys.get('host.interface', 'nvme')}.reset_at"] = keys["@reset"]
    return {**tree, **fleet(keys)}


def text(keys: Keys) -> str:
    """The file."""
    return "".join(f"{k}: {flow(v)}\n" for k, v in configuration(keys).items())


def options(keys: Keys) -> typing.List[str]:
    words = ["--no-state-cache", "--quiet"]
    if keys.get("@check"):
        words.append("--check-onfi")
        if keys.get("dram.model") == "bank":
            words.append("--check-dram")
    return words


def arguments(keys: Keys, folder: pathlib.Path) -> typing.List[typing.List[str]]:
    """What follows the program's name, for each of its runs; the file lies in `folder`."""
    file = folder / "drive.yaml"
    file.write_text(text(keys), encoding="utf-8")
    run = ["run", "device/small", str(file), *options(keys)]
    if "@kept" not in keys:
        return [[*run, "--out", str(folder / "out")]]
    state = str(folder / "state")
    return [[*run, "--out", str(folder / "out"), "--save-state", state, "--save-at", keys["@kept"]],
            [*run, "--out", str(folder / "again"), "--load-state", state]]


def command(keys: Keys) -> str:
    """To be pasted into a shell, where the clone is."""
    tree = configuration(keys)
    if "drives" in tree:
        first = f"cat >drive.yaml <<'END'\n{text(keys)}END\n"
        words = ["ssdvp", "run", "device/small", "drive.yaml"]
    else:
        first = ""
        words = ["ssdvp", "run", "device/small"]
        for key, value in tree.items():
            words += ["--set", f"{key}={flow(value)}"]
    words += options(keys)
    if "@kept" not in keys:
        return first + shlex.join(words)
    return "\n".join([first + shlex.join([*words, "--save-state", "state", "--save-at",
                                          keys["@kept"]]),
                      shlex.join([*words, "--load-state", "state"])])


def key_text(keys: Keys) -> str:
    """The same in one line, for a log."""
    return json.dumps(keys)
