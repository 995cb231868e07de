# SPDX-License-Identifier: Apache-2.0
# What runs here goes onto the drive: one partition with ext4 and a boot loader for a PC's BIOS.
mbr=/usr/lib/syslinux/mbr/mbr.bin # code for the first sector: starts the active partition
then=$(sed -n 's/.*then=\([a-z0-9-]*\).*/ recipe=\1/p' /proc/cmdline)
echo "2048,1G,L,*" | sfdisk -q --wipe always --label dos "$DRIVE"
case $DRIVE in *[0-9]) part=${DRIVE}p1 ;; *) part=${DRIVE}1 ;; esac
for try in $(seq 50); do [ -b "$part" ] || sleep 0.1; done
dd if=$mbr of="$DRIVE" bs=440 count=1 conv=notrunc,fsync 2>/dev/null
/sbin/mke2fs -q -t ext4 -O ^64bit,^metadata_csum -F "$part" # as the boot loader reads it
mount -t ext4 "$part" /disk
for name in bin boot etc init lib lib64 modules recipes sbin usr var; do
    [ ! -e /$name ] || cp -a /$name /disk/
done
mkdir -p /disk/boot/extlinux
cat >/disk/boot/extlinux/extlinux.conf <<END
SERIAL 0 115200
DEFAULT linux
LABEL linux
    KERNEL /boot/vmlinuz
    INITRD /boot/initramfs
    APPEND console=ttyS0 quiet panic=-1$then
END
extlinux --install /disk/boot/extlinux
umount /disk
echo "guest: the drive can boot"
