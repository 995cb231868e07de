// SPDX-License-Identifier: Apache-2.0
//
// What a LUN answers without its array: ID bytes (90h), the parameter page (ECh) and the features
// (EEh, EFh).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/flash/bus/interface_modes.h"
#include "models/flash/config.h"

namespace ssdvp::flash {

/// 256 bytes as ONFI lays them out, with their CRC.
using onfi_page = std::array<std::uint8_t, 256>;
[[nodiscard]] onfi_page make_parameter_page(const die_config& die, const cycle_times& bus);
/// x^16 + x^15 + x^2 + 1, initial value 4F4Eh: ONFI's integrity CRC.
[[nodiscard]] std::uint16_t onfi_crc(const std::uint8_t* bytes, std::size_t count);

class die_registers {
public:
    static constexpr std::uint32_t id_bytes = 8;
    static constexpr std::uint32_t feature_bytes = 4;
    static constexpr std::uint32_t parameter_bytes = 3 * 256; // three copies

    die_registers(const die_config& die, const cycle_times& bus);

    /// Address 20h: the signature; else the codes of maker and part, of which there are none.
    void read_id(std::uint32_t address, unsigned char* to, std::size_t count) const;
    void set_feature(std::uint32_t address, const unsigned char* from, std::size_t count);

    /// As at power-up.
    void reset()
    {
        m_features.clear();
        m_output.clear();
    }

    /// What the next data-out without a command gives.
    void select_parameter_page();
    void select_feature(std::uint32_t address);
    void deselect() { m_output.clear(); }
    [[nodiscard]] bool selected() const { return !m_output.empty(); }
    void put_out(unsigned char* to, std::size_t count) const;

private:
    onfi_page m_parameters;
    std::vector<std::uint8_t> m_features; // by address; empty = all zero
    std::vector<std::uint8_t> m_output;
};

} // namespace ssdvp::flash
