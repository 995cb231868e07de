# SPDX-License-Identifier: Apache-2.0
"""The recipe of W.-J. Park et al.: files of one kind are copied to a disk and deleted at random,
1 : 1."""
import dataclasses
import random
import typing

from .systems import FileSystem

MIB = 1 << 20
DISK_BYTES = 100 * MIB
SET_BYTES = 150 * 10**6   # the set that files are chosen from
FILLED = 0.8              # of the disk, at most: room for the file system's own structures
ROUNDING = 4096           # a file takes whole clusters
SCALE = 5                 # the paper's operations divided by it
PROCESSES = 4             # of the workloads with several


@dataclasses.dataclass(frozen=True)
class FileSet:
    """Files of one kind: mean size in bytes, operations in the paper, and the pause after each,
    which leaves 12 MB/s to all processes together: between two write-backs no more is copied than
    by hand."""
    mean: int
    paper_operations: int
    pause_us: int


SETS = {"mp3": FileSet(4_700_000, 1500, 392_000),
        "jpg": FileSet(240_000, 1500 * 19, 20_000)}


def sizes(files: FileSet, draw: random.Random) -> typing.List[int]:
    """Of the set: uniform between half and one and a half of the mean, which is met exactly."""
    count = SET_BYTES // files.mean
    parts = [draw.uniform(0.5, 1.5) for _ in range(count)]
    return [int(part * count / sum(parts) * files.mean) for part in parts]


def operations(of: typing.Sequence[int], count: int, room: int,
               draw: random.Random) -> typing.Iterator[typing.Tuple[str, int, int]]:
    """(copy, file of the set, name) or (delete, 0, name). First copies until half of `room` bytes
    are taken; then `count` operations, each a copy or a deletion with probability one half, but no
    copy that has no room and no deletion of nothing."""
    there: typing.Dict[int, int] = {}
    taken, name, left = 0, 0, count
    while left > 0:
        file = draw.randrange(len(of))
        size = -(-of[file] // ROUNDING) * ROUNDING
        filling = left == count and taken + size <= room // 2
        left -= 0 if filling else 1
        copy = draw.random() < 0.5
        if filling or not there or (copy and taken + size <= room):
            there[name] = size
            taken += size
            yield "copy", file, name
            name += 1
        else:
            victim = draw.choice(list(there))
            taken -= there.pop(victim)
            yield "delete", 0, victim


def process_script(folder: str, steps: typing.Iterable[typing.Tuple[str, int, int]],
                   pause_us: int) -> str:
    """The shell commands of one process, which works in a folder of its own."""
    lines = [f"mkdir {folder}"]
    for step, file, name in steps:
        target = f"{folder}/file{name:05}.dat"
        lines.append(f"cp /tmp/set/{file} {target}" if step == "copy" else f"rm {target}")
        if pause_us:
            lines.append(f"usleep {pause_us}")
    return "\n".join(lines) + "\n"


def scripts(kind: str, processes: int, seed: int, system: FileSystem) -> typing.Dict[str, str]:
    """The files of the recipe: run, and one script for each process. The set is files of holes in
    the guest's RAM: a copy reads zeroes, and takes no room there."""
    files = SETS[kind]
    draw = random.Random(seed)
    of = sizes(files, draw)
    room = int(DISK_BYTES * FILLED) // processes
    count = files.paper_operations // SCALE // processes
    texts = {}
    for process in range(processes):
        steps = operations(of, count, room, draw)
        texts[f"recipe/process{process}"] = process_script(f"/target/process{process}", steps,
                                                           files.pause_us * processes)
    lines = ["mkdir /tmp/set", *(f"truncate -s {size} /tmp/set/{i}" for i, size in enumerate(of)),
             system.make, system.mount, "jobs="]
    lines += [f"sh -e /recipe/process{p} & jobs=\"$jobs $!\"" for p in range(processes)]
    lines += ["for job in $jobs; do wait $job; done", "sync", system.unmount]
    return {"recipe/run": "\n".join(lines) + "\n", **texts}
