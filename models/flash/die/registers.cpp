// SPDX-License-Identifier: Apache-2.0
#include "models/flash/die/registers.h"

#include <algorithm>
#include <cstring>

namespace ssdvp::flash {

namespace {

constexpr std::uint32_t signature_address = 0x20;
constexpr char signature[] = "ONFI";

unsigned bits_for(std::uint64_t values)
{
    unsigned n = 0;
    while ((std::uint64_t{1} << n) < values) {
        ++n;
    }
    return n;
}

void put(onfi_page& page, std::size_t at, std::uint64_t value, std::size_t bytes)
{
    for (std::size_t i = 0; i < bytes; ++i) { // little-endian
        page.at(at + i) = static_cast<std::uint8_t>(value >> (8 * i));
    }
}

void put_text(onfi_page& page, std::size_t at, const char* text, std::size_t bytes)
{
    for (std::size_t i = 0; i < bytes; ++i) { // padded with spaces
        page.at(at + i) = static_cast<std::uint8_t>(*text != 0 ? *text++ : ' ');
    }
}

/// Whole microseconds, rounded up; as many as 16 bits hold.
std::uint64_t microseconds(sim_time t)
{
    return std::min<std::uint64_t>(0xFFFF, (t.ps() + 999999) / 1000000);
}

/// Block endurance: value times a power of ten.
void put_endurance(onfi_page& page, std::uint32_t cycles)
{
    unsigned exponent = 0;
    while (cycles > 0xFF) {
        cycles /= 10;
        ++exponent;
    }
    put(page, 105, cycles, 1);
    put(page, 106, exponent, 1);
}

void put_geometry(onfi_page& page, const die_config& die)
{
    const geometry& geo = die.geo;
    const unsigned row_bits =
        bits_for(geo.pages_per_block) + bits_for(geo.blocks_per_plane) + bits_for(geo.planes);
    put(page, 80, geo.page_size, 4);
    put(page, 84, geo.oob_size, 2);
    put(page, 92, geo.pages_per_block, 4);
    put(page, 96, std::uint64_t{geo.blocks_per_plane} * geo.planes, 4);
    put(page, 100, 1, 1);                                     // LUNs per chip enable
    put(page, 101, (2u << 4) | (row_bits > 24 ? 4u : 3u), 1); // column, row address cycles
    put(page, 102, static_cast<unsigned>(die.cell), 1);       // bits per cell
    put_endurance(page, die.endurance);
    put(page, 110, 1, 1); // programs per page
    put(page, 113, bits_for(geo.planes), 1);
}

void put_times(onfi_page& page, const die_config& die, const cycle_times& bus)
{
    const auto longest = [](const std::vector<sim_time>& times) {
        sim_time t;
        for (const sim_time x : times) {
            t = later(t, x);
        }
        return microseconds(t);
    };
    put(page, 133, longest(die.timing.tPROG), 2);
    put(page, 135, microseconds(die.erase.loops * die.erase.loop_time), 2);
    put(page, 137, longest(die.timing.tR), 2);
    put(page, 139, bus.tCCS.ns(), 2);
}

} // namespace

std::uint16_t onfi_crc(const std::uint8_t* bytes, std::size_t count)
{
    unsigned crc = 0x4F4E;
    for (std::size_t i = 0; i < count; ++i) {
        crc ^= static_cast<unsigned>(bytes[i]) << 8;
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc << 1) ^ ((crc & 0x8000) != 0 ? 0x8005u : 0u);
        }
    }
    return static_cast<std::uint16_t>(crc);
}

onfi_page make_parameter_page(const die_config& die, const cycle_times& bus)
{
    onfi_page page{};
    std::memcpy(page.data(), signature, 4);
    put(page, 14, die_registers::parameter_bytes / page.size(), 1); // copies
    put_text(page, 32, "", 12);
    put_text(page, 44, "MODEL", 20);
    put_geometry(page, die);
    put_times(page, die, bus);
    put(page, 254, onfi_crc(page.data(), 254), 2);
    return page;
}

die_registers::die_registers(const die_config& die, const cycle_times& bus)
    : m_parameters(make_parameter_page(die, bus))
{}

void die_registers::read_id(std::uint32_t address, unsigned char* to, std::size_t count) const
{
    std::memset(to, 0, count);
    if (address == signature_address) {
        std::memcpy(to, signature, std::min<std::size_t>(count, 4));
    }
}

void die_registers::set_feature(std::uint32_t address, const unsigned char* from, std::size_t count)
{
    m_features.resize(256 * feature_bytes);
    std::memcpy(&m_features.at(std::size_t{address} * feature_bytes), from,
                std::min<std::size_t>(count, feature_bytes));
}

void die_registers::select_parameter_page()
{
    m_output.assign(m_parameters.begin(), m_parameters.end());
}

void die_registers::select_feature(std::uint32_t address)
{
    m_output.assign(feature_bytes, 0);
    if (!m_features.empty()) {
        std::memcpy(m_output.data(), &m_features.at(std::size_t{address} * feature_bytes),
                    feature_bytes);
    }
}

void die_registers::put_out(unsigned char* to, std::size_t count) const
{
    for (std::size_t i = 0; i < count; ++i) { // the page repeats
        to[i] = m_output[i % m_output.size()];
    }
}

} // namespace ssdvp::flash
