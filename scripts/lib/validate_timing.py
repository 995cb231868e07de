#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Instructions of the firmware: what the timing tables say, and what QEMU counts.

Each case is an FTL scheme under a host command mix. The drive of RAM NAND runs once, natively, and
what its firmware got from outside is written down. The recording is then played to the timed image
on the host, whose tables say what each target would have executed, and under qemu-user to the
firmware as a plain compiler made it for that target, whose instructions a plugin counts. Both do
the same: registers, values and counters in memory are compared on the way.

Exit code 0; 1 = an error is beyond its limit, or a step failed; 2 = wrong arguments."""
import argparse
import concurrent.futures
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import validate_kernels

# Target -> program of qemu-user, its model of a core, and the limits in percent: of each case, and
# of the mean over the cases. The 32-bit cores get IR made for a 64-bit host.
QEMU = {
    "cortex-r82": ("qemu-aarch64", "max", 3.5, 2.0),
    "rv64": ("qemu-riscv64", "rv64", 3.5, 2.0),
    "cortex-r52": ("qemu-arm", "max", 10.0, 10.0),
    "rv32": ("qemu-riscv32", "rv32", 10.0, 10.0),
}
SPEED_CASE = ("page_map", "mixed_70_30")
SPEED_RUNS = 7
TIMEOUT_S = 600


class Failed(Exception):
    """A step did not do what it should: its text says which."""


def run(command, stdin=None, text=None):
    """Standard output of a command, which must succeed. It reads the file `stdin`, or `text`."""
    source = {"input": text} if text is not None else {"stdin": stdin}
    try:
        done = subprocess.run(command, **source, capture_output=True, text=True, check=False,
                              timeout=TIMEOUT_S)
    except FileNotFoundError as error:
        raise Failed(f"{command[0]} is not there: run scripts/validate-timing, which installs and "
                     f"builds what is needed") from error
    except subprocess.TimeoutExpired as error:
        raise Failed(f"{' '.join(command)}: not done after {TIMEOUT_S} s") from error
    if done.returncode != 0:
        said = (done.stdout + done.stderr).strip()
        raise Failed(f"{' '.join(command)}: exit code {done.returncode}: {said}")
    return done.stdout


def numbers(text):
    """Lines "NAME NUMBER" or "NAME OF NUMBER" as a dictionary."""
    found = {}
    for line in text.splitlines():
        *name, value = line.split()
        found[" ".join(name)] = int(value, 0)
    return found


class Bench:
    """The programs of a build folder, and a folder for what they write."""

    def __init__(self, build, work):
        self.build = build
        self.here = build / "tests" / "validation"
        self.work = work
        self.plugin = self.here / "ssdvp_count_plugin.so"
        self.timed = build / "firmware" / "ssdvp_fw.so"
        self.plain = self.here / "firmware_plain.so"

    def names(self):
        """Schemes and mixes, as the recorder knows them."""
        lists = {}
        for line in run([str(self.here / "ssdvp_fw_record"), "--list"]).splitlines():
            what, *names = line.split()
            lists[what] = names
        return lists["schemes"], lists["mixes"]

    def record(self, scheme, mix, commands):
        """The recording of a case, and what happened in it."""
        path = self.work / f"{scheme}-{mix}-{commands}.rec"
        text = run([str(self.here / "ssdvp_fw_record"), "--scheme", scheme, "--mix", mix,
                    "--commands", str(commands), "--out", str(path)])
        words = text.split()
        return path, dict(zip(words[::2], map(int, words[1::2])))

    def predicted(self, recording):
        """Target -> instructions, by the tables."""
        found = numbers(run([str(self.here / "ssdvp_fw_replay"), "--firmware", str(self.timed),
                             "--count", str(recording)]))
        return {name.split()[1]: value for name, value in found.items()
                if name.startswith("instructions ")}

    def emulator(self, target, count=None, blocks=None, program="replay"):
        """Command of qemu-user for a target, with the counting plugin if there is a file for it."""
        emulator, core = QEMU[target][:2]
        command = [emulator, "-cpu", core]
        if count is not None:
            option = f"{self.plugin},out={count}"
            command += ["-plugin", option + (f",blocks={blocks}" if blocks else "")]
        return command + [str(self.here / f"{program}_{target}.elf")]

    def counted(self, target, recording):
        """Instructions, by the emulator."""
        out = recording.with_suffix(f".{target}.count")
        with open(recording, "rb") as stdin:
            run(self.emulator(target, out), stdin)
        text = out.read_text()
        out.unlink()
        if not text.startswith("instructions "):
            raise Failed(f"{target}, {recording.stem}: {text.strip()}")
        return numbers(text)["instructions"]

    def emulated_ns(self, target, recording, plugin):
        """Time between the marks under the emulator, by the program's own clock."""
        out = recording.with_suffix(".speed") if plugin else None
        with open(recording, "rb") as stdin:
            return numbers(run(self.emulator(target, out), stdin))["ns"]


