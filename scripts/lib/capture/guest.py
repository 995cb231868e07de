# SPDX-License-Identifier: Apache-2.0
"""A Debian kernel and a small initramfs in QEMU, on a disk that nbdkit serves and logs."""
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import typing

from .failure import Failure
from .packages import Packages, kernel_package, merge, output

MODULES = ("virtio_pci", "virtio_blk")
DONE = "capture: the recipe has ended"
NICE = ["nice", "-n", "5"]  # an emulated guest takes a whole core
# Dirty pages are written back after about a second, as the systems of paper 002 did, instead of
# Linux' 30 s: otherwise most files were deleted before anything of them reached the disk.
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


def depends_of(module: pathlib.Path) -> typing.List[str]:
    """The modules that a module names in its section .modinfo."""
    found = re.search(rb"\0depends=([^\0]*)\0", module.read_bytes())
    return [name for name in found[1].decode().split(",") if name] if found else []


def in_order(kernel: pathlib.Path, wanted: typing.Iterable[str]) -> typing.List[pathlib.Path]:
    """The modules wanted and what they need, each after its dependencies."""
    known = {path.stem.replace("-", "_"): path for path in kernel.rglob("*.ko")}
    order: typing.Dict[str, pathlib.Path] = {}

    def add(name: str) -> None:
        name = name.replace("-", "_")
        if name not in known:
            raise Failure(f"the kernel package has no module {name}: another kernel version?")
        if name not in order:
            for needed in depends_of(known[name]):
                add(needed)
            order.setdefault(name, known[name])

    for name in wanted:
        add(name)
    return list(order.values())


def initramfs(guest: Guest, packages: Packages, kernel: pathlib.Path,
              folder: pathlib.Path) -> pathlib.Path:
    """Packs the guest's root file system."""
    root = folder / "root"
    shutil.rmtree(root, ignore_errors=True)
    for name in ("modules", "sources"):
        (root / name).mkdir(parents=True)
    merge(root, packages.all_unpacked(("busybox-static", *guest.packages)))
    if guest.tree:
        merge(root / "tree", packages.all_unpacked(packages.closure(guest.tree)))
    for source in guest.sources:
        shutil.copy(packages.source(source), root / "sources" / f"{source}.tar.gz")
    modules = in_order(kernel, (*MODULES, *guest.modules))
    for module in modules:
        shutil.copy(module, root / "modules" / module.name)
    texts = {"init": INIT, "modules/order": "\n".join(m.stem for m in modules) + "\n",
             **guest.files}
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755 if text.startswith("#!") else 0o644)
    packed = folder / "initramfs"
    output(["sh", "-c", "cd \"$1\" && find . | LC_ALL=C sort | "
            "cpio -o -H newc -R 0:0 --quiet | gzip -1 >\"$2\"", "sh", str(root), str(packed)])
    shutil.rmtree(root)
    return packed


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
    command = machine(guest, kernel, initramfs(guest, packages, kernel, folder))
    if not image.exists():
        with image.open("wb") as file:
            file.truncate(guest.disk_bytes)
    console = serve_and_run(command, image, log, guest.limit_s)
    (folder / "console.txt").write_text(console, encoding="utf-8")
    if DONE not in console:
        last = "\n".join(console.splitlines()[-5:])
        raise Failure(f"the guest has not ended its recipe; {folder}/console.txt ends:\n{last}")
