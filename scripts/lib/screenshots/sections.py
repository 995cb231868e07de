# SPDX-License-Identifier: Apache-2.0
"""Pictures of sections of the pages that the tutorial's commands have made.

    python sections.py FOLDER PICTURES"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "tests/scripts"))
from browser import Browser  # noqa: E402

WIDTH, MARGIN = 1000, 16  # of the window; around a section
# Page, section, most of its height that is shown, picture.
SECTIONS = (("before/report.html", "verdict", 610, "tutorial-report.png"),
            ("before/report.html", "slowest", 790, "tutorial-slowest.png"),
            ("comparison.html", "differences", 560, "tutorial-comparison.png"),
            ("sweep/sweep.html", "effects", 640, "tutorial-sweep.png"))


def main(folder: pathlib.Path, pictures: pathlib.Path) -> None:
    with Browser() as browser:
        for page, section, height, picture in SECTIONS:
            browser.open(folder / page, WIDTH, 900)
            browser.wait_until("document.documentElement.dataset.drawn")
            box = browser.run(
                "const r = document.getElementById(arguments[0]).getBoundingClientRect();"
                "return [r.top + scrollY, r.height]", section)
            shown = min(box[1] + 2 * MARGIN, height)
            (pictures / picture).write_bytes(
                browser.picture(0, max(box[0] - MARGIN, 0), WIDTH, shown))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
