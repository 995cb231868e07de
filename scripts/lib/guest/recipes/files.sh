# SPDX-License-Identifier: Apache-2.0
# ext4 and f2fs: files and a database written with fsync come back, and the file system is clean.
if dmesg | grep -i "nvme\|ata1" | grep -i "warn\|fail\|error\|timeout\|bogus"; then
    echo "the driver complains"
    exit 1
fi
try() { # FILE_SYSTEM MAKE CHECK
    $2 "$DRIVE" >/dev/null
    mount -t "$1" "$DRIVE" /disk
    for i in $(seq 40); do
        dd if=/dev/urandom of=/disk/file$i bs=4k count=$((i % 7 + 1)) conv=fsync 2>/dev/null
    done
    sqlite3 /disk/data.db "create table t(a integer primary key, b text);"
    for i in $(seq 20); do
        sqlite3 /disk/data.db "insert into t(b) values(hex(randomblob(200)));"
    done
    rm /disk/file3 /disk/file4
    (cd /disk && md5sum file* data.db) >/tmp/sums
    umount /disk
    $3 "$DRIVE"
    echo 3 >/proc/sys/vm/drop_caches
    mount -t "$1" "$DRIVE" /disk
    (cd /disk && md5sum -c /tmp/sums >/tmp/checked) || { cat /tmp/checked; exit 1; }
    [ "$(sqlite3 /disk/data.db 'pragma integrity_check; select count(*) from t;')" = "ok
20" ]
    umount /disk
    echo "guest: $1 is clean, $(wc -l </tmp/sums) files"
}
try ext4 "/sbin/mke2fs -q -t ext4 -F" "/sbin/e2fsck -f -n"
try f2fs "mkfs.f2fs -q -f" "fsck.f2fs --dry-run"
