# SPDX-License-Identifier: Apache-2.0
# In a guest that came up from the drive: its root is there, takes writes, and is sound.
part=$(sed -n 's/^\(\/dev\/[a-z0-9]*\) \/ ext4 .*/\1/p' /proc/mounts)
case $part in "$DRIVE"*) ;; *) echo "the root is on '$part'"; exit 1 ;; esac
dd if=/dev/urandom of=/written bs=4k count=256 conv=fsync 2>/dev/null
sum=$(md5sum </written)
echo 3 >/proc/sys/vm/drop_caches
[ "$(md5sum </written)" = "$sum" ]
mount -o remount,ro /
/sbin/e2fsck -f -n "$part"
echo "guest: the root is $part"
