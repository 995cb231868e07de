# SPDX-License-Identifier: Apache-2.0
"""Drawing: every figure is a PNG beside the CSV of what it shows."""
import csv

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend is chosen before)

plt.rcParams.update({"figure.figsize": (7, 4.5), "figure.dpi": 120, "axes.grid": True,
                     "grid.alpha": 0.3, "legend.frameon": False})


def write_csv(path, header, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


def save(figure, path):
    figure.tight_layout()
    figure.savefig(path)
    plt.close(figure)


def tails(results, kind, path, title):
    """Share of requests slower than a latency, one line per result."""
    figure, axes = plt.subplots()
    rows = []
    for label, result in results.items():
        points = [(ns / 1e6, share) for ns, share in result.tail(kind) if share > 0]
        rows += [(label, *point) for point in points]
        axes.step(*zip(*points), where="post", label=label)
    axes.set(xscale="log", yscale="log", xlabel="latency, ms",
             ylabel=f"share of {kind}s slower than this", title=title)
    axes.legend()
    save(figure, path.with_suffix(".png"))
    write_csv(path.with_suffix(".csv"), ["policy", "latency_ms", "share_slower"], rows)


def percentiles(results, kind, percents, path, title):
    """Grouped bars: a group per percentile, a bar per result."""
    figure, axes = plt.subplots()
    width = 0.8 / len(results)
    rows = []
    for i, (label, result) in enumerate(results.items()):
        values = [result.percentile(kind, p) / 1e6 for p in percents]
        rows += [(label, p, value) for p, value in zip(percents, values)]
        axes.bar([x + i * width for x in range(len(percents))], values, width, label=label)
    axes.set_xticks([x + 0.4 - width / 2 for x in range(len(percents))])
    axes.set_xticklabels([f"{p:g} %" for p in percents])
    axes.set(yscale="log", ylabel="latency, ms", title=title)
    axes.legend()
    save(figure, path.with_suffix(".png"))
    write_csv(path.with_suffix(".csv"), ["policy", "percent", "latency_ms"], rows)
