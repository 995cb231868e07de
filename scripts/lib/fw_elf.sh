#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# scripts/lib/fw_elf.sh TARGET|all DIR OUTDIR [BUDGET]: compiles and links the firmware of DIR for
# cores, with the port's start-up code and linker script, and prints what it takes; more than the
# ceilings in the file BUDGET is an error. scripts/fw-build --elf calls it. FW_COMPILER: clang, the
# code of which is what natively run firmware is timed as, or gcc.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=common.sh
. "$here/common.sh"
# shellcheck source=fw_sources.sh
. "$here/fw_sources.sh"

answer_help "$@"
know_options "$@"
[ $# -ge 3 ] || refuse "TARGET, DIR and OUTDIR are needed"
wanted=$1
dir=$2
out=$3
budget=${4-}
compiler=${FW_COMPILER:-clang}
all_targets="aarch64 rv64 armv8r rv32"
script=$project_root/firmware/port/target.ld

# Sets compiler, assembler (if another program is), linker, port and the port's other sources.
choose() {
    local width=64
    as=()
    own=()
    case $1 in
        aarch64) port=aarch64 ;;
        rv64) port=riscv ;;
        rv32) port=riscv width=32 ;;
        armv8r | armv7r) port=arm width=32 ;;
        *) refuse "no target $1; choose one of: $all_targets all armv7r" ;;
    esac
    [ "$width" -eq 64 ] || own=("$project_root/firmware/port/divide.c")
    "choose_$compiler" "$1"
    local tool
    for tool in "${cc[0]}" ${as[@]+"${as[0]}"} "${ld[0]}"; do
        command -v "$tool" >/dev/null || die "$1 needs $tool; apt-get install $package"
    done
}

# The cores and flags of tools/fwtime/lower.cpp and tests/validation/targets.cmake. GNU as and ld
# make one instruction of a call on RISC-V, as it is counted; lld does from version 15 on.
choose_clang() {
    package="clang-14 lld-14"
    ld=(ld.lld-14)
    case $1 in
        aarch64) cc=(clang-14 --target=aarch64-none-elf -mcpu=cortex-r82) ;;
        armv8r)
            cc=(clang-14 --target=armv8r-none-eabi -mcpu=cortex-r52 -mthumb -mfloat-abi=soft
                -meabi gnu -fomit-frame-pointer)
            ;;
        rv64 | rv32)
            local abi=lp64
            [ "$1" = rv64 ] || abi=ilp32
            cc=(clang-14 "--target=riscv${1#rv}-unknown-elf" "-march=${1}imac" "-mabi=$abi"
                -mcmodel=medany -fno-addrsig -msmall-data-limit=0) # constants are no data
            as=(riscv64-unknown-elf-as "-march=${1}imac" "-mabi=$abi")
            ld=(riscv64-unknown-elf-ld "-melf${1#rv}lriscv")
            package="clang-14 binutils-riscv64-unknown-elf"
            ;;
        *) refuse "clang makes no $1 here: it is the choice of --compiler gcc; for clang choose" \
            "armv8r, the core that is timed (cpu.core: cortex-r52)" ;;
    esac
    mapfile -t flags < <(grep -vE '^(-g.*|-fPIC|-fexceptions|-fvisibility=.*|-W.*)$' \
        "$project_root/firmware/port/native/clang_flags.txt")
    flags+=(-fno-asynchronous-unwind-tables)
    debug=(-gdwarf-4 -fno-dwarf-directory-asm) # as GNU as reads it
}

