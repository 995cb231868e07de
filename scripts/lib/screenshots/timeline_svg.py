# SPDX-License-Identifier: Apache-2.0
"""Draws a Perfetto trace as an SVG picture: a row for each lane, with time from left to right.

Usage: timeline_svg.py TRACE.pftrace PICTURE.svg"""

import html
import pathlib
import sys

from perfetto.protos.perfetto.trace import perfetto_trace_pb2

BEGIN, END = 1, 2
WIDTH, LEFT, ROW, TOP = 1100, 210, 17, 34
# Okabe and Ito's colours, which the colour-blind can tell apart, and lighter ones.
COLOURS = ["#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#f0e442", "#0072b2", "#d55e00", "#bbbbbb",
           "#a6dcf7", "#f6d08a", "#8fd6c0", "#e8bfd5", "#7a6a00", "#555555"]
GROUPS = ("requests of the host", "link", "front end", "cores", "DRAM", "channel 0", "channel 1")
MOST_LANES = 8
LENGTH = 590_000  # ns that are shown


class Sequence:
    """What the events of a sequence of packets leave out: their track, names, and times but for
    what went by since the last one."""

    def __init__(self):
        self.track = 0
        self.now = 0
        self.names = {}

    def take(self, packet):
        if packet.HasField("trace_packet_defaults"):
            self.track = packet.trace_packet_defaults.track_event_defaults.track_uuid
        for name in packet.interned_data.event_names:
            self.names[name.iid] = name.name
        if packet.HasField("track_event"):
            self.now += packet.timestamp


def slices_of(trace):
    """Lanes in their order, each a group, a name and (name, begin, end) in ns."""
    sequences, lanes, groups, under_way = {}, {}, {}, {}
    for packet in trace.packet:
        own = sequences.setdefault(packet.trusted_packet_sequence_id, Sequence())
        own.take(packet)
        if packet.HasField("track_descriptor"):
            d = packet.track_descriptor
            if d.parent_uuid:
                lanes[d.uuid] = (groups[d.parent_uuid], d.name, [])
            else:
                groups[d.uuid] = d.name
        event = packet.track_event
        if event.type == BEGIN:
            under_way[own.track] = (own.names[event.name_iid], own.now)
        elif event.type == END and own.track in under_way:
            name, begin = under_way.pop(own.track)
            lanes[own.track][2].append((name, begin, own.now))
    return lanes.values()


def in_view(slices, view):
    return any(after > view[0] and first < view[1] for _, first, after in slices)


def rows_of(lanes, view):
    """Of each group in its order; of overlapping requests the first lanes."""
    for group in GROUPS:
        own = [lane for lane in lanes if lane[0] == group and in_view(lane[2], view)]
        own.sort(key=lambda lane: (lane[1].split(" (")[0], len(lane[1]), lane[1]))
        yield from own[:MOST_LANES] if group.startswith("requests") else own


def legend(colours, y):
    x = 8
    for what, colour in colours.items():
        yield f'<rect x="{x}" y="{y}" width="11" height="11" fill="{colour}"/>'
        yield f'<text x="{x + 15}" y="{y + 10}">{html.escape(what)}</text>'
        x += 32 + int(6.7 * len(what))


def drawn(rows, begin, end):
    """Lines of SVG."""
    scale = (WIDTH - LEFT - 10) / (end - begin)
    colours = {}
    height = TOP + ROW * len(rows) + 34
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
           f'width="{WIDTH}" height="{height}" font-family="Helvetica, Arial, sans-serif" '
           'font-size="11" fill="#1b2733">')
    yield "<title>A timeline: what each block of the drive did, and when</title>"
    yield f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>'
    for tick in range(0, int((end - begin) / 1000) + 1, 50):
        x = LEFT + tick * 1000 * scale
        yield f'<path d="M{x:.1f} {TOP - 6}V{height - 32}" stroke="#dde3e8"/>'
        yield f'<text x="{x:.1f}" y="{TOP - 12}" text-anchor="middle">{tick} us</text>'
    last = None
    for number, (group, name, slices) in enumerate(rows):
        y = TOP + ROW * number
        if group != last:
            yield f'<path d="M4 {y - 1}H{WIDTH - 6}" stroke="#b8c4cd"/>'
        title = group if group != last else ""
        last = group
        yield f'<text x="6" y="{y + 12}" font-weight="bold">{html.escape(title)}</text>'
        yield f'<text x="{LEFT - 6}" y="{y + 12}" text-anchor="end">{html.escape(name)}</text>'
        for what, first, after in slices:
            if after <= begin or first >= end:
                continue
            x = LEFT + (max(first, begin) - begin) * scale
            width = max((min(after, end) - max(first, begin)) * scale, 0.7)
            colour = colours.setdefault(what, COLOURS[len(colours) % len(COLOURS)])
            yield (f'<rect x="{x:.1f}" y="{y + 1}" width="{width:.1f}" height="{ROW - 3}" '
                   f'fill="{colour}"/>')
            if width > 6.2 * len(what) + 6:
                yield f'<text x="{x + 3:.1f}" y="{y + 12}">{html.escape(what)}</text>'
    yield from legend(colours, height - 20)
    yield "</svg>"


def main(source, picture):
    trace = perfetto_trace_pb2.Trace()
    trace.ParseFromString(pathlib.Path(source).read_bytes())
    lanes = list(slices_of(trace))
    arrivals = sorted(s[1] for group, _, all_of in lanes for s in all_of
                      if group.startswith("requests"))
    begin = arrivals[len(arrivals) // 3]
    view = (begin, begin + LENGTH)
    text = "\n".join(drawn(list(rows_of(lanes, view)), *view))
    pathlib.Path(picture).write_text(text + "\n", encoding="utf-8")


main(*sys.argv[1:])
