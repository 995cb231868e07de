# SPDX-License-Identifier: Apache-2.0
"""What the guest has: tools and the libraries they load, kernel modules, its first process."""
import dataclasses
import hashlib
import pathlib
import typing

from debian_guest import initramfs
from debian_guest.packages import Packages, kernel_package

from . import boot

LIBRARIES = ("libc6", "libgcc-s1", "libstdc++6", "zlib1g", "libuuid1", "libblkid1", "libcom-err2",
             "libext2fs2", "libss2", "logsave", "libnvme1", "libjson-c5", "libssl3", "libdbus-1-3",
             "libsystemd0", "libcap2", "libcap-ng0", "libgcrypt20", "libgpg-error0", "liblz4-1",
             "liblzma5", "libzstd1", "libselinux1", "libpcre2-8-0", "libsqlite3-0", "libreadline8",
             "libtinfo6")
TOOLS = ("nvme-cli", "smartmontools", "e2fsprogs", "f2fs-tools", "sqlite3")
MODULES = ("nvme", "ahci", "sd_mod", "ext4", "f2fs", "crc32c_generic", "crc32_generic")
PARTITIONS = ("fdisk", "libfdisk1", "libsmartcols1", "libmount1")
PROGRAMS = (("usr/bin/fio", "fio"),)
INIT = """#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0
/bin/busybox mkdir -p /proc /sys /dev /tmp /disk /run /root /busybox
/bin/busybox --install -s /busybox
export PATH=/bin:/usr/bin:/sbin:/usr/sbin:/busybox HOME=/root
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t tmpfs tmpfs /tmp
# A system on the drive has got there by these modules.
[ -e /boot/grub ] || for module in $(cat /modules/order); do insmod /modules/$module.ko; done
for try in $(seq 100); do [ -b /dev/nvme0n1 ] || [ -b /dev/sda ] || sleep 0.1; done
[ -b /dev/nvme0n1 ] && export DRIVE=/dev/nvme0n1 || export DRIVE=/dev/sda
dmesg -n 1
echo "guest: up"
recipe=$(sed -n 's/.*recipe=\\([a-z0-9-]*\\).*/\\1/p' /proc/cmdline)
if [ -n "$recipe" ]; then
    sh -e /recipes/$recipe && said="all well" || said=wrong
    echo "guest: $recipe: $said"
    poweroff -f
fi
echo
echo "The drive is $DRIVE. Tools: nvme, smartctl, mke2fs, mkfs.f2fs, sqlite3 and busybox."
echo "Leave with: poweroff -f"
setsid cttyhack sh
sync
[ ! -e /boot/grub ] || mount -o remount,ro /
poweroff -f
"""
# The first process when the boot loader on the drive has started the kernel.
INIT_OF_DRIVE = """#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0
/bin/busybox mkdir -p /proc /sys /dev /disk /busybox
/bin/busybox --install -s /busybox
export PATH=/busybox
mount -t proc proc /proc
mount -t devtmpfs devtmpfs /dev
for module in $(cat /modules/order); do insmod /modules/$module.ko; done
for try in $(seq 100); do
    for root in /dev/nvme0n1p1 /dev/sda1; do [ ! -b $root ] || break 2; done
    sleep 0.1
done
mount -t ext4 $root /disk
umount /proc /dev
exec switch_root /disk /init
"""


def recipes() -> typing.Dict[str, str]:
    """Scripts that the guest can run, by name."""
    folder = pathlib.Path(__file__).parent / "recipes"
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.sh"))}


def packed(root: initramfs.Root, packages: Packages, kernel: pathlib.Path,
           folder: pathlib.Path) -> pathlib.Path:
    """An initramfs in `folder`; made when there is none, or one of something else."""
    folder.mkdir(parents=True, exist_ok=True)
    archive, mark = folder / "initramfs", folder / "made-of"
    sums = [hashlib.sha256(pathlib.Path(file).read_bytes()).hexdigest() for _, file in root.copies]
    made_of = repr((kernel.name, root, sums))
    if not archive.is_file() or not mark.is_file() or mark.read_text("utf-8") != made_of:
        initramfs.pack(root, packages, kernel, folder)
        mark.write_text(made_of, encoding="utf-8")
    return archive


def installer(root: initramfs.Root, packages: Packages, kernel: pathlib.Path,
              vmlinuz: pathlib.Path, folder: pathlib.Path) -> initramfs.Root:
    """The small guest, with what it takes to put itself on the drive and to start there."""
    small = packed(initramfs.Root((), MODULES, {"init": INIT_OF_DRIVE}), packages, kernel, folder)
    parts = {"vmlinuz": vmlinuz, "initramfs": small, **boot.loader(folder)}
    return dataclasses.replace(
        root, packages=(*root.packages, *PARTITIONS),
        copies=tuple((f"boot/{name}", str(file)) for name, file in parts.items()))


def build(folder: pathlib.Path, recipe: str = "") -> typing.Tuple[pathlib.Path, pathlib.Path]:
    """Kernel and initramfs, with what the recipe needs beyond the small guest."""
    packages = Packages(folder / "packages")
    kernel = packages.unpacked(kernel_package())
    vmlinuz = next((kernel / "boot").glob("vmlinuz-*"))
    files = {"init": INIT, **{f"recipes/{name}": text for name, text in recipes().items()}}
    root = initramfs.Root((*LIBRARIES, *TOOLS), MODULES, files)
    if recipe == "fio":
        root, folder = dataclasses.replace(root, programs=PROGRAMS), folder / "large"
    elif recipe == "install":
        root = installer(root, packages, kernel, vmlinuz, folder / "of-drive")
        folder = folder / "installer"
    return vmlinuz, packed(root, packages, kernel, folder)
