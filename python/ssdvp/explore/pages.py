# SPDX-License-Identifier: Apache-2.0
"""Pages of a sweep and of an optimisation, in the style of the report (docs/report.md)."""
import os
import pathlib
import typing

from ssdvp.errors import ResultError
from ssdvp.explore import effects, worth
from ssdvp.explore.effects import Group, Row
from ssdvp.explore.texts import METRICS, given_text, group_text, key_text, metric_text
from ssdvp.report import figures, output
from ssdvp.report.markup import each, html, words
from ssdvp.report.page import Page, table
from ssdvp.report.refused import Refused

_SURFACES = 2   # of a metric, by the keys that move it most
_REASONS = 20   # told of points that could not be run
_FIFTHS = (("lowest fifth", "@blue"), ("2nd", "@sky"), ("3rd", "@grey"), ("4th", "@orange"),
           ("highest fifth", "@vermillion"))
Path = typing.Union[str, "os.PathLike[str]", None]
Keys = typing.Mapping[str, str]


def of_sweep(rows: typing.Sequence[Row], keys: Keys, folder: pathlib.Path, *,
             metrics: typing.Optional[typing.Sequence[str]] = None, out: Path = None
             ) -> pathlib.Path:
    """`rows`: of the table; `keys`: what was varied, and what it measures (values.measures);
    `metrics`: what is looked at."""
    done = [r for r in rows if r["state"] == "done"]
    if not done:
        why = next((f"; the first: {r['error']}" for r in rows if r["error"]), "")
        raise ResultError(f"no point of {folder} is done: there is nothing to draw{why}")
    chosen = list(metrics or [m for m in METRICS if effects.known(done, m)])
    for metric in chosen:
        if not effects.known(done, metric):
            raise ResultError(f"no point of {folder} has the number {metric}")
    varied = {k: m for k, m in keys.items() if len({r.get(k) for r in done}) > 1}
    groups = effects.grouped(done, list(keys))
    page = Page(f"sweep of {', '.join(keys)}")
    _counts(page, rows, groups, chosen, folder)
    _best(page, groups, varied or keys, chosen)
    if varied:
        _main_effects(page, groups, varied, chosen)
        _surfaces(page, groups, varied, chosen)
        _parallel(page, groups, varied, chosen)
    _table(page, groups, keys, chosen)
    _not_run(page, rows, keys)
    return _written(page, folder / "sweep.html" if out is None else pathlib.Path(out))


def of_optimum(rows: typing.Sequence[Row], objectives: typing.Mapping[str, str],
               keys: Keys, folder: pathlib.Path, out: Path = None) -> pathlib.Path:
    """`rows`: of the trials; `objectives`: {name: minimise | maximise}."""
    names = list(objectives)
    front = [r for r in rows if r["pareto"]]
    page = Page(f"{len(front)} of {len(rows)} trials on the Pareto front")
    page.section("front", "What there is to choose from")
    page.say("No trial is better than one of these in every objective: "
             + ", ".join(f"{d} {n}" for n, d in objectives.items()) + ".")
    if not front:
        page.say("There is no such trial: none that was run holds all constraints. Loosen one, or "
                 "widen the space.")
    shown = list(dict.fromkeys([k for r in front for k in keys if k in r]))
    page.add(table("The front, by the first objective", ["trial", *names, *shown],
                   [[str(r["trial"]), *(metric_text(n, r[n]) for n in names),
                     *(given_text(r.get(k), keys[k]) for k in shown)]
                    for r in sorted(front, key=lambda r: r[names[0]])]))
    page.section("trials", "All trials")
    page.draw(*[_pareto_figure(rows, a, b, keys)
                for i, a in enumerate(names) for b in names[i + 1:]])
    if len(names) == 1:
        page.quiet("With one objective the front is the best trial.")
    _given_up(page, rows)
    _careful(page, worth.trial_cautions(rows))
    return _written(page, folder / "optimum.html" if out is None else pathlib.Path(out))


def _written(page: Page, path: pathlib.Path) -> pathlib.Path:
    try:
        output.check(str(path))
        output.write(str(path), page.text())
    except Refused as refused:
        raise ResultError(str(refused)) from refused
    return path


