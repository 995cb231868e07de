# SPDX-License-Identifier: Apache-2.0
"""A Debian kernel and a small initramfs in QEMU, on a disk that nbdkit serves and logs."""
import dataclasses
import os
import pathlib
import subprocess
import typing

from debian_guest.failure import Failure
from debian_guest.initramfs import Root, pack
from debian_guest.packages import Packages, kernel_package

MODULES = ("virtio_pci", "virtio_blk")
DONE = "capture: the recipe has ended"
NICE = ["nice", "-n", "5"]  # an emulated guest takes a whole core
# Dirty pages are written back after about a second, as the systems of W.-J. Park et al. did,
# instead of Linux' 30 s: otherwise most files were deleted before anything of them reached the
# disk.
INIT = """#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0
/bin/busybox mkdir -p /proc /sys /dev /tmp /target /run
/bin/busybox --install -s /bin
export PATH=/bin:/usr/bin:/usr/sbin HOME=/tmp
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t tmpfs tmpfs /tmp
for module in $(cat /modules/order); do insmod /modules/$module.ko; done
echo 100 >/proc/sys/vm/dirty_expire_centisecs
echo 100 >/proc/sys/vm/dirty_writeback_centisecs
[ ! -f /recipe/boot ] || . /recipe/boot
if sh -e /recipe/run; then echo "%s"; else echo "capture: the recipe has failed"; fi
poweroff -f
""" % DONE


@dataclasses.dataclass(frozen=True)
class Guest:
    """What a guest needs: `packages` in its root, kernel `modules`, `files` (path -> text), and
    the disk's size and whether it takes trims. `sources`: source packages, as
    /sources/PACKAGE.tar.gz. `tree`: packages that lie with their dependencies in /tree."""
    packages: typing.Tuple[str, ...]
    modules: typing.Tuple[str, ...]
    files: typing.Dict[str, str]
    disk_bytes: int
    trims: bool = False
    sources: typing.Tuple[str, ...] = ()
    tree: typing.Tuple[str, ...] = ()
    memory_mib: int = 256
    limit_s: int = 3600  # of host time


def root_of(guest: Guest) -> Root:
    return Root(guest.packages, (*MODULES, *guest.modules), {"init": INIT, **guest.files},
                guest.sources, guest.tree)


def machine(guest: Guest, kernel: pathlib.Path, initrd: pathlib.Path) -> typing.List[str]:
    """QEMU's command line but for the disk's address. Emulation only: the same on any host."""
    vmlinuz = next((kernel / "boot").glob("vmlinuz-*"))
    discard = "on" if guest.trims else "off"
    return [*NICE, "qemu-system-x86_64", "-machine", "pc,accel=tcg", "-smp", "1",
            "-m", str(guest.memory_mib), "-nodefaults", "-no-user-config", "-no-reboot",
            "-display", "none", "-serial", "stdio", "-rtc", "base=2000-01-01T00:00:00,clock=vm",
            "-kernel", str(vmlinuz), "-initrd", str(initrd),
            "-append", "console=ttyS0 quiet panic=-1 net.ifnames=0",
            "-device", f"virtio-blk-pci,drive=disk,write-zeroes=off,discard={discard}"]


def serve_and_run(command: typing.Sequence[str], image: pathlib.Path,
                  log: typing.Optional[pathlib.Path], limit_s: int) -> str:
    """Runs QEMU as nbdkit's client, so that both end together; what the guest's console says."""
    drive = "-drive format=raw,if=none,id=disk,cache=writeback,discard=unmap,file=$uri"
    quoted = " ".join("'" + word.replace("'", "'\\''") + "'" for word in command)
    logged = ["--filter=log"] if log else []
    server = ["nbdkit", "-U", "-", *logged, "file", str(image)]
    if log:
        log.unlink(missing_ok=True)
        server.append(f"logfile={log}")
    with subprocess.Popen([*server, "--run", f"{quoted} {drive}"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", env={**os.environ, "TZ": "UTC"},
                          start_new_session=True) as process:
        try:
            return process.communicate(timeout=limit_s)[0]
        except BaseException as error:  # also Ctrl-C: leave no guest behind
            os.killpg(process.pid, 15)
            if isinstance(error, subprocess.TimeoutExpired):
                raise Failure(f"the guest has not ended after {limit_s} s: a faster or idle "
                              "machine is needed") from error
            raise


def run(guest: Guest, packages: Packages, folder: pathlib.Path,
        image: pathlib.Path, log: typing.Optional[pathlib.Path]) -> None:
    """Runs the guest's recipe to its end; the requests of the disk go to `log`."""
    folder.mkdir(parents=True, exist_ok=True)
    kernel = packages.unpacked(kernel_package())
    command = machine(guest, kernel, pack(root_of(guest), packages, kernel, folder))
    if not image.exists():
        with image.open("wb") as file:
            file.truncate(guest.disk_bytes)
    console = serve_and_run(command, image, log, guest.limit_s)
    (folder / "console.txt").write_text(console, encoding="utf-8")
    if DONE not in console:
        last = "\n".join(console.splitlines()[-5:])
        raise Failure(f"the guest has not ended its recipe; {folder}/console.txt ends:\n{last}")
