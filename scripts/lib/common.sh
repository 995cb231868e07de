# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts: where the project is, how they speak. To be sourced.
# shellcheck shell=bash

project_root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
build_dir=$project_root/build/release

# What other programs say is read, here and by tests: in English, whatever the user's language.
export LC_ALL=C.UTF-8
unset LANGUAGE

# People's messages go to stderr: stdout belongs to what the script is asked for.
say() { printf '%s\n' "$*" >&2; }

die() {
    say "$(basename -- "$0"): $*"
    exit 1
}

# What was asked for makes no sense.
refuse() {
    say "$(basename -- "$0"): error: $*"
    exit 2
}

# usage: the comment at the head of the script, to stdout.
usage() { sed -n '4,$ { /^#/!q; s/^# \{0,1\}//p; }' "${BASH_SOURCE[-1]}"; }

# answer_help ARG...: before anything is installed or built.
answer_help() {
    local arg
    for arg in "$@"; do
        case $arg in
            -h | --help)
                usage
                exit 0
                ;;
        esac
    done
}

# Where the Python programs behind the scripts are.
python_path=$project_root/scripts/lib:$project_root/papers

# check_arguments COMMAND...: a Python program looks at its arguments, where there is a Python yet.
check_arguments() {
    ! command -v "$1" >/dev/null || PYTHONPATH=$python_path "$@" || exit
}

# know_options ARG...: refuses options that the usage does not name.
know_options() {
    local arg name text
    text=$(usage)
    for arg in "$@"; do
        name=${arg%%=*}
        [[ $name != -* || $name =~ ^-[0-9]*$ ||
            $text =~ (^|[^A-Za-z0-9-])"$name"([^A-Za-z0-9-]|$) ]] ||
            refuse "unknown option $name; see $0 --help"
    done
}

cores() { nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1; }

# Tests at a time: one more than cores, for a third of them waits for a guest, a browser or a disk.
test_jobs() { echo $(($(cores) + 1)); }
