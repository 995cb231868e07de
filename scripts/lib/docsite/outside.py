# SPDX-License-Identifier: Apache-2.0
"""Links of the pages to what is not in docs/: such a file of the project has a page on the site
too, below project/. A Markdown file is a page as it is, a source is shown, a folder is listed."""
import os
import pathlib
import re
import typing

DOCS = "docs"
LINK = re.compile(r"(\]\(|^\[[^\]]+\]: +)([^)\s#]+)", re.MULTILINE)
LANGUAGES = {".c": "c", ".h": "c", ".cpp": "cpp", ".py": "python", ".yaml": "yaml",
             ".sh": "bash", ".txt": "text", ".rdl": "text", "": "text"}
UNSOUGHT = "---\nsearch:\n  exclude: true\n---\n"  # sources would crowd the search
SHOWN = 64 << 10  # bytes of a source


def outside_fences(text: str, change: typing.Callable[[str], str]) -> str:
    """`change` of all that is no fenced block."""
    parts = re.split(r"(^ *```.*?^ *```[^\n]*$)", text, flags=re.DOTALL | re.MULTILINE)
    return "".join(part if i % 2 else change(part) for i, part in enumerate(parts))


def is_url(target: str) -> bool:
    return ":" in target.split("/")[0] or target.startswith("#")


def resolved(page: str, target: str) -> str:
    """Path in the project of what `page`, a path in the project, links to."""
    return os.path.normpath(os.path.join(os.path.dirname(page), target)).replace(os.sep, "/")


def uri(root: pathlib.Path, path: str) -> str:
    """Where the file of the project is among the sources of the site."""
    inside = path.startswith(DOCS + "/") and not (root / path).is_dir()
    if inside:
        return path[len(DOCS) + 1:]
    return f"project/{path}" if path.endswith(".md") else f"project/{path}.md"


def links(text: str) -> typing.List[str]:
    found: typing.List[str] = []

    def collect(part: str) -> str:
        found.extend(target for _, target in LINK.findall(part) if not is_url(target))
        return part
    outside_fences(text, collect)
    return found


def rewritten(root: pathlib.Path, page: str, text: str) -> str:
    """The page, a path in the project, with its links as they are among the site's sources."""
    here = os.path.dirname(uri(root, page))

    def link(found: typing.Match[str]) -> str:
        if is_url(found[2]) or not (root / resolved(page, found[2])).exists():
            return found[0]
        target = uri(root, resolved(page, found[2]))
        return found[1] + os.path.relpath(target, here or ".").replace(os.sep, "/")
    return outside_fences(text, lambda part: LINK.sub(link, part))


def page_of(root: pathlib.Path, path: str) -> str:
    """Markdown of a file or folder outside of docs/."""
    place = root / path
    if path.endswith(".md"):
        return place.read_text(encoding="utf-8")
    name = path.rsplit("/", 1)[-1]
    if place.is_dir():
        lines = [f"- [{p.name}]({p.relative_to(place.parent).as_posix()})"
                 for p in sorted(place.iterdir())]
        return f"{UNSOUGHT}# {name}\n\n`{path}` of the project:\n\n" + "\n".join(lines) + "\n"
    text = place.read_text(encoding="utf-8")
    if len(text) > SHOWN:
        raise ValueError(f"{path}: too long for a page of the site; link to its folder")
    language = LANGUAGES.get(place.suffix, "text")
    return f"{UNSOUGHT}# {name}\n\n`{path}` of the project:\n\n````{language}\n{text}````\n"


def wanted(root: pathlib.Path, pages: typing.Iterable[str]) -> typing.Dict[str, str]:
    """{path: Markdown} of all that `pages` lead to outside of docs/, from page to page."""
    found: typing.Dict[str, str] = {}
    to_read = [(page, (root / page).read_text(encoding="utf-8")) for page in pages]
    while to_read:
        page, text = to_read.pop()
        for target in links(text):
            path = resolved(page, target)
            known = path in found or not (root / path).exists()
            inside = path.startswith(DOCS + "/") and not (root / path).is_dir()
            if known or inside or path.startswith(".."):
                continue
            found[path] = page_of(root, path)
            to_read.append((path, found[path]))
    return found
