#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The programs in scripts/ before and around what they build: help, wrong arguments, what a run of
the tests says at its end, when CMake configures.

Usage: scripts_test.py ROOT SSDVP_POWERCUT CASE"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT, POWERCUT = pathlib.Path(sys.argv[1]), sys.argv[2]
# None of them may be called by a script that only answers. A bare system has no Python either.
TRAPS = ("apt", "apt-cache", "apt-get", "c++", "cc", "ccache", "clang-14", "cmake", "ctest",
         "curl", "debootstrap", "dpkg-query", "g++", "gcc", "git", "make", "ninja", "pip",
         "python3", "sudo")
# Their ARGS go to a program that has to be built first.
PASS_ON = {"run", "guest"}


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def programs():
    everything = sorted((ROOT / "scripts").rglob("*"))
    found = [p for p in everything if p.is_file() and os.access(p, os.X_OK)]
    expect(len(found) >= 15, f"{len(found)} programs in {ROOT / 'scripts'}")
    return found


def fake(folder, name, body):
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


class Trapped:
    """An environment in which `called` tells who was called of TRAPS."""

    def __init__(self, d):
        self.log = d / "called"
        folder = d / "traps"
        folder.mkdir()
        for name in TRAPS:
            fake(folder, name, f'echo {name} >>"{self.log}"; exit 1')
        self.path = f"{folder}:{os.environ['PATH']}"

    def run(self, *words, cwd):
        self.log.write_text("")
        return subprocess.run([*map(str, words)], cwd=cwd, stdin=subprocess.DEVNULL,
                              env={"PATH": self.path, "HOME": str(cwd)}, capture_output=True,
                              text=True, timeout=30, check=False)

    def called(self):
        return self.log.read_text().split()


def case_help(d):
    """Every script answers --help and -h, and does nothing else."""
    trapped = Trapped(d)
    for program in programs():
        answers = []
        for words in (["--help"], ["-h"], ["x", "--help"]):
            done = trapped.run(program, *words, cwd=d)
            what = f"{program.name} {' '.join(words)}: exit {done.returncode}: {done.stderr}"
            expect(done.returncode == 0 and done.stderr == "", what)
            expect(str(program.relative_to(ROOT)) in done.stdout, f"{program.name}: no usage")
            expect(not trapped.called(), f"{program.name} has called {trapped.called()}")
            expect(not done.stdout.startswith("#") and "\n#" not in done.stdout, done.stdout)
            answers.append(done.stdout)
        expect(len(set(answers)) == 1, f"{program.name}: different answers")


def case_arguments(d):
    """What makes no sense is refused before anything is installed, and the message says why."""
    trapped = Trapped(d)

    def refused(name, *words, says, calls=()):
        done = trapped.run(ROOT / "scripts" / name, *words, cwd=d)
        expect(done.returncode == 2, f"{name} {words}: exit {done.returncode}: {done.stderr}")
        expect(says in done.stderr, f"{name} {words}: {done.stderr}")
        expect(set(trapped.called()) <= set(calls), f"{name} has called {trapped.called()}")

    for program in programs():
        if program.name not in PASS_ON | {"test"}:  # ctest knows its options: case_test
            refused(program.relative_to(ROOT / "scripts"), "--no-such-option",
                    says="--no-such-option")
    refused("bench", "fast", says="fast")
    refused("fuzz", "--seconds", "0", says="whole number")
    refused("soak", "long", says="long")
    refused("test", "--allow-skip", says="--allow-skip")
    refused("nightly", "everything", says="everything")
    refused("nightly", "--share", "today", says="YYYY-MM-DD")
    # With a Python, wrong values too.
    python = pathlib.Path(d / "traps" / "python3")
    python.unlink()
    refused("reproduce", "suspense", says="suspense")
    refused("reproduce", "suspend", "--part", "figure-9", says="figure-9")
    refused("capture", "--only", "nonsense", says="nonsense")
    refused("validate-drives", "no-drive", says="no-drive")
    refused("validate-timing", "--targets", "z80", says="z80")
    refused("validate-timing", "--no-kernels", "--only-kernels", says="nothing is left")


