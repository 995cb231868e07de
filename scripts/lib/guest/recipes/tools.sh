# SPDX-License-Identifier: Apache-2.0
# nvme-cli and smartctl show our Identify, SMART and log pages, and SMART counters move.
case $DRIVE in
    /dev/nvme*)
        nvme list
        nvme id-ctrl /dev/nvme0 | grep -E "^(vid|mn|fr|mdts|nn|oacs|oncs)"
        writes() { nvme smart-log /dev/nvme0 -o json | tr -dc 'a-z_:0-9\n' |
            sed -n 's/.*host_write_commands:\([0-9]*\).*/\1/p'; }
        before=$(writes)
        dd if=/dev/urandom of=$DRIVE bs=4k count=64 oflag=direct 2>/dev/null
        after=$(writes)
        echo "guest: host write commands $before, then $after"
        [ "$((after - before))" = 64 ]
        nvme fw-log /dev/nvme0
        nvme error-log /dev/nvme0 -e 1 | head -3
        nvme list-ns /dev/nvme0
        for erase in 0 1; do # none asked for, user data
            dd if=/dev/urandom of=$DRIVE bs=4k count=64 oflag=direct 2>/dev/null
            nvme format $DRIVE --lbaf=0 --ses=$erase --force
            dd if=$DRIVE bs=4k count=64 iflag=direct 2>/dev/null | cmp -n 262144 - /dev/zero
        done
        smartctl -a /dev/nvme0
        ;;
    *)
        smartctl -i -A -H $DRIVE || [ $(($? & 7)) = 0 ]
        ;;
esac
