#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles and links the firmware for a target: cross_build.sh arm|riscv OUTPUT_DIR
set -euo pipefail
target=$1
out=$2
root=$(cd "$(dirname "$0")/.." && pwd)
case $target in
arm)
    cc=arm-none-eabi-gcc
    flags="-mcpu=cortex-r5 -mthumb -mfloat-abi=soft"
    libs=-lgcc
    ;;
riscv)
    cc=riscv64-unknown-elf-gcc
    flags="-march=rv64imac -mabi=lp64 -mcmodel=medany"
    libs=-lgcc
    ;;
*)
    echo "usage: cross_build.sh arm|riscv OUTPUT_DIR" >&2
    exit 2
    ;;
esac
if ! command -v "$cc" >/dev/null; then
    echo "$cc is not installed" >&2
    exit 1
fi
mkdir -p "$out"
objects=
for source in $(cd "$root" && find firmware -name '*.c' ! -path 'firmware/port/*' | sort) \
    firmware/port/memory.c firmware/port/target.c \
    $(cd "$root" && find "firmware/port/$target" -name '*.c' | sort); do
    object=$out/$(echo "$source" | tr / _).o
    # shellcheck disable=SC2086
    "$cc" $flags -std=c11 -O2 -ffreestanding -fno-common -ffunction-sections \
        -fno-tree-loop-distribute-patterns -Wall -Wextra -Werror -I"$root" \
        -c "$root/$source" -o "$object"
    objects="$objects $object"
done
# shellcheck disable=SC2086
"$cc" $flags -nostdlib -nostartfiles -Wl,--gc-sections -Wl,-T,"$root/firmware/port/target.ld" \
    $objects $libs -o "$out/ssdvp_fw.elf"
size "$out/ssdvp_fw.elf"
