# SPDX-License-Identifier: Apache-2.0
"""Where firmware spends its instructions, from the files of --fw-profile."""
import os

from ssdvp.report import units
from ssdvp.report.csv_file import Kind, read_columns, with_rows
from ssdvp.report.figures import figure, short
from ssdvp.report.page import table

FUNCTIONS = 15
FILE = Kind(full=("function", "calls", "instructions"), words=("function",))


def firmware(page, run):
    functions = run.profile and with_rows(
        read_columns(os.path.join(run.profile, "functions.csv"), FILE))
    if not functions:
        page.quiet("No firmware profile in this folder: --fw-profile DIR/fw brings the cost of "
                   "each folder and function of the firmware.")
        return
    page.draw(by_folder(functions))
    total = sum(functions["instructions"]) or 1.0
    order = sorted(range(len(functions["function"])),
                   key=lambda i: -functions["instructions"][i])[:FUNCTIONS]
    page.add(table(f"The {len(order)} functions with the most instructions",
                   ["function", "calls", "instructions", "share"],
                   [[functions["function"][i].removeprefix("firmware/"),
                     units.count(functions["calls"][i]),
                     units.count_short(functions["instructions"][i]),
                     units.share(functions["instructions"][i] / total)] for i in order]))


def by_folder(functions):
    folders = {}
    for name, spent in zip(functions["function"], functions["instructions"]):
        path = name.removeprefix("firmware/")
        folder = path.split("/")[0] if "/" in path else "others"
        folders[folder] = folders.get(folder, 0) + spent
    total = sum(folders.values()) or 1.0
    ranked = sorted(folders.items(), key=lambda f: -f[1])
    trace = {"type": "bar", "orientation": "h", "name": "instructions", "showlegend": False,
             "y": [n for n, _ in ranked], "x": [short(100 * v / total) for _, v in ranked],
             "text": [units.share(v / total) for _, v in ranked], "textposition": "auto",
             "marker": {"color": "@sky"}, "insidetextfont": {"color": "@ink_on_sky"},
             "hovertemplate": "%{y}: %{x:.1f} % of the instructions<extra></extra>"}
    says = f"Most is spent in {ranked[0][0]}: {units.share(ranked[0][1] / total)}."
    return figure("firmware", "Instructions by folder of the firmware", says, [trace],
                  {"xaxis": {"ticksuffix": " %", "rangemode": "tozero",
                             "title": {"text": "share of the instructions"}},
                   "yaxis": {"type": "category", "autorange": "reversed"}}, 80 + 28 * len(ranked))
