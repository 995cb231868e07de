# SPDX-License-Identifier: Apache-2.0
"""What was run, in words: the configuration against its preset, the drive, the load."""
import re

from ssdvp.report import units
from ssdvp.report.markup import html, words
from ssdvp.report.page import at, number, table


def tell(page, run):
    page.section("run", "What was run")
    page.say(" ".join(filter(None, (drive_words(run), before_words(run), length_words(run)))))
    overrides = run.summary.get("overrides", {})
    name = run.summary["config"]
    if overrides:
        page.say(f"The configuration is “{name}”, in which options changed these keys:")
        page.add(table("Changed by options", ["key", "value"],
                       [[k, words(v)] for k, v in overrides.items()]))
    else:
        page.say(f"The configuration is “{name}” as its files have it: no option changed a key.")
    streams = stream_rows(run.config)
    if streams:
        page.add(table("The load", ["stream", "in words"],
                       [[n, words(w)] for n, w in streams]))
    if run.config:
        page.add(html("<details><summary>Every key of the configuration</summary>{}</details>",
                      table("config.resolved.yaml", ["key", "value"],
                            [[k, words(v)] for k, v in run.config.items()])))
    page.add(table("Identity", ["", ""], [
        ["version", run.summary.get("version", "–")], ["seed", number(run, "/seed", str)],
        ["config_sha256", run.summary.get("config_sha256", "–")[:16] + "…"]]))


def drive_words(run):
    g = run.summary.get("geometry")
    if not g:
        return ""
    host = run.config.get("host.interface", "")
    interface = {"nvme": "with NVMe", "sata": "with SATA"}.get(host, "")
    cell = run.config.get("nand.cell", "").upper()
    over = 100 * (1 - g["capacity_bytes"] / g["physical_bytes"])
    said = (f"A drive of {units.data(g['capacity_bytes'])} {interface}: {g['channels']} "
            f"{plural(g['channels'], 'channel')} with {g['luns_per_channel']} "
            f"{plural(g['luns_per_channel'], 'LUN')} each, {g['planes']} "
            f"{plural(g['planes'], 'plane')} a LUN, {g['blocks_per_plane']:,} blocks a plane, "
            f"{g['pages_per_block']:,} pages of {units.data(g['page_bytes'])} {cell} a block. "
            f"{over:.0f} % of the flash are not offered to the host.")
    scheme = at(run.summary, "/ftl/scheme")
    return re.sub(r" +([:.])", r"\1", re.sub("  +", " ", said)) + (
        f" Its firmware maps by {scheme}." if scheme else "")


def plural(count, word):
    return word if count == 1 else word + "s"


def before_words(run):
    p = run.summary.get("precondition")
    if not p or not p.get("filled_bytes"):
        return "It began empty."
    said = f"Before, {units.data(p['filled_bytes'])} were written in order"
    if p.get("overwritten_bytes"):
        said += f" and {units.data(p['overwritten_bytes'])} written over these"
    return said + "."


def length_words(run):
    requests = sum(run.summary["host"][k]["requests"] for k in run.kinds())
    return (f"Measured: {requests:,} requests in {units.time(run.summary['sim']['simulated_ns'])} "
            "of simulated time.")


def stream_rows(config):
    """[(name, words)] of the streams; a trace or fio jobs are named as they are."""
    if config.get("workload.trace"):
        return [("trace", config["workload.trace"])]
    streams = {}
    for match, value in ((re.match(r"workload\[(\d+)\]\.(.+)", k), v) for k, v in config.items()):
        if match:
            streams.setdefault(match[1], {})[match[2]] = value
    return [(own.get("name", f"stream {index}"), stream_words(own))
            for index, own in streams.items()]


def stream_words(own):
    said = [own["pattern"]] if "pattern" in own else []
    if "block_size" in own:
        said.append(f"requests of {own['block_size']}")
    if "read_fraction" in own:
        said.append(f"{percent(own['read_fraction'])} reads")
    if own.get("trim_fraction", "0") != "0":
        said.append(f"{percent(own['trim_fraction'])} trims")
    if "queue_depth" in own:
        said.append(f"{own['queue_depth']} in flight")
    if own.get("flush_every", "0") != "0":
        said.append(f"a flush every {own['flush_every']} writes")
    if own.get("fua") == "true":
        said.append("writes with FUA")
    if own.get("read_fua") == "true":
        said.append("reads with FUA")
    return ", ".join(said) or ", ".join(f"{k} {v}" for k, v in own.items())


def percent(share):
    """Of a share as the configuration has it."""
    try:
        return f"{100 * float(share):g} %"
    except ValueError:
        return share
