// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the RAM drive share: its configuration, the memory that firmware sees, and the
// list of rules that were broken.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/hal/hal.h"
#include "tests/support/ram_config.h"

namespace ssdvp::test {

class ram_board {
public:
    explicit ram_board(const ram_config& c);
    ~ram_board();
    ram_board(const ram_board&) = delete;
    ram_board& operator=(const ram_board&) = delete;

    [[nodiscard]] const std::vector<std::string>& broken() const { return m_broken; }
    /// DRAM behind the end of what firmware knows, for buffers of a test.
    static constexpr std::uint64_t dram_spare = 16u << 20;
    ram_config config;

protected:
    /// Memory after power-up: zeroes, and the boot parameters.
    void wipe_memory();
    std::uint8_t* memory(std::uint64_t address)
    {
        return static_cast<std::uint8_t*>(hal_pointer(&m_hal, address));
    }
    /// The device has written so much there.
    void wrote(std::uint64_t address, std::size_t size)
    {
        if (config.on_memory && size != 0) {
            config.on_memory(address, memory(address), size);
        }
    }
    [[nodiscard]] const std::uint8_t* sram() const { return m_sram.data(); }
    void violate(const std::string& what)
    {
        if (m_broken.size() < 20) {
            m_broken.push_back(what);
        }
    }

    hal m_hal{};
    hal_ops m_ops{};

private:
    std::vector<std::uint8_t> m_sram;
    std::vector<std::string> m_broken;
};

} // namespace ssdvp::test
