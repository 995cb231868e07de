# SPDX-License-Identifier: Apache-2.0
# A minimal Debian 12 in a folder, reached the way this machine reaches its packages. To be sourced.
# shellcheck shell=bash

fresh_suite=bookworm
fresh_cache=${XDG_CACHE_HOME:-$HOME/.cache}/ssdvp-fresh
proxy_variables=(http_proxy https_proxy ftp_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY)

# "URI SUITE" of each Debian archive of this machine that serves the suite, or nothing.
apt_archives() {
    local uri release component
    # shellcheck disable=SC2016
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        sort -u |
        while read -r uri release component; do
            [ "$component" = main ] || continue
            case $release in
                "$fresh_suite" | "$fresh_suite"-updates | "$fresh_suite"-security)
                    printf '%s %s\n' "$uri" "$release"
                    ;;
            esac
        done
}

# debootstrap downloads by itself: it gets apt's proxy by the usual variable.
export_apt_proxy() {
    local name value
    for name in http https; do
        value=$(apt-config dump | sed -n "s/^Acquire::$name::Proxy \"\(.*\)\";/\1/p")
        [ -z "$value" ] || [ "$value" = DIRECT ] || export "${name}_proxy=$value"
    done
}

# make_base TAR: the minimal system as an archive, made anew when it is older than a week.
make_base() {
    local tar=$1 folder=$2 mirror
    if [ -n "$(find "$tar" -mtime -7 2>/dev/null)" ]; then
        say "Base system: $(basename -- "$tar") of $(date -r "$tar" +%F)"
        return 0
    fi
    mirror=$(apt_archives | sed -n "s/ $fresh_suite\$//p" | head -n 1)
    say "Base system: debootstrap of $fresh_suite (minbase)"
    mkdir -p -- "$(dirname -- "$tar")"
    export_apt_proxy
    debootstrap --variant=minbase "$fresh_suite" "$folder" ${mirror:+"$mirror"} \
        >"$tar.log" 2>&1 || { tail -n 20 "$tar.log" >&2; die "debootstrap failed"; }
    rm -f -- "$folder"/var/cache/apt/archives/*.deb
    tar -C "$folder" --one-file-system -cf "$tar.new" .
    mv -- "$tar.new" "$tar"
    find "$folder" -xdev -mindepth 1 -delete
}

# How this machine reaches packages: archives, proxy and tolerances of apt, certificates, names.
copy_network_setup() {
    local root=$1 archives
    archives=$(apt_archives)
    [ -z "$archives" ] || sed 's/^/deb /; s/$/ main/' <<<"$archives" >"$root/etc/apt/sources.list"
    apt-config dump |
        grep -E '^Acquire::(https?|ftp|Check-|Retries|ForceIPv|AllowInsecure|AllowWeak)' |
        grep -v 'Proxy-Auto-Detect' >"$root/etc/apt/apt.conf.d/90host" || true
    if [ -f /etc/ssl/certs/ca-certificates.crt ]; then
        mkdir -p "$root/etc/ssl/certs" "$root/usr/local/share/ca-certificates"
        cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
        [ ! -d /usr/local/share/ca-certificates ] ||
            cp -rL /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/"
    fi
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null || true
    [ ! -f /etc/pip.conf ] || cp -L /etc/pip.conf "$root/etc/" # for generate-registers
}

mount_into() {
    local root=$1
    mount -t proc proc "$root/proc"
    mount --rbind --make-rslave /dev "$root/dev"
    # Downloads are kept between runs; what is installed is not.
    mkdir -p "$fresh_cache/archives/partial"
    mount --bind "$fresh_cache/archives" "$root/var/cache/apt/archives"
}

# Unmounts everything below ROOT, innermost first; fails when something stays.
unmount_below() {
    local root=$1 point
    while read -r point; do
        umount -- "$point" 2>/dev/null || umount -l -- "$point" || true
    done < <(awk -v root="$root/" 'index($2, root) == 1 { print $2 }' /proc/self/mounts | tac)
    ! awk '{ print $2 }' /proc/self/mounts | grep -qF "$root/"
}

# in_root ROOT COMMAND...: with a plain environment, and the proxy variables of this one.
in_root() {
    local root=$1 name variables=()
    shift
    for name in "${proxy_variables[@]}"; do
        [ -z "${!name:-}" ] || variables+=("$name=${!name}")
    done
    chroot "$root" env -i HOME=/tmp PATH=/usr/sbin:/usr/bin:/sbin:/bin \
        ${variables[@]+"${variables[@]}"} "$@"
}

# need_root PROGRAM ARG...: runs PROGRAM again by sudo when it does not run as root.
need_root() {
    if [ "$(id -u)" -ne 0 ]; then
        exec sudo --preserve-env="XDG_CACHE_HOME,HOME" -- "$@"
    fi
    local tool
    for tool in debootstrap git chroot; do
        command -v "$tool" >/dev/null || die "$tool is missing (apt-get install debootstrap git)"
    done
}

# make_root: sets root to an empty folder, which is left as leave_root says, with `keep` and
# `finished` as the script has set them by then.
make_root() {
    root=$(mktemp -d "${TMPDIR:-/tmp}/ssdvp-fresh.XXXXXX")
    trap leave_root EXIT
    trap 'exit 130' INT TERM
    chmod 755 "$root"
}

leave_root() {
    local code=$?
    trap - EXIT INT TERM
    if ! unmount_below "$root"; then
        say "Something is still mounted below $root: left as it is."
    elif [ "${keep:-no}" = yes ]; then
        say "Kept: $root"
    else
        rm -rf --one-file-system -- "$root"
    fi
    [ "${finished:-no}" = yes ] || [ "$code" -eq 0 ] || echo "FAIL"
    exit "$code"
}

# fill_root: a minimal system in it, whose apt reaches what this one reaches.
fill_root() {
    make_base "$(base_tar)" "$root"
    tar -C "$root" -xf "$(base_tar)"
    copy_network_setup "$root"
    mount_into "$root"
}

base_tar() { printf '%s\n' "$fresh_cache/base-$fresh_suite-$(dpkg --print-architecture).tar"; }
