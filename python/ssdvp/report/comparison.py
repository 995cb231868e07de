# SPDX-License-Identifier: Apache-2.0
"""The page of several runs: side by side, differences sorted by size."""
from ssdvp.report import figures, latency_figures, meanwhile, tail, time_figures, units
from ssdvp.report.figures import figure, short, shorts
from ssdvp.report.folder import PLURALS
from ssdvp.report.groups import differences, differing, grouped, metrics
from ssdvp.report.markup import html, joined, words
from ssdvp.report.overview import warnings
from ssdvp.report.page import Page, table

BARS = 16  # of the figure of differences


def compared(runs):
    groups = grouped(runs)
    page = Page(f"{len(runs)} runs, {len(groups)} "
                + ("configuration" if len(groups) == 1 else "configurations"))
    verdicts(page, groups)
    if len(groups) > 1:
        changed_keys(page, groups)
        largest_first(page, groups)
    else:
        over_seeds(page, groups[0])
    side_by_side(page, groups)
    distributions(page, groups)
    over_time(page, groups)
    return page


def verdicts(page, groups):
    page.section("verdict", "What limits each")
    for group in groups:
        limits = {}  # seeds that say the same are named together
        for run in group.runs:
            text = run.summary.get("bottleneck", {}).get("text", "not told")
            limits.setdefault(text, []).append(f"{run.path} (seed {run.summary['seed']})")
        page.add(html('<p class="group" data-group="{}"><b>{}</b></p><ul>{}</ul>', group.label,
                      group.label, joined(
                          html('<li>{} <span class="quiet">– {}</span></li>', said,
                               ", ".join(paths)) for said, paths in limits.items())))
    seen = {}
    for group in groups:
        for run in group.runs:
            seen.setdefault(warnings(run), []).append(run.path)
    for told, paths in seen.items():
        if "warnings" in told:
            page.add(html("<details><summary>Warnings of {}</summary>{}</details>",
                          ", ".join(paths), told))


def changed_keys(page, groups):
    page.section("keys", "What was changed")
    rows = [[k, *map(words, values)] for k, values in differing(groups).items()]
    page.add(table("Configuration keys that differ", ["key", *[g.label for g in groups]], rows))


def value_cell(group, metric):
    pointer, _, said = metric
    sample, interval = group.sample(pointer), group.interval(pointer)
    below = "" if not interval else html('<span class="interval">{} … {}</span>',
                                         said(max(0, interval[0])), said(interval[1]))
    return html('<data data-mean="{}" data-group="{}" value="{}">{}</data>{}', pointer,
                group.label, repr(sample.mean), said(sample.mean), below)


def percent(relative):
    return "new" if abs(relative) == float("inf") else f"{100 * relative:+.1f}{units.BLANK}%"


def largest_first(page, groups):
    page.section("differences", "Differences, the largest first")
    found = differences(groups)
    page.draw(*[difference_figure(found, i, groups) for i in range(len(groups) - 1)])
    head = ["", groups[0].label]
    for group in groups[1:]:
        head += [group.label, "difference", "by chance?"]
    rows = []
    for metric, others in found:
        row = [metric[1], value_cell(groups[0], metric)]
        for group, difference in zip(groups[1:], others):
            shown = percent(difference.relative)
            if difference.significant:
                shown = html('<span class="better">{}</span>', shown)
            row += [value_cell(group, metric), shown, words(difference.words)]
        rows.append(row)
    page.add(table(f"Compared with {groups[0].label}. Below each value: its interval of 95 %.",
                   head, rows))
    page.quiet("Intervals and p are over the seeds, by Student's t and Welch's test. Of a "
               "configuration that ran with one seed only, the interval is the run's own. Of "
               "twenty rows, one is expected to have p < 0.05 by chance.")


def difference_figure(found, index, groups):
    rows = [(m[1], d[index]) for m, d in found
            if d[index].relative and abs(d[index].relative) != float("inf")][:BARS]
    if not rows:
        return None
    certain = [d.significant for _, d in rows]
    trace = {"type": "bar", "orientation": "h", "name": "difference", "showlegend": False,
             "y": [name for name, _ in rows], "x": [short(100 * d.relative) for _, d in rows],
             "text": [percent(d.relative) for _, d in rows], "textposition": "outside",
             "cliponaxis": False,
             "marker": {"color": ["@vermillion" if c else "@grey" for c in certain]},
             "customdata": [d.words for _, d in rows],
             "hovertemplate": "%{y}: %{x:+.1f} %, %{customdata}<extra></extra>"}
    name, first = rows[0][0], rows[0][1]
    ends = [100 * d.relative for _, d in rows] + [0]
    room = 0.42 * (max(ends) - min(ends))  # for the numbers beside the bars, also of a phone
    limits = [min(ends) - room * (min(ends) < 0), max(ends) + room * (max(ends) > 0)]
    says = (f"Largest: {name}, {percent(first.relative)} ({first.words}). "
            "Grey bars may be chance.")
    return figure(f"differences-{index + 1}",
                  f"{groups[index + 1].label} against {groups[0].label}", says, [trace],
                  {"xaxis": {"title": {"text": "difference in %"}, "ticksuffix": " %",
                             "range": shorts(limits)},
                   "yaxis": {"type": "category", "autorange": "reversed"}}, 90 + 26 * len(rows))