def options_of(text):
    return set(re.findall(r"(?<![\w-])--[a-z][\w-]*", text)) - {"--help"}


def case_powercut(d):
    """scripts/powercut names the options that its program has; scripts/reproduce all parts."""
    told = subprocess.run([POWERCUT, "--help"], capture_output=True, text=True, check=True).stdout
    own = subprocess.run([ROOT / "scripts/powercut", "--help"], capture_output=True, text=True,
                         check=True, cwd=d).stdout
    expect(options_of(told) == options_of(own), f"{options_of(told) ^ options_of(own)}")
    sys.path.insert(0, str(ROOT / "papers"))
    from reproduction.__main__ import EXPERIMENTS  # pylint: disable=import-outside-toplevel
    told = subprocess.run([ROOT / "scripts/reproduce", "--help"], capture_output=True, text=True,
                          check=True, cwd=d).stdout
    told = " ".join(told.split())
    for name, parts in EXPERIMENTS.items():
        expect(f"{name} {', '.join(parts)}" in told, f"{name}: {', '.join(parts)}")


def case_pairs(d):
    """Of all schemes those that cannot have a geometry are left out, and named; one alone fails."""
    def run(*words):
        return subprocess.run([POWERCUT, "--runs", "1", "--cuts", "1", *words], cwd=d, text=True,
                              capture_output=True, check=False)

    done = run("--scheme", "all", "--geometry", "small+fab")
    expect(done.returncode == 0, done.stdout[-500:] + done.stderr)
    said = done.stdout.splitlines()
    expect(said[-2] == "left out, since no drive can be so: 11", done.stdout[-500:])
    expect("kast small+fab, last small+fab" in said[-1] and "one map unit" in said[-1], said[-1])
    expect(sum(line.startswith("  cuts ") for line in said) == 11, done.stdout)
    done = run("--scheme", "last", "--geometry", "small+fab")
    expect(done.returncode == 2 and done.stdout == "", f"exit {done.returncode}: {done.stdout}")
    for words in ("last small+fab", "one map unit", "geometries of last: tiny, blocks"):
        expect(words in done.stderr, done.stderr)


CTEST = """
add_test(good "/bin/true")
add_test("has no tool" "/bin/sh" "-c" "echo a line; echo no gdb \\\\<here\\\\>; exit 77")
set_tests_properties("has no tool" PROPERTIES SKIP_RETURN_CODE 77)
add_test(says "/bin/echo" "SKIPPED")
set_tests_properties(says PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED")
add_test(off "/bin/true")
set_tests_properties(off PROPERTIES DISABLED ON)
add_test(bad "/bin/false")
add_test(gone "/nowhere/program")
add_test(slow "/bin/true")
set_tests_properties(slow PROPERTIES LABELS nightly)
"""


def clone(d):
    """A copy of scripts/ beside a build folder with some tests; installing and building is told."""
    root = d / "clone"
    shutil.copytree(ROOT / "scripts", root / "scripts")
    (root / "python").symlink_to(ROOT / "python")
    (root / "build/release").mkdir(parents=True)
    (root / "build/release/CTestTestfile.cmake").write_text(CTEST)
    with (root / "scripts/lib/setup.sh").open("a") as setup:
        setup.write('install_packages() { echo "installs $*"; }\n')
    (root / "scripts/lib/build.sh").write_text(
        'need_all_tests() { echo "all tests"; }\nbuild() { echo builds; }\n')
    fake(root / "scripts", "generate-registers", "true")
    return root


