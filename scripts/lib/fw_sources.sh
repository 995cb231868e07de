# SPDX-License-Identifier: Apache-2.0
# The C files of a firmware project. To be sourced, after common.sh.
# shellcheck shell=bash

# What an image may take from the host: what firmware/port/native/timing.c moves memory by, and what
# compilers and linkers put into any shared object. Nothing of it runs as firmware's own work.
fw_host_symbols='mem(cpy|set|move|cmp)|_ITM_(de)?registerTMCloneTable|__gmon_start__|__cxa_finalize'
fw_host_symbols+='|_Unwind_Resume|__stack_chk_fail'

# fw_no_library FILE.so: firmware that works here by the host's C library would not on a target.
fw_no_library() {
    local calls
    calls=$(nm -D --undefined-only "$1" | awk '{ sub(/@.*/, "", $2); print $2 }' |
        grep -vxE "$fw_host_symbols" | tr '\n' ' ') || true
    [ -z "$calls" ] || {
        rm -f -- "$1"
        die "it uses the C library, which targets do not have: $calls"
    }
}

# fw_find_sources DIR: sets the array fw_sources, in an order that is the same on any machine. Of
# this clone's own firmware neither the port to targets nor the template is part.
fw_find_sources() {
    [ -d "$1" ] || refuse "$1: no such folder; make one with scripts/new-firmware NAME"
    fw_sources=()
    local file folder
    folder=$(cd -- "$1" && pwd -P)
    while IFS= read -r file; do
        fw_sources+=("$file")
    done < <(find "$folder" -name '*.c' ! -path "$project_root/firmware/port/*" \
        ! -path "$project_root/firmware/template/*" ! -path "$folder/build/*" \
        ! -path "$folder/elf/*" | LC_ALL=C sort)
    [ ${#fw_sources[@]} -gt 0 ] || refuse "$1: no .c file in it; name the folder of the sources"
}
