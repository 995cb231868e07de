# SPDX-License-Identifier: Apache-2.0
# After a loss of power: what cut-write said is durable is there, and the file system is sound.
durable=$(sed -n 's/.*durable=\([0-9]*\).*/\1/p' /proc/cmdline)
mount -t ext4 "$DRIVE" /disk
for i in $(seq "$durable"); do
    yes $i | head -c 8192 | cmp - /disk/file$i
done
[ "$(sqlite3 /disk/data.db 'pragma integrity_check;')" = ok ]
[ "$(sqlite3 /disk/data.db "select count(*) from t where a <= $durable;")" = "$durable" ]
umount /disk
/sbin/e2fsck -f -n "$DRIVE"
echo "guest: $durable files and rows are there"
