# SPDX-License-Identifier: Apache-2.0
"""Figures of series.csv: what changed over time. Each has a strip on top that marks collection,
suspends, checkpoints and power cuts."""
from ssdvp.report import figures, pieces, units
from ssdvp.report.figures import figure, short, shorts
from ssdvp.report.folder import KINDS, PLURALS

EVENTS = (("gc_runs", "collection", "@purple"), ("suspends", "suspend", "@sky"),
          ("checkpoints", "checkpoint", "@green"), ("power_cuts", "power cut", "@vermillion"),
          ("throttled_light", "light throttling", "@yellow"),
          ("throttled_heavy", "heavy throttling", "@orange"))
BINS = 150  # bundles of pieces for ratios, which single pieces make noisy
HEAT_CELLS = 100_000


class Clock:
    """Simulated time in the unit that fits the length of the measured part."""

    def __init__(self, series):
        length = series["end_ns"][-1] or 1.0
        self.factor, self.unit = next((f, u) for f, u in reversed(units.TIMES)
                                      if length >= f or f == 1)
        self.last = short(length / self.factor)

    def of(self, times):
        return [short(t / self.factor) for t in times]

    def axis(self):
        return {"title": {"text": f"simulated time in {self.unit}"}, "range": [0, self.last]}


def event_strip(series, clock):
    """(traces, layout) of the marks above a figure; nothing where nothing happened."""
    lanes, traces = [], []
    for column, label, colour in EVENTS:
        marked = [(b + e) / 2 for b, e, v in zip(series["begin_ns"], series["end_ns"],
                                                 series.get(column, ())) if v]
        if not marked:
            continue
        lanes.append(label)
        step = -(-len(marked) // pieces.POINTS)
        traces.append({"type": "scatter", "mode": "markers", "name": label, "yaxis": "y2",
                       "x": clock.of(marked[::step]), "y": [label] * len(marked[::step]),
                       "showlegend": False, "hovertemplate": "%{y} at %{x}<extra></extra>",
                       "marker": {"symbol": "line-ns-open", "size": 7, "color": colour}})
    if not lanes:
        return [], {}
    top = 1 - 0.075 * len(lanes)
    axis = {"domain": [top, 1], "type": "category", "categoryarray": lanes[::-1],
            "categoryorder": "array", "tickmode": "array", "tickvals": lanes,
            "tickfont": {"size": 11}, "showgrid": False, "fixedrange": True,
            "range": [-0.6, len(lanes) - 0.4]}
    return traces, {"yaxis2": axis, "yaxis": {"domain": [0, top - 0.04]}}


class Plan:
    """Figures over time of one run, which share axis and marks."""

    def __init__(self, series):
        self.series, self.clock = series, Clock(series)
        self.strip, self.strip_layout = event_strip(series, self.clock)

    def has(self, column):
        return any(v is not None for v in self.series.get(column, ()))

    def lines(self, name, title, curves, axis):
        """curves: [(label, values per piece)]; axis: the layout of the y axis."""
        traces, said = [], []
        for index, (label, values) in enumerate(curves):
            curve = pieces.curve(self.series, values)
            if not curve.known():
                continue
            colour = figures.colour_of(index)
            traces += self.curve_traces(label, curve, colour, figures.DASHES[index // 8 % 5])
            said.append(self.range_words(label, curve, axis))
        if not traces:
            return None
        layout = {"xaxis": self.clock.axis(),
                  "yaxis": {**axis["layout"], **self.strip_layout.get("yaxis", {})}}
        if "yaxis2" in self.strip_layout:
            layout["yaxis2"] = self.strip_layout["yaxis2"]
            layout["xaxis"]["anchor"] = "y"
        return figure(name, title, "; ".join(said) + ".", traces + self.strip, layout,
                      280 + 16 * len(self.strip))

    def curve_traces(self, label, curve, colour, dash):
        times = self.clock.of([(b + e) / 2 for b, e in zip(curve.begin, curve.end)])
        found = []
        if curve.bundled():
            for values, fill in ((curve.low, None), (curve.high, "tonexty")):
                found.append({"type": "scatter", "mode": "lines", "x": times, "y": shorts(values),
                              "name": f"{label}, {'maximum' if fill else 'minimum'}",
                              "line": {"width": 0, "color": colour}, "showlegend": False,
                              "opacity": 0.3, "hoverinfo": "skip",
                              **({"fill": fill, "fillcolor": colour + "_faint"} if fill else {})})
        found.append({"type": "scatter", "mode": "lines", "name": label, "x": times,
                      "y": shorts(curve.mean), "connectgaps": False,
                      "line": {"color": colour, "dash": dash, "width": 1.7}})
        return found

    @staticmethod
    def range_words(label, curve, axis):
        lows = [v for v in curve.low if v is not None]
        highs = [v for v in curve.high if v is not None]
        low, high = axis["text"](min(lows)), axis["text"](max(highs))
        return f"{label}: {low}" + (f" to {high}" if high != low else " throughout")


def linear(title, text, **more):
    return {"layout": {"title": {"text": title}, "rangemode": "tozero", **more}, "text": text}


def busy_axis(title):
    return linear(title, units.whole_share, tickformat=".0%", range=[0, 1])


def throughput(plan):
    curves = [(PLURALS[k], pieces.per_second(plan.series, f"{k}_requests")) for k in KINDS
              if any(plan.series.get(f"{k}_requests", ()))]
    return plan.lines("throughput", "Requests per second", curves,
                      linear("requests per second", units.count_short))


def bandwidth(plan):
    curves = [(PLURALS[k], [None if v is None else v / 1e6 for v in
                         pieces.per_second(plan.series, f"{k}_bytes")]) for k in KINDS[:2]
              if any(plan.series.get(f"{k}_bytes", ()))]
    return plan.lines("bandwidth", "Data per second", curves,
                      linear("MB/s", lambda v: f"{units.digits(v)} MB/s"))


def latency(plan, kind):
    names = ("mean", "p50", "p99", "p99.9", "max")
    curves = [(units.percentile(n), plan.series[f"{kind}_{n}_ns"]) for n in names
              if plan.has(f"{kind}_{n}_ns")]
    known = [v for _, values in curves for v in values if v]
    if not known:
        return None
    axis = figures.log_times(min(known), max(known), "latency")
    return plan.lines(f"latency-{kind}", f"Latency of {PLURALS[kind]}", curves,
                      {"layout": axis, "text": units.time})


def gauges(plan):
    for column, name, title, unit in (
            ("in_flight", "in-flight", "Requests in flight", "requests"),
            ("free_blocks", "free", "Free space", "erased superblocks"),
            ("buffer_dirty", "buffer", "Write buffer", "dirty units")):
        if plan.has(column):
            yield plan.lines(name, title, [(title.lower(), plan.series[column])],
                             linear(unit, units.count_short))


def write_amplification(plan):
    """Flash bytes programmed per byte that the host wrote, by purpose, stacked."""
    series = plan.series
    purposes = [c[len("programmed_"):-len("_bytes")] for c in series
                if c.startswith("programmed_") and c.endswith("_bytes") and any(series[c])]
    written = series.get("write_bytes", ())
    if not purposes or not any(written):
        return None
    groups = pieces.bundles(series, written, BINS)
    times = plan.clock.of([(series["begin_ns"][g[0]] + series["end_ns"][g[-1]]) / 2
                           for g in groups])
    host = [sum(written[r] or 0 for r in g) for g in groups]
    traces, said = [], []
    for index, purpose in enumerate(purposes):
        column = series[f"programmed_{purpose}_bytes"]
        ratio = [sum(column[r] or 0 for r in g) / h if h else None for g, h in zip(groups, host)]
        whole = sum(v or 0 for v in column) / sum(v or 0 for v in written)
        said.append(f"{purpose} {units.digits(whole)}")
        traces.append({"type": "scatter", "mode": "lines", "stackgroup": "waf", "name": purpose,
                       "x": times, "y": shorts(ratio),
                       "line": {"width": 1, "color": figures.colour_of(index),
                                "dash": figures.DASHES[index % 5]}})
    layout = {"xaxis": plan.clock.axis(),
              "yaxis": {"title": {"text": "write amplification"},
                        "rangemode": "tozero", **plan.strip_layout.get("yaxis", {})}}
    if "yaxis2" in plan.strip_layout:
        layout["yaxis2"] = plan.strip_layout["yaxis2"]
    return figure("waf", "Write amplification by purpose",
                  "Over the whole measured part: " + ", ".join(said) + ".", traces + plan.strip,
                  layout, 300 + 16 * len(plan.strip))


def busy(plan):
    names = (("luns_busy", "LUNs"), ("channels_busy", "channels"), ("dram_busy", "DRAM"),
             ("link_up_busy", "link to the host"), ("link_down_busy", "link to the drive"))
    return plan.lines("busy", "How busy each part is",
                      [(label, plan.series[c]) for c, label in names if plan.has(c)],
                      busy_axis("share of the time"))


def cores(plan):
    names = [c for c in plan.series if c.startswith("core_") and c.endswith("_busy")]
    return plan.lines("core-load", "Load of the cores",
                      [(f"core {c[5:-5]}", plan.series[c]) for c in names if plan.has(c)],
                      busy_axis("share of the time"))


def watts(plan):
    names = (("power_nand_w", "NAND"), ("power_dram_w", "DRAM"),
             ("power_channels_w", "channels"), ("power_link_w", "link"), ("power_cores_w", "cores"))
    return plan.lines("watts", "Power", [(label, plan.series[c]) for c, label in names
                                         if plan.has(c)], linear("watts", units.power))


def heat(plan):
    """Temperatures at the end of each piece."""
    names = (("composite_c", "drive"), ("controller_c", "controller"), ("nand_c", "hottest die"))
    return plan.lines("heat", "Temperature", [(label, plan.series[c]) for c, label in names
                                              if plan.has(c)],
                      {"layout": {"title": {"text": "degrees Celsius"}},
                       "text": lambda v: f"{units.digits(v)} C"})


def own_work(plan):
    """How often firmware did something of its own accord."""
    names = (("gc_runs", "blocks collected"), ("suspends", "suspends"),
             ("erases", "erases"), ("checkpoints", "checkpoints"))
    curves = [(label, pieces.per_second(plan.series, c)) for c, label in names
              if any(plan.series.get(c, ()))]
    return plan.lines("own-work", "Work of the firmware's own", curves,
                      linear("per second", units.count_short))


def lun_map(plan):
    """Busy share of each LUN over time. Neighbouring pieces share a column where there are many."""
    series = plan.series
    names = [c for c in series if c.startswith("lun_") and c.endswith("_busy") and plan.has(c)]
    if not names:
        return None
    points = max(20, min(1000, HEAT_CELLS // len(names)))
    curves = [pieces.curve(series, series[c], points) for c in names]
    labels = [c[4:-5].replace("_", "/") for c in names]
    edges = plan.clock.of(curves[0].begin + curves[0].end[-1:])
    means = [sum(v or 0 for v in c.mean) / len(c.mean) for c in curves]
    low, high = means.index(min(means)), means.index(max(means))
    trace = {"type": "heatmap", "x": edges, "y": labels, "zmin": 0, "zmax": 100,
             "z": [[None if v is None else round(100 * v, 1) for v in c.mean] for c in curves],
             "colorscale": "Cividis", "colorbar": {"thickness": 12, "ticksuffix": " %"},
             "hovertemplate": "LUN %{y} at %{x}: busy for %{z} %<extra></extra>"}
    says = (f"From dark, idle, to bright, busy all the time. Least busy: LUN {labels[low]}, "
            f"{units.share(means[low])}; busiest: LUN {labels[high]}, {units.share(means[high])}.")
    layout = {"xaxis": plan.clock.axis(),
              "yaxis": {"title": {"text": "channel/LUN"}, "type": "category",
                        "autorange": "reversed"}}
    return figure("luns", "How busy each LUN is", says, [trace], layout,
                  min(900, 150 + 14 * max(4, len(names))))
