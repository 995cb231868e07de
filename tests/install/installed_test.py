#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Below a prefix that is moved, and in Debian packages: what was installed runs by itself.

Usage: installed_test.py ROOT BUILD CASE
"""

import re

import case
from case import BUILD, ROOT, done, expect, refused, run

FAST = ["device/tiny", "--requests", "200", "--quiet"]


def install(d, *options):
    """A prefix that was moved after it was installed."""
    done("cmake", "--install", BUILD, "--prefix", d / "first", *options, cwd=d)
    (d / "first").rename(d / "moved")
    return d / "moved"


def runs_alone(prefix, d):
    """The program below this prefix, without anything of the clone."""
    program = prefix / "bin/ssdvp"
    done(program, "run", *FAST, "--out", d / "out", cwd=d)
    expect((d / "out/summary.json").is_file(), "no results")
    resolved = (d / "out/config.resolved.yaml").read_text()
    expect(str(ROOT) not in resolved, "the clone is in the results")
    expect(done(program, "check", "device/tiny", cwd=d) == "ok: tiny\n", "check")
    shown = done(program, "show", "workload/sqlite-ext4", "device/small", cwd=d)
    expect(f"{prefix}/share/ssdvp/configs/" in shown and str(ROOT) not in shown,
           "the presets are not those of the prefix")
    done(program, "check", "device/nvme-tlc", "workload/fat-mp3-single", cwd=d)  # with its trace


def case_prefix(d):
    prefix = install(d)
    runs_alone(prefix, d)
    replay = prefix / "bin/ssdvp_onfi_replay"
    if (BUILD / "bench/ssdvp_onfi_replay").exists():
        expect("onfi-trace" in done(replay, "--help", cwd=d), "replay")
    for path in ("share/man/man1/ssdvp.1", "share/bash-completion/completions/ssdvp",
                 "share/zsh/site-functions/_ssdvp", "share/doc/ssdvp/LICENSE",
                 "share/doc/ssdvp/docs/install.md", "share/ssdvp/configs/device/tiny.yaml"):
        expect((prefix / path).stat().st_size > 100, f"{path} is empty")
    # What names presets goes before what lies beside the program.
    (d / "mine/device").mkdir(parents=True)
    (d / "mine/device/own.yaml").write_text("description: mine\nflash: {channels: 2}\n")
    listed = done(prefix / "bin/ssdvp", "show", "--presets", cwd=d, SSDVP_CONFIGS=str(d / "mine"))
    expect(listed.split() == ["device/own", "mine"], f"SSDVP_CONFIGS has no effect: {listed}")


def case_no_presets(d):
    program = BUILD / "ssdvp"
    for words in (["run", *FAST], ["check", "device/tiny"], ["show", "--presets"]):
        refused(run(program, *words, cwd=d, SSDVP_CONFIGS="/none"),
                "SSDVP_CONFIGS names /none, which is no folder", "unset SSDVP_CONFIGS")
    # Without the sources that it was built from: at their place in the program stands another one.
    sources = f"{ROOT}/configs\0".encode()
    image = program.read_bytes()
    expect(sources in image, "the program does not know its sources")
    (d / "bin").mkdir()
    lost = d / "bin/ssdvp"
    nowhere = b"/nowhere".ljust(len(sources) - 9, b"_") + b"/configs\0"
    lost.write_bytes(image.replace(sources, nowhere))
    lost.chmod(0o755)
    for words in (["run", *FAST], ["check", "device/tiny"], ["show", "--presets"]):
        refused(run(lost, *words, cwd=d), "no folder of presets", f"{d}/share/ssdvp/configs",
                "install ssdvp anew", "SSDVP_CONFIGS")
    expect(not (d / "out").exists(), "a refused run left files")
    (d / "own.yaml").write_text("flash: {channels: 2}\n")  # needs no preset
    done(lost, "check", "own.yaml", cwd=d)
    expect(run(lost, "complete", "run", "dev", cwd=d).returncode == 0, "complete")


def case_kit(d):
    prefix = install(d)
    kit = prefix / "lib/ssdvp/kit"
    if not (kit / "build/release/tools/fwtime/fwtime").exists():
        expect(not (BUILD / "tools/fwtime/fwtime").exists(), "the kit lacks fwtime")
        return
    done(kit / "scripts/new-firmware", "demo", cwd=d)
    said = done("make", "run", cwd=d / "demo")
    expect("all as written" in said, f"the project does not run: {said}")
    expect((d / "demo/demo.so.timing").exists(), "built without timing")
    done(prefix / "bin/ssdvp", "run", *FAST, "--firmware", prefix / "lib/ssdvp/ssdvp_fw.so",
         "--out", d / "image", cwd=d)
    # Installations that are not whole.
    (prefix / "lib/ssdvp/ssdvp_fw.so.timing").unlink()
    refused(run(prefix / "bin/ssdvp", "run", *FAST, "--firmware",
                prefix / "lib/ssdvp/ssdvp_fw.so", cwd=d), "ssdvp_fw.so.timing", "no such file")
    (kit / "build/release/tools/fwtime/fwtime").unlink()
    refused(run(kit / "scripts/fw-build", d / "demo", cwd=d), "fwtime is missing",
            "ssdvp-firmware-kit")


def fields(package, d):
    """{"Depends": "...", ...} of a package."""
    text = done("dpkg-deb", "--field", package, cwd=d)
    return dict(line.split(": ", 1) for line in text.splitlines() if re.match(r"[\w-]+: ", line))


def case_deb(d):
    """The program's; ssdvp-firmware-kit, whose dependencies take longer, has scripts/package-check.
    Not compressed: xz takes its time."""
    done("cpack", "-G", "DEB", "-B", d, "--config", BUILD / "CPackConfig.cmake",
         "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=none",
         "-D", "CPACK_COMPONENTS_ALL=program;zsh_debian", cwd=d)
    package, = d.glob("*.deb")
    expect(re.fullmatch(r"ssdvp_[0-9.]+_[a-z0-9]+\.deb", package.name), package.name)
    about = fields(package, d)
    for library in ("libc6 (>=", "libsystemc", "libboost-json1.81", "libyaml-cpp0.7", "libssl3",
                    "libfmt9", "libspdlog1.10"):
        expect(library in about["Depends"], f"no dependency {library}: {about['Depends']}")
    expect("-dev" not in about["Depends"] and "llvm" not in about["Depends"], about["Depends"])
    listed = done("dpkg-deb", "--contents", package, cwd=d)
    for path in ("usr/bin/ssdvp", "usr/share/ssdvp/configs/device/tiny.yaml",
                 "usr/share/man/man1/ssdvp.1", "usr/share/bash-completion/completions/ssdvp",
                 "usr/share/zsh/vendor-completions/_ssdvp", "usr/share/doc/ssdvp/copyright"):
        expect(f"./{path}\n" in listed, f"{path} is missing")
    expect("ssdvp/kit" not in listed, "the kit is in the program's package")
    done("dpkg-deb", "-x", package, d / "root", cwd=d)
    runs_alone(d / "root/usr", d)


if __name__ == "__main__":
    case.main(globals())
