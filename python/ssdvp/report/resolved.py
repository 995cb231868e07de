# SPDX-License-Identifier: Apache-2.0
"""config.resolved.yaml as {"flash.channels": "8", "workload[0].pattern": "zipf"}. The program
writes it in block style, a key a line, so no library is needed to read it."""
import re
import typing

Flat = typing.Dict[str, str]
Sections = typing.List[typing.Tuple[int, str]]  # (indent, name) of those around a line

LINE = re.compile(r"^( *)(- )?([^\s:#][^:]*):(?: (.*))?$")


def flatten(text: str) -> Flat:
    """Keys with their values as text, in the order of the file."""
    flat: Flat = {}
    items: typing.Dict[str, int] = {}
    path: Sections = []
    for match in filter(None, map(LINE.match, text.splitlines())):
        indent, item, key, value = len(match[1]), match[2], match[3], match[4]
        while path and path[-1][0] >= indent:
            path.pop()
        if item:
            section = joined(path)
            items[section] = items.get(section, -1) + 1
            path.append((indent, f"[{items[section]}]"))
            indent += len(item)
        if value:
            flat[joined(path + [(indent, key)])] = value.strip().strip('"')
        else:
            path.append((indent, key))
    return flat


def joined(path: Sections) -> str:
    return ".".join(name for _, name in path).replace(".[", "[")


def without_seed(flat: typing.Mapping[str, str]) -> Flat:
    """What runs of several seeds have in common."""
    return {key: value for key, value in flat.items() if key != "run.seed"}
