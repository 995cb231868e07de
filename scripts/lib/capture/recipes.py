# SPDX-License-Identifier: Apache-2.0
"""What can be captured: one guest, or two after each other, for each trace."""
import dataclasses
import typing

from . import boot, database, files, systems
from .guest import Guest

MIB = 1 << 20


@dataclasses.dataclass(frozen=True)
class Recipe:
    """`guest` runs with the log on; `before`, on the same disk, without."""
    title: str
    guest: Guest
    before: typing.Optional[Guest] = None


def paper_002() -> typing.Dict[str, Recipe]:
    """Files copied and deleted: two file systems x two kinds x one or several processes."""
    recipes = {}
    for name, system in (("fat", systems.FAT), ("ntfs", systems.NTFS)):
        for seed, kind in enumerate(files.SETS, 1):
            for label, processes in (("single", 1), ("multi", files.PROCESSES)):
                texts = files.scripts(kind, processes, seed, system)
                title = (f"{files.SETS[kind].paper_operations // files.SCALE} copies and deletions "
                         f"of {kind.upper()} files on {name.upper()}, processes: {processes}")
                recipes[f"{name}-{kind}-{label}"] = Recipe(
                    title, Guest(system.packages, system.modules, texts, files.DISK_BYTES))
    return recipes


def sqlite() -> typing.Dict[str, Recipe]:
    """A data base whose transactions each end in fsync."""
    recipes = {}
    for name, system in (("ext4", systems.EXT4), ("f2fs", systems.F2FS)):
        guest = Guest(tuple(dict.fromkeys((*system.packages, *database.PACKAGES))),
                      system.modules, database.scripts(3, system), 128 * MIB, trims=True)
        recipes[f"sqlite-{name}"] = Recipe(f"{database.TRANSACTIONS} SQLite transactions on "
                                           f"{name}, rollback journal, then write-ahead log",
                                           guest)
    return recipes


# mke2fs, unpack, compile each file on its own, link, run, delete the objects.
COMPILE = f"""{systems.EXT4.make}
{systems.EXT4.mount}
cd /target
tar -xzf /sources/lua5.4.tar.gz
cd lua-*/src
for file in l*.c; do tcc -c -o ${{file%.c}}.o $file; done
tcc -o lua $(ls l*.o | grep -v luac.o) -lm -ldl
./lua -v
sync
rm *.o
cd /
{systems.EXT4.unmount}
"""


def compiling() -> Recipe:
    packages = (*systems.EXT4.packages, "tcc", "libc6-dev", "linux-libc-dev", "libcrypt-dev")
    return Recipe("mke2fs, then Lua 5.4's sources unpacked and compiled on ext4",
                  Guest(packages, systems.EXT4.modules, {"recipe/run": COMPILE}, 128 * MIB,
                        trims=True, sources=("lua5.4",)))


def all_recipes() -> typing.Dict[str, Recipe]:
    booted = Recipe("Debian 12 with systemd starts from ext4 and shuts down", boot.STARTS,
                    boot.INSTALLS)
    return {**paper_002(), **sqlite(), "boot-ext4": booted, "compile-ext4": compiling()}


RECIPES: typing.Dict[str, Recipe] = all_recipes()