def case_rows(bench, scheme, mix, targets, commands):
    """One row per target."""
    recording, work = bench.record(scheme, mix, commands)
    predicted = bench.predicted(recording)
    rows = []
    for target in targets:
        if target not in predicted:
            raise Failed(f"{bench.timed} has no table for {target}: build with clang 14 and "
                         f"LLVM 14 (packages clang-14, llvm-14-dev)")
        true = bench.counted(target, recording)
        rows.append({"target": target, "scheme": scheme, "mix": mix, "commands": commands,
                     "true": true, "predicted": predicted[target],
                     "error_percent": 100.0 * (predicted[target] / true - 1.0), **work})
    recording.unlink()
    return rows


def all_rows(bench, options):
    """Rows of all cases, in the order of the table."""
    cases = [(s, m) for s in options.schemes for m in options.mixes]
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        done = list(pool.map(lambda c: case_rows(bench, *c, options.targets, options.commands),
                             cases))
    order = {target: n for n, target in enumerate(options.targets)}
    rows = [row for case in done for row in case]
    return sorted(rows, key=lambda row: order[row["target"]])


def totals(rows, targets):
    """Per target: worst case, mean of the errors' sizes, the error of the sum, the verdict."""
    found = []
    for target in targets:
        mine = [row for row in rows if row["target"] == target]
        worst = max(mine, key=lambda row: abs(row["error_percent"]))
        mean = sum(abs(row["error_percent"]) for row in mine) / len(mine)
        all_true = sum(row["true"] for row in mine)
        limit_each, limit_mean = QEMU[target][2:]
        found.append({
            "target": target, "cases": len(mine), "instructions": all_true,
            "worst_percent": worst["error_percent"],
            "worst_case": f"{worst['scheme']}, {worst['mix']}", "mean_percent": mean,
            "sum_percent": 100.0 * (sum(row["predicted"] for row in mine) / all_true - 1.0),
            "limit_each_percent": limit_each, "limit_mean_percent": limit_mean,
            "within": abs(worst["error_percent"]) <= limit_each and mean <= limit_mean})
    return found


def speed(bench, targets, commands):
    """Times of the same work: native without and with timing, emulated without and with plugin.
    What the replay itself costs natively is taken off before the native ones are compared."""
    recording, _ = bench.record(*SPEED_CASE, commands)
    rounds = [[], []]
    for _ in range(SPEED_RUNS):  # in turn, so that what disturbs the machine disturbs both
        for image, times in zip((bench.plain, bench.timed), rounds):
            found = numbers(run([str(bench.here / "ssdvp_fw_replay"), "--firmware", str(image),
                                 "--repeat", "5", str(recording)]))
            times.append((found["host_ns"], found["host_ns"] - found["replay_ns"]))
    (plain_all, plain), (timed_all, timed) = (tuple(map(min, zip(*times))) for times in rounds)
    found = {"commands": commands, "native_ns": plain, "native_timed_ns": timed,
             "timed_by_untimed": timed / plain, "replay_native_ns": plain_all,
             "replay_timed_ns": timed_all, "emulated": []}
    for target in targets:
        alone, plugin = (min(bench.emulated_ns(target, recording, with_plugin)
                             for _ in range(3)) for with_plugin in (False, True))
        found["emulated"].append({
            "target": target, "qemu_ns": alone, "qemu_plugin_ns": plugin,
            "qemu_by_timed": alone / timed_all, "qemu_plugin_by_timed": plugin / timed_all})
    recording.unlink()
    return found


def print_rows(rows):
    print(f"{'target':<12}{'scheme':<12}{'mix':<18}{'true':>13}{'predicted':>13}{'error':>9}")
    for row in rows:
        print(f"{row['target']:<12}{row['scheme']:<12}{row['mix']:<18}{row['true']:>13,}"
              f"{row['predicted']:>13,}{row['error_percent']:>+8.2f}%")


def print_totals(found):
    print()
    for row in found:
        verdict = "within" if row["within"] else "BEYOND"
        print(f"{row['target']}: {row['cases']} cases, worst {row['worst_percent']:+.2f} % "
              f"({row['worst_case']}), mean of |error| {row['mean_percent']:.2f} %, all together "
              f"{row['sum_percent']:+.2f} %; {verdict} {row['limit_each_percent']} % each, "
              f"{row['limit_mean_percent']} % mean")


