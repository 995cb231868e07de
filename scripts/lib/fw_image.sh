# SPDX-License-Identifier: Apache-2.0
# Compiles and links a firmware image for this machine. To be sourced by fw-build, behind
# common.sh, setup.sh, build.sh and fw_sources.sh; reads its dir, out, debug and fwtime_options.
# shellcheck shell=bash disable=SC2154

# fw_debug_flags: makes of --debug, -Og and -O0 one thing, fw_level: flags behind all others. -Og of
# clang is its -O1, which drops variables.
fw_debug_flags() {
    case " ${FW_CFLAGS:-} " in
        *" -Og "* | *" -O0 "*) debug=1 ;;
    esac
    fw_level=()
    [ "$debug" -eq 0 ] || fw_level=(-O0)
}

# fw_find_fwtime: sets fwtime to the program that times, or to nothing.
fw_find_fwtime() {
    fwtime=
    case ${FW_CFLAGS:-} in
        *--coverage* | *-fsanitize*) return ;; # what these add has no place in a table
    esac
    fwtime=${SSDVP_FWTIME:-}
    [ -z "$fwtime" ] || return 0
    fwtime=$build_dir/tools/fwtime/fwtime
    if [ -f "$project_root/CMakeLists.txt" ]; then
        install_packages build
        ! command -v clang-14 >/dev/null 2>&1 || build fwtime
    elif [ ! -x "$fwtime" ]; then # a kit that was installed has it
        refuse "$fwtime is missing: this firmware kit is not whole; install it anew" \
            "(package ssdvp-firmware-kit)"
    fi
    if [ ! -x "$fwtime" ] || ! command -v clang-14 >/dev/null 2>&1; then
        fwtime=
        say "no clang-14 or LLVM 14: built without timing, to be run with --set cpu.core=flat."
    fi
}

# fw_compile NAME FILE [OPTION...]: one source, timed; options go to fwtime. Debug information keeps
# whole paths, for call stacks and gdb; an assertion in ours says where it is in the clone.
fw_compile() {
    local name=$1 file=$2 stem=$fw_parts/${#fw_objects[@]}
    shift 2
    # shellcheck disable=SC2086
    clang-14 "${fw_flags[@]}" ${FW_CFLAGS:-} ${fw_level[@]+"${fw_level[@]}"} \
        -I"$dir" -I"$project_root" -fmacro-prefix-map="$project_root/"= \
        -emit-llvm -Xclang -emit-llvm-uselists -c "$file" -o "$stem.bc" ||
        die "$name does not compile"
    "$fwtime" "$stem.bc" --name "$name" --object "$stem.o" --record "$stem.timing" "$@" ||
        die "$name cannot be timed"
    fw_objects+=("$stem.o")
    fw_records+=("$stem.timing")
}

fw_build_timed() {
    local source
    mapfile -t fw_flags < <(grep -v '^-W' "$project_root/firmware/port/native/clang_flags.txt")
    fw_flags+=(-Wall -Wextra)
    fw_objects=()
    fw_records=()
    [ "$debug" -eq 0 ] || fwtime_options+=(--debug)
    for source in "${fw_sources[@]}"; do
        fw_compile "${source#"$dir"/}" "$source" ${fwtime_options[@]+"${fwtime_options[@]}"}
    done
    [ "$debug" -eq 0 ] || fw_level=(-O2) # nobody debugs those, and calls of them stay cheap
    local rename renames=() # as SSDVP_FW_RENAMES in cmake/firmware_timing.cmake
    for rename in memcpy=memcpy memset=memset memmove=memmove memcmp=memcmp \
        __udivmoddi4=udivmod __divmoddi4=divmod __udivdi3=udiv __umoddi3=umod \
        __divdi3=div __moddi3=mod; do
        renames+=(--rename "${rename/=/=ssdvp_port_}")
    done
    case " ${fwtime_options[*]-} " in
        *" --profile "*) renames+=(--fetch) ;;
    esac
    for source in memory.c divide.c; do
        fw_compile "port/$source" "$project_root/firmware/port/$source" "${renames[@]}"
    done
    gcc -std=c11 -O2 -fPIC -fvisibility=hidden -I"$project_root" \
        -c "$project_root/firmware/port/native/timing.c" -o "$fw_parts/timing.o"
    gcc -shared -Wl,-z,defs "${fw_objects[@]}" "$fw_parts/timing.o" -lc -o "$fw_parts/image.so" ||
        die "$dir: the sources do not link into an image"
}

# Frames are left by exceptions (a panic), so they need unwinding tables.
fw_build_plain() {
    # shellcheck disable=SC2086
    gcc -std=c11 -O2 -g -shared -fPIC -ffreestanding -fno-common -fexceptions -fvisibility=hidden \
        -fno-omit-frame-pointer -fstack-clash-protection -Wall -Wextra -Wl,-z,defs \
        ${FW_CFLAGS:-} ${fw_level[@]+"${fw_level[@]}"} -I"$project_root" -I"$dir" \
        "${fw_sources[@]}" -o "$fw_parts/image.so" ||
        die "$dir does not compile or link"
}

# fw_build_image: writes out, and out.timing when it is timed. What was there stays when it fails.
fw_build_image() {
    fw_parts=$(mktemp -d)
    trap 'rm -rf -- "$fw_parts"' EXIT
    if [ -n "$fwtime" ]; then fw_build_timed; else fw_build_plain; fi
    case ${FW_CFLAGS:-} in
        *--coverage* | *-fsanitize*) ;; # what these add uses the C library
        *) fw_no_library "$fw_parts/image.so" ;;
    esac
    mkdir -p -- "$(dirname -- "$out")"
    rm -f -- "$out.timing"
    mv -- "$fw_parts/image.so" "$out"
    if [ -n "$fwtime" ]; then
        cat -- "${fw_records[@]}" >"$out.timing"
    fi
}
