# SPDX-License-Identifier: Apache-2.0
"""The built site, looked at: every link and every anchor leads somewhere, and nothing that a page
is made of comes from elsewhere.

    python -m docsite.check FOLDER"""
import html.parser
import pathlib
import re
import sys
import typing
import urllib.parse

LINKS = {"a": "href", "link": "href", "area": "href", "img": "src", "script": "src",
         "iframe": "src", "source": "src", "object": "data"}
STYLE_URL = re.compile(r"(?:url\(|@import\s+(?!url\())\s*[\"']?([^\"')\s;]+)")
WITHOUT_PLACE = {"404.html"}  # served for any address: its links begin at the root


class Page(html.parser.HTMLParser):
    """Anchors of a page, and its links: (tag, target)."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: typing.Set[str] = set()
        self.links: typing.List[typing.Tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str,
                        attrs: typing.List[typing.Tuple[str, typing.Optional[str]]]) -> None:
        values = dict(attrs)
        for name in ("id", "name") if tag == "a" else ("id",):
            if values.get(name):
                self.anchors.add(str(values[name]))
        target = values.get(LINKS.get(tag, ""))
        if target and not (tag == "link" and values.get("rel") == "canonical"):
            self.links.append((tag, target))


def elsewhere(target: str) -> bool:
    return bool(urllib.parse.urlsplit(target).netloc)


def check_link(root: pathlib.Path, page: str, tag: str, target: str,
               pages: typing.Dict[str, Page]) -> typing.Optional[str]:
    """What is wrong with it."""
    parts = urllib.parse.urlsplit(target)
    if parts.scheme in ("mailto", "data", "javascript"):
        return None
    if parts.netloc:
        return None if tag == "a" else f"{target} comes from elsewhere"
    path = urllib.parse.unquote(parts.path)
    place = (root / page).parent / path if path else root / page
    if not place.exists() or not place.resolve().is_relative_to(root.resolve()):
        return f"{target} leads nowhere"
    if place.is_dir():
        return f"{target} is a folder, which shows nothing when opened from files"
    there = place.resolve().relative_to(root.resolve()).as_posix()
    anchor = urllib.parse.unquote(parts.fragment)
    if anchor and there in pages and anchor not in pages[there].anchors \
            and not anchor.startswith("__"):
        return f"{target}: {there} has no such anchor"
    return None


def check_style(root: pathlib.Path, path: pathlib.Path) -> typing.List[str]:
    text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return [f"{path.relative_to(root)}: {target} comes from elsewhere"
            for target in STYLE_URL.findall(text) if elsewhere(target)]


def check(root: pathlib.Path) -> typing.Tuple[int, typing.List[str]]:
    """How many links there are, and what is wrong."""
    pages = {path.relative_to(root).as_posix(): Page(path.read_text(encoding="utf-8"))
             for path in sorted(root.rglob("*.html"))}
    found: typing.List[str] = []
    count = 0
    for name, page in pages.items():
        if name in WITHOUT_PLACE:
            continue
        for tag, target in sorted(set(page.links)):
            count += 1
            wrong = check_link(root, name, tag, target, pages)
            if wrong:
                found.append(f"{name}: {wrong}")
    for path in sorted(root.rglob("*.css")):
        found += check_style(root, path)
    if not pages:
        found.append(f"{root} has no page")
    return count, found


if __name__ == "__main__":
    links, wrong = check(pathlib.Path(sys.argv[1]))
    for line in wrong:
        print(line)
    print(f"{len(wrong)} of {links} links are wrong" if wrong else f"{links} links lead somewhere")
    sys.exit(1 if wrong else 0)