def case_test(d):
    """scripts/test: a skipped test fails, the last line counts, ARGS go to ctest."""
    root = clone(d)

    def run(code, last, *words):
        done = subprocess.run([root / "scripts/test", *words], cwd=d, capture_output=True,
                              text=True, timeout=60, check=False)
        expect(done.returncode == code, f"{words}: exit {done.returncode}: {done.stdout}"
               f"{done.stderr}")
        if last:
            expect(done.stdout.splitlines()[-1] == last, f"{words}: {done.stdout}")
        return done

    done = run(0, "1 passed, 0 failed, 0 skipped", "-R", "good")
    expect("installs build test plot guest\nall tests\nbuilds" in done.stdout, done.stdout)
    expect("100% tests passed, 0 tests failed out of 1" in done.stdout, done.stdout)
    done = run(1, "0 passed, 0 failed, 1 skipped", "-R", "tool")
    expect("skipped: has no tool: no gdb <here>\n" in done.stdout, done.stdout)
    expect("scripts/test --allow-skip 'has no tool'\n" in done.stdout, done.stdout)
    expect("100% tests passed" in done.stdout, "ctest itself counts it as passed")
    run(0, "1 passed, 0 failed, 1 skipped", "-R", "tool|good", "--allow-skip", "has no tool")
    run(0, "0 passed, 0 failed, 1 skipped", "--allow-skip=has*", "-R", "tool")
    run(1, "0 passed, 0 failed, 1 skipped", "-R", "tool", "--allow-skip", "tool")
    run(1, "0 passed, 0 failed, 1 skipped", "-R", "says")
    run(1, "0 passed, 0 failed, 1 skipped", "-R", "off")
    run(8, "0 passed, 1 failed, 0 skipped", "-R", "bad")
    run(8, "0 passed, 1 failed, 0 skipped", "-R", "gone")
    done = run(1, "1 passed, 2 failed, 3 skipped")  # a whole run, without a single power cut
    expect("too few: 20,000" in done.stderr, done.stderr)
    run(0, "1 passed, 0 failed, 0 skipped", "-R", "slow")  # by name, also what is for the night
    run(8, None, "-R", "nothing")
    done = run(0, None, "-N")
    expect("passed" not in done.stdout, done.stdout)
    for words, wrong in ((["--no-such-option"], "--no-such-option"), (["-R", "good", "-Q9"], "-Q9"),
                         (["--output-junit", "x"], "--output-junit")):
        done = run(2, None, *words)
        expect("builds" not in done.stdout and wrong in done.stderr, done.stdout + done.stderr)


def case_nightly(d):
    """scripts/nightly: a part that fails does not end the others; which parts there are."""
    root = clone(d)
    for name, code in (("package-check", 1), ("fresh-check", 0), ("test", 0)):
        fake(root / "scripts", name, f'echo {name} "$@"; exit {code}')

    def run(code, *words):
        done = subprocess.run([root / "scripts/nightly", *words], cwd=d, capture_output=True,
                              text=True, timeout=60, check=False)
        expect(done.returncode == code, f"{words}: exit {done.returncode}: {done.stderr}")
        return done.stdout

    verdicts = [line.split(",")[0].split() for line in
                run(1, "slow", "fresh", "package").splitlines()]
    expect(verdicts == [["slow", "passed"], ["package", "FAILED"], ["fresh", "passed"]], verdicts)
    log = (root / "build/nightly/slow.log").read_text()
    expect(log == "test -L nightly\n", log)
    run(0, "fresh")
    for line in run(0, "--list").splitlines():
        word = line.split()[1]
        expect(word.startswith("preset_") or (ROOT / word).is_file(), f"{line}: no such program")


