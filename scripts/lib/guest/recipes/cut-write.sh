# SPDX-License-Identifier: Apache-2.0
# Files and rows of a database, each made durable before its number is said, until the power goes.
/sbin/mke2fs -q -t ext4 -F "$DRIVE"
mount -t ext4 "$DRIVE" /disk
sqlite3 /disk/data.db "create table t(a integer primary key);"
for i in $(seq 100000); do
    yes $i | head -c 8192 >/tmp/file
    dd if=/tmp/file of=/disk/file$i bs=4k conv=fsync 2>/dev/null
    sqlite3 /disk/data.db "insert into t values($i);"
    sync -f /disk
    echo "guest: durable $i"
done
