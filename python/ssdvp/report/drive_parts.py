# SPDX-License-Identifier: Apache-2.0
"""Sections of what the drive did: over time, flash, wear, cache, cores, energy, link, checks."""
from ssdvp.report import figures, meanwhile, time_figures, units
from ssdvp.report.figures import figure, short
from ssdvp.report.firmware_figure import firmware
from ssdvp.report.markup import html, joined, words
from ssdvp.report.page import at, number, pointer, table
from ssdvp.report.rows import CACHE_WORDS, FLASH_WORDS, LINK_WORDS


def known_rows(run, words, base=""):
    return [[label, number(run, base + key, text)] for key, label, text in words
            if at(run.summary, base + key) is not None]


def over_time(page, run):
    page.section("over-time", "Over time")
    if not run.series:
        page.quiet("No series.csv in this folder: --series DIR/series.csv brings these figures.")
        return
    plan = time_figures.Plan(run.series)
    page.draw(time_figures.throughput(plan), time_figures.bandwidth(plan),
              *[time_figures.latency(plan, k) for k in run.kinds() if k != "trim"],
              *time_figures.gauges(plan), time_figures.write_amplification(plan),
              time_figures.own_work(plan), time_figures.busy(plan), time_figures.cores(plan),
              time_figures.watts(plan), time_figures.heat(plan))
    page.section("luns", "LUNs over time")
    drawn = time_figures.lun_map(plan)
    page.draw(drawn)
    if not drawn:
        page.quiet("The run kept no load of single LUNs over time.")


def worst_requests(page, run):
    page.section("worst", "The slowest requests, one by one")
    if not run.worst:
        page.quiet("No worst.csv in this folder: --worst K brings the K slowest requests.")
        return
    worst = run.worst
    rows = []
    for i in range(min(len(worst["latency_ns"]), 50)):
        parts = {p: worst.get(f"{p}_ns", [0] * (i + 1))[i] or 0 for p in run.part_names()}
        most = sorted(parts, key=lambda p, parts=parts: -parts[p])[:2]
        total = sum(parts.values()) or 1.0
        said = ", ".join(f"{p} {units.whole_share(parts[p] / total)}" for p in most
                         if parts[p] >= 0.01 * total)
        lun = "–" if worst["lun"][i] is None else "/".join(
            meanwhile.whole(worst[k][i]) for k in ("channel", "lun"))
        rows.append([f"{worst['sequence'][i]:.0f}", worst["kind"][i],
                     units.time(worst["latency_ns"][i]), units.time(worst["arrival_ns"][i]),
                     words(said), lun, words(worst["blocked_by"][i]),
                     units.time(worst["blocked_ns"][i] or 0),
                     meanwhile.cell(meanwhile.of_request(run, worst["sequence"][i]),
                                    worst["latency_ns"][i])])
    page.add(table(f"{len(rows)} of {len(worst['latency_ns'])} requests in worst.csv, the slowest "
                   "first", ["request", "kind", "latency", "arrived at", "most of its time",
                             "channel/LUN", "waited longest for", "so long",
                             "its LUN did meanwhile"], rows))
    meanwhile.piece_by_piece(page, run)
    page.quiet("Follow one of them: run again with --timeline DIR/t.pftrace.gz --timeline-window "
               "slowest=1 for ui.perfetto.dev, and with --vcd DIR/w.vcd --vcd-window slowest=1 for "
               "GTKWave or Surfer; the same configuration and seed give the same requests.")


def flash(page, run):
    page.section("flash", "Flash and collection")
    purposes = at(run.summary, "/flash/by_purpose") or {}
    used = [p for p, v in purposes.items() if any(v.values())]
    rows = [[p, *[number(run, pointer("flash", "by_purpose", p, k), units.count)
                  for k in ("reads", "programs", "erases")],
             number(run, pointer("flash", "by_purpose", p, "bytes_programmed"), units.data)]
            for p in used]
    page.beside(table("Flash operations by purpose",
                      ["", "reads", "programs", "erases", "programmed"], rows),
                table("Flash and firmware's own work", None, known_rows(run, FLASH_WORDS)))