def over_seeds(page, group):
    page.section("seeds", "Over the seeds")
    page.add(table(f"{len(group.runs)} runs that differ in the seed alone: mean and interval of "
                   "95 %", ["", "mean"],
                   [[m[1], value_cell(group, m)] for m in metrics([group])]))


def side_by_side(page, groups):
    page.section("slowest", "Why the slowest requests are slow, side by side")
    if any(g.pooled("parts") is None for g in groups):
        page.quiet("Not all of the folders have latency_parts.csv: runs of a newer version do.")
        return
    found = []
    for group in groups:
        run = group.runs[0]
        found.append(tail.slowest(group.pooled("parts"), run.kinds(), run.part_names()))
        cause = latency_figures.cause_words(found[-1])
        if cause:
            page.add(html('<p class="cause"><b>{}.</b> {}{}</p>', group.label, cause,
                          meanwhile_words(group)))
    drawn = []
    for level in range(min(len(f) for f in found)):
        rows = [(g.label, {p: v / f[level].requests for p, v in f[level].parts.items()})
                for g, f in zip(groups, found)]
        name = latency_figures.group_label(found[0][level])
        says = "; ".join(f"{g.label}: {units.time(f[level].mean())} on average"
                         for g, f in zip(groups, found)) + "."
        drawn.append(figures.share_bars(f"tail-{level}", f"{name.capitalize()} requests", says,
                                        rows))
    page.draw(*drawn)


def meanwhile_words(group):
    """Of its first run."""
    said = meanwhile.sentence(group.runs[0])
    of_seed = f" (Seed {group.runs[0].summary['seed']}.)" if len(group.runs) > 1 else ""
    return f" {said}{of_seed}" if said else ""


def distributions(page, groups):
    page.section("latency", "Distribution of latencies")
    kinds = [k for k in groups[0].runs[0].kinds()]
    drawn = []
    for kind in kinds:
        curves = []
        for index, group in enumerate(groups):
            pooled = group.pooled("latency")
            if pooled and kind in pooled["kind"]:
                curves.append((group.label, figures.colour_of(index), figures.DASHES[index % 5],
                               tail.beyond(pooled, (kind,))))
        if curves:
            drawn.append(latency_figures.tail_shares(curves))
            drawn[-1].update(name=f"latency-{kind}", title=PLURALS[kind].capitalize())
    page.draw(*drawn)
    if not drawn:
        page.quiet("No latency.csv in these folders: the distributions cannot be drawn.")


def over_time(page, groups):
    page.section("over-time", "Over time")
    shown = [(g, g.runs[0].series) for g in groups if g.runs[0].series]
    if not shown:
        page.quiet("No series.csv in these folders: --series DIR/series.csv brings it.")
        return
    clock = time_figures.Clock(max((s for _, s in shown), key=lambda s: s["end_ns"][-1]))
    drawn = []
    for kind in groups[0].runs[0].kinds():
        many = PLURALS[kind]
        drawn += [overlay(shown, f"{kind}_requests", f"{many.capitalize()} per second", clock),
                  overlay(shown, f"{kind}_p99_ns", f"p99 of {many}", clock)]
    page.draw(*drawn)


def seed_label(group):
    """Curves over time are of one run, unlike all else of a group."""
    if len(group.runs) == 1:
        return group.label
    return f"{group.label}, seed {group.runs[0].summary['seed']} of {len(group.runs)} seeds"


def one_seed_words(shown):
    several = any(len(group.runs) > 1 for group, _ in shown)
    return " Of several seeds, one run is drawn: the first that was named." if several else ""


def overlay(shown, column, title, clock):
    """A curve of each group: rates per second, or times on a logarithmic axis."""
    traces, known, rates = [], [], column.endswith("_requests")
    for index, (group, series) in enumerate(shown):
        if column not in series:
            continue
        values = time_figures.pieces.per_second(series, column) if rates else series[column]
        curve = time_figures.pieces.curve(series, values)
        known += [v for v in curve.mean if v]
        traces.append({"type": "scatter", "mode": "lines", "name": seed_label(group),
                       "x": clock.of([(b + e) / 2 for b, e in zip(curve.begin, curve.end)]),
                       "y": shorts(curve.mean),
                       "line": {"color": figures.colour_of(index), "width": 1.7,
                                "dash": figures.DASHES[index % 5]}})
    if not known:
        return None
    y = {"title": {"text": "requests per second"}, "rangemode": "tozero"} if rates else (
        figures.log_times(min(known), max(known), "latency"))
    text = units.count_short if rates else units.time
    return figure(f"over-time-{column}", title,
                  f"From {text(min(known))} to {text(max(known))}.{one_seed_words(shown)}", traces,
                  {"xaxis": clock.axis(), "yaxis": y})
