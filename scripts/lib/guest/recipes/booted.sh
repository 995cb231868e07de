# SPDX-License-Identifier: Apache-2.0
# In a guest that came up from the drive: its root is there, keeps what is written, and is sound.
part=$(sed -n 's/^\(\/dev\/[a-z0-9]*\) \/ ext4 .*/\1/p' /proc/mounts)
case $part in "$DRIVE"*) ;; *) echo "the root is on '$part'"; exit 1 ;; esac
if [ -e /written.sum ]; then
    md5sum -c /written.sum
    echo "guest: the file is there"
else
    dd if=/dev/urandom of=/written bs=4k count=256 conv=fsync 2>/dev/null
    md5sum /written >/written.sum
    sync
    echo 3 >/proc/sys/vm/drop_caches
    md5sum -c /written.sum
    echo "guest: the file is written"
fi
mount -o remount,ro /
/sbin/e2fsck -f -n "$part"
echo "guest: the root is $part"
