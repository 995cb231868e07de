# SPDX-License-Identifier: Apache-2.0
"""Figures of how long requests took, and why."""
from ssdvp.report import figures, tail, units
from ssdvp.report.figures import figure, shorts
from ssdvp.report.folder import PLURALS

PERCENT_TICKS = (0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999)

# "The slowest 1 % ... 83 % of their time."
PART_WORDS = {
    "link": "are on the link", "front_end": "are in the front end",
    "firmware": "are being processed by firmware", "wait_core": "wait for a core",
    "wait_power": "wait for a drive that sleeps or is held back for heat or power",
    "wait_map": "wait for a page of the map", "wait_buffer": "wait for room in the buffer",
    "queue": "wait in a queue", "wait_read": "wait for reads of their LUN",
    "wait_program": "wait for programs of their LUN", "wait_erase": "wait for erases of their LUN",
    "wait_gc": "wait for garbage collection", "array": "are being read or programmed in the array",
    "bus": "are on the flash bus", "ecc": "are in the ECC decoder",
    "dram": "are on the way to or from DRAM", "completion": "wait for the host to take their end"}


def words_of(part):
    return PART_WORDS.get(part, f"are in {part}")


def group_label(group):
    return "all" if group.share == 1 else f"slowest {group.share * 100:g} %"


def cause_words(groups, who="requests"):
    """Why the slowest are slow, in a sentence or two; "" when there are too few requests."""
    if len(groups) < 2:
        return ""
    part, added = tail.cause(groups)
    worst, everyone = groups[-1], groups[0]
    said = (f"The slowest {worst.share * 100:g} % of the {who} {words_of(part)} for "
            f"{units.whole_share(worst.of(part))} of their time; all {who} for "
            f"{units.whole_share(everyone.of(part))}. ")
    return said + (f"They take {units.time(worst.mean())} on average instead of "
                   f"{units.time(everyone.mean())}, and {units.whole_share(added)} of the "
                   "difference is due to it." if added > 0.005 else "")


def tail_figure(name, title, groups):
    """The groups side by side, from all to the slowest."""
    said = []
    for group in groups:
        ranked = sorted(group.parts, key=lambda p, g=group: -g.parts[p])
        said.append(f"of {group_label(group)} " + ", ".join(
            f"{p} {units.whole_share(group.of(p))}" for p in ranked[:2] if group.of(p) >= 0.01))
    says = "The largest parts: " + "; ".join(said) + "."
    rows = [(group_label(g), {p: v / g.requests for p, v in g.parts.items()}) for g in groups]
    return figures.share_bars(name, title, says, rows)


def tail_shares(curves):
    """curves: [(label, colour, dash, steps of tail.beyond)]: how many requests are slower than a
    time. Each point is drawn at the upper end of its bucket."""
    traces, ends = [], []
    for label, colour, dash, steps in curves:
        steps = [s for s in steps if s[1] > 0] or steps
        ends += [steps[0][0], steps[-1][0]]
        traces.append({"type": "scatter", "mode": "lines", "name": label,
                       "x": shorts([s[0] for s in steps]), "y": shorts([s[1] for s in steps]),
                       "line": {"color": colour, "dash": dash, "width": 2, "shape": "hv"},
                       "customdata": [f"{units.time(t)}: {100 * (1 - s):.6g} % are faster"
                                      for t, s in steps],
                       "hovertemplate": "%{fullData.name}, %{customdata}<extra></extra>"})
    lowest = min(min(s for _, s in c[3] if s > 0) if len(c[3]) > 1 else 0.5 for c in curves)
    ticks = [t for t in PERCENT_TICKS if 1 - t >= max(lowest, 1e-6) * 0.3]
    layout = {"xaxis": figures.log_times(min(ends), max(ends), "latency"),
              "yaxis": {"type": "log", "title": {"text": "requests that are faster"},
                        "autorange": "reversed", "tickvals": shorts([1 - t for t in ticks]),
                        "ticktext": [f"{100 * t:.6g} %" for t in ticks]}}
    said = [f"{label}: half are faster than {units.time(at(steps, 0.5))}, 99.9 % faster than "
            f"{units.time(at(steps, 0.001))}" for label, _, _, steps in curves]
    return figure("latency", "Distribution of latencies", "; ".join(said) + ".", traces, layout,
                  380)


def at(steps, share):
    """The latency that no more than this share of the requests exceeds."""
    return next((t for t, s in steps if s <= share), steps[-1][0])


def run_tail_shares(run):
    kinds = run.kinds()
    return tail_shares([(PLURALS[k], figures.KIND_COLOURS[k], figures.KIND_DASHES[k],
                         tail.beyond(run.latency, (k,))) for k in kinds])


def stream_figure(streams):
    """Where the time of each stream goes, by kind; parts are means per request."""
    rows = [(f"{s['name']}, {PLURALS[k]}", s[k]["parts_ns"]) for s in streams
            for k in figures.KIND_COLOURS if s.get(k, {}).get("requests")]
    if not rows:
        return None
    said = []
    for label, parts in rows:
        largest = max(parts, key=lambda p, parts=parts: parts[p])
        share = parts[largest] / (sum(parts.values()) or 1.0)
        said.append(f"{label}: {largest} {units.whole_share(share)}")
    return figures.share_bars("streams", "By stream", "The largest part. " + "; ".join(said) + ".",
                              rows)