def print_speed(found):
    print(f"\nSpeed, {SPEED_CASE[0]}, {SPEED_CASE[1]}, {found['commands']:,} commands, firmware "
          f"alone:\n  native {found['native_ns'] / 1e6:.2f} ms, timed "
          f"{found['native_timed_ns'] / 1e6:.2f} ms: {found['timed_by_untimed']:.3f} x")
    print(f"with the replay around it: timed {found['replay_timed_ns'] / 1e6:.2f} ms")
    for row in found["emulated"]:
        print(f"  QEMU, {row['target']}: {row['qemu_ns'] / 1e6:.1f} ms, "
              f"{row['qemu_by_timed']:.1f} x; counting {row['qemu_plugin_ns'] / 1e6:.1f} ms, "
              f"{row['qemu_plugin_by_timed']:.1f} x")


def write_files(out, result):
    out.mkdir(parents=True, exist_ok=True)
    for name in ("cases", "kernels"):
        if name not in result:
            continue
        with open(out / f"{name}.csv", "w", newline="", encoding="utf-8") as file:
            table = csv.DictWriter(file, list(result[name][0]))
            table.writeheader()
            table.writerows(result[name])
    (out / "validation.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(f"\n{out / 'validation.json'}, and the tables in it as CSV")


def names_of(text, known, what, parser):
    """A list "a,b" of known names; all of them without a list."""
    if text is None:
        return list(known)
    names = text.split(",")
    for name in names:
        if name not in known:
            parser.error(f"--{what}: no '{name}'; there are: {', '.join(known)}")
    return names


def arguments(argv):
    parser = argparse.ArgumentParser(prog="validate-timing", description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--targets", help="of " + ", ".join(QEMU) + "; all of them by default")
    parser.add_argument("--schemes", help="FTL schemes, e.g. page_map,dftl; all by default")
    parser.add_argument("--mixes", help="host command mixes, e.g. random_read; all by default")
    parser.add_argument("--commands", type=int, default=1000, help="per case (1000)")
    parser.add_argument("--no-speed", action="store_true", help="counts only")
    parser.add_argument("--no-kernels", action="store_true", help="the firmware only")
    parser.add_argument("--only-kernels", action="store_true",
                        help="the small programs of tests/validation/kernels only")
    parser.add_argument("--out", type=pathlib.Path, help="folder for cases.csv, validation.json")
    parser.add_argument("--only-arguments", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.commands < 1:
        parser.error("--commands: at least 1")
    if options.no_kernels and options.only_kernels:
        parser.error("--no-kernels, --only-kernels: nothing is left; write one of them")
    options.targets = names_of(options.targets, QEMU, "targets", parser)
    return parser, options


def validate_cases(bench, options, parser, result):
    """The firmware: adds to `result`, prints, and says whether all is within its limits."""
    schemes, mixes = bench.names()
    options.schemes = names_of(options.schemes, schemes, "schemes", parser)
    options.mixes = names_of(options.mixes, mixes, "mixes", parser)
    result["cases"] = all_rows(bench, options)
    result["targets"] = totals(result["cases"], options.targets)
    print_rows(result["cases"])
    print_totals(result["targets"])
    if not options.no_speed:
        result["speed"] = speed(bench, options.targets, 10 * options.commands)
        print_speed(result["speed"])
    return all(row["within"] for row in result["targets"])


def validate_small(bench, options, result):
    """The kernels, likewise."""
    rows = validate_kernels.kernel_rows(bench, options.targets, run, Failed)
    found = validate_kernels.kernel_totals(rows, options.targets)
    result["kernels"], result["kernel_targets"] = rows, found
    validate_kernels.print_kernels(rows, found)
    return all(row["within"] for row in found)


def main(argv):
    parser, options = arguments(argv)
    if options.only_arguments:
        return 0
    result = {}
    within = True
    try:
        with tempfile.TemporaryDirectory(prefix="ssdvp-timing-") as work:
            bench = Bench(options.build.resolve(), pathlib.Path(work))
            if not options.no_kernels:
                within = validate_small(bench, options, result)
                print()
            if not options.only_kernels:
                within = validate_cases(bench, options, parser, result) and within
    except Failed as error:
        print(f"validate-timing: {error}", file=sys.stderr)
        return 1
    if options.out is not None:
        write_files(options.out, result)
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
