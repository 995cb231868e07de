# SPDX-License-Identifier: Apache-2.0
"""Markdown as code hosts read it, so that a page looks the same there and on the site: what is in
a list is indented by two spaces, and headings have the anchors that links from there use."""
import re
import typing

import markdown
from markdown import blockprocessors, preprocessors

INDENT = 2
# Name and priority of the processors that look at the indentation, as the library has them.
PROCESSORS: typing.Tuple[typing.Tuple[type, str, int], ...] = (
    (blockprocessors.ListIndentProcessor, "indent", 90),
    (blockprocessors.CodeBlockProcessor, "code", 80),
    (blockprocessors.OListProcessor, "olist", 40),
    (blockprocessors.UListProcessor, "ulist", 30),
)


ITEM = re.compile(r" {0,3}(?:[-*]|1\.) +\S")


class Interrupting(preprocessors.Preprocessor):
    """A list may follow a paragraph without a blank line between."""

    def run(self, lines: typing.List[str]) -> typing.List[str]:
        kept: typing.List[str] = []
        in_paragraph = False  # what began without the mark of a list
        for line in lines:
            if not line.strip():
                in_paragraph = False
            elif ITEM.match(line):
                if in_paragraph:
                    kept.append("")
                in_paragraph = False
            elif not kept or not kept[-1].strip():
                in_paragraph = True
            kept.append(line)
        return kept


class Dialect(markdown.Extension):
    """To be loaded before others that change lists."""

    def extendMarkdown(self, md: markdown.Markdown) -> None:
        md.tab_length = INDENT
        for processor, name, priority in PROCESSORS:  # made anew: each has read it when made
            md.parser.blockprocessors.register(processor(md.parser), name, priority)
        md.preprocessors.register(Interrupting(md), "interrupting", 15)  # fences are gone then


def makeExtension(**options: typing.Any) -> Dialect:
    return Dialect(**options)


def slug(heading: str, separator: str) -> str:
    """`A heading: run.until` -> a-heading-rununtil"""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", separator)
