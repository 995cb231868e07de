# SPDX-License-Identifier: Apache-2.0
"""Rows of tables about the drive: (key of summary.json, its words, its unit)."""
from ssdvp.report import units

LINK_WORDS = (
    ("bytes_up", "sent to the host", units.data), ("bytes_down", "sent to the drive", units.data),
    ("busy_up", "busy, to the host", units.share), ("busy_down", "busy, to the drive", units.share),
    ("dllp_bytes_up", "ACKs and credits, to the host", units.data),
    ("dllp_bytes_down", "ACKs and credits, to the drive", units.data),
    ("credit_stalls_up", "waits for credits, to the host", units.count),
    ("credit_stalls_down", "waits for credits, to the drive", units.count),
    ("replays_up", "sent again, to the host", units.count),
    ("replays_down", "sent again, to the drive", units.count),
    ("tag_stalls", "waits for a tag", units.count),
    ("tag_stall_ns", "time of these waits", units.time))
CACHE_WORDS = (
    ("read_hits", "units read that the buffer had", units.count),
    ("read_misses", "units read that it had not", units.count),
    ("read_hit_ratio", "hits of reads", units.share),
    ("write_hits", "units written that the buffer had", units.count),
    ("write_misses", "units written that it had not", units.count),
    ("write_hit_ratio", "hits of writes", units.share),
    ("evictions_clean", "left without a program", units.count),
    ("evictions_dirty", "left after a program", units.count),
    ("read_ahead_units", "units read ahead", units.count),
    ("read_ahead_hits", "of these, read by the host", units.count))
FLASH_WORDS = (
    ("/ftl/write_amplification", "bytes programmed per byte written by the host", units.digits),
    ("/flash/suspends", "suspends", units.count), ("/flash/erases", "erases", units.count),
    ("/flash/multi_plane", "operations on several planes", units.count),
    ("/ftl/gc/runs", "blocks collected", units.count),
    ("/ftl/gc/pages_moved", "pages moved by collection", units.count),
    ("/ftl/checkpoints", "checkpoints", units.count),
    ("/ftl/free_blocks", "erased superblocks at the end", units.count),
    ("/ftl/bad_blocks", "bad blocks", units.count),
    ("/ftl/worst_blocking_ns", "longest wait of a read for firmware's own work", units.time))
