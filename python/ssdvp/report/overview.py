# SPDX-License-Identifier: Apache-2.0
"""The top of the page: what limits the drive, why the slowest are slow, throughput and
percentiles."""
from ssdvp.report import figures, latency_figures, meanwhile, tail, units
from ssdvp.report.figures import figure, short
from ssdvp.report.folder import PLURALS
from ssdvp.report.markup import Html, html, joined
from ssdvp.report.page import at, number, pointer, table

PERCENTILES = ("min", "mean", "p50", "p90", "p99", "p99.9", "p99.99", "p99.999", "p99.9999", "max")


def verdict(page, run):
    page.section("verdict", "What limits this drive")
    bottleneck = run.summary.get("bottleneck")
    if bottleneck:
        text = bottleneck["text"]
        page.add(html('<p class="verdict" data-text="{}">{}.</p>', text,
                      text[:1].upper() + text[1:]))
        tried(page, run, bottleneck)
        beside_ideal(page, run)
    else:
        page.quiet("The run did not say what limits it; versions from 0.1.0 on do.")
    sampled(page, run)
    page.add(warnings(run))
    page.draw(chain_figure(run), bottleneck_figure(run))


def sampled(page, run):
    """What the numbers are of, where that is not the whole run."""
    found = run.summary.get("sampling")
    if found:
        page.add(html('<p class="sampled">Measured in {} windows, {} of {} requests; between them '
                      'the load changed the drive without simulated time.</p>',
                      units.count(found["windows"]), units.share(found.get("share", 0)),
                      units.count(found["requests"])))


def tried(page, run, bottleneck):
    """How to see what a faster one would bring."""
    what_if = bottleneck.get("what_if")
    brought = run.summary.get("run", {}).get("what_if")
    if brought:
        page.add(html('<p id="what-if">Tried, from the same state, with <code>{}={}</code> '
                      '({}): {}.</p>', brought["key"], brought["value"], more(brought),
                      "; ".join(gained(run, brought, kind) for kind in ("read", "write")
                                if kind in brought)))
    elif what_if:
        page.add(html('<p>What it is worth: run again with <code>--what-if</code>, or with '
                      '<code id="what-if">--set {}={}</code>, {}.</p>',
                      what_if["key"], what_if["value"], more(what_if)))


def more(what_if):
    """run.faster makes a part faster; other keys say how many of something there are."""
    share = units.whole_share(what_if.get("by", 0.2))
    return f"{share} faster" if what_if["key"] == "run.faster" else f"{share} more of them"


def gained(run, brought, kind):
    """Of a kind of request: what its rate and its mean latency became."""
    then, now = brought[kind], run.summary["host"][kind]
    mean = then["latency_ns"]["mean"] / now["latency_ns"]["mean"] - 1
    return (f"{100 * then['gain']:+.1f}\u00a0% IOPS of {PLURALS[kind]}, "
            f"{100 * mean:+.1f}\u00a0% of their mean latency")


def beside_ideal(page, run):
    """What of the latencies is the firmware's, where a second run told."""
    found = run.summary.get("run", {}).get("ideal", {})
    firmware = ("ideal firmware" if found.get("without") == "firmware"
                else "firmware that costs nothing")
    for kind in (k for k in PLURALS if k in found):
        ideal = found[kind]
        said = "; ".join(
            f"{figure} {units.time(ideal['latency_ns'][figure])} instead of "
            f"{units.time(run.summary['host'][kind]['latency_ns'][figure])}, "
            + (f"{units.whole_share(max(0.0, ideal['firmware_share'][figure]))} of it firmware"
               if figure in ideal["firmware_share"] else "which is less than its interval")
            for figure in ("mean", "p99"))
        page.add(html('<p class="ideal">With {}, {}: {}.</p>', firmware, PLURALS[kind], said))


ON_TOP = 3  # warnings: what changes numbers the most comes first


