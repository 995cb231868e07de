# SPDX-License-Identifier: Apache-2.0
"""scripts/guest: see there."""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import typing

from debian_guest.failure import Failure

from . import boot, console, root

DEFAULT = "device/nvme-tlc"
LIMIT_S = 900  # of host time, for a recipe
MAP_PAGE = 4096  # bytes: ftl.map_unit
CUT_AFTER = 1500  # programs and erases: some dozens of files
OPTIONS_WITH_VALUE = ("--set", "--out", "--image", "--record", "--memory", "--append", "--bios",
                      "--qemu", "--qemu-arg", "--firmware", "--requests-log", "--power-cut")


def arguments(argv: typing.List[str]) -> typing.Tuple[argparse.Namespace, typing.List[str]]:
    parser = argparse.ArgumentParser(prog="scripts/guest",
                                     description="a Debian guest on our drive")
    parser.add_argument("--program", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--build", action="store_true", help="only make kernel and initramfs")
    parser.add_argument("--install", action="store_true", help="Linux onto the drive's image")
    parser.add_argument("--boot", action="store_true", help="from the drive, not from files")
    parser.add_argument("--list", action="store_true", help="what --check can do")
    parser.add_argument("--check", nargs="*", metavar="NAME", help="run these, all by default")
    cut = argv.index("--")
    known, rest = parser.parse_known_args(argv[:cut] + argv[cut + 1:])
    if known.check:  # configurations may stand behind the names
        names = CHECKS
        rest = [name for name in known.check if name not in names] + rest
        known.check = [name for name in known.check if name in names]
    return known, rest


def configurations(rest: typing.List[str]) -> typing.List[str]:
    """The default one, unless the arguments name others."""
    names = [arg for before, arg in zip(["", *rest], rest)
             if not arg.startswith("-") and before not in OPTIONS_WITH_VALUE]
    return [] if names else [DEFAULT]


def command(options: argparse.Namespace, rest: typing.List[str], more: str,
            recipe_name: str = "") -> typing.List[str]:
    kernel, initrd = root.build(options.folder, recipe_name)
    return [str(options.program), "guest", *configurations(rest), "--kernel", str(kernel),
            "--initrd", str(initrd), "--append", f"console=ttyS0 quiet panic=-1{more}", *rest]


def run(options: argparse.Namespace, rest: typing.List[str], name: str,
        more: str = "") -> typing.Tuple[int, str]:
    """Runs a recipe; its exit code, and what the console said, which goes to a file too."""
    argv = command(options, rest, f" recipe={name}{more}", name)
    return listen(options, argv, name)


def from_drive(options: argparse.Namespace, rest: typing.List[str]) -> typing.List[str]:
    """No kernel: SeaBIOS loads what is on the drive."""
    return [str(options.program), "guest", *configurations(rest), *rest]


def listen(options: argparse.Namespace, argv: typing.List[str],
           name: str) -> typing.Tuple[int, str]:
    """Runs a machine that ends by itself."""
    argv = [*argv, "--out", str(options.folder / name), "--quiet"]
    said = console.watched(argv, options.folder / f"{name}.txt", LIMIT_S)
    if said.up_s is not None:
        print(f"{name}: at the prompt after {said.up_s:.1f} s")
    return said.code, said.text


def recipe(options: argparse.Namespace, rest: typing.List[str], name: str) -> bool:
    code, said = run(options, rest, name)
    return code == 0 and f"guest: {name}: all well" in said


def host_memory(options: argparse.Namespace, rest: typing.List[str], name: str) -> bool:
    """A drive whose map has copies in the host's memory. What it did there, the summary says; when
    the guest has shut it down it has none."""
    rest = [*configurations(rest), *rest, "policy/hmb"]
    if not recipe(options, rest, name):
        return False
    summary = json.loads((options.folder / name / "summary.json").read_text("utf-8"))
    lent, host, link = summary["ftl"]["hmb"], summary["host"], summary["link"]
    print(f"{name}: {lent['writes']} map pages written to the host's memory, {lent['hits']} read "
          f"from it")
    return (lent["hits"] > lent["writes"] > 0 and lent["pages"] == lent["damaged"] == 0 and
            link["bytes_up"] > host["read"]["bytes"] + lent["writes"] * MAP_PAGE and
            link["bytes_down"] > host["write"]["bytes"] + lent["hits"] * MAP_PAGE)


def power_cut(options: argparse.Namespace, rest: typing.List[str], _: str) -> bool:
    """Machine and drive lose power while files are written; another start looks for them."""
    image = options.folder / "cut.image"
    image.unlink(missing_ok=True)
    rest = [*rest, "--image", str(image)]
    code, said = run(options, [*rest, "--power-cut", f"every={CUT_AFTER}"], "cut-write")
    durable = re.findall(r"guest: durable ([0-9]+)", said)
    if code != 0 or not durable:
        return False
    print(f"power-cut: the last file that was durable: {durable[-1]}")
    code, said = run(options, rest, "cut-read", f" durable={durable[-1]}")
    return code == 0 and "guest: cut-read: all well" in said


def from_empty(options: argparse.Namespace, rest: typing.List[str]) -> bool:
    """A user's --boot of a drive without a boot record: refused, with the remedy."""
    listen(options, [*from_drive(options, rest), "--power-cut", "at=1ms"], "new")
    argv = [sys.executable, "-B", "-m", "guest", "--program", str(options.program), "--folder",
            str(options.folder), "--boot", "--", *rest, "--out", str(options.folder / "empty")]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=LIMIT_S, check=False)
    (options.folder / "empty.txt").write_text(done.stdout + done.stderr, encoding="utf-8")
    return done.returncode == 2 and "has no boot record" in done.stderr


