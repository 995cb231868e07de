#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kept states: a run from one gives what a run that preconditions itself gives; what is another
drive's, damaged or cannot be kept is said by name, and nothing is lost.

Usage: states_test.py SSDVP
       schemes|options|options_in_turn|end|cache|shared|damage|refused|lost
"""

import concurrent.futures
import datetime
import fcntl
import json
import os
import pathlib
import resource
import struct
import subprocess
import sys
import tempfile

import options_test

SSDVP = sys.argv[1]
# Enough units for the cache to take them: 27 k filled, and written ten times each.
SMALL = ["device/small", "--set", "nand.blocks_per_plane=64", "--set", "precondition.fill=1",
         "--set", "precondition.overwrite=2"]
# Not for the cache: just enough to collect.
LESS = ["--set", "nand.blocks_per_plane=54", "--set", "precondition.overwrite=1"]
MIXED = ["--set", "workload.read_fraction=0.5", "--set", "workload.queue_depth=16"]
BLOCKS = ["--set", "nand.page_order=any", "--set", "ftl.scheme="]
SCHEMES = {
    "page_map": [],
    "shallow": ["--set", "write.mode=shallow", "--set", "nand.shallow.tPROG=300us", "--set",
                "nand.shallow.retention=100s"],
    "errors": ["--set", "nand.errors.rber=1e-4", "--set", "nand.pe_cycles=1000", "--set",
               "nand.errors.retention=0.5", "--set", "nand.factory_bad_share=0.02"],
    "full": ["--set", "data=full"],
    "none": ["--set", "data=none"],
    "sata": ["--set", "host.interface=sata", "--set", "workload.trim_fraction=0"],
    "lanes": ["--set", "ftl.placement=channel_die"],
    "narrow": ["--set", "ftl.stripe=block", "--set", "ftl.map_unit=16KiB"],
    "copyback": ["--set", "gc.copyback=true", "--set", "gc.policy=cost_benefit"],
    "buffer": ["--set", "cache.policy=rw_cflru"],
    "cuts": ["--set", "power.cut.at=[3ms, 30ms]", "--set", "power.verify=all"],
    "dftl": ["--set", "ftl.scheme=dftl"],
    "log_set": ["--set", "ftl.scheme=log_set"],
    "log_set_block": ["--set", "ftl.scheme=log_set", "--set", "ftl.log_set.unit=block", "--set",
                      "ftl.stripe=block", "--set", "ftl.map_unit=16KiB", "--set",
                      "ftl.log_set.w_log=4", "--set", "precondition.overwrite=0"],
    "vm_map": ["--set", "ftl.scheme=vm_map"],
    "superblock": ["--set", "ftl.scheme=superblock", "--set", "precondition.overwrite=0.1"],
    **{name: [*BLOCKS[:-1], BLOCKS[-1] + name, "--set", "precondition.overwrite=0.1"]
       for name in ("bast", "fast", "kast", "last", "lm", "sast")},
    **{name: [*BLOCKS[:-1], BLOCKS[-1] + name, "--set", "precondition.overwrite=0.1", "--set",
              "ftl.over_provisioning=0.6"] for name in ("fmax", "msbs")},
}
TURNS = 6
# Where the bring-up of a used drive is another than that of a new one, or the host sets something.
POWER = ["--set", "energy.core.active=3W", "--set", "energy.core.idle=900mW", "--set",
         "nand.current.program=300mA"]
USED = {
    "host memory": ["--set", "ftl.scheme=dftl", "--set", "ftl.map_memory=hmb"],
    "formatted": ["--set", "host.nvme.metadata.bytes=8", "--set", "data=full"],
    "heat": ["--set", "thermal.model=rc", "--set", "thermal.speed=10000", "--set",
             "thermal.throttle.light=40", "--set", "thermal.throttle.heavy=42", *POWER],
    "power states": ["--set", "power.states.max_power=[5, 3, 1]", "--set",
                     "power.states.operational=2", *POWER],
}


def ssdvp(*words, cache=None, **options):
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    environment.pop("SSDVP_STATE_CACHE", None)  # of the test suite
    return subprocess.run([SSDVP, *map(str, words)], capture_output=True, text=True, timeout=300,
                          check=False, env=environment, **options)


def run(out, *words, code=0, cache=None, **options):
    """The summary of a run, without what is the machine's; else what it says."""
    keep = [] if cache else ["--no-state-cache"]
    done = ssdvp("run", *words, "--quiet", "--out", out, *keep, cache=cache, **options)
    assert done.returncode == code, f"{words}: {done.returncode}: {done.stderr}"
    if code != 0:
        return done.stderr
    state = json.loads((out / "summary.json").read_text()).get("state", {})
    return {**options_test.results(out), "state": state}


