// SPDX-License-Identifier: Apache-2.0
//
// What models/regs/*.rdl says of each 32 bits of registers; the rows are generated.
#pragma once

#include <cstdint>
#include <vector>

namespace ssdvp::test {

/// Masks of bits, and values. A bit in none of the masks is reserved: it reads 0 after reset.
struct register_row {
    const char* name;
    std::uint32_t offset;
    std::uint32_t count; // of them, `stride` bytes apart
    std::uint32_t stride;
    std::uint32_t reset;      // without the bits of `configured`
    std::uint32_t configured; // their reset value follows from the configuration
    std::uint32_t readable;
    std::uint32_t rw;         // keep what is written
    std::uint32_t w1c;        // a 1 clears
    std::uint32_t w1s;        // a 1 sets
    std::uint32_t write_only; // read 0, or the read is refused
    std::uint32_t acts;       // a write starts something
    std::uint32_t legal_min;  // of a register with one field; 0 = none
    std::uint32_t legal_max;  // 0 = none

    [[nodiscard]] bool read_only() const { return (rw | w1c | w1s | write_only) == 0; }
};

extern const std::vector<register_row> nvme_registers;
extern const std::vector<register_row> ahci_registers;
extern const std::vector<register_row> nvme_fe_registers;
extern const std::vector<register_row> sata_fe_registers;
extern const std::vector<register_row> channel_registers;
extern const std::vector<register_row> irq_registers;
extern const std::vector<register_row> timer_registers;
extern const std::vector<register_row> nor_registers;
extern const std::vector<register_row> thermal_registers;

} // namespace ssdvp::test
