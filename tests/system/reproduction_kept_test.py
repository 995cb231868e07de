#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What scripts/reproduce does beside its experiments: what need not be run again, and what is lost
when it is killed; parts side by side and the time left; results that are committed, compared, and
written to the documents. With experiments and a program that are fakes.

Usage: reproduction_kept_test.py ROOT CASE, of resume, kill, fingerprint, cores, clock, changes,
committed, stale, pictures, command, tables, pages"""
import argparse
import contextlib
import csv
import io
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

# Leaves what a run leaves, and a line in $LOG as it begins.
PROGRAM = """#!/bin/sh
while [ $# -gt 0 ]; do [ "$1" = --out ] && out=$2; shift; done
echo "$out $$" >> "$LOG"
[ "${out##*/}" = "$SLOW" ] && exec sleep 30
[ "${out##*/}" = "$BROKEN" ] && { echo "no such thing" >&2; exit 7; }
mkdir -p "$out"
echo '{"seed": 5}' > "$out/summary.json"
echo kind,from_ns,to_ns,count > "$out/latency.csv"
"""


class Bench:
    """A folder with the fake program, configurations that extend each other, and a trace."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.log = self.folder / "log"
        program = self.folder / "program"
        program.write_text(PROGRAM, encoding="utf-8")
        program.chmod(0o755)
        os.environ.update(SSDVP=str(program), LOG=str(self.log))
        for name, text in (("top", "extends: below\n"), ("below", "trace: traces/a.blk # b/c\n"),
                           ("aside", "seed: 1\n"), ("traces/a.blk", "0 1\n"), ("own.blk", "2\n")):
            path = self.folder / (name if "." in name else f"{name}.yaml")
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        from reproduction import kept, results
        kept.CONFIGS = self.folder
        results.RESULTS = self.folder / "committed"

    def ran(self):
        """Folders of runs since it was asked last."""
        if not self.log.is_file():
            return []
        lines = self.log.read_text(encoding="utf-8").splitlines()
        self.log.unlink()
        return [pathlib.Path(line.split()[0]).name for line in lines]


def options(**more):
    return argparse.Namespace(**{"jobs": 2, "part": None, "quick": False, "again": False,
                                 "keep": False, "name": "all", "out": None, "results": {}, **more})


def fakes(value="1.00"):
    """Two experiments. Part `two` compares with the results of `one`."""
    from reproduction import claims, figures
    from reproduction.runs import Run, execute_all

    def part(name, labels):
        def run(out, given):
            results = execute_all([Run(label, ("top",), (f"n={label}",)) for label in labels],
                                  out / name, given.jobs)
            others = given.results.get("one", {})
            given.results[name] = results
            figures.write_csv(out / f"{name}.csv", ["line", "x"], [("a", 1), ("a", 2)])
            return [claims.Claim(f"claim {name}", "p", f"x{value}, {len(others)} others",
                                 claims.at_least(float(value), 1, "x"))]
        return run
    return {"fake": {"one": part("one", "ab"), "two": part("two", "cd")},
            "more": {"three": part("three", "e")}}


def reproduce(bench, experiments=None, **more):
    from reproduction import schedule
    outcomes = {}
    with contextlib.redirect_stderr(io.StringIO()) as said:
        schedule.all_of_them(experiments or fakes(), lambda name: bench.folder / "out" / name,
                             options(**more), outcomes.__setitem__)
    return outcomes, said.getvalue()


def measured(outcome):
    return [claim.measured for claim in outcome.checked]


def case_resume(bench):
    outcomes, said = reproduce(bench)
    assert sorted(bench.ran()) == list("abcde") and "not again" not in said
    told = measured(outcomes["fake"])
    assert told == ["x1.00, 0 others", "x1.00, 2 others"], told
    again, said = reproduce(bench)
    assert bench.ran() == [] and measured(again["fake"]) == told, "nothing has changed"
    assert "2 not again: their results are there" in said
    assert again["fake"].done["one"].made["seeds"] == [5] and again["fake"].seconds >= 0
    reproduce(bench, again=True)
    assert sorted(bench.ran()) == list("abcde"), "--again runs all of it"
    out = bench.folder / "out/fake/two/c"
    (out / "latency.csv").unlink()
    reproduce(bench)
    assert bench.ran() == ["c"], "a file of the results is missing"
    for damage in ("", "{", '{"key": "other"}'):
        (out / "kept.json").write_text(damage, encoding="utf-8")
        reproduce(bench)
        assert bench.ran() == ["c"], damage
    reproduce(bench, part=["two"])
    assert bench.ran() == []
    # A run that fails ends its experiment, and no other one. Its old results do not count then.
    os.environ["BROKEN"] = "c"
    outcomes, _ = reproduce(bench, again=True)
    assert "no such thing" in outcomes["fake"].broken and not outcomes["more"].broken
    assert set(outcomes["fake"].done) == {"one"} and "c" in bench.ran()
    del os.environ["BROKEN"]
    outcomes, _ = reproduce(bench)
    assert "c" in bench.ran() and not outcomes["fake"].broken


def is_running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").split()[2] != "Z"
    except OSError:
        return False


def case_kill(bench):
    """kill -9 loses the runs under way, and leaves no program behind that goes on writing."""
    with subprocess.Popen([sys.executable, "-B", __file__, sys.argv[1], "victim", bench.folder],
                          env={**os.environ, "SLOW": "c"}, stderr=subprocess.DEVNULL) as victim:
        stamps, until = bench.folder / "out/fake", time.monotonic() + 20
        while not ((stamps / "two/d/kept.json").is_file() and "two/c" in bench.log.read_text()):
            assert time.monotonic() < until and victim.poll() is None
            time.sleep(0.01)
        victim.send_signal(signal.SIGKILL)
    slow = next(line.split()[1] for line in bench.log.read_text(encoding="utf-8").splitlines()
                if "two/c" in line)
    while is_running(slow):
        assert time.monotonic() < until, "a program outlives its caller"
        time.sleep(0.01)
    assert sorted(bench.ran()) == list("abcd")
    reproduce(bench, {"fake": fakes()["fake"]})
    assert bench.ran() == ["c"], "only what was under way"


def case_fingerprint(bench):
    from reproduction import kept
    out = bench.folder / "out/r"
    command = [os.environ["SSDVP"], "run", "top", "--out", str(out), "--trace",
               f"{bench.folder}/own.blk,format=plain", "--set", "run.seed=1"]

    def key(words=command, folder=out):
        kept.behind.cache_clear()
        return kept.fingerprint(words, folder)

    first, seen = key(), set()
    seen.add(first)
    for path in ("program", "top.yaml", "below.yaml", "traces/a.blk", "own.blk"):
        changed = bench.folder / path
        changed.write_text(changed.read_text(encoding="utf-8") + "# more\n", encoding="utf-8")
        assert key() not in seen, f"{path} has changed"
        seen.add(key())
    last = key()
    for words in ([*command[:-1], "run.seed=2"], [*command, "--idle"],
                  [word.replace("plain", "mqsim") for word in command],
                  [word.replace("top", "below") for word in command]):
        assert key(words) not in seen
        seen.add(key(words))
    (bench.folder / "aside.yaml").write_text("seed: 2\n", encoding="utf-8")
    assert key() == last, "no part of this run"
    elsewhere = [word.replace(str(out), "/elsewhere/r") for word in command]
    assert key(elsewhere, pathlib.Path("/elsewhere/r")) == last, "wherever its results lie"
    # Answers of programs that write nothing: the slow ones are kept.
    from reproduction import runs, work
    kept.WORTH = 0
    for times in (1, 0):
        with work.Session(1).part(work.Meter(), bench.folder / "answers"):
            assert runs.call([os.environ["SSDVP"], "--out", str(bench.folder / "o")]) == ""
        assert len(bench.ran()) == times


def case_cores(_):
    """Two programs at a time, of whichever part, and both cores busy; one part at a time judges."""
    from reproduction import schedule, work
    lock, now, most, judging = threading.Lock(), [0], [0], [0]

    def one(_):
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.02)
        with lock:
            now[0] -= 1

    def part(_out, given):
        for _ in range(3):
            judging[0] += 1
            assert judging[0] == 1, "two parts at once"
            time.sleep(0.005)
            judging[0] -= 1
            work.side_by_side(one, range(2), given.jobs)
        return []
    experiments = {name: {"p": part} for name in "abc"}
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()):
        for jobs in (2, 1):
            most[0] = 0
            schedule.all_of_them(experiments, lambda name: pathlib.Path(folder) / name,
                                 options(jobs=jobs), lambda *_: None)
            assert most[0] == jobs, most