def apart(summary):
    """The summary, and where its state came from."""
    state = summary.pop("state", {})
    return summary, state


def same(a, b, what):
    (a, _), (b, _) = apart(dict(a)), apart(dict(b))
    differ = [k for k in sorted(a.keys() | b.keys()) if a.get(k) != b.get(k)]
    assert not differ, f"{what}: {differ}: {[(a.get(k), b.get(k)) for k in differ][:2]}"


def schemes(folder):
    """Every scheme, data mode and physics: saving changes nothing, and loading gives the same."""
    def one(name):
        words = [*SMALL, *LESS, *MIXED, *SCHEMES[name], "--requests", "2000", "--seed", "7"]
        file = folder / f"{name}.state"
        plain = run(folder / f"{name}.plain", *words)
        saved = run(folder / f"{name}.saved", *words, "--save-state", file)
        loaded = run(folder / f"{name}.loaded", *words, "--load-state", file)
        same(plain, saved, f"{name}, saved")
        same(plain, loaded, f"{name}, loaded")
        assert loaded["state"]["from"] == "file", loaded["state"]
        first = file.read_bytes()
        run(folder / f"{name}.again", *words, "--save-state", file)
        assert file.read_bytes() == first, f"{name}: the file differs from run to run"

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(one, SCHEMES))


def options(folder):
    """Each option, and some that may differ for certain."""
    free = free_options(folder, options_test.table())
    for key in ("host.pcie.lanes", "flash.arbiter", "cpu.clock", "run.requests", "nand.tR",
                "dram.rate"):
        assert key in free, f"{key} cannot differ from the state's: {free}"


def options_in_turn(folder):
    """By date, so that each option had its turn within TURNS days."""
    free_options(folder, options_test.table()[datetime.date.today().toordinal() % TURNS::TURNS])


def free_options(folder, table):
    """Each option given another value: the state of the drive as it was is refused by the name of
    the option, or the run from it is the run that preconditions itself: these may differ."""
    base = folder / "base.yaml"
    base.write_text(options_test.BASE)
    file = folder / "base.state"
    run(folder / "base", base, "--save-state", file)

    def one(option):
        key, form, value = option
        beside = options_test.VALUES.get(key, [])[1:]
        for n, other in enumerate(options_test.candidates(key, form, value)):
            words = [base]
            for text in [*beside, f"{key}={other}"]:
                words += ["--set", text]
            out = folder / f"{key}.{n}"
            loaded = ssdvp("run", *words, "--quiet", "--load-state", file, "--out",
                           f"{out}.loaded")
            if "is the state of another drive" in loaded.stderr:
                # It may bring more keys of its group than a message names.
                group = key[:key.rfind(".") + 1] or key
                changed = [key, *(text.split("=")[0] for text in beside), "boot parameters",
                           f" {group}"]
                assert any(name in loaded.stderr for name in changed), f"{key}: {loaded.stderr}"
                return None
            plain = ssdvp("run", *words, "--quiet", "--no-state-cache", "--out", out)
            if plain.returncode != 0:
                continue
            assert loaded.returncode == 0, f"{key}={other}: {loaded.stderr}"
            same(options_test.results(out), options_test.results(
                pathlib.Path(f"{out}.loaded")), f"{key}={other}")
            return key
        return None

    def tried(option):
        try:
            return one(option), ""
        except AssertionError as wrong:
            return None, str(wrong)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(pool.map(tried, table))
    wrong = [text for _, text in done if text]
    assert not wrong, "\n".join(wrong)
    free = [key for key, _ in done if key]
    told = ssdvp("states", "--keys").stdout.split()
    groups = tuple(key[:-1] for key in told if key.endswith("*"))
    differ = [key for key in free if key not in told and not key.startswith(groups)]
    assert not differ, f"taken, though not listed: {differ}"
    print(len(free), "of", len(table), "options may differ")
    return free


