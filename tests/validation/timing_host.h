// SPDX-License-Identifier: Apache-2.0
//
// A host that keeps the slots of a RAM drive full. It needs no test framework.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/support/ram_nand.h"

namespace ssdvp::test {

struct host_command {
    std::uint8_t opcode = 0; // NVME_IO_*
    bool fua = false;
    std::uint64_t lba = 0;
    std::uint32_t sectors = 1;
};

class timing_host {
public:
    /// Boots the drive and makes one queue pair. All errors are std::runtime_error.
    explicit timing_host(const ram_config& c);
    [[nodiscard]] std::uint64_t sectors() const;
    /// Waits for a slot.
    void start(const host_command& c);
    /// Waits for all commands.
    void finish();
    /// Lets firmware do all that is left to do, and looks whether the drive did anything wrong.
    void settle();
    [[nodiscard]] const telemetry& counters() const { return m_nand.counters(); }

private:
    void step();
    void must_be_well() const;

    ram_nand m_nand;
    std::vector<std::vector<std::uint8_t>> m_data; // of commands under way
    std::vector<std::size_t> m_free;
    std::vector<std::pair<std::uint32_t, std::size_t>> m_busy; // what submit() returned, buffer
    std::uint64_t m_version = 0;
};

} // namespace ssdvp::test