def warnings(run):
    found = run.summary.get("validity", {}).get("warnings", [])
    trouble = list(run.summary.get("violations", []))
    items = [html("<li>Not to be trusted: {}</li>", v) for v in trouble]
    items += [html('<li data-warning="{}">{}</li>', w["code"], w["text"]) for w in found]
    if not run.summary.get("complete", True):
        items.insert(0, Html("<li>The run was stopped before its end.</li>"))
    if not items:
        return Html('<p class="good">No warnings: the numbers say what they seem to say.</p>')
    top = max(ON_TOP, len(items) - len(found))  # all that is not to be trusted
    more = html("<details><summary>{} more</summary><ul>{}</ul></details>", len(items) - top,
                joined(items[top:])) if len(items) > top else Html("")
    return html('<div class="warnings"><p>What makes the numbers say less than they seem to:</p>'
                "<ul>{}</ul>{}</div>", joined(items[:top]), more)


def resources(summary):
    """[(name, busy share)] of what a drive may be limited by."""
    found = []
    channels = summary.get("channels", [])
    luns = [lun["busy"] for c in channels for lun in c["luns"]]
    if luns:
        found += mean_and_busiest("LUN", luns)
        held = [lun["held"] for c in channels for lun in c["luns"] if "held" in lun]
        found += mean_and_busiest("LUN", held, " held") if held else []
        found += mean_and_busiest("channel", [c["busy"] for c in channels])
    found += [(f"core {i}", core["busy"]) for i, core in enumerate(summary.get("cpu", []))]
    for pointer, name in (("/dram/busy", "DRAM"), ("/link/busy_up", "link to the host"),
                          ("/link/busy_down", "link to the drive")):
        if at(summary, pointer) is not None:
            found.append((name, at(summary, pointer)))
    return found


def mean_and_busiest(name, busy, how=""):
    if len(busy) == 1:
        return [(f"the {name}{how}", busy[0])]
    return [(f"{name}s{how}, mean", sum(busy) / len(busy)), (f"{name}s{how}, busiest", max(busy))]


def chain_figure(run):
    """Of a drive that nothing limits alone: what its requests wait for, one after the other."""
    bottleneck = run.summary.get("bottleneck", {})
    chain = bottleneck.get("chain")
    if not chain or bottleneck.get("by") == "occupancy":
        return None
    said = ", ".join(f"{p} {units.whole_share(v)}" for p, v in list(chain.items())[:3])
    return figures.share_bars("chain", "The chain of a request's waits and work",
                              f"Of all requests' time: {said}.", [("all", chain)])


def bottleneck_figure(run):
    """How near to its limit each resource is."""
    found = resources(run.summary)
    if not found:
        return None
    top = max(found, key=lambda r: r[1])
    trace = {"type": "bar", "orientation": "h", "y": [n for n, _ in found],
             "x": [short(100 * b) for _, b in found], "showlegend": False, "name": "busy",
             "text": [units.share(b) for _, b in found], "textposition": "auto",
             "cliponaxis": False,
             "marker": {"color": ["@vermillion" if r == top else "@sky" for r in found]},
             "insidetextfont": {"color": ["@ink_on_vermillion" if r == top else "@ink_on_sky"
                                          for r in found]},
             "hovertemplate": "%{y}: in use for %{x:.1f} %<extra></extra>"}
    layout = {"xaxis": {"range": [0, 100], "ticksuffix": " %",
                        "title": {"text": "in use, share of the measured part"}},
              "yaxis": {"type": "category", "autorange": "reversed"}}
    held = (" A LUN is held from the first cycle of a command to the last byte; planes that read "
            "by themselves count by their mean.") * any(" held" in name for name, _ in found)
    says = (f"Most in use: {top[0]}, {units.share(top[1])} of the time. From 95 % on, a part "
            f"limits the drive.{held}")
    return figure("limits", "How near each part is to its limit", says, [trace], layout,
                  80 + 30 * len(found))


