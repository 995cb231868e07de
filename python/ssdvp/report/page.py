# SPDX-License-Identifier: Apache-2.0
"""The page: sections of text, tables and figures, put into page.html with style, program and the
plotting library. The same input gives the same bytes."""
import base64
import gzip
import hashlib
import importlib.util
import json
import os
import re
import typing

from ssdvp.report.figures import Figure
from ssdvp.report.markup import Html, Words, html, joined, text
from ssdvp.report.refused import Refused

HERE = os.path.dirname(__file__)
GZIP_LEVEL = 6  # 9 takes three times as long for 1 % less
DEBIAN_PLOTLY = "/usr/share/python3-plotly/plotly.js"
MARK = Html('<meta name="generator" content="ssdvp report">')


def number(run: typing.Any, pointer: str, said: typing.Callable[[typing.Any], str]) -> Html:
    """A number of summary.json, exact for programs (tests compare it), `said` for people."""
    value = at(run.summary, pointer)
    if value is None:
        return Html("–")
    return html('<data class="n" value="{}" data-key="{}">{}</data>', json.dumps(value), pointer,
                said(value))


def at(summary: typing.Any, pointer: str) -> typing.Any:
    """A value of summary.json by its path, as in /host/read/latency_ns/p99.9; None without it."""
    value = summary
    for name in pointer.strip("/").split("/"):
        if isinstance(value, list):
            value = value[int(name)] if int(name) < len(value) else None
        else:
            inside = value if isinstance(value, dict) else {}
            value = inside.get(name.replace("~1", "/").replace("~0", "~"))
        if value is None:
            return None
    return value


def pointer(*names: str) -> str:
    """The path of a value whose names may have any letters, as RFC 6901 writes it."""
    return "".join("/" + name.replace("~", "~0").replace("/", "~1") for name in names)


def table(caption: str, head: typing.Optional[typing.Sequence[str]],
          rows: typing.Sequence[typing.Sequence[object]]) -> Html:
    """head: words; rows: cells, the first of which heads its row. Long tables scroll by
    themselves, and so do wide ones on a narrow screen."""
    first = [*(rows[0] if rows else ()), *[""] * len(head or ())]
    heads = joined(html('<th scope="col"{}>{}</th>', kind(c), h) for h, c in zip(head or (), first))
    lines = joined(html('<tr><th scope="row">{}</th>{}</tr>', heading,
                        joined(html("<td{}>{}</td>", kind(c), c) for c in cells))
                   for heading, *cells in rows)
    return html('<div class="scroll{}" role="region" tabindex="0" aria-label="{}">'
                "<table><caption><span>{}</span></caption>{}<tbody>{}</tbody></table></div>",
                " tall" if len(rows) > 20 else "", caption, caption,
                html("<thead><tr>{}</tr></thead>", heads) if heads else "", lines)


def kind(cell: object) -> Html:
    return Html(" class=words" if isinstance(cell, Words) else "")


class Page:
    """Sections are added in their order; figures are kept apart as data."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.body: typing.List[Html] = []
        self.figures: typing.List[Figure] = []
        self.links: typing.List[typing.Tuple[str, str]] = []

    def section(self, name: str, title: str) -> None:
        if self.links:
            self.add(Html("</section>"))
        self.links.append((name, title))
        self.add(html('<section id="{}" aria-labelledby="{}-title"><h2 id="{}-title">{}</h2>',
                      name, name, name, title))

    def add(self, piece: object) -> None:
        """Markup, or text."""
        self.body.append(text(piece))

    def beside(self, *tables: Html) -> None:
        """Tables side by side where there is room."""
        self.add(html('<div class="beside">{}</div>', joined(tables)))

    def say(self, said: str) -> None:
        self.add(html("<p>{}</p>", said))

    def quiet(self, said: str) -> None:
        """What is not there, and which option brings it."""
        self.add(html('<p class="quiet">{}</p>', said))

    def draw(self, *figures: typing.Optional[Figure]) -> None:
        """Figures side by side where there is room; None is left out."""
        present = [f for f in figures if f]
        if present:
            self.add(html('<div class="figures{}">{}</div>', " pair" if len(present) > 1 else "",
                          joined(map(self.frame, present))))

    def frame(self, figure: Figure) -> Html:
        self.figures.append(figure)
        name, title = figure["name"], figure["title"]
        buttons = joined(html('<button type="button" data-save="{}" data-of="{}" '
                              'aria-label="{} as {}">{}</button>', form, name, title,
                              form.upper(), form.upper()) for form in ("svg", "png", "csv"))
        return html('<figure id="figure-{}"><figcaption><h3>{}</h3><p id="says-{}">{}</p>'
                    '</figcaption><div class="plot" id="plot-{}" role="img" aria-label="{}" '
                    'aria-describedby="says-{}" style="min-height:{}px"></div>'
                    '<div class="save">{}</div></figure>', name, title, name, figure["says"],
                    name, title, name, figure["height"], buttons)

    def text(self) -> str:
        library, program = plotly(), "\n" + read("page.js") + "\n"
        links = joined(html('<li><a href="#{}">{}</a></li>', n, t) for n, t in self.links)
        parts = {"TITLE": text(self.title), "MARK": MARK, "STYLE": read("page.css"),
                 "PROGRAM": program, "SCRIPTS": " ".join(map(allowed, (program, library))),
                 "LINKS": links,
                 "BODY": joined(self.body) + Html("</section>" if self.links else ""),
                 "FIGURES": json.dumps(self.figures, separators=(",", ":"), allow_nan=False)
                 .replace("<", "\\u003c"),
                 "PLOTLY": packed(library)}
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


def plotly() -> str:
    path = plotly_file()
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{path} cannot be read: {getattr(error, 'strerror', error)}; "
                      "apt-get install python3-plotly, or pip install 'plotly<6'") from error


def packed(library: str) -> str:
    return base64.b64encode(gzip.compress(library.encode(), GZIP_LEVEL, mtime=0)).decode("ascii")


def allowed(script: str) -> str:
    """The name by which the page's policy allows this script, and no other."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
