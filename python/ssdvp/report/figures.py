# SPDX-License-Identifier: Apache-2.0
"""What all figures share. A figure is a dict that page.js gives to Plotly: name, title, `says` (the
text alternative), traces, layout, height in pixels. A colour is a word like "@blue": page.js knows
it in light and in dark. Any other string is text, a line break in it included, but for
`hovertemplate`: that is markup, the same for all files, and asks for names by %{fullData.name}."""
import math
import typing

from ssdvp.report import units

Figure = typing.Dict[str, typing.Any]
Trace = typing.Dict[str, typing.Any]
Number = typing.Union[float, int, None]

# Okabe and Ito's colours can be told apart with any colour vision. Parts in which a request waits
# are plain, those in which something is done for it are hatched.
PART_COLOURS = {
    "wait_erase": "@vermillion", "wait_program": "@orange", "wait_gc": "@purple",
    "wait_read": "@blue", "wait_buffer": "@yellow", "wait_core": "@sky", "wait_map": "@green",
    "wait_power": "@ink", "queue": "@grey", "array": "@orange", "bus": "@blue", "ecc": "@purple",
    "dram": "@green", "firmware": "@sky", "link": "@vermillion", "front_end": "@yellow",
    "completion": "@grey"}
WAITS = ("queue", "wait_core", "wait_power", "wait_map", "wait_buffer", "wait_read",
         "wait_program", "wait_erase", "wait_gc")
KIND_COLOURS = {"read": "@blue", "write": "@orange", "trim": "@green", "flush": "@purple"}
SERIES_COLOURS = ("@blue", "@orange", "@green", "@vermillion", "@purple", "@sky", "@grey",
                  "@yellow")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
KIND_DASHES = dict(zip(("read", "write", "trim", "flush"), DASHES))
SMALLEST = 0.005  # a part below this share of every bar goes into "other parts"


def figure(name: str, title: str, says: str, traces: typing.Sequence[Trace],
           layout: typing.Mapping[str, typing.Any], height: int = 300) -> Figure:
    return {"name": name, "title": title, "says": says, "data": traces, "layout": layout,
            "height": height}


def short(value: Number) -> Number:
    """Six digits are more than a screen shows; None stays a gap."""
    if value is None or value == 0:
        return value
    rounded = float(f"{value:.6g}")
    return int(rounded) if rounded == int(rounded) else rounded


def shorts(values: typing.Iterable[Number]) -> typing.List[Number]:
    return [short(v) for v in values]


def colour_of(index: int) -> str:
    return SERIES_COLOURS[index % len(SERIES_COLOURS)]


def log_times(lowest: float, highest: float, title: str) -> typing.Dict[str, typing.Any]:
    """A logarithmic axis of times in ns, with ticks in their own units."""
    first, last = math.log10(lowest), math.log10(highest)
    room = max(0.04 * (last - first), 0.02)
    steps: typing.Tuple[float, ...] = (1,)
    if last - first <= 2:
        steps = (1, 2, 5) if last - first > 0.5 else (1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9)
    ticks = [s * 10.0**p for p in range(math.floor(first) - 1, math.ceil(last) + 1) for s in steps]
    ticks = [t for t in ticks if first - room <= math.log10(t) <= last + room]
    return {"type": "log", "title": {"text": title}, "range": [first - room, last + room],
            "tickvals": ticks, "ticktext": [units.tick(t) for t in ticks]}


def share_bars(name: str, title: str, says: str,
               rows: typing.Sequence[typing.Tuple[str, typing.Mapping[str, float]]]) -> Figure:
    """Stacked bars of 100 %, one a row. rows: [(label, {part: ns per request})], or shares of 1.
    Hovering tells the time of each part."""
    totals = [sum(parts.values()) or 1.0 for _, parts in rows]
    names = dict.fromkeys(part for _, parts in rows for part in parts)
    shown = [p for p in names
             if any(parts.get(p, 0) / t >= SMALLEST for (_, parts), t in zip(rows, totals))]
    labels = [label for label, _ in rows]
    traces = [part_trace(p, PART_COLOURS.get(p, "@grey"), p not in WAITS, labels,
                         [parts.get(p, 0) for _, parts in rows], totals) for p in shown]
    rest = [sum(v for p, v in parts.items() if p not in shown) for _, parts in rows]
    if any(r / t > 0.0005 for r, t in zip(rest, totals)):
        traces.append(part_trace("other parts", "@faint", False, labels, rest, totals))
    layout = {"barmode": "stack", "bargap": 0.25,
              "xaxis": {"range": [0, 100], "ticksuffix": " %",
                        "title": {"text": "share of the requests' time"}},
              "yaxis": {"autorange": "reversed", "type": "category"},
              "uniformtext": {"mode": "hide", "minsize": 10}}
    return figure(name, title, says, traces, layout, 90 + 42 * len(rows))


def part_trace(part: str, colour: str, hatched: bool, labels: typing.Sequence[str],
               times: typing.Sequence[float], totals: typing.Sequence[float]) -> Trace:
    shares = [100 * v / t for v, t in zip(times, totals)]
    marker: typing.Dict[str, typing.Any] = {"color": colour, "line": {"width": 1, "color": "@page"}}
    if hatched:
        marker["pattern"] = {"shape": "/", "size": 7, "solidity": 0.25, "bgcolor": colour,
                             "fgcolor": "@hatch"}
    return {"type": "bar", "orientation": "h", "name": part, "y": labels, "x": shorts(shares),
            "text": [f"{part} {s:.0f} %" if s >= 4 else "" for s in shares],
            "textposition": "inside", "insidetextanchor": "middle", "textangle": 0,
            "textfont": {"color": "@ink_on_" + colour[1:]}, "marker": marker,
            "customdata": [f", {units.time(v)} per request" if v > 1 else "" for v in times],
            "hovertemplate": "%{fullData.name}: %{x:.1f} %%{customdata}<extra></extra>"}
