# SPDX-License-Identifier: Apache-2.0
"""What the report relies on in summary.json."""
import typing

from ssdvp.report.rows import CACHE_WORDS, LINK_WORDS
from ssdvp.report.shape import Needed, count, flag, is_number, number, size, word


def joules(value: typing.Any) -> typing.Optional[str]:
    """Of a group of parts, or a sum."""
    parts = value.values() if isinstance(value, dict) else [value]
    return None if all(map(is_number, parts)) else "is neither a number nor a group of numbers"



def parts(value: typing.Any) -> typing.Optional[str]:
    """Of the time of a request."""
    named = isinstance(value, dict) and value and not any(map(count, value.values()))
    return None if named else "is no section of times"


KIND = {"requests": Needed(count), "bytes": Needed(count), "errors": Needed(count),
        "iops": Needed(count), "bytes_per_s": Needed(count), "parts_ns": Needed(parts),
        "latency_ns": Needed({...: count})}  # a sampled run tells what it knows
IDEAL = {"latency_ns": Needed({"mean": Needed(count), "p99": Needed(count), ...: count}),
         "firmware_share": Needed({...: number})}
SECOND = {"iops": Needed(count), "gain": Needed(number),
          "latency_ns": Needed({"mean": Needed(count), ...: count})}
TRIED = {"key": Needed(word), "value": Needed(word), "by": number,
         "read": SECOND, "write": SECOND, "trim": SECOND, "flush": SECOND}
OF_STREAM = {"requests": Needed(count), "parts_ns": Needed(parts)}
STREAM = {"name": Needed(word), "read": OF_STREAM, "write": OF_STREAM, "trim": OF_STREAM,
          "flush": OF_STREAM}
GEOMETRY = {name: Needed(size) for name in (
    "capacity_bytes", "physical_bytes", "channels", "luns_per_channel", "planes",
    "blocks_per_plane", "pages_per_block", "page_bytes")}
OPERATIONS = {name: Needed(count) for name in ("reads", "programs", "erases", "bytes_programmed")}
SUMMARY = {
    "config": Needed(word), "seed": Needed(count), "version": word, "config_sha256": word,
    "complete": flag, "overrides": {...: word},
    "sim": Needed({"simulated_ns": Needed(count)}),
    "host": Needed({"read": KIND, "write": KIND, "trim": KIND, "flush": KIND,
                    "streams": [STREAM]}),
    "bottleneck": {"text": Needed(word), "resource": Needed(word), "chain": {...: count},
                   "what_if": {"key": Needed(word), "value": Needed(word), "by": number}},
    "run": {"ideal": {"without": word, ...: IDEAL}, "what_if": TRIED},
    "validity": {"warnings": [{"code": Needed(word), "text": Needed(word)}], "rounds": count},
    "violations": [word],
    "confidence": {...: {"mean": number, "low": Needed(number), "high": number}},
    "geometry": GEOMETRY,
    "reduced": {"to": Needed(count), "error": {...: number}},
    "sampling": {"windows": Needed(count), "requests": Needed(count), "simulated": count,
                 "share": number, "checkpoints": count, "checkpoints_measured": count},
    "precondition": {"filled_bytes": count, "overwritten_bytes": count},
    "channels": [{"busy": Needed(count), "luns": Needed([{"busy": Needed(count), "held": count}])}],
    "cpu": [{"busy": Needed(count), "instructions": count, "cycles": count, "role": word,
             "core": word}],
    "dram": {"busy": count},
    "link": {key: count for key, _, _ in LINK_WORDS},
    "cache": {"policy": word, **{key: count for key, _, _ in CACHE_WORDS}},
    "flash": {"by_purpose": {...: OPERATIONS}, "suspends": count, "erases": count,
              "multi_plane": count},
    "ftl": {"scheme": word, "write_amplification": count, "worst_blocking_ns": count,
            "checkpoints": count, "free_blocks": count, "bad_blocks": count,
            "gc": {"runs": count, "pages_moved": count},
            "wear": {"min": count, "mean": count, "max": count, "stdev": count,
                     "histogram": [{"erases": Needed(count), "blocks": Needed(count)}]}},
    "integrity": {"sectors_checked": Needed(count), "mismatches": Needed(count)},
    "faults": {"count": Needed(count)},
    "power": {"cuts": count, "shutdowns": count, "torn_pages": count, "lost_requests": count,
              "ready_ns": {"mean": count, "max": count}},
    "energy_j": {"total": Needed(count), "mean_w": count, "per_host_gb": count, ...: joules},
}
