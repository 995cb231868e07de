# SPDX-License-Identifier: Apache-2.0
"""Features of hosts, namespaces, what they ask for, and what happens to the drive meanwhile."""
from random_drives.choice import Choices, one_of

HOST: dict[str, Choices] = {
    "host": {
        "NVMe": {"host.interface": "nvme"},
        "NVMe, narrow": {"host.nvme.slots": one_of(2, 4, 16), "host.driver.queue_entries":
                         one_of(2, 3, 8), "host.nvme.fetch_burst": one_of(1, 8),
                         "host.pcie.lanes": 1, "host.pcie.generation": one_of(1, 3)},
        "NVMe, queues": {"host.driver.queue_pairs": one_of(4, 8),
                         "host.nvme.arbitration_burst": one_of(1, "unlimited"),
                         "host.nvme.coalescing.threshold": one_of(2, 16),
                         "host.nvme.coalescing.time": one_of("100us", "300us")},
        "NVMe, a poor link": {"host.pcie.bit_error_rate": one_of(1e-7, 1e-6),
                              "host.pcie.ecrc": one_of(True, False), "host.pcie.tags":
                              one_of(1, 4), "host.pcie.host_credits.posted_headers": one_of(0, 8),
                              "host.pcie.device_credits.completion_data": one_of(0, 64)},
        "NVMe, SGLs": {"host.driver.sgl": True,
                       "host.nvme.max_transfer_size": one_of("8KiB", "32KiB", "1MiB")},
        "look-up engine": {"host.nvme.lookup": True},
        "SATA": {"host.interface": "sata", "host.sata.queue_depth": one_of(1, 32)},
        "SATA, no queue": {"host.interface": "sata", "host.sata.ncq": False,
                           "host.sata.max_transfer_size": one_of("4KiB", "128KiB")},
        "SATA, damaged frames": {"host.interface": "sata",
                                 "host.sata.crc_error_rate": one_of(0.0005, 0.002)},
    },
    "namespace": {
        "plain": {},
        "zones": {"host.nvme.zns.zone_size": one_of("1MiB", "4MiB"),
                  "host.nvme.zns.max_open": one_of(0, 4), "host.nvme.zns.max_active": one_of(0, 8)},
        "protected": {"host.nvme.metadata.bytes": one_of(8, 16),
                      "host.nvme.metadata.protection": one_of(1, 2, 3),
                      "host.nvme.metadata.extended": one_of(True, False)},
        "metadata": {"host.nvme.metadata.bytes": one_of(8, 64),
                     "host.nvme.metadata.extended": one_of(True, False)},
    },
    "directives": {
        "none": {}, "streams": {"ftl.streams": one_of(2, 4), "stream.stream_id": one_of(1, 2)},
    },
}

LOAD: dict[str, Choices] = {
    "pattern": {
        "uniform": {}, "sequential": {"stream.pattern": "sequential"},
        "hot and cold": {"stream.pattern": "hot_cold", "stream.hot_fraction": one_of(0.01, 0.2)},
        "LRU": {"stream.pattern": "lru", "stream.lru_law": one_of("power", "geometric")},
        "hot LRU": {"stream.pattern": "hclru"},
        "zipf": {"stream.pattern": "zipf", "stream.zipf_theta": one_of(0.6, 0.99, 2)},
    },
    "mix": {
        "mixed": {"stream.read_fraction": one_of(0.2, 0.5, 0.8)},
        "reads": {"stream.read_fraction": 1}, "writes": {"stream.read_fraction": 0},
        "trims": {"stream.read_fraction": 0.4, "stream.trim_fraction": one_of(0.05, 0.5)},
        "flushes": {"stream.read_fraction": 0.3, "stream.flush_every": one_of(1, 7, 100)},
        "FUA": {"stream.read_fraction": 0.3, "stream.fua": True,
                "stream.read_fua": one_of(True, False)},
    },
    "request": {
        "4 KiB": {}, "512 B": {"stream.block_size": one_of("512B", "1536B")},
        "odd": {"stream.block_size": one_of("6656B", "20480B", "35KiB")},
        "long": {"stream.block_size": one_of("64KiB", "256KiB"), "run.requests": 500},
    },
    "pace": {
        "one at a time": {"stream.queue_depth": 1}, "deep": {"stream.queue_depth": one_of(8, 64)},
        "deeper than the drive": {"stream.queue_depth": 600},
        "open": {"stream.rate": one_of("2k/s", "20k/s", "200k/s")},
        "with pauses": {"stream.rate": one_of("300/s", "1k/s"),
                        "stream.poisson": one_of(True, False),
                        "run.requests": one_of(500, 1000)},
    },
    "range": {
        "all": {}, "a part": {"stream.range.size": one_of("64KiB", "1MiB"),
                              "stream.range.start": one_of("0B", "128KiB")},
    },
    "streams": {
        "one": {}, "three": {"@streams": 3},
        "by class": {"@streams": 3, "@priorities": True,
                     "host.nvme.arbitration": "weighted_round_robin"},
    },
    "before": {
        "new": {}, "half full": {"precondition.fill": 0.5}, "full": {"precondition.fill": 1},
        "overwritten": {"precondition.fill": 1, "precondition.overwrite": one_of(0.3, 1.5),
                        "precondition.method": one_of("units", "auto"),
                        "precondition.workload.source": one_of("stream", "own")},
        "steady": {"precondition.fill": 1, "precondition.overwrite": 2,
                   "precondition.until": "steady"},
    },
    "length": {
        "requests": {}, "with a warm-up": {"run.warmup": one_of(100, 1000)},
        "until steady": {"run.until": "steady", "run.steady.round": 200, "run.steady.limit": 12},
        "time": {"run.duration": one_of("3ms", "50ms")},
    },
}

EVENTS: dict[str, Choices] = {
    "power": {
        "stays": {}, "cut at times": {"power.cut.at": one_of("300us", "[2ms, 9ms]"),
                                      "power.off_time": "1ms"},
        "cut by operations": {"power.cut.every": one_of(400, 1500)},
        "cut at random": {"power.cut.random": one_of(10, 100)},
        "shut down": {"power.shutdown.at": one_of("1ms", "[2ms, 9ms]"),
                      "power.off_time": "1ms"},
        "shut down often": {"power.shutdown.every": one_of("10ms", "50ms")},
        "cut and shut down": {"power.cut.random": 10, "power.shutdown.every": "50ms"},
    },
    "verification": {
        "of the uncertain": {}, "none": {"power.verify": "none"}, "all": {"power.verify": "all"},
    },
    "resets": {
        "none": {}, "by the host": {"@reset": one_of("500us", "[1ms, 2ms, 20ms]")},
    },
    "kept state": {
        "none": {}, "after preconditioning": {"@kept": "preconditioned"},
        "at the end": {"@kept": "end"},
    },
    "drives": {
        "one": {}, "two": {"@drives": "two"}, "RAID-0": {"@drives": "stripe"},
        "RAID-1": {"@drives": "mirror"},
        "mixed RAID": {"@drives": one_of("mixed stripe", "mixed mirror")},
    },
    "data": {"tags": {"data": "tag"}, "bytes": {"data": "full"}},
    "checkers": {"none": {}, "of the buses": {"@check": True}},
}

FEATURES = {**HOST, **LOAD, **EVENTS}
