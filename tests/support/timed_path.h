// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ssdvp::test {

/// A path from the host to the DRAM whose latencies are worked out by hand: PCIe 2.0 x4 = 2 GB/s,
/// DRAM of 12.8 GB/s without loss, a core that costs nothing.
inline std::vector<std::string> timed_path(std::vector<std::string> more)
{
    std::vector<std::string> sets = {"host.pcie.generation=2",
                                     "host.pcie.lanes=4",
                                     "host.pcie.max_payload_size=256B",
                                     "host.pcie.max_read_request_size=512B",
                                     "host.pcie.propagation=150ns",
                                     "host.pcie.host_latency=300ns",
                                     "host.driver.submit_latency=100ns",
                                     "host.driver.complete_latency=200ns",
                                     "host.nvme.decode_latency=50ns",
                                     "host.nvme.move_latency=60ns",
                                     "dram.rate=3200MT/s",
                                     "dram.width=32",
                                     "dram.efficiency=1",
                                     "dram.latency=40ns",
                                     "cpu.clock=1GHz",
                                     "cpu.instructions_per_call=0",
                                     "cpu.mmio_read_cycles=0",
                                     "cpu.mmio_write_cycles=0",
                                     "cpu.interrupt_cycles=0"};
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

} // namespace ssdvp::test
