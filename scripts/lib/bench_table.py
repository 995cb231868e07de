#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Post-processes Google Benchmark's JSON: what one simulated request costs in wall time, and how
many bare SC_METHOD activations of the same run that is worth.

Every case is one row. Where a case reports requests_per_wall_s, its cost is the reciprocal;
otherwise it is the time of one iteration. Beside it: kernel activations per request, peak
resident memory, and pages per second of preconditioning. The reference is the case
kernel/bare_method: one activation of an empty SC_METHOD."""
import argparse
import json
import sys

REFERENCE = "kernel/bare_method"
NANOSECONDS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}


def cost_ns(case):
    """Wall time of one item, ns."""
    rate = case.get("requests_per_wall_s")
    if rate:
        return 1e9 / rate
    return case["real_time"] * NANOSECONDS[case.get("time_unit", "ns")]


def measured(report):
    """The cases to show: the medians where repetitions were asked for, else every run."""
    cases = [c for c in report["benchmarks"] if not c.get("error_occurred")]
    medians = [c for c in cases if c.get("aggregate_name") == "median"]
    return medians or [c for c in cases if c.get("run_type", "iteration") == "iteration"]


def annotate(report):
    """Adds ns_per_item, items_per_wall_s and sc_method_ratio to each case; returns the cases."""
    cases = measured(report)
    reference = next((cost_ns(c) for c in cases if c["name"].startswith(REFERENCE)), None)
    for case in cases:
        case["ns_per_item"] = cost_ns(case)
        case["items_per_wall_s"] = 1e9 / case["ns_per_item"]
        if reference:
            case["sc_method_ratio"] = case["ns_per_item"] / reference
    report["sc_method_activation_ns"] = reference
    return cases


def quantity(case, counter, unit):
    value = case.get(counter)
    return f"{value / unit:,.2f}" if value is not None else "-"


def table(cases):
    rows = [("case", "per wall s", "ns each", "x SC_METHOD", "activations", "peak GB",
             "M pages/s")]
    for case in cases:
        ratio = case.get("sc_method_ratio")
        rows.append((case["name"].split("/iterations")[0], f"{case['items_per_wall_s']:,.0f}",
                     f"{case['ns_per_item']:,.1f}", f"{ratio:,.2f}" if ratio else "-",
                     quantity(case, "activations_per_request", 1),
                     quantity(case, "peak_rss_bytes", 1e9),
                     quantity(case, "precondition_pages_per_s", 1e6)))
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "-" * max(map(len, lines)))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("report", help="JSON of Google Benchmark")
    parser.add_argument("--out", help="write the JSON here instead of to stdout")
    options = parser.parse_args()
    with open(options.report, encoding="utf-8") as file:
        report = json.load(file)
    failed = [c for c in report["benchmarks"] if c.get("error_occurred")]
    cases = annotate(report)
    text = json.dumps(report, indent=2) + "\n"
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            file.write(text)
        print(table(cases))
    else:
        sys.stdout.write(text)
        print(table(cases), file=sys.stderr)
    for case in failed:
        print(f"{case['name']}: {case.get('error_message', 'failed')}", file=sys.stderr)
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
