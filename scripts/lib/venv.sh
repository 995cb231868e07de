# SPDX-License-Identifier: Apache-2.0
# Python packages from PyPI, in a venv of their own. To be sourced, after common.sh.
# shellcheck shell=bash

# python_venv VENV REQUIREMENTS: makes it, unless it is as the requirements say; it is kept as long
# as they and its Python are those of today. One process makes it; others, as tests that run at a
# time do, wait for it. Returns 1, and says why, when that cannot be done.
python_venv() {
    local venv=$1 requirements=$2 log=$1.log result=0
    mkdir -p -- "${venv%/*}"
    exec 9>"$venv.lock"
    flock 9
    make_venv "$venv" "$requirements" "$log" || result=1
    exec 9>&-
    return "$result"
}

make_venv() {
    local venv=$1 requirements=$2 log=$3
    if [ -x "$venv/bin/python" ] && cmp -s -- "$requirements" "$venv/requirements.txt"; then
        return 0
    fi
    rm -rf -- "$venv"
    say "Installing the Python packages of ${requirements#"$project_root/"}"
    if ! python3 -m venv "$venv" >"$log" 2>&1; then
        cat -- "$log" >&2
        say "python3 made no venv. As root: apt-get install python3-venv"
        return 1
    fi
    if ! "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
        --requirement "$requirements" >>"$log" 2>&1; then
        cat -- "$log" >&2
        rm -rf -- "$venv"
        say "PyPI gave no packages (offline?)."
        return 1
    fi
    cp -- "$requirements" "$venv/requirements.txt"
}