choose_gcc() {
    flags=(-std=c11 -O2 -ffreestanding -fno-common)
    debug=(-gdwarf-4)
    package=gcc-arm-none-eabi
    case $1 in
        armv8r) cc=(arm-none-eabi-gcc -mcpu=cortex-r52 -mthumb -mfloat-abi=soft) ;;
        armv7r) cc=(arm-none-eabi-gcc -mcpu=cortex-r5 -mthumb -mfloat-abi=soft) ;;
        rv64 | rv32)
            local abi=lp64
            [ "$1" = rv64 ] || abi=ilp32
            cc=(riscv64-unknown-elf-gcc "-march=${1}imac" "-mabi=$abi" -mcmodel=medany)
            package=gcc-riscv64-unknown-elf
            ;;
        *) refuse "no GCC for $1 here; leave --compiler out, or choose one of: rv64 armv8r armv7r" \
            "rv32" ;;
    esac
    ld=("${cc[@]}" -nostdlib -nostartfiles)
}

# An assertion says where it is in the clone: with whole paths the constants would grow with the
# length of the clone's own.
compile() {
    local target=$1 objects=$2 source name make
    rm -rf -- "$objects"
    mkdir -p -- "$objects"
    for source in "${fw_sources[@]}" "$project_root/firmware/port/memory.c" \
        "$project_root/firmware/port/target.c" ${own[@]+"${own[@]}"} \
        "$project_root/firmware/port/$port"/*.c; do
        name=$(printf '%s' "${source#"$project_root"/}" | tr -c 'A-Za-z0-9_\n' _)
        # A loop that copies must not become a call of the memcpy that it is in.
        local extra=()
        [[ $source != */port/memory.c || $compiler = clang ]] ||
            extra=(-fno-tree-loop-distribute-patterns)
        # So that gdb can print what a panic leaves; it changes no code.
        [[ $source != "$project_root/firmware/port/target.c" ]] ||
            extra=(-g "${debug[@]}" "-fdebug-prefix-map='$project_root'=."
                "-fdebug-prefix-map='$PWD'=.")
        make="${cc[*]} ${flags[*]} -ffunction-sections -fdata-sections -fstack-usage -Wall -Wextra \
            ${extra[*]-} ${FW_CFLAGS:-} -I'$project_root' -I'$dir' \
            -fmacro-prefix-map='$project_root/'= '$source'"
        if [ ${#as[@]} -eq 0 ]; then
            printf '%s\0' "$make -c -o '$objects/$name.o'"
        else
            printf '%s\0' "$make -S -o '$objects/$name.s' &&
                ${as[*]} '$objects/$name.s' -o '$objects/$name.o'"
        fi
    done | xargs -0 -P "$(cores)" -I{} sh -c '{}' ||
        die "$dir does not compile for $target"
}

link() {
    local target=$1 said
    if [ "$compiler" = gcc ]; then
        said=$("${ld[@]}" -Wl,--gc-sections "-Wl,-T,$script" "$out/$target"/*.o -lgcc \
            -o "$out/$target.elf" 2>&1) && return
    else
        said=$("${ld[@]}" -static --gc-sections -T "$script" "$out/$target"/*.o \
            -o "$out/$target.elf" 2>&1) && return
    fi
    say "$said"
    case $compiler$said in
        clang*undefined*)
            die "$dir does not link for $target. A routine of the compiler's library (floating" \
                "point on a core without it?) is in no table and not linked: compute with" \
                "integers, or write --compiler gcc"
            ;;
        *) die "$dir does not link for $target" ;;
    esac
}

case $compiler in
    clang) ;;
    gcc)
        say "GCC makes other code than clang 14, whose instructions ssdvp counts: what a run says" \
            "of times and instructions is of an image without --compiler gcc."
        ;;
    *) refuse "no compiler $compiler; choose clang or gcc" ;;
esac
fw_find_sources "$dir"
targets=$wanted
if [ "$wanted" = all ]; then
    targets=$all_targets
    [ "$compiler" = clang ] || targets="rv64 armv8r rv32"
fi
for target in $targets; do
    choose "$target"
done
mkdir -p -- "$out"
for target in $targets; do
    choose "$target"
    compile "$target" "$out/$target"
    link "$target"
done
# shellcheck disable=SC2086
python3 -B "$here/fw_sizes.py" "$out" $targets ${budget:+--budget "$budget"}
