# SPDX-License-Identifier: Apache-2.0
"""The page: sections of text, tables and figures, put into page.html with style, program and the
plotting library. The same input gives the same bytes."""
import base64
import gzip
import html
import importlib.util
import json
import os
import re
import typing

from ssdvp.report.figures import Figure
from ssdvp.report.refused import Refused

HERE = os.path.dirname(__file__)
GZIP_LEVEL = 6  # 9 takes three times as long for 1 % less
DEBIAN_PLOTLY = "/usr/share/python3-plotly/plotly.js"
MARK = '<meta name="generator" content="ssdvp report">'


def escape(text: object) -> str:
    return html.escape(str(text))


def number(run: typing.Any, pointer: str, text: typing.Callable[[typing.Any], str]) -> str:
    """A number of summary.json, exact for programs (tests compare it), `text` for people."""
    value = at(run.summary, pointer)
    return (f'<data class="n" value="{escape(json.dumps(value))}" '
            f'data-key="{escape(pointer)}">{escape(text(value))}</data>')


def at(summary: typing.Any, pointer: str) -> typing.Any:
    """A value of summary.json by its path, as in /host/read/latency_ns/p99.9; None without it."""
    value = summary
    for name in pointer.strip("/").split("/"):
        if isinstance(value, list):
            value = value[int(name)] if int(name) < len(value) else None
        elif isinstance(value, dict):
            value = value.get(name)
        if value is None:
            return None
    return value


def table(caption: str, head: typing.Sequence[str],
          rows: typing.Sequence[typing.Sequence[str]]) -> str:
    """head: words; rows: cells of HTML, the first of which heads its row. Long tables scroll by
    themselves, and so do wide ones on a narrow screen."""
    tall = " tall" if len(rows) > 20 else ""
    out = [f'<div class="scroll{tall}" role="region" tabindex="0" aria-label="{escape(caption)}">'
           f"<table><caption><span>{escape(caption)}</span></caption>"]
    if head:
        first = rows[0] if rows else ()
        out.append("<thead><tr>" + "".join(
            f'<th scope="col"{" class=words" if isinstance(c, Words) else ""}>{escape(h)}</th>'
            for h, c in zip(head, [*first, *[""] * len(head)])) + "</tr></thead>")
    out.append("<tbody>")
    for first, *cells in rows:
        out.append(f'<tr><th scope="row">{first}</th>' + "".join(map(cell, cells)) + "</tr>")
    return "".join(out) + "</tbody></table></div>"


def words(text: object) -> "Words":
    """A cell of words, which begins at the left and may break."""
    return Words(escape(text))


class Words(str):
    """Told from numbers, which end at the right."""


def cell(content: str) -> str:
    return f'<td{" class=words" if isinstance(content, Words) else ""}>{content}</td>'


class Page:
    """Sections are added in their order; figures are kept apart as data."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.body: typing.List[str] = []
        self.figures: typing.List[Figure] = []
        self.links: typing.List[typing.Tuple[str, str]] = []

    def section(self, name: str, title: str) -> None:
        if self.links:
            self.body.append("</section>")
        self.links.append((name, title))
        self.body.append(f'<section id="{name}" aria-labelledby="{name}-title">'
                         f'<h2 id="{name}-title">{escape(title)}</h2>')

    def add(self, text: str) -> None:
        self.body.append(text)

    def beside(self, *tables: str) -> None:
        """Tables side by side where there is room."""
        self.body.append('<div class="beside">' + "".join(tables) + "</div>")

    def say(self, text: str) -> None:
        self.body.append(f"<p>{escape(text)}</p>")

    def quiet(self, text: str) -> None:
        """What is not there, and which option brings it."""
        self.body.append(f'<p class="quiet">{escape(text)}</p>')

    def draw(self, *figures: typing.Optional[Figure]) -> None:
        """Figures side by side where there is room; None is left out."""
        present = [f for f in figures if f]
        if present:
            self.body.append(f'<div class="figures{" pair" if len(present) > 1 else ""}">'
                             + "".join(map(self.frame, present)) + "</div>")

    def frame(self, figure: Figure) -> str:
        self.figures.append(figure)
        name, title = figure["name"], escape(figure["title"])
        buttons = "".join(f'<button type="button" data-save="{kind}" data-of="{name}" '
                          f'aria-label="{title} as {kind.upper()}">{kind.upper()}</button>'
                          for kind in ("svg", "png", "csv"))
        return (f'<figure id="figure-{name}"><figcaption><h3>{title}</h3>'
                f'<p id="says-{name}">{escape(figure["says"])}</p></figcaption>'
                f'<div class="plot" id="plot-{name}" role="img" aria-label="{title}" '
                f'aria-describedby="says-{name}" style="min-height:{figure["height"]}px"></div>'
                f'<div class="save">{buttons}</div></figure>')

    def text(self) -> str:
        parts = {"TITLE": escape(self.title), "MARK": MARK,
                 "STYLE": read("page.css"), "PROGRAM": read("page.js"),
                 "LINKS": "".join(f'<li><a href="#{n}">{escape(t)}</a></li>'
                                  for n, t in self.links),
                 "BODY": "".join(self.body) + ("</section>" if self.links else ""),
                 "FIGURES": json.dumps(self.figures, separators=(",", ":"), allow_nan=False)
                 .replace("<", "\\u003c"),
                 "PLOTLY": packed_plotly()}
        return re.sub(r"\{\{([A-Z]+)\}\}", lambda m: parts[m[1]], read("page.html"))


def read(name: str) -> str:
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return file.read()


def plotly_file() -> str:
    """Path of plotly.js: $SSDVP_PLOTLY, Debian's, or that of the package plotly of PyPI."""
    named = os.environ.get("SSDVP_PLOTLY")
    if named or os.path.exists(DEBIAN_PLOTLY):
        return named or DEBIAN_PLOTLY
    package = importlib.util.find_spec("plotly")
    folders = (package.submodule_search_locations if package else None) or []
    return next((os.path.join(f, "package_data", "plotly.min.js") for f in folders), DEBIAN_PLOTLY)


def packed_plotly() -> str:
    path = plotly_file()
    try:
        with open(path, "rb") as file:
            packed = gzip.compress(file.read(), GZIP_LEVEL, mtime=0)
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}; "
                      "apt-get install python3-plotly, or pip install 'plotly<6'") from error
    return base64.b64encode(packed).decode("ascii")
