#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A wheel, of the program as it is built, in an environment of its own: runs, report, sweep; what
is said where something of it is missing.

Usage: wheel_test.py ROOT BUILD CASE
"""
import pathlib
import re
import shutil
import sys
import sysconfig
import tomllib
import zipfile

import case
from case import BUILD, ROOT, done, expect, refused, run

PACKAGES = sysconfig.get_path("purelib")  # of python/requirements.txt
SPACE = """config: device/tiny
options: {requests: 200}
keys: {flash.channels: [1, 2]}
"""


def make(d):
    """Path of the wheel."""
    done(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation",
         "--disable-pip-version-check", "--no-index", "--wheel-dir", d,
         "--config-settings", f"build-dir={d}/wheel",
         "--config-settings", f"cmake.define.SSDVP_BUILT={BUILD}", ROOT, cwd=d)
    wheels = list(d.glob("ssdvp-*-py3-none-linux_*.whl"))
    expect(len(wheels) == 1, wheels)
    return wheels[0]


def install(wheel, d):
    """The folder of commands of an environment that has nothing else."""
    done(sys.executable, "-m", "venv", "--without-pip", d / "venv", cwd=d)
    done(sys.executable, "-m", "pip", "--python", d / "venv/bin/python", "install", "--quiet",
         "--no-deps", "--no-index", "--disable-pip-version-check", wheel, cwd=d)
    return d / "venv/bin"


def declared():
    """What pyproject.toml depends on, without versions."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = project["dependencies"] + sum(project["optional-dependencies"].values(), [])
    return {name_of(name) for name in names}


def name_of(requirement):
    return re.match(r"[\w-]*", requirement)[0]


def case_wheel(d):
    pinned = set(map(name_of, (ROOT / "python/requirements.txt").read_text().splitlines()))
    others = declared() - pinned
    expect(others == {"plotly", "ssdvp"}, f"not in requirements.txt: {others}")  # plotly: Debian's
    wheel = make(d)
    names = zipfile.ZipFile(wheel).namelist()
    expect(not [n for n in names if "__pycache__" in n or n.startswith(("docs", "tests"))], names)
    bin_folder = install(wheel, d)
    commands(bin_folder, d)
    libraries(bin_folder, d)
    python(bin_folder, d)
    broken(bin_folder, d)


def commands(place, d):
    (d / "space.yaml").write_text(SPACE)
    (d / "sought.yaml").write_text(SPACE + "optimise: {objectives: {host.read.iops: maximise}}\n")
    version = re.search(r"project\(ssdvp VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    expect(done(place / "ssdvp", "--version", cwd=d) == f"ssdvp {version[1]}\n", "version")
    done(place / "ssdvp", "run", "device/tiny", "--requests", "200", "--quiet", "--out", d / "out",
         cwd=d)
    refused(run(place / "ssdvp", "run", "nonsense", cwd=d), "no preset of that name below",
            "_program/share/ssdvp/configs")
    page = done(place / "ssdvp-report", d / "out", cwd=d).strip()
    expect(pathlib.Path(page).stat().st_size > 100_000, page)
    expect("usage: ssdvp-report" in done(place / "ssdvp-report", "--help", cwd=d), "help")
    page = done(place / "ssdvp-sweep", "space.yaml", "--quiet", cwd=d, PYTHONPATH=PACKAGES).strip()
    expect((d / page).exists() and (d / "out/sweep/results.parquet").exists(), page)
    done(place / "ssdvp-optimise", "--help", cwd=d, PYTHONPATH=PACKAGES)
    # With what the package needs, but without the part for sweeps.
    (d / "few").mkdir()
    for name in ("yaml", "pandas", "numpy", "numpy.libs", "dateutil", "six.py", "tqdm"):
        (d / "few" / name).symlink_to(pathlib.Path(PACKAGES) / name)
    few = {"cwd": d, "PYTHONPATH": str(d / "few")}
    done(place / "ssdvp-sweep", "space.yaml", "--quiet", "--out", "few-sweep", **few)
    expect((d / "few-sweep/results.csv").exists(), "a sweep's table without pyarrow")
    refused(run(place / "ssdvp-optimise", "sought.yaml", "--quiet", "--out", "none", **few),
            "is not installed", "pip install 'ssdvp[explore]'")


def libraries(place, d):
    """Those that Debian's packages bring come along, and are the ones that are loaded."""
    program = done(place / "python", "-c", "import ssdvp.program as p; print(p.path())",
                   cwd=d).strip()
    expect(program.startswith(str(d / "venv")), program)
    for line in done("ldd", program, cwd=d).splitlines():
        name, _, path = line.strip().partition(" => ")
        compilers = re.match(r"(/lib64/ld-|linux-vdso|lib(c|m|gcc_s|stdc\+\+)\.so)", name)
        expect(compilers or "/_program/bin/../lib/ssdvp/" in path, f"not of the wheel: {line}")


def python(place, d):
    """Imported in less than 0.3 s: the best of three, for the machine does other things, too."""
    text = "import time; t = time.perf_counter(); import ssdvp; print(time.perf_counter() - t)"
    times = [float(done(place / "python", "-c", text, cwd=d)) for _ in range(3)]
    expect(min(times) < 0.3, times)
    text = "import ssdvp; r = ssdvp.run('device/tiny', requests=100); print(r.seed, r.to_report())"
    said = done(place / "python", "-c", text, cwd=d)
    expect(re.match(r"1 \S+report.html", said), said)


def broken(place, d):
    program = next((d / "venv").rglob("_program"))
    shutil.rmtree(program / "share")
    refused(run(place / "ssdvp", "check", "device/tiny", cwd=d), "configs is missing",
            "pip install --force-reinstall ssdvp")
    (program / "bin/ssdvp").unlink()
    refused(run(place / "ssdvp", "--version", cwd=d), "bin/ssdvp is missing", "--force-reinstall")
    shutil.rmtree(program)
    refused(run(place / "ssdvp", "--version", cwd=d, PATH=f"{place}:/usr/bin:/bin"),
            "the program ssdvp is not here", "docs/install.md")
    refused(run(place / "ssdvp", "--version", cwd=d, SSDVP="/none"), "$SSDVP names /none")


if __name__ == "__main__":
    case.main(globals())
