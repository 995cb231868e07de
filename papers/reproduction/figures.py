# SPDX-License-Identifier: Apache-2.0
"""Drawing: every figure is a PNG beside the CSV of what it shows."""
import csv
import dataclasses
import functools
import pathlib
import typing

from . import work


@functools.lru_cache(maxsize=None)
def pyplot():
    """The plotting library, loaded when something is drawn: claims need none."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot
    matplotlib.pyplot.rcParams.update({
        "figure.figsize": (7, 4.5), "figure.dpi": 120, "axes.grid": True, "grid.alpha": 0.3,
        "legend.frameon": False})
    return matplotlib.pyplot


@dataclasses.dataclass(frozen=True)
class Axes:
    """How panels are drawn. `names`: heads of the CSV columns that tell panel and line. `note`:
    what has to be known of all the data, above the panels and in each row of the CSV. `alone`:
    labels whose points no line connects."""
    xlabel: str
    ylabel: str
    names: typing.Tuple[str, str]
    xscale: str = "linear"
    yscale: str = "linear"
    ymin: typing.Optional[float] = None
    ticks: typing.Optional[typing.Sequence[float]] = None  # of the x axis
    note: str = ""
    alone: typing.Tuple[str, ...] = ()


Line = typing.Sequence[typing.Tuple[float, float]]


def write_csv(path, header, rows):
    work.meter().files.append(path)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


def save(figure, path):
    figure.tight_layout()
    figure.savefig(path)
    pyplot().close(figure)


def tails(results, kind, path, title, known=()):
    """Share of requests slower than a latency, one line per result. `known`: labels that have the
    same colours in all figures, whether they are in this one or not."""
    colours = {label: f"C{i}" for i, label in enumerate(dict.fromkeys([*known, *results]))}
    figure, axes = pyplot().subplots()
    rows = []
    for label, result in results.items():
        points = [(ns / 1e6, share) for ns, share in result.tail(kind) if share > 0]
        rows += [(label, *point) for point in points]
        axes.step(*zip(*points), where="post", label=label, color=colours[label])
    axes.set(xscale="log", yscale="log", xlabel="latency, ms",
             ylabel=f"share of {kind}s slower than this", title=title)
    axes.legend()
    save(figure, path.with_suffix(".png"))
    write_csv(path.with_suffix(".csv"), ["policy", "latency_ms", "share_slower"], rows)


def percentiles(results, kind, percents, path, title):
    """Grouped bars: a group per percentile, a bar per result."""
    figure, axes = pyplot().subplots()
    width = 0.8 / len(results)
    rows = []
    for i, (label, result) in enumerate(results.items()):
        values = [result.percentile(kind, p) / 1e6 for p in percents]
        rows += [(label, p, value) for p, value in zip(percents, values)]
        axes.bar([x + i * width for x in range(len(percents))], values, width, label=label)
    axes.set_xticks([x + 0.4 - width / 2 for x in range(len(percents))])
    axes.set_xticklabels([f"{p:g} %" for p in percents])
    axes.set(yscale="log", ylabel="latency, ms", title=title)
    axes.legend()
    save(figure, path.with_suffix(".png"))
    write_csv(path.with_suffix(".csv"), ["policy", "percent", "latency_ms"], rows)


def panels(content: typing.Dict[str, typing.Dict[str, Line]], path: pathlib.Path,
           style: Axes) -> None:
    """Panels side by side, each with its title and labelled lines; one scale for all of them."""
    figure, axes = pyplot().subplots(1, len(content), sharey=True, squeeze=False,
                                figsize=(max(7, 3.6 * len(content)), 4.5))
    rows = []
    for ax, (title, lines) in zip(axes[0], content.items()):
        for label, points in lines.items():
            rows += [(title, label, *point) for point in points]
            drawn = {"linestyle": "none", "marker": "X", "markersize": 9} \
                if label in style.alone else {"marker": "o", "markersize": 3}
            ax.plot(*zip(*points), label=label, **drawn)
        scale = {"base": 2} if style.xscale == "log" else {}
        ax.set_xscale(style.xscale, **scale)
        ax.set(xlabel=style.xlabel, title=title)
        if style.ticks:
            ax.set_xticks(style.ticks, [f"{tick:g}" for tick in style.ticks])
    axes[0][0].set_yscale(style.yscale)
    if style.ymin is not None:  # once all panels have their lines: setting it stops the scaling
        axes[0][0].set_ylim(style.ymin, max(row[-1] for row in rows) * 1.05 or None)
    axes[0][0].set_ylabel(style.ylabel)
    axes[0][-1].legend()
    header = [*style.names, style.xlabel, style.ylabel]
    if style.note:
        figure.suptitle(style.note, color="firebrick")
        header.append("note")
        rows = [(*row, style.note) for row in rows]
    save(figure, path.with_suffix(".png"))
    write_csv(path.with_suffix(".csv"), header, rows)


def bars(content: typing.Dict[str, typing.Dict[str, typing.Dict[str, float]]],
         path: pathlib.Path, ylabel: str, legend: int = 0) -> None:
    """Panels side by side, in each a group of bars per key, a bar per label within it. `legend`:
    number of the panel that has room for it."""
    figure, axes = pyplot().subplots(1, len(content), sharey=True, squeeze=False,
                                figsize=(3.6 * len(content), 4.5))
    rows = []
    for ax, (title, groups) in zip(axes[0], content.items()):
        labels = list(next(iter(groups.values())))
        width = 0.8 / len(labels)
        for i, label in enumerate(labels):
            values = [group[label] for group in groups.values()]
            rows += [(title, name, label, value) for name, value in zip(groups, values)]
            drawn = ax.bar([x + i * width for x in range(len(groups))], values, width, label=label)
            ax.bar_label(drawn, fmt="%.3g", fontsize=7)
        ax.set_xticks([x + 0.4 - width / 2 for x in range(len(groups))],
                      [name.replace(" ", "\n") for name in groups])
        ax.set_title(title)
    axes[0][0].set_ylabel(ylabel)
    axes[0][legend].legend()
    save(figure, path.with_suffix(".png"))
    write_csv(path.with_suffix(".csv"), ["panel", "group", "bar", ylabel], rows)


def measures(content: typing.Dict[str, typing.Dict[str, float]], path: pathlib.Path,
             note: str) -> None:
    """Panels side by side, each of another measure with its own scale, a bar per label. `note`: as
    in Axes."""
    figure, axes = pyplot().subplots(1, len(content), squeeze=False,
                                     figsize=(2.6 * len(content), 4))
    figure.suptitle(note, color="firebrick", fontsize=10)
    for ax, (title, values) in zip(axes[0], content.items()):
        drawn = ax.bar(range(len(values)), list(values.values()), 0.7)
        ax.bar_label(drawn, [f"{value:,.0f}" for value in values.values()], fontsize=7)
        ax.set_xticks(range(len(values)), list(values), rotation=45, fontsize=8)
        ax.set_title(title, fontsize=9)
    save(figure, path.with_suffix(".png"))
    write_csv(path.with_suffix(".csv"), ["panel", "bar", "value", "note"],
              [(title.replace("\n", " "), label, value, note)
               for title, values in content.items() for label, value in values.items()])


def charts(content: typing.Dict[str, typing.Tuple[str, typing.Dict[str, typing.Dict[str, float]]]],
           path: pathlib.Path, group: str) -> None:
    """Bar charts side by side, each with a title, a scale of its own and its unit: in each a group
    of bars per key, a bar per label within it. A bar that is None is not known."""
    figure, axes = pyplot().subplots(1, len(content), squeeze=False,
                                     figsize=(3.4 * len(content), 3.6))
    rows = []
    for ax, (title, (ylabel, groups)) in zip(axes[0], content.items()):
        labels = list(next(iter(groups.values())))
        width = 0.8 / len(labels)
        for i, label in enumerate(labels):
            values = [bars_of[label] for bars_of in groups.values()]
            rows += [(title, name, label, value) for name, value in zip(groups, values)
                     if value is not None]
            ax.bar([x + i * width for x in range(len(groups))], [v or 0 for v in values], width,
                   label=label)
        ax.set_xticks([x + 0.4 - width / 2 for x in range(len(groups))], list(groups))
        ax.set(xlabel=group, ylabel=ylabel)
        ax.set_title(title, fontsize="medium")
    axes[0][-1].legend(fontsize="small")
    save(figure, path.with_suffix(".png"))
    write_csv(path.with_suffix(".csv"), ["panel", group, "bar", "value"], rows)
