# SPDX-License-Identifier: Apache-2.0
"""Features of channels, memories, cores, heat and power."""
from random_drives.choice import Choices, one_of

FEATURES: dict[str, Choices] = {
    "channel": {
        "out of order": {},
        "in order": {"flash.arbiter": one_of("sequential", "interleaved")},
        "priorities": {"flash.arbiter": "priorities", "flash.age_limit": one_of("1ps", "1ms")},
        "a short queue": {"flash.queue_entries": one_of(2, 3, 8)},
    },
    "commands of LUNs": {
        "each alone": {}, "joined": {"flash.join_planes": True},
        "cached": {"flash.use_cache": True},
        "joined and cached": {"flash.join_planes": True, "flash.use_cache": True},
    },
    "suspend": {
        "none": {}, "at once": {"flash.suspend.policy": "immediate",
                                "flash.suspend.limit": one_of(0, 1, 5)},
        "behind the pulse": {"flash.suspend.policy": "deferred", "flash.erase.loops": 5},
        "safe points": {"flash.erase.loops": one_of(3, 5), "flash.suspend.policy":
                        one_of("safe_point_static", "safe_point_dynamic")},
        "programs": {"flash.suspend.programs": True,
                     "flash.suspend.reads_per_stop": one_of(0, 1, 64)},
    },
    "reads": {
        "of pages": {}, "snap": {"nand.snap_read.tR": "20us"},
        "by plane": {"nand.independent_plane_reads": True},
        "snap and by plane": {"nand.snap_read.tR": "20us", "nand.independent_plane_reads": True},
    },
    "bus": {
        "NV-DDR3": {}, "SDR": {"nand.interface.mode": one_of("sdr0", "sdr5")},
        "NV-LPDDR4": {"nand.interface.mode": "nv_lpddr4", "nand.interface.rate": "2400MT/s"},
        "polled": {"flash.status_poll_period": one_of("1us", "20us")},
        "spare at the end": {"flash.spare_area": "page_end"},
        "no parity": {"flash.ecc_parity": False},
    },
    "DRAM": {
        "bandwidth": {},
        "banks": {"dram.model": "bank", "dram.page_policy": one_of("open", "closed"),
                  "dram.standard": one_of("ddr3", "ddr4", "lpddr4", "lpddr5"),
                  "dram.mapping": one_of("row_bank_column", "bank_interleaved")},
        "slow": {"dram.width": 8, "dram.rate": "400MT/s"},
    },
    "cores": {
        "one": {}, "two": {"cpu.cores": 2,
                           "cpu.roles": one_of("host_apart", "flash_apart", "ftl_apart")},
        "three": {"cpu.cores": 3}, "two partitions": {"cpu.ftl_cores": 2},
        "four partitions": {"cpu.ftl_cores": 4, "flash.channels": one_of(4, 8),
                            "flash.luns_per_channel": 1},
    },
    "core": {
        "Cortex-R82": {}, "RV32": {"cpu.core": "rv32", "cpu.clock": one_of("100MHz", "600MHz")},
        "flat": {"cpu.core": "flat"},
        "caches": {"cpu.dcache.size": one_of("4KiB", "32KiB"), "cpu.tlb.entries": one_of(0, 16),
                   "cpu.icache.size": one_of("1KiB", "8KiB"),
                   "cpu.icache.memory": one_of("dram", "sram")},
        "crossbar": {"interconnect.width": one_of(32, 256),
                     "interconnect.clock": one_of("50MHz", "1GHz")},
    },
    "heat": {
        "off": {},
        "warm": {"thermal.model": "rc", "thermal.speed": one_of(1, 1000)},
        "throttling": {"thermal.model": "rc",
                       "thermal.throttle.light": 28, "thermal.throttle.heavy": 30,
                       "thermal.speed": 1000, "thermal.step": one_of("10us", "1ms")},
        # Each request heats it above the last limit. It is to be cool again within seconds, before
        # the driver of a host that starts it gives up.
        "stopping": {"thermal.model": "rc",
                     "thermal.throttle.light": 40, "thermal.throttle.heavy": 42,
                     "thermal.shutdown": 45, "thermal.speed": 1000,
                     "thermal.step": one_of("100us", "1ms"), "run.requests": 500},
    },
    "power states": {
        "none": {},
        "operational": {"power.states.max_power": "[8, 4, 2]", "power.states.operational": 3,
                        "host.driver.power_state": one_of(0, 1, 2)},
        "autonomous": {"power.states.max_power": "[8, 0.5, 0.05]", "power.states.operational": 1,
                       "power.states.entry": "[0us, 10us, 500us]",
                       "power.states.exit": "[0us, 50us, 2ms]",
                       "host.driver.apst": one_of("[1ms, 3ms]", "[2ms, 10ms]")},
    },
}
