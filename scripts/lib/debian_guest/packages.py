# SPDX-License-Identifier: Apache-2.0
"""Debian packages for the guest: fetched and unpacked, never installed."""
import os
import pathlib
import re
import shutil
import subprocess
import typing

from .failure import Failure, Unavailable

# Debian 12 has merged these into usr/; its packages still name them at the top.
MERGED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
KERNEL = "linux-image-amd64"  # names the package of the current kernel
SUITE = "bookworm"
UNUSED = ("usr/share/locale", "usr/share/doc", "usr/share/man",
          "usr/lib/x86_64-linux-gnu/gconv")


def output(command: typing.Sequence[str], cwd: typing.Optional[pathlib.Path] = None) -> str:
    """What a program prints, in English. One that fails ends the program with its message."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False,
                          env={**os.environ, "LC_ALL": "C"})
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr.strip()}")
    return done.stdout


def kernel_package() -> str:
    """linux-image-amd64 is empty: the kernel is in the package it depends on."""
    try:
        told = output(["apt-cache", "depends", KERNEL])
    except Failure:  # it does not know the name
        told = ""
    found = re.search(r"Depends: (linux-image-\S+)", told)
    if not found:
        raise Unavailable(f"apt knows no {KERNEL}: add Debian 12 (bookworm) main to its sources "
                          "and run apt-get update")
    return found[1]


def archives() -> typing.List[str]:
    """Addresses of the archives from which this machine's apt takes Debian 12; apt checks their
    signatures."""
    told = output(["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)",
                   "Created-By: Packages"])
    found = sorted({line.split()[0] for line in told.splitlines()
                    if line.split()[1:] == [SUITE, "main"]})
    if not found:
        raise Unavailable(f"apt has no archive of Debian 12: add {SUITE} main to its sources and "
                          "run apt-get update")
    return found


class Packages:
    """Packages unpacked below `folder`; what is there is not fetched again."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        self.versions: typing.Dict[str, str] = {}
        folder.mkdir(parents=True, exist_ok=True)

    def archive(self, package: str) -> pathlib.Path:
        found = sorted(self.folder.glob(f"{package}_*.deb"))
        if not found:
            try:
                output(["apt-get", "download", "-qq", package], self.folder)
            except Failure as failure:
                raise Unavailable(f"apt cannot deliver {package}: run apt-get update, or put its "
                                  f".deb into {self.folder}\n{failure}") from failure
            found = sorted(self.folder.glob(f"{package}_*.deb"))
        return found[-1]

    def unpacked(self, package: str) -> pathlib.Path:
        """The folder with the package's files."""
        archive = self.archive(package)
        self.versions[package] = output(["dpkg-deb", "-f", str(archive), "Version"]).strip()
        into = self.folder / archive.stem
        if not into.is_dir():
            unfinished = into.with_suffix(".part")
            shutil.rmtree(unfinished, ignore_errors=True)
            output(["dpkg-deb", "-x", str(archive), str(unfinished)])
            unfinished.rename(into)
        return into

    def fetch(self, packages: typing.Sequence[str]) -> None:
        """Those that are missing, at once: apt needs a second for each call. What it cannot deliver
        archive() names."""
        missing = [name for name in packages if not list(self.folder.glob(f"{name}_*.deb"))]
        if missing:
            subprocess.run(["apt-get", "download", "-qq", *missing], cwd=self.folder, check=False,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def all_unpacked(self, packages: typing.Iterable[str]) -> typing.List[pathlib.Path]:
        packages = list(packages)
        self.fetch(packages)
        return [self.unpacked(package) for package in packages]

    def source(self, package: str) -> pathlib.Path:
        """The upstream tar archive of a Debian source package. apt's own lists of sources are left
        alone: a small set of lists is kept in the folder."""
        found = sorted(self.folder.glob(f"{package}_*.orig.tar.gz"))
        if found:
            return found[-1]
        lists = self.folder / "sources"
        for name in ("state/lists/partial", "cache/archives/partial"):
            (lists / name).mkdir(parents=True, exist_ok=True)
        listing = lists / "sources.list"
        listing.write_text("".join(f"deb-src {archive} {SUITE} main\n" for archive in archives()),
                           encoding="utf-8")
        apt = ["apt-get", "-qq", "-o", f"Dir::Etc::sourcelist={listing}",
               "-o", "Dir::Etc::sourceparts=/dev/null", "-o", f"Dir::State={lists}/state",
               "-o", f"Dir::Cache={lists}/cache"]
        output([*apt, "update"])
        output([*apt, "source", "--download-only", package], self.folder)
        found = sorted(self.folder.glob(f"{package}_*.orig.tar.gz"))
        if not found:
            raise Failure(f"apt cannot deliver the source of {package}: put its .orig.tar.gz into "
                          f"{self.folder}")
        return found[-1]

    def closure(self, packages: typing.Iterable[str]) -> typing.List[str]:
        """The packages with all they depend on, as apt would install them on an empty system."""
        told = output(["apt-get", "-s", "-qq", "--no-install-recommends", "-o",
                       "Dir::State::status=/dev/null", "install", *packages])
        return sorted(re.findall(r"^Inst (\S+)", told, re.MULTILINE))


def merge(root: pathlib.Path, trees: typing.Iterable[pathlib.Path]) -> None:
    """Copies unpacked packages into a root file system whose /bin, /lib ... are links."""
    root.mkdir(parents=True, exist_ok=True)
    for name in MERGED:
        (root / "usr" / name).mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(f"usr/{name}")
    for tree in trees:
        for top in tree.iterdir():
            into = root / "usr" / top.name if top.name in MERGED else root / top.name
            shutil.copytree(top, into, symlinks=True, dirs_exist_ok=True)
    for name in UNUSED:
        shutil.rmtree(root / name, ignore_errors=True)
