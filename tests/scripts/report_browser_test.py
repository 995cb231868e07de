#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of scripts/report in headless Chromium: of a run, of several, of hostile files.

Usage: report_browser_test.py ROOT SSDVP CASE [PICTURES: a folder for screenshots to look at]"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from browser import Browser

ROOT, SSDVP, CASE = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3]
PICTURES = pathlib.Path(sys.argv[4]) if len(sys.argv) > 4 else None
WIDE, PHONE = 1280, 360
# A folded section still has its text: numbers are read of the whole document.
NUMBERS = """return Array.from(document.querySelectorAll("data[data-key]"), (e) =>
  [e.dataset.key, e.getAttribute("value"), e.textContent]);"""
# What sticks out to the right of the window, but for what scrolls by itself.
WIDE_ELEMENTS = """return Array.from(document.querySelectorAll("body *"))
  .filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, .skip")
    && !e.closest("svg"))
  .map((e) => e.outerHTML.slice(0, 120));"""
CUT_OFF = """return Array.from(document.querySelectorAll("figure > .plot")).filter((p) => {
  const svg = p.querySelector("svg.main-svg");
  return !svg || svg.getBoundingClientRect().right > p.getBoundingClientRect().right + 1
    || p.querySelectorAll(".plot .trace, .plot .hm, .plot .point, .plot image").length === 0;
}).map((p) => p.id);"""


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def simulate(folder, *words):
    subprocess.run([SSDVP, "run", "device/tiny", "--out", folder, "--quiet", *words],
                   cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def report(*folders):
    done = subprocess.run([sys.executable, "-B", "-m", "ssdvp.report", *folders], text=True,
                          check=True, env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
                          stdout=subprocess.PIPE)
    return done.stdout.strip()


def shown(browser, file, width, dark):
    """Opens the page and waits until all figures are drawn."""
    browser.open(file, width, 900, dark)
    browser.wait_until("document.documentElement.dataset.drawn")
    said = browser.messages()
    expect(not said, f"console at {width}: {said}")
    drawn = browser.run("return [Number(document.documentElement.dataset.drawn), "
                        "document.querySelectorAll('figure > .plot').length]")
    expect(drawn[0] == drawn[1] > 5, f"figures drawn, and there: {drawn}")
    expect(browser.run("return document.getElementById('trouble').hidden"), "trouble is told")
    over = browser.run("return document.documentElement.scrollWidth - innerWidth")
    expect(over <= 0, f"{over} px wider than {width}")
    expect(not browser.run(WIDE_ELEMENTS), f"at {width}: {browser.run(WIDE_ELEMENTS)}")
    expect(not browser.run(CUT_OFF), f"at {width}: {browser.run(CUT_OFF)}")
    ground = browser.run("return getComputedStyle(document.body).backgroundColor")
    expect((ground == "rgb(20, 23, 27)") == dark, f"dark {dark}: {ground}")
    if PICTURES:
        height = browser.run("return document.documentElement.scrollHeight")
        for i, y in enumerate(range(0, height, 1600)):
            name = f"{pathlib.Path(file).stem}-{width}-{'dark' if dark else 'light'}-{i}.png"
            (PICTURES / name).write_bytes(browser.picture(0, y, width, min(1600, height - y)))


def of_summary(summary, pointer):
    value = summary
    for name in pointer.strip("/").split("/"):
        value = value[int(name)] if isinstance(value, list) else value[name]
    return value


def case_run(d):
    """One run: every number of the page is that of summary.json."""
    simulate(d / "run", "--requests", "1500", "--series", d / "run/series.csv", "--worst", "20",
             "--wear", d / "run/wear.csv", "--fw-profile", d / "run/fw",
             "--set", "energy.core.active=150mW", "--set", "workload.trim_fraction=0.05",
             "--set", "workload.flush_every=50")
    page = report(d / "run")
    summary = json.loads((d / "run/summary.json").read_text())
    with Browser() as browser:
        shown(browser, page, WIDE, False)
        numbers = browser.run(NUMBERS)
        expect(len(numbers) > 150, f"{len(numbers)} numbers")
        for key, value, text in numbers:
            expect(json.loads(value) == of_summary(summary, key), f"{key}: {value}")
            expect(text.strip(), f"{key} has no text")
        keys = {n[0] for n in numbers}
        for kind in ("read", "write", "trim", "flush"):
            for name in ("iops", "latency_ns/p99.9", "latency_ns/max", "parts_ns/firmware"):
                expect(f"/host/{kind}/{name}" in keys, f"{kind}: no {name}")
        limit = browser.run("return document.querySelector('.verdict').dataset.text")
        expect(limit == summary["bottleneck"]["text"], limit)
        told = browser.run("return Array.from(document.querySelectorAll('[data-warning]'), "
                           "(e) => e.dataset.warning)")
        expect(told == [w["code"] for w in summary["validity"]["warnings"]], f"warnings {told}")
        everything_drawn(browser)
        tail_adds_up(browser, summary)
        by_keyboard(browser)
        data_of_figures(browser, d)
        shown(browser, page, PHONE, False)
        shown(browser, page, PHONE, True)
        shown(browser, page, WIDE, True)


def everything_drawn(browser):
    names = browser.run("return Array.from(document.querySelectorAll('figure > .plot'), "
                        "(e) => e.id)")
    for name in ("limits", "tail", "tail-read", "latency", "parts", "throughput", "latency-read",
                 "in-flight", "free", "buffer", "waf", "own-work", "busy", "core-load", "watts",
                 "luns", "wear", "wear-map", "firmware", "energy"):
        expect(f"plot-{name}" in names, f"no figure {name}: {names}")
    bare = browser.run("return Array.from(document.querySelectorAll('figure > .plot'))"
                       ".filter((e) => e.getAttribute('role') !== 'img' || "
                       "!document.getElementById("
                       "e.getAttribute('aria-describedby')).textContent.trim()).map((e) => e.id)")
    expect(not bare, f"without a text alternative: {bare}")
    bare = browser.run("return Array.from(document.querySelectorAll('table')).filter((t) => "
                       "!t.caption || !t.caption.textContent.trim()).length")
    expect(bare == 0, f"{bare} tables without a caption")


def tail_adds_up(browser, summary):
    """The parts of all requests, from latency_parts.csv, are those of the summary."""
    told = browser.run("return Array.from(document.querySelectorAll(\"[data-tail='1']\"), (e) => "
                       "[e.dataset.part, Number(e.value)])")
    kinds = [k for k in summary["host"].values() if isinstance(k, dict) and "parts_ns" in k]
    total = sum(k["latency_ns"]["mean"] * k["requests"] for k in kinds)
    expect(len(told) > 3, f"parts {told}")
    for part, share in told:
        spent = sum(k["parts_ns"][part] * k["requests"] for k in kinds)
        expect(abs(share - spent / total) < 2e-6, f"{part}: {share}, {spent / total}")


def press(browser, key):
    for kind in ("keyDown", "keyUp"):
        browser.devtools("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                         windowsVirtualKeyCode={"Tab": 9, "Enter": 13}[key],
                         text="\r" if key == "Enter" else "")


def by_keyboard(browser):
    """The first stop leads past the links; the switch works without a mouse and stays."""
    focused = "return document.activeElement.%s"
    press(browser, "Tab")
    expect(browser.run(focused % "className") == "skip", "the first stop is not the skip link")
    press(browser, "Enter")
    expect(browser.run(focused % "id") == "main", "the skip link does not lead to the results")
    browser.run("document.getElementById('theme').focus()")
    press(browser, "Enter")
    expect(browser.run("return document.documentElement.dataset.theme") == "dark", "not dark")
    browser.wait_until("document.documentElement.dataset.drawn")
    press(browser, "Enter")
    expect(browser.run("return document.documentElement.dataset.theme") == "light", "not light")
    browser.wait_until("document.documentElement.dataset.drawn")
    browser.run("localStorage.clear()")


def data_of_figures(browser, d):
    """Each figure gives its data and pictures; what is saved is what was drawn."""
    saved = d / "saved"
    saved.mkdir()
    browser.devtools("Page.setDownloadBehavior", behavior="allow", downloadPath=str(saved))
    for kind in ("csv", "svg", "png"):
        browser.run("document.querySelector(arguments[0]).click()",
                    f"button[data-save={kind}][data-of=limits]")
    wanted = {f"limits.{kind}" for kind in ("csv", "svg", "png")}
    for _ in range(100):
        if wanted <= {p.name for p in saved.iterdir()}:
            break
        browser.run("return new Promise((done) => setTimeout(done, 100))")
    expect(wanted <= {p.name for p in saved.iterdir()}, f"saved: {list(saved.iterdir())}")
    lines = (saved / "limits.csv").read_text().splitlines()
    expect(lines[0] == "series,x,y,value", lines[0])
    drawn = browser.run("const t = document.getElementById('plot-limits').data[0]; "
                        "return t.x.map((x, i) => `busy,${x},${t.y[i]},`)")
    expect(lines[1:] == drawn and len(drawn) > 4, f"{lines[1:]}, {drawn}")
    expect("<svg" in (saved / "limits.svg").read_text(), "no SVG")
    expect((saved / "limits.png").read_bytes().startswith(b"\x89PNG"), "no PNG")


def case_several(d):
    """Two configurations with two seeds each: the means are those of the summaries."""
    folders = []
    for luns in ("1", "2"):
        for seed in ("1", "2"):
            folders.append(d / f"{luns}-{seed}")
            simulate(folders[-1], "--requests", "1000", "--seed", seed, "--series",
                     folders[-1] / "series.csv", "--set", f"flash.luns_per_channel={luns}")
    page = report(*folders)
    found = [json.loads((f / "summary.json").read_text())["host"]["read"]["iops"]
             for f in folders]
    with Browser() as browser:
        for width, dark in ((WIDE, False), (PHONE, True)):
            shown(browser, page, width, dark)
            means = browser.run("return Array.from(document.querySelectorAll("
                                "\"[data-mean='/host/read/iops']\"), (e) => "
                                "[e.dataset.group, Number(e.value)])")
            expect([m[0] for m in means] == ["luns_per_channel 1", "luns_per_channel 2"],
                   f"groups {means}")
            for (_, mean), pair in zip(means, (found[:2], found[2:])):
                expect(abs(mean - sum(pair) / 2) < 1e-6, f"{mean}, {pair}")


# Ends what it stands in, whichever quotes that has, and says so.
HOSTILE = """'"></td><img src=x onerror="alert(1)"><script>alert(1)</script>""" \
          """<a href='javascript:alert(1)'>@blue</a><extra>"""


def with_words_of(value, hostile):
    """Every word of a summary replaced, and every name that a run may choose."""
    if isinstance(value, dict):
        chosen = ("overrides", "parts_ns", "chain", "by_purpose", "energy_j")
        return {k: {HOSTILE + name: with_words_of(v, hostile) for name, v in inner.items()}
                if k in chosen and "total" not in inner else with_words_of(inner, hostile)
                for k, inner in value.items()}
    if isinstance(value, list):
        return [with_words_of(v, hostile) for v in value]
    return hostile + value if isinstance(value, str) else value


def make_hostile(folder):
    summary = json.loads((folder / "summary.json").read_text())
    stream = {"name": "s", "read": summary["host"]["read"]}
    summary["host"]["streams"] = [stream, stream]
    summary["violations"] = ["v"]
    schema = summary["schema"]
    (folder / "summary.json").write_text(json.dumps({**with_words_of(summary, HOSTILE),
                                                     "schema": schema}))
    quoted = '"' + HOSTILE.replace('"', '""')
    parts = summary["host"]["read"]["parts_ns"]
    for name in ("latency_parts.csv", "worst.csv", "worst_meanwhile.csv", "fw/functions.csv"):
        head, *lines = [line.split(",") for line in (folder / name).read_text().splitlines()]
        words = [i for i, n in enumerate(head) if n in ("operation", "action", "blocked_by",
                                                        "function", "where", "status")]
        head = [f'{quoted}{n}"' if n.removesuffix("_ns") in parts else n for n in head]
        lines = [[f'{quoted}{c}"' if i in words else c for i, c in enumerate(line)]
                 for line in lines]
        (folder / name).write_text("\n".join(",".join(line) for line in [head, *lines]) + "\n")
    config = (folder / "config.resolved.yaml").read_text().splitlines()
    (folder / "config.resolved.yaml").write_text("\n".join(
        f'{line.split(": ")[0]}: {HOSTILE}' if ": " in line else line for line in config) + "\n")


def stays_text(browser, page):
    """Everything of the files is shown as it is; nothing of it is an element or runs."""
    browser.open(page, WIDE, 900)
    browser.wait_until("document.documentElement.dataset.drawn")
    expect(not browser.messages(), "the console says something")
    drawn = browser.run("return Number(document.documentElement.dataset.drawn)")
    expect(drawn > 4, f"{drawn} figures")
    strange = browser.run("return Array.from(document.querySelectorAll("
                          "'img, svg a, main a, td script, a[href^=javascript]'), "
                          "(e) => e.outerHTML)")
    expect(not strange, f"elements of a file: {strange[:3]}")
    for place in ("table", "figure svg.main-svg"):
        shown_there = browser.run("return Array.from(document.querySelectorAll(arguments[0]), "
                                  "(e) => e.textContent).join()", place)
        expect(HOSTILE in shown_there, f"not as it is in {place}")


def hovers_stay_text(browser):
    for name in browser.run("return Array.from(document.querySelectorAll('figure > .plot'), "
                            "(e) => e.id)"):
        said = browser.run("""const place = document.getElementById(arguments[0]);
          Plotly.Fx.hover(place, place.data.map((_, i) => ({curveNumber: i, pointNumber: 0})));
          return place.querySelector(".hoverlayer").textContent;""", name)
        if name in ("plot-parts", "plot-tail", "plot-streams"):
            expect(HOSTILE in said, f"the hover of {name} says {said}")
    expect(not browser.run("return document.querySelectorAll('svg a, img').length"), "a hover")


def policy_holds(browser):
    """Script that got into the page all the same does not run."""
    ran = browser.run("""const script = document.createElement("script");
      script.textContent = "window.hit = 1";
      document.head.append(script);
      const box = document.createElement("div");
      box.innerHTML = "<img src='data:,' onerror='window.hit = 2'>";
      document.body.append(box);
      return new Promise((done) => setTimeout(() => done(window.hit || 0), 200));""")
    expect(ran == 0, "the page's policy lets script run that is not its own")


def case_hostile(d):
    """A folder from somebody else, with markup in each name and word of its files."""
    run = d / "run"
    simulate(run, "--requests", "200", "--worst", "5", "--fw-profile", run / "fw",
             "--set", "energy.core.active=150mW", "--no-state-cache")
    make_hostile(run)
    page = report(run)
    with Browser() as browser:
        stays_text(browser, page)
        hovers_stay_text(browser)
        policy_holds(browser)


def main():
    with tempfile.TemporaryDirectory() as folder:
        globals()["case_" + CASE](pathlib.Path(folder).resolve())


main()
