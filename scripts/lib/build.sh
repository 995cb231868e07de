# SPDX-License-Identifier: Apache-2.0
# Configures and builds a preset, "release" unless a script says otherwise. To be sourced, after
# common.sh.
# shellcheck shell=bash

preset=release
all_tests=OFF

# use_preset NAME: before anything is built.
use_preset() {
    preset=$1
    build_dir=$project_root/build/$preset
}

# need_all_tests: before anything is built; a test that CMake would leave out is an error.
need_all_tests() { all_tests=ON; }

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

# configuration OPTION...: what a configuration depends on, but for what ninja itself watches:
# options, presets, packages that were installed since, files that the firmware gained or lost.
configuration() {
    printf '%s\n' "$project_root" "$@"
    cat -- "$project_root/CMakePresets.json"
    stat -c 'packages of %y' /var/lib/dpkg/status 2>/dev/null || true
    (cd -- "$project_root" && find firmware -name '*.c' | LC_ALL=C sort)
}

# Nothing is done when nothing has changed: CMake takes many seconds. A folder that has all tests
# will do where not all are needed.
configure() {
    local log=$build_dir/configure.log stamp=$build_dir/configured options=() wanted have
    drop_foreign_build
    mkdir -p -- "$build_dir"
    if command -v ccache >/dev/null 2>&1; then
        options+=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    fi
    wanted=$(configuration ${options[@]+"${options[@]}"})
    have=$(cat -- "$stamp" 2>/dev/null) || have=
    if [ -f "$build_dir/build.ninja" ] && [ -f "$build_dir/CMakeCache.txt" ]; then
        case $have in
            "$wanted"$'\n'"$all_tests" | "$wanted"$'\n'ON) return 0 ;;
        esac
    else
        say "Configuring build/$preset"
    fi
    rm -f -- "$stamp"
    options+=("-DSSDVP_ALL_TESTS=$all_tests")
    # Presets are found in the current folder.
    if ! (cd -- "$project_root" &&
        cmake --preset "$preset" "${options[@]}" >"$log" 2>&1); then
        cat -- "$log" >&2
        die "CMake could not configure; the lines above are build/$preset/configure.log"
    fi
    printf '%s\n%s\n' "$wanted" "$all_tests" >"$stamp"
}

# Has anything to be made of TARGET...? Which sources there are is looked at each time, so a dry run
# of build.ninja always ends with CMake. Under another name ninja knows no rule for the rules.
is_idle() {
    local last
    ninja -C "$build_dir" build.ninja >/dev/null 2>&1 || return 1
    ln -sf build.ninja "$build_dir/idle.ninja"
    last=$(ninja -C "$build_dir" -f idle.ninja -n "$@" 2>/dev/null | tail -n 1) || return 1
    [[ $last == *"no work to do"* ]]
}

# build [TARGET...]: all targets when none is named. Quiet when nothing is to be done.
build() {
    configure
    ! is_idle "$@" || return 0
    say "Building build/$preset (${*:-everything}) on $(cores) cores"
    ninja -C "$build_dir" -j "$(cores)" "$@" >&2 || die "the build failed"
}
