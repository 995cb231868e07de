# SPDX-License-Identifier: Apache-2.0
"""A start of Debian from its disk: unpacked packages as the root file system, systemd as init."""
from . import systems
from .guest import DONE, Guest

DISK_BYTES = 384 << 20
TREE = ("systemd-sysv", "udev", "dbus", "bash", "coreutils", "login", "mount", "base-files",
        "base-passwd", "usr-is-merged", "util-linux", "procps", "cron", "rsyslog", "e2fsprogs")
# Packages are unpacked but not configured: this is what their scripts would have left behind.
INSTALL = f"""{systems.EXT4.make}
{systems.EXT4.mount}
cp -a /tree/. /target/
cp /tree/usr/share/base-passwd/passwd.master /target/etc/passwd
cp /tree/usr/share/base-passwd/group.master /target/etc/group
ln -sf bash /target/usr/bin/sh
mkdir -p /target/proc /target/sys /target/dev /target/run /target/tmp /target/var/log/journal
mkdir -p /target/etc/systemd/system/multi-user.target.wants
for unit in cron rsyslog capture; do
    ln -s /lib/systemd/system/$unit.service /target/etc/systemd/system/multi-user.target.wants/
done
ln -s /lib/systemd/system/rsyslog.service /target/etc/systemd/system/syslog.service
sync
umount /target
"""
# Type idle: when no job of the start is left.
UNIT = f"""# SPDX-License-Identifier: Apache-2.0
[Unit]
Description=Ends the capture when the system has started
[Service]
Type=idle
ExecStart=/bin/bash -c 'echo "{DONE}" >/dev/console; exec systemctl --no-block poweroff'
"""
SWITCH = """mkdir -p /root
mount -t ext4 -o ro /dev/vda /root
umount /tmp
exec switch_root /root /lib/systemd/systemd
"""

INSTALLS = Guest(systems.EXT4.packages, systems.EXT4.modules,
                 {"recipe/run": INSTALL, "tree/usr/lib/systemd/system/capture.service": UNIT,
                  "tree/etc/fstab": "/dev/vda / ext4 rw,discard 0 1\n",
                  "tree/etc/nsswitch.conf": "passwd: files\ngroup: files\nshadow: files\n",
                  "tree/etc/hostname": "guest\n", "tree/etc/machine-id": ""},
                 DISK_BYTES, trims=True, tree=TREE, memory_mib=1536)
STARTS = Guest((), systems.EXT4.modules, {"recipe/boot": SWITCH}, DISK_BYTES, trims=True,
               memory_mib=512)
