# SPDX-License-Identifier: Apache-2.0
# fio verifies what it wrote, past the page cache; then the rate of small requests.
common="--filename=$DRIVE --direct=1 --ioengine=libaio --iodepth=32 --bs=4k --minimal"
common="$common --output=/tmp/fio --thread --randrepeat=1 --randseed=9"
fio $common --name=verify --rw=randwrite --size=16m --verify=crc32c --do_verify=1 \
    --verify_fatal=1
fio $common --name=mixed --rw=randrw --size=16m --bssplit=512/20:4k/60:64k/20 \
    --verify=crc32c --do_verify=1 --verify_fatal=1 --blockalign=512
rate() { # RW FIELD: requests per second of wall time
    fio $common --name=rate --rw="$1" --size=64m --norandommap --runtime=5
    echo "guest: fio $1 $(cut -d';' -f"$2" /tmp/fio) requests per second"
}
rate randwrite 49
rate randread 8