def case_share(_):
    """Each program and each source has its turn; what was changed has one at once."""
    sys.path.insert(0, str(ROOT / "scripts/lib"))
    import daily_share  # pylint: disable=import-outside-toplevel,import-error
    daily_share.changed = lambda root: set()

    def days(count):
        return [f"2027-{1 + day // 28:02}-{1 + day % 28:02}" for day in range(count)]

    turns = [daily_share.turn(day) for day in days(28)]
    expect(turns == list(range(turns[0], turns[0] + 28)), turns)
    every = sorted({path for turn in range(daily_share.TURNS)
                    for path in daily_share.of_turn(ROOT, turn)})
    expect(len(every) >= 400 and "models/nvme/arbiter.cpp" in every, len(every))
    programs = {" ".join(p) for p in daily_share.PROGRAMS}
    expect({daily_share.programs(day) for day in days(len(programs))} == programs, programs)
    daily_share.changed = lambda root: set(every)
    today = daily_share.sources(ROOT, "2027-01-01")
    expect(len(today) == len(set(today)), "twice")
    expect(len(today) <= len(every) // daily_share.TURNS + 1 + daily_share.CHANGED, len(today))


def case_totals(d):
    """Results that are none are no success."""
    for text in ("", "<testsuite><testcase name='a'"):
        (d / "results.xml").write_text(text)
        done = subprocess.run([sys.executable, ROOT / "scripts/lib/test_totals.py",
                               d / "results.xml"], capture_output=True, text=True, check=False)
        expect(done.returncode != 0 and "passed" not in done.stdout, done.stdout)


def case_language(d):
    """apt and others speak the user's language, and what they say is read."""
    german = {**os.environ, "LANG": "de_DE.UTF-8", "LC_ALL": "de_DE.UTF-8", "LANGUAGE": "de"}
    script = f'. "{ROOT}/scripts/lib/common.sh"; echo "$LC_ALL ${{LANGUAGE-none}}"'
    done = subprocess.run(["bash", "-c", script], env=german, capture_output=True, text=True,
                          cwd=d, check=True)
    expect(done.stdout == "C.UTF-8 none\n", done.stdout)
    script = ("from debian_guest.packages import output\n"
              "print(output(['sh', '-c', 'echo $LC_ALL']), end='')\n")
    done = subprocess.run([sys.executable, "-B", "-c", script], capture_output=True, text=True,
                          env={**german, "PYTHONPATH": str(ROOT / "scripts/lib")}, check=True)
    expect(done.stdout == "C\n", done.stdout)


def cmake(d, text):
    (d / "script.cmake").write_text(text)
    return subprocess.run(["cmake", "-P", d / "script.cmake"], capture_output=True, text=True,
                          check=False)


def case_left_out(d):
    """A program that CMake does not find leaves tests out, or is an error."""
    for wanted, code in (("ON", 1), ("OFF", 0)):
        done = cmake(d, f"cmake_minimum_required(VERSION 3.25)\nset(SSDVP_ALL_TESTS {wanted})\n"
                        f"include({ROOT}/cmake/test_programs.cmake)\n"
                        "ssdvp_test_program(SSDVP_SH sh dash)\n"
                        "ssdvp_test_program(SSDVP_NONE no-such-program its-package)\n")
        expect(done.returncode == code, done.stdout + done.stderr)
        said = " ".join((done.stdout + done.stderr).split())
        expect("no-such-program" in said and "its-package" in said, said)
        expect("dash" not in said, said)


class Configured:
    """A clone with a CMake and a ninja that tell when they are called."""

    def __init__(self, d):
        self.root, self.log, self.bin = d / "clone", d / "called", d / "bin"
        (self.root / "scripts/lib").mkdir(parents=True)
        for name in ("common.sh", "build.sh"):
            shutil.copy(ROOT / "scripts/lib" / name, self.root / "scripts/lib")
        (self.root / "firmware").mkdir()
        (self.root / "firmware/a.c").write_text("")
        (self.root / "CMakePresets.json").write_text("{}")
        self.bin.mkdir()
        cmake = ('echo "$@" >>"$LOG"; touch build/release/build.ninja; '
                 'echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >build/release/CMakeCache.txt; '
                 'exit "${FAIL:-0}"')
        fake(self.bin, "cmake", cmake)
        fake(self.bin, "ninja", "echo ninja: no work to do.")

    def build(self, before="", code=0, **variables):
        """What CMake was called with."""
        self.log.write_text("")
        script = (f'. "{self.root}/scripts/lib/common.sh"\n. "{self.root}/scripts/lib/build.sh"\n'
                  f'{before}\nbuild\n')
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], capture_output=True,
                              env={"PATH": f"{self.bin}:{os.environ['PATH']}",
                                   "LOG": str(self.log), **variables}, text=True, check=False)
        expect(done.returncode == code, f"exit {done.returncode}: {done.stderr}")
        return self.log.read_text()


