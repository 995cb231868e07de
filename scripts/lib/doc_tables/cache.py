# SPDX-License-Identifier: Apache-2.0
"""docs/cache.md: what the policies of the buffer do."""
from .tables import Line, Table, amplification, mean_ms, mean_us, settings, together, value_at

SMALL = settings("precondition.fill=1 precondition.overwrite=1 cache.capacity=4MiB")
HYBRID = settings("precondition.fill=1 cache.capacity=16MiB ftl.over_provisioning=0.3 "
                  "nand.page_order=any")
MIXED = settings("workload.0.pattern=uniform workload.0.read_fraction=0 "
                 "workload.0.block_size=16KiB workload.0.range.size=64MiB "
                 "workload.0.queue_depth=4 workload.1.queue_depth=1 "
                 "workload.1.range.start=64MiB run.requests=10000")
ZIPF_16K = settings("workload.block_size=16KiB workload.queue_depth=8 run.requests=20000")
BPLRU = "cache.policy=bplru"


def hits(kind: str):
    def ratio(summary: dict) -> str:
        cache = summary["cache"]
        found = cache[f"{kind}_hits"]
        return f"{found / max(found + cache[f'{kind}_misses'], 1):.2f}"
    return ratio


def completing_reads(summary: dict) -> str:
    """Reads of the flash for the host: units that were not in the buffer, or not all of them."""
    return f"{value_at(summary, 'flash', 'by_purpose', 'host', 'reads'):,}"


def merges(summary: dict) -> str:
    return ", ".join(str(summary["ftl"]["merges"][kind]) for kind in ("switch", "partial", "full"))


MERGES = together(merges, amplification("{:.1f}"), mean_ms("write", "{:.0f}"), by="; ")
ZIPF = "zipf: hits of reads, writes; WA; mean read, write in us"

TABLES = (
    Table("page mapping", (
        Line(ZIPF, settings("run.requests=60000 workload.queue_depth=8"),
             ("workload/zipf-70-30",),
             (together(hits("read"), hits("write")), amplification("{:.2f}"),
              together(mean_us("read"), mean_us("write")))),
        Line("SQLite: hits of writes; WA; reads of the flash", (), ("workload/sqlite-ext4",),
             (hits("write"), amplification("{:.1f}"), completing_reads)),
        Line("sequential: mean write", ("run.requests=8192",),
             ("workload/sequential-write",), (mean_ms("write"),))),
          tuple(Line(f"`{p}`", (f"cache.policy={p}",), ("device/small",))
                for p in ("wo_lru", "rw_lru", "rw_cflru", "fab")) +
          (Line("`bplru`, without padding", (BPLRU, "cache.padding=false"), ("device/small",)),
           Line("`bplru`, groups of 16 KiB", (BPLRU, "cache.group=16KiB"), ("device/small",),
                only=(ZIPF,))), SMALL),
    Table("hybrid mapping",
          tuple(Line(f"`{scheme}`, {load}", (f"ftl.scheme={scheme}",) + sets, (preset,), (MERGES,))
                for scheme in ("bast", "fast")
                for load, sets, preset in (
                    ("zipf", ZIPF_16K, "workload/zipf-70-30"),
                    ("random and sequential", MIXED, "workload/mixed"))),
          tuple(Line(label, sets, ("device/small",)) for label, sets in (
              ("`wo_lru`", ("cache.policy=wo_lru",)), ("`fab`", ("cache.policy=fab",)),
              ("`bplru`", (BPLRU,)), ("`bplru`, no padding", (BPLRU, "cache.padding=false")),
              ("`bplru`, no compensation", (BPLRU, "cache.compensation=false")))), HYBRID),
    Table("reading ahead", (Line("mean read in us"),),
          tuple(Line(f"{ahead} ahead", settings(
              "workload.block_size=16KiB workload.queue_depth=1 run.requests=4000 "
              f"run.warmup=4000 cache.policy=rw_lru cache.read_ahead={ahead}"),
                     ("device/small", "workload/sequential-read"), (mean_us("read"),))
                for ahead in ("0B", "256KiB")), SMALL),
)