def _counts(page: Page, rows: typing.Sequence[Row], groups: typing.Sequence[Group],
            metrics: typing.Sequence[str], folder: pathlib.Path) -> None:
    page.section("points", "What was run")
    page.say(worth.counted(rows, groups) + ".")
    _careful(page, worth.cautions(rows, groups, metrics, folder))


def _careful(page: Page, cautions: typing.Sequence[str]) -> None:
    if cautions:
        page.say("Be careful:")
        page.add(html("<ul>{}</ul>", each("<li>{}</li>", cautions)))


def _best(page: Page, groups: typing.Sequence[Group], keys: Keys,
          metrics: typing.Sequence[str]) -> None:
    """Of each metric the configuration that is best, and those that may be as good."""
    rows = []
    for found in filter(None, (worth.best(groups, m) for m in metrics)):
        equals = found.equals
        others = ("one seed does not tell" if equals is None else
                  "none" if not equals else
                  f"{len(equals)}, such as {_words_of(equals[0], keys)}")
        rows.append([found.metric, _words_of(found.group, keys),
                     _cell(found.group, found.metric), others])
    if rows and len(groups) > 1:
        page.section("best", "What is best")
        page.add(table("By each metric; others may be as good where their difference may be chance "
                       "(Welch's test over the seeds)",
                       ["metric", "best", "it reaches", "may be as good"], rows))


def _words_of(group: Group, keys: Keys) -> str:
    """channels 4, clock 500 MHz"""
    return ", ".join(f"{_last(k)} {key_text(group.key(k), m)}" for k, m in keys.items()
                     if group.key(k) is not None)


def _cell(group: Group, metric: str) -> str:
    mean, half = group_text(group, metric)
    return html('{}<span class="interval">{}</span>', mean, half) if half else mean


def _main_effects(page: Page, groups: typing.Sequence[Group], keys: Keys,
                  metrics: typing.Sequence[str]) -> None:
    page.section("effects", "What each key does")
    page.quiet("Means over all configurations that have the value. Keys may act together: look at "
               "the surfaces below, too.")
    page.draw(*[_effects_figure(groups, keys, m) for m in metrics])


def _effects_figure(groups: typing.Sequence[Group], keys: Keys, metric: str) -> typing.Any:
    """A line per key, side by side, from value to value."""
    traces: typing.List[typing.Any] = []
    said: typing.List[str] = []
    labels: typing.List[str] = []
    highest = 0.0
    for index, key in enumerate(effects.by_size(groups, keys, metric)):
        means = effects.main(groups, key, metric)
        said.append(f"{key}: {metric_text(metric, min(m.mean for m in means))} to "
                    f"{metric_text(metric, max(m.mean for m in means))}")
        highest = max(highest, *(m.mean for m in means))
        first = len(labels)
        labels += [key_text(m.value, keys[key]) for m in means]
        traces.append({
            "type": "scatter", "mode": "lines+markers", "name": key,
            "x": list(range(first, len(labels))), "y": figures.shorts([m.mean for m in means]),
            "customdata": [f"{label}: {metric_text(metric, m.mean)}"
                           for label, m in zip(labels[first:], means)],
            "hovertemplate": "%{fullData.name} %{customdata}<extra></extra>",
            "line": {"color": figures.colour_of(index), "dash": figures.DASHES[index % 5]}})
    ticks = {"tickvals": list(range(len(labels))), "ticktext": labels, "showgrid": False,
             "title": {"text": "values of the keys"}}
    return figures.figure(f"effects-{metric}", metric, "; ".join(said) + ".", traces,
                          {"xaxis": ticks, "yaxis": _axis(metric, highest)}, 360)


def _axis(metric: str, highest: float) -> typing.Dict[str, typing.Any]:
    """From 0, with ticks as people read them."""
    step = effects.round_step(highest)
    ticks = [step * i for i in range(int(highest / step) + 2)]
    return {"rangemode": "tozero", "tickvals": figures.shorts(ticks),
            "ticktext": [metric_text(metric, t) if t else "0" for t in ticks],
            "title": {"text": metric}}


def _last(key: str) -> str:
    return key.rsplit(".", 1)[-1]


def _surfaces(page: Page, groups: typing.Sequence[Group], keys: Keys,
              metrics: typing.Sequence[str]) -> None:
    if len(keys) < 2:
        return
    page.section("surfaces", "Two keys together")
    drawn = []
    for metric in metrics:
        ranked = effects.by_size(groups, keys, metric)
        pairs = [(ranked[0], other) for other in ranked[1:]][:_SURFACES]
        drawn += [_surface(groups, keys, pair, metric) for pair in pairs]
    page.draw(*drawn)