def case_clock(_):
    from reproduction import schedule, work
    at = [0.0]
    keys = [("x", "a"), ("x", "b"), ("y", "c")]
    clock = schedule.Clock(dict(zip(keys, (600, 1200, None))), 2, lambda: at[0])
    assert clock.expected[keys[2]] == 900, "the mean of those that are known"
    assert abs(clock.left() - 2700 / 2) < 1, "two cores"
    # Half of the first part in 600 s: a machine half as fast, and that on one core.
    meter = clock.meters[keys[0]] = work.Meter()
    meter.planned, meter.runs, at[0] = 10, 5, 600
    speed = (0.99 * 300 + 60) / 630
    assert abs(clock.left() - (2700 - 0.99 * 300) / speed) < 1e-6
    assert clock.line().startswith("0 of 3 parts done, 71 min left; runs: x: a 5 of 10")
    # What was kept from before took no time: it says nothing of the machine.
    meter.kept = 5
    assert abs(clock.left() - (2700 - 0.99 * 300) / (60 / 630)) < 1e-6
    clock.done.update(keys)
    assert clock.left() == 0 and clock.line() == "3 of 3 parts done, 0 s left; runs: none"
    assert schedule.Clock({keys[0]: None}, 2).left() is None


def case_changes(_):
    from reproduction import results
    Told = results.Told
    before = {("p", "a"): Told("holds", "1,000 us, 2.50 times"), ("p", "b"): Told("holds", "5"),
              ("p", "c"): Told("does not hold", "x")}
    assert results.changes(before, before) == []
    now = {("p", "a"): Told("holds", "1,010 us, 2.00 times"),
           ("p", "b"): Told("does not hold", "5"), ("p", "d"): Told("holds", "7")}
    told = results.changes(now, before)
    assert len(told) == 4
    assert told[0] == ("p: a: 2.5 has become 2 (-20.0%)\n    was 1,000 us, 2.50 times\n"
                       "    now 1,010 us, 2.00 times"), told[0]
    assert told[1] == "p: b: holds -> does not hold; still 5"
    assert told[2] == "p: c: is not told any more" and told[3] == "p: d: is new: 7"
    assert results.by_how_much("3 of x", "3 of y") == "told in other words"
    assert results.by_how_much("0 wrong", "2 wrong") == "0 has become 2"
    assert results.by_how_much("-1.5e-3", "-1.5e-2") == "-0.0015 has become -0.015 (+900.0%)"


