// SPDX-License-Identifier: Apache-2.0
//
// Configuration space of a function with one memory BAR: header of type 0, power management, and
// MSI-X or MSI (PCI Local Bus 3.0, chapter 6; PCI Power Management 1.2, 3.2). No time passes in it.
// Page in docs/models/pcie.md.
#pragma once

#include <array>
#include <cstdint>

namespace ssdvp::pcie {

/// Who the function is, and where in its BAR the MSI-X structures lie.
struct function_identity {
    std::uint16_t vendor = 0;
    std::uint16_t device = 0;
    std::uint16_t subsystem_vendor = 0;
    std::uint16_t subsystem = 0;
    std::uint32_t class_code = 0; // 24 bits: class, subclass, programming interface
    std::uint8_t revision = 0;
    unsigned bar = 0;           // which of the six is the function's
    std::uint32_t bar_size = 0; // bytes, a power of two of at least 16
    std::uint32_t vectors = 0;  // of MSI-X; 0: one message by MSI instead
    std::uint32_t msix_table = 0;
    std::uint32_t msix_pba = 0;
};

class config_space {
public:
    static constexpr std::uint32_t size = 256; // bytes

    explicit config_space(const function_identity& identity);

    /// `length` bytes (1, 2 or 4) at `offset`; what lies past the end reads as ones.
    [[nodiscard]] std::uint32_t read(std::uint32_t offset, unsigned length) const;
    /// Bits that are read-only stay; what lies past the end is lost.
    void write(std::uint32_t offset, std::uint32_t value, unsigned length);
    /// As after power-up.
    void reset();

    /// Command register: the BAR answers; the function may reach memory.
    [[nodiscard]] bool memory_enabled() const { return (word(command) & 2u) != 0; }
    [[nodiscard]] bool bus_master() const { return (word(command) & 4u) != 0; }
    /// Address of the BAR, 0 while it has none.
    [[nodiscard]] std::uint32_t base() const;
    /// Messages are on.
    [[nodiscard]] bool messages_enabled() const;
    /// All of them are masked together (MSI-X alone).
    [[nodiscard]] bool function_masked() const;
    /// MSI alone: where its message goes, and what it says.
    [[nodiscard]] std::uint64_t message_address() const;
    [[nodiscard]] std::uint16_t message_data() const;

private:
    static constexpr std::uint32_t command = 0x04;
    static constexpr std::uint32_t first_bar = 0x10;
    static constexpr std::uint32_t power_management = 0x40;
    static constexpr std::uint32_t messages = 0x50;

    void set(std::uint32_t offset, std::uint32_t value, unsigned length, std::uint32_t writable);
    void set_messages();
    [[nodiscard]] std::uint32_t word(std::uint32_t offset) const { return read(offset, 2); }

    function_identity m_identity;
    std::array<std::uint8_t, size> m_bytes{};
    std::array<std::uint8_t, size> m_writable{}; // bits
};

} // namespace ssdvp::pcie