def _surface(groups: typing.Sequence[Group], keys: Keys, pair: typing.Tuple[str, str],
             metric: str) -> typing.Any:
    a, b = pair
    xs, ys, cells = effects.surface(groups, a, b, metric)
    if len(xs) < 2 or len(ys) < 2:
        return None
    known = [c for line in cells for c in line if c is not None]
    sign = worth.better(metric)
    best = max(known) if sign == 1 else min(known)
    where = next((x, y) for y, line in zip(ys, cells) for x, c in zip(xs, line) if c == best)
    trace = {"type": "heatmap", "x": [key_text(x, keys[a]) for x in xs],
             "y": [key_text(y, keys[b]) for y in ys],
             "z": [figures.shorts(line) for line in cells],
             "text": [["" if c is None else metric_text(metric, c) for c in line]
                      for line in cells],
             "colorscale": "Cividis", "showscale": False,
             "hovertemplate": "%{xaxis.title.text} %{x}, %{yaxis.title.text} %{y}: %{text}"
                              "<extra></extra>"}
    says = (f"From {metric_text(metric, min(known))} to {metric_text(metric, max(known))}; "
            f"{'lowest' if sign is None else 'best'} at {a} "
            f"{key_text(where[0], keys[a])}, {b} {key_text(where[1], keys[b])}. Means over the "
            "other keys.")
    return figures.figure(f"surface-{metric}-{a}-{b}", metric, says, [trace],
                          {"xaxis": {"type": "category", "title": {"text": a}},
                           "yaxis": {"type": "category", "title": {"text": b}},
                           "annotations": _in_cells(trace, cells)},
                          140 + 44 * len(ys))


def _in_cells(trace: typing.Mapping[str, typing.Any],
              cells: typing.Sequence[typing.Sequence[typing.Optional[float]]]
              ) -> typing.List[typing.Dict[str, typing.Any]]:
    """The numbers in the cells of a heat map, which Debian's plotly.js does not draw by itself:
    white on the dark half of the colours, black on the other."""
    known = [c for line in cells for c in line if c is not None]
    middle = (min(known) + max(known)) / 2
    return [{"x": column, "y": line, "text": trace["text"][line][column], "showarrow": False,
             "font": {"size": 11, "color": "#ffffff" if value < middle else "#000000"}}
            for line, of in enumerate(cells) for column, value in enumerate(of)
            if value is not None]


def _parallel(page: Page, groups: typing.Sequence[Group], keys: Keys,
              metrics: typing.Sequence[str]) -> None:
    """Each configuration is a line from axis to axis. Colours: fifths of the first metric."""
    if len(groups) < 3:
        return
    page.section("parallel", "All configurations")
    axes = [effects.Scale([g.key(k) for g in groups]) for k in keys]
    axes += [effects.Scale([g.mean(m) for g in groups]) for m in metrics]
    names = [*map(_last, keys), *metrics]
    fifths = effects.fifths(groups, metrics[0])
    traces = []
    for fifth, (name, colour) in enumerate(_FIFTHS):
        x: typing.List[typing.Optional[str]] = []
        y: typing.List[typing.Optional[float]] = []
        for group in (g for g, f in zip(groups, fifths) if f == fifth):
            found = [*(group.key(k) for k in keys), *(group.mean(m) for m in metrics)]
            x += [*names, None]
            y += [*(None if v is None else axis.place(v) for axis, v in zip(axes, found)), None]
        traces.append({"type": "scatter", "mode": "lines", "x": x, "y": figures.shorts(y),
                       "name": name, "line": {"color": colour, "width": 1.5},
                       "hoverinfo": "skip"})
    ends = [tuple(key_text(end, keys[n]) if n in keys else metric_text(n, end) for end in axis.ends)
            for n, axis in zip([*keys, *metrics], axes)]
    notes = [{"x": name, "y": y, "text": text, "showarrow": False, "yshift": shift,
              "font": {"size": 10}}
             for name, (low, high) in zip(names, ends)
             for y, text, shift in ((0, low, -10), (1, high, 10))]
    says = "; ".join(f"{n} from {low} to {high}" for n, (low, high) in zip(names, ends)) + "."
    page.draw(figures.figure("parallel", f"From key to metric, by {metrics[0]}", says, traces,
                             {"xaxis": {"type": "category", "automargin": True},
                              "yaxis": {"visible": False, "range": [-0.12, 1.12]},
                              "annotations": notes}, 430))


