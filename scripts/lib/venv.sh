# SPDX-License-Identifier: Apache-2.0
# Python packages from PyPI, in a venv of their own. To be sourced, after common.sh.
# shellcheck shell=bash

# python_venv VENV REQUIREMENTS [MORE]: makes it, unless it is as the requirements say; it is kept
# as long as they and its Python are those of today. MORE are requirements on top, which others that
# use the same venv need not know of. One process makes it; others, as tests that run at a time do,
# wait for it. Returns 1, and says why, when that cannot be done.
python_venv() {
    local venv=$1 log=$1.log result=0
    mkdir -p -- "${venv%/*}"
    exec 9>"$venv.lock"
    flock 9
    make_venv "$venv" "$2" "$log" || result=1
    if [ "$result" -eq 0 ] && [ $# -gt 2 ]; then
        add_packages "$venv" "$3" "$venv/more.txt" "$log" || result=1
    fi
    exec 9>&-
    return "$result"
}

make_venv() {
    local venv=$1 requirements=$2 log=$3
    if [ -x "$venv/bin/python" ] && cmp -s -- "$requirements" "$venv/requirements.txt"; then
        return 0
    fi
    rm -rf -- "$venv"
    if ! python3 -m venv "$venv" >"$log" 2>&1; then
        cat -- "$log" >&2
        say "python3 made no venv. As root: apt-get install python3-venv"
        return 1
    fi
    if ! add_packages "$venv" "$requirements" "$venv/requirements.txt" "$log"; then
        rm -rf -- "$venv"
        return 1
    fi
}

# add_packages VENV REQUIREMENTS KEPT LOG: unless KEPT, their copy, says that they are there.
add_packages() {
    local venv=$1 requirements=$2 kept=$3 log=$4
    if cmp -s -- "$requirements" "$kept"; then
        return 0
    fi
    say "Installing the Python packages of ${requirements#"$project_root/"}"
    if ! "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
        --requirement "$requirements" >>"$log" 2>&1; then
        cat -- "$log" >&2
        say "PyPI gave no packages (offline?)."
        return 1
    fi
    cp -- "$requirements" "$kept"
}