def case_committed(bench):
    from reproduction import results
    long = [(line, x, 2 * x) for line in ("A", "B") for x in range(3000)]
    rows, step = results.thinned([tuple(map(str, row)) for row in long], 12 << 10)
    assert step > 1 and sum(len(",".join(row)) + 2 for row in rows) < 13 << 10
    assert [row[1] for row in rows if row[0] == "B"][0::len(rows) // 2 - 1] == ["0", "2999"]
    assert results.thinned(rows, 12 << 10)[0][0] == ("A", "0", "0")
    outcomes, _ = reproduce(bench)
    names = fakes()["fake"]
    results.keep_full("fake", outcomes["fake"].out, outcomes["fake"].done, names)
    folder = results.RESULTS / "fake"
    assert {p.name for p in folder.iterdir()} == {"made.json", "claims.csv", "one.csv", "two.csv"}
    figures = results.figures_of(outcomes["fake"].done)
    assert results.committed("fake", False) == figures and len(figures) == 2
    made = results.made_of("fake")
    assert set(made) == {"one", "two"} and made["one"]["runs"] == 2 and made["one"]["date"]
    # One part anew: the other one stays, and so do its files.
    later, _ = reproduce(bench, fakes("2.00"), part=["two"])
    results.keep_full("fake", later["fake"].out, later["fake"].done, names)
    told = results.committed("fake", False)
    assert told["one", "claim one"].measured == "x1.00, 0 others"
    assert told["two", "claim two"].measured == "x2.00, 0 others"
    assert (folder / "one.csv").is_file()
    # A part that is no more goes, with its files.
    results.keep_full("fake", later["fake"].out, later["fake"].done, ["two"])
    assert not (folder / "one.csv").is_file() and set(results.made_of("fake")) == {"two"}
    results.keep_quick("fake", outcomes["fake"].done, names)
    results.keep_quick("more", outcomes["more"].done, ["three"])
    assert results.committed("fake", True) == figures
    results.keep_quick("fake", later["fake"].done, names)
    assert results.committed("fake", True) == told, "one part anew"
    assert set(results.seconds_of("fake", True)) == {"one", "two"}


MODULE = """# Of an experiment.
from . import figures, helper
CONFIG = ("top",)
def part(out, options):
    \"\"\"One.\"\"\"
    return 1
"""


def case_stale(bench):
    """A result says by what it was shaped: code, configurations; a full one: quick figures."""
    from reproduction import pages, results, shaped
    shaped.HERE = bench.folder

    def write(name, text):
        (bench.folder / name).write_text(text, encoding="utf-8")

    def stale():
        shaped.kept.behind.cache_clear()
        return results.stale(experiments)

    write("made_up.py", MODULE)
    write("helper.py", "SIZES = (1, 2)\n")
    experiments = {"fake": {"one": fakes()["fake"]["one"]}}
    experiments["fake"]["one"].__module__ = "reproduction.made_up"
    quick, full = "scripts/reproduce fake --quick --keep --part one", \
        "scripts/reproduce fake --keep --part one"
    assert stale() == [], "nothing is committed"

    def keep():
        outcome = reproduce(bench, experiments, quick=True)[0]["fake"]
        results.keep_quick("fake", outcome.done, experiments["fake"])
        outcome = reproduce(bench, experiments)[0]["fake"]
        results.keep_full("fake", outcome.out, outcome.done, experiments["fake"])
        assert stale() == []
    keep()
    for name, text in (("made_up.py", MODULE.replace("experiment", "paper").replace("One", "1")),
                       ("figures.py", "COLOURS = 3\n"), ("aside.yaml", "seed: 9\n"),
                       ("top.yaml", "extends: below   # more\nnand:\n  current:\n    io: 3mA\n"
                        "energy:\n  link:\n    active: 1W\n")):
        write(name, text)
        assert stale() == [], f"{name}: that shapes nothing"
    for name, text in (("made_up.py", MODULE.replace("return 1", "return 2")),
                       ("helper.py", "SIZES = (1, 2, 3)\n"), ("below.yaml", "seed: 7\n"),
                       ("top.yaml", "extends: below\nn: 1\n")):
        write(name, text)
        assert stale() == [quick, full], name
        keep()
    # The program has changed: the suite tells of the quick figures, and these of the full ones.
    def changed(value):
        experiments["fake"]["one"] = fakes(value)["fake"]["one"]
        experiments["fake"]["one"].__module__ = "reproduction.made_up"
        outcome = reproduce(bench, experiments, quick=True)[0]["fake"]
        results.keep_quick("fake", outcome.done, experiments["fake"])

    assert pages.since("fake", results.made_of("fake")) == ""
    changed("1.25")
    assert stale() == [], "the verdicts are the same"
    assert pages.since("fake", results.made_of("fake")) == \
        " Figures of the quick run have moved since: one by up to 20.0%."
    changed("0.90")
    assert stale() == [full], "another verdict"


def case_pictures(bench):
    """Of the figures in full size, those that a page shows."""
    from reproduction import pages, pictures
    pages.PAGES = pictures.FOLDER = bench.folder
    (bench.folder / "page.md").write_text("![a](pictures/fake-one.png)\n", encoding="utf-8")
    kept = []
    pictures.reduced = lambda source, target: kept.append((source.name, target.name))
    outcomes, _ = reproduce(bench)
    for name, outcome in outcomes.items():
        pictures.keep(name, outcome.out, outcome.done)
    assert kept == [("one.png", "fake-one.png")], kept
    assert pictures.name_of("fake", "fake-two.csv") == "fake-two.png"


def case_command(bench):
    """Exit codes and what the table of all experiments says."""
    from reproduction import __main__ as command
    from reproduction import pages
    pages.write = lambda: None

    def call(value, *words):
        command.EXPERIMENTS.clear()
        command.EXPERIMENTS.update(fakes(value))
        with contextlib.redirect_stdout(io.StringIO()) as said, \
                contextlib.redirect_stderr(io.StringIO()):
            code = command.main(["all", "--jobs", "2", "--out", str(bench.folder / "out"), *words])
        lines = said.getvalue().splitlines()
        return code, said.getvalue(), {line.split()[0]: line for line in lines[-2:]}

    code, _, rows = call("1.00")
    assert code == 0 and "none committed" in rows["fake"], rows
    assert call("1.00", "--keep")[0] == 0
    code, said, rows = call("1.00")
    assert code == 0 and "as committed" in rows["fake"] and "differ" not in said
    assert "\nfigures: as committed\n" in said
    code, said, rows = call("1.10")
    assert code == 3 and "2 changed" in rows["fake"] and "1 changed" in rows["more"], rows
    assert "one: claim one: 1 has become 1.1 (+10.0%)" in said
    code, _, rows = call("0.90")
    assert code == 1 and "claim one; claim two" in rows["fake"], "a binding claim does not hold"
    assert call("1.20", "--quick", "--keep")[0] == 0, "quick results are others"
    assert call("1.20", "--quick")[0] == 0 and call("1.20")[0] == 3
    assert call("1.20", "--keep")[0] == 0 and call("1.20")[0] == 0, "accepted"


def case_tables(bench):
    from reproduction import overview, pages, results
    begin, end = pages.between("n")
    assert pages.filled(f"x\n{begin}\nold\n{end}\ny\n", "n", "new") == \
        f"x\n{begin}\n\nnew\n\n{end}\ny\n"
    try:
        pages.filled("nothing", "n", "t")
    except SystemExit as told:
        assert "there is no line <!-- claims n" in str(told)
    else:
        raise AssertionError("a page without marks")
    assert pages.claims_table("vm-map") == pages.NOTHING
    marked = "a\n<!-- data x/y.csv: scripts/reproduce writes this, a test compares it -->\n{}" \
        "<!-- end of data -->\nb\n"
    assert pages.data_filled(marked.format("old\n")) == marked.format(f"\n{pages.NOTHING}\n\n")
    (results.RESULTS / "x").mkdir(parents=True)
    (results.RESULTS / "x/y.csv").write_text("k,v\na|b,1.23456\nc,12345.6\n3,1e-05\n")
    assert pages.data_filled(marked.format("")) == marked.format(
        "\n| k | v |\n|---|---|\n| a\\|b | 1.235 |\n| c | 12,346 |\n| 3 | 1e-05 |\n\n")
    folder = results.RESULTS / "vm-map"
    results.write_json(folder / "made.json", {"parts": {"dram": {
        "commit": "abc", "date": "2026-01-02", "seconds": 150, "runs": 5, "seeds": [1],
        "options": {"load": "own"}, "files": [], "quick": {}}}})
    rows = [("dram", "a", "p", "1 | 2", "none", "r", "holds", "", ""),
            ("dram", "b", "p", "m", "none", "r", "does not hold", "", ""),
            ("dram", "c", "p", "m", "none", "r", "does not hold", "", "the load"),
            ("dram", "d", "p", "m", "none", "r", "cannot be tested", "too few", "")]
    with (folder / "claims.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([results.COLUMNS, *rows])
    lines = pages.claims_table("vm-map").splitlines()
    assert "commit abc of 2026-01-02: 5 runs, seed 1, 2 min of one core" in lines[0], lines[0]
    assert "4 claims: 1 hold, 2 do not hold, 1 cannot" in " ".join(lines)
    assert "| a | p | 1 \\| 2 | none | r | **holds** |" in lines
    assert lines[-2].endswith("**does not hold**; not binding, left open: the load |")
    assert lines[-1].endswith("| **cannot be tested**; too few |")
    told = [line for line in pages.papers_table().splitlines() if "| vm-map |" in line]
    assert "| vm-map | 4 | 1 | 2 | 1 | 1 of 3: b | abc of 2026-01-02 | 2 min |" in told[0], told
    page = overview.page()
    assert "\n4 claims, of which 1 hold, 2 do not, and 1 cannot be tested; of the binding ones 1 " \
        "do not hold.\n" in page, page[:900]
    assert "### vm-map\n\n**dram.** Commit abc of 2026-01-02, 5 runs, seed 1, load own, 2 min of " \
        "one core.\n\n| claim |" in page
    assert "| a | p | 1 \\| 2 | **holds** |\n| b | p | m | **does not hold** |\n" \
        "| c | p | m | **does not hold**; not binding |\n" in page
    assert f"### suspend\n\n{pages.NOTHING}\n" in page
    assert "](pictures/vm-map-reads.png)" in page


def case_pages(_):
    """The documents say what is committed; what is committed is complete, and not large."""
    from reproduction import pages, pictures, results
    from reproduction.experiments import EXPERIMENTS, PAPERS
    assert sorted(name for paper in PAPERS for name in paper.experiments) == sorted(EXPERIMENTS)
    stale = results.stale(EXPERIMENTS)
    assert not stale, "committed results were shaped by what is no more; " + "; ".join(stale)
    for path, text in pages.pages().items():
        assert path.read_text(encoding="utf-8") == text, (
            f"{path} is not what is committed: scripts/reproduce pages writes it")
    quick = results.read_json(results.RESULTS / "quick.json")
    for name, parts in EXPERIMENTS.items():
        assert list(quick.get(name, {})) == list(parts), f"quick.json: {name}; scripts/reproduce " \
            f"{name} --quick --keep writes it"
        assert set(results.made_of(name)) <= set(parts), name
    # Of two cores: ten minutes, and three hours.
    for quick_ones, hours in ((True, 1 / 6), (False, 3)):
        seconds = sum(s for name in EXPERIMENTS
                      for s in results.seconds_of(name, quick_ones).values())
        assert seconds / 2 <= 3600 * hours, f"{seconds} s of a core"
    drawn = {pictures.name_of(name, data) for name in EXPERIMENTS
             for entry in (*quick[name].values(), *results.made_of(name).values())
             for data in entry["files"]}
    there = {path.name for path in pictures.FOLDER.iterdir()}
    assert pictures.shown() == there, f"shown or there only: {pictures.shown() ^ there}"
    assert there <= drawn, f"no experiment draws {there - drawn}"
    size = sum(path.stat().st_size for path in results.RESULTS.rglob("*") if path.is_file())
    assert size < 1_000_000, f"{size} bytes of committed results"


def main():
    root, case = sys.argv[1:3]
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(pathlib.Path(root) / "papers"))
    if case == "pages":
        case_pages(None)
    elif case == "victim":
        reproduce(Bench(sys.argv[3]), {"fake": fakes()["fake"]})
    else:
        with tempfile.TemporaryDirectory() as folder:
            globals()[f"case_{case}"](Bench(folder))


if __name__ == "__main__":
    main()