def from_system(options: argparse.Namespace, rest: typing.List[str], _: str) -> bool:
    """Linux is installed on the drive, and starts from there: twice, the second time with what
    the first one has changed."""
    image = options.folder / "boot.image"
    image.unlink(missing_ok=True)
    rest = [*rest, "--image", str(image)]
    if not from_empty(options, rest):
        return False
    code, said = run(options, rest, "install", " then=booted")
    if code != 0 or "guest: install: all well" not in said:
        return False
    for name, text in (("booted", "the file is written"), ("booted-again", "the file is there")):
        code, said = listen(options, from_drive(options, rest), name)
        if code != 0 or "guest: booted: all well" not in said or f"guest: {text}" not in said:
            return False
    return True


CHECKS = {"files": recipe, "tools": recipe, "namespaces": recipe, "fio": recipe,
          "hmb": host_memory, "power-cut": power_cut, "boot": from_system}


def on_image(options: argparse.Namespace, rest: typing.List[str]) -> int:
    """--install or --boot, on the user's image or on one of ours."""
    place = "--image" in rest[:-1]
    image = pathlib.Path(rest[rest.index("--image") + 1] if place
                         else options.folder / "drive.image")
    rest = rest if place else [*rest, "--image", str(image)]
    if options.boot:
        if not image.is_file():
            raise Failure(f"{image} is not there: scripts/guest --install makes it", 2)
        return boot.start(from_drive(options, rest), image)
    code, said = run(options, rest, "install")
    if code != 0 or "guest: install: all well" not in said:
        raise Failure(f"nothing is installed: see {options.folder / 'install.txt'}", code or 1)
    print(f"Linux is on {image}: scripts/guest --boot starts it, with the same arguments")
    return 0


def check(options: argparse.Namespace, rest: typing.List[str]) -> int:
    """One check after the other."""
    wrong = 0
    for name in options.check or CHECKS:
        good = CHECKS[name](options, rest, name)
        print(f"{name}: {'all well' if good else f'wrong: see the consoles in {options.folder}'}")
        wrong += not good
    return 1 if wrong else 0


def main() -> int:
    options, rest = arguments(sys.argv[1:])
    try:
        if options.list:
            print("\n".join(CHECKS))
            return 0
        options.folder.mkdir(parents=True, exist_ok=True)
        if options.build:
            print(*root.build(options.folder), sep="\n")
            return 0
        if options.check is not None:
            return check(options, rest)
        if options.install or options.boot:
            return on_image(options, rest)
        argv = command(options, rest, "")
        os.execv(argv[0], argv)
    except Failure as failure:
        print(f"scripts/guest: {failure}", file=sys.stderr)
        return failure.code
    return 0


if __name__ == "__main__":
    sys.exit(main())
