# SPDX-License-Identifier: Apache-2.0
"""How results and configurations look, as a line of text or as a table in a notebook."""
import typing

from ssdvp.quantity import Quantity
from ssdvp.report.folder import KINDS, PLURALS
from ssdvp.report.markup import Html, each, html, joined

if typing.TYPE_CHECKING:
    from ssdvp.config import Config
    from ssdvp.result import Result
    from ssdvp.summary import Section

_LATENCIES = ("mean", "p50", "p99", "p99.9", "p99.99", "max")
_KEYS = 12  # of a long list: what is shown before it is cut


def _kinds(result: "Result") -> typing.List[str]:
    return [k for k in KINDS if k in result.summary["host"]]


def line(result: "Result") -> str:
    """small, seed 1: reads 79.0 k/s, p99 1.38 ms; writes 33.9 k/s, p99 537 us"""
    parts = []
    for kind in _kinds(result):
        of = result.summary["host"][kind]
        p99 = of["latency_ns"].get("p99")
        parts.append(f"{PLURALS[kind]} {of['iops']}/s" + (f", p99 {p99}" if p99 else ""))
    head = f"{result.summary['config']}, seed {result.summary['seed']}"
    unfinished = "" if result.summary["complete"] else " (stopped before its end)"
    return f"{head}{unfinished}: " + ("; ".join(parts) or "no requests")


def result(result: "Result") -> str:
    """Rates and latencies by kind, what limits the drive, and what to be careful about."""
    head = ["", "requests", "IOPS", "data", *_LATENCIES]
    rows = []
    for kind in _kinds(result):
        of = result.summary["host"][kind]
        rows.append([PLURALS[kind], f"{of['requests']:,}", of["iops"], of["bytes_per_s"],
                     *(of["latency_ns"].get(p, "") for p in _LATENCIES)])
    told = [result.summary.at("bottleneck.text", "")]
    told += [w["text"] for w in result.summary.at("validity.warnings", [])]
    return html("<p><b>{}</b> <code>{}</code></p>{}{}", line(result).split(":")[0], result.path,
                table(head, rows), notes(told))


def section(section: "Section") -> str:
    rows = []
    for key, value in section.items():
        exact = repr(value) if isinstance(value, Quantity) else ""
        rows.append([key, _brief(value), exact])
    return table(["", "", "exact"], rows)


def config(config: "Config") -> str:
    """What differs from the defaults, and where it was said."""
    resolved = config.resolved()
    rows = [[key, value, _short_place(config.origin(key))] for key, value in resolved.items()
            if config.origin(key) != "default"]
    return html("<p><b>{}</b>: {} of {} keys differ from the defaults</p>{}", config.name,
                len(rows), len(resolved), table(["key", "value", "said in"], rows))


def _short_place(origin: str) -> str:
    """device/small.yaml:5:9 of a file in a folder."""
    return "/".join(origin.split("/")[-2:]) if origin.startswith("/") else origin


def _brief(value: typing.Any) -> str:
    if isinstance(value, typing.Mapping):
        names = list(value)
        return ", ".join(names[:_KEYS]) + (" ..." if len(names) > _KEYS else "")
    if isinstance(value, list):
        return f"{len(value)} items"
    return str(value)


def notes(told: typing.Iterable[str]) -> Html:
    said = each("<li>{}</li>", filter(None, told))
    return html("<ul>{}</ul>", said) if said else said


def table(head: typing.Sequence[str], rows: typing.Sequence[typing.Sequence[object]]) -> Html:
    body = joined(html("<tr>{}</tr>", each("<td>{}</td>", row)) for row in rows)
    return html("<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>",
                each("<th>{}</th>", head), body)
