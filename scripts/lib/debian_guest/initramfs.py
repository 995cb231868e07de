# SPDX-License-Identifier: Apache-2.0
"""The first root file system of a guest: unpacked packages, kernel modules, a script of ours."""
import dataclasses
import pathlib
import re
import shutil
import typing

from .failure import Failure
from .packages import Packages, merge, output


@dataclasses.dataclass(frozen=True)
class Root:
    """What a guest has: `packages` as they are installed, kernel `modules`, `files` (path -> text,
    /init among them), `copies` (path -> file of the host, as text). `sources`: source packages, as
    /sources/PACKAGE.tar.gz. `tree`: packages that lie with their dependencies in /tree. `deep`:
    packages come with their dependencies. `programs`: path and package of programs that come
    with the libraries they load, but not with the rest of what their packages depend on."""
    packages: typing.Tuple[str, ...]
    modules: typing.Tuple[str, ...]
    files: typing.Dict[str, str]
    sources: typing.Tuple[str, ...] = ()
    tree: typing.Tuple[str, ...] = ()
    deep: bool = False
    programs: typing.Tuple[typing.Tuple[str, str], ...] = ()
    copies: typing.Tuple[typing.Tuple[str, str], ...] = ()


def depends_of(module: pathlib.Path) -> typing.List[str]:
    """The modules that a module names in its section .modinfo."""
    found = re.search(rb"\0depends=([^\0]*)\0", module.read_bytes())
    return [name for name in found[1].decode().split(",") if name] if found else []


def in_order(kernel: pathlib.Path, wanted: typing.Iterable[str]) -> typing.List[pathlib.Path]:
    """The modules wanted and what they need, each after its dependencies."""
    known = {path.stem.replace("-", "_"): path for path in kernel.rglob("*.ko")}
    order: typing.Dict[str, pathlib.Path] = {}

    def add(name: str) -> None:
        name = name.replace("-", "_")
        if name not in known:
            raise Failure(f"the kernel package has no module {name}: another kernel version?")
        if name not in order:
            for needed in depends_of(known[name]):
                add(needed)
            order.setdefault(name, known[name])

    for name in wanted:
        add(name)
    return list(order.values())


# Libraries whose packages are not called after them.
PACKAGES = {"libz.so.1": "zlib1g", "libm.so.6": "libc6", "libcrypto.so.3": "libssl3"}


def unlikely(package: str, name: str) -> typing.Tuple[bool, bool]:
    """Sorts packages: first the one that Debian policy 8.1 calls by the library's soname, then
    those whose names begin as it does."""
    stem, _, version = name.lower().replace("_", "-").partition(".so")
    version = version.lstrip(".")
    policy = stem + ("-" if stem[-1:].isdigit() and version else "") + version
    return package != PACKAGES.get(name, policy), not package.startswith(stem)


class Libraries:
    """Libraries in the packages that `package` depends on; fetches as few of them as it can."""

    def __init__(self, packages: Packages, package: str):
        self.packages, self.known = packages, {}
        self.left = packages.closure((package,))
        self.tree = self.take(package)

    def take(self, package: str) -> pathlib.Path:
        self.left.remove(package)
        tree = self.packages.unpacked(package)
        found = {file.name: file for file in tree.rglob("*.so*") if not file.is_dir()}
        self.known.update(found)
        return tree

    def find(self, name: str) -> typing.Optional[pathlib.Path]:
        while name not in self.known and self.left:
            self.take(min(self.left, key=lambda package: unlikely(package, name)))
        return self.known.get(name)


def add_program(into: pathlib.Path, packages: Packages, path: str, package: str) -> None:
    """A program, and the libraries that it and they name as needed."""
    libraries = Libraries(packages, package)
    start = libraries.tree / path
    if not start.is_file():
        raise Failure(f"package {package} has no {path}: another version of Debian?")
    wanted, done = [(start, into / path)], set()
    while wanted:
        file, to = wanted.pop()
        if file.name in done:
            continue
        done.add(file.name)
        if not to.exists():
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, to)  # what a link of this name points to
        for name in re.findall(r"NEEDED +(\S+)", output(["objdump", "-p", str(file)])):
            if name.startswith("ld-linux"):
                continue
            library = libraries.find(name)
            if library is None:
                raise Failure(f"{file.name} needs {name}, which no package it depends on has")
            wanted.append((library, into / "usr/lib/x86_64-linux-gnu" / name))


def unpack(root: Root, packages: Packages, kernel: pathlib.Path, into: pathlib.Path) -> None:
    """Puts the root file system into a folder that is not there yet."""
    for name in ("modules", "sources"):
        (into / name).mkdir(parents=True)
    wanted = packages.closure(root.packages) if root.deep else root.packages
    merge(into, packages.all_unpacked(dict.fromkeys(("busybox-static", *wanted))))
    if root.tree:
        merge(into / "tree", packages.all_unpacked(packages.closure(root.tree)))
    for source in root.sources:
        shutil.copy(packages.source(source), into / "sources" / f"{source}.tar.gz")
    for path, package in root.programs:
        add_program(into, packages, path, package)
    for path, source in root.copies:
        (into / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, into / path)
    modules = in_order(kernel, root.modules)
    for module in modules:
        shutil.copy(module, into / "modules" / module.name)
    texts = {"modules/order": "\n".join(m.stem for m in modules) + "\n", **root.files}
    for name, text in texts.items():
        path = into / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755 if text.startswith("#!") else 0o644)


def pack(root: Root, packages: Packages, kernel: pathlib.Path,
         folder: pathlib.Path) -> pathlib.Path:
    """The initramfs as QEMU takes it, in `folder`."""
    unpacked = folder / "root"
    shutil.rmtree(unpacked, ignore_errors=True)
    unpack(root, packages, kernel, unpacked)
    packed = folder / "initramfs"
    output(["sh", "-c", "cd \"$1\" && find . | LC_ALL=C sort | "
            "cpio -o -H newc -R 0:0 --quiet | gzip -1 >\"$2\"", "sh", str(unpacked),
            str(packed)])
    shutil.rmtree(unpacked)
    return packed
