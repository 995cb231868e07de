# SPDX-License-Identifier: Apache-2.0
"""How sweeps, optimisations and answers look in a notebook."""
import typing

from ssdvp.display import notes, table
from ssdvp.explore import effects, worth
from ssdvp.explore.texts import METRICS, change_text, given_text, group_text, key_text, metric_text
from ssdvp.report.markup import Html, html

if typing.TYPE_CHECKING:
    from ssdvp.explore.optimise import Optimum
    from ssdvp.explore.sweep import Sweep
    from ssdvp.explore.whatif import Bearable, Comparison, Saturation

_ROWS = 20  # of a long table


def sweep(of: "Sweep") -> str:
    """How many points are done, the numbers of each configuration, and what to be careful about."""
    done = [r for r in of.rows() if r["state"] == "done"]
    groups = effects.grouped(done, list(of.keys))
    metrics = [m for m in METRICS if effects.known(done, m)]
    cells = [[*(key_text(g.key(k), m) for k, m in of.keys.items()), len(g.rows), worth.limits(g),
              *(" ".join(group_text(g, m)) for m in metrics)] for g in groups]
    said, *careful = of.told()
    return (_title(of.folder, said) + _cut([*of.keys, "seeds", "limited by", *metrics], cells)
            + notes(careful))


def optimum(of: "Optimum") -> str:
    """The front."""
    front = of.front.to_dict("records")
    names = list(of.objectives)
    head = ["trial", *(f"{n} ({d})" for n, d in of.objectives.items()), *of.keys]
    cells = [[row["trial"], *(metric_text(n, row[n]) for n in names),
              *(given_text(row.get(k), m) for k, m in of.keys.items())]
             for row in sorted(front, key=lambda row: float(row[names[0]]))]
    said, *careful = of.told()
    return _title(of.folder, said) + _cut(head, cells) + notes(careful)


def comparison(of: "Comparison") -> str:
    """What differs by more than chance, and through which parts."""
    metrics = of.significant().to_dict("records")
    rows = [[m["metric"], metric_text(m["key"], m["a"]), metric_text(m["key"], m["b"]),
             change_text(m["change"]), m["why"]] for m in metrics]
    parts = [[p["kind"], p["part"], *(metric_text("ns", p[c]) for c in ("a_ns", "b_ns")),
              metric_text("ns", p["change_ns"])]
             for p in of.parts.to_dict("records") if p["change_ns"]]
    keys = "; ".join(f"{k}: {a} → {b}" for k, (a, b) in of.keys.items()) or "no key"
    said = (f"{len(rows)} of {len(of.metrics)} metrics differ by more than chance" if rows else
            "no metric differs by more than chance")
    return html("<p><b>{}</b>: {}</p>{}<p>The mean latency changes through these parts:</p>{}",
                keys, said, _cut(["metric", "a", "b", "change", "why"], rows),
                table(["of", "part", "a", "b", "change"], parts[:_ROWS // 2]))


def saturation(of: "Saturation") -> str:
    if of.value is None:
        said = f"{of.before} limits with each value"
    else:
        said = f"{of.before} limits below {of.value}, {of.after} from there on"
    rows = [[t["value"], t["resource"], metric_text("busy", t["busy"]), metric_text(
        "iops", t["iops"])] for t in of.tried.to_dict("records")]
    return html("<p><b>{}</b>: {}</p>{}", of.key, said,
                table(["value", "limits", "busy", "IOPS"], rows))


def bearable(of: "Bearable") -> str:
    said = (f"holds up to {metric_text('iops', of.rate)}/s, with confidence up to "
            f"{metric_text('iops', of.confident)}/s" if of.rate else "holds at no rate tried")
    rows = [[f"{metric_text('iops', t['rate'])}/s", metric_text("ns", t["latency_ns"]),
             f"{metric_text('ns', t['low_ns'])} .. {metric_text('ns', t['high_ns'])}",
             "holds" if t["holds"] else "does not"] for t in of.tried.to_dict("records")]
    return html("<p><b>{}</b> {}</p>{}", of.goal, said,
                table(["rate", "latency", "interval of 95 %", ""], rows))


def _title(folder: typing.Any, said: str) -> Html:
    return html("<p><b>{}</b> <code>{}</code></p>", said, folder)


def _cut(head: typing.Sequence[str], rows: typing.Sequence[typing.Sequence[object]]) -> Html:
    """A table, but no endless one."""
    more = html("<p>... and {} more</p>", len(rows) - _ROWS) if len(rows) > _ROWS else Html()
    return table(head, rows[:_ROWS]) + more