def end(folder):
    """The drive at the end of a run: another reads what that one wrote, also after a power cut."""
    for name, beside in {"nvme": [], "sata": ["--set", "host.interface=sata"],
                         "retention": SCHEMES["shallow"], "errors": SCHEMES["errors"],
                         "dftl": SCHEMES["dftl"]}.items():
        drive = [*SMALL, *beside]
        file = folder / f"{name}.state"
        first = run(folder / "first", *drive, "--requests", "6000", "--set",
                    "workload.read_fraction=0.1", "--save-state", file, "--save-at", "end")
        again = run(folder / "reads", *drive, "--requests", "6000", "--set",
                    "workload.read_fraction=1", "--load-state", file)
        assert again["integrity"]["sectors_checked"] >= 6000 * 8, again["integrity"]
        assert again["integrity"]["total_mismatches"] == 0, name
        cut = run(folder / "cut", *drive, "--requests", "4000", "--set",
                  "workload.read_fraction=0.3", "--power-cut", "at=5ms", "--set",
                  "power.verify=all", "--load-state", file)
        assert cut["power"]["cuts"] == 1 and cut["integrity"]["total_mismatches"] == 0, name
        # It goes on where that one stopped: a drive that was only preconditioned is another.
        other = run(folder / "other", *drive, "--requests", "6000", "--set",
                    "workload.read_fraction=1")
        assert apart(other)[0] != apart(again)[0], f"{name}: nothing was kept of the run"
        assert first["integrity"]["total_mismatches"] == 0


    for name, beside in USED.items():
        drive = ["device/small", *beside, "--requests", "200", "--seed", "1", *MIXED]
        file = folder / "used.state"
        run(folder / "first", *drive, "--save-state", file, "--save-at", "end")
        again = run(folder / "again", *drive, "--load-state", file, "--save-state", file,
                    "--save-at", "end")
        assert again["integrity"]["total_mismatches"] == 0, name
        hmb = again["ftl"].get("hmb")
        assert hmb is None or (hmb["hits"] != 0 and hmb["damaged"] == 0), hmb
        run(folder / "third", *drive, "--load-state", file)
        said = run(folder / "none", *drive, "--load-state", file, "--save-state", file, code=2)
        assert "was kept at the end of a run" in said and "add --save-at end" in said, said


def cache(folder):
    """The second run of a drive finds its state; workload and link may differ, the drive not."""
    place = folder / "cache"
    words = [*SMALL, "--requests", "500"]
    plain = run(folder / "plain", *words)
    assert plain["state"] == {"from": "preconditioned"}, plain["state"]
    first = run(folder / "first", *words, cache=place)
    second = run(folder / "second", *words, cache=place)
    same(plain, first, "kept")
    same(plain, second, "from the cache")
    assert first["state"]["from"] == "preconditioned" and second["state"]["from"] == "cache"
    assert first["state"]["key"] == second["state"]["key"]
    for beside in (["--set", "host.pcie.lanes=1"], ["--set", "workload.queue_depth=1"],
                   ["--set", "flash.arbiter=sequential"], ["--set", "nand.tPROG=3ms"]):
        free = run(folder / "free", *words, *beside, cache=place)
        assert free["state"]["from"] == "cache", beside
    for beside in (["--seed", "9"], ["--set", "precondition.overwrite=3"],
                   ["--set", "gc.policy=cost_benefit"]):
        other = run(folder / "other", *words, *beside, cache=place)
        assert other["state"]["from"] == "preconditioned", beside
    few = run(folder / "few", "device/small", "--requests", "10", "--set", "precondition.fill=0.1",
              cache=place)
    assert few["state"] == {"from": "preconditioned"}, few["state"]
    listed = ssdvp("states", cache=place).stdout.splitlines()
    assert len(listed) == 5 and any(first["state"]["key"] in line for line in listed), listed
    bounded(folder, words, place)
    os.environ["SSDVP_STATE_CACHE"] = "not of these tests"
    assert "cache/ssdvp" in ssdvp("states", cache=place).stdout
    moved = subprocess.run([SSDVP, "states"], capture_output=True, text=True, check=True)
    assert moved.stdout.rstrip().endswith("in not of these tests"), moved.stdout
    del os.environ["SSDVP_STATE_CACHE"]
    cleared = ssdvp("states", "--clear", cache=place)
    assert cleared.stdout.startswith("removed ") and not list(place.rglob("*.state"))
    assert run(folder / "anew", *words, cache=place)["state"]["from"] == "preconditioned"