def case_configure(d):
    """CMake configures when something has changed, and not before every build."""
    clean = Configured(d)
    expect("-DSSDVP_ALL_TESTS=OFF" in clean.build(), "not configured at first")
    expect(clean.build() == "", "configured although nothing has changed")
    (clean.root / "firmware/a.c").write_text("int a;\n")
    expect(clean.build() == "", "configured for a source that ninja watches")
    (clean.root / "firmware/b.c").write_text("")
    expect(clean.build() != "" and clean.build() == "", "a new source of the firmware")
    (clean.root / "CMakePresets.json").write_text("{ }")
    expect(clean.build() != "" and clean.build() == "", "another preset")
    expect("-DSSDVP_ALL_TESTS=ON" in clean.build("need_all_tests"), "all tests")
    expect(clean.build("need_all_tests") == "" and clean.build() == "", "all tests will do")
    (clean.root / "firmware/b.c").unlink()
    clean.build(code=1, FAIL="1")
    expect(clean.build() != "" and clean.build() == "", "a failure was taken for a success")
    for name in ("build.ninja", "CMakeCache.txt"):
        (clean.root / "build/release" / name).unlink()
        expect(clean.build() != "" and clean.build() == "", f"{name} is gone")


def case_sources(d):
    """CMake finds the sources of the image, and none of the files beside them."""
    for name in ("ftl/b.c", "ftl/a.c", "port/b.c", "template/c.c", "elf/d.c", "build/e.c",
                 "ftl/.#a.c", "gc/port/e.c", "gc/f.h"):
        (d / name).parent.mkdir(parents=True, exist_ok=True)
        (d / name).write_text("")
    (d / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(found NONE)\n"
                                      f"include({ROOT}/cmake/sources.cmake)\n"
                                      f"ssdvp_firmware_sources(found {d})\n"
                                      'file(WRITE ${CMAKE_BINARY_DIR}/found "${found}")\n')
    run = subprocess.run(["cmake", "-G", "Ninja", "-S", d, "-B", d / "build"],
                         capture_output=True, text=True, check=False)
    expect(run.returncode == 0, run.stderr)
    expected = ";".join(str(d / name) for name in ("ftl/a.c", "ftl/b.c", "gc/port/e.c"))
    found = (d / "build/found").read_text()
    expect(found == expected, found)


def case_quiet(d):
    """A build with nothing to do says nothing; a source that has come is noticed."""
    (d / "scripts/lib").mkdir(parents=True)
    for name in ("common.sh", "build.sh"):
        shutil.copy(ROOT / "scripts/lib" / name, d / "scripts/lib")
    (d / "firmware").mkdir()
    (d / "firmware/a.c").write_text("int a;\n")
    (d / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(quiet C)\n"
                                      f"include({ROOT}/cmake/sources.cmake)\n"
                                      f"ssdvp_firmware_sources(found {d}/firmware)\n"
                                      "add_library(all_of_it STATIC ${found})\n")
    preset = {"name": "release", "generator": "Ninja", "binaryDir": "${sourceDir}/build/release"}
    (d / "CMakePresets.json").write_text(json.dumps({"version": 6, "configurePresets": [preset]}))
    script = f'. "{d}/scripts/lib/common.sh"\n. "{d}/scripts/lib/build.sh"\nbuild all_of_it\n'

    def built():
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], capture_output=True,
                              text=True, check=False)
        expect(done.returncode == 0, done.stderr)
        return done.stderr

    expect("Building" in built(), "the first build is not told")
    said = built()
    expect(said == "", f"nothing to do, but: {said}")
    (d / "firmware/b.c").write_text("int b;\n")
    expect("b.c" in built(), "a new source was not noticed")
    said = built()
    expect(said == "", f"nothing to do, but: {said}")


