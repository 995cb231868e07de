// SPDX-License-Identifier: Apache-2.0
//
// summary.json of report_sample.h, its numbers checked by hand.
namespace ssdvp::report_test {

extern const char* const golden_summary;
const char* const golden_summary =
    R"json({
  "schema": "ssdvp-summary-1",
  "version": "0.1.0",
  "complete": true,
  "config": "hand-made",
  "config_sha256": "0123abcd",
  "seed": 7,
  "sim": {
    "simulated_ns": 1000000,
    "kernel_activations": 140,
    "total_simulated_ns": 2000000
  },
  "host": {
    "read": {
      "requests": 4,
      "bytes": 12288,
      "errors": 1,
      "iops": 4000,
      "bytes_per_s": 12288000,
      "latency_ns": {
        "min": 50000,
        "mean": 65000,
        "stdev": 11180.34,
        "p50": 59998.208,
        "p90": 80000,
        "p99": 80000,
        "p99.9": 80000,
        "p99.99": 80000,
        "p99.999": 80000,
        "p99.9999": 80000,
        "max": 80000
      },
      "parts_ns": {
        "link": 0,
        "front_end": 0,
        "firmware": 0,
        "wait_core": 0,
        "wait_power": 0,
        "wait_map": 0,
        "wait_buffer": 0,
        "queue": 16250,
        "wait_read": 0,
        "wait_program": 0,
        "wait_erase": 0,
        "wait_gc": 0,
        "array": 48750,
        "bus": 0,
        "ecc": 0,
        "dram": 0,
        "completion": 0
      }
    },
    "write": {
      "requests": 2,
      "bytes": 16384,
      "errors": 0,
      "iops": 2000,
      "bytes_per_s": 16384000,
      "latency_ns": {
        "min": 10000.001,
        "mean": 10000.003,
        "stdev": 0.002,
        "p50": 10000.004,
        "p90": 10000.004,
        "p99": 10000.004,
        "p99.9": 10000.004,
        "p99.99": 10000.004,
        "p99.999": 10000.004,
        "p99.9999": 10000.004,
        "max": 10000.004
      },
      "parts_ns": {
        "link": 0,
        "front_end": 0,
        "firmware": 0,
        "wait_core": 0,
        "wait_power": 0,
        "wait_map": 0,
        "wait_buffer": 0,
        "queue": 2500.001,
        "wait_read": 0,
        "wait_program": 0,
        "wait_erase": 0,
        "wait_gc": 0,
        "array": 7500.002,
        "bus": 0,
        "ecc": 0,
        "dram": 0,
        "completion": 0
      }
    },
    "flush": {
      "requests": 1,
      "bytes": 0,
      "errors": 0,
      "iops": 1000,
      "bytes_per_s": 0,
      "latency_ns": {
        "min": 2000,
        "mean": 2000,
        "stdev": 0,
        "p50": 2000,
        "p90": 2000,
        "p99": 2000,
        "p99.9": 2000,
        "p99.99": 2000,
        "p99.999": 2000,
        "p99.9999": 2000,
        "max": 2000
      },
      "parts_ns": {
        "link": 0,
        "front_end": 0,
        "firmware": 0,
        "wait_core": 0,
        "wait_power": 0,
        "wait_map": 0,
        "wait_buffer": 0,
        "queue": 500,
        "wait_read": 0,
        "wait_program": 0,
        "wait_erase": 0,
        "wait_gc": 0,
        "array": 1500,
        "bus": 0,
        "ecc": 0,
        "dram": 0,
        "completion": 0
      }
    },
    "streams": [
      {
        "name": "first",
        "read": {
          "requests": 4,
          "bytes": 12288,
          "errors": 1,
          "iops": 4000,
          "bytes_per_s": 12288000,
          "latency_ns": {
            "min": 50000,
            "mean": 65000,
            "stdev": 11180.34,
            "p50": 59998.208,
            "p90": 80000,
            "p99": 80000,
            "p99.9": 80000,
            "p99.99": 80000,
            "p99.999": 80000,
            "p99.9999": 80000,
            "max": 80000
          },
          "parts_ns": {
            "link": 0,
            "front_end": 0,
            "firmware": 0,
            "wait_core": 0,
            "wait_power": 0,
            "wait_map": 0,
            "wait_buffer": 0,
            "queue": 16250,
            "wait_read": 0,
            "wait_program": 0,
            "wait_erase": 0,
            "wait_gc": 0,
            "array": 48750,
            "bus": 0,
            "ecc": 0,
            "dram": 0,
            "completion": 0
          }
        },
        "flush": {
          "requests": 1,
          "bytes": 0,
          "errors": 0,
          "iops": 1000,
          "bytes_per_s": 0,
          "latency_ns": {
            "min": 2000,
            "mean": 2000,
            "stdev": 0,
            "p50": 2000,
            "p90": 2000,
            "p99": 2000,
            "p99.9": 2000,
            "p99.99": 2000,
            "p99.999": 2000,
            "p99.9999": 2000,
            "max": 2000
          },
          "parts_ns": {
            "link": 0,
            "front_end": 0,
            "firmware": 0,
            "wait_core": 0,
            "wait_power": 0,
            "wait_map": 0,
            "wait_buffer": 0,
            "queue": 500,
            "wait_read": 0,
            "wait_program": 0,
            "wait_erase": 0,
            "wait_gc": 0,
            "array": 1500,
            "bus": 0,
            "ecc": 0,
            "dram": 0,
            "completion": 0
          }
        }
      },
      {
        "name": "second",
        "write": {
          "requests": 2,
          "bytes": 16384,
          "errors": 0,
          "iops": 2000,
          "bytes_per_s": 16384000,
          "latency_ns": {
            "min": 10000.001,
            "mean": 10000.003,
            "stdev": 0.002,
            "p50": 10000.004,
            "p90": 10000.004,
            "p99": 10000.004,
            "p99.9": 10000.004,
            "p99.99": 10000.004,
            "p99.999": 10000.004,
            "p99.9999": 10000.004,
            "max": 10000.004
          },
          "parts_ns": {
            "link": 0,
            "front_end": 0,
            "firmware": 0,
            "wait_core": 0,
            "wait_power": 0,
            "wait_map": 0,
            "wait_buffer": 0,
            "queue": 2500.001,
            "wait_read": 0,
            "wait_program": 0,
            "wait_erase": 0,
            "wait_gc": 0,
            "array": 7500.002,
            "bus": 0,
            "ecc": 0,
            "dram": 0,
            "completion": 0
          }
        }
      }
    ]
  },
  "flash": {
    "reads": 6,
    "programs": 5,
    "erases": 1,
    "suspends": 0,
    "multi_plane": 2,
    "bytes_read": 61440,
    "bytes_programmed": 81920,
    "by_purpose": {
      "host": {
        "reads": 4,
        "programs": 2,
        "erases": 0,
        "bytes_programmed": 32768
      },
      "gc": {
        "reads": 2,
        "programs": 1,
        "erases": 1,
        "bytes_programmed": 16384
      },
      "map": {
        "reads": 0,
        "programs": 1,
        "erases": 0,
        "bytes_programmed": 16384
      },
      "wear": {
        "reads": 0,
        "programs": 1,
        "erases": 0,
        "bytes_programmed": 16384
      }
    }
  },
  "channels": [
    {
      "busy": 0.25,
      "luns": [
        {
          "busy": 0.5,
          "held": 0,
          "reads": 4,
          "programs": 2,
          "erases": 0
        },
        {
          "busy": 1,
          "held": 0,
          "reads": 1,
          "programs": 1,
          "erases": 1
        }
      ]
    },
    {
      "busy": 0.1,
      "luns": [
        {
          "busy": 0.125,
          "held": 0,
          "reads": 1,
          "programs": 2,
          "erases": 0
        },
        {
          "busy": 0,
          "held": 0,
          "reads": 0,
          "programs": 0,
          "erases": 0
        }
      ]
    }
  ],
  "ftl": {
    "scheme": "page_map",
    "ram_bytes": 65536,
    "write_amplification": 5,
    "gc": {
      "runs": 1,
      "pages_moved": 1
    },
    "wear": {
      "min": 1,
      "mean": 2,
      "max": 3,
      "stdev": 0.707107
    },
    "checkpoints": 0,
    "free_blocks": 3,
    "bad_blocks": 1
  },
  "cache": {
    "policy": "wo_lru",
    "read_hits": 0,
    "read_misses": 0,
    "write_hits": 1,
    "write_misses": 2,
    "evictions_clean": 0,
    "evictions_dirty": 2,
    "write_hit_ratio": 0.3333333333333333
  },
  "cpu": [
    {
      "instructions": 50000,
      "cycles": 60000,
      "busy": 0.25,
      "timing": "flat"
    }
  ],
  "dram": {
    "bytes_read": 20000,
    "bytes_written": 30000,
    "busy": 0.01
  },
  "link": {
    "bytes_up": 20000,
    "bytes_down": 10000,
    "tlps_up": 50,
    "tlps_down": 50,
    "busy_up": 0.1,
    "busy_down": 0.05,
    "dllp_bytes_up": 400,
    "dllp_bytes_down": 200,
    "credit_stalls_up": 5,
    "credit_stalls_down": 7,
    "credit_stall_ns_up": 10000,
    "credit_stall_ns_down": 20000,
    "replays_up": 8,
    "replays_down": 2,
    "tag_stalls": 4,
    "tag_stall_ns": 30000,
    "tags_out_ns": 0
  },
  "nvme": {
    "commands": 8,
    "completions": 7,
    "interrupts": 7,
    "slot_wait_ns": 0
  },
  "integrity": {
    "sectors_checked": 24,
    "mismatches": 0,
    "total_sectors_checked": 32,
    "total_mismatches": 0
  },
  "faults": {
    "count": 0,
    "first": []
  },
  "violations": []
}
)json";

} // namespace ssdvp::report_test
