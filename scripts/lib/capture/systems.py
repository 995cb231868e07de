# SPDX-License-Identifier: Apache-2.0
"""File systems: how each is made on /dev/vda, mounted at /target and left."""
import dataclasses
import typing


@dataclasses.dataclass(frozen=True)
class FileSystem:
    """Shell commands, and the packages and kernel modules that they need."""
    packages: typing.Tuple[str, ...]
    modules: typing.Tuple[str, ...]
    make: str
    mount: str
    unmount: str = "umount /target"


# Serial numbers and identities are fixed: the same bytes are written by each capture.
FAT = FileSystem(("libc6", "dosfstools"), ("vfat", "nls_cp437", "nls_ascii", "nls_utf8"),
                 "mkfs.fat -F 16 -i 55534456 /dev/vda", "mount -t vfat /dev/vda /target")
# The driver is a process: the disk is left when it has ended.
NTFS = FileSystem(("libc6", "ntfs-3g", "libntfs-3g89"), ("fuse",),
                  "mkntfs --fast --quiet /dev/vda", "ntfs-3g /dev/vda /target",
                  "umount /target\nwhile pidof ntfs-3g; do usleep 100000; done")
EXT4 = FileSystem(("libc6", "e2fsprogs", "libext2fs2", "libcom-err2", "libblkid1", "libuuid1",
                   "libss2"), ("ext4", "crc32c_generic"),
                  "/usr/sbin/mke2fs -q -t ext4 -U 53534456-0000-4000-8000-000000000001 /dev/vda",
                  "mount -t ext4 -o discard /dev/vda /target")
F2FS = FileSystem(("libc6", "f2fs-tools", "libblkid1", "libuuid1", "libselinux1",
                   "libpcre2-8-0"), ("f2fs", "crc32_generic", "crc32c_generic"),
                  "/usr/sbin/mkfs.f2fs -q /dev/vda", "mount -t f2fs -o discard /dev/vda /target")
