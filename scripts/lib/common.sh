# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts: where the project is, how they speak. To be sourced.
# shellcheck shell=bash

project_root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
build_dir=$project_root/build/release

# People's messages go to stderr: stdout belongs to what the script is asked for.
say() { printf '%s\n' "$*" >&2; }

die() {
    say "$(basename -- "$0"): $*"
    exit 1
}

cores() { nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1; }