# Stands for ssdvp: keeps its arguments, and writes what WRITES says to --out.
FAKE_RUN = """
printf '%s\\n' "$@" >arguments
for word; do
    [ "$before" != --out ] || out=$word
    [ "$word" = "${word#--out=}" ] || out=${word#--out=}
    before=$word
done
mkdir -p "$out"
case $WRITES in
    results) printf '%s' "$SUMMARY" >"$out/summary.json" ;;
    drives) mkdir "$out/a"; echo '{}' >"$out/a/summary.json" ;;
    other) echo '{"schema": "ssdvp-summary-9"}' >"$out/summary.json" ;;
esac
echo "a summary"
exit "$CODE"
"""


def case_run_report(d):
    """scripts/run ends with a report, which never changes the exit code of the run."""
    root = clone(d)
    (root / "configs").symlink_to(ROOT / "configs")
    fake(root / "build/release", "ssdvp", FAKE_RUN)
    told = json.dumps({"schema": "ssdvp-summary-1", "config": "tiny", "seed": 1,
                       "sim": {"simulated_ns": 1.0}, "host": {}})

    def run(writes, code, *words):
        done = subprocess.run([root / "scripts/run", *words], cwd=d, capture_output=True,
                              text=True, timeout=60, check=False,
                              env={**os.environ, "WRITES": writes, "CODE": str(code),
                                   "SUMMARY": told})
        expect(done.returncode == code, f"{writes}: exit {done.returncode}: {done.stderr}")
        expect("installs build report" in done.stdout and "a summary" in done.stdout, done.stdout)
        return done, (d / "arguments").read_text().splitlines()

    done, words = run("results", 0, "device/tiny")
    match = re.fullmatch(r"report in (out/tiny-[0-9-]+)/report.html", done.stdout.splitlines()[-1])
    expect(match and (d / match[0][len("report in "):]).is_file(), done.stdout)
    expect(words == ["run", "--worst", "100", "--wear", f"{match[1]}/wear.csv", "--series",
                     f"{match[1]}/series.csv", "--out", match[1], "device/tiny"], words)
    _, words = run("results", 0, "device/tiny", "--", "--name=a", "--out=b")
    expect(words[-4:] == ["device/tiny", "--", "--name=a", "--out=b"]
           and words[:3] == ["run", "--worst", "100"], words)  # what follows is for fio
    done, words = run("results", 1, "--out=o", "--worst", "7", "--series=s.csv", "--wear", "w.csv")
    expect(done.stdout.splitlines()[-1] == "report in o/report.html", done.stdout)
    expect(words[2:] == ["--out=o", "--worst", "7", "--series=s.csv", "--wear", "w.csv"]
           and words[1].endswith("configs/experiment/default.yaml"), words)
    done, _ = run("other", 0, "--out", "p")
    expect("ssdvp-summary-9" in done.stderr and "no report" in done.stderr, done.stderr)
    done, _ = run("drives", 0, "--out", "q")
    expect("scripts/report q/NAME" in done.stderr and "report in" not in done.stdout, done.stderr)
    done, _ = run("nothing", 2, "--out", "r")
    expect("report in" not in done.stdout, done.stdout)
    # SIGTERM reaches the program, whose exit code is kept.
    fake(root / "build/release", "ssdvp", "trap 'exit 130' TERM; touch begun\n"
         "for i in $(seq 300); do sleep 0.1; done")
    with subprocess.Popen([root / "scripts/run", "--out", "s"], cwd=d, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as script:
        while not (d / "begun").exists():
            time.sleep(0.05)
        script.terminate()
        code = script.wait(timeout=25)
    expect(code == 130, f"exit {code} after SIGTERM")


def main():
    with tempfile.TemporaryDirectory() as folder:
        globals()["case_" + sys.argv[3]](pathlib.Path(folder).resolve())


main()
