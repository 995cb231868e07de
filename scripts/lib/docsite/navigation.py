# SPDX-License-Identifier: Apache-2.0
"""The navigation of the site, from docs/README.md: headings of level 2 are its sections, those of
level 3 groups in them, and the first link of each list item or table row below is a page."""
import re
import typing

HEADING = re.compile(r"(#{2,3}) (.+)")
ENTRY = re.compile(r"(?:- |\| *)\[([^\]]+)\]\(([^)#\s]+)\)")

Entry = typing.Union[str, typing.Dict[str, typing.Any]]


def entry(title: str, target: str) -> Entry:
    """A link whose text is a path has the title of its page."""
    return target if title.endswith((".md", ".html")) else {title: target}


def navigation(index: str) -> typing.List[Entry]:
    top: typing.List[Entry] = [{"Home": "README.md"}]
    at = top
    section = top
    for line in index.split("\n"):
        heading = HEADING.fullmatch(line)
        if heading:
            at = []
            if len(heading[1]) == 2:
                section = at
                top.append({heading[2]: at})
            else:
                section.append({heading[2]: at})
            continue
        found = ENTRY.match(line)
        if found and at is not top and "://" not in found[2]:
            at.append(entry(found[1], found[2]))
    return without_empty(top)


def without_empty(entries: typing.List[Entry]) -> typing.List[Entry]:
    """A heading without pages is no section."""
    kept: typing.List[Entry] = []
    for item in entries:
        if isinstance(item, dict):
            (title, value), = item.items()
            if isinstance(value, list):
                value = without_empty(value)
                if not value:
                    continue
            item = {title: value}
        kept.append(item)
    return kept
