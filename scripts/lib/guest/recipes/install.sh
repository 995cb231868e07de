# SPDX-License-Identifier: Apache-2.0
# What runs here goes onto the drive: GRUB for a PC's BIOS, and one partition with ext4.
if [ "$(cat "/sys/block/${DRIVE#/dev/}/queue/logical_block_size")" != 512 ]; then
    echo "guest: a PC's BIOS starts from drives with blocks of 512 bytes only"
    exit 1
fi
then=$(sed -n 's/.*then=\([a-z0-9-]*\).*/ recipe=\1/p' /proc/cmdline)
echo "2048,1G,L,*" | sfdisk -q --wipe always --label dos "$DRIVE"
case $DRIVE in *[0-9]) part=${DRIVE}p1 ;; *) part=${DRIVE}1 ;; esac
for try in $(seq 50); do [ -b "$part" ] || sleep 0.1; done
# Code up to the partition table; then, in the gap before the partition, what it loads.
dd if=/boot/boot.img of="$DRIVE" bs=440 count=1 conv=notrunc,fsync 2>/dev/null
dd if=/boot/core.img of="$DRIVE" bs=512 seek=1 conv=notrunc,fsync 2>/dev/null
# GRUB 2.06 reads neither of these features.
/sbin/mke2fs -q -t ext4 -O ^metadata_csum_seed,^orphan_file -F "$part"
mount -t ext4 "$part" /disk
for name in bin boot etc init lib lib64 modules recipes sbin usr var; do
    [ ! -e /$name ] || cp -a /$name /disk/
done
mkdir /disk/boot/grub
cat >/disk/boot/grub/grub.cfg <<END
set timeout=0
menuentry Linux {
    linux /boot/vmlinuz console=ttyS0 quiet panic=-1$then
    initrd /boot/initramfs
}
END
umount /disk
/sbin/e2fsck -f -n "$part"
echo "guest: the drive can boot"
