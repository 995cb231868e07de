# SPDX-License-Identifier: Apache-2.0
# Namespaces come and go under the running driver, and SMART counts what is written.
drive=/dev/nvme0
number() { # FIELD: of the SMART log
    nvme smart-log $drive -o json | sed -n "s/.*\"$1\" *: *\"\{0,1\}\([0-9]*\).*/\1/p"
}
appears() { # FILE: 10 s for the driver, which hears of changes by an asynchronous event
    for _ in $(seq 100); do
        [ -e "$1" ] && return 0
        sleep 0.1
    done
    echo "no $1"
    return 1
}
goes() { # FILE
    for _ in $(seq 100); do
        [ -e "$1" ] || return 0
        sleep 0.1
    done
    echo "$1 is still there"
    return 1
}
listed() { nvme list-ns $drive "$@" | grep -c '^\['; }
back() { # DEVICE: what /tmp/data holds is on the drive
    dd if="$1" bs=64k count=16 iflag=direct 2>/dev/null | cmp - /tmp/data
}
dd if=/dev/urandom of=/tmp/data bs=64k count=16 2>/dev/null

# All of the drive is namespace 1: two smaller ones take its place.
nvme delete-ns $drive --namespace-id=1
goes /dev/nvme0n1
[ "$(listed)" = 0 ]
for id in 1 2; do
    nvme create-ns $drive --nsze=65536 --ncap=65536 --flbas=0 --dps=0
    [ ! -e /dev/nvme0n$id ]
    nvme attach-ns $drive --namespace-id=$id --controllers=1
    appears /dev/nvme0n$id
done
[ "$(listed)" = 2 ]
[ "$(cat /sys/block/nvme0n2/size)" = 65536 ]

commands=$(number host_write_commands)
units=$(number data_units_written)
dd if=/tmp/data of=/dev/nvme0n2 bs=64k oflag=direct 2>/dev/null
back /dev/nvme0n2
echo "guest: host write commands $commands, then $(number host_write_commands)"
echo "guest: data units written $units, then $(number data_units_written)"
[ $(($(number host_write_commands) - commands)) = 16 ]
more=$(($(number data_units_written) - units)) # of 512,000 bytes, rounded up
[ $more -ge 2 ]
[ $more -le 3 ]

nvme format /dev/nvme0n2 --lbaf=1 --force # of 4096 bytes
for _ in $(seq 100); do
    [ "$(cat /sys/block/nvme0n2/queue/logical_block_size)" = 4096 ] && break
    sleep 0.1
done
[ "$(cat /sys/block/nvme0n2/queue/logical_block_size)" = 4096 ]
dd if=/dev/nvme0n2 bs=64k count=16 iflag=direct 2>/dev/null | cmp -n 1048576 - /dev/zero
dd if=/tmp/data of=/dev/nvme0n2 bs=64k oflag=direct 2>/dev/null
back /dev/nvme0n2

nvme detach-ns $drive --namespace-id=2 --controllers=1
goes /dev/nvme0n2
[ "$(listed)" = 1 ]
[ "$(listed --all)" = 2 ]
nvme attach-ns $drive --namespace-id=2 --controllers=1
appears /dev/nvme0n2
back /dev/nvme0n2
nvme delete-ns $drive --namespace-id=2
goes /dev/nvme0n2
[ "$(listed --all)" = 1 ]
