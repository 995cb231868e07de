# SPDX-License-Identifier: Apache-2.0
# The driver lends the drive memory by itself, lends it again after a reset, and takes it away when
# it leaves: what was written comes back each time, through more of the map than its cache holds.
lent() { # DWORD: of feature 0Dh, whose bit 0 is EHM (enable) and bit 1 MR (the same memory again)
    now=$(nvme get-feature /dev/nvme0 -f 0x0d | sed -n 's/.*value: *0x0*//p')
    [ "${now:-0}" = "$1" ] || { echo "feature 0Dh is $now, not $1"; return 1; }
}
allocations() { dmesg | grep -c "nvme0: allocated [0-9]* MiB host memory buffer"; }
dmesg | grep "host memory buffer"
[ "$(allocations)" = 1 ]
lent 1

places=32
stride=$(($(cat /sys/block/nvme0n1/size) / 512 / places)) # in pieces of 256 KiB
place() { echo $(($1 * 37 % places * stride)); } # NUMBER: neighbours are far apart
back() { # WHEN
    for i in $(seq 0 $((places - 1))); do
        dd if="$DRIVE" bs=256k skip="$(place "$i")" count=1 iflag=direct 2>/dev/null
    done | cmp - /tmp/data
    echo "guest: $1: all is as it was written"
}
dd if=/dev/urandom of=/tmp/data bs=256k count=$places 2>/dev/null
for i in $(seq 0 $((places - 1))); do
    dd if=/tmp/data of="$DRIVE" bs=256k skip="$i" seek="$(place "$i")" count=1 oflag=direct \
        2>/dev/null
done
back "with host memory"

nvme admin-passthru /dev/nvme0 --opcode=0x09 --cdw10=0x0d --cdw11=0 >/dev/null 2>&1
lent 0
back "without"
nvme reset /dev/nvme0
lent 3
back "with it again"

device=$(basename "$(readlink /sys/class/nvme/nvme0/device)")
echo "$device" >/sys/bus/pci/drivers/nvme/unbind
[ ! -e "$DRIVE" ]
echo "$device" >/sys/bus/pci/drivers/nvme/bind
for try in $(seq 100); do [ -b "$DRIVE" ] || sleep 0.1; done
[ "$(allocations)" = 2 ]
lent 1
back "with another driver's"
if dmesg | grep "nvme" | grep -i "warn\|fail\|error\|timeout"; then
    echo "the driver complains"
    exit 1
fi
