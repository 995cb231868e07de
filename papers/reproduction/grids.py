# SPDX-License-Identifier: Apache-2.0
"""Drawing over two parameters, and of many names."""
import pathlib
import typing

from . import figures

NOTHING = float("nan")


def over(content: typing.Dict[str, typing.Tuple[typing.Dict[tuple, float], typing.Set[tuple]]],
         path: pathlib.Path, names: typing.Tuple[str, str]) -> None:
    """Panels side by side, in each a cell per (x, y) with its value; those of a set are framed,
    those without a value empty."""
    drawing, axes = figures.pyplot().subplots(1, len(content), squeeze=False,
                                figsize=(4.2 * len(content), 4.5))
    rows = []
    for ax, (title, (values, framed)) in zip(axes[0], content.items()):
        xs, ys = (sorted({point[i] for shown, _ in content.values() for point in shown})
                  for i in (0, 1))
        ax.imshow([[values.get((x, y), NOTHING) for x in xs] for y in ys], origin="lower",
                  cmap="Blues", vmin=0, vmax=1.6 * max(values.values(), default=1),
                  aspect="auto")  # dark text stays readable
        for (x, y), value in values.items():
            at = xs.index(x), ys.index(y)
            ax.text(*at, f"{value:.3g}", ha="center", va="center",
                    fontweight="bold" if (x, y) in framed else "normal")
            if (x, y) in framed:
                ax.add_patch(figures.pyplot().Rectangle(
                    (at[0] - 0.45, at[1] - 0.45), 0.9, 0.9, fill=False, linewidth=1.5))
        ax.set_xticks(range(len(xs)), [f"{x:g}" for x in xs])
        ax.set_yticks(range(len(ys)), [f"{y:g}" for y in ys])
        ax.set(title=title, xlabel=names[0], ylabel=names[1])
        ax.title.set_fontsize(10)
        ax.grid(False)
        rows += [(title, x, y, value, (x, y) in framed) for (x, y), value in values.items()]
    figures.save(drawing, path.with_suffix(".png"))
    figures.write_csv(path.with_suffix(".csv"), ["panel", *names, "value", "holds"], rows)


def dots(content: typing.Dict[str, typing.Dict[str, float]], path: pathlib.Path,
         xlabel: str) -> None:
    """Panels side by side, in each a line per name with a dot at its value."""
    drawing, axes = figures.pyplot().subplots(1, len(content), sharey=True, squeeze=False,
                                figsize=(2.6 * len(content) + 1, 5.5))
    rows = []
    for ax, (title, values) in zip(axes[0], content.items()):
        names = list(values)
        ax.plot([values[name] for name in names], range(len(names)), "o", markersize=5)
        ax.set_yticks(range(len(names)), names, fontsize=8)
        ax.set_xlim(0, 1.1 * max(values.values()))
        ax.set(title=title, xlabel=xlabel)
        rows += [(title, name, value) for name, value in values.items()]
    axes[0][0].invert_yaxis()
    figures.save(drawing, path.with_suffix(".png"))
    figures.write_csv(path.with_suffix(".csv"), ["panel", "name", xlabel], rows)