def bounded(folder, words, place):
    """The state used last stays, and the others leave as the limit says."""
    files = list(place.rglob("*.state"))
    assert len(files) == 4, files
    used = run(folder / "used", *words, cache=place)
    most = max(f.stat().st_size for f in files)
    os.environ["SSDVP_STATE_CACHE_SIZE"] = f"{most * 2 // 512 * 512 + 512}B"
    run(folder / "one more", *words, "--seed", "11", cache=place)
    left = [f.stem for f in place.rglob("*.state")]
    assert len(left) == 2 and used["state"]["key"] in left, left
    os.environ["SSDVP_STATE_CACHE_SIZE"] = "many"
    said = run(folder / "no size", *words, cache=place, code=2)
    assert "SSDVP_STATE_CACHE_SIZE" in said and "unset it" in said, said
    del os.environ["SSDVP_STATE_CACHE_SIZE"]


def shared(folder):
    """Several processes at once: one makes the state, the others find it."""
    place = folder / "cache"
    words = [*SMALL, "--requests", "500", "--set", "precondition.overwrite=6"]

    def one(number):
        return run(folder / f"{number}", *words, cache=place)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        all_of_them = list(pool.map(one, range(4)))
    made = [s["state"]["from"] for s in all_of_them]
    assert sorted(made) == ["cache"] * 3 + ["preconditioned"], made
    for other in all_of_them[1:]:
        same(all_of_them[0], other, "shared")