def _table(page: Page, groups: typing.Sequence[Group], keys: Keys,
           metrics: typing.Sequence[str]) -> None:
    page.section("table", "Numbers")
    rows = []
    for group in groups:
        cells = [key_text(group.key(k), keys[k]) for k in keys] + [str(len(group.rows))]
        cells += [worth.limits(group), *(_cell(group, metric) for metric in metrics)]
        rows.append(cells)
    page.add(table("Each configuration: mean over its seeds, and half the interval of 95 %. ≥: "
                   "of too few requests for this percentile, which may be larger",
                   [*keys, "seeds", "limited by", *metrics], rows))


def _not_run(page: Page, rows: typing.Sequence[Row], keys: Keys) -> None:
    for state, title in (("failed", "Failed"), ("invalid", "Cannot be run")):
        found = [r for r in rows if r["state"] == state]
        if not found:
            continue
        page.section(state, title)
        reasons: typing.Dict[str, typing.List[Row]] = {}
        for one in found:
            reasons.setdefault(one["error"], []).append(one)
        page.add(table(f"{len(found)} points", ["first of them", "how many", "why"], [
            [", ".join(f"{_last(k)} {key_text(of[0].get(k), m)}" for k, m in keys.items()),
             str(len(of)), words(why)] for why, of in list(reasons.items())[:_REASONS]]))


def _given_up(page: Page, rows: typing.Sequence[Row]) -> None:
    states = {s: sum(r["state"] == s for r in rows) for s in ("complete", "pruned", "fail")}
    forbidden = sum(r["state"] == "complete" and not r["allowed"] for r in rows)
    page.say(f"{states['complete']} were run, of which {forbidden} break a constraint; "
             f"{states['pruned']} were pruned after a short run; {states['fail']} could not be "
             "run or failed.")
    failed = [r for r in rows if r["reason"]]
    if failed:
        page.add(table(f"{len(failed)} trials", ["trial", "why"],
                       [[str(r["trial"]), words(r["reason"])] for r in failed[:_REASONS]]))


def _pareto_figure(rows: typing.Sequence[Row], a: str, b: str,
                   keys: Keys) -> typing.Any:
    complete = [r for r in rows if r["state"] == "complete"]
    kinds = (("breaks a constraint", "@grey", "x", [r for r in complete if not r["allowed"]]),
             ("allowed", "@sky", "circle-open",
              [r for r in complete if r["allowed"] and not r["pareto"]]),
             ("front", "@vermillion", "diamond", sorted((r for r in complete if r["pareto"]),
                                                        key=lambda r: r[a])))
    traces = [{"type": "scatter", "mode": "markers", "name": name,
               "x": figures.shorts([r[a] for r in of]), "y": figures.shorts([r[b] for r in of]),
               "marker": {"color": colour, "symbol": symbol, "size": 9},
               "customdata": [_trial_words(r, a, b, keys) for r in of],
               "hovertemplate": "%{customdata}<extra></extra>"}
              for name, colour, symbol, of in kinds]
    front = kinds[-1][3]
    says = f"{len(front)} on the front, of {len(complete)}."
    if front:
        says += (f" From {metric_text(a, front[0][a])} at {metric_text(b, front[0][b])} to "
                 f"{metric_text(a, front[-1][a])} at {metric_text(b, front[-1][b])}.")
    highest = [max((r[n] for r in complete), default=1.0) for n in (a, b)]
    return figures.figure(f"pareto-{a}-{b}", f"{b} against {a}", says, traces,
                          {"xaxis": _axis(a, highest[0]), "yaxis": _axis(b, highest[1])}, 420)


def _trial_words(row: Row, a: str, b: str, keys: Keys) -> str:
    told = [f"trial {row['trial']}: {metric_text(a, row[a])}, {metric_text(b, row[b])}"]
    told += [f"{k} {given_text(row[k], keys[k])}" for k in keys if row.get(k) is not None]
    return "\n".join(told)
