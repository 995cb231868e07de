# SPDX-License-Identifier: Apache-2.0
"""The figures on the pages of papers, docs/papers/pictures: each is one that an experiment has
drawn, called EXPERIMENT-FIGURE.png. Kept with the results in full size."""
import pathlib
import re
import typing

from . import pages, results

FOLDER = pages.PAGES / "pictures"
SHOWN = re.compile(r"\]\(pictures/([^)]+)\)")
COLOURS = 128


def name_of(experiment: str, data: str) -> str:
    """`data`: the file of what the figure shows, which lies beside it."""
    stem = pathlib.PurePath(data).stem
    return (stem if stem.startswith(f"{experiment}-") else f"{experiment}-{stem}") + ".png"


def shown() -> typing.Set[str]:
    return {name for path in pages.PAGES.glob("*.md")
            for name in SHOWN.findall(path.read_text(encoding="utf-8"))}


def reduced(source: pathlib.Path, target: pathlib.Path) -> None:
    """Few colours are enough for lines and bars, and a third of the bytes."""
    from PIL import Image  # the plotting library has it
    with Image.open(source) as picture:
        few = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(target, optimize=True)


def keep(experiment: str, out: pathlib.Path, done: results.Done) -> None:
    wanted = shown()
    for entry in done.values():
        for data in entry.made["files"]:
            name = name_of(experiment, data)
            if name in wanted:
                reduced((out / data).with_suffix(".png"), FOLDER / name)
