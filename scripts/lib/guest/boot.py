# SPDX-License-Identifier: Apache-2.0
"""What starts a system that lies on the drive: GRUB for a PC's BIOS, and the machine around it."""
import os
import pathlib
import pty
import typing

from debian_guest.failure import Failure
from debian_guest.packages import output

IMAGES = pathlib.Path("/usr/lib/grub/i386-pc")  # of package grub-pc-bin
PREFIX = "(hd0,msdos1)/boot/grub"  # grub.cfg is there
MODULES = ("biosdisk", "part_msdos", "ext2", "linux", "normal", "configfile", "echo", "ls", "cat")
NO_SYSTEM = (b"No bootable device", b"not a bootable disk")  # what SeaBIOS says
END = b"\x01x"  # QEMU's Ctrl-A x


def loader(folder: pathlib.Path) -> typing.Dict[str, pathlib.Path]:
    """The code of the first sector, and what lies behind it, before the first partition."""
    if not (IMAGES / "boot.img").is_file():
        raise Failure(f"{IMAGES}/boot.img is not there: install the package grub-pc-bin")
    core = folder / "core.img"
    output(["grub-mkimage", "-O", "i386-pc", "-o", str(core), "-p", PREFIX, *MODULES])
    return {"boot.img": IMAGES / "boot.img", "core.img": core}


def start(argv: typing.List[str], image: pathlib.Path) -> int:
    """A machine on the user's terminal, ended when its firmware finds nothing to start."""
    said, nothing = b"", False

    def read(terminal: int) -> bytes:
        nonlocal said, nothing
        data = os.read(terminal, 4096)
        said = (said + data)[-4096:]
        if not nothing and any(text in said for text in NO_SYSTEM):
            nothing = True
            os.write(terminal, END)
        return data

    code = os.waitstatus_to_exitcode(pty.spawn(argv, read))
    if nothing:
        raise Failure(f"{image}: the drive has no boot record; put a system on it by "
                      "scripts/guest --install, with the same arguments", 2)
    return code
