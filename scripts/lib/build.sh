# SPDX-License-Identifier: Apache-2.0
# Configures and builds a preset, "release" unless a script says otherwise. To be sourced, after
# common.sh.
# shellcheck shell=bash

preset=release

# use_preset NAME: before anything is built.
use_preset() {
    preset=$1
    build_dir=$project_root/build/$preset
}

# A build folder that was copied or moved with its sources still points at the old place.
drop_foreign_build() {
    local home
    [ -f "$build_dir/CMakeCache.txt" ] || return 0
    home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build_dir/CMakeCache.txt")
    if [ "$home" != "$project_root" ]; then
        say "build/$preset was configured for another folder: starting it anew."
        rm -rf -- "$build_dir"
    fi
}

configure() {
    local log=$build_dir/configure.log options=()
    drop_foreign_build
    mkdir -p -- "$build_dir"
    if command -v ccache >/dev/null 2>&1; then
        options+=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    fi
    [ -f "$build_dir/build.ninja" ] || say "Configuring build/$preset"
    # Presets are found in the current folder; options may be an empty array.
    if ! (cd -- "$project_root" &&
        cmake --preset "$preset" ${options[@]+"${options[@]}"} >"$log" 2>&1); then
        cat -- "$log" >&2
        die "CMake could not configure; the lines above are build/$preset/configure.log"
    fi
}

# build [TARGET...]: all targets when none is named. Quiet when nothing is to be done.
build() {
    local idle
    configure
    idle=$(ninja -C "$build_dir" -n "$@" 2>/dev/null | tail -n 1) || idle=
    case $idle in
        *"no work to do"*) return 0 ;;
    esac
    say "Building build/$preset (${*:-everything}) on $(cores) cores"
    ninja -C "$build_dir" -j "$(cores)" "$@" >&2 || die "the build failed"
}
