#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# fw_elf.sh TARGET|all DIR OUTDIR [BUDGET]: compiles and links the firmware of DIR for cores, with
# the port's start-up code and linker script, and prints what it takes; more than the ceilings in
# the file BUDGET is an error. scripts/fw-build --elf calls it.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=common.sh
. "$here/common.sh"
# shellcheck source=fw_sources.sh
. "$here/fw_sources.sh"

wanted=$1
dir=$2
out=$3
budget=${4-}
all_targets="aarch64 rv64 armv7r rv32"

# Sets compiler, flags, port, libraries and linker of a target.
choose() {
    libs=-lgcc
    link=(-nostdlib -nostartfiles -Wl,--gc-sections "-Wl,-T,$project_root/firmware/port/target.ld")
    case $1 in
        aarch64)
            cc=(clang-14 --target=aarch64-none-elf -mcpu=cortex-r82 -mno-outline-atomics)
            port=aarch64
            package="clang-14 lld-14"
            libs=
            link=(-nostdlib -fuse-ld=lld-14 "${link[@]:2}")
            ;;
        rv64)
            cc=(riscv64-unknown-elf-gcc -march=rv64imac -mabi=lp64 -mcmodel=medany)
            port=riscv
            package=gcc-riscv64-unknown-elf
            ;;
        armv7r)
            cc=(arm-none-eabi-gcc -mcpu=cortex-r5 -mthumb -mfloat-abi=soft)
            port=arm
            package=gcc-arm-none-eabi
            ;;
        rv32)
            cc=(riscv64-unknown-elf-gcc -march=rv32imac -mabi=ilp32 -mcmodel=medany)
            port=riscv
            package=gcc-riscv64-unknown-elf
            ;;
        *) refuse "no target $1; choose one of: $all_targets all" ;;
    esac
    command -v "${cc[0]}" >/dev/null || die "$1 needs ${cc[0]}; apt-get install $package"
}

compile() {
    local target=$1 objects=$2 source name flags
    rm -rf -- "$objects"
    mkdir -p -- "$objects"
    # A loop that copies must not become a call of the memcpy that it is in.
    flags=(-std=c11 -O2 -ffreestanding -fno-common -ffunction-sections -fdata-sections
        -fstack-usage -Wall -Wextra)
    for source in "${fw_sources[@]}" "$project_root/firmware/port/memory.c" \
        "$project_root/firmware/port/target.c" "$project_root/firmware/port/$port"/*.c; do
        name=$(printf '%s' "${source#"$project_root"/}" | tr -c 'A-Za-z0-9_\n' _)
        local extra=()
        [[ $source != */port/memory.c ]] || extra=(-fno-builtin)
        [[ $source != */port/memory.c || ${cc[0]} == clang* ]] ||
            extra=(-fno-tree-loop-distribute-patterns)
        # shellcheck disable=SC2086
        printf '%s\0' "${cc[*]} ${flags[*]} ${extra[*]-} ${FW_CFLAGS:-} -I'$project_root' -I'$dir' \
            -c '$source' -o '$objects/$name.o'"
    done | xargs -0 -P "$(cores)" -I{} sh -c '{}' ||
        die "$dir does not compile for $target"
}

fw_find_sources "$dir"
[ "$wanted" = all ] && targets=$all_targets || targets=$wanted
for target in $targets; do
    choose "$target"
done
mkdir -p -- "$out"
for target in $targets; do
    choose "$target"
    compile "$target" "$out/$target"
    # shellcheck disable=SC2086
    "${cc[@]}" "${link[@]}" "$out/$target"/*.o $libs -o "$out/$target.elf" ||
        die "$dir does not link for $target"
done
# shellcheck disable=SC2086
python3 -B "$here/fw_sizes.py" "$out" $targets ${budget:+--budget "$budget"}
