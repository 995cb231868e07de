# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that are missing. To be sourced, after common.sh.
# shellcheck shell=bash

packages_file=$project_root/scripts/lib/packages.txt
# shellcheck disable=SC2034
run_groups=(build report) # of scripts/run
# shellcheck disable=SC2034
test_groups=(build test plot guest) # of scripts/test

# "PACKAGE WHY" for each package of the groups named.
packages_of() {
    local group package why
    while read -r group package why; do
        case " $* " in
            *" $group "*) printf '%s %s\n' "$package" "$why" ;;
        esac
    done < <(grep -Ev '^[[:space:]]*(#|$)' "$packages_file")
}

# The lines of packages_of whose package is not installed. One question to dpkg, no network.
missing_packages() {
    local wanted installed package why
    wanted=$(packages_of "$@")
    # dpkg-query returns 1 when it does not know one of the names: that is an answer, not an error.
    # shellcheck disable=SC2046
    installed=$(dpkg-query -W -f '${db:Status-Abbrev}|${Package}\n' \
        $(cut -d' ' -f1 <<<"$wanted") 2>/dev/null || true)
    while read -r package why; do
        grep -qxE "[a-z]i *\|${package//+/\\+}" <<<"$installed" ||
            printf '%s %s\n' "$package" "$why"
    done <<<"$wanted"
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    else
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

# install_packages GROUP...: nothing is said and nothing is run when all is there.
install_packages() {
    local missing package why names=()
    if ! command -v dpkg-query >/dev/null 2>&1; then
        say "This system has no dpkg: install the equivalents of scripts/lib/packages.txt yourself."
        return 0
    fi
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0

    say "Missing Debian packages, and what each is for:"
    while read -r package why; do
        names+=("$package")
        say "$(printf '  %-28s %s' "$package" "$why")"
    done <<<"$missing"
    if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null 2>&1; then
        die "not root, and no sudo here. As root: apt-get install ${names[*]}"
    fi
    say "Installing them by apt-get$([ "$(id -u)" -eq 0 ] || echo ', through sudo')."
    # Stale lists may still do: the installation itself tells.
    as_root apt-get update -q >&2 || say "apt-get update failed: going on with the lists at hand."
    as_root apt-get install -y -q -o Dpkg::Use-Pty=0 --no-install-recommends \
        "${names[@]}" >&2 </dev/null ||
        die "apt-get could not install: ${names[*]}"
}