def causes(page, run):
    """Why the slowest are slow: the first thing that one sees below the verdict."""
    page.section("slowest", "Why the slowest requests are slow")
    if run.parts is None:
        page.quiet("No latency_parts.csv in this folder: a run of a newer version writes it.")
        return
    names = run.part_names()
    kinds = run.kinds()
    everyone = tail.slowest(run.parts, kinds, names)
    words = latency_figures.cause_words(everyone)
    if not words:
        page.quiet("There are too few requests to say: the slowest "
                   f"{tail.SHARES[1]:.0%} have to be {tail.ENOUGH} or more.")
        return
    page.add(html('<p class="cause" id="cause">{}</p>', words))
    if said := meanwhile.sentence(run):
        page.add(html('<p class="cause" id="meanwhile">{}</p>', said))
    by_kind = [(k, tail.slowest(run.parts, (k,), names)) for k in kinds]
    if len(kinds) > 1:
        page.add(html("<ul>{}</ul>", joined(
            html("<li>{} {}</li>", latency_figures.cause_words(groups, PLURALS[k]),
                 meanwhile.sentence(run, k)) for k, groups in by_kind if len(groups) > 1)))
    page.draw(latency_figures.tail_figure(
        "tail", "All kinds together" if len(kinds) > 1 else f"All {PLURALS[kinds[0]]}", everyone))
    if len(kinds) > 1:
        page.draw(*[latency_figures.tail_figure(
            f"tail-{k}", f"{PLURALS[k].capitalize()} alone", groups) for k, groups in by_kind])
    page.add(group_table(everyone, "Shares of the slowest requests' time, all kinds"))
    page.quiet("Plain colours are waits; hatched ones are work for the request. Parts below "
               "0.5 % of every bar are in “other parts”.")


def group_table(groups, caption):
    shown = [p for p in groups[0].parts if any(g.of(p) >= 0.001 for g in groups)]
    rows = [["requests", *[units.count(g.requests) for g in groups]],
            ["mean latency", *[units.time(g.mean()) for g in groups]]]
    rows += [[part, *[html('<data data-tail="{}" data-part="{}" value="{}">{}</data>',
                           f"{g.share:g}", part, f"{g.of(part):.6f}", units.share(g.of(part)))
                      for g in groups]] for part in shown]
    return table(caption, ["", *[latency_figures.group_label(g) for g in groups]], rows)


def throughput(page, run):
    page.section("throughput", "Throughput and latency")
    rows = []
    for kind in run.kinds():
        base = f"/host/{kind}/"
        rows.append([kind, number(run, base + "requests", units.count),
                     number(run, base + "bytes", units.data),
                     number(run, base + "errors", units.count),
                     number(run, base + "iops", units.count_short)
                     + interval(run, f"host.{kind}.iops", units.count_short),
                     number(run, base + "bytes_per_s", units.rate)
                     + interval(run, f"host.{kind}.bytes_per_s", units.rate)])
    rates = table("Throughput. Below each rate: its interval of 95 %.",
                  ["", "requests", "data", "errors", "requests/s", "data/s"], rows)
    rows = [[units.percentile(name), *[percentile_cell(run, kind, name) for kind in run.kinds()]]
            for name in PERCENTILES]
    page.beside(rates, table("Latency. Below each value: its interval of 95 %.",
                             ["", *[PLURALS[k] for k in run.kinds()]], rows))
    if run.latency is None:
        page.quiet("No latency.csv in this folder: the distribution cannot be drawn.")
        return
    page.draw(latency_figures.run_tail_shares(run))


def percentile_cell(run, kind, name):
    return (number(run, f"/host/{kind}/latency_ns/{name}", units.time)
            + interval(run, f"host.{kind}.latency_ns.{name}", units.time))


def interval(run, key, text):
    """The confidence of a number; without an upper bound it may be any larger."""
    known = run.summary.get("confidence", {}).get(key)
    if not known:
        return ""
    high = f"… {text(known['high'])}" if "high" in known else "or more"
    return html('<span class="interval">{} {}</span>', text(known["low"]), high)


def where_time_went(page, run):
    rows = [(PLURALS[k], run.summary["host"][k]["parts_ns"]) for k in run.kinds()]
    page.section("time", "Where the time goes")
    said = []
    for label, parts in rows:
        largest = max(parts, key=lambda p, parts=parts: parts[p])
        total = sum(parts.values()) or 1.0
        said.append(f"{label} {latency_figures.words_of(largest)} for "
                    f"{units.whole_share(parts[largest] / total)} of their time")
    says = ("On average, " + "; ".join(said) + ".") if said else ""
    streams = run.summary["host"].get("streams", [])
    page.draw(figures.share_bars("parts", "By kind of request", says, rows) if rows else None,
              latency_figures.stream_figure(streams) if len(streams) > 1 else None)
    names = [p for p in run.part_names() if any(parts.get(p) for _, parts in rows)]
    page.add(table("Mean time of a request in each part", ["", *[label for label, _ in rows]],
                   [[p, *[number(run, pointer("host", k, "parts_ns", p), units.time)
                                  for k in run.kinds()]] for p in names]))