def damage(folder):
    """Cut short anywhere, or with a bit flipped anywhere: named, exit code 2, no results."""
    file = folder / "good.state"
    words = [*SMALL, "--requests", "300"]
    run(folder / "good", *words, "--save-state", file)
    good = file.read_bytes()
    index = struct.unpack_from("<Q", good, 24)[0]
    bad = folder / "bad.state"

    def refused(content, *texts):
        bad.write_bytes(content)
        said = run(folder / "bad", *words, "--load-state", bad, code=2)
        assert "bad.state" in said and any(t in said for t in texts), said
        assert not (folder / "bad" / "summary.json").exists()

    for length in (0, 7, 40, 4095, 4096, index // 2, index, len(good) - 1):
        refused(good[:length], "cut short", "no kept state", "its header")
    refused(good + b"x", "cut short", "damaged")
    for at in (9, 13, 20, 30, 40, 50, index - 5000, index // 2, 4096, index + 3, len(good) - 1):
        flipped = bytearray(good)
        flipped[at] ^= 0x10
        refused(bytes(flipped), "damaged", "format", "cut short")
    other = bytearray(good)
    struct.pack_into("<I", other, 8, 77)
    ours = struct.unpack_from("<I", good, 8)[0]
    refused(bytes(other), f"is a state of format 77, and this ssdvp reads format {ours};")
    refused(b"extends: device/small\n", "is no kept state")
    # In the cache: a header or an index says so at once, and the state is made again.
    place = folder / "cache"
    plain = run(folder / "first", *words, cache=place)
    kept = next(place.rglob("*.state"))
    kept.write_bytes(good[:5000])
    again = run(folder / "again", *words, cache=place)
    same(plain, again, "made again")
    assert again["state"]["from"] == "preconditioned"
    # Pages as well: nothing of it has been used by then.
    content = bytearray(kept.read_bytes())
    content[9000] ^= 1
    kept.write_bytes(content)
    again = run(folder / "worthless", *words, cache=place)
    same(plain, again, "made again")
    assert again["state"]["from"] == "preconditioned"
    # A page in another's place, anywhere: refused before the drive has any of it.
    for at in range(4096, index - 4096, max(4096, (index - 4096) // 10 // 4096 * 4096)):
        swapped = bytearray(good)
        swapped[at:at + 4096] = b"\xa5" * 4096
        refused(bytes(swapped), "its pages are not what they were")


def refused(folder):
    """What cannot be loaded or saved is refused before anything is run."""
    file = folder / "a.state"
    words = [*SMALL, "--requests", "300"]
    run(folder / "a", *words, "--save-state", file)
    kept = file.read_bytes()
    said = run(folder / "b", *words, "--set", "ftl.over_provisioning=0.3", "--set",
               "gc.policy=cost_benefit", "--load-state", file, code=2)
    for text in ("ftl.over_provisioning is 0.2 there and 0.3 here", "gc.policy",
                 "`ssdvp states --keys`"):
        assert text in said, said
    said = run(folder / "b", *words, "--load-state", folder / "none.state", code=2)
    assert "none.state: cannot be read: No such file" in said, said
    with open(file, "rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        said = run(folder / "b", *words, "--load-state", file, code=2)
        assert "is locked by another process; wait for it" in said, said
    for place, text in ((folder, "is a folder"), (folder / "no" / "file", "cannot be written"),
                        ("/dev/full", "no regular file")):
        said = run(folder / "b", *words, "--save-state", place, code=2)
        assert text in said and "--save-state" in said, said
    drives = folder / "drives.yaml"
    drives.write_text("extends: device/small\ndrives: [{name: x}, {name: y}]\n"
                      "workload: [{drive: x}, {drive: y}]\n")
    said = run(folder / "b", drives, "--load-state", file, code=2)
    assert "a state file is of one drive, and this run has 2" in said, said
    assert file.read_bytes() == kept


def lost(folder):
    """A disk that is full, a folder that cannot be written: the run goes on, or says what is lost;
    a state that was there stays."""
    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))

    words = [*SMALL, "--requests", "300"]
    file = folder / "a.state"
    run(folder / "a", *words, "--save-state", file)
    kept = file.read_bytes()
    said = run(folder / "b", *words, "--save-state", file, code=2, preexec_fn=small_files)
    assert "a.state: cannot be written: File too large; name another file" in said, said
    assert file.read_bytes() == kept and not list(folder.glob(".a.state*"))
    # At the end there are results: they are written, and the state that is lost is told.
    done = ssdvp("run", *words, "--quiet", "--no-state-cache", "--out", folder / "e",
                 "--save-state", file, "--save-at", "end", preexec_fn=small_files)
    assert done.returncode == 1 and "File too large" in done.stderr, done.stderr
    assert (folder / "e" / "summary.json").exists() and file.read_bytes() == kept
    done = ssdvp("run", *words, "--quiet", "--no-state-cache", "--out", folder / "f", "--set",
                 "cpu.watchdog=1ms", "--set", "cpu.core=flat", "--set", "cpu.clock=1MHz", "--set",
                 "cpu.instructions_per_call=20000", "--save-state", folder / "f.state",
                 "--save-at", "end")
    assert done.returncode == 1 and "state was not kept" in done.stderr, done.stderr
    assert not (folder / "f.state").exists()
    place = folder / "cache"
    done = ssdvp("run", *words, "--quiet", "--out", folder / "c", cache=place,
                 preexec_fn=small_files)
    assert done.returncode == 0 and "File too large; this run goes on" in done.stderr, done.stderr
    assert not list(place.rglob("*.state*"))
    (folder / "file").write_text("")
    done = ssdvp("run", *words, "--quiet", "--out", folder / "d", cache=folder / "file")
    assert done.returncode == 0 and "goes on without kept states" in done.stderr, done.stderr
    plain = run(folder / "plain", *words)
    for out in ("c", "d"):
        same(plain, json.loads((folder / out / "summary.json").read_text()) and
             options_test.results(folder / out), out)


def main():
    cases = {f.__name__: f for f in (schemes, options, options_in_turn, end, cache, shared, damage,
                                     refused, lost)}
    with tempfile.TemporaryDirectory(prefix="ssdvp states ") as name:
        cases[sys.argv[2]](pathlib.Path(name))
    print("ok")


if __name__ == "__main__":
    main()