def wear(page, run):
    page.section("wear", "Wear")
    rows = known_rows(run, (("min", "fewest erases of a block", units.count),
                            ("mean", "mean", units.digits),
                            ("max", "most erases of a block", units.count),
                            ("stdev", "standard deviation", units.digits)), "/ftl/wear/")
    if rows:
        page.add(table("Erases per block since the drive was made", None, rows))
    page.draw(wear_histogram(run), wear_map(run))
    if not run.wear:
        page.quiet("No wear.csv in this folder: --wear DIR/wear.csv brings the wear of each block.")


def wear_histogram(run):
    counts = {}
    if run.wear:
        for erases in good_blocks(run.wear):
            counts[int(erases or 0)] = counts.get(int(erases or 0), 0) + 1
    else:
        for entry in at(run.summary, "/ftl/wear/histogram") or []:
            counts[entry["erases"]] = entry["blocks"]
    if not counts:
        return None
    low, high = min(counts), max(counts)
    width = -(-(high - low + 1) // 60)
    bars = {}
    for erases, blocks in sorted(counts.items()):
        start = low + (erases - low) // width * width
        bars[start] = bars.get(start, 0) + blocks
    centre = [s + (width - 1) / 2 for s in bars]
    trace = {"type": "bar", "name": "blocks", "x": centre, "y": list(bars.values()),
             "width": [width * 0.95] * len(bars), "marker": {"color": "@blue"},
             "hovertemplate": "%{x} erases: %{y} blocks<extra></extra>"}
    return figure("wear", "How evenly blocks are worn",
                  f"Blocks by their number of erases, from {low:,} to {high:,}.", [trace],
                  {"xaxis": {"title": {"text": "erases of a block"}},
                   "yaxis": {"title": {"text": "blocks"}, "rangemode": "tozero"}})


def good_blocks(wear_columns):
    """Erases of the blocks that the factory did not mark as bad."""
    bad = wear_columns.get("factory_bad", [0] * len(wear_columns["erases"]))
    return [e for e, b in zip(wear_columns["erases"], bad) if not b]


def wear_map(run):
    """Erases by LUN and block; planes of a LUN are rows of their own."""
    if not run.wear:
        return None
    rows = {}
    for c, lun, plane, block, erases in zip(*(run.wear[k] for k in ("channel", "lun", "plane",
                                                                    "block", "erases"))):
        rows.setdefault((int(c), int(lun), int(plane)), {})[int(block)] = erases
    blocks = 1 + max(b for row in rows.values() for b in row)
    step = max(1, -(-blocks * len(rows) // time_figures.HEAT_CELLS))
    labels = [f"{c}/{lun}/{plane}" for c, lun, plane in rows]
    cells = []
    for row in rows.values():
        known = [[] for _ in range(0, blocks, step)]
        for block, erases in row.items():
            known[block // step].append(erases)
        cells.append([short(sum(v) / len(v)) if v else None for v in known])
    trace = {"type": "heatmap", "z": cells, "y": labels, "x": list(range(0, blocks, step)),
             "colorscale": "Cividis", "colorbar": {"thickness": 12},
             "hovertemplate": "LUN %{y}, block %{x}: %{z} erases<extra></extra>"}
    return figure("wear-map", "Wear of each block", "From dark, few erases, to bright, many.",
                  [trace], {"xaxis": {"title": {"text": "block"}},
                            "yaxis": {"title": {"text": "channel/LUN/plane"}, "type": "category",
                                      "autorange": "reversed"}},
                  min(900, 150 + 12 * max(6, len(rows))))


def cache(page, run):
    page.section("cache", "Buffer")
    policy = at(run.summary, "/cache/policy")
    if not policy:
        page.quiet("This drive has no buffer (cache.policy: none).")
        return
    page.add(table(f"Buffer with the policy {policy}", None,
                   known_rows(run, CACHE_WORDS, "/cache/")))


def cores(page, run):
    page.section("cores", "Cores and firmware")
    rows = [[f"core {i}" + (f", {core['role']}" if "role" in core else ""),
             core.get("core", "–"), number(run, f"/cpu/{i}/busy", units.share),
             number(run, f"/cpu/{i}/instructions", units.count_short),
             number(run, f"/cpu/{i}/cycles", units.count_short)]
            for i, core in enumerate(run.summary.get("cpu", []))]
    page.add(table("Cores", ["", "type", "busy", "instructions", "cycles"], rows))
    firmware(page, run)


def energy(page, run):
    page.section("energy", "Energy")
    joules = run.summary.get("energy_j")
    if not joules:
        page.quiet("Not counted: the configuration does not say what the parts draw "
                   "(docs/energy.md).")
        return
    groups = [(g, v) for g, v in joules.items() if isinstance(v, dict)]
    rows = [[f"{g}: {part}", number(run, pointer("energy_j", g, part), units.energy),
             units.share(v / (joules.get("total") or 1))]
            for g, parts in groups for part, v in parts.items() if isinstance(v, (int, float))]
    rows += [["all", number(run, "/energy_j/total", units.energy), "100 %"]]
    rows += [[label, number(run, f"/energy_j/{key}", text), ""] for key, label, text in
             (("mean_w", "mean power", units.power),
              ("per_request", "per request", units.energy),
              ("per_host_gb", "per GB of the host", units.energy)) if joules.get(key) is not None]
    page.draw(energy_figure(groups, joules))
    page.add(table("Energy by part", ["", "energy", "share"], rows))


def energy_figure(groups, joules):
    names = [g for g, _ in groups]
    parts = [(g, p, v) for g, own in groups for p, v in own.items() if isinstance(v, (int, float))]
    whole = joules.get("total") or 1
    traces = [{"type": "bar", "orientation": "h", "name": f"{g}: {p}", "y": [g], "x": [short(v)],
               "marker": {"color": figures.colour_of(i), "line": {"width": 1, "color": "@page"}},
               "customdata": [units.energy(v)],
               "hovertemplate": "%{fullData.name}: %{customdata}<extra></extra>"}
              for i, (g, p, v) in enumerate(e for e in parts if e[2] >= 0.002 * whole)]
    most = max(parts, key=lambda e: e[2], default=None)
    says = "" if most is None else (
        f"{most[0]}, {most[1]} takes most: {units.energy(most[2])}, "
        f"{units.share(most[2] / whole)} of all.")
    return figure("energy", "Who draws it", says, traces,
                  {"barmode": "stack", "xaxis": {"title": {"text": "joules"}},
                   "yaxis": {"type": "category", "autorange": "reversed"}}, 90 + 40 * len(names))


def link(page, run):
    page.section("link", "Link")
    rows = known_rows(run, LINK_WORDS, "/link/")
    if rows:
        page.add(table("The link to the host", None, rows))
    else:
        page.quiet("This drive has no modelled link.")


def checks(page, run):
    page.section("checks", "Is it true?")
    said = []
    checked = at(run.summary, "/integrity/sectors_checked")
    if checked is None:
        said.append(("quiet", "The data were not compared (data: none)."))
    else:
        wrong = run.summary["integrity"]["mismatches"]
        said.append(("bad" if wrong else "good", html(
            "{} sectors that were read are compared with what was written: {} differ.",
            number(run, "/integrity/sectors_checked", units.count),
            number(run, "/integrity/mismatches", units.count))))
    violated = run.summary.get("violations", [])
    said.append(("bad", f"{len(violated)} identities do not hold: "
                 + "; ".join(map(str, violated))) if violated else
                ("good", "All identities hold: parts add up to latencies, flash operations to "
                         "their purposes."))
    faults = at(run.summary, "/faults/count")
    if faults:
        said.append(("bad", html("{} modelled errors since power-on.",
                                 number(run, "/faults/count", units.count))))
    page.add(joined(html('<p class="{}">{}</p>', c, told) for c, told in said))
    rows = known_rows(run, (("cuts", "power cuts", units.count),
                            ("shutdowns", "clean shutdowns", units.count),
                            ("torn_pages", "torn pages", units.count),
                            ("lost_requests", "requests without a completion", units.count),
                            ("ready_ns/mean", "ready after, mean", units.time),
                            ("ready_ns/max", "ready after, longest", units.time)), "/power/")
    if rows:
        page.add(table("Power", None, rows))
