# SPDX-License-Identifier: Apache-2.0
"""Text of pages that are written from the program."""

NOTE = "<!-- Written by scripts/site --write: do not edit. -->\n"


def cell(text: str) -> str:
    """In a table: a bar would end the cell, an angle bracket begin a tag."""
    return text.replace("|", "\\|").replace("\n", " ")
