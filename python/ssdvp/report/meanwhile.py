# SPDX-License-Identifier: Apache-2.0
"""What LUN and channel of the slowest requests did while they waited, from worst_meanwhile.csv."""
from ssdvp.report import tail, units
from ssdvp.report.folder import PLURALS as KIND_WORDS
from ssdvp.report.markup import html, words
from ssdvp.report.page import table

SMALLEST = 0.03  # of the time of the slowest; less is not told in the sentence
MOST_NAMED = 3
PIECE_BY_PIECE = 3  # requests
CHANNEL_TOLD = 0.1  # the channel is told of in the sentence from this share on

# By the firmware's action; {} is the operation. Others are "erases for wear levelling".
ACTION_WORDS = {"command of the host": "{} for other commands of the host",
                "write-back": "{} that write the buffer back", "flush": "{} of a flush",
                "free space": "{} that make free space", "read-ahead": "{} ahead of the host",
                "map": "{} of the map", "": "{}"}
PLURALS = {"suspending": "suspends", "reset": "resets", "others": "shorter work",
           "unknown": "work that was not kept"}


def of_request(run, sequence):
    """Its rows of worst_meanwhile.csv, in their order; none where there is no such file."""
    return [{name: column[i] for name, column in run.meanwhile.items()}
            for i in run.meanwhile_lines.get(sequence, ())]


def work_words(operation, action):
    """("erase", "collection"): "erases for collection"."""
    many = PLURALS.get(operation, operation + "s")
    return ACTION_WORDS.get(action, "{} for " + action).format(many)


def time_of(rows, places):
    """{(operation, action): ns} of the rows at these places."""
    spent = {}
    for row in rows:
        if row["where"] in places:
            key = (row["operation"], row["action"])
            spent[key] = spent.get(key, 0.0) + row["overlap_ns"]
    return spent


def slowest(run, kind=None):
    """Rows of worst.csv, the slowest first, of one kind of request or of all."""
    return [i for i, k in enumerate(run.worst["kind"]) if kind in (None, k)]


def shares(run, indices, places):
    """[(words, share of their time)] of these rows of worst.csv, the largest first."""
    spent = {}
    for i in indices:
        rows = of_request(run, run.worst["sequence"][i])
        for (operation, action), ns in time_of(rows, places).items():
            told = work_words(operation, action)
            spent[told] = spent.get(told, 0.0) + ns
    total = sum(run.worst["latency_ns"][i] for i in indices)
    ranked = sorted(spent.items(), key=lambda item: (-item[1], item[0]))
    return [(told, ns / total) for told, ns in ranked]


def who(run, kind=None):
    """(rows of worst.csv, their name): of the smallest share that is enough requests and is there
    as a whole, else of all rows."""
    kept = slowest(run, kind)
    kinds = run.kinds() if kind is None else [kind]
    requests = sum(run.summary["host"][k]["requests"] for k in kinds)
    many = "requests" if kind is None else KIND_WORDS[kind]
    for share in reversed(tail.SHARES[1:]):
        count = int(requests * share + 1e-9)
        if tail.ENOUGH <= count <= len(kept):
            return kept[:count], f"slowest {share * 100:g}{units.BLANK}% of the {many}"
    return kept, f"{len(kept)} slowest {many}"


def place_words(run, indices):
    with_lun = sum(run.worst["lun"][i] is not None for i in indices)
    if with_lun == len(indices):
        return "their LUN was"
    return ("their LUN (of those without one, the LUNs on average) was" if with_lun else
            "the LUNs were, on average,")


def sentence(run, kind=None):
    """During which share of their time their LUN did what, in plain words; "" when unknown."""
    if not run.worst or not run.meanwhile or not slowest(run, kind):
        return ""
    indices, name = who(run, kind)
    place = place_words(run, indices)
    found = [(t, s) for t, s in shares(run, indices, ("lun", "drive")) if s >= SMALLEST]
    if not found:
        said = f"While the {name} waited, {place} busy with nothing else that took long."
    else:
        said = (f"While the {name} waited, {place} busy with " + ", ".join(
            f"{told} for {units.whole_share(share)}" for told, share in found[:MOST_NAMED])
            + " of their time.")
    bus = sum(share for _, share in shares(run, indices, ("channel",)))
    if bus >= CHANNEL_TOLD:
        said += (f" Their channel carried the cycles of others for {units.whole_share(bus)} "
                 "of it.")
    return said


def cell(rows, latency):
    """Of one request, in a table: its largest blocker, and where that lies."""
    known = [r for r in rows if r["where"] != "channel"]
    spent = time_of(known, ("lun", "drive"))
    if not spent:
        return words("–")
    operation, action = max(spent, key=lambda key: (spent[key], key))
    share = spent[operation, action] / latency
    said = f"{work_words(operation, action)} {units.whole_share(share)}"
    longest = max((r for r in known if (r["operation"], r["action"]) == (operation, action)),
                  key=lambda r: r["overlap_ns"])
    if longest["where"] == "drive":
        return words(f"all LUNs: {said}")
    if longest["block"] is not None:
        said += f", block {whole(longest['block'])} of plane {whole(longest['plane'])}"
    return words(said)


def told_in_pieces(run):
    """Rows of worst.csv: the slowest, and the slowest that had a LUN."""
    with_lun = [i for i in slowest(run) if run.worst["lun"][i] is not None]
    return sorted({*slowest(run)[:PIECE_BY_PIECE], *with_lun[:PIECE_BY_PIECE]})


def piece_by_piece(page, run):
    """What each of them waited for, one piece of work after the other."""
    for i in told_in_pieces(run):
        sequence, kind = run.worst["sequence"][i], run.worst["kind"][i]
        rows = of_request(run, sequence)
        if not rows:
            continue
        arrival, latency = run.worst["arrival_ns"][i], run.worst["latency_ns"][i]
        page.add(html("<details><summary>Request {}, a {}, piece by piece</summary>{}</details>",
                      f"{sequence:.0f}", kind,
                      table(f"What others did while request {sequence:.0f} was under way for "
                            f"{units.time(latency)}; times since its arrival",
                            ["where", "operation", "for", "block", "begins", "ends",
                             "took of the wait"],
                            [piece_row(r, arrival, latency) for r in rows])))


def piece_row(row, arrival, latency):
    since = [words("–") if row[k] is None else signed(row[k] - arrival)
             for k in ("begin_ns", "end_ns")]
    where = {"lun": "LUN", "drive": "all LUNs"}.get(row["where"], row["where"])
    if row["channel"] is not None:
        where += f" {whole(row['channel'])}"
        where += f"/{whole(row['lun'])}" if row["where"] == "lun" else ""
    block = "–" if row["block"] is None else (
        f"{whole(row['plane'])}/{whole(row['block'])}, page {whole(row['page'])}")
    took = f"{units.time(row['overlap_ns'])}, {units.whole_share(row['overlap_ns'] / latency)}"
    return [where, words(row["operation"]), words(row["action"] or "–"), words(block),
            *since, took]


def whole(number):
    return "–" if number is None else f"{number:.0f}"


def signed(ns):
    return units.time(ns) if ns >= 0 else f"−{units.time(-ns)}"
