// SPDX-License-Identifier: Apache-2.0
#include "platform/report/traces/tlp_header.h"

#include <fmt/format.h>

#include "models/pcie/tlp_cost.h"

namespace ssdvp::platform {

namespace {

constexpr std::uint16_t id_of_root_complex = 0x0000; // 00:00.0
constexpr std::uint16_t id_of_drive = 0x0100;        // 01:00.0, behind the only root port

bool has_short_address(const pcie::packet& t)
{
    return t.address < pcie::long_addresses;
}

/// Fmt and Type.
std::uint32_t type_bits(const pcie::packet& t)
{
    const std::uint32_t doublewords = has_short_address(t) ? 0x00 : 0x20; // three, four
    switch (t.kind) {
    case pcie::tlp_kind::MRd:
        return doublewords;
    case pcie::tlp_kind::MWr:
        return doublewords | 0x40; // with data
    default:
        return 0x4A; // three, data: completion
    }
}

} // namespace

std::uint16_t requester_of(const pcie::packet& t)
{
    return t.up == (t.kind != pcie::tlp_kind::CplD) ? id_of_drive : id_of_root_complex;
}

std::uint16_t completer_of(const pcie::packet& t)
{
    return t.up ? id_of_drive : id_of_root_complex;
}

std::string text_of_id(std::uint16_t id)
{
    return fmt::format("{:02x}:{:02x}.{}", id >> 8, (id >> 3) & 0x1F, id & 7);
}

std::vector<std::uint32_t> header_of(const pcie::packet& t)
{
    const std::uint32_t tag = t.tag;
    const std::uint32_t high_tag = (tag >> 9 & 1) << 23 | (tag >> 8 & 1) << 19; // 10-bit tags
    const std::uint32_t first =
        type_bits(t) << 24 | high_tag | (t.dwords & 0x3FF); // 0: 1024 doublewords
    const auto ids = [](std::uint16_t id) { return std::uint32_t{id} << 16; };
    if (t.kind == pcie::tlp_kind::CplD) {
        return {first, ids(completer_of(t)) | (t.byte_count & 0xFFFu),
                ids(requester_of(t)) | (tag & 0xFF) << 8 | t.lower_address};
    }
    const std::uint32_t second =
        ids(requester_of(t)) | (tag & 0xFF) << 8 | std::uint32_t{t.last_be} << 4 | t.first_be;
    const auto low = static_cast<std::uint32_t>(t.address);
    if (has_short_address(t)) {
        return {first, second, low};
    }
    return {first, second, static_cast<std::uint32_t>(t.address >> 32), low};
}

} // namespace ssdvp::platform
